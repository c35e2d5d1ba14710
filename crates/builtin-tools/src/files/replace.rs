//! Replacing one text by another in the contents of a file: exactly once, or everywhere on request.

mod mixed;

use super::endings::Endings;

/// How many places are listed or counted before it only says "more".
const MAX_PLACES: usize = 1000;
/// How many line numbers a message names.
const MAX_LINES_SHOWN: usize = 10;

/// How many line numbers a result keeps.
pub(super) const MAX_LINES_KEPT: usize = 100;
/// How many lines are compared at most to find a hint.
const MAX_COMPARISONS: usize = 50_000_000;

/// Which occurrences are replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    /// The only one there is.
    TheOnly,
    /// Every one.
    All,
}

/// The contents after a replacement.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Replaced {
    /// The new contents.
    pub text: String,
    /// How many occurrences were replaced.
    pub count: usize,
    /// The lines, counted from 1, on which they began; only the first [`MAX_LINES_KEPT`].
    pub lines: Vec<usize>,
}

/// Why nothing was replaced.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Mismatch {
    #[error(
        "old_text is empty, so there is no place to edit. Send the text that is to be replaced; to create or \
         replace a whole file use write_to_file"
    )]
    Empty,
    #[error("old_text and new_text are the same, so nothing would change. Send the text as it should become")]
    Same,
    #[error("old_text does not occur in the file. {hint}")]
    Missing { hint: String },
    #[error(
        "the file would have {bytes} bytes; files over {max} bytes are not written (max_file_bytes). Replace less"
    )]
    TooLarge { bytes: u64, max: u64 },
    #[error(
        "old_text occurs {count} times ({lines}). Add lines around it so that it occurs once, or set \
         \"replace_all\": true to replace every one"
    )]
    Ambiguous { count: String, lines: String },
    #[error(
        "old_text occurs {count} times ({lines}), and some of them overlap. Add lines around it so that it occurs \
         once; \"replace_all\": true would replace {apart} of them, none that overlaps the one before"
    )]
    Overlapping { count: String, lines: String, apart: usize },
}

/// Replaces `old` by `new` in `content`. Both take on the line endings of the content. Nothing is made that
/// would be larger than `max_bytes`.
pub(super) fn replace(
    content: &str,
    old: &str,
    new: &str,
    which: Which,
    max_bytes: u64,
) -> Result<Replaced, Mismatch> {
    if old.is_empty() {
        return Err(Mismatch::Empty);
    }
    let endings = Endings::of(content);
    if endings == Endings::Mixed {
        return mixed::replace(content, old, new, which, max_bytes);
    }
    let (old, new) = (endings.fit(old), endings.fit(new));
    if old == new {
        return Err(Mismatch::Same);
    }
    if !content.contains(old.as_ref()) {
        return Err(Mismatch::Missing { hint: hint(content, &old) });
    }
    let count = count_to_replace(content, &old, &new, which, max_bytes)?;
    let text = content.replace(old.as_ref(), &new);
    Ok(Replaced { text, count, lines: lines_of_first(content, &old) })
}

/// How many occurrences are replaced, when they may be. Asked before anything is made: a few kilobytes of
/// arguments can ask for terabytes.
fn count_to_replace(
    content: &str,
    old: &str,
    new: &str,
    which: Which,
    max_bytes: u64,
) -> Result<usize, Mismatch> {
    if which == Which::TheOnly {
        let places = overlapping(content, old);
        if places.len() > 1 {
            return Err(ambiguous(content, old, &places));
        }
    }
    let count = content.matches(old).count();
    let kept = (content.len() - count * old.len()) as u64;
    let bytes = kept.saturating_add((count as u64).saturating_mul(new.len() as u64));
    if bytes > max_bytes {
        return Err(Mismatch::TooLarge { bytes, max: max_bytes });
    }
    Ok(count)
}

/// Where `old` begins, counting occurrences that overlap: in `aaa` there are two places for `aa`.
fn overlapping(content: &str, old: &str) -> Vec<usize> {
    let mut places = Vec::new();
    let mut from = 0;
    while let Some(found) = content[from..].find(old) {
        places.push(from + found);
        if places.len() > MAX_PLACES {
            break;
        }
        let step = content[from + found..].chars().next().map_or(1, char::len_utf8);
        from += found + step;
    }
    places
}

/// The lines of the first occurrences.
fn lines_of_first(content: &str, old: &str) -> Vec<usize> {
    lines_of(content, content.match_indices(old).take(MAX_LINES_KEPT).map(|(offset, _)| offset))
}

/// The lines of the bytes at `places`, counted from 1, in one pass.
fn lines_of(content: &str, places: impl Iterator<Item = usize>) -> Vec<usize> {
    let (mut line, mut seen) = (1, 0);
    places
        .map(|offset| {
            line += content.as_bytes()[seen..offset].iter().filter(|byte| **byte == b'\n').count();
            seen = offset;
            line
        })
        .collect()
}

fn ambiguous(content: &str, old: &str, places: &[usize]) -> Mismatch {
    let count = match places.len() {
        over if over > MAX_PLACES => format!("more than {MAX_PLACES}"),
        count => count.to_string(),
    };
    let on = lines_of(content, places.iter().copied());
    let lines = line_numbers(&on, MAX_LINES_SHOWN, places.len() > MAX_PLACES);
    if places.windows(2).any(|pair| pair[1] - pair[0] < old.len()) {
        return Mismatch::Overlapping { count, lines, apart: content.matches(old).count() };
    }
    Mismatch::Ambiguous { count, lines }
}

