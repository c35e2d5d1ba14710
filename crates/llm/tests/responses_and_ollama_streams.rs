//! Recorded streams of Responses and Ollama upstreams: what is read from them, however their bytes are cut, and that
//! nothing which was broken makes anything panic.
//!
//! Beside every stream lies what it tells, `NAME.DIALECT.events.txt`, one event a line;
//! `UPDATE_GOLDEN=1 cargo nextest run -p toolwright-llm --test responses_and_ollama_streams` writes these files.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use proptest::prelude::*;
use toolwright_llm::dialects::{ollama, openai_responses};
use toolwright_llm::form::{Event, Request, Stop};
use toolwright_llm::stream::{Decode, Encode, Frames};
use toolwright_llm::{Dialect, Reply};

const SEED: &str = "seed";

/// All streams of the dialects that are read here.
fn recorded() -> Vec<(Dialect, PathBuf)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/streams");
    let mut streams: Vec<(Dialect, PathBuf)> = fs::read_dir(folder)
        .expect("the folder of streams")
        .map(|entry| entry.expect("an entry").path())
        .filter_map(|path| {
            let name = path.file_name()?.to_str()?;
            let dialect = match name {
                _ if name.ends_with(".openai-responses.sse") => Dialect::OpenAiResponses,
                _ if name.ends_with(".ollama.ndjson") => Dialect::OllamaChat,
                _ => return None,
            };
            Some((dialect, path))
        })
        .collect();
    streams.sort_by(|one, other| one.1.cmp(&other.1));
    assert!(streams.len() > 20, "there are recorded streams");
    streams
}

fn frames(dialect: Dialect) -> (Frames, Box<dyn Decode>) {
    match dialect {
        Dialect::OllamaChat => (Frames::lines(), Box::new(ollama::Decoder::new(SEED))),
        _ => (Frames::sse(), Box::new(openai_responses::Decoder::new(SEED))),
    }
}

/// What a stream tells when it comes in these pieces.
fn events(dialect: Dialect, pieces: &[&[u8]]) -> Vec<Event> {
    let (mut frames, mut decoder) = frames(dialect);
    let mut out = Vec::new();
    for piece in pieces {
        if frames.push(piece, &mut |frame| decoder.frame(&frame, &mut out)).is_err() {
            break;
        }
    }
    frames.end(&mut |frame| decoder.frame(&frame, &mut out));
    decoder.end(&mut out);
    out
}

fn reply(model: &str) -> Reply {
    let request = Request { model: model.to_owned(), ..Request::default() };
    Reply {
        request: Arc::new(request),
        id: "0123456789abcdefghijklmn".to_owned(),
        created: 1_700_000_000,
        estimated_input: 7,
    }
}

fn encoder(dialect: Dialect) -> Box<dyn Encode> {
    match dialect {
        Dialect::OllamaChat => Box::new(ollama::Encoder::new(reply("m"))),
        _ => Box::new(openai_responses::Encoder::new(reply("m"))),
    }
}

fn written(dialect: Dialect, events: &[Event]) -> Vec<u8> {
    let mut encoder = encoder(dialect);
    let mut out = Vec::new();
    for event in events {
        encoder.event(event, &mut out);
    }
    out
}

#[test]
fn every_recorded_stream_tells_what_lies_beside_it() {
    let is_update = std::env::var_os("UPDATE_GOLDEN").is_some();
    for (dialect, path) in recorded() {
        let bytes = fs::read(&path).expect("a readable stream");
        let told: String = events(dialect, &[&bytes]).iter().map(|event| format!("{event:?}\n")).collect();
        let beside = path.with_extension("events.txt");
        if is_update {
            fs::write(&beside, &told).expect("a file that can be written");
        }
        assert_eq!(fs::read_to_string(&beside).unwrap_or_default(), told, "{}", path.display());
    }
}

#[test]
fn a_stream_that_is_cut_anywhere_tells_the_same() {
    for (dialect, path) in recorded() {
        let bytes = fs::read(&path).expect("a readable stream");
        let whole = events(dialect, &[&bytes]);
        for at in 0..bytes.len() {
            let (before, after) = bytes.split_at(at);
            assert_eq!(events(dialect, &[before, after]), whole, "{} at {at}", path.display());
        }
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(events(dialect, &single), whole, "{} byte by byte", path.display());
    }
}

