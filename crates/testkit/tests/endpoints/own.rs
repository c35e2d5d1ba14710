//! Our own tools behind the endpoints: a toolbox of their own where no server is configured.

use std::path::Path;
use std::sync::Arc;

use toolwright_backend::Servers;
use toolwright_builtin_tools::{BuiltinConfig, FilesConfig, builtin_tools};
use toolwright_endpoints::{Endpoint, Gateway, GatewayOptions};
use toolwright_executor::{ToolExecutor, ToolRegistry};
use toolwright_mcp::Era;

use crate::stage::*;

/// The gateway over this configuration and our own tools, with files in this folder.
fn with_own(configuration: &str, folder: &Path) -> Arc<Gateway> {
    let configuration =
        toolwright_config::parse(configuration, Path::new("/servers.json"), &|_| None).expect("it is right");
    let registry = ToolRegistry::new();
    let files = FilesConfig { roots: vec![folder.to_owned()], ..FilesConfig::default() };
    for tool in builtin_tools(&BuiltinConfig { files, ..BuiltinConfig::default() }).expect("they are") {
        registry.register(tool.definition, tool.function).expect("it is in order");
    }
    let servers = Servers::start(&configuration, |_| true, &server_options(true));
    Gateway::new(servers, Arc::new(ToolExecutor::new(Arc::new(registry))), GatewayOptions::default())
}

#[tokio::test]
async fn without_servers_our_own_tools_are_a_toolbox() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a.txt"), "what it says\n").expect("it is written");
    let gateway = with_own(r#"{"mcpServers": {}}"#, folder.path());
    let script = Script::new(Era::Modern, 1);
    let all = gateway.service(&Endpoint::All).expect("it");
    let names = script.tools(&all).await;
    assert!(names.contains(&"builtin__builtin__get_current_datetime".to_owned()), "{names:?}");
    let toolbox = gateway.service(&Endpoint::Toolbox("builtin".into())).expect("it");
    let names = script.tools(&toolbox).await;
    assert!(names.contains(&"builtin__get_current_datetime".to_owned()), "{names:?}");
    let read = names.iter().find(|name| name.starts_with("files__read")).expect("a tool that reads");
    let result = script.call(&toolbox, read, r#"{"path":"a.txt"}"#).await;
    assert!(!is_error(&result) && result.as_str().contains("what it says"), "{result}");
    let toolboxes = gateway.service(&Endpoint::Toolboxes).expect("it");
    let tool = r#"{"tool":{"toolbox":"builtin","server":"builtin","name":"get_current_datetime"}}"#;
    let result = script.call(&toolboxes, "use_tool", tool).await;
    assert!(!is_error(&result), "{result}");
    let found = script.call(&toolboxes, "search_tools", r#"{"query":"date and time"}"#).await;
    assert!(text(&found).contains("get_current_datetime"), "{found}");
}

#[tokio::test]
async fn with_servers_they_are_there_when_the_configuration_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let servers = format!(r#""mcpServers": {{"one": {}}}"#, entry(ERA_SERVER, &["--legacy"]));
    let without = with_own(&format!("{{{servers}}}"), folder.path());
    assert!(without.service(&Endpoint::Toolbox("builtin".into())).is_none());
    let with = with_own(&format!(r#"{{{servers}, "builtinTools": true}}"#), folder.path());
    let all = with.service(&Endpoint::All).expect("it");
    let names = Script::new(Era::Legacy, 1).tools(&all).await;
    assert_eq!(names.first().map(String::as_str), Some("one__v0"));
    assert!(names.iter().any(|name| name.starts_with("builtin__files__")), "{names:?}");
}
