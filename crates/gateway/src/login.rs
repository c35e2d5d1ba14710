//! Logins to servers that want one.

use std::path::PathBuf;
use std::sync::Arc;

use toolwright_mcp::http::Authorizer;
use toolwright_mcp::oauth::{self, LoginError, LoginOptions, OAuthAuthorizer, OAuthTarget, TokenStore, Url};

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
    pub(crate) fn authorizer(
        &self,
        name: &str,
        url: &str,
        headers: &[(String, String)],
    ) -> Option<Arc<dyn Authorizer>> {
        if headers.iter().any(|(header, _)| header.eq_ignore_ascii_case(AUTHORIZATION)) {
            return None;
        }
        let target = OAuthTarget::new(name, Url::parse(url).ok()?);
        Some(Arc::new(OAuthAuthorizer::new(target, self.store.clone())))
    }

    /// Asks a person to log in to a server: `open` gets the page.
    pub async fn login(&self, name: &str, url: &str, open: impl Fn(&Url)) -> Result<(), LoginError> {
        let url = Url::parse(url)
            .map_err(|error| LoginError::Failed(format!("the address \"{url}\" is none: {error}")))?;
        oauth::login(&OAuthTarget::new(name, url), &self.store, &LoginOptions::default(), open).await
    }
}
