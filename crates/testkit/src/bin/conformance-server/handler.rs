//! The server as the SDK sees it: every method that the suite asks for.

#![expect(deprecated, reason = "what the older era has is deprecated and spoken all the same")]

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CancelTaskParams, CompleteRequestParams,
    CompleteResult, CompletionInfo, ContentBlock, GetPromptRequestParams, GetPromptResponse, GetPromptResult,
    GetTaskParams, GetTaskResult, Implementation, InputRequiredResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams, PromptMessage,
    ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Role,
    ServerCapabilities, ServerConfig, SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter,
    Tool, UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{RequestContext, RoleServer, SubscriptionContext};
use rmcp::task_manager::TaskManager;
use rmcp::{ErrorData, ServerHandler};
use serde_json::{Value, json};
use tokio::sync::broadcast;
use toolwright_base::IgnorePoison;

use crate::jobs::Job;
use crate::offer::{self, typed};
use crate::questions;
use crate::rounds::{self, Answers, Round, form};
use crate::seal::Seal;
use crate::tools;

/// What has changed.
#[derive(Clone, Copy, Debug)]
enum Change {
    Tools,
    Prompts,
}

/// The families of the protocol that the server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Revisions that begin with `initialize`.
    Legacy,
    /// Revisions without it.
    Modern,
    /// All of them. Tools that ask do so as the servers of the official SDKs do: by a request of their own, which only
    /// a legacy client can answer.
    Both,
}

/// The server. Its copies, one for each session, share what they know.
#[derive(Clone)]
pub struct Fixture {
    family: Family,
    tasks: TaskManager,
    seal: Seal,
    changes: broadcast::Sender<Change>,
    watched: Arc<Mutex<BTreeSet<String>>>,
}

impl Fixture {
    /// A server that nobody has spoken with: of these families.
    pub fn new(family: Family) -> Fixture {
        let (changes, _) = broadcast::channel(16);
        Fixture { family, tasks: TaskManager::new(), seal: Seal::default(), changes, watched: Arc::default() }
    }

    /// Says what has changed: to streams of the modern era, and to this client if it is of the older one.
    async fn tell(&self, change: Change, context: &RequestContext<RoleServer>) -> CallToolResponse {
        let _ = self.changes.send(change);
        if !tools::is_modern(context) {
            let _ = match change {
                Change::Tools => context.peer.notify_tool_list_changed().await,
                Change::Prompts => context.peer.notify_prompt_list_changed().await,
            };
        }
        said("It was told.".into())
    }

    async fn run(
        &self,
        request: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = Value::Object(request.arguments.clone().unwrap_or_default());
        let capabilities = tools::capabilities(context);
        let answers = Answers {
            responses: request.input_responses.as_ref(),
            state: request.request_state.as_deref(),
            capabilities: &capabilities,
        };
        match request.name.as_ref() {
            "test_trigger_tool_change" => return Ok(self.tell(Change::Tools, context).await),
            "test_trigger_prompt_change" => return Ok(self.tell(Change::Prompts, context).await),
            "test_streaming_elicitation" => {
                tools::progress(context, 10.0).await?;
                let questions = json!({"answer": form("Go on?", "ok", "boolean")});
                return Ok(InputRequiredResult::new(Some(typed(questions)?), None).into());
            }
            "test_tool_with_task" => {
                return match rounds::name_for_task(&answers)? {
                    Round::Ask(question) => Ok(question.into()),
                    Round::Say(name) => Job::Greet { name }.run(&self.tasks, &capabilities).await,
                };
            }
            _ => {}
        }
        if let Some(round) = rounds::play(&request.name, &answers, &self.seal)? {
            return Ok(match round {
                Round::Ask(question) => question.into(),
                Round::Say(text) => said(text),
            });
        }
        if let Some(job) = Job::of(&request.name, &arguments) {
            return job.run(&self.tasks, &capabilities).await;
        }
        let asked =
            questions::run(&request.name, &arguments, answers.responses, (self.family, context)).await?;
        if let Some(response) = asked {
            return Ok(response);
        }
        let result = tools::run(&request.name, &arguments, context).await?;
        result.ok_or_else(|| ErrorData::invalid_params(format!("Unknown tool: {}", request.name), None))
    }
}

