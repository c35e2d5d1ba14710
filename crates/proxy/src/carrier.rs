//! How a request goes to an upstream: plainly to one on this machine, with TLS and proxies to any other.
//!
//! Models on this machine answer within microseconds, so that what a client of all the web does on the way (redirects,
//! retries, proxies) is a part of the time that can be seen.

mod near;

use std::error::Error;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, USER_AGENT};
use http::uri::Scheme;
use http::{HeaderMap, HeaderValue, Method, Request, Response};
use http_body_util::Full;
use hyper::body::Body;
use near::{Near, NearBody};
use reqwest::Url;
use reqwest::redirect::Policy;

/// How long connecting may take.
const CONNECT: Duration = Duration::from_secs(10);
/// How long a connection that nobody uses is kept.
const IDLE: Duration = Duration::from_secs(20);
/// How often a silent connection is tested.
const KEEP_ALIVE: Duration = Duration::from_secs(30);
/// Who we say we are.
const AGENT: &str = concat!("toolwright/", env!("CARGO_PKG_VERSION"));

/// A way to an upstream, with its connections.
pub(crate) enum Carrier {
    /// To one on this machine: nothing is encrypted, and nobody stands between.
    Near(Near),
    /// To any other, at this address.
    Far(reqwest::Client, Url),
}

/// An answer whose body is still on its way.
pub(crate) type Carried = Response<CarriedBody>;

/// A body on its way.
pub(crate) enum CarriedBody {
    Near(NearBody),
    Far(reqwest::Body),
}

/// What was at the bottom of a failure.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct CarryError(String);

impl Carrier {
    /// The way to this address.
    pub fn new(base: &Url) -> Result<Carrier, CarryError> {
        // A name and a password in the address are a header of their own.
        let is_plain = base.scheme() == Scheme::HTTP.as_str() && base.username().is_empty();
        if is_loopback(base) && is_plain {
            return Near::new(base).map(Carrier::Near);
        }
        let mut client = reqwest::Client::builder()
            .connect_timeout(CONNECT)
            .tcp_nodelay(true)
            .tcp_keepalive(KEEP_ALIVE)
            .pool_idle_timeout(IDLE)
            // A redirect could carry a key to somebody else.
            .redirect(Policy::none());
        if is_loopback(base) {
            client = client.no_proxy();
        }
        let client = client.build();
        client.map(|client| Carrier::Far(client, base.clone())).map_err(|error| CarryError::innermost(&error))
    }

    /// Sends a request to a place at the upstream, `/v1/messages?beta=true`, and waits for the head of its answer.
    pub async fn send(
        &self,
        method: Method,
        place: &str,
        mut headers: HeaderMap,
        body: Option<String>,
    ) -> Result<Carried, CarryError> {
        headers.entry(ACCEPT).or_insert(HeaderValue::from_static("*/*"));
        headers.entry(USER_AGENT).or_insert(HeaderValue::from_static(AGENT));
        match self {
            Carrier::Near(near) => {
                let mut request = Request::new(Full::from(body.unwrap_or_default()));
                *request.method_mut() = method;
                *request.uri_mut() = place.parse().map_err(|error| CarryError::innermost(&error))?;
                *request.headers_mut() = headers;
                Ok(near.send(request).await?.map(CarriedBody::Near))
            }
            Carrier::Far(client, base) => {
                let (path, query) =
                    place.split_once('?').map_or((place, None), |(path, query)| (path, Some(query)));
                let mut url = base.clone();
                url.set_path(path);
                url.set_query(query);
                let mut request = client.request(method, url).headers(headers);
                if let Some(body) = body {
                    request = request.body(body);
                }
                let answer = request.send().await.map_err(|error| CarryError::innermost(&error))?;
                Ok(Response::from(answer).map(CarriedBody::Far))
            }
        }
    }
}

impl CarriedBody {
    /// The next piece; nothing at the end.
    pub async fn piece(&mut self) -> Result<Option<Bytes>, CarryError> {
        poll_fn(|context| self.poll_piece(context)).await
    }

    /// The same for who waits for something else too.
    pub fn poll_piece(&mut self, context: &mut Context<'_>) -> Poll<Result<Option<Bytes>, CarryError>> {
        let body = match self {
            CarriedBody::Near(body) => return body.poll_piece(context),
            CarriedBody::Far(body) => body,
        };
        poll_data(body, context)
    }
}

/// What has come of a body; nothing at its end. What comes behind it is nothing for clients.
fn poll_data<B>(body: &mut B, context: &mut Context<'_>) -> Poll<Result<Option<Bytes>, CarryError>>
where
    B: Body<Data = Bytes, Error: Error + 'static> + Unpin,
{
    loop {
        return match ready!(Pin::new(&mut *body).poll_frame(context)) {
            Some(Ok(frame)) => match frame.into_data() {
                Ok(piece) => Poll::Ready(Ok(Some(piece))),
                Err(_) => continue,
            },
            Some(Err(error)) => Poll::Ready(Err(CarryError::innermost(&error))),
            None => Poll::Ready(Ok(None)),
        };
    }
}

impl CarryError {
    fn innermost(error: &(dyn Error + 'static)) -> CarryError {
        let mut cause = error;
        while let Some(source) = cause.source() {
            cause = source;
        }
        CarryError(cause.to_string())
    }
}

fn is_loopback(url: &Url) -> bool {
    match url.host_str() {
        Some("localhost") => true,
        Some(host) => {
            host.trim_matches(['[', ']']).parse().is_ok_and(|address: std::net::IpAddr| address.is_loopback())
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_on_this_machine_and_needs_no_more_is_near() {
        for (address, is_near) in [
            ("http://127.0.0.1:11434", true),
            ("http://localhost:8080/v1", true),
            ("http://[::1]:8080", true),
            ("https://localhost:8080", false),
            ("http://me:secret@127.0.0.1:8080", false),
            ("http://192.168.1.7:11434", false),
            ("https://api.anthropic.com", false),
        ] {
            let carrier = Carrier::new(&Url::parse(address).expect("an address")).expect("a way");
            assert_eq!(matches!(carrier, Carrier::Near(_)), is_near, "{address}");
        }
    }
}
