//! What lives longer than a request belongs to the client that made it: its token, and its session where it has one.

use std::sync::Arc;

use toolwright_endpoints::{Endpoint, GatewayOptions};
use toolwright_jsonrpc::Json;
use toolwright_mcp::Era;
use toolwright_mcp::front::Service;

use crate::stage::*;

const FAMILIES: [(Era, &str); 2] = [(Era::Legacy, "--legacy"), (Era::Modern, "--modern")];

/// Two toolboxes with a server each that have the same resource.
async fn two_toolboxes(flag: &str) -> Stage {
    let server = |name: &str| {
        let name = format!("--name={name}");
        entry(ERA_SERVER, &[flag, &name, "--resource=memo://shared"])
    };
    let text = format!(
        r#"{{"toolboxes": {{
            "dev": {{"description": "x", "mcpServers": {{"a": {}}}}},
            "prod": {{"description": "y", "mcpServers": {{"a": {}}}}}
        }}}}"#,
        server("dev-a"),
        server("prod-a"),
    );
    let stage = staged(&text, GatewayOptions::default()).await;
    assert!(stage.servers.settled(PATIENCE).await, "{:?}", stage.servers.views());
    stage
}

fn task_id(created: &Json) -> String {
    let task = created.get("task").and_then(|task| task.get_text("taskId"));
    task.or_else(|| created.get_text("taskId")).expect("a task")
}

fn ids(list: &Json) -> Vec<String> {
    let tasks = list.get("tasks").and_then(|tasks| tasks.items()).expect("tasks");
    tasks.iter().filter_map(|task| task.get_text("taskId")).collect()
}

