//! The client scenarios of the protocol's conformance suite, performed by our own client half.
//!
//! The suite starts a server for each scenario, runs a command with its address, and judges what the
//! server saw. Nearly all of them are one story: connect, list, call. What differs is who answers the
//! server's questions and who logs in.

mod arguments;
mod browser;
mod context;
mod host;

use std::sync::Arc;
use std::time::Duration;

use toolwright_jsonrpc::Json;
use toolwright_mcp::http::{self, HttpKind, HttpTarget};
use toolwright_mcp::oauth::{OAuthAuthorizer, OAuthTarget, TokenStore, Url};
use toolwright_mcp::{Connection, Identity, Peer, PeerOptions, RequestOptions};

pub use browser::headless;
use context::{Context, ToolCall};
use host::Defaults;

/// The suite ends a client after 30 s; ending before it says more.
const PATIENCE: Duration = Duration::from_secs(25);
/// The address that the suite knows as the description of a client.
const DOCUMENT: &str = "https://conformance-test.local/client-metadata.json";
/// The scenario in which the authorization server changes between requests.
const MIGRATION: &str = "auth/authorization-server-migration";
/// The scenario that only wants its tools listed.
const NO_CALLS: &str = "json-schema-ref-no-deref";

/// What goes wrong in a scenario.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// One scenario: what the suite says in the environment, and the server's address.
#[derive(Debug)]
pub struct Scenario {
    name: String,
    url: String,
    context: Context,
}

impl Scenario {
    /// As the suite started us.
    pub fn from_environment(url: String) -> Result<Scenario, Failure> {
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        Ok(Scenario {
            name: variable("MCP_CONFORMANCE_SCENARIO").unwrap_or_default(),
            url,
            context: Context::parse(variable("MCP_CONFORMANCE_CONTEXT").as_deref())?,
        })
    }

    /// Performs it.
    pub async fn perform(&self) -> Result<(), Failure> {
        tokio::time::timeout(PATIENCE, self.tell()).await?
    }

    async fn tell(&self) -> Result<(), Failure> {
        // Logins of one scenario are no other's.
        let folder = tempfile::tempdir()?;
        let peer = self.connect(&TokenStore::new(folder.path())).await?;
        let tools = peer.list("tools/list", "tools", &options()).await?;
        if self.name != NO_CALLS {
            self.call(&peer, &tools).await?;
        }
        if self.name == MIGRATION {
            for _ in 0..2 {
                // Past the list that is kept.
                peer.request("tools/list", None, &options()).await?;
            }
        }
        read_everything(&peer).await
    }

    async fn connect(&self, store: &TokenStore) -> Result<Peer, Failure> {
        let authorizer = match self.name.starts_with("auth/") {
            true => Some(Arc::new(self.authorizer(store)?) as Arc<dyn http::Authorizer>),
            false => None,
        };
        let (url, kind) = (self.url.clone(), HttpKind::Auto);
        let link =
            http::open(HttpTarget { url, headers: Vec::new(), kind, authorizer, max_response_bytes: None });
        let identity = Identity {
            client: Json::parse(r#"{"name":"toolwright","version":"0"}"#)?,
            capabilities: Json::parse(r#"{"elicitation":{"form":{}}}"#)?,
        };
        let connection = Connection::open(link, Arc::new(Defaults));
        let options = PeerOptions { probe: PATIENCE, ..PeerOptions::default() };
        Ok(Peer::connect(connection, identity, &options).await?.over_http(&options))
    }

    fn authorizer(&self, store: &TokenStore) -> Result<OAuthAuthorizer, Failure> {
        let mut target = OAuthTarget::new("conformance", Url::parse(&self.url)?);
        target.client.id = self.context.client_id.clone();
        target.client.secret = self.context.client_secret.clone();
        target.client.document = Some(Url::parse(DOCUMENT)?);
        Ok(OAuthAuthorizer::with_browser(target, store.clone(), headless()))
    }

    /// Calls what the suite names, or every tool once.
    async fn call(&self, peer: &Peer, tools: &[Json]) -> Result<(), Failure> {
        let named = match self.context.tool_calls.is_empty() {
            true => tools.iter().filter_map(|tool| ToolCall::of(tool, tools)).collect(),
            false => self.context.tool_calls.clone(),
        };
        for call in named {
            let name = Json::text(&call.name);
            let params = Json::empty_object().with("name", &name).with("arguments", &call.arguments);
            peer.request("tools/call", Some(params), &options()).await?;
        }
        Ok(())
    }
}

fn options() -> RequestOptions {
    RequestOptions { timeout: Some(PATIENCE), ..RequestOptions::default() }
}

/// Reads every resource and prompt that the server offers.
async fn read_everything(peer: &Peer) -> Result<(), Failure> {
    if peer.capabilities().get("resources").is_some() {
        for resource in peer.list("resources/list", "resources", &options()).await? {
            let uri = resource.get("uri").unwrap_or_else(|| Json::text(""));
            peer.request("resources/read", Some(Json::empty_object().with("uri", &uri)), &options()).await?;
        }
    }
    if peer.capabilities().get("prompts").is_some() {
        for prompt in peer.list("prompts/list", "prompts", &options()).await? {
            let name = prompt.get("name").unwrap_or_else(|| Json::text(""));
            peer.request("prompts/get", Some(Json::empty_object().with("name", &name)), &options()).await?;
        }
    }
    Ok(())
}
