//! A connection whose other side must keep going: a head comes in a time, and what is written is taken.
//!
//! The time for a head runs from its first byte, and from the start of a connection. It does not run while
//! a connection rests between two requests; that has a longer time of its own.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

/// A head is on its way.
const HEAD: u8 = 0;
/// A request is worked on.
const REQUEST: u8 = 1;
/// Nothing is going on.
const REST: u8 = 2;

/// What a connection is at.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pace(Arc<AtomicU8>);

impl Pace {
    /// A head has come to its end.
    pub fn request_begins(&self) {
        self.0.store(REQUEST, Ordering::Relaxed);
    }

    /// An answer has been written, or given up.
    pub fn request_is_over(&self) {
        self.0.store(REST, Ordering::Relaxed);
    }

    fn at(&self) -> u8 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A stream with times.
#[derive(Debug)]
pub(crate) struct Paced<S> {
    stream: S,
    pace: Pace,
    head_time: Duration,
    stall_time: Duration,
    head_began: Instant,
    head: Option<Pin<Box<Sleep>>>,
    stall: Option<Pin<Box<Sleep>>>,
}

impl<S> Paced<S> {
    pub fn new(stream: S, pace: Pace, head_time: Duration, stall_time: Duration) -> Paced<S> {
        Paced { stream, pace, head_time, stall_time, head_began: Instant::now(), head: None, stall: None }
    }

    /// What is written was taken, or has to be taken in time.
    fn watch<T>(
        stall: &mut Option<Pin<Box<Sleep>>>,
        time: Duration,
        wrote: Poll<io::Result<T>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<T>> {
        if wrote.is_ready() {
            *stall = None;
            return wrote;
        }
        let timer = stall.get_or_insert_with(|| Box::pin(sleep_until(Instant::now() + time)));
        timer.as_mut().poll(context).map(|()| Err(too_late("nothing was read of what was written")))
    }
}

fn too_late(why: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, why)
}

impl<S: AsyncRead + Unpin> AsyncRead for Paced<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        let read = Pin::new(&mut this.stream).poll_read(context, buffer);
        if read.is_ready() && this.pace.at() == REST {
            this.pace.0.store(HEAD, Ordering::Relaxed);
            this.head_began = Instant::now();
        }
        if this.pace.at() != HEAD {
            this.head = None;
            return read;
        }
        let end = this.head_began + this.head_time;
        // One byte at a time is no way to have more time.
        let is_late = match read {
            Poll::Ready(_) => Instant::now() >= end,
            Poll::Pending => {
                this.head.get_or_insert_with(|| Box::pin(sleep_until(end))).as_mut().poll(context).is_ready()
            }
        };
        if is_late { Poll::Ready(Err(too_late("a head did not come to its end"))) } else { read }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Paced<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = &mut *self;
        let wrote = Pin::new(&mut this.stream).poll_write(context, bytes);
        Self::watch(&mut this.stall, this.stall_time, wrote, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = &mut *self;
        let wrote = Pin::new(&mut this.stream).poll_write_vectored(context, bytes);
        Self::watch(&mut this.stall, this.stall_time, wrote, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
