//! A request and its whole answer, between all dialects: what is read once, what is forgotten, what is no answer.

use std::sync::Arc;

use toolwright_llm::exchange::{Asked, Fresh, Mending};
use toolwright_llm::{Dialect, Target};
use toolwright_normalizer::{Normalizer, RuleSet};

/// A question in each dialect, and an answer that calls the tool.
const SPOKEN: [(Dialect, &str, &str); 4] = [
    (
        Dialect::AnthropicMessages,
        r#"{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"the weather?"}],"tools":[{"name":"weather","input_schema":{"type":"object","properties":{"city":{"type":"string"}}}}]}"#,
        r#"{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"tool_use","id":"toolu_1","name":"weather","input":{"city":"Oslo"}}],"stop_reason":"tool_use","usage":{"input_tokens":3,"output_tokens":2}}"#,
    ),
    (
        Dialect::OpenAiChat,
        r#"{"model":"m","messages":[{"role":"user","content":"the weather?"}],"tools":[{"type":"function","function":{"name":"weather","parameters":{"type":"object","properties":{"city":{"type":"string"}}}}}]}"#,
        r#"{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Oslo\"}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}"#,
    ),
    (
        Dialect::OpenAiResponses,
        r#"{"model":"m","instructions":"be brief","input":"the weather?","tools":[{"type":"function","name":"weather","parameters":{"type":"object","properties":{"city":{"type":"string"}}}}]}"#,
        r#"{"id":"resp_1","object":"response","created_at":1,"status":"completed","model":"m","output":[{"type":"function_call","id":"fc_1","call_id":"call_1","name":"weather","arguments":"{\"city\":\"Oslo\"}","status":"completed"}],"usage":{"input_tokens":3,"output_tokens":2,"total_tokens":5}}"#,
    ),
    (
        Dialect::OllamaChat,
        r#"{"model":"m","stream":false,"messages":[{"role":"user","content":"the weather?"}],"tools":[{"type":"function","function":{"name":"weather","parameters":{"type":"object","properties":{"city":{"type":"string"}}}}}]}"#,
        r#"{"model":"m","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"weather","arguments":{"city":"Oslo"}}}]},"done":true,"done_reason":"stop","prompt_eval_count":3,"eval_count":2}"#,
    ),
];

fn mending() -> Mending {
    Mending { normalizer: Arc::new(Normalizer::new(RuleSet::default())), cache: Arc::default() }
}

fn fresh() -> Fresh {
    Fresh { id: "0123456789abcdefghijABCD".to_owned(), created: 1 }
}

#[test]
fn what_is_forgotten_is_not_needed_for_the_answer() {
    for (front, question, _) in SPOKEN {
        for (upstream, _, answer) in SPOKEN {
            let asked = Asked::read(front, question.as_bytes()).expect("a question");
            let target = Target::new(upstream, "m");
            let kept = asked.prepare(&target, &mending(), &fresh()).expect("prepared");
            let mut forgetful = asked.prepare(&target, &mending(), &fresh()).expect("prepared");
            let what = format!("{} to {}", front.name(), upstream.name());
            let before = kept.whole(200, answer.as_bytes());
            drop((asked, kept));
            forgetful.forget_asked();
            let after = forgetful.whole(200, answer.as_bytes());
            let text = String::from_utf8(after.body).expect("UTF-8");
            assert_eq!(
                (after.status, String::from_utf8(before.body).expect("UTF-8")),
                (200, text.clone()),
                "{what}"
            );
            assert!(text.contains("weather") && text.contains("Oslo"), "{what}: {text}");
        }
    }
}

#[test]
fn what_is_no_answer_is_told_as_the_upstreams_fault_whoever_asks() {
    for (front, question, _) in SPOKEN {
        for (upstream, ..) in SPOKEN {
            let asked = Asked::read(front, question.as_bytes()).expect("a question");
            let prepared =
                asked.prepare(&Target::new(upstream, "m"), &mending(), &fresh()).expect("prepared");
            for (body, told) in [
                ("<html><body>Bad gateway</body></html>", "no JSON: Bad gateway"),
                ("", "the upstream's answer is empty"),
                ("[1]", "check the kind"),
                (r#"{"error":{"type":"overloaded_error","message":"too busy"}}"#, "too busy"),
            ] {
                for answer in [
                    prepared.whole(200, body.as_bytes()),
                    *prepared.whole_as_stream(200, body.as_bytes()).expect_err("no answer"),
                ] {
                    let text = String::from_utf8(answer.body).expect("UTF-8");
                    let what = format!("{} to {}: {body}", front.name(), upstream.name());
                    assert!(answer.status >= 500 && answer.report.failure.is_some(), "{what}: {text}");
                    assert!(text.contains(told), "{what}: {text}");
                }
            }
        }
    }
}

#[test]
fn an_answer_that_says_nothing_is_one_all_the_same() {
    let empty = [
        (
            Dialect::AnthropicMessages,
            r#"{"type":"message","role":"assistant","content":[],"stop_reason":"end_turn"}"#,
        ),
        (
            Dialect::OpenAiChat,
            r#"{"choices":[{"message":{"role":"assistant","content":""},"finish_reason":"stop"}]}"#,
        ),
        (Dialect::OpenAiResponses, r#"{"object":"response","status":"completed","output":[]}"#),
        (Dialect::OllamaChat, r#"{"message":{"role":"assistant","content":""},"done":true}"#),
    ];
    for (front, question, _) in SPOKEN {
        for (upstream, body) in empty {
            let asked = Asked::read(front, question.as_bytes()).expect("a question");
            let prepared =
                asked.prepare(&Target::new(upstream, "m"), &mending(), &fresh()).expect("prepared");
            let answer = prepared.whole(200, body.as_bytes());
            let text = String::from_utf8(answer.body).expect("UTF-8");
            assert_eq!(answer.status, 200, "{} to {}: {text}", front.name(), upstream.name());
        }
    }
}

#[test]
fn a_question_that_names_what_decides_twice_is_refused() {
    for (front, ..) in SPOKEN {
        let twice = r#"{"model":"a","messages":[],"input":[],"max_tokens":1,"model":"b"}"#;
        let failure = Asked::read(front, twice.as_bytes()).err().expect("refused");
        assert!(failure.message.contains("model stands in the request twice"), "{failure}");
    }
}
