//! The conversation, written for Anthropic: sides take turns, results come first, and nothing is empty.

use toolwright_jsonrpc::{Json, ObjectWriter};

use super::media::write_media;
use crate::dialects::history::{self, Answer, NO_RESULT, Part, Said, Step, note_once};
use crate::dialects::offer::words_of;
use crate::form::{Arguments, Block, Call, Members, Request, Role, Text, Thinking, ToolResult, signature};
use crate::{Dialect, Failure, Notes};

/// What is said for the user where Anthropic wants a message of the user and there is none.
const PLACEHOLDER: &str = "Continue.";

/// The most points of caching in one request.
const MOST_BREAKPOINTS: usize = 4;

/// Lets the last four points of caching through: the earliest ones are worth the least.
pub(super) struct Breakpoints {
    is_same: bool,
    to_drop: usize,
}

impl Breakpoints {
    /// Counts those of a request.
    pub(super) fn of(request: &Request, notes: &mut Notes) -> Breakpoints {
        let has = |extra: &Members| usize::from(extra.iter().any(|(key, _)| key == "cache_control"));
        let mut found = has(&request.extra);
        found += request.tools.iter().map(|tool| has(&tool.extra)).sum::<usize>();
        found += request.system.iter().map(|text| has(&text.extra)).sum::<usize>();
        let of_block = |block: &Block| match block {
            Block::Text(text) => has(&text.extra),
            Block::Media(media) => has(&media.extra),
            Block::Call(call) => has(&call.extra),
            _ => 0,
        };
        for block in request.messages.iter().flat_map(|message| &message.blocks) {
            found += match block {
                Block::Result(result) => {
                    has(&result.extra) + result.blocks.iter().map(of_block).sum::<usize>()
                }
                other => of_block(other),
            };
        }
        let to_drop = found.saturating_sub(MOST_BREAKPOINTS);
        if to_drop > 0 {
            notes.add(
                "cache_control_cut",
                format!("{found} points of caching were asked for, {MOST_BREAKPOINTS} are taken; the earliest were dropped"),
            );
        }
        Breakpoints { is_same: request.dialect == Some(Dialect::AnthropicMessages), to_drop }
    }

    /// Writes what stands beside a block: everything of Anthropic's own, and points of caching of all.
    pub(super) fn write_extra(&mut self, out: &mut ObjectWriter, extra: &Members) {
        for (key, value) in extra {
            if key == "cache_control" {
                if self.to_drop > 0 {
                    self.to_drop -= 1;
                    continue;
                }
            } else if !self.is_same || key == signature::BESIDE_CALL {
                continue;
            }
            out.value(key, value);
        }
    }
}

/// The written conversation.
pub(super) struct Written {
    /// The messages.
    pub(super) messages: Vec<Json>,
    /// Whether the turn that goes on does not begin with a thought, as it has to where thinking is on.
    pub(super) lacks_thought: bool,
}

/// Writes the conversation.
pub(super) fn write_messages(
    request: &Request,
    breakpoints: &mut Breakpoints,
    notes: &mut Notes,
) -> Result<Written, Failure> {
    let steps = history::steps(&request.messages, notes);
    let last = steps.len().saturating_sub(1);
    let mut turns = Turns { out: Vec::new() };
    let mut writer = Writer { breakpoints, notes };
    let mut lacks_thought = false;
    for (at, step) in steps.iter().enumerate() {
        match step {
            Step::System(message) => {
                let texts = message.blocks.iter().filter_map(|block| match block {
                    Block::Text(text) => writer.text(text, &text.text),
                    _ => None,
                });
                turns.push(Role::System, texts.collect());
            }
            Step::Assistant { parts, .. } => {
                let blocks = writer.assistant(parts, at == last);
                let goes_on = at == last || parts.iter().any(|part| matches!(part, Part::Call(..)));
                lacks_thought = goes_on && !blocks.first().is_some_and(is_thought);
                turns.push(Role::Assistant, blocks);
            }
            Step::Results(answers) => {
                let blocks: Result<Vec<_>, _> = answers.iter().map(|answer| writer.answer(answer)).collect();
                turns.push(Role::User, blocks?);
            }
            Step::User { said, .. } => {
                let mut blocks = Vec::with_capacity(said.len());
                for said in said {
                    writer.said(said, &mut blocks)?;
                }
                turns.push(Role::User, blocks);
            }
        }
    }
    Ok(Written { messages: turns.finish(writer.notes), lacks_thought })
}

