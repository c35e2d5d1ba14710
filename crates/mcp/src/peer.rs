//! A server that was spoken to: its era is found out once and hidden from then on.
//!
//! A modern server is asked what it supports; any other answer, or none in time, means a legacy one,
//! which is initialized; or the other way round, as [`Protocol`] says. Requests are the same for both: what the era needs around them is added here.

mod headers;
mod meeting;
mod meta;

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::OnceCell;
use toolwright_base::IgnorePoison;
use toolwright_jsonrpc::Json;

use crate::era::{Era, LEGACY_REVISIONS, MODERN_REVISIONS};
use crate::input;
use crate::lists::{self, Cache, List};
use crate::subscription::{Filter, Subscription, Watched};
use crate::{Connection, RequestError, RequestOptions};
use headers::ToolHeaders;

pub(crate) use meta::{CAPABILITIES, CLIENT, LOG_LEVEL, REVISION, SERVER};

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
    /// The family of the protocol that the server is met in.
    pub protocol: Protocol,
}

/// The family of the protocol that a server is met in, when it speaks both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protocol {
    /// Modern, and legacy as well for legacy clients: over HTTP each request says its family.
    #[default]
    ModernFirst,
    /// Legacy where the server speaks it. A server on one pipe is met once for all clients, and a legacy connection
    /// serves both families of clients: questions can go back to either.
    LegacyFirst,
    /// This family alone.
    Only(Era),
}

impl Default for PeerOptions {
    fn default() -> Self {
        PeerOptions {
            probe: Duration::from_secs(5),
            start: Duration::from_secs(30),
            known: None,
            protocol: Protocol::default(),
        }
    }
}

/// A server, ready for requests.
#[derive(Clone)]
pub struct Peer {
    connection: Connection,
    about: Arc<About>,
    /// The tools whose arguments travel as headers too; `None` where there are no headers.
    tool_headers: Option<Arc<ToolHeaders>>,
    /// What a modern server is to legacy clients, once one has asked; `None` where it is met in one family.
    legacy: Option<Arc<Legacy>>,
}

/// The legacy side of a server that is met as a modern one.
struct Legacy {
    /// How long `initialize` may take.
    start: Duration,
    /// Empty when the server speaks no legacy revision.
    about: OnceCell<Option<Arc<About>>>,
}

/// What is known of a server, and kept for it.
pub(crate) struct About {
    identity: Identity,
    era: Era,
    revision: String,
    capabilities: Json,
    server: Option<Json>,
    instructions: Option<String>,
    said: Json,
    /// The level of log messages that a modern server's requests ask for, or that a legacy one was told.
    log_level: Mutex<Option<String>>,
    pub(crate) lists: Cache,
    pub(crate) watched: Arc<Watched>,
}

impl About {
    fn new(identity: Identity, era: Era, revision: String, server: Option<Json>, said: &Json) -> About {
        About {
            identity,
            era,
            revision,
            capabilities: said.get("capabilities").unwrap_or_else(Json::empty_object),
            server,
            instructions: said.get_text("instructions"),
            said: said.clone(),
            log_level: Mutex::default(),
            lists: Cache::default(),
            watched: Arc::default(),
        }
    }
}

