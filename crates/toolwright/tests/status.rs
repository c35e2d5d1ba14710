//! `toolwright status`, `/api/status` and the resource `toolwright://status`: how a gateway is doing.

#![cfg(unix)]

use serde_json::{Value, json};

use crate::gateway::{Gateway, Home, until};
use crate::notes;

/// A gateway with a server that is well and one that cannot be started.
fn house() -> (Home, Gateway) {
    let home = Home::new();
    let mut configuration: Value = serde_json::from_str(&notes::configuration(&json!({}))).expect("JSON");
    configuration["mcpServers"]["lost"] = json!({ "command": "no-such-program-anywhere" });
    configuration["toolboxes"] = json!({
        "work": { "description": "Other things.", "mcpServers": { "more": { "command": "true", "disabled": true } } }
    });
    let file = home.put("toolwright.json", &configuration.to_string());
    let gateway = Gateway::start(&home, &["--config", &file.display().to_string()]);
    (home, gateway)
}

fn json_of(home: &Home, flags: &[&str]) -> (i32, Value) {
    let (code, out, errors) = home.run(&[&["status", "--json"], flags].concat());
    (code, serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out} {errors}")))
}

#[test]
fn without_a_gateway_that_is_said_plainly() {
    let home = Home::new();
    let nobody = ["--url", "http://127.0.0.1:9"];
    let (code, out, errors) = home.run(&[&["status"], &nobody[..]].concat());
    assert_eq!((code, out.as_str()), (1, ""));
    assert_eq!(
        errors,
        "error: no gateway runs: http://127.0.0.1:9 is closed\nfix: start one: toolwright serve\n"
    );
    let (code, out, errors) = home.run(&[&["status", "--line"], &nobody[..]].concat());
    assert_eq!(
        (code, out.as_str(), errors.as_str()),
        (1, "no gateway runs: http://127.0.0.1:9 is closed\n", "")
    );
    let (code, said) = json_of(&home, &nobody);
    assert_eq!((code, &said["running"]), (1, &json!(false)));
    assert!(!home.path().join("state/toolwright/token").exists(), "who only looks makes nothing");
}

