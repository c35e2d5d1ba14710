//! An answer as bytes, before it is sent.

use serde_json::{Value, json};

use super::order::Order;
use super::scenario::{FIRST_TOOL, Finish, Part, RETRY_AFTER, Scenario, pieces};
use super::script::Next;
use super::{Dialect, anthropic, chat, ollama, responses};
use crate::http::Asked;

/// An answer. What stands in one piece is sent at once.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// Headers besides those of the length.
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub pieces: Vec<Vec<u8>>,
    /// Whether the body comes in chunks, without a length.
    pub is_stream: bool,
    /// Whether the connection ends after the last piece, in the middle of the body.
    pub dies: bool,
    /// The piece that is repeated without end.
    pub repeats: Option<usize>,
}

impl Answer {
    /// JSON, whole.
    pub fn json(status: u16, body: &Value) -> Answer {
        let headers = vec![("content-type", "application/json".to_owned())];
        Answer { status, headers, pieces: vec![body.to_string().into_bytes()], ..Answer::default() }
    }

    /// A stream of this kind.
    pub fn stream(kind: &str, pieces: Vec<Vec<u8>>) -> Answer {
        let headers = vec![("content-type", kind.to_owned())];
        Answer { status: 200, headers, pieces, is_stream: true, ..Answer::default() }
    }
}

/// What was asked, as the dialects need it.
pub struct Question<'a> {
    /// The body.
    pub body: &'a Value,
    /// The model's name.
    pub model: &'a str,
    /// What its name asks for.
    pub order: &'a Order,
    /// The scenario.
    pub scenario: &'a Scenario,
}

impl Question<'_> {
    /// Whether the answer is to be streamed, where that is said in the body.
    pub fn wants_stream(&self, default: bool) -> bool {
        self.body["stream"].as_bool().unwrap_or(default)
    }

    /// Lines of events, in the way that is asked for.
    pub fn event(&self, name: Option<&str>, data: &str) -> Vec<u8> {
        let mut text = String::new();
        if self.order.comments {
            text.push_str(": still here\n\n");
        }
        if let Some(name) = name {
            text.push_str(&format!("event: {name}\n"));
        }
        text.push_str(&format!("data: {data}\n\n"));
        match self.order.crlf {
            true => text.replace('\n', "\r\n").into_bytes(),
            false => text.into_bytes(),
        }
    }
}

/// The answer to a request, by its script where there is one.
pub(super) fn answer(asked: &Asked, line: &Next) -> (Answer, Order) {
    let body: Value = serde_json::from_str(&asked.body).unwrap_or_default();
    let model = body["model"].as_str().unwrap_or_default();
    let order = match line {
        Next::Said(said) => said.order(),
        _ => Order::read(model),
    };
    let path = asked.path.split('?').next().unwrap_or_default();
    let Some(dialect) = Dialect::of(path) else {
        return (beside(asked, path, &order), order);
    };
    if body.is_null() {
        let text = format!("the body is no JSON: {} bytes", asked.body.len());
        return (error(dialect, 400, &text), order);
    }
    if let Some(refusal) = refused_thinking(dialect, &body, model).filter(|_| order.nothink) {
        return (refusal, order);
    }
    let mut scenario = match line {
        Next::Said(said) => said.scenario(),
        Next::Over => return (error(dialect, 400, "the script is over"), order),
        Next::None => Scenario::of(&order.scenario),
    };
    if scenario.key == "b9" && asked.body.contains("was not made") {
        scenario = Scenario::of("s10-stop-after-a-call");
    }
    if scenario.status != 200 {
        let mut text = word(scenario.status).to_owned();
        if scenario.status == 401 {
            // Some providers do show the key.
            text.push_str(&format!(": {}", key(asked)));
        }
        return (error(dialect, scenario.status, &text), order);
    }
    lengthen(&mut scenario, order.size);
    name_first_tool(&mut scenario, &body);
    let question = Question { body: &body, model, order: &order, scenario: &scenario };
    let mut answer = match dialect {
        Dialect::Chat => chat::answer(&question),
        Dialect::Responses => responses::answer(&question),
        Dialect::Anthropic => anthropic::answer(&question),
        Dialect::Ollama => ollama::answer(&question),
    };
    if scenario.finish == Finish::Dies && !answer.is_stream {
        // A whole answer that dies is cut in its middle.
        let half = answer.pieces.iter().map(Vec::len).sum::<usize>() / 2;
        return (answer, Order { cut: Some(half), ..order });
    }
    if scenario.finish == Finish::Fails && !answer.is_stream {
        return (error(dialect, 500, FAILED), order);
    }
    if order.packed {
        answer.headers.push(("content-encoding", "gzip".into()));
    }
    if order.endless {
        let mut texts = scenario.parts.iter().filter_map(|part| match part {
            Part::Text(text) => pieces(text, 9).first().copied(),
            _ => None,
        });
        let text = texts.next_back().unwrap_or_default();
        answer.repeats = answer.pieces.iter().position(|piece| contains(piece, text));
    }
    (answer, order)
}

/// What an error in mid-stream says.
pub const FAILED: &str = "the model fell over";

fn contains(piece: &[u8], text: &str) -> bool {
    !text.is_empty() && piece.windows(text.len()).any(|window| window == text.as_bytes())
}

