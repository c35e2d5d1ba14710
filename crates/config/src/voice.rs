//! The section `voice`: fronts, permitted tools and the MQTT broker.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use crate::SecretText;

/// The default tool that lists the devices of a home.
pub const USUAL_LIST_TOOL: &str = "list_zwave_devices";
/// The default tool that controls devices.
pub const USUAL_CONTROL_TOOL: &str = "control_zwave_device";
/// The default prefix of topics.
pub const USUAL_TOPIC_PREFIX: &str = "voice";
/// The default port of the built-in broker, if it is free.
pub const USUAL_BROKER_PORT: u16 = 1883;
/// The default port of the Wyoming front.
pub const USUAL_WYOMING_PORT: u16 = 10_500;

/// The section `voice`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VoiceSettings {
    /// Whether `toolwright serve` runs the voice; `toolwright voice` always does.
    pub is_enabled: bool,
    /// The MQTT front; `None` if it is disabled.
    pub mqtt: Option<MqttSettings>,
    /// Whether the Hermes topics of Rhasspy are served too.
    pub hermes: bool,
    /// The Wyoming front; `None` if it is disabled.
    pub wyoming: Option<WyomingSettings>,
    /// The tools that the voice may use; the default ones if absent.
    pub tools: Option<Vec<String>>,
    /// Words in tool and device names that demand a spoken confirmation, besides the default ones.
    pub confirm: Vec<String>,
    /// The timeout of a spoken confirmation.
    pub confirm_time: Option<Duration>,
    /// The maximum age of a sentence.
    pub max_age: Option<Duration>,
    /// The timeout of the model.
    pub think_time: Option<Duration>,
    /// The queue length, in sentences.
    pub waiting: Option<usize>,
    /// The concurrency limit, in sentences.
    pub at_once: Option<usize>,
    /// The model.
    pub model: Option<String>,
    /// The tool that lists the devices.
    pub list_tool: String,
    /// The tool that controls devices.
    pub control_tool: String,
}

/// Settings of the MQTT front.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MqttSettings {
    /// The broker.
    pub broker: BrokerChoice,
    /// The prefix of topics.
    pub topic_prefix: String,
    /// Permitted prefixes of response topics that clients request, besides `topic_prefix`.
    pub response_prefixes: Vec<String>,
    /// The MQTT client id; a random one per run if absent.
    pub client_id: Option<String>,
    /// The MQTT protocol versions.
    pub protocol: MqttProtocol,
}

/// The broker of the MQTT front.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BrokerChoice {
    /// The built-in one, on this machine only.
    Inside {
        /// Its port. If absent and the default port is taken, any free port is used.
        port: Option<u16>,
    },
    /// An external one.
    Outside(BrokerSettings),
}

/// An external broker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokerSettings {
    /// Its host.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// Whether the connection is encrypted.
    pub is_encrypted: bool,
    /// The CA certificates, an absolute path; those of the system if absent.
    pub ca_file: Option<PathBuf>,
    /// The user name.
    pub username: Option<String>,
    /// The password.
    pub password: BrokerPassword,
}

/// The password of a broker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum BrokerPassword {
    /// No password.
    #[default]
    None,
    /// This password.
    Text(SecretText),
    /// The first line of this file, an absolute path.
    File(PathBuf),
}

/// The MQTT protocol versions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MqttProtocol {
    /// 5, and 3.1.1 if the broker does not support it.
    #[default]
    Auto,
    /// 5 only.
    Five,
    /// 3.1.1 only.
    Three,
}

/// Settings of the Wyoming front.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WyomingSettings {
    /// The address to listen at.
    pub listen: SocketAddr,
    /// Other permitted clients: this machine is always permitted.
    pub allow: Vec<AddressRange>,
}

/// An IP address, or a range in CIDR notation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressRange {
    address: IpAddr,
    bits: u8,
}

impl Default for VoiceSettings {
    fn default() -> VoiceSettings {
        VoiceSettings {
            is_enabled: true,
            mqtt: Some(MqttSettings::default()),
            hermes: false,
            wyoming: Some(WyomingSettings::default()),
            tools: None,
            confirm: Vec::new(),
            confirm_time: None,
            max_age: None,
            think_time: None,
            waiting: None,
            at_once: None,
            model: None,
            list_tool: USUAL_LIST_TOOL.to_owned(),
            control_tool: USUAL_CONTROL_TOOL.to_owned(),
        }
    }
}

impl Default for MqttSettings {
    fn default() -> MqttSettings {
        MqttSettings {
            broker: BrokerChoice::Inside { port: None },
            topic_prefix: USUAL_TOPIC_PREFIX.to_owned(),
            response_prefixes: Vec::new(),
            client_id: None,
            protocol: MqttProtocol::Auto,
        }
    }
}

impl Default for WyomingSettings {
    fn default() -> WyomingSettings {
        WyomingSettings { listen: SocketAddr::from(([127, 0, 0, 1], USUAL_WYOMING_PORT)), allow: Vec::new() }
    }
}

