//! What the server offers: the tools, resources and prompts of `tests/servers/python_sdk_*.py`.

#![expect(deprecated, reason = "sampling is deprecated and spoken all the same")]

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rmcp::handler::server::router::prompt::PromptRouter;
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::tool::InputResponses;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{
    CallToolResponse, CallToolResult, ContentBlock, CreateMessageRequest, CreateMessageRequestParams,
    ElicitRequest, ElicitRequestParams, Implementation, InputRequest, InputRequests, InputRequiredResult,
    ListResourceTemplatesResult, ListResourcesResult, ListRootsRequest, PaginatedRequestParams,
    ProgressNotificationParam, PromptMessage, ProtocolVersion, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, Resource, ResourceContents, ResourceTemplate, Role,
    SamplingMessage, ServerCapabilities, ServerConfig, SubscriptionFilter,
};
use rmcp::schemars::{self, JsonSchema};
use rmcp::service::{ElicitationError, RequestContext, RoleServer, SubscriptionContext};
use rmcp::{
    ErrorData, Json, ServerHandler, prompt, prompt_handler, prompt_router, tool, tool_handler, tool_router,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::watch;

/// What the server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    /// Only revisions that begin with `initialize`.
    Legacy,
    /// Only revisions without it.
    Modern,
    /// All that the SDK knows.
    Both,
}

/// A server that measures rooms.
#[derive(Clone)]
pub struct House {
    era: Era,
    shared: Shared,
    tool_router: ToolRouter<Self>,
    prompt_router: PromptRouter<Self>,
}

/// What all sessions of one server share.
#[derive(Clone, Default)]
pub struct Shared {
    cancelled_calls: Arc<AtomicUsize>,
    /// Counts how often its tools were said to have changed.
    changes: watch::Sender<u64>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(crate = "schemars")]
struct RoomRequest {
    room_name: String,
    size: Size,
    labels: Option<Vec<String>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(crate = "schemars")]
struct Size {
    width_cm: f64,
    length_cm: f64,
    #[serde(default = "inside")]
    is_inside: bool,
}

fn inside() -> bool {
    true
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(crate = "schemars")]
struct Room {
    room_name: String,
    square_meters: f64,
    is_inside: bool,
    label_count: usize,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "schemars")]
struct Failing {
    reason: String,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "schemars")]
struct Steps {
    steps: u32,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "schemars")]
struct Greeting {
    greeting: String,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "schemars")]
struct Text {
    text: String,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "schemars")]
struct Language {
    language: String,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(crate = "schemars")]
struct Name {
    first_name: String,
}

rmcp::elicit_safe!(Name);

const WHO: &str = "Who is to be greeted?";
/// The key under which a modern client answers the one question that a call asks.
const ANSWER: &str = "answer";

#[tool_router(router = tool_router)]
impl House {
    /// A server of this era.
    pub fn new(era: Era, shared: Shared) -> Self {
        Self { era, shared, tool_router: Self::tool_router(), prompt_router: Self::prompt_router() }
    }

    #[tool(name = "measureRoom", description = "How large a room is.")]
    async fn measure_room(&self, Parameters(room): Parameters<RoomRequest>) -> Json<Room> {
        Json(Room {
            square_meters: room.size.width_cm * room.size.length_cm / 10_000.0,
            is_inside: room.size.is_inside,
            label_count: room.labels.map_or(0, |labels| labels.len()),
            room_name: room.room_name,
        })
    }

    #[tool(description = "Fails for the reason that it is given.")]
    async fn fail(&self, Parameters(failing): Parameters<Failing>) -> Result<String, String> {
        Err(failing.reason)
    }

    #[tool(description = "Says every step as progress.")]
    async fn count_steps(
        &self,
        Parameters(Steps { steps }): Parameters<Steps>,
        context: RequestContext<RoleServer>,
    ) -> Result<String, ErrorData> {
        if let Some(token) = context.meta.get_progress_token() {
            for step in 1..=steps {
                let progress = ProgressNotificationParam::new(token.clone(), f64::from(step))
                    .with_total(f64::from(steps))
                    .with_message(format!("step {step}"));
                let told = context.peer.notify_progress(progress).await;
                told.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
            }
        }
        Ok(format!("{steps} steps"))
    }

    #[tool(description = "Asks the user for a name and greets.")]
    async fn greet(
        &self,
        Parameters(Greeting { greeting }): Parameters<Greeting>,
        InputResponses(answers): InputResponses,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if !is_modern(&context) {
            return Ok(match context.peer.elicit::<Name>(WHO).await {
                Ok(Some(name)) => said(format!("{greeting}, {}", name.first_name)),
                Ok(None) | Err(ElicitationError::NoContent) => said("nobody to greet: accept".into()),
                Err(ElicitationError::UserDeclined) => said("nobody to greet: decline".into()),
                Err(error) => return Err(ErrorData::internal_error(error.to_string(), None)),
            });
        }
        let Some(answer) = answers.and_then(|mut answers| answers.remove(ANSWER)) else {
            let schema = serde_json::json!({
                "type": "object",
                "properties": {"firstName": {"type": "string"}},
                "required": ["firstName"],
            });
            let requested_schema = serde_json::from_value(schema)
                .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
            let form = ElicitRequestParams::FormElicitationParams {
                meta: None,
                message: WHO.into(),
                requested_schema,
            };
            return Ok(asked(InputRequest::Elicitation(ElicitRequest::new(form))));
        };
        Ok(match answer["content"]["firstName"].as_str() {
            Some(name) => said(format!("{greeting}, {name}")),
            None => said(format!("nobody to greet: {}", answer["action"].as_str().unwrap_or("nothing"))),
        })
    }

