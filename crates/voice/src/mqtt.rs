//! The connection to a broker: one polling task, and messages in and out.
//!
//! It supports both MQTT revisions: 5, and 3.1.1 if the broker knows no other. It reconnects automatically.
//! Messages sent while it was disconnected are not processed: a late command is worse than none.

mod address;
mod attempt;
mod wire;

pub(crate) use address::BrokerAddress;
pub(crate) use attempt::{AttemptResult, attempt_connection};
pub(crate) use wire::{MqttMessage, MqttPublication};

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::limits::{DISCONNECT_TIMEOUT, OUTBOX, RECONNECT_MS};
use crate::status::Status;
use crate::transcript::Delivery;
use crate::view::FrontState;
use wire::{BrokerWire, ClientIdentity, Will, WireError, WireEvent};

/// Receives the messages of some topics. Its methods must not block.
pub(crate) trait Subscriber: Send + Sync + 'static {
    /// The topics, without wildcards.
    fn topics(&self) -> Vec<String>;

    /// Handles one message.
    fn receive(&self, message: MqttMessage);
}

/// The MQTT revisions to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Revisions {
    /// MQTT 5, and 3.1.1 if the broker does not support it.
    Both,
    /// MQTT 5 only.
    V5,
    /// MQTT 3.1.1 only.
    V311,
}

/// Address and identity for a connection.
#[derive(Clone)]
pub(crate) struct LinkOptions {
    pub address: BrokerAddress,
    pub client_id: String,
    pub revisions: Revisions,
    /// The status topic and its payloads.
    pub status_topic: String,
    pub online: String,
    pub offline: String,
}

impl LinkOptions {
    fn open(&self, revision: Revision) -> Result<BrokerWire, String> {
        let will = Some(Will { topic: &self.status_topic, payload: &self.offline });
        BrokerWire::open(&self.address, &ClientIdentity { client_id: &self.client_id, will }, revision)
    }
}

/// The status of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LinkState {
    pub state: FrontState,
    pub detail: String,
}

/// Queues messages for publishing. It never blocks.
#[derive(Clone)]
pub(crate) struct Outbox {
    messages: mpsc::Sender<MqttPublication>,
    status: Arc<Status>,
}

/// A connection that reconnects.
pub(crate) struct BrokerLink {
    options: LinkOptions,
    outgoing: mpsc::Receiver<MqttPublication>,
    /// A message that was taken from the queue but not yet accepted by the client library.
    held: Option<MqttPublication>,
    state: watch::Sender<LinkState>,
    stop: CancellationToken,
}

impl Outbox {
    /// Queues a message for publishing. If the queue is full, the message is dropped and counted.
    pub fn publish(&self, publication: MqttPublication) -> Delivery {
        if let Err(error) = self.messages.try_send(publication) {
            self.status.unpublished();
            let topic = match error {
                mpsc::error::TrySendError::Full(publication)
                | mpsc::error::TrySendError::Closed(publication) => publication.topic,
            };
            tracing::warn!(topic, "a message was not published: too many wait for the broker");
            return Delivery::Lost;
        }
        Delivery::Sent
    }
}

impl BrokerLink {
    /// A link that is not connected yet, its outbox and its status.
    pub fn new(
        options: LinkOptions,
        status: Arc<Status>,
        stop: CancellationToken,
    ) -> (BrokerLink, Outbox, watch::Receiver<LinkState>) {
        let (messages, outgoing) = mpsc::channel(OUTBOX);
        let detail = options.address.shown();
        let (state, seen) = watch::channel(LinkState { state: FrontState::Starting, detail });
        (BrokerLink { options, outgoing, held: None, state, stop }, Outbox { messages, status }, seen)
    }

