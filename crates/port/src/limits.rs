//! Every limit of the port, in one place.

use std::time::Duration;

/// How many requests in which time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// Requests in a second, as long as one likes.
    pub per_second: u32,
    /// Requests at once after a pause.
    pub burst: u32,
}

impl Rate {
    /// So many in a second, and no more at once.
    pub fn per_second(per_second: u32) -> Rate {
        Rate { per_second, burst: per_second }
    }
}

/// What the port allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebLimits {
    /// Connections at once. Default: 4096.
    pub connections: usize,
    /// The time from the first byte of a head to its last. Default: 5 s.
    pub head_time: Duration,
    /// The size of a head. Default: 64 KiB.
    pub head_bytes: usize,
    /// Headers in a head. Default: 128.
    pub headers: usize,
    /// How long a connection may be without a request. Default: 180 s.
    pub idle_time: Duration,
    /// The time of a body. Default: 30 s.
    pub body_time: Duration,
    /// The size of a body: the largest arguments and what stands around them. Default: 16 MiB and 64 KiB.
    pub body_bytes: usize,
    /// The size of a request to a model: pictures and documents are in it. Default: 32 MiB.
    pub llm_body_bytes: usize,
    /// The size of all bodies that are read or worked on. Default: 256 MiB.
    pub body_bytes_in_all: usize,
    /// How long a reader may take nothing of what is written to it. Default: 30 s.
    pub stall_time: Duration,
    /// What one client may ask in a second; nothing for no such limit. Default: 1000, and 2000 at once.
    pub rate: Option<Rate>,
    /// Requests of one client at once. Default: 256.
    pub requests_per_client: usize,
    /// Requests at once. Default: 2048.
    pub requests_in_all: usize,
    /// Streams of one client that stay open to hear of changes. Default: 256.
    pub streams_per_client: usize,
    /// All of these. Default: 1024.
    pub streams_in_all: usize,
    /// How long requests are waited for when the gateway ends. Default: 10 s.
    pub grace: Duration,
}

impl Default for WebLimits {
    fn default() -> Self {
        WebLimits {
            connections: 4096,
            head_time: Duration::from_secs(5),
            head_bytes: 64 << 10,
            headers: 128,
            idle_time: Duration::from_secs(180),
            body_time: Duration::from_secs(30),
            body_bytes: (16 << 20) + (64 << 10),
            llm_body_bytes: 32 << 20,
            body_bytes_in_all: 256 << 20,
            stall_time: Duration::from_secs(30),
            rate: Some(Rate { per_second: 1000, burst: 2000 }),
            requests_per_client: 256,
            requests_in_all: 2048,
            streams_per_client: 256,
            streams_in_all: 1024,
            grace: Duration::from_secs(10),
        }
    }
}
