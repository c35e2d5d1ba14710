//! The tokens on disk: this install's own, and those with a name.
//!
//! All of it is in one folder that only the user may enter. Of named tokens there is only the hash: a
//! token is shown once, when it is made.

mod file;

use std::io;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use toolwright_base::{FileStamp, replace_private};
use toolwright_model::{ANYONE, OWN_TOKEN, STDIO};

/// What every token begins with, so that it is known for what it is where it should not be.
const PREFIX: &str = "tw_";
/// How much of a token is chance, in bytes.
const TOKEN_BYTES: usize = 32;
/// The longest name of a token, in bytes.
const MAX_NAME_BYTES: usize = 64;

/// Why tokens cannot be kept or found.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// Something of the system.
    #[error("\"{}\" cannot be {doing}: {source}", .file.display())]
    Io {
        /// Which file.
        file: PathBuf,
        /// What was to be done with it.
        doing: &'static str,
        /// What the system says.
        source: io::Error,
    },
    /// A file that says something else.
    #[error("\"{}\" cannot be understood: {why}", .file.display())]
    NotUnderstood {
        /// Which file.
        file: PathBuf,
        /// Where and why, without what is in it.
        why: String,
    },
    /// A name that cannot be given.
    #[error(
        "\"{0}\" cannot be the name of a token: use up to 64 of the letters A to Z, a to z, 0 to 9, \".\", \"_\" and \"-\""
    )]
    BadName(String),
    /// A name that is there.
    #[error("there is a token with the name \"{0}\" already")]
    NameTaken(String),
    /// A name that records have for calls without a named token.
    #[error("the name \"{0}\" is reserved: records have it for calls that come without a named token")]
    NameReserved(String),
    /// A name that is not there.
    #[error("there is no token with the name \"{name}\"")]
    NoSuchToken {
        /// The name.
        name: String,
        /// Those that are there.
        names: Vec<String>,
    },
    /// The system has no chance to give.
    #[error("the system gives no random bytes")]
    NoChance,
}

/// A named token as it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenEntry {
    /// Its name.
    pub name: String,
    /// The hash of the token, in hexadecimal digits.
    pub sha256: String,
    /// The toolboxes that it opens; all of them when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub toolboxes: Option<Vec<String>>,
    /// The language models that may be asked with it, as patterns; all of them when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub models: Option<Vec<String>>,
    /// Requests in a second, when it has a limit of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<u32>,
    /// Requests at once, when it has a limit of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls: Option<usize>,
    /// When it was made.
    pub created: String,
}

/// A token that is to be made.
#[derive(Clone, Debug, Default)]
pub struct NewToken {
    /// Its name.
    pub name: String,
    /// The toolboxes that it opens; all of them when absent.
    pub toolboxes: Option<Vec<String>>,
    /// The language models that may be asked with it, as patterns; all of them when absent.
    pub models: Option<Vec<String>>,
    /// Requests in a second.
    pub rate: Option<u32>,
    /// Requests at once.
    pub calls: Option<usize>,
    /// Now.
    pub created: String,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    tokens: Vec<TokenEntry>,
}

/// The folder with the tokens.
#[derive(Clone, Debug)]
pub struct TokenFolder {
    folder: PathBuf,
}

impl TokenFolder {
    /// Tokens in this folder. It is made when the first one is.
    pub fn new(folder: impl Into<PathBuf>) -> TokenFolder {
        TokenFolder { folder: folder.into() }
    }

    /// Where this install's own token is.
    pub fn own_file(&self) -> PathBuf {
        self.folder.join("token")
    }

    /// Where the named tokens are.
    pub fn names_file(&self) -> PathBuf {
        self.folder.join("tokens.json")
    }

    /// This install's own token; it is made when there is none.
    pub fn own(&self) -> Result<String, TokenError> {
        let _lock = self.lock()?;
        let file = self.own_file();
        match file::read(&file) {
            Ok(text) => {
                file::close_to_others(&file).map_err(failed("closed to others", &file))?;
                let token = text.trim();
                let is_usable = token.len() >= 16 && token.bytes().all(|byte| byte.is_ascii_graphic());
                let why = "it holds no token; remove it, and the next start makes a new one";
                if is_usable { Ok(token.to_owned()) } else { Err(not_understood(&file, why)) }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let token = new_token()?;
                replace_private(&file, format!("{token}\n").as_bytes()).map_err(failed("written", &file))?;
                Ok(token)
            }
            Err(error) => Err(failed("read", &file)(error)),
        }
    }

