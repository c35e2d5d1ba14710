//! People who look at the pages: a link that works once, a cookie that lasts, and a mark that pages of other sites
//! cannot know.
//!
//! What a cookie says is signed with the token of this install, so it survives a restart and opens no other install.
//! Only which links were used and which sessions were ended is stored ([`Spent`]). A new token ends all sessions.
//!
//! A browser sends a cookie to every port of its host. So the pages have a host of their own, below `localhost`
//! (RFC 6761: always this machine), with a name that programs on other ports do not know.

use std::path::PathBuf;
use std::time::Duration;

use aws_lc_rs::hmac::{self, HMAC_SHA256};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::HeaderMap;
use http::header::{COOKIE, HOST};
use toolwright_base::unix_seconds;

use crate::spent::Spent;
use crate::tokens::{self, TokenError};

/// How long a link opens a session.
const LINK_LASTS: Duration = Duration::from_secs(60 * 60);
/// How long a session lasts at the host of the pages.
const SESSION_LASTS: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// How long it lasts at a host that others share, such as 127.0.0.1: they may see the cookie.
const SHARED_HOST_SESSION_LASTS: Duration = Duration::from_secs(12 * 60 * 60);
/// How much of the host's name is chance, in bytes.
const HOST_BYTES: usize = 10;
const LINK: &str = "link";
const SESSION: &str = "session";
/// The header that a page of ours has its mark in.
pub(crate) const MARK_HEADER: &str = "x-toolwright-page";

