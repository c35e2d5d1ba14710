//! Reading a rules file.

use toolwright_normalizer::rules::parse_file;

/// Any text is a rules file or an error that says something.
pub fn rules(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if let Err(errors) = parse_file(&text) {
        assert!(!errors.is_empty(), "{text:?} is refused without an error");
        for error in errors {
            assert!(!error.to_string().is_empty(), "{text:?} is refused without a word");
        }
    }
}
