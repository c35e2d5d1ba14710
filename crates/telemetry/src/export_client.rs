//! HTTP client of the exporters: sends POST requests from the exporter thread, never from that of a call.

use std::io::Read;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response, ResponseBodyTooLarge};
use reqwest::blocking::Client;
use reqwest::redirect;

use crate::health::ExportHealth;

/// The timeout of one attempt.
pub(crate) const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(10);
/// The timeout of a connection attempt.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// The largest response body that is read.
const MAX_RESPONSE_BYTES: u64 = 1 << 20;

/// Sends export requests and stores the reason of a failure.
#[derive(Debug)]
pub(crate) struct ExportClient {
    /// Created by the exporter thread on first use: a blocking client cannot be created on an async runtime.
    client: OnceLock<Client>,
    health: Arc<ExportHealth>,
}

impl ExportClient {
    pub fn new(health: Arc<ExportHealth>) -> ExportClient {
        ExportClient { client: OnceLock::new(), health }
    }

    fn client(&self) -> Result<&Client, reqwest::Error> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        let client = Client::builder()
            .timeout(ATTEMPT_TIMEOUT)
            .connect_timeout(CONNECT_TIMEOUT)
            // A redirect must not carry the API key to another host.
            .redirect(redirect::Policy::none())
            .user_agent(concat!("toolwright/", env!("CARGO_PKG_VERSION")))
            .build()?;
        Ok(self.client.get_or_init(|| client))
    }

    fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (parts, body) = request.into_parts();
        let client = self.client()?;
        let request = client.request(parts.method, parts.uri.to_string()).headers(parts.headers).body(body);
        let mut received = request.send()?;
        let mut bytes = Vec::new();
        Read::by_ref(&mut received).take(MAX_RESPONSE_BYTES + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MAX_RESPONSE_BYTES {
            return Err(Box::new(ResponseBodyTooLarge::new()));
        }
        let mut response = Response::builder().status(received.status());
        if let Some(headers) = response.headers_mut() {
            headers.extend(received.headers().clone());
        }
        Ok(response.body(bytes.into())?)
    }
}

#[async_trait::async_trait]
impl HttpClient for ExportClient {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let sent = self.send(request);
        match &sent {
            Ok(response) if !response.status().is_success() => {
                self.health.store_reason(format!("it answers with status {}", response.status()));
            }
            Ok(_) => {}
            Err(error) => self.health.store_reason(innermost_cause(error.as_ref())),
        }
        sent
    }
}

/// The innermost cause of an error: the outer ones contain the name of the HTTP library, and the address with possible
/// secrets.
fn innermost_cause(error: &(dyn std::error::Error + 'static)) -> String {
    if let Some(error) = error.downcast_ref::<reqwest::Error>()
        && error.is_timeout()
    {
        return format!("no answer within {} seconds", ATTEMPT_TIMEOUT.as_secs());
    }
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}
