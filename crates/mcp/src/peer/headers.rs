//! The tools of a server over HTTP whose arguments travel as headers too.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};

use toolwright_base::IgnorePoison;
use toolwright_jsonrpc::Json;

use crate::RequestError;
use crate::http::{check_headers, params_headers};

/// The error of a server that misses a header, or finds another value in it than in the body.
const HEADER_MISMATCH: i64 = -32020;

/// The input schemas of listed tools, by name.
#[derive(Default)]
pub(super) struct ToolHeaders {
    schemas: Mutex<HashMap<String, Json>>,
}

impl ToolHeaders {
    fn schemas(&self) -> MutexGuard<'_, HashMap<String, Json>> {
        self.schemas.lock().ignore_poison()
    }

    /// Keeps the schemas of a list, and takes the tools out of it that cannot be called.
    pub fn take(&self, tools: &mut Vec<Json>) {
        let mut known = HashMap::new();
        tools.retain(|tool| {
            let (Some(name), Some(schema)) = (tool.get_text("name"), tool.get("inputSchema")) else {
                return true;
            };
            if let Err(error) = check_headers(&schema) {
                tracing::warn!(tool = name, %error, "a tool is left out: its headers cannot be made");
                return false;
            }
            known.insert(name, schema);
            true
        });
        *self.schemas() = known;
    }

    /// The headers of a call.
    pub fn of_call(&self, params: &Json) -> Vec<(String, String)> {
        let schema = params.get_text("name").and_then(|name| self.schemas().get(&name).cloned());
        match (schema, params.get("arguments")) {
            (Some(schema), Some(arguments)) => params_headers(&schema, &arguments),
            _ => Vec::new(),
        }
    }

    /// Whether a call may have failed because its tool has changed since it was listed.
    pub fn may_be_stale(&self, method: &str, error: &RequestError) -> bool {
        let is_mismatch = |code| code == Some(HEADER_MISMATCH);
        method == "tools/call" && matches!(error, RequestError::Server(error) if is_mismatch(error.number()))
    }
}
