//! Which keys carry secrets, with what somebody added.

use std::collections::HashMap;
use std::sync::RwLock;

use super::options::{OptionsError, RedactOptions};
use crate::is_secret_key;
use crate::key_names::weak_word;
use crate::secret::words;

/// Parts of further keys, written together. They are not in the list for logs, which hides whole values.
const MORE_PARTS: &[&str] = &[
    "accountkey",
    "hmackey",
    "licensekey",
    "masterkey",
    "mnemonic",
    "recoverycode",
    "recoveryphrase",
    "seedphrase",
    "sharedaccesskey",
    "storagekey",
    "webhookurl",
];

/// Keys that only sound secret, folded. Servers send the first with every request.
const HARMLESS: &[&str] = &["progresstoken"];

/// How many keys are remembered. Tools have few; the rest is judged again each time.
const MAX_REMEMBERED: usize = 4096;

/// The longest key that is remembered, in bytes.
const MAX_REMEMBERED_BYTES: usize = 64;

/// Judges keys, and remembers what it said: the misspelt ones cost some microseconds each.
pub(super) struct Keys {
    more: Vec<Glob>,
    allowed: Vec<Glob>,
    judged: RwLock<HashMap<Box<str>, bool>>,
}

impl Keys {
    pub(super) fn new(options: &RedactOptions) -> Result<Keys, OptionsError> {
        Ok(Keys {
            more: globs("keys", &options.keys)?,
            allowed: globs("allow_keys", &options.allow_keys)?,
            judged: RwLock::default(),
        })
    }

    /// Whether the value of this key is hidden.
    pub(super) fn is_secret(&self, key: &str) -> bool {
        if key.len() > MAX_REMEMBERED_BYTES {
            return self.judge(key);
        }
        if let Some(is_secret) = self.judged.read().ok().and_then(|judged| judged.get(key).copied()) {
            return is_secret;
        }
        let is_secret = self.judge(key);
        if let Ok(mut judged) = self.judged.write()
            && judged.len() < MAX_REMEMBERED
        {
            judged.insert(key.into(), is_secret);
        }
        is_secret
    }

    /// The word of a secret key that also means something else, if nothing but this word makes it secret.
    pub(super) fn weak(&self, key: &str) -> Option<&'static str> {
        let weak = weak_word(&words(key))?;
        let is_named = self.more.iter().any(|glob| glob.matches(&folded(key)));
        (!is_named && !is_secret_key(key)).then_some(weak)
    }

    fn judge(&self, key: &str) -> bool {
        let folded = folded(key);
        if self.allowed.iter().any(|glob| glob.matches(&folded)) || HARMLESS.contains(&folded.as_str()) {
            return false;
        }
        is_secret_key(key)
            || weak_word(&words(key)).is_some()
            || MORE_PARTS.iter().any(|part| folded.contains(part))
            || self.more.iter().any(|glob| glob.matches(&folded))
    }
}

fn globs(list: &'static str, keys: &[String]) -> Result<Vec<Glob>, OptionsError> {
    let glob = |(index, key): (usize, &String)| {
        if !key.contains(char::is_alphanumeric) {
            return Err(OptionsError::Key { list, index, key: key.clone() });
        }
        Ok(Glob(key.split('*').map(folded).collect()))
    };
    keys.iter().enumerate().map(glob).collect()
}

/// The letters and digits of a key, in lower case.
fn folded(key: &str) -> String {
    key.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// A key with places for anything: what stands between those places.
struct Glob(Vec<String>);

impl Glob {
    fn matches(&self, folded: &str) -> bool {
        let [first, between @ .., last] = self.0.as_slice() else {
            return self.0.first().is_some_and(|whole| whole == folded);
        };
        let Some(mut rest) = folded.strip_prefix(first.as_str()) else { return false };
        for part in between {
            let Some(at) = rest.find(part.as_str()) else { return false };
            rest = &rest[at + part.len()..];
        }
        rest.ends_with(last.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_may_be_added_and_allowed() {
        let options = RedactOptions {
            keys: vec!["*_dsn".to_owned(), "Internal-*-Id".to_owned(), "plate".to_owned()],
            allow_keys: vec!["session_id".to_owned(), "page*token".to_owned()],
            ..RedactOptions::default()
        };
        let keys = Keys::new(&options).expect("these keys are right");
        for _ in 0..2 {
            for key in ["db_dsn", "databaseDsn", "DSN", "internal_user_id", "Plate", "password", "AccountKey"]
            {
                assert!(keys.is_secret(key), "{key}");
            }
            for key in ["sessionId", "SESSION_ID", "pageToken", "page_next_token", "plates", "progressToken"]
            {
                assert!(!keys.is_secret(key), "{key}");
            }
        }
    }

    #[test]
    fn what_is_remembered_has_an_end() {
        let keys = Keys::new(&RedactOptions::default()).expect("the defaults are right");
        for number in 0..MAX_REMEMBERED + 10 {
            assert!(!keys.is_secret(&format!("column{number}")));
        }
        assert_eq!(keys.judged.read().expect("nobody panicked").len(), MAX_REMEMBERED);
        assert!(keys.is_secret("password") && keys.is_secret(&format!("{}_password", "x".repeat(100))));
    }
}
