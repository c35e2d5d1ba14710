//! Who may speak when: templates of models and strict servers refuse conversations that others take.
//!
//! Everything stays at its place, so that the beginning of a conversation is the same in every request of it and stays in
//! the upstream's cache, and what an instruction refers to still stands before it.

use crate::dialects::offer::words_of;
use crate::form::{Block, Message, Request, Role, Text};
use crate::{Notes, Target};

/// What stands around an instruction that the user has to say. Claude is trained on this mark, and Claude Code uses it.
const OPENS: &str = "<system-reminder>";
const CLOSES: &str = "</system-reminder>";

/// Changes what the upstream would refuse.
pub(super) fn fit_turns(request: &mut Request, target: &Target, notes: &mut Notes) {
    drop_wordless(request, target, notes);
    if !target.takes_inline_system {
        fit_system(request, notes);
    }
    if !target.takes_neighbours {
        merge_neighbours(&mut request.messages);
    }
    if !target.takes_user_after_results {
        fold_into_results(&mut request.messages, notes);
    }
}

/// Takes out what only another dialect knows and what has no words (`local_shell_call_output`), and messages that are
/// nothing else: an empty message is one that the user did not send.
fn drop_wordless(request: &mut Request, target: &Target, notes: &mut Notes) {
    request.messages.retain_mut(|message| {
        let before = message.blocks.len();
        message.blocks.retain(|block| match block {
            Block::Other { dialect, raw } if *dialect != target.dialect && words_of(raw).is_none() => {
                let kind = raw.get_text("type").unwrap_or_default();
                notes.add("block_not_sent", format!("the upstream knows no {kind}; it was left out"));
                false
            }
            _ => true,
        });
        message.blocks.len() == before || !message.blocks.is_empty()
    });
}

/// System messages before everything else belong to the instructions. Others are said by the user, at their place.
fn fit_system(request: &mut Request, notes: &mut Notes) {
    let first = request.messages.iter().take_while(|message| message.role == Role::System).count();
    for message in request.messages.drain(..first) {
        request.system.extend(message.blocks.into_iter().filter_map(|block| match block {
            Block::Text(text) => Some(text),
            _ => None,
        }));
    }
    let mut is_any = false;
    for message in request.messages.iter_mut().filter(|message| message.role == Role::System) {
        is_any = true;
        message.role = Role::User;
        for block in &mut message.blocks {
            if let Block::Text(text) = block
                && !text.text.trim().is_empty()
                && !text.text.trim_start().starts_with(OPENS)
            {
                text.text = format!("{OPENS}\n{}\n{CLOSES}", text.text);
            }
        }
    }
    if is_any {
        notes.add(
            "inline_system_marked",
            "the upstream takes no instructions between messages; they are said by the user there, marked as such",
        );
    }
}

/// Makes one message of neighbours of the user. Those of the assistant are one turn in any case.
fn merge_neighbours(messages: &mut Vec<Message>) {
    let mut merged: Vec<Message> = Vec::with_capacity(messages.len());
    for message in messages.drain(..) {
        match merged.last_mut() {
            Some(last)
                if last.role == Role::User
                    && message.role == Role::User
                    && (message.extra.is_empty() || message.extra == last.extra) =>
            {
                append(&mut last.blocks, message.blocks);
            }
            _ => merged.push(message),
        }
    }
    *messages = merged;
}

/// Two texts become one: not all servers take lists of parts.
fn append(blocks: &mut Vec<Block>, more: Vec<Block>) {
    for block in more {
        match (blocks.last_mut(), block) {
            (Some(Block::Text(last)), Block::Text(text)) if is_plain(last) && is_plain(&text) => {
                last.text = [last.text.as_str(), text.text.as_str()].join("\n\n");
            }
            (_, block) => blocks.push(block),
        }
    }
}

fn is_plain(text: &Text) -> bool {
    text.extra.is_empty() && !text.text.is_empty()
}

