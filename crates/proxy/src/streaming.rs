//! An answer on its way: the upstream is read as fast as the client reads, and no faster.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream;
use http_body_util::{BodyExt, StreamBody};
use hyper::body::Frame;
use tokio::task::yield_now;
use tokio::time::{Instant, Sleep, sleep_until, timeout};
use toolwright_llm::Failure;
use toolwright_llm::exchange::{AnswerStream, Prepared, Report};

use crate::ProxyBody;
use crate::carrier::{Carried, CarriedBody};
use crate::record::Exchanged;
use crate::upstream::Shared;

/// After how much silence a client is told that we still wait.
const PING: Duration = Duration::from_secs(15);
/// How long the end of a connection is waited for after the end of its answer, so that it can be used again.
pub(crate) const LAST_BYTES: Duration = Duration::from_millis(20);
/// After how many bytes of an upstream that never pauses other clients have their turn.
const TURN_BYTES: usize = 64 << 10;

/// A stream that has begun, or why it has not.
pub(crate) enum Begun {
    Going(Box<Going>),
    Failed(Failure),
}

/// A stream of which something has come.
pub(crate) struct Going {
    upstream: Shared,
    response: Option<CarriedBody>,
    stream: AnswerStream,
    out: Vec<u8>,
    silence: Silence,
    /// How much has come since others had their turn.
    bytes_in_turn: usize,
}

/// How long nothing has come. A piece that comes does not set an alarm anew: that is done when it goes off too early.
struct Silence {
    heard: Instant,
    until: Instant,
    alarm: Pin<Box<Sleep>>,
}

impl Silence {
    /// Begins now, and may be this long.
    fn new(longest: Duration) -> Silence {
        let heard = Instant::now();
        let until = heard + longest.min(PING);
        Silence { heard, until, alarm: Box::pin(sleep_until(until)) }
    }

    /// Something came.
    fn ends(&mut self, longest: Duration) {
        self.heard = Instant::now();
        self.until = self.heard + longest.min(PING);
    }

    /// The client was told that we still wait.
    fn goes_on(&mut self, longest: Duration) {
        let now = Instant::now();
        self.until = (now + PING).min(self.heard + longest);
    }

    /// Waits until it has been too long for somebody.
    fn poll_too_long(&mut self, context: &mut Context<'_>) -> Poll<()> {
        loop {
            ready!(self.alarm.as_mut().poll(context));
            if Instant::now() >= self.until {
                return Poll::Ready(());
            }
            self.alarm.as_mut().reset(self.until);
        }
    }
}

/// Waits until something of the answer is there: until then another upstream could be asked. A client that has waited
/// for long is told that there will be one.
pub(crate) async fn begin(upstream: Shared, response: Carried, prepared: &Prepared) -> Begun {
    let mut response = response.into_body();
    let mut stream = prepared.stream();
    let mut out = Vec::new();
    loop {
        let piece = match timeout(PING, upstream.piece(&mut response)).await {
            Ok(Ok(piece)) => piece,
            Ok(Err(failure)) => return Begun::Failed(failure),
            Err(_) => {
                stream.ping(&mut out);
                return Begun::Going(Box::new(Going::new(upstream, Some(response), stream, out)));
            }
        };
        let is_end = piece.is_none();
        match piece {
            Some(piece) => stream.push(&piece, &mut out),
            None => stream.end(None, &mut out),
        }
        let report = stream.report();
        if let (Some(failure), false) = (&report.failure, report.has_content) {
            return Begun::Failed(failure.clone());
        }
        if is_end || (stream.has_begun() && !out.is_empty()) {
            let response = (!is_end).then_some(response);
            return Begun::Going(Box::new(Going::new(upstream, response, stream, out)));
        }
    }
}

/// The rest of it, as a body. What is dropped before its end cancels the upstream.
pub(crate) fn body(going: Going, exchanged: Exchanged) -> ProxyBody {
    let pieces = stream::unfold((going, exchanged), |(mut going, mut exchanged)| async move {
        let piece = going.next().await;
        exchanged.watches(going.stream.report());
        let Some(piece) = piece else {
            exchanged.ends_afterwards();
            return None;
        };
        exchanged.answers(&piece);
        Some((Ok::<_, Infallible>(Frame::data(piece)), (going, exchanged)))
    });
    StreamBody::new(pieces).boxed_unsync()
}

impl Going {
    fn new(upstream: Shared, response: Option<CarriedBody>, stream: AnswerStream, out: Vec<u8>) -> Going {
        let silence = Silence::new(upstream.idle());
        Going { upstream, response, stream, out, silence, bytes_in_turn: 0 }
    }

    /// The next bytes for the client; nothing at the end.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if !self.out.is_empty() {
                // An upstream may repeat a key in an error. One that is cut between two pieces is not seen here.
                return Some(self.upstream.hide(std::mem::take(&mut self.out).into()));
            }
            let response = self.response.as_mut()?;
            if self.stream.is_over() {
                let rest = timeout(LAST_BYTES, response.piece()).await;
                if let Ok(Ok(Some(piece))) = rest {
                    self.stream.push(&piece, &mut self.out);
                    continue;
                }
                self.response = None;
                continue;
            }
            let silence = &mut self.silence;
            let heard = poll_fn(|context| match response.poll_piece(context) {
                Poll::Ready(piece) => Poll::Ready(Some(piece)),
                Poll::Pending => silence.poll_too_long(context).map(|()| None),
            });
            match heard.await {
                Some(Ok(Some(piece))) => {
                    self.silence.ends(self.upstream.idle());
                    self.stream.push(&piece, &mut self.out);
                    self.take_turns(piece.len()).await;
                }
                Some(Ok(None)) => self.end(None),
                Some(Err(error)) => {
                    let failure = self.upstream.broken(&error);
                    self.end(Some(failure));
                }
                None if self.silence.heard.elapsed() >= self.upstream.idle() => {
                    let failure = self.upstream.silent(self.upstream.idle());
                    self.end(Some(failure));
                }
                None => {
                    self.silence.goes_on(self.upstream.idle());
                    self.stream.ping(&mut self.out);
                }
            }
        }
    }

    /// Lets the runtime look at other connections now and then: while a task never waits, it looks only after 61 turns of
    /// that task, and each of them may move megabytes.
    async fn take_turns(&mut self, bytes: usize) {
        self.bytes_in_turn += bytes;
        if self.bytes_in_turn >= TURN_BYTES {
            self.bytes_in_turn = 0;
            yield_now().await;
        }
    }

    fn end(&mut self, failure: Option<Failure>) {
        self.response = None;
        self.stream.end(failure, &mut self.out);
    }
}

/// Reads a stream to its end for nobody.
pub(crate) async fn to_the_end(upstream: &Shared, response: Carried, prepared: &Prepared) -> Report {
    match begin(Shared::clone(upstream), response, prepared).await {
        Begun::Failed(failure) => Report { failure: Some(failure), ..Report::default() },
        Begun::Going(mut going) => {
            while going.next().await.is_some() {}
            going.stream.report().clone()
        }
    }
}
