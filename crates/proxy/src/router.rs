//! Which upstream a model is asked at.

use std::collections::BTreeMap;
use std::sync::Arc;

use toolwright_config::{LlmSettings, ReasoningQuirk, SchemaQuirk, UpstreamSettings};
use toolwright_llm::models::{Destination, ModelPattern, ModelTable};
use toolwright_llm::quirks::Overrides;
use toolwright_llm::{Failure, FailureKind, ReasoningField, SchemaRule};

use crate::upstream::{Shared, Upstream};

/// The model that the client named.
const AS_ASKED: &str = "*";

/// An upstream that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the upstream \"{upstream}\" cannot be used: {reason}")]
pub struct UpstreamError {
    /// Its name.
    pub upstream: String,
    /// Why.
    pub reason: String,
}

/// The upstreams, and the models that lead to them.
pub(crate) struct Router {
    upstreams: BTreeMap<String, Shared>,
    table: ModelTable,
    /// How often the upstream is asked again.
    pub reask: u32,
    /// Whether requests and answers are written down.
    pub keeps_bodies: bool,
}

/// One place where a model can be asked.
pub(crate) struct Way {
    pub upstream: Shared,
    /// The model, as it is called there.
    pub model: String,
}

impl Router {
    pub fn new(settings: &LlmSettings) -> Result<Router, UpstreamError> {
        let mut upstreams = BTreeMap::new();
        for upstream in &settings.upstreams {
            upstreams.insert(upstream.name.clone(), Arc::new(Upstream::new(upstream)?));
        }
        let mut table = ModelTable::default();
        for route in &settings.models {
            let Ok(pattern) = ModelPattern::new(&route.pattern) else { continue };
            let destinations = route.destinations.iter().map(|destination| {
                Destination::new(&destination.upstream, destination.model.as_deref().unwrap_or(AS_ASKED))
            });
            table.add(pattern, destinations.collect());
        }
        Ok(Router { upstreams, table, reask: settings.reask, keeps_bodies: settings.keeps_bodies })
    }

    pub fn upstreams(&self) -> impl Iterator<Item = &Shared> {
        self.upstreams.values()
    }

    /// Where this model can be asked: the first place, then those to fall back on.
    pub fn ways(&self, model: &str) -> Result<Vec<Way>, Failure> {
        let destinations = self.table.route(model).unwrap_or_default();
        let ways: Vec<Way> = destinations
            .iter()
            .filter_map(|destination| {
                let upstream = Arc::clone(self.upstreams.get(&destination.upstream)?);
                Some(Way { upstream, model: destination.model_for(model) })
            })
            .collect();
        if let ([], Some(missing)) = (ways.as_slice(), destinations.first()) {
            let what = format!(
                "the model \"{model}\" leads to the upstream \"{name}\", which was left out; mend llm.upstreams.{name} in the configuration",
                name = missing.upstream
            );
            return Err(Failure::new(FailureKind::NotFound, what).about("model"));
        }
        if ways.is_empty() {
            let what = format!(
                "no upstream is configured for the model \"{model}\"; add it to llm.models in the configuration, such as \"*\": \"{}/*\"",
                self.upstreams.keys().next().map_or("UPSTREAM", String::as_str)
            );
            return Err(Failure::new(FailureKind::NotFound, what).about("model"));
        }
        Ok(ways)
    }

    /// The models that are named without a pattern.
    pub fn named_models(&self) -> Vec<String> {
        self.table.named().map(str::to_owned).collect()
    }
}

/// What the configuration says of an upstream's quirks.
pub(crate) fn overrides(settings: &UpstreamSettings) -> Overrides {
    let quirks = &settings.quirks;
    Overrides {
        max_completion_tokens: quirks.max_completion_tokens,
        takes_temperature: quirks.temperature,
        takes_top_k: quirks.top_k,
        name_chars: quirks.name_chars,
        schemas: quirks.schemas.map(|schemas| match schemas {
            SchemaQuirk::Any => SchemaRule::Any,
            SchemaQuirk::Object => SchemaRule::ObjectWithProperties,
            SchemaQuirk::Gemini => SchemaRule::Gemini,
            SchemaQuirk::Ollama => SchemaRule::Ollama,
        }),
        reasoning: quirks.reasoning.map(|field| match field {
            ReasoningQuirk::None => ReasoningField::None,
            ReasoningQuirk::ReasoningContent => ReasoningField::ReasoningContent,
            ReasoningQuirk::Reasoning => ReasoningField::Reasoning,
        }),
        takes_thinking: quirks.think,
        takes_inline_system: quirks.inline_system,
        default_max_tokens: quirks.max_tokens,
        reads_text_calls: settings.reads_text_calls,
        ..Overrides::default()
    }
}
