//! What is sent of texts that others choose: names of clients and tools, sessions. They may hold secrets.

use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::BuildHasher;
use std::sync::{Arc, LazyLock, OnceLock};

use toolwright_redact::{HIDDEN, RedactOptions, Redactor};

/// How many bytes of such a text are sent.
const MAX_TEXT: usize = 128;

/// Hides the secrets of a text.
pub type Hide = Arc<dyn Fn(&str) -> String + Send + Sync>;

/// Hides secrets where no ledger does. Its marks differ in every run.
static USUAL: LazyLock<Option<Redactor>> = LazyLock::new(|| {
    let mut salt = [0; 32];
    for part in salt.chunks_exact_mut(8) {
        part.copy_from_slice(&RandomState::new().hash_one(0).to_ne_bytes());
    }
    Redactor::new(salt, RedactOptions::default()).ok()
});

/// Shows texts without their secrets.
#[derive(Clone, Default)]
pub(crate) struct Shown(Arc<OnceLock<Hide>>);

impl Shown {
    /// Hides with this from now on. Only the first counts.
    pub fn hide_with(&self, hide: Hide) {
        let _ = self.0.set(hide);
    }

    /// A text as it is sent. First hidden, then cut: half a secret is not known for one.
    pub fn text(&self, text: &str) -> String {
        let shown = match (self.0.get(), &*USUAL) {
            (Some(hide), _) => hide(text),
            (None, Some(redactor)) => redactor.text(text).into_owned(),
            (None, None) => HIDDEN.to_owned(),
        };
        shown[..shown.floor_char_boundary(MAX_TEXT)].to_owned()
    }
}

impl fmt::Debug for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shown").field("is_set", &self.0.get().is_some()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_hidden_before_a_text_is_cut() {
        let shown = Shown::default();
        let token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
        assert_eq!(shown.text("editor 1.2"), "editor 1.2");
        assert!(!shown.text(&format!("{}{token}", "editor ".repeat(18))).contains("ghp_"));
        shown.hide_with(Arc::new(|_| "as the ledger does".to_owned()));
        assert_eq!(shown.text(token), "as the ledger does");
    }
}
