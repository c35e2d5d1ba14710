//! Base64, only as far as texts are read from it.

/// The text that base64 stands for; nothing where it is none, or no UTF-8.
pub(crate) fn text(data: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(data.len() / 4 * 3);
    let (mut bits, mut held) = (0u32, 0u32);
    for byte in data.trim_end_matches('=').bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'\n' | b'\r' => continue,
            _ => return None,
        };
        held = (held << 6 | u32::from(value)) & 0xffff;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits & 0xff) as u8);
        }
    }
    String::from_utf8(bytes).ok()
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