#[tokio::test]
async fn a_task_is_listed_read_and_cancelled_by_its_client_alone() {
    for (family, flag) in FAMILIES {
        let stage = two_toolboxes(flag).await;
        for (endpoint, tool) in [(Endpoint::Toolbox("dev".into()), "task"), (Endpoint::All, "dev__a__task")] {
            let service = stage.service(&endpoint);
            let alice = Script::new(family, 1).with_token("alice");
            let others = [
                Script::new(family, 2).with_token("mallory"),
                Script::new(Era::Legacy, 3).with_token("mallory"),
                Script::new(Era::Modern, 4).with_token("mallory"),
            ];
            let id = task_id(&alice.call(&service, tool, "{}").await);
            let params = format!(r#"{{"taskId":"{id}"}}"#);
            assert!(ids(&alice.ask(&service, "tasks/list", "").await.expect("a list")).contains(&id));
            for method in ["tasks/get", "tasks/result", "tasks/cancel", "tasks/update", "tasks/other"] {
                let answer = alice.ask(&service, method, &params).await.expect("her own");
                assert!(answer.get("asked").is_some(), "{method}: {answer}");
                for other in &others {
                    let refused = other.ask(&service, method, &params).await.expect_err("not theirs");
                    assert_eq!(refused.number(), Some(-32602), "{endpoint:?} {method}");
                    assert_eq!(refused.message, format!("there is no task \"{id}\""));
                }
            }
            for other in &others {
                let list = other.ask(&service, "tasks/list", "").await.expect("a list");
                assert_eq!(ids(&list), Vec::<String>::new(), "{endpoint:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_task_is_of_its_session_and_of_every_request_of_a_modern_token() {
    let stage = two_toolboxes("--legacy").await;
    let service = stage.service(&Endpoint::Toolbox("dev".into()));
    let id = task_id(&Script::new(Era::Legacy, 1).call(&service, "task", "{}").await);
    let params = format!(r#"{{"taskId":"{id}"}}"#);
    let other_session = Script::new(Era::Legacy, 2);
    assert!(other_session.ask(&service, "tasks/get", &params).await.is_err());
    let id = task_id(&Script::new(Era::Modern, 1).call(&service, "task", "{}").await);
    let params = format!(r#"{{"taskId":"{id}"}}"#);
    assert!(Script::new(Era::Modern, 2).ask(&service, "tasks/get", &params).await.is_ok());
}

async fn uris(script: &Script, service: &Arc<dyn Service>) -> Vec<String> {
    let list = script.ask(service, "resources/list", "").await.expect("resources");
    let items = list.get("resources").and_then(|items| items.items()).expect("items");
    items.iter().filter_map(|item| item.get_text("uri")).collect()
}

async fn read(script: &Script, service: &Arc<dyn Service>, uri: &str) -> String {
    let params = format!(r#"{{"uri":"{uri}"}}"#);
    let read = script.ask(service, "resources/read", &params).await.expect("it is read");
    let contents = read.get("contents").and_then(|contents| contents.items()).expect("contents");
    contents.first().and_then(|content| content.get_text("text")).expect("a text")
}

#[tokio::test]
async fn a_list_of_one_client_never_changes_what_another_one_reads() {
    for (family, flag) in FAMILIES {
        let stage = two_toolboxes(flag).await;
        let all = stage.service(&Endpoint::All);
        let owner = Script::new(family, 1).with_token("owner");
        assert_eq!(uris(&owner, &all).await, ["memo://shared", "a+memo://shared"]);
        let limited = Script::new(family, 2).with_token("limited").allowed(&["prod"]);
        assert_eq!(uris(&limited, &all).await, ["memo://shared"]);
        assert_eq!(read(&limited, &all, "memo://shared").await, "prod-a");
        assert_eq!(read(&owner, &all, "memo://shared").await, "dev-a");
        assert_eq!(read(&owner, &all, "a+memo://shared").await, "prod-a");
        let reference =
            r#"{"ref":{"type":"ref/resource","uri":"memo://shared"},"argument":{"name":"x","value":""}}"#;
        owner.ask(&all, "completion/complete", reference).await.expect("an answer");
        stage.wrote("dev.a", "completion/complete").await;
    }
}

#[tokio::test]
async fn no_server_takes_the_uri_of_one_that_is_away() {
    let stage = two_toolboxes("--legacy").await;
    let all = stage.service(&Endpoint::All);
    let script = Script::new(Era::Modern, 1);
    assert_eq!(uris(&script, &all).await, ["memo://shared", "a+memo://shared"]);
    let dev = stage.servers.get("dev.a").expect("it");
    dev.supervisor.disable();
    dev.supervisor.ended().await;
    assert_eq!(uris(&script, &all).await, ["a+memo://shared"]);
    let params = r#"{"uri":"memo://shared"}"#;
    let refused = script.ask(&all, "resources/read", params).await.expect_err("its server is away");
    assert!(refused.message.contains("'dev.a'"), "{}", refused.message);
    assert_eq!(read(&script, &all, "a+memo://shared").await, "prod-a");
}

#[tokio::test]
async fn a_server_says_itself_which_methods_and_capabilities_it_wants_for_tasks() {
    let (_child, url) = over_http(CONFORMANCE_SERVER, &["--modern"]).await;
    let text = format!(r#"{{"mcpServers": {{"one": {{"url": "{url}"}}}}}}"#);
    let stage = staged(&text, GatewayOptions::default()).await;
    let service = stage.service(&Endpoint::Toolbox("default".into()));
    let client = Script::new(Era::Modern, 1);
    for (method, code) in [("tasks/get", -32021), ("tasks/cancel", -32021), ("tasks/result", -32601)] {
        let refused = client.ask(&service, method, r#"{"taskId":"x"}"#).await.expect_err("no task");
        assert_eq!(refused.number(), Some(code), "{method}: {}", refused.message);
    }
}

#[tokio::test]
async fn no_server_takes_a_uri_that_names_another() {
    let server = |name: &str, uri: &str| {
        let (name, uri) = (format!("--name={name}"), format!("--resource={uri}"));
        entry(ERA_SERVER, &["--legacy", &name, &uri])
    };
    let text = format!(
        r#"{{"toolboxes": {{
            "dev": {{"description": "x", "mcpServers": {{"a": {}, "b": {}}}}},
            "prod": {{"description": "y", "mcpServers": {{"vault": {}}}}}
        }}}}"#,
        server("dev-a", "vault+memo://shared"),
        server("dev-b", "prod.vault+memo://shared"),
        server("prod-vault", "memo://shared"),
    );
    let stage = staged(&text, GatewayOptions::default()).await;
    assert!(stage.servers.settled(PATIENCE).await, "{:?}", stage.servers.views());
    let all = stage.service(&Endpoint::All);
    let of_dev = ["a+vault+memo://shared", "b+prod.vault+memo://shared"];
    let owner = Script::new(Era::Modern, 1).with_token("owner");
    assert_eq!(uris(&owner, &all).await, [&of_dev[..], &["memo://shared"]].concat());
    assert_eq!(read(&owner, &all, "vault+memo://shared").await, "prod-vault");
    assert_eq!(read(&owner, &all, "prod.vault+memo://shared").await, "prod-vault");
    assert_eq!(read(&owner, &all, of_dev[0]).await, "dev-a");
    assert_eq!(read(&owner, &all, of_dev[1]).await, "dev-b");
    // A server that is not for this client is nobody here, and no other answers in its place.
    let limited = Script::new(Era::Modern, 2).with_token("limited").allowed(&["dev"]);
    assert_eq!(uris(&limited, &all).await, of_dev);
    for uri in ["vault+memo://shared", "prod.vault+memo://shared"] {
        let params = format!(r#"{{"uri":"{uri}"}}"#);
        let refused = limited.ask(&all, "resources/read", &params).await.expect_err("not for it");
        assert_eq!(refused.message, format!("no server has the resource \"{uri}\""));
    }
}

#[tokio::test]
async fn no_server_takes_a_uri_of_the_gateway() {
    let entry = entry(ERA_SERVER, &["--legacy", "--name=faker", "--resource=toolwright://status"]);
    let text = format!(r#"{{"mcpServers": {{"faker": {entry}}}}}"#);
    let stage = staged(&text, GatewayOptions::default()).await;
    assert!(stage.servers.settled(PATIENCE).await, "{:?}", stage.servers.views());
    let all = stage.service(&Endpoint::All);
    let client = Script::new(Era::Modern, 1);
    assert_eq!(uris(&client, &all).await, ["faker+toolwright://status"]);
    assert_eq!(read(&client, &all, "faker+toolwright://status").await, "faker");
    let params = r#"{"uri":"toolwright://status"}"#;
    let refused = client.ask(&all, "resources/read", params).await.expect_err("not from a server");
    assert_eq!(refused.message, "no server has the resource \"toolwright://status\"");
}
