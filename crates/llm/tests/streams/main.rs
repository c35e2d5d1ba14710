//! Streams as files: what an upstream sends, what it means, and what clients of other dialects are sent.
//!
//! `CASE.FROM.sse`, or `.ndjson`, is what comes in. `CASE.FROM.golden.txt` is what it means: the events after the
//! sequencer, one a line, and then the streams for clients of Anthropic and Chat. The cases with numbers are the
//! scenarios in which proxies were measured; their golden files have the streams for clients of every dialect. `UPDATE_GOLDEN=1 cargo nextest run -p toolwright-llm --test streams` writes the golden files.

mod check;
mod check_more;
mod laws;
mod responses_and_ollama;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toolwright_llm::dialects::{self, openai_chat};
use toolwright_llm::form::{Event, Request, Stop, Usage};
use toolwright_llm::stream::{Encode, Frames, Sequencer};
use toolwright_llm::{Dialect, Reply};

const DIALECTS: [Dialect; 4] = Dialect::ALL;

/// The dialects in which every stream is shown in its golden file.
const SHOWN: [Dialect; 2] = [Dialect::AnthropicMessages, Dialect::OpenAiChat];

fn encoder(dialect: Dialect) -> Box<dyn Encode> {
    let request = Request { model: "asked-for".to_owned(), wants_usage: true, ..Request::default() };
    let id = "0123456789abcdefghijklmn".to_owned();
    let reply = Reply { request: Arc::new(request), id, created: 1_754_000_001, estimated_input: 77 };
    dialects::of(dialect).encoder(reply)
}

/// What a stream means that comes in these pieces.
fn events(dialect: Dialect, pieces: &[&[u8]]) -> Vec<Event> {
    let mut frames = match dialect {
        Dialect::OllamaChat => Frames::lines(),
        _ => Frames::sse(),
    };
    let mut decoder = dialects::of(dialect).decoder("seed");
    let mut found = Vec::new();
    for piece in pieces {
        frames.push(piece, &mut |frame| decoder.frame(&frame, &mut found)).expect("frames");
    }
    frames.end(&mut |frame| decoder.frame(&frame, &mut found));
    decoder.end(&mut found);
    let mut sequencer = Sequencer::default();
    let mut out = Vec::new();
    found.into_iter().for_each(|event| sequencer.push(event, &mut out));
    out
}

fn written(dialect: Dialect, events: &[Event]) -> Vec<u8> {
    let mut encoder = encoder(dialect);
    let mut out = Vec::new();
    events.iter().for_each(|event| encoder.event(event, &mut out));
    out
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/streams")
}

/// All streams: names, dialects and bytes.
fn cases() -> Vec<(String, Dialect, Vec<u8>)> {
    let mut cases = Vec::new();
    for file in fs::read_dir(folder()).expect("the folder of streams") {
        let path = file.expect("a file").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let Some(name) = name.strip_suffix(".sse").or(name.strip_suffix(".ndjson")) else { continue };
        let (_, dialect) = name.rsplit_once('.').expect("CASE.FROM");
        let dialect = DIALECTS.into_iter().find(|known| known.name() == dialect).expect("a dialect");
        cases.push((name.to_owned(), dialect, fs::read(&path).expect("a readable file")));
    }
    cases.sort_by(|a, b| a.0.cmp(&b.0));
    assert!(cases.len() > 40, "there are streams");
    cases
}

fn read(name: &str) -> Vec<Event> {
    let (_, dialect, bytes) = cases().into_iter().find(|(case, ..)| case == name).expect("the stream");
    events(dialect, &[&bytes])
}

