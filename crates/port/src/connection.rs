//! One connection: HTTP/1.1, with times for everything that its other side does.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use toolwright_base::{ConcurrencyPermit, SelfWakeFilter};

use crate::handle::handle;
use crate::paced::{Pace, Paced};
use crate::serve::Web;

/// How long a connection for which there is no room may take to hear so.
const REFUSED: Duration = Duration::from_millis(500);

/// How much is read at once: what a large body makes of a buffer stays with its connection.
const BUFFER_BYTES: usize = 64 << 10;

/// When a connection came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrival {
    InTime,
    /// The gateway was ending already.
    Late,
}

/// Tells a connection that there is no room for it. The request is not looked at.
pub(crate) async fn refuse(mut stream: TcpStream, limit: usize) {
    let text = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{{\"code\":-32000,\"message\":\"the gateway has {limit} connections open, its limit\",\"data\":{{\"reason\":\"limit\",\"limit\":\"connections\",\"number\":{limit}}}}}}}"
    );
    let head = format!(
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 1\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        text.len()
    );
    let told = async {
        stream.write_all((head + &text).as_bytes()).await?;
        stream.shutdown().await?;
        // A connection that is closed with something unread loses what was written to it.
        let mut thrown_away = [0; 1024];
        while stream.read(&mut thrown_away).await? > 0 {}
        std::io::Result::Ok(())
    };
    let _ = timeout(REFUSED, told).await;
}

/// Serves a connection to its end.
pub(crate) async fn serve(web: Arc<Web>, stream: TcpStream, entered: ConcurrencyPermit, arrival: Arrival) {
    let limits = &web.limits;
    // Answers are small and wanted at once.
    let _ = stream.set_nodelay(true);
    let pace = Pace::default();
    let paced = Paced::new(stream, pace.clone(), limits.head_time, limits.stall_time);
    let service = service_fn(|request| {
        let (web, pace) = (Arc::clone(&web), pace.clone());
        async move { Ok::<_, Infallible>(handle(&web, request, pace, arrival).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.idle_time)
        .max_headers(limits.headers)
        .max_header_size(limits.head_bytes)
        .max_buf_size(BUFFER_BYTES.max(limits.head_bytes))
        .serve_connection(TokioIo::new(paced), service);
    let mut connection = pin!(connection);
    // Who reads a body and who answers wake the connection that they are a part of.
    let quiet = SelfWakeFilter::default();
    // Who came late has not been heard yet, and ends with the answer.
    let is_resting = arrival == Arrival::InTime;
    tokio::select! {
        ended = poll_fn(|context| quiet.poll(context, |inside| connection.as_mut().poll(inside))) => return log(ended),
        () = web.stop.resting_connections_end(), if is_resting => connection.as_mut().graceful_shutdown(),
        () = web.stop.all_connections_end() => return,
    }
    tokio::select! {
        ended = connection => log(ended),
        () = web.stop.all_connections_end() => {}
    }
    drop(entered);
}

fn log(ended: Result<(), hyper::Error>) {
    if let Err(error) = ended {
        tracing::debug!("a connection ended early: {error}");
    }
}
