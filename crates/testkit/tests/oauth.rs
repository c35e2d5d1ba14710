//! Logins against a real authorization server on this machine: asked for once, kept for their owner,
//! renewed in time, and shown to nobody else.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Client, StatusCode, Url};
use toolwright_jsonrpc::Json;
use toolwright_mcp::http::{self, Authorizer, HttpKind, HttpTarget};
use toolwright_mcp::oauth::{
    Browser, LoginError, LoginOptions, OAuthAuthorizer, OAuthTarget, TokenStore, login,
};
use toolwright_mcp::{
    ConnectError, Connection, Identity, NoHost, Peer, PeerOptions, RequestError, RequestOptions,
};
use toolwright_testkit::authorization_server::{AuthorizationServer, CLIENT_SECRET, Habits};
use toolwright_testkit::conformance::headless;

const COMMAND: &str = "run `toolwright servers login shop`";

struct Place {
    server: AuthorizationServer,
    store: TokenStore,
    folder: tempfile::TempDir,
}

impl Place {
    async fn new(habits: Habits) -> Place {
        let folder = tempfile::tempdir().expect("a folder");
        let store = TokenStore::new(folder.path().join("logins"));
        let server = AuthorizationServer::start(habits).await.expect("a port");
        Place { server, store, folder }
    }

    fn target(&self) -> OAuthTarget {
        OAuthTarget::new("shop", self.server.mcp())
    }

    async fn log_in(&self) -> Result<(), LoginError> {
        let browser = headless();
        login(&self.target(), &self.store, &LoginOptions::default(), |page| browser(page)).await
    }

    /// Without a person.
    fn authorizer(&self) -> OAuthAuthorizer {
        OAuthAuthorizer::new(self.target(), self.store.clone())
    }

    fn authorizer_with_person(&self) -> OAuthAuthorizer {
        OAuthAuthorizer::with_browser(self.target(), self.store.clone(), headless())
    }

    fn file(&self) -> std::path::PathBuf {
        let logins = self.folder.path().join("logins");
        let files = fs::read_dir(logins).expect("a folder").map(|file| file.expect("a file").path());
        files.into_iter().find(|file| file.extension().is_some_and(|end| end == "json")).expect("a login")
    }
}

async fn met(url: Url, authorizer: OAuthAuthorizer) -> Result<Peer, ConnectError> {
    let (kind, authorizer) = (HttpKind::Streamable, Some(Arc::new(authorizer) as Arc<dyn Authorizer>));
    let link = http::open(HttpTarget {
        url: url.into(),
        headers: Vec::new(),
        kind,
        authorizer,
        max_response_bytes: None,
    });
    let identity = Identity { client: Json::empty_object(), capabilities: Json::empty_object() };
    let options = PeerOptions { probe: Duration::from_secs(20), ..PeerOptions::default() };
    Peer::connect(Connection::open(link, Arc::new(NoHost)), identity, &options).await
}

#[cfg(unix)]
fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).expect("it is there").permissions().mode() & 0o777
}

#[tokio::test]
async fn a_login_is_kept_and_used_by_whoever_comes_later() {
    let place = Place::new(Habits::default()).await;
    place.log_in().await.expect("a login");
    assert!(place.store.has_login(&place.server.mcp()).expect("readable"));
    let peer = met(place.server.mcp(), place.authorizer()).await.expect("met");
    let tools = peer.list("tools/list", "tools", &RequestOptions::default()).await.expect("a list");
    assert!(tools.is_empty());
    let page = &place.server.asked("GET /authorize")[0].query;
    for said in
        ["code_challenge_method=S256", "scope=basic+offline_access", "resource=http%3A%2F%2F127.0.0.1"]
    {
        assert!(page.contains(said), "{page}");
    }
    // Asked for once.
    assert_eq!(place.server.asked("GET /authorize").len(), 1);
    assert!(place.store.forget(&place.server.mcp()).expect("removed"));
    assert!(!place.store.has_login(&place.server.mcp()).expect("readable"));
}

#[cfg(unix)]
#[tokio::test]
async fn a_login_is_for_its_owner_only() {
    let place = Place::new(Habits { expires_in: Some(1), ..Habits::default() }).await;
    place.log_in().await.expect("a login");
    // A renewal replaces the file.
    place.authorizer().token().await.expect("a token");
    let folder = place.folder.path().join("logins");
    assert_eq!(mode(&folder), 0o700);
    for file in fs::read_dir(&folder).expect("a folder") {
        let file = file.expect("a file").path();
        assert_eq!(mode(&file), 0o600, "{}", file.display());
        let name = file.to_string_lossy();
        assert!(name.ends_with(".json") || name.ends_with(".lock"), "{name} was left behind");
    }
}

