//! The agent that answers questions: made of what is behind the gateway, and what to write when no model can be asked.

use std::sync::Arc;

use toolwright_agent::{Agent, AgentSettings, Offer};
use toolwright_config::Configuration;
use toolwright_executor::ToolExecutor;
use toolwright_llm::dialects;
use toolwright_proxy::LlmFront;

use crate::agent_mind::AgentMind;
use crate::gateway_source::Behind;
use crate::report::Report;
use crate::voice_source::NamedMind;

/// The smallest configuration that a model can be asked with.
const EXAMPLE: &str = r#"{"llm": {"upstreams": {"local": {"kind": "ollama", "url": "http://127.0.0.1:11434"}}}, "agent": {"model": "qwen3:8b"}}"#;

/// The agent, and the model that it asks.
pub fn agent(behind: &Behind, model: Option<&str>) -> Result<(Agent, String), Report> {
    made(behind.llm.as_ref(), &behind.executor, behind.configuration.as_ref(), model)
}

/// The agent as the mind of the voice.
pub fn mind(
    models: Option<&Arc<LlmFront>>,
    executor: &Arc<ToolExecutor>,
    configuration: Option<&Configuration>,
) -> Result<NamedMind, Report> {
    let said = configuration.and_then(|configuration| configuration.voice.as_ref()?.model.as_deref());
    let (agent, model) = made(models, executor, configuration, said)?;
    Ok(NamedMind { mind: AgentMind::new(agent, Arc::clone(executor)), model })
}

fn made(
    models: Option<&Arc<LlmFront>>,
    executor: &Arc<ToolExecutor>,
    configuration: Option<&Configuration>,
    model: Option<&str>,
) -> Result<(Agent, String), Report> {
    let models = models.ok_or_else(|| no_models("no upstream can be used"))?;
    if models.upstreams().is_empty() {
        return Err(no_models("no upstream is configured, or none without a mistake"));
    }
    let said = configuration.and_then(|configuration| configuration.agent.as_ref());
    let mut settings = said.map(AgentSettings::of).unwrap_or_default();
    let model = chosen(models, model, &settings)?;
    check_place(models, &model, configuration)?;
    settings.model = Some(model.clone());
    Ok((Agent::new(Arc::clone(models), Arc::clone(executor), settings), model))
}

/// Our own tools are offered unless the file says that they are not served.
pub fn own_tools(configuration: Option<&Configuration>) -> Option<Offer> {
    let is_off = configuration.is_some_and(|configuration| configuration.serves_builtin_tools == Some(false));
    is_off.then(|| Offer::of(&["*", "!builtin/*", "!files/*"]))
}

fn chosen(models: &LlmFront, asked: Option<&str>, settings: &AgentSettings) -> Result<String, Report> {
    let first = || models.named_models().into_iter().next();
    let chosen = asked.map(str::to_owned).or_else(|| settings.model.clone()).or_else(first);
    chosen.ok_or_else(|| {
        Report::usage(
            "no model is named",
            "write \"agent\": {\"model\": \"NAME\"} in toolwright.json, or for `ask` --model NAME",
        )
        .called("no_model")
    })
}

/// A provider without a key turns us away: that is said before it is asked.
fn check_place(models: &LlmFront, model: &str, configuration: Option<&Configuration>) -> Result<(), Report> {
    let place = models.place_of(model).map_err(|failure| {
        Report::usage(failure.message, "name another model with --model, or add it to llm.models")
            .called("no_model")
    })?;
    let is_usual = configuration.is_none_or(|configuration| configuration.llm.is_none());
    let variable = dialects::of(place.dialect).key_variable();
    if let Some(variable) = variable.filter(|_| is_usual && !place.has_key) {
        let what = format!("there is no key for {}, where \"{model}\" is asked", place.upstream);
        let fix = format!("set {variable}, or write {EXAMPLE} in toolwright.json");
        return Err(Report::usage(what, fix).called("key"));
    }
    Ok(())
}

/// No model can be asked at all.
fn no_models(what: &str) -> Report {
    Report::usage(what, format!("write {EXAMPLE} in toolwright.json")).called("no_model")
}

/// What to write when the local model does not answer that nobody has configured.
pub fn fix_for_unreachable(configuration: Option<&Configuration>) -> Option<String> {
    let is_usual = configuration.is_none_or(|configuration| configuration.llm.is_none());
    is_usual.then(|| {
        format!("start Ollama, set ANTHROPIC_API_KEY or OPENAI_API_KEY and name a model of theirs, or write {EXAMPLE} in toolwright.json")
    })
}
