//! Tools and a prompt of the modern era that ask back: each round is a request of its own.

use rmcp::ErrorData;
use rmcp::model::{ClientCapabilities, InputRequiredResult, InputResponses};
use serde_json::{Value, json};

use crate::offer::typed;
use crate::seal::Seal;

/// What a round comes to.
pub enum Round {
    /// More is to be asked.
    Ask(InputRequiredResult),
    /// It is done, and this is said.
    Say(String),
}

/// What the client sent with this round.
pub struct Answers<'a> {
    /// Its answers, by the names of the questions.
    pub responses: Option<&'a InputResponses>,
    /// The state that the round before gave out.
    pub state: Option<&'a str>,
    /// What the client can do.
    pub capabilities: &'a ClientCapabilities,
}

impl Answers<'_> {
    /// What the user filled in: nothing unless the question was accepted.
    fn field(&self, question: &str, field: &str) -> Option<&Value> {
        let answer = self.responses?.get(question)?;
        if answer["action"] == "accept" { answer["content"].get(field) } else { None }
    }

    fn text(&self, question: &str, field: &str) -> Option<&str> {
        self.field(question, field)?.as_str()
    }

    fn sampled(&self, question: &str) -> Option<&str> {
        let content = &self.responses?.get(question)?["content"];
        content["text"].as_str().or_else(|| content[0]["text"].as_str())
    }

    fn roots(&self, question: &str) -> Option<Vec<&str>> {
        let roots = self.responses?.get(question)?["roots"].as_array()?;
        Some(roots.iter().filter_map(|root| root["uri"].as_str()).collect())
    }
}

/// One round of a tool; nothing for a tool that never asks this way.
pub fn play(tool: &str, answers: &Answers<'_>, seal: &Seal) -> Result<Option<Round>, ErrorData> {
    let Some(what) = tool.strip_prefix("test_input_required_result_") else { return Ok(None) };
    let round = match what {
        "elicitation" => match answers.text("user_name", "name") {
            Some(name) => Round::Say(format!("Hello, {name}!")),
            None => ask(json!({"user_name": form("What is your name?", "name", "string")}), None)?,
        },
        "sampling" => match answers.sampled("capital_question") {
            Some(text) => Round::Say(format!("The model says: {text}")),
            None => ask(json!({"capital_question": sample("What is the capital of France?", 100)}), None)?,
        },
        "list_roots" => match answers.roots("client_roots") {
            Some(roots) => Round::Say(format!("{} roots: {}", roots.len(), roots.join(", "))),
            None => ask(json!({"client_roots": {"method": "roots/list", "params": {}}}), None)?,
        },
        "request_state" | "tampered_state" => confirmed(answers, seal)?,
        "multiple_inputs" => several(answers, seal)?,
        "multi_round" => steps(answers, seal)?,
        "capabilities" => as_declared(answers.capabilities)?,
        _ => return Ok(None),
    };
    Ok(Some(round))
}

/// One round of the prompt that asks.
pub fn play_prompt(answers: &Answers<'_>) -> Result<Round, ErrorData> {
    match answers.text("user_context", "context") {
        Some(context) => Ok(Round::Say(format!("Use this context: {context}"))),
        None => ask(
            json!({"user_context": form("What context should the prompt use?", "context", "string")}),
            None,
        ),
    }
}

/// The first round of the tool that becomes a task, or the name that it needs for that.
pub fn name_for_task(answers: &Answers<'_>) -> Result<Round, ErrorData> {
    match answers.text("user_name", "name") {
        Some(name) => Ok(Round::Say(name.to_owned())),
        None => ask(json!({"user_name": form("What is your name?", "name", "string")}), None),
    }
}

fn confirmed(answers: &Answers<'_>, seal: &Seal) -> Result<Round, ErrorData> {
    let state = answers.state.map(|state| seal.open(state)).transpose()?;
    if state.as_deref() == Some("confirm") && answers.field("confirm", "ok").is_some() {
        return Ok(Round::Say("state-ok".into()));
    }
    ask(json!({"confirm": form("Please confirm", "ok", "boolean")}), Some(seal.close("confirm")))
}

fn several(answers: &Answers<'_>, seal: &Seal) -> Result<Round, ErrorData> {
    let state = answers.state.map(|state| seal.open(state)).transpose()?;
    let name = answers.text("user_name", "name");
    let (greeting, roots) = (answers.sampled("greeting"), answers.roots("client_roots"));
    if let (Some("several"), Some(name), Some(greeting), Some(roots)) =
        (state.as_deref(), name, greeting, roots)
    {
        return Ok(Round::Say(format!("{greeting} {name}, of {} roots", roots.len())));
    }
    let questions = json!({
        "user_name": form("What is your name?", "name", "string"),
        "greeting": sample("Generate a greeting", 50),
        "client_roots": {"method": "roots/list", "params": {}},
    });
    ask(questions, Some(seal.close("several")))
}

fn steps(answers: &Answers<'_>, seal: &Seal) -> Result<Round, ErrorData> {
    let state = answers.state.map(|state| seal.open(state)).transpose()?;
    let (step, name) = match state.as_deref().and_then(|state| state.split_once(':')) {
        Some((step, name)) => (step, name),
        None => ("", ""),
    };
    match (step, answers.text("step1", "name"), answers.text("step2", "color")) {
        ("2", _, Some(color)) => Ok(Round::Say(format!("{name} likes {color}"))),
        ("1", Some(name), _) => {
            let question = form("Step 2: What is your favorite color?", "color", "string");
            ask(json!({"step2": question}), Some(seal.close(&format!("2:{name}"))))
        }
        _ => {
            let question = form("Step 1: What is your name?", "name", "string");
            ask(json!({"step1": question}), Some(seal.close("1:")))
        }
    }
}

/// Asks only what the client can answer.
fn as_declared(capabilities: &ClientCapabilities) -> Result<Round, ErrorData> {
    let mut questions = serde_json::Map::new();
    if capabilities.sampling.is_some() {
        questions.insert("model".into(), sample("Say something", 20));
    }
    if capabilities.elicitation.is_some() {
        questions.insert("user".into(), form("Say something", "something", "string"));
    }
    match questions.is_empty() {
        true => Ok(Round::Say("there is nobody to ask".into())),
        false => ask(Value::Object(questions), None),
    }
}

fn ask(questions: Value, state: Option<String>) -> Result<Round, ErrorData> {
    Ok(Round::Ask(InputRequiredResult::new(Some(typed(questions)?), state)))
}

/// A question to the user with one field.
pub fn form(message: &str, field: &str, kind: &str) -> Value {
    json!({"method": "elicitation/create", "params": {
        "mode": "form",
        "message": message,
        "requestedSchema": {"type": "object", "properties": {field: {"type": kind}}, "required": [field]},
    }})
}

fn sample(text: &str, tokens: u32) -> Value {
    json!({"method": "sampling/createMessage", "params": {
        "messages": [{"role": "user", "content": {"type": "text", "text": text}}],
        "maxTokens": tokens,
    }})
}