#[tokio::test]
async fn an_answer_with_another_state_is_turned_away_and_waited_past() {
    let place = Place::new(Habits::default()).await;
    let statuses = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&statuses);
    let browser: Browser = Arc::new(move |page: &Url| {
        let (page, seen) = (page.clone(), Arc::clone(&seen));
        tokio::spawn(async move {
            let client = Client::builder().redirect(Policy::none()).build().expect("a client");
            let answer = client.get(page).send().await.expect("an answer");
            let back = answer.headers()["location"].to_str().expect("text");
            let mut forged = Url::parse(back).expect("an address");
            forged.set_query(Some("code=forged&state=forged"));
            for address in [forged.as_str(), back] {
                let status = client.get(address).send().await.expect("an answer").status();
                seen.lock().expect("no panic before").push(status);
            }
        });
    });
    login(&place.target(), &place.store, &LoginOptions::default(), |page| browser(page))
        .await
        .expect("a login");
    let asked = place.server.asked("POST /token");
    assert!(asked.len() == 1 && !asked[0].body.contains("forged"), "{asked:?}");
    // The browser may still be on its way from the last page.
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(*statuses.lock().expect("no panic before"), [StatusCode::BAD_REQUEST, StatusCode::OK]);
}

#[tokio::test]
async fn a_person_who_says_no_is_heard() {
    let place = Place::new(Habits { denies: true, ..Habits::default() }).await;
    let error = place.log_in().await.unwrap_err();
    assert_eq!(error.to_string(), "the login was refused: access_denied: not today");
    assert!(place.server.asked("POST /token").is_empty());
}

#[tokio::test]
async fn a_person_who_does_not_come_is_not_waited_for_without_end() {
    let place = Place::new(Habits::default()).await;
    let options = LoginOptions { wait: Duration::from_millis(100), ..LoginOptions::default() };
    let error = login(&place.target(), &place.store, &options, |_| ()).await.unwrap_err();
    assert!(matches!(error, LoginError::TimedOut(_)), "{error}");
}

#[tokio::test]
async fn without_a_login_the_command_is_named() {
    let place = Place::new(Habits::default()).await;
    assert_eq!(place.authorizer().token().await.expect("no error"), None);
    let error = met(place.server.mcp(), place.authorizer()).await.unwrap_err();
    assert!(
        matches!(&error, ConnectError::Failed(RequestError::Unauthorized(said)) if said.contains(COMMAND)),
        "{error}"
    );
}

#[tokio::test]
async fn a_token_is_renewed_before_it_expires_and_the_secret_goes_with_it() {
    let place = Place::new(Habits { expires_in: Some(5), ..Habits::default() }).await;
    place.log_in().await.expect("a login");
    place.server.change(|habits| habits.expires_in = Some(3600));
    let authorizer = place.authorizer();
    let first = authorizer.token().await.expect("a token").expect("one");
    assert_eq!(authorizer.token().await.expect("a token"), Some(first));
    let asked = place.server.asked("POST /token");
    assert_eq!(asked.len(), 2, "{asked:?}");
    assert!(asked[1].body.contains("grant_type=refresh_token"), "{asked:?}");
    // The registration came with a secret: both times it is shown, as the server likes it best.
    assert!(
        asked
            .iter()
            .all(|asked| asked.authorization.as_ref().is_some_and(|value| value.starts_with("Basic ")))
    );
    assert!(fs::read_to_string(place.file()).expect("text").contains(CLIENT_SECRET));
}

#[tokio::test]
async fn many_requests_at_once_renew_a_token_once() {
    let place = Place::new(Habits { expires_in: Some(5), ..Habits::default() }).await;
    place.log_in().await.expect("a login");
    place.server.change(|habits| habits.expires_in = Some(3600));
    let authorizer = Arc::new(place.authorizer());
    let tokens: Vec<_> = (0..20)
        .map(|_| {
            let authorizer = Arc::clone(&authorizer);
            tokio::spawn(async move { authorizer.token().await.expect("a token") })
        })
        .collect();
    for token in tokens {
        assert!(token.await.expect("no panic").is_some());
    }
    assert_eq!(place.server.asked("POST /token").len(), 2);
}

