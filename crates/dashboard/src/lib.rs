//! The dashboard: repaired calls with their reasons, and actions for the rest.
//!
//! Pages are rendered as complete documents that work without scripts; one small script adds live updates.
//! All data from outside is text: the templates escape it, and the content security policy allows no other
//! script. The port (`toolwright_port`) controls access.
//!
//! One file per page in `pages/`; shared parts are in `parts.rs`, the layout in `layout.rs`. Start with
//! [`Dashboard::new`].

mod actions;
mod assets;
mod layout;
mod pages;
mod parts;
mod query;
mod route;
mod rules_text;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, Method, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use maud::Markup;
use toolwright_backend::{Notices, Servers};
use toolwright_executor::ToolExecutor;
use toolwright_ledger::Ledger;
use toolwright_port::{InsideBody, PageAsked, PageReply, Pages, TokenFolder};
use toolwright_proxy::LlmFront;
use toolwright_voice::VoiceView;

use self::layout::PageFrame;
use self::query::PageQuery;
use self::route::PageRoute;
use self::rules_text::RulesText;

/// Returns the status of the voice; `None` if there is none.
type VoiceNow = dyn Fn() -> Option<VoiceView> + Send + Sync;

/// The dashboard and its data sources.
pub struct Dashboard {
    ledger: Option<Arc<Ledger>>,
    executor: Arc<ToolExecutor>,
    servers: Arc<Servers>,
    tokens: Option<TokenFolder>,
    rules: Option<RulesText>,
    notices: Arc<Notices>,
    voice: Option<Box<VoiceNow>>,
    llm: Option<Arc<LlmFront>>,
    banner: Option<String>,
    url: String,
    started: Instant,
}

impl Dashboard {
    /// A dashboard with these data sources.
    pub fn new(ledger: Option<Arc<Ledger>>, executor: Arc<ToolExecutor>, servers: Arc<Servers>) -> Dashboard {
        Dashboard {
            ledger,
            executor,
            servers,
            tokens: None,
            rules: None,
            notices: Arc::default(),
            voice: None,
            llm: None,
            banner: None,
            url: "http://127.0.0.1:8484".to_owned(),
            started: Instant::now(),
        }
    }

    /// Sets the address for clients, without a path.
    pub fn with_url(self, url: String) -> Dashboard {
        Dashboard { url, ..self }
    }

    /// Adds the alerts.
    pub fn with_notices(self, notices: Arc<Notices>) -> Dashboard {
        Dashboard { notices, ..self }
    }

    /// Adds the status of the voice, read on every request.
    pub fn with_voice(self, now: impl Fn() -> Option<VoiceView> + Send + Sync + 'static) -> Dashboard {
        Dashboard { voice: Some(Box::new(now)), ..self }
    }

    /// Adds the rules that only calls of language models use.
    pub fn with_llm(self, llm: Option<Arc<LlmFront>>) -> Dashboard {
        Dashboard { llm, ..self }
    }

    /// Adds a text above every page, for example in the demo.
    pub fn with_banner(self, banner: Option<String>) -> Dashboard {
        Dashboard { banner, ..self }
    }

    /// Adds the tokens of clients.
    pub fn with_tokens(self, tokens: Option<TokenFolder>) -> Dashboard {
        Dashboard { tokens, ..self }
    }

    /// Adds a rules file that can be edited; earlier versions are stored in a folder.
    pub fn with_rules(self, file: Option<PathBuf>, history: Option<PathBuf>) -> Dashboard {
        Dashboard { rules: file.map(|file| RulesText::new(file, history)), ..self }
    }

