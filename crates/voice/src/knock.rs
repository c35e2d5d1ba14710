//! Knocking at the doors that a voice needs: is its broker there and does it let us in, are its ports free?
//!
//! Nothing is changed by it: nothing is published or subscribed to, no will is left, and nobody who is connected is
//! pushed out.

use std::hash::{BuildHasher, RandomState};
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use toolwright_config::{BrokerPassword, BrokerSettings, MqttProtocol};

use crate::mqtt::{BrokerAddress, Heard, hear};

/// The longest answer of a program that may be ours, in bytes.
const LONGEST_ANSWER: u64 = 64 << 10;

/// What became of knocking at a broker's door. The texts say why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Knock {
    /// It lets us in.
    Accepted {
        /// Of the protocol.
        revision: &'static str,
        /// It is the one that Toolwright has inside.
        is_ours: bool,
    },
    /// Nobody is there.
    Unreachable(String),
    /// User or password are wrong.
    LoginRefused(String),
    /// Its certificate is signed by nobody whom we trust, or for another name.
    NotTrusted(String),
    /// It does not encrypt, and we were told that it does.
    Plain(String),
    /// It encrypts, and we were told that it does not.
    Encrypted(String),
    /// Somebody is there who is no broker.
    NoBroker(String),
    /// A file that the settings name cannot be used.
    Unusable(String),
}

/// Who has a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PortSeen {
    /// Nobody.
    Free,
    /// A voice of Toolwright.
    Ours,
    /// A broker of somebody else.
    OtherBroker,
    /// Another program.
    Others,
    /// Nobody may have it; the text says why.
    NotAllowed(String),
}

/// Connects as the voice would, and leaves at once.
pub async fn broker(settings: &BrokerSettings, protocol: MqttProtocol, patience: Duration) -> Knock {
    let seen = heard(settings, protocol, patience).await;
    // Who encrypts where the other does not is seen by trying it the other way round. That is done without the
    // password: it is not for everybody.
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

/// Who has the port of this machine at which the broker inside would listen.
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

/// Who has the address at which clients of Wyoming would come in.
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

/// Nothing when somebody is there.
async fn bound(address: SocketAddr) -> Option<PortSeen> {
    match TcpListener::bind(address).await {
        Ok(_) => Some(PortSeen::Free),
        Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => None,
        Err(error) => Some(PortSeen::NotAllowed(error.to_string())),
    }
}

/// Whether a program of Wyoming says of itself that it is ours.
async fn is_ours(address: SocketAddr) -> std::io::Result<bool> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(b"{\"type\":\"describe\"}\n").await?;
    let mut said = Vec::new();
    let mut answer = stream.take(LONGEST_ANSWER);
    while answer.read_buf(&mut said).await? > 0 {
        // What it is called comes in a line of its own, without an end.
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
