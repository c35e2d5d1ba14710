//! Tokens for requests: renewed before they expire, asked for anew when a server refuses them.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use reqwest::Url;
use rmcp::transport::auth::WWWAuthenticateParams;
use tokio::sync::Mutex;
use tokio::time::Instant;
use toolwright_base::unix_seconds;

use super::flow::{Flow, Renewal};
use super::store::Access;
use super::{LoginOptions, OAuthTarget, StoreError, TokenStore, login};
use crate::RequestError;
use crate::http::{Authorizer, BoxFuture};

/// How long before its end a token is renewed.
const EARLY_SECS: u64 = 30;
/// How long a renewal is not tried again. A refusal this soon after one that worked may be of a request
/// that still carried the token before.
const RENEWAL_REST: Duration = Duration::from_secs(10);
/// How many such refusals are tried again.
const MAX_LATE_REFUSALS: u32 = 4;
/// How often a person is asked for the same thing.
const MAX_LOGINS: u32 = 2;

/// Opens a page for the person at this machine.
pub type Browser = Arc<dyn Fn(&Url) + Send + Sync>;

/// The tokens of one server. Must be used on a tokio runtime.
pub struct OAuthAuthorizer {
    keeper: Arc<Keeper>,
}

impl OAuthAuthorizer {
    /// Tokens from logins that were made before. Without one, requests say how to log in.
    pub fn new(target: OAuthTarget, store: TokenStore) -> OAuthAuthorizer {
        OAuthAuthorizer::of(target, store, None)
    }

    /// The same, and asks the person at this machine by itself when a login is needed.
    pub fn with_browser(target: OAuthTarget, store: TokenStore, browser: Browser) -> OAuthAuthorizer {
        OAuthAuthorizer::of(target, store, Some(browser))
    }

    fn of(target: OAuthTarget, store: TokenStore, browser: Option<Browser>) -> OAuthAuthorizer {
        let keeper = Keeper { target, store, browser, state: Mutex::default() };
        OAuthAuthorizer { keeper: Arc::new(keeper) }
    }
}

impl Authorizer for OAuthAuthorizer {
    fn token(&self) -> BoxFuture<'_, Result<Option<String>, RequestError>> {
        Box::pin(async {
            if let Some(token) = self.keeper.good_token().await {
                return Ok(Some(token));
            }
            let keeper = Arc::clone(&self.keeper);
            to_its_end(async move { keeper.current().await }).await
        })
    }

    fn challenged(
        &self,
        status: u16,
        www_authenticate: Option<String>,
    ) -> BoxFuture<'_, Result<bool, RequestError>> {
        let keeper = Arc::clone(&self.keeper);
        Box::pin(to_its_end(async move { keeper.challenged(status, www_authenticate.as_deref()).await }))
    }
}

impl fmt::Debug for OAuthAuthorizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OAuthAuthorizer").field("server", &self.keeper.target.name).finish_non_exhaustive()
    }
}

/// Goes on even if the request that began it is given up: a refresh token that was shown is used up, and
/// the one that comes back must not be lost.
async fn to_its_end<T: Send + 'static>(
    work: impl Future<Output = Result<T, RequestError>> + Send + 'static,
) -> Result<T, RequestError> {
    let ended = tokio::spawn(work).await;
    ended.unwrap_or_else(|_| Err(RequestError::NoAnswer("the login was given up".to_owned())))
}

struct Keeper {
    target: OAuthTarget,
    store: TokenStore,
    browser: Option<Browser>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    is_loaded: bool,
    held: Option<Access>,
    renewed: Option<Instant>,
    late_refusals: u32,
    /// The last renewal that did not work, and why.
    failed: Option<(Instant, String)>,
    /// How often a person was asked, and for what.
    asked: Vec<(String, u32)>,
}

impl Keeper {
    async fn good_token(&self) -> Option<String> {
        let state = self.state.lock().await;
        state.held.as_ref().filter(|held| held.lasts() >= EARLY_SECS).map(|held| held.token.clone())
    }

    async fn current(&self) -> Result<Option<String>, RequestError> {
        let mut state = self.state.lock().await;
        // Another process may have logged in or renewed the token; so may another request, just now.
        if !state.is_loaded || state.held.as_ref().is_some_and(|held| held.lasts() < EARLY_SECS) {
            self.reload(&mut state)?;
        }
        let Some(held) = state.held.clone() else { return Ok(None) };
        if held.lasts() >= EARLY_SECS {
            return Ok(Some(held.token));
        }
        match self.renew(&mut state, None).await {
            Renewal::Done => Ok(state.held.as_ref().map(|held| held.token.clone())),
            _ if held.lasts() > 0 => Ok(Some(held.token)),
            // The server will ask for it.
            Renewal::NeedsLogin if self.browser.is_some() => Ok(None),
            Renewal::NeedsLogin => Err(self.needs_login("its token has expired")),
            Renewal::Failed(why) => Err(RequestError::NoAnswer(format!("the token was not renewed: {why}"))),
        }
    }

    async fn challenged(&self, status: u16, challenge: Option<&str>) -> Result<bool, RequestError> {
        let said = WWWAuthenticateParams::parse(challenge.unwrap_or_default(), &self.target.url);
        match status {
            401 => self.refused(challenge).await,
            403 if said.is_insufficient_scope() => {
                self.lacks_scope(challenge, &said.scope.unwrap_or_default()).await
            }
            _ => Ok(false),
        }
    }

