//! Modern clients that are asked: the call waits behind a sealed state.

use std::sync::atomic::Ordering;
use std::time::Duration;

use toolwright_jsonrpc::Json;
use toolwright_mcp::front::{FrontLimits, Visitor};

use crate::scripted::*;
use http::StatusCode;

fn quoted(text: &str) -> Json {
    Json::text(text)
}

/// The state and the keys of the questions in an answer.
fn asked(answer: &Json) -> (String, Vec<String>) {
    let result = answer.get("result").unwrap_or_else(|| panic!("{answer}"));
    assert_eq!(result.get_text("resultType").as_deref(), Some("input_required"), "{result}");
    let questions = result.get("inputRequests").expect("there");
    let keys = questions.members().expect("there").iter().map(|member| member.key.to_string()).collect();
    (result.get_text("requestState").expect("there"), keys)
}

fn text(answer: &Json) -> String {
    let content = answer.get("result").unwrap_or_else(|| panic!("{answer}")).get("content").expect("there");
    content.items().expect("there")[0].get_text("text").expect("there")
}

async fn ask(house: &House, tool: &str) -> Json {
    body_json(house.modern("tools/call", &format!(r#""name":"{tool}","arguments":{{"a":1}}"#)).await).await
}

async fn retry(house: &House, tool: &str, state: &str, responses: &str) -> Json {
    let state = quoted(state);
    let params = format!(
        r#""name":"{tool}","arguments":{{ "a" : 1 }},"inputResponses":{responses},"requestState":{state}"#
    );
    body_json(house.modern_with(2, "tools/call", &params, r#"{"elicitation":{}}"#, "").await).await
}

#[tokio::test]
async fn a_question_parks_the_call_and_its_answer_goes_on_with_it() {
    let house = House::new();
    let answer = ask(&house, "ask").await;
    let (state, keys) = asked(&answer);
    assert!(state.starts_with("tw1."));
    let question = answer.get("result").unwrap().get("inputRequests").unwrap().get(&keys[0]).unwrap();
    assert_eq!(
        question.as_str(),
        r#"{"method":"elicitation/create","params":{"requestedSchema":{"type":"object"},"message":"name?"}}"#
    );
    let counts = house.fronts.counts();
    assert_eq!((counts.parked_calls, counts.requests_in_flight), (1, 0));
    let responses = format!(r#"{{"{}":{{"action":"accept","content":{{"n":1.0}}}},"other":{{}}}}"#, keys[0]);
    let answer = retry(&house, "ask", &state, &responses).await;
    assert_eq!(answer.get("id").unwrap().as_str(), "2");
    assert_eq!(text(&answer), r#"{"action":"accept","content":{"n":1.0}}"#);
    assert_eq!(answer.get("result").unwrap().get_text("resultType").as_deref(), Some("complete"));
    assert_eq!(house.service.seen().len(), 1, "the call was made once");
    assert_eq!(house.fronts.counts().parked_calls, 0);
    // The state is used up.
    let answer = retry(&house, "ask", &state, &responses).await;
    assert_eq!(error_code(&answer), Some(-32602));
}

#[tokio::test]
async fn a_call_may_ask_again_and_several_things_at_once() {
    let house = House::new();
    let (state, keys) = asked(&ask(&house, "ask-twice").await);
    let (state, next) =
        asked(&retry(&house, "ask-twice", &state, &format!(r#"{{"{}":{{"n":1}}}}"#, keys[0])).await);
    assert_ne!(keys, next);
    let answer = retry(&house, "ask-twice", &state, &format!(r#"{{"{}":{{"n":2}}}}"#, next[0])).await;
    assert_eq!(text(&answer), r#"{"n":1} {"n":2}"#);

    let (state, keys) = asked(&ask(&house, "ask-both").await);
    assert_eq!(keys.len(), 2);
    // One answer is not enough: the other question is asked again.
    let (state, left) =
        asked(&retry(&house, "ask-both", &state, &format!(r#"{{"{}":{{"n":1}}}}"#, keys[0])).await);
    assert_eq!(left, keys[1..]);
    let (state, left) = asked(&retry(&house, "ask-both", &state, r#"{"unknown":{}}"#).await);
    assert_eq!(left, keys[1..]);
    let answer = retry(&house, "ask-both", &state, &format!(r#"{{"{}":{{"n":2}}}}"#, keys[1])).await;
    assert_eq!(text(&answer), r#"{"n":1} {"n":2}"#);
}

#[tokio::test]
async fn a_stream_ends_with_the_question() {
    let house = House::new();
    let params = r#""name":"ask-after-progress","arguments":{"a":1}"#;
    let token = r#""progressToken":"one""#;
    let response = house.modern_with(1, "tools/call", params, r#"{"elicitation":{}}"#, token).await;
    let events = Stream::of(response).rest().await;
    assert_eq!(events.len(), 2);
    let (state, keys) = asked(&events[1].json());
    let params =
        format!(r#"{params},"inputResponses":{{"{}":{{}}}},"requestState":{}"#, keys[0], quoted(&state));
    let token = r#""progressToken":"two""#;
    let response = house.modern_with(2, "tools/call", &params, r#"{"elicitation":{}}"#, token).await;
    let events = Stream::of(response).rest().await;
    assert_eq!(events.len(), 2);
    // The retry has its own token.
    assert_eq!(events[0].json().get("params").unwrap().get_text("progressToken").as_deref(), Some("two"));
    assert!(events[1].json().get("result").is_some());
}

#[tokio::test]
async fn a_state_that_was_changed_or_is_for_something_else_is_refused() {
    let mut house = House::new();
    let (state, keys) = asked(&ask(&house, "ask").await);
    let responses = format!(r#"{{"{}":{{}}}}"#, keys[0]);
    let mut wrong: Vec<String> = (4..state.len())
        .step_by(7)
        .map(|at| {
            let mut bytes = state.clone().into_bytes();
            bytes[at] = if bytes[at] == b'x' { b'y' } else { b'x' };
            String::from_utf8(bytes).unwrap()
        })
        .collect();
    wrong.extend(["tw1.".to_owned(), "tw1.AAAA".to_owned(), format!("{state}A"), state[..40].to_owned()]);
    for wrong in wrong {
        let answer = retry(&house, "ask", &wrong, &responses).await;
        assert_eq!(error_code(&answer), Some(-32602), "{wrong}");
    }
    // Another tool, other arguments, another method.
    assert_eq!(error_code(&retry(&house, "ask-twice", &state, &responses).await), Some(-32602));
    let params = format!(
        r#""name":"ask","arguments":{{"a":2}},"inputResponses":{responses},"requestState":{}"#,
        quoted(&state)
    );
    assert_eq!(error_code(&body_json(house.modern("tools/call", &params).await).await), Some(-32602));
    let params = format!(r#""name":"ask","inputResponses":{responses},"requestState":{}"#, quoted(&state));
    assert_eq!(error_code(&body_json(house.modern("prompts/get", &params).await).await), Some(-32602));
    // Answers of the wrong shape.
    for odd in ["[]", "5", r#"{"a":5}"#, r#"{"a":null}"#] {
        assert_eq!(error_code(&retry(&house, "ask", &state, odd).await), Some(-32602), "{odd}");
    }
    // Another visitor, another endpoint.
    house.visitor = Visitor::everywhere("somebody");
    assert_eq!(error_code(&retry(&house, "ask", &state, &responses).await), Some(-32602));
    house.visitor = Visitor::everywhere("desk");
    house.endpoint = "/mcp/all".into();
    assert_eq!(error_code(&retry(&house, "ask", &state, &responses).await), Some(-32602));
    house.endpoint = "/mcp".into();
    // Another process with the same key does not have the call.
    let other = House::new();
    let answer = retry(&other, "ask", &state, &responses).await;
    assert_eq!(error_code(&answer), Some(-32602));
    assert!(answer.get("error").unwrap().get_text("message").unwrap().contains("again"), "{answer}");
    // Nothing of that hurt the call.
    assert_eq!(text(&retry(&house, "ask", &state, &responses).await), "{}");
    assert_eq!(house.service.seen().len(), 1);
}

#[tokio::test]
async fn a_call_does_not_wait_for_ever() {
    let house = House::with(FrontLimits { parked: Duration::from_millis(50), ..FrontLimits::default() });
    let (state, keys) = asked(&ask(&house, "ask").await);
    assert_eq!(house.fronts.counts().parked_calls, 1);
    until("the call is forgotten", || house.fronts.counts().parked_calls == 0).await;
    until("its work ends", || house.service.dropped.load(Ordering::SeqCst) == 1).await;
    let answer = retry(&house, "ask", &state, &format!(r#"{{"{}":{{}}}}"#, keys[0])).await;
    assert_eq!(error_code(&answer), Some(-32602));
}

#[tokio::test]
async fn only_so_many_calls_wait() {
    let limits = FrontLimits { parked_calls: 3, parked_calls_per_visitor: 2, ..FrontLimits::default() };
    let mut house = House::with(limits);
    for _ in 0..2 {
        asked(&ask(&house, "ask").await);
    }
    let refused = ask(&house, "ask").await;
    assert_eq!(error_code(&refused), Some(-32603), "{refused}");
    house.visitor = Visitor::everywhere("other");
    asked(&ask(&house, "ask").await);
    assert_eq!(error_code(&ask(&house, "ask").await), Some(-32603));
    assert_eq!(house.fronts.counts().parked_calls, 3);
    house.fronts.close();
    assert_eq!(house.fronts.counts().parked_calls, 0);
}

#[tokio::test]
async fn nobody_is_asked_for_what_it_did_not_declare() {
    let house = House::new();
    let answer = ask(&house, "ask-sampling").await;
    assert_eq!(error_code(&answer), Some(-32601));
    let params = r#""name":"ask","arguments":{}"#;
    let response = house.modern_with(1, "tools/call", params, "{}", "").await;
    assert_eq!(error_code(&body_json(response).await), Some(-32601));
    // A resource may ask, a completion may not.
    asked(&body_json(house.modern("resources/read", r#""uri":"test:ask""#).await).await);
    let response = house.modern("completion/complete", r#""name":"ask""#).await;
    assert_eq!(response.status(), StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_question_that_nobody_waits_for_is_not_asked_again() {
    let house = House::new();
    let (state, keys) = asked(&ask(&house, "ask-and-leave").await);
    house.service.go.notify_one();
    until("the call ends", || house.service.finished.load(Ordering::SeqCst) == 1).await;
    let answer = retry(&house, "ask-and-leave", &state, &format!(r#"{{"{}":{{}}}}"#, keys[0])).await;
    assert_eq!(text(&answer), "left");
}