/// How much a level of log messages matters; one that nobody knows matters most.
pub fn log_rank(level: &str) -> usize {
    const LEVELS: &[&str] =
        &["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];
    LEVELS.iter().position(|known| *known == level).unwrap_or(LEVELS.len())
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
    /// The configuration wants the modern family of the protocol, and the server does not speak it.
    #[error("the server does not speak a modern revision ({}), which \"protocol\" demands", MODERN_REVISIONS.join(", "))]
    NotModern,
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
        let about = Arc::new(meeting::meet(&connection, identity, options).await?);
        Ok(Peer { connection, about, tool_headers: None, legacy: None })
    }

    /// The same server for a client of this family: a legacy client meets a server over HTTP that speaks both families
    /// as a legacy one, on the same connection, so that questions and log messages reach it. Any other is the same.
    pub async fn for_client(&self, era: Era) -> Peer {
        let Some(legacy) = self.legacy.as_ref().filter(|_| era == Era::Legacy) else { return self.clone() };
        let about = legacy.about.get_or_init(|| async {
            let identity = self.about.identity.clone();
            match meeting::initialize(&self.connection, identity, legacy.start).await {
                Ok(about) => Some(Arc::new(about)),
                Err(error) => {
                    tracing::debug!(%error, "the server is met as a modern one by legacy clients too");
                    None
                }
            }
        });
        match about.await {
            Some(about) => Peer {
                connection: self.connection.clone(),
                about: Arc::clone(about),
                tool_headers: None,
                legacy: None,
            },
            None => self.clone(),
        }
    }

    /// The same server, known to be reached over HTTP: arguments that its tools want as headers go there
    /// too, and tools whose headers cannot be made are left out of its list.
    /// `options` say whether legacy clients meet it as a legacy server where it is one too.
    pub fn over_http(self, options: &PeerOptions) -> Peer {
        let is_modern = self.era() == Era::Modern;
        let tool_headers = is_modern.then(Arc::default);
        let legacy = (is_modern && options.protocol == Protocol::ModernFirst)
            .then(|| Arc::new(Legacy { start: options.start, about: OnceCell::new() }));
        Peer { tool_headers, legacy, ..self }
    }

    /// Sends a request with what the server's era needs around it. What the server asks back before it
    /// answers is answered by the host of the connection.
    pub async fn request(
        &self,
        method: &str,
        params: Option<Json>,
        options: &RequestOptions,
    ) -> Result<Json, RequestError> {
        let mut answer = self.ask(method, params.clone(), options).await;
        if let (Some(headers), Err(error)) = (&self.tool_headers, &answer)
            && headers.may_be_stale(method, error)
        {
            // The tool has changed since it was listed: its headers are made anew, once.
            self.about.lists.forget("tools/list");
            self.list("tools/list", "tools", &lists::background(options)).await?;
            answer = self.ask(method, params.clone(), options).await;
        }
        let result = answer?;
        if self.era() == Era::Legacy || options.passes_input_on || !input::is_asked_for(method, &result) {
            return Ok(result);
        }
        input::provide(self, method, params, result, options).await
    }

    /// Sends a request once.
    pub(crate) async fn ask(
        &self,
        method: &str,
        params: Option<Json>,
        options: &RequestOptions,
    ) -> Result<Json, RequestError> {
        if self.era() == Era::Legacy {
            return self.connection.request(method, params, options).await;
        }
        let mut options = Cow::Borrowed(options);
        if let Some(headers) = self.tool_headers.as_ref().filter(|_| method == "tools/call") {
            let more = params.as_ref().map(|params| headers.of_call(params)).unwrap_or_default();
            if !more.is_empty() {
                options.to_mut().headers.extend(more);
            }
        }
        let params = self.with_meta(params, &options);
        self.connection.request(method, Some(params), &options).await
    }

    /// The params of a modern request.
    pub(crate) fn with_meta(&self, params: Option<Json>, options: &RequestOptions) -> Json {
        let About { identity, revision, .. } = &*self.about;
        let level = self.about.log_level.lock().ignore_poison().clone();
        meta::with(params, identity, revision, options, level.as_deref())
    }

    /// Sends a notification.
    pub async fn notify(&self, method: &str, params: Option<Json>) -> Result<(), RequestError> {
        self.connection.notify(method, params).await
    }

    /// Asks for nothing but an answer, whatever it says.
    pub async fn is_there(&self, options: &RequestOptions) -> Result<(), RequestError> {
        let method = match self.era() {
            Era::Legacy => "ping",
            Era::Modern => "server/discover",
        };
        match self.request(method, None, options).await {
            Ok(_) | Err(RequestError::Server(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Asks for log messages from this level on: a legacy server once, a modern one with every request.
    pub async fn set_log_level(&self, level: &str, options: &RequestOptions) -> Result<(), RequestError> {
        if self.era() == Era::Legacy {
            let params = Json::empty_object().with("level", &Json::text(level));
            return self.request("logging/setLevel", Some(params), options).await.map(drop);
        }
        *self.about.log_level.lock().ignore_poison() = Some(level.to_owned());
        Ok(())
    }

    /// Sees to it that a legacy server tells log messages from this level on: it has one level for everybody,
    /// which is only ever lowered here. A modern server is told with every request by its caller.
    pub async fn lower_log_level(&self, level: &str, options: &RequestOptions) -> Result<(), RequestError> {
        if self.era() == Era::Modern || self.capabilities().get("logging").is_none() {
            return Ok(());
        }
        {
            let mut known = self.about.log_level.lock().ignore_poison();
            if known.as_deref().is_some_and(|known| log_rank(known) <= log_rank(level)) {
                return Ok(());
            }
            *known = Some(level.to_owned());
        }
        let params = Json::empty_object().with("level", &Json::text(level));
        self.request("logging/setLevel", Some(params), options).await.map(drop)
    }

    /// Every item of a list, page after page.
    pub async fn list(
        &self,
        method: &str,
        key: &str,
        options: &RequestOptions,
    ) -> Result<Vec<Json>, RequestError> {
        Ok(self.listed(method, key, options).await?.items)
    }

    /// The same with what the server says about keeping it. A list is not asked for again before its time
    /// is over, unless the server says that it changed.
    pub async fn listed(
        &self,
        method: &str,
        key: &str,
        options: &RequestOptions,
    ) -> Result<List, RequestError> {
        let mut list = lists::all(self, method, key, options).await?;
        if let Some(headers) = self.tool_headers.as_ref().filter(|_| method == "tools/list") {
            headers.take(&mut list.items);
        }
        Ok(list)
    }

    /// Begins to hear what changes at the server, until the subscription is dropped. What is heard goes
    /// to the host of the connection.
    pub async fn subscribe(
        &self,
        filter: Filter,
        options: &RequestOptions,
    ) -> Result<Subscription, RequestError> {
        Subscription::begin(self, filter, options).await
    }

    /// The era.
    pub fn era(&self) -> Era {
        self.about.era
    }

    /// The revision that was agreed on.
    pub fn revision(&self) -> &str {
        &self.about.revision
    }

    /// What the server can do.
    pub fn capabilities(&self) -> &Json {
        &self.about.capabilities
    }

    /// Who the server says it is.
    pub fn server(&self) -> Option<&Json> {
        self.about.server.as_ref()
    }

    /// What the server says to models about its use.
    pub fn instructions(&self) -> Option<&str> {
        self.about.instructions.as_deref()
    }

    /// All that the server said of itself: its answer to `initialize` or `server/discover`.
    pub fn said(&self) -> &Json {
        &self.about.said
    }

    /// The connection under it.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    pub(crate) fn about(&self) -> &About {
        &self.about
    }
}

impl fmt::Debug for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Peer")
            .field("era", &self.era())
            .field("revision", &self.revision())
            .field("server", &self.server())
            .field("connection", &self.connection)
            .finish_non_exhaustive()
    }
}
