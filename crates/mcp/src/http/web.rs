//! One HTTP request: its token, its redirects, and why it did not get through.

use std::error::Error;
use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION};
use reqwest::redirect::Policy;
use reqwest::{Client, Method, Response, Url};
use tokio::net::lookup_host;
use toolwright_base::off_async;
use toolwright_jsonrpc::events::{EventReader, ServerEvent};
use toolwright_jsonrpc::lines::{MAX_LINE_BYTES, Reading};

use super::authorize::Authorizer;
use super::headers::SESSION_ID;
use super::refusal::Refusal;
use super::{CONNECT, HttpTarget};
use crate::{Obstacle, RequestError, Unreachable};

/// How often a request is sent elsewhere on the same server.
const MAX_REDIRECTS: usize = 3;
/// How often a request is tried again because of its login.
const MAX_CHALLENGES: usize = 3;
/// How long a connection that nobody uses is kept. A request that meets the end of its connection is lost,
/// and the common servers of scripting languages end theirs after 5 s.
const IDLE: Duration = Duration::from_secs(4);
/// The same when it is encrypted: those cost more, and what stands before such servers keeps them for a minute.
const IDLE_ENCRYPTED: Duration = Duration::from_secs(45);
/// How often a silent connection is tested.
const KEEP_ALIVE: Duration = Duration::from_secs(30);

/// What an answer may be.
pub(super) const EITHER: &str = "application/json, text/event-stream";
/// The type of a stream of events.
pub(super) const EVENT_STREAM: &str = "text/event-stream";

/// A place on the web and everything that requests to it need.
pub(super) struct Web {
    client: Client,
    url: Url,
    headers: HeaderMap,
    authorizer: Option<Arc<dyn Authorizer>>,
    /// The largest response that is taken, in bytes.
    max_response_bytes: usize,
}

/// A request.
#[derive(Clone)]
pub(super) struct Ask {
    pub method: Method,
    pub url: Url,
    pub headers: HeaderMap,
    pub body: Option<String>,
}

/// What came back.
pub(super) enum Reply {
    Accepted(Response),
    Refused(Refusal),
}

/// Why nothing came back.
#[derive(Debug)]
pub(super) enum SendError {
    /// Nobody can be connected to.
    Unreachable(Unreachable),
    /// This request failed, others may not.
    Failed(RequestError),
}

impl From<RequestError> for SendError {
    fn from(error: RequestError) -> SendError {
        SendError::Failed(error)
    }
}

impl Web {
    /// Fails with a reason when the target is none.
    pub fn new(target: HttpTarget) -> Result<Web, String> {
        let HttpTarget { url, headers, authorizer, max_response_bytes, .. } = target;
        let max_response_bytes = max_response_bytes.unwrap_or(MAX_LINE_BYTES);
        let parsed = Url::parse(&url).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let url =
            parsed.filter(Url::has_host).ok_or_else(|| format!("\"{url}\" is no address of a server"))?;
        let mut given = HeaderMap::new();
        for (name, value) in headers {
            let (name, value) =
                header(&name, &value).ok_or_else(|| format!("\"{name}\" is no valid header"))?;
            given.append(name, value);
        }
        let mut client = Client::builder()
            .connect_timeout(CONNECT)
            .tcp_nodelay(true)
            .tcp_keepalive(KEEP_ALIVE)
            .pool_idle_timeout(if url.scheme() == "https" { IDLE_ENCRYPTED } else { IDLE })
            // They are followed here: a redirect could carry a login to somebody else.
            .redirect(Policy::none())
            .user_agent(concat!("toolwright/", env!("CARGO_PKG_VERSION")));
        if is_loopback(&url) {
            client = client.no_proxy();
        }
        let client = client.build().map_err(|error| innermost(&error))?;
        Ok(Web { client, url, headers: given, authorizer, max_response_bytes })
    }

    /// The address.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// The address without what may be secret in it.
    pub fn place(&self) -> String {
        place(&self.url)
    }

