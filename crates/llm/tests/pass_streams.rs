//! Streams between two who speak the same dialect: the bytes stay, but for what was mended.

use crate::pass_support as support;

use proptest::prelude::*;
use support::mender;
use toolwright_llm::Dialect;
use toolwright_llm::form::Stop;
use toolwright_llm::pass::{PassOptions, PassStream};

const VALID: [(Dialect, &str); 4] = [
    (Dialect::AnthropicMessages, include_str!("pass/anthropic.sse")),
    (Dialect::OpenAiChat, include_str!("pass/openai_chat.sse")),
    (Dialect::OpenAiResponses, include_str!("pass/openai_responses.sse")),
    (Dialect::OllamaChat, include_str!("pass/ollama.ndjson")),
];

const MISTAKEN: [(Dialect, &str); 4] = [
    (Dialect::AnthropicMessages, include_str!("pass/anthropic_mistakes.sse")),
    (Dialect::OpenAiChat, include_str!("pass/openai_chat_mistakes.sse")),
    (Dialect::OpenAiResponses, include_str!("pass/openai_responses_mistakes.sse")),
    (Dialect::OllamaChat, include_str!("pass/ollama_mistakes.ndjson")),
];

fn stream(dialect: Dialect) -> PassStream {
    PassStream::new(dialect, mender(), &PassOptions::default())
}

/// What leaves when the bytes come in these pieces, and the connection ends.
fn passed<'b>(mut stream: PassStream, pieces: impl IntoIterator<Item = &'b [u8]>) -> (String, PassStream) {
    let mut out = Vec::new();
    for piece in pieces {
        stream.push(piece, &mut out);
    }
    stream.end(&mut out);
    assert!(!stream.is_holding());
    (String::from_utf8(out).expect("UTF-8"), stream)
}

#[test]
fn a_stream_without_mistakes_keeps_its_bytes_however_it_is_cut() {
    for (dialect, text) in VALID {
        let bytes = text.as_bytes();
        for at in 0..=bytes.len() {
            let (out, stream) = passed(stream(dialect), [&bytes[..at], &bytes[at..]]);
            assert!(out == text, "{dialect:?} cut at {at}:\n{out}");
            assert!(stream.is_over() && !stream.report().reports.iter().any(|report| report.is_changed()));
        }
        let (out, _) = passed(stream(dialect), bytes.chunks(1));
        assert!(out == text, "{dialect:?} byte by byte");
    }
}

#[test]
fn mistakes_are_mended_and_nothing_else_changes() {
    for (dialect, text) in MISTAKEN {
        let (out, stream) = passed(stream(dialect), [text.as_bytes()]);
        assert!(stream.report().reports.iter().any(|report| report.is_changed()));
        insta::assert_snapshot!(format!("mended_{}", dialect.name()), changes(text, &out));
        let bytes = text.as_bytes();
        for at in 0..=bytes.len() {
            let (cut, _) = passed(self::stream(dialect), [&bytes[..at], &bytes[at..]]);
            assert!(cut == out, "{dialect:?} cut at {at}:\n{cut}");
        }
    }
}

/// The lines that differ.
fn changes(before: &str, after: &str) -> String {
    let mut before = before.lines().peekable();
    let mut out = String::new();
    for line in after.lines() {
        // A line of ours stands before the one that is expected.
        match before.next_if(|expected| is_the_same_kind(expected, line)) {
            Some(expected) if expected == line => {}
            Some(expected) => out.push_str(&format!("- {expected}\n+ {line}\n")),
            None => out.push_str(&format!("+ {line}\n")),
        }
    }
    before.for_each(|line| out.push_str(&format!("- {line}\n")));
    out
}

fn is_the_same_kind(one: &str, other: &str) -> bool {
    let start = |line: &str| line.chars().take(24).collect::<String>();
    start(one) == start(other)
}

