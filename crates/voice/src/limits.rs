//! Every limit of the voice, in one place.

use std::time::Duration;

/// The largest packet that a broker may send, in bytes. With MQTT 5 the CONNECT packet announces it.
pub(crate) const MAX_PACKET_BYTES: u32 = 1024 * 1024;
/// The same for MQTT 3.1.1, which cannot announce it: a larger packet ends the connection.
pub(crate) const MAX_PACKET_BYTES_V311: usize = 16 * 1024 * 1024;
/// Messages queued for publishing.
pub(crate) const OUTBOX: usize = 256;
/// Message ids that are stored to detect repetitions, and for how long.
pub(crate) const DEDUP_IDS: usize = 1_024;
pub(crate) const DEDUP_TTL: Duration = Duration::from_secs(600);
/// Timeout for connecting to a broker.
pub(crate) const CONNECT_SECONDS: u64 = 5;
/// Keep-alive interval of a connection to a broker.
pub(crate) const KEEP_ALIVE_SECONDS: u16 = 10;
/// Delays before reconnecting to a broker; the last one repeats.
pub(crate) const RECONNECT_MS: [u64; 6] = [100, 200, 500, 1_000, 2_000, 3_000];
/// Timeout for disconnecting from a broker.
pub(crate) const DISCONNECT_TIMEOUT: Duration = Duration::from_secs(1);
/// Grace period for answers in flight at shutdown.
pub(crate) const GRACE_PERIOD: Duration = Duration::from_secs(5);
/// How long the device list is cached, and the timeout for requesting it.
pub(crate) const DEVICES_TTL: Duration = Duration::from_secs(60);
pub(crate) const DEVICES_TIMEOUT: Duration = Duration::from_secs(5);
/// The minimum interval between two requests when a name is not in the list.
pub(crate) const DEVICES_RETRY: Duration = Duration::from_secs(5);
/// Limit of conversations with an open question.
pub(crate) const MAX_PENDING: usize = 256;
/// How long an unanswered question is stored, to report that a yes comes too late.
pub(crate) const PENDING_TTL: Duration = Duration::from_secs(300);
/// Wyoming: concurrent clients, idle timeout, write timeout.
pub(crate) const WYOMING_CLIENTS: usize = 64;
pub(crate) const WYOMING_IDLE: Duration = Duration::from_secs(600);
pub(crate) const WYOMING_WRITE: Duration = Duration::from_secs(10);

/// The limits of the transcriber.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Transcripts that may wait. One more drops the oldest.
    pub waiting: usize,
    /// Transcripts that may be processed concurrently.
    pub at_once: usize,
    /// The maximum age of a transcript at the start of its processing.
    pub max_age: Duration,
    /// How long a spoken question stays open.
    pub confirm: Duration,
    /// The minimum delay between sending a question and a yes to it: an earlier yes was said before the
    /// user heard the question.
    pub hearing: Duration,
    /// Timeout for the model.
    pub think: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            waiting: 32,
            at_once: 4,
            max_age: Duration::from_secs(30),
            confirm: Duration::from_secs(30),
            hearing: Duration::from_millis(500),
            think: Duration::from_secs(60),
        }
    }
}
