//! A request to a model: who may ask, how much at once, and the front that answers.

use http::request::Parts;
use http::{HeaderMap, HeaderName, Request, Response};
use hyper::body::Incoming;
use toolwright_proxy::{LlmPath, Visit};

use crate::admission::Stay;
use crate::body::{self, Held};
use crate::keys::{LlmVisitor, TOKEN_HEADER};
use crate::limits::WebLimits;
use crate::paced::Pace;
use crate::refusal::Refusal;
use crate::route::ROUTES;
use crate::serve::Web;

/// Answers a request to a model.
pub(crate) async fn serve(
    web: &Web,
    path: LlmPath,
    parts: Parts,
    incoming: &mut Incoming,
    pace: &Pace,
) -> Result<Response<Held>, Refusal> {
    let visitor = web.keys.recognise_llm(&parts.headers)?;
    let Some(front) = &web.llm else { return Err(Refusal::no_route(parts.uri.path(), ROUTES)) };
    let pass = web.admission.enter(&visitor.known, Stay::Request, &web.limits)?;
    let limits = WebLimits { body_bytes: web.limits.llm_body_bytes, ..web.limits.clone() };
    let read = body::read(incoming, &limits, &web.admission.body_bytes).await?;
    let visit = Visit {
        client: visitor.known.visitor.name.to_string(),
        models: visitor.known.allowed_models.clone(),
        own_key: match web.keys.are_needed() && !parts.headers.contains_key(TOKEN_HEADER) {
            // The header that holds our token says that the others are not meant for who answers.
            true => HeaderMap::new(),
            false => own_key(&visitor, &parts.headers),
        },
    };
    let answer = tokio::select! {
        answer = front.answer(path, Request::from_parts(parts, read.bytes), visit) => answer,
        () = web.stop.now() => return Err(Refusal::ending()),
    };
    Ok(answer.map(|body| Held::new(body, pace.clone()).with(Some(pass), read.share, None)))
}

/// The client's own key for who answers, where it sent one beside our token.
fn own_key(visitor: &LlmVisitor, headers: &HeaderMap) -> HeaderMap {
    let mut own = HeaderMap::new();
    for (name, is_own) in [("authorization", visitor.owns_authorization), ("x-api-key", visitor.owns_api_key)]
    {
        if let (true, Some(value)) = (is_own, headers.get(name)) {
            own.insert(HeaderName::from_static(name), value.clone());
        }
    }
    own
}