fn said(text: String) -> CallToolResponse {
    CallToolResult::success(vec![ContentBlock::text(text)]).into()
}

impl ServerHandler for Fixture {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_logging()
            .enable_completions()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_tasks()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("conformance-server", env!("CARGO_PKG_VERSION")))
            .with_instructions("A server for the conformance suite.")
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        match self.family {
            Family::Legacy => Cow::Borrowed(ProtocolVersion::known_up_to(&ProtocolVersion::V_2025_11_25)),
            Family::Modern => Cow::Borrowed(&[ProtocolVersion::V_2026_07_28]),
            Family::Both => Cow::Borrowed(ProtocolVersion::KNOWN_VERSIONS),
        }
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(typed(Value::Array(offer::tools()))?))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let tool = offer::tools().into_iter().find(|tool| tool["name"] == name)?;
        typed(tool).ok()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.run(&request, &context).await
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(typed(offer::prompts())?))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if request.name == "test_input_required_result_prompt" {
            let capabilities = tools::capabilities(&context);
            let answers = Answers {
                responses: request.input_responses.as_ref(),
                state: request.request_state.as_deref(),
                capabilities: &capabilities,
            };
            return Ok(match rounds::play_prompt(&answers)? {
                Round::Ask(question) => question.into(),
                Round::Say(text) => {
                    GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]).into()
                }
            });
        }
        let arguments = request.arguments.map(Value::from).unwrap_or_default();
        let argument = |name: &str| arguments[name].as_str().unwrap_or_default().to_owned();
        let messages = offer::messages(&request.name, argument)
            .ok_or_else(|| ErrorData::invalid_params(format!("Unknown prompt: {}", request.name), None))?;
        Ok(GetPromptResult::new(typed(messages)?).into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let cities = ["paris", "park", "party", "test one", "test two"];
        let begun = request.argument.value;
        let values = cities.iter().filter(|city| city.starts_with(&begun)).map(ToString::to_string).collect();
        let values = CompletionInfo::with_all_values(values)
            .map_err(|reason| ErrorData::internal_error(reason, None))?;
        Ok(CompleteResult::new(values))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(typed(offer::resources())?))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(typed(offer::templates())?))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let contents = offer::contents(&request.uri).ok_or_else(|| {
            ErrorData::resource_not_found("Resource not found", Some(json!({"uri": request.uri})))
        })?;
        Ok(ReadResourceResult::new(vec![typed(contents)?]).into())
    }

    async fn set_level(
        &self,
        _: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        match tools::is_modern(&context) {
            true => Err(ErrorData::method_not_found::<rmcp::model::SetLevelRequestMethod>()),
            false => Ok(()),
        }
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.watched.lock().ignore_poison().insert(request.uri);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.watched.lock().ignore_poison().remove(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.changes.subscribe();
        loop {
            let change = tokio::select! {
                () = context.cancelled() => return Ok(()),
                change = changes.recv() => change,
            };
            // A change that was not asked for is an error of the sink, and no reason to end.
            let _ = match change {
                Ok(Change::Tools) => context.sink().notify_tool_list_changed().await,
                Ok(Change::Prompts) => context.sink().notify_prompt_list_changed().await,
                Err(broadcast::error::RecvError::Lagged(_)) => continue,
                Err(broadcast::error::RecvError::Closed) => return Ok(()),
            };
        }
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        self.tasks.get_task(&request.task_id).map(GetTaskResult::new)
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.tasks.update_task(&request.task_id, request.input_responses)
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.tasks.cancel_task(&request.task_id)
    }
}