/// "line 3", "lines 1, 5": each line once, up to `max` of them. `are_more` says that the list is not complete.
pub(super) fn line_numbers(lines: &[usize], max: usize, are_more: bool) -> String {
    let mut each: Vec<usize> = Vec::new();
    for line in lines {
        if !each.contains(line) {
            each.push(*line);
        }
    }
    let shown: Vec<String> = each.iter().take(max).map(usize::to_string).collect();
    let more = if are_more || each.len() > max { ", …" } else { "" };
    format!(
        "{} {}{more}",
        if each.len() == 1 && more.is_empty() { "line" } else { "lines" },
        shown.join(", ")
    )
}

/// What may have gone wrong with a text that is not there.
fn hint(content: &str, old: &str) -> String {
    if let Some(line) = same_words(content, old) {
        return format!(
            "Line {line} differs only in white space: copy the text exactly as read_file shows it"
        );
    }
    let unescaped = old.replace("\\n", "\n").replace("\\t", "\t");
    if unescaped != old && content.contains(Endings::of(content).fit(&unescaped).as_ref()) {
        return "It holds a backslash and a letter where the file has a line break or a tab: send the real \
                character (in JSON \\n, not \\\\n)"
            .to_owned();
    }
    let first = old.lines().map(str::trim).find(|line| !line.is_empty());
    match first.and_then(|first| content.lines().position(|line| line.trim() == first)) {
        Some(index) => {
            format!(
                "Its first line stands in line {}, but what follows differs: read the file again",
                index + 1
            )
        }
        None => "Read the file again and copy the text exactly".to_owned(),
    }
}

/// The line at which the lines of `old` stand, when white space at their ends is left aside.
fn same_words(content: &str, old: &str) -> Option<usize> {
    let wanted: Vec<&str> = old.trim().lines().map(str::trim).collect();
    let lines: Vec<&str> = content.lines().map(str::trim).collect();
    let too_long = lines.len().saturating_mul(wanted.len()) > MAX_COMPARISONS;
    if too_long || wanted.iter().all(|line| line.is_empty()) {
        return None;
    }
    lines.windows(wanted.len()).position(|window| window == wanted).map(|index| index + 1)
}

#[cfg(test)]
mod tests {
    use super::{Mismatch, Replaced, Which};

    fn replace(content: &str, old: &str, new: &str, which: Which) -> Result<Replaced, Mismatch> {
        super::replace(content, old, new, which, 1000)
    }

    #[test]
    fn the_only_occurrence_is_replaced_and_its_line_named() {
        let done = replace("a\nb\nc\n", "b", "x\ny", Which::TheOnly).unwrap();
        assert_eq!((done.text.as_str(), done.lines.as_slice()), ("a\nx\ny\nc\n", [2].as_slice()));
    }

    #[test]
    fn texts_take_on_the_line_endings_of_the_file() {
        let done = replace("a\r\nb\r\n", "a\nb", "a\nx\nb", Which::TheOnly).unwrap();
        assert_eq!(done.text, "a\r\nx\r\nb\r\n");
        let done = replace("a\nb\n", "a\r\nb", "c\r\nd", Which::TheOnly).unwrap();
        assert_eq!(done.text, "c\nd\n");
    }

    #[test]
    fn overlapping_places_are_ambiguous() {
        let refused = replace("aaa", "aa", "b", Which::TheOnly).unwrap_err();
        let expected = Mismatch::Overlapping { count: "2".to_owned(), lines: "line 1".to_owned(), apart: 1 };
        assert_eq!(refused, expected);
        assert!(refused.to_string().ends_with("would replace 1 of them, none that overlaps the one before"));
        assert_eq!(replace("aaa", "aa", "b", Which::All).unwrap().text, "ba");
    }

    #[test]
    fn several_places_in_one_line_are_one_line() {
        let refused = replace("a a\na\n", "a", "b", Which::TheOnly).unwrap_err();
        assert_eq!(refused, Mismatch::Ambiguous { count: "3".to_owned(), lines: "lines 1, 2".to_owned() });
        assert_eq!(super::line_numbers(&[1, 1], 10, false), "line 1");
        assert_eq!(super::line_numbers(&[1, 1], 10, true), "lines 1, …");
        assert_eq!(super::line_numbers(&[3, 1, 3, 2], 2, false), "lines 3, 1, …");
    }

    #[test]
    fn hints_name_the_likely_cause() {
        let cases = [
            ("fn a() {\n    b();\n}\n", "fn a() {\n  b();\n}", "Line 1 differs only in white space"),
            ("a\nb\n", "a\\nb", "a backslash and a letter"),
            ("one\ntwo\n", "one\nthree", "first line stands in line 1"),
            ("one\n", "nine", "Read the file again"),
        ];
        for (content, old, expected) in cases {
            let text = replace(content, old, "", Which::TheOnly).unwrap_err().to_string();
            assert!(text.contains(expected), "{text}");
        }
    }

    #[test]
    fn what_would_change_nothing_is_refused() {
        assert_eq!(replace("a", "a", "a", Which::TheOnly), Err(Mismatch::Same));
        assert_eq!(replace("a\r\nb", "a\nb", "a\r\nb", Which::TheOnly), Err(Mismatch::Same));
        assert_eq!(replace("a", "", "b", Which::All), Err(Mismatch::Empty));
    }

    #[test]
    fn what_would_be_too_large_is_not_made() {
        let content = "a".repeat(900);
        let long = "b".repeat(1_000_000);
        let refused = replace(&content, "a", &long, Which::All).unwrap_err();
        assert_eq!(refused, Mismatch::TooLarge { bytes: 900_000_000, max: 1000 });
        assert_eq!(replace(&content, "a", "", Which::All).unwrap().count, 900);
    }
}
