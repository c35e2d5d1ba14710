//! Pages for people: who may look, what may be sent from them, and what every one of them says to the browser.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{
    ACCEPT, CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, LOCATION, REFERRER_POLICY, SET_COOKIE,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use http::request::Parts;
use http::{HeaderValue, Method, Response, StatusCode};
use hyper::body::Incoming;
use percent_encoding::percent_decode_str;

use crate::admission::Stay;
use crate::api::{self, LimitNow, is_same_site};
use crate::body::{self, Held};
use crate::inside::InsideBody;
use crate::keys::Known;
use crate::limits::WebLimits;
use crate::paced::Pace;
use crate::refusal::{Refusal, response};
use crate::route::{ROUTES, Route};
use crate::serve::Web;
use crate::sessions::{Session, Sessions};

/// Where somebody is let in.
const LOGIN: &str = "/login";
/// How much the form of the login may send, and how long it may take.
const LOGIN_BYTES: usize = 16 << 10;
const LOGIN_TIME: Duration = Duration::from_secs(5);
/// Where somebody leaves.
const LOGOUT: &str = "/logout";
/// Nothing but what we serve ourselves: no script, style or picture of others, no frame around us.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// An answer in time.
pub type PageReply<'p> = Pin<Box<dyn Future<Output = Response<InsideBody>> + Send + 'p>>;

/// Pages for people.
pub trait Pages: Send + Sync + 'static {
    /// Whether there is one at this path.
    fn has(&self, path: &str) -> bool;

    /// Whether everybody may have what is at this path: styles and scripts, which say nothing.
    fn is_public(&self, path: &str) -> bool;

    /// Answers somebody who was let in.
    fn answer(&self, asked: PageAsked) -> PageReply<'_>;

    /// The page that asks who somebody is.
    fn login(&self, problem: Option<&str>) -> Response<InsideBody>;
}

/// What was asked for.
#[derive(Clone, Debug)]
pub struct PageAsked {
    /// `GET`, or `POST` for what changes something.
    pub method: Method,
    /// The path, as it is.
    pub path: String,
    /// The query, as it is.
    pub query: String,
    /// JSON, for what changes something.
    pub body: Bytes,
    /// Who asks.
    pub session: Session,
    /// How near each limit is.
    pub limits: Vec<LimitNow>,
}

/// Whether a page is meant.
pub(crate) fn is_page(route: &Route, pages: &dyn Pages, sessions: &Sessions, parts: &Parts) -> bool {
    let path = parts.uri.path();
    let is_page = || path == LOGIN || path == LOGOUT || pages.is_public(path) || pages.has(path);
    // Somebody inside who asks for a page that is not there is told so on one.
    let is_lost = || {
        let accept = parts.headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
        *route == Route::Nowhere && accept.contains("text/html") && sessions.find(&parts.headers).is_some()
    };
    matches!(route, Route::Root | Route::Nowhere) && (is_page() || is_lost())
}

/// Who asks `/api/`: by a token, or one who looks at the pages.
pub(crate) fn recognise(web: &Web, parts: &Parts) -> Result<Arc<Known>, Refusal> {
    let by_token = web.keys.recognise(&parts.headers);
    let (Err(_), Some((_, sessions))) = (&by_token, &web.pages) else { return by_token };
    let Some(session) = sessions.find(&parts.headers) else { return by_token };
    let is_look = matches!(parts.method, Method::GET | Method::HEAD);
    if is_look && is_same_site(&parts.headers) || Sessions::is_marked(&session, &parts.headers) {
        return web.keys.owner().map_or(by_token, Ok);
    }
    by_token
}

