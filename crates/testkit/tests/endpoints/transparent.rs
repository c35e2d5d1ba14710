//! One server behind an endpoint, seen as it is by clients of both eras.

use std::time::Duration;

use toolwright_endpoints::{Endpoint, GatewayOptions};
use toolwright_jsonrpc::Json;
use toolwright_mcp::{Era, Filter};

use crate::stage::*;
use tokio::time::timeout;

const ERAS: [Era; 2] = [Era::Legacy, Era::Modern];

/// The four cells: the era of the client and the flag of the server.
fn cells() -> impl Iterator<Item = (Era, &'static str)> {
    ERAS.into_iter().flat_map(|era| ["--legacy", "--modern"].map(|flag| (era, flag)))
}

#[tokio::test]
async fn the_list_is_the_servers_own_text() {
    for (era, flag) in cells() {
        let (_stage, service) = one(ERA_SERVER, &[flag]).await;
        let list = Script::new(era, 1).ask(&service, "tools/list", "").await.expect("a list");
        let tools = list.get("tools").expect("tools");
        assert_eq!(
            tools.as_str(),
            format!(r#"[{{"name":"v0","inputSchema":{{"type":"object"}},"odd":{ODD}}}]"#),
            "{era:?} {flag}"
        );
    }
}

#[tokio::test]
async fn a_call_passes_everything_on_and_the_result_is_untouched() {
    for (era, flag) in cells() {
        let (_stage, service) = one(ERA_SERVER, &[flag]).await;
        let script = Script::new(era, 1);
        let params = format!(
            r#"{{"name":"v0","arguments":{{"x":1.0,"big":12345678901234567890}},"_meta":{{"traceparent":"00-a","own":{ODD}}},"task":{{"ttl":1}},"odd":{ODD}}}"#
        );
        let result = script.ask(&service, "tools/call", &params).await.expect("a result");
        assert_eq!(result.get("odd").expect("kept").as_str(), ODD);
        let asked = result.get("asked").expect("what the server was asked");
        assert_eq!(asked.get_text("name").as_deref(), Some("v0"));
        assert_eq!(
            asked.get("arguments").expect("arguments").as_str(),
            r#"{"x":1.0,"big":12345678901234567890}"#
        );
        assert_eq!(asked.get("task").expect("task").as_str(), r#"{"ttl":1}"#);
        assert_eq!(asked.get("odd").expect("odd").as_str(), ODD);
        let meta = asked.get("_meta").expect("meta");
        assert_eq!(meta.get("own").expect("own").as_str(), ODD);
        assert_eq!(meta.get_text("traceparent").as_deref(), Some("00-a"));
        if flag == "--modern" {
            let capabilities = meta.get("io.modelcontextprotocol/clientCapabilities").expect("capabilities");
            assert_eq!(capabilities, script.client.capabilities, "the client's own");
        }
    }
}

#[tokio::test]
async fn progress_comes_with_the_clients_own_token_and_only_if_it_gave_one() {
    for (era, flag) in cells() {
        let (_stage, service) = one(ERA_SERVER, &[flag]).await;
        let script = Script::new(era, 1);
        script.call(&service, "progress", "{}").await;
        assert!(script.told("notifications/progress").is_empty());
        let params = r#"{"name":"progress","_meta":{"progressToken":"mine"}}"#;
        script.ask(&service, "tools/call", params).await.expect("a result");
        let told = script.told("notifications/progress");
        assert_eq!(told.len(), 1, "{era:?} {flag}");
        assert_eq!(told[0].get("progressToken").expect("a token").as_str(), "\"mine\"");
        assert_eq!(told[0].get("odd").expect("odd").as_str(), ODD);
    }
}

#[tokio::test]
async fn a_call_that_is_given_up_is_cancelled_at_the_server() {
    for (era, flag) in cells() {
        let (stage, service) = one(ERA_SERVER, &[flag]).await;
        let script = Script::new(era, 1);
        script.call(&service, "silent", r#"{"requests":1}"#).await;
        let hanging = script.ask(&service, "tools/call", r#"{"name":"v0"}"#);
        assert!(timeout(Duration::from_millis(300), hanging).await.is_err(), "it has no answer");
        stage.wrote("one", "told: notifications/cancelled").await;
    }
}

#[tokio::test]
async fn changes_of_the_list_and_of_resources_are_told() {
    for (era, flag) in cells() {
        let (_stage, service) = one(ERA_SERVER, &[flag]).await;
        let script = Script::new(era, 1);
        let filter = Filter { tools: true, uris: vec!["memo://a".into()], ..Filter::default() };
        let mut listening = script.listen(&service, filter).await;
        script.call(&service, "touch", r#"{"uri":"memo://a"}"#).await;
        let updated = heard(&mut listening, "notifications/resources/updated").await;
        let params = updated.params.expect("params");
        assert_eq!(params.as_str(), format!(r#"{{"uri":"memo://a","odd":{ODD}}}"#), "{era:?} {flag}");
        // This server knows one subscription at a time.
        let (_stage, service) = one(ERA_SERVER, &[flag]).await;
        let filter = Filter { tools: true, ..Filter::default() };
        let mut listening = script.listen(&service, filter).await;
        script.call(&service, "change", "{}").await;
        heard(&mut listening, "notifications/tools/list_changed").await;
        assert_eq!(script.tools(&service).await, ["v1"]);
    }
}

#[tokio::test]
async fn errors_of_the_server_come_back_unchanged() {
    for (era, flag) in cells() {
        let (_stage, service) = one(ERA_SERVER, &[flag]).await;
        let error = Script::new(era, 1).ask(&service, "fails", "{}").await.expect_err("it fails");
        assert_eq!((error.number(), error.message.as_str()), (Some(-32002), "as it was asked to"));
        assert_eq!(error.data.expect("data").as_str(), ODD);
        assert_eq!(error.extra.len(), 1, "{:?}", error.extra);
    }
}

#[tokio::test]
async fn a_server_asks_the_client_whatever_their_eras() {
    let questions = [
        ("elicitation/create", r#"{"action":"accept","content":{"a":1.0}}"#),
        (
            "sampling/createMessage",
            r#"{"role":"assistant","content":{"type":"text","text":"x"},"model":"m"}"#,
        ),
        ("roots/list", r#"{"roots":[{"uri":"file:///x"}]}"#),
    ];
    for (era, flag) in cells() {
        let (_stage, service) = one(ERA_SERVER, &[flag]).await;
        for (method, answer) in questions {
            let script = Script::new(era, 1).answering(answer);
            let arguments = format!(r#"{{"method":"{method}","params":{{"odd":{ODD}}}}}"#);
            let mut result = script.call(&service, "ask", &arguments).await;
            if result.get_text("resultType").as_deref() == Some("input_required") {
                // Modern on both sides: the question passes through, and so does the answer.
                assert_eq!((era, flag), (Era::Modern, "--modern"));
                assert!(script.asked().is_empty());
                let asked =
                    result.get("inputRequests").and_then(|all| all.get("q \"1\"")).expect("a question");
                assert_eq!(asked.get_text("method").as_deref(), Some(method));
                let state = result.get("requestState").expect("a state");
                let params = format!(
                    r#"{{"name":"ask","arguments":{arguments},"inputResponses":{{"q \"1\"":{answer}}},"requestState":{state}}}"#
                );
                result = script.ask(&service, "tools/call", &params).await.expect("a result");
            } else {
                let asked = script.asked();
                assert_eq!(asked.len(), 1, "{era:?} {flag} {method}");
                assert_eq!(asked[0].0, method);
                assert_eq!(asked[0].1.as_ref().expect("params").as_str(), format!(r#"{{"odd":{ODD}}}"#));
            }
            let answered = result.get("answered").unwrap_or_else(|| panic!("no answer in {result}"));
            assert!(answered.as_str().contains(answer), "{era:?} {flag} {method}: {answered}");
        }
    }
}

#[tokio::test]
async fn a_client_that_cannot_answer_is_not_asked() {
    let (_stage, service) = one(ERA_SERVER, &["--legacy"]).await;
    let script = Script::with(Era::Legacy, 1, "{}").answering("{}");
    let result = script.call(&service, "ask", r#"{"method":"elicitation/create","params":{}}"#).await;
    assert!(script.asked().is_empty());
    assert!(result.get("refused").expect("an error").as_str().contains("-32601"), "{result}");
}

#[tokio::test]
async fn log_messages_go_to_the_call_that_wants_them() {
    for (era, flag) in cells() {
        let (_stage, service) = one(ERA_SERVER, &[flag]).await;
        let mut script = Script::new(era, 1);
        script.log_level = Some("warning".into());
        script.call(&service, "log", "{}").await;
        let told = script.told("notifications/message");
        assert_eq!(told.len(), 1, "{era:?} {flag}");
        assert_eq!(told[0].get_text("level").as_deref(), Some("warning"));
        assert_eq!(told[0].get("data").expect("data").as_str(), ODD);
        let silent = Script { log_level: None, ..Script::new(Era::Modern, 2) };
        silent.call(&service, "log", "{}").await;
        assert!(silent.told("notifications/message").is_empty());
    }
}

#[tokio::test]
async fn a_question_never_reaches_another_client() {
    let (stage, service) = one(HOSTILE_SERVER, &["--lists-habits"]).await;
    drop((stage, service));
    // One call of each of two clients is in flight when the server asks: it is told that it cannot be known
    // whom, and from then on they take turns.
    let (stage, service) = one(ERA_SERVER, &["--legacy"]).await;
    let first = Script::new(Era::Legacy, 1).with_token("first");
    let second = Script::new(Era::Modern, 2).with_token("second").answering("{\"who\":2}");
    first.call(&service, "silent", r#"{"requests":1}"#).await;
    let hanging = tokio::spawn({
        let (first, service) = (first.clone(), service.clone());
        async move { first.ask(&service, "tools/call", r#"{"name":"v0"}"#).await }
    });
    stage.wrote("one", "\"name\":\"v0\"").await;
    let result = second.call(&service, "ask", r#"{"method":"roots/list"}"#).await;
    assert!(result.get("refused").expect("an error").as_str().contains("take turns"), "{result}");
    assert!(first.asked().is_empty() && second.asked().is_empty());
    // Now the second waits until the first is done.
    let waiting = second.ask(&service, "tools/call", r#"{"name":"ask","arguments":{"method":"roots/list"}}"#);
    let mut waiting = std::pin::pin!(waiting);
    assert!(timeout(Duration::from_millis(200), &mut waiting).await.is_err(), "it waits for its turn");
    hanging.abort();
    // The first gave its call up, and the server may still ask about it: nobody is asked in its place.
    let result = waiting.await.expect("a result");
    assert!(result.get("refused").expect("an error").as_str().contains("has cancelled one"), "{result}");
    assert!(first.asked().is_empty() && second.asked().is_empty());
}

#[tokio::test]
async fn filters_take_tools_away_and_refuse_calls() {
    let text = format!(
        r#"{{"mcpServers": {{"one": {{"command": {}, "args": ["--era", "legacy"], "toolFilters": ["!fail"]}}}}}}"#,
        Json::text(RMCP_SERVER)
    );
    let stage = staged(&text, GatewayOptions::default()).await;
    let service = stage.service(&Endpoint::Toolbox("default".into()));
    let script = Script::new(Era::Legacy, 1);
    let names = script.tools(&service).await;
    assert!(names.contains(&"measureRoom".to_owned()) && !names.contains(&"fail".to_owned()), "{names:?}");
    let params = r#"{"name":"fail","arguments":{"reason":"x"}}"#;
    let error = script.ask(&service, "tools/call", params).await.expect_err("it is not offered");
    assert_eq!(error.number(), Some(-32602));
}

#[tokio::test]
async fn calls_are_mended_and_refused_with_what_to_send() {
    let (_stage, service) = one(RMCP_SERVER, &["--era", "modern"]).await;
    let script = Script::new(Era::Legacy, 1);
    let arguments = r#"{"room_name":"hall","size":{"width_cm":"200","lengthCm":300}}"#;
    let result = script.call(&service, "measure_room", arguments).await;
    let room = result.get("structuredContent").expect("a structure");
    assert_eq!(room.get("squareMeters").expect("a number").as_str(), "6.0");
    let refused = script.call(&service, "measureRoom", r#"{"size":{"widthCm":"wide"}}"#).await;
    assert!(is_error(&refused));
    assert!(text(&refused).contains("roomName"), "{refused}");
    let failed = script.call(&service, "fail", r#"{"reason":"no such room"}"#).await;
    assert!(is_error(&failed));
    assert_eq!(text(&failed), "no such room");
}

#[tokio::test]
async fn a_server_that_is_away_has_the_tools_it_had() {
    let (stage, service) = one(ERA_SERVER, &["--legacy"]).await;
    let script = Script::new(Era::Modern, 1);
    stage.servers.get("one").expect("it").supervisor.disable();
    stage.servers.get("one").expect("it").supervisor.ended().await;
    assert_eq!(script.tools(&service).await, ["v0"]);
    let result = script.call(&service, "v0", "{}").await;
    assert!(is_error(&result) && text(&result).contains("'one' cannot be used"), "{result}");
    let error = script.ask(&service, "resources/list", "").await.expect_err("it is away");
    assert!(error.message.contains("'one' cannot be used"), "{}", error.message);
}

#[tokio::test]
async fn a_server_that_never_came_is_no_empty_list() {
    let text = format!(r#"{{"mcpServers": {{"one": {}}}}}"#, entry("/nowhere/no-such-program", &[]));
    let stage = staged(&text, GatewayOptions::default()).await;
    let service = stage.service(&Endpoint::Toolbox("default".into()));
    let script = Script::new(Era::Legacy, 1);
    let about = service.about(&script.client).await.expect("what is known");
    assert_eq!(about.server.get_text("name").as_deref(), Some("one"));
    let error = script.ask(&service, "tools/list", "").await.expect_err("there is no list");
    assert!(error.message.contains("no-such-program"), "{}", error.message);
}

#[tokio::test]
async fn what_the_server_says_of_itself_is_passed_on() {
    for flag in ["legacy", "modern"] {
        let (_stage, service) = one(RMCP_SERVER, &["--era", flag]).await;
        let script = Script::new(Era::Legacy, 1);
        let about = service.about(&script.client).await.expect("it says");
        assert_eq!(about.server.get_text("name").as_deref(), Some("rmcp-server"), "{flag}");
        assert_eq!(about.instructions.as_deref(), Some("Measure rooms with measureRoom."));
        assert!(about.capabilities.get("prompts").is_some());
        let read = script.ask(&service, "resources/read", r#"{"uri":"memo://welcome"}"#).await.expect("it");
        assert!(read.as_str().contains("Welcome."), "{read}");
        let prompt = r#"{"name":"review","arguments":{"language":"Rust"}}"#;
        let prompt = script.ask(&service, "prompts/get", prompt).await.expect("a prompt");
        assert!(prompt.as_str().contains("Review this Rust program."), "{prompt}");
    }
}

#[tokio::test]
async fn a_toolbox_that_one_may_not_use_does_not_exist() {
    let (_stage, service) = one(ERA_SERVER, &["--legacy"]).await;
    let script = Script::new(Era::Legacy, 1).allowed(&["other"]);
    let error = script.ask(&service, "tools/list", "").await.expect_err("nothing is told");
    assert_eq!(error.message, "there is no toolbox 'default'");
    assert!(service.about(&script.client).await.is_err());
}
