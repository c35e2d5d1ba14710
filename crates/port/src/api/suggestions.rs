//! `/api/suggestions`: rules that calls taught, and what somebody decides about them.

use std::sync::Arc;

use http::{Response, StatusCode};
use serde::Deserialize;
use serde_json::{Value, json};
use toolwright_ledger::learn::{Event, LearningError, Suggestion};
use toolwright_ledger::stats::rfc3339;

use super::path::Decision;
use super::query::Query;
use super::{Api, aside, json};
use crate::inside::InsideBody;
use crate::refusal::Refusal;

/// How many decisions come when nobody says how many, and at most.
const USUAL: usize = 100;
const MOST: usize = 1_000;
/// How many letters the name of who decides may have.
const MAX_NAME: usize = 100;

pub(super) async fn list(api: &Api, query: &Query) -> Result<Response<InsideBody>, Refusal> {
    query.allow(&[])?;
    let learning = Arc::clone(api.ledger()?.learning());
    // What each would do to recorded calls is tried out for this.
    let (policy, suggestions) = aside(move || (learning.policy(), learning.suggestions())).await?;
    let suggestions: Vec<Value> = suggestions.iter().map(told).collect();
    json(&json!({ "policy": policy, "suggestions": suggestions }))
}

pub(super) async fn one(api: &Api, query: &Query, id: String) -> Result<Response<InsideBody>, Refusal> {
    query.allow(&[])?;
    let learning = Arc::clone(api.ledger()?.learning());
    let found = aside(move || {
        let waits = learning.why_not_safe(&id).ok().flatten();
        learning.suggestion(&id).map(|suggestion| (suggestion, waits)).ok_or(id)
    });
    match found.await? {
        Ok((suggestion, waits)) => {
            let mut said = told(&suggestion);
            said["why_not_safe"] = json!(waits);
            json(&said)
        }
        Err(id) => Err(refused(&LearningError::Unknown(id))),
    }
}

pub(super) async fn history(api: &Api, query: &Query) -> Result<Response<InsideBody>, Refusal> {
    query.allow(&["limit"])?;
    let limit = query.number("limit", USUAL, MOST)?;
    let learning = Arc::clone(api.ledger()?.learning());
    let events = aside(move || learning.history()).await?;
    let events: Vec<Value> = events.iter().rev().take(limit).map(told_event).collect();
    json(&json!({ "events": events }))
}

/// What a decision comes with.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Body {
    by: Option<String>,
}

pub(super) async fn decide(
    api: &Api,
    query: &Query,
    id: String,
    decision: Decision,
    body: &[u8],
    visitor: &str,
) -> Result<Response<InsideBody>, Refusal> {
    query.allow(&[])?;
    let by = who(body, visitor)?;
    let learning = Arc::clone(api.ledger()?.learning());
    // It returns when the decision is on the disk.
    let decided = aside(move || match decision {
        Decision::Accept => learning.accept(&id, &by),
        Decision::Dismiss => learning.dismiss(&id, &by),
        Decision::Undo => learning.undo(&id, &by),
    });
    match decided.await? {
        Ok(suggestion) => json(&told(&suggestion)),
        Err(error) => Err(refused(&error)),
    }
}

/// Who decides: whom the body names, or else the token.
fn who(body: &[u8], visitor: &str) -> Result<String, Refusal> {
    let body: Body =
        serde_json::from_slice(body).map_err(|error| Refusal::decision_body(&error.to_string()))?;
    let by = body.by.unwrap_or_else(|| visitor.to_owned());
    let is_name =
        !by.trim().is_empty() && by.chars().count() <= MAX_NAME && !by.chars().any(char::is_control);
    match is_name {
        true => Ok(by),
        false => {
            let why = format!("\"by\" is a name of 1 to {MAX_NAME} letters in one line");
            Err(Refusal::decision_body(&why))
        }
    }
}

/// A suggestion, with times that people can read beside the numbers.
fn told(suggestion: &Suggestion) -> Value {
    let mut said = serde_json::to_value(suggestion).unwrap_or_default();
    said["evidence"]["first_seen"] = json!(rfc3339(suggestion.evidence.first));
    said["evidence"]["last_seen"] = json!(rfc3339(suggestion.evidence.last));
    said
}

fn told_event(event: &Event) -> Value {
    json!({
        "ts": rfc3339(event.ts),
        "id": event.id,
        "event": event.event,
        "by": event.by,
        "suggestion": told(&event.suggestion),
    })
}

fn refused(error: &LearningError) -> Refusal {
    let (status, reason) = match error {
        LearningError::Unknown(_) => (StatusCode::NOT_FOUND, "suggestion"),
        LearningError::Already { .. } | LearningError::NothingToUndo(_) | LearningError::Clash { .. } => {
            (StatusCode::CONFLICT, "decided")
        }
        _ => (StatusCode::SERVICE_UNAVAILABLE, "disk"),
    };
    Refusal::new(status, reason, error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_decides_is_in_the_body_or_has_the_token() {
        assert_eq!(who(b"{}", "default").as_deref(), Ok("default"));
        assert_eq!(who(br#"{"by": "Ada"}"#, "default").as_deref(), Ok("Ada"));
        let long = format!(r#"{{"by": "{}"}}"#, "x".repeat(101));
        for wrong in
            ["", "[]", "null", r#"{"by": 5}"#, r#"{"by": ""}"#, r#"{"by": "a\nb"}"#, r#"{"who": "x"}"#, &long]
        {
            let refusal = who(wrong.as_bytes(), "default").expect_err(wrong);
            assert_eq!((refusal.status.as_u16(), refusal.reason), (400, "body"), "{wrong}");
        }
    }
}
