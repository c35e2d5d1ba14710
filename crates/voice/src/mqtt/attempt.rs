//! One attempt to connect to a broker, without side effects.

use std::time::Duration;

use tokio::time::timeout;
use toolwright_config::MqttProtocol;

use super::wire::{Caller, Fault, Seen, Wire, WireError};
use super::{BrokerAddress, Revision};
use crate::limits::FAREWELL;

/// The result of a connection attempt.
pub(crate) enum Heard {
    Welcome {
        revision: &'static str,
        is_ours: bool,
    },
    Nobody(String),
    NotLetIn(String),
    /// TLS works, but the certificate is not trusted.
    NotTrusted(String),
    NotEncrypted(String),
    Nonsense(String),
    /// A configured file cannot be read.
    NoFile(String),
}

/// Connects and disconnects. It sets no will and subscribes to nothing.
pub(crate) async fn hear(
    address: &BrokerAddress,
    client_id: &str,
    protocol: MqttProtocol,
    patience: Duration,
) -> Heard {
    let revisions: &[Revision] = match protocol {
        MqttProtocol::Auto => &[Revision::Five, Revision::Three],
        MqttProtocol::Five => &[Revision::Five],
        MqttProtocol::Three => &[Revision::Three],
    };
    let mut heard = Heard::Nobody(String::new());
    for revision in revisions {
        heard = match timeout(patience, once(address, client_id, *revision)).await {
            Ok(Heard::Nonsense(why)) => Heard::Nonsense(why),
            Ok(heard) => return heard,
            Err(_) => Heard::Nonsense(format!("no answer within {} s", patience.as_secs())),
        };
    }
    heard
}

async fn once(address: &BrokerAddress, client_id: &str, revision: Revision) -> Heard {
    let mut wire = match Wire::open(address, &Caller { client_id, will: None }, revision) {
        Ok(wire) => wire,
        Err(why) => return Heard::NoFile(why),
    };
    loop {
        match wire.poll().await {
            Ok(Seen::Connected { is_ours }) => {
                let revision = wire.revision();
                wire.disconnect();
                let gone = async { while wire.poll().await.is_ok() {} };
                let _ = timeout(FAREWELL, gone).await;
                return Heard::Welcome { revision, is_ours };
            }
            Ok(_) => {}
            Err(WireError { why, fault, .. }) => {
                return match fault {
                    Fault::Way => Heard::Nobody(why),
                    Fault::Login => Heard::NotLetIn(why),
                    Fault::Certificate => Heard::NotTrusted(why),
                    Fault::Encryption => Heard::NotEncrypted(why),
                    Fault::Protocol => Heard::Nonsense(why),
                };
            }
        }
    }
}
