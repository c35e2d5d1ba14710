//! What stands where a secret was.

use std::fmt;

use sha2::{Digest, Sha256};

/// How every mark begins. Marks without a hash are of those who have no salt.
const BEGIN: &str = "[redacted";

/// The block of SHA-256, in bytes.
const BLOCK_BYTES: usize = 64;

/// A salted hash of a secret: four bytes tell equal ones apart from others and are too few to find it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark([u8; 4]);

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d] = self.0;
        write!(f, "{BEGIN}:{a:02x}{b:02x}{c:02x}{d:02x}]")
    }
}

/// Makes marks: HMAC-SHA-256 with the salt as its key, which is taken in once.
#[derive(Clone)]
pub(super) struct Marker {
    inner: Sha256,
    outer: Sha256,
}

impl Marker {
    pub(super) fn new(salt: &[u8; 32]) -> Marker {
        let padded = |pad: u8| {
            let mut block = [pad; BLOCK_BYTES];
            for (byte, salt) in block.iter_mut().zip(salt) {
                *byte ^= salt;
            }
            Sha256::new_with_prefix(block)
        };
        Marker { inner: padded(0x36), outer: padded(0x5c) }
    }

    pub(super) fn of(&self, secret: &[u8]) -> Mark {
        let hash = self.hmac(secret);
        Mark([hash[0], hash[1], hash[2], hash[3]])
    }

    fn hmac(&self, message: &[u8]) -> [u8; 32] {
        let inner = self.inner.clone().chain_update(message).finalize();
        self.outer.clone().chain_update(inner).finalize().into()
    }
}

/// Where marks stand already, in order. What is one is not hidden again.
pub(super) fn marks_in(text: &str) -> Vec<(usize, usize)> {
    let mut marks = Vec::new();
    let mut from = 0;
    while let Some(start) = text[from..].find(BEGIN).map(|start| from + start) {
        let rest = &text[start + BEGIN.len()..];
        let hash = rest.strip_prefix(':').map_or(0, |rest| {
            1 + rest.bytes().take(8).take_while(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')).count()
        });
        let is_whole = matches!(hash, 0 | 9) && rest[hash..].starts_with(']');
        from = start + BEGIN.len() + hash + usize::from(is_whole);
        // The text may have been cut in it.
        if is_whole || from == text.len() {
            marks.push((start, from));
        }
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Test case 4 of RFC 4231 has a key of 25 bytes, which is padded with zeros to the 32 of ours.
    #[test]
    fn the_hash_is_hmac_sha_256() {
        let mut salt = [0; 32];
        for (byte, value) in salt.iter_mut().zip(1..=25) {
            *byte = value;
        }
        let hash = Marker::new(&salt).hmac(&[0xcd; 50]);
        let hex: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b");
    }

    #[test]
    fn marks_are_known_again() {
        let mark = Marker::new(&[7; 32]).of(b"hunter2").to_string();
        assert_eq!(mark.len(), "[redacted:12345678]".len());
        let text = format!("a {mark} b [redacted] [redactedx] [redacted:12] [redacted:ab1");
        let found: Vec<&str> = marks_in(&text).iter().map(|(start, end)| &text[*start..*end]).collect();
        assert_eq!(found, [mark.as_str(), "[redacted]", "[redacted:ab1"]);
    }
}