#[test]
fn a_gateway_is_found_by_its_configuration_and_told_whole() {
    let (home, gateway) = house();
    notes::correct_itself(&gateway, "milk");
    assert!(gateway.modern("/mcp/t/default", "tools/list", json!({})).is_ok());
    until("the lost server is known as lost", || json_of(&home, &[]).1["status"] == "degraded");
    let (code, said) = json_of(&home, &[]);
    assert_eq!((code, &said["running"]), (1, &json!(true)), "{said:#}");
    assert_eq!(said["address"], format!("http://127.0.0.1:{}", gateway.port));
    assert_eq!(said["pid"], gateway.child.id());
    assert_eq!(said["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!((&said["last_hour"]["calls"], &said["last_hour"]["errors"]), (&json!(2), &json!(1)));
    assert_eq!(
        (&said["journal"]["state"], &said["journal"]["durability"]),
        (&json!("ok"), &json!("process"))
    );
    let limits = said["limits"].as_array().expect("limits");
    assert!(
        limits.iter().any(|limit| limit["name"] == "connections" && limit["limit"] == 4096),
        "{limits:?}"
    );
    let lost = said["servers"].as_array().expect("servers").iter().find(|server| server["name"] == "lost");
    let lost = lost.expect("it");
    assert!(lost["problem"].as_str().is_some_and(|why| why.contains("was not found")));
    assert_eq!(lost["failure"], serde_json::json!({ "kind": "not_started" }));
    // The same over HTTP, from anywhere on this machine.
    let (_, over_http) = json_of(&home, &["--url", &format!("http://127.0.0.1:{}", gateway.port)]);
    assert_eq!(over_http["pid"], said["pid"]);
    let (_, line, _) = home.run(&["status", "--line"]);
    assert_eq!(line.lines().count(), 1, "{line}");
    assert!(line.contains("last hour: 2 calls, 1 error") && line.contains("degraded"), "{line}");
    let (_, full, errors) = home.run(&["status"]);
    for part in
        ["the server 'lost' cannot be used", "limits ", "connections", "survives a crash", "toolwright.json"]
    {
        assert!(full.contains(part), "{part}: {full}");
    }
    assert_eq!(errors, "", "nothing else is said");
}

#[test]
fn a_gateway_without_a_file_is_found_too() {
    let home = Home::new();
    let gateway = Gateway::start(&home, &[]);
    let (code, said) = json_of(&home, &[]);
    assert_eq!(
        (code, &said["pid"], &said["status"]),
        (0, &json!(gateway.child.id()), &json!("ok")),
        "{said:#}"
    );
    assert_eq!(said["configuration"], Value::Null);
}

#[test]
fn somebody_else_with_another_token_is_not_told() {
    let (_home, gateway) = house();
    let other = Home::new();
    let url = format!("http://127.0.0.1:{}", gateway.port);
    let (code, out, errors) = other.run(&["status", "--url", &url]);
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(errors.contains("does not take the token"), "{errors}");
    let refused = gateway.send("GET", "/api/status", "", "");
    assert_eq!(refused.status, 401);
}

/// The text of the resource.
fn read(result: &Value) -> Value {
    let content = &result["contents"][0];
    assert_eq!(
        (&content["uri"], &content["mimeType"]),
        (&json!("toolwright://status"), &json!("application/json"))
    );
    serde_json::from_str(content["text"].as_str().expect("a text")).expect("JSON")
}

#[test]
fn an_agent_reads_it_as_a_resource_in_both_eras() {
    let (_home, gateway) = house();
    let modern = |method: &str, params: Value| gateway.modern("/mcp", method, params);
    let about = modern("server/discover", json!({})).expect("it says what it is");
    assert!(about["capabilities"]["resources"].is_object(), "{about}");
    let listed = modern("resources/list", json!({})).expect("a list");
    assert_eq!(listed["resources"][0]["uri"], "toolwright://status", "{listed}");
    let params = json!({ "uri": "toolwright://status" });
    let said = read(&named(&gateway, "resources/read", params.clone()).expect("it is read"));
    assert_eq!(said["pid"], gateway.child.id());
    let wrong =
        named(&gateway, "resources/read", json!({ "uri": "toolwright://stats" })).expect_err("no such one");
    assert!(wrong["message"].as_str().is_some_and(|said| said.contains("toolwright://status")), "{wrong}");
    // The same of a client of before.
    let post = |session: &str, body: Value| {
        let headers = format!("{}{session}", gateway.headers());
        gateway.send("POST", "/mcp", &headers, &body.to_string())
    };
    let hello = post(
        "",
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "old", "version": "1" } } }),
    );
    assert!(hello.message()["result"]["capabilities"]["resources"].is_object(), "{hello:?}");
    let session = hello.header("mcp-session-id").expect("a session");
    let session = format!("Mcp-Session-Id: {session}\r\nMCP-Protocol-Version: 2025-11-25\r\n");
    post(&session, json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    let listed = post(&session, json!({ "jsonrpc": "2.0", "id": 2, "method": "resources/list" })).message();
    assert_eq!(listed["result"]["resources"][0]["uri"], "toolwright://status", "{listed}");
    let body = json!({ "jsonrpc": "2.0", "id": 3, "method": "resources/read", "params": params });
    assert_eq!(read(&post(&session, body).message()["result"])["pid"], gateway.child.id());
}

/// A modern request about a resource, which its header names.
fn named(gateway: &Gateway, method: &str, params: Value) -> Result<Value, Value> {
    named_at(gateway, "/mcp", method, params)
}

fn named_at(gateway: &Gateway, path: &str, method: &str, params: Value) -> Result<Value, Value> {
    let uri = params["uri"].as_str().unwrap_or_default().to_owned();
    let (body, headers) = crate::gateway::modern_request(method, params);
    let headers = format!("{}{headers}Mcp-Name: {uri}\r\n", gateway.headers());
    let message = gateway.send("POST", path, &headers, &body).message();
    if message["error"].is_null() { Ok(message["result"].clone()) } else { Err(message["error"].clone()) }
}

