//! Hosts that may be named in a `Host` header: one name, every name below another, or the addresses of a network.
//!
//! A web page can point a name of its own at this machine (DNS rebinding), so names must be ones whose DNS you
//! control. An address cannot be pointed anywhere.

use std::net::IpAddr;

/// Suffixes without a dot that `*.NAME` takes: reserved for private use (RFC 6761, RFC 6762, ICANN for `internal`),
/// and the one of services in Kubernetes. Below any other, strangers can register names.
const PRIVATE_SUFFIXES: &[&str] = &["internal", "local", "localhost", "svc", "test"];

/// A host and its port as a `Host` header has them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Host {
    /// In lower case; an IPv6 address is in brackets.
    pub name: String,
    pub port: Option<u16>,
}

/// Hosts that are allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HostPattern {
    names: Names,
    /// The only port; the port that is listened at, or none, when absent.
    port: Option<u16>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Names {
    Exactly(String),
    /// Names that end with this: a dot and a name.
    Below(String),
    Network {
        address: IpAddr,
        bits: u8,
    },
}

impl HostPattern {
    /// Exactly this name, at the port that is listened at.
    pub fn name(name: impl Into<String>) -> HostPattern {
        HostPattern { names: Names::Exactly(name.into()), port: None }
    }

    /// Reads `NAME`, `*.NAME` or `ADDRESS/BITS`, each with `:PORT` where another one is in front. An IPv6 network with
    /// a port is in brackets.
    pub fn parse(text: &str) -> Option<HostPattern> {
        if let Some(below) = text.strip_prefix("*.") {
            let Host { name, port } = Host::parse(below)?;
            let is_private = name.contains('.') || PRIVATE_SUFFIXES.contains(&name.as_str());
            let is_name = address_of(&name).is_none();
            return (is_private && is_name)
                .then(|| HostPattern { names: Names::Below(format!(".{name}")), port });
        }
        if text.contains('/') {
            return network(text);
        }
        Host::parse(text).map(|Host { name, port }| HostPattern { names: Names::Exactly(name), port })
    }

    /// Whether a host is one of these, for a gateway that listens at `own` port.
    pub fn matches(&self, host: &Host, own: u16) -> bool {
        let is_port = match self.port {
            Some(exactly) => host.port == Some(exactly),
            None => host.port.is_none_or(|port| port == own),
        };
        is_port
            && match &self.names {
                Names::Exactly(name) => *name == host.name,
                Names::Below(suffix) => {
                    host.name.len() > suffix.len() && host.name.ends_with(suffix.as_str())
                }
                Names::Network { address, bits } => {
                    address_of(&host.name).is_some_and(|host| is_in(host, *address, *bits))
                }
            }
    }
}

impl Host {
    /// A host and its port, when it is written the plain way.
    pub fn parse(text: &str) -> Option<Host> {
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
        // A name with a dot at its end is another name for the guard, and no client needs it.
        if name.is_empty() || !is_plain || name.ends_with('.') || name.starts_with('.') {
            return None;
        }
        let port = match port {
            Some(port) => Some(parse_port(port)?),
            None => None,
        };
        Some(Host { name: name.to_ascii_lowercase(), port })
    }
}

fn parse_port(text: &str) -> Option<u16> {
    let is_plain = !text.is_empty() && !text.starts_with(['0', '+']);
    if is_plain { text.parse().ok() } else { None }
}

/// `10.0.0.0/8`, `10.0.0.0/8:8443`, `fd00::/8` or `[fd00::/8]:8443`.
fn network(text: &str) -> Option<HostPattern> {
    let (inner, port) = match text.strip_prefix('[') {
        Some(rest) => {
            let (inner, port) = rest.split_once(']')?;
            (inner, if port.is_empty() { None } else { Some(port.strip_prefix(':')?) })
        }
        // In an IPv4 network a colon comes after the slash only.
        None => match text.split_once('/').and_then(|(_, bits)| bits.split_once(':')) {
            Some((_, port)) => (text.strip_suffix(port)?.strip_suffix(':')?, Some(port)),
            None => (text, None),
        },
    };
    let (address, bits) = inner.split_once('/')?;
    let address: IpAddr = address.parse().ok()?;
    let is_plain = bits.len() <= 3 && bits.bytes().all(|byte| byte.is_ascii_digit());
    let bits: u8 = if is_plain { bits.parse().ok()? } else { return None };
    let port = match port {
        Some(port) => Some(parse_port(port)?),
        None => None,
    };
    let is_possible = bits <= if address.is_ipv4() { 32 } else { 128 };
    is_possible.then_some(HostPattern { names: Names::Network { address, bits }, port })
}

