//! Requests of clients, read.

use super::*;
use crate::form::Arguments;

fn read(messages: &str) -> Request {
    read_request(&format!(r#"{{"model":"m","messages":{messages}}}"#)).unwrap()
}

/// Ids of calls (`c`) and results (`r`), in order.
fn ids(request: &Request) -> Vec<String> {
    let id = |block: &Block| match block {
        Block::Call(call) => Some(format!("c {}", call.id.clone().unwrap())),
        Block::Result(result) => {
            Some(format!("r {} {}", result.call_id.clone().unwrap(), result.name.clone().unwrap_or_default()))
        }
        _ => None,
    };
    request.messages.iter().flat_map(|message| &message.blocks).filter_map(id).collect()
}

fn call(name: &str) -> String {
    format!(r#"{{"function":{{"name":"{name}","arguments":{{}}}}}}"#)
}

#[test]
fn a_request_is_streamed_unless_it_says_that_it_is_not() {
    assert!(read("[]").is_stream);
    assert!(!read_request(r#"{"model":"m","messages":[],"stream":false}"#).unwrap().is_stream);
}

#[test]
fn results_belong_to_calls_by_name_then_by_order() {
    let (x, y) = (call("x"), call("y"));
    let request = read(&format!(
        r#"[{{"role":"assistant","tool_calls":[{x},{y},{x}]}},{{"role":"tool","tool_name":"y","content":"1"}},
            {{"role":"tool","tool_name":"x","content":"2"}},{{"role":"tool","content":"3"}},
            {{"role":"assistant","tool_calls":[{x}]}},{{"role":"tool","content":"4"}}]"#
    ));
    assert_eq!(
        ids(&request),
        [
            "c call_0_0",
            "c call_0_1",
            "c call_0_2",
            "r call_0_1 y",
            "r call_0_0 x",
            "r call_0_2 x",
            "c call_4_0",
            "r call_4_0 x"
        ]
    );
    assert_eq!(request.messages[1].blocks.len(), 3, "results of one turn are one message");
}

#[test]
fn ids_that_are_given_stay_and_a_result_of_no_call_has_an_id_of_its_own() {
    let request = read(
        r#"[{"role":"tool","content":"early"},
            {"role":"assistant","tool_calls":[{"id":"a","function":{"name":"x","arguments":{}}},{"id":"b","function":{"name":"x"}}]},
            {"role":"tool","tool_call_id":"b","content":"1"},{"role":"tool","tool_name":"z","content":"2"},
            {"role":"tool","tool_call_id":"a","content":"3"}]"#,
    );
    assert_eq!(ids(&request), ["r call_0_0 ", "c a", "c b", "r b x", "r call_3_0 z", "r a x"]);
}

#[test]
fn options_that_only_ollama_has_are_carried() {
    let request = read_request(
        r#"{"model":"m","messages":[],"options":{"num_predict":-1,"num_ctx":4096,"temperature":0.10,"stop":["a",""]},"keep_alive":0,"think":"low","format":""}"#,
    )
    .unwrap();
    assert_eq!((request.max_tokens, request.stop.as_slice()), (None, &["a".to_owned()][..]));
    assert_eq!(request.temperature.unwrap().as_str(), "0.10");
    let extra: Vec<String> = request.extra.iter().map(|(key, value)| format!("{key}={value}")).collect();
    assert_eq!(extra, [r#"options={"num_predict":-1,"num_ctx":4096}"#, "keep_alive=0"]);
    assert_eq!(request.reasoning.unwrap().effort, Some(Effort::Low));
    assert_eq!(request.format, None);
}

#[test]
fn arguments_in_a_string_are_read_all_the_same() {
    let request = read(
        r#"[{"role":"assistant","tool_calls":[{"function":{"name":"x","arguments":"{\"a\":1}"}},{"function":{"name":"x","arguments":"{'a'"}}]}]"#,
    );
    let arguments: Vec<&str> = request.messages[0]
        .blocks
        .iter()
        .filter_map(|block| match block {
            Block::Call(Call { arguments: Arguments::Object(object), .. }) => Some(object.as_str()),
            Block::Call(Call { arguments: Arguments::Text(text), .. }) => Some(text),
            _ => None,
        })
        .collect();
    assert_eq!(arguments, [r#"{"a":1}"#, "{'a'"]);
}
