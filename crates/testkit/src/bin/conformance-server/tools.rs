//! Tools that answer at once, on both eras, and those that ask a legacy client while they run.

#![expect(deprecated, reason = "sampling and logging are deprecated and spoken all the same")]

use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{
    CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock, LoggingLevel,
    LoggingMessageNotificationParam, ProgressNotificationParam,
};
use rmcp::service::{RequestContext, RoleServer, ServiceError};
use serde_json::{Value, json};

use crate::offer::{PIXEL, SILENCE, typed};

/// Long enough for a client to see one message before the next.
const PAUSE: Duration = Duration::from_millis(50);

/// Runs a tool that asks nobody; nothing for one that is not here.
pub async fn run(
    name: &str,
    arguments: &Value,
    context: &RequestContext<RoleServer>,
) -> Result<Option<CallToolResponse>, ErrorData> {
    let result = match name {
        "test_simple_text" => contents(json!([text("This is a simple text response for testing.")]))?,
        "test_image_content" => contents(json!([image()]))?,
        "test_audio_content" => {
            contents(json!([{"type": "audio", "data": SILENCE, "mimeType": "audio/wav"}]))?
        }
        "test_embedded_resource" => contents(json!([{"type": "resource", "resource": {
            "uri": "test://embedded-resource",
            "mimeType": "text/plain",
            "text": "This is an embedded resource content.",
        }}]))?,
        "test_multiple_content_types" => contents(json!([
            text("Multiple content types test:"),
            image(),
            {"type": "resource", "resource": {
                "uri": "test://mixed-content-resource",
                "mimeType": "application/json",
                "text": r#"{"test":"data","value":123}"#,
            }},
        ]))?,
        "test_error_handling" => CallToolResult::error(vec![ContentBlock::text(
            "This tool intentionally returns an error for testing",
        )]),
        "test_tool_with_logging" | "test_logging_tool" => {
            for message in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
                log(context, message).await?;
                tokio::time::sleep(PAUSE).await;
            }
            said("Everything was logged that was asked for.")
        }
        "test_tool_with_progress" => {
            for done in [0.0, 50.0, 100.0] {
                progress(context, done).await?;
                tokio::time::sleep(PAUSE).await;
            }
            said("All of it is done.")
        }
        "test_missing_capability" => {
            let can_sample = capabilities(context).sampling.is_some();
            if !can_sample {
                let required = typed(json!({"sampling": {}}))?;
                return Err(ErrorData::missing_required_client_capability(required));
            }
            said("The client has a model.")
        }
        "test_reconnection" => {
            tokio::time::sleep(PAUSE * 4).await;
            said("The answer came after all.")
        }
        "json_schema_2020_12_tool" => said(&arguments.to_string()),
        "test_header_tool" => said(arguments["region"].as_str().unwrap_or("nowhere")),
        "greet" => said(&format!("Hello, {}!", arguments["name"].as_str().unwrap_or("nobody"))),
        _ => return Ok(None),
    };
    Ok(Some(result.into()))
}

/// What the client said that it can do, with this request or at its start.
pub fn capabilities(context: &RequestContext<RoleServer>) -> ClientCapabilities {
    context.client_capabilities().unwrap_or_default()
}

/// Whether the request is of the era without `initialize`.
pub fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| !version.has_initialize())
}

/// Says how far a call is, of 100, to a client that wants to know.
pub async fn progress(context: &RequestContext<RoleServer>, done: f64) -> Result<(), ErrorData> {
    let Some(token) = context.meta.get_progress_token() else { return Ok(()) };
    let message = ProgressNotificationParam::new(token, done).with_total(100.0);
    context.peer.notify_progress(message).await.map_err(refused)
}

/// A modern client hears only what its request asked for.
async fn log(context: &RequestContext<RoleServer>, message: &str) -> Result<(), ErrorData> {
    if is_modern(context) && context.meta.log_level().is_none() {
        return Ok(());
    }
    let message = LoggingMessageNotificationParam::new(LoggingLevel::Info, Value::from(message));
    context.peer.notify_logging_message(message).await.map_err(refused)
}

/// What a client said no to.
pub fn refused(error: ServiceError) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

fn contents(content: Value) -> Result<CallToolResult, ErrorData> {
    Ok(CallToolResult::success(typed(content)?))
}

/// One text.
pub fn said(text: &str) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

/// A text block.
pub fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn image() -> Value {
    json!({"type": "image", "data": PIXEL, "mimeType": "image/png"})
}
