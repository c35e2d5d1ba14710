//! What upstreams and models take that their dialect does not say: the rows of each dialect, and the configuration's word
//! over them.

mod row;
pub(crate) mod shared;

use crate::{Dialect, IdRule, ReasoningField, SchemaRule, Target, dialects};
use row::thinks;

pub(crate) use row::{Quirk, Takes};

/// What a model at an upstream takes: the dialect's documentation, then every row of the table that is about it. Later
/// rows win.
pub fn target(dialect: Dialect, url_host: &str, model: &str) -> Target {
    let mut target = Target::new(dialect, model);
    for quirk in rows(dialect, url_host, model) {
        quirk.takes.iter().for_each(|takes| takes.apply(&mut target));
    }
    target
}

/// Why a model at an upstream is spoken to as it is, in the words of the table.
pub fn reasons(dialect: Dialect, url_host: &str, model: &str) -> Vec<&'static str> {
    rows(dialect, url_host, model).map(|quirk| quirk.why).collect()
}

/// A dialect that serves a model better than the one that is configured, and why.
pub fn better_dialect(dialect: Dialect, url_host: &str, model: &str) -> Option<(Dialect, &'static str)> {
    rows(dialect, url_host, model).find_map(|quirk| match quirk.takes {
        [.., Takes::Better(better)] => Some((*better, quirk.why)),
        _ => None,
    })
}

fn rows(dialect: Dialect, host: &str, model: &str) -> impl Iterator<Item = &'static Quirk> {
    let (host, model) = (host.to_ascii_lowercase(), model.to_ascii_lowercase());
    dialects::of(dialect).quirks().iter().filter(move |quirk| quirk.is_about(&host, &model))
}

/// What the configuration says of an upstream or a model. It wins over the table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// The longest name of a tool.
    pub name_chars: Option<usize>,
    /// The most tools.
    pub most_tools: Option<usize>,
    /// Which ids of calls are taken.
    pub ids: Option<IdRule>,
    /// Which schemas of tools are taken.
    pub schemas: Option<SchemaRule>,
    /// Chat: the length limit is `max_completion_tokens`.
    pub max_completion_tokens: Option<bool>,
    /// Whether `temperature` and `top_p` are taken.
    pub takes_temperature: Option<bool>,
    /// Whether both are taken together.
    pub takes_temperature_with_top_p: Option<bool>,
    /// Chat: whether tools are taken while the model thinks.
    pub takes_effort_with_tools: Option<bool>,
    /// Whether the parameter that asks a model to think is taken.
    pub takes_thinking: Option<bool>,
    /// Whether `top_k` is taken.
    pub takes_top_k: Option<bool>,
    /// The most stop sequences.
    pub most_stop_sequences: Option<usize>,
    /// Whether system messages may stand between others.
    pub takes_inline_system: Option<bool>,
    /// Chat: the field that thoughts have in messages.
    pub reasoning: Option<ReasoningField>,
    /// Whether calls that are written as text are looked for.
    pub reads_text_calls: Option<bool>,
    /// The length limit where the client gave none and the upstream wants one.
    pub default_max_tokens: Option<u64>,
}

impl Overrides {
    /// Changes a target as the configuration says.
    pub fn apply(&self, target: &mut Target) {
        fn set<T: Clone>(field: &mut T, value: &Option<T>) {
            if let Some(value) = value {
                field.clone_from(value);
            }
        }
        set(&mut target.name_chars, &self.name_chars);
        set(&mut target.ids, &self.ids);
        set(&mut target.schemas, &self.schemas);
        set(&mut target.max_completion_tokens, &self.max_completion_tokens);
        set(&mut target.takes_temperature, &self.takes_temperature);
        set(&mut target.takes_temperature_with_top_p, &self.takes_temperature_with_top_p);
        set(&mut target.takes_effort_with_tools, &self.takes_effort_with_tools);
        set(&mut target.thinks, &self.takes_thinking.map(thinks));
        set(&mut target.takes_top_k, &self.takes_top_k);
        set(&mut target.takes_inline_system, &self.takes_inline_system);
        set(&mut target.reasoning, &self.reasoning);
        set(&mut target.reads_text_calls, &self.reads_text_calls);
        set(&mut target.default_max_tokens, &self.default_max_tokens);
        target.most_tools = self.most_tools.or(target.most_tools);
        target.most_stop_sequences = self.most_stop_sequences.or(target.most_stop_sequences);
    }
}

#[cfg(test)]
mod tests;
