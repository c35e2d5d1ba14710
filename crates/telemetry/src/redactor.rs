//! Redaction of texts that clients and servers choose, such as names and sessions. They may contain secrets.

use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::BuildHasher;
use std::sync::{Arc, LazyLock, OnceLock};

use toolwright_redact::{HIDDEN, RedactOptions, Redactor};

/// The longest exported text.
const MAX_TEXT_BYTES: usize = 128;

/// Redacts the secrets in a text.
pub type Hide = Arc<dyn Fn(&str) -> String + Send + Sync>;

/// The redactor for runs without a ledger. Its salt is random, so its marks differ in every run.
static DEFAULT_REDACTOR: LazyLock<Option<Redactor>> = LazyLock::new(|| {
    let mut salt = [0; 32];
    for part in salt.chunks_exact_mut(8) {
        part.copy_from_slice(&RandomState::new().hash_one(0).to_ne_bytes());
    }
    Redactor::new(salt, RedactOptions::default()).ok()
});

/// Redacts and truncates texts for export.
#[derive(Clone, Default)]
pub(crate) struct AttributeRedactor(Arc<OnceLock<Hide>>);

impl AttributeRedactor {
    /// Uses this function from now on. Only the first one set is used.
    pub fn hide_with(&self, hide: Hide) {
        let _ = self.0.set(hide);
    }

    /// The text for export. It is redacted before it is truncated: half a secret would not be detected.
    pub fn text(&self, text: &str) -> String {
        let redacted = match (self.0.get(), &*DEFAULT_REDACTOR) {
            (Some(hide), _) => hide(text),
            (None, Some(redactor)) => redactor.text(text).into_owned(),
            (None, None) => HIDDEN.to_owned(),
        };
        redacted[..redacted.floor_char_boundary(MAX_TEXT_BYTES)].to_owned()
    }
}

impl fmt::Debug for AttributeRedactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AttributeRedactor").field("is_set", &self.0.get().is_some()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_redacted_before_truncation() {
        let redactor = AttributeRedactor::default();
        let token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
        assert_eq!(redactor.text("editor 1.2"), "editor 1.2");
        assert!(!redactor.text(&format!("{}{token}", "editor ".repeat(18))).contains("ghp_"));
        redactor.hide_with(Arc::new(|_| "as the ledger does".to_owned()));
        assert_eq!(redactor.text(token), "as the ledger does");
    }
}
