//! Rules from the dashboard: validate a text, activate a text, store a call as a test.

use http::StatusCode;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use toolwright_model::{Outcome, ToolDefinition};
use toolwright_normalizer::{RawArguments, Tool};

use super::{ActionRefusal, PlaygroundCall};
use crate::Dashboard;
use crate::pages::{rules_edit, run_blocking};
use crate::rules_text::{RulesText, SaveError};

#[derive(Deserialize)]
pub(super) struct RulesEditRequest {
    text: String,
    /// The version mark of the text that it replaces.
    before: Option<String>,
}

pub(super) fn check(written: RulesEditRequest) -> Result<Markup, ActionRefusal> {
    Ok(rules_edit::checked(&written.text))
}

pub(super) async fn save(dashboard: &Dashboard, written: RulesEditRequest) -> Result<Markup, ActionRefusal> {
    let rules = rules_of(dashboard)?;
    let Some(before) = written.before else {
        return Err(ActionRefusal::new(
            StatusCode::BAD_REQUEST,
            "\"before\" is missing: the mark of the text that was edited",
        ));
    };
    let now = jiff::Timestamp::now().as_microsecond();
    match run_blocking(move || rules.save(&written.text, &before, now)).await? {
        Ok(count) => Ok(
            html! { p { "✓ Saved: " (count) " rules. They are in force in a moment. " a href="/rules/edit" { "Go on editing" } } },
        ),
        Err(SaveError::Mistakes(mistakes)) => Ok(rules_edit::mistake_list(&mistakes)),
        Err(error @ SaveError::Changed) => Err(ActionRefusal::new(StatusCode::CONFLICT, error.to_string())),
        Err(error @ SaveError::TooLong) => {
            Err(ActionRefusal::new(StatusCode::PAYLOAD_TOO_LARGE, error.to_string()))
        }
        Err(error @ SaveError::Io { .. }) => {
            Err(ActionRefusal::new(StatusCode::SERVICE_UNAVAILABLE, error.to_string()))
        }
    }
}

/// Stores the current outcome of the call, so that `toolwright rules test` reports a change.
pub(super) async fn save_test(dashboard: &Dashboard, tried: PlaygroundCall) -> Result<Markup, ActionRefusal> {
    let rules = rules_of(dashboard)?;
    let case = case(dashboard, &tried)?;
    let (file, added) =
        (rules.file().display().to_string(), run_blocking(move || rules.add_case(&case)).await?);
    let cases = added.map_err(|error| {
        ActionRefusal::new(StatusCode::SERVICE_UNAVAILABLE, format!("the test cannot be written: {error}"))
    })?;
    Ok(
        html! { p { "✓ Saved in " code { (cases.display().to_string()) } ". Run it with " code { "toolwright rules test " (file) " --cases " (cases.display().to_string()) } } },
    )
}

fn rules_of(dashboard: &Dashboard) -> Result<RulesText, ActionRefusal> {
    dashboard.rules.clone().ok_or_else(|| {
        ActionRefusal::new(
            StatusCode::CONFLICT,
            "the gateway was started without a rules file; start it with --rules FILE",
        )
    })
}

fn case(dashboard: &Dashboard, tried: &PlaygroundCall) -> Result<Value, ActionRefusal> {
    let bad = |why: String| ActionRefusal::new(StatusCode::BAD_REQUEST, why);
    let definition = match tried.tool.as_str() {
        "" => ToolDefinition {
            name: "tool".to_owned(),
            input_schema: tried.schema.clone(),
            ..ToolDefinition::default()
        },
        name => {
            let known = dashboard.executor.registry().get(name);
            known.ok_or_else(|| bad(format!("there is no tool \"{name}\"")))?.definition().clone()
        }
    };
    let tool =
        Tool::compile(&definition).map_err(|error| bad(format!("the schema cannot be used: {error}")))?;
    let raw = RawArguments::text(&tried.arguments, Default::default());
    let expect = match dashboard.executor.rules().load().normalizer().normalize(&tool, &raw) {
        Outcome::Unchanged => json!({ "outcome": "unchanged" }),
        Outcome::Repaired { arguments, changes } => {
            let mut rules: Vec<&str> = changes.iter().filter_map(|change| change.rule.as_deref()).collect();
            rules.dedup();
            let arguments: Value = serde_json::from_str(&arguments).unwrap_or_default();
            json!({ "outcome": "repaired", "arguments": arguments, "rules": rules })
        }
        Outcome::Refused { .. } => json!({ "outcome": "refused" }),
    };
    // Arguments that are not JSON are stored as text.
    let arguments = match serde_json::from_str::<Box<RawValue>>(&tried.arguments) {
        Ok(arguments) => json!(arguments),
        Err(_) => json!(tried.arguments),
    };
    let schema: Value = serde_json::from_str(&definition.input_schema)
        .map_err(|error| bad(format!("the schema cannot be used: {error}")))?;
    Ok(json!({
        "tool": { "name": definition.name, "inputSchema": schema },
        "arguments": arguments,
        "expect": expect,
    }))
}
