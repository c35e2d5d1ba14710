//! One attempt to connect to a broker, without side effects.

use std::time::Duration;

use tokio::time::timeout;
use toolwright_config::MqttProtocol;

use super::wire::{BrokerWire, ClientIdentity, ConnectFault, WireError, WireEvent};
use super::{BrokerAddress, Revision};
use crate::limits::DISCONNECT_TIMEOUT;

/// The result of a connection attempt.
pub(crate) enum AttemptResult {
    Welcome {
        revision: &'static str,
        is_ours: bool,
    },
    Unreachable(String),
    LoginRefused(String),
    /// TLS works, but the certificate is not trusted.
    NotTrusted(String),
    NotEncrypted(String),
    ProtocolError(String),
    /// A configured file cannot be read.
    UnreadableFile(String),
}

/// Connects and disconnects. It sets no will and subscribes to nothing.
pub(crate) async fn attempt_connection(
    address: &BrokerAddress,
    client_id: &str,
    protocol: MqttProtocol,
    patience: Duration,
) -> AttemptResult {
    let revisions: &[Revision] = match protocol {
        MqttProtocol::Auto => &[Revision::V5, Revision::V311],
        MqttProtocol::Five => &[Revision::V5],
        MqttProtocol::Three => &[Revision::V311],
    };
    let mut result = AttemptResult::Unreachable(String::new());
    for revision in revisions {
        result = match timeout(patience, once(address, client_id, *revision)).await {
            Ok(AttemptResult::ProtocolError(why)) => AttemptResult::ProtocolError(why),
            Ok(result) => return result,
            Err(_) => AttemptResult::ProtocolError(format!("no answer within {} s", patience.as_secs())),
        };
    }
    result
}

async fn once(address: &BrokerAddress, client_id: &str, revision: Revision) -> AttemptResult {
    let mut wire = match BrokerWire::open(address, &ClientIdentity { client_id, will: None }, revision) {
        Ok(wire) => wire,
        Err(why) => return AttemptResult::UnreadableFile(why),
    };
    loop {
        match wire.poll().await {
            Ok(WireEvent::Connected { is_ours }) => {
                let revision = wire.revision();
                wire.disconnect();
                let gone = async { while wire.poll().await.is_ok() {} };
                let _ = timeout(DISCONNECT_TIMEOUT, gone).await;
                return AttemptResult::Welcome { revision, is_ours };
            }
            Ok(_) => {}
            Err(WireError { why, fault, .. }) => {
                return match fault {
                    ConnectFault::Network => AttemptResult::Unreachable(why),
                    ConnectFault::Login => AttemptResult::LoginRefused(why),
                    ConnectFault::Certificate => AttemptResult::NotTrusted(why),
                    ConnectFault::Encryption => AttemptResult::NotEncrypted(why),
                    ConnectFault::Protocol => AttemptResult::ProtocolError(why),
                };
            }
        }
    }
}
