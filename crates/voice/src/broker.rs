//! A small MQTT broker for a machine that has none: this machine only, both revisions on one port.
//!
//! It carries messages between a few programs: QoS 0 and 1 out, 0 to 2 in, wildcards, kept messages, wills. It keeps
//! nothing for clients that are away: for that, and for other machines, there are Mosquitto and others. Packets are
//! read and written by the codec of the client library.

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

use router::Router;

/// What it says of itself to clients of MQTT 5.
pub(crate) const OWN_MARK: (&str, &str) = ("broker", "toolwright");
/// Clients at once. For one more, a client that does nothing has to go: one that has neither published nor subscribed,
/// else one that has been silent for longer than [`QUIET`].
pub(crate) const MAX_CLIENTS: usize = 64;
/// Longer than the time between two pings of usual clients, whose keep-alive is 60 s.
pub(crate) const QUIET: Duration = Duration::from_secs(90);
/// Connections at once that have not said who they are. For one more the oldest of them is closed: a client speaks first,
/// so one that connects now is in before those that say nothing are out of time.
pub(crate) const MAX_GREETING: usize = 64;
/// The largest packet, in bytes.
pub(crate) const MAX_PACKET: u32 = 256 * 1024;
/// Topics that one client may ask for.
pub(crate) const MAX_SUBSCRIPTIONS: usize = 128;
/// Messages that are kept, and how large one may be, in bytes.
pub(crate) const MAX_KEPT: usize = 512;
pub(crate) const MAX_KEPT_BYTES: usize = 64 * 1024;
/// Messages that wait for one client; a client that does not read loses the newest.
pub(crate) const CLIENT_QUEUE: usize = 256;
/// Messages of one client that were not acknowledged.
pub(crate) const MAX_UNACKNOWLEDGED: usize = 64;
/// How long a client may take for its first packet, and for reading one of ours.
pub(crate) const CONNECT: Duration = Duration::from_secs(5);
pub(crate) const WRITE: Duration = Duration::from_secs(10);

/// A broker that listens.
pub struct Broker {
    listener: TcpListener,
    stop: CancellationToken,
}

impl Broker {
    /// Listens at a port of this machine; 0 is any that is free.
    ///
    /// # Errors
    /// When the port cannot be had.
    pub async fn bind(port: u16) -> io::Result<Broker> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        Ok(Broker { listener, stop: CancellationToken::new() })
    }

    /// The same, ended by this token.
    pub fn stopped_by(mut self, stop: CancellationToken) -> Broker {
        self.stop = stop;
        self
    }

    /// Where it listens.
    ///
    /// # Errors
    /// When the system does not tell.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves clients until the end.
    pub async fn run(self) {
        let (router, tasks) = (Arc::new(Router::default()), TaskTracker::new());
        let mut greeting: VecDeque<CancellationToken> = VecDeque::new();
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
            greeting.retain(|silent| !silent.is_cancelled());
            if greeting.len() >= MAX_GREETING
                && let Some(oldest) = greeting.pop_front()
            {
                oldest.cancel();
            }
            // Cancelled when the client has said who it is, too: it is not among the silent ones any more.
            let silent = self.stop.child_token();
            greeting.push_back(silent.clone());
            let (router, stop) = (Arc::clone(&router), self.stop.clone());
            tasks.spawn(async move {
                let greeted = client::greet(stream, &silent).await;
                silent.cancel();
                if let Some(greeted) = greeted {
                    client::serve(greeted, &router, &stop).await;
                }
            });
        }
        tasks.close();
        tasks.wait().await;
    }
}
