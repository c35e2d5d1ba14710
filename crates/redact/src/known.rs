//! Values that are known to be secret.

use std::borrow::Cow;

use crate::HIDDEN;

/// The shortest value that is looked for, in bytes: `1` or `yes` would be found everywhere.
const MIN_BYTES: usize = 4;

/// The text without known secrets, wherever they stand. The start of one at the end of the text is hidden
/// as well: the text may have been cut there.
pub fn known<'t>(text: &'t str, secrets: &[String]) -> Cow<'t, str> {
    let mut secrets: Vec<&str> =
        secrets.iter().map(|secret| secret.trim()).filter(|secret| secret.len() >= MIN_BYTES).collect();
    // One may be a part of another.
    secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    let mut shown = Cow::Borrowed(text);
    for secret in secrets {
        if shown.contains(secret) {
            shown = Cow::Owned(shown.replace(secret, HIDDEN));
        }
        let whole = shown.trim_end_matches('…');
        let cut = (MIN_BYTES..secret.len())
            .rev()
            .filter_map(|length| secret.get(..length))
            .find(|start| whole.ends_with(start));
        if let Some(start) = cut {
            shown = Cow::Owned(format!("{}{HIDDEN}", &whole[..whole.len() - start.len()]));
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values_are_hidden_wherever_they_stand() {
        let secrets = ["hunter2".to_owned(), "hunter2-long".to_owned(), "yes".to_owned(), String::new()];
        for (text, shown) in [
            ("a hunter2, xhunter2x", "a [redacted], x[redacted]x"),
            ("hunter2-long", "[redacted]"),
            ("yes it is", "yes it is"),
            ("cut: hunte…", "cut: [redacted]"),
            ("nothing", "nothing"),
        ] {
            assert_eq!(known(text, &secrets), shown);
        }
    }
}