/// Answers a request for a page.
pub(crate) async fn serve(
    web: &Web,
    pages: &dyn Pages,
    sessions: &Sessions,
    parts: Parts,
    incoming: &mut Incoming,
    pace: &Pace,
) -> Result<Response<Held>, Refusal> {
    let path = parts.uri.path().to_owned();
    let is_look = matches!(parts.method, Method::GET | Method::HEAD);
    if !is_look && parts.method != Method::POST {
        return Err(Refusal::method(&parts.method, "GET, HEAD, POST, OPTIONS"));
    }
    let session = sessions.find(&parts.headers);
    let owner = || web.keys.owner().ok_or_else(|| Refusal::no_route(&path, ROUTES));
    let enter = |who: &Known| web.admission.enter(who, Stay::Request, &web.limits);
    let (pass, read) = match session {
        Some(_) => {
            let pass = enter(&*owner()?)?;
            (pass, body::read(incoming, &web.limits, &web.admission.body_bytes).await?)
        }
        // Strangers take no place while their body comes, and none of the owner's, who may be logging in.
        None => {
            let read = body::read(incoming, &stranger_limits(web), &web.admission.body_bytes).await?;
            let is_owner = path == LOGIN && Credential::of(&parts, &read.bytes).is_good(web, sessions);
            let who = if is_owner { owner()? } else { web.keys.stranger() };
            (enter(&who)?, read)
        }
    };
    let held = |response: Response<InsideBody>| {
        response.map(|body| Held::new(body, pace.clone()).with(Some(pass), read.share, None))
    };
    if path == LOGIN {
        return Ok(held(guarded(login(web, pages, sessions, &parts, &read.bytes))));
    }
    let session = match session {
        Some(session) => session,
        None if pages.is_public(&path) => Session { mark: String::new() },
        None if is_look => return Ok(held(guarded(to(LOGIN, None)))),
        None => return Err(Refusal::unauthorized("nobody is logged in", "open /login")),
    };
    if !is_look {
        api::check_change(&parts.headers)?;
        if !Sessions::is_marked(&session, &parts.headers) {
            return Err(Refusal::not_from_a_page());
        }
    }
    if path == LOGOUT {
        // Another port of this machine is the same site to a cookie.
        if !is_same_site(&parts.headers) {
            return Err(Refusal::not_from_a_page());
        }
        return Ok(held(guarded(to(LOGIN, Some(sessions.close(&parts.headers))))));
    }
    let asked = PageAsked {
        method: if is_look { Method::GET } else { Method::POST },
        query: parts.uri.query().unwrap_or_default().to_owned(),
        body: read.bytes.clone(),
        session,
        path,
        limits: api::limits_now(web),
    };
    let answer = tokio::select! {
        answer = pages.answer(asked) => answer,
        () = web.stop.now() => return Err(Refusal::ending()),
    };
    Ok(held(guarded(answer)))
}

/// How much and how long somebody may send who is not logged in: a token in a form is small.
fn stranger_limits(web: &Web) -> WebLimits {
    let limits = &web.limits;
    WebLimits {
        body_bytes: limits.body_bytes.min(LOGIN_BYTES),
        body_time: limits.body_time.min(LOGIN_TIME),
        ..limits.clone()
    }
}

/// What somebody wants to log in with.
enum Credential {
    /// A link that works once.
    Link(String),
    /// The owner token, sent by a form; the form of another site counts for nothing.
    Token(Option<String>),
    Nothing,
}

impl Credential {
    fn of(parts: &Parts, body: &[u8]) -> Credential {
        let field = |text: &str, name: &str| -> Option<String> {
            text.split('&').find_map(|pair| {
                let (key, value) = pair.split_once('=')?;
                let value = value.replace('+', " ");
                (key == name).then(|| percent_decode_str(&value).decode_utf8_lossy().trim().to_owned())
            })
        };
        if parts.method == Method::POST {
            let token = field(&String::from_utf8_lossy(body), "token");
            return Credential::Token(token.filter(|_| is_same_site(&parts.headers)));
        }
        field(parts.uri.query().unwrap_or_default(), "once").map_or(Credential::Nothing, Credential::Link)
    }

    /// Whether the owner has this.
    fn is_good(&self, web: &Web, sessions: &Sessions) -> bool {
        match self {
            Credential::Link(once) => sessions.is_good_link(once),
            Credential::Token(token) => token.as_ref().is_some_and(|token| web.keys.is_owner(token)),
            Credential::Nothing => false,
        }
    }
}

/// Lets somebody in by a link that works once, or by the token in a form.
fn login(
    web: &Web,
    pages: &dyn Pages,
    sessions: &Sessions,
    parts: &Parts,
    body: &[u8],
) -> Response<InsideBody> {
    let credential = Credential::of(parts, body);
    let cookie = match &credential {
        Credential::Link(once) => sessions.open_by_link(once, &parts.headers),
        Credential::Token(_) if credential.is_good(web, sessions) => sessions.open(&parts.headers),
        _ => None,
    };
    match (credential, cookie) {
        (_, Some(cookie)) => to("/", Some(cookie)),
        (Credential::Nothing, None) => pages.login(None),
        (Credential::Token(_), None) => pages.login(Some("That is not the token of this gateway.")),
        // Who is inside already may click the link again.
        (Credential::Link(_), None) if sessions.find(&parts.headers).is_some() => to("/", None),
        (Credential::Link(_), None) => pages.login(Some("This link was used before, or is too old.")),
    }
}

fn to(place: &'static str, cookie: Option<String>) -> Response<InsideBody> {
    let mut response = response(StatusCode::SEE_OTHER, "text/plain; charset=utf-8", "");
    response.headers_mut().insert(LOCATION, HeaderValue::from_static(place));
    if let Some(cookie) = cookie.and_then(|cookie| HeaderValue::try_from(cookie).ok()) {
        response.headers_mut().insert(SET_COOKIE, cookie);
    }
    response
}

/// What every page says to the browser.
fn guarded(mut response: Response<InsideBody>) -> Response<InsideBody> {
    let headers = response.headers_mut();
    for (name, value) in [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        // Nothing goes to others; with `no-referrer` a form would say that it comes from nowhere.
        (REFERRER_POLICY, "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}
