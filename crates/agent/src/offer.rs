//! Selection of the tools for the model.

use toolwright_config::ToolFilters;
use toolwright_executor::registry::Snapshot;
use toolwright_executor::{RegisteredTool, ToolExecutor};
use toolwright_jsonrpc::Json;
use toolwright_llm::form::Tool;

/// The tools that a model may call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Offer {
    /// All registered tools.
    #[default]
    All,
    /// None.
    Nothing,
    /// Those that pass these filters: names and patterns, matched against `name` and `server/name`, and
    /// exclusions with a `!`.
    Some(ToolFilters),
}

impl Offer {
    /// Tools that match these names and patterns.
    pub fn of<T: AsRef<str>>(list: &[T]) -> Offer {
        let list: Vec<String> = list.iter().map(|entry| entry.as_ref().to_owned()).collect();
        Offer::Some(ToolFilters::new(&list))
    }

    /// Whether a tool may be called.
    pub fn takes(&self, tool: &RegisteredTool) -> bool {
        match self {
            Offer::All => true,
            Offer::Nothing => false,
            Offer::Some(filters) => filters.allows_either(tool.name(), tool.qualified_name()),
        }
    }

    /// The intersection of both.
    pub(crate) fn and(&self, other: &Offer) -> Offer {
        match (self, other) {
            (Offer::Nothing, _) | (_, Offer::Nothing) => Offer::Nothing,
            (Offer::All, offer) | (offer, Offer::All) => offer.clone(),
            (Offer::Some(mine), Offer::Some(theirs)) => Offer::Some(mine.clone().and(theirs.clone())),
        }
    }

    /// The tool definitions for a model.
    pub(crate) fn tools(&self, tools: &Snapshot) -> Vec<Tool> {
        let offered = tools.wire_names().filter(|(_, tool)| self.takes(tool));
        offered
            .map(|(name, tool)| Tool {
                name: name.to_owned(),
                description: Some(tool.definition().description.clone()),
                schema: Json::parse(tool.input_schema()).ok(),
                strict: None,
                extra: Vec::new(),
            })
            .collect()
    }

    /// The name under which the model sees a tool.
    pub(crate) fn wire_name(&self, executor: &ToolExecutor, name: &str) -> Option<String> {
        let found = executor.find(name).ok()?.tool;
        let tools = executor.registry().snapshot();
        let mut named = tools.wire_names();
        let wire = named.find(|(_, tool)| tool.qualified_name() == found.qualified_name());
        wire.filter(|(_, tool)| self.takes(tool)).map(|(name, _)| name.to_owned())
    }
}
