//! Encrypted thoughts on their way through other dialects and back.
//!
//! OpenAI takes a thought again as the item that it was. Other dialects have one text for such things, the signature,
//! so the item is put into it: `toolwright:openai-responses:ITEM`. The other way round, signatures of others travel as
//! encrypted content: `toolwright::"SIGNATURE"`, or `toolwright:DIALECT:BLOCK` where the block is known. No provider
//! makes texts like these, and providers refuse what they did not sign or encrypt: so each gets only its own.

use toolwright_jsonrpc::{Json, ObjectWriter};

use crate::Dialect;
use crate::form::Thinking;

const PREFIX: &str = "toolwright:";

/// The signature that holds an item of this dialect.
pub(super) fn of_item(item: &str) -> String {
    format!("{PREFIX}{}:{item}", Dialect::OpenAiResponses.name())
}

/// The item of this dialect that is in a signature.
pub(super) fn item(signature: &str) -> Option<Json> {
    let item =
        signature.strip_prefix(PREFIX)?.strip_prefix(Dialect::OpenAiResponses.name())?.strip_prefix(':')?;
    Json::parse(item).ok()
}

/// A signature of another provider as encrypted content.
pub(super) fn to_content(signature: &str, is_redacted: bool) -> String {
    if signature.starts_with(PREFIX) {
        return signature.to_owned();
    }
    if is_redacted {
        let mut block = ObjectWriter::default();
        block.text("type", "redacted_thinking");
        block.text("data", signature);
        return format!("{PREFIX}{}:{}", Dialect::AnthropicMessages.name(), block.finish());
    }
    format!("{PREFIX}:{}", Json::text(signature))
}

/// The thought that encrypted content was made for; nothing where it is OpenAI's own.
pub(super) fn open(text: &str, content: &str) -> Option<Thinking> {
    let (dialect, held) = content.strip_prefix(PREFIX)?.split_once(':').unwrap_or_default();
    let dialect = Dialect::ALL.into_iter().find(|known| known.name() == dialect);
    let mut thinking = Thinking { text: text.to_owned(), ..Thinking::default() };
    match (dialect, Json::parse(held).ok()) {
        (Some(dialect), Some(block)) => {
            thinking.is_redacted = block.get_text("type").as_deref() == Some("redacted_thinking");
            let is_own = dialect == Dialect::OpenAiResponses;
            thinking.signature = if is_own { Some(content.to_owned()) } else { block.get_text("data") };
            thinking.raw = Some((dialect, block));
        }
        (None, Some(signature)) => thinking.signature = signature.to_text(),
        (_, None) => {}
    }
    Some(thinking)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_comes_out_again() {
        let raw = r#"{"type":"reasoning","id":"rs_1","encrypted_content":"g:A="}"#;
        let signature = of_item(raw);
        assert_eq!(item(&signature).unwrap().as_str(), raw);
        assert_eq!(to_content(&signature, false), signature);
        let thought = open("Hm.", &signature).unwrap();
        assert_eq!(thought.raw.unwrap().1.as_str(), raw);
        assert_eq!(item("EqQB"), None);
    }

    #[test]
    fn a_signature_of_others_comes_out_again() {
        let thought = open("Hm.", &to_content("Eq\"QB", false)).unwrap();
        assert_eq!(
            (thought.signature.as_deref(), thought.raw, thought.is_redacted),
            (Some("Eq\"QB"), None, false)
        );
        let thought = open("", &to_content("EqQB", true)).unwrap();
        assert_eq!((thought.signature.as_deref(), thought.is_redacted), (Some("EqQB"), true));
        let (dialect, block) = thought.raw.unwrap();
        assert_eq!(dialect, Dialect::AnthropicMessages);
        assert_eq!(block.as_str(), r#"{"type":"redacted_thinking","data":"EqQB"}"#);
    }

    #[test]
    fn what_openai_encrypted_is_its_own() {
        assert_eq!(open("", "gAAAA"), None);
        assert_eq!(open("x", "toolwright:").unwrap().text, "x");
        assert_eq!(open("x", "toolwright:anthropic:{").unwrap().raw, None);
    }
}
