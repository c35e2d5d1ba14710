//! How many tokens a text has, without a vocabulary: pieces as tokenizers cut them, at what pieces of their kind cost.
//!
//! The prices, in hundredths of a token, were fitted to OpenAI's o200k over 1,166 files of prose, code and JSON; that
//! of Cyrillic was then set by hand, for Russian. On 292 other files half of the counts are within 2 % and nine of
//! ten within about 5 %; texts in other languages than English are mostly within 11 %, some 19 % off, and short ones
//! a quarter. A vocabulary would be exact for some models of one provider only, at 6 MB on disk, 46 MB in memory and
//! half a second before the first count.

/// A piece of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Piece {
    /// Latin letters without marks, up to a capital after a small letter, and what stands before them.
    Word { before: Before, letters: usize },
    /// Up to three digits are one token.
    Digits(usize),
    /// Marks, and the space before them.
    Marks(usize),
    /// Blanks that belong to nothing else.
    Blanks(usize),
    /// Letters of another script.
    Script(Script, usize),
}

/// What stands before a word and goes with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Before {
    Nothing,
    Space,
    Mark,
}

/// Scripts that cost alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Script {
    /// Latin letters with marks.
    Latin,
    /// Cyrillic and Greek.
    Cyrillic,
    /// Hebrew and Arabic.
    Semitic,
    /// Han, Kana and Hangul.
    EastAsian,
    /// Other letters.
    Other,
    /// Emoji, arrows, typographic marks.
    Symbol,
}

/// About how many tokens a text has.
pub(super) fn count(text: &str) -> u64 {
    let mut hundredths = 0;
    pieces(text, |piece| hundredths += price(piece));
    hundredths.div_ceil(100)
}

/// What a piece costs, in hundredths of a token.
fn price(piece: Piece) -> u64 {
    let (fixed, each, letters) = match piece {
        Piece::Word { before, letters } => {
            let column = match before {
                Before::Nothing => 0,
                Before::Space => 1,
                Before::Mark => 2,
            };
            let row = match letters {
                0..=1 => [156, 70, 127],
                2..=3 => [96, 64, 202],
                4..=5 => [80, 120, 120],
                6..=7 => [103, 117, 131],
                8..=9 => [78, 141, 156],
                10..=12 => [153, 145, 208],
                _ => [431, 330, 320],
            };
            (row[column], 30, letters.saturating_sub(16))
        }
        Piece::Digits(digits) => (0, 100, digits.div_ceil(3)),
        Piece::Marks(marks) => {
            let fixed = match marks {
                0..=1 => 126,
                2 => 90,
                3 => 101,
                4..=5 => 150,
                _ => 166,
            };
            (fixed, 12, marks.saturating_sub(8))
        }
        Piece::Blanks(blanks) => (89, 1, blanks / 2),
        Piece::Script(Script::Latin, letters) => (37, 68, letters),
        Piece::Script(Script::Cyrillic, letters) => (46, 20, letters),
        Piece::Script(Script::Semitic, letters) => (30, 42, letters),
        Piece::Script(Script::EastAsian, letters) => (117, 64, letters),
        Piece::Script(Script::Other, letters) => (30, 60, letters),
        Piece::Script(Script::Symbol, letters) => (20, 82, letters),
    };
    fixed + each * letters as u64
}

/// Gives every piece of a text, in order.
fn pieces(text: &str, mut see: impl FnMut(Piece)) {
    let bytes = text.as_bytes();
    let run =
        |from: usize, is_in: fn(&u8) -> bool| bytes[from..].iter().take_while(|byte| is_in(byte)).count();
    let mut at = 0;
    let mut before = Before::Nothing;
    while at < bytes.len() {
        let byte = bytes[at];
        let start = at;
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {
                at += run(at, u8::is_ascii_uppercase);
                at += run(at, u8::is_ascii_lowercase);
                see(Piece::Word { before, letters: at - start });
                before = Before::Nothing;
            }
            b'0'..=b'9' => {
                if before == Before::Space {
                    see(Piece::Blanks(1));
                }
                at += run(at, u8::is_ascii_digit);
                see(Piece::Digits(at - start));
                before = Before::Nothing;
            }
            b' ' | b'\t' | b'\r' | b'\n' => {
                at += run(at, u8::is_ascii_whitespace).max(1);
                before = blanks(&bytes[start..at], &mut see);
            }
            0x80.. => {
                at = other(text, at, &mut see);
                before = Before::Nothing;
            }
            _ => {
                at += run(at, is_mark).max(1);
                let is_before_word = bytes.get(at).is_some_and(u8::is_ascii_alphabetic);
                if at - start == 1 && is_before_word && before != Before::Space {
                    before = Before::Mark;
                    continue;
                }
                // Line ends right after marks go with them.
                at += run(at, |byte| matches!(byte, b'\n' | b'\r'));
                see(Piece::Marks(at - start));
                before = Before::Nothing;
            }
        }
    }
    if before == Before::Space {
        see(Piece::Blanks(1));
    }
}

/// Blanks: all but the last are one piece up to the last line end and one after it, and the last goes with what follows.
fn blanks(run: &[u8], see: &mut impl FnMut(Piece)) -> Before {
    let after = run.iter().rposition(|byte| matches!(byte, b'\n' | b'\r')).map_or(0, |at| at + 1);
    if after > 0 {
        see(Piece::Blanks(after));
    }
    match run.len() - after {
        0 => return Before::Nothing,
        1 => {}
        rest => see(Piece::Blanks(rest - 1)),
    }
    Before::Space
}

