//! Who asks, and answers that we make ourselves.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use http::header::{ALLOW, CONTENT_ENCODING, CONTENT_TYPE, HeaderName};
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode, Uri};
use http_body_util::{BodyExt, Full};
use toolwright_base::since_epoch;
use toolwright_llm::exchange::{Asked, Fresh, OtherModel};
use toolwright_llm::models::ModelPattern;
use toolwright_llm::{Dialect, Failure, FailureKind, dialects};

use crate::ProxyBody;
use crate::headers;

/// The alphabet of ids: what every dialect takes in one.
const LETTERS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// How many letters an id has.
const ID_LETTERS: usize = 24;

/// Somebody who was let in.
#[derive(Clone, Debug, Default)]
pub struct Visit {
    /// The name of its token.
    pub client: String,
    /// The models that it may ask; all when absent.
    pub models: Option<Arc<[String]>>,
    /// The client's own key for the provider, where the token came by another header.
    pub own_key: HeaderMap,
}

impl Visit {
    /// Whether it may ask this model. Some routers read a list in it: then it may ask every one of them.
    pub(super) fn may_ask(&self, model: &str) -> bool {
        let Some(patterns) = &self.models else { return true };
        let takes = |pattern: &String, model: &str| {
            ModelPattern::new(pattern).is_ok_and(|pattern| pattern.takes(model))
        };
        let may_ask = |model: &str| patterns.iter().any(|pattern| takes(pattern, model));
        may_ask(model) && model.split(',').all(|one| may_ask(one.trim()))
    }

    /// The headers that an upstream gets: of a token for some models only those of which it is known that they choose
    /// no other model. Routers have headers of their own for that, and more of them come.
    pub(super) fn headers(&self, mut headers: HeaderMap) -> HeaderMap {
        if self.models.is_some() {
            let others: Vec<HeaderName> =
                headers.keys().filter(|name| !headers::is_harmless(name.as_str())).cloned().collect();
            for name in others {
                headers.remove(name);
            }
        }
        headers
    }

    /// The same for the query.
    pub(super) fn query<'u>(&self, uri: &'u Uri) -> Option<Cow<'u, str>> {
        let query = uri.query()?;
        if self.models.is_none() {
            return Some(Cow::Borrowed(query));
        }
        let is_harmless = |pair: &&str| {
            let key = pair.split('=').next().unwrap_or_default();
            matches!(key, "beta" | "api-version")
        };
        let kept: Vec<&str> = query.split('&').filter(is_harmless).collect();
        (!kept.is_empty()).then(|| Cow::Owned(kept.join("&")))
    }

    /// Refuses a request that leads to a model which this token may not ask, in another way than by its `model`.
    pub(super) fn may_ask_others(&self, asked: &Asked) -> Result<(), Failure> {
        let Some(models) = &self.models else { return Ok(()) };
        for OtherModel { member, model } in asked.other_models() {
            let what = match &model {
                Some(model) if self.may_ask(model) => continue,
                Some(model) => format!("the model \"{model}\", which \"{member}\" names"),
                None => format!("\"{member}\", by which the provider chooses a model"),
            };
            let what =
                format!("the token \"{}\" may not use {what}; it may ask {}", self.client, models.join(", "));
            return Err(Failure::new(FailureKind::Permission, what).about(member));
        }
        Ok(())
    }
}

/// Time and chance for one exchange.
pub(crate) fn fresh() -> Fresh {
    let since = since_epoch();
    let mut bytes = [0; ID_LETTERS];
    if aws_lc_rs::rand::fill(&mut bytes).is_err() {
        // Without randomness the time tells exchanges apart well enough.
        let nanos = since.as_nanos().to_le_bytes();
        bytes.iter_mut().zip(nanos.iter().cycle()).for_each(|(byte, nano)| *byte = *nano);
    }
    let id = bytes.iter().map(|byte| char::from(LETTERS[usize::from(*byte) % LETTERS.len()])).collect();
    Fresh { id, created: since.as_secs() }
}

/// A whole answer.
pub(crate) fn whole(status: u16, kind: &'static str, body: impl Into<Bytes>) -> Response<ProxyBody> {
    let mut response = Response::new(Full::new(body.into()).boxed_unsync());
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

/// A whole answer in JSON.
pub(crate) fn json(status: u16, body: impl Into<Bytes>) -> Response<ProxyBody> {
    whole(status, "application/json", body)
}

/// An error in the client's dialect.
pub fn failure(dialect: Dialect, failure: &Failure, id: &str) -> Response<ProxyBody> {
    let request_id = format!("req_{id}");
    let mut response = json(failure.status, dialects::of(dialect).write_error(failure, &request_id));
    name(dialect, &mut response, &request_id);
    response
}

/// The answer to a method that is not possible at a path.
pub(crate) fn wrong_method(
    dialect: Dialect,
    method: &Method,
    allowed: &'static str,
    id: &str,
) -> Response<ProxyBody> {
    let what = format!("{method} is not possible here; use {allowed}");
    let mut response = failure(dialect, &Failure::invalid(what).with_status(405), id);
    response.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
    response
}

/// Refuses a body that is compressed: nothing here unpacks it.
pub(crate) fn check_encoding(headers: &HeaderMap) -> Result<(), Failure> {
    match encoding(headers) {
        None => Ok(()),
        Some(encoding) => {
            let what = format!("the body is sent with content-encoding: {encoding}; send it without");
            Err(Failure::invalid(what).with_status(415))
        }
    }
}

/// How a body is compressed, where it is.
pub(crate) fn encoding(headers: &HeaderMap) -> Option<&str> {
    let encoding = headers.get(CONTENT_ENCODING)?.to_str().unwrap_or("unknown").trim();
    (!encoding.is_empty() && !encoding.eq_ignore_ascii_case("identity")).then_some(encoding)
}

/// Names an answer, so that it can be found again.
pub(crate) fn name(dialect: Dialect, response: &mut Response<ProxyBody>, request_id: &str) {
    let header = HeaderName::from_static(dialects::of(dialect).request_id_header());
    if let Ok(value) = HeaderValue::from_str(request_id) {
        response.headers_mut().entry(header).or_insert(value);
    }
}

/// An error that we tell a client of this dialect before anything was asked.
pub fn refusal(dialect: Dialect, status: u16, message: &str) -> Response<ProxyBody> {
    let kind = toolwright_llm::FailureKind::of_status(status);
    failure(dialect, &Failure::new(kind, message).with_status(status), &fresh().id)
}
