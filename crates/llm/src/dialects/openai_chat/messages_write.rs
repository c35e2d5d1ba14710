//! The conversation, written for Chat.

use std::borrow::Cow;

use toolwright_jsonrpc::{Json, ObjectWriter};

use super::media::{self, text_part};
use super::reasoning;
use crate::dialects::fields::write_members;
use crate::dialects::history::{self, Answer, NO_RESULT, Part, Said, Step, note_once};
use crate::dialects::offer::words_of;
use crate::dialects::system;
use crate::form::{
    Arguments, Block, Call, Media, MediaSource, Members, Request, Thinking, ToolResult, signature,
};
use crate::{Dialect, Failure, Notes, Target};

/// What stands before the words of a tool that failed. Chat has no other way to say it.
const ERROR_PREFIX: &str = "Error: ";

/// Writes the conversation, instructions first.
pub(super) fn write_messages(
    request: &Request,
    target: &Target,
    notes: &mut Notes,
) -> Result<Vec<Json>, Failure> {
    let is_same = request.dialect == Some(Dialect::OpenAiChat);
    let steps = history::steps(&request.messages, notes);
    let mut writer = Writer {
        target,
        is_same,
        notes,
        files: 0,
        held: Vec::new(),
        out: Vec::with_capacity(steps.len() + 1),
    };
    writer.system(&system::system_text(request));
    for step in &steps {
        match step {
            Step::System(message) => {
                writer.flush(&[])?;
                writer.system(&system::joined(system::texts(message)));
            }
            Step::Assistant { parts, extra } => {
                writer.flush(&[])?;
                writer.assistant(parts, extra);
            }
            Step::Results(answers) => answers.iter().for_each(|answer| writer.answer(answer)),
            Step::User { said, extra } => writer.user(said, extra)?,
        }
    }
    writer.flush(&[])?;
    Ok(writer.out)
}

struct Writer<'r, 'n> {
    target: &'n Target,
    is_same: bool,
    notes: &'n mut Notes,
    /// How many files were written, for their names.
    files: usize,
    /// Media of results, for the message of the user that follows them.
    held: Vec<(&'r str, Cow<'r, str>, &'r Media)>,
    out: Vec<Json>,
}

impl<'r> Writer<'r, '_> {
    fn system(&mut self, text: &str) {
        if !text.is_empty() {
            self.message("system", text);
        }
    }

    fn message(&mut self, role: &str, text: &str) {
        let mut out = ObjectWriter::with_capacity(text.len() + 40);
        out.text("role", role);
        out.text("content", text);
        self.out.push(out.finish());
    }

