//! The tools of requests, compiled once.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use toolwright_base::IgnorePoison;
use toolwright_jsonrpc::Json;
use toolwright_model::ToolDefinition;
use toolwright_normalizer as normalizer;

use super::mender::Named;
use crate::form;

/// So many tools, and about so many bytes of their schemas, are kept: twice at most.
const KEPT_TOOLS: usize = 2048;
const KEPT_BYTES: usize = 16 << 20;

/// How many names of tools the wrong names of one request are compared with, all together.
const MAX_COMPARISONS: usize = 100_000;
/// So many different wrong names are looked up in any case.
const MIN_LOOKUPS: usize = 16;

/// A tool by everything that its calls are judged by.
type Key = (String, Option<Json>);

/// Compiled tools by the text of their definitions. Shared by all exchanges; what is not used for long is forgotten.
#[derive(Debug, Default)]
pub struct ToolCache {
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    /// Those that were used since the last change of generations.
    young: HashMap<Key, Arc<KnownTool>>,
    young_bytes: usize,
    /// Those that were not, and are forgotten with the next.
    old: HashMap<Key, Arc<KnownTool>>,
}

/// The tools of one request.
#[derive(Debug, Default)]
pub struct Toolset {
    tools: Vec<Arc<KnownTool>>,
    /// The first tool of each name.
    by_name: HashMap<String, usize>,
    /// The names that are no tool's as they are, and what they were found to stand for.
    looked_up: Mutex<HashMap<String, Named>>,
}

/// A tool, or why its calls cannot be judged.
#[derive(Debug)]
pub(super) struct KnownTool {
    name: String,
    compiled: Result<Arc<normalizer::Tool>, String>,
    was_told: AtomicBool,
}

impl ToolCache {
    /// The tools of a request. Those that were seen before are not read again.
    pub fn toolset(&self, tools: &[form::Tool]) -> Arc<Toolset> {
        let tools: Vec<Arc<KnownTool>> = tools.iter().map(|tool| self.tool(tool)).collect();
        let mut by_name = HashMap::with_capacity(tools.len());
        for (index, tool) in tools.iter().enumerate() {
            by_name.entry(tool.name.clone()).or_insert(index);
        }
        Arc::new(Toolset { tools, by_name, looked_up: Mutex::default() })
    }

    fn tool(&self, tool: &form::Tool) -> Arc<KnownTool> {
        let key = (tool.name.clone(), tool.schema.clone());
        if let Some(known) = self.lock().get(&key) {
            return known;
        }
        // Others may compile theirs meanwhile.
        let known = Arc::new(KnownTool::compile(tool));
        self.lock().insert(key, known.clone());
        known
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.kept.lock().ignore_poison()
    }
}

impl Kept {
    fn get(&mut self, key: &Key) -> Option<Arc<KnownTool>> {
        if let Some(known) = self.young.get(key) {
            return Some(known.clone());
        }
        let (key, known) = self.old.remove_entry(key)?;
        self.insert(key, known.clone());
        Some(known)
    }

    fn insert(&mut self, key: Key, known: Arc<KnownTool>) {
        let bytes = key.0.len() + key.1.as_ref().map_or(0, |schema| schema.as_str().len());
        if self.young.len() >= KEPT_TOOLS || self.young_bytes + bytes > KEPT_BYTES {
            self.old = std::mem::take(&mut self.young);
            self.young_bytes = 0;
        }
        self.young_bytes += bytes;
        self.young.insert(key, known);
    }
}

