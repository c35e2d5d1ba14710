//! The tools as of one moment, and which name finds which.

use std::collections::HashMap;
use std::sync::Arc;

use super::entry::RegisteredTool;
use super::wire_name::{marked, wire_name};

/// The tools as of one moment. It never changes.
#[derive(Debug, Default)]
pub struct Snapshot {
    tools: Vec<Arc<RegisteredTool>>,
    names: Vec<Names>,
    by_name: HashMap<String, usize>,
    generation: u64,
}

/// What one tool is called.
#[derive(Debug)]
struct Names {
    callable: String,
    wire: String,
}

impl Snapshot {
    pub(super) fn new(tools: Vec<Arc<RegisteredTool>>, generation: u64) -> Self {
        // In this order: a qualified name always finds its tool, whatever another tool is called.
        let mut by_name: HashMap<String, usize> = HashMap::with_capacity(tools.len() * 2);
        let mut bare: HashMap<&str, usize> = HashMap::with_capacity(tools.len());
        for (index, tool) in tools.iter().enumerate() {
            by_name.insert(tool.qualified_name().to_owned(), index);
            *bare.entry(tool.name()).or_default() += 1;
        }
        for (index, tool) in tools.iter().enumerate().filter(|(_, tool)| bare[tool.name()] == 1) {
            by_name.entry(tool.name().to_owned()).or_insert(index);
        }
        let mut names = Vec::with_capacity(tools.len());
        for (index, tool) in tools.iter().enumerate() {
            let finds_it = by_name.get(tool.name()) == Some(&index);
            let callable = if finds_it { tool.name() } else { tool.qualified_name() };
            let mut wire = wire_name(callable, tool.qualified_name());
            if by_name.get(&wire).is_some_and(|taken| *taken != index) {
                wire = marked(&wire, tool.qualified_name());
            }
            by_name.entry(wire.clone()).or_insert(index);
            names.push(Names { callable: callable.to_owned(), wire });
        }
        Snapshot { tools, names, by_name, generation }
    }

    /// The tools, in the order of registration.
    pub fn tools(&self) -> &[Arc<RegisteredTool>] {
        &self.tools
    }

    /// The tools of a server by their names, in the order of registration.
    pub(super) fn of_server<'s>(
        &'s self,
        server: &'s str,
    ) -> impl Iterator<Item = (&'s str, &'s Arc<RegisteredTool>)> {
        let tools = self.tools.iter().filter(move |tool| tool.server() == Some(server));
        tools.map(|tool| (tool.name(), tool))
    }

    /// How many changes came before.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The tool of this exact name, see [`ToolRegistry::get`](super::ToolRegistry::get).
    pub fn get(&self, name: &str) -> Option<&Arc<RegisteredTool>> {
        self.by_name.get(name).map(|index| &self.tools[*index])
    }

    /// The shortest name of each tool that finds it, in the order of registration.
    pub fn callable_names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|names| names.callable.as_str())
    }

    /// The tools with the names that models' APIs take, in the order of registration. A call by such a name finds its
    /// tool.
    pub fn wire_names(&self) -> impl Iterator<Item = (&str, &Arc<RegisteredTool>)> {
        self.names.iter().map(|names| names.wire.as_str()).zip(&self.tools)
    }

    pub(super) fn callable_as(&self, index: usize) -> &str {
        &self.names[index].callable
    }

    pub(super) fn wire_name(&self, index: usize) -> &str {
        &self.names[index].wire
    }
}
