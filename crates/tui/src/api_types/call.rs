//! One call, from `/api/operations` and the live feed.

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::Clean;

/// Limit of changes per call.
const MOST_CHANGES: usize = 100;
/// Limit of lines per error.
const MOST_LINES: usize = 50;
/// Limit of characters per error.
const MOST_CHARS: usize = 4_000;

/// One call that ended or was interrupted.
#[derive(Clone, Debug, PartialEq)]
pub struct ApiCall {
    /// The call id, for `toolwright explain`.
    pub id: Clean,
    /// The number of its record at its gateway.
    pub seq: u64,
    /// The node name of the gateway.
    pub node: String,
    /// Its start.
    pub at: Option<Timestamp>,
    /// The client.
    pub client: Clean,
    /// The session.
    pub session: Clean,
    /// The front: `mcp`, `stdio`, `llm`, `ask`, `voice` or `cli`.
    pub front: Clean,
    /// `server/tool`, or the tool alone.
    pub tool: Clean,
    /// The outcome.
    pub outcome: ApiOutcome,
    /// The duration.
    pub milliseconds: f64,
    /// The arguments as sent.
    pub before: Clean,
    /// The repaired arguments, if they were changed.
    pub after: Option<Clean>,
    /// The changes.
    pub changes: Vec<CallChange>,
    /// The number of changes beyond the limit.
    pub more_changes: usize,
    /// The code of its error, and the lines of its message.
    pub error: Option<(Clean, Vec<Clean>)>,
    /// The text for the filter, in lower case.
    searched: String,
}

/// One change of the arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct CallChange {
    /// The code of the repair step.
    pub code: Clean,
    /// The position, as a JSON Pointer.
    pub path: Clean,
    /// The old value.
    pub from: Option<Clean>,
    /// The new value.
    pub to: Option<Clean>,
    /// The rule that caused it.
    pub rule: Option<Clean>,
}

/// The outcome of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiOutcome {
    /// It was valid and succeeded.
    Ok,
    /// It was repaired and succeeded.
    Repaired,
    /// It was not run: it was invalid or not allowed.
    Refused,
    /// It failed.
    Error,
    /// It is running.
    Running,
    /// Its gateway stopped before it ended.
    Interrupted,
}

impl ApiOutcome {
    /// The displayed name.
    pub fn word(self) -> &'static str {
        match self {
            ApiOutcome::Ok => "ok",
            ApiOutcome::Repaired => "repaired",
            ApiOutcome::Refused => "refused",
            ApiOutcome::Error => "error",
            ApiOutcome::Running => "running",
            ApiOutcome::Interrupted => "cut off",
        }
    }
}

/// Error codes of calls that Toolwright, not the tool, refused.
const REFUSALS: [&str; 5] = ["invalid_arguments", "unknown_tool", "ambiguous_tool", "refused", "denied"];

/// A call in the form of the response.
#[derive(Deserialize)]
struct RawOperation<'a> {
    #[serde(default)]
    ts: Option<String>,
    #[serde(default)]
    tool: Clean,
    req_id: Clean,
    #[serde(default)]
    duration_ms: f64,
    #[serde(default)]
    error: Option<String>,
    #[serde(default)]
    session_id: Clean,
    #[serde(default)]
    node: String,
    #[serde(default)]
    seq: u64,
    #[serde(default)]
    state: Option<String>,
    #[serde(default)]
    client: Clean,
    #[serde(default)]
    front: Clean,
    #[serde(default)]
    server: Option<Clean>,
    #[serde(default)]
    error_code: Option<String>,
    #[serde(default)]
    error_is_from_tool: bool,
    #[serde(default)]
    changes: Vec<CallChange>,
    #[serde(default, borrow)]
    arguments: Option<&'a RawValue>,
    #[serde(default, borrow)]
    normalized: Option<&'a RawValue>,
}

impl ApiCall {
    /// Parses one call.
    ///
    /// # Errors
    /// When the text is not a call.
    pub fn read(text: &[u8]) -> Result<ApiCall, serde_json::Error> {
        serde_json::from_slice::<RawOperation<'_>>(text).map(ApiCall::of)
    }

