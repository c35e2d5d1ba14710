//! Encrypted thoughts on their way through other dialects and back.
//!
//! OpenAI takes a thought again as the item that it was. Other dialects have one text for such things, the signature,
//! so the item is put into it; the other way round, signatures of others travel as encrypted content. How both are
//! written is in [`signature`]: providers refuse what they did not sign or encrypt, so each gets only its own.

use toolwright_jsonrpc::{Json, ObjectWriter};

use crate::Dialect;
use crate::form::{Thinking, signature};

/// The signature that holds an item of this dialect.
pub(super) fn of_item(item: &Json) -> String {
    held(Dialect::OpenAiResponses, item.clone())
}

/// The item of this dialect that is in a signature.
pub(super) fn item(signature: &str) -> Option<Json> {
    match signature::opened("", signature)?.raw? {
        (Dialect::OpenAiResponses, item) => Some(item),
        _ => None,
    }
}

/// A signature of another provider as encrypted content; nothing where it signs nothing.
pub(super) fn to_content(signature: &str, is_redacted: bool) -> Option<String> {
    if signature::is_ours(signature) {
        return signature.starts_with(signature::PREFIX).then(|| signature.to_owned());
    }
    if signature.is_empty() {
        return None;
    }
    if is_redacted {
        let mut block = ObjectWriter::default();
        block.text("type", "redacted_thinking");
        block.text("data", signature);
        return Some(held(Dialect::AnthropicMessages, block.finish()));
    }
    Some(signature::sealed(&Thinking { signature: Some(signature.to_owned()), ..Thinking::default() }))
}

/// The thought that encrypted content was made for; nothing where it is OpenAI's own.
pub(super) fn open(text: &str, content: &str) -> Option<Thinking> {
    let mut thinking = signature::opened(text, content)?;
    if let Some((_, block)) = &thinking.raw {
        thinking.is_redacted = block.get_text("type").as_deref() == Some("redacted_thinking");
        let given = if thinking.is_redacted { "data" } else { "signature" };
        thinking.signature = block.get_text(given);
    }
    Some(thinking)
}

fn held(dialect: Dialect, item: Json) -> String {
    signature::sealed(&Thinking { raw: Some((dialect, item)), ..Thinking::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_comes_out_again() {
        let raw = Json::parse(r#"{"type":"reasoning","id":"rs_1","encrypted_content":"g:A="}"#).unwrap();
        let signature = of_item(&raw);
        assert_eq!(item(&signature), Some(raw.clone()));
        assert_eq!(to_content(&signature, false), Some(signature.clone()));
        assert_eq!(open("Hm.", &signature).unwrap().raw.unwrap().1, raw);
        assert_eq!(item("EqQB"), None);
    }

    #[test]
    fn a_signature_of_others_comes_out_again() {
        let thought = open("Hm.", &to_content("Eq\"QB", false).unwrap()).unwrap();
        assert_eq!(
            (thought.signature.as_deref(), thought.raw, thought.is_redacted),
            (Some("Eq\"QB"), None, false)
        );
        let thought = open("", &to_content("EqQB", true).unwrap()).unwrap();
        assert_eq!((thought.signature.as_deref(), thought.is_redacted), (Some("EqQB"), true));
        let (dialect, block) = thought.raw.unwrap();
        assert_eq!(dialect, Dialect::AnthropicMessages);
        assert_eq!(block.as_str(), r#"{"type":"redacted_thinking","data":"EqQB"}"#);
    }

    #[test]
    fn what_nobody_signed_has_no_content_and_what_openai_encrypted_is_its_own() {
        assert_eq!(to_content("toolwright-unsigned", false), None);
        assert_eq!(to_content("", true), None);
        assert_eq!(open("", "gAAAA"), None);
        assert_eq!(open("x", "toolwright:").unwrap().text, "x");
    }
}
