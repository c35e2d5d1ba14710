//! Bodies: read whole within a time and a size, and written while somebody may read them.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::time::timeout;
use toolwright_base::{ConcurrencyLimit, ConcurrencyPermit};

use crate::admission::Pass;
use crate::inside::InsideBody;
use crate::limits::WebLimits;
use crate::paced::Pace;
use crate::refusal::Refusal;

/// How much of a body that is too large is read and thrown away, and for how long: a client that writes does
/// not see an answer before it has written.
const THROWN_AWAY_BYTES: usize = 64 << 20;
const THROWN_AWAY_TIME: Duration = Duration::from_secs(2);

/// How much of a body is read, and for how long, after the response to its request is known: less work for both sides
/// than a new connection.
const REST_BYTES: usize = 256 << 10;
const REST_TIME: Duration = Duration::from_millis(250);

/// How much room is made for what a client says will come, before it has come.
const ANNOUNCED_BYTES: usize = 1 << 20;

/// A body that was read, and its share of the memory for bodies.
pub(crate) struct Read {
    pub bytes: Bytes,
    pub share: Vec<ConcurrencyPermit>,
}

/// Reads a body to its end.
pub(crate) async fn read(
    body: &mut Incoming,
    limits: &WebLimits,
    memory: &Arc<ConcurrencyLimit>,
) -> Result<Read, Refusal> {
    let is_too_large =
        usize::try_from(body.size_hint().lower()).map_or(true, |size| size > limits.body_bytes);
    let reading = async {
        match is_too_large {
            true => Err(Refusal::too_large(limits.body_bytes)),
            false => collect(body, limits, memory).await,
        }
    };
    let late = |_| Refusal::too_slow(limits.body_time.as_secs());
    let read = timeout(limits.body_time, reading).await.map_err(late).and_then(|read| read);
    if read.as_ref().is_err_and(|refusal| refusal.status == http::StatusCode::PAYLOAD_TOO_LARGE) {
        let _ = timeout(THROWN_AWAY_TIME, throw_away(body, THROWN_AWAY_BYTES)).await;
    }
    read
}

/// Reads what is left of a body, so that the connection can take the next request. False when more is left than is
/// worth reading, or it does not come: then the connection has to end, and the response says so.
pub(crate) async fn read_rest(body: &mut Incoming) -> bool {
    body.is_end_stream()
        || timeout(REST_TIME, throw_away(body, REST_BYTES)).await.is_ok_and(|end| end == End::Reached)
}

async fn collect(
    body: &mut Incoming,
    limits: &WebLimits,
    memory: &Arc<ConcurrencyLimit>,
) -> Result<Read, Refusal> {
    let (mut share, mut first, mut rest) = (Vec::new(), Bytes::new(), BytesMut::new());
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|_| Refusal::broken_body())?.into_data() else { continue };
        if first.len() + rest.len() + data.len() > limits.body_bytes {
            return Err(Refusal::too_large(limits.body_bytes));
        }
        share.push(memory.try_acquire(data.len(), limits.body_bytes_in_all).ok_or_else(|| {
            let limit = limits.body_bytes_in_all;
            let message = format!("the bodies of all requests have {limit} bytes, the limit of the gateway");
            Refusal::too_much("bodyBytesInAll", message, limit, 1)
        })?);
        // Most bodies come in one piece, which is kept as it is.
        if first.is_empty() && rest.is_empty() {
            first = data;
            continue;
        }
        if rest.is_empty() {
            // What was announced is made room for once, as far as it is likely to come.
            let announced = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
            rest.reserve(first.len() + data.len() + announced.min(ANNOUNCED_BYTES));
            rest.extend_from_slice(&std::mem::take(&mut first));
        }
        rest.extend_from_slice(&data);
    }
    let bytes = if rest.is_empty() { first } else { rest.freeze() };
    Ok(Read { bytes, share })
}

/// Whether a body was read to its end.
#[derive(PartialEq, Eq)]
enum End {
    Reached,
    NotReached,
}

async fn throw_away(body: &mut Incoming, most: usize) -> End {
    let mut thrown = 0;
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else { return End::NotReached };
        thrown += frame.data_ref().map_or(0, Bytes::len);
        if thrown > most {
            return End::NotReached;
        }
    }
    End::Reached
}

/// What ends an answer before its end.
pub(crate) type Ends = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The body of an answer with what is held as long as it is written.
pub(crate) struct Held {
    body: InsideBody,
    pass: Option<Pass>,
    share: Vec<ConcurrencyPermit>,
    ends: Option<Ends>,
    pace: Pace,
}

impl Held {
    pub fn new(body: InsideBody, pace: Pace) -> Held {
        Held { body, pass: None, share: Vec::new(), ends: None, pace }
    }

    /// As long as this is written, the request is inside.
    pub fn with(mut self, pass: Option<Pass>, share: Vec<ConcurrencyPermit>, ends: Option<Ends>) -> Held {
        (self.pass, self.share, self.ends) = (pass, share, ends);
        self
    }
}

impl Body for Held {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) {
            return Poll::Ready(frame);
        }
        match self.ends.as_mut().map(|ends| ends.as_mut().poll(context)) {
            Some(Poll::Ready(())) => Poll::Ready(None),
            _ => Poll::Pending,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.pace.request_is_over();
    }
}
