//! Which registered tool a call means.

use std::sync::Arc;

use toolwright_model::{Change, Code};
use toolwright_normalizer::{NameError, NamedTool, find_tool};

use crate::registry::{MAX_NAME_BYTES, Snapshot, UNNAMED_SERVER};
use crate::{CallError, RegisteredTool, ToolRegistry};

/// The longest name that is compared with others.
const MAX_COMPARED_BYTES: usize = 3 * MAX_NAME_BYTES;

/// The tool that was meant.
#[derive(Clone, Debug)]
pub struct Found {
    /// It.
    pub tool: Arc<RegisteredTool>,
    /// How its name was understood, when it was not the exact one.
    pub renamed: Option<Change>,
}

/// By the exact name, then by its form (F1) and by prefixes and endings (F2).
pub(crate) fn find(registry: &ToolRegistry, sent: &str) -> Result<Found, CallError> {
    match registry.get(sent) {
        Some(tool) => Ok(Found { tool, renamed: None }),
        // Comparing takes time by the length of the name; no form of a registered name is as long as this.
        None if sent.len() > MAX_COMPARED_BYTES => {
            Err(CallError::unknown_tool(sent, &[], registry.snapshot().callable_names()))
        }
        None => find_by_form(&registry.snapshot(), sent),
    }
}

fn find_by_form(snapshot: &Snapshot, sent: &str) -> Result<Found, CallError> {
    let tools: Vec<NamedTool<'_>> = snapshot.tools().iter().map(|tool| named(tool)).collect();
    match find_tool(sent, &tools, &[]) {
        Ok(found) => {
            let tool = Arc::clone(&snapshot.tools()[found.index]);
            let renamed = found.code.map(|code| renaming(code, sent, tool.name()));
            Ok(Found { tool, renamed })
        }
        Err(NameError::Unknown { nearest, .. }) => {
            Err(CallError::unknown_tool(sent, &nearest, snapshot.callable_names()))
        }
        Err(NameError::TooLong { .. }) => Err(CallError::unknown_tool(sent, &[], snapshot.callable_names())),
        Err(NameError::Ambiguous { candidates, .. }) => Err(CallError::ambiguous_tool(sent, &candidates)),
    }
}

/// A tool with where it is from. Built-in tools have no server; a name may have their source before it.
fn named(tool: &RegisteredTool) -> NamedTool<'_> {
    let source = Some(tool.source()).filter(|source| *source != UNNAMED_SERVER);
    NamedTool::new(tool.name(), source).destroying(tool.tool().is_destructive())
}

fn renaming(code: Code, sent: &str, name: &str) -> Change {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    Change {
        code,
        path: String::new(),
        from: Some(quoted(sent)),
        to: Some(quoted(name)),
        rule: None,
        rule_type: None,
        why: code.title().to_owned(),
    }
}
