//! Who somebody is, by the token that came along.

use std::sync::{Arc, Mutex};

use arc_swap::ArcSwap;
use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderValue};
use tokio_util::sync::CancellationToken;
use toolwright_base::{ConcurrencyLimit, FileStamp, IgnorePoison};
use toolwright_mcp::front::Visitor;
use toolwright_model::{ANYONE, OWN_TOKEN};

use crate::admission::Bucket;
use crate::refusal::Refusal;
use crate::tokens::{self, TokenEntry, TokenError, TokenFolder};

/// Who is at the door of the pages and was not let in yet.
const STRANGER: &str = "stranger";
/// The header for clients that have another use for `Authorization`.
pub(crate) const TOKEN_HEADER: &str = "x-toolwright-token";
/// The header that clients of Anthropic's API have their key in.
const API_KEY_HEADER: &str = "x-api-key";

/// The tokens that open the port.
#[derive(Debug)]
pub struct Keys {
    known: ArcSwap<Vec<Arc<Known>>>,
    /// Everybody, where no token is needed.
    anyone: Option<Arc<Known>>,
    /// Those who are at the door of the pages.
    stranger: Arc<Known>,
    folder: Option<TokenFolder>,
    stamp: Mutex<Option<FileStamp>>,
    where_is_it: String,
}

/// Somebody who is known, with what is counted for them.
#[derive(Debug)]
pub(crate) struct Known {
    pub visitor: Visitor,
    pub rate: Option<u32>,
    pub calls: Option<usize>,
    pub bucket: Mutex<Bucket>,
    pub requests: Arc<ConcurrencyLimit>,
    pub streams: Arc<ConcurrencyLimit>,
    /// The language models that may be asked, as patterns; all of them when absent.
    pub allowed_models: Option<Arc<[String]>>,
    /// Cancelled when the token opens nothing any more.
    pub revoked: CancellationToken,
    digest: [u8; 32],
    entry: Option<TokenEntry>,
}

impl Known {
    /// Whether the token is for some toolboxes or models only. Such tokens are for clients, and see nothing of the rest.
    pub fn is_limited(&self) -> bool {
        self.visitor.toolboxes.is_some() || self.allowed_models.is_some()
    }
}

