//! Texts that only we can write: sessions and parked calls travel with the client under a seal.

use std::fmt;

use aws_lc_rs::aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use aws_lc_rs::rand;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// The key of the seals. Every replica with the same key opens what another one sealed.
#[derive(Clone)]
pub struct SealKey([u8; 32]);

/// What a seal is for: one made for something else does not open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    Session,
    State,
}

/// Seals and opens.
pub(super) struct Sealer(RandomizedNonceKey);

impl SealKey {
    /// A key that was made before.
    pub fn from_bytes(bytes: [u8; 32]) -> SealKey {
        SealKey(bytes)
    }

    /// A new key. What it seals cannot be opened after a restart.
    pub fn random() -> SealKey {
        let mut bytes = [0; 32];
        fill(&mut bytes);
        SealKey(bytes)
    }
}

impl fmt::Debug for SealKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SealKey")
    }
}

/// A number that nobody can guess.
pub(super) fn random_number() -> u128 {
    let mut bytes = [0; 16];
    fill(&mut bytes);
    u128::from_le_bytes(bytes)
}

fn fill(bytes: &mut [u8]) {
    // Without randomness nothing here is safe, so nothing may go on.
    assert!(rand::fill(bytes).is_ok(), "the system gives no random bytes");
}

impl Purpose {
    fn label(self) -> &'static [u8] {
        match self {
            Purpose::Session => b"toolwright session 1",
            Purpose::State => b"toolwright state 1",
        }
    }
}

impl Sealer {
    pub fn new(key: &SealKey) -> Sealer {
        match RandomizedNonceKey::new(&AES_256_GCM, &key.0) {
            Ok(key) => Sealer(key),
            Err(_) => unreachable!("any 32 bytes are a key of AES-256"),
        }
    }

    /// The sealed text, of letters, digits, `-` and `_`.
    pub fn seal(&self, purpose: Purpose, contents: &[u8]) -> Option<String> {
        let mut sealed = contents.to_vec();
        let nonce = self.0.seal_in_place_append_tag(Aad::from(purpose.label()), &mut sealed).ok()?;
        let mut whole = nonce.as_ref().to_vec();
        whole.extend_from_slice(&sealed);
        Some(URL_SAFE_NO_PAD.encode(whole))
    }

    /// What was sealed; `None` for everything that we did not write for this purpose.
    pub fn open(&self, purpose: Purpose, text: &str) -> Option<Vec<u8>> {
        let mut whole = URL_SAFE_NO_PAD.decode(text).ok()?;
        if whole.len() < NONCE_LEN {
            return None;
        }
        let mut sealed = whole.split_off(NONCE_LEN);
        let nonce = Nonce::try_assume_unique_for_key(&whole).ok()?;
        let length = self.0.open_in_place(nonce, Aad::from(purpose.label()), &mut sealed).ok()?.len();
        sealed.truncate(length);
        Some(sealed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seal_opens_for_its_key_and_purpose_alone() {
        let sealer = Sealer::new(&SealKey::from_bytes([7; 32]));
        let text = sealer.seal(Purpose::Session, b"contents").unwrap();
        assert_eq!(sealer.open(Purpose::Session, &text).as_deref(), Some(b"contents".as_slice()));
        assert_eq!(sealer.open(Purpose::State, &text), None);
        assert_eq!(Sealer::new(&SealKey::random()).open(Purpose::Session, &text), None);
        assert_eq!(
            Sealer::new(&SealKey::from_bytes([7; 32])).open(Purpose::Session, &text).as_deref(),
            Some(b"contents".as_slice())
        );
    }

    #[test]
    fn a_changed_seal_does_not_open() {
        let sealer = Sealer::new(&SealKey::random());
        let text = sealer.seal(Purpose::State, b"contents").unwrap();
        for at in 0..text.len() {
            let mut changed = text.clone().into_bytes();
            changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).unwrap();
            assert_eq!(sealer.open(Purpose::State, &changed), None, "{at}");
        }
        for wrong in ["", "A", "not base64!", &text[..text.len() - 4], &format!("{text}AAAA")] {
            assert_eq!(sealer.open(Purpose::State, wrong), None);
        }
    }
}
