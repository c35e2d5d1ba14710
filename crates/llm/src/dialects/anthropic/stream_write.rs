//! Events, written as those of an Anthropic stream.

use toolwright_jsonrpc::raw::write_quoted;

use super::error::word;
use super::response::stop_word;
use crate::form::{Event, Stop, Thinking, Usage, signature};
use crate::stream::Encode;
use crate::{Failure, Reply};

/// About so many bytes are a token, where nobody counted.
const BYTES_PER_TOKEN: u64 = 4;

/// Writes one Anthropic stream: one message, and in it blocks one after the other.
#[derive(Debug)]
pub struct Encoder {
    reply: Reply,
    is_started: bool,
    open: Option<Open>,
    /// How many blocks were begun.
    blocks: usize,
    has_calls: bool,
    finish: Option<(Stop, Option<String>)>,
    usage: Usage,
    /// Bytes of the answer: an estimate where the upstream tells no tokens.
    said: u64,
    /// One event's data, while it is made.
    data: String,
    is_over: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    Text,
    Thinking,
    Call,
}

impl Encoder {
    /// An encoder for the answer to one request.
    pub fn new(reply: Reply) -> Encoder {
        Encoder {
            reply,
            is_started: false,
            open: None,
            blocks: 0,
            has_calls: false,
            finish: None,
            usage: Usage::default(),
            said: 0,
            data: String::new(),
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
            Event::Start { .. } => {}
            Event::Text(text) | Event::Refusal(text) => {
                if !text.is_empty() {
                    self.open(Open::Text, r#"{"type":"text","text":""}"#, out);
                    self.delta("text_delta", "text", text, out);
                }
            }
            Event::Thinking(text) => {
                if !text.is_empty() {
                    self.open_thinking(out);
                    self.delta("thinking_delta", "thinking", text, out);
                }
            }
            Event::Signature(text) => {
                self.open_thinking(out);
                self.sign(text, out);
            }
            Event::RedactedThinking(data) => {
                let mut block = String::from(r#"{"type":"redacted_thinking","data":"#);
                write_quoted(data, &mut block);
                block.push('}');
                self.close(out);
                self.block_start(&block, out);
                self.block_stop(out);
            }
            Event::CallStart { id, name, .. } => {
                self.has_calls = true;
                let mut block = String::from(r#"{"type":"tool_use","id":"#);
                write_quoted(id, &mut block);
                block.push_str(r#","name":"#);
                write_quoted(name, &mut block);
                block.push_str(r#","input":{}}"#);
                self.close(out);
                self.open(Open::Call, &block, out);
            }
            Event::CallArguments { text, .. } => {
                // Only a block that is open takes arguments.
                if self.open == Some(Open::Call) && !text.is_empty() {
                    self.delta("input_json_delta", "partial_json", text, out);
                }
            }
            Event::CallEnd { .. } => {
                if self.open == Some(Open::Call) {
                    self.close(out);
                }
            }
            Event::Finish { stop, stop_sequence } => {
                self.finish = Some((stop.clone(), stop_sequence.clone()))
            }
            Event::Usage(usage) => self.usage.update(usage),
            Event::Done => self.done(out),
            Event::Error(failure) => {
                self.is_over = true;
                self.data.clear();
                write_failure(failure, &mut self.data);
                self.flush("error", out);
            }
        }
    }

    fn ping(&mut self, out: &mut Vec<u8>) {
        if !self.is_over {
            out.extend_from_slice(b"event: ping\ndata: {\"type\":\"ping\"}\n\n");
        }
    }
}

impl Encoder {
    fn start(&mut self, event: &Event, out: &mut Vec<u8>) {
        if let Event::Start { usage, .. } = event {
            self.usage.update(usage);
        }
        if self.is_started {
            return;
        }
        self.is_started = true;
        self.data.clear();
        self.data.push_str(r#"{"type":"message_start","message":{"id":"#);
        match event {
            Event::Start { id: Some(id), .. } if id.starts_with("msg_") => write_quoted(id, &mut self.data),
            _ => write_quoted(&format!("msg_{}", self.reply.id), &mut self.data),
        }
        self.data.push_str(r#","type":"message","role":"assistant","model":"#);
        write_quoted(&self.reply.request.model, &mut self.data);
        self.data.push_str(r#","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"#);
        let is_known = [self.usage.input, self.usage.cache_read, self.usage.cache_write];
        let estimate = if is_known.iter().any(Option::is_some) { 0 } else { self.reply.estimated_input };
        write_counts(
            &[
                ("input_tokens", Some(self.usage.input.unwrap_or(estimate))),
                ("cache_creation_input_tokens", Some(self.usage.cache_write.unwrap_or(0))),
                ("cache_read_input_tokens", Some(self.usage.cache_read.unwrap_or(0))),
                ("output_tokens", Some(self.usage.output.unwrap_or(0))),
            ],
            &mut self.data,
        );
        self.data.push_str("}}}");
        self.flush("message_start", out);
    }

    fn flush(&self, event: &str, out: &mut Vec<u8>) {
        out.reserve(event.len() + self.data.len() + 24);
        out.extend_from_slice(b"event: ");
        out.extend_from_slice(event.as_bytes());
        out.extend_from_slice(b"\ndata: ");
        out.extend_from_slice(self.data.as_bytes());
        out.extend_from_slice(b"\n\n");
    }

    /// Makes sure that a block of this kind is open.
    fn open(&mut self, kind: Open, block: &str, out: &mut Vec<u8>) {
        if self.open == Some(kind) {
            return;
        }
        self.close(out);
        self.block_start(block, out);
        self.open = Some(kind);
    }

    fn open_thinking(&mut self, out: &mut Vec<u8>) {
        self.open(Open::Thinking, r#"{"type":"thinking","thinking":"","signature":""}"#, out);
    }

    fn block_start(&mut self, block: &str, out: &mut Vec<u8>) {
        self.data.clear();
        self.data.push_str(r#"{"type":"content_block_start","index":"#);
        self.data.push_str(&self.blocks.to_string());
        self.data.push_str(r#","content_block":"#);
        self.data.push_str(block);
        self.data.push('}');
        self.flush("content_block_start", out);
        self.blocks += 1;
    }

    fn delta(&mut self, kind: &str, field: &str, text: &str, out: &mut Vec<u8>) {
        if kind != "signature_delta" {
            self.said = self.said.saturating_add(text.len() as u64);
        }
        self.data.clear();
        self.data.push_str(r#"{"type":"content_block_delta","index":"#);
        self.data.push_str(&self.blocks.saturating_sub(1).to_string());
        self.data.push_str(r#","delta":{"type":""#);
        self.data.push_str(kind);
        self.data.push_str(r#"",""#);
        self.data.push_str(field);
        self.data.push_str(r#"":"#);
        write_quoted(text, &mut self.data);
        self.data.push_str("}}");
        self.flush("content_block_delta", out);
    }

    fn sign(&mut self, text: &str, out: &mut Vec<u8>) {
        self.delta("signature_delta", "signature", text, out);
        self.open = None;
        self.block_stop(out);
    }

    /// Ends the block that is open. A thought that nobody signed is signed by us.
    fn close(&mut self, out: &mut Vec<u8>) {
        match self.open.take() {
            None => {}
            Some(Open::Thinking) => self.sign(&signature::sealed(&Thinking::default()), out),
            Some(Open::Text | Open::Call) => self.block_stop(out),
        }
    }

    fn block_stop(&mut self, out: &mut Vec<u8>) {
        self.data.clear();
        self.data.push_str(r#"{"type":"content_block_stop","index":"#);
        self.data.push_str(&self.blocks.saturating_sub(1).to_string());
        self.data.push('}');
        self.flush("content_block_stop", out);
    }

    fn done(&mut self, out: &mut Vec<u8>) {
        self.close(out);
        if self.blocks == 0 {
            self.open(Open::Text, r#"{"type":"text","text":""}"#, out);
            self.close(out);
        }
        let inferred = if self.has_calls { Stop::ToolUse } else { Stop::EndTurn };
        let (stop, stop_sequence) = self.finish.take().unwrap_or((inferred, None));
        self.data.clear();
        self.data.push_str(r#"{"type":"message_delta","delta":{"stop_reason":"#);
        write_quoted(stop_word(&stop, None), &mut self.data);
        self.data.push_str(r#","stop_sequence":"#);
        match &stop_sequence {
            Some(text) => write_quoted(text, &mut self.data),
            None => self.data.push_str("null"),
        }
        self.data.push_str(r#"},"usage":{"#);
        let output = self.usage.output.unwrap_or(self.said.div_ceil(BYTES_PER_TOKEN));
        write_counts(
            &[
                ("input_tokens", self.usage.input),
                ("cache_creation_input_tokens", self.usage.cache_write),
                ("cache_read_input_tokens", self.usage.cache_read),
                ("output_tokens", Some(output)),
            ],
            &mut self.data,
        );
        self.data.push_str("}}");
        self.flush("message_delta", out);
        out.extend_from_slice(b"event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n");
        self.is_over = true;
    }
}

/// Counts that are known, as members.
fn write_counts(counts: &[(&str, Option<u64>)], out: &mut String) {
    let mut comma = "";
    for (name, count) in counts {
        if let Some(count) = count {
            out.push_str(&format!("{comma}\"{name}\":{count}"));
            comma = ",";
        }
    }
}

fn write_failure(failure: &Failure, out: &mut String) {
    out.push_str(r#"{"type":"error","error":{"type":"#);
    write_quoted(word(failure.kind), out);
    out.push_str(r#","message":"#);
    write_quoted(&failure.message, out);
    out.push_str("}}");
}
