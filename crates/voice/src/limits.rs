//! Every number of the voice, in one place.

use std::time::Duration;

/// The largest packet that a broker may send us, in bytes. A broker of MQTT 5 is told.
pub(crate) const MAX_PACKET_BYTES: u32 = 1024 * 1024;
/// The same where the broker cannot be told: a larger one ends the connection.
pub(crate) const MAX_PACKET_BYTES_UNTOLD: usize = 16 * 1024 * 1024;
/// How many messages wait to be published.
pub(crate) const OUTBOX: usize = 256;
/// How many ids are remembered to tell a message from its repetition, and for how long.
pub(crate) const REMEMBERED_IDS: usize = 1_024;
pub(crate) const REMEMBERED_FOR: Duration = Duration::from_secs(600);
/// How long connecting to a broker may take.
pub(crate) const CONNECT_SECONDS: u64 = 5;
/// How often an idle connection to a broker is looked at.
pub(crate) const KEEP_ALIVE_SECONDS: u16 = 10;
/// The waits before a broker is tried again; the last one is for all that follow.
pub(crate) const RECONNECT_MS: [u64; 6] = [100, 200, 500, 1_000, 2_000, 3_000];
/// How long the farewell to a broker may take.
pub(crate) const FAREWELL: Duration = Duration::from_secs(1);
/// How long what is being answered is waited for at the end.
pub(crate) const GRACE: Duration = Duration::from_secs(5);
/// How long the list of devices is good for, and how long asking for it may take.
pub(crate) const DEVICES_FOR: Duration = Duration::from_secs(60);
pub(crate) const DEVICES_WAIT: Duration = Duration::from_secs(5);
/// How soon the list is asked for again when a name is not on it.
pub(crate) const DEVICES_AGAIN: Duration = Duration::from_secs(5);
/// How many conversations can have an open question.
pub(crate) const MAX_PENDING: usize = 256;
/// How long a question that nobody answered is remembered, to say that it is too late.
pub(crate) const PENDING_KEPT: Duration = Duration::from_secs(300);
/// Wyoming: clients at once, how long one may be silent, and how long it may take to read.
pub(crate) const WYOMING_CLIENTS: usize = 64;
pub(crate) const WYOMING_IDLE: Duration = Duration::from_secs(600);
pub(crate) const WYOMING_WRITE: Duration = Duration::from_secs(10);

/// What can be set of the transcriber.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many transcripts wait. When one more comes, the oldest is dropped.
    pub waiting: usize,
    /// How many are answered at once.
    pub at_once: usize,
    /// How old a transcript may be when it is begun.
    pub max_age: Duration,
    /// How long a spoken question stays open.
    pub confirm: Duration,
    /// How soon after a spoken question went out a yes can be an answer to it: what comes sooner was said before anybody
    /// heard the question.
    pub hearing: Duration,
    /// How long a model may think.
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
