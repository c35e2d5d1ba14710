//! A server that was spoken to: its era is found out once and hidden from then on.
//!
//! A modern server is asked what it supports; any other answer, or none in time, means a legacy one,
//! which is initialized. Requests are the same for both: what the era needs around them is added here.

use std::time::Duration;

use toolwright_jsonrpc::{ErrorObject, Json, METHOD_NOT_FOUND};

use crate::era::{Era, LEGACY_REVISIONS, MODERN_REVISIONS, newest};
use crate::lists;
use crate::{Connection, RequestError, RequestOptions};

/// The key of a request's revision in its `_meta`.
pub(crate) const REVISION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const CLIENT: &str = "io.modelcontextprotocol/clientInfo";
const SERVER: &str = "io.modelcontextprotocol/serverInfo";
/// The error of a modern server that does not support the revision of a request.
const UNSUPPORTED_REVISION: i64 = -32022;

/// Who we are towards a server.
#[derive(Clone, Debug)]
pub struct Identity {
    /// `{"name", "version", …}`
    pub client: Json,
    /// What we can do for a server.
    pub capabilities: Json,
}

/// How a server is met.
#[derive(Clone, Copy, Debug)]
pub struct PeerOptions {
    /// How long the question for a modern server may go unanswered.
    pub probe: Duration,
    /// How long `initialize` may take.
    pub start: Duration,
    /// The era the server had before, so that it is not asked again.
    pub known: Option<Era>,
}

impl Default for PeerOptions {
    fn default() -> Self {
        PeerOptions { probe: Duration::from_secs(5), start: Duration::from_secs(30), known: None }
    }
}

/// A server, ready for requests.
#[derive(Clone, Debug)]
pub struct Peer {
    connection: Connection,
    identity: Identity,
    era: Era,
    revision: String,
    capabilities: Json,
    server: Option<Json>,
    instructions: Option<String>,
}

/// Why there is no understanding with a server.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ConnectError {
    /// It does not answer, or is gone.
    #[error("the server did not start: {0}")]
    Failed(#[from] RequestError),
    /// It speaks another protocol, or only revisions we do not know.
    #[error("the server speaks the revisions {theirs}; known here are {}", known())]
    NoCommonRevision {
        /// What it offers.
        theirs: String,
    },
    /// What it says of itself cannot be understood.
    #[error("the answer to \"{method}\" lacks {what}")]
    NotUnderstood {
        /// What was asked.
        method: &'static str,
        /// What is missing.
        what: &'static str,
    },
}

fn known() -> String {
    [MODERN_REVISIONS, LEGACY_REVISIONS].concat().join(", ")
}

impl Peer {
    /// Finds out how the server is spoken to, and begins.
    pub async fn connect(
        connection: Connection,
        identity: Identity,
        options: &PeerOptions,
    ) -> Result<Peer, ConnectError> {
        if options.known != Some(Era::Legacy) {
            match discover(&connection, &identity, options).await? {
                Discovery::Modern(revision, said) => {
                    let meta = said.get("_meta");
                    return Ok(Peer {
                        connection,
                        identity,
                        era: Era::Modern,
                        revision: revision.to_owned(),
                        capabilities: said.get("capabilities").unwrap_or_else(Json::empty_object),
                        server: meta.and_then(|meta| meta.get(SERVER)),
                        instructions: said.get_text("instructions"),
                    });
                }
                Discovery::Unknown(theirs) => {
                    return Err(ConnectError::NoCommonRevision { theirs: theirs.join(", ") });
                }
                Discovery::Legacy => {}
            }
        }
        Peer::initialize(connection, identity, options).await
    }

    async fn initialize(
        connection: Connection,
        identity: Identity,
        options: &PeerOptions,
    ) -> Result<Peer, ConnectError> {
        const METHOD: &str = "initialize";
        let params = Json::empty_object()
            .with("protocolVersion", &Json::text(LEGACY_REVISIONS[0]))
            .with("capabilities", &identity.capabilities)
            .with("clientInfo", &identity.client);
        let wait = RequestOptions { timeout: Some(options.start), ..RequestOptions::default() };
        let said = connection.request(METHOD, Some(params), &wait).await?;
        let revision = said
            .get_text("protocolVersion")
            .ok_or(ConnectError::NotUnderstood { method: METHOD, what: "\"protocolVersion\"" })?;
        if !LEGACY_REVISIONS.contains(&revision.as_str()) {
            return Err(ConnectError::NoCommonRevision { theirs: revision });
        }
        connection.notify("notifications/initialized", None).await?;
        Ok(Peer {
            connection,
            identity,
            era: Era::Legacy,
            revision,
            capabilities: said.get("capabilities").unwrap_or_else(Json::empty_object),
            server: said.get("serverInfo"),
            instructions: said.get_text("instructions"),
        })
    }