    /// The server does not take the token, or wants one.
    async fn refused(&self, challenge: Option<&str>) -> Result<bool, RequestError> {
        let mut state = self.state.lock().await;
        if self.reload(&mut state)? {
            return Ok(true);
        }
        if state.held.is_none() {
            return self.ask(&mut state, "", challenge, "no login is kept").await;
        }
        if state.renewed.is_some_and(|renewed| renewed.elapsed() < RENEWAL_REST) {
            state.late_refusals += 1;
            if state.late_refusals <= MAX_LATE_REFUSALS {
                return Ok(true);
            }
            return Err(self.needs_login("it refuses the token that was just renewed"));
        }
        match self.renew(&mut state, challenge).await {
            Renewal::Done => Ok(true),
            Renewal::NeedsLogin => self.ask(&mut state, "", challenge, "it refuses the token").await,
            Renewal::Failed(why) => {
                Err(RequestError::NoAnswer(format!("the token was refused and not renewed: {why}")))
            }
        }
    }

    /// The server wants a token that allows more.
    async fn lacks_scope(&self, challenge: Option<&str>, wanted: &str) -> Result<bool, RequestError> {
        let mut state = self.state.lock().await;
        if self.browser.is_none() {
            self.remember_wanted(wanted).map_err(|error| cannot_keep(&error))?;
        }
        self.ask(&mut state, wanted, challenge, "it wants more rights").await
    }

    /// Takes what is kept; says whether it is another token than before.
    fn reload(&self, state: &mut State) -> Result<bool, RequestError> {
        let kept = self.store.load(&self.target.url).map_err(|error| cannot_keep(&error))?;
        let held = kept.and_then(|kept| kept.access());
        let is_other = held != state.held;
        state.is_loaded = true;
        state.held = held;
        Ok(is_other && state.held.is_some())
    }

    async fn renew(&self, state: &mut State, challenge: Option<&str>) -> Renewal {
        if !state.held.as_ref().is_some_and(|held| held.can_be_renewed) {
            return Renewal::NeedsLogin;
        }
        if let Some((_, why)) = state.failed.as_ref().filter(|(at, _)| at.elapsed() < RENEWAL_REST) {
            return Renewal::Failed(why.clone());
        }
        let renewal = match Flow::discover(&self.target, &self.store, challenge).await {
            Ok(mut flow) => flow.renew().await,
            Err(error) => Renewal::Failed(error.to_string()),
        };
        let renewal = match (renewal, self.reload(state)) {
            (Renewal::Done, Err(error)) => Renewal::Failed(error.to_string()),
            (renewal, _) => renewal,
        };
        state.failed = None;
        match &renewal {
            Renewal::Done => {
                state.renewed = Some(Instant::now());
                state.late_refusals = 0;
            }
            Renewal::Failed(why) => state.failed = Some((Instant::now(), why.clone())),
            Renewal::NeedsLogin => {}
        }
        renewal
    }

    /// Keeps what is wanted for the next login.
    fn remember_wanted(&self, wanted: &str) -> Result<(), StoreError> {
        let mut kept = self.store.load(&self.target.url)?.unwrap_or_default();
        let known = kept.wanted_scopes.len();
        for scope in wanted.split_whitespace() {
            if !kept.wanted_scopes.iter().any(|known| known == scope) {
                kept.wanted_scopes.push(scope.to_owned());
            }
        }
        if kept.wanted_scopes.len() == known { Ok(()) } else { self.store.save(&self.target.url, kept) }
    }

    /// Asks the person to log in, if one is there and was not asked for the same thing before.
    async fn ask(
        &self,
        state: &mut State,
        wanted: &str,
        challenge: Option<&str>,
        why: &str,
    ) -> Result<bool, RequestError> {
        let Some(browser) = &self.browser else { return Err(self.needs_login(why)) };
        if state.count_login(wanted) > MAX_LOGINS {
            return Err(self.needs_login("it refuses the token of the login that was just made"));
        }
        let options = LoginOptions {
            challenge: challenge.map(str::to_owned),
            wanted_scopes: wanted.split_whitespace().map(str::to_owned).collect(),
            ..LoginOptions::default()
        };
        let done = login(&self.target, &self.store, &options, |page| browser(page)).await;
        done.map_err(|error| RequestError::Unauthorized(error.to_string()))?;
        self.reload(state)?;
        state.renewed = None;
        Ok(true)
    }

    fn needs_login(&self, why: &str) -> RequestError {
        RequestError::Unauthorized(format!("{why}; run `toolwright servers login {}`", self.target.name))
    }
}

fn cannot_keep(error: &StoreError) -> RequestError {
    RequestError::Unauthorized(error.to_string())
}

impl State {
    fn count_login(&mut self, wanted: &str) -> u32 {
        match self.asked.iter_mut().find(|(known, _)| known == wanted) {
            Some((_, count)) => {
                *count += 1;
                *count
            }
            None => {
                self.asked.push((wanted.to_owned(), 1));
                1
            }
        }
    }
}

impl Access {
    /// For how many seconds the token is still good.
    fn lasts(&self) -> u64 {
        self.expires_at.map_or(u64::MAX, |expires_at| expires_at.saturating_sub(unix_seconds()))
    }
}