impl BrokerSettings {
    /// Parses an address such as `mqtts://user:password@host:8883`; `None` if it is invalid.
    pub fn parse(url: &str) -> Option<BrokerSettings> {
        let url = url.trim();
        let (scheme, rest) = url.split_once("://").unwrap_or(("mqtt", url));
        let is_encrypted = match scheme.to_ascii_lowercase().as_str() {
            "mqtt" | "tcp" => false,
            "mqtts" | "ssl" | "tls" => true,
            _ => return None,
        };
        let (login, place) =
            rest.rsplit_once('@').map_or((None, rest), |(login, place)| (Some(login), place));
        let place = place.strip_suffix('/').unwrap_or(place);
        let (host, port) = match place.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((host, "")) => (host, None),
            Some((host, port)) => (host, Some(port.strip_prefix(':')?)),
            None => match place.rsplit_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (place, None),
            },
        };
        let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '%');
        if host.is_empty() || !host.chars().all(is_plain) {
            return None;
        }
        let port = match port {
            Some(port) => port.parse::<u16>().ok().filter(|port| *port > 0)?,
            None if is_encrypted => 8883,
            None => USUAL_BROKER_PORT,
        };
        let (username, password) = match login.map(|login| login.split_once(':').unwrap_or((login, ""))) {
            Some((user, "")) => (Some(user.to_owned()), BrokerPassword::None),
            Some((user, password)) => {
                (Some(user.to_owned()), BrokerPassword::Text(SecretText::new(password)))
            }
            None => (None, BrokerPassword::None),
        };
        let username = username.filter(|name| !name.is_empty());
        Some(BrokerSettings { host: host.to_owned(), port, is_encrypted, ca_file: None, username, password })
    }

    /// The address without credentials, for display.
    pub fn shown(&self) -> String {
        let scheme = if self.is_encrypted { "mqtts" } else { "mqtt" };
        match self.host.contains(':') {
            true => format!("{scheme}://[{}]:{}", self.host, self.port),
            false => format!("{scheme}://{}:{}", self.host, self.port),
        }
    }
}

impl MqttProtocol {
    /// Its name in files.
    pub fn word(self) -> &'static str {
        match self {
            MqttProtocol::Auto => "auto",
            MqttProtocol::Five => "5",
            MqttProtocol::Three => "3.1.1",
        }
    }
}

impl AddressRange {
    /// Parses `192.168.1.7`, `192.168.1.0/24` or `fd00::/8`; `None` if it is invalid.
    pub fn parse(text: &str) -> Option<AddressRange> {
        let (address, bits) = match text.trim().split_once('/') {
            Some((address, bits)) => (address, Some(bits.parse::<u8>().ok()?)),
            None => (text.trim(), None),
        };
        let address: IpAddr = address.parse().ok()?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.unwrap_or(most);
        (bits <= most).then_some(AddressRange { address, bits })
    }

    /// Whether the range contains an address.
    pub fn contains(&self, other: IpAddr) -> bool {
        let shift = |all: u32| all.saturating_sub(u32::from(self.bits));
        match (self.address, other.to_canonical()) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                let (own, other) = (u32::from(own), u32::from(other));
                own.checked_shr(shift(32)).unwrap_or(0) == other.checked_shr(shift(32)).unwrap_or(0)
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => {
                let (own, other) = (u128::from(own), u128::from(other));
                own.checked_shr(shift(128)).unwrap_or(0) == other.checked_shr(shift(128)).unwrap_or(0)
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broker_addresses_are_parsed() {
        for (written, shown, is_encrypted) in [
            ("mqtt://house.local", "mqtt://house.local:1883", false),
            ("house.local:1900", "mqtt://house.local:1900", false),
            ("MQTTS://house.local/", "mqtts://house.local:8883", true),
            ("ssl://[::1]:8884", "mqtts://[::1]:8884", true),
            ("tcp://ann:secret@10.0.0.2", "mqtt://10.0.0.2:1883", false),
        ] {
            let broker = BrokerSettings::parse(written).expect(written);
            assert_eq!((broker.shown().as_str(), broker.is_encrypted), (shown, is_encrypted), "{written}");
        }
        for wrong in [
            "http://x",
            "mqtt://",
            "mqtt://a:b:c",
            "mqtt://x:0",
            "mqtt://x:99999",
            "mqtt://a b",
            "mqtt://[::1",
        ] {
            assert_eq!(BrokerSettings::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn range_contains_addresses_with_its_prefix() {
        let range = |text| AddressRange::parse(text).expect(text);
        let ip = |text: &str| text.parse().expect(text);
        assert!(range("192.168.1.0/24").contains(ip("192.168.1.77")));
        assert!(!range("192.168.1.0/24").contains(ip("192.168.2.1")));
        assert!(range("10.0.0.7").contains(ip("10.0.0.7")) && !range("10.0.0.7").contains(ip("10.0.0.8")));
        assert!(range("0.0.0.0/0").contains(ip("8.8.8.8")) && !range("0.0.0.0/0").contains(ip("::1")));
        assert!(range("fd00::/8").contains(ip("fd12::1")) && range("::/0").contains(ip("fe80::1")));
        assert!(range("10.0.0.0/8").contains(ip("::ffff:10.1.2.3")), "mapped addresses are what they map");
        for wrong in ["", "10.0.0.0/33", "fd00::/129", "10.0.0/8", "house", "10.0.0.0/-1"] {
            assert_eq!(AddressRange::parse(wrong), None, "{wrong}");
        }
    }
}