/// The sessions of one install.
pub struct Sessions {
    key: hmac::Key,
    cookie: String,
    host: String,
    /// Links that were used, and sessions that were ended before their time.
    spent: Spent,
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
            host: Sessions::host(token),
            spent: Spent::default(),
            is_open: false,
        }
    }

    /// The same, with used links and ended sessions in this folder: also after a restart, and for other gateways.
    pub fn remembering_in(self, folder: PathBuf) -> Sessions {
        Sessions { spent: Spent::in_folder(folder), ..self }
    }

    /// The host of the pages on this machine, without a port. It is no secret of the owner, but programs on other ports
    /// must not know it.
    pub fn host(token: &str) -> String {
        let tag = hmac::sign(&key_of(token), b"host");
        let name: String = tag.as_ref().iter().take(HOST_BYTES).map(|byte| format!("{byte:02x}")).collect();
        format!("toolwright-{name}.localhost")
    }

    /// Everybody may look: no token is needed. Pages of other sites still cannot change anything.
    pub fn open_to_all(port: u16) -> Result<Sessions, TokenError> {
        Ok(Sessions { is_open: true, ..Sessions::new(&chance()?, port) })
    }

    /// A link that opens a session once, without the address.
    pub fn link(token: &str) -> Result<String, TokenError> {
        let name = format!("{}.{}", unix_seconds() + LINK_LASTS.as_secs(), chance()?);
        let sign = sign(&key_of(token), LINK, &name);
        Ok(format!("/login?once={name}.{sign}"))
    }

    /// Whether a link would open a session now.
    pub(super) fn is_good_link(&self, once: &str) -> bool {
        let name = self.checked(LINK, once);
        name.is_some_and(|(name, until)| !self.spent.is_spent(LINK, name, until))
    }

    /// The cookie that a link opens a session with, when it is good and was not used before.
    pub(super) fn open_by_link(&self, once: &str, headers: &HeaderMap) -> Option<String> {
        let (name, until) = self.checked(LINK, once)?;
        if self.spent.spend(LINK, name, until, unix_seconds()) { self.open(headers) } else { None }
    }

    /// The cookie of a new session for who sent these headers.
    pub(super) fn open(&self, headers: &HeaderMap) -> Option<String> {
        let lasts = match self.is_at_own_host(headers) {
            true => SESSION_LASTS,
            false => SHARED_HOST_SESSION_LASTS,
        };
        let name = format!("{}.{}", unix_seconds() + lasts.as_secs(), chance().ok()?);
        let sign = sign(&self.key, SESSION, &name);
        Some(format!(
            "{}={name}.{sign}; Path=/; Max-Age={}; HttpOnly; SameSite=Strict",
            self.cookie,
            lasts.as_secs()
        ))
    }

    fn is_at_own_host(&self, headers: &HeaderMap) -> bool {
        let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        host.split(':').next().is_some_and(|name| name.eq_ignore_ascii_case(&self.host))
    }

    /// Ends a session, and gives the cookie that ends it in the browser.
    pub(super) fn close(&self, headers: &HeaderMap) -> String {
        if let Some((name, until)) = self.cookie_of(headers).and_then(|value| self.checked(SESSION, value)) {
            self.spent.spend(SESSION, name, until, unix_seconds());
        }
        format!("{}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict", self.cookie)
    }

    /// Whose session these headers are of.
    pub(super) fn find(&self, headers: &HeaderMap) -> Option<Session> {
        if self.is_open {
            return Some(Session { mark: sign(&self.key, "mark", "") });
        }
        let (name, until) = self.checked(SESSION, self.cookie_of(headers)?)?;
        if self.spent.is_spent(SESSION, name, until) {
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

    /// Whether a page of ours sent these headers: one of another site does not know the mark.
    pub(super) fn is_marked(session: &Session, headers: &HeaderMap) -> bool {
        let sent = headers.get(MARK_HEADER).map(|mark| mark.as_bytes()).unwrap_or_default();
        aws_lc_rs::constant_time::verify_slices_are_equal(sent, session.mark.as_bytes()).is_ok()
    }

    /// The name in something that we signed and that still lasts, and until when.
    fn checked<'s>(&self, what: &str, signed: &'s str) -> Option<(&'s str, u64)> {
        let (name, sign) = signed.rsplit_once('.')?;
        let sign = URL_SAFE_NO_PAD.decode(sign).ok()?;
        hmac::verify(&self.key, format!("{what} {name}").as_bytes(), &sign).ok()?;
        let until = lasts_until(name)?;
        (until > unix_seconds()).then_some((name, until))
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
        let cookie = sessions.open_by_link(once, &HeaderMap::new()).unwrap();
        assert!(cookie.contains("HttpOnly; SameSite=Strict"), "{cookie}");
        let session = sessions.find(&headers(&cookie)).unwrap();
        assert_eq!(sessions.open_by_link(once, &HeaderMap::new()), None, "it was used");
        let mut sent = headers(&cookie);
        assert!(!Sessions::is_marked(&session, &sent));
        sent.insert(MARK_HEADER, session.mark.parse().unwrap());
        assert!(Sessions::is_marked(&session, &sent));
    }

    #[test]
    fn a_session_that_was_left_is_over_and_others_are_not() {
        let sessions = Sessions::new("tw_a", 8484);
        let (left, stays) =
            (sessions.open(&HeaderMap::new()).unwrap(), sessions.open(&HeaderMap::new()).unwrap());
        assert!(sessions.close(&headers(&left)).contains("Max-Age=0"));
        assert_eq!(sessions.find(&headers(&left)), None);
        assert!(sessions.find(&headers(&stays)).is_some());
        sessions.close(&HeaderMap::new());
        assert!(sessions.find(&headers(&stays)).is_some());
    }

    #[test]
    fn a_used_link_and_an_ended_session_stay_so_after_a_restart_and_for_other_gateways() {
        let scratch = tempfile::tempdir().unwrap();
        let gateway = |port| Sessions::new("tw_a", port).remembering_in(scratch.path().join("spent"));
        let (first, second) = (gateway(1), gateway(1));
        let link = Sessions::link("tw_a").unwrap();
        let once = link.strip_prefix("/login?once=").unwrap();
        assert!(first.is_good_link(once) && second.is_good_link(once));
        let cookie = first.open_by_link(once, &HeaderMap::new()).unwrap();
        for other in [&second, &gateway(1)] {
            assert!(!other.is_good_link(once));
            assert_eq!(other.open_by_link(once, &HeaderMap::new()), None);
            assert!(other.find(&headers(&cookie)).is_some());
        }
        first.close(&headers(&cookie));
        for other in [&second, &gateway(1)] {
            assert_eq!(other.find(&headers(&cookie)), None);
        }
    }

    #[test]
    fn a_session_at_a_host_that_others_share_is_short() {
        let sessions = Sessions::new("tw_a", 8484);
        let host = Sessions::host("tw_a");
        assert!(host.ends_with(".localhost") && host != Sessions::host("tw_b"), "{host}");
        let lasts = |host: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(HOST, host.parse().unwrap());
            sessions.open(&headers).unwrap().contains("Max-Age=604800;")
        };
        assert!(lasts(&host) && lasts(&format!("{host}:8484")));
        assert!(!lasts("127.0.0.1:8484") && !lasts("localhost") && !lasts(&format!("x.{host}")));
    }

    #[test]
    fn what_another_install_or_nobody_signed_opens_nothing() {
        let sessions = Sessions::new("tw_a", 8484);
        let other = Sessions::new("tw_b", 8484);
        let link = Sessions::link("tw_b").unwrap();
        assert_eq!(
            sessions.open_by_link(link.strip_prefix("/login?once=").unwrap(), &HeaderMap::new()),
            None
        );
        let cookie = other.open(&HeaderMap::new()).unwrap();
        assert_eq!(sessions.find(&headers(&cookie)), None);
        // A session is no link, and an older time is not what was signed.
        let own = sessions.open(&HeaderMap::new()).unwrap();
        let value = own.split(['=', ';']).nth(1).unwrap();
        assert_eq!(sessions.open_by_link(value, &HeaderMap::new()), None);
        let (_, rest) = value.split_once('.').unwrap();
        assert_eq!(sessions.find(&headers(&format!("toolwright_8484=99999999999.{rest}"))), None);
        for odd in ["", "toolwright_8484=", "toolwright_8484=..", "toolwright_8484=a.b.c"] {
            assert_eq!(sessions.find(&headers(odd)), None, "{odd}");
        }
        let over = format!("{}.x", unix_seconds() - 1);
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
