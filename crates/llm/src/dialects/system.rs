//! The instructions of a request, as text for those who take nothing else.

use std::borrow::Cow;

use crate::form::{Block, Message, Request};

/// What Claude Code puts before its instructions. It is another with every request, so no upstream could keep the
/// beginning of a conversation in its cache, and only Anthropic can use it.
const BILLING_HEADER: &str = "x-anthropic-billing-header:";

/// A text of instructions without the line that is for Anthropic alone.
pub(crate) fn without_billing(text: &str) -> &str {
    if !text.starts_with(BILLING_HEADER) {
        return text;
    }
    text.split_once('\n').map_or("", |(_, rest)| rest.trim_start_matches('\n'))
}

/// The instructions before the conversation as one text, for upstreams that are not Anthropic: blocks stand one blank line
/// apart.
pub(crate) fn system_text(request: &Request) -> Cow<'_, str> {
    joined(request.system.iter().map(|block| without_billing(&block.text)))
}

/// The texts of a message.
pub(crate) fn texts(message: &Message) -> impl Iterator<Item = &str> {
    message.blocks.iter().filter_map(|block| match block {
        Block::Text(text) => Some(text.text.as_str()),
        _ => None,
    })
}

/// Texts with a blank line between them; empty ones are left out.
pub(crate) fn joined<'t>(texts: impl Iterator<Item = &'t str>) -> Cow<'t, str> {
    let mut out = Cow::Borrowed("");
    for text in texts.filter(|text| !text.is_empty()) {
        if out.is_empty() {
            out = Cow::Borrowed(text);
        } else {
            let whole = out.to_mut();
            whole.push_str("\n\n");
            whole.push_str(text);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_billing_line_is_left_out_and_nothing_else() {
        assert_eq!(without_billing("x-anthropic-billing-header: cc_version=1; cch=0f3a1;"), "");
        assert_eq!(without_billing("x-anthropic-billing-header: cch=1;\n\nYou help."), "You help.");
        assert_eq!(without_billing("See x-anthropic-billing-header:"), "See x-anthropic-billing-header:");
    }
}
