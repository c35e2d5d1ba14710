//! Tools that ask the client by a request while they run; a server that is modern only asks by what it answers.

#![expect(deprecated, reason = "sampling is deprecated and spoken all the same")]

use rmcp::ErrorData;
use rmcp::model::{CallToolResponse, InputRequiredResult, InputResponses};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Value, json};

use crate::handler::Family;
use crate::offer::typed;
use crate::tools::{refused, said, text};

/// The key under which a modern client answers.
const ANSWER: &str = "answer";

/// Runs a tool that asks; nothing for one that does not.
pub async fn run(
    name: &str,
    arguments: &Value,
    answers: Option<&InputResponses>,
    (family, context): (Family, &RequestContext<RoleServer>),
) -> Result<Option<CallToolResponse>, ErrorData> {
    let word = |name: &str| arguments[name].as_str().unwrap_or_default().to_owned();
    let form = |message: &str, schema: Value| {
        ("elicitation/create", json!({"mode": "form", "message": message, "requestedSchema": schema}))
    };
    let (method, params) = match name {
        "test_sampling" => {
            let message = json!({"role": "user", "content": text(&word("prompt"))});
            ("sampling/createMessage", json!({"messages": [message], "maxTokens": 100}))
        }
        "test_elicitation" => form(&word("message"), user_schema()),
        "test_elicitation_sep1034_defaults" => form("Who are you?", defaults_schema()),
        "test_elicitation_sep1330_enums" => form("What do you choose?", choices_schema()),
        _ => return Ok(None),
    };
    let answer = match answers.and_then(|answers| answers.get(ANSWER)) {
        Some(answer) => answer.clone(),
        None if family == Family::Modern => {
            let questions = typed(json!({ANSWER: {"method": method, "params": params}}))?;
            return Ok(Some(InputRequiredResult::new(Some(questions), None).into()));
        }
        None => ask(method, params, context).await?,
    };
    let answered =
        format!("action={}, content={}", answer["action"].as_str().unwrap_or("nothing"), answer["content"]);
    let answered = match name {
        "test_sampling" => {
            let content = &answer["content"];
            let said = content["text"].as_str().or_else(|| content[0]["text"].as_str());
            format!("LLM response: {}", said.unwrap_or("nothing"))
        }
        "test_elicitation" => format!("User response: {answered}"),
        _ => format!("Elicitation completed: {answered}"),
    };
    Ok(Some(said(&answered).into()))
}

async fn ask(method: &str, params: Value, context: &RequestContext<RoleServer>) -> Result<Value, ErrorData> {
    let answer = match method {
        "sampling/createMessage" => {
            serde_json::to_value(context.peer.create_message(typed(params)?).await.map_err(refused)?)
        }
        _ => serde_json::to_value(context.peer.create_elicitation(typed(params)?).await.map_err(refused)?),
    };
    answer.map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

fn user_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "username": {"type": "string", "description": "User's response"},
            "email": {"type": "string", "description": "User's email address"},
        },
        "required": ["username", "email"],
    })
}

fn defaults_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "default": "John Doe"},
            "age": {"type": "integer", "default": 30},
            "score": {"type": "number", "default": 95.5},
            "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
            "verified": {"type": "boolean", "default": true},
        },
    })
}

fn choices_schema() -> Value {
    let titled = |word: &str| {
        json!([
            {"const": "value1", "title": format!("First {word}")},
            {"const": "value2", "title": format!("Second {word}")},
            {"const": "value3", "title": format!("Third {word}")},
        ])
    };
    let plain = json!(["option1", "option2", "option3"]);
    json!({
        "type": "object",
        "properties": {
            "untitledSingle": {"type": "string", "enum": plain},
            "titledSingle": {"type": "string", "oneOf": titled("Option")},
            "legacyEnum": {
                "type": "string",
                "enum": ["opt1", "opt2", "opt3"],
                "enumNames": ["Option One", "Option Two", "Option Three"],
            },
            "untitledMulti": {"type": "array", "items": {"type": "string", "enum": plain}},
            "titledMulti": {"type": "array", "items": {"anyOf": titled("Choice")}},
        },
    })
}
