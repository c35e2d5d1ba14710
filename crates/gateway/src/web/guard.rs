//! Who may speak to the port at all: `Host` and `Origin`, before anything else is looked at.
//!
//! A web page can make a browser send requests to this machine. It cannot choose these two headers: a page
//! of another site has its own origin, and one whose name was pointed at this machine has its own host.

use std::net::{IpAddr, SocketAddr};

use http::header::{HOST, ORIGIN};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method};

use super::refusal::Refusal;

/// The names of this machine. Other spellings of the same address are refused: no client needs them.
const LOOPBACK: &[&str] = &["localhost", "127.0.0.1", "[::1]"];

/// What is allowed besides this machine itself.
#[derive(Clone, Debug, Default)]
pub struct Allowed {
    /// Hosts: `name`, or `name:port`.
    pub hosts: Vec<String>,
    /// Origins: `https://name` or `https://name:port`.
    pub origins: Vec<String>,
}

/// What cannot be allowed.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum GuardError {
    /// No host.
    #[error("\"{0}\" is no host: write a name such as gateway.example or gateway.example:8443")]
    Host(String),
    /// No origin.
    #[error(
        "\"{0}\" is no origin: write it as a browser does, such as https://app.example or http://app.example:3000"
    )]
    Origin(String),
}

/// The list of those who may come.
#[derive(Debug)]
pub(super) struct Guard {
    port: u16,
    hosts: Vec<(String, Option<u16>)>,
    origins: Vec<String>,
    /// Whether pages of this machine may read answers without being on the list.
    trusts_local_pages: bool,
}

impl Guard {
    /// A guard of a port. Pages of this machine may read what they get only when a token stands between.
    pub fn new(address: SocketAddr, allowed: &Allowed, has_tokens: bool) -> Result<Guard, GuardError> {
        let mut hosts: Vec<(String, Option<u16>)> =
            LOOPBACK.iter().map(|name| ((*name).to_owned(), None)).collect();
        match address.ip() {
            ip if ip.is_unspecified() => {}
            IpAddr::V4(ip) => hosts.push((ip.to_string(), None)),
            IpAddr::V6(ip) => hosts.push((format!("[{ip}]"), None)),
        }
        for host in &allowed.hosts {
            hosts.push(split(host).ok_or_else(|| GuardError::Host(host.clone()))?);
        }
        let mut origins = Vec::new();
        for origin in &allowed.origins {
            let given = origin.strip_suffix('/').unwrap_or(origin).to_ascii_lowercase();
            authority_of(&given).and_then(split).ok_or_else(|| GuardError::Origin(origin.clone()))?;
            origins.push(given);
        }
        Ok(Guard { port: address.port(), hosts, origins, trusts_local_pages: has_tokens })
    }

    /// Checks who is asked for and who asks. The origin that may read the answer comes back.
    pub fn check(&self, parts: &Parts) -> Result<Option<HeaderValue>, Refusal> {
        self.check_host(parts)?;
        self.check_origin(&parts.headers, &parts.method)
    }

    fn check_host(&self, parts: &Parts) -> Result<(), Refusal> {
        // `GET http://host/path` and CONNECT name a second host, which somebody might believe.
        if parts.uri.authority().is_some() || parts.uri.scheme().is_some() {
            return Err(Refusal::bad_host(
                "is not all that names a host: send the path alone in the first line",
            ));
        }
        let mut given = parts.headers.get_all(HOST).iter();
        let Some(host) = given.next() else { return Err(Refusal::bad_host("is missing")) };
        if given.next().is_some() {
            return Err(Refusal::bad_host("is there twice"));
        }
        let text = host.to_str().map_err(|_| Refusal::bad_host("is no text"))?;
        let (name, port) = split(text).ok_or_else(|| Refusal::bad_host("names no host"))?;
        let is_ours = |allowed: &(String, Option<u16>)| {
            allowed.0 == name
                && match allowed.1 {
                    Some(exactly) => port == Some(exactly),
                    None => port.is_none_or(|port| port == self.port),
                }
        };
        if self.hosts.iter().any(is_ours) { Ok(()) } else { Err(Refusal::other_host(text)) }
    }

