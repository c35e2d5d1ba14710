//! Logins to servers that want one.

use std::path::PathBuf;
use std::sync::Arc;

use toolwright_config::Login;
use toolwright_mcp::http::Authorizer;
use toolwright_mcp::oauth::{
    self, ClientIdentity, LoginError, LoginOptions, OAuthAuthorizer, OAuthTarget, TokenStore, Url,
};

/// The header of a login that the configuration gives itself.
const AUTHORIZATION: &str = "authorization";

/// Where logins are kept, and used from.
#[derive(Clone)]
pub struct Logins {
    store: TokenStore,
}

impl Logins {
    /// Logins in this folder.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Logins {
        Logins { store: TokenStore::new(folder) }
    }

    /// Who knows the login of a server. `None` when the configuration gives one by a header, or when the
    /// address is none.
    pub fn authorizer(
        &self,
        name: &str,
        url: &str,
        headers: &[(String, String)],
        login: &Login,
    ) -> Option<Arc<dyn Authorizer>> {
        if headers.iter().any(|(header, _)| header.eq_ignore_ascii_case(AUTHORIZATION)) {
            return None;
        }
        let target = target(name, Url::parse(url).ok()?, login);
        Some(Arc::new(OAuthAuthorizer::new(target, self.store.clone())))
    }

    /// Asks a person to log in to a server: `open` gets the page.
    pub async fn login(
        &self,
        name: &str,
        url: &str,
        login: &Login,
        open: impl Fn(&Url),
    ) -> Result<(), LoginError> {
        let url = Url::parse(url)
            .map_err(|error| LoginError::Failed(format!("the address \"{url}\" is none: {error}")))?;
        oauth::login(&target(name, url, login), &self.store, &LoginOptions::default(), open).await
    }
}

fn target(name: &str, url: Url, login: &Login) -> OAuthTarget {
    let client = ClientIdentity {
        id: login.client_id.clone(),
        secret: login.client_secret.clone(),
        document: login.client_metadata_url.as_deref().and_then(|url| Url::parse(url).ok()),
    };
    OAuthTarget {
        client,
        scopes: login.scopes.clone(),
        callback_port: login.callback_port,
        ..OAuthTarget::new(name, url)
    }
}
