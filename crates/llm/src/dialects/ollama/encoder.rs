//! A stream for a client, written: words as they come, every call whole in a line of its own.

use toolwright_jsonrpc::{Json, raw};

use super::error::write_error;
use super::response::{cut_call, write_call, write_line, write_message};
use crate::Reply;
use crate::form::{Arguments, Event, Stop, Usage};
use crate::stream::Encode;

/// Writes one stream.
#[derive(Debug)]
pub struct Encoder {
    reply: Reply,
    created: u64,
    /// The call whose arguments are coming.
    open: Option<OpenCall>,
    calls: usize,
    usage: Usage,
    stop: Option<Stop>,
    is_over: bool,
}

#[derive(Debug)]
struct OpenCall {
    id: String,
    name: String,
    arguments: String,
    /// Its end came, and what follows tells whether it was cut off.
    has_ended: bool,
}

impl OpenCall {
    fn may_be_cut(&self) -> bool {
        self.arguments.starts_with('{') && raw::check(&self.arguments).is_err()
    }
}

impl Encoder {
    /// Begins a stream.
    pub fn new(reply: Reply) -> Encoder {
        let created = reply.created;
        Encoder { reply, created, open: None, calls: 0, usage: Usage::default(), stop: None, is_over: false }
    }

    fn line(&self, message: &Json, end: Option<(&Stop, &Usage)>, out: &mut Vec<u8>) {
        let line = write_line(&self.reply.request.model, self.created, message, end);
        out.extend_from_slice(line.as_str().as_bytes());
        out.push(b'\n');
    }

    fn say(&mut self, words: &str, thoughts: &str, out: &mut Vec<u8>) {
        self.close_call(out);
        self.line(&write_message(words, thoughts, Vec::new()), None, out);
    }

    fn close_call(&mut self, out: &mut Vec<u8>) {
        let Some(call) = self.open.take() else { return };
        let written = write_call(&call.id, &call.name, &Arguments::read(&call.arguments), self.calls);
        self.calls += 1;
        self.line(&write_message("", "", vec![written]), None, out);
    }

    fn finish(&mut self, out: &mut Vec<u8>) {
        let stop = self.stop.take().unwrap_or(Stop::EndTurn);
        let is_cut = matches!(stop, Stop::MaxTokens | Stop::ContextWindow);
        match self.open.take() {
            // Nothing is told of it, as in other dialects: the reason says what happened.
            Some(call) if is_cut && call.has_ended => {}
            Some(call) if is_cut => {
                let words = cut_call(&call.name, &call.arguments);
                self.line(&write_message(&words, "", Vec::new()), None, out);
            }
            open => {
                self.open = open;
                self.close_call(out);
            }
        }
        self.line(&write_message("", "", Vec::new()), Some((&stop, &self.usage)), out);
        self.is_over = true;
    }
}

impl Encode for Encoder {
    fn event(&mut self, event: &Event, out: &mut Vec<u8>) {
        if self.is_over {
            return;
        }
        match event {
            Event::Start { created, usage, .. } => {
                self.created = created.unwrap_or(self.created);
                self.usage.update(usage);
            }
            Event::Text(text) | Event::Refusal(text) => self.say(text, "", out),
            Event::Thinking(text) => self.say("", text, out),
            // Ollama's clients know no signatures and send none back.
            Event::Signature(_) | Event::RedactedThinking(_) => {}
            Event::CallStart { id, name, .. } => {
                self.close_call(out);
                self.open = Some(OpenCall {
                    id: id.clone(),
                    name: name.clone(),
                    arguments: String::new(),
                    has_ended: false,
                });
            }
            Event::CallArguments { text, .. } => {
                if let Some(call) = &mut self.open {
                    call.arguments.push_str(text);
                }
            }
            // What is no whole object may have been cut off: what follows tells.
            Event::CallEnd { .. } => match self.open.as_mut().filter(|call| call.may_be_cut()) {
                Some(call) => call.has_ended = true,
                None => self.close_call(out),
            },
            Event::Finish { stop, .. } => self.stop = Some(stop.clone()),
            Event::Usage(usage) => self.usage.update(usage),
            Event::Done => self.finish(out),
            Event::Error(failure) => {
                if self.open.as_ref().is_some_and(|call| call.has_ended) {
                    self.close_call(out);
                }
                out.extend_from_slice(write_error(failure, "").as_bytes());
                out.push(b'\n');
                self.is_over = true;
            }
        }
    }

    /// Clients read every line as an object of the answer: one that says nothing.
    fn ping(&mut self, out: &mut Vec<u8>) {
        if !self.is_over {
            self.line(&write_message("", "", Vec::new()), None, out);
        }
    }
}