    /// Parses a list of calls.
    ///
    /// # Errors
    /// When the text is not a list of calls.
    pub fn read_all(text: &[u8]) -> Result<Vec<ApiCall>, serde_json::Error> {
        Ok(serde_json::from_slice::<Vec<RawOperation<'_>>>(text)?.into_iter().map(ApiCall::of).collect())
    }

    /// Whether it contains every one of these lower-case words.
    pub fn has(&self, words: &[String]) -> bool {
        words.iter().all(|word| self.searched.contains(word.as_str()))
    }

    fn of(raw: RawOperation<'_>) -> ApiCall {
        let json = |raw: Option<&RawValue>| raw.map(|raw| Clean::new(raw.get()));
        let tool = match &raw.server {
            Some(server) if !server.is_empty() => Clean::new(&format!("{server}/{}", raw.tool)),
            _ => raw.tool.clone(),
        };
        let mut changes = raw.changes;
        let more_changes = changes.len().saturating_sub(MOST_CHANGES);
        changes.truncate(MOST_CHANGES);
        let code = raw.error_code.unwrap_or_default();
        let is_refusal = !raw.error_is_from_tool && REFUSALS.contains(&code.as_str());
        let outcome = match raw.state.as_deref() {
            Some("running") => ApiOutcome::Running,
            Some("interrupted") => ApiOutcome::Interrupted,
            _ if raw.error.is_some() && is_refusal => ApiOutcome::Refused,
            _ if raw.error.is_some() => ApiOutcome::Error,
            _ if changes.is_empty() => ApiOutcome::Ok,
            _ => ApiOutcome::Repaired,
        };
        let mut call = ApiCall {
            id: raw.req_id,
            seq: raw.seq,
            node: raw.node,
            at: raw.ts.and_then(|ts| ts.parse().ok()),
            client: raw.client,
            session: raw.session_id,
            front: raw.front,
            tool,
            outcome,
            milliseconds: raw.duration_ms,
            before: json(raw.arguments).unwrap_or_default(),
            after: json(raw.normalized),
            changes,
            more_changes,
            error: raw.error.map(|words| (Clean::new(&code), lines(&words))),
            searched: String::new(),
        };
        call.searched = call.all_words().to_lowercase();
        call
    }

    fn all_words(&self) -> String {
        let mut words = vec![
            self.id.as_str(),
            self.client.as_str(),
            self.front.as_str(),
            self.tool.as_str(),
            self.outcome.word(),
            self.before.as_str(),
        ];
        words.extend(self.after.iter().map(Clean::as_str));
        for change in &self.changes {
            words.push(change.code.as_str());
            words.extend(change.rule.iter().map(Clean::as_str));
        }
        if let Some((code, raw)) = &self.error {
            words.push(code.as_str());
            words.extend(raw.iter().map(Clean::as_str));
        }
        words.join("\n")
    }
}

/// Splits a text into sanitized lines; empty ones are dropped.
fn lines(text: &str) -> Vec<Clean> {
    let end = text.char_indices().nth(MOST_CHARS).map_or(text.len(), |(end, _)| end);
    let lines = text[..end].lines().map(Clean::new).filter(|line| !line.is_empty());
    lines.take(MOST_LINES).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn outcome(besides: &serde_json::Value) -> ApiOutcome {
        let mut raw = json!({ "req_id": "a", "tool": "t", "state": "ok", "changes": [] });
        for (key, value) in besides.as_object().expect("an object") {
            raw[key] = value.clone();
        }
        ApiCall::read(raw.to_string().as_bytes()).expect("a call").outcome
    }

    #[test]
    fn outcomes_tell_refusals_from_errors() {
        let change = json!([{ "code": "N4", "path": "/a" }]);
        for (besides, expected) in [
            (json!({}), ApiOutcome::Ok),
            (json!({ "changes": change }), ApiOutcome::Repaired),
            (json!({ "error": "no", "error_code": "invalid_arguments" }), ApiOutcome::Refused),
            (
                json!({ "error": "no", "error_code": "invalid_arguments", "error_is_from_tool": true }),
                ApiOutcome::Error,
            ),
            (json!({ "error": "no", "error_code": "timeout", "changes": change }), ApiOutcome::Error),
            (json!({ "state": "running" }), ApiOutcome::Running),
            (json!({ "state": "interrupted" }), ApiOutcome::Interrupted),
        ] {
            assert_eq!(outcome(&besides), expected, "{besides}");
        }
    }

    #[test]
    fn a_call_is_read_whole_and_cleaned() {
        let raw = json!({
            "ts": "2026-03-16T09:00:00.000001Z", "tool": "read\u{1b}[31m_file", "server": "files", "req_id": "01J",
            "duration_ms": 1.5, "session_id": "s", "node": "main", "seq": 7, "state": "ok", "client": "an\u{202e}na",
            "front": "mcp", "changes": [{ "code": "N4", "path": "/file_path", "from": "\"a\"", "to": null, "rule": "r1" }],
            "arguments": { "file_path": "a.md" }, "normalized": { "path": "a.md" },
        });
        let call = ApiCall::read(raw.to_string().as_bytes()).expect("a call");
        assert_eq!((call.tool.as_str(), call.client.as_str()), ("files/read_file", "an\u{fffd}na"));
        assert_eq!(call.before.as_str(), r#"{"file_path":"a.md"}"#);
        assert_eq!(call.after.as_ref().map(Clean::as_str), Some(r#"{"path":"a.md"}"#));
        assert!(call.has(&["files".into(), "n4".into(), "r1".into()]) && !call.has(&["nothing".into()]));
        assert_eq!(call.at.map(|at| at.as_second()), Some(1_773_651_600));
        assert!(ApiCall::read(b"{}").is_err() && ApiCall::read(b"[").is_err());
    }

    #[test]
    fn a_call_of_megabytes_keeps_little() {
        let many: Vec<_> = (0..10_000).map(|n| json!({ "code": "T1", "path": format!("/{n}") })).collect();
        let raw = json!({ "req_id": "a", "arguments": { "text": "x".repeat(4 << 20) }, "changes": many });
        let call = ApiCall::read(raw.to_string().as_bytes()).expect("a call");
        assert_eq!((call.changes.len(), call.more_changes), (100, 9_900));
        assert!(call.before.as_str().len() < 5_000 && call.searched.len() < 10_000);
    }
}
