//! Text that a terminal shows as text: a file name may hold a line break or a command to the terminal.

use std::borrow::Cow;

use toolwright_redact::does_not_print;

/// Text with what does not print written out as in JSON (`\n`, `\u001b`), so that it can be sent back; a
/// backslash beside it too, so that the two can be told apart. The characters in `kept` stay as they are.
pub fn printable<'a>(text: &'a str, kept: &[char]) -> Cow<'a, str> {
    let is_hidden = |c: char| does_not_print(c) && !kept.contains(&c);
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\\' if !kept.contains(&c) => shown.push_str("\\\\"),
            c if !is_hidden(c) => shown.push(c),
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            c => shown.push_str(&format!("\\u{:04x}", u32::from(c))),
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_print_is_written_out_as_in_json() {
        let name = "a\u{1b}[31m\nb\tc\u{202e}d\u{9b}é 世\\n";
        let shown = printable(name, &[]);
        assert_eq!(shown, "a\\u001b[31m\\nb\\tc\\u202ed\\u009bé 世\\\\n");
        let back: String = serde_json::from_str(&format!("\"{shown}\"")).expect("JSON");
        assert_eq!(back, name);
        assert_eq!(printable("a\tb\n\r", &['\n', '\t']), "a\tb\n\\r");
        assert_eq!(printable("C:\\\r", &['\\']), "C:\\\\r");
        assert!(matches!(printable("pl\\ain", &[]), Cow::Borrowed("pl\\ain")));
    }
}
