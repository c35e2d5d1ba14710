//! What holds for streams of Responses and Ollama.

use proptest::prelude::*;
use toolwright_llm::Dialect;
use toolwright_llm::form::{Event, Stop};

use super::{cases, check, events, laws, written};

#[test]
fn a_cut_call_is_never_a_call_for_ollama() {
    let events = [
        Event::CallStart { call: 0, id: "a".to_owned(), name: "write".to_owned() },
        Event::CallArguments { call: 0, text: "{\"path\": \"/a/b".to_owned() },
        Event::Finish { stop: Stop::MaxTokens, stop_sequence: None },
        Event::Done,
    ];
    let out = String::from_utf8(written(Dialect::OllamaChat, &events)).expect("UTF-8");
    assert!(!out.contains("tool_calls"), "{out}");
    assert!(out.contains("\"done_reason\":\"length\""), "{out}");
    assert!(out.contains("/a/b"), "{out}");
}

#[test]
fn a_call_that_is_no_object_is_wrapped_in_one_for_ollama() {
    let events = [
        Event::CallStart { call: 0, id: "a".to_owned(), name: "write".to_owned() },
        Event::CallArguments { call: 0, text: "[1]".to_owned() },
        Event::CallEnd { call: 0 },
        Event::Finish { stop: Stop::ToolUse, stop_sequence: None },
        Event::Done,
    ];
    let out = String::from_utf8(written(Dialect::OllamaChat, &events)).expect("UTF-8");
    assert!(out.contains(r#""arguments":{"unreadable_arguments":"[1]"}"#), "{out}");
}

/// What survives Responses: all but why a good answer ended.
fn without_ends(meaning: Vec<String>) -> Vec<String> {
    meaning.into_iter().filter(|line| !line.starts_with("finish ")).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn every_way_through_responses_keeps_what_was_meant(told in laws::told()) {
        let expected = without_ends(laws::meaning(&told));
        let mut events_now = told;
        for to in [
            Dialect::OpenAiResponses, Dialect::OpenAiResponses, Dialect::AnthropicMessages,
            Dialect::OpenAiResponses, Dialect::OpenAiChat,
        ] {
            let out = written(to, &events_now);
            prop_assert_eq!(check::stream(to, &out), Ok(()));
            events_now = events(to, &[&out]);
            let meaning = without_ends(laws::meaning(&events_now));
            prop_assert_eq!(meaning, expected.clone(), "{}", String::from_utf8_lossy(&out));
        }
    }

    #[test]
    fn calls_for_ollama_are_objects_and_none_is_lost(told in laws::told()) {
        prop_assume!(!laws::is_cut(&told));
        let out = written(Dialect::OllamaChat, &told);
        prop_assert_eq!(check::stream(Dialect::OllamaChat, &out), Ok(()));
        let found = events(Dialect::OllamaChat, &[&out]);
        let names = |events: &[Event]| -> Vec<String> {
            events.iter().filter_map(|event| match event {
                Event::CallStart { id, name, .. } => Some(format!("{id} {name}")),
                _ => None,
            }).collect()
        };
        prop_assert_eq!(names(&found), names(&told));
        prop_assert_eq!(check::texts(&found), check::texts(&told));
    }

    /// Bytes of a recorded stream that were changed, removed, put in or cut off: an end, and every client gets a right
    /// stream of what was told.
    #[test]
    fn a_broken_stream_breaks_nothing(
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0_u8..4), 1..6),
        split in any::<prop::sample::Index>(),
    ) {
        let mut cases = cases();
        cases.retain(|(_, dialect, _)| matches!(dialect, Dialect::OpenAiResponses | Dialect::OllamaChat));
        let (_, dialect, mut bytes) = cases.swap_remove(which.index(cases.len()));
        for (at, byte, how) in changes {
            if bytes.is_empty() {
                break;
            }
            let at = at.index(bytes.len());
            match how {
                // Letters only: what is no text ends the stream before anything is read.
                0 => bytes[at] = byte & 0x7f,
                1 => drop(bytes.remove(at)),
                2 => bytes.insert(at, byte & 0x7f),
                _ => bytes.truncate(at),
            }
        }
        let bytes = String::from_utf8_lossy(&bytes).into_owned().into_bytes();
        laws::holds(dialect, &bytes, split.index(bytes.len() + 1))?;
    }
}
