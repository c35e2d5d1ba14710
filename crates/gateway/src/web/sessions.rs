//! People who look at the pages: a link that works once, a cookie that lasts, and a mark that pages of other sites
//! cannot know.
//!
//! Nothing is kept but, until a restart, which links were used and which sessions were left: what a cookie says is
//! signed with the token of this install, so it survives a restart and opens no other install. A new token ends all
//! sessions.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aws_lc_rs::hmac::{self, HMAC_SHA256};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::HeaderMap;
use http::header::COOKIE;

use super::tokens::{self, TokenError};

/// How long a link opens a session.
const LINK_LASTS: Duration = Duration::from_secs(60 * 60);
/// How long a session lasts.
const SESSION_LASTS: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// How many used links are remembered; more of them cannot be made in the time that one lasts.
const MOST_USED: usize = 10_000;
/// The header that a page of ours has its mark in.
pub(super) const MARK_HEADER: &str = "x-toolwright-page";

/// The sessions of one install.
pub struct Sessions {
    key: hmac::Key,
    cookie: String,
    used: Mutex<BTreeMap<String, u64>>,
    /// Sessions that were left before their time, and when that would have been.
    closed: Mutex<BTreeMap<String, u64>>,
    is_open: bool,
}

/// Somebody who looks at the pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// What a page has to send along with what changes something.
    pub mark: String,
}

impl Sessions {
    /// Sessions that the token of this install opens. Two gateways of one machine have cookies of their own.
    pub fn new(token: &str, port: u16) -> Sessions {
        Sessions {
            key: key_of(token),
            cookie: format!("toolwright_{port}"),
            used: Mutex::default(),
            closed: Mutex::default(),
            is_open: false,
        }
    }

    /// Everybody may look: no token is needed. Pages of other sites still cannot change anything.
    pub fn open_to_all(port: u16) -> Result<Sessions, TokenError> {
        Ok(Sessions { is_open: true, ..Sessions::new(&chance()?, port) })
    }

    /// A link that opens a session once, without the address.
    pub fn link(token: &str) -> Result<String, TokenError> {
        let name = format!("{}.{}", now() + LINK_LASTS.as_secs(), chance()?);
        let sign = sign(&key_of(token), "link", &name);
        Ok(format!("/login?once={name}.{sign}"))
    }

    /// The cookie that a link opens a session with, when it is good and was not used before.
    pub(super) fn open_by_link(&self, once: &str) -> Option<String> {
        let name = self.checked("link", once)?;
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.retain(|_, lasts| *lasts > now());
        if used.len() >= MOST_USED || used.contains_key(name) {
            return None;
        }
        used.insert(name.to_owned(), lasts_until(name)?);
        drop(used);
        self.open()
    }

    /// The cookie of a new session.
    pub(super) fn open(&self) -> Option<String> {
        let name = format!("{}.{}", now() + SESSION_LASTS.as_secs(), chance().ok()?);
        let sign = sign(&self.key, "session", &name);
        Some(format!(
            "{}={name}.{sign}; Path=/; Max-Age={}; HttpOnly; SameSite=Strict",
            self.cookie,
            SESSION_LASTS.as_secs()
        ))
    }

    /// Ends a session in this process, and gives the cookie that ends it in the browser.
    pub(super) fn close(&self, headers: &HeaderMap) -> String {
        if let Some(name) = self.cookie_of(headers).and_then(|value| self.checked("session", value)) {
            let mut closed = self.closed();
            closed.retain(|_, lasts| *lasts > now());
            closed.insert(name.to_owned(), lasts_until(name).unwrap_or_default());
        }
        format!("{}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict", self.cookie)
    }

    /// Whose session these headers are of.
    pub(super) fn find(&self, headers: &HeaderMap) -> Option<Session> {
        if self.is_open {
            return Some(Session { mark: sign(&self.key, "mark", "") });
        }
        let name = self.checked("session", self.cookie_of(headers)?)?;
        if self.closed().contains_key(name) {
            return None;
        }
        Some(Session { mark: sign(&self.key, "mark", name) })
    }

