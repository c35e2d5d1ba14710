//! One exchange: the request to the first upstream that takes it, and its answer.

use std::sync::Arc;

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response};
use toolwright_llm::exchange::{Answer, Asked, Fresh, Mending, Prepared};
use toolwright_llm::{Dialect, Failure, FailureKind, Thinks, dialects};

use crate::ProxyBody;
use crate::carrier::Carried;
use crate::record::Exchanged;
use crate::router::Way;
use crate::said::{self, Visit};
use crate::streaming::{self, Begun};
use crate::upstream::Ask;
use crate::{LlmFront, LlmPath, headers};

/// How many calls were mended.
const REPAIRS: HeaderName = HeaderName::from_static("x-toolwright-repairs");
/// What of the request the upstream's dialect cannot express, in codes.
const NOTES: HeaderName = HeaderName::from_static("x-toolwright-notes");

/// An upstream's answer that can be told, or why there is none.
enum Attempt {
    Answered(Response<ProxyBody>),
    /// Another upstream may do better.
    Failed(Response<ProxyBody>),
}

impl LlmFront {
    pub(super) async fn ask(
        self: &Arc<LlmFront>,
        dialect: Dialect,
        request: Request<Bytes>,
        visit: Visit,
    ) -> Response<ProxyBody> {
        let fresh = said::fresh();
        if request.method() != Method::POST {
            return said::wrong_method(dialect, request.method(), LlmPath::Ask(dialect).methods(), &fresh.id);
        }
        let (parts, body) = request.into_parts();
        let mut exchanged = Exchanged::new(self, dialect, &visit, &fresh.id, body.len());
        if let Err(failure) = said::check_encoding(&parts.headers) {
            return exchanged.refused(&failure, &fresh.id);
        }
        let asked = match Asked::read(dialect, &body) {
            Ok(asked) => asked,
            Err(failure) => return exchanged.refused(&failure, &fresh.id),
        };
        drop(body);
        exchanged.asks(&asked);
        if !visit.may_ask(asked.model()) {
            let what = format!(
                "the token \"{}\" may not ask the model \"{}\"; it may ask {}",
                visit.client,
                asked.model(),
                visit.models.as_deref().unwrap_or_default().join(", ")
            );
            return exchanged.refused(&Failure::new(FailureKind::Permission, what).about("model"), &fresh.id);
        }
        if let Err(failure) = visit.may_ask_others(&asked) {
            return exchanged.refused(&failure, &fresh.id);
        }
        let router = self.router.load_full();
        exchanged.keeps_bodies = router.keeps_bodies;
        let ways = match router.ways(asked.model()) {
            Ok(ways) => ways,
            Err(failure) => return exchanged.refused(&failure, &fresh.id),
        };
        let mending = self.mending();
        let wants_stream = asked.is_stream();
        // An answer that may be asked for again is collected before anything of it leaves.
        let collected = (router.reask > 0).then(|| asked.collected()).flatten();
        let asked = collected.unwrap_or(asked);
        let (front, is_stream) = (asked.front(), asked.is_stream());
        let mut asked = Some(asked);
        let last = ways.len() - 1;
        for (number, way) in ways.iter().enumerate() {
            // The last one needs it no longer than to be prepared.
            let asked = if number == last { asked.take() } else { asked.clone() };
            let Some(asked) = asked else { break };
            let target = match asked.speaks_of_thinking(way.upstream.dialect()) {
                true => way.upstream.target_that_thinks(&way.model, &visit.own_key).await,
                false => way.upstream.target(&way.model),
            };
            let mut prepared = match asked.prepare(&target, &mending, &fresh) {
                Ok(prepared) => prepared,
                Err(failure) => return exchanged.refused(&failure, &fresh.id),
            };
            exchanged.goes(way, &prepared);
            drop(asked);
            if router.reask == 0 && !prepared.tries_thinking() {
                prepared.forget_asked();
            }
            let sent = Sent {
                way,
                front,
                is_stream,
                wants_stream,
                reask: router.reask,
                parts: &parts,
                visit: &visit,
                mending: &mending,
                fresh: &fresh,
            };
            match self.attempt(sent, prepared, &mut exchanged).await {
                Attempt::Answered(response) => return response,
                Attempt::Failed(response) if number == last => {
                    exchanged.ends();
                    return response;
                }
                Attempt::Failed(_) => {
                    tracing::warn!(
                        "the upstream \"{}\" failed; \"{}\" is asked",
                        way.upstream.name(),
                        ways[number + 1].upstream.name()
                    );
                }
            }
        }
        // There is one way at least, and the last one is answered above.
        exchanged.refused(&Failure::new(FailureKind::Api, "no upstream was asked"), &fresh.id)
    }

