//! One attempt to be let in by a broker, which ends as soon as it is known what comes of it.

use std::time::Duration;

use tokio::time::timeout;
use toolwright_config::MqttProtocol;

use super::wire::{Caller, Fault, Seen, Wire, WireError};
use super::{BrokerAddress, Revision};
use crate::limits::FAREWELL;

/// What a broker says to somebody who wants to come in.
pub(crate) enum Heard {
    Welcome {
        revision: &'static str,
        is_ours: bool,
    },
    Nobody(String),
    NotLetIn(String),
    /// Encryption works, but its certificate is not trusted.
    NotTrusted(String),
    NotEncrypted(String),
    Nonsense(String),
    /// A file that is needed cannot be read.
    NoFile(String),
}

/// Comes in and goes. No will is left and nothing is subscribed to.
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