    #[tool(description = "Lets the client's model shorten a text.")]
    async fn summarize(
        &self,
        Parameters(Text { text }): Parameters<Text>,
        InputResponses(answers): InputResponses,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let question = SamplingMessage::user_text(format!("Shorten: {text}"));
        let params = CreateMessageRequestParams::new(vec![question], 100);
        let answer = match answers.and_then(|mut answers| answers.remove(ANSWER)) {
            Some(answer) => answer,
            None if is_modern(&context) => {
                return Ok(asked(InputRequest::CreateMessage(CreateMessageRequest::new(params))));
            }
            None => {
                let answer = context.peer.create_message(params).await;
                let answer = answer.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
                serde_json::to_value(answer)
                    .map_err(|error| ErrorData::internal_error(error.to_string(), None))?
            }
        };
        Ok(said(answer["content"]["text"].as_str().unwrap_or("no text").to_owned()))
    }

    #[tool(description = "Names the client's roots.")]
    async fn name_roots(
        &self,
        InputResponses(answers): InputResponses,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let answer = match answers.and_then(|mut answers| answers.remove(ANSWER)) {
            Some(answer) => answer,
            None if is_modern(&context) => {
                return Ok(asked(InputRequest::ListRoots(ListRootsRequest::default())));
            }
            None => {
                let answer = context.peer.list_roots().await;
                let answer = answer.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
                serde_json::to_value(answer)
                    .map_err(|error| ErrorData::internal_error(error.to_string(), None))?
            }
        };
        let roots = answer["roots"].as_array().cloned().unwrap_or_default();
        let roots: Vec<&str> = roots.iter().filter_map(|root| root["uri"].as_str()).collect();
        Ok(said(roots.join(" ")))
    }

    #[tool(description = "Waits until the call is cancelled.")]
    async fn wait_long(&self, context: RequestContext<RoleServer>) -> Result<String, ErrorData> {
        if let Some(token) = context.meta.get_progress_token() {
            let progress = ProgressNotificationParam::new(token, 1.0).with_message("waiting");
            let told = context.peer.notify_progress(progress).await;
            told.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        }
        tokio::select! {
            () = context.ct.cancelled() => {
                self.shared.cancelled_calls.fetch_add(1, Ordering::Relaxed);
                Err(ErrorData::internal_error("cancelled", None))
            }
            () = tokio::time::sleep(Duration::from_secs(60)) => Ok("waited".into()),
        }
    }

    #[tool(description = "How many calls were cancelled.")]
    async fn count_cancelled(&self) -> String {
        format!("{} cancelled", self.shared.cancelled_calls.load(Ordering::Relaxed))
    }

    #[tool(description = "Says that the tools have changed.")]
    async fn announce_change(&self, context: RequestContext<RoleServer>) -> Result<String, ErrorData> {
        self.shared.changes.send_modify(|changes| *changes += 1);
        if !is_modern(&context) {
            let told = context.peer.notify_tool_list_changed().await;
            told.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        }
        Ok("announced".into())
    }
}

fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| !version.has_initialize())
}

fn said(text: String) -> CallToolResponse {
    CallToolResult::success(vec![ContentBlock::text(text)]).into()
}

fn asked(request: InputRequest) -> CallToolResponse {
    let mut requests = InputRequests::new();
    requests.insert(ANSWER.to_owned(), request);
    InputRequiredResult::from_input_requests(requests).into()
}

#[prompt_router]
impl House {
    #[prompt(description = "Asks for a review.")]
    async fn review(&self, Parameters(Language { language }): Parameters<Language>) -> Vec<PromptMessage> {
        vec![PromptMessage::new_text(Role::User, format!("Review this {language} program."))]
    }
}

#[tool_handler(router = self.tool_router)]
#[prompt_handler(router = self.prompt_router)]
impl ServerHandler for House {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_resources()
            .enable_prompts()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("rmcp-server", env!("CARGO_PKG_VERSION")))
            .with_instructions("Measure rooms with measureRoom.")
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        match self.era {
            Era::Legacy => Cow::Borrowed(ProtocolVersion::known_up_to(&ProtocolVersion::V_2025_11_25)),
            Era::Modern => Cow::Borrowed(&[ProtocolVersion::V_2026_07_28]),
            Era::Both => Cow::Borrowed(ProtocolVersion::KNOWN_VERSIONS),
        }
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.shared.changes.subscribe();
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                changed = changes.changed() => {
                    if changed.is_err() {
                        return Ok(());
                    }
                    // One that was not asked for is an error of the sink, and no reason to end.
                    let _ = context.sink().notify_tool_list_changed().await;
                }
            }
        }
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(vec![Resource::new("memo://welcome", "welcome")]))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(vec![ResourceTemplate::new(
            "memo://notes/{title}",
            "note",
        )]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let text = match request.uri.strip_prefix("memo://") {
            Some("welcome") => "Welcome.".to_owned(),
            Some(rest) if rest.starts_with("notes/") => format!("The note {}.", &rest["notes/".len()..]),
            _ => {
                let data = Some(Value::from(request.uri.clone()));
                return Err(ErrorData::resource_not_found("there is no such memo", data));
            }
        };
        Ok(ReadResourceResult::new(vec![ResourceContents::text(text, request.uri)]).into())
    }
}