    /// Our cookie, when there is one and no other of its name.
    fn cookie_of<'h>(&self, headers: &'h HeaderMap) -> Option<&'h str> {
        let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut ours = cookies.flat_map(|value| value.split(';')).filter_map(|pair| {
            let (name, value) = pair.trim().split_once('=')?;
            (name == self.cookie).then_some(value)
        });
        let (value, None) = (ours.next()?, ours.next()) else { return None };
        Some(value)
    }

    fn closed(&self) -> MutexGuard<'_, BTreeMap<String, u64>> {
        self.closed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a page of ours sent these headers: one of another site does not know the mark.
    pub(super) fn is_marked(session: &Session, headers: &HeaderMap) -> bool {
        let sent = headers.get(MARK_HEADER).map(|mark| mark.as_bytes()).unwrap_or_default();
        aws_lc_rs::constant_time::verify_slices_are_equal(sent, session.mark.as_bytes()).is_ok()
    }

    /// The name in something that we signed and that still lasts.
    fn checked<'s>(&self, what: &str, signed: &'s str) -> Option<&'s str> {
        let (name, sign) = signed.rsplit_once('.')?;
        let sign = URL_SAFE_NO_PAD.decode(sign).ok()?;
        hmac::verify(&self.key, format!("{what} {name}").as_bytes(), &sign).ok()?;
        (lasts_until(name)? > now()).then_some(name)
    }
}

impl std::fmt::Debug for Sessions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sessions").field("cookie", &self.cookie).finish_non_exhaustive()
    }
}

fn key_of(token: &str) -> hmac::Key {
    let key = hmac::Key::new(HMAC_SHA256, token.as_bytes());
    hmac::Key::new(HMAC_SHA256, hmac::sign(&key, b"toolwright pages").as_ref())
}

fn sign(key: &hmac::Key, what: &str, name: &str) -> String {
    URL_SAFE_NO_PAD.encode(hmac::sign(key, format!("{what} {name}").as_bytes()))
}

fn chance() -> Result<String, TokenError> {
    Ok(URL_SAFE_NO_PAD.encode(tokens::random()?))
}

fn lasts_until(name: &str) -> Option<u64> {
    name.split('.').next()?.parse().ok()
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(cookie: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let pair = cookie.split(';').next().unwrap_or_default();
        headers.insert(COOKIE, format!("other=1; {pair}").parse().unwrap());
        headers
    }

    #[test]
    fn a_link_opens_one_session_once() {
        let sessions = Sessions::new("tw_a", 8484);
        let link = Sessions::link("tw_a").unwrap();
        let once = link.strip_prefix("/login?once=").unwrap();
        let cookie = sessions.open_by_link(once).unwrap();
        assert!(cookie.contains("HttpOnly; SameSite=Strict"), "{cookie}");
        let session = sessions.find(&headers(&cookie)).unwrap();
        assert_eq!(sessions.open_by_link(once), None, "it was used");
        let mut sent = headers(&cookie);
        assert!(!Sessions::is_marked(&session, &sent));
        sent.insert(MARK_HEADER, session.mark.parse().unwrap());
        assert!(Sessions::is_marked(&session, &sent));
    }

    #[test]
    fn a_session_that_was_left_is_over_and_others_are_not() {
        let sessions = Sessions::new("tw_a", 8484);
        let (left, stays) = (sessions.open().unwrap(), sessions.open().unwrap());
        assert!(sessions.close(&headers(&left)).contains("Max-Age=0"));
        assert_eq!(sessions.find(&headers(&left)), None);
        assert!(sessions.find(&headers(&stays)).is_some());
        sessions.close(&HeaderMap::new());
        assert!(sessions.find(&headers(&stays)).is_some());
    }

    #[test]
    fn what_another_install_or_nobody_signed_opens_nothing() {
        let sessions = Sessions::new("tw_a", 8484);
        let other = Sessions::new("tw_b", 8484);
        let link = Sessions::link("tw_b").unwrap();
        assert_eq!(sessions.open_by_link(link.strip_prefix("/login?once=").unwrap()), None);
        let cookie = other.open().unwrap();
        assert_eq!(sessions.find(&headers(&cookie)), None);
        // A session is no link, and an older time is not what was signed.
        let own = sessions.open().unwrap();
        let value = own.split(['=', ';']).nth(1).unwrap();
        assert_eq!(sessions.open_by_link(value), None);
        let (_, rest) = value.split_once('.').unwrap();
        assert_eq!(sessions.find(&headers(&format!("toolwright_8484=99999999999.{rest}"))), None);
        for odd in ["", "toolwright_8484=", "toolwright_8484=..", "toolwright_8484=a.b.c"] {
            assert_eq!(sessions.find(&headers(odd)), None, "{odd}");
        }
        let over = format!("{}.x", now() - 1);
        let signed = format!("toolwright_8484={over}.{}", sign(&sessions.key, "session", &over));
        assert_eq!(sessions.find(&headers(&signed)), None, "its time is over");
    }

    #[test]
    fn where_no_token_is_needed_pages_of_others_still_cannot_act() {
        let sessions = Sessions::open_to_all(1).unwrap();
        let session = sessions.find(&HeaderMap::new()).unwrap();
        assert!(!Sessions::is_marked(&session, &HeaderMap::new()));
    }
}
