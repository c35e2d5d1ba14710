//! Base64, only as far as texts are read from it.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// What clients send is read as leniently as they write it.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::RequireNone)
        .with_decode_allow_trailing_bits(true),
);

/// The text that base64 of either alphabet stands for, in lines or not; nothing where it is none, or no UTF-8.
pub(crate) fn text(data: &str) -> Option<String> {
    let letters = data.trim_end_matches('=').bytes().filter(|byte| !matches!(byte, b'\n' | b'\r'));
    let letters: Vec<u8> = letters
        .map(|byte| match byte {
            b'-' => b'+',
            b'_' => b'/',
            byte => byte,
        })
        .collect();
    String::from_utf8(BASE64.decode(letters).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn texts_are_read() {
        assert_eq!(text("SMOkbGxvCg==").as_deref(), Some("Hällo\n"));
        assert_eq!(text("SGkh").as_deref(), Some("Hi!"));
        assert_eq!(text("").as_deref(), Some(""));
        assert_eq!((text("SGk*"), text("/w==")), (None, None));
    }
}
