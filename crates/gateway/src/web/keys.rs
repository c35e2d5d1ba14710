//! Who somebody is, by the token that came along.

use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;
use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderValue};
use tokio_util::sync::CancellationToken;
use toolwright_mcp::front::Visitor;

use super::admission::{Bucket, Gate};
use super::refusal::Refusal;
use super::tokens::{self, Stamp, TokenEntry, TokenError, TokenFolder};

/// The name of this install's own token.
pub const OWN_TOKEN: &str = "default";
/// Who comes without a token where none is needed.
pub const ANYONE: &str = "anyone";
/// The name of the program that started us and speaks over stdin and stdout.
pub const STDIO: &str = "stdio";
/// The header for clients that have another use for `Authorization`.
const TOKEN_HEADER: &str = "x-toolwright-token";

/// The tokens that open the port.
#[derive(Debug)]
pub struct Keys {
    known: ArcSwap<Vec<Arc<Known>>>,
    /// Everybody, where no token is needed.
    anyone: Option<Arc<Known>>,
    folder: Option<TokenFolder>,
    stamp: Mutex<Stamp>,
    where_is_it: String,
}

/// Somebody who is known, with what is counted for them.
#[derive(Debug)]
pub(super) struct Known {
    pub visitor: Visitor,
    pub rate: Option<u32>,
    pub calls: Option<usize>,
    pub bucket: Mutex<Bucket>,
    pub requests: Arc<Gate>,
    pub streams: Arc<Gate>,
    /// Cancelled when the token opens nothing any more.
    pub revoked: CancellationToken,
    digest: [u8; 32],
    entry: Option<TokenEntry>,
}

impl Keys {
    /// Everybody may come in.
    pub fn none_needed() -> Keys {
        let anyone = Some(Arc::new(Known::new(ANYONE, None, [0; 32], None)));
        Keys { anyone, ..Keys::of(Vec::new(), None, String::new()) }
    }

    /// This install's own token and the named ones of its folder. The own one comes back.
    pub fn in_folder(folder: TokenFolder) -> Result<(Keys, String), TokenError> {
        let own = folder.own()?;
        let where_is_it = format!("the token of this gateway is in {}", folder.own_file().display());
        let known = Known::new(OWN_TOKEN, None, tokens::digest(&own), None);
        let keys = Keys::of(vec![Arc::new(known)], Some(folder), where_is_it);
        keys.read()?;
        Ok((keys, own))
    }

    /// One token that lasts as long as the process, where there is no folder to keep one in.
    pub fn for_this_run() -> Result<(Keys, String), TokenError> {
        let own = tokens::new_token()?;
        let known = Known::new(OWN_TOKEN, None, tokens::digest(&own), None);
        let where_is_it = "the gateway printed its token when it started".to_owned();
        Ok((Keys::of(vec![Arc::new(known)], None, where_is_it), own))
    }

    /// The same for a port that others than this machine reach: whoever has no token is not told in which file
    /// it is.
    pub fn for_strangers(self) -> Keys {
        Keys { where_is_it: "ask whoever runs this gateway for one".to_owned(), ..self }
    }

    fn of(known: Vec<Arc<Known>>, folder: Option<TokenFolder>, where_is_it: String) -> Keys {
        Keys {
            known: ArcSwap::from_pointee(known),
            anyone: None,
            folder,
            stamp: Mutex::default(),
            where_is_it,
        }
    }

    /// Whether a token is needed.
    pub fn are_needed(&self) -> bool {
        self.anyone.is_none()
    }

    /// Looks whether the named tokens have changed. A file that cannot be read changes nothing, and that is
    /// logged.
    pub(super) fn refresh(&self) {
        let Some(folder) = &self.folder else { return };
        if folder.stamp() == *self.stamp.lock().unwrap_or_else(PoisonError::into_inner) {
            return;
        }
        if let Err(error) = self.read() {
            tracing::error!("the tokens in force stay as they are: {error}");
        }
    }