    fn frame<'f>(&'f self, current: Option<&'f PageRoute>, request: &'f PageAsked) -> PageFrame<'f> {
        PageFrame { current, mark: &request.session.mark, banner: self.banner.as_deref() }
    }

    fn not_found_page(&self, request: &PageAsked) -> Response<InsideBody> {
        let problem = PageProblem::new(StatusCode::NOT_FOUND, "There is no such page.", "Choose one above.");
        let frame = self.frame(None, request);
        html(problem.status, layout::frame(&frame, &problem.page()))
    }

    async fn page(&self, route: PageRoute, request: &PageAsked) -> Response<InsideBody> {
        let query = PageQuery::read(&request.query);
        let made = match &route {
            PageRoute::Overview => pages::overview::page(self).await,
            PageRoute::Live => pages::live::page(self, &query),
            PageRoute::Calls => pages::calls::page(self, &query).await,
            PageRoute::Call(id) => pages::call::page(self, id).await,
            PageRoute::Normalizer => pages::normalizer::page(self).await,
            PageRoute::Errors => pages::errors::page(self).await,
            PageRoute::Rules => pages::rules::page(self).await,
            PageRoute::RulesEdit => pages::rules_edit::page(self).await,
            PageRoute::Playground => pages::playground::page(self, &query).await,
            PageRoute::Servers => pages::servers::page(self),
            PageRoute::Toolboxes => pages::toolboxes::page(self).await,
            PageRoute::Security => pages::security::page(self).await,
            PageRoute::Models => pages::models::page(self, &query).await,
            PageRoute::Voice => pages::voice::page(self),
            PageRoute::About => pages::about::page(self, &request.limits),
            PageRoute::Notices => return pages::notices::answer(self, &query),
            PageRoute::Asset(_) | PageRoute::Action(_) => return not_found(),
        };
        let frame = self.frame(Some(&route), request);
        match made {
            Ok(page) => html(StatusCode::OK, layout::frame(&frame, &page)),
            Err(problem) => html(problem.status, layout::frame(&frame, &problem.page())),
        }
    }
}

impl Pages for Dashboard {
    fn has(&self, path: &str) -> bool {
        PageRoute::of(path).is_some()
    }

    fn is_public(&self, path: &str) -> bool {
        matches!(PageRoute::of(path), Some(PageRoute::Asset(_)))
    }

    fn answer(&self, request: PageAsked) -> PageReply<'_> {
        Box::pin(async move {
            match PageRoute::of(&request.path) {
                Some(PageRoute::Asset(asset)) => asset.response(),
                Some(PageRoute::Action(action)) if request.method == Method::POST => {
                    actions::answer(self, action, &request.body).await
                }
                None if request.method == Method::GET => self.not_found_page(&request),
                Some(PageRoute::Action(_)) | None => not_found(),
                Some(_) if request.method == Method::POST => not_found(),
                Some(route) => self.page(route, &request).await,
            }
        })
    }

    fn login(&self, problem: Option<&str>) -> Response<InsideBody> {
        let status = if problem.is_some() { StatusCode::FORBIDDEN } else { StatusCode::OK };
        html(status, layout::login(problem, self.banner.as_deref()))
    }
}

/// A page: its title and its content.
struct DashboardPage {
    title: String,
    body: Markup,
}

/// Why a page cannot be shown.
#[derive(Debug)]
struct PageProblem {
    status: StatusCode,
    what: String,
    fix: String,
}

impl PageProblem {
    fn new(status: StatusCode, what: impl Into<String>, fix: impl Into<String>) -> PageProblem {
        PageProblem { status, what: what.into(), fix: fix.into() }
    }

    fn no_ledger() -> PageProblem {
        PageProblem::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "This gateway does not write calls down, so there is nothing to show.",
            "What it said at its start tells why; `toolwright serve --help` names the flags of the journal.",
        )
    }

    fn no_index(why: &str) -> PageProblem {
        PageProblem::new(
            StatusCode::SERVICE_UNAVAILABLE,
            format!("Calls cannot be looked up now: {why}."),
            "Nothing is lost. Load the page again in a moment.",
        )
    }

    fn page(&self) -> DashboardPage {
        let body = maud::html! {
            p.problem role="alert" { (self.what) }
            p { (self.fix) }
        };
        DashboardPage { title: "Nothing to show".to_owned(), body }
    }
}

fn html(status: StatusCode, page: Markup) -> Response<InsideBody> {
    let mut response = Response::new(whole(page.into_string()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

fn not_found() -> Response<InsideBody> {
    let mut response = Response::new(whole("there is nothing here\n"));
    *response.status_mut() = StatusCode::NOT_FOUND;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}

fn whole(body: impl Into<Bytes>) -> InsideBody {
    Full::new(body.into()).boxed_unsync()
}
