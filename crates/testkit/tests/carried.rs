//! What a server and its callers say to each other arrives byte for byte, in both eras.

use crate::era;

use std::sync::{Arc, Mutex};

use era::{BOTH, Listener, ODD, call, json, met, options};
use toolwright_jsonrpc::Json;
use toolwright_mcp::{Era, Peer, RequestError, RequestOptions};

/// The params that came to the server, without what every request has.
fn came(result: &Json) -> String {
    let asked = result.get("asked").unwrap_or_else(|| panic!("what was asked: {result}"));
    let meta = asked.get("_meta").expect("a token for progress");
    let keys: Vec<String> =
        meta.members().expect("an object").into_iter().map(|member| member.key.into_owned()).collect();
    let meta = keys
        .iter()
        .filter(|key| key.starts_with("io.modelcontextprotocol/") || *key == "progressToken")
        .fold(meta, |meta, key| meta.without(key));
    match meta.as_str() {
        "{}" => asked.without("_meta").to_string(),
        _ => asked.with("_meta", &meta).to_string(),
    }
}

async fn crosses(peer: &Peer, method: &str) {
    let params = format!(r#"{{"name":"x","odd":{ODD},"_meta":{{"x/y":1.0}},"last":"\ud83d\ude00"}}"#);
    let result = peer.request(method, Some(json(&params)), &options()).await.expect("an answer");
    assert_eq!(came(&result), params, "{method}");
    assert_eq!(result.get("odd").expect("odd").as_str(), ODD, "{method}");
}

#[tokio::test]
async fn requests_and_results_cross_byte_for_byte() {
    for (flag, era) in BOTH {
        let (peer, _) = met(&[flag], Listener::answering("{}")).await;
        assert_eq!(peer.era(), era);
        for method in [
            "tools/call",
            "resources/read",
            "resources/list",
            "resources/templates/list",
            "prompts/get",
            "prompts/list",
            "completion/complete",
            "tasks/get",
            "tasks/result",
            "tasks/list",
            "tasks/update",
            "tasks/cancel",
            "x-vendor/anything",
        ] {
            crosses(&peer, method).await;
        }
    }
}

#[tokio::test]
async fn an_error_of_the_server_keeps_code_data_and_more() {
    for (flag, _) in BOTH {
        let (peer, _) = met(&[flag], Listener::answering("{}")).await;
        let error = peer.request("fails", None, &options()).await.unwrap_err();
        let RequestError::Server(error) = error else { panic!("{error}") };
        assert_eq!(
            error.to_json().as_str(),
            format!(r#"{{"code":-32002,"message":"as it was asked to","data":{ODD},"hint":1.0}}"#)
        );
    }
}

#[tokio::test]
async fn notifications_of_every_kind_reach_the_host() {
    for (flag, _) in BOTH {
        let host = Listener::answering("{}");
        let (peer, _) = met(&[flag], host.clone()).await;
        for method in [
            "notifications/message",
            "notifications/tasks/status",
            "notifications/elicitation/complete",
            "notifications/resources/updated",
            "notifications/prompts/list_changed",
            "notifications/x-vendor",
            // Of a request that nobody waits for.
            "notifications/progress",
        ] {
            call(&peer, "tell", &format!(r#"{{"method":"{method}","params":{ODD}}}"#)).await;
            assert_eq!(host.heard(method).await.as_str(), ODD, "{method}");
        }
    }
}

#[tokio::test]
async fn questions_of_a_server_reach_the_host_and_its_answers_the_server() {
    let answer =
        r#"{"action":"accept","content":{"n":1.0,"big":12345678901234567890},"_meta":{"a/b":[ 1 ]}}"#;
    for (flag, era) in BOTH {
        for method in ["elicitation/create", "sampling/createMessage", "roots/list"] {
            let host = Listener::answering(answer);
            let (peer, _) = met(&[flag], host.clone()).await;
            let result = call(&peer, "ask", &format!(r#"{{"method":"{method}","params":{ODD}}}"#)).await;
            let answered = result.get("answered").expect("an answer");
            match era {
                Era::Legacy => assert_eq!(answered.as_str(), answer),
                Era::Modern => assert_eq!(answered.as_str(), format!(r#"{{"q \"1\"":{answer}}}"#)),
            }
            let asked = host.asked.lock().expect("no panic before");
            assert_eq!(asked.len(), 1, "{method}");
            assert_eq!(asked[0].method, method);
            assert_eq!(asked[0].params.as_ref().expect("params").as_str(), ODD);
        }
    }
}

#[tokio::test]
async fn progress_and_task_results_are_passed_on_as_they_are() {
    for (flag, _) in BOTH {
        let (peer, _) = met(&[flag], Listener::answering("{}")).await;
        let heard = Arc::new(Mutex::new(Vec::new()));
        let tell = Arc::clone(&heard);
        let options = RequestOptions {
            on_progress: Some(Arc::new(move |params: Json| {
                tell.lock().expect("no panic before").push(params.to_string());
            })),
            ..options()
        };
        let params = json(r#"{"name":"progress","_meta":{"progressToken":"mine"}}"#);
        peer.request("tools/call", Some(params), &options).await.expect("an answer");
        let heard = heard.lock().expect("no panic before").clone();
        assert_eq!(heard, [format!(r#"{{"progressToken":"mine","progress":1.0,"odd":{ODD}}}"#)]);
        // A task in place of a result, and a call that asks for one.
        let params = format!(r#"{{"name":"x","task":{{"ttl":60000.0}},"odd":{ODD}}}"#);
        let result = peer.request("tools/call", Some(json(&params)), &options).await.expect("an answer");
        assert_eq!(came(&result), params);
    }
}
