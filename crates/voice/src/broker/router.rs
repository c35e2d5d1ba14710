//! Routes messages to subscribers and stores retained messages.

use std::collections::HashMap;
use std::sync::Mutex;

use bytes::Bytes;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use toolwright_base::IgnorePoison;

use super::topics::is_meant;
use super::{CLIENT_QUEUE, IDLE_AFTER, MAX_CLIENTS, MAX_RETAINED, MAX_RETAINED_BYTES, MAX_SUBSCRIPTIONS};

/// A message between two clients.
#[derive(Clone, Debug)]
pub(super) struct Carried {
    pub topic: String,
    pub payload: Bytes,
    pub qos: u8,
    pub is_retained: bool,
    pub response_topic: Option<String>,
    pub correlation: Option<Bytes>,
    pub content_type: Option<String>,
    pub user_properties: Vec<(String, String)>,
}

/// A subscription of a client.
#[derive(Clone, Debug)]
pub(super) struct Subscription {
    pub filter: String,
    pub qos: u8,
    /// MQTT 5 "no local": the client does not receive its own publications.
    pub is_for_others: bool,
    /// MQTT 5 "retain as published": forwarded messages keep their retain flag.
    pub keeps_retained: bool,
}

/// The state of the broker: clients, subscriptions and retained messages.
#[derive(Default)]
pub(super) struct Router(Mutex<Known>);

#[derive(Default)]
struct Known {
    clients: HashMap<u64, Connected>,
    kept: HashMap<String, Carried>,
    last: u64,
}

struct Connected {
    name: String,
    outbox: mpsc::Sender<Carried>,
    subscriptions: Vec<Subscription>,
    /// Whether the client has published or subscribed.
    is_used: bool,
    /// The time of the last packet from the client.
    heard: Instant,
    over: CancellationToken,
}

/// A connected client, as its task sees it.
pub(super) struct Place {
    pub id: u64,
    pub inbox: mpsc::Receiver<Carried>,
    /// Cancelled when another client connects with the same name or needs the slot.
    pub over: CancellationToken,
}

impl Router {
    /// Adds a client and closes one of the same name. Returns `None` when there is no slot for it.
    pub fn enter(&self, name: &str) -> Option<Place> {
        let mut known = self.lock();
        known.last += 1;
        let (id, over) = (known.last, CancellationToken::new());
        let name = if name.is_empty() { format!("client-{id}") } else { name.to_owned() };
        known.clients.values().filter(|client| client.name == name).for_each(|client| client.over.cancel());
        let staying = || known.clients.values().filter(|client| !client.over.is_cancelled());
        if staying().count() >= MAX_CLIENTS {
            let may_go = |client: &&Connected| !client.is_used || client.heard.elapsed() > IDLE_AFTER;
            let idlest = staying().filter(may_go).min_by_key(|client| (client.is_used, client.heard))?;
            tracing::warn!(
                client = idlest.name,
                "the broker ended an idle connection: another client needs its place"
            );
            idlest.over.cancel();
        }
        let (outbox, inbox) = mpsc::channel(CLIENT_QUEUE);
        let (subscriptions, heard) = (Vec::new(), Instant::now());
        let client = Connected { name, outbox, subscriptions, is_used: false, heard, over: over.clone() };
        known.clients.insert(id, client);
        Some(Place { id, inbox, over })
    }

    /// Records that a client sent a packet.
    pub fn heard(&self, id: u64, at: Instant) {
        if let Some(client) = self.lock().clients.get_mut(&id) {
            client.heard = at;
        }
    }

    pub fn leave(&self, id: u64) {
        self.lock().clients.remove(&id);
    }

    /// Adds a subscription and returns its retained messages; `None` when the client has too many
    /// subscriptions.
    pub fn subscribe(&self, id: u64, subscription: Subscription) -> Option<Vec<Carried>> {
        let mut known = self.lock();
        let Known { clients, kept, .. } = &mut *known;
        let client = clients.get_mut(&id)?;
        client.is_used = true;
        client.subscriptions.retain(|other| other.filter != subscription.filter);
        if client.subscriptions.len() >= MAX_SUBSCRIPTIONS {
            return None;
        }
        let meant = kept.values().filter(|carried| is_meant(&subscription.filter, &carried.topic));
        let with_qos =
            |carried: &Carried| Carried { qos: carried.qos.min(subscription.qos), ..carried.clone() };
        let meant = meant.map(with_qos).collect();
        client.subscriptions.push(subscription);
        Some(meant)
    }

    pub fn unsubscribe(&self, id: u64, filter: &str) -> bool {
        let mut known = self.lock();
        let Some(client) = known.clients.get_mut(&id) else { return false };
        let before = client.subscriptions.len();
        client.subscriptions.retain(|subscription| subscription.filter != filter);
        client.subscriptions.len() < before
    }

    /// Sends a message to every client that subscribed to its topic.
    pub fn publish(&self, from: u64, carried: Carried) {
        let mut known = self.lock();
        if let Some(client) = known.clients.get_mut(&from) {
            client.is_used = true;
        }
        for (id, client) in &known.clients {
            let is_for = |one: &&Subscription| {
                is_meant(&one.filter, &carried.topic) && !(one.is_for_others && *id == from)
            };
            let Some(best) = client.subscriptions.iter().filter(is_for).max_by_key(|one| one.qos) else {
                continue;
            };
            let is_retained = carried.is_retained && best.keeps_retained;
            let message = Carried { qos: carried.qos.min(best.qos), is_retained, ..carried.clone() };
            if client.outbox.try_send(message).is_err() {
                tracing::warn!(
                    client = client.name,
                    topic = carried.topic,
                    "the broker dropped a message: its client does not read"
                );
            }
        }
        if carried.is_retained {
            keep(&mut known.kept, carried);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Known> {
        self.0.lock().ignore_poison()
    }
}

/// Stores the last message of a topic; an empty payload deletes it.
fn keep(kept: &mut HashMap<String, Carried>, carried: Carried) {
    if carried.payload.is_empty() {
        kept.remove(&carried.topic);
        return;
    }
    let has_room = kept.len() < MAX_RETAINED || kept.contains_key(&carried.topic);
    if carried.payload.len() > MAX_RETAINED_BYTES || !has_room {
        tracing::warn!(topic = carried.topic, "the broker did not keep a message: there is no room for it");
        return;
    }
    kept.insert(carried.topic.clone(), carried);
}
