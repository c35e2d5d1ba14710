//! Replacing in a text with both kinds of line ending: a line break matches either kind, at each place.

use super::{Mismatch, Replaced, Which, count_to_replace, hint, lines_of_first};

/// Replaces `old` by `new`. The text is searched as if every line ended in `\n`; what stays keeps its own
/// endings, and what is written takes on those of its place.
pub(super) fn replace(
    content: &str,
    old: &str,
    new: &str,
    which: Which,
    max_bytes: u64,
) -> Result<Replaced, Mismatch> {
    let [plain, old, new] = [content, old, new].map(|text| text.replace("\r\n", "\n"));
    if old == new {
        return Err(Mismatch::Same);
    }
    if !plain.contains(&old) {
        return Err(Mismatch::Missing { hint: hint(&plain, &old) });
    }
    let count = count_to_replace(&plain, &old, &new, which, max_bytes)?;
    let mut text = String::with_capacity(content.len());
    let (mut rest, mut seen) = (content, 0);
    for (place, _) in plain.match_indices(&old) {
        let (before, from) = rest.split_at(own_len(rest, place - seen));
        let (matched, after) = from.split_at(own_len(from, old.len()));
        text.push_str(before);
        push_with_endings(&mut text, &new, matched, after);
        (rest, seen) = (after, place + old.len());
    }
    text.push_str(rest);
    let bytes = text.len() as u64;
    if bytes > max_bytes {
        return Err(Mismatch::TooLarge { bytes, max: max_bytes });
    }
    Ok(Replaced { text, count, lines: lines_of_first(&plain, &old) })
}

/// How many bytes of `text` are `plain_len` bytes when each line break counts as one.
fn own_len(text: &str, plain_len: usize) -> usize {
    let bytes = text.as_bytes();
    (0..plain_len).fold(0, |at, _| at + if bytes[at..].starts_with(b"\r\n") { 2 } else { 1 })
}

/// Adds `new`: its line breaks are, one after another, those of the text that it replaces, then its last. A
/// text without any has the break that ends its line, or else the one before it.
fn push_with_endings(text: &mut String, new: &str, replaced: &str, after: &str) {
    let mut endings = replaced.split_inclusive('\n').filter_map(ending);
    let mut current = after.split_inclusive('\n').next().and_then(ending);
    current = current.or_else(|| text.rfind('\n').and_then(|at| ending(&text[..=at]))).or(Some("\n"));
    for (index, line) in new.split('\n').enumerate() {
        if index > 0 {
            current = endings.next().or(current);
            text.push_str(current.unwrap_or("\n"));
        }
        text.push_str(line);
    }
}

/// The line break at the end of a line.
fn ending(line: &str) -> Option<&'static str> {
    if line.ends_with("\r\n") {
        Some("\r\n")
    } else if line.ends_with('\n') {
        Some("\n")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Mismatch, Which, replace};

    fn replaced(content: &str, old: &str, new: &str, which: Which) -> Result<String, Mismatch> {
        replace(content, old, new, which, 1000).map(|done| done.text)
    }

    #[test]
    fn a_line_break_matches_either_kind_at_each_place() {
        let mixed = "x\ny\nx\r\ny\r\n";
        assert_eq!(replaced(mixed, "x\ny", "1\n2", Which::All).unwrap(), "1\n2\n1\r\n2\r\n");
        assert_eq!(replaced(mixed, "x\r\ny", "1\r\n2", Which::All).unwrap(), "1\n2\n1\r\n2\r\n");
        assert_eq!(
            replaced("a\r\nb\nc\r\nd", "a\nb\nc", "1\n2\n3", Which::TheOnly).unwrap(),
            "1\r\n2\n3\r\nd"
        );
        let refused = replaced(mixed, "x\ny", "1\n2", Which::TheOnly).unwrap_err();
        assert_eq!(refused, Mismatch::Ambiguous { count: "2".to_owned(), lines: "lines 1, 3".to_owned() });
    }

    #[test]
    fn what_is_written_takes_on_the_endings_of_its_place() {
        let mixed = "a\nb\r\nc";
        assert_eq!(replaced(mixed, "a", "1\n2", Which::TheOnly).unwrap(), "1\n2\nb\r\nc");
        assert_eq!(replaced(mixed, "b", "1\n2", Which::TheOnly).unwrap(), "a\n1\r\n2\r\nc");
        assert_eq!(replaced(mixed, "c", "1\n2", Which::TheOnly).unwrap(), "a\nb\r\n1\r\n2");
        assert_eq!(replaced(mixed, "b\nc", "1\n2\n3", Which::TheOnly).unwrap(), "a\n1\r\n2\r\n3");
        assert_eq!(replaced(mixed, "\nb\n", "", Which::TheOnly).unwrap(), "ac");
    }

    #[test]
    fn what_would_only_change_endings_changes_nothing() {
        assert_eq!(replaced("a\nb\r\n", "a\r\n", "a\n", Which::TheOnly), Err(Mismatch::Same));
    }

    #[test]
    fn the_endings_count_for_the_size() {
        let content = format!("{}a\n", "\r\n".repeat(500));
        assert!(replaced(&content, "a", "", Which::TheOnly).is_err(), "1001 bytes are more than 1000");
    }
}