    /// Asks one upstream.
    async fn attempt(&self, sent: Sent<'_>, mut prepared: Prepared, exchanged: &mut Exchanged) -> Attempt {
        let upstream = &sent.way.upstream;
        let mut response = match sent.send(&mut prepared).await {
            Ok(response) => response,
            Err(failure) => return exchanged.failed(&prepared, failure, None),
        };
        let status = response.status().as_u16();
        let mut upstream_headers = std::mem::take(response.headers_mut());
        upstream.hide_in_head(&mut upstream_headers);
        if response.status().is_redirection() {
            let failure = upstream.redirects(status, &upstream_headers);
            return exchanged.failed(&prepared, failure, None);
        }
        if !response.status().is_success() {
            let body = upstream.whole(response).await;
            if let Ok(body) = &body
                && let Some(without) = prepared.without_thinking(status, body, sent.mending, sent.fresh)
            {
                tracing::info!(
                    "the model \"{}\" of the upstream \"{}\" does not think; it is asked without that from now on",
                    sent.way.model,
                    upstream.name()
                );
                upstream.learn(&sent.way.model, Thinks::No);
                return match without {
                    Ok(without) => {
                        exchanged.goes(sent.way, &without);
                        // At most once: this one does not try thinking.
                        Box::pin(self.attempt(sent, without, exchanged)).await
                    }
                    Err(failure) => exchanged.failed(&prepared, failure, None),
                };
            }
            let answer = match body {
                Ok(body) => prepared.whole(status, &body),
                Err(failure) => prepared.failed(failure),
            };
            let is_worth_another = status >= 500;
            let response = exchanged.tell(answer, &upstream_headers, upstream.dialect());
            if is_worth_another {
                return Attempt::Failed(response);
            }
            exchanged.ends();
            return Attempt::Answered(response);
        }
        if prepared.tries_thinking() {
            upstream.learn(&sent.way.model, Thinks::Yes);
            if sent.reask == 0 {
                prepared.forget_asked();
            }
        }
        if sent.is_stream && is_stream(&upstream_headers, upstream.dialect()) {
            let begun = streaming::begin(Arc::clone(upstream), response, &prepared).await;
            return match begun {
                Begun::Failed(failure) => exchanged.failed(&prepared, failure, Some(&upstream_headers)),
                Begun::Going(going) => {
                    let mut answer = said::whole(200, dialects::of(sent.front).stream_type(), Bytes::new());
                    answer.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
                    answer
                        .headers_mut()
                        .insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
                    exchanged.head(&mut answer, &upstream_headers, upstream.dialect());
                    let exchanged = exchanged.take();
                    Attempt::Answered(answer.map(|_| streaming::body(*going, exchanged)))
                }
            };
        }
        let body = match upstream.whole(response).await {
            Ok(body) => body,
            Err(failure) => return exchanged.failed(&prepared, failure, Some(&upstream_headers)),
        };
        let (prepared, body) = self.asked_again(&sent, prepared, body, exchanged).await;
        let answer = match sent.wants_stream {
            false => prepared.whole(status, &body),
            true => match prepared.whole_as_stream(status, &body) {
                Ok((text, report)) => {
                    exchanged.reports(&report);
                    exchanged.answers(&text);
                    let mut answer = said::whole(200, dialects::of(sent.front).stream_type(), text);
                    exchanged.head(&mut answer, &upstream_headers, upstream.dialect());
                    exchanged.ends();
                    return Attempt::Answered(answer);
                }
                Err(answer) => *answer,
            },
        };
        // A good status is no answer yet: a page or an error may come with one.
        let is_worth_another = answer.status >= 500;
        let response = exchanged.tell(answer, &upstream_headers, upstream.dialect());
        if is_worth_another {
            return Attempt::Failed(response);
        }
        exchanged.ends_afterwards();
        Attempt::Answered(response)
    }

