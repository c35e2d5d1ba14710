//! Events, written as chunks of a Chat stream.

use toolwright_jsonrpc::Json;
use toolwright_jsonrpc::raw::write_quoted;

use super::error::write_error;
use super::reasoning::write_detail;
use super::response::{finish_word, write_usage};
use crate::form::{Event, Stop, Thinking, Usage, signature};
use crate::stream::Encode;
use crate::{Dialect, Reply};

/// Writes one Chat stream.
#[derive(Debug)]
pub struct Encoder {
    reply: Reply,
    /// What every chunk begins with, up to its choices. Empty until the first is written.
    head: String,
    /// One chunk, while it is made.
    chunk: String,
    calls: usize,
    /// The call that is open has arguments.
    has_arguments: bool,
    finish: Option<(Stop, Option<String>)>,
    usage: Usage,
    /// How many thoughts were signed or have no words.
    details: u64,
    /// The words of the thought so far.
    thought: String,
    is_over: bool,
}

impl Encoder {
    /// An encoder for the answer to one request.
    pub fn new(reply: Reply) -> Encoder {
        Encoder {
            reply,
            head: String::new(),
            chunk: String::new(),
            calls: 0,
            has_arguments: false,
            finish: None,
            usage: Usage::default(),
            details: 0,
            thought: String::new(),
            is_over: false,
        }
    }
}

impl Encode for Encoder {
    fn event(&mut self, event: &Event, out: &mut Vec<u8>) {
        if self.is_over {
            return;
        }
        if !matches!(event, Event::Error(_) | Event::Usage(_)) {
            self.start(event, out);
        }
        match event {
            Event::Start { usage, .. } => self.usage.update(usage),
            Event::Text(text) => self.text_delta("content", text, out),
            Event::Thinking(text) => {
                self.thought.push_str(text);
                self.text_delta("reasoning_content", text, out);
            }
            Event::Refusal(text) => self.text_delta("refusal", text, out),
            Event::Signature(text) => {
                let words = std::mem::take(&mut self.thought);
                self.detail(words, text, false, out);
            }
            Event::RedactedThinking(data) => self.detail(String::new(), data, true, out),
            Event::CallStart { id, name, .. } => self.call_start(id, name, out),
            Event::CallArguments { text, .. } => self.arguments(text, out),
            Event::CallEnd { .. } => {
                if !self.has_arguments {
                    self.arguments("{}", out);
                }
            }
            Event::Finish { stop, stop_sequence } => {
                self.finish = Some((stop.clone(), stop_sequence.clone()))
            }
            Event::Usage(usage) => self.usage.update(usage),
            Event::Done => self.done(out),
            Event::Error(failure) => {
                self.is_over = true;
                self.chunk.clear();
                self.chunk.push_str(&write_error(failure, ""));
                self.flush(out);
            }
        }
    }

    fn ping(&mut self, out: &mut Vec<u8>) {
        if !self.is_over {
            out.extend_from_slice(b": ping\n\n");
        }
    }
}