#[tokio::test]
async fn a_token_that_is_refused_is_renewed_once() {
    let place = Place::new(Habits::default()).await;
    place.log_in().await.expect("a login");
    place.server.revoke();
    met(place.server.mcp(), place.authorizer()).await.expect("met with the renewed token");
    assert_eq!(place.server.asked("POST /token").len(), 2);
}

#[tokio::test]
async fn a_renewal_that_is_refused_ends_in_the_command() {
    let place = Place::new(Habits { expires_in: Some(0), ..Habits::default() }).await;
    place.log_in().await.expect("a login");
    place.server.change(|habits| habits.refuses_renewals = true);
    let authorizer = place.authorizer();
    let error = authorizer.token().await.unwrap_err();
    assert!(matches!(&error, RequestError::Unauthorized(said) if said.contains(COMMAND)), "{error}");
    // It is not tried again with what was refused.
    assert_eq!(authorizer.token().await.expect("no error"), None);
    assert_eq!(place.server.asked("POST /token").len(), 2);
    let error = authorizer.challenged(401, None).await.unwrap_err();
    assert!(error.to_string().contains(COMMAND), "{error}");
}

#[tokio::test]
async fn a_request_that_is_given_up_does_not_lose_the_renewed_token() {
    let place = Place::new(Habits { expires_in: Some(0), ..Habits::default() }).await;
    place.log_in().await.expect("a login");
    let slowness = Some(Duration::from_millis(300));
    place.server.change(|habits| (habits.slowness, habits.expires_in) = (slowness, Some(3600)));
    let authorizer = place.authorizer();
    let renewing = place.server.asked("POST /token").len() + 1;
    tokio::select! {
        _ = authorizer.token() => panic!("the server is slow"),
        () = async {
            while place.server.asked("POST /token").len() < renewing {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        } => {}
    }
    // The refresh token is used up now; its successor is on the way.
    let token = authorizer.token().await.expect("a token");
    assert!(token.is_some());
    assert_eq!(place.authorizer().token().await.expect("a token"), token);
    assert_eq!(place.server.asked("POST /token").len(), renewing);
}

#[tokio::test]
async fn two_processes_do_not_use_up_one_refresh_token() {
    let place = Place::new(Habits { expires_in: Some(0), ..Habits::default() }).await;
    place.log_in().await.expect("a login");
    place.server.change(|habits| {
        (habits.slowness, habits.expires_in) = (Some(Duration::from_millis(100)), Some(3600));
    });
    let (one, other) = (place.authorizer(), place.authorizer());
    let (one, other) = tokio::join!(one.token(), other.token());
    assert!(one.expect("a token").is_some() && other.expect("a token").is_some());
}

#[tokio::test]
async fn a_login_made_elsewhere_is_taken_up_without_a_restart() {
    let place = Place::new(Habits::default()).await;
    let authorizer = place.authorizer();
    assert_eq!(authorizer.token().await.expect("no error"), None);
    place.log_in().await.expect("a login");
    assert!(authorizer.challenged(401, None).await.expect("try again"));
    assert!(authorizer.token().await.expect("no error").is_some());
}

#[tokio::test]
async fn a_server_that_always_wants_more_asks_a_person_a_few_times_at_most() {
    let place = Place::new(Habits { wants_scope: Some("admin".into()), ..Habits::default() }).await;
    let authorizer = place.authorizer_with_person();
    let error = met(place.server.mcp(), authorizer).await.unwrap_err();
    assert!(matches!(&error, ConnectError::Failed(RequestError::Unauthorized(_))), "{error}");
    let pages = place.server.asked("GET /authorize");
    // Once because there was no login, and then for what is wanted besides.
    assert!((2..=3).contains(&pages.len()), "{pages:?}");
    assert!(pages[1].query.contains("scope=basic+offline_access+admin"), "{pages:?}");
}

#[tokio::test]
async fn what_a_server_wants_besides_is_asked_for_at_the_next_login() {
    let place = Place::new(Habits::default()).await;
    place.log_in().await.expect("a login");
    place.server.change(|habits| habits.wants_scope = Some("admin".into()));
    let error = met(place.server.mcp(), place.authorizer()).await.unwrap_err();
    assert!(
        error.to_string().contains("it wants more rights") && error.to_string().contains(COMMAND),
        "{error}"
    );
    place.log_in().await.expect("a login");
    let pages = place.server.asked("GET /authorize");
    assert!(pages[1].query.contains("scope=basic+offline_access+admin"), "{pages:?}");
}

#[tokio::test]
async fn pages_that_are_not_on_the_web_are_never_opened() {
    for page in
        ["javascript:alert(1)", "file:///etc/passwd", "http://as.example/authorize", "ssh://as.example"]
    {
        let habits = Habits { authorization_endpoint: Some(page.into()), ..Habits::default() };
        let place = Place::new(habits).await;
        let opened = |page: &Url| panic!("{page} was opened");
        let error = login(&place.target(), &place.store, &LoginOptions::default(), opened).await.unwrap_err();
        assert!(matches!(error, LoginError::UnsafeAddress { .. }), "{page}: {error}");
        assert!(place.server.asked("POST /register").is_empty());
    }
    let far = OAuthTarget::new("shop", Url::parse("http://mcp.example/mcp").expect("an address"));
    let place = Place::new(Habits::default()).await;
    let error = login(&far, &place.store, &LoginOptions::default(), |_| ()).await.unwrap_err();
    assert!(matches!(error, LoginError::UnsafeAddress { .. }), "{error}");
}

#[tokio::test]
async fn a_token_goes_to_its_own_server_only() {
    let place = Place::new(Habits::default()).await;
    place.log_in().await.expect("a login");
    let other = AuthorizationServer::start(Habits::default()).await.expect("a port");
    // The server points elsewhere.
    place.server.change(|habits| habits.redirects_to = Some(other.mcp().into()));
    met(place.server.mcp(), place.authorizer()).await.unwrap_err();
    assert!(other.asked("POST /mcp").is_empty());
    // Another server finds no login in the same folder.
    let target = OAuthTarget::new("other", other.mcp());
    met(other.mcp(), OAuthAuthorizer::new(target, place.store.clone())).await.unwrap_err();
    let asked = other.asked("POST /mcp");
    assert!(!asked.is_empty() && asked.iter().all(|asked| asked.authorization.is_none()), "{asked:?}");
}

#[tokio::test]
async fn a_refresh_token_is_not_shown_to_another_authorization_server() {
    let place = Place::new(Habits { expires_in: Some(0), ..Habits::default() }).await;
    place.log_in().await.expect("a login");
    let other = AuthorizationServer::start(Habits::default()).await.expect("a port");
    place.server.change(|habits| habits.names = Some(other.url().clone()));
    let error = place.authorizer().token().await.unwrap_err();
    assert!(error.to_string().contains(COMMAND), "{error}");
    assert!(!other.asked("GET /.well-known/oauth-authorization-server").is_empty());
    assert!(other.asked("POST /token").is_empty());
}

#[tokio::test]
async fn a_file_that_cannot_be_understood_is_no_login() {
    let place = Place::new(Habits::default()).await;
    place.log_in().await.expect("a login");
    for text in ["", "{", "{\"server\":\"https://other.example/\"}"] {
        fs::write(place.file(), text).expect("written");
        assert_eq!(place.authorizer().token().await.expect("no error"), None, "{text}");
    }
    place.log_in().await.expect("a login in its place");
    assert!(place.authorizer().token().await.expect("no error").is_some());
}

/// Everything that is logged.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("no panic before").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn no_log_has_tokens_codes_or_secrets() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::TRACE)
        .with_writer(move || writer.clone())
        .finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    let place = Place::new(Habits { expires_in: Some(5), ..Habits::default() }).await;
    let authorizer = place.authorizer_with_person();
    let peer = met(place.server.mcp(), authorizer).await.expect("met");
    peer.list("tools/list", "tools", &RequestOptions::default()).await.expect("a list");
    assert!(place.server.asked("POST /token").len() >= 2);
    let log = String::from_utf8_lossy(&log.0.lock().expect("no panic before")).into_owned();
    assert!(!log.is_empty());
    let kept = fs::read_to_string(place.file()).expect("text");
    assert!(kept.contains("access-") && kept.contains("renewal-"));
    for secret in ["access-", "renewal-", "code-", "identity-1", CLIENT_SECRET] {
        let line = log.lines().find(|line| line.contains(secret));
        assert_eq!(line, None, "{secret}");
    }
}