/// Somebody who asks a language model.
#[derive(Debug)]
pub(crate) struct LlmVisitor {
    /// Who it is.
    pub known: Arc<Known>,
    /// Whether what stands in `Authorization` is the client's own key, and may go on to who answers for the model.
    /// No token of ours ever may.
    pub owns_authorization: bool,
    /// The same of `x-api-key`.
    pub owns_api_key: bool,
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
            stranger: Arc::new(Known::new(STRANGER, None, [0; 32], None)),
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
        if folder.stamp() == *self.stamp.lock().ignore_poison() {
            return;
        }
        if let Err(error) = self.read() {
            tracing::error!("the tokens in force stay as they are: {error}");
        }
    }

    fn read(&self) -> Result<(), TokenError> {
        let Some(folder) = &self.folder else { return Ok(()) };
        // Taken before: what is written meanwhile is seen the next time.
        *self.stamp.lock().ignore_poison() = folder.stamp();
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

    /// Who runs this gateway; nobody without a token of its own.
    pub(super) fn owner(&self) -> Option<Arc<Known>> {
        let known = self.known.load();
        self.anyone.clone().or_else(|| known.iter().find(|known| known.entry.is_none()).cloned())
    }

    /// Who is not let in yet, for what is counted.
    pub(super) fn stranger(&self) -> Arc<Known> {
        Arc::clone(&self.stranger)
    }

    /// Whether this is the token of who runs this gateway.
    pub(super) fn is_owner(&self, token: &str) -> bool {
        self.find(token).is_some_and(|known| known.entry.is_none())
    }

    /// Who sent these headers.
    pub(super) fn recognise(&self, headers: &HeaderMap) -> Result<Arc<Known>, Refusal> {
        let refused = |what: &str| match &self.anyone {
            Some(anyone) => Ok(Arc::clone(anyone)),
            None => Err(Refusal::unauthorized(what, &self.where_is_it)),
        };
        let Some(token) = token_of(headers) else { return refused("a token is needed") };
        self.find(token.unwrap_or_default())
            .map_or_else(|| refused("the token is not known here, or no longer"), Ok)
    }

    /// Who asks a language model with these headers. The client may have two keys along: ours and its own for who
    /// answers. Ours is looked for in `X-Toolwright-Token`; only where that is not given, in `Authorization` and
    /// then in `x-api-key`.
    pub(super) fn recognise_llm(&self, headers: &HeaderMap) -> Result<LlmVisitor, Refusal> {
        let plain = |value: &HeaderValue| value.to_str().ok().map(str::trim).map(str::to_owned);
        let own = one(headers.get_all(TOKEN_HEADER).iter().map(plain));
        let bearer = one(headers.get_all(AUTHORIZATION).iter().map(|value| bearer(value).map(str::to_owned)));
        let api_key = one(headers.get_all(API_KEY_HEADER).iter().map(plain));
        let find = |token: &Option<Option<String>>| {
            let token = token.as_ref()?;
            self.find(token.as_deref().unwrap_or_default())
        };
        let (by_own, by_bearer, by_key) = (find(&own), find(&bearer), find(&api_key));
        // Anything of ours that is there besides is no key for others.
        let (owns_authorization, owns_api_key) = (by_bearer.is_none(), by_key.is_none());
        let found = if own.is_some() { by_own } else { by_bearer.or(by_key) };
        let known = match (found, &self.anyone) {
            (Some(found), _) => found,
            (None, Some(anyone)) => Arc::clone(anyone),
            (None, None) => {
                let is_there = own.is_some() || bearer.is_some() || api_key.is_some();
                let what = match is_there {
                    true => "the token is not known here, or no longer",
                    false => "a token is needed",
                };
                return Err(Refusal::unauthorized(what, &self.where_is_it));
            }
        };
        let is_there = |name: &str| headers.contains_key(name);
        Ok(LlmVisitor {
            known,
            owns_authorization: owns_authorization && is_there("authorization"),
            owns_api_key: owns_api_key && is_there(API_KEY_HEADER),
        })
    }

    /// Whose token it is.
    fn find(&self, token: &str) -> Option<Arc<Known>> {
        let digest = tokens::digest(token);
        let mut found = None;
        // All are compared, each to its end: how long it takes says nothing.
        for known in self.known.load().iter() {
            if aws_lc_rs::constant_time::verify_slices_are_equal(&known.digest, &digest).is_ok() {
                found = Some(Arc::clone(known));
            }
        }
        found
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
            allowed_models: entry.as_ref().and_then(|entry| entry.models.clone()).map(Into::into),
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
    one(authorization.chain(own))
}

/// What a header says, however often it says it: nothing when it is not there, nothing inside when it says two things.
fn one<T: PartialEq>(mut values: impl Iterator<Item = Option<T>>) -> Option<Option<T>> {
    let first = values.next()?;
    Some(if values.all(|other| other == first) { first } else { None })
}

fn bearer(value: &HeaderValue) -> Option<&str> {
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Takes out what is between the client and us alone: no server gets it.
pub(crate) fn strip(headers: &mut HeaderMap) {
    for name in ["authorization", "proxy-authorization", "cookie", TOKEN_HEADER] {
        headers.remove(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, HeaderValue::from_str(value).expect("a value"));
        }
        headers
    }

    #[test]
    fn a_token_for_a_model_comes_in_any_of_three_headers_and_the_clients_own_key_beside_it() {
        let scratch = tempfile::tempdir().expect("a folder");
        let folder = TokenFolder::new(scratch.path().join("state"));
        let named = super::tokens::NewToken { name: "ci".into(), ..Default::default() };
        let ci = folder.add(named).expect("a token");
        let (keys, own) = Keys::in_folder(folder).expect("a token");
        let (bearer, ci_bearer) = (format!("Bearer {own}"), format!("Bearer {ci}"));
        let (toolwright, authorization, key) = (TOKEN_HEADER, "authorization", API_KEY_HEADER);
        type Pairs<'a> = &'a [(&'static str, &'a str)];
        let cases: [(Pairs<'_>, &str, (bool, bool)); 9] = [
            (&[(toolwright, &own)], "default", (false, false)),
            (&[(authorization, &bearer)], "default", (false, false)),
            (&[(key, &own)], "default", (false, false)),
            (&[(toolwright, &ci), (authorization, "Bearer sk-x")], "ci", (true, false)),
            (&[(toolwright, &ci), (key, "sk-x")], "ci", (false, true)),
            (&[(authorization, &ci_bearer), (key, "sk-x")], "ci", (false, true)),
            (&[(authorization, "Bearer sk-x"), (key, &ci)], "ci", (true, false)),
            // Two tokens of ours: the first counts, and neither goes on.
            (&[(toolwright, &own), (authorization, &ci_bearer), (key, &ci)], "default", (false, false)),
            (&[(authorization, &bearer), (key, &own)], "default", (false, false)),
        ];
        for (pairs, name, owns) in cases {
            let visitor = keys.recognise_llm(&headers(pairs)).expect("it is known");
            assert_eq!(&*visitor.known.visitor.name, name, "{pairs:?}");
            assert_eq!((visitor.owns_authorization, visitor.owns_api_key), owns, "{pairs:?}");
        }
        let wrong: [Pairs<'_>; 8] = [
            &[],
            &[(key, "sk-x")],
            &[(authorization, &own)],
            &[(authorization, "Bearer sk-x"), (key, "sk-y")],
            // Who says which header it is means that one.
            &[(toolwright, "wrong"), (authorization, &bearer)],
            &[(toolwright, &own), (toolwright, &ci)],
            &[(key, &own), (key, "sk-x")],
            &[(authorization, &bearer), (authorization, "Bearer sk-x")],
        ];
        for pairs in wrong {
            assert!(keys.recognise_llm(&headers(pairs)).is_err(), "{pairs:?}");
        }
        // Elsewhere the header of keys opens nothing.
        assert!(keys.recognise(&headers(&[(key, &own)])).is_err());
    }

    #[test]
    fn where_no_token_is_needed_every_key_is_the_clients_own() {
        let keys = Keys::none_needed();
        let visitor = keys.recognise_llm(&headers(&[("x-api-key", "sk-x"), ("authorization", "Bearer y")]));
        let visitor = visitor.expect("anyone");
        assert_eq!(&*visitor.known.visitor.name, ANYONE);
        assert!(visitor.owns_authorization && visitor.owns_api_key && visitor.known.allowed_models.is_none());
    }

    #[test]
    fn a_token_may_be_for_some_models_only() {
        let scratch = tempfile::tempdir().expect("a folder");
        let folder = TokenFolder::new(scratch.path().join("state"));
        let models = Some(vec!["claude-*-haiku*".to_owned(), "gpt-4.1".to_owned()]);
        let named =
            super::tokens::NewToken { name: "ci".into(), models: models.clone(), ..Default::default() };
        let ci = folder.add(named).expect("a token");
        let (keys, own) = Keys::in_folder(folder).expect("a token");
        let allowed = |token: &str| {
            let visitor = keys.recognise_llm(&headers(&[(API_KEY_HEADER, token)])).expect("it is known");
            visitor.known.allowed_models.as_ref().map(|models| models.to_vec())
        };
        assert_eq!((allowed(&ci), allowed(&own)), (models, None));
    }

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
