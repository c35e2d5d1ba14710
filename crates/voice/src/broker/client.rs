//! One client of the broker, from its first packet to its last.

use std::collections::{HashSet, VecDeque};
use std::time::Duration;

use bytes::BytesMut;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use super::packets::{self, ClientPacket, ConnectPacket, MqttVersion, RetainedDelivery, ServerPacket};
use super::router::{BrokerRouter, ClientSlot, RoutedMessage};
use super::topics::{is_filter, is_topic};
use super::{CONNECT_TIMEOUT, MAX_CLIENTS, MAX_PACKET, MAX_UNACKNOWLEDGED, WRITE_TIMEOUT};

/// A client after its handshake.
pub(super) struct AcceptedClient {
    stream: TcpStream,
    bytes: BytesMut,
    version: MqttVersion,
    connect: ConnectPacket,
}

/// Waits for the CONNECT packet of a client. Returns `None` on timeout or when `silent` is cancelled.
pub(super) async fn handshake(mut stream: TcpStream, silent: &CancellationToken) -> Option<AcceptedClient> {
    // Without `TCP_NODELAY` every acknowledgement waits for the one before it.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!("the broker: {error}");
    }
    let mut bytes = BytesMut::new();
    let result =
        silent.run_until_cancelled(timeout(CONNECT_TIMEOUT, read_connect(&mut stream, &mut bytes))).await;
    let why = match result {
        Some(Ok(Ok((version, connect)))) => return Some(AcceptedClient { stream, bytes, version, connect }),
        Some(Ok(Err(why))) => why,
        Some(Err(_)) => "it said nothing".to_owned(),
        None => "it said nothing, and others wait".to_owned(),
    };
    tracing::debug!("the broker turned a client away: {why}");
    None
}

/// Serves one client until it disconnects, violates the protocol or is closed by the router.
pub(super) async fn serve(accepted_client: AcceptedClient, router: &BrokerRouter, stop: &CancellationToken) {
    let AcceptedClient { stream, bytes, version, connect } = accepted_client;
    let Some(ClientSlot { id, mut inbox, evicted }) = router.enter(&connect.name) else {
        tracing::warn!(
            client = connect.name,
            "the broker turned a client away: {MAX_CLIENTS} are active already"
        );
        return;
    };
    let mut client = BrokerClient {
        id,
        router,
        stream,
        version,
        bytes,
        out: BytesMut::new(),
        unacknowledged: HashSet::new(),
        last_id: 0,
        half_received: HashSet::new(),
        retained_queue: VecDeque::new(),
    };
    let assigned = if connect.name.is_empty() { format!("client-{id}") } else { String::new() };
    client.send(ServerPacket::Welcome { name: assigned });
    // MQTT closes a connection after one and a half times the keep-alive interval without a packet.
    let silence = match connect.keep_alive {
        0 => None,
        seconds => Some(Duration::from_millis(u64::from(seconds) * 1_500)),
    };
    let end = client.run(&mut inbox, silence, &evicted, stop).await;
    router.leave(id);
    if let (ConnectionEnd::Lost, Some(will)) = (end, connect.will.filter(|will| is_topic(&will.topic))) {
        router.publish(id, will);
    }
}

/// The reason why a connection ended; a lost connection publishes the will.
enum ConnectionEnd {
    Goodbye,
    Lost,
}

async fn read_connect(
    stream: &mut TcpStream,
    bytes: &mut BytesMut,
) -> Result<(MqttVersion, ConnectPacket), String> {
    loop {
        if let Some(version) = packets::version(bytes)?
            && let Some(received) = packets::read(version, bytes)?
        {
            return match received {
                ClientPacket::Connect(connect) => Ok((version, connect)),
                _ => Err("the first packet is no CONNECT".to_owned()),
            };
        }
        match stream.read_buf(bytes).await {
            Ok(0) => return Err("it went away".to_owned()),
            Ok(_) if bytes.len() > MAX_PACKET as usize + 5 => {
                return Err("its first packet is too large".to_owned());
            }
            Ok(_) => {}
            Err(error) => return Err(error.to_string()),
        }
    }
}

struct BrokerClient<'r> {
    id: u64,
    router: &'r BrokerRouter,
    stream: TcpStream,
    version: MqttVersion,
    bytes: BytesMut,
    out: BytesMut,
    /// Packet ids of messages to the client that it has not acknowledged.
    unacknowledged: HashSet<u16>,
    last_id: u16,
    /// Packet ids of its QoS 2 messages that it has not released.
    half_received: HashSet<u16>,
    /// Retained messages that do not fit into the unacknowledged ones.
    retained_queue: VecDeque<RoutedMessage>,
}

