//! One request, from the guard to its answer.

use bytes::Bytes;
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS, ALLOW, CONNECTION,
    EXPECT, VARY,
};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use hyper::body::{Body, Incoming};
use serde_json::json;

use toolwright_endpoints::Endpoint;
use toolwright_jsonrpc::Message;

use crate::admission::Stay;
use crate::api::{self, Asked};
use crate::body::{self, Ends, Held};
use crate::connection::Arrival;
use crate::guard::{HostRule, Passed};
use crate::inside::{Counts, InsideBody};
use crate::keys;
use crate::llm;
use crate::metrics::{self, Open};
use crate::paced::Pace;
use crate::pages;
use crate::refusal::{Refusal, response};
use crate::route::{ROUTES, Route};
use crate::serve::Web;

/// What a page of an allowed origin may read besides the answer.
const EXPOSED: &str = "Mcp-Session-Id, Mcp-Protocol-Version, WWW-Authenticate, Retry-After, Link, X-Next-Cursor, X-Toolwright-Source, X-Toolwright-Index-Lag";
/// The method of a modern client that wants to hear of changes.
const LISTEN: &str = "subscriptions/listen";

/// Answers a request.
pub(crate) async fn handle(
    web: &Web,
    request: Request<Incoming>,
    pace: Pace,
    arrival: Arrival,
) -> Response<Held> {
    pace.request_begins();
    let (parts, mut incoming) = request.into_parts();
    // Reading a body that was not asked for would ask for it.
    let waits_to_send = parts.headers.contains_key(EXPECT);
    let route = Route::of(parts.uri.path());
    let label = route.label();
    let dialect = match &route {
        Route::Llm(path) => Some(path.dialect()),
        _ => None,
    };
    let checked = web.guard.check(&parts, host_rule(&route));
    let origin = checked.as_ref().ok().and_then(|passed| passed.origin.clone());
    let answered = match checked {
        Ok(_) if arrival == Arrival::Late && matches!(route, Route::Mcp(_) | Route::Llm(_)) => {
            Err(Refusal::too_late())
        }
        Ok(passed) => inside(web, route, parts, &mut incoming, &passed, &pace).await,
        Err(refusal) => Err(refusal),
    };
    let mut response = answered.unwrap_or_else(|refusal| {
        web.metrics.refused(refusal.reason);
        refusal.limit().into_iter().for_each(|limit| web.dropped.add(limit));
        let told = match dialect {
            Some(dialect) => refusal.into_llm_response(dialect),
            None => refusal.into_response(),
        };
        told.map(|body| Held::new(body, pace))
    });
    if let Some(origin) = origin {
        let headers = response.headers_mut();
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
        headers.append(VARY, HeaderValue::from_static("Origin"));
    }
    let is_read = if waits_to_send { incoming.is_end_stream() } else { body::read_rest(&mut incoming).await };
    if !is_read || web.stop.is_asked() {
        // So that no client sends the next request to a connection that is about to close.
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    web.metrics.answered(label, response.status().as_u16());
    response
}

/// Answers somebody whom the guard let pass.
async fn inside(
    web: &Web,
    route: Route,
    parts: Parts,
    incoming: &mut Incoming,
    passed: &Passed,
    pace: &Pace,
) -> Result<Response<Held>, Refusal> {
    let origin = passed.origin.as_ref();
    let whole = |response: Response<InsideBody>| Ok(response.map(|body| Held::new(body, pace.clone())));
    // Whether a page may send what it wants to is asked without a token.
    if parts.method == Method::OPTIONS {
        return whole(options(&route, &parts.headers, origin));
    }
    let is_look = matches!(parts.method, Method::GET | Method::HEAD);
    match &route {
        Route::Healthz | Route::Readyz | Route::Metrics | Route::Root if !is_look => {
            return Err(Refusal::method(&parts.method, route.methods()));
        }
        Route::Healthz => return whole(response(StatusCode::OK, "text/plain; charset=utf-8", "ok\n")),
        Route::Readyz if passed.is_known_host => return whole(readyz(web)),
        Route::Readyz => return whole(readiness_alone(web)),
        // Clients of models ask so whether somebody is there.
        Route::Root if web.pages.is_none() || parts.method == Method::HEAD => {
            return whole(response(StatusCode::OK, "text/plain; charset=utf-8", "Toolwright is running\n"));
        }
        _ => {}
    }
    if let Route::Llm(path) = route {
        return llm::serve(web, path, parts, incoming, pace).await;
    }
    if let Some((pages, sessions)) =
        web.pages.as_ref().filter(|(pages, sessions)| pages::is_page(&route, &**pages, sessions, &parts))
    {
        return pages::serve(web, &**pages, sessions, parts, incoming, pace).await;
    }
    let known = match route {
        Route::Api(_) => pages::recognise(web, &parts)?,
        _ => web.keys.recognise(&parts.headers)?,
    };
    let endpoint = match route {
        Route::Mcp(endpoint) => endpoint,
        Route::Metrics if known.is_limited() => return Err(Refusal::not_for_clients()),
        Route::Metrics => {
            let pass = web.admission.enter(&known, Stay::Request, &web.limits)?;
            let held = |body| Held::new(body, pace.clone()).with(Some(pass), Vec::new(), None);
            return Ok(metrics_page(web).map(held));
        }
        Route::Api(path) => {
            let asked = Asked { path, parts, incoming, known: &known, origin };
            return api::serve(web, asked, pace).await;
        }
        _ => return Err(Refusal::no_route(parts.uri.path(), ROUTES)),
    };
    if !matches!(parts.method, Method::GET | Method::POST | Method::DELETE) {
        return Err(Refusal::method(&parts.method, Route::Mcp(endpoint).methods()));
    }
    if let (Endpoint::Toolbox(name), Some(allowed)) = (&endpoint, &known.visitor.toolboxes)
        && !known.visitor.may_use(name)
    {
        return Err(Refusal::not_for_you(name, allowed));
    }
    let mut stay = if parts.method == Method::GET { Stay::Stream } else { Stay::Request };
    let pass = match web.admission.enter(&known, stay, &web.limits) {
        Err(refusal) if parts.method != Method::POST || !refusal.is_for_number() => return Err(refusal),
        pass => pass,
    };
    let read = body::read(incoming, &web.limits, &web.admission.body_bytes).await?;
    let pass = match listens(&parts, &read.bytes) {
        true => {
            stay = Stay::Stream;
            drop(pass);
            Ok(web.admission.admit(&known, stay, &web.limits)?)
        }
        false => pass,
    };
    // An answer to a question, or a cancellation, is what lets a call that is inside come to its end.
    let pass = match pass {
        Err(refusal) if is_request(&read.bytes) => return Err(refusal),
        pass => pass.ok(),
    };
    let request = request_inside(parts, read.bytes);
    let visitor = known.visitor.clone();
    let answer = tokio::select! {
        answer = web.inside.answer(endpoint.clone(), request, visitor) => answer,
        () = web.stop.now() => return Err(Refusal::ending()),
    };
    let Some(answer) = answer else {
        let Endpoint::Toolbox(name) = endpoint else { return Err(Refusal::ending()) };
        let mut there = web.inside.toolboxes();
        there.retain(|toolbox| known.visitor.may_use(toolbox));
        return Err(Refusal::no_toolbox(&name, &there));
    };
    let ends: Option<Ends> = (stay == Stay::Stream).then(|| {
        let (revoked, stop) = (known.revoked.clone().cancelled_owned(), web.stop.clone());
        let ends: Ends = Box::pin(async move {
            tokio::select! {
                () = revoked => {}
                () = stop.resting_connections_end() => {}
            }
        });
        ends
    });
    Ok(answer.map(|body| Held::new(body, pace.clone()).with(pass, read.share, ends)))
}

/// The request as the inside sees it: its path, and nothing of who sent it.
fn request_inside(parts: Parts, bytes: Bytes) -> Request<Bytes> {
    let mut parts = parts;
    keys::strip(&mut parts.headers);
    Request::from_parts(parts, bytes)
}

/// Whether a body asks for an answer. What cannot be read counts as if it did.
fn is_request(bytes: &[u8]) -> bool {
    let message = std::str::from_utf8(bytes).ok().map(Message::parse);
    !matches!(message, Some(Ok(Message::Notification(_) | Message::Response(_))))
}

/// Whether a client asks to hear of changes: its request may stay open as long as it likes, and is counted apart. The
/// body decides, because it decides what is run; the header only saves reading the bodies of all other requests.
fn listens(parts: &Parts, bytes: &[u8]) -> bool {
    let is_announced =
        parts.headers.get("mcp-method").is_some_and(|method| method.as_bytes() == LISTEN.as_bytes());
    let message = || std::str::from_utf8(bytes).ok().map(Message::parse);
    is_announced && matches!(message(), Some(Ok(Message::Request(request))) if request.method == LISTEN)
}

fn options(route: &Route, headers: &HeaderMap, origin: Option<&HeaderValue>) -> Response<InsideBody> {
    let mut response = response(StatusCode::NO_CONTENT, "text/plain", "");
    let answer = response.headers_mut();
    answer.remove(http::header::CONTENT_TYPE);
    answer.insert(ALLOW, HeaderValue::from_static(route.methods()));
    if origin.is_some() {
        answer.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static(route.methods()));
        if let Some(wanted) = headers.get(ACCESS_CONTROL_REQUEST_HEADERS) {
            answer.insert(ACCESS_CONTROL_ALLOW_HEADERS, wanted.clone());
        }
        answer.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    }
    response
}

