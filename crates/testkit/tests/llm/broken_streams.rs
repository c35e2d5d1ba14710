//! Streams that end where they should not: at every point, in every dialect, the client is told.

use std::sync::Arc;

use serde_json::Value;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use toolwright_testkit::llm_upstream::Dialect;
use toolwright_testkit::load::Answer;

use crate::stage::{Stage, path, question};

/// Every so many bytes; all of them are tried by the soak.
const STEP: usize = 7;

/// How many are asked at a time.
const AT_ONCE: usize = 16;

/// How a client sees the end of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// A good end.
    Clean,
    /// An error in its dialect.
    Failed,
    /// Neither.
    Nothing,
}

/// The data of all events, or all lines.
fn data(body: &str, front: Dialect) -> Vec<String> {
    let lines = body.lines();
    match front {
        Dialect::Ollama => lines.map(str::to_owned).collect(),
        _ => lines.filter_map(|line| line.strip_prefix("data:")).map(|data| data.trim().to_owned()).collect(),
    }
}

/// What the last thing in a stream means to a client of this dialect.
pub fn end_of(body: &str, front: Dialect) -> Seen {
    let mut data = data(body, front);
    if front == Dialect::Chat {
        let is_done = data.last().is_some_and(|last| last == "[DONE]");
        if is_done {
            data.pop();
        }
        let last: Value = data.last().and_then(|last| serde_json::from_str(last).ok()).unwrap_or_default();
        return match (last["error"]["message"].is_string(), is_done) {
            (true, _) => Seen::Failed,
            (false, true) => Seen::Clean,
            (false, false) => Seen::Nothing,
        };
    }
    let last: Value = data.last().and_then(|last| serde_json::from_str(last).ok()).unwrap_or_default();
    match (front, last["type"].as_str().unwrap_or_default()) {
        (Dialect::Anthropic, "message_stop") => Seen::Clean,
        (Dialect::Anthropic, "error") if last["error"]["message"].is_string() => Seen::Failed,
        (Dialect::Responses, "response.completed") => Seen::Clean,
        (Dialect::Responses, "error") if last["message"].is_string() => Seen::Failed,
        (Dialect::Responses, "response.failed") if last["response"]["error"]["message"].is_string() => {
            Seen::Failed
        }
        (Dialect::Ollama, _) if last["done"] == true => Seen::Clean,
        (Dialect::Ollama, _) if last["error"].is_string() => Seen::Failed,
        _ => Seen::Nothing,
    }
}

/// Whether a whole answer is an error as this dialect has it.
pub fn is_error(answer: &Answer, front: Dialect) -> bool {
    let body: Value = serde_json::from_str(&answer.text()).unwrap_or_default();
    answer.status >= 400
        && match front {
            Dialect::Anthropic => {
                body["type"] == "error"
                    && body["error"]["type"].is_string()
                    && body["error"]["message"].is_string()
                    && answer.header("request-id").is_some()
            }
            Dialect::Chat | Dialect::Responses => {
                body["error"]["message"].is_string() && body["error"].get("type").is_some()
            }
            Dialect::Ollama => body["error"].is_string(),
        }
}

/// From which byte on a stream of the upstream has said all that there is to say.
fn is_over(recorded: &str, upstream: Dialect) -> usize {
    let mark = match upstream {
        Dialect::Chat => r#""finish_reason":"tool_calls""#,
        Dialect::Anthropic => r#"data: {"type":"message_stop"}"#,
        Dialect::Responses => r#"data: {"type":"response.completed""#,
        Dialect::Ollama => r#""done":true"#,
    };
    recorded.find(mark).expect("it has an end")
}

async fn recorded(stage: &Stage, upstream: Dialect) -> String {
    let url = format!("{}{}", stage.upstream.url, path(upstream));
    let body = question(upstream, "s1-text-then-two-calls", true).to_string();
    let answer = reqwest::Client::new().post(url).body(body).send().await.expect("an answer");
    answer.text().await.expect("a body")
}

async fn every_cut_is_told(upstream: Dialect, fronts: &[Dialect]) {
    let stage = Arc::new(Stage::set(upstream).await);
    let recorded = recorded(&stage, upstream).await;
    let over = is_over(&recorded, upstream);
    let turns = Arc::new(Semaphore::new(AT_ONCE));
    let mut tasks = JoinSet::new();
    for front in fronts.iter().copied() {
        for (number, cut) in (1..recorded.len()).step_by(STEP).enumerate() {
            let (stage, turns) = (Arc::clone(&stage), Arc::clone(&turns));
            let how = if number % 2 == 0 { "" } else { "+reset" };
            let body = question(front, &format!("s1-text-then-two-calls+cut={cut}{how}"), true).to_string();
            tasks.spawn(async move {
                let _turn = turns.acquire().await.expect("open");
                let (answer, is_whole) = stage.post_to_its_end(path(front), &body).await;
                fault(&answer, is_whole, front, cut >= over)
                    .map(|fault| format!("{front:?}, cut at {cut} of {over}{how}: {fault}"))
            });
        }
    }
    let faults: Vec<String> = tasks.join_all().await.into_iter().flatten().collect();
    let some = &faults[..faults.len().min(20)];
    assert!(faults.is_empty(), "{} faults, such as:\n{}", faults.len(), some.join("\n"));
}

fn fault(answer: &Answer, is_whole: bool, front: Dialect, may_end_well: bool) -> Option<String> {
    if answer.status != 200 {
        return (!is_error(answer, front)).then(|| format!("{}: {}", answer.status, answer.text()));
    }
    let text = answer.text();
    let end = &text[text.floor_char_boundary(text.len().saturating_sub(300))..];
    match end_of(&text, front) {
        Seen::Clean if !may_end_well => Some(format!("a clean end: {end}")),
        Seen::Nothing => Some(format!("no end: {end}")),
        _ if !is_whole => Some(format!("the connection was cut: {end}")),
        _ => None,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chat_stream_that_is_cut_anywhere_is_an_error_for_every_client() {
    let fronts = [Dialect::Anthropic, Dialect::Chat, Dialect::Responses, Dialect::Ollama];
    every_cut_is_told(Dialect::Chat, &fronts).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_anthropic_stream_that_is_cut_anywhere_is_an_error() {
    every_cut_is_told(Dialect::Anthropic, &[Dialect::Anthropic, Dialect::Chat]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_responses_stream_that_is_cut_anywhere_is_an_error() {
    every_cut_is_told(Dialect::Responses, &[Dialect::Responses, Dialect::Anthropic]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_ollama_stream_that_is_cut_anywhere_is_an_error() {
    every_cut_is_told(Dialect::Ollama, &[Dialect::Ollama, Dialect::Anthropic]).await;
}
