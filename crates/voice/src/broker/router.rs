//! Routes messages to subscribers and stores retained messages.

use std::collections::HashMap;
use std::sync::Mutex;

use bytes::Bytes;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use toolwright_base::IgnorePoison;

use super::topics::matches_topic;
use super::{CLIENT_QUEUE, IDLE_AFTER, MAX_CLIENTS, MAX_RETAINED, MAX_RETAINED_BYTES, MAX_SUBSCRIPTIONS};

/// A message between two clients.
#[derive(Clone, Debug)]
pub(super) struct RoutedMessage {
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
pub(super) struct TopicSubscription {
    pub filter: String,
    pub qos: u8,
    /// MQTT 5 "no local": the client does not receive its own publications.
    pub is_for_others: bool,
    /// MQTT 5 "retain as published": forwarded messages keep their retain flag.
    pub keeps_retained: bool,
}

/// The state of the broker: clients, subscriptions and retained messages.
#[derive(Default)]
pub(super) struct BrokerRouter(Mutex<RouterState>);

#[derive(Default)]
struct RouterState {
    clients: HashMap<u64, ConnectedClient>,
    retained: HashMap<String, RoutedMessage>,
    last: u64,
}

struct ConnectedClient {
    name: String,
    outbox: mpsc::Sender<RoutedMessage>,
    subscriptions: Vec<TopicSubscription>,
    /// Whether the client has published or subscribed.
    is_used: bool,
    /// The time of the last packet from the client.
    last_packet: Instant,
    evicted: CancellationToken,
}

/// A connected client, as its task sees it.
pub(super) struct ClientSlot {
    pub id: u64,
    pub inbox: mpsc::Receiver<RoutedMessage>,
    /// Cancelled when another client connects with the same name or needs the slot.
    pub evicted: CancellationToken,
}

impl BrokerRouter {
    /// Adds a client and closes one of the same name. Returns `None` when there is no slot for it.
    pub fn enter(&self, name: &str) -> Option<ClientSlot> {
        let mut state = self.lock();
        state.last += 1;
        let (id, evicted) = (state.last, CancellationToken::new());
        let name = if name.is_empty() { format!("client-{id}") } else { name.to_owned() };
        state
            .clients
            .values()
            .filter(|client| client.name == name)
            .for_each(|client| client.evicted.cancel());
        let staying = || state.clients.values().filter(|client| !client.evicted.is_cancelled());
        if staying().count() >= MAX_CLIENTS {
            let may_go =
                |client: &&ConnectedClient| !client.is_used || client.last_packet.elapsed() > IDLE_AFTER;
            let idlest =
                staying().filter(may_go).min_by_key(|client| (client.is_used, client.last_packet))?;
            tracing::warn!(
                client = idlest.name,
                "the broker ended an idle connection: another client needs its place"
            );
            idlest.evicted.cancel();
        }
        let (outbox, inbox) = mpsc::channel(CLIENT_QUEUE);
        let (subscriptions, last_packet) = (Vec::new(), Instant::now());
        let client = ConnectedClient {
            name,
            outbox,
            subscriptions,
            is_used: false,
            last_packet,
            evicted: evicted.clone(),
        };
        state.clients.insert(id, client);
        Some(ClientSlot { id, inbox, evicted })
    }

    /// Records that a client sent a packet.
    pub fn touch(&self, id: u64, at: Instant) {
        if let Some(client) = self.lock().clients.get_mut(&id) {
            client.last_packet = at;
        }
    }

    pub fn leave(&self, id: u64) {
        self.lock().clients.remove(&id);
    }

    /// Adds a subscription and returns its retained messages; `None` when the client has too many
    /// subscriptions.
    pub fn subscribe(&self, id: u64, subscription: TopicSubscription) -> Option<Vec<RoutedMessage>> {
        let mut state = self.lock();
        let RouterState { clients, retained, .. } = &mut *state;
        let client = clients.get_mut(&id)?;
        client.is_used = true;
        client.subscriptions.retain(|other| other.filter != subscription.filter);
        if client.subscriptions.len() >= MAX_SUBSCRIPTIONS {
            return None;
        }
        let matching =
            retained.values().filter(|message| matches_topic(&subscription.filter, &message.topic));
        let with_qos = |message: &RoutedMessage| RoutedMessage {
            qos: message.qos.min(subscription.qos),
            ..message.clone()
        };
        let matching = matching.map(with_qos).collect();
        client.subscriptions.push(subscription);
        Some(matching)
    }

    pub fn unsubscribe(&self, id: u64, filter: &str) -> bool {
        let mut state = self.lock();
        let Some(client) = state.clients.get_mut(&id) else { return false };
        let before = client.subscriptions.len();
        client.subscriptions.retain(|subscription| subscription.filter != filter);
        client.subscriptions.len() < before
    }

    /// Sends a message to every client that subscribed to its topic.
    pub fn publish(&self, from: u64, message: RoutedMessage) {
        let mut state = self.lock();
        if let Some(client) = state.clients.get_mut(&from) {
            client.is_used = true;
        }
        for (id, client) in &state.clients {
            let is_for = |one: &&TopicSubscription| {
                matches_topic(&one.filter, &message.topic) && !(one.is_for_others && *id == from)
            };
            let Some(best) = client.subscriptions.iter().filter(is_for).max_by_key(|one| one.qos) else {
                continue;
            };
            let is_retained = message.is_retained && best.keeps_retained;
            let copy = RoutedMessage { qos: message.qos.min(best.qos), is_retained, ..message.clone() };
            if client.outbox.try_send(copy).is_err() {
                tracing::warn!(
                    client = client.name,
                    topic = message.topic,
                    "the broker dropped a message: its client does not read"
                );
            }
        }
        if message.is_retained {
            store_retained(&mut state.retained, message);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, RouterState> {
        self.0.lock().ignore_poison()
    }
}

/// Stores the last message of a topic; an empty payload deletes it.
fn store_retained(retained: &mut HashMap<String, RoutedMessage>, message: RoutedMessage) {
    if message.payload.is_empty() {
        retained.remove(&message.topic);
        return;
    }
    let has_room = retained.len() < MAX_RETAINED || retained.contains_key(&message.topic);
    if message.payload.len() > MAX_RETAINED_BYTES || !has_room {
        tracing::warn!(topic = message.topic, "the broker did not keep a message: there is no room for it");
        return;
    }
    retained.insert(message.topic.clone(), message);
}
