//! Frames out of bytes, however these are cut: server-sent events, or lines.

/// One frame of a stream.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// All of its bytes, with those that end it and the comments before it. The `raw` of all frames of a stream, and
    /// what is left at its end, are the bytes of the stream.
    pub raw: &'a [u8],
    /// The type of a server-sent event; empty when it has none, and for lines.
    pub event: &'a str,
    /// The data; empty for comments and for events without data.
    pub data: &'a str,
}

/// Why there are no more frames.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// One frame has more bytes than are taken.
    #[error("one event of the stream has more than {limit} bytes")]
    TooLong {
        /// The most that are taken.
        limit: usize,
    },
    /// A frame is not UTF-8.
    #[error("an event of the stream is not UTF-8")]
    NotUtf8,
}

/// Takes a stream of bytes and finds its frames.
#[derive(Debug)]
pub struct Frames {}
