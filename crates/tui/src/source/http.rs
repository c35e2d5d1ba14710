//! Requests to one gateway, with bounded responses.

use std::time::Duration;

use reqwest::{Client, RequestBuilder, Response};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Lost, Place};

/// The timeout of a request.
const ANSWER: Duration = Duration::from_secs(10);
/// The timeout of a connection.
const CONNECT: Duration = Duration::from_secs(5);
/// The largest response, in bytes. A list of calls ends after 8 MiB and one more call.
const MAX_ANSWER_BYTES: usize = 16 << 20;

/// The header of a list with a next page.
const NEXT: &str = "x-next-cursor";

/// A client for one gateway.
pub(super) struct GatewayClient {
    client: Client,
    place: Place,
}

/// A list, and whether it has a next page.
pub(super) struct ListResponse {
    pub text: Vec<u8>,
    pub goes_on: bool,
}

impl GatewayClient {
    pub fn new(place: &Place) -> Result<GatewayClient, Lost> {
        // Proxy settings of the environment do not apply to a local gateway.
        let client = Client::builder().no_proxy().connect_timeout(CONNECT).build();
        let client = client.map_err(|_| Lost::NotUnderstood(place.url.clone()))?;
        let url = place.url.trim_end_matches('/').to_owned();
        Ok(GatewayClient { client, place: Place { url, token: place.token.clone() } })
    }

    /// A response as bytes.
    pub async fn get(&self, path: &str) -> Result<Vec<u8>, Lost> {
        Ok(self.list(path).await?.text)
    }

    /// A response that may have a next page.
    pub async fn list(&self, path: &str) -> Result<ListResponse, Lost> {
        let response = async {
            let answer = self.send(self.client.get(self.url(path))).await?;
            let goes_on = answer.headers().contains_key(NEXT);
            Ok(ListResponse { text: self.body(answer).await?, goes_on })
        };
        in_time(response).await
    }

    /// A parsed response.
    pub async fn json<T: DeserializeOwned>(&self, path: &str) -> Result<T, Lost> {
        let text = self.get(path).await?;
        serde_json::from_slice(&text).map_err(|_| self.not_understood())
    }

    /// Sends a POST request.
    pub async fn post(&self, path: &str, body: &Value) -> Result<(), Lost> {
        let request = self.client.post(self.url(path)).header("Content-Type", "application/json");
        let response = async { self.send(request.body(body.to_string())).await.map(drop) };
        in_time(response).await
    }

    /// An event stream, after the event with this id.
    pub async fn events(&self, path: &str, last: Option<&str>) -> Result<Response, Lost> {
        let mut request = self.client.get(self.url(path)).header("Accept", "text/event-stream");
        if let Some(last) = last {
            request = request.header("Last-Event-ID", last);
        }
        in_time(self.send(request)).await
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.place.url)
    }

    pub fn not_understood(&self) -> Lost {
        Lost::NotUnderstood(self.place.url.clone())
    }

    async fn send(&self, request: RequestBuilder) -> Result<Response, Lost> {
        let request = match self.place.token.is_empty() {
            true => request,
            false => request.bearer_auth(&self.place.token),
        };
        let answer =
            request.send().await.map_err(|error| match (error.is_connect(), error.is_timeout()) {
                (true, _) => Lost::NobodyThere(self.place.url.clone()),
                (_, true) => Lost::Silent,
                _ if error.is_builder() => self.not_understood(),
                _ => Lost::BrokeOff(self.place.url.clone()),
            })?;
        match answer.status().as_u16() {
            200..=299 => Ok(answer),
            401 | 403 => Err(Lost::NotLetIn),
            status => {
                let text = self.body(answer).await.unwrap_or_default();
                let body_json: Value = serde_json::from_slice(&text).unwrap_or_default();
                match body_json["error"]["message"].as_str() {
                    Some(message) => Err(Lost::Refused(message.to_owned())),
                    None if status >= 500 => Err(Lost::Refused(format!("it answers with status {status}"))),
                    None => Err(self.not_understood()),
                }
            }
        }
    }

    async fn body(&self, mut answer: Response) -> Result<Vec<u8>, Lost> {
        let mut text = Vec::new();
        loop {
            match answer.chunk().await {
                Ok(Some(chunk)) if text.len() + chunk.len() <= MAX_ANSWER_BYTES => {
                    text.extend_from_slice(&chunk)
                }
                Ok(Some(_)) => return Err(self.not_understood()),
                Ok(None) => return Ok(text),
                Err(_) => return Err(Lost::BrokeOff(self.place.url.clone())),
            }
        }
    }
}

async fn in_time<T>(response: impl Future<Output = Result<T, Lost>>) -> Result<T, Lost> {
    tokio::time::timeout(ANSWER, response).await.unwrap_or(Err(Lost::Silent))
}

/// Percent-encodes a text for one segment of a path or a query.
pub(super) fn segment(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' => out.push(char::from(byte)),
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_leaves_its_part_of_a_path_by_nothing() {
        assert_eq!(segment("a1-B_"), "a1-B_");
        assert_eq!(segment("../x?y#é"), "%2E%2E%2Fx%3Fy%23%C3%A9");
    }
}
