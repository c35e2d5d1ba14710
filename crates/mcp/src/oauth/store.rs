//! Logins on disk: one file for each server, for its owner's eyes only.
//!
//! A file is replaced as a whole, so that a reader sees the old login or the new one. Renewals hold a
//! lock beside it: two processes do not use up one refresh token.

mod file;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use reqwest::Url;
use rmcp::transport::auth::{AuthError, CredentialRefreshGuard, CredentialStore, StoredCredentials};
use serde::{Deserialize, Serialize};
use tokio::time::timeout;

/// How long another process may take to renew a token.
const LOCK_WAIT: Duration = Duration::from_secs(60);

/// Why logins cannot be kept or found.
#[derive(Debug, thiserror::Error)]
#[error("the login in \"{}\" cannot be {doing}: {source}", .file.display())]
pub struct StoreError {
    file: PathBuf,
    doing: &'static str,
    source: io::Error,
}

/// The folder with the logins.
#[derive(Clone, Debug)]
pub struct TokenStore {
    folder: Arc<Path>,
}

/// What is kept of one login.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(super) struct Kept {
    /// The server's address: a file that says another one is not about this server.
    server: String,
    pub credentials: Option<StoredCredentials>,
    pub client_secret: Option<String>,
    /// What the server asked for beyond what was granted.
    #[serde(default)]
    pub wanted_scopes: Vec<String>,
}

/// A token as requests need it.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Access {
    pub token: String,
    /// In seconds since 1970.
    pub expires_at: Option<u64>,
    pub can_be_renewed: bool,
}

impl TokenStore {
    /// Logins in this folder. It is made when the first one is kept.
    pub fn new(folder: impl Into<PathBuf>) -> TokenStore {
        TokenStore { folder: folder.into().into() }
    }

    /// Whether there is a login for a server.
    pub fn has_login(&self, server: &Url) -> Result<bool, StoreError> {
        Ok(self.load(server)?.is_some_and(|kept| kept.access().is_some()))
    }

    /// Forgets the login for a server; says whether there was one.
    pub fn forget(&self, server: &Url) -> Result<bool, StoreError> {
        let file = self.file(server);
        match fs::remove_file(&file) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(source) => Err(StoreError { file, doing: "removed", source }),
        }
    }

    pub(super) fn load(&self, server: &Url) -> Result<Option<Kept>, StoreError> {
        let file = self.file(server);
        let text = match file::read(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(StoreError { file, doing: "read", source }),
        };
        match serde_json::from_str::<Kept>(&text) {
            Ok(kept) if kept.server == address(server) => Ok(Some(kept)),
            Ok(_) => Ok(None),
            Err(error) => {
                // The error names the place only; the text around it is secret.
                tracing::warn!(file = %file.display(), line = error.line(), "a login cannot be understood");
                Ok(None)
            }
        }
    }

    pub(super) fn save(&self, server: &Url, kept: Kept) -> Result<(), StoreError> {
        let file = self.file(server);
        let text = serde_json::to_string_pretty(&Kept { server: address(server), ..kept });
        let written = text.map_err(io::Error::from).and_then(|text| file::write(&file, &text));
        written.map_err(|source| StoreError { file, doing: "kept", source })
    }

    fn file(&self, server: &Url) -> PathBuf {
        self.folder.join(file::name(server.host_str().unwrap_or_default(), &address(server)))
    }
}

fn address(server: &Url) -> String {
    let mut server = server.clone();
    server.set_fragment(None);
    server.into()
}

impl Kept {
    pub fn access(&self) -> Option<Access> {
        let credentials = self.credentials.as_ref()?;
        let response = serde_json::to_value(credentials.token_response.as_ref()?).ok()?;
        let token = response.get("access_token")?.as_str()?.to_owned();
        let lifetime = response.get("expires_in").and_then(serde_json::Value::as_u64);
        let expires_at = lifetime.zip(credentials.token_received_at).map(|(life, from)| life + from);
        Some(Access { token, expires_at, can_be_renewed: response.get("refresh_token").is_some() })
    }

    /// What the authorization server has granted.
    pub fn granted(&self) -> &[String] {
        self.credentials.as_ref().map_or(&[], |credentials| &credentials.granted_scopes)
    }
}

/// The login of one server, as `rmcp` reads and writes it.
pub(super) struct ServerLogin {
    pub store: TokenStore,
    pub server: Url,
    /// The secret that came with the registration; `rmcp` keeps only the id.
    pub client_secret: Option<String>,
    /// What is still wanted when tokens are kept.
    pub wanted_scopes: Vec<String>,
}

fn store_error(error: StoreError) -> AuthError {
    AuthError::CredentialStoreError(error.to_string())
}

#[async_trait]
impl CredentialStore for ServerLogin {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        let kept = self.store.load(&self.server).map_err(store_error)?;
        Ok(kept.and_then(|kept| kept.credentials))
    }

    async fn save(&self, credentials: StoredCredentials) -> Result<(), AuthError> {
        let kept = Kept {
            server: address(&self.server),
            credentials: Some(credentials),
            client_secret: self.client_secret.clone(),
            wanted_scopes: self.wanted_scopes.clone(),
        };
        self.store.save(&self.server, kept).map_err(store_error)
    }

    async fn clear(&self) -> Result<(), AuthError> {
        self.store.forget(&self.server).map(drop).map_err(store_error)
    }

    /// The tokens are of no more use; what was granted is asked for again at the next login.
    async fn on_refresh_token_rejected(&self, credentials: &StoredCredentials) -> Result<(), AuthError> {
        let used = StoredCredentials::new(
            credentials.client_id.clone(),
            None,
            credentials.granted_scopes.clone(),
            credentials.token_received_at,
        );
        self.save(used.with_issuer(credentials.issuer.clone())).await
    }

    async fn acquire_refresh_guard(&self) -> Result<Option<CredentialRefreshGuard>, AuthError> {
        let path = self.store.file(&self.server).with_extension("lock");
        // A thread of its own waits: another process may hold the lock for as long as a request takes.
        let locking = tokio::task::spawn_blocking(move || file::lock(&path));
        let failed = |why: String| AuthError::CredentialStoreError(why);
        let locked = timeout(LOCK_WAIT, locking).await.map_err(|late| failed(late.to_string()))?;
        let locked = locked.map_err(|gone| failed(gone.to_string()))?;
        locked.map(|lock| Some(CredentialRefreshGuard::new(lock))).map_err(|error| failed(error.to_string()))
    }
}
