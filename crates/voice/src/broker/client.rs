//! One client of the broker, from its first packet to its last.

use std::collections::{HashSet, VecDeque};
use std::time::Duration;

use bytes::BytesMut;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use super::packets::{self, Hello, Kept, Received, Sent, Speaks};
use super::router::{Carried, Place, Router};
use super::topics::{is_filter, is_topic};
use super::{CONNECT_TIMEOUT, MAX_CLIENTS, MAX_PACKET, MAX_UNACKNOWLEDGED, WRITE_TIMEOUT};

/// A client after its handshake.
pub(super) struct Greeted {
    stream: TcpStream,
    bytes: BytesMut,
    speaks: Speaks,
    hello: Hello,
}

/// Waits for the CONNECT packet of a client. Returns `None` on timeout or when `silent` is cancelled.
pub(super) async fn greet(mut stream: TcpStream, silent: &CancellationToken) -> Option<Greeted> {
    // Without `TCP_NODELAY` every acknowledgement waits for the one before it.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!("the broker: {error}");
    }
    let mut bytes = BytesMut::new();
    let said = silent.run_until_cancelled(timeout(CONNECT_TIMEOUT, hello(&mut stream, &mut bytes))).await;
    let why = match said {
        Some(Ok(Ok((speaks, hello)))) => return Some(Greeted { stream, bytes, speaks, hello }),
        Some(Ok(Err(why))) => why,
        Some(Err(_)) => "it said nothing".to_owned(),
        None => "it said nothing, and others wait".to_owned(),
    };
    tracing::debug!("the broker turned a client away: {why}");
    None
}

/// Serves one client until it disconnects, violates the protocol or is closed by the router.
pub(super) async fn serve(greeted: Greeted, router: &Router, stop: &CancellationToken) {
    let Greeted { stream, bytes, speaks, hello } = greeted;
    let Some(Place { id, mut inbox, over }) = router.enter(&hello.name) else {
        tracing::warn!(
            client = hello.name,
            "the broker turned a client away: {MAX_CLIENTS} are active already"
        );
        return;
    };
    let mut client = Client {
        id,
        router,
        stream,
        speaks,
        bytes,
        out: BytesMut::new(),
        unacknowledged: HashSet::new(),
        last_id: 0,
        half_received: HashSet::new(),
        waiting: VecDeque::new(),
    };
    let assigned = if hello.name.is_empty() { format!("client-{id}") } else { String::new() };
    client.send(Sent::Welcome { name: assigned });
    // MQTT closes a connection after one and a half times the keep-alive interval without a packet.
    let silence = match hello.keep_alive {
        0 => None,
        seconds => Some(Duration::from_millis(u64::from(seconds) * 1_500)),
    };
    let end = client.run(&mut inbox, silence, &over, stop).await;
    router.leave(id);
    if let (End::Lost, Some(will)) = (end, hello.will.filter(|will| is_topic(&will.topic))) {
        router.publish(id, will);
    }
}

/// The reason why a connection ended; a lost connection publishes the will.
enum End {
    Goodbye,
    Lost,
}

