//! A port with something simple behind it, and raw sockets to speak to it.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::Frame;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use toolwright_endpoints::Endpoint;
use toolwright_mcp::front::Visitor;
use toolwright_port::{
    Allowed, Api, Counts, Inside, Keys, Metrics, Reach, Reply, Stop, TokenFolder, Web, WebLimits, WebOptions,
    bind,
};

/// What large answers are made of: shared, so that many of them cost nothing.
static LARGE: LazyLock<Bytes> = LazyLock::new(|| Bytes::from(vec![b'x'; 16 << 20]));

/// Tells what it was asked; `sleep:N` in the body is answered after N milliseconds, `large:N` with N bytes, and
/// a GET is a stream without end.
#[derive(Default)]
pub struct Told {
    pub answered: AtomicUsize,
    pub is_closed: AtomicBool,
}

impl Inside for Told {
    fn answer(&self, endpoint: Endpoint, request: Request<Bytes>, visitor: Visitor) -> Reply<'_> {
        Box::pin(async move {
            if matches!(&endpoint, Endpoint::Toolbox(name) if !self.toolboxes().contains(name)) {
                return None;
            }
            let body = String::from_utf8_lossy(request.body()).into_owned();
            let number = |word: &str| body.strip_prefix(word).and_then(|rest| rest.parse::<u64>().ok());
            if let Some(millis) = number("sleep:") {
                tokio::time::sleep(Duration::from_millis(millis)).await;
            }
            self.answered.fetch_add(1, Ordering::Relaxed);
            if request.method() == http::Method::GET {
                return Some(Response::new(endless()));
            }
            if let Some(bytes) = number("large:") {
                return Some(Response::new(Full::new(LARGE.slice(..bytes as usize)).boxed_unsync()));
            }
            let headers: Vec<&str> = request.headers().keys().map(http::HeaderName::as_str).collect();
            let text = format!("{endpoint:?} for {} with {headers:?}: {body}", visitor.name);
            Some(whole(text))
        })
    }

    fn toolboxes(&self) -> Vec<String> {
        vec!["dev".to_owned(), "my tools".to_owned(), "prod".to_owned()]
    }

    fn counts(&self) -> Counts {
        Counts {
            sessions: 3,
            servers: BTreeMap::from([("ready".to_owned(), 2)]),
            tools: 7,
            ..Counts::default()
        }
    }

    fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
    }

    fn give_up(&self) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(std::future::ready(()))
    }
}

type Boxed = toolwright_port::InsideBody;

fn whole(text: String) -> Response<Boxed> {
    Response::new(Full::new(Bytes::from(text)).boxed_unsync())
}

fn endless() -> Boxed {
    let (sender, receiver) = mpsc::channel::<Result<Frame<Bytes>, Infallible>>(1);
    tokio::spawn(async move {
        let event = Frame::data(Bytes::from_static(b": here\n\n"));
        let _ = sender.send(Ok(event)).await;
        sender.closed().await;
    });
    let stream = futures_util::stream::unfold(receiver, |mut receiver| async {
        receiver.recv().await.map(|frame| (frame, receiver))
    });
    StreamBody::new(stream).boxed_unsync()
}

/// A port that serves.
pub struct Port {
    pub address: SocketAddr,
    pub token: String,
    pub folder: TokenFolder,
    pub inside: Arc<Told>,
    pub stop: Stop,
    pub serving: JoinHandle<()>,
    _state: tempfile::TempDir,
}

impl Drop for Port {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// Who may come in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Doors {
    Locked,
    Open,
}

pub async fn port() -> Port {
    port_with(Doors::Locked, WebLimits::default(), Allowed::default()).await
}

pub async fn port_with_limits(limits: WebLimits) -> Port {
    port_with(Doors::Locked, limits, Allowed::default()).await
}

pub async fn port_with(doors: Doors, limits: WebLimits, allowed: Allowed) -> Port {
    port_telling(doors, limits, allowed, None).await
}

