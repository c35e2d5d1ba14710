//! Events, written as chunks of a Chat stream.

use toolwright_jsonrpc::raw::write_quoted;

use crate::form::{Event, Stop, Usage};
use crate::stream::Encode;
use crate::{Failure, FailureKind, Reply, signature};

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
    details: usize,
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
            Event::Thinking(text) => self.text_delta("reasoning_content", text, out),
            Event::Refusal(text) => self.text_delta("refusal", text, out),
            Event::Signature(text) if !signature::is_synthetic(text) => {
                self.detail("reasoning.text", "signature", text, out);
            }
            Event::Signature(_) => {}
            Event::RedactedThinking(data) => self.detail("reasoning.encrypted", "data", data, out),
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
                write_failure(failure, &mut self.chunk);
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

    /// What belongs to a thought and is no words, where routers tell it too.
    fn detail(&mut self, kind: &str, field: &str, text: &str, out: &mut Vec<u8>) {
        self.begin();
        self.chunk.push_str(r#""reasoning_details":[{"type":"#);
        write_quoted(kind, &mut self.chunk);
        self.chunk.push_str(r#","index":"#);
        self.chunk.push_str(&self.details.to_string());
        self.chunk.push(',');
        write_quoted(field, &mut self.chunk);
        self.chunk.push(':');
        write_quoted(text, &mut self.chunk);
        self.chunk.push_str("}]");
        self.end("null", None, out);
        self.details += 1;
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
        self.end(&format!("\"{}\"", word_of(&stop)), stop_sequence.as_deref(), out);
        if self.reply.request.wants_usage {
            self.chunk.clear();
            self.chunk.push_str(&self.head);
            self.chunk.push_str(r#"],"usage":"#);
            write_usage(&self.usage, self.reply.estimated_input, &mut self.chunk);
            self.chunk.push('}');
            self.flush(out);
        }
        out.extend_from_slice(b"data: [DONE]\n\n");
        self.is_over = true;
    }
}

/// The `finish_reason` for a stop. Clients know no other words than these.
fn word_of(stop: &Stop) -> &'static str {
    match stop {
        Stop::EndTurn | Stop::StopSequence | Stop::PauseTurn | Stop::Other(_) => "stop",
        Stop::MaxTokens | Stop::ContextWindow => "length",
        Stop::ToolUse => "tool_calls",
        Stop::Refusal => "content_filter",
    }
}

/// `prompt_tokens` is all of the input, cached or not.
fn write_usage(usage: &Usage, estimated_input: u64, out: &mut String) {
    let is_known = [usage.input, usage.cache_read, usage.cache_write].iter().any(Option::is_some);
    let prompt = if is_known { usage.all_input() } else { estimated_input };
    let completion = usage.output.unwrap_or(0);
    let total = prompt.saturating_add(completion);
    out.push_str(&format!(
        r#"{{"prompt_tokens":{prompt},"completion_tokens":{completion},"total_tokens":{total},"prompt_tokens_details":{{"cached_tokens":{}"#,
        usage.cache_read.unwrap_or(0),
    ));
    if let Some(written) = usage.cache_write {
        out.push_str(&format!(r#","cache_write_tokens":{written}"#));
    }
    out.push('}');
    if let Some(reasoning) = usage.reasoning {
        out.push_str(&format!(r#","completion_tokens_details":{{"reasoning_tokens":{reasoning}}}"#));
    }
    out.push('}');
}

fn write_failure(failure: &Failure, out: &mut String) {
    out.push_str(r#"{"error":{"message":"#);
    write_quoted(&failure.message, out);
    out.push_str(r#","type":"#);
    write_quoted(type_of(failure.kind), out);
    out.push_str(r#","param":"#);
    write_or_null(failure.param.as_deref(), out);
    out.push_str(r#","code":"#);
    write_or_null(failure.code.as_deref(), out);
    out.push_str("}}");
}

fn write_or_null(text: Option<&str>, out: &mut String) {
    match text {
        Some(text) => write_quoted(text, out),
        None => out.push_str("null"),
    }
}

fn type_of(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::InvalidRequest | FailureKind::TooLarge | FailureKind::NotFound => {
            "invalid_request_error"
        }
        FailureKind::Authentication => "authentication_error",
        FailureKind::Billing => "insufficient_quota",
        FailureKind::Permission => "permission_error",
        FailureKind::RateLimit => "rate_limit_error",
        FailureKind::Timeout => "timeout_error",
        FailureKind::Api | FailureKind::Overloaded => "server_error",
    }
}
