//! Streams of language models, one target for each dialect.

use std::sync::Arc;

use toolwright_llm::form::{Event, Request, Stop};
use toolwright_llm::stream::{FrameError, Sequencer, TextCalls};
use toolwright_llm::{Dialect, Reply, dialects};

/// A longer stream is not cut at every byte.
const CUT_EVERYWHERE: usize = 256;

/// What an upstream sends that speaks Anthropic Messages.
pub fn stream_anthropic(data: &[u8]) {
    stream(Dialect::AnthropicMessages, data);
}

/// What an upstream sends that speaks OpenAI Chat.
pub fn stream_chat(data: &[u8]) {
    stream(Dialect::OpenAiChat, data);
}

/// What an upstream sends that speaks OpenAI Responses.
pub fn stream_responses(data: &[u8]) {
    stream(Dialect::OpenAiResponses, data);
}

/// What an upstream sends that speaks Ollama.
pub fn stream_ollama(data: &[u8]) {
    stream(Dialect::OllamaChat, data);
}

/// Any bytes mean the same however they are cut, and have one end; calls come one after the other; and what any
/// dialect's client is sent of them is a stream with the same end and the same calls.
fn stream(dialect: Dialect, data: &[u8]) {
    let whole = events(dialect, &[data]);
    let halves = data.split_at(data.len() / 2);
    assert_eq!(events(dialect, &[halves.0, halves.1]), whole);
    if data.len() <= CUT_EVERYWHERE {
        let bytes: Vec<&[u8]> = data.chunks(1).collect();
        assert_eq!(events(dialect, &bytes), whole);
    }
    let (Ok(()), told) = whole else { return };
    let is_end = |event: &Event| matches!(event, Event::Done | Event::Error(_));
    assert_eq!(told.iter().filter(|event| is_end(event)).count(), 1, "{told:?}");

    let mut text_calls = TextCalls::new(&["run", "get_weather"], "text");
    let mut sequencer = Sequencer::default();
    let (mut staged, mut ready) = (Vec::new(), Vec::new());
    told.into_iter().for_each(|event| text_calls.push(event, &mut staged));
    staged.into_iter().for_each(|event| sequencer.push(event, &mut ready));
    let calls = calls(&ready);
    let is_good = ready.last() == Some(&Event::Done);
    let is_cut = ready
        .iter()
        .any(|event| matches!(event, Event::Finish { stop: Stop::MaxTokens | Stop::ContextWindow, .. }));
    for to in Dialect::ALL {
        let (_, again) = events(to, &[&written(to, &ready)]);
        assert_eq!(again.last() == Some(&Event::Done), is_good, "for {}: {ready:?}", to.name());
        // Ollama's calls are whole: one that the length limit cut off is none there.
        let may_lose = to == Dialect::OllamaChat && is_cut;
        if is_good && !may_lose {
            let started = again.iter().filter(|event| matches!(event, Event::CallStart { .. })).count();
            assert_eq!(started, calls, "for {}: {ready:?}", to.name());
        }
    }
}

fn events(dialect: Dialect, pieces: &[&[u8]]) -> (Result<(), FrameError>, Vec<Event>) {
    let mut frames = dialects::of(dialect).frames();
    let mut decoder = dialects::of(dialect).decoder("seed");
    let mut found = Vec::new();
    for piece in pieces {
        let result = frames.push(piece, &mut |frame| decoder.frame(&frame, &mut found));
        if result.is_err() {
            return (result, found);
        }
    }
    frames.end(&mut |frame| decoder.frame(&frame, &mut found));
    decoder.end(&mut found);
    (Ok(()), found)
}

fn written(dialect: Dialect, events: &[Event]) -> Vec<u8> {
    let request = Request { model: "m".to_owned(), wants_usage: true, ..Request::default() };
    let reply = Reply { request: Arc::new(request), id: "id".to_owned(), created: 1, estimated_input: 1 };
    let mut encoder = dialects::of(dialect).encoder(reply);
    let mut out = Vec::new();
    for event in events {
        encoder.event(event, &mut out);
        encoder.ping(&mut out);
    }
    out
}

/// How many calls there are, each of them whole before the next begins.
fn calls(events: &[Event]) -> usize {
    let mut open = None;
    let mut count = 0;
    for event in events {
        match event {
            Event::CallStart { call, .. } => {
                assert_eq!((open, *call), (None, count), "{events:?}");
                open = Some(*call);
                count += 1;
            }
            Event::CallArguments { call, .. } => assert_eq!(open, Some(*call), "{events:?}"),
            Event::CallEnd { call } => assert_eq!(open.take(), Some(*call), "{events:?}"),
            Event::Usage(_) | Event::Error(_) => {}
            _ => assert_eq!(open, None, "{events:?}"),
        }
    }
    count
}
