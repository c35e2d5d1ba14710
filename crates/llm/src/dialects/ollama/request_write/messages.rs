//! Turns of the form, written as messages.

use toolwright_jsonrpc::{Json, ObjectWriter};

use crate::dialects::history::{self, Answer, Part, Said, Step, note_once};
use crate::dialects::offer::words_of;
use crate::dialects::{prompt, system};
use crate::form::{Arguments, Block, Call, Media, MediaKind, MediaSource, Request};
use crate::{Failure, Notes};

/// All messages, the instructions first.
pub(super) fn write(request: &Request, notes: &mut Notes) -> Result<Vec<Json>, Failure> {
    let system = system::system_text(request).into_owned();
    let steps = history::steps(&request.messages, notes);
    let mut writer = Writer { out: Vec::with_capacity(steps.len() + 1), notes };
    if !system.is_empty() {
        writer.message("system", Content { words: vec![system], images: Vec::new() });
    }
    for step in &steps {
        match step {
            Step::System(message) => {
                let words = vec![system::joined(system::texts(message)).into_owned()];
                writer.message("system", Content { words, images: Vec::new() });
            }
            Step::Assistant { parts, .. } => writer.assistant(parts),
            Step::Results(answers) => {
                for answer in answers {
                    writer.answer(answer)?;
                }
            }
            Step::User { said, .. } => writer.user(said)?,
        }
    }
    Ok(writer.out)
}

struct Writer<'n> {
    out: Vec<Json>,
    notes: &'n mut Notes,
}

/// What a message says and shows.
#[derive(Default)]
struct Content {
    words: Vec<String>,
    images: Vec<Json>,
}

impl Writer<'_> {
    fn message(&mut self, role: &str, content: Content) {
        let words = content.words.join("\n\n");
        let mut out = ObjectWriter::with_capacity(words.len() + 60);
        out.text("role", role);
        out.text("content", &words);
        if !content.images.is_empty() {
            out.list("images", content.images);
        }
        self.out.push(out.finish());
    }

    fn user(&mut self, said: &[Said<'_>]) -> Result<(), Failure> {
        let mut content = Content::default();
        for said in said {
            match said {
                Said::Block(block) => self.block(block, &mut content)?,
                Said::Orphan(result) => {
                    content.words.push(prompt::orphan_head(result));
                    for block in &result.blocks {
                        self.block(block, &mut content)?;
                    }
                }
            }
        }
        self.message("user", content);
        Ok(())
    }

    fn block(&mut self, block: &Block, content: &mut Content) -> Result<(), Failure> {
        match block {
            Block::Text(text) if !text.text.is_empty() => content.words.push(text.text.clone()),
            Block::Refusal(text) => content.words.push(text.clone()),
            Block::Media(media) => self.media(media, content)?,
            Block::Other { raw, .. } => content.words.extend(self.words(raw)),
            Block::Text(_) | Block::Thinking(_) | Block::Call(_) | Block::Result(_) => {}
        }
        Ok(())
    }

    fn media(&mut self, media: &Media, content: &mut Content) -> Result<(), Failure> {
        match (media.kind, &media.source) {
            (MediaKind::Image, MediaSource::Base64 { data, .. }) => content.images.push(Json::text(data)),
            (_, MediaSource::Text(text)) => content.words.push(text.clone()),
            (_, MediaSource::File { id, .. }) => {
                return Err(Failure::invalid(format!(
                    "The file {id} is stored with another provider than the one of this model: send its content \
                     instead (an image in base64, or text)."
                )));
            }
            _ => content.words.push(prompt::left_out(media, self.notes)),
        }
        Ok(())
    }

    /// The words of a block that only another dialect knows.
    fn words(&mut self, raw: &Json) -> Option<String> {
        let kind = raw.get_text("type").unwrap_or_default();
        self.notes
            .add("block_not_sent", format!("Ollama knows no {kind}; its words are told, if it has any"));
        words_of(raw).filter(|words| !words.is_empty())
    }

    /// The result of a call. Older servers know its call by the tool's name, newer ones by the id.
    fn answer(&mut self, answer: &Answer<'_>) -> Result<(), Failure> {
        let mut content = Content::default();
        let text = match answer.result {
            None => prompt::no_result(),
            Some(result) => {
                for block in &result.blocks {
                    self.block(block, &mut content)?;
                }
                prompt::marked(content.words.join("\n"), result.is_error)
            }
        };
        let mut out = ObjectWriter::with_capacity(text.len() + 100);
        out.text("role", "tool");
        out.text("content", &text);
        out.text("tool_name", answer.name);
        out.text("tool_call_id", &answer.id);
        if !content.images.is_empty() {
            out.list("images", content.images);
        }
        self.out.push(out.finish());
        Ok(())
    }

    /// One message: thoughts, words and calls each have their member.
    fn assistant(&mut self, parts: &[Part<'_>]) {
        let (mut words, mut thoughts, mut calls) = (String::new(), Vec::new(), Vec::new());
        for part in parts {
            match part {
                Part::Call(id, call) => {
                    let call = self.call(id, call, calls.len());
                    calls.push(call);
                }
                Part::Block(Block::Text(text)) => words.push_str(&text.text),
                Part::Block(Block::Refusal(text)) => words.push_str(text),
                Part::Block(Block::Thinking(thinking)) if thinking.text.is_empty() => note_once(
                    self.notes,
                    "thinking_not_sent",
                    "thoughts without words were left out: only who encrypted them can read them",
                ),
                Part::Block(Block::Thinking(thinking)) => thoughts.push(thinking.text.as_str()),
                Part::Block(Block::Other { raw, .. }) => {
                    words.push_str(&self.words(raw).unwrap_or_default());
                }
                Part::Block(Block::Media(_)) => note_once(
                    self.notes,
                    "assistant_media_dropped",
                    "media in a message of the assistant were left out",
                ),
                Part::Block(Block::Call(_) | Block::Result(_)) => {}
            }
        }
        if words.is_empty() && thoughts.is_empty() && calls.is_empty() {
            return;
        }
        let mut out = ObjectWriter::with_capacity(words.len() + 60);
        out.text("role", "assistant");
        out.text("content", &words);
        if !thoughts.is_empty() {
            out.text("thinking", &thoughts.join("\n\n"));
        }
        if !calls.is_empty() {
            out.list("tool_calls", calls);
        }
        self.out.push(out.finish());
    }

    fn call(&mut self, id: &str, call: &Call, at: usize) -> Json {
        if let Arguments::Text(_) = call.arguments {
            self.notes.add(
                "arguments_wrapped",
                format!(
                    "the arguments of the call {id} of {} are no JSON object; they were put into one",
                    call.name
                ),
            );
        }
        super::super::response::write_call(id, &call.name, &call.arguments, at)
    }
}