    /// The key that seals what this install hands out; it is made when there is none. Sessions outlive the
    /// process by it.
    pub fn seal_key(&self) -> Result<[u8; 32], TokenError> {
        let _lock = self.lock()?;
        let file = self.folder.join("seal-key");
        match file::read(&file) {
            Ok(text) => {
                file::close_to_others(&file).map_err(failed("closed to others", &file))?;
                let bytes = URL_SAFE_NO_PAD.decode(text.trim()).ok().and_then(|key| key.try_into().ok());
                bytes.ok_or_else(|| {
                    not_understood(&file, "it holds no key; remove it, and the next start makes a new one")
                })
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let key = random()?;
                let text = format!("{}\n", URL_SAFE_NO_PAD.encode(key));
                replace_private(&file, text.as_bytes()).map_err(failed("written", &file))?;
                Ok(key)
            }
            Err(error) => Err(failed("read", &file)(error)),
        }
    }

    /// The named tokens.
    pub fn list(&self) -> Result<Vec<TokenEntry>, TokenError> {
        let file = self.names_file();
        let text = match file::read(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(failed("read", &file)(error)),
        };
        let kept: Result<Kept, _> = serde_json::from_str(&text);
        kept.map(|kept| kept.tokens).map_err(|error| not_understood(&file, &error.to_string()))
    }

    /// Makes a named token and gives it, this once.
    pub fn add(&self, new: NewToken) -> Result<String, TokenError> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        let NewToken { name, toolboxes, models, rate, calls, created } = new;
        if name.is_empty() || name.len() > MAX_NAME_BYTES || !name.bytes().all(is_plain) {
            return Err(TokenError::BadName(name));
        }
        if [OWN_TOKEN, ANYONE, STDIO].contains(&name.as_str()) {
            return Err(TokenError::NameReserved(name));
        }
        let _lock = self.lock()?;
        let mut tokens = self.list()?;
        if tokens.iter().any(|token| token.name == name) {
            return Err(TokenError::NameTaken(name));
        }
        let token = new_token()?;
        let sha256 = hex(&digest(&token));
        tokens.push(TokenEntry { name, sha256, toolboxes, models, rate, calls, created });
        self.write(tokens)?;
        Ok(token)
    }

    /// Forgets a named token: it opens nothing from now on.
    pub fn revoke(&self, name: &str) -> Result<(), TokenError> {
        let _lock = self.lock()?;
        let mut tokens = self.list()?;
        let count = tokens.len();
        tokens.retain(|token| token.name != name);
        if tokens.len() == count {
            let names = tokens.into_iter().map(|token| token.name).collect();
            return Err(TokenError::NoSuchToken { name: name.to_owned(), names });
        }
        self.write(tokens)
    }

    /// The state that the named tokens are in.
    pub(super) fn stamp(&self) -> Option<FileStamp> {
        FileStamp::of(&self.names_file())
    }

    fn write(&self, tokens: Vec<TokenEntry>) -> Result<(), TokenError> {
        let file = self.names_file();
        let text = serde_json::to_string_pretty(&Kept { tokens });
        let written = text
            .map_err(io::Error::from)
            .and_then(|text| replace_private(&file, format!("{text}\n").as_bytes()));
        written.map_err(failed("written", &file))
    }

    fn lock(&self) -> Result<std::fs::File, TokenError> {
        let path = self.folder.join("tokens.lock");
        file::lock(&path).map_err(failed("locked", &path))
    }
}

fn failed<'p>(doing: &'static str, file: &'p Path) -> impl Fn(io::Error) -> TokenError + 'p {
    move |source| TokenError::Io { file: file.to_owned(), doing, source }
}

fn not_understood(file: &Path, why: &str) -> TokenError {
    TokenError::NotUnderstood { file: file.to_owned(), why: why.to_owned() }
}

/// A token that nobody can guess.
pub(crate) fn new_token() -> Result<String, TokenError> {
    Ok(format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(random()?)))
}

pub(crate) fn random() -> Result<[u8; TOKEN_BYTES], TokenError> {
    let mut bytes = [0; TOKEN_BYTES];
    aws_lc_rs::rand::fill(&mut bytes).map_err(|_| TokenError::NoChance)?;
    Ok(bytes)
}

/// What is kept of a token.
pub(crate) fn digest(token: &str) -> [u8; 32] {
    let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, token.as_bytes());
    let mut bytes = [0; 32];
    bytes.copy_from_slice(digest.as_ref());
    bytes
}

/// The bytes of a hash that is written in hexadecimal digits.
pub(crate) fn unhex(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).ok()?;
    }
    Some(bytes)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_written_and_read() {
        let hash = digest("abc");
        assert_eq!(hex(&hash), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(unhex(&hex(&hash)), Some(hash));
        for wrong in ["", "ba", &"z".repeat(64), &"ä".repeat(32)] {
            assert_eq!(unhex(wrong), None);
        }
    }
}
