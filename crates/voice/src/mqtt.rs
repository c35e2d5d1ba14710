//! The connection to a broker: one task that polls it all the time, and messages in and out.
//!
//! Both revisions of the protocol are spoken: MQTT 5, and 3.1.1 where the broker knows no other. The connection comes
//! back by itself. What was said while it was away is not heard: a command that comes late is worse than none.

mod address;
mod hear;
mod wire;

pub(crate) use address::BrokerAddress;
pub(crate) use hear::{Heard, hear};
pub(crate) use wire::{Message, Publication};

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::limits::{FAREWELL, OUTBOX, RECONNECT_MS};
use crate::status::Status;
use crate::transcript::Delivery;
use crate::view::FrontState;
use wire::{Caller, Seen, Will, Wire, WireError};

/// Who gets the messages of some topics. It may not wait.
pub(crate) trait Subscriber: Send + Sync + 'static {
    /// The topics, whole: no wildcards.
    fn topics(&self) -> Vec<String>;

    /// One message of them.
    fn hear(&self, message: Message);
}

/// Which revisions of the protocol are spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Revisions {
    /// MQTT 5, and 3.1.1 where a broker does not understand it.
    Both,
    /// MQTT 5 only.
    Five,
    /// MQTT 3.1.1 only.
    Three,
}

/// How a broker is reached.
#[derive(Clone)]
pub(crate) struct LinkOptions {
    pub address: BrokerAddress,
    pub client_id: String,
    pub revisions: Revisions,
    /// The topic that says whether we are there, with what it says.
    pub status_topic: String,
    pub online: String,
    pub offline: String,
}

impl LinkOptions {
    fn open(&self, revision: Revision) -> Result<Wire, String> {
        let will = Some(Will { topic: &self.status_topic, payload: &self.offline });
        Wire::open(&self.address, &Caller { client_id: &self.client_id, will }, revision)
    }
}

/// What can be seen of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LinkState {
    pub state: FrontState,
    pub detail: String,
}

/// Where messages go to be published. It never waits.
#[derive(Clone)]
pub(crate) struct Outbox {
    messages: mpsc::Sender<Publication>,
    status: Arc<Status>,
}

/// A connection that is kept.
pub(crate) struct Link {
    options: LinkOptions,
    outgoing: mpsc::Receiver<Publication>,
    /// A message that was taken out of the box and found no room.
    held: Option<Publication>,
    state: watch::Sender<LinkState>,
    stop: CancellationToken,
}

impl Outbox {
    /// Publishes a message as soon as there is a broker. Too many, and it is dropped and counted.
    pub fn publish(&self, publication: Publication) -> Delivery {
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

impl Link {
    /// A link that is not connected yet, and the way into it.
    pub fn new(
        options: LinkOptions,
        status: Arc<Status>,
        stop: CancellationToken,
    ) -> (Link, Outbox, watch::Receiver<LinkState>) {
        let (messages, outgoing) = mpsc::channel(OUTBOX);
        let detail = options.address.shown();
        let (state, seen) = watch::channel(LinkState { state: FrontState::Starting, detail });
        (Link { options, outgoing, held: None, state, stop }, Outbox { messages, status }, seen)
    }

    /// Keeps the connection until the end.
    pub async fn run(mut self, subscribers: Vec<Arc<dyn Subscriber>>) {
        let mut attempt = 0;
        let mut revision = match self.options.revisions {
            Revisions::Both | Revisions::Five => Revision::Five,
            Revisions::Three => Revision::Three,
        };
        let mut wire = None;
        loop {
            let opened = match wire.take() {
                Some(wire) => Ok(wire),
                // A file that cannot be read may be there a little later.
                None => self.options.open(revision),
            };
            let ended = match opened {
                Ok(mut opened) => {
                    let ended = self.serve(&mut opened, &subscribers).await;
                    // It keeps what was not acknowledged, and sends it again.
                    wire = Some(opened);
                    ended
                }
                Err(why) => Ended { why, ..Ended::default() },
            };
            if ended.is_over || self.stop.is_cancelled() {
                return;
            }
            if ended.was_connected {
                attempt = 0;
            } else if ended.is_misunderstood && self.options.revisions == Revisions::Both {
                revision = revision.other();
                wire = None;
            } else if self.options.address.is_kept_in_files() {
                // The password may be another one now.
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

    /// One connection, from its beginning to its end.
    async fn serve(&mut self, wire: &mut Wire, subscribers: &[Arc<dyn Subscriber>]) -> Ended {
        let topics: Vec<String> = subscribers.iter().flat_map(|subscriber| subscriber.topics()).collect();
        let mut was_connected = false;
        loop {
            // What found no room before goes first.
            if was_connected
                && let Some(publication) = self.held.take()
                && !wire.publish(&publication)
            {
                self.held = Some(publication);
            }
            let may_publish = was_connected && self.held.is_none();
            tokio::select! {
                seen = wire.poll() => match seen {
                    Ok(Seen::Connected { .. }) => {
                        was_connected = true;
                        self.connected(wire, &topics);
                    }
                    Ok(Seen::Message(message)) => {
                        let whose = subscribers.iter().find(|one| one.topics().contains(&message.topic));
                        if let Some(subscriber) = whose {
                            subscriber.hear(message);
                        }
                    }
                    Ok(Seen::Other) => {}
                    Err(WireError { why, is_misunderstood, .. }) => {
                        return Ended { why, was_connected, is_misunderstood, is_over: false };
                    }
                },
                publication = self.outgoing.recv(), if may_publish => match publication {
                    Some(publication) => self.held = Some(publication),
                    None => return self.farewell(wire, was_connected).await,
                },
                () = self.stop.cancelled() => return self.farewell(wire, was_connected).await,
            }
        }
    }

    fn connected(&self, wire: &Wire, topics: &[String]) {
        let address = self.options.address.shown();
        let is_heard = wire.subscribe(topics) & wire.publish(&self.status_message(&self.options.online));
        if !is_heard {
            tracing::error!("{address}: there is no room to subscribe");
        }
        tracing::info!("{address} is connected");
        let detail = format!("{address} (MQTT {})", wire.revision());
        self.state.send_replace(LinkState { state: FrontState::Ready, detail });
    }

    /// Publishes what waits, says that we are gone, and goes.
    async fn farewell(&mut self, wire: &mut Wire, is_connected: bool) -> Ended {
        if is_connected {
            let held = self.held.take().into_iter();
            let waiting = std::iter::from_fn(|| self.outgoing.try_recv().ok());
            // What finds no room now finds none at all.
            held.chain(waiting).take_while(|publication| wire.publish(publication)).for_each(drop);
            wire.publish(&self.status_message(&self.options.offline));
            wire.disconnect();
            let gone = async { while wire.poll().await.is_ok() {} };
            let _ = timeout(FAREWELL, gone).await;
        }
        Ended { is_over: true, ..Ended::default() }
    }

    fn status_message(&self, payload: &str) -> Publication {
        Publication {
            topic: self.options.status_topic.clone(),
            payload: payload.as_bytes().to_vec(),
            is_retained: true,
            correlation: None,
        }
    }
}

/// How a connection ended.
#[derive(Default)]
struct Ended {
    why: String,
    was_connected: bool,
    /// The broker was there and did not understand us.
    is_misunderstood: bool,
    is_over: bool,
}

/// A revision of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Revision {
    Three,
    Five,
}

impl Revision {
    fn other(self) -> Revision {
        match self {
            Revision::Three => Revision::Five,
            Revision::Five => Revision::Three,
        }
    }
}
