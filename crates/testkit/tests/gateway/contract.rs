//! The contract of the meta-tools, row by row, as a client on the official Rust SDK sees it.

use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{CallToolRequestParams, CallToolResult, ProtocolVersion};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use serde_json::{Value, json};
use tokio::time::timeout;
use toolwright_testkit::load::Served;

use crate::{programs, server, url};

const PATIENCE: Duration = Duration::from_secs(30);

/// A client of `/mcp`.
struct Desk {
    client: RunningService<RoleClient, ()>,
}

fn configuration() -> Value {
    let room = || server("rmcp-server", &["--era", "legacy"]);
    json!({"toolboxes": {
        "dev": {
            "description": "For development",
            "mcpServers": {"echo": server("load-server", &[]), "room": room()},
        },
        "prod": {"description": "In use", "mcpServers": {"echo": server("load-server", &[])}},
        "half": {
            "description": "One of two works",
            "mcpServers": {
                "echo": server("load-server", &["--label=half", "--tool=who"]),
                "missing": {"command": "/no/such/program"},
            },
        },
        "few": {
            "description": "Filtered",
            "mcpServers": {
                "echo": {
                    "command": crate::beside("load-server"),
                    "args": ["--tools=5"],
                    "toolFilters": ["echo", "create_*"],
                },
            },
        },
    }})
}

fn gateway() -> Served {
    Served::start(&programs(), &configuration())
}

impl Desk {
    async fn legacy(gateway: &Served) -> Desk {
        Desk::connect(gateway, ClientLifecycleMode::Initialize).await
    }

    async fn modern(gateway: &Served) -> Desk {
        let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
        Desk::connect(gateway, ClientLifecycleMode::Discover { preferred_versions }).await
    }

    async fn connect(gateway: &Served, mode: ClientLifecycleMode) -> Desk {
        let transport = StreamableHttpClientTransport::from_uri(url(gateway, "/mcp"));
        let client = timeout(PATIENCE, ().serve_with_lifecycle(transport, mode)).await;
        Desk { client: client.expect("in time").expect("connected") }
    }

    /// A legacy client with the toolbox `dev` open.
    async fn at_work(gateway: &Served) -> Desk {
        let desk = Desk::legacy(gateway).await;
        desk.opens("dev").await;
        desk
    }

    async fn call(&self, tool: &'static str, arguments: &Value) -> CallToolResult {
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        let params = CallToolRequestParams::new(tool).with_arguments(arguments);
        timeout(PATIENCE, self.client.call_tool(params)).await.expect("in time").expect("a result")
    }

    /// The answer of a call that worked.
    async fn says(&self, tool: &'static str, arguments: &Value) -> String {
        let result = self.call(tool, arguments).await;
        assert_ne!(result.is_error, Some(true), "{arguments}: {result:?}");
        text(&result)
    }

    /// The text of a call that did not.
    async fn refuses(&self, tool: &'static str, arguments: &Value) -> String {
        let result = self.call(tool, arguments).await;
        assert_eq!(result.is_error, Some(true), "{arguments}: {result:?}");
        text(&result)
    }

    async fn opens(&self, toolbox: &str) -> Value {
        let said = self.says("open_toolbox", &json!({"toolbox": toolbox})).await;
        serde_json::from_str(&said).unwrap_or_else(|error| panic!("{error}: {said}"))
    }
}

/// The response format: one text.
fn text(result: &CallToolResult) -> String {
    assert_eq!(result.content.len(), 1, "{result:?}");
    result.content[0].as_text().expect("a text").text.clone()
}

fn tool(toolbox: &str, server: &str, name: &str) -> Value {
    json!({"toolbox": toolbox, "server": server, "name": name})
}

fn echo(text: &str) -> Value {
    json!({"tool": tool("dev", "echo", "echo"), "arguments": {"text": text}})
}