#[test]
fn a_stream_that_ends_anywhere_ends_badly_or_was_whole() {
    for (dialect, path) in recorded() {
        let bytes = fs::read(&path).expect("a readable stream");
        let whole = events(dialect, &[&bytes]);
        for at in 0..bytes.len() {
            let told = events(dialect, &[&bytes[..at]]);
            match told.last() {
                Some(Event::Done) => assert_eq!(told, whole, "{} at {at}", path.display()),
                Some(Event::Error(_)) => {}
                other => panic!("{} at {at} ends with {other:?}", path.display()),
            }
        }
    }
}

/// What a stream means to a client, without the pieces that it comes in.
fn meaning(events: &[Event]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut is_bare = false;
    let mut add = |kind: &str, text: &str| match out.last_mut() {
        Some(last) if last.starts_with(kind) => last.push_str(text),
        _ => out.push(format!("{kind}{text}")),
    };
    for event in events {
        match event {
            Event::Text(text) => add("text ", text),
            Event::Refusal(text) => add("refusal ", text),
            Event::Thinking(text) => add("thought ", text),
            Event::CallStart { call, id, name } => {
                is_bare = true;
                add(&format!("call {call} {id} {name} "), "");
            }
            Event::CallArguments { text, .. } => {
                is_bare = false;
                add("call ", text);
            }
            // Nothing means no arguments.
            Event::CallEnd { .. } if is_bare => add("call ", "{}"),
            Event::Finish { stop, .. } => add("stop ", &format!("{stop:?}")),
            Event::Usage(usage) => {
                add("usage ", &format!("{} {}", usage.all_input(), usage.output.unwrap_or(0)));
            }
            Event::Error(failure) => add("error ", &failure.message),
            _ => {}
        }
    }
    out
}

/// Calls one after the other, as encoders take them.
fn in_sequence(events: Vec<Event>) -> Vec<Event> {
    let call_of = |event: &Event| match event {
        Event::CallStart { call, .. } | Event::CallArguments { call, .. } | Event::CallEnd { call } => {
            Some(*call)
        }
        _ => None,
    };
    let (mut calls, mut out, mut rest) = (Vec::new(), Vec::new(), Vec::new());
    for event in events {
        match call_of(&event) {
            Some(call) => calls.push((call, event)),
            None if calls.is_empty() => out.push(event),
            None => rest.push(event),
        }
    }
    calls.sort_by_key(|(call, _)| *call);
    out.into_iter().chain(calls.into_iter().map(|(_, event)| event)).chain(rest).collect()
}

#[test]
fn what_is_written_of_a_stream_is_read_as_the_same() {
    for (dialect, path) in recorded() {
        let bytes = fs::read(&path).expect("a readable stream");
        let told = in_sequence(events(dialect, &[&bytes]));
        let again = events(dialect, &[&written(dialect, &told)]);
        // What is no object is wrapped in one for clients of Ollama.
        if !path.ends_with("arguments_in_a_string.ollama.ndjson") {
            assert_eq!(meaning(&again), meaning(&told), "{}", path.display());
        }
        for other in [Dialect::OpenAiResponses, Dialect::OllamaChat] {
            let across = events(other, &[&written(other, &told)]);
            let ends = |events: &[Event]| matches!(events.last(), Some(Event::Done));
            assert_eq!(ends(&across), ends(&told), "{} for {}", path.display(), other.name());
        }
    }
}

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
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 300 } else { 3000 }))]

    /// Bytes of a recorded stream that were changed, removed or doubled: an end, good or bad, and no panic; and what
    /// was told can be written in both dialects.
    #[test]
    fn a_broken_stream_breaks_nothing(
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0_u8..4), 1..6),
    ) {
        let streams = recorded();
        let (dialect, path) = which.get(&streams);
        let mut bytes = fs::read(path).expect("a readable stream");
        for (at, byte, how) in changes {
            if bytes.is_empty() {
                break;
            }
            let at = at.index(bytes.len());
            match how {
                0 => bytes[at] = byte,
                1 => { bytes.remove(at); }
                2 => bytes.insert(at, byte),
                _ => bytes.truncate(at.max(1)),
            }
        }
        let told = events(*dialect, &[&bytes]);
        prop_assert!(matches!(told.last(), Some(Event::Done | Event::Error(_))));
        for other in [Dialect::OpenAiResponses, Dialect::OllamaChat] {
            let again = events(other, &[&written(other, &in_sequence(told.clone()))]);
            prop_assert!(matches!(again.last(), Some(Event::Done | Event::Error(_))));
        }
    }
}