async fn hello(stream: &mut TcpStream, bytes: &mut BytesMut) -> Result<(Speaks, Hello), String> {
    loop {
        if let Some(speaks) = packets::speaks(bytes)?
            && let Some(received) = packets::read(speaks, bytes)?
        {
            return match received {
                Received::Connect(hello) => Ok((speaks, hello)),
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

struct Client<'r> {
    id: u64,
    router: &'r Router,
    stream: TcpStream,
    speaks: Speaks,
    bytes: BytesMut,
    out: BytesMut,
    /// Packet ids of messages to the client that it has not acknowledged.
    unacknowledged: HashSet<u16>,
    last_id: u16,
    /// Packet ids of its QoS 2 messages that it has not released.
    half_received: HashSet<u16>,
    /// Retained messages that do not fit into the unacknowledged ones.
    waiting: VecDeque<Carried>,
}

impl Client<'_> {
    async fn run(
        &mut self,
        inbox: &mut tokio::sync::mpsc::Receiver<Carried>,
        silence: Option<Duration>,
        over: &CancellationToken,
        stop: &CancellationToken,
    ) -> End {
        let mut heard = Instant::now();
        loop {
            loop {
                match packets::read(self.speaks, &mut self.bytes) {
                    Ok(None) => break,
                    Ok(Some(received)) => {
                        if let Some(end) = self.received(received) {
                            return end;
                        }
                    }
                    Err(why) => {
                        tracing::debug!("the broker ended a connection: {why}");
                        return End::Lost;
                    }
                }
            }
            while self.has_room()
                && let Some(carried) = self.waiting.pop_front()
            {
                self.carry(carried);
            }
            if !self.out.is_empty() {
                let out = self.out.split();
                match timeout(WRITE_TIMEOUT, self.stream.write_all(&out)).await {
                    Ok(Ok(())) => {}
                    Ok(Err(_)) | Err(_) => return End::Lost,
                }
            }
            let is_silent = async {
                match silence {
                    Some(silence) => sleep_until(heard + silence).await,
                    None => std::future::pending().await,
                }
            };
            let has_room = self.has_room();
            tokio::select! {
                read = self.stream.read_buf(&mut self.bytes) => match read {
                    Ok(0) | Err(_) => return End::Lost,
                    Ok(_) => {
                        heard = Instant::now();
                        self.router.heard(self.id, heard);
                    }
                },
                carried = inbox.recv(), if has_room => match carried {
                    Some(carried) => self.carry(carried),
                    None => return End::Lost,
                },
                () = is_silent => return End::Lost,
                () = over.cancelled() => return End::Lost,
                () = stop.cancelled() => return End::Goodbye,
            }
        }
    }

    fn has_room(&self) -> bool {
        self.unacknowledged.len() < MAX_UNACKNOWLEDGED
    }

    fn received(&mut self, received: Received) -> Option<End> {
        match received {
            Received::Publish { carried, id } => return self.published(carried, id),
            Received::Acknowledged(id) => {
                self.unacknowledged.remove(&id);
            }
            Received::Released(id) => {
                self.half_received.remove(&id);
                self.send(Sent::Completed(id));
            }
            Received::Subscribe { id, subscriptions } => {
                let mut granted = Vec::with_capacity(subscriptions.len());
                for (mut subscription, kept) in subscriptions {
                    subscription.qos = subscription.qos.min(1);
                    let qos = subscription.qos;
                    let is_shared = subscription.filter.starts_with("$share/");
                    let found = match is_filter(&subscription.filter) && !is_shared {
                        true => self.router.subscribe(self.id, subscription),
                        false => None,
                    };
                    granted.push(found.as_ref().map(|_| qos));
                    if kept == Kept::Sent {
                        self.waiting.extend(found.unwrap_or_default());
                    }
                }
                self.send(Sent::Subscribed { id, granted });
            }
            Received::Unsubscribe { id, filters } => {
                let were_there =
                    filters.iter().map(|filter| self.router.unsubscribe(self.id, filter)).collect();
                self.send(Sent::Unsubscribed { id, were_there });
            }
            Received::Ping => self.send(Sent::Pong),
            Received::Goodbye => return Some(End::Goodbye),
            Received::GoodbyeWithWill | Received::Connect(_) => return Some(End::Lost),
            Received::Strange => {}
        }
        None
    }

    fn published(&mut self, carried: Carried, id: u16) -> Option<End> {
        if !is_topic(&carried.topic) {
            return Some(End::Lost);
        }
        match carried.qos {
            0 => self.router.publish(self.id, carried),
            1 => {
                self.router.publish(self.id, carried);
                self.send(Sent::Published(id));
            }
            _ => {
                if self.half_received.len() >= MAX_UNACKNOWLEDGED && !self.half_received.contains(&id) {
                    return Some(End::Lost);
                }
                // A repetition before the release is the same message.
                if self.half_received.insert(id) {
                    self.router.publish(self.id, carried);
                }
                self.send(Sent::Received(id));
            }
        }
        None
    }

    fn carry(&mut self, carried: Carried) {
        let id = if carried.qos == 0 { 0 } else { self.fresh_id() };
        let topic = carried.topic.clone();
        if id > 0 {
            self.unacknowledged.insert(id);
        }
        if !packets::write(self.speaks, Sent::Carried { carried, id }, &mut self.out) {
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

    fn send(&mut self, sent: Sent) {
        if !packets::write(self.speaks, sent, &mut self.out) {
            tracing::warn!("the broker could not write a packet");
        }
    }
}
