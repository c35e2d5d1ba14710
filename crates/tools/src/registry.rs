//! The one place that knows every tool.
//!
//! Readers take no lock: they see one immutable [`Snapshot`]. Writers take turns, build the next snapshot
//! and swap it in. Tools of different servers never shadow each other: a name that several have is called
//! with its server, `server/name`.

mod check;
mod entry;
mod formats;
mod parameters;
mod snapshot;
mod wire_name;

use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;
use serde_json::value::RawValue;
use tokio::sync::watch;
use toolwright_model::ToolDefinition;

use crate::ToolFunction;

pub use check::{MAX_NAME_BYTES, Place, RegistrationError};
pub use entry::{BUILT_IN, RegisteredTool, UNNAMED_SERVER};
pub use formats::Format;
pub use parameters::{Need, Parameter};
pub use snapshot::Snapshot;

/// Every tool that can be called.
#[derive(Debug)]
pub struct ToolRegistry {
    current: ArcSwap<Snapshot>,
    /// Held while the next snapshot is built.
    writer: Mutex<()>,
    generation: watch::Sender<u64>,
}

/// What became of a registration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registered {
    /// The name that always finds the tool: `server/name`.
    pub qualified_name: String,
    /// The shortest name that finds it now.
    pub callable_as: String,
    /// Whether a tool of the same name and source was there before.
    pub replaced: Replaced,
}

/// Whether a registration took the place of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replaced {
    /// It is a new tool.
    Nothing,
    /// It took the place of an earlier registration.
    Earlier,
}

impl Default for ToolRegistry {
    fn default() -> Self {
        Self::new()
    }
}

impl ToolRegistry {
    /// A registry without tools.
    pub fn new() -> Self {
        ToolRegistry {
            current: ArcSwap::from_pointee(Snapshot::default()),
            writer: Mutex::new(()),
            generation: watch::Sender::new(0),
        }
    }

    /// Checks a definition and makes the tool callable. A tool of the same name from the same source is
    /// overwritten, with a warning; one from another source stays beside it.
    pub fn register(
        &self,
        definition: ToolDefinition,
        function: Arc<dyn ToolFunction>,
    ) -> Result<Registered, RegistrationError> {
        let tool = RegisteredTool::new(definition, function)?;
        let mut registered = self.add(vec![tool]);
        // `add` answers once for each tool.
        Ok(registered.swap_remove(0))
    }

    /// Registers many tools as one change. One that is not in order keeps none of the others out.
    pub fn register_all(
        &self,
        tools: impl IntoIterator<Item = (ToolDefinition, Arc<dyn ToolFunction>)>,
    ) -> Vec<Result<Registered, RegistrationError>> {
        let checked: Vec<Result<RegisteredTool, RegistrationError>> = tools
            .into_iter()
            .map(|(definition, function)| RegisteredTool::new(definition, function))
            .collect();
        let mut errors = Vec::with_capacity(checked.len());
        let mut tools = Vec::with_capacity(checked.len());
        for tool in checked {
            errors.push(match tool {
                Ok(tool) => {
                    tools.push(tool);
                    None
                }
                Err(error) => Some(error),
            });
        }
        let mut registered = self.add(tools).into_iter();
        errors.into_iter().filter_map(|error| error.map(Err).or_else(|| registered.next().map(Ok))).collect()
    }

    /// Puts these tools in the place of all that the server had, as one change. One that is not in order keeps
    /// none of the others out; calls that run are counted on.
    pub fn replace_server(
        &self,
        server: &str,
        tools: impl IntoIterator<Item = (ToolDefinition, Arc<dyn ToolFunction>)>,
    ) -> Vec<RegistrationError> {
        let mut errors = Vec::new();
        let mut added: Vec<RegisteredTool> = Vec::new();
        for (definition, function) in tools {
            let definition = ToolDefinition { server: Some(server.to_owned()), ..definition };
            match RegisteredTool::new(definition, function) {
                // The first of two that have one name is the one that is listed first everywhere.
                Ok(tool) if added.iter().any(|known| known.name() == tool.name()) => {
                    tracing::warn!(tool = tool.name(), server, "the server lists a tool twice");
                }
                Ok(tool) => added.push(tool),
                Err(error) => errors.push(error),
            }
        }
        let _turn = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let mut tools = self.current.load().tools().to_vec();
        let place = tools.iter().position(|tool| tool.server() == Some(server)).unwrap_or(tools.len());
        let (earlier, others): (Vec<_>, Vec<_>) =
            tools.drain(..).partition(|tool| tool.server() == Some(server));
        tools = others;
        let mut replacing = Vec::with_capacity(added.len());
        for tool in added {
            let same = earlier.iter().find(|known| known.name() == tool.name());
            replacing.push(Arc::new(match same {
                Some(known) => tool.in_place_of(known),
                None => tool,
            }));
        }
        tools.splice(place..place, replacing);
        let snapshot = self.publish(tools);
        for tool in snapshot.tools().iter().filter(|tool| tool.server() == Some(server)) {
            if !earlier.iter().any(|known| known.name() == tool.name()) {
                warn_of_sharing(&snapshot, tool);
            }
        }
        errors
    }