/// Whether it serves, and how much: numbers only, for everybody may ask.
fn host_rule(route: &Route) -> HostRule {
    match route {
        Route::Healthz | Route::Readyz => HostRule::Any,
        _ => HostRule::Allowed,
    }
}

fn readiness(web: &Web, counts: &Counts) -> (StatusCode, &'static str) {
    match (web.stop.is_asked(), counts.refuses_calls) {
        (true, _) => (StatusCode::SERVICE_UNAVAILABLE, "ending"),
        // A load balancer should send calls to a gateway that can run them.
        (false, true) => (StatusCode::SERVICE_UNAVAILABLE, "blocked: calls cannot be written down"),
        (false, false) => (StatusCode::OK, "ready"),
    }
}

/// What a probe needs to know: under a host that is not allowed nothing else is said.
fn readiness_alone(web: &Web) -> Response<InsideBody> {
    let (status, word) = readiness(web, &web.inside.counts());
    response(status, "application/json", format!("{}\n", json!({ "status": word })))
}

fn readyz(web: &Web) -> Response<InsideBody> {
    let counts = web.inside.counts();
    let (status, word) = readiness(web, &counts);
    let said = json!({
        "status": word,
        "servers": counts.servers,
        "tools": counts.tools,
        "sessions": counts.sessions,
        "requestsInFlight": web.admission.requests.in_flight(),
        "journal": counts.journal.map_or("none", |health| health.state.word()),
    });
    response(status, "application/json", format!("{said}\n"))
}

fn metrics_page(web: &Web) -> Response<InsideBody> {
    let open = Open {
        connections: web.connections.in_flight(),
        requests: web.admission.requests.in_flight(),
        streams: web.admission.streams.in_flight(),
    };
    response(
        StatusCode::OK,
        metrics::CONTENT_TYPE,
        web.metrics.page(open, &web.inside.counts(), web.llm.as_ref().map(|llm| llm.counter())),
    )
}