#[test]
fn a_stream_that_dies_gets_an_error_and_no_end() {
    for (dialect, text) in VALID.into_iter().chain(MISTAKEN) {
        let bytes = text.as_bytes();
        for at in 0..bytes.len() {
            let (out, stream) = passed(stream(dialect), [&bytes[..at]]);
            if stream.is_over() {
                assert!(stream.report().failure.is_none());
                continue;
            }
            let last = out.lines().rfind(|line| !line.is_empty()).unwrap_or_default();
            let last: serde_json::Value =
                serde_json::from_str(last.strip_prefix("data: ").unwrap_or(last)).expect("JSON");
            // Behind the error Responses has the answer that failed, once it is known which.
            let is_error = last.get("error").is_some() || last["type"] == "error";
            let is_failed = last["response"]["status"] == "failed" && out.contains("event: error\n");
            assert!(is_error || is_failed, "{dialect:?} at {at}: {last}");
            for end in ["message_stop", "[DONE]", "response.completed", "\"done\":true"] {
                assert!(!out.contains(end), "{dialect:?} at {at}: {out}");
            }
        }
    }
}

#[test]
fn what_is_in_doubt_does_not_leave_a_dead_stream() {
    let (_, text) = MISTAKEN[0];
    let at = text.find("event: content_block_stop").expect("it is there");
    let (out, _) = passed(stream(Dialect::AnthropicMessages), [&text.as_bytes()[..at]]);
    assert!(out.contains("read_file") && !out.contains("partial_json"), "{out}");
}

#[test]
fn usage_stop_and_model_are_told() {
    let reports = VALID.map(|(dialect, text)| passed(stream(dialect), [text.as_bytes()]).1.report().clone());
    let [anthropic, chat, responses, ollama] = &reports;
    assert!(reports.iter().all(|report| report.stop == Some(Stop::ToolUse) && report.has_content));
    assert_eq!(anthropic.usage.input, Some(25));
    assert_eq!((anthropic.usage.cache_read, anthropic.usage.output), (Some(5), Some(89)));
    assert_eq!((chat.usage.input, chat.usage.cache_read), (Some(36), Some(64)));
    assert_eq!((responses.usage.input, responses.usage.reasoning), (Some(6), Some(2)));
    assert_eq!((ollama.usage.input, ollama.usage.output), (Some(26), Some(282)));
    assert_eq!(chat.model.as_deref(), Some("gpt-x-mini"));
}

#[test]
fn the_client_sees_the_model_that_it_asked_for() {
    for ((dialect, text), model) in VALID.into_iter().zip(["claude-x-1", "gpt-x-mini", "gpt-x", "qwen3:8b"]) {
        let options = PassOptions { model: Some("my \"model\"".to_owned()), ..PassOptions::default() };
        let aliased = PassStream::new(dialect, mender(), &options);
        let (out, stream) = passed(aliased, [text.as_bytes()]);
        let expected = text.replace(&format!("\"model\":\"{model}\""), r#""model":"my \"model\"""#);
        assert!(out == expected, "{dialect:?}: {out}");
        assert_eq!(stream.report().model.as_deref(), Some(model));
    }
}

proptest! {
    #[test]
    fn any_cut_of_a_mistaken_stream_gives_the_same(
        which in 0usize..4,
        mut cuts in prop::collection::vec(0usize..4000, 0..8),
    ) {
        let (dialect, text) = MISTAKEN[which];
        let bytes = text.as_bytes();
        cuts.retain(|cut| *cut < bytes.len());
        cuts.sort_unstable();
        cuts.push(bytes.len());
        let mut start = 0;
        let pieces = cuts.iter().map(|cut| {
            let piece = &bytes[start..*cut];
            start = *cut;
            piece
        });
        let (out, _) = passed(stream(dialect), pieces);
        prop_assert_eq!(out, passed(stream(dialect), [bytes]).0);
    }

    #[test]
    fn nothing_that_an_upstream_sends_breaks_it(
        which in 0usize..4,
        at in 0usize..4000,
        noise in prop::collection::vec(any::<u8>(), 0..20),
    ) {
        let (dialect, text) = VALID[which];
        let mut bytes = text.as_bytes().to_vec();
        let at = at.min(bytes.len());
        bytes.splice(at..(at + 3).min(text.len()), noise);
        let mut out = Vec::new();
        let mut stream = stream(dialect);
        stream.push(&bytes, &mut out);
        stream.end(&mut out);
        let report = stream.report();
        prop_assert!(stream.is_over() || report.failure.is_some() || report.upstream_error.is_some());
    }
}