/// The address that a host is, in its usual spelling.
fn address_of(name: &str) -> Option<IpAddr> {
    let text = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    text.parse().ok()
}

fn is_in(host: IpAddr, network: IpAddr, bits: u8) -> bool {
    let (host, network, width) = match (host, network) {
        (IpAddr::V4(host), IpAddr::V4(network)) => {
            (u128::from(u32::from(host)), u32::from(network).into(), 32)
        }
        (IpAddr::V6(host), IpAddr::V6(network)) => (u128::from(host), u128::from(network), 128),
        _ => return false,
    };
    // A shift by the whole width is none at all in Rust, and a network of no bits holds every address.
    (host ^ network).checked_shr(width - u32::from(bits)).unwrap_or(0) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(name: &str, port: Option<u16>) -> Option<Host> {
        Some(Host { name: name.to_owned(), port })
    }

    #[test]
    fn hosts_are_read_the_plain_way_only() {
        assert_eq!(Host::parse("LocalHost:8484"), host("localhost", Some(8484)));
        assert_eq!(Host::parse("[::1]:8484"), host("[::1]", Some(8484)));
        assert_eq!(Host::parse("[::1]"), host("[::1]", None));
        assert_eq!(Host::parse("a.example"), host("a.example", None));
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
            "*",
            "*.a.example",
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
            assert_eq!(Host::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_pattern_holds_what_it_says_and_nothing_that_looks_like_it() {
        let is = |pattern: &str, name: &str| {
            let host = Host::parse(name).expect("a host");
            HostPattern::parse(pattern).expect("a pattern").matches(&host, 8484)
        };
        for (pattern, yes, no) in [
            (
                "*.svc",
                &["toolwright.svc", "A.B.svc:8484"][..],
                &["svc", "xsvc", "a.svc.evil.example", "a.svc:1"][..],
            ),
            ("*.apps.example", &["a.apps.example", "a.b.apps.example"], &["apps.example", "xapps.example"]),
            ("*.apps.example:443", &["a.apps.example:443"], &["a.apps.example", "a.apps.example:8484"]),
            (
                "10.0.0.0/8",
                &["10.244.1.17", "10.0.0.1:8484"],
                &["11.0.0.1", "10.0.0.1:9", "10.0.0.1.evil.example"],
            ),
            ("10.244.1.17/32", &["10.244.1.17"], &["10.244.1.18", "[::ffff:10.244.1.17]"]),
            ("0.0.0.0/0", &["1.2.3.4"], &["a.example", "[::1]"]),
            ("192.168.1.0/24:30080", &["192.168.1.9:30080"], &["192.168.1.9:8484", "192.168.1.9"]),
            ("fd00::/8", &["[fd12::1]:8484"], &["[fe80::1]", "10.0.0.1"]),
            ("[fd00::/8]:443", &["[fd12::1]:443"], &["[fd12::1]"]),
        ] {
            yes.iter().for_each(|name| assert!(is(pattern, name), "{pattern} holds {name}"));
            no.iter().for_each(|name| assert!(!is(pattern, name), "{pattern} does not hold {name}"));
        }
    }

    #[test]
    fn what_would_let_every_name_in_is_no_pattern() {
        for text in [
            "*",
            "*.",
            "*.*",
            "*.com",
            "*.evil.*",
            "a.*",
            "*a.example",
            "**.a.example",
            "*:8484",
            "*.10.0.0.1",
            "10.0.0.0/33",
            "10.0.0.0/",
            "10.0.0.0/+8",
            "10.0.0/8",
            "fd00::/129",
            "[fd00::/8",
            "a.example/8",
            "http://a.example",
            "10.0.0.0/8:0",
        ] {
            assert_eq!(HostPattern::parse(text), None, "{text}");
        }
    }
}