    /// Takes away every tool of a server, and says how many there were.
    pub fn remove_server(&self, server: &str) -> usize {
        let _turn = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let mut tools = self.current.load().tools().to_vec();
        let before = tools.len();
        tools.retain(|tool| tool.server() != Some(server));
        let removed = before - tools.len();
        if removed > 0 {
            self.publish(tools);
        }
        removed
    }

    /// The tool of this exact name: the qualified one, the bare one while only one tool has it, or the
    /// form in which a vendor's API was told of it.
    pub fn get(&self, name: &str) -> Option<Arc<RegisteredTool>> {
        self.current.load().get(name).cloned()
    }

    /// Every tool as of now, in the order of registration.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.current.load_full()
    }

    /// The definitions for a model or a client: a JSON array in which every schema keeps its own text.
    pub fn definitions(&self, format: Format) -> Box<RawValue> {
        self.current.load().definitions(format)
    }

    /// Tells of changes: the value is the generation of the snapshot.
    pub fn subscribe(&self) -> watch::Receiver<u64> {
        self.generation.subscribe()
    }

    fn add(&self, added: Vec<RegisteredTool>) -> Vec<Registered> {
        if added.is_empty() {
            return Vec::new();
        }
        let _turn = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let mut tools = self.current.load().tools().to_vec();
        let mut places = Vec::with_capacity(added.len());
        for tool in added {
            let same = tools.iter().position(|known| known.qualified_name() == tool.qualified_name());
            places.push(match same {
                Some(index) => {
                    warn_of_overwriting(&tool);
                    tools[index] = Arc::new(tool.in_place_of(&tools[index]));
                    (index, Replaced::Earlier)
                }
                None => {
                    tools.push(Arc::new(tool));
                    (tools.len() - 1, Replaced::Nothing)
                }
            });
        }
        let snapshot = self.publish(tools);
        let registered = |(index, replaced): (usize, Replaced)| {
            let tool = &snapshot.tools()[index];
            if replaced == Replaced::Nothing {
                warn_of_sharing(&snapshot, tool);
            }
            Registered {
                qualified_name: tool.qualified_name().to_owned(),
                callable_as: snapshot.callable_as(index).to_owned(),
                replaced,
            }
        };
        places.into_iter().map(registered).collect()
    }

    /// Swaps the next snapshot in and tells of it. Only the holder of the writer's lock calls this.
    fn publish(&self, tools: Vec<Arc<RegisteredTool>>) -> Arc<Snapshot> {
        let generation = self.current.load().generation() + 1;
        let snapshot = Arc::new(Snapshot::new(tools, generation));
        self.current.store(Arc::clone(&snapshot));
        self.generation.send_replace(generation);
        snapshot
    }
}

fn warn_of_overwriting(tool: &RegisteredTool) {
    tracing::warn!(tool = tool.name(), origin = tool.source(), "Overwriting existing tool: {}", tool.name());
}

/// Two sources offer one name: neither is hidden, but the bare name means neither any more.
fn warn_of_sharing(snapshot: &Snapshot, tool: &RegisteredTool) {
    let sharing: Vec<&str> = snapshot
        .tools()
        .iter()
        .filter(|other| other.name() == tool.name())
        .map(|other| other.qualified_name())
        .collect();
    if sharing.len() > 1 {
        tracing::warn!(
            tool = tool.name(),
            "several tools are called {}: each must be called with its server: {}",
            tool.name(),
            sharing.join(", ")
        );
    }
}
