//! Folding: a name without case and separators.

use compact_str::CompactString;

/// A folded name.
pub(crate) type Folded = CompactString;

/// Names up to this length are folded without allocation.
const SHORT_NAME: usize = 64;

/// Lower-case letters and digits only: `File_Path`, `file-path` and `filePath` fold to the same. Most names are
/// short enough to need no allocation.
pub(crate) fn fold(name: &str) -> Folded {
    let mut bytes = [0; SHORT_NAME];
    if name.is_ascii() && name.len() <= bytes.len() {
        let mut length = 0;
        for byte in name.bytes().filter(u8::is_ascii_alphanumeric) {
            bytes[length] = byte.to_ascii_lowercase();
            length += 1;
        }
        return CompactString::from_utf8(&bytes[..length]).unwrap_or_default();
    }
    if name.is_ascii() {
        let mut folded = name.to_ascii_lowercase();
        folded.retain(|char| char.is_ascii_alphanumeric());
        return CompactString::from(folded);
    }
    name.chars().filter(|char| char.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Whether a name folds to `folded`, without folding all of it.
pub(crate) fn folds_to(name: &str, folded: &str) -> bool {
    let mut rest = folded.as_bytes();
    for byte in name.bytes() {
        if !byte.is_ascii() {
            return fold(name) == folded;
        }
        if byte.is_ascii_alphanumeric() {
            match rest.split_first() {
                Some((first, tail)) if *first == byte.to_ascii_lowercase() => rest = tail,
                _ => return false,
            }
        }
    }
    rest.is_empty()
}

/// Folds a value of an enum. Signs and symbols have a meaning there (`-1`, `c++`), so only
/// separators between letters or digits and punctuation around the whole are dropped.
pub(crate) fn fold_value(value: &str) -> String {
    let trimmed =
        value.trim().trim_matches(['"', '\'', '`']).trim_end_matches(['.', ',', ';', ':', '!']).trim();
    let trimmed = trimmed.replace(['\'', '’'], "");
    let chars: Vec<char> = trimmed.chars().collect();
    let mut out = String::with_capacity(trimmed.len());
    for (at, char) in chars.iter().enumerate() {
        let inside = |char: Option<&char>| char.is_some_and(|char| char.is_alphanumeric());
        let separator = matches!(char, '_' | '-' | ' ' | '/' | ':');
        let before = at > 0 && inside(chars.get(at - 1));
        if separator && before && inside(chars.get(at + 1)) {
            // Between digits it may be a minus, a range or a point.
            let digits = chars[at - 1].is_ascii_digit() && chars[at + 1].is_ascii_digit();
            if !digits {
                continue;
            }
        }
        out.extend(char.to_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{fold, fold_value, folds_to};

    #[test]
    fn names_fold_to_letters_and_digits() {
        for name in ["file_path", "filePath", "File-Path", "file.path", " file path> "] {
            assert_eq!(fold(name), "filepath");
        }
        assert_eq!(fold("Größe_1"), "größe1");
        assert_eq!(fold(&"File_".repeat(20)), "file".repeat(20));
        for (name, folded) in [("file_Path", "filepath"), ("Größe_1", "größe1"), ("", ""), ("x", "xy")] {
            assert_eq!(folds_to(name, folded), fold(name) == folded, "{name}");
        }
    }

    #[test]
    fn values_keep_their_signs_and_symbols() {
        assert_eq!(fold_value("In Progress."), "inprogress");
        assert_eq!(fold_value("in-progress"), fold_value("inProgress"));
        assert_ne!(fold_value("-1"), fold_value("1"));
        assert_ne!(fold_value("C++"), fold_value("C"));
        assert_ne!(fold_value("<="), fold_value("="));
    }
}
