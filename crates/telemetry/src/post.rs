//! How things are sent: a POST from the thread of an exporter, never from that of a call.

use std::io::Read;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response, ResponseBodyTooLarge};
use reqwest::blocking::Client;
use reqwest::redirect;

use crate::health::Health;

/// How long one attempt may take.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);
/// How long a connection may take to come about.
const CONNECT: Duration = Duration::from_secs(3);
/// How many bytes of an answer are read.
const MAX_ANSWER: u64 = 1 << 20;

/// Sends, and keeps why it could not.
#[derive(Debug)]
pub(crate) struct Post {
    /// Made by the first thread that sends: a client that blocks cannot be made on a runtime.
    client: OnceLock<Client>,
    health: Arc<Health>,
}

impl Post {
    pub fn new(health: Arc<Health>) -> Post {
        Post { client: OnceLock::new(), health }
    }

    fn client(&self) -> Result<&Client, reqwest::Error> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        let made = Client::builder()
            .timeout(PATIENCE)
            .connect_timeout(CONNECT)
            // A key is for the collector that was named, and nobody else.
            .redirect(redirect::Policy::none())
            .user_agent(concat!("toolwright/", env!("CARGO_PKG_VERSION")))
            .build()?;
        Ok(self.client.get_or_init(|| made))
    }

    fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (parts, body) = request.into_parts();
        let client = self.client()?;
        let request = client.request(parts.method, parts.uri.to_string()).headers(parts.headers).body(body);
        let mut answer = request.send()?;
        let mut bytes = Vec::new();
        Read::by_ref(&mut answer).take(MAX_ANSWER + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MAX_ANSWER {
            return Err(Box::new(ResponseBodyTooLarge::new()));
        }
        let mut response = Response::builder().status(answer.status());
        if let Some(headers) = response.headers_mut() {
            headers.extend(answer.headers().clone());
        }
        Ok(response.body(bytes.into())?)
    }
}

#[async_trait::async_trait]
impl HttpClient for Post {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let sent = self.send(request);
        match &sent {
            Ok(answer) if !answer.status().is_success() => {
                self.health.reason(format!("it answers with status {}", answer.status()));
            }
            Ok(_) => {}
            Err(error) => self.health.reason(why(error.as_ref())),
        }
        sent
    }
}

/// The innermost reason: what is around it names our library, and the address with what may be secret in it.
fn why(error: &(dyn std::error::Error + 'static)) -> String {
    if let Some(error) = error.downcast_ref::<reqwest::Error>()
        && error.is_timeout()
    {
        return format!("no answer within {} seconds", PATIENCE.as_secs());
    }
    let mut innermost = error;
    while let Some(within) = innermost.source() {
        innermost = within;
    }
    innermost.to_string()
}
