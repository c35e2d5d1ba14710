//! Probes for the doctor: is the broker reachable and does it accept the credentials, are the ports free?
//!
//! A probe changes nothing: it does not publish or subscribe, leaves no will, and disconnects no other
//! client.

use std::hash::{BuildHasher, RandomState};
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use toolwright_config::{BrokerPassword, BrokerSettings, MqttProtocol};

use crate::mqtt::{BrokerAddress, Heard, hear};

/// The largest response to read when checking for Toolwright, in bytes.
const LONGEST_ANSWER: u64 = 64 << 10;

/// The result of probing a broker. The texts give the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Knock {
    /// The broker accepted the connection.
    Accepted {
        /// The revision of the protocol.
        revision: &'static str,
        /// Whether it is Toolwright's built-in broker.
        is_ours: bool,
    },
    /// No program listens there.
    Unreachable(String),
    /// The user name or the password is wrong.
    LoginRefused(String),
    /// Its certificate is not signed by a trusted authority, or is for another name.
    NotTrusted(String),
    /// The settings require TLS, but the broker does not use it.
    Plain(String),
    /// The broker uses TLS, but the settings do not.
    Encrypted(String),
    /// The program that listens there is not a broker.
    NoBroker(String),
    /// A file that the settings name cannot be used.
    Unusable(String),
}

/// The owner of a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PortSeen {
    /// No program uses the port.
    Free,
    /// Toolwright's voice uses it.
    Ours,
    /// Another broker uses it.
    OtherBroker,
    /// Another program uses it.
    Others,
    /// The port cannot be bound; the text gives the reason.
    NotAllowed(String),
}

/// Connects as the voice would, and disconnects at once.
pub async fn broker(settings: &BrokerSettings, protocol: MqttProtocol, patience: Duration) -> Knock {
    let seen = heard(settings, protocol, patience).await;
    // A mismatch of TLS is detected by a second attempt with the opposite setting. It omits the
    // credentials, which must not be sent to an unknown program.
    let stranger = |is_encrypted| BrokerSettings {
        is_encrypted,
        username: None,
        password: BrokerPassword::None,
        ..settings.clone()
    };
    match seen {
        Heard::NotTrusted(why) | Heard::NotEncrypted(why) if settings.is_encrypted => {
            match heard(&stranger(false), protocol, patience).await {
                Heard::Welcome { .. } | Heard::NotLetIn(_) => Knock::Plain(why),
                _ => Knock::NotTrusted(why),
            }
        }
        Heard::Nonsense(why) if !settings.is_encrypted => {
            match heard(&stranger(true), protocol, patience).await {
                Heard::Welcome { .. } | Heard::NotLetIn(_) | Heard::NotTrusted(_) => Knock::Encrypted(why),
                _ => Knock::NoBroker(why),
            }
        }
        seen => seen.into(),
    }
}

/// The owner of the loopback port for the built-in broker.
pub async fn broker_port(port: u16, patience: Duration) -> PortSeen {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    match bound(address).await {
        Some(seen) => seen,
        None => {
            let settings = BrokerAddress::inside(port).0;
            match Knock::from(heard(&settings, MqttProtocol::Auto, patience).await) {
                Knock::Accepted { is_ours: true, .. } => PortSeen::Ours,
                Knock::Accepted { .. } | Knock::LoginRefused(_) => PortSeen::OtherBroker,
                _ => PortSeen::Others,
            }
        }
    }
}

/// The owner of the address for Wyoming clients.
pub async fn wyoming_port(listen: SocketAddr, patience: Duration) -> PortSeen {
    match bound(listen).await {
        Some(seen) => seen,
        None => {
            let ip = if listen.ip().is_unspecified() { Ipv4Addr::LOCALHOST.into() } else { listen.ip() };
            match timeout(patience, is_ours(SocketAddr::new(ip, listen.port()))).await {
                Ok(Ok(true)) => PortSeen::Ours,
                _ => PortSeen::Others,
            }
        }
    }
}

/// Returns `None` if the address is in use.
async fn bound(address: SocketAddr) -> Option<PortSeen> {
    match TcpListener::bind(address).await {
        Ok(_) => Some(PortSeen::Free),
        Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => None,
        Err(error) => Some(PortSeen::NotAllowed(error.to_string())),
    }
}

/// Whether the Wyoming service at this address identifies itself as Toolwright.
async fn is_ours(address: SocketAddr) -> std::io::Result<bool> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(b"{\"type\":\"describe\"}\n").await?;
    let mut said = Vec::new();
    let mut answer = stream.take(LONGEST_ANSWER);
    while answer.read_buf(&mut said).await? > 0 {
        // The name is in the first line; the connection stays open, so the loop does not wait for its end.
        if String::from_utf8_lossy(&said).contains("\"toolwright\"") {
            return Ok(true);
        }
    }
    Ok(false)
}

async fn heard(settings: &BrokerSettings, protocol: MqttProtocol, patience: Duration) -> Heard {
    let client_id = format!("toolwright-look-{:016x}", RandomState::new().hash_one(std::process::id()));
    let address = BrokerAddress(settings.clone());
    hear(&address, &client_id, protocol, patience).await
}

impl From<Heard> for Knock {
    fn from(heard: Heard) -> Knock {
        match heard {
            Heard::Welcome { revision, is_ours } => Knock::Accepted { revision, is_ours },
            Heard::Nobody(why) => Knock::Unreachable(why),
            Heard::NotLetIn(why) => Knock::LoginRefused(why),
            Heard::NotTrusted(why) | Heard::NotEncrypted(why) => Knock::NotTrusted(why),
            Heard::Nonsense(why) => Knock::NoBroker(why),
            Heard::NoFile(why) => Knock::Unusable(why),
        }
    }
}
