//! Tools that become tasks where the client knows tasks, and run at once where it does not.

use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock, CreateTaskResult};
use rmcp::task_manager::{TaskContext, TaskExit, TaskFuture, TaskManager, TaskOptions};
use serde_json::Value;

use crate::offer::typed;
use crate::rounds::form;

/// What a job does, with what it was told.
#[derive(Clone)]
pub enum Job {
    /// Works for a while.
    Slow { seconds: f64, label: String },
    /// Fails as a tool does.
    Failing,
    /// Fails as a server does.
    Broken,
    /// Asks before it deletes.
    Confirm { filename: String },
    /// Asks two things at once.
    Multi,
    /// Greets whom it was told to.
    Greet { name: String },
}

impl Job {
    /// The job of a tool; nothing for a tool that is none.
    pub fn of(tool: &str, arguments: &Value) -> Option<Job> {
        let text = |name: &str| arguments[name].as_str().unwrap_or_default().to_owned();
        Some(match tool {
            "slow_compute" => {
                Job::Slow { seconds: arguments["seconds"].as_f64().unwrap_or(0.0), label: text("label") }
            }
            "failing_job" => Job::Failing,
            "protocol_error_job" => Job::Broken,
            "confirm_delete" => Job::Confirm { filename: text("filename") },
            "multi_input" => Job::Multi,
            _ => return None,
        })
    }

    fn needs_a_task(&self) -> bool {
        matches!(self, Job::Failing | Job::Greet { .. })
    }

    /// Runs it as a task, or at once for a client without tasks.
    pub async fn run(
        self,
        tasks: &TaskManager,
        capabilities: &ClientCapabilities,
    ) -> Result<CallToolResponse, ErrorData> {
        if capabilities.supports_tasks() {
            let options = TaskOptions::new().with_ttl_ms(60_000).with_poll_interval_ms(100);
            let task = tasks.spawn(options, move |context| -> TaskFuture { Box::pin(self.work(context)) });
            return Ok(CreateTaskResult::new(task).into());
        }
        if self.needs_a_task() {
            let required = ClientCapabilities::builder().enable_tasks().build();
            return Err(ErrorData::missing_required_client_capability(required));
        }
        match self {
            Job::Slow { seconds, label } => {
                tokio::time::sleep(Duration::from_secs_f64(seconds)).await;
                Ok(said(format!("{label}: done")).into())
            }
            Job::Confirm { filename } => Ok(said(format!("{filename} is kept: nobody was asked")).into()),
            Job::Multi => Ok(said("nobody was asked".into()).into()),
            Job::Failing | Job::Broken | Job::Greet { .. } => Err(broken()),
        }
    }

    async fn work(self, context: TaskContext) -> Result<CallToolResult, TaskExit> {
        match self {
            Job::Slow { seconds, label } => {
                let work = tokio::time::sleep(Duration::from_secs_f64(seconds));
                tokio::select! {
                    () = work => Ok(said(format!("{label}: done"))),
                    () = context.cancelled() => Err(TaskExit::Cancelled),
                }
            }
            Job::Failing => {
                tokio::time::sleep(Duration::from_millis(300)).await;
                Ok(CallToolResult::error(vec![ContentBlock::text("the job did not work")]))
            }
            Job::Broken => Err(broken().into()),
            Job::Confirm { filename } => {
                let question = form(&format!("Delete {filename}?"), "confirm", "boolean");
                let answer = context.request_input("confirm", typed(question)?).await?;
                Ok(said(format!("{filename}: {}", answer["action"].as_str().unwrap_or("nothing"))))
            }
            Job::Multi => {
                let (first, second) =
                    (form("The first?", "text", "string"), form("The second?", "text", "string"));
                let answers = tokio::try_join!(
                    context.request_input("first", typed(first)?),
                    context.request_input("second", typed(second)?),
                )?;
                Ok(said(format!("{} and {}", answers.0["action"], answers.1["action"])))
            }
            Job::Greet { name } => Ok(said(format!("Hello, {name}!"))),
        }
    }
}

fn said(text: String) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

fn broken() -> ErrorData {
    ErrorData::internal_error("the server broke", None)
}
