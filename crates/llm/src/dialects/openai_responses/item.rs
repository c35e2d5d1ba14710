//! Items that requests and answers have in common, read.

use toolwright_jsonrpc::{Json, ObjectWriter, raw};

use super::seal;
use crate::Dialect;
use crate::dialects::fields::{Fields, arguments, decoded};
use crate::dialects::namespace::{NAMESPACE, full_name};
use crate::form::{Arguments, Call, Members, Thinking};

/// What marks the call of a tool that takes text instead of JSON, and its result.
pub(in crate::dialects) const CUSTOM: &str = "custom";
/// The one argument that such a tool has in other dialects.
pub(super) const CUSTOM_INPUT: &str = "input";

/// A thought.
pub(super) fn thinking(raw: &str) -> Thinking {
    let mut fields = Fields::lenient(raw);
    let summary = fields.take("summary").map(texts).unwrap_or_default();
    let content = fields.take("content").map(texts).unwrap_or_default();
    let text = if summary.is_empty() { content } else { summary };
    let encrypted = fields.text("encrypted_content").ok().flatten().filter(|content| !content.is_empty());
    if let Some(thinking) = encrypted.as_deref().and_then(|content| seal::open(&text, content)) {
        return thinking;
    }
    let item = Json::parse(raw).ok();
    Thinking {
        is_redacted: text.is_empty() && encrypted.is_some(),
        text,
        signature: encrypted.and(item.as_ref()).map(seal::of_item),
        raw: item.map(|item| (Dialect::OpenAiResponses, item)),
    }
}

/// The texts of a list of parts, whatever kind of text they are.
fn texts(list: &str) -> String {
    let parts = raw::items(list).unwrap_or_default();
    let texts: Vec<String> = parts
        .into_iter()
        .filter_map(|part| raw::find(part, "text").and_then(decoded))
        .filter(|text| !text.is_empty())
        .collect();
    texts.join("\n\n")
}

/// A call, of a `function_call` or, where the tool takes text, of a `custom_tool_call`.
pub(super) fn call(mut fields: Fields<'_, '_>, name: String, is_custom: bool) -> Call {
    let namespace = fields.text(NAMESPACE).ok().flatten().filter(|namespace| !namespace.is_empty());
    let call_id = fields.text("call_id").ok().flatten().filter(|id| !id.is_empty());
    let own_id = fields.text("id").ok().flatten().filter(|id| !id.is_empty());
    let arguments = if is_custom {
        custom_arguments(&fields.text("input").ok().flatten().unwrap_or_default())
    } else {
        arguments(fields.take("arguments"))
    };
    let mut extra: Members = Vec::new();
    if is_custom {
        extra.push(("type".to_owned(), Json::text(CUSTOM)));
    }
    if let Some(id) = &own_id {
        extra.push(("id".to_owned(), Json::text(id)));
    }
    let name = match namespace {
        Some(namespace) => {
            extra.push((NAMESPACE.to_owned(), Json::text(&namespace)));
            full_name(&namespace, &name)
        }
        None => name,
    };
    Call { id: call_id.or(own_id), name, arguments, extra }
}

/// The text for a tool that takes text, as an object.
pub(super) fn custom_arguments(input: &str) -> Arguments {
    let mut object = ObjectWriter::with_capacity(input.len() + 16);
    object.text(CUSTOM_INPUT, input);
    Arguments::Object(object.finish())
}

/// The text for a tool that takes text, of its arguments elsewhere.
pub(super) fn custom_input(arguments: &str) -> String {
    match raw::find(arguments, CUSTOM_INPUT).and_then(decoded) {
        Some(input) => input,
        None => arguments.to_owned(),
    }
}

/// Whether something of this dialect was marked as of a tool that takes text. Others use the word otherwise.
pub(super) fn is_custom(extra: &Members) -> bool {
    extra.iter().any(|(key, value)| key == "type" && value.to_text().as_deref() == Some(CUSTOM))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thought_keeps_its_id_its_encrypted_content_and_itself() {
        let raw = r#"{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"a"},{"type":"summary_text","text":"b"}],"encrypted_content":"gA"}"#;
        let thought = thinking(raw);
        assert_eq!(thought.text, "a\n\nb");
        assert_eq!(thought.signature, Some(format!("toolwright:openai-responses:{raw}")));
        assert_eq!(thought.raw.unwrap().1.as_str(), raw);
        assert!(!thought.is_redacted);
    }

    #[test]
    fn a_thought_without_words_is_its_encrypted_content() {
        let thought = thinking(r#"{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gA"}"#);
        assert!(thought.is_redacted && thought.text.is_empty());
        let plain =
            thinking(r#"{"id":"rs_1","summary":[],"content":[{"type":"reasoning_text","text":"hm"}]}"#);
        assert_eq!((plain.text.as_str(), plain.signature), ("hm", None));
    }

    #[test]
    fn the_signature_of_another_provider_comes_back_as_it_was() {
        let thought = thinking(
            r#"{"id":"rs_1","summary":[{"type":"summary_text","text":"a"}],"encrypted_content":"toolwright::\"EqQB\""}"#,
        );
        assert_eq!((thought.signature.as_deref(), thought.raw), (Some("EqQB"), None));
    }

    #[test]
    fn text_for_a_tool_is_an_object_elsewhere_and_text_again() {
        let Arguments::Object(object) = custom_arguments("*** Begin\n\"x\"") else { panic!("no object") };
        assert_eq!(object.as_str(), r#"{"input":"*** Begin\n\"x\""}"#);
        assert_eq!(custom_input(object.as_str()), "*** Begin\n\"x\"");
        assert_eq!(custom_input("no JSON"), "no JSON");
    }
}
