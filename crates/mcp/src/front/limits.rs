//! Every number that bounds the wire towards clients.

use std::time::Duration;

/// What the wire keeps at most, and how long.
#[derive(Clone, Debug)]
pub struct FrontLimits {
    /// Legacy sessions that are remembered; the least used goes first and comes back with its token.
    pub sessions: usize,
    /// How long a session may rest before what is kept for it goes.
    pub session_idle: Duration,
    /// How old the token of a session may be.
    pub session_age: Duration,
    /// Sessions that were ended by their client and are remembered until their token is too old.
    pub ended_sessions: usize,
    /// Requests of one session, or of one stdio client, that are worked on at once.
    pub calls_per_session: usize,
    /// Messages in one batch of a 2025-03-26 client.
    pub batch: usize,
    /// Resources that one session is subscribed to.
    pub subscriptions_per_session: usize,
    /// Streams of one session that are kept to be taken up again.
    pub streams_per_session: usize,
    /// Bytes of one stream that wait for the client or are kept to be sent again.
    pub stream_bytes: usize,
    /// Bytes of all streams together that are kept to be sent again; beyond it what was read is not kept.
    pub kept_bytes: usize,
    /// How long a stream that is over can be taken up again.
    pub stream_kept: Duration,
    /// Messages that wait for a session without a stream.
    pub waiting_messages: usize,
    /// Notifications of one request that wait to be sent.
    pub waiting_notifications: usize,
    /// Questions of one request that are open at once.
    pub questions_per_call: usize,
    /// Calls of modern clients that wait for an answer of their client.
    pub parked_calls: usize,
    /// The same for one visitor.
    pub parked_calls_per_visitor: usize,
    /// How long a call waits for an answer of its client.
    pub parked: Duration,
    /// Streams of one visitor that stay open to tell what changes.
    pub listeners_per_visitor: usize,
    /// How long nothing may come before the answer becomes a stream, so that proxies see life.
    pub silence: Duration,
    /// How often a stream without events shows that it lives.
    pub keep_alive: Duration,
    /// When a client that lost its stream should come back.
    pub retry: Duration,
    /// The longest line over stdio, in bytes.
    pub line_bytes: usize,
    /// How long requests may still be worked on when the stdio client is gone.
    pub stdio_grace: Duration,
    /// How long clients may keep a list that came from a server which does not say.
    pub list_ttl: Duration,
}

impl FrontLimits {
    /// How long clients may keep a list, as the protocol says it.
    pub(super) fn list_ttl_ms(&self) -> u64 {
        u64::try_from(self.list_ttl.as_millis()).unwrap_or(u64::MAX)
    }
}

impl Default for FrontLimits {
    fn default() -> FrontLimits {
        FrontLimits {
            sessions: 10_000,
            session_idle: Duration::from_secs(60 * 60),
            session_age: Duration::from_secs(7 * 24 * 60 * 60),
            ended_sessions: 10_000,
            calls_per_session: 256,
            batch: 64,
            subscriptions_per_session: 256,
            streams_per_session: 16,
            stream_bytes: 1 << 20,
            kept_bytes: 64 << 20,
            stream_kept: Duration::from_secs(120),
            waiting_messages: 256,
            waiting_notifications: 256,
            questions_per_call: 64,
            parked_calls: 1024,
            parked_calls_per_visitor: 64,
            parked: Duration::from_secs(10 * 60),
            listeners_per_visitor: 256,
            silence: Duration::from_secs(10),
            keep_alive: Duration::from_secs(15),
            retry: Duration::from_secs(1),
            line_bytes: 16 << 20,
            stdio_grace: Duration::from_secs(5),
            list_ttl: Duration::ZERO,
        }
    }
}
