//! The body of an answer: nothing, one piece, or events as they come.

use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

use super::events::EventBody;

/// The body of an answer.
pub struct FrontBody(Kind);

enum Kind {
    Piece(Option<Bytes>),
    Events(EventBody),
}

impl FrontBody {
    pub(super) fn empty() -> FrontBody {
        FrontBody(Kind::Piece(None))
    }

    pub(super) fn piece(bytes: impl Into<Bytes>) -> FrontBody {
        FrontBody(Kind::Piece(Some(bytes.into()).filter(|bytes: &Bytes| !bytes.is_empty())))
    }

    pub(super) fn events(events: EventBody) -> FrontBody {
        FrontBody(Kind::Events(events))
    }
}

impl fmt::Debug for FrontBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match &self.0 {
            Kind::Piece(_) => "FrontBody::Piece",
            Kind::Events(_) => "FrontBody::Events",
        })
    }
}

impl Body for FrontBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let next = match &mut self.get_mut().0 {
            Kind::Piece(piece) => Poll::Ready(piece.take()),
            Kind::Events(events) => events.poll_next(context),
        };
        next.map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        matches!(&self.0, Kind::Piece(None))
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Kind::Piece(piece) => SizeHint::with_exact(piece.as_ref().map_or(0, |piece| piece.len() as u64)),
            Kind::Events(_) => SizeHint::default(),
        }
    }
}