    fn read(&self) -> Result<(), TokenError> {
        let Some(folder) = &self.folder else { return Ok(()) };
        // Taken before: what is written meanwhile is seen the next time.
        *self.stamp.lock().unwrap_or_else(PoisonError::into_inner) = folder.stamp();
        let entries = folder.list()?;
        let old = self.known.load_full();
        let mut new: Vec<Arc<Known>> = old.iter().filter(|known| known.entry.is_none()).cloned().collect();
        for entry in entries {
            let kept = old.iter().find(|known| known.entry.as_ref() == Some(&entry));
            match (kept, tokens::unhex(&entry.sha256)) {
                (Some(kept), _) => new.push(Arc::clone(kept)),
                (None, Some(digest)) => {
                    let toolboxes = entry.toolboxes.clone();
                    new.push(Arc::new(Known::new(&entry.name.clone(), toolboxes, digest, Some(entry))));
                }
                (None, None) => tracing::error!("the token \"{}\" has no usable hash", entry.name),
            }
        }
        for known in old.iter().filter(|known| !new.iter().any(|kept| Arc::ptr_eq(kept, known))) {
            known.revoked.cancel();
        }
        self.known.store(Arc::new(new));
        Ok(())
    }

    /// Who sent these headers.
    pub(super) fn recognise(&self, headers: &HeaderMap) -> Result<Arc<Known>, Refusal> {
        let refused = |what: &str| match &self.anyone {
            Some(anyone) => Ok(Arc::clone(anyone)),
            None => Err(Refusal::unauthorized(what, &self.where_is_it)),
        };
        let Some(token) = token_of(headers) else { return refused("a token is needed") };
        let digest = tokens::digest(token.unwrap_or_default());
        let mut found = None;
        // All are compared, each to its end: how long it takes says nothing.
        for known in self.known.load().iter() {
            if aws_lc_rs::constant_time::verify_slices_are_equal(&known.digest, &digest).is_ok() {
                found = Some(Arc::clone(known));
            }
        }
        found.map_or_else(|| refused("the token is not known here, or no longer"), Ok)
    }
}

impl Known {
    fn new(name: &str, toolboxes: Option<Vec<String>>, digest: [u8; 32], entry: Option<TokenEntry>) -> Known {
        Known {
            visitor: Visitor { name: name.into(), toolboxes: toolboxes.map(Into::into) },
            rate: entry.as_ref().and_then(|entry| entry.rate),
            calls: entry.as_ref().and_then(|entry| entry.calls),
            bucket: Mutex::default(),
            requests: Arc::default(),
            streams: Arc::default(),
            revoked: CancellationToken::new(),
            digest,
            entry,
        }
    }
}

/// The token that came along: nothing when there is none, nothing inside when it is not one token.
fn token_of(headers: &HeaderMap) -> Option<Option<&str>> {
    let authorization = headers.get_all(AUTHORIZATION).iter().map(bearer);
    let own = headers.get_all(TOKEN_HEADER).iter().map(|value| value.to_str().ok().map(str::trim));
    let mut tokens = authorization.chain(own);
    let first = tokens.next()?;
    Some(if tokens.all(|other| other == first) { first } else { None })
}

fn bearer(value: &HeaderValue) -> Option<&str> {
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Takes out what is between the client and us alone: no server gets it.
pub(super) fn strip(headers: &mut HeaderMap) {
    for name in ["authorization", "proxy-authorization", "cookie", TOKEN_HEADER] {
        headers.remove(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_told_where_the_token_is() {
        let scratch = tempfile::tempdir().expect("a folder");
        let keys = || Keys::in_folder(TokenFolder::new(scratch.path().join("state"))).expect("a token").0;
        let place = scratch.path().display().to_string();
        let said = |keys: &Keys| {
            let refusal = keys.recognise(&HeaderMap::new()).expect_err("no token");
            format!("{refusal:?}")
        };
        assert!(said(&keys()).contains(&place));
        let stranger = said(&keys().for_strangers());
        assert!(
            !stranger.contains(&place) && stranger.contains("ask whoever runs this gateway"),
            "{stranger}"
        );
    }
}
