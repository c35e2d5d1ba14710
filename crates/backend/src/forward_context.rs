//! The context of one request that is forwarded to a server: the client's other params, its capabilities, and the
//! channel back to it.

use std::sync::Arc;
use std::time::Duration;

use toolwright_jsonrpc::{Json, Notification};
use toolwright_mcp::front::{Back, Client};
use toolwright_mcp::{Era, Host, Peer, RequestError, RequestOptions, translated_error};
use toolwright_telemetry::Onward;

use super::owner::Owner;
use super::questions::{Beat, ServerHost};

/// The key of the level of log messages in `_meta` of a modern request.
const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
/// How long a legacy server may take to be told of a level.
const SET_LEVEL: Duration = Duration::from_secs(2);

/// The context of one request of a client.
pub struct ForwardContext {
    /// The client's params as they came.
    params: Json,
    back: Back,
    log_level: Option<String>,
    /// Where the request continues its trace, when there is one.
    onward: Option<Onward>,
}

impl ForwardContext {
    /// The context of a request of this client.
    pub fn new(params: Option<Json>, log_level: Option<String>, back: Back) -> ForwardContext {
        let params = params.unwrap_or_else(Json::empty_object);
        ForwardContext { params, back, log_level, onward: None }
    }

    /// The same, continuing a trace.
    pub fn traced(self, onward: Option<Onward>) -> ForwardContext {
        ForwardContext { onward, ..self }
    }

    /// Where the request continues its trace.
    pub fn onward(&self) -> Option<&Onward> {
        self.onward.as_ref()
    }

    /// The client's params with the name and the arguments that the server gets. A client that sent no
    /// arguments sends none, unless some were made for it.
    pub fn call_params(&self, name: &str, arguments: &Json) -> Json {
        let params = self.params.with("name", &Json::text(name));
        match params.get("arguments") {
            None if arguments.as_str() == "{}" => params,
            _ => params.with("arguments", arguments),
        }
    }

    /// The client that sent it.
    pub fn client(&self) -> &Client {
        self.back.client()
    }

    /// Sends a request in the client's name. What the server says and asks meanwhile goes to the client.
    pub async fn send(
        &self,
        host: &Arc<ServerHost>,
        peer: &Peer,
        method: &str,
        params: Json,
        beat: Beat,
    ) -> Result<Json, RequestError> {
        let client = self.back.client();
        let connection = peer.connection().number();
        let (back, level) = (self.back.clone(), self.log_level.clone());
        let entered = host.enter(connection, method, back, level, Arc::clone(&beat)).await;
        let params = match (&self.log_level, peer.era()) {
            (Some(level), Era::Modern) => {
                let meta = params.get("_meta").unwrap_or_else(Json::empty_object);
                params.with("_meta", &meta.with(LOG_LEVEL, &Json::text(level)))
            }
            (Some(level), Era::Legacy) => {
                let options = RequestOptions {
                    timeout: Some(SET_LEVEL),
                    is_background: true,
                    ..RequestOptions::default()
                };
                if let Err(error) = peer.lower_log_level(level, &options).await {
                    tracing::debug!(%error, "a server was not told of a level");
                }
                params
            }
            (None, _) => params,
        };
        let token = params.get("_meta").and_then(|meta| meta.get("progressToken"));
        let way = token.map(|_| self.back.clone());
        let on_progress = move |params: Json| {
            beat();
            // A client that gave no token wants to hear of nothing.
            if let Some(back) = &way {
                let method = "notifications/progress".to_owned();
                back.notify(Notification { method, params: Some(params), extra: Vec::new() });
            }
        };
        let options = RequestOptions {
            on_progress: Some(Arc::new(on_progress)),
            capabilities: Some(client.capabilities.clone()),
            passes_input_on: client.era == Era::Modern,
            host: Some(Arc::clone(&entered.host) as Arc<dyn Host>),
            ..RequestOptions::default()
        };
        let answer = peer.request(method, Some(params), &options).await;
        if matches!(answer, Ok(_) | Err(RequestError::Server(_) | RequestError::Closed(_))) {
            entered.end();
        }
        match &answer {
            Ok(result) if method == "tools/call" => {
                host.tasks.note_task(&Owner::of(client), connection, result);
            }
            Err(RequestError::Server(error)) => {
                host.note_elicitations(&Owner::of(client), connection, error);
            }
            _ => {}
        }
        match answer {
            Err(RequestError::Server(error)) => {
                Err(RequestError::Server(translated_error(peer.era(), client.era, method, error)))
            }
            answer => answer,
        }
    }
}