fn lengthen(scenario: &mut Scenario, size: usize) {
    if size == 0 {
        return;
    }
    let more = "abcdefghijklmno\n".repeat(size / 16 + 1);
    let more = &more[..size];
    match scenario.parts.iter_mut().find_map(|part| match part {
        Part::Text(text) => Some(text),
        _ => None,
    }) {
        Some(text) => text.push_str(more),
        None => scenario.parts.insert(0, Part::Text(more.to_owned())),
    }
}

fn key(asked: &Asked) -> &str {
    let key = asked.header("x-api-key").or_else(|| asked.header("authorization")).unwrap_or_default();
    key.trim_start_matches("Bearer ")
}

fn name_first_tool(scenario: &mut Scenario, body: &Value) {
    let tool = &body["tools"][0];
    let name = tool["function"]["name"].as_str().or_else(|| tool["name"].as_str()).unwrap_or("none");
    for part in &mut scenario.parts {
        if let Part::Call { name: wanted, .. } = part
            && wanted == FIRST_TOOL
        {
            name.clone_into(wanted);
        }
    }
}

fn word(status: u16) -> &'static str {
    match status {
        400 => "messages: at least one message is required",
        401 => "invalid x-api-key",
        403 => "this key may not use this model",
        404 => "no such model",
        413 => "the request is too large",
        429 => "this is more than the limit of requests",
        529 => "overloaded",
        _ => "something went wrong",
    }
}

/// An error as a dialect has it.
pub fn error(dialect: Dialect, status: u16, text: &str) -> Answer {
    let body = match dialect {
        Dialect::Anthropic => anthropic::error(status, text),
        Dialect::Chat | Dialect::Responses => chat::error(status, text),
        Dialect::Ollama => json!({"error": text}),
    };
    let mut answer = Answer::json(status, &body);
    match dialect {
        Dialect::Anthropic => answer.headers.push(("request-id", "req_upstream_0001".into())),
        Dialect::Chat | Dialect::Responses => {
            answer.headers.push(("x-request-id", "req_upstream_0001".into()));
        }
        Dialect::Ollama => {}
    }
    if status == 429 {
        answer.headers.push(("retry-after", RETRY_AFTER.into()));
    }
    answer
}

/// What a model that does not think answers to who asks it to: OpenAI's older models, its newer API, and Ollama.
fn refused_thinking(dialect: Dialect, body: &Value, model: &str) -> Option<Answer> {
    let (message, param, code) = match dialect {
        Dialect::Chat => (
            format!(
                "Unrecognized request argument supplied: {}",
                body.get("reasoning_effort").map(|_| "reasoning_effort")?
            ),
            Value::Null,
            Value::Null,
        ),
        Dialect::Responses => {
            body.get("reasoning")?;
            let message = "Unsupported parameter: 'reasoning.effort' is not supported with this model.";
            (message.to_owned(), json!("reasoning.effort"), json!("unsupported_parameter"))
        }
        Dialect::Ollama if body["think"] == true || body["think"].is_string() => {
            return Some(error(dialect, 400, &format!("\"{model}\" does not support thinking")));
        }
        Dialect::Ollama | Dialect::Anthropic => return None,
    };
    let error = json!({"message": message, "type": "invalid_request_error", "param": param, "code": code});
    Some(Answer::json(400, &json!({"error": error})))
}

/// Everything that is no question to a model.
fn beside(asked: &Asked, path: &str, order: &Order) -> Answer {
    let is_anthropic = asked.header("anthropic-version").is_some();
    let names = ["plain", "s1-text-then-two-calls"];
    match (asked.method.as_str(), path) {
        ("POST", "/v1/messages/count_tokens") => Answer::json(200, &json!({"input_tokens": 123})),
        ("GET", "/v1/models") if is_anthropic => {
            let models = names.map(|name| {
                json!({"type": "model", "id": name, "display_name": name, "created_at": "2026-01-01T00:00:00Z"})
            });
            let body = json!({"data": models, "has_more": false, "first_id": names[0], "last_id": names[1]});
            Answer::json(200, &body)
        }
        ("GET", "/v1/models") => {
            let models = names
                .map(|name| json!({"id": name, "object": "model", "created": 1, "owned_by": "scenarios", "name": format!("The {name}"), "context_length": 4096, "capabilities": ["vision"]}));
            Answer::json(200, &json!({"object": "list", "data": models}))
        }
        ("GET", "/api/tags") => {
            let models = names.map(|name| {
                json!({
                    "name": name, "model": name, "modified_at": "2026-01-01T00:00:00Z", "size": 1, "digest": "0",
                    "details": {"family": "scenario", "parameter_size": "1", "quantization_level": "none"},
                })
            });
            Answer::json(200, &json!({"models": models}))
        }
        ("GET", "/api/version") => Answer::json(200, &json!({"version": "0.12.0"})),
        ("POST", "/api/show") if order.noshow => error(Dialect::Ollama, 404, "no such path"),
        ("POST", "/api/show") => {
            let can = if order.nothink { "insert" } else { "thinking" };
            let body =
                json!({"details": {"family": "scenario"}, "capabilities": ["completion", "tools", can]});
            Answer::json(200, &body)
        }
        ("HEAD" | "GET", "/") => Answer::json(200, &json!("it runs")),
        _ => Answer::json(404, &json!({"error": {"message": "not here", "type": "not_found_error"}})),
    }
}
