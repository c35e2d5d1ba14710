//! The way to an upstream on this machine: connections that whoever asks over them drives.
//!
//! A task for each connection would be woken for every step of a request, and wake who asks for every step of the
//! answer. Here one task does both, and a connection that nobody asks over is not looked at until it is used again.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll};
use std::time::Instant;

use bytes::Bytes;
use http::header::HOST;
use http::{HeaderValue, Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::http1::{Builder, Connection, SendRequest};
use hyper_util::rt::TokioIo;
use reqwest::Url;
use tokio::net::TcpStream;
use tokio::time::timeout;
use toolwright_base::{IgnorePoison, SelfWakeFilter};

use super::{CONNECT, CarryError, IDLE, poll_data};

/// How many connections are kept that nobody uses.
const MOST_IDLE: usize = 64;

/// How much of an answer is read at once, and how long its head may be.
const BUFFER_BYTES: usize = 128 << 10;

/// What is sent.
type Asked = Request<Full<Bytes>>;

/// The connections to one upstream.
#[derive(Clone)]
pub(in super::super) struct Near {
    host: String,
    port: u16,
    /// What the upstream is told that it is called.
    name: HeaderValue,
    idle: Arc<Mutex<Vec<Idle>>>,
}

/// A connection that nobody uses, and since when.
type Idle = (Box<Driven>, Instant);

/// A connection, and what sends over it.
struct Driven {
    sender: SendRequest<Full<Bytes>>,
    connection: Connection<TokioIo<TcpStream>, Full<Bytes>>,
    is_over: bool,
    /// The connection tells of every step who reads from it, which is the one that drives it.
    quiet: SelfWakeFilter,
}

/// The body of an answer, with the connection that it comes over.
pub(in super::super) struct NearBody {
    body: Incoming,
    /// Kept for the next request when the body has come to its end; closed when it is dropped before.
    driven: Option<Box<Driven>>,
    near: Near,
}

impl Near {
    pub fn new(base: &Url) -> Result<Near, CarryError> {
        let host = base.host_str().unwrap_or_default();
        let name = match base.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        };
        Ok(Near {
            host: host.trim_matches(['[', ']']).to_owned(),
            port: base.port_or_known_default().unwrap_or(80),
            name: HeaderValue::try_from(name).map_err(|error| CarryError::innermost(&error))?,
            idle: Arc::default(),
        })
    }

    /// Sends a request and waits for the head of its answer. Its address is a path.
    pub async fn send(&self, mut asked: Asked) -> Result<Response<NearBody>, CarryError> {
        asked.headers_mut().insert(HOST, self.name.clone());
        // One that was kept may have been closed meanwhile: what it did not take is sent over the next.
        while let Some(mut driven) = self.kept().await {
            match driven.ask(asked).await {
                Ok(answer) => return Ok(self.answered(answer, driven)),
                Err((_, Some(untouched))) => asked = untouched,
                Err((error, None)) => return Err(error),
            }
        }
        let mut driven = timeout(CONNECT, self.connect())
            .await
            .unwrap_or_else(|_| Err(CarryError("connecting took too long".to_owned())))?;
        match driven.ask(asked).await {
            Ok(answer) => Ok(self.answered(answer, driven)),
            Err((error, _)) => Err(error),
        }
    }

    fn answered(&self, answer: Response<Incoming>, driven: Box<Driven>) -> Response<NearBody> {
        answer.map(|body| NearBody { body, driven: Some(driven), near: self.clone() })
    }

    async fn connect(&self) -> Result<Box<Driven>, CarryError> {
        let failed = |error: std::io::Error| CarryError::innermost(&error);
        let stream = TcpStream::connect((self.host.as_str(), self.port)).await.map_err(failed)?;
        stream.set_nodelay(true).map_err(failed)?;
        let shaken = Builder::new().max_buf_size(BUFFER_BYTES).handshake(TokioIo::new(stream)).await;
        let (sender, connection) = shaken.map_err(|error| CarryError::innermost(&error))?;
        // It is large, and goes from hand to hand.
        Ok(Box::new(Driven { sender, connection, is_over: false, quiet: SelfWakeFilter::default() }))
    }

    /// The connection that was used last, of those that are still open.
    async fn kept(&self) -> Option<Box<Driven>> {
        loop {
            let (mut driven, since) = self.idle().pop()?;
            if since.elapsed() < IDLE && driven.is_open().await {
                return Some(driven);
            }
        }
    }

    fn keep(&self, driven: Box<Driven>) {
        let mut idle = self.idle();
        idle.retain(|(_, since)| since.elapsed() < IDLE);
        if idle.len() < MOST_IDLE {
            idle.push((driven, Instant::now()));
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Idle>> {
        self.idle.lock().ignore_poison()
    }
}

impl Driven {
    /// The head of the answer; or why there is none, with the request where nothing of it was sent.
    async fn ask(&mut self, asked: Asked) -> Result<Response<Incoming>, (CarryError, Option<Asked>)> {
        let Driven { sender, connection, is_over, quiet } = self;
        let mut answer = pin!(sender.try_send_request(asked));
        let answered = poll_fn(|context| {
            quiet.poll(context, |inside| {
                drive(connection, is_over, inside);
                answer.as_mut().poll(inside)
            })
        });
        answered.await.map_err(|mut failed| {
            let untouched = failed.take_message();
            (CarryError::innermost(&failed.into_error()), untouched)
        })
    }

    /// Whether the other side has not closed it.
    async fn is_open(&mut self) -> bool {
        poll_fn(|context| {
            self.look(context);
            Poll::Ready(!self.is_over && self.sender.is_ready())
        })
        .await
    }

    /// Reads and writes what can be, for nobody.
    fn look(&mut self, context: &Context<'_>) {
        let Driven { connection, is_over, quiet, .. } = self;
        let _ = quiet.poll(context, |inside| {
            drive(connection, is_over, inside);
            Poll::Ready(())
        });
    }
}

/// Reads and writes what can be.
fn drive(
    connection: &mut Connection<TokioIo<TcpStream>, Full<Bytes>>,
    is_over: &mut bool,
    context: &mut Context<'_>,
) {
    // Why it ended is told to who waits for an answer or its body.
    *is_over = *is_over || Pin::new(connection).poll(context).is_ready();
}

impl NearBody {
    /// The next piece; nothing at the end.
    pub fn poll_piece(&mut self, context: &mut Context<'_>) -> Poll<Result<Option<Bytes>, CarryError>> {
        let NearBody { body, driven, .. } = self;
        let Some(driven) = driven else { return poll_data(body, context) };
        let Driven { connection, is_over, quiet, .. } = &mut **driven;
        let polled = quiet.poll(context, |inside| match poll_data(body, inside) {
            Poll::Pending => {
                drive(connection, is_over, inside);
                poll_data(body, inside)
            }
            ready => ready,
        });
        if matches!(polled, Poll::Ready(Ok(None))) {
            self.is_over(context);
        }
        polled
    }

    /// The connection goes back to those that can be used.
    fn is_over(&mut self, context: &mut Context<'_>) {
        let Some(mut driven) = self.driven.take() else { return };
        driven.look(context);
        if !driven.is_over && driven.sender.is_ready() {
            self.near.keep(driven);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;
    use tokio::sync::mpsc;

    use super::*;

    impl NearBody {
        async fn piece(&mut self) -> Result<Option<Bytes>, CarryError> {
            poll_fn(|context| self.poll_piece(context)).await
        }
    }

    const ANSWER: &str = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello";
    const PIECES: &str = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n";

    /// An upstream that answers each request of a connection with the next of these, and then closes it.
    struct Upstream {
        near: Near,
        connections: Arc<AtomicUsize>,
        /// Hears of every connection that is closed.
        closed: mpsc::UnboundedReceiver<()>,
    }

    async fn upstream(answers: &'static [&'static str]) -> Upstream {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let connections = Arc::new(AtomicUsize::new(0));
        let (tell, closed) = mpsc::unbounded_channel();
        let count = Arc::clone(&connections);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                count.fetch_add(1, Ordering::SeqCst);
                let tell = tell.clone();
                tokio::spawn(async move {
                    let mut buffer = [0; 4096];
                    for answer in answers {
                        if stream.read(&mut buffer).await.unwrap_or(0) == 0 {
                            break;
                        }
                        let _ = stream.write_all(answer.as_bytes()).await;
                    }
                    if answers.last() == Some(&PIECES) {
                        // It goes on for as long as somebody reads.
                        while stream.read(&mut buffer).await.unwrap_or(0) > 0 {}
                    }
                    drop(stream);
                    let _ = tell.send(());
                });
            }
        });
        let base = Url::parse(&format!("http://localhost:{port}")).expect("an address");
        Upstream { near: Near::new(&base).expect("a way"), connections, closed }
    }

    fn request() -> Asked {
        Request::post("/v1/messages").body(Full::from("{}")).expect("a request")
    }

    async fn whole(near: &Near) -> Result<String, CarryError> {
        let mut body = near.send(request()).await?.into_body();
        let mut text = Vec::new();
        while let Some(piece) = body.piece().await? {
            text.extend_from_slice(&piece);
        }
        Ok(String::from_utf8(text).expect("text"))
    }

    #[tokio::test]
    async fn a_connection_is_used_again() {
        let upstream = upstream(&[ANSWER; 5]).await;
        for _ in 0..5 {
            assert_eq!(whole(&upstream.near).await, Ok("hello".to_owned()));
        }
        assert_eq!(upstream.connections.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn one_that_the_upstream_closed_is_not_missed() {
        let mut upstream = upstream(&[ANSWER]).await;
        for number in 1..=4 {
            assert_eq!(whole(&upstream.near).await, Ok("hello".to_owned()), "request {number}");
            assert_eq!(upstream.connections.load(Ordering::SeqCst), number);
            assert_eq!(upstream.closed.recv().await, Some(()));
            // The runtime hears of it when it looks at its sockets.
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn requests_at_once_have_a_connection_each() {
        let upstream = upstream(&[ANSWER; 2]).await;
        let (first, second) = tokio::join!(whole(&upstream.near), whole(&upstream.near));
        assert_eq!((first, second), (Ok("hello".to_owned()), Ok("hello".to_owned())));
        assert_eq!(upstream.connections.load(Ordering::SeqCst), 2);
        assert_eq!(upstream.near.idle().len(), 2);
    }

    #[tokio::test]
    async fn who_does_not_read_on_closes_the_connection() {
        let mut upstream = upstream(&[PIECES]).await;
        let mut body = upstream.near.send(request()).await.expect("a head").into_body();
        assert_eq!(body.piece().await, Ok(Some(Bytes::from("ab"))));
        drop(body);
        assert_eq!(upstream.closed.recv().await, Some(()));
        assert_eq!(upstream.near.idle().len(), 0);
    }

    #[tokio::test]
    async fn a_body_that_breaks_off_is_told_and_not_kept() {
        let upstream = upstream(&["HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\nhello"]).await;
        assert!(whole(&upstream.near).await.is_err());
        assert_eq!(upstream.near.idle().len(), 0);
    }

    #[tokio::test]
    async fn nobody_there_is_told() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        drop(listener);
        let base = Url::parse(&format!("http://127.0.0.1:{port}")).expect("an address");
        let near = Near::new(&base).expect("a way");
        let error = near.send(request()).await.err().expect("no answer").to_string();
        assert!(error.to_lowercase().contains("refused"), "{error}");
    }
}
