//! Who may speak to the port at all: `Host` and `Origin`, before anything else is looked at.
//!
//! A web page can make a browser send requests to this machine. It cannot choose these two headers: a page
//! of another site has its own origin, and one whose name was pointed at this machine has its own host.

use std::net::{IpAddr, SocketAddr};

use http::header::{HOST, ORIGIN};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, StatusCode, Version};

use crate::host::{Host, HostPattern};
use crate::refusal::Refusal;

/// The names of this machine. Other spellings of the same address are refused: no client needs them.
const LOOPBACK: &[&str] = &["localhost", "127.0.0.1", "[::1]"];

/// What is allowed besides this machine itself.
#[derive(Clone, Debug, Default)]
pub struct Allowed {
    /// Hosts: `name`, every name below one (`*.name`) or a network (`10.0.0.0/8`), each with `:port` where it is
    /// another one.
    pub hosts: Vec<String>,
    /// Origins: `https://name` or `https://name:port`.
    pub origins: Vec<String>,
}

/// What cannot be allowed.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum GuardError {
    /// No host.
    #[error(
        "\"{0}\" is no host: write a name such as gateway.example or gateway.example:8443, every name below one of yours such as *.apps.example, or a network such as 10.0.0.0/8"
    )]
    Host(String),
    /// Every host, or every name below a suffix where strangers register names.
    #[error(
        "\"{0}\" would allow names that are not yours: a web page whose name points at this machine (DNS rebinding) could use the gateway; write names of yours such as *.apps.example, or a network such as 10.0.0.0/8"
    )]
    EveryHost(String),
    /// No origin.
    #[error(
        "\"{0}\" is no origin: write it as a browser does, such as https://app.example or http://app.example:3000"
    )]
    Origin(String),
}

/// What a request may name as its host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HostRule {
    /// One that is allowed.
    Allowed,
    /// Any: the path needs no token and reveals nothing. Probes and balancers send the address that they know.
    Any,
}

/// A request that the guard let pass.
#[derive(Debug)]
pub(crate) struct Passed {
    /// The origin that may read the response.
    pub origin: Option<HeaderValue>,
    /// Whether its host is one that is allowed.
    pub is_known_host: bool,
}

/// The list of those who may come.
#[derive(Debug)]
pub(crate) struct Guard {
    port: u16,
    hosts: Vec<HostPattern>,
    origins: Vec<String>,
    /// Whether pages of this machine may read answers without being on the list.
    trusts_local_pages: bool,
}

impl Guard {
    /// A guard of a port. Pages of this machine may read what they get only when a token stands between.
    pub fn new(address: SocketAddr, allowed: &Allowed, has_tokens: bool) -> Result<Guard, GuardError> {
        let mut hosts: Vec<HostPattern> = LOOPBACK.iter().map(|name| HostPattern::name(*name)).collect();
        match address.ip() {
            ip if ip.is_unspecified() => {}
            IpAddr::V4(ip) => hosts.push(HostPattern::name(ip.to_string())),
            IpAddr::V6(ip) => hosts.push(HostPattern::name(format!("[{ip}]"))),
        }
        for host in &allowed.hosts {
            hosts.push(HostPattern::parse(host).ok_or_else(|| match host.starts_with('*') {
                true => GuardError::EveryHost(host.clone()),
                false => GuardError::Host(host.clone()),
            })?);
        }
        let mut origins = Vec::new();
        for origin in &allowed.origins {
            let given = origin.strip_suffix('/').unwrap_or(origin).to_ascii_lowercase();
            authority_of(&given).and_then(Host::parse).ok_or_else(|| GuardError::Origin(origin.clone()))?;
            origins.push(given);
        }
        Ok(Guard { port: address.port(), hosts, origins, trusts_local_pages: has_tokens })
    }

    /// Checks who is asked for and who asks.
    pub fn check(&self, parts: &Parts, rule: HostRule) -> Result<Passed, Refusal> {
        let host = self.check_host(parts);
        let is_known_host = match (host, rule) {
            (Ok(()), _) => true,
            // A host that is none, or two of them, are refused everywhere.
            (Err(refusal), HostRule::Any) if refusal.status == StatusCode::FORBIDDEN => false,
            (Err(_), HostRule::Any) if is_old_probe(parts) => false,
            (Err(refusal), _) => return Err(refusal),
        };
        Ok(Passed { origin: self.check_origin(&parts.headers, &parts.method)?, is_known_host })
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
        let host = Host::parse(text).ok_or_else(|| Refusal::bad_host("names no host"))?;
        let is_allowed = self.hosts.iter().any(|allowed| allowed.matches(&host, self.port));
        if is_allowed { Ok(()) } else { Err(Refusal::other_host(text)) }
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
        let page = authority_of(text).and_then(Host::parse);
        let Some(page) = page.filter(|page| LOOPBACK.contains(&page.name.as_str())) else {
            return Err(Refusal::other_origin(text));
        };
        match self.trusts_local_pages {
            true => Ok(Some(origin.clone())),
            // Without a token only the pages of this port may send something: a page of another one could send what
            // a browser does not ask about first, such as plain text.
            false if page.port.unwrap_or(80) == self.port && method != Method::OPTIONS => Ok(None),
            false => Err(Refusal::other_origin(text)),
        }
    }
}

/// Whether this is a request of HTTP/1.0 without a host, as HAProxy sends it when no header is configured.
fn is_old_probe(parts: &Parts) -> bool {
    let names_none = !parts.headers.contains_key(HOST) && parts.uri.authority().is_none();
    parts.version == Version::HTTP_10 && names_none
}

/// What stands behind `http://` or `https://`, when nothing stands behind that.
fn authority_of(origin: &str) -> Option<&str> {
    origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"))
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(allow(&["*.gw.example", "10.0.0.0/8", "[fd00::/8]:443"], &[]), None);
        assert_eq!(allow(&["http://gw"], &[]), Some(GuardError::Host("http://gw".to_owned())));
        for host in ["*", "*.com"] {
            assert_eq!(allow(&[host], &[]), Some(GuardError::EveryHost(host.to_owned())), "{host}");
        }
        for origin in ["null", "*", "app.example", "https://", "https://a/b", "ftp://a", "https://u@a"] {
            assert_eq!(allow(&[], &[origin]), Some(GuardError::Origin(origin.to_owned())), "{origin}");
        }
    }
}
