//! Signs in a tool's name: which of them only separate words, and which have a meaning.
//!
//! `read-file` is `read_file`. But `!delete_user`, `-delete_user` or `delete_user?` may be the opposite, or a question:
//! a sign that is not between two words is never dropped.

use super::words::words;

/// Separators between two words. Any number of `_` is one separator, because flat names are joined by two.
const BETWEEN: [&str; 6] = ["-", ".", "/", ":", "::", " "];

/// Characters without meaning before and after a whole name.
const AROUND: [char; 2] = ['_', ' '];

/// A name in lower case without the separators between its words. Every other sign is kept.
pub(super) fn form(name: &str) -> String {
    let mut form = String::with_capacity(name.len());
    let mut rest = name.trim_matches(AROUND);
    while let Some(first) = rest.chars().next() {
        let is_word = first.is_alphanumeric();
        let end = rest.find(|sign: char| sign.is_alphanumeric() != is_word).unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        if is_word {
            form.extend(run.chars().flat_map(char::to_lowercase));
        } else if form.is_empty() || after.is_empty() || !is_separator(run) {
            form.push_str(run);
        }
        rest = after;
    }
    form
}

/// Whether a name has signs that do not separate words.
pub(super) fn has_signs(name: &str) -> bool {
    form(name).chars().any(|sign| !sign.is_alphanumeric())
}

/// Whether two names have the same words and differ in case and separators only.
pub fn has_same_words(sent: &str, name: &str) -> bool {
    form(sent) == form(name) && words(sent) == words(name)
}

fn is_separator(run: &str) -> bool {
    BETWEEN.contains(&run) || run.bytes().all(|byte| byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_between_words_are_dropped_and_other_signs_stay() {
        for name in
            ["read_file", "Read-File", "read.file", "read/file", "read::file", "READ__FILE", " read file_"]
        {
            assert_eq!(form(name), "readfile", "{name}");
            assert!(!has_signs(name), "{name}");
        }
        for name in [
            "!read_file",
            "-read_file",
            "/read_file",
            "read_file/",
            "read_file?",
            "read__-file",
            "read//file",
            "read_file (dry run)",
            "\u{336}read_file",
            "\u{202e}read_file",
            "read_file\u{200b}",
            "# read_file",
        ] {
            assert_ne!(form(name), "readfile", "{name}");
            assert!(has_signs(name), "{name}");
        }
        assert_eq!(form("Get$Value"), form("get$value"));
    }

    #[test]
    fn words_stay_where_they_are() {
        assert!(has_same_words("filesReadFile", "files__read_file"));
        assert!(!has_same_words("vaultput", "vaul__t_put"));
        assert!(!has_same_words("-files_read_file", "files__read_file"));
    }
}
