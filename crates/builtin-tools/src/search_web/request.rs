//! One HTTP request to a provider: in time, bounded, and without giving its key away.

use std::error::Error;
use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, Response, StatusCode, Url};
use serde_json::Value;

use super::provider::SearchError;
use super::text;

/// The largest answer that is read, in bytes.
const MAX_ANSWER_BYTES: usize = 2 << 20;
/// How much of a provider's own error text is repeated.
const MAX_DETAIL_CHARS: usize = 200;

/// The address of a provider and the connection to it.
pub(super) struct Http {
    /// Without it the reason: a machine without certificates can still use every other tool.
    client: Result<Client, String>,
    url: Url,
    timeout: Duration,
}

impl Http {
    pub(super) fn new(url: Url, timeout: Duration) -> Http {
        let client = Client::builder()
            .timeout(timeout)
            // A redirect could carry the key to somebody else.
            .redirect(Policy::none())
            .user_agent(concat!("toolwright/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| innermost(&error));
        Http { client, url, timeout }
    }

    /// Begins a request.
    pub(super) fn get(&self) -> Result<RequestBuilder, SearchError> {
        let client = self.client.as_ref().map_err(|reason| SearchError::Unreachable(reason.clone()))?;
        Ok(client.get(self.url.clone()).header("accept", "application/json"))
    }

    /// Sends it and reads the answer as JSON. `detail` finds the provider's own words in an error.
    pub(super) async fn json(
        &self,
        request: RequestBuilder,
        detail: fn(&Value) -> Option<&str>,
    ) -> Result<Value, SearchError> {
        let response = request.send().await.map_err(|error| self.failed(&error))?;
        let status = response.status();
        let body = self.body(response).await?;
        if status.is_success() {
            return serde_json::from_slice(&body)
                .map_err(|error| SearchError::BadAnswer(format!("it is not JSON ({error})")));
        }
        let said = serde_json::from_slice::<Value>(&body).ok();
        let detail =
            said.as_ref().and_then(detail).map(|said| text::cut(&text::plain(said), MAX_DETAIL_CHARS));
        let detail = detail.map(|said| format!(": {said}")).unwrap_or_default();
        let number = status.as_u16();
        Err(match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                SearchError::Denied { status: number, detail }
            }
            StatusCode::TOO_MANY_REQUESTS => SearchError::TooMany { detail },
            _ => SearchError::Status { status: number, detail },
        })
    }

    async fn body(&self, mut response: Response) -> Result<Vec<u8>, SearchError> {
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| self.failed(&error))? {
            if body.len() + chunk.len() > MAX_ANSWER_BYTES {
                return Err(SearchError::BadAnswer(format!("it is longer than {MAX_ANSWER_BYTES} bytes")));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    fn failed(&self, error: &reqwest::Error) -> SearchError {
        if error.is_timeout() {
            return SearchError::Timeout(self.timeout);
        }
        SearchError::Unreachable(innermost(error))
    }
}

/// The innermost reason. The outer ones repeat the address, and with it the key.
fn innermost(error: &reqwest::Error) -> String {
    let Some(mut reason) = error.source() else {
        return "the request could not be sent".to_owned();
    };
    while let Some(inner) = reason.source() {
        reason = inner;
    }
    reason.to_string()
}

/// A member of an object as text; empty when it is not there.
pub(super) fn string(object: &Value, member: &str) -> String {
    text::plain(object[member].as_str().unwrap_or_default())
}

/// The list at a place in an answer.
pub(super) fn list<'a>(answer: &'a Value, pointer: &str) -> Result<&'a [Value], SearchError> {
    match answer.pointer(pointer) {
        Some(Value::Array(items)) => Ok(items),
        // Providers leave the list out when nothing was found.
        None | Some(Value::Null) if answer.is_object() => Ok(&[]),
        _ => Err(SearchError::BadAnswer(format!("there is no list at {pointer}"))),
    }
}