/// A run of letters of one script, which may not be ASCII.
fn other(text: &str, from: usize, see: &mut impl FnMut(Piece)) -> usize {
    let mut letters = text[from..].char_indices();
    let Some((_, first)) = letters.next() else { return text.len() };
    let kind = script(first);
    let mut count = 1;
    for (at, letter) in letters {
        if letter.is_ascii() || script(letter) != kind {
            see(Piece::Script(kind, count));
            return from + at;
        }
        count += 1;
    }
    see(Piece::Script(kind, count));
    text.len()
}

fn script(letter: char) -> Script {
    match u32::from(letter) {
        0x00C0..=0x024F | 0x1E00..=0x1EFF => Script::Latin,
        0x0370..=0x052F => Script::Cyrillic,
        0x0590..=0x077F => Script::Semitic,
        0x3040..=0x30FF | 0x3400..=0x9FFF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF => {
            Script::EastAsian
        }
        0x0530..=0x1DFF | 0xA000..=0xABFF => Script::Other,
        _ => Script::Symbol,
    }
}

fn is_mark(byte: &u8) -> bool {
    byte.is_ascii() && !byte.is_ascii_alphanumeric() && !byte.is_ascii_whitespace()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Texts, and what o200k says of them.
    #[test]
    fn counts_are_near_those_of_a_tokenizer() {
        for (expected, text) in SAMPLES {
            let counted = count(text) as f64;
            let off = (counted - f64::from(*expected)).abs() / f64::from(*expected);
            // Short texts in other scripts are the worst case.
            let bound = if text.is_ascii() { 0.2 } else { 0.3 };
            assert!(off < bound, "{counted} instead of {expected} for {text}");
        }
        let all: u64 = SAMPLES.iter().map(|(_, text)| count(text)).sum();
        let expected: u32 = SAMPLES.iter().map(|(expected, _)| expected).sum();
        let off = (all as f64 - f64::from(expected)).abs() / f64::from(expected);
        assert!(off < 0.1, "{all} instead of {expected}");
    }

    const SAMPLES: &[(u32, &str)] = &[
        (
            50,
            r#"Reads a file from the local filesystem. The path must be absolute, and the result has line numbers in front of every line. You may call it several times at once when more than one file could be useful, and a folder is an error."#,
        ),
        (
            65,
            r#"{"type":"object","properties":{"file_path":{"type":"string","description":"The absolute path of the file"},"limit":{"type":"integer","minimum":1},"old_string":{"type":"string"},"replace_all":{"type":"boolean","default":false}},"required":["file_path"],"additionalProperties":false}"#,
        ),
        (
            57,
            "fn resolve<'t>(root: &'t Tree, reference: &str) -> Option<&'t Tree> {\n    let pointer = reference.strip_prefix('#')?;\n    for step in pointer.split('/') {\n        at = at.get(&step)?;\n    }\n    Some(at)\n}\n",
        ),
        (
            69,
            "2026-01-07T12:30:41.120Z ERROR gateway: upstream answered 503 after 1250 ms (attempt 2 of 3), next try in 4 s\n2026-01-07T12:30:45.901Z INFO gateway: upstream answered 200 after 310 ms\n",
        ),
        (
            37,
            r#"Die Datei wird gelesen, und jede Zeile bekommt eine Nummer. Wenn der Ordner fehlt, ist das ein Fehler, der dem Modell gesagt wird, damit es einen anderen Weg nimmt."#,
        ),
        (
            36,
            r#"Файл читается целиком, и каждая строка получает номер. Если папки нет, это ошибка, о которой сообщают модели, чтобы она выбрала другой путь."#,
        ),
        (30, r#"读取本地文件,每一行前面都有行号。如果文件夹不存在,就会返回错误,模型可以选择别的路径。"#),
    ];

    #[test]
    fn nothing_costs_nothing_and_more_costs_more() {
        assert_eq!(count(""), 0);
        assert_eq!(count("12"), 1);
        assert_eq!(count("1234567"), 3);
        assert!(count("a") >= 1 && count(" ") >= 1 && count("\n") >= 1 && count("🙂") >= 1);
        assert!(count(&" ".repeat(1_000_000)) > 1000);
        assert!(count(&"x".repeat(1_000_000)) > 100_000);
    }

    proptest! {
        #[test]
        fn every_text_is_cut_to_its_end(text in "\\PC{0,60}|[ -~\n\t]{0,80}|[a ö漢!\n1]{0,40}") {
            let mut letters = 0;
            pieces(&text, |piece| letters += match piece {
                Piece::Word { letters, .. } => letters,
                Piece::Digits(count) | Piece::Script(_, count) => count,
                Piece::Marks(_) | Piece::Blanks(_) => 0,
            });
            let expected = text.chars().filter(|one| one.is_ascii_alphanumeric() || !one.is_ascii()).count();
            prop_assert_eq!(letters, expected);
            prop_assert!(text.is_empty() || count(&text) > 0);
            // A text and its halves cost about the same.
            let doubled = count(&text.repeat(2));
            prop_assert!(doubled <= 2 * count(&text) + 4);
        }
    }
}