#[test]
fn another_gateway_is_a_client_that_reads_it() {
    let (_home, gateway) = house();
    let other = Home::new();
    let headers = json!({ "Authorization": format!("Bearer {}", gateway.token) });
    let url = format!("http://127.0.0.1:{}/mcp", gateway.port);
    let servers = json!({ "mcpServers": { "first": { "url": url, "headers": headers } } });
    other.put("toolwright.json", &servers.to_string());
    let second = Gateway::start(&other, &[]);
    let listed = second.modern("/mcp/t/default", "resources/list", json!({})).expect("a list");
    assert_eq!(listed["resources"][0]["uri"], "toolwright://status", "{listed}");
    let said = named_at(&second, "/mcp/t/default", "resources/read", json!({ "uri": "toolwright://status" }));
    assert_eq!(read(&said.expect("it is read"))["pid"], gateway.child.id());
}

#[test]
fn a_client_with_one_toolbox_reads_of_that_alone() {
    let (home, gateway) = house();
    let (_, token, _) = home.run(&["token", "add", "narrow", "--toolbox", "work"]);
    let headers = gateway.headers().replace(&gateway.token, token.trim());
    let (body, more) =
        crate::gateway::modern_request("resources/read", json!({ "uri": "toolwright://status" }));
    let headers = format!("{headers}{more}Mcp-Name: toolwright://status\r\n");
    until("the token is known", || gateway.send("POST", "/mcp", &headers, &body).status == 200);
    let said = read(&gateway.send("POST", "/mcp", &headers, &body).message()["result"]);
    let names: Vec<&str> = said["servers"]
        .as_array()
        .expect("servers")
        .iter()
        .filter_map(|server| server["name"].as_str())
        .collect();
    assert_eq!(names, ["more"]);
    assert_eq!(
        (&said["journal"], &said["configuration"], &said["limits"]),
        (&Value::Null, &Value::Null, &json!([]))
    );
}

#[test]
fn over_standard_input_and_output_the_resource_is_there_too() {
    use std::io::{BufRead, BufReader, Write};
    use std::process::Stdio;
    let home = Home::new();
    let mut child = home
        .command(&["stdio"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let mut input = child.stdin.take().expect("stdin");
    let mut lines = BufReader::new(child.stdout.take().expect("stdout")).lines();
    let mut ask = |body: Value| {
        writeln!(input, "{body}").expect("written");
    };
    ask(json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "old", "version": "1" } } }));
    lines.next().expect("a line").expect("read");
    ask(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    ask(
        json!({ "jsonrpc": "2.0", "id": 2, "method": "resources/read", "params": { "uri": "toolwright://status" } }),
    );
    let answer: Value = serde_json::from_str(&lines.next().expect("a line").expect("read")).expect("JSON");
    let said = read(&answer["result"]);
    assert_eq!((&said["address"], &said["pid"]), (&Value::Null, &json!(child.id())), "{answer}");
    drop(input);
    child.wait().expect("it ends");
}

#[test]
fn a_server_that_has_not_been_started_is_never_called_ready() {
    let home = Home::new();
    let servers = r#"{"mcpServers":{"gone":{"command":"no-such-program-anywhere"}}}"#;
    let file = home.put("toolwright.json", servers).display().to_string();
    let gateway = Gateway::start(&home, &["--config", &file]);
    let ready = gateway.send("GET", "/readyz", "", "").message();
    assert_eq!(ready["servers"], serde_json::json!({ "not started": 1 }), "{ready}");
    let (_, said, wrong) = home.run(&["status", "--line", "--config", &file]);
    assert!(said.contains("1 not started") && !said.contains(" ready"), "{said}{wrong}");
    let (_, said, wrong) = home.run(&["servers", "--config", &file]);
    assert!(said.contains("not started") && !said.contains(" ready"), "{said}{wrong}");
    // Its first use says what is wrong with it.
    let _ = gateway.modern("/mcp/all", "tools/list", serde_json::json!({}));
    let ready = gateway.send("GET", "/readyz", "", "").message();
    assert_eq!(ready["servers"], serde_json::json!({ "backoff": 1 }), "{ready}");
}
