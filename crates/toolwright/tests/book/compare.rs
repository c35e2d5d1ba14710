//! Whether a program printed what the page says: `…` stands for anything in a line, and alone in a line for any lines.

/// Whether the text is what was expected.
pub fn fits(expected: &str, printed: &str) -> bool {
    let expected: Vec<&str> = expected.lines().map(str::trim_end).collect();
    let printed: Vec<&str> = printed.lines().map(str::trim_end).collect();
    lines_fit(&expected, &printed)
}

fn lines_fit(expected: &[&str], printed: &[&str]) -> bool {
    match (expected, printed) {
        ([], printed) => printed.is_empty(),
        (["…"], _) => true,
        (["…", rest @ ..], printed) => (0..=printed.len()).any(|from| lines_fit(rest, &printed[from..])),
        ([line, rest @ ..], [first, others @ ..]) => line_fits(line, first) && lines_fit(rest, others),
        (_, []) => false,
    }
}

fn line_fits(expected: &str, printed: &str) -> bool {
    let mut parts = expected.split('…');
    let Some(mut rest) = printed.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.split_once(part) {
            Some((_, behind)) => rest = behind,
            None => return false,
        }
    }
    true
}

/// Numbers behind these keys differ from run to run.
pub fn without_times(text: &str) -> String {
    let key = "\"duration_ms\":";
    let mut parts = text.split(key);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(key);
        out.push('0');
        out.push_str(part.trim_start_matches(|char: char| char.is_ascii_digit() || char == '.'));
    }
    out
}

#[test]
fn an_ellipsis_stands_for_anything_and_nothing_else_does() {
    for (expected, printed, is_fit) in [
        ("a\nb\n", "a\nb\n", true),
        ("a\nb\n", "a\n", false),
        ("a\n", "a\nb\n", false),
        ("a … c\n", "a b b c\n", true),
        ("a … c\n", "a b d\n", false),
        ("…c\n", "abc\n", true),
        ("[…],[…]\n", "[1],[2]\n", true),
        ("a\n…\nd\n", "a\nb\nc\nd\n", true),
        ("a\n…\n", "a\n", true),
        ("a\n…\ne\n", "a\nb\nc\nd\n", false),
    ] {
        assert_eq!(fits(expected, printed), is_fit, "{expected:?} {printed:?}");
    }
}
