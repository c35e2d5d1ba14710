//! Signatures of thoughts that are ours: what a client of Anthropic Messages is given for a thought of another model.
//!
//! Such a client wants a string beside every thought and sends both back. Anthropic's own signatures are base64;
//! ours have colons and cannot be mistaken for them: `toolwright:DIALECT:ITEM`, where `ITEM` is the thought as the
//! upstream gave it, as JSON, or nothing. So a thought finds its way back to the upstream that it is of, and none of
//! them ever reaches Anthropic, which would refuse it.

use toolwright_jsonrpc::Json;

use super::Thinking;
use crate::Dialect;

/// What every signature of ours with a thought in it begins with.
pub const PREFIX: &str = "toolwright:";

/// What a stream signs a thought with of which nothing but its words is known.
const UNSIGNED: &str = "toolwright-unsigned";

/// The member beside a call in which Gemini, behind Chat, gives the signature of its thoughts and wants it back. It is
/// the one member of a foreign call that clients of other dialects are given too; Anthropic never gets it.
pub const BESIDE_CALL: &str = "extra_content";

/// Whether a signature is one of ours.
pub fn is_ours(signature: &str) -> bool {
    signature.starts_with(PREFIX) || signature == UNSIGNED
}

/// The signature for a thought that Anthropic did not sign.
pub fn sealed(thinking: &Thinking) -> String {
    match (&thinking.raw, &thinking.signature) {
        (Some((dialect, raw)), _) => format!("{PREFIX}{}:{raw}", dialect.name()),
        (None, Some(signature)) if is_ours(signature) => signature.clone(),
        (None, Some(signature)) => format!("{PREFIX}:{}", Json::text(signature)),
        (None, None) => format!("{PREFIX}:"),
    }
}

/// The thought that a signature of ours was made for; nothing where it is another's.
pub fn opened(text: &str, signature: &str) -> Option<Thinking> {
    if !is_ours(signature) {
        return None;
    }
    let held = signature.strip_prefix(PREFIX).unwrap_or_default();
    let (dialect, item) = held.split_once(':').unwrap_or_default();
    let dialect = Dialect::of_name(dialect);
    let item = Json::parse(item).ok();
    let mut thinking = Thinking { text: text.to_owned(), ..Thinking::default() };
    match (dialect, item) {
        (Some(dialect), Some(item)) => thinking.raw = Some((dialect, item)),
        (None, Some(item)) => thinking.signature = item.to_text(),
        (_, None) => {}
    }
    Some(thinking)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thought_comes_back_as_it_was() {
        let item = Json::parse(r#"{"id": "rs_1", "encrypted_content": "a:b=="}"#).unwrap();
        let with_item = Thinking {
            text: "Hm.".to_owned(),
            raw: Some((Dialect::OpenAiResponses, item)),
            ..Thinking::default()
        };
        let bare = Thinking { text: "Hm.".to_owned(), ..Thinking::default() };
        let signed = Thinking { signature: Some("s:\"1".to_owned()), ..bare.clone() };
        for thinking in [with_item, bare, signed] {
            let signature = sealed(&thinking);
            assert!(is_ours(&signature));
            assert_eq!(opened("Hm.", &signature), Some(thinking));
        }
    }

    #[test]
    fn what_another_signed_is_not_ours() {
        assert_eq!(opened("Hm.", "ErUBCkYIBxgCIkDx+/="), None);
        assert!(!is_ours(""));
        assert_eq!(opened("", "toolwright-unsigned"), Some(Thinking::default()));
        assert_eq!(opened("", "toolwright:"), Some(Thinking::default()));
        assert_eq!(opened("", "toolwright:anthropic:{"), Some(Thinking::default()));
    }
}
