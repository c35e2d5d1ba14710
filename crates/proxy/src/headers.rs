//! Which headers go on, and which come back.

use http::{HeaderMap, HeaderName, HeaderValue};
use toolwright_llm::{Dialect, dialects};

/// What is between the client and us alone, or is made anew for the upstream.
const NOT_FOR_UPSTREAMS: [&str; 24] = [
    "accept-encoding",
    "authorization",
    "connection",
    "content-length",
    "content-type",
    "cookie",
    "expect",
    "forwarded",
    "host",
    "keep-alive",
    "origin",
    "proxy-authorization",
    "proxy-connection",
    "referer",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "via",
    "x-api-key",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-proto",
    "x-toolwright-token",
];

/// What an upstream says of its answer that is between it and us.
const NOT_FOR_CLIENTS: [&str; 12] = [
    "alt-svc",
    "connection",
    "content-encoding",
    "content-length",
    "keep-alive",
    "proxy-authenticate",
    "set-cookie",
    "strict-transport-security",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "www-authenticate",
];

/// What clients of every dialect say of themselves: no provider takes a model from it.
const HARMLESS: [&str; 7] = [
    "accept",
    "accept-language",
    "content-type",
    "idempotency-key",
    "traceparent",
    "tracestate",
    "user-agent",
];

/// Whether a header goes on also for a token that may ask some models only.
pub(crate) fn is_harmless(name: &str) -> bool {
    let is_of_dialect = || dialects::all().any(|(_, module)| module.client_headers().contains(&name));
    HARMLESS.contains(&name) || name.starts_with("x-stainless-") || is_of_dialect()
}

/// The headers of a client that an upstream gets: all but ours where both speak the same dialect, else none but what
/// the dialect needs.
pub(crate) fn for_upstream(from: Dialect, to: Dialect, sent: &HeaderMap) -> HeaderMap {
    let mut headers = HeaderMap::new();
    if from == to {
        for (name, value) in sent {
            let is_ours = NOT_FOR_UPSTREAMS.contains(&name.as_str()) || name.as_str().starts_with("sec-");
            if !is_ours {
                headers.append(name, value.clone());
            }
        }
    }
    for (name, value) in dialects::of(to).version_headers() {
        headers.entry(HeaderName::from_static(name)).or_insert(HeaderValue::from_static(value));
    }
    headers
}

/// The headers of an upstream's answer that the client gets.
pub(crate) fn for_client(from: Dialect, to: Dialect, sent: &HeaderMap, headers: &mut HeaderMap) {
    for (name, value) in sent {
        let name_text = name.as_str();
        let goes = match from == to {
            true => !NOT_FOR_CLIENTS.contains(&name_text) && name_text != "content-type",
            false => name_text == "retry-after" || name_text.starts_with("x-ratelimit-"),
        };
        if goes {
            headers.append(name, value.clone());
        }
    }
    // Whoever the upstream has given an id can be asked about it.
    if from != to {
        let id = ["request-id", "x-request-id"].iter().find_map(|name| sent.get(*name));
        if let Some(id) = id {
            headers.insert(HeaderName::from_static("x-upstream-request-id"), id.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)))
            .collect()
    }

    #[test]
    fn headers_of_the_dialect_go_on_untouched_and_secrets_do_not() {
        let sent = headers(&[
            ("anthropic-beta", "a-2025-01-01,b"),
            ("anthropic-version", "2024-01-01"),
            ("x-api-key", "tw_secret"),
            ("authorization", "Bearer tw_secret"),
            ("host", "127.0.0.1"),
            ("user-agent", "claude-cli/2"),
        ]);
        let same = for_upstream(Dialect::AnthropicMessages, Dialect::AnthropicMessages, &sent);
        assert_eq!(
            same,
            headers(&[
                ("anthropic-beta", "a-2025-01-01,b"),
                ("anthropic-version", "2024-01-01"),
                ("user-agent", "claude-cli/2"),
            ])
        );
        assert!(for_upstream(Dialect::AnthropicMessages, Dialect::OpenAiChat, &sent).is_empty());
        let made = for_upstream(Dialect::OpenAiChat, Dialect::AnthropicMessages, &sent);
        assert_eq!(made, headers(&[("anthropic-version", "2023-06-01")]));
    }

    #[test]
    fn a_client_hears_when_to_come_back_whatever_the_dialect() {
        let sent = headers(&[("retry-after", "7"), ("request-id", "req_1"), ("set-cookie", "a=b")]);
        let mut other = HeaderMap::new();
        for_client(Dialect::AnthropicMessages, Dialect::OpenAiChat, &sent, &mut other);
        assert_eq!(other, headers(&[("retry-after", "7"), ("x-upstream-request-id", "req_1")]));
        let mut same = HeaderMap::new();
        for_client(Dialect::OpenAiChat, Dialect::OpenAiChat, &sent, &mut same);
        assert_eq!(same, headers(&[("retry-after", "7"), ("request-id", "req_1")]));
    }
}
