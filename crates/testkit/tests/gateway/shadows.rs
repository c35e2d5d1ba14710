//! T11: servers with the same tools stay apart.

use serde_json::json;
use toolwright_testkit::served::Served;
use toolwright_testkit::wire::Caller;

use crate::{server, toolwright};

#[tokio::test]
async fn tools_of_one_name_are_each_reached_by_a_name_of_their_own() {
    let one = |name: &str| server("echo-server", &["--name", name]);
    let toolboxes = json!({"toolboxes": {
        "dev": {"description": "Dev", "mcpServers": {"a": one("dev a"), "b": one("dev b"), "A": one("dev A")}},
        "prod": {"description": "Prod", "mcpServers": {"a": one("prod a")}},
    }});
    let gateway = Served::start(&toolwright(), &toolboxes).await;
    for (path, expected) in [
        ("/mcp/all", vec!["dev A", "dev a", "dev b", "prod a"]),
        ("/mcp/t/dev", vec!["dev A", "dev a", "dev b"]),
        ("/mcp/t/prod", vec!["prod a"]),
    ] {
        let mut caller = Caller::modern(&gateway.url(path)).await;
        let listed = caller.ask("tools/list", "{}").await.result().expect("tools");
        let tools = listed.get("tools").and_then(|tools| tools.items()).expect("a list");
        let names: Vec<String> = tools.iter().filter_map(|tool| tool.get_text("name")).collect();
        let mut said = Vec::new();
        for name in names.iter().filter(|name| name.contains("who")) {
            said.push(caller.says(name, "{}").await);
        }
        said.sort();
        assert_eq!(said, expected, "{path}: {names:?}");
    }
    // One server in two toolboxes is two servers.
    let mut meta = Caller::modern(&gateway.url("/mcp")).await;
    for (toolbox, expected) in [("dev", "dev a"), ("prod", "prod a")] {
        let tool = json!({"tool": {"toolbox": toolbox, "server": "a", "name": "who"}});
        assert_eq!(meta.says("use_tool", &tool.to_string()).await, expected);
    }
}
