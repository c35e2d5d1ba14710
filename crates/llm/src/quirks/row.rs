//! One row of a dialect's quirks.

use crate::models::glob;
use crate::{Dialect, IdRule, ReasoningField, SchemaRule, Target, Thinks};

/// One row of the table: who it is about, what is different, and why.
#[derive(Debug)]
pub struct Quirk {
    /// Patterns of hosts; none are all.
    pub(crate) hosts: &'static [&'static str],
    /// Patterns of models; none are all.
    pub(crate) models: &'static [&'static str],
    pub(crate) takes: &'static [Takes],
    pub(crate) why: &'static str,
}

/// A difference.
#[derive(Clone, Copy, Debug)]
pub enum Takes {
    NameChars(usize),
    MostTools(usize),
    Ids(IdRule),
    Schemas(SchemaRule),
    MaxCompletionTokens(bool),
    Temperature(bool),
    TemperatureWithTopP(bool),
    EffortWithTools(bool),
    Thinking(bool),
    TopK(bool),
    MostStops(usize),
    Reasoning(ReasoningField),
    InlineSystem(bool),
    Neighbours(bool),
    UserAfterResults(bool),
    /// The model is served better in this dialect.
    Better(Dialect),
}

impl Takes {
    pub(super) fn apply(self, target: &mut Target) {
        match self {
            Takes::NameChars(most) => target.name_chars = most,
            Takes::MostTools(most) => target.most_tools = Some(most),
            Takes::Ids(rule) => target.ids = rule,
            Takes::Schemas(rule) => target.schemas = rule,
            Takes::MaxCompletionTokens(is_so) => target.max_completion_tokens = is_so,
            Takes::Temperature(is_so) => target.takes_temperature = is_so,
            Takes::TemperatureWithTopP(is_so) => target.takes_temperature_with_top_p = is_so,
            Takes::EffortWithTools(is_so) => target.takes_effort_with_tools = is_so,
            Takes::Thinking(is_so) => target.thinks = thinks(is_so),
            Takes::TopK(is_so) => target.takes_top_k = is_so,
            Takes::MostStops(most) => target.most_stop_sequences = Some(most),
            Takes::Reasoning(field) => target.reasoning = field,
            Takes::InlineSystem(is_so) => target.takes_inline_system = is_so,
            Takes::Neighbours(is_so) => target.takes_neighbours = is_so,
            Takes::UserAfterResults(is_so) => target.takes_user_after_results = is_so,
            Takes::Better(_) => {}
        }
    }
}

pub(super) fn thinks(is_so: bool) -> Thinks {
    if is_so { Thinks::Yes } else { Thinks::No }
}

impl Quirk {
    pub(super) fn is_about(&self, host: &str, model: &str) -> bool {
        let takes =
            |patterns: &[&str], text| patterns.is_empty() || patterns.iter().any(|one| glob(one, text));
        takes(self.hosts, host) && takes(self.models, model)
    }
}