fn is_thought(block: &Json) -> bool {
    matches!(block.get_text("type").as_deref(), Some("thinking" | "redacted_thinking"))
}

/// Messages whose sides take turns.
struct Turns {
    out: Vec<(Role, Vec<Json>)>,
}

impl Turns {
    fn push(&mut self, role: Role, blocks: Vec<Json>) {
        match self.out.last_mut() {
            _ if blocks.is_empty() => {}
            Some((before, all)) if *before == role => all.extend(blocks),
            _ => self.out.push((role, blocks)),
        }
    }

    fn finish(mut self, notes: &mut Notes) -> Vec<Json> {
        let first = self.out.iter().position(|(role, _)| *role != Role::System);
        if first.is_none_or(|at| self.out[at].0 == Role::Assistant) {
            notes.add(
                "placeholder_user",
                "the conversation does not begin with the user; a word was put before it",
            );
            self.out.insert(first.unwrap_or(self.out.len()), (Role::User, vec![plain_text(PLACEHOLDER)]));
        }
        let message = |(role, blocks): (Role, Vec<Json>)| {
            let mut out =
                ObjectWriter::with_capacity(blocks.iter().map(|block| block.as_str().len() + 1).sum());
            out.text("role", role_word(role));
            out.list("content", blocks);
            out.finish()
        };
        self.out.into_iter().map(message).collect()
    }
}

fn role_word(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
    }
}

/// A text with nothing beside it.
pub(super) fn plain_text(text: &str) -> Json {
    let mut out = ObjectWriter::with_capacity(text.len() + 32);
    out.text("type", "text");
    out.text("text", text);
    out.finish()
}

struct Writer<'n> {
    breakpoints: &'n mut Breakpoints,
    notes: &'n mut Notes,
}

