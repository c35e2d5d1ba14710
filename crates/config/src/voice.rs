//! What a configuration says of the voice: who may speak to it, what it may do, and how a broker is reached.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use crate::SecretText;

/// The tool that lists the devices of a house when nobody says otherwise.
pub const USUAL_LIST_TOOL: &str = "list_zwave_devices";
/// The tool that switches them.
pub const USUAL_CONTROL_TOOL: &str = "control_zwave_device";
/// What topics begin with.
pub const USUAL_TOPIC_PREFIX: &str = "voice";
/// Where the broker inside listens, if that port is free.
pub const USUAL_BROKER_PORT: u16 = 1883;
/// Where clients of Wyoming come in.
pub const USUAL_WYOMING_PORT: u16 = 10_500;

/// The voice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VoiceSettings {
    /// Whether `toolwright serve` has a voice; `toolwright voice` always has.
    pub is_enabled: bool,
    /// The broker; none when MQTT is switched off.
    pub mqtt: Option<MqttSettings>,
    /// Whether the topics of Rhasspy are listened to as well.
    pub hermes: bool,
    /// Where clients of Wyoming come in; nowhere when it is switched off.
    pub wyoming: Option<WyomingSettings>,
    /// The tools that the voice may use; the usual ones when absent.
    pub tools: Option<Vec<String>>,
    /// Words of tools and devices that a spoken yes is asked for, besides the usual ones.
    pub confirm: Vec<String>,
    /// How long a spoken question stays open.
    pub confirm_time: Option<Duration>,
    /// How old a sentence may be.
    pub max_age: Option<Duration>,
    /// How long a model may think.
    pub think_time: Option<Duration>,
    /// How many sentences wait.
    pub waiting: Option<usize>,
    /// How many are answered at once.
    pub at_once: Option<usize>,
    /// The model that is asked.
    pub model: Option<String>,
    /// The tool that lists the devices.
    pub list_tool: String,
    /// The tool that switches them.
    pub control_tool: String,
}

/// How the voice is connected to a broker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MqttSettings {
    /// Which broker.
    pub broker: BrokerChoice,
    /// What topics begin with.
    pub topic_prefix: String,
    /// What topics may begin with that clients ask to be answered at, besides `topic_prefix`.
    pub response_prefixes: Vec<String>,
    /// What we are called there; a name of its own for every run when absent.
    pub client_id: Option<String>,
    /// Which revisions of MQTT are spoken.
    pub protocol: MqttProtocol,
}

/// Which broker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BrokerChoice {
    /// The one inside, on this machine only.
    Inside {
        /// Where it listens; when it is taken and nobody asked for it, at any that is free.
        port: Option<u16>,
    },
    /// Another one.
    Outside(BrokerSettings),
}

/// A broker of somebody else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokerSettings {
    /// Its host.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// Whether the connection is encrypted.
    pub is_encrypted: bool,
    /// The certificates that it may be signed with, absolute; those of the system when absent.
    pub ca_file: Option<PathBuf>,
    /// Who we are.
    pub username: Option<String>,
    /// How we show it.
    pub password: BrokerPassword,
}

/// The password of a broker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum BrokerPassword {
    /// None.
    #[default]
    None,
    /// This one.
    Text(SecretText),
    /// The first line of this file, absolute.
    File(PathBuf),
}

/// Which revisions of MQTT are spoken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MqttProtocol {
    /// 5, and 3.1.1 where the broker does not understand it.
    #[default]
    Auto,
    /// 5 only.
    Five,
    /// 3.1.1 only.
    Three,
}

/// Where clients of Wyoming come in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WyomingSettings {
    /// The address.
    pub listen: SocketAddr,
    /// Who else may come in: this machine always may.
    pub allow: Vec<AddressRange>,
}

/// Some addresses: one, or all that begin alike.
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
    /// The broker of an address such as `mqtts://user:password@host:8883`; nothing when it is none.
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

    /// The address as it may be shown.
    pub fn shown(&self) -> String {
        let scheme = if self.is_encrypted { "mqtts" } else { "mqtt" };
        match self.host.contains(':') {
            true => format!("{scheme}://[{}]:{}", self.host, self.port),
            false => format!("{scheme}://{}:{}", self.host, self.port),
        }
    }
}

impl MqttProtocol {
    /// The word for it in files.
    pub fn word(self) -> &'static str {
        match self {
            MqttProtocol::Auto => "auto",
            MqttProtocol::Five => "5",
            MqttProtocol::Three => "3.1.1",
        }
    }
}

impl AddressRange {
    /// `192.168.1.7`, `192.168.1.0/24`, `fd00::/8`; nothing when it is none of them.
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

    /// Whether an address is one of them.
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
    fn addresses_of_brokers_are_read_as_people_write_them() {
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
    fn ranges_hold_what_begins_alike() {
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
