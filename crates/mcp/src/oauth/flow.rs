//! What is done with an authorization server: finding it, being known to it, and renewing tokens.

use reqwest::Url;
use rmcp::transport::auth::{AuthError, AuthorizationManager, AuthorizationMetadata, OAuthClientConfig};
use tracing::instrument::WithSubscriber;
use tracing::subscriber::NoSubscriber;

use super::error::LoginError;
use super::store::{Kept, ServerLogin};
use super::{OAuthTarget, TokenStore, endpoints};

/// What we call ourselves at a registration.
const CLIENT_NAME: &str = "Toolwright";

/// The scope that stands for tokens that can be renewed.
const OFFLINE_ACCESS: &str = "offline_access";

/// An authorization server that was found.
pub(super) struct Flow<'f> {
    pub manager: AuthorizationManager,
    pub metadata: AuthorizationMetadata,
    target: &'f OAuthTarget,
    store: &'f TokenStore,
}

/// What came of trying to renew a token.
pub(super) enum Renewal {
    Done,
    /// Only a person can help.
    NeedsLogin,
    /// It may work later.
    Failed(String),
}

impl<'f> Flow<'f> {
    /// Finds the authorization server of a server, beginning at what it said when it refused a request.
    pub async fn discover(
        target: &'f OAuthTarget,
        store: &'f TokenStore,
        challenge: Option<&str>,
    ) -> Result<Flow<'f>, LoginError> {
        endpoints::checked("the address of the server", target.url.as_str())?;
        let found = async {
            let mut manager = match target.allows_private_addresses {
                true => AuthorizationManager::new_allowing_private_addresses(target.url.clone()).await?,
                false => AuthorizationManager::new(target.url.clone()).await?,
            };
            let metadata = manager.resolve_metadata_from_challenge(challenge).await?.metadata;
            manager.set_metadata(metadata.clone());
            Ok((manager, metadata))
        };
        let (manager, metadata) = quiet(found).await.map_err(|error| LoginError::failed(&error))?;
        endpoints::check(&metadata)?;
        Ok(Flow { manager, metadata, target, store })
    }

    /// Becomes known to the authorization server, and says where the browser has to go.
    pub async fn begin(&mut self, redirect: &str, scopes: &[String]) -> Result<Url, LoginError> {
        let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
        let started = async {
            let client = match self.own_client(redirect) {
                Some(client) => client,
                None => self.manager.register_client(CLIENT_NAME, redirect, &scopes).await?,
            };
            self.remember(client.client_secret.clone(), Vec::new());
            self.manager.configure_client(client)?;
            self.manager.get_authorization_url(&scopes).await
        };
        let page = quiet(started).await.map_err(|error| LoginError::failed(&error))?;
        endpoints::checked("the page to log in", &page)
    }

    /// Who we are without a registration.
    fn own_client(&self, redirect: &str) -> Option<OAuthClientConfig> {
        let client = &self.target.client;
        if let Some(id) = &client.id {
            let config = OAuthClientConfig::new(id, redirect);
            return Some(match &client.secret {
                Some(secret) => config.with_client_secret(secret),
                None => config,
            });
        }
        let takes_documents = self.metadata.additional_fields.get("client_id_metadata_document_supported");
        let document = client.document.as_ref().filter(|document| document.scheme() == "https")?;
        takes_documents
            .is_some_and(|takes| takes.as_bool() == Some(true))
            .then(|| OAuthClientConfig::new(document.as_str(), redirect))
    }

    /// What is asked for: what is configured or wanted besides what was granted, or what the server
    /// says it needs.
    pub async fn scopes(&self, wanted: &[String]) -> Vec<String> {
        let kept = self.kept();
        let granted = kept.as_ref().filter(|_| !wanted.is_empty()).map_or(&[][..], Kept::granted);
        let mut scopes: Vec<String> = Vec::new();
        for scope in self.target.scopes.iter().chain(granted).chain(wanted) {
            if !scopes.contains(scope) {
                scopes.push(scope.clone());
            }
        }
        if scopes.is_empty() {
            return quiet(self.manager.select_initial_scopes(&[])).await;
        }
        let offered = self.metadata.scopes_supported.iter().flatten();
        if offered.into_iter().any(|scope| scope == OFFLINE_ACCESS)
            && !scopes.iter().any(|scope| scope == OFFLINE_ACCESS)
        {
            scopes.push(OFFLINE_ACCESS.to_owned());
        }
        scopes
    }

    /// Exchanges the code that the browser brought for tokens, and keeps them.
    pub async fn finish(&self, code: &str, state: &str, issuer: Option<&str>) -> Result<(), LoginError> {
        let exchanged = self.manager.exchange_code_for_token_with_issuer(code, state, issuer);
        quiet(exchanged).await.map(drop).map_err(|error| LoginError::failed(&error))
    }

    /// Renews the token that is kept. One that another authorization server gave is never shown to this
    /// one: the server has moved, and the login goes with it.
    pub async fn renew(&mut self) -> Renewal {
        let Some(kept) = self.kept() else { return Renewal::NeedsLogin };
        let Some(credentials) = &kept.credentials else { return Renewal::NeedsLogin };
        if credentials.issuer != self.metadata.issuer {
            return Renewal::NeedsLogin;
        }
        let config = OAuthClientConfig::new(&credentials.client_id, self.target.url.as_str());
        let secret = self.target.client.secret.clone().or(kept.client_secret);
        let config = match &secret {
            Some(secret) => config.with_client_secret(secret),
            None => config,
        };
        self.remember(secret, kept.wanted_scopes);
        let renewed = match self.manager.configure_client(config) {
            Ok(()) => quiet(self.manager.refresh_token()).await.map(drop),
            Err(error) => Err(error),
        };
        match renewed {
            Ok(()) => Renewal::Done,
            Err(AuthError::AuthorizationRequired | AuthError::TokenRefreshRejected(_)) => Renewal::NeedsLogin,
            Err(error) => Renewal::Failed(LoginError::failed(&error).to_string()),
        }
    }

    fn kept(&self) -> Option<Kept> {
        // One that cannot be read is replaced by the login; until then there is none.
        self.store.load(&self.target.url).ok().flatten()
    }

    fn remember(&mut self, client_secret: Option<String>, wanted_scopes: Vec<String>) {
        let (store, server) = (self.store.clone(), self.target.url.clone());
        self.manager.set_credential_store(ServerLogin { store, server, client_secret, wanted_scopes });
    }
}

/// Runs without a log: `rmcp` logs codes and what comes with tokens. What goes wrong is in the error.
async fn quiet<T>(work: impl Future<Output = T>) -> T {
    work.with_subscriber(NoSubscriber::default()).await
}
