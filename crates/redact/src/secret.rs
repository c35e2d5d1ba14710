//! Which keys carry secrets, and which texts look like one.

use crate::key_names::{is_property, is_secret_name};

/// Words that make a key secret wherever they stand in it.
const SECRET_WORDS: &[&str] = &[
    "auth",
    "authentication",
    "authorization",
    "bearer",
    "cookie",
    "cookies",
    "credential",
    "credentials",
    "csrf",
    "cvc",
    "cvv",
    "jwt",
    "otp",
    "passcode",
    "passphrase",
    "passwd",
    "password",
    "passwords",
    "pin",
    "pwd",
    "secret",
    "secrets",
    "session",
    "token",
    "totp",
];

/// The same written together or apart: `apiKey`, `api_key`, `APIKEY`.
const SECRET_PARTS: &[&str] = &[
    "accesskey",
    "apikey",
    "authtoken",
    "accesstoken",
    "clientsecret",
    "credential",
    "encryptionkey",
    "passphrase",
    "passwd",
    "password",
    "privatekey",
    "refreshtoken",
    "secretkey",
    "sessionid",
    "signingkey",
    "sshkey",
];

/// Words that are one slip away from a secret one and say something else.
const HARMLESS_WORDS: &[&str] = &["tokens", "sessions", "spin", "author", "taken"];

/// The shortest secret word that is also found with one slip in it: models misspell keys, and the value of
/// `pasword` is as secret as any.
const MIN_MISSPELT_CHARS: usize = 5;

/// How well-known secrets begin.
pub(crate) const SECRET_STARTS: &[&str] = &[
    "sk-",
    "sk_live_",
    "sk_test_",
    "rk_live_",
    "ghp_",
    "gho_",
    "ghs_",
    "ghu_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "xoxa-",
    "xapp-",
    "AKIA",
    "ASIA",
    "AIza",
    "eyJ",
    "hf_",
    "npm_",
    "pypi-",
    "ya29.",
    "Bearer ",
    "Basic ",
    "-----BEGIN",
];

/// The shortest rest that makes one of these starts a secret: `sk-3` is a name.
const MIN_SECRET_REST: usize = 8;

/// Whether the value of this key must not be shown.
pub fn is_secret_key(key: &str) -> bool {
    let folded: String =
        key.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    let words = words(key);
    if is_property(&words) {
        return false;
    }
    SECRET_PARTS.iter().any(|part| folded.contains(part))
        || words.iter().any(|word| is_secret_word(word))
        || is_secret_name(key, &words)
}

fn is_secret_word(word: &str) -> bool {
    let letters = letters(word.as_bytes());
    let is_near = |(secret, of_secret): (&&str, &u32)| {
        secret.len() >= MIN_MISSPELT_CHARS
            && word.len().abs_diff(secret.len()) <= 1
            // One slip takes away one letter and brings one at most. Few words are compared in full.
            && (letters ^ of_secret).count_ones() <= 2
            && strsim::osa_distance(word, secret) <= 1
    };
    SECRET_WORDS.contains(&word)
        || !HARMLESS_WORDS.contains(&word) && SECRET_WORDS.iter().zip(&SECRET_LETTERS).any(is_near)
}

/// Which letters the secret words have.
static SECRET_LETTERS: [u32; SECRET_WORDS.len()] = {
    let mut letters_of = [0; SECRET_WORDS.len()];
    let mut at = 0;
    while at < letters_of.len() {
        letters_of[at] = letters(SECRET_WORDS[at].as_bytes());
        at += 1;
    }
    letters_of
};

/// A bit for each letter of a word.
const fn letters(word: &[u8]) -> u32 {
    let (mut letters, mut at) = (0, 0);
    while at < word.len() {
        letters |= 1 << (word[at] % 32);
        at += 1;
    }
    letters
}

/// Whether a text looks like a secret, or speaks of one: the value may then stand beside it.
pub fn holds_secret(text: &str) -> bool {
    let looks_like_one = text
        .split(|c: char| c.is_whitespace() || "\"'`=,;(){}[]<>".contains(c))
        .any(|word| SECRET_STARTS.iter().any(|start| is_secret_start(word, start)));
    let says_how = ["bearer ", "basic "].iter().any(|scheme| text.to_ascii_lowercase().contains(scheme));
    looks_like_one
        || says_how
        || text.contains("-----BEGIN")
        || has_password_in_address(text)
        || speaks_of_secret(text)
}

/// Whether a word begins like this and goes on long enough.
pub(crate) fn is_secret_start(word: &str, start: &str) -> bool {
    word.strip_prefix(start).is_some_and(|rest| rest.len() >= MIN_SECRET_REST)
}

/// `scheme://user:password@host`.
fn has_password_in_address(text: &str) -> bool {
    text.split("://").skip(1).any(|rest| {
        let authority = rest.split(['/', '?', '#', ' ', '"']).next().unwrap_or_default();
        authority.rsplit_once('@').is_some_and(|(user, _)| user.contains(':'))
    })
}

/// `password=…`, `"token": …`, `--api-key …`: a name of the list that something is assigned to.
fn speaks_of_secret(text: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let mut rest = text;
    while let Some(start) = rest.find(is_name) {
        rest = &rest[start..];
        let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        let assigned = after.trim_start_matches(['"', '\'', '\\', ' ']).starts_with([':', '=']);
        if (assigned || name.starts_with("--")) && is_secret_key(name) {
            return true;
        }
        // "the password is …"
        if after.trim_start().starts_with("is ") && is_secret_key(name) {
            return true;
        }
        rest = after;
    }
    false
}

/// The words of a name: `accessToken`, `access_token` and `ACCESS-TOKEN` are two each.
pub(crate) fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before_is_lower = false;
    for c in name.chars() {
        let starts_word = c.is_uppercase() && before_is_lower;
        if (starts_word || !c.is_alphanumeric()) && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        before_is_lower = c.is_lowercase() || c.is_ascii_digit();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_secrets_are_known_in_every_spelling() {
        for key in [
            "password",
            "user_password",
            "newPassword",
            "PASSWD",
            "api_key",
            "apiKey",
            "API-KEY",
            "x-api-key",
            "token",
            "accessToken",
            "github_token",
            "Authorization",
            "auth",
            "client_secret",
            "clientSecret",
            "privateKey",
            "pasword",
            "tokne",
            "user_secrt",
            "session_id",
            "cookie",
            "pin",
            "Set-Cookie",
            "credentials",
        ] {
            assert!(is_secret_key(key), "{key}");
        }
    }

    #[test]
    fn keys_that_only_sound_like_it_are_shown() {
        for key in
            ["author", "authors", "max_tokens", "tokens", "path", "key", "keyboard", "pinned", "level", ""]
        {
            assert!(!is_secret_key(key), "{key}");
        }
    }

    #[test]
    fn texts_with_secrets_are_known() {
        for text in [
            "sk-abcdefghijkl",
            "use ghp_0123456789abcdef please",
            "Authorization: Bearer abc",
            "https://user:pass@example.com/x",
            "password=hunter2",
            r#"{"api_key": "x"}"#,
            r#"{\"token\": \"x\"}"#,
            "curl --token x",
            "the password is hunter2",
            "-----BEGIN PRIVATE KEY-----",
        ] {
            assert!(holds_secret(text), "{text}");
        }
        for text in
            ["Switch One", "how do I reset my password?", "https://example.com:80/a@b", "sk-3", "a: b"]
        {
            assert!(!holds_secret(text), "{text}");
        }
    }
}
