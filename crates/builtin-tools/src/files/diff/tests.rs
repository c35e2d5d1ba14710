//! What a diff may look like and what it does.

use super::{DiffError, apply, parse};

fn patched(content: &str, diff: &str) -> Result<String, DiffError> {
    apply(&parse(diff)?, content).map(|applied| applied.text)
}

#[test]
fn a_plain_diff_is_applied() {
    let diff = "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n";
    assert_eq!(patched("one\ntwo\nthree\n", diff).unwrap(), "one\nTWO\nthree\n");
}

#[test]
fn line_endings_and_the_final_newline_stay() {
    let diff = "@@ -1,2 +1,3 @@\n one\n+half\n two";
    assert_eq!(patched("one\r\ntwo\r\n", diff).unwrap(), "one\r\nhalf\r\ntwo\r\n");
    assert_eq!(patched("one\ntwo", diff).unwrap(), "one\nhalf\ntwo");
    let at_end = "@@ -2,1 +2,2 @@\n two\n+three\n";
    assert_eq!(patched("one\ntwo", at_end).unwrap(), "one\ntwo\nthree");
    let with_markers = "@@ -1 +1 @@\n-one\n\\ No newline at end of file\n+one\n";
    assert_eq!(patched("one", with_markers).unwrap(), "one\n");
    let other_way = "@@ -1 +1 @@\n-one\n+one\n\\ No newline at end of file\n";
    assert_eq!(patched("one\n", other_way).unwrap(), "one");
}

#[test]
fn wrong_counts_and_moved_lines_are_found_when_there_is_one_place() {
    let diff = "@@ -1,9 +1,9 @@\n b\n-c\n+C\n";
    assert_eq!(patched("x\na\nb\nc\n", diff).unwrap(), "x\na\nb\nC\n");
    assert_eq!(patched("x\na\nb\nc\n", "@@ @@\n-b\n+B\n").unwrap(), "x\na\nB\nc\n");
}

#[test]
fn later_hunks_follow_the_drift_of_earlier_ones() {
    let diff = "@@ -1,2 +1,2 @@\n-a\n+A\n x\n@@ -4,1 +4,1 @@\n-x\n+X\n";
    assert_eq!(patched("new\na\nx\nb\nx\nx\n", diff).unwrap(), "new\nA\nx\nb\nX\nx\n");
}

#[test]
fn a_hunk_that_only_adds_goes_after_the_line_it_names() {
    assert_eq!(patched("a\nb\n", "@@ -1,0 +2,1 @@\n+x\n").unwrap(), "a\nx\nb\n");
    assert_eq!(patched("a\nb\n", "@@ -0,0 +1,1 @@\n+x\n").unwrap(), "x\na\nb\n");
    assert_eq!(patched("", "@@ -0,0 +1,2 @@\n+x\n+y\n").unwrap(), "x\ny\n");
    assert!(matches!(patched("a\n", "@@ -9,0 +9,1 @@\n+x\n"), Err(DiffError::NotThere { .. })));
    assert_eq!(patched("a\n", "@@\n+x\n"), Err(DiffError::NoPlace { hunk: 1 }));
}

#[test]
fn lines_that_look_like_headers_are_lines_while_the_hunk_wants_more() {
    let diff = "@@ -1,2 +1,2 @@\n--- a\n+++ b\n c\n";
    assert_eq!(patched("-- a\nc\n", diff).unwrap(), "++ b\nc\n");
}

#[test]
fn empty_lines_between_hunks_are_not_lines_of_the_file() {
    let diff = "@@ -1,1 +1,1 @@\n-a\n+A\n\n@@ -3,1 +3,1 @@\n-c\n+C\n";
    assert_eq!(patched("a\nb\nc\n", diff).unwrap(), "A\nb\nC\n");
    let blank_context = "@@ -1,3 +1,3 @@\n a\n\n-c\n+C\n";
    assert_eq!(patched("a\n\nc\n", blank_context).unwrap(), "a\n\nC\n");
}

#[test]
fn what_does_not_fit_is_refused_with_the_line() {
    let text = patched("one\ntwo\n", "@@ -1,2 +1,2 @@\n one\n-tow\n+2\n").unwrap_err().to_string();
    assert!(text.contains("\"tow\" is nowhere"), "{text}");
    let text = patched("a\nb\na\nb\n", "@@ -9 +9 @@\n-b\n+c\n").unwrap_err().to_string();
    assert!(text.contains("2 places (lines 2, 4)"), "{text}");
    let text = patched("b\na\n", "@@ -1,2 +1,1 @@\n a\n-b\n").unwrap_err().to_string();
    assert!(text.contains("line 1 should be \"a\" and is \"b\""), "{text}");
}

#[test]
fn what_is_not_a_diff_of_one_file_is_refused() {
    assert_eq!(parse(""), Err(DiffError::NoHunk));
    assert_eq!(parse("just text"), Err(DiffError::NoHunk));
    assert_eq!(parse("@@ -1 +1 @@\n a\n"), Err(DiffError::NothingToDo { hunk: 1 }));
    assert!(matches!(parse("@@ -1 +1 @@\n-a\n+b\nrest"), Err(DiffError::BadLine { line: 4, .. })));
    let two = "--- a\n+++ a\n@@ -1 +1 @@\n-a\n+b\n--- c\n+++ c\n@@ -1 +1 @@\n-a\n+b\n";
    assert_eq!(parse(two), Err(DiffError::SeveralFiles { line: 6 }));
    assert!(parse("--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n").unwrap().creates);
}

#[test]
fn a_byte_order_mark_stays_and_is_no_part_of_line_1() {
    let diff = "@@ -1 +1 @@\n-one\n+1\n";
    assert_eq!(patched("\u{feff}one\ntwo\n", diff).unwrap(), "\u{feff}1\ntwo\n");
    let with_mark = "@@ -1 +1 @@\n-\u{feff}one\n+1\n";
    assert_eq!(patched("\u{feff}one\ntwo\n", with_mark).unwrap(), "1\ntwo\n");
}

#[test]
fn hunks_in_the_wrong_order_are_told_so() {
    let diff = "@@ -3 +3 @@\n-c\n+C\n@@ -1 +1 @@\n-a\n+A\n";
    let refused = patched("a\nb\nc\n", diff).unwrap_err();
    assert_eq!(refused, DiffError::WrongOrder { hunk: 2, line: 1 });
    assert!(refused.to_string().contains("Send the hunks in the order of their lines"));
}

#[test]
fn an_added_line_of_a_mixed_text_ends_as_the_one_before_it() {
    let diff = "@@ -1,2 +1,3 @@\n a\n+half\n b\n";
    assert_eq!(patched("a\r\nb\n", diff).unwrap(), "a\r\nhalf\r\nb\n");
    assert_eq!(patched("a\nb\r\n", diff).unwrap(), "a\nhalf\nb\r\n");
}
