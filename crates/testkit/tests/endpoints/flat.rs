//! Several servers as one: flat names, side by side.

use toolwright_endpoints::{Endpoint, GatewayOptions};
use toolwright_jsonrpc::Json;
use toolwright_mcp::front::Service;
use toolwright_mcp::{Era, Filter};

use crate::stage::*;

use std::sync::Arc;
use std::time::Duration;

/// Two toolboxes, with one server in both, and one of another kind.
async fn two_toolboxes() -> Stage {
    let legacy = entry(ERA_SERVER, &["--legacy"]);
    let modern = entry(ERA_SERVER, &["--modern"]);
    let house = entry(RMCP_SERVER, &["--era", "both"]);
    let text = format!(
        r#"{{"toolboxes": {{
            "dev": {{"description": "for work", "mcpServers": {{"era": {legacy}, "house": {house}}}}},
            "prod": {{"description": "for good", "mcpServers": {{"era": {modern}}}}}
        }}}}"#
    );
    let stage = staged(&text, GatewayOptions::default()).await;
    assert!(stage.servers.settled(PATIENCE).await, "{:?}", stage.servers.views());
    stage
}

#[tokio::test]
async fn every_tool_has_a_name_of_its_own_and_nothing_else_changes() {
    let stage = two_toolboxes().await;
    let all = stage.service(&Endpoint::All);
    let script = Script::new(Era::Legacy, 1);
    let list = script.ask(&all, "tools/list", "").await.expect("a list");
    let names = names(&list, "tools");
    assert_eq!(names.first().map(String::as_str), Some("dev__era__v0"));
    assert_eq!(names.last().map(String::as_str), Some("prod__era__v0"));
    assert!(names.contains(&"dev__house__measureRoom".to_owned()), "{names:?}");
    let first = list.get("tools").and_then(|tools| tools.items()).expect("tools").remove(0);
    assert_eq!(
        first.as_str(),
        format!(r#"{{"name":"dev__era__v0","inputSchema":{{"type":"object"}},"odd":{ODD}}}"#)
    );
    let toolbox = stage.service(&Endpoint::Toolbox("dev".into()));
    assert_eq!(script.tools(&toolbox).await.first().map(String::as_str), Some("era__v0"));
    let again = stage.gateway.service(&Endpoint::Toolbox("dev".into())).expect("it");
    assert!(Arc::ptr_eq(&toolbox, &again), "the same service for the same endpoint");
    assert!(stage.gateway.service(&Endpoint::Toolbox("none".into())).is_none());
}

#[tokio::test]
async fn the_same_server_in_two_toolboxes_is_two_servers() {
    let stage = two_toolboxes().await;
    let all = stage.service(&Endpoint::All);
    let script = Script::new(Era::Legacy, 1);
    let asked = |result: Json| result.get("asked").expect("what it was asked");
    let dev = asked(script.call(&all, "dev__era__v0", r#"{"x":1.0}"#).await);
    let prod = asked(script.call(&all, "prod__era__v0", r#"{"x":2.0}"#).await);
    let revision = |asked: &Json| {
        asked.get("_meta").and_then(|meta| meta.get("io.modelcontextprotocol/protocolVersion"))
    };
    assert_eq!(dev.get_text("name").as_deref(), Some("v0"));
    assert_eq!(dev.get("arguments").expect("arguments").as_str(), r#"{"x":1.0}"#);
    assert!(revision(&dev).is_none() && revision(&prod).is_some());
    // By a name that can only mean one.
    let room = r#"{"roomName":"a","size":{"widthCm":100,"lengthCm":100}}"#;
    let result = script.call(&all, "measureRoom", room).await;
    assert!(result.get("structuredContent").is_some(), "{result}");
    let error = script.ask(&all, "tools/call", r#"{"name":"no_such_thing"}"#).await.expect_err("unknown");
    assert_eq!(error.number(), Some(-32602));
    let either = script.call(&all, "v0", "{}").await;
    assert!(is_error(&either) && text(&either).contains("dev__era__v0"), "{either}");
}

#[tokio::test]
async fn what_one_may_not_use_does_not_exist() {
    let stage = two_toolboxes().await;
    let all = stage.service(&Endpoint::All);
    let script = Script::new(Era::Modern, 1).allowed(&["prod"]);
    assert_eq!(script.tools(&all).await, ["prod__era__v0"]);
    assert!(script.ask(&all, "tools/call", r#"{"name":"dev__era__v0"}"#).await.is_err());
    let resources = script.ask(&all, "resources/read", r#"{"uri":"memo://welcome"}"#).await;
    assert!(!resources.is_ok_and(|read| read.as_str().contains("Welcome.")));
    let dev = stage.service(&Endpoint::Toolbox("dev".into()));
    assert!(script.ask(&dev, "tools/list", "").await.is_err());
    assert!(Script::new(Era::Legacy, 2).tools(&all).await.contains(&"dev__era__v0".to_owned()));
}

#[tokio::test]
async fn a_broken_server_keeps_nobody_from_the_others() {
    let text = format!(
        r#"{{"mcpServers": {{"good": {}, "gone": {}, "hangs": {}}}}}"#,
        entry(ERA_SERVER, &[]),
        entry("/nowhere/no-such-program", &[]),
        entry("/bin/sleep", &["60"]),
    );
    let options = GatewayOptions { list_patience: Duration::from_millis(1500), ..GatewayOptions::default() };
    let stage = staged(&text, options).await;
    let service = stage.service(&Endpoint::All);
    let script = Script::new(Era::Legacy, 1);
    assert_eq!(script.tools(&service).await, ["good__v0"]);
    // Nobody waits a second time for the one that hangs.
    let begun = std::time::Instant::now();
    assert_eq!(script.tools(&service).await, ["good__v0"]);
    assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
    let text = format!(r#"{{"mcpServers": {{"a": {0}, "b": {0}}}}}"#, entry("/nowhere/no-such-program", &[]));
    let stage = staged(&text, GatewayOptions::default()).await;
    let service = stage.service(&Endpoint::All);
    let error = script.ask(&service, "tools/list", "").await.expect_err("no list is empty without a reason");
    assert!(error.message.contains("'a'") && error.message.contains("no-such-program"), "{}", error.message);
}

#[tokio::test]
async fn prompts_resources_and_completions_find_their_server() {
    let house = entry(RMCP_SERVER, &["--era", "legacy"]);
    let other = entry(RMCP_SERVER, &["--era", "modern"]);
    let text = format!(r#"{{"mcpServers": {{"house": {house}, "barn": {other}}}}}"#);
    let stage = staged(&text, GatewayOptions::default()).await;
    let service = stage.service(&Endpoint::All);
    let script = Script::new(Era::Legacy, 1);
    let list = script.ask(&service, "prompts/list", "").await.expect("prompts");
    assert_eq!(names(&list, "prompts"), ["house__review", "barn__review"]);
    let prompt = r#"{"name":"barn__review","arguments":{"language":"Rust"}}"#;
    let prompt = script.ask(&service, "prompts/get", prompt).await.expect("a prompt");
    assert!(prompt.as_str().contains("Review this Rust program."), "{prompt}");
    let list = script.ask(&service, "resources/list", "").await.expect("resources");
    let uris: Vec<String> = list
        .get("resources")
        .and_then(|items| items.items())
        .expect("items")
        .iter()
        .filter_map(|item| item.get_text("uri"))
        .collect();
    assert_eq!(uris, ["memo://welcome", "barn+memo://welcome"]);
    for uri in ["memo://welcome", "barn+memo://welcome", "memo://notes/a"] {
        let params = format!(r#"{{"uri":"{uri}"}}"#);
        let read = script.ask(&service, "resources/read", &params).await.expect("it is read");
        assert!(read.as_str().contains("memo://"), "{uri}: {read}");
    }
    let error =
        script.ask(&service, "resources/read", r#"{"uri":"other://x"}"#).await.expect_err("nobody has it");
    assert!(error.number().is_some());
    let templates = script.ask(&service, "resources/templates/list", "").await.expect("templates");
    assert_eq!(names(&templates, "resourceTemplates"), ["note", "note"]);
    let about = service.about(&script.client).await.expect("it says");
    assert!(about.instructions.expect("instructions").contains("## barn\nMeasure rooms"));
    assert!(about.capabilities.get("prompts").is_some() && about.capabilities.get("tools").is_some());
    assert_eq!(about.server.get_text("name").as_deref(), Some("toolwright"));
}

#[tokio::test]
async fn changes_anywhere_are_told() {
    let stage = two_toolboxes().await;
    let all = stage.service(&Endpoint::All);
    let script = Script::new(Era::Modern, 1);
    let mut listening = script.listen(&all, Filter { tools: true, ..Filter::default() }).await;
    script.call(&all, "prod__era__v0", "{}").await;
    let prod = stage.service(&Endpoint::Toolbox("prod".into()));
    script.call(&prod, "change", "{}").await;
    heard(&mut listening, "notifications/tools/list_changed").await;
    let names = script.tools(&all).await;
    assert!(names.contains(&"prod__era__v1".to_owned()), "{names:?}");
    let stale =
        script.ask(&all, "tools/list", r#"{"cursor":"never given"}"#).await.expect_err("no such cursor");
    assert_eq!(stale.number(), Some(-32602));
}

#[tokio::test]
async fn questions_and_progress_pass_through_flat_names() {
    let house = entry(RMCP_SERVER, &["--era", "legacy"]);
    let other = entry(RMCP_SERVER, &["--era", "modern"]);
    let text = format!(r#"{{"mcpServers": {{"old": {house}, "new": {other}}}}}"#);
    let stage = staged(&text, GatewayOptions::default()).await;
    let service: Arc<dyn Service> = stage.service(&Endpoint::All);
    let answer = r#"{"action":"accept","content":{"firstName":"Ada"}}"#;
    for tool in ["old__greet", "new__greet"] {
        let script = Script::new(Era::Legacy, 1).answering(answer);
        let result = script.call(&service, tool, r#"{"greeting":"Hello"}"#).await;
        assert_eq!(text_of(&result), "Hello, Ada", "{tool}");
        assert_eq!(script.asked().len(), 1);
    }
    let script = Script::new(Era::Modern, 1);
    let params = r#"{"name":"old__count_steps","arguments":{"steps":3},"_meta":{"progressToken":7}}"#;
    script.ask(&service, "tools/call", params).await.expect("a result");
    assert_eq!(script.told("notifications/progress").len(), 3);
}

fn text_of(result: &Json) -> String {
    crate::stage::text(result)
}
