//! Whole requests and answers between two who speak the same dialect.

use crate::pass_support as support;

use std::borrow::Cow;

use support::mender;
use toolwright_llm::Dialect::{self, AnthropicMessages, OllamaChat, OpenAiChat, OpenAiResponses};
use toolwright_llm::form::Stop;
use toolwright_llm::pass::{PassOptions, PassedAnswer, answer, request};

fn answered(dialect: Dialect, body: &str) -> PassedAnswer<'_> {
    answer(dialect, body, &PassOptions::default(), &mender())
}

const ANSWERS: [(Dialect, &str); 4] = [
    (
        AnthropicMessages,
        r#"{ "id":"m1", "type":"message","role":"assistant","model":"up","content":[{"type":"server_tool_use","id":"s","name":"READ_FILE","input":{"file_path":1}},{"type":"tool_use","id":"t1","name":"NAME","input":{"KEY": "/a" , "lines" : 1}}],"stop_reason":"tool_use","usage":{"input_tokens":3,"output_tokens":4},"new":1.0}"#,
    ),
    (
        OpenAiChat,
        r#"{"id":"c1","object":"chat.completion","model":"up","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"NAME","arguments":"{\"KEY\": \"/a\" , \"lines\" : 1}"}}]},"finish_reason":"tool_calls"}], "usage":{"prompt_tokens":3,"completion_tokens":4}}"#,
    ),
    (
        OpenAiResponses,
        r#"{"id":"r1","object":"response","status":"completed","error":null,"model":"up","output":[{"type":"reasoning","id":"x","summary":[]},{"type":"function_call","id":"f","call_id":"c","name":"NAME","arguments":"{\"KEY\": \"/a\" , \"lines\" : 1}"}],"usage":{"input_tokens":3,"output_tokens":4}}"#,
    ),
    (
        OllamaChat,
        r#"{"model":"up","created_at":"t","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"NAME","arguments":{"KEY": "/a" , "lines" : 1}}}]},"done_reason":"stop","done":true,"prompt_eval_count":3,"eval_count":4}"#,
    ),
];

fn with(text: &str, name: &str, key: &str) -> String {
    text.replace("NAME", name).replace("KEY", key)
}

#[test]
fn an_answer_without_mistakes_is_the_same_bytes() {
    for (dialect, text) in ANSWERS {
        let text = with(text, "read_file", "path");
        let passed = answered(dialect, &text);
        assert!(matches!(passed.body, Cow::Borrowed(_)), "{dialect:?}: {}", passed.body);
        assert_eq!((passed.usage.input, passed.usage.output), (Some(3), Some(4)));
        assert_eq!((passed.stop, passed.model.as_deref()), (Some(Stop::ToolUse), Some("up")));
    }
}

#[test]
fn the_calls_of_an_answer_are_mended() {
    for (dialect, text) in ANSWERS {
        let sent = with(text, "Read-File", "file_path");
        let passed = answered(dialect, &sent);
        let expected = with(text, "read_file", "path");
        assert_eq!(without_space(&passed.body), without_space(&expected));
        assert!(passed.reports.iter().any(|report| report.is_changed()));
        // What stands before and behind the call is as it was.
        let (before, after) = text.split_once("NAME").expect("it is there");
        let after = after.rsplit_once("1}").expect("it is there").1;
        assert!(passed.body.starts_with(before) && passed.body.ends_with(after), "{}", passed.body);
    }
}

fn without_space(text: &str) -> String {
    text.replace(' ', "")
}

#[test]
fn the_model_is_the_one_that_was_asked_for() {
    for (dialect, text) in ANSWERS {
        let text = with(text, "read_file", "path");
        let options = PassOptions { model: Some("mine".to_owned()), ..PassOptions::default() };
        let passed = answer(dialect, &text, &options, &mender());
        assert_eq!(passed.body, text.replace("\"up\"", "\"mine\""));
    }
}