#[test]
fn every_stream_means_what_its_golden_file_says() {
    let is_update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let mut wrong = Vec::new();
    for (name, from, bytes) in cases() {
        let events = events(from, &[&bytes]);
        let mut made = String::new();
        for event in &events {
            made.push_str(&format!("{event:?}\n"));
        }
        let is_scenario = name.starts_with(|first: char| first.is_ascii_digit());
        for to in DIALECTS.into_iter().filter(|to| *to != from && (is_scenario || SHOWN.contains(to))) {
            made.push_str(&format!("\n--- {} ---\n", to.name()));
            made.push_str(&String::from_utf8(written(to, &events)).expect("text"));
        }
        let path = folder().join(format!("{name}.golden.txt"));
        if is_update {
            fs::write(&path, made).expect("a writable file");
        } else if fs::read_to_string(&path).unwrap_or_default() != made {
            wrong.push(format!("{name} means now:\n{made}"));
        }
    }
    assert!(wrong.is_empty(), "{} differ (UPDATE_GOLDEN=1 writes them):\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_stream_split_at_every_byte_means_the_same() {
    for (name, dialect, bytes) in cases() {
        let whole = events(dialect, &[&bytes]);
        for at in 0..bytes.len() {
            let (left, right) = bytes.split_at(at);
            assert_eq!(events(dialect, &[left, right]), whole, "{name} split at {at}");
        }
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(events(dialect, &single), whole, "{name} byte by byte");
    }
}

#[test]
fn what_clients_are_sent_is_right_in_their_dialect() {
    for (name, from, bytes) in cases() {
        let events = events(from, &[&bytes]);
        for to in DIALECTS {
            let out = written(to, &events);
            check::stream(to, &out).unwrap_or_else(|wrong| panic!("{name} for {}: {wrong}", to.name()));
        }
    }
}

#[test]
fn a_stream_that_is_cut_anywhere_ends_well_or_with_an_error_and_never_with_more() {
    // Who says in every chunk that the answer is at its end says so when it is not.
    let honest = cases().into_iter().filter(|(name, ..)| !name.starts_with("finish-in-every-chunk"));
    for (name, from, bytes) in honest {
        let whole = events(from, &[&bytes]);
        for at in 0..bytes.len() {
            let cut = events(from, &[&bytes[..at]]);
            let last = cut.last().expect("an end");
            assert!(matches!(last, Event::Done | Event::Error(_)), "{name} cut at {at} ends with {last:?}");
            // Only what is the end of the whole may be a good end of a part.
            if *last == Event::Done {
                let told = |events: &[Event]| (check::texts(events), check::calls(events));
                assert_eq!(told(&cut), told(&whole), "{name} cut at {at}");
            }
        }
    }
}

/// What the scenarios in which proxies were measured have to give.
#[test]
fn the_twelve_scenarios_are_right() {
    const PARIS: (&str, &str) = ("get_weather", r#"{"city":"Paris"}"#);
    const ZURICH: (&str, &str) = ("get_weather", r#"{"city":"Zürich","days":3}"#);
    type Row = (&'static str, &'static str, &'static [(&'static str, &'static str)], Option<Stop>);
    let rows: [Row; 12] = [
        ("01-text-then-two-calls", "Let me look. ☀", &[PARIS, ZURICH], Some(Stop::ToolUse)),
        ("02-two-whole-calls-in-one-chunk", "", &[PARIS, ZURICH], Some(Stop::ToolUse)),
        ("03-name-and-id-in-every-delta", "", &[PARIS], Some(Stop::ToolUse)),
        ("04-interleaved-calls", "", &[PARIS, ZURICH], Some(Stop::ToolUse)),
        ("05-both-calls-with-index-0", "", &[PARIS, ZURICH], Some(Stop::ToolUse)),
        ("06-call-without-id", "", &[PARIS], Some(Stop::ToolUse)),
        ("07-text-after-the-call", "I asked for it.", &[PARIS], Some(Stop::ToolUse)),
        ("08-malformed-arguments", "", &[("get_weather", "{'city': 'Paris',}")], Some(Stop::ToolUse)),
        ("09-reasoning-content", "Sunny.", &[], Some(Stop::EndTurn)),
        // That a call makes it tool use is decided later, in one place.
        ("10-stop-after-a-call", "", &[PARIS], Some(Stop::EndTurn)),
        ("11-upstream-dies-inside-arguments", "Hm.", &[], None),
        ("12-error-in-mid-stream", "Hm.", &[], None),
    ];
    for (name, text, calls, stop) in rows {
        let events = read(&format!("{name}.openai-chat"));
        assert_eq!(check::texts(&events), text, "{name}");
        let found = check::calls(&events);
        let found: Vec<(&str, &str)> =
            found.iter().map(|(_, name, text)| (name.as_str(), text.as_str())).collect();
        assert_eq!(found, calls, "{name}");
        let ids: std::collections::BTreeSet<String> =
            check::calls(&events).into_iter().map(|(id, ..)| id).collect();
        assert_eq!(ids.len(), calls.len(), "{name}");
        let finish = events.iter().find_map(|event| match event {
            Event::Finish { stop, .. } => Some(stop.clone()),
            _ => None,
        });
        assert_eq!(finish, stop, "{name}");
        if stop.is_some() {
            let usage = Usage { input: Some(36), cache_read: Some(64), output: Some(20), ..Usage::default() };
            assert!(events.contains(&Event::Usage(usage)), "{name}: {events:?}");
            assert_eq!(events.last(), Some(&Event::Done), "{name}");
        } else {
            assert!(matches!(events.last(), Some(Event::Error(_))), "{name}");
        }
    }
}

#[test]
fn pings_say_nothing() {
    for dialect in DIALECTS {
        let mut encoder = encoder(dialect);
        let mut out = Vec::new();
        encoder.ping(&mut out);
        encoder.event(&Event::Text("a".to_owned()), &mut out);
        encoder.ping(&mut out);
        encoder.event(&Event::Done, &mut out);
        let end = out.len();
        encoder.ping(&mut out);
        assert_eq!(out.len(), end, "nothing follows the end");
        let found = events(dialect, &[&out]);
        assert_eq!((check::texts(&found).as_str(), found.last()), ("a", Some(&Event::Done)));
    }
}

#[test]
fn chat_clients_that_did_not_ask_for_usage_get_none() {
    let reply =
        Reply { request: Arc::new(Request::default()), id: "i".to_owned(), created: 0, estimated_input: 0 };
    let mut encoder = openai_chat::Encoder::new(reply);
    let mut out = Vec::new();
    encoder.event(&Event::Usage(Usage { input: Some(1), ..Usage::default() }), &mut out);
    encoder.event(&Event::Done, &mut out);
    let text = String::from_utf8(out).expect("text");
    assert!(!text.contains("usage") && text.ends_with("data: [DONE]\n\n"), "{text}");
}
