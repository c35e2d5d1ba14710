//! A client on the official Rust SDK: `rmcp-client ERA NAME URL…`, as the programs in `tests/clients` are.

#![allow(clippy::print_stdout, reason = "its stdout is its report")]
#![expect(deprecated, reason = "sampling and roots are deprecated and spoken all the same")]

use std::error::Error;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rmcp::ClientHandler;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, ClientRequest,
    CreateMessageRequestParams, CreateMessageResult, ElicitRequestParams, ElicitResult, ElicitationAction,
    GetPromptRequestParams, Implementation, ListRootsResult, ProgressNotificationParam, ProtocolVersion,
    ReadResourceRequestParams, Root, SamplingMessage, SubscriptionFilter,
};
use rmcp::service::{
    ClientLifecycleMode, ClientServiceExt, NotificationContext, PeerRequestOptions, RequestContext,
    RoleClient, RunningService, ServiceError,
};
use rmcp::transport::StreamableHttpClientTransport;
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::time::timeout;
use toolwright_base::IgnorePoison;

/// Longer than anything takes that is not stuck.
const PATIENCE: Duration = Duration::from_secs(20);

/// What the client answers, and what it has heard.
#[derive(Clone, Default)]
struct User {
    progress: Arc<Mutex<Vec<String>>>,
    is_waiting: Arc<Notify>,
    has_changed: Arc<Notify>,
}

impl ClientHandler for User {
    fn get_info(&self) -> ClientConfig {
        let capabilities =
            ClientCapabilities::builder().enable_elicitation().enable_sampling().enable_roots().build();
        ClientConfig::new(capabilities, Implementation::new("rmcp-client", "1"))
    }

    async fn create_message(
        &self,
        _: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, rmcp::ErrorData> {
        Ok(CreateMessageResult::new(SamplingMessage::assistant_text("short"), "test".into()))
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, rmcp::ErrorData> {
        Ok(ListRootsResult::new(vec![Root::new("file:///a"), Root::new("file:///b")]))
    }

    async fn create_elicitation(
        &self,
        _: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, rmcp::ErrorData> {
        Ok(ElicitResult::new(ElicitationAction::Accept).with_content(json!({"firstName": "Ada"})))
    }

    async fn on_progress(&self, params: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        let message = params.message.unwrap_or_default();
        if message == "waiting" {
            self.is_waiting.notify_one();
        }
        self.progress.lock().ignore_poison().push(message);
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.has_changed.notify_one();
    }
}

/// One connection.
struct Desk {
    is_modern: bool,
    client: RunningService<RoleClient, User>,
}

type Got = Result<Value, Box<dyn Error>>;

const STEPS: [&str; 14] = [
    "list",
    "call",
    "mended",
    "fails",
    "unknown",
    "progress",
    "elicitation",
    "sampling",
    "roots",
    "cancel",
    "changed",
    "resource",
    "prompt",
    "missing",
];

#[tokio::main]
async fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let (Some(era), pairs) = (words.next(), words.collect::<Vec<String>>()) else {
        eprintln!("usage: rmcp-client legacy|modern NAME URL…");
        return ExitCode::from(2);
    };
    for pair in pairs.chunks_exact(2) {
        if let Err(error) = run(&era, &pair[0], &pair[1]).await {
            say(&pair[0], "connection", &json!({"error": error.to_string()}));
        }
    }
    ExitCode::SUCCESS
}

fn say(server: &str, step: &str, got: &Value) {
    println!("{}", json!({"server": server, "step": step, "got": got}));
}

async fn run(era: &str, name: &str, url: &str) -> Result<(), Box<dyn Error>> {
    let is_modern = era == "modern";
    let lifecycle = match is_modern {
        true => ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] },
        false => ClientLifecycleMode::Initialize,
    };
    let transport = StreamableHttpClientTransport::from_uri(url);
    let connecting = User::default().serve_with_lifecycle(transport, lifecycle);
    let client = timeout(PATIENCE, connecting).await??;
    let version =
        client.peer_info().map(|info| info.protocol_version.as_str().to_owned()).unwrap_or_default();
    say(name, "era", &json!(if version.as_str() < "2026" { "legacy" } else { "modern" }));
    let desk = Desk { is_modern, client };
    for step in STEPS {
        match timeout(PATIENCE, desk.attempt(step)).await {
            Ok(Ok(got)) => say(name, step, &got),
            Ok(Err(error)) => say(name, step, &json!({"error": error.to_string()})),
            Err(_) => say(name, step, &json!({"error": "no answer in time"})),
        }
    }
    desk.client.cancel().await?;
    Ok(())
}

