//! What the tests of passing share.

use std::sync::{Arc, LazyLock};

use toolwright_jsonrpc::Json;
use toolwright_llm::calls::{Mender, ToolCache, builtin_rules};
use toolwright_llm::form::Tool;
use toolwright_normalizer::Normalizer;

/// Judges calls of `read_file` and `list_all`.
pub fn mender() -> Arc<Mender> {
    static MENDER: LazyLock<Arc<Mender>> = LazyLock::new(made);
    MENDER.clone()
}

fn made() -> Arc<Mender> {
    let tool = |name: &str, schema: &str| Tool {
        name: name.to_owned(),
        description: None,
        schema: Some(Json::parse(schema).expect("JSON")),
        strict: None,
        extra: Vec::new(),
    };
    let tools = [
        tool(
            "read_file",
            r#"{"type":"object","properties":{"path":{"type":"string"},"lines":{"type":"integer"}},"required":["path"]}"#,
        ),
        tool("list_all", r#"{"type":"object","properties":{"all":{"type":"boolean"}}}"#),
    ];
    let normalizer = Arc::new(Normalizer::new(builtin_rules()));
    Arc::new(Mender::new(normalizer, ToolCache::default().toolset(&tools), true))
}