    /// Sends a request with what the server's era needs around it.
    pub async fn request(
        &self,
        method: &str,
        params: Option<Json>,
        options: &RequestOptions,
    ) -> Result<Json, RequestError> {
        let params = match self.era {
            Era::Legacy => params,
            Era::Modern => Some(with_meta(params, &self.identity, &self.revision)),
        };
        self.connection.request(method, params, options).await
    }

    /// Asks for nothing but an answer, whatever it says.
    pub async fn is_there(&self, options: &RequestOptions) -> Result<(), RequestError> {
        let method = match self.era {
            Era::Legacy => "ping",
            Era::Modern => "server/discover",
        };
        match self.request(method, None, options).await {
            Ok(_) | Err(RequestError::Server(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Every item of a list, page after page.
    pub async fn list(
        &self,
        method: &str,
        key: &str,
        options: &RequestOptions,
    ) -> Result<Vec<Json>, RequestError> {
        lists::all(self, method, key, options).await
    }

    /// The era.
    pub fn era(&self) -> Era {
        self.era
    }

    /// The revision that was agreed on.
    pub fn revision(&self) -> &str {
        &self.revision
    }

    /// What the server can do.
    pub fn capabilities(&self) -> &Json {
        &self.capabilities
    }

    /// Who the server says it is.
    pub fn server(&self) -> Option<&Json> {
        self.server.as_ref()
    }

    /// What the server says to models about its use.
    pub fn instructions(&self) -> Option<&str> {
        self.instructions.as_deref()
    }

    /// The connection under it.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }
}

/// What came of the question for a modern server.
enum Discovery {
    Modern(&'static str, Json),
    /// Modern, but of revisions that nobody here knows.
    Unknown(Vec<String>),
    Legacy,
}

async fn discover(
    connection: &Connection,
    identity: &Identity,
    options: &PeerOptions,
) -> Result<Discovery, ConnectError> {
    let params = with_meta(None, identity, MODERN_REVISIONS[0]);
    let wait = RequestOptions { timeout: Some(options.probe), ..RequestOptions::default() };
    let said = match connection.request("server/discover", Some(params), &wait).await {
        Ok(said) => said,
        Err(RequestError::Server(error)) => return Ok(refused(&error)),
        // Silence is what some legacy servers answer before they are initialized.
        Err(RequestError::TimedOut(_) | RequestError::Unreadable(_)) => return Ok(Discovery::Legacy),
        Err(error @ (RequestError::Closed(_) | RequestError::Unauthorized(_))) => return Err(error.into()),
        // A server that knows no such request may say it by a status, or by nothing at all.
        Err(RequestError::Http { .. } | RequestError::NoAnswer(_)) => return Ok(Discovery::Legacy),
    };
    let Some(theirs) = said.get("supportedVersions").and_then(|versions| texts(&versions)) else {
        // An answer without the one thing it is for is none: some servers answer everything.
        return Ok(Discovery::Legacy);
    };
    Ok(match newest(MODERN_REVISIONS, &theirs) {
        Some(revision) => Discovery::Modern(revision, said),
        None if newest(LEGACY_REVISIONS, &theirs).is_some() => Discovery::Legacy,
        None => Discovery::Unknown(theirs),
    })
}

/// What a refusal of the question means: only a modern server knows the error for unknown revisions.
fn refused(error: &ErrorObject) -> Discovery {
    let theirs = error
        .data
        .as_ref()
        .filter(|_| error.number() == Some(UNSUPPORTED_REVISION))
        .and_then(|data| texts(&data.get("supported")?));
    match theirs {
        Some(theirs) if newest(LEGACY_REVISIONS, &theirs).is_none() => Discovery::Unknown(theirs),
        _ => {
            if error.number() != Some(METHOD_NOT_FOUND) {
                tracing::debug!(code = %error.code, message = %error.message, "no modern server");
            }
            Discovery::Legacy
        }
    }
}

fn texts(list: &Json) -> Option<Vec<String>> {
    list.items()?.iter().map(Json::to_text).collect()
}

/// The params with what a modern request says of itself; what is there already is kept.
fn with_meta(params: Option<Json>, identity: &Identity, revision: &str) -> Json {
    let params = params.unwrap_or_else(Json::empty_object);
    let mut meta = params.get("_meta").unwrap_or_else(Json::empty_object);
    let own = [
        (REVISION, &Json::text(revision)),
        (CLIENT, &identity.client),
        (CAPABILITIES, &identity.capabilities),
    ];
    for (key, value) in own {
        if meta.get(key).is_none() {
            meta = meta.with(key, value);
        }
    }
    params.with("_meta", &meta)
}
