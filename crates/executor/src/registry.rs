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

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use arc_swap::ArcSwap;
use serde_json::value::RawValue;
use tokio::sync::watch;
use toolwright_base::IgnorePoison;
use toolwright_model::ToolDefinition;

use crate::ToolFunction;

pub use check::{MAX_NAME_BYTES, Place, RegistrationError};
pub use entry::{BUILT_IN, FILES_SERVER, RegisteredTool, UNNAMED_SERVER};
pub use formats::Format;
pub use parameters::{Need, Parameter};
pub use snapshot::Snapshot;

/// How many names that several tools share are logged one by one for one change.
const MAX_WARNINGS: usize = 20;

/// Every tool that can be called.
#[derive(Debug)]
pub struct ToolRegistry {
    current: ArcSwap<Snapshot>,
    /// Held while the next snapshot is built.
    writer: Mutex<()>,
    /// How many definitions were checked.
    checks: AtomicU64,
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
            checks: AtomicU64::new(0),
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
        let tool = self.check(definition, function)?;
        let mut registered = self.add(vec![tool]);
        // `add` answers once for each tool.
        Ok(registered.swap_remove(0))
    }

    /// Registers many tools as one change. One that is not in order keeps none of the others out.
    pub fn register_all(
        &self,
        tools: impl IntoIterator<Item = (ToolDefinition, Arc<dyn ToolFunction>)>,
    ) -> Vec<Result<Registered, RegistrationError>> {
        let checked: Vec<Result<RegisteredTool, RegistrationError>> =
            tools.into_iter().map(|(definition, function)| self.check(definition, function)).collect();
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
    /// none of the others out; calls that run are counted on. A definition that the server had before is not checked
    /// again.
    pub fn replace_server(
        &self,
        server: &str,
        tools: impl IntoIterator<Item = (ToolDefinition, Arc<dyn ToolFunction>)>,
    ) -> Vec<RegistrationError> {
        let before = self.snapshot();
        let earlier: HashMap<&str, &Arc<RegisteredTool>> = before.of_server(server).collect();
        let (mut added, mut errors) = (Vec::new(), Vec::new());
        let (mut names, mut twice) = (HashSet::new(), 0u64);
        for (definition, function) in tools {
            let definition = ToolDefinition { server: Some(server.to_owned()), ..definition };
            let known = earlier.get(definition.name.as_str());
            let tool = match known.filter(|known| *known.definition() == definition) {
                Some(known) => Ok(known.with_function(function)),
                None => self.check(definition, function),
            };
            match tool {
                // The first of two that have one name is the one that is listed first everywhere.
                Ok(tool) if !names.insert(tool.name().to_owned()) => twice += 1,
                Ok(tool) => added.push(tool),
                Err(error) => errors.push(error),
            }
        }
        if twice > 0 {
            tracing::warn!(server, count = twice, "the server lists tools twice; the first of each counts");
        }
        let _turn = self.writer.lock().ignore_poison();
        let before = self.snapshot();
        // Others may have registered the same server meanwhile: calls are counted with those that run now.
        let earlier: HashMap<&str, &Arc<RegisteredTool>> = before.of_server(server).collect();
        let added = added.into_iter().map(|tool| match earlier.get(tool.name()) {
            Some(known) => Arc::new(tool.in_place_of(known)),
            None => Arc::new(tool),
        });
        let mut tools = before.tools().to_vec();
        let place = tools.iter().position(|tool| tool.server() == Some(server)).unwrap_or(tools.len());
        tools.retain(|tool| tool.server() != Some(server));
        tools.splice(place..place, added);
        let snapshot = self.publish(tools);
        let new = snapshot.of_server(server).filter(|(name, _)| !earlier.contains_key(name));
        warn_of_sharing(&snapshot, new.map(|(_, tool)| &**tool));
        errors
    }

    /// Takes away every tool of a server, and says how many there were.
    pub fn remove_server(&self, server: &str) -> usize {
        let _turn = self.writer.lock().ignore_poison();
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

    /// How many definitions were checked and compiled since the start. A definition that its server lists again is not.
    pub fn checks(&self) -> u64 {
        self.checks.load(Ordering::Relaxed)
    }

    fn check(
        &self,
        definition: ToolDefinition,
        function: Arc<dyn ToolFunction>,
    ) -> Result<RegisteredTool, RegistrationError> {
        self.checks.fetch_add(1, Ordering::Relaxed);
        RegisteredTool::new(definition, function)
    }

    fn add(&self, added: Vec<RegisteredTool>) -> Vec<Registered> {
        if added.is_empty() {
            return Vec::new();
        }
        let _turn = self.writer.lock().ignore_poison();
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
        let new = places.iter().filter(|(_, replaced)| *replaced == Replaced::Nothing);
        warn_of_sharing(&snapshot, new.map(|(index, _)| &*snapshot.tools()[*index]));
        let registered = |(index, replaced): (usize, Replaced)| {
            let tool = &snapshot.tools()[index];
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
fn warn_of_sharing<'t>(snapshot: &Snapshot, new: impl Iterator<Item = &'t RegisteredTool>) {
    let mut sharing: HashMap<&str, Vec<&str>> = new.map(|tool| (tool.name(), Vec::new())).collect();
    for tool in snapshot.tools() {
        if let Some(sharing) = sharing.get_mut(tool.name()) {
            sharing.push(tool.qualified_name());
        }
    }
    sharing.retain(|_, sharing| sharing.len() > 1);
    let mut sharing: Vec<(&str, Vec<&str>)> = sharing.into_iter().collect();
    sharing.sort_unstable();
    for (tool, sharing) in sharing.iter().take(MAX_WARNINGS) {
        tracing::warn!(
            tool,
            "several tools are called {tool}: each must be called with its server: {}",
            sharing.join(", ")
        );
    }
    if sharing.len() > MAX_WARNINGS {
        let more = sharing.len() - MAX_WARNINGS;
        tracing::warn!("{more} more names are those of several tools, each to be called with its server");
    }
}
