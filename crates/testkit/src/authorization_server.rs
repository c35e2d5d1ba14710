//! A server that wants logins and the authorization server that gives them, at one address.
//!
//! It is as small as a login allows, remembers everything that it was asked, and has habits.

mod answers;

use std::collections::HashSet;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Method, Request, Response, header};
use reqwest::Url;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use toolwright_base::IgnorePoison;

/// How large a request may be.
const MAX_BODY: usize = 1 << 20;

/// The secret that comes with a registration.
pub const CLIENT_SECRET: &str = "client-secret-0";

/// What it does besides what it should.
#[derive(Clone, Debug, Default)]
pub struct Habits {
    /// Sends people who want to log in here.
    pub authorization_endpoint: Option<String>,
    /// Refuses every login.
    pub denies: bool,
    /// How long its tokens are good, in seconds.
    pub expires_in: Option<u64>,
    /// Takes no refresh token.
    pub refuses_renewals: bool,
    /// How long it takes to answer when it is asked for tokens.
    pub slowness: Option<Duration>,
    /// Says to every call that it needs this scope.
    pub wants_scope: Option<String>,
    /// Sends every request for its tools here.
    pub redirects_to: Option<String>,
    /// The authorization server that it names, when it is not itself.
    pub names: Option<Url>,
}

/// Something that it was asked.
#[derive(Clone, Debug)]
pub struct Asked {
    /// `POST /token`
    pub what: String,
    /// The query.
    pub query: String,
    /// The header.
    pub authorization: Option<String>,
    /// The body.
    pub body: String,
}

/// Both servers; they end with this.
#[derive(Debug)]
pub struct AuthorizationServer {
    url: Url,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

#[derive(Debug)]
struct Shared {
    url: Url,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    habits: Habits,
    asked: Vec<Asked>,
    count: u64,
    tokens: HashSet<String>,
    renewals: HashSet<String>,
    codes: HashSet<String>,
}

impl AuthorizationServer {
    /// Starts on a free port of this machine.
    pub async fn start(habits: Habits) -> io::Result<AuthorizationServer> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}/", listener.local_addr()?);
        let url = Url::parse(&url).map_err(io::Error::other)?;
        let state = Mutex::new(State { habits, ..State::default() });
        let shared = Arc::new(Shared { url: url.clone(), state });
        let own = Arc::clone(&shared);
        let router = Router::new().fallback(move |request: Request<Body>| {
            let own = Arc::clone(&own);
            async move { own.answer(request).await }
        });
        let task = tokio::spawn(async move {
            // It ends with its task.
            let _ = axum::serve(listener, router).await;
        });
        Ok(AuthorizationServer { url, shared, task })
    }

    /// Its own address, as an authorization server.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// The address of the server that wants logins.
    pub fn mcp(&self) -> Url {
        self.shared.at("mcp")
    }

    /// Changes its habits.
    pub fn change(&self, change: impl FnOnce(&mut Habits)) {
        change(&mut self.shared.state().habits);
    }

    /// Takes no token that it gave out so far.
    pub fn revoke(&self) {
        self.shared.state().tokens.clear();
    }

    /// What it was asked under a name such as `POST /token`.
    pub fn asked(&self, what: &str) -> Vec<Asked> {
        self.shared.state().asked.iter().filter(|asked| asked.what == what).cloned().collect()
    }
}

impl Drop for AuthorizationServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().ignore_poison()
    }

    fn at(&self, path: &str) -> Url {
        let mut url = self.url.clone();
        url.set_path(path);
        url
    }

    async fn answer(&self, request: Request<Body>) -> Response<Body> {
        let (head, body) = request.into_parts();
        let body = to_bytes(body, MAX_BODY).await.unwrap_or_default();
        let authorization = head.headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let asked = Asked {
            what: format!("{} {}", head.method, head.uri.path()),
            query: head.uri.query().unwrap_or_default().to_owned(),
            authorization: authorization.map(str::to_owned),
            body: String::from_utf8_lossy(&body).into_owned(),
        };
        self.state().asked.push(asked.clone());
        match (head.method, head.uri.path()) {
            (Method::GET, "/.well-known/oauth-protected-resource/mcp") => self.resource(),
            (Method::GET, "/.well-known/oauth-authorization-server") => self.metadata(),
            (Method::POST, "/register") => self.register(&asked),
            (Method::GET, "/authorize") => self.authorize(&asked),
            (Method::POST, "/token") => {
                let answer = self.token(&asked);
                let slowness = self.state().habits.slowness;
                tokio::time::sleep(slowness.unwrap_or_default()).await;
                answer
            }
            (_, "/mcp") => self.call(&asked),
            _ => answers::status(404),
        }
    }
}