/// What the user says directly after results becomes a part of the last of them.
fn fold_into_results(messages: &mut [Message], notes: &mut Notes) {
    let mut is_any = false;
    for message in messages {
        if !message.blocks.iter().any(|block| matches!(block, Block::Result(_))) {
            continue;
        }
        let is_text = |block: &Block| matches!(block, Block::Text(_));
        let (texts, rest): (Vec<Block>, Vec<Block>) = message.blocks.drain(..).partition(is_text);
        message.blocks = rest;
        is_any |= !texts.is_empty();
        let last = message.blocks.iter_mut().rev().find_map(|block| match block {
            Block::Result(result) => Some(result),
            _ => None,
        });
        if let Some(last) = last {
            last.blocks.extend(texts);
        }
    }
    if is_any {
        notes.add(
            "text_in_result",
            "the upstream takes no words of the user directly after the result of a tool; they are a part of it",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dialect;
    use crate::form::ToolResult;
    use crate::quirks::target;

    fn text(text: &str) -> Block {
        Block::Text(Text { text: text.to_owned(), extra: Vec::new() })
    }

    fn message(role: Role, blocks: Vec<Block>) -> Message {
        Message { role, blocks, extra: Vec::new() }
    }

    fn result(said: &str) -> Block {
        Block::Result(ToolResult {
            call_id: Some("c".to_owned()),
            name: None,
            blocks: vec![text(said)],
            is_error: false,
            extra: Vec::new(),
        })
    }

    fn words(blocks: &[Block]) -> String {
        let word = |block: &Block| match block {
            Block::Text(text) => text.text.replace('\n', "|"),
            Block::Result(result) => format!("[{}]", words(&result.blocks)),
            _ => "?".to_owned(),
        };
        blocks.iter().map(word).collect::<Vec<_>>().join(",")
    }

    /// The conversation in one line: `system / U a / A b`.
    fn fitted(kind: Dialect, host: &str, model: &str, messages: &[Message]) -> String {
        let mut request = Request { messages: messages.to_vec(), ..Request::default() };
        request.system.push(Text { text: "top".to_owned(), extra: Vec::new() });
        fit_turns(&mut request, &target(kind, host, model), &mut Notes::default());
        let system: Vec<&str> = request.system.iter().map(|text| text.text.as_str()).collect();
        let mut told = vec![system.join(",")];
        for message in &request.messages {
            let role = match message.role {
                Role::System => "S",
                Role::User => "U",
                Role::Assistant => "A",
            };
            told.push(format!("{role} {}", words(&message.blocks)));
        }
        told.join(" / ")
    }

    fn conversation() -> Vec<Message> {
        vec![
            message(Role::System, vec![text("first")]),
            message(Role::User, vec![text("go")]),
            message(Role::System, vec![text("be brief")]),
            message(Role::User, vec![text("<system-reminder>x</system-reminder>")]),
            message(Role::Assistant, vec![text("so")]),
            message(Role::User, vec![result("r")]),
            message(Role::System, vec![text("late")]),
        ]
    }

    #[test]
    fn instructions_stay_where_they_are_taken() {
        let as_sent = "top / S first / U go / S be brief / U <system-reminder>x</system-reminder> / A so / U [r] / S late";
        for (kind, host, model) in [
            (Dialect::OpenAiChat, "api.openai.com", "gpt-5"),
            (Dialect::OpenAiResponses, "api.openai.com", "gpt-4.1"),
            (Dialect::AnthropicMessages, "api.anthropic.com", "claude-opus-4-8"),
        ] {
            assert_eq!(fitted(kind, host, model, &conversation()), as_sent, "{model}");
        }
    }

    #[test]
    fn instructions_are_said_by_the_user_at_their_place_where_they_are_refused() {
        let marked = "top,first / U go / U <system-reminder>|be brief|</system-reminder> / \
                      U <system-reminder>x</system-reminder> / A so / U [r] / U <system-reminder>|late|</system-reminder>";
        for model in ["claude-sonnet-4-5", "claude-haiku-4-5", "claude-opus-4-7"] {
            let told = fitted(Dialect::AnthropicMessages, "api.anthropic.com", model, &conversation());
            assert_eq!(told, marked, "{model}");
        }
        let merged = "top,first / U go||<system-reminder>|be brief|</system-reminder>||<system-reminder>x</system-reminder> / \
                      A so / U [r],<system-reminder>|late|</system-reminder>";
        for (kind, host, model) in [
            (Dialect::OpenAiChat, "127.0.0.1", "qwen3.5"),
            (Dialect::OpenAiChat, "openrouter.ai", "qwen/qwen3.5"),
            (Dialect::OllamaChat, "localhost", "qwen3.6"),
        ] {
            assert_eq!(fitted(kind, host, model, &conversation()), merged, "{host} {model}");
        }
    }

    #[test]
    fn a_longer_conversation_begins_like_the_shorter_one() {
        let all = conversation();
        let told = |many: usize| fitted(Dialect::OllamaChat, "localhost", "m", &all[..many]);
        for many in 2..all.len() {
            let (short, long) = (told(many), told(many + 1));
            assert!(long.starts_with(&short), "{short} is the beginning of {long}");
        }
    }

    #[test]
    fn mistral_gets_words_after_a_result_as_a_part_of_it() {
        let messages =
            [message(Role::User, vec![result("r"), text("go on")]), message(Role::User, vec![text("now")])];
        for (host, model) in [("api.mistral.ai", "x"), ("localhost", "ministral-3")] {
            let told = fitted(Dialect::OpenAiChat, host, model, &messages);
            assert_eq!(told, "top / U [r,go on||now]", "{host}");
        }
        // Others take them, and users with a turn of the assistant between them are no neighbours.
        let told = fitted(Dialect::OpenAiChat, "localhost", "qwen3", &messages);
        assert_eq!(told, "top / U [r],go on||now");
        let between = [
            message(Role::User, vec![text("a")]),
            message(Role::Assistant, vec![text("b")]),
            message(Role::User, vec![text("c")]),
        ];
        assert_eq!(fitted(Dialect::OpenAiChat, "localhost", "m", &between), "top / U a / A b / U c");
    }
}