#[tokio::test]
async fn every_row_of_the_table_of_errors() {
    let gateway = gateway();
    let desk = Desk::at_work(&gateway).await;
    let invalid = "Invalid tool invocation parameters: ";

    // Invalid tool identifier structure.
    for broken in [json!({}), json!({"tool": 5}), json!({"tool": []}), json!({"tool": null, "arguments": {}})]
    {
        let said = desk.refuses("use_tool", &broken).await;
        assert!(said.starts_with(invalid), "{broken}: {said}");
        assert!(said.contains("\"toolbox\"") && said.contains("\"name\""), "no correct example: {said}");
    }
    // Empty fields.
    for (field, words) in [
        ("toolbox", "toolbox: Toolbox name cannot be empty"),
        ("server", "server: Server name cannot be empty"),
        ("name", "name: Tool name cannot be empty"),
    ] {
        let mut call = echo("x");
        call["tool"][field] = json!("");
        let said = desk.refuses("use_tool", &call).await;
        assert!(said.starts_with(invalid) && said.contains(words), "{said}");
    }
    // Toolbox not open, server and tool not found.
    for (identifier, words) in [
        (tool("prod", "echo", "echo"), "Error executing tool: Toolbox 'prod' is not open"),
        (tool("nowhere", "echo", "echo"), "Error executing tool: Toolbox 'nowhere' is not open"),
        (tool("dev", "nobody", "echo"), "Error executing tool: Server 'nobody' not found in toolbox 'dev'"),
        (
            tool("dev", "echo", "no_such_tool"),
            "Error executing tool: Tool 'no_such_tool' not found in server 'echo'",
        ),
    ] {
        let said = desk.refuses("use_tool", &json!({"tool": identifier, "arguments": {}})).await;
        assert_eq!(said.lines().next(), Some(words));
    }
    // Downstream tool execution error.
    let failing = json!({"tool": tool("dev", "room", "fail"), "arguments": {"reason": "the tape tore"}});
    assert_eq!(
        desk.refuses("use_tool", &failing).await,
        "Error executing tool 'fail' in server 'room' (toolbox 'dev'): the tape tore"
    );
}

#[tokio::test]
async fn every_rule_of_validation() {
    let gateway = gateway();
    let desk = Desk::at_work(&gateway).await;
    let invalid = "Invalid tool invocation parameters: ";
    // Everything is required, and a string.
    for field in ["toolbox", "server", "name"] {
        let mut call = echo("x");
        call["tool"].as_object_mut().expect("an object").remove(field);
        if field != "server" && field != "toolbox" {
            let said = desk.refuses("use_tool", &call).await;
            assert!(said.starts_with(invalid) && said.contains(field), "{said}");
        }
        let mut call = echo("x");
        call["tool"][field] = json!(7);
        let said = desk.refuses("use_tool", &call).await;
        assert!(said.starts_with(invalid) && said.contains(field), "{said}");
    }
    // Nothing else is allowed in the identifier.
    let mut call = echo("x");
    call["tool"]["colour"] = json!("blue");
    let said = desk.refuses("use_tool", &call).await;
    assert!(said.starts_with(invalid) && said.contains("Unrecognized key(s) in object: 'colour'"), "{said}");
    // Arguments are optional, and an object.
    let bare = json!({"tool": tool("dev", "room", "count_cancelled")});
    assert_eq!(desk.says("use_tool", &bare).await, "0 cancelled");
    for wrong in [json!(5), json!([1, 2]), json!("words"), json!(true)] {
        let mut call = echo("x");
        call["arguments"] = wrong.clone();
        let said = desk.refuses("use_tool", &call).await;
        assert!(said.starts_with(invalid) && said.contains("arguments"), "{wrong}: {said}");
    }
}

#[tokio::test]
async fn a_success_is_the_servers_own_result() {
    let gateway = gateway();
    let desk = Desk::at_work(&gateway).await;
    let result = desk.call("use_tool", &echo("hello")).await;
    assert_eq!(
        serde_json::to_value(&result).expect("JSON")["content"],
        json!([{"type": "text", "text": "hello"}])
    );
    assert_ne!(result.is_error, Some(true));
    let size = json!({"widthCm": 400, "lengthCm": 250});
    let measure = json!({
        "tool": tool("dev", "room", "measureRoom"),
        "arguments": {"roomName": "hall", "size": size},
    });
    let result = desk.call("use_tool", &measure).await;
    let room = json!({"roomName": "hall", "squareMeters": 10.0, "isInside": true, "labelCount": 0});
    assert_eq!(result.structured_content, Some(room));
}

