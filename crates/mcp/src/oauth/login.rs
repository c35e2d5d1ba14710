//! Asking a person to log in, once.

use std::time::Duration;

use reqwest::Url;

use super::callback::Callback;
use super::error::LoginError;
use super::flow::Flow;
use super::{OAuthTarget, TokenStore};

/// How long a person may take.
pub const LOGIN_WAIT: Duration = Duration::from_secs(300);

/// How a person is asked.
#[derive(Clone, Debug)]
pub struct LoginOptions {
    /// How long the person may take.
    pub wait: Duration,
    /// The `WWW-Authenticate` header of the answer that asked for a login.
    pub challenge: Option<String>,
    /// What is needed besides what was granted before.
    pub wanted_scopes: Vec<String>,
}

impl Default for LoginOptions {
    fn default() -> Self {
        LoginOptions { wait: LOGIN_WAIT, challenge: None, wanted_scopes: Vec::new() }
    }
}

/// Logs in at the authorization server of a server, and keeps what comes of it. The browser is to be
/// opened with the page that `open_browser` gets, which is https or on this machine.
pub async fn login(
    target: &OAuthTarget,
    store: &TokenStore,
    options: &LoginOptions,
    open_browser: impl Fn(&Url),
) -> Result<(), LoginError> {
    let mut flow = Flow::discover(target, store, options.challenge.as_deref()).await?;
    let callback = Callback::open(target.callback_port).await?;
    let mut wanted = options.wanted_scopes.clone();
    wanted.extend(store.load(&target.url)?.map(|kept| kept.wanted_scopes).unwrap_or_default());
    let scopes = flow.scopes(&wanted).await;
    let page = flow.begin(&callback.address, &scopes).await?;
    let state = page.query_pairs().find(|(key, _)| key == "state").map(|(_, state)| state.into_owned());
    let state = state.ok_or_else(|| LoginError::Failed("the page to log in carries no state".into()))?;
    open_browser(&page);
    let granted = callback.wait(&state, options.wait).await?;
    flow.finish(&granted.code, &state, granted.issuer.as_deref()).await
}