    fn check_origin(&self, headers: &HeaderMap, method: &Method) -> Result<Option<HeaderValue>, Refusal> {
        let mut given = headers.get_all(ORIGIN).iter();
        let Some(origin) = given.next() else {
            // A browser leaves the origin out when a page only links here, but says where it came from.
            let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
            return match site {
                Some(b"cross-site") => Err(Refusal::other_origin("of another site")),
                _ => Ok(None),
            };
        };
        let text = origin.to_str().unwrap_or("not readable");
        if given.next().is_some() {
            return Err(Refusal::other_origin("given twice"));
        }
        if self.origins.iter().any(|allowed| allowed == text) {
            return Ok(Some(origin.clone()));
        }
        let name = authority_of(text).and_then(split).map(|(name, _)| name);
        if !name.is_some_and(|name| LOOPBACK.contains(&name.as_str())) {
            return Err(Refusal::other_origin(text));
        }
        match self.trusts_local_pages {
            true => Ok(Some(origin.clone())),
            // A browser asks first whether a page may send what it wants to.
            false if method == Method::OPTIONS => Err(Refusal::other_origin(text)),
            false => Ok(None),
        }
    }
}

/// What stands behind `http://` or `https://`, when nothing stands behind that.
fn authority_of(origin: &str) -> Option<&str> {
    origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"))
}

/// A host and its port, when it is written the plain way.
fn split(text: &str) -> Option<(String, Option<u16>)> {
    let (name, port) = match text.strip_prefix('[') {
        Some(rest) => {
            let end = rest.find(']')?;
            let (name, port) = text.split_at(end + 2);
            (name, if port.is_empty() { None } else { Some(port.strip_prefix(':')?) })
        }
        None => match text.split_once(':') {
            Some((name, port)) => (name, Some(port)),
            None => (text, None),
        },
    };
    let is_inside_brackets = |c: char| c.is_ascii_hexdigit() || matches!(c, ':' | '.');
    let is_plain = match name.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
        Some(address) => !address.is_empty() && address.chars().all(is_inside_brackets),
        None => name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_')),
    };
    // A name with a dot at its end is another name for the guard, and nobody needs it.
    if name.is_empty() || !is_plain || name.ends_with('.') || name.starts_with('.') {
        return None;
    }
    let port = match port {
        Some(port) if port.is_empty() || port.starts_with(['0', '+']) => return None,
        Some(port) => Some(port.parse().ok()?),
        None => None,
    };
    Some((name.to_ascii_lowercase(), port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_read_the_plain_way_only() {
        let read = |text: &str| split(text);
        assert_eq!(read("LocalHost:8484"), Some(("localhost".to_owned(), Some(8484))));
        assert_eq!(read("[::1]:8484"), Some(("[::1]".to_owned(), Some(8484))));
        assert_eq!(read("[::1]"), Some(("[::1]".to_owned(), None)));
        assert_eq!(read("a.example"), Some(("a.example".to_owned(), None)));
        for text in [
            "",
            ":",
            ":80",
            "a:",
            "a:0",
            "a:080",
            "a:+80",
            "a:99999",
            "a:b",
            "a:1:2",
            "a b",
            "a,b",
            "u@a",
            "a/b",
            "a.",
            ".a",
            "[::1",
            "[]",
            "[::1]x",
            "[::1]:",
            "[::1%eth0]",
            "ä",
            "a%2e",
            "a?b",
            "a#b",
            "a\\b",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn only_hosts_and_origins_can_be_allowed() {
        let address = SocketAddr::from(([127, 0, 0, 1], 1));
        let allow = |hosts: &[&str], origins: &[&str]| {
            let own = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
            Guard::new(address, &Allowed { hosts: own(hosts), origins: own(origins) }, true).err()
        };
        assert_eq!(
            allow(&["gw.example", "gw.example:8443"], &["https://App.example/", "http://a:3000"]),
            None
        );
        assert_eq!(allow(&["http://gw"], &[]), Some(GuardError::Host("http://gw".to_owned())));
        for origin in ["null", "*", "app.example", "https://", "https://a/b", "ftp://a", "https://u@a"] {
            assert_eq!(allow(&[], &[origin]), Some(GuardError::Origin(origin.to_owned())), "{origin}");
        }
    }
}
