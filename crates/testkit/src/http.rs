//! HTTP servers for tests: every request is answered by a function that decides about each byte.

use std::future::Future;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use toolwright_base::IgnorePoison;

/// A server on a port of its own. It ends with its last clone.
#[derive(Clone)]
pub struct HttpServer {
    /// Its address, without a path.
    pub url: String,
    seen: Arc<Mutex<Vec<Asked>>>,
    _task: Arc<EndOnDrop>,
}

struct EndOnDrop(JoinHandle<()>);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// A request that came.
#[derive(Clone, Debug)]
pub struct Asked {
    /// GET, POST or DELETE.
    pub method: String,
    /// The path with its query.
    pub path: String,
    /// The headers, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: String,
}

impl Asked {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// A part of the body, by its pointer; null when it is not there.
    pub fn json(&self, pointer: &str) -> serde_json::Value {
        let body: serde_json::Value = serde_json::from_str(&self.body).unwrap_or_default();
        body.pointer(pointer).cloned().unwrap_or_default()
    }

    /// The method of the message in the body.
    pub fn message(&self) -> String {
        self.json("/method").as_str().unwrap_or_default().to_owned()
    }
}

/// Who asked, waiting for what comes back.
pub struct Caller(TcpStream);

impl Caller {
    /// Answers with a body.
    pub async fn answer(mut self, status: u16, headers: &[(&str, &str)], body: &str) {
        let length = body.len().to_string();
        self.head(status, headers, ("content-length", &length)).await;
        self.raw(body.as_bytes()).await;
    }

    /// Answers with JSON.
    pub async fn json(self, status: u16, headers: &[(&str, &str)], body: &str) {
        let mut all = vec![("content-type", "application/json")];
        all.extend_from_slice(headers);
        self.answer(status, &all, body).await;
    }

    /// Answers with JSON, of which only a half comes.
    pub async fn half_body(&mut self, body: &str) {
        let length = body.len().to_string();
        self.head(200, &[("content-type", "application/json")], ("content-length", &length)).await;
        self.raw(&body.as_bytes()[..body.len() / 2]).await;
    }

    /// Begins a stream of events. What is dropped without [`Caller::end`] is cut.
    pub async fn events(mut self, headers: &[(&str, &str)]) -> Caller {
        let mut all = vec![("content-type", "text/event-stream")];
        all.extend_from_slice(headers);
        self.head(200, &all, ("transfer-encoding", "chunked")).await;
        self
    }

    /// Writes a part of a stream.
    pub async fn write(&mut self, part: &[u8]) {
        self.raw(format!("{:x}\r\n", part.len()).as_bytes()).await;
        self.raw(part).await;
        self.raw(b"\r\n").await;
    }

    /// Writes an event with a message.
    pub async fn message(&mut self, message: &str) {
        self.write(format!("event: message\ndata: {message}\n\n").as_bytes()).await;
    }

    /// Ends a stream as it should be.
    pub async fn end(mut self) {
        self.raw(b"0\r\n\r\n").await;
    }

    /// Waits until who asked has gone away.
    pub async fn gone(&mut self) {
        let mut byte = [0];
        while let Ok(1..) = self.0.read(&mut byte).await {}
    }

    async fn head(&mut self, status: u16, headers: &[(&str, &str)], length: (&str, &str)) {
        let mut head =
            format!("HTTP/1.1 {status} Test\r\nconnection: close\r\n{}: {}\r\n", length.0, length.1);
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        self.raw(head.as_bytes()).await;
    }

    async fn raw(&mut self, bytes: &[u8]) {
        // Who has gone away does not read.
        let _ = self.0.write_all(bytes).await;
    }
}

impl HttpServer {
    /// Starts a server. Must be called on a tokio runtime.
    pub async fn start<H, F>(handler: H) -> HttpServer
    where
        H: Fn(Asked, Caller) -> F + Send + Sync + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        HttpServer::start_on(listener, handler)
    }

    /// Starts a server on a port that is held already.
    pub fn start_on<H, F>(listener: TcpListener, handler: H) -> HttpServer
    where
        H: Fn(Asked, Caller) -> F + Send + Sync + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let seen = Arc::new(Mutex::new(Vec::new()));
        let handler = Arc::new(handler);
        let log = Arc::clone(&seen);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (handler, log) = (Arc::clone(&handler), Arc::clone(&log));
                tokio::spawn(async move {
                    let _ = stream.set_nodelay(true);
                    if let Some((asked, caller)) = read_request(stream).await {
                        log.lock().ignore_poison().push(asked.clone());
                        handler(asked, caller).await;
                    }
                });
            }
        });
        HttpServer { url, seen, _task: Arc::new(EndOnDrop(task)) }
    }

    /// Every request so far.
    pub fn seen(&self) -> Vec<Asked> {
        self.seen.lock().ignore_poison().clone()
    }

    /// The requests so far whose body has this method.
    pub fn messages(&self, method: &str) -> Vec<Asked> {
        self.seen().into_iter().filter(|asked| asked.message() == method).collect()
    }
}

async fn read_request(mut stream: TcpStream) -> Option<(Asked, Caller)> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 8192];
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end;
        }
        match stream.read(&mut chunk).await {
            // Whoever begins with something else speaks another protocol.
            Ok(count @ 1..) if chunk[0].is_ascii_graphic() || !bytes.is_empty() => {
                bytes.extend_from_slice(&chunk[..count]);
            }
            _ => return None,
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.split("\r\n");
    let mut first = lines.next()?.split(' ');
    let (method, path) = (first.next()?.to_owned(), first.next()?.to_owned());
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length: usize = length.and_then(|(_, value)| value.parse().ok()).unwrap_or(0);
    let mut body = bytes.split_off(end + 4);
    while body.len() < length {
        match stream.read(&mut chunk).await {
            Ok(count @ 1..) => body.extend_from_slice(&chunk[..count]),
            _ => return None,
        }
    }
    let body = String::from_utf8_lossy(&body).into_owned();
    Some((Asked { method, path, headers, body }, Caller(stream)))
}
