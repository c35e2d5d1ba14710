//! Tool definitions from the registry, for learning from records.

use std::sync::Arc;

use toolwright_executor::ToolRegistry;
use toolwright_ledger::Record;
use toolwright_ledger::learn::Definitions;
use toolwright_model::ToolDefinition;

use crate::recorder::schema_fingerprint;

/// Looks up tool definitions in a registry.
pub struct KnownTools(pub Arc<ToolRegistry>);

impl Definitions for KnownTools {
    fn definition(&self, record: &Record) -> Option<ToolDefinition> {
        let server = record.server.as_deref()?;
        let tool = self.0.get(&format!("{server}/{}", record.tool))?;
        let is_same = record.schema.as_deref() == Some(&schema_fingerprint(&tool));
        is_same.then(|| tool.definition().clone())
    }

    fn generation(&self) -> u64 {
        self.0.snapshot().generation()
    }
}