impl Writer<'_> {
    fn assistant(&mut self, parts: &[Part<'_>], is_last: bool) -> Vec<Json> {
        let mut blocks = Vec::with_capacity(parts.len());
        for (at, part) in parts.iter().enumerate() {
            let ends_all = is_last && at + 1 == parts.len();
            match part {
                Part::Call(id, call) => blocks.push(self.call(id, call)),
                Part::Block(Block::Text(text)) if ends_all => {
                    blocks.extend(self.text(text, text.text.trim_end()));
                }
                Part::Block(Block::Text(text)) => blocks.extend(self.text(text, &text.text)),
                Part::Block(Block::Refusal(text)) => blocks.extend(non_empty(text)),
                Part::Block(Block::Thinking(thinking)) => blocks.extend(self.thinking(thinking)),
                Part::Block(Block::Other { dialect, raw }) => blocks.extend(self.other(*dialect, raw)),
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
        blocks
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
        let mut out = ObjectWriter::with_capacity(call.arguments.as_str().len() + 64);
        out.text("type", "tool_use");
        out.text("id", id);
        out.text("name", &call.name);
        out.value("input", &call.arguments.to_object());
        self.breakpoints.write_extra(&mut out, &call.extra);
        out.finish()
    }

    fn text(&mut self, block: &Text, text: &str) -> Option<Json> {
        if text.trim().is_empty() {
            return None;
        }
        let mut out = ObjectWriter::with_capacity(text.len() + 64);
        out.text("type", "text");
        out.text("text", text);
        self.breakpoints.write_extra(&mut out, &block.extra);
        Some(out.finish())
    }

    /// A thought, if it is Anthropic's own. It would refuse any other.
    fn thinking(&mut self, thinking: &Thinking) -> Option<Json> {
        let block = signed_block(thinking);
        if block.is_none() {
            note_once(
                self.notes,
                "thinking_not_sent",
                "thoughts of another model in earlier turns were left out: Anthropic takes only what it signed",
            );
        }
        block
    }

    fn other(&mut self, dialect: Dialect, raw: &Json) -> Option<Json> {
        if dialect == Dialect::AnthropicMessages {
            return Some(raw.clone());
        }
        let kind = raw.get_text("type").unwrap_or_default();
        self.notes
            .add("block_not_sent", format!("Anthropic knows no {kind}; its words are told, if it has any"));
        words_of(raw).and_then(|words| non_empty(&words))
    }

    fn said(&mut self, said: &Said<'_>, blocks: &mut Vec<Json>) -> Result<(), Failure> {
        match said {
            Said::Block(block) => blocks.extend(self.user_block(block)?),
            Said::Orphan(result) => {
                let id = result.call_id.as_deref().or(result.name.as_deref()).unwrap_or("unknown");
                blocks.push(plain_text(&format!(
                    "Result of the call {id}, which is not part of this conversation:"
                )));
                for block in &result.blocks {
                    blocks.extend(self.user_block(block)?);
                }
            }
        }
        Ok(())
    }

    fn user_block(&mut self, block: &Block) -> Result<Option<Json>, Failure> {
        Ok(match block {
            Block::Text(text) => self.text(text, &text.text),
            Block::Refusal(text) => non_empty(text),
            Block::Media(media) => Some(write_media(media, self.breakpoints, self.notes)?),
            Block::Thinking(thinking) => self.thinking(thinking),
            Block::Other { dialect, raw } => self.other(*dialect, raw),
            Block::Call(_) | Block::Result(_) => None,
        })
    }

    fn answer(&mut self, answer: &Answer<'_>) -> Result<Json, Failure> {
        let mut out = ObjectWriter::default();
        out.text("type", "tool_result");
        out.text("tool_use_id", &answer.id);
        let Some(result) = answer.result else {
            out.text("content", NO_RESULT);
            out.value("is_error", &Json::yes());
            return Ok(out.finish());
        };
        self.result_content(result, &mut out)?;
        if result.is_error {
            out.value("is_error", &Json::yes());
        }
        self.breakpoints.write_extra(&mut out, &result.extra);
        Ok(out.finish())
    }

    /// One text is a string, several blocks are a list, nothing is nothing.
    fn result_content(&mut self, result: &ToolResult, out: &mut ObjectWriter) -> Result<(), Failure> {
        if let [Block::Text(text)] = result.blocks.as_slice()
            && text.extra.is_empty()
        {
            out.text("content", &text.text);
            return Ok(());
        }
        let mut blocks = Vec::with_capacity(result.blocks.len());
        for block in &result.blocks {
            blocks.extend(self.user_block(block)?);
        }
        if !blocks.is_empty() {
            out.list("content", blocks);
        }
        Ok(())
    }
}

fn non_empty(text: &str) -> Option<Json> {
    (!text.trim().is_empty()).then(|| plain_text(text))
}

/// The block of a thought that Anthropic signed, whichever way it came.
fn signed_block(thinking: &Thinking) -> Option<Json> {
    match &thinking.raw {
        Some((Dialect::AnthropicMessages, raw)) => Some(raw.clone()),
        // Claude behind Chat: what is in `reasoning_details` says whose signature it is.
        Some((Dialect::OpenAiChat, raw)) => {
            raw.get_text("format").filter(|format| format.starts_with("anthropic"))?;
            match (raw.get_text("signature"), raw.get_text("data")) {
                (Some(signature), _) => Some(thought(&thinking.text, &signature)),
                (None, Some(data)) => Some(redacted(&data)),
                (None, None) => None,
            }
        }
        // Signed, and by nobody else: it went through a client that keeps signatures only.
        None => {
            let signature =
                thinking.signature.as_deref().filter(|signature| !signature::is_ours(signature))?;
            match thinking.is_redacted {
                true => Some(redacted(signature)),
                false => Some(thought(&thinking.text, signature)),
            }
        }
        _ => None,
    }
}

fn thought(text: &str, signature: &str) -> Json {
    let mut out = ObjectWriter::with_capacity(text.len() + signature.len() + 64);
    out.text("type", "thinking");
    out.text("thinking", text);
    out.text("signature", signature);
    out.finish()
}

fn redacted(data: &str) -> Json {
    let mut out = ObjectWriter::default();
    out.text("type", "redacted_thinking");
    out.text("data", data);
    out.finish()
}