fn text(result: &CallToolResult) -> String {
    result.content.first().and_then(|block| block.as_text()).map(|text| text.text.clone()).unwrap_or_default()
}

fn params(tool: &'static str, arguments: &Value) -> CallToolRequestParams {
    CallToolRequestParams::new(tool).with_arguments(arguments.as_object().cloned().unwrap_or_default())
}

impl Desk {
    async fn tool(&self, tool: &'static str, arguments: Value) -> Result<CallToolResult, ServiceError> {
        self.client.call_tool(params(tool, &arguments)).await
    }

    async fn says(&self, tool: &'static str, arguments: Value) -> Got {
        Ok(json!(text(&self.tool(tool, arguments).await?)))
    }

    async fn attempt(&self, step: &str) -> Got {
        match step {
            "list" => {
                let mut names: Vec<_> =
                    self.client.list_all_tools().await?.into_iter().map(|tool| tool.name).collect();
                names.sort();
                Ok(json!(names))
            }
            "call" => {
                let size = json!({"widthCm": 400, "lengthCm": 250});
                let room = json!({"roomName": "hall", "size": size, "labels": ["a", "b"]});
                Ok(json!(self.tool("measureRoom", room).await?.structured_content))
            }
            "mended" => {
                let size = json!({"widthCm": "400", "lengthCm": 250}).to_string();
                let room = json!({"room_name": "hall", "size": size});
                Ok(json!(self.tool("measureRoom", room).await?.structured_content))
            }
            "fails" => {
                let result = self.tool("fail", json!({"reason": "the tape tore"})).await?;
                Ok(json!([result.is_error, text(&result).ends_with("the tape tore")]))
            }
            "unknown" => Ok(match self.tool("nothing_like_it", json!({})).await {
                Ok(result) if result.is_error != Some(true) => json!("answered"),
                _ => json!("refused"),
            }),
            "progress" => {
                let heard = &self.client.service().progress;
                heard.lock().ignore_poison().clear();
                let said = self.says("count_steps", json!({"steps": 3})).await?;
                // The SDK hands every notification to a task of its own: they may be late, in any order.
                loop {
                    let mut heard = heard.lock().ignore_poison().clone();
                    heard.sort();
                    if heard.len() >= 3 {
                        return Ok(json!([said, heard]));
                    }
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            }
            "elicitation" => self.says("greet", json!({"greeting": "hi"})).await,
            "sampling" => self.says("summarize", json!({"text": "long"})).await,
            "roots" => self.says("name_roots", json!({})).await,
            "cancel" => self.cancel().await,
            "changed" => self.change().await,
            "resource" => {
                let read = ReadResourceRequestParams::new("memo://welcome");
                let read = serde_json::to_value(self.client.read_resource(read).await?)?;
                Ok(read["contents"][0]["text"].clone())
            }
            "prompt" => {
                let arguments = json!({"language": "Rust"}).as_object().cloned().unwrap_or_default();
                let wanted = GetPromptRequestParams::new("review").with_arguments(arguments);
                let prompt = serde_json::to_value(self.client.get_prompt(wanted).await?)?;
                Ok(prompt["messages"][0]["content"]["text"].clone())
            }
            _ => {
                let read = ReadResourceRequestParams::new("memo://nowhere/at/all");
                Ok(json!(if self.client.read_resource(read).await.is_ok() { "answered" } else { "refused" }))
            }
        }
    }

    async fn cancelled(&self) -> Result<i64, Box<dyn Error>> {
        let said = text(&self.tool("count_cancelled", json!({})).await?);
        Ok(said.split(' ').next().unwrap_or_default().parse()?)
    }

    async fn cancel(&self) -> Got {
        let before = self.cancelled().await?;
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params("wait_long", &json!({}))));
        let options = PeerRequestOptions::no_options();
        let waiting = self.client.peer().send_cancellable_request(request, options).await?;
        self.client.service().is_waiting.notified().await;
        waiting.cancel(Some("enough".into())).await?;
        loop {
            let after = self.cancelled().await?;
            if after != before {
                return Ok(json!(after - before));
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    async fn change(&self) -> Got {
        if self.is_modern {
            let filter = SubscriptionFilter::builder().tools_list_changed().build();
            let mut changes = self.client.peer().listen(filter).await?;
            self.tool("announce_change", json!({})).await?;
            return Ok(json!(changes.next().await?.is_some()));
        }
        // The stream on which a legacy server speaks by itself may still be on its way.
        tokio::time::sleep(Duration::from_millis(300)).await;
        self.tool("announce_change", json!({})).await?;
        self.client.service().has_changed.notified().await;
        Ok(json!(true))
    }
}
