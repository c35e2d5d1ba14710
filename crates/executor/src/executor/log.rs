//! The lines that the executor writes: tool, redacted arguments, duration, outcome, size, changes.

use std::borrow::Cow;

use toolwright_model::Change;

use super::limits::SLOW_CALL;
use crate::observer::Finished;
use crate::redact;
use crate::{CallError, ErrorCode, RegisteredTool};

/// The target of every line, for filters.
pub(super) const TARGET: &str = "toolwright::tools";

/// Whether anybody would read a line of a call that went well.
pub(super) fn is_on() -> bool {
    tracing::enabled!(target: TARGET, tracing::Level::WARN)
}

/// `{device_name: "..."} → {deviceName: "..."}`, as the seed words it.
pub(super) fn normalization(tool: &RegisteredTool, sent: &str, arguments: &str, changes: &[Change]) {
    if !tracing::enabled!(target: TARGET, tracing::Level::INFO) {
        return;
    }
    let (before, after) = (redact::outline(sent), redact::outline(arguments));
    let tool = tool.qualified_name();
    tracing::info!(target: TARGET, tool, changes = codes(changes), "{before} → {after}");
}

/// The end of a call; slow ones are warned of, however they ended.
pub(super) fn finished(call: &Finished<'_>, arguments: &str, changes: &[Change]) {
    if !is_on() {
        return;
    }
    let name = redact::name(call.name);
    let tool = call.tool.map_or(name.as_ref(), RegisteredTool::qualified_name);
    let arguments = &*without_known(call.tool, arguments);
    // Whole microseconds, as in the journal and the API: no digits that only binary fractions have.
    let duration_ms = call.duration.as_micros() as f64 / 1000.0;
    match call.result {
        Ok(output) => {
            let changes = codes(changes);
            tracing::info!(
                target: TARGET, tool, arguments, duration_ms, outcome = "ok", result_bytes = call.bytes_out, changes,
                "tool call finished"
            );
            let known = without_known(call.tool, &output.text);
            let result = told_by(call.tool, redact::text(&known));
            tracing::debug!(target: TARGET, tool, result, "tool result");
        }
        Err(error) => failed(error, call.tool, tool, arguments, duration_ms),
    }
    if call.duration > SLOW_CALL {
        let limit = SLOW_CALL.as_millis() as u64;
        tracing::warn!(
            target: TARGET, tool, duration_ms,
            "slow tool: {tool} took {duration_ms:.0} ms, more than {limit} ms"
        );
    }
}

/// A text without what the tool says no log may show.
fn without_known<'t>(tool: Option<&RegisteredTool>, text: &'t str) -> Cow<'t, str> {
    match tool.map(RegisteredTool::function) {
        Some(function) if !function.secrets().is_empty() => {
            Cow::Owned(toolwright_redact::known(text, function.secrets()).into_owned())
        }
        _ => Cow::Borrowed(text),
    }
}

/// A call ended well and nobody may rely on that.
pub(super) fn held_back(tool: &str, error: &CallError) {
    let reason = error.details.as_str();
    tracing::error!(target: TARGET, tool, reason, "the result of a tool call is held back");
}

fn failed(error: &CallError, by: Option<&RegisteredTool>, tool: &str, arguments: &str, duration_ms: f64) {
    let outcome = error.code.as_str();
    let is_by_tool =
        error.is_from_tool() || matches!(error.code, ErrorCode::Unavailable | ErrorCode::Panicked);
    let reason = if is_by_tool {
        told_by(by, redact::reason(&without_known(by, &error.details)))
    } else {
        error.reason_for_log()
    };
    macro_rules! line {
        ($level:ident, $text:literal) => {
            tracing::$level!(target: TARGET, tool, arguments, duration_ms, outcome, reason, $text)
        };
    }
    match error.code {
        ErrorCode::UnknownTool => line!(warn, "unknown tool"),
        ErrorCode::AmbiguousTool => line!(warn, "several tools have this name"),
        ErrorCode::InvalidArguments | ErrorCode::Refused => line!(warn, "tool call refused"),
        ErrorCode::Denied => line!(info, "tool call not allowed"),
        ErrorCode::Busy => line!(warn, "tool call turned away"),
        ErrorCode::Cancelled => line!(info, "tool call cancelled"),
        ErrorCode::Timeout => line!(error, "tool call timed out"),
        ErrorCode::Unavailable | ErrorCode::ToolError | ErrorCode::TooLarge | ErrorCode::Panicked => {
            line!(error, "tool call failed");
        }
        ErrorCode::Unrecorded => line!(error, "the result of a tool call is held back"),
    }
}

/// What a tool says, as far as a log may repeat it: one that takes secrets may say them again.
fn told_by(tool: Option<&RegisteredTool>, redacted: Cow<'_, str>) -> String {
    match tool {
        Some(tool) if tool.takes_secrets() => redact::HIDDEN.to_owned(),
        _ => redacted.into_owned(),
    }
}

/// Which changes, and where: `N1 /device_name, T1 /level`.
fn codes(changes: &[Change]) -> String {
    let one = |change: &Change| format!("{} {}", change.code, change.path).trim_end().to_owned();
    changes.iter().map(one).collect::<Vec<_>>().join(", ")
}