impl Toolset {
    /// The tools by their names, for the search of one.
    pub(super) fn names(&self) -> Vec<normalizer::NamedTool<'_>> {
        self.tools.iter().map(|tool| normalizer::NamedTool::new(&tool.name, None)).collect()
    }

    /// What a name stands for that is no tool's as it is: found once, by `find`. `None` when so many different names were
    /// looked up for this request that looking on would keep others waiting.
    pub(super) fn looked_up(&self, sent: &str, find: impl FnOnce() -> Named) -> Option<Named> {
        let mut looked_up = self.looked_up.lock().ignore_poison();
        if let Some(named) = looked_up.get(sent) {
            return Some(named.clone());
        }
        let allowed = (MAX_COMPARISONS / self.tools.len().max(1)).max(MIN_LOOKUPS);
        if looked_up.len() >= allowed {
            return None;
        }
        let named = find();
        looked_up.insert(sent.to_owned(), named.clone());
        Some(named)
    }

    /// The place of the tool of exactly this name.
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    pub(super) fn tool(&self, index: usize) -> Option<&KnownTool> {
        self.tools.get(index).map(|tool| &**tool)
    }
}

impl KnownTool {
    fn compile(tool: &form::Tool) -> KnownTool {
        let definition = ToolDefinition {
            name: tool.name.clone(),
            description: tool.description.clone().unwrap_or_default(),
            input_schema: tool.schema.as_ref().map(|schema| schema.as_str().to_owned()).unwrap_or_default(),
            ..ToolDefinition::default()
        };
        let compiled =
            normalizer::Tool::compile(&definition).map(Arc::new).map_err(|error| error.to_string());
        KnownTool { name: tool.name.clone(), compiled, was_told: AtomicBool::new(false) }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The tool, when its schema can be judged by.
    pub(super) fn judged(&self) -> Option<&Arc<normalizer::Tool>> {
        self.compiled.as_ref().ok()
    }

    /// Why its calls are not judged; told once.
    pub(super) fn tell_problem(&self) -> Option<String> {
        let problem = self.compiled.as_ref().err()?;
        let is_new = !self.was_told.swap(true, Ordering::Relaxed);
        is_new.then(|| {
            format!(
                "the schema of the tool \"{}\" cannot be read: {problem}; its calls are not judged",
                self.name
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, schema: &str) -> form::Tool {
        let schema = Some(Json::parse(schema).expect("JSON"));
        form::Tool { name: name.into(), description: None, schema, strict: None, extra: Vec::new() }
    }

    #[test]
    fn the_same_definition_is_compiled_once_and_another_again() {
        let cache = ToolCache::default();
        let one = cache.toolset(&[tool("a", r#"{"type":"object"}"#)]);
        let again = cache.toolset(&[tool("a", r#"{"type":"object"}"#), tool("a", r#"{"type":"object" }"#)]);
        assert!(Arc::ptr_eq(&one.tools[0], &again.tools[0]));
        assert!(!Arc::ptr_eq(&one.tools[0], &again.tools[1]));
        assert_eq!(again.position("a"), Some(0));
        assert_eq!(again.position("b"), None);
    }

    #[test]
    fn a_schema_that_cannot_be_read_is_told_once() {
        let cache = ToolCache::default();
        let set = cache.toolset(&[tool("a", "[1]")]);
        assert!(set.tools[0].judged().is_none());
        assert!(set.tools[0].tell_problem().is_some_and(|problem| problem.contains("\"a\"")));
        assert_eq!(set.tools[0].tell_problem(), None);
        assert!(cache.toolset(&[form::Tool { schema: None, ..tool("a", "{}") }]).tools[0].judged().is_some());
    }

    #[test]
    fn what_is_not_used_is_forgotten_and_what_is_used_stays() {
        let cache = ToolCache::default();
        let kept = cache.toolset(&[tool("kept", "{}")]);
        for number in 0..3 * KEPT_TOOLS {
            cache.toolset(&[tool(&format!("t{number}"), "{}"), tool("kept", "{}")]);
        }
        let held = cache.lock();
        assert!(held.young.len() + held.old.len() <= 2 * KEPT_TOOLS);
        drop(held);
        assert!(Arc::ptr_eq(&kept.tools[0], &cache.toolset(&[tool("kept", "{}")]).tools[0]));
    }
}
