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

use crate::mqtt::{AttemptResult, BrokerAddress, attempt_connection};

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
    let seen = attempt(settings, protocol, patience).await;
    // A mismatch of TLS is detected by a second attempt with the opposite setting. It omits the
    // credentials, which must not be sent to an unknown program.
    let without_credentials = |is_encrypted| BrokerSettings {
        is_encrypted,
        username: None,
        password: BrokerPassword::None,
        ..settings.clone()
    };
    match seen {
        AttemptResult::NotTrusted(why) | AttemptResult::NotEncrypted(why) if settings.is_encrypted => {
            match attempt(&without_credentials(false), protocol, patience).await {
                AttemptResult::Welcome { .. } | AttemptResult::LoginRefused(_) => Knock::Plain(why),
                _ => Knock::NotTrusted(why),
            }
        }
        AttemptResult::ProtocolError(why) if !settings.is_encrypted => {
            match attempt(&without_credentials(true), protocol, patience).await {
                AttemptResult::Welcome { .. }
                | AttemptResult::LoginRefused(_)
                | AttemptResult::NotTrusted(_) => Knock::Encrypted(why),
                _ => Knock::NoBroker(why),
            }
        }
        seen => seen.into(),
    }
}

/// The owner of the loopback port for the built-in broker.
pub async fn broker_port(port: u16, patience: Duration) -> PortSeen {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    match port_state(address).await {
        Some(seen) => seen,
        None => {
            let settings = BrokerAddress::inside(port).0;
            match Knock::from(attempt(&settings, MqttProtocol::Auto, patience).await) {
                Knock::Accepted { is_ours: true, .. } => PortSeen::Ours,
                Knock::Accepted { .. } | Knock::LoginRefused(_) => PortSeen::OtherBroker,
                _ => PortSeen::Others,
            }
        }
    }
}

/// The owner of the address for Wyoming clients.
pub async fn wyoming_port(listen: SocketAddr, patience: Duration) -> PortSeen {
    match port_state(listen).await {
        Some(seen) => seen,
        None => {
            let ip = if listen.ip().is_unspecified() { Ipv4Addr::LOCALHOST.into() } else { listen.ip() };
            match timeout(patience, is_toolwright(SocketAddr::new(ip, listen.port()))).await {
                Ok(Ok(true)) => PortSeen::Ours,
                _ => PortSeen::Others,
            }
        }
    }
}

/// Returns `None` if the address is in use.
async fn port_state(address: SocketAddr) -> Option<PortSeen> {
    match TcpListener::bind(address).await {
        Ok(_) => Some(PortSeen::Free),
        Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => None,
        Err(error) => Some(PortSeen::NotAllowed(error.to_string())),
    }
}

/// Whether the Wyoming service at this address identifies itself as Toolwright.
async fn is_toolwright(address: SocketAddr) -> std::io::Result<bool> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(b"{\"type\":\"describe\"}\n").await?;
    let mut response = Vec::new();
    let mut answer = stream.take(LONGEST_ANSWER);
    while answer.read_buf(&mut response).await? > 0 {
        // The name is in the first line; the connection stays open, so the loop does not wait for its end.
        if String::from_utf8_lossy(&response).contains("\"toolwright\"") {
            return Ok(true);
        }
    }
    Ok(false)
}

async fn attempt(settings: &BrokerSettings, protocol: MqttProtocol, patience: Duration) -> AttemptResult {
    let client_id = format!("toolwright-look-{:016x}", RandomState::new().hash_one(std::process::id()));
    let address = BrokerAddress(settings.clone());
    attempt_connection(&address, &client_id, protocol, patience).await
}

impl From<AttemptResult> for Knock {
    fn from(result: AttemptResult) -> Knock {
        match result {
            AttemptResult::Welcome { revision, is_ours } => Knock::Accepted { revision, is_ours },
            AttemptResult::Unreachable(why) => Knock::Unreachable(why),
            AttemptResult::LoginRefused(why) => Knock::LoginRefused(why),
            AttemptResult::NotTrusted(why) | AttemptResult::NotEncrypted(why) => Knock::NotTrusted(why),
            AttemptResult::ProtocolError(why) => Knock::NoBroker(why),
            AttemptResult::UnreadableFile(why) => Knock::Unusable(why),
        }
    }
}
