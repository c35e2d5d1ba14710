//! One call as it is told: in the keys that programs know, with ours beside them.

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use toolwright_ledger::index::State;
use toolwright_ledger::stats::{Applied, applied, rfc3339};
use toolwright_ledger::{Change, Kind, Record, Stages};

/// How many characters of one argument the short form has.
const SHORT: usize = 100;
/// How many arguments the short form has.
const SHORT_ARGUMENTS: usize = 50;

/// One call. What has no value is left out.
#[derive(Debug, Serialize)]
pub(super) struct Operation<'a> {
    ts: String,
    tool: &'a str,
    req_id: &'a str,
    duration_ms: f64,
    bytes_in: u64,
    bytes_out: u64,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    args: Map<String, Value>,
    norms: Vec<Applied>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<&'a str>,
    node: &'a str,
    seq: u64,
    state: State,
    #[serde(skip_serializing_if = "Option::is_none")]
    client: Option<&'a str>,
    front: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    toolbox: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<&'a str>,
    stages: Stages,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_code: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_parameters: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_is_from_tool: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    schema: Option<&'a str>,
    changes: &'a [Change],
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    normalized: Option<&'a RawValue>,
}

impl<'a> Operation<'a> {
    pub fn of(record: &'a Record, state: State) -> Operation<'a> {
        let error = record.error.as_ref();
        Operation {
            ts: rfc3339(record.ts),
            tool: &record.tool,
            req_id: &record.call,
            duration_ms: milliseconds(record.duration_us),
            bytes_in: record.bytes_in,
            bytes_out: record.bytes_out,
            status: status(state),
            error: error.map(|error| error.message.as_str()),
            args: record.arguments.as_deref().map(short_arguments).unwrap_or_default(),
            norms: record.changes.iter().map(applied).collect(),
            session_id: record.session.as_deref(),
            node: &record.node,
            seq: record.seq,
            state,
            client: record.client.as_deref(),
            front: &record.front,
            toolbox: record.toolbox.as_deref(),
            server: record.server.as_deref(),
            stages: record.stages,
            error_code: error.map(|error| error.code.as_str()),
            error_parameters: error.map(|error| error.parameters.as_slice()),
            error_is_from_tool: error.map(|error| error.is_from_tool),
            schema: record.schema.as_deref(),
            changes: &record.changes,
            arguments: record.arguments.as_deref(),
            normalized: record.normalized.as_deref(),
        }
    }
}

/// What became of a call whose last record this is.
pub(super) fn state_of(record: &Record, is_running: bool) -> State {
    match (record.kind, &record.error) {
        (Kind::InProgress, _) if is_running => State::Running,
        (Kind::InProgress, _) => State::Interrupted,
        (Kind::Call | Kind::Exchange, Some(_)) => State::Error,
        (Kind::Call | Kind::Exchange, None) => State::Ok,
    }
}

/// The older word for it, which does not tell a call that runs from one that was cut.
fn status(state: State) -> &'static str {
    match state {
        State::Ok => "ok",
        State::Error => "error",
        State::Running | State::Interrupted => "in_progress",
    }
}

/// Microseconds as milliseconds.
pub(super) fn milliseconds(us: u64) -> f64 {
    // No duration has so many digits that one is lost.
    us as f64 / 1_000.0
}

/// Each argument as a short text.
fn short_arguments(arguments: &RawValue) -> Map<String, Value> {
    let Ok(Value::Object(arguments)) = serde_json::from_str(arguments.get()) else { return Map::new() };
    let short = |(name, value): (String, Value)| {
        let text = match value {
            Value::String(text) => text,
            other => other.to_string(),
        };
        (name, Value::String(shortened(text)))
    };
    arguments.into_iter().take(SHORT_ARGUMENTS).map(short).collect()
}

fn shortened(text: String) -> String {
    match text.char_indices().nth(SHORT) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use toolwright_ledger::Failure;

    use super::*;

    fn told(record: &Record) -> Value {
        serde_json::to_value(Operation::of(record, state_of(record, false))).expect("JSON")
    }

    #[test]
    fn a_call_has_the_keys_that_programs_know_and_ours() {
        let arguments = format!(r#"{{"path":"{}","n":1.50,"list":[1,2]}}"#, "ä".repeat(120));
        let change = Change {
            code: "R1".into(),
            path: "/file".into(),
            from: Some("\"file\"".into()),
            to: Some("\"path\"".into()),
            rule: Some("alias".into()),
            rule_type: Some("param_alias".into()),
        };
        let record = Record {
            ts: 1_773_651_600_000_001,
            call: "0a".into(),
            tool: "read_file".into(),
            session: Some("s".into()),
            arguments: RawValue::from_string(arguments).ok(),
            changes: vec![change],
            duration_us: 1_500,
            ..Record::default()
        };
        let said = told(&record);
        assert_eq!(said["ts"], "2026-03-16T09:00:00.000001Z");
        assert_eq!((&said["req_id"], &said["session_id"]), (&json!("0a"), &json!("s")));
        assert_eq!((&said["duration_ms"], &said["status"]), (&json!(1.5), &json!("ok")));
        assert_eq!(said["args"]["path"], format!("{}...", "ä".repeat(100)));
        assert_eq!((&said["args"]["n"], &said["args"]["list"]), (&json!("1.5"), &json!("[1,2]")));
        let norm = json!({"rule_id":"alias","type":"param_alias","param":"file","from":"file","to":"path"});
        assert_eq!(said["norms"], json!([norm]));
        assert!(said.get("error").is_none() && said.get("client").is_none());
        // The arguments themselves stay as they were written down.
        let text = serde_json::to_string(&Operation::of(&record, State::Ok)).expect("JSON");
        assert!(text.contains(r#""n":1.50"#), "{text}");
    }

    #[test]
    fn a_failed_call_says_why_and_one_without_end_is_in_progress() {
        let error = Failure {
            code: "invalid_arguments".into(),
            message: "\"path\" is missing".into(),
            parameters: vec!["/path".into()],
            is_from_tool: false,
        };
        let said = told(&Record { error: Some(error), ..Record::default() });
        assert_eq!((&said["status"], &said["error"]), (&json!("error"), &json!("\"path\" is missing")));
        assert_eq!(said["error_parameters"], json!(["/path"]));
        let said = told(&Record { kind: Kind::InProgress, ..Record::default() });
        assert_eq!((&said["status"], &said["state"]), (&json!("in_progress"), &json!("interrupted")));
        let text = RawValue::from_string("\"no object\"".into()).ok();
        assert_eq!(told(&Record { arguments: text, ..Record::default() })["args"], json!({}));
    }
}