    /// Maintains the connection until shutdown.
    pub async fn run(mut self, subscribers: Vec<Arc<dyn Subscriber>>) {
        let mut attempt = 0;
        let mut revision = match self.options.revisions {
            Revisions::Both | Revisions::V5 => Revision::V5,
            Revisions::V311 => Revision::V311,
        };
        let mut wire = None;
        loop {
            let opened = match wire.take() {
                Some(wire) => Ok(wire),
                // A missing file may appear later.
                None => self.options.open(revision),
            };
            let ended = match opened {
                Ok(mut opened) => {
                    let ended = self.serve(&mut opened, &subscribers).await;
                    // The wire keeps unacknowledged messages and resends them.
                    wire = Some(opened);
                    ended
                }
                Err(why) => ConnectionResult { why, ..ConnectionResult::default() },
            };
            if ended.is_over || self.stop.is_cancelled() {
                return;
            }
            if ended.was_connected {
                attempt = 0;
            } else if ended.is_protocol_mismatch && self.options.revisions == Revisions::Both {
                revision = revision.other();
                wire = None;
            } else if self.options.address.is_kept_in_files() {
                // The password file may have changed.
                wire = None;
            }
            if attempt == 0 {
                tracing::warn!("{}: {}; trying again", self.options.address.shown(), ended.why);
            }
            let wait = Duration::from_millis(RECONNECT_MS[attempt.min(RECONNECT_MS.len() - 1)]);
            attempt += 1;
            let detail = format!("{}: {}", self.options.address.shown(), ended.why);
            self.state.send_replace(LinkState { state: FrontState::Waiting, detail });
            tokio::select! {
                () = sleep(wait) => {}
                () = self.stop.cancelled() => return,
            }
        }
    }

    /// Runs one connection from start to end.
    async fn serve(
        &mut self,
        wire: &mut BrokerWire,
        subscribers: &[Arc<dyn Subscriber>],
    ) -> ConnectionResult {
        let topics: Vec<String> = subscribers.iter().flat_map(|subscriber| subscriber.topics()).collect();
        let mut was_connected = false;
        loop {
            // The message that was not accepted before goes first.
            if was_connected
                && let Some(publication) = self.held.take()
                && !wire.publish(&publication)
            {
                self.held = Some(publication);
            }
            let may_publish = was_connected && self.held.is_none();
            tokio::select! {
                seen = wire.poll() => match seen {
                    Ok(WireEvent::Connected { .. }) => {
                        was_connected = true;
                        self.connected(wire, &topics);
                    }
                    Ok(WireEvent::Message(message)) => {
                        let receiver = subscribers.iter().find(|one| one.topics().contains(&message.topic));
                        if let Some(subscriber) = receiver {
                            subscriber.receive(message);
                        }
                    }
                    Ok(WireEvent::Other) => {}
                    Err(WireError { why, is_protocol_mismatch, .. }) => {
                        return ConnectionResult { why, was_connected, is_protocol_mismatch, is_over: false };
                    }
                },
                publication = self.outgoing.recv(), if may_publish => match publication {
                    Some(publication) => self.held = Some(publication),
                    None => return self.shut_down(wire, was_connected).await,
                },
                () = self.stop.cancelled() => return self.shut_down(wire, was_connected).await,
            }
        }
    }

    fn connected(&self, wire: &BrokerWire, topics: &[String]) {
        let address = self.options.address.shown();
        let is_queued = wire.subscribe(topics) & wire.publish(&self.status_message(&self.options.online));
        if !is_queued {
            tracing::error!("{address}: there is no room to subscribe");
        }
        tracing::info!("{address} is connected");
        let detail = format!("{address} (MQTT {})", wire.revision());
        self.state.send_replace(LinkState { state: FrontState::Ready, detail });
    }

    /// Publishes the queued messages and the offline status, then disconnects.
    async fn shut_down(&mut self, wire: &mut BrokerWire, is_connected: bool) -> ConnectionResult {
        if is_connected {
            let held = self.held.take().into_iter();
            let waiting = std::iter::from_fn(|| self.outgoing.try_recv().ok());
            // If the client library does not accept a message now, it will not accept it at all.
            held.chain(waiting).take_while(|publication| wire.publish(publication)).for_each(drop);
            wire.publish(&self.status_message(&self.options.offline));
            wire.disconnect();
            let gone = async { while wire.poll().await.is_ok() {} };
            let _ = timeout(DISCONNECT_TIMEOUT, gone).await;
        }
        ConnectionResult { is_over: true, ..ConnectionResult::default() }
    }

    fn status_message(&self, payload: &str) -> MqttPublication {
        MqttPublication {
            topic: self.options.status_topic.clone(),
            payload: payload.as_bytes().to_vec(),
            is_retained: true,
            correlation: None,
        }
    }
}

/// The result of a connection.
#[derive(Default)]
struct ConnectionResult {
    why: String,
    was_connected: bool,
    /// The broker responded but did not understand the protocol.
    is_protocol_mismatch: bool,
    is_over: bool,
}

/// An MQTT revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Revision {
    V311,
    V5,
}

impl Revision {
    fn other(self) -> Revision {
        match self {
            Revision::V311 => Revision::V5,
            Revision::V5 => Revision::V311,
        }
    }
}