    /// The answer, or the one that the upstream gives when it is told what was wrong with its calls. An upstream that
    /// fails at that has its first answer told.
    async fn asked_again(
        &self,
        sent: &Sent<'_>,
        prepared: Prepared,
        body: Bytes,
        exchanged: &mut Exchanged,
    ) -> (Prepared, Bytes) {
        let (mut prepared, mut body) = (prepared, body);
        for _ in 0..sent.reask {
            let report = prepared.whole(200, &body).report;
            let Some(Ok(mut next)) = prepared.again(&body, &report, sent.mending, sent.fresh) else {
                break;
            };
            exchanged.attempts += 1;
            let Ok(response) = sent.send(&mut next).await else { break };
            if !response.status().is_success() {
                break;
            }
            let Ok(text) = sent.way.upstream.whole(response).await else { break };
            (prepared, body) = (next, text);
        }
        (prepared, body)
    }
}

/// What one attempt needs to know.
struct Sent<'a> {
    way: &'a Way,
    front: Dialect,
    /// Whether the upstream is to answer in pieces.
    is_stream: bool,
    /// Whether the client wants the answer in pieces.
    wants_stream: bool,
    /// How often the upstream is told what was wrong with its calls.
    reask: u32,
    parts: &'a http::request::Parts,
    visit: &'a Visit,
    mending: &'a Mending,
    fresh: &'a Fresh,
}

impl Sent<'_> {
    /// Sends what was prepared. Its body goes with it.
    async fn send(&self, prepared: &mut Prepared) -> Result<Carried, Failure> {
        let upstream = &self.way.upstream;
        let needs_key = dialects::of(upstream.dialect()).key_variable().is_some();
        if !upstream.has_key() && self.visit.own_key.is_empty() && needs_key {
            tracing::debug!("the upstream \"{}\" is asked without a key", upstream.name());
        }
        let (from, to) = (self.front, upstream.dialect());
        upstream
            .send(Ask {
                method: Method::POST,
                path: dialects::of(to).path(),
                query: self.visit.query(&self.parts.uri).filter(|_| from == to).as_deref(),
                headers: self.visit.headers(headers::for_upstream(from, to, &self.parts.headers)),
                own_key: &self.visit.own_key,
                body: Some(std::mem::take(&mut prepared.body)),
            })
            .await
    }
}

/// Whether an upstream answers in pieces.
pub(crate) fn is_stream(headers: &HeaderMap, dialect: Dialect) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if kind.starts_with("text/html") {
        return false;
    }
    dialects::of(dialect).always_streams() || !kind.starts_with("application/json")
}

impl Exchanged {
    fn refused(&mut self, failure: &Failure, id: &str) -> Response<ProxyBody> {
        self.fails(failure);
        self.ends();
        said::failure(self.dialect(), failure, id)
    }

    fn failed(&mut self, prepared: &Prepared, failure: Failure, headers: Option<&HeaderMap>) -> Attempt {
        let answer = prepared.failed(failure);
        let none = HeaderMap::new();
        Attempt::Failed(self.tell(answer, headers.unwrap_or(&none), self.upstream_dialect()))
    }

    /// A whole answer with its head.
    fn tell(&mut self, answer: Answer, headers: &HeaderMap, upstream: Dialect) -> Response<ProxyBody> {
        self.reports(&answer.report);
        self.status = answer.status;
        self.answers(&answer.body);
        let mut response = said::json(answer.status, answer.body);
        self.head(&mut response, headers, upstream);
        response
    }

    fn head(&self, response: &mut Response<ProxyBody>, headers: &HeaderMap, upstream: Dialect) {
        headers::for_client(upstream, self.dialect(), headers, response.headers_mut());
        response.headers_mut().insert(REPAIRS, HeaderValue::from(self.repairs()));
        if let Some(notes) = self.note_codes().and_then(|codes| HeaderValue::from_str(&codes).ok()) {
            response.headers_mut().insert(NOTES, notes);
        }
        said::name(self.dialect(), response, &format!("req_{}", self.id()));
    }
}