    /// A request for the server's address.
    pub fn ask(&self, method: Method, accept: &'static str) -> Ask {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static(accept));
        Ask { method, url: self.url.clone(), headers, body: None }
    }

    /// Sends a request; a refusal that is about the login is taken to who knows it.
    pub async fn send(&self, ask: &Ask) -> Result<Reply, SendError> {
        let mut challenges = 0;
        loop {
            let response = self.follow(ask).await?;
            if response.status().is_success() {
                return Ok(Reply::Accepted(response));
            }
            let refusal = Refusal::read(response).await;
            let is_about_session = ask.headers.contains_key(SESSION_ID) && refusal.is_lost_session();
            let is_about_login = refusal.is_about_login() && !is_about_session;
            let Some(authorizer) = self.authorizer.as_ref().filter(|_| is_about_login) else {
                return Ok(Reply::Refused(refusal));
            };
            challenges += 1;
            let told = refusal.www_authenticate.clone();
            if challenges > MAX_CHALLENGES || !authorizer.challenged(refusal.status, told).await? {
                return Ok(Reply::Refused(refusal));
            }
        }
    }

    async fn follow(&self, ask: &Ask) -> Result<Response, SendError> {
        let mut headers = self.headers.clone();
        for (name, value) in &ask.headers {
            headers.insert(name, value.clone());
        }
        if let Some(authorizer) = &self.authorizer
            && let Some(token) = authorizer.token().await?
        {
            let value = format!("Bearer {token}");
            let (_, value) = header(AUTHORIZATION.as_str(), &value)
                .ok_or_else(|| RequestError::Unauthorized("its token has characters of no token".into()))?;
            headers.insert(AUTHORIZATION, value);
        }
        if ask.body.is_some() {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        let mut url = ask.url.clone();
        for _ in 0..=MAX_REDIRECTS {
            let mut request = self.client.request(ask.method.clone(), url.clone()).headers(headers.clone());
            if let Some(body) = &ask.body {
                request = request.body(body.clone());
            }
            let response = match request.send().await {
                Ok(response) => response,
                Err(error) => return Err(self.failed(&error).await),
            };
            let status = response.status().as_u16();
            let Some(next) = target_of(&response, &url) else { return Ok(response) };
            if next.origin() != self.url.origin() {
                let said = format!("it points to {}; give that address if you trust it", place(&next));
                return Err(RequestError::Http { status, said: Some(said) }.into());
            }
            url = next;
        }
        let said = Some("it points from one address to the next without end".to_owned());
        Err(RequestError::Http { status: 302, said }.into())
    }

    /// Why a request had no response. What kind of failure it is comes from the types of the errors, never from their
    /// messages: those belong to other libraries and change.
    async fn failed(&self, error: &reqwest::Error) -> SendError {
        let reason = innermost(error);
        if !error.is_connect() {
            return RequestError::NoAnswer(format!("the connection broke ({reason})")).into();
        }
        let host = self.url.host_str().unwrap_or_default();
        let port = self.url.port_or_known_default().unwrap_or_default();
        let obstacle = self.obstacle(error, host, port).await;
        let message = match obstacle {
            Obstacle::ConnectTimeout => {
                format!("{host} did not take a connection on port {port} within {} s", CONNECT.as_secs())
            }
            Obstacle::ConnectionRefused => {
                format!("nothing listens on port {port} of {host}; check that the server runs there")
            }
            Obstacle::UnknownHost => format!("the name {host} is not known ({reason})"),
            Obstacle::Tls => format!("no safe connection to {host} could be made ({reason})"),
            Obstacle::Other => format!("{host} cannot be reached on port {port} ({reason})"),
        };
        SendError::Unreachable(Unreachable { obstacle, message })
    }

    /// What kept a connection to this host and port from being made.
    async fn obstacle(&self, error: &reqwest::Error, host: &str, port: u16) -> Obstacle {
        if error.is_timeout() {
            return Obstacle::ConnectTimeout;
        }
        match io_error(error) {
            Some(io) if io.kind() == ErrorKind::ConnectionRefused => return Obstacle::ConnectionRefused,
            // The system itself refused, for another reason: no route, too many open files.
            Some(io) if io.raw_os_error().is_some() => return Obstacle::Other,
            _ => {}
        }
        // A resolver's failure has no type of its own, so the name is looked up once more.
        if !host.starts_with('[') && lookup_host((host, port)).await.is_err() {
            return Obstacle::UnknownHost;
        }
        if self.url.scheme() == "https" { Obstacle::Tls } else { Obstacle::Other }
    }
}

/// The error of the operating system or of the TLS library behind a failed request.
fn io_error(error: &reqwest::Error) -> Option<&std::io::Error> {
    let mut source = error.source();
    while let Some(current) = source {
        if let Some(io) = current.downcast_ref::<std::io::Error>() {
            return Some(io);
        }
        source = current.source();
    }
    None
}

/// A header of this name and value, which no log shows.
pub(super) fn header(name: &str, value: &str) -> Option<(HeaderName, HeaderValue)> {
    let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
    let mut value = HeaderValue::from_str(value).ok()?;
    value.set_sensitive(true);
    Some((name, value))
}

/// Where a redirect points to, when the same request may go there.
fn target_of(response: &Response, from: &Url) -> Option<Url> {
    if !matches!(response.status().as_u16(), 301 | 302 | 307 | 308) {
        return None;
    }
    from.join(response.headers().get(LOCATION)?.to_str().ok()?).ok()
}

fn place(url: &Url) -> String {
    format!("{}{}", url.origin().ascii_serialization(), url.path())
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

/// The innermost reason. The outer ones repeat the address, which may be secret.
pub(super) fn innermost(error: &reqwest::Error) -> String {
    let Some(mut reason) = error.source() else {
        return "the request could not be sent".to_owned();
    };
    while let Some(inner) = reason.source() {
        reason = inner;
    }
    reason.to_string()
}

/// The type of an answer, without its parameters.
pub(super) fn content_type(response: &Response) -> String {
    let value = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    value.unwrap_or_default().split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

impl Web {
    /// The whole body of an answer, when it is not too long.
    pub async fn body(&self, mut response: Response) -> Result<Vec<u8>, RequestError> {
        let mut body = Vec::new();
        loop {
            match response.chunk().await {
                Ok(Some(chunk)) if body.len() + chunk.len() > self.max_response_bytes => {
                    return Err(RequestError::too_long(self.max_response_bytes));
                }
                Ok(Some(chunk)) => body.extend_from_slice(&chunk),
                Ok(None) => return Ok(body),
                Err(error) => {
                    let reason = innermost(&error);
                    return Err(RequestError::NoAnswer(format!("the connection broke within it ({reason})")));
                }
            }
        }
    }

    /// The events of an answer that is a stream of them.
    pub fn events(&self, response: Response) -> EventStream {
        let reader = EventReader::new(self.max_response_bytes);
        EventStream { response, reader, ready: Default::default() }
    }
}

/// An answer that is a stream of events.
pub(super) struct EventStream {
    response: Response,
    reader: EventReader,
    ready: std::collections::VecDeque<ServerEvent>,
}

impl EventStream {
    /// The next event; `None` at the end, however it came.
    pub async fn next(&mut self) -> Option<ServerEvent> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            match self.response.chunk().await {
                Ok(Some(chunk)) => self.reader.push(&chunk, |event| self.ready.push_back(event)),
                Ok(None) => return None,
                Err(error) => {
                    tracing::debug!(reason = %innermost(&error), "a stream broke");
                    return None;
                }
            }
        }
    }
}

/// The messages in an event, and what else is there.
pub(super) fn read_event(event: &ServerEvent) -> Reading {
    off_async(event.data().map_or(0, <[u8]>::len), || event.read())
}