impl BrokerClient<'_> {
    async fn run(
        &mut self,
        inbox: &mut tokio::sync::mpsc::Receiver<RoutedMessage>,
        silence: Option<Duration>,
        evicted: &CancellationToken,
        stop: &CancellationToken,
    ) -> ConnectionEnd {
        let mut last_packet = Instant::now();
        loop {
            loop {
                match packets::read(self.version, &mut self.bytes) {
                    Ok(None) => break,
                    Ok(Some(received)) => {
                        if let Some(end) = self.received(received) {
                            return end;
                        }
                    }
                    Err(why) => {
                        tracing::debug!("the broker ended a connection: {why}");
                        return ConnectionEnd::Lost;
                    }
                }
            }
            while self.has_room()
                && let Some(message) = self.retained_queue.pop_front()
            {
                self.deliver(message);
            }
            if !self.out.is_empty() {
                let out = self.out.split();
                match timeout(WRITE_TIMEOUT, self.stream.write_all(&out)).await {
                    Ok(Ok(())) => {}
                    Ok(Err(_)) | Err(_) => return ConnectionEnd::Lost,
                }
            }
            let is_silent = async {
                match silence {
                    Some(silence) => sleep_until(last_packet + silence).await,
                    None => std::future::pending().await,
                }
            };
            let has_room = self.has_room();
            tokio::select! {
                read = self.stream.read_buf(&mut self.bytes) => match read {
                    Ok(0) | Err(_) => return ConnectionEnd::Lost,
                    Ok(_) => {
                        last_packet = Instant::now();
                        self.router.touch(self.id, last_packet);
                    }
                },
                message = inbox.recv(), if has_room => match message {
                    Some(message) => self.deliver(message),
                    None => return ConnectionEnd::Lost,
                },
                () = is_silent => return ConnectionEnd::Lost,
                () = evicted.cancelled() => return ConnectionEnd::Lost,
                () = stop.cancelled() => return ConnectionEnd::Goodbye,
            }
        }
    }

    fn has_room(&self) -> bool {
        self.unacknowledged.len() < MAX_UNACKNOWLEDGED
    }

    fn received(&mut self, received: ClientPacket) -> Option<ConnectionEnd> {
        match received {
            ClientPacket::Publish { message, id } => return self.published(message, id),
            ClientPacket::Acknowledged(id) => {
                self.unacknowledged.remove(&id);
            }
            ClientPacket::Released(id) => {
                self.half_received.remove(&id);
                self.send(ServerPacket::Completed(id));
            }
            ClientPacket::Subscribe { id, subscriptions } => {
                let mut granted = Vec::with_capacity(subscriptions.len());
                for (mut subscription, retained) in subscriptions {
                    subscription.qos = subscription.qos.min(1);
                    let qos = subscription.qos;
                    let is_shared = subscription.filter.starts_with("$share/");
                    let found = match is_filter(&subscription.filter) && !is_shared {
                        true => self.router.subscribe(self.id, subscription),
                        false => None,
                    };
                    granted.push(found.as_ref().map(|_| qos));
                    if retained == RetainedDelivery::Deliver {
                        self.retained_queue.extend(found.unwrap_or_default());
                    }
                }
                self.send(ServerPacket::Subscribed { id, granted });
            }
            ClientPacket::Unsubscribe { id, filters } => {
                let were_there =
                    filters.iter().map(|filter| self.router.unsubscribe(self.id, filter)).collect();
                self.send(ServerPacket::Unsubscribed { id, were_there });
            }
            ClientPacket::Ping => self.send(ServerPacket::Pong),
            ClientPacket::Goodbye => return Some(ConnectionEnd::Goodbye),
            ClientPacket::GoodbyeWithWill | ClientPacket::Connect(_) => return Some(ConnectionEnd::Lost),
            ClientPacket::Strange => {}
        }
        None
    }

    fn published(&mut self, message: RoutedMessage, id: u16) -> Option<ConnectionEnd> {
        if !is_topic(&message.topic) {
            return Some(ConnectionEnd::Lost);
        }
        match message.qos {
            0 => self.router.publish(self.id, message),
            1 => {
                self.router.publish(self.id, message);
                self.send(ServerPacket::Published(id));
            }
            _ => {
                if self.half_received.len() >= MAX_UNACKNOWLEDGED && !self.half_received.contains(&id) {
                    return Some(ConnectionEnd::Lost);
                }
                // A repetition before the release is the same message.
                if self.half_received.insert(id) {
                    self.router.publish(self.id, message);
                }
                self.send(ServerPacket::PubRec(id));
            }
        }
        None
    }

    fn deliver(&mut self, message: RoutedMessage) {
        let id = if message.qos == 0 { 0 } else { self.fresh_id() };
        let topic = message.topic.clone();
        if id > 0 {
            self.unacknowledged.insert(id);
        }
        if !packets::write(self.version, ServerPacket::Publish { message, id }, &mut self.out) {
            self.unacknowledged.remove(&id);
            tracing::warn!(topic, "the broker dropped a message that cannot be written");
        }
    }

    fn fresh_id(&mut self) -> u16 {
        loop {
            self.last_id = self.last_id.checked_add(1).unwrap_or(1);
            if !self.unacknowledged.contains(&self.last_id) {
                return self.last_id;
            }
        }
    }

    fn send(&mut self, sent: ServerPacket) {
        if !packets::write(self.version, sent, &mut self.out) {
            tracing::warn!("the broker could not write a packet");
        }
    }
}