    fn assistant(&mut self, parts: &[Part<'r>], extra: &Members) {
        let mut content = String::new();
        let mut refusal = String::new();
        let mut thoughts: Vec<&Thinking> = Vec::new();
        let mut calls = Vec::new();
        for part in parts {
            match part {
                Part::Call(id, call) => calls.push(self.call(id, call)),
                Part::Block(Block::Text(text)) => content.push_str(&text.text),
                Part::Block(Block::Refusal(text)) => refusal.push_str(text),
                Part::Block(Block::Thinking(thinking)) => thoughts.push(thinking),
                Part::Block(Block::Other { dialect, raw }) => {
                    self.other(*dialect, raw, &mut calls, &mut content)
                }
                Part::Block(Block::Media(_)) => {
                    note_once(
                        self.notes,
                        "assistant_media_dropped",
                        "media in a message of the assistant were left out",
                    );
                }
                Part::Block(Block::Call(_) | Block::Result(_)) => {}
            }
        }
        let mut thought = ObjectWriter::default();
        if !reasoning::write_for_upstream(&thoughts, self.target.reasoning, &mut thought) {
            let words = "thoughts of earlier turns were left out: the upstream has no place for them";
            note_once(self.notes, "thinking_not_sent", words);
        }
        // Servers refuse messages that say nothing.
        let is_silent = content.is_empty() && calls.is_empty() && refusal.is_empty();
        if is_silent && thought.is_empty() {
            return;
        }
        let mut out = ObjectWriter::with_capacity(content.len() + 64);
        out.text("role", "assistant");
        match content.is_empty() && !is_silent {
            true => out.value("content", &null()),
            false => out.text("content", &content),
        }
        thought.finish().members().unwrap_or_default().iter().for_each(|member| out.member(member));
        if !refusal.is_empty() {
            out.text("refusal", &refusal);
        }
        if !calls.is_empty() {
            out.list("tool_calls", calls);
        }
        if self.is_same {
            write_members(&mut out, extra);
        }
        self.out.push(out.finish());
    }

    fn call(&mut self, id: &str, call: &Call) -> Json {
        if let Arguments::Text(_) = call.arguments {
            self.notes.add(
                "arguments_wrapped",
                format!(
                    "the arguments of the call {id} of {} are no JSON object; they were put into one",
                    call.name
                ),
            );
        }
        let mut function = ObjectWriter::with_capacity(call.arguments.as_str().len() + 64);
        function.text("name", &call.name);
        function.text("arguments", call.arguments.to_object().as_str());
        let mut out = ObjectWriter::default();
        out.text("id", id);
        out.text("type", "function");
        out.value("function", &function.finish());
        for (key, value) in &call.extra {
            if self.is_same || key == signature::BESIDE_CALL {
                out.value(key, value);
            }
        }
        out.finish()
    }

    /// What only one dialect knows: as it is in its own, else its words.
    fn other(&mut self, dialect: Dialect, raw: &Json, calls: &mut Vec<Json>, content: &mut String) {
        if dialect == Dialect::OpenAiChat {
            calls.push(raw.clone());
            return;
        }
        content.push_str(&self.words(raw));
    }

    fn words(&mut self, raw: &Json) -> String {
        let kind = raw.get_text("type").unwrap_or_default();
        self.notes.add("block_not_sent", format!("Chat knows no {kind}; its words are told, if it has any"));
        words_of(raw).unwrap_or_default()
    }

    fn answer(&mut self, answer: &Answer<'r>) {
        let mut text = match answer.result {
            Some(result) => self.result_text(result, answer),
            None => NO_RESULT.to_owned(),
        };
        let is_error = answer.result.is_none_or(|result| result.is_error);
        if is_error && !text.starts_with(ERROR_PREFIX) {
            text.insert_str(0, ERROR_PREFIX);
        }
        let mut out = ObjectWriter::with_capacity(text.len() + 64);
        out.text("role", "tool");
        out.text("tool_call_id", &answer.id);
        out.text("content", &text);
        self.out.push(out.finish());
    }

    /// The words of a result. Media are held for the user's message after the last result.
    fn result_text(&mut self, result: &'r ToolResult, answer: &Answer<'r>) -> String {
        let mut words: Vec<Cow<'_, str>> = Vec::new();
        for block in &result.blocks {
            match block {
                Block::Text(text) => words.push(Cow::Borrowed(text.text.as_str())),
                Block::Refusal(text) => words.push(Cow::Borrowed(text.as_str())),
                Block::Media(media) => match &media.source {
                    MediaSource::Text(text) => words.push(Cow::Owned(media::document_text(media, text))),
                    _ => {
                        self.held.push((answer.name, answer.id.clone(), media));
                        words.push(Cow::Owned(format!(
                            "[{}: see the next message of the user]",
                            media::what(media)
                        )));
                    }
                },
                Block::Other { dialect: Dialect::OpenAiChat, raw } => {
                    words.push(Cow::Owned(raw.as_str().to_owned()))
                }
                Block::Other { raw, .. } => words.push(Cow::Owned(self.words(raw))),
                Block::Thinking(_) | Block::Call(_) | Block::Result(_) => {}
            }
        }
        words.retain(|text| !text.is_empty());
        words.join("\n")
    }

    fn user(&mut self, said: &[Said<'r>], extra: &Members) -> Result<(), Failure> {
        let mut parts = Vec::with_capacity(said.len());
        for said in said {
            match said {
                Said::Block(block) => self.part(block, &mut parts)?,
                Said::Orphan(result) => {
                    let id = result.call_id.as_deref().or(result.name.as_deref()).unwrap_or("unknown");
                    let head = format!("Result of the call {id}, which is not part of this conversation:");
                    parts.push(text_part(&head));
                    for block in &result.blocks {
                        self.part(block, &mut parts)?;
                    }
                }
            }
        }
        self.flush_with(parts, extra)
    }

    fn part(&mut self, block: &Block, parts: &mut Vec<Json>) -> Result<(), Failure> {
        match block {
            Block::Text(text) if !text.text.is_empty() => {
                let mut out = ObjectWriter::with_capacity(text.text.len() + 32);
                out.text("type", "text");
                out.text("text", &text.text);
                if self.is_same {
                    write_members(&mut out, &text.extra);
                }
                parts.push(out.finish());
            }
            Block::Refusal(text) => parts.push(text_part(text)),
            Block::Media(media) => {
                parts.push(media::write(media, &mut self.files, self.is_same, self.notes)?)
            }
            Block::Other { dialect: Dialect::OpenAiChat, raw } => parts.push(raw.clone()),
            Block::Other { raw, .. } => {
                let words = self.words(raw);
                if !words.is_empty() {
                    parts.push(text_part(&words));
                }
            }
            Block::Text(_) | Block::Thinking(_) | Block::Call(_) | Block::Result(_) => {}
        }
        Ok(())
    }

    fn flush(&mut self, extra: &[(String, Json)]) -> Result<(), Failure> {
        if self.held.is_empty() {
            return Ok(());
        }
        self.flush_with(Vec::new(), &extra.to_vec())
    }

    /// Writes a message of the user: the media of the results before it, then its own parts.
    fn flush_with(&mut self, parts: Vec<Json>, extra: &Members) -> Result<(), Failure> {
        let mut all = Vec::with_capacity(parts.len() + self.held.len() * 2);
        for (name, id, media) in std::mem::take(&mut self.held) {
            all.push(text_part(&format!("The {} in the result of {name} (call {id}):", media::what(media))));
            all.push(media::write(media, &mut self.files, self.is_same, self.notes)?);
        }
        all.extend(parts);
        let mut out =
            ObjectWriter::with_capacity(all.iter().map(|part| part.as_str().len() + 1).sum::<usize>() + 32);
        out.text("role", "user");
        match all.as_slice() {
            [] => out.text("content", ""),
            // A text alone is a string: not all servers take lists.
            [one] if is_plain_text(one) => out.text("content", &one.get_text("text").unwrap_or_default()),
            _ => out.list("content", all),
        }
        if self.is_same {
            write_members(&mut out, extra);
        }
        self.out.push(out.finish());
        Ok(())
    }
}

fn is_plain_text(part: &Json) -> bool {
    part.members().is_some_and(|members| members.len() == 2 && members[1].key == "text")
}

fn null() -> Json {
    Json::parse("null").unwrap_or_else(|_| Json::text(""))
}
