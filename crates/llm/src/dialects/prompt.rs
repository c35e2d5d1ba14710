//! What is said to a model in words because the dialect has no other place for it.

use crate::form::{Block, Media, MediaKind, Message, Request, Role, ToolResult};
use crate::{Notes, Target};

/// How the block begins that Claude Code changes with every request. It means nothing to others, and no cache would
/// ever hit.
const BILLING_HEADER: &str = "x-anthropic-billing-header:";

/// The instructions as one text: blocks are parted by blank lines. System messages between others are among them where
/// the target takes none there.
pub(crate) fn system_text(request: &Request, target: &Target, notes: &mut Notes) -> String {
    let mut texts: Vec<&str> = request.system.iter().map(|text| without_billing(&text.text)).collect();
    if !target.takes_inline_system {
        let before = texts.len();
        for message in request.messages.iter().filter(|message| message.role == Role::System) {
            texts.extend(words_of(message));
        }
        if texts.len() > before {
            notes.add(
                "inline_system_moved",
                "System messages between others were put before the conversation: the upstream takes them only there.",
            );
        }
    }
    texts.retain(|text| !text.is_empty());
    texts.join("\n\n")
}

fn without_billing(text: &str) -> &str {
    if !text.starts_with(BILLING_HEADER) {
        return text;
    }
    text.split_once('\n').map_or("", |(_, rest)| rest.trim_start_matches('\n'))
}

/// The texts of a message.
pub(crate) fn words_of(message: &Message) -> impl Iterator<Item = &str> {
    message.blocks.iter().filter_map(|block| match block {
        Block::Text(text) => Some(text.text.as_str()),
        _ => None,
    })
}

/// The texts of a result as one, with a word in front where the tool failed: dialects without a sign for that would
/// otherwise make a success of it.
pub(crate) fn result_text(result: &ToolResult) -> String {
    let texts: Vec<&str> = result
        .blocks
        .iter()
        .filter_map(|block| match block {
            Block::Text(text) => Some(text.text.as_str()),
            Block::Refusal(text) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    marked(texts.join("\n"), result.is_error)
}

/// A text that says of itself that it is an error.
pub(crate) fn marked(text: String, is_error: bool) -> String {
    let says_so = text.get(.."error:".len()).is_some_and(|start| start.eq_ignore_ascii_case("error:"));
    match (is_error, text.is_empty()) {
        (false, _) => text,
        (true, true) => "Error: the tool failed and said nothing.".to_owned(),
        (true, false) if says_so => text,
        (true, false) => format!("Error: {text}"),
    }
}

/// What stands where media cannot, so that the model knows of it.
pub(crate) fn left_out(media: &Media, notes: &mut Notes) -> String {
    let kind = match media.kind {
        MediaKind::Image => "An image",
        MediaKind::Document => "A document",
        MediaKind::Audio => "A sound",
    };
    let name = media.name.as_ref().map(|name| format!(" ({name})")).unwrap_or_default();
    notes.add("media_left_out", format!("{kind}{name} was left out: the upstream takes none in this form."));
    format!("[{kind}{name} was left out: it cannot be sent to this model.]")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dialect;
    use crate::form::Text;

    fn text(text: &str) -> Text {
        Text { text: text.to_owned(), extra: Vec::new() }
    }

    #[test]
    fn instructions_are_one_text_without_the_billing_block() {
        let system = Message {
            role: Role::System,
            blocks: vec![Block::Text(text("Mind the gap."))],
            extra: Vec::new(),
        };
        let request = Request {
            system: vec![
                text("x-anthropic-billing-header: cc_version=1; cch=abcde;"),
                text("Be kind."),
                text("Be short."),
            ],
            messages: vec![system],
            ..Request::default()
        };
        let mut target = Target::new(Dialect::OllamaChat, "m");
        let mut notes = Notes::default();
        assert_eq!(system_text(&request, &target, &mut notes), "Be kind.\n\nBe short.");
        assert!(notes.as_slice().is_empty());
        target.takes_inline_system = false;
        assert_eq!(system_text(&request, &target, &mut notes), "Be kind.\n\nBe short.\n\nMind the gap.");
        assert_eq!(notes.as_slice()[0].code, "inline_system_moved");
    }

    #[test]
    fn a_failed_tool_is_seen_to_have_failed() {
        let marked = |text: &str| marked(text.to_owned(), true);
        assert_eq!(marked("no such file"), "Error: no such file");
        assert_eq!(marked("error: no such file"), "error: no such file");
        assert_eq!(marked(""), "Error: the tool failed and said nothing.");
        assert_eq!(marked("ä"), "Error: ä");
    }
}
