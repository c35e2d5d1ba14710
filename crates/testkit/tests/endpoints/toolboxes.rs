//! The meta-tools over real servers: every row of the contract's table of errors, and what passes through.

use toolwright_endpoints::{Endpoint, GatewayOptions};
use toolwright_jsonrpc::Json;
use toolwright_mcp::Era;
use toolwright_mcp::front::{Client, Service};

use crate::stage::*;
use std::sync::Arc;

async fn toolboxes() -> (Stage, Arc<dyn Service>) {
    let house = entry(RMCP_SERVER, &["--era", "modern"]);
    let era = entry(ERA_SERVER, &["--legacy"]);
    let gone = entry("/nowhere/no-such-program", &[]);
    let text = format!(
        r#"{{"toolboxes": {{
            "dev": {{"description": "for work", "mcpServers": {{"house": {house}, "gone": {gone}}}}},
            "prod": {{"description": "for good", "mcpServers": {{"house": {house}, "era": {era}}}}},
            "broken": {{"description": "never there", "mcpServers": {{"gone": {gone}}}}}
        }}}}"#
    );
    let stage = staged(&text, GatewayOptions::default()).await;
    let service = stage.service(&Endpoint::Toolboxes);
    (stage, service)
}

fn identifier(toolbox: &str, server: &str, name: &str) -> String {
    format!(r#"{{"toolbox":"{toolbox}","server":"{server}","name":"{name}"}}"#)
}

async fn use_tool(script: &Script, service: &Arc<dyn Service>, tool: &str, arguments: &str) -> Json {
    script.call(service, "use_tool", &format!(r#"{{"tool":{tool},"arguments":{arguments}}}"#)).await
}

#[tokio::test]
async fn every_row_of_the_table_of_errors() {
    let (_stage, service) = toolboxes().await;
    let script = Script::new(Era::Legacy, 1);
    let fail = identifier("dev", "house", "fail");
    let closed = use_tool(&script, &service, &fail, "{}").await;
    assert!(is_error(&closed));
    assert_eq!(
        text(&closed),
        "Error executing tool: Toolbox 'dev' is not open\nOpen it first: open_toolbox {\"toolbox\": \"dev\"}"
    );
    let opened = script.call(&service, "open_toolbox", r#"{"toolbox":"dev"}"#).await;
    assert!(!is_error(&opened), "{opened}");
    for (arguments, expected) in [
        (r#"{"tool":5}"#, "Invalid tool invocation parameters: "),
        (
            r#"{"tool":{"toolbox":"","server":"house","name":"fail"}}"#,
            "toolbox: Toolbox name cannot be empty",
        ),
        (r#"{"tool":{"toolbox":"dev","server":"","name":"fail"}}"#, "server: Server name cannot be empty"),
        (r#"{"tool":{"toolbox":"dev","server":"house","name":""}}"#, "name: Tool name cannot be empty"),
        (
            r#"{"tool":{"toolbox":"prod","server":"house","name":"fail"}}"#,
            "Error executing tool: Toolbox 'prod' is not open",
        ),
        (
            r#"{"tool":{"toolbox":"none","server":"house","name":"fail"}}"#,
            "Error executing tool: Toolbox 'none' is not open\nThere is no such toolbox. Available toolboxes: dev, prod",
        ),
        (
            r#"{"tool":{"toolbox":"dev","server":"shed","name":"fail"}}"#,
            "Error executing tool: Server 'shed' not found in toolbox 'dev'",
        ),
        (
            r#"{"tool":{"toolbox":"dev","server":"house","name":"paint"}}"#,
            "Error executing tool: Tool 'paint' not found in server 'house'",
        ),
        (
            r#"{"tool":{"toolbox":"dev","server":"house","tool":"fail"}}"#,
            "Unrecognized key(s) in object: 'tool'",
        ),
    ] {
        let result = script.call(&service, "use_tool", arguments).await;
        assert!(is_error(&result), "{arguments}");
        assert!(text(&result).contains(expected), "{arguments}: {}", text(&result));
    }
    // A failure is told with its place, whether the tool said it or nobody did.
    let failed = use_tool(&script, &service, &fail, r#"{"reason":"no such room"}"#).await;
    assert!(is_error(&failed));
    assert_eq!(text(&failed), "Error executing tool 'fail' in server 'house' (toolbox 'dev'): no such room");
    let refused = use_tool(&script, &service, &fail, "{}").await;
    assert!(is_error(&refused));
    let start = "Error executing tool 'fail' in server 'house' (toolbox 'dev'): ";
    assert!(text(&refused).starts_with(start), "{}", text(&refused));
    let gone = use_tool(&script, &service, &identifier("dev", "gone", "x"), "{}").await;
    let start = "Error executing tool 'x' in server 'gone' (toolbox 'dev'): ";
    assert!(is_error(&gone) && text(&gone).starts_with(start), "{}", text(&gone));
}

#[tokio::test]
async fn a_server_error_is_wrapped_in_the_words_of_the_contract() {
    let (stage, service) = toolboxes().await;
    let script = Script::new(Era::Modern, 1);
    // The listed tool of this server answers everything; a dead one gives no answer at all.
    let tool = identifier("prod", "era", "v0");
    let result = use_tool(&script, &service, &tool, r#"{"a":1.0}"#).await;
    assert_eq!(result.get("odd").expect("as it is").as_str(), ODD);
    stage.servers.get("era").expect("it").supervisor.disable();
    stage.servers.get("era").expect("it").supervisor.ended().await;
    let result = use_tool(&script, &service, &tool, "{}").await;
    let start = "Error executing tool 'v0' in server 'era' (toolbox 'prod'): ";
    assert!(is_error(&result) && text(&result).starts_with(start), "{}", text(&result));
}

#[tokio::test]
async fn a_toolbox_is_opened_as_far_as_it_can_be() {
    let (_stage, service) = toolboxes().await;
    let script = Script::new(Era::Legacy, 1);
    let open = |toolbox: &str| format!(r#"{{"toolbox":"{toolbox}"}}"#);
    let dev = open("dev");
    let (first, second) = tokio::join!(
        script.call(&service, "open_toolbox", &dev),
        script.call(&service, "open_toolbox", &dev),
    );
    assert_eq!(text(&first), text(&second));
    let answer = json(&text(&first));
    assert_eq!(answer.get_text("description").as_deref(), Some("for work"));
    assert_eq!(answer.get("servers_connected").expect("a count").as_str(), "1");
    let tools = answer.get("tools").and_then(|tools| tools.items()).expect("tools");
    assert!(tools.iter().all(|tool| tool.get_text("server").as_deref() == Some("house")));
    let errors = answer.get("errors").and_then(|errors| errors.items()).expect("errors");
    assert_eq!(errors.len(), 1);
    assert!(errors[0].as_str().contains("no-such-program"), "{}", errors[0]);
    let broken = script.call(&service, "open_toolbox", &open("broken")).await;
    assert!(is_error(&broken));
    assert!(
        text(&broken).starts_with("Error opening toolbox 'broken': Failed to connect to MCP server 'gone': ")
    );
    let none = script.call(&service, "open_toolbox", &open("none")).await;
    assert_eq!(text(&none), "Error: Toolbox 'none' not found. Available toolboxes: dev, prod, broken");
    // Several are open at once, and each is closed for itself.
    script.call(&service, "open_toolbox", &open("prod")).await;
    let listed = json(&text(&script.call(&service, "list_toolboxes", "{}").await));
    assert_eq!(listed.get("open_count").expect("a count").as_str(), "2");
    let closed = script.call(&service, "close_toolbox", &open("dev")).await;
    assert!(text(&closed).starts_with("Successfully closed toolbox 'dev'"), "{closed}");
    let again = script.call(&service, "close_toolbox", &open("dev")).await;
    assert_eq!(text(&again), "Toolbox 'dev' is not currently open");
    let other = Script::new(Era::Legacy, 2);
    let listed = json(&text(&other.call(&service, "list_toolboxes", "{}").await));
    assert_eq!(listed.get("open_count").expect("a count").as_str(), "0", "another session has its own");
    service.ended(&script.client);
    let result = use_tool(&script, &service, &identifier("prod", "house", "fail"), "{}").await;
    assert_eq!(text(&result).lines().next(), Some("Error executing tool: Toolbox 'prod' is not open"));
}

#[tokio::test]
async fn nothing_depends_on_a_prior_open_where_there_is_no_session() {
    let (_stage, service) = toolboxes().await;
    let arguments = r#"{"roomName":"a","size":{"widthCm":100,"lengthCm":250}}"#;
    let tool = identifier("dev", "house", "measureRoom");
    let resumed = {
        let script = Script::new(Era::Legacy, 7);
        let client = Client { is_resumed: true, ..Client::clone(&script.client) };
        Script { client: Arc::new(client), ..script }
    };
    for script in [Script::new(Era::Modern, 1), resumed] {
        let result = use_tool(&script, &service, &tool, arguments).await;
        let room = result.get("structuredContent").unwrap_or_else(|| panic!("{result}"));
        assert_eq!(room.get("squareMeters").expect("a number").as_str(), "2.5");
    }
}

#[tokio::test]
async fn questions_progress_and_malformed_calls_pass_through_use_tool() {
    let (_stage, service) = toolboxes().await;
    let answer = r#"{"action":"accept","content":{"firstName":"Ada"}}"#;
    let script = Script::new(Era::Legacy, 1).answering(answer);
    script.call(&service, "open_toolbox", r#"{"toolbox":"dev"}"#).await;
    let greet = identifier("dev", "house", "greet");
    let result = use_tool(&script, &service, &greet, r#"{"greeting":"Hello"}"#).await;
    assert_eq!(text(&result), "Hello, Ada");
    let params = format!(
        r#"{{"name":"use_tool","arguments":{{"tool":{},"arguments":{{"steps":2}}}},"_meta":{{"progressToken":"t"}}}}"#,
        identifier("dev", "house", "count_steps")
    );
    script.ask(&service, "tools/call", &params).await.expect("a result");
    assert_eq!(script.told("notifications/progress").len(), 2);
    // Arguments as a string, and as members of the identifier's neighbour.
    let sent = format!(r#"{{"tool":{greet},"arguments":"{{\"greeting\":\"Hi\"}}"}}"#);
    assert_eq!(text(&script.call(&service, "use_tool", &sent).await), "Hi, Ada");
    // A modern client gets the server's question as the result, and its answer goes on.
    let script = Script::new(Era::Modern, 1);
    let asked = use_tool(&script, &service, &greet, r#"{"greeting":"Hey"}"#).await;
    assert_eq!(asked.get_text("resultType").as_deref(), Some("input_required"), "{asked}");
    let params = format!(
        r#"{{"name":"use_tool","arguments":{{"tool":{greet},"arguments":{{"greeting":"Hey"}}}},"inputResponses":{{"answer":{answer}}}}}"#
    );
    let result = script.ask(&service, "tools/call", &params).await.expect("a result");
    assert_eq!(text(&result), "Hey, Ada");
}

#[tokio::test]
async fn tools_are_found_and_the_rest_is_hidden() {
    let (_stage, service) = toolboxes().await;
    let script = Script::new(Era::Modern, 1).allowed(&["prod"]);
    let found =
        json(&text(&script.call(&service, "search_tools", r#"{"query":"how large a room is"}"#).await));
    let first = found.get("tools").and_then(|tools| tools.items()).expect("tools").remove(0);
    let tool = first.get("tool").expect("an identifier");
    let part = |key: &str| tool.get_text(key).expect("a part");
    assert_eq!([part("toolbox"), part("server"), part("name")], ["prod", "house", "measureRoom"]);
    let listed = text(&script.call(&service, "list_toolboxes", "{}").await);
    assert!(!listed.contains("dev"), "{listed}");
    let none = script.call(&service, "open_toolbox", r#"{"toolbox":"dev"}"#).await;
    assert_eq!(text(&none), "Error: Toolbox 'dev' not found. Available toolboxes: prod");
    let about = service.about(&script.client).await.expect("it says");
    let instructions = about.instructions.expect("instructions");
    assert!(instructions.contains("prod (2 servers)") && !instructions.contains("dev"), "{instructions}");
    assert_eq!(script.tools(&service).await.len(), 5);
    let error = script.ask(&service, "tools/call", r#"{"name":"measureRoom"}"#).await.expect_err("unknown");
    assert!(error.message.contains("use_tool"), "{}", error.message);
}
