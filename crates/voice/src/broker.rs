//! A small MQTT broker for a machine that has none: it listens on loopback only and serves both MQTT
//! revisions on one port.
//!
//! It routes messages between a few programs: QoS 0 and 1 out, 0 to 2 in, wildcards, retained messages,
//! wills. It stores nothing for disconnected clients; for that, and for other machines, use Mosquitto or
//! another broker. The codec of the client library reads and writes the packets.

mod client;
mod packets;
mod router;
mod topics;

use std::collections::VecDeque;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use router::BrokerRouter;

/// The user property by which MQTT 5 clients recognize this broker.
pub(crate) const BROKER_MARK: (&str, &str) = ("broker", "toolwright");
/// Limit of concurrent clients. To admit one more, the broker closes an idle client: one that has neither
/// published nor subscribed, otherwise one that has been silent for longer than [`IDLE_AFTER`].
pub(crate) const MAX_CLIENTS: usize = 64;
/// Longer than the time between two pings of usual clients, whose keep-alive is 60 s.
pub(crate) const IDLE_AFTER: Duration = Duration::from_secs(90);
/// Limit of concurrent connections without a CONNECT packet. To admit one more, the broker closes the
/// oldest of them: a client sends first, so a new client finishes its handshake before the silent ones time
/// out.
pub(crate) const MAX_HANDSHAKES: usize = 64;
/// The largest packet, in bytes.
pub(crate) const MAX_PACKET: u32 = 256 * 1024;
/// Limit of subscriptions of one client.
pub(crate) const MAX_SUBSCRIPTIONS: usize = 128;
/// Limit of retained messages, and the largest payload of one, in bytes.
pub(crate) const MAX_RETAINED: usize = 512;
pub(crate) const MAX_RETAINED_BYTES: usize = 64 * 1024;
/// Messages queued for one client; a client that does not read loses the newest.
pub(crate) const CLIENT_QUEUE: usize = 256;
/// Unacknowledged messages of one client.
pub(crate) const MAX_UNACKNOWLEDGED: usize = 64;
/// Timeouts for the first packet of a client, and for writing one packet to it.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
pub(crate) const WRITE_TIMEOUT: Duration = Duration::from_secs(10);

/// A broker bound to its port.
pub struct Broker {
    listener: TcpListener,
    stop: CancellationToken,
}

impl Broker {
    /// Binds a port of this machine; 0 is any free port.
    ///
    /// # Errors
    /// When the port cannot be bound.
    pub async fn bind(port: u16) -> io::Result<Broker> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        Ok(Broker { listener, stop: CancellationToken::new() })
    }

    /// Sets the token that stops the broker.
    pub fn stopped_by(mut self, stop: CancellationToken) -> Broker {
        self.stop = stop;
        self
    }

    /// The address on which it listens.
    ///
    /// # Errors
    /// When the system does not return the address.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves clients until the stop token is cancelled.
    pub async fn run(self) {
        let (router, tasks) = (Arc::new(BrokerRouter::default()), TaskTracker::new());
        let mut handshakes: VecDeque<CancellationToken> = VecDeque::new();
        loop {
            let accepted = tokio::select! {
                accepted = self.listener.accept() => accepted,
                () = self.stop.cancelled() => break,
            };
            let stream = match accepted {
                Ok((stream, _)) => stream,
                Err(error) => {
                    tracing::warn!("the broker could not let a client in: {error}");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            };
            handshakes.retain(|silent| !silent.is_cancelled());
            if handshakes.len() >= MAX_HANDSHAKES
                && let Some(oldest) = handshakes.pop_front()
            {
                oldest.cancel();
            }
            // Also cancelled after the handshake: the connection no longer counts as silent.
            let silent = self.stop.child_token();
            handshakes.push_back(silent.clone());
            let (router, stop) = (Arc::clone(&router), self.stop.clone());
            tasks.spawn(async move {
                let accepted_client = client::handshake(stream, &silent).await;
                silent.cancel();
                if let Some(accepted_client) = accepted_client {
                    client::serve(accepted_client, &router, &stop).await;
                }
            });
        }
        tasks.close();
        tasks.wait().await;
    }
}