#[test]
fn a_stop_after_a_call_is_corrected() {
    let text = with(ANSWERS[1].1, "read_file", "path").replace("\"tool_calls\"}", "\"stop\"}");
    let passed = answered(OpenAiChat, &text);
    assert_eq!(passed.body, text.replace("\"stop\"", "\"tool_calls\""));
    assert_eq!(passed.notes.as_slice()[0].code, "stop_reason_corrected");
    let text =
        with(ANSWERS[0].1, "read_file", "path").replace("\"tool_use\",\"usage", "\"end_turn\",\"usage");
    assert_eq!(answered(AnthropicMessages, &text).body, text.replace("end_turn", "tool_use"));
}

#[test]
fn a_call_that_was_cut_off_stays_as_it_was_sent() {
    let text = ANSWERS[1].1.replace(r#"{\"KEY\": \"/a\" , \"lines\" : 1}"#, r#"{\"file_path\": \"/a"#);
    let text = with(&text, "read_file", "").replace("\"tool_calls\"}", "\"length\"}");
    let passed = answered(OpenAiChat, &text);
    assert_eq!((passed.body.as_ref(), passed.stop), (text.as_str(), Some(Stop::MaxTokens)));
}

#[test]
fn what_is_no_answer_passes() {
    for dialect in Dialect::ALL {
        for text in [
            "",
            "<html>",
            "{",
            "[]",
            "null",
            r#"{"error":{"message":"no"}}"#,
            r#"{"choices":3,"content":{}}"#,
        ] {
            assert_eq!(answered(dialect, text).body, text);
        }
    }
}

const REQUESTS: [(Dialect, &str); 4] = [
    (
        AnthropicMessages,
        r#"{"model": "asked","max_tokens":9,"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"thinking","thinking":"","signature":"x=="},{"type":"tool_use","id":"t","name":"read_file","input":{"KEY":"a"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"model"}]}], "tools":[{"name":"read_file","input_schema":{"type":"object"}}]}"#,
    ),
    (
        OpenAiChat,
        r#"{"model": "asked","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"read_file","arguments":"{\"KEY\":\"a\"}"}}]},{"role":"tool","tool_call_id":"a","content":"x"}],"seed":1.50}"#,
    ),
    (
        OpenAiResponses,
        r#"{"model": "asked","input":[{"role":"user","content":"hi"},{"type":"function_call","call_id":"a","name":"read_file","arguments":"{\"KEY\":\"a\"}"},{"type":"function_call_output","call_id":"a","output":"x"}]}"#,
    ),
    (
        OllamaChat,
        r#"{"model": "asked","messages":[{"role":"assistant","content":"","tool_calls":[{"function":{"name":"read_file","arguments":{"KEY":"a"}}}]},{"role":"tool","tool_name":"read_file","content":"x"}]}"#,
    ),
];

#[test]
fn a_request_without_mistakes_is_the_same_bytes() {
    for (dialect, text) in REQUESTS {
        let text = text.replace("KEY", "path");
        let passed = request(dialect, &text, None, &mender());
        assert!(matches!(passed.body, Cow::Borrowed(_)) && passed.reports.is_empty(), "{}", passed.body);
        let passed = request(dialect, &text, Some("theirs"), &mender());
        assert_eq!(passed.body, text.replace("\"asked\"", "\"theirs\""));
    }
}

#[test]
fn the_calls_of_a_history_are_mended() {
    for (dialect, text) in REQUESTS {
        let sent = text.replace("KEY", "file_path");
        let passed = request(dialect, &sent, None, &mender());
        assert_eq!(passed.body, text.replace("KEY", "path"));
        assert_eq!(passed.reports.len(), 1);
    }
}

#[test]
fn a_string_in_the_place_of_an_object_becomes_one() {
    let text = REQUESTS[3].1.replace(r#"{"KEY":"a"}"#, r#""{\"path\":\"a\"}""#);
    let passed = request(OllamaChat, &text, None, &mender());
    assert_eq!(passed.body, REQUESTS[3].1.replace("KEY", "path"));
}

#[test]
fn a_text_that_is_a_call_is_told_as_a_call() {
    let call = r#"<tool_call>{\"name\": \"read_file\", \"arguments\": {\"path\": \"x\"}}</tool_call>"#;
    let options = PassOptions {
        text_tools: vec!["read_file".to_owned()],
        id_seed: "s".to_owned(),
        ..PassOptions::default()
    };
    let cases = [
        (
            OpenAiChat,
            r#"{"choices":[{"index":0,"message":{"role":"assistant","content":"CALL"},"finish_reason":"stop"}]}"#,
            r#"{"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_s_0","type":"function","function":{"name":"read_file","arguments":"{\"path\": \"x\"}"}}]},"finish_reason":"tool_calls"}]}"#,
        ),
        (
            OpenAiChat,
            r#"{"choices":[{"index":0,"message":{"tool_calls":null,"content":"CALL"},"finish_reason":"stop"}]}"#,
            r#"{"choices":[{"index":0,"message":{"tool_calls":[{"id":"call_s_0","type":"function","function":{"name":"read_file","arguments":"{\"path\": \"x\"}"}}],"content":null},"finish_reason":"tool_calls"}]}"#,
        ),
        (
            AnthropicMessages,
            r#"{"type":"message","content":[{"type":"text","text":"CALL"}],"stop_reason":"end_turn"}"#,
            r#"{"type":"message","content":[{"type":"tool_use","id":"toolu_s_0","name":"read_file","input":{"path": "x"}}],"stop_reason":"tool_use"}"#,
        ),
        (
            OllamaChat,
            r#"{"message":{"role":"assistant","content":"CALL"},"done_reason":"stop","done":true}"#,
            r#"{"message":{"role":"assistant","content":"","tool_calls":[{"id":"call_s_0","function":{"name":"read_file","arguments":{"path": "x"}}}]},"done_reason":"stop","done":true}"#,
        ),
        (
            OpenAiResponses,
            r#"{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"CALL"}]}]}"#,
            r#"{"status":"completed","output":[{"type":"function_call","id":"fc_s_0","call_id":"call_s_0","name":"read_file","arguments":"{\"path\": \"x\"}","status":"completed"}]}"#,
        ),
    ];
    for (dialect, sent, expected) in cases {
        let sent = sent.replace("CALL", call);
        let passed = answer(dialect, &sent, &options, &mender());
        assert_eq!(passed.body, expected);
        assert_eq!(passed.stop, Some(Stop::ToolUse));
        let words = sent.replace("<tool_call>", "Well: <tool_call>");
        assert_eq!(answer(dialect, &words, &options, &mender()).body, words);
    }
}

#[test]
fn calls_without_an_id_of_their_own_get_one() {
    let call =
        |id: &str| format!(r#"{{{id}"function":{{"name":"read_file","arguments":"{{\"path\":\"x\"}}"}}}}"#);
    let answer = |calls: &[String]| {
        let calls = calls.join(", ");
        format!(r#"{{"choices":[{{"message":{{"tool_calls":[{calls}]}},"finish_reason":"tool_calls"}}]}}"#)
    };
    let passed = |body: &str| {
        let options = PassOptions { id_seed: "seed".to_owned(), ..PassOptions::default() };
        toolwright_llm::pass::answer(OpenAiChat, body, &options, &mender()).body.into_owned()
    };
    let odd = answer(&[call(""), call(r#""id":null,"#), call(r#""id":"a","#), call(r#""id":"a","#)]);
    let made = |number: u8| format!(r#""id":"call_seed_{number}","type":"function","#);
    let put = |number: u8| format!(r#""type":"function","id":"call_seed_{number}","#);
    let wanted = answer(&[call(&made(0)), call(&put(1)), call(r#""id":"a","#), call(&put(3))]);
    assert_eq!(passed(&odd), wanted);
    // What can be told apart stays, whatever its ids look like.
    let good = answer(&[call(r#""id":"1","#), call(r#""id":"2","type":"function","#)]);
    assert_eq!(passed(&good), good);
}
