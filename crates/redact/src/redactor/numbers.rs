//! Numbers that are secrets: of cards (Luhn's digit), of accounts (IBAN, modulo 97), of people (SSN).
//!
//! Each has a check or a form that ordinary numbers rarely have. An order number that fails the check stays readable.

use super::spans::Found;

/// The fewest digits of any of these.
pub(super) const MIN_DIGITS: usize = 9;

/// The fewest digits between two separators of a card's number: a date and a telephone number have shorter groups.
const MIN_GROUP: usize = 4;

/// How long an IBAN of a country is.
const IBAN_CHARS: &[(&str, usize)] = &[
    ("AD", 24),
    ("AE", 23),
    ("AT", 20),
    ("BE", 16),
    ("BG", 22),
    ("CH", 21),
    ("CY", 28),
    ("CZ", 24),
    ("DE", 22),
    ("DK", 18),
    ("EE", 20),
    ("ES", 24),
    ("FI", 18),
    ("FR", 27),
    ("GB", 22),
    ("GR", 27),
    ("HR", 21),
    ("HU", 28),
    ("IE", 22),
    ("IL", 23),
    ("IS", 26),
    ("IT", 27),
    ("LI", 21),
    ("LT", 20),
    ("LU", 20),
    ("LV", 21),
    ("MC", 27),
    ("MT", 31),
    ("NL", 18),
    ("NO", 15),
    ("PL", 28),
    ("PT", 25),
    ("RO", 24),
    ("RS", 22),
    ("SA", 24),
    ("SE", 24),
    ("SI", 19),
    ("SK", 24),
    ("TR", 26),
    ("UA", 29),
];

/// Hides these numbers in a text.
pub(super) fn find(text: &str, found: &mut Found<'_>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let is_begin = at == 0 || !is_joined(bytes[at - 1]);
        if !is_begin || !bytes[at].is_ascii_alphanumeric() {
            at += 1;
            continue;
        }
        let end = if bytes[at].is_ascii_digit() { digits_at(bytes, at) } else { iban(bytes, at) };
        match end {
            Some(end) => {
                found.add_evident(at, end);
                at = end;
            }
            None => at += bytes[at..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count(),
        }
    }
}

/// Whether this is the number of a card, as JSON writes it.
pub(super) fn is_card(number: &str) -> bool {
    (13..=19).contains(&number.len()) && card(number.as_bytes(), 0) == Some(number.len())
}

fn digits_at(bytes: &[u8], start: usize) -> Option<usize> {
    card(bytes, start).or_else(|| ssn(bytes, start))
}

/// What makes a number a part of something longer: `v1.2`, `a_1`, `-5`.
fn is_joined(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'/') || !byte.is_ascii()
}

/// Whether something ends here, and no longer word goes on.
fn is_end(bytes: &[u8], at: usize) -> bool {
    match bytes.get(at) {
        None => true,
        Some(b'.' | b'-') => !bytes.get(at + 1).is_some_and(u8::is_ascii_alphanumeric),
        Some(byte) => byte.is_ascii() && !byte.is_ascii_alphanumeric() && *byte != b'_',
    }
}

/// Where the number of a card ends that begins here: 13 to 19 digits, with the same single sign between groups.
fn card(bytes: &[u8], start: usize) -> Option<usize> {
    let (mut digits, mut group, mut sign) = ([0_u8; 19], 0, None);
    let (mut count, mut at) = (0, start);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'0'..=b'9' if count < digits.len() => {
                digits[count] = byte - b'0';
                (count, group) = (count + 1, group + 1);
            }
            b'0'..=b'9' => return None,
            b' ' | b'-' if group >= MIN_GROUP && sign.is_none_or(|sign| sign == byte) => {
                if !bytes.get(at + 1).is_some_and(u8::is_ascii_digit) {
                    break;
                }
                (sign, group) = (Some(byte), 0);
            }
            _ => break,
        }
        at += 1;
    }
    let is_whole = group >= MIN_GROUP && is_end(bytes, at);
    (is_whole && has_brand(&digits[..count]) && has_luhn_digit(&digits[..count])).then_some(at)
}

/// Whether a card of some brand begins so and is so long.
fn has_brand(digits: &[u8]) -> bool {
    let first = |count: usize| {
        digits
            .get(..count)
            .map_or(0, |first| first.iter().fold(0_u32, |number, digit| number * 10 + u32::from(*digit)))
    };
    match digits.len() {
        13 | 19 => first(1) == 4,
        14 => matches!(first(2), 30 | 36 | 38 | 39),
        15 => matches!(first(2), 34 | 37),
        16 => {
            first(1) == 4
                || matches!(first(2), 51..=55 | 35 | 65 | 62)
                || matches!(first(4), 2221..=2720 | 6011)
                || matches!(first(3), 644..=649)
        }
        _ => false,
    }
}

fn has_luhn_digit(digits: &[u8]) -> bool {
    let doubled = |digit: u32| if digit > 4 { digit * 2 - 9 } else { digit * 2 };
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, digit)| if place % 2 == 1 { doubled(u32::from(*digit)) } else { u32::from(*digit) })
        .sum();
    sum > 0 && sum.is_multiple_of(10)
}

/// Where the IBAN ends that begins here; blanks may be between its groups of four.
fn iban(bytes: &[u8], start: usize) -> Option<usize> {
    let country = bytes.get(start..start + 2)?;
    let chars = IBAN_CHARS.iter().find(|(code, _)| code.as_bytes() == country)?.1;
    let (mut read, mut at) = (Vec::with_capacity(chars), start);
    while read.len() < chars {
        match bytes.get(at)? {
            byte if byte.is_ascii_uppercase() || byte.is_ascii_digit() => read.push(*byte),
            b' ' if read.len() % 4 == 0 && bytes[at - 1] != b' ' => {}
            _ => return None,
        }
        at += 1;
    }
    let value =
        |byte: &u8| if byte.is_ascii_digit() { u32::from(byte - b'0') } else { u32::from(byte - b'A') + 10 };
    let rest = read[4..].iter().chain(&read[..4]).fold(0, |rest: u32, byte| {
        let value = value(byte);
        (rest * if value > 9 { 100 } else { 10 } + value) % 97
    });
    (rest == 1 && read[2..4].iter().all(u8::is_ascii_digit) && is_end(bytes, at)).then_some(at)
}

/// Where the number of a person in the USA ends: `123-45-6789`, as such numbers are given out.
fn ssn(bytes: &[u8], start: usize) -> Option<usize> {
    let number = bytes.get(start..start + 11)?;
    let is_written_so = number.iter().enumerate().all(|(place, byte)| match place {
        3 | 6 => *byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    let (area, group, serial) = (&number[..3], &number[4..6], &number[7..]);
    let is_given_out =
        area != b"000" && area != b"666" && area[0] != b'9' && group != b"00" && serial != b"0000";
    (is_written_so && is_given_out && is_end(bytes, start + 11)).then_some(start + 11)
}
