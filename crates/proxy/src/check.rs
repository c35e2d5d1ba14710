//! Whether upstreams answer, and what they can do.

use std::time::{Duration, Instant};

use http::{HeaderMap, Method};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::json;
use toolwright_config::LlmSettings;
use toolwright_llm::exchange::{Asked, Mending};
use toolwright_llm::{Dialect, Failure, dialects};
use toolwright_model::Outcome;

use crate::router::{Router, UpstreamError};
use crate::said;
use crate::upstream::{Ask, Shared, Upstream};
use crate::{ask, headers, streaming};

/// What was found out of all upstreams.
#[derive(Clone, Debug, Serialize)]
pub struct Checked {
    /// Each of them, in the order of their names.
    pub upstreams: Vec<CheckedUpstream>,
}

/// What was found out of one upstream.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckedUpstream {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub url: String,
    /// What it speaks.
    #[serde(serialize_with = "name_of")]
    pub dialect: Dialect,
    /// Whether there is a key of ours for it.
    pub has_key: bool,
    /// Whether it answered, and why not.
    #[serde(serialize_with = "ok_or_failure")]
    pub answers: Result<Found, Failure>,
    /// What models of it did when they were asked, in the order in which they would be; none when none was.
    pub tried: Vec<Tried>,
}

/// What an upstream told.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Found {
    /// How long that took.
    pub milliseconds: u64,
    /// The models that it names.
    pub models: Vec<String>,
}

/// What a model did.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Tried {
    /// The model.
    pub model: String,
    /// A whole answer with a call of a tool.
    #[serde(serialize_with = "ok_or_error")]
    pub whole: Result<String, String>,
    /// The same in pieces.
    #[serde(serialize_with = "ok_or_error")]
    pub stream: Result<String, String>,
}

fn name_of<S: Serializer>(dialect: &Dialect, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(dialect.name())
}

fn ok_or_failure<T: Serialize, S: Serializer>(
    result: &Result<T, Failure>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    ok_or_error(&result.as_ref().map_err(failure_text), serializer)
}

/// `{"ok": …}` or `{"error": "…"}`.
fn ok_or_error<T: Serialize, S: Serializer>(
    result: &Result<T, String>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(1))?;
    match result {
        Ok(found) => map.serialize_entry("ok", found)?,
        Err(why) => map.serialize_entry("error", why)?,
    }
    map.end()
}

/// Asks every upstream for its models, and all to which `model`, if given, leads for a call of a tool, whole and in
/// pieces: whoever is asked when another fails must be able to as well.
pub async fn check(
    settings: &LlmSettings,
    model: Option<&str>,
    mending: &Mending,
) -> Result<Checked, UpstreamError> {
    let router = Router::new(settings)?;
    let ways = model.and_then(|model| router.ways(model).ok()).unwrap_or_default();
    let mut upstreams = Vec::new();
    for upstream in router.upstreams() {
        let mut tried = Vec::new();
        for way in ways.iter().filter(|way| std::sync::Arc::ptr_eq(&way.upstream, upstream)) {
            tried.push(Tried {
                model: way.model.clone(),
                whole: try_call(upstream, &way.model, mending, Pieces::Whole).await,
                stream: try_call(upstream, &way.model, mending, Pieces::Many).await,
            });
        }
        upstreams.push(CheckedUpstream {
            name: upstream.name().to_owned(),
            url: upstream.place(),
            dialect: upstream.dialect(),
            has_key: upstream.has_key(),
            answers: answers(upstream).await,
            tried,
        });
    }
    Ok(Checked { upstreams })
}

async fn answers(upstream: &Upstream) -> Result<Found, Failure> {
    let began = Instant::now();
    let models = upstream.models(&HeaderMap::new()).await?;
    let milliseconds = began.elapsed().as_millis() as u64;
    Ok(Found { milliseconds, models: models.into_iter().map(|model| model.id).collect() })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Pieces {
    Whole,
    Many,
}

/// How long a call may take to be tried.
const TRY: Duration = Duration::from_secs(120);

async fn try_call(
    upstream: &Shared,
    model: &str,
    mending: &Mending,
    pieces: Pieces,
) -> Result<String, String> {
    let trying = async {
        let is_stream = pieces == Pieces::Many;
        let asked = json!({
            "model": model,
            "max_tokens": 200,
            "stream": is_stream,
            "messages": [{ "role": "user", "content": "What time is it in Paris? Use the tool." }],
            "tools": [{
                "name": "get_time",
                "description": "The time in a city",
                "input_schema": {
                    "type": "object",
                    "properties": { "city": { "type": "string" } },
                    "required": ["city"],
                },
            }],
            "tool_choice": { "type": "tool", "name": "get_time" },
        });
        let dialect = Dialect::AnthropicMessages;
        let asked = Asked::read(dialect, asked.to_string().as_bytes())?;
        let prepared = asked.prepare(&upstream.target(model), mending, &said::fresh())?;
        let headers = headers::for_upstream(dialect, upstream.dialect(), &HeaderMap::new());
        let own_key = HeaderMap::new();
        let ask = Ask {
            method: Method::POST,
            path: dialects::of(upstream.dialect()).path(),
            query: None,
            headers,
            own_key: &own_key,
            body: Some(prepared.body.clone()),
        };
        let response = upstream.send(ask).await?;
        let status = response.status().as_u16();
        let is_good = response.status().is_success();
        let report = match pieces {
            Pieces::Many if is_good && ask::is_stream(response.headers(), upstream.dialect()) => {
                streaming::to_the_end(upstream, response, &prepared).await
            }
            Pieces::Many => match prepared.whole_as_stream(status, &upstream.whole(response).await?) {
                Ok((_, report)) => report,
                Err(answer) => answer.report,
            },
            Pieces::Whole => prepared.whole(status, &upstream.whole(response).await?).report,
        };
        match report.failure {
            Some(failure) => Err(failure),
            None => Ok(report.calls),
        }
    };
    let calls = tokio::time::timeout(TRY, trying)
        .await
        .map_err(|_| format!("no answer within {} s", TRY.as_secs()))?
        .map_err(|failure| failure_text(&failure))?;
    Ok(match calls.first() {
        None => "answers, but did not call the tool it was to call".to_owned(),
        Some(call) => match &call.outcome {
            Outcome::Unchanged => "calls tools".to_owned(),
            Outcome::Repaired { changes, .. } => format!("calls tools; {} mended in the call", changes.len()),
            Outcome::Refused { .. } => "calls tools, with arguments that do not fit".to_owned(),
        },
    })
}

/// A failure with its status, for people.
pub fn failure_text(failure: &Failure) -> String {
    format!("{} ({})", failure.message, failure.status)
}