/// A port that tells of calls, too.
pub async fn port_telling(doors: Doors, limits: WebLimits, allowed: Allowed, api: Option<Api>) -> Port {
    let state = tempfile::tempdir().expect("a folder");
    let folder = TokenFolder::new(state.path().join("toolwright"));
    let (keys, token) = match doors {
        Doors::Locked => Keys::in_folder(folder.clone()).expect("a token"),
        Doors::Open => (Keys::none_needed(), String::new()),
    };
    let bound = bind(SocketAddr::from(([127, 0, 0, 1], 0)), Reach::Loopback).await.expect("a port");
    let address = bound.address;
    let inside = Arc::new(Told::default());
    let behind: Arc<dyn Inside> = Arc::clone(&inside) as _;
    let metrics = Metrics::new(Arc::default());
    let options = WebOptions { inside: behind, keys, allowed, limits, metrics, api, llm: None, pages: None };
    let web = Web::new(address, options).expect("a guard");
    let stop = web.stop();
    let serving = tokio::spawn(async move { web.serve(bound).await });
    Port { address, token, folder, inside, stop, serving, _state: state }
}

/// An answer as it came.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

impl Port {
    /// Sends these bytes on a connection of their own and reads the answer; nothing when there is none.
    pub async fn raw(&self, request: &str) -> Option<Answer> {
        let mut stream = TcpStream::connect(self.address).await.ok()?;
        stream.write_all(request.as_bytes()).await.ok()?;
        let body = if request.starts_with("HEAD ") { Body::None } else { Body::AsTheHeadSays };
        read_answer_to(&mut stream, body).await
    }

    /// A request that is let in.
    pub async fn ask(&self, method: &str, path: &str, more: &str, body: &str) -> Answer {
        let own = format!("Authorization: Bearer {}\r\n{more}", self.token);
        self.ask_as(method, path, &own, body).await
    }

    /// A request with these headers.
    pub async fn ask_as(&self, method: &str, path: &str, headers: &str, body: &str) -> Answer {
        let request = self.request(method, path, headers, body);
        self.raw(&request).await.expect("an answer")
    }

    pub fn request(&self, method: &str, path: &str, headers: &str, body: &str) -> String {
        let (port, length) = (self.address.port(), body.len());
        format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
        )
    }

    pub fn bearer(&self) -> String {
        format!("Authorization: Bearer {}\r\n", self.token)
    }
}

/// Reads one answer: its head, and as much of a body as the head says, or what there is of a stream.
pub async fn read_answer(stream: &mut TcpStream) -> Option<Answer> {
    read_answer_to(stream, Body::AsTheHeadSays).await
}

#[derive(PartialEq)]
enum Body {
    AsTheHeadSays,
    /// A HEAD has none, whatever the head says.
    None,
}

async fn read_answer_to(stream: &mut TcpStream, expected: Body) -> Option<Answer> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end;
        }
        let mut piece = [0; 4096];
        match stream.read(&mut piece).await {
            Ok(0) | Err(_) => return None,
            Ok(count) => bytes.extend_from_slice(&piece[..count]),
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let mut answer = Answer { status, head, body: String::new() };
    let mut body = bytes.split_off(end + 4);
    let length: usize = answer.header("content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
    while expected == Body::AsTheHeadSays && body.len() < length {
        let mut piece = vec![0; 64 << 10];
        match stream.read(&mut piece).await {
            Ok(0) | Err(_) => return None,
            Ok(count) => body.extend_from_slice(&piece[..count]),
        }
    }
    answer.body = String::from_utf8_lossy(&body).into_owned();
    Some(answer)
}

/// Reads a stream of chunks to its end.
pub async fn read_to_last_chunk(stream: &mut TcpStream) -> bool {
    let mut bytes = Vec::new();
    let reading = async {
        while !bytes.ends_with(b"0\r\n\r\n") {
            let mut piece = [0; 4096];
            match stream.read(&mut piece).await {
                Ok(0) | Err(_) => return,
                Ok(count) => bytes.extend_from_slice(&piece[..count]),
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(20), reading).await.is_ok()
}

/// Waits until something is so, for a generous time.
pub async fn until(what: &str, is_so: impl Fn() -> bool) {
    for _ in 0..1000 {
        if is_so() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{what} did not come to be");
}
