//! What a text says when its escapes are read, and where in the text it says so.

use super::spans::Span;

/// How a text is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Writing {
    /// `\"`, `\n`, `\u0041`, `\x41`.
    Escapes,
    /// `%41`. What is no ASCII stays as it is: no shape and no key has it.
    Percent,
}

/// The text as it is read.
pub(super) fn decoded(raw: &str, writing: Writing) -> String {
    read(raw, writing, |_, _| {})
}

/// The same spans in the text as it is written.
pub(super) fn in_raw(spans: Vec<Span>, raw: &str, writing: Writing, raw_start: usize) -> Vec<Span> {
    if spans.is_empty() {
        return spans;
    }
    let mut steps = vec![(0, 0)];
    read(raw, writing, |read, raw| steps.push((read, raw)));
    let place = |at: usize| {
        let (read, raw) = steps[steps.partition_point(|step| step.0 <= at) - 1];
        raw_start + raw + (at - read)
    };
    let quotes = |quotes: Option<u8>| match writing {
        Writing::Escapes => quotes.map(|levels| levels.saturating_add(1)),
        Writing::Percent => None,
    };
    let written = |span: Span| Span {
        start: place(span.start),
        end: place(span.end),
        quotes: quotes(span.quotes),
        ..span
    };
    spans.into_iter().map(written).collect()
}

/// Reads a text; `step` is told where each escape begins and ends, in what is read and in what is written.
fn read(raw: &str, writing: Writing, mut step: impl FnMut(usize, usize)) -> String {
    let mut out = String::with_capacity(raw.len());
    let sign = if writing == Writing::Escapes { '\\' } else { '%' };
    let mut done = 0;
    while let Some(at) = raw[done..].find(sign).map(|at| done + at) {
        out.push_str(&raw[done..at]);
        let read = match writing {
            Writing::Escapes => escape(&raw[at..]),
            Writing::Percent => percent(&raw[at..]),
        };
        step(out.len(), at);
        let (c, length) = read.unwrap_or((sign, 1));
        out.push(c);
        done = at + length;
        step(out.len(), done);
    }
    out.push_str(&raw[done..]);
    out
}

/// What an escape says and how long it is.
fn escape(text: &str) -> Option<(char, usize)> {
    let c = match text.as_bytes().get(1)? {
        b'"' => '"',
        b'\'' => '\'',
        b'\\' => '\\',
        b'/' => '/',
        b'n' => '\n',
        b't' => '\t',
        b'r' => '\r',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'x' => return Some((char::from(u8::try_from(hex(text, 2, 2)?).ok()?), 4)),
        b'u' => return unicode(text),
        _ => return None,
    };
    Some((c, 2))
}

fn unicode(text: &str) -> Option<(char, usize)> {
    let first = hex(text, 2, 4)?;
    if let Some(c) = char::from_u32(first) {
        return Some((c, 6));
    }
    // Two halves make one character.
    let second = (text.get(6..8) == Some("\\u")).then(|| hex(text, 8, 4)).flatten();
    if let Some(second) = second.filter(|second| first < 0xdc00 && (0xdc00..0xe000).contains(second)) {
        let c = char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00));
        return Some((c.unwrap_or(char::REPLACEMENT_CHARACTER), 12));
    }
    Some((char::REPLACEMENT_CHARACTER, 6))
}

fn percent(text: &str) -> Option<(char, usize)> {
    let byte = u8::try_from(hex(text, 1, 2)?).ok()?;
    byte.is_ascii().then(|| (char::from(byte), 3))
}

fn hex(text: &str, from: usize, digits: usize) -> Option<u32> {
    let digits = text.get(from..from + digits)?;
    digits
        .bytes()
        .all(|byte| byte.is_ascii_hexdigit())
        .then(|| u32::from_str_radix(digits, 16).ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::super::mark::Marker;
    use super::*;

    #[test]
    fn escapes_are_read_and_found_again() {
        for (raw, said) in [
            (r"\u0041KIA\n\t\\x", "AKIA\n\t\\x"),
            (r"a\ud83d\ude00b\ud83dc", "a😀b\u{fffd}c"),
            (r"\x41\q\", "A\\q\\"),
            (r"\u00é4 \u12", r"\u00é4 \u12"),
        ] {
            assert_eq!(decoded(raw, Writing::Escapes), said);
        }
        assert_eq!(decoded("%41%4b%zz%é%C3%A9%", Writing::Percent), "AK%zz%é%C3%A9%");
    }

    #[test]
    fn every_part_of_what_is_read_has_its_place_in_what_is_written() {
        let raw = r#"x\u0041\n\"tok\u0065n\" é\ud83d\ude00end"#;
        let said = decoded(raw, Writing::Escapes);
        let mark = Marker::new(&[0; 32]).of(b"");
        let ends: Vec<usize> = said.char_indices().map(|(at, _)| at).chain([said.len()]).collect();
        for start in &ends {
            for end in ends.iter().filter(|end| *end > start) {
                let span =
                    Span { start: *start, end: *end, mark, is_known: false, is_named: false, quotes: None };
                let written = in_raw(vec![span], raw, Writing::Escapes, 0)[0];
                let part = &raw[written.start..written.end];
                assert_eq!(decoded(part, Writing::Escapes), said[*start..*end]);
            }
        }
    }
}