#[tokio::test]
async fn the_old_key_is_the_error_of_the_migration_guide() {
    let gateway = gateway();
    let desk = Desk::at_work(&gateway).await;
    let old = json!({
        "tool": {"toolbox": "dev", "server": "echo", "tool": "echo"},
        "arguments": {"text": "x"},
    });
    let said = desk.refuses("use_tool", &old).await;
    assert!(said.contains("Unrecognized key(s) in object: 'tool'"), "{said}");
    assert!(
        said.contains(r#""name": "echo""#) || said.contains(r#""name":"echo""#),
        "no fix is shown: {said}"
    );

    let mut accepting = configuration();
    accepting["acceptLegacyToolKey"] = json!(true);
    let gateway = Served::start(&programs(), &accepting);
    let desk = Desk::at_work(&gateway).await;
    assert_eq!(desk.says("use_tool", &old).await, "x");
}

#[tokio::test]
async fn an_envelope_that_can_mean_one_thing_is_mended() {
    let gateway = gateway();
    let desk = Desk::at_work(&gateway).await;
    let inner = echo("right");
    let id = tool("dev", "echo", "echo");
    for (about, call) in [
        ("one level too deep", json!({"arguments": inner})),
        ("in its own name", json!({"use_tool": inner})),
        (
            "identifier at the top",
            json!({"toolbox": "dev", "server": "echo", "name": "echo", "arguments": {"text": "right"}}),
        ),
        ("arguments at the top", json!({"tool": id, "text": "right"})),
        (
            "arguments in the identifier",
            json!({"tool": {"toolbox": "dev", "server": "echo", "name": "echo", "arguments": {"text": "right"}}}),
        ),
        (
            "an argument in the identifier",
            json!({"tool": {"toolbox": "dev", "server": "echo", "name": "echo", "text": "right"}}),
        ),
        (
            "dotted keys",
            json!({"tool.toolbox": "dev", "tool.server": "echo", "tool.name": "echo", "arguments": {"text": "right"}}),
        ),
        ("arguments as a string", json!({"tool": id, "arguments": r#"{"text": "right"}"#})),
        ("the identifier as a string", json!({"tool": id.to_string(), "arguments": {"text": "right"}})),
    ] {
        let result = desk.call("use_tool", &call).await;
        assert_eq!(text(&result), "right", "{about}");
        assert_ne!(result.is_error, Some(true), "{about}");
    }
}

#[tokio::test]
async fn an_envelope_that_can_mean_two_things_is_not() {
    let gateway = gateway();
    let desk = Desk::at_work(&gateway).await;
    let id = tool("dev", "echo", "echo");
    let mut two_toolboxes = echo("left");
    two_toolboxes["toolbox"] = json!("prod");
    for (about, call) in [
        ("two texts", json!({"tool": id, "arguments": {"text": "left"}, "text": "right"})),
        ("two identifiers", two_toolboxes),
        ("a string that is no object", json!({"tool": id, "arguments": "left or right"})),
        ("half a string", json!({"tool": id, "arguments": "{\"text\": \"lef"})),
        ("no identifier at all", json!({"text": "left"})),
    ] {
        let said = desk.refuses("use_tool", &call).await;
        assert!(said.starts_with("Invalid tool invocation parameters: "), "{about}: {said}");
        assert!(said.contains("A correct call:"), "{about}: {said}");
    }
}

#[tokio::test]
async fn opening_and_closing_a_toolbox() {
    let gateway = gateway();
    let desk = Desk::legacy(&gateway).await;
    let opened = desk.opens("dev").await;
    assert_eq!(opened["toolbox"], "dev");
    assert_eq!(opened["description"], "For development");
    assert_eq!(opened["servers_connected"], 2);
    assert!(opened.get("errors").is_none(), "{opened}");
    let tools = opened["tools"].as_array().expect("tools");
    let is_whole = |tool: &Value| {
        tool["toolbox"] == "dev"
            && tool["server"].is_string()
            && tool["name"].is_string()
            && tool["inputSchema"].is_object()
    };
    assert!(!tools.is_empty() && tools.iter().all(is_whole), "{opened}");
    assert_eq!(tools[0]["name"], "echo");
    // A second time is the same.
    assert_eq!(desk.opens("dev").await, opened);

    let said = desk.refuses("open_toolbox", &json!({"toolbox": "nowhere"})).await;
    let line = said.lines().next().expect("a line");
    assert!(line.starts_with("Error: Toolbox 'nowhere' not found. Available toolboxes: "), "{said}");
    for name in ["dev", "prod", "half", "few"] {
        assert!(line.contains(name), "{said}");
    }
    // One of two servers: the other works.
    let half = desk.opens("half").await;
    assert_eq!(half["servers_connected"], 1);
    assert_eq!(half["errors"][0]["server"], "missing");
    assert!(half["errors"][0]["message"].as_str().expect("a text").contains("/no/such/program"), "{half}");
    let call = json!({"tool": tool("half", "echo", "who")});
    assert_eq!(desk.says("use_tool", &call).await, "half:who");
    // Filters hide tools and make them uncallable.
    let few = desk.opens("few").await;
    let names: Vec<&str> =
        few["tools"].as_array().expect("tools").iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert!(names.contains(&"echo") && !names.contains(&"slow"), "{names:?}");
    let said = desk.refuses("use_tool", &json!({"tool": tool("few", "echo", "slow")})).await;
    assert_eq!(said.lines().next(), Some("Error executing tool: Tool 'slow' not found in server 'echo'"));

    let listed: Value = serde_json::from_str(&desk.says("list_toolboxes", &json!({})).await).expect("JSON");
    assert_eq!((&listed["total_count"], &listed["open_count"]), (&json!(4), &json!(3)), "{listed}");
    assert_eq!(
        desk.says("close_toolbox", &json!({"toolbox": "dev"})).await,
        "Successfully closed toolbox 'dev', unregistered tools, and disconnected from all servers."
    );
    let said = desk.refuses("use_tool", &echo("x")).await;
    assert_eq!(said.lines().next(), Some("Error executing tool: Toolbox 'dev' is not open"));
    let again = desk.call("close_toolbox", &json!({"toolbox": "dev"})).await;
    assert_eq!(text(&again), "Toolbox 'dev' is not currently open");
}

#[tokio::test]
async fn what_models_are_told_is_right() {
    let gateway = gateway();
    let desk = Desk::legacy(&gateway).await;
    let about = desk.client.peer_info().expect("what it says of itself");
    let instructions = about.instructions.clone().expect("instructions");
    for words in ["dev", "For development", "prod", "In use", "open_toolbox", "use_tool"] {
        assert!(instructions.contains(words), "{words}: {instructions}");
    }
    // The example in it is a call that works.
    let from = instructions.find('{').expect("an example");
    let mut example = serde_json::Deserializer::from_str(&instructions[from..]).into_iter::<Value>();
    let example = example.next().expect("an example").expect("JSON");
    assert!(example["tool"]["name"].is_string() && example["tool"].get("tool").is_none(), "{example}");
    let tools = desk.client.list_all_tools().await.expect("tools");
    let mut names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    names.sort_unstable();
    assert_eq!(names, ["close_toolbox", "list_toolboxes", "open_toolbox", "search_tools", "use_tool"]);
    let use_tool = tools.iter().find(|tool| tool.name == "use_tool").expect("use_tool");
    let schema = serde_json::to_value(&use_tool.input_schema).expect("JSON");
    let identifier = &schema["properties"]["tool"];
    assert_eq!(identifier["additionalProperties"], false);
    assert_eq!(identifier["required"], json!(["toolbox", "server", "name"]));
    for field in ["toolbox", "server", "name"] {
        assert_eq!(identifier["properties"][field]["type"], "string");
        assert_eq!(identifier["properties"][field]["minLength"], 1);
    }
    assert_eq!(schema["required"], json!(["tool"]));
    let found = desk.says("search_tools", &json!({"query": "how large is a room"})).await;
    assert!(found.contains("measureRoom"), "{found}");
}

#[tokio::test]
async fn a_modern_client_needs_no_open_toolbox() {
    let gateway = gateway();
    let desk = Desk::modern(&gateway).await;
    assert_eq!(desk.says("use_tool", &echo("at once")).await, "at once");
    let said = desk.refuses("use_tool", &json!({"tool": tool("dev", "nobody", "echo")})).await;
    assert_eq!(said.lines().next(), Some("Error executing tool: Server 'nobody' not found in toolbox 'dev'"));
    let said = desk.refuses("use_tool", &json!({"tool": tool("dev", "echo", "no_such_tool")})).await;
    assert_eq!(
        said.lines().next(),
        Some("Error executing tool: Tool 'no_such_tool' not found in server 'echo'")
    );
    let failing = json!({"tool": tool("dev", "room", "fail"), "arguments": {"reason": "the tape tore"}});
    assert_eq!(
        desk.refuses("use_tool", &failing).await,
        "Error executing tool 'fail' in server 'room' (toolbox 'dev'): the tape tore"
    );
}

#[tokio::test]
async fn two_opens_at_once_make_one_connection() {
    let gateway = gateway();
    let desks = [Desk::legacy(&gateway).await, Desk::legacy(&gateway).await, Desk::legacy(&gateway).await];
    let [one, two, three] = &desks;
    let opened = tokio::join!(one.opens("prod"), two.opens("prod"), three.opens("prod"));
    assert_eq!(opened.0, opened.1);
    assert_eq!(opened.1, opened.2);
    assert_eq!(gateway.servers().len(), 1);
    // What one has open is not open for another.
    let said = two.refuses("use_tool", &echo("x")).await;
    assert_eq!(said.lines().next(), Some("Error executing tool: Toolbox 'dev' is not open"));
}
