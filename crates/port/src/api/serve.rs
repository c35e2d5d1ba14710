//! One request for `/api/*`: who may ask, how, and which file answers.

use http::header::{CONTENT_TYPE, ORIGIN};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, Response};
use hyper::body::Incoming;

use super::path::Path;
use super::query::Query;
use super::{document, health, live, normalizer, numbers, operations, patterns, rules, status, suggestions};
use crate::admission::Stay;
use crate::body::{self, Ends, Held};
use crate::inside::InsideBody;
use crate::keys::Known;
use crate::paced::Pace;
use crate::refusal::Refusal;
use crate::route::ROUTES;
use crate::serve::Web;

/// What was asked, by somebody who is known.
pub(crate) struct Asked<'a> {
    pub path: Path,
    pub parts: Parts,
    pub incoming: &'a mut Incoming,
    pub known: &'a Known,
    /// The page that may read the answer.
    pub origin: Option<&'a HeaderValue>,
}

/// Answers a request.
pub(crate) async fn serve(web: &Web, asked: Asked<'_>, pace: &Pace) -> Result<Response<Held>, Refusal> {
    let Asked { path, parts, incoming, known, origin } = asked;
    if web.api.is_none() {
        return Err(Refusal::no_route(parts.uri.path(), ROUTES));
    }
    let is_possible = match path.is_decision() {
        true => parts.method == Method::POST,
        false => matches!(parts.method, Method::GET | Method::HEAD),
    };
    if !is_possible {
        return Err(Refusal::method(&parts.method, path.methods()));
    }
    if known.is_limited() {
        return Err(Refusal::not_for_clients());
    }
    if path.is_decision() {
        check_page(&parts.headers, origin)?;
        check_kind(&parts.headers)?;
    }
    let is_stream = path == Path::Live && parts.method == Method::GET;
    let stay = if is_stream { Stay::Stream } else { Stay::Request };
    let pass = web.admission.enter(known, stay, &web.limits)?;
    let read = body::read(incoming, &web.limits, &web.admission.body_bytes).await?;
    let answer = tokio::select! {
        answer = answer(web, path, &parts, &read.bytes, known) => answer?,
        () = web.stop.now() => return Err(Refusal::ending()),
    };
    let ends: Option<Ends> = is_stream.then(|| {
        let (revoked, stop) = (known.revoked.clone().cancelled_owned(), web.stop());
        let ends: Ends = Box::pin(async move {
            tokio::select! {
                () = revoked => {}
                () = stop.resting_connections_end() => {}
            }
        });
        ends
    });
    Ok(answer.map(|body| Held::new(body, pace.clone()).with(Some(pass), read.share, ends)))
}

async fn answer(
    web: &Web,
    path: Path,
    parts: &Parts,
    body: &[u8],
    known: &Known,
) -> Result<Response<InsideBody>, Refusal> {
    let Some(api) = &web.api else { return Err(Refusal::no_route(parts.uri.path(), ROUTES)) };
    let query = Query::read(parts.uri.query().unwrap_or_default())?;
    match path {
        Path::Health => health::answer(web, api, &query),
        Path::Status => status::answer(api, &query).await,
        Path::Normalizer => normalizer::answer(api, &query).await,
        Path::ErrorPatterns => patterns::answer(api, &query).await,
        Path::Operations => operations::list(api, &query).await,
        Path::Live => live::answer(api, &query, parts),
        Path::Operation(call) => operations::one(api, &query, &call).await,
        Path::Stats => numbers::answer(api, &query).await,
        Path::Rules => rules::answer(api, &query),
        Path::Suggestions => suggestions::list(api, &query).await,
        Path::History => suggestions::history(api, &query).await,
        Path::Suggestion(id) => suggestions::one(api, &query, id).await,
        Path::Decide(id, decision) => {
            suggestions::decide(api, &query, id, decision, body, &known.visitor.name).await
        }
        Path::Document => document::answer(&query),
    }
}

/// A page decides only when it may also read what comes of it. Where no token is needed, that is none but those
/// that were allowed by name.
fn check_page(headers: &HeaderMap, origin: Option<&HeaderValue>) -> Result<(), Refusal> {
    if origin.is_some() {
        return Ok(());
    }
    if let Some(page) = headers.get(ORIGIN) {
        return Err(Refusal::other_origin(page.to_str().unwrap_or("not readable")));
    }
    match is_same_site(headers) {
        true => Ok(()),
        false => Err(Refusal::other_origin("of another site")),
    }
}

/// Whether a browser says that no other site is behind this. Programs say nothing.
pub(crate) fn is_same_site(headers: &HeaderMap) -> bool {
    matches!(headers.get("sec-fetch-site").map(HeaderValue::as_bytes), None | Some(b"same-origin" | b"none"))
}

/// What changes something comes as JSON, and from no page of another site.
pub(crate) fn check_change(headers: &HeaderMap) -> Result<(), Refusal> {
    check_kind(headers)?;
    match is_same_site(headers) {
        true => Ok(()),
        false => Err(Refusal::other_origin("of another site")),
    }
}

/// A form of a page cannot have this kind without asking first.
fn check_kind(headers: &HeaderMap) -> Result<(), Refusal> {
    let mut given = headers.get_all(CONTENT_TYPE).iter();
    let kind = given.next().and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let essence = kind.split(';').next().unwrap_or_default().trim();
    match essence.eq_ignore_ascii_case("application/json") && given.next().is_none() {
        true => Ok(()),
        false => Err(Refusal::kind(kind)),
    }
}