impl Encoder {
    /// The first chunk, which has the role.
    fn start(&mut self, event: &Event, out: &mut Vec<u8>) {
        if !self.head.is_empty() {
            return;
        }
        let given = match event {
            Event::Start { id: Some(id), .. } if id.starts_with("chatcmpl") => Some(id),
            _ => None,
        };
        self.head.push_str(r#"{"id":"#);
        match given {
            Some(id) => write_quoted(id, &mut self.head),
            None => write_quoted(&format!("chatcmpl-{}", self.reply.id), &mut self.head),
        }
        self.head.push_str(r#","object":"chat.completion.chunk","created":"#);
        self.head.push_str(&self.reply.created.to_string());
        self.head.push_str(r#","model":"#);
        write_quoted(&self.reply.request.model, &mut self.head);
        self.head.push_str(r#","choices":["#);
        self.begin();
        self.chunk.push_str(r#""role":"assistant","content":"""#);
        self.end("null", None, out);
    }

    fn begin(&mut self) {
        self.chunk.clear();
        self.chunk.push_str(&self.head);
        self.chunk.push_str(r#"{"index":0,"delta":{"#);
    }

    fn end(&mut self, finish: &str, stop_sequence: Option<&str>, out: &mut Vec<u8>) {
        self.chunk.push_str(r#"},"logprobs":null,"finish_reason":"#);
        self.chunk.push_str(finish);
        if let Some(text) = stop_sequence {
            self.chunk.push_str(r#","stop_reason":"#);
            write_quoted(text, &mut self.chunk);
        }
        self.chunk.push_str("}]");
        if self.reply.request.wants_usage {
            self.chunk.push_str(r#","usage":null"#);
        }
        self.chunk.push('}');
        self.flush(out);
    }

    fn flush(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"data: ");
        out.extend_from_slice(self.chunk.as_bytes());
        out.extend_from_slice(b"\n\n");
    }

    fn text_delta(&mut self, field: &str, text: &str, out: &mut Vec<u8>) {
        if text.is_empty() {
            return;
        }
        self.begin();
        write_quoted(field, &mut self.chunk);
        self.chunk.push(':');
        write_quoted(text, &mut self.chunk);
        self.end("null", None, out);
    }

    /// What belongs to a thought and is no words, where routers tell it too. A client may send it back.
    fn detail(&mut self, words: String, signed: &str, is_redacted: bool, out: &mut Vec<u8>) {
        let opened = signature::opened(&words, signed);
        if opened.as_ref().is_some_and(|held| held.raw.is_none() && held.signature.is_none()) {
            // Signed by us because nobody else did.
            return;
        }
        let raw =
            opened.and_then(|held| held.raw).or(Some((Dialect::AnthropicMessages, Json::empty_object())));
        let thought = Thinking { text: words, signature: Some(signed.to_owned()), raw, is_redacted };
        let Some(detail) = write_detail(&thought, self.details) else { return };
        self.details += 1;
        self.begin();
        self.chunk.push_str(r#""reasoning_details":["#);
        self.chunk.push_str(detail.as_str());
        self.chunk.push(']');
        self.end("null", None, out);
    }

    fn call_start(&mut self, id: &str, name: &str, out: &mut Vec<u8>) {
        self.begin();
        self.chunk.push_str(r#""tool_calls":[{"index":"#);
        self.chunk.push_str(&self.calls.to_string());
        self.chunk.push_str(r#","id":"#);
        write_quoted(id, &mut self.chunk);
        self.chunk.push_str(r#","type":"function","function":{"name":"#);
        write_quoted(name, &mut self.chunk);
        self.chunk.push_str(r#","arguments":""}}]"#);
        self.end("null", None, out);
        self.calls += 1;
        self.has_arguments = false;
    }

    fn arguments(&mut self, text: &str, out: &mut Vec<u8>) {
        if text.is_empty() {
            return;
        }
        self.has_arguments = true;
        self.begin();
        self.chunk.push_str(r#""tool_calls":[{"index":"#);
        self.chunk.push_str(&self.calls.saturating_sub(1).to_string());
        self.chunk.push_str(r#","function":{"arguments":"#);
        write_quoted(text, &mut self.chunk);
        self.chunk.push_str("}}]");
        self.end("null", None, out);
    }

    fn done(&mut self, out: &mut Vec<u8>) {
        let inferred = if self.calls == 0 { Stop::EndTurn } else { Stop::ToolUse };
        let (stop, stop_sequence) = self.finish.take().unwrap_or((inferred, None));
        self.begin();
        self.end(&format!("\"{}\"", finish_word(&stop, None)), stop_sequence.as_deref(), out);
        if self.reply.request.wants_usage {
            self.chunk.clear();
            self.chunk.push_str(&self.head);
            self.chunk.push_str(r#"],"usage":"#);
            let mut usage = self.usage;
            if [usage.input, usage.cache_read, usage.cache_write].iter().all(Option::is_none) {
                usage.input = Some(self.reply.estimated_input);
            }
            self.chunk.push_str(write_usage(&usage).as_str());
            self.chunk.push('}');
            self.flush(out);
        }
        out.extend_from_slice(b"data: [DONE]\n\n");
        self.is_over = true;
    }
}
