//! A model that clients are told of, as upstreams list it in any dialect.

use toolwright_jsonrpc::{Json, ObjectWriter, raw};

/// A model that clients can ask for. What is unknown is not said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelEntry {
    /// The name to ask for.
    pub id: String,
    /// When it was made, in seconds since 1970, where that is known.
    pub created: Option<u64>,
    /// Who has it: the upstream's name.
    pub owned_by: String,
    /// The most tokens of a conversation.
    pub context_window: Option<u64>,
    /// What people call it.
    pub display_name: Option<String>,
    /// What it can do, in the upstream's words: a list, or an object of flags.
    pub capabilities: Option<Json>,
    /// Its size, family and the like, as Ollama says it.
    pub details: Option<Json>,
}

/// Members in which servers say how long a conversation may be: OpenRouter and others, vLLM, Mistral and LM Studio, Groq,
/// Anthropic.
const CONTEXT_KEYS: [&str; 5] =
    ["context_length", "max_model_len", "max_context_length", "context_window", "max_input_tokens"];

impl ModelEntry {
    /// Reads one entry of an upstream's list, of any dialect. Nothing where it has no name.
    pub fn read(entry: &Json, owned_by: &str) -> Option<ModelEntry> {
        let id = ["id", "model", "name"].iter().find_map(|key| entry.get_text(key))?;
        let count = |json: Json| json.as_str().parse().ok();
        // llama.cpp says it apart.
        let trained = || entry.get("meta").and_then(|meta| meta.get("n_ctx_train"));
        let context = CONTEXT_KEYS.iter().find_map(|key| entry.get(key).and_then(count));
        let mut names = ["display_name", "name"].iter().filter_map(|key| entry.get_text(key));
        let said = |json: &Json| json.as_str().starts_with(['[', '{']);
        Some(ModelEntry {
            created: entry.get("created").and_then(count),
            owned_by: owned_by.to_owned(),
            context_window: context.or_else(|| trained().and_then(count)),
            display_name: names.find(|name| *name != id && !name.is_empty()),
            capabilities: entry.get("capabilities").filter(said),
            details: entry.get("details").filter(|details| details.as_str().starts_with('{')),
            id,
        })
    }

    /// The same model under the name that clients know.
    pub fn named(self, id: &str) -> ModelEntry {
        ModelEntry { id: id.to_owned(), ..self }
    }

    /// What it can do as a list of words. Flags of an object that are set are such words.
    pub(crate) fn abilities(&self) -> Option<Vec<String>> {
        let capabilities = self.capabilities.as_ref()?;
        match (capabilities.items(), capabilities.members()) {
            (Some(items), _) => Some(items.iter().filter_map(Json::to_text).collect()),
            (None, Some(members)) => {
                let is_set = |value: &str| value == "true" || raw::find(value, "supported") == Some("true");
                let set = members.iter().filter(|member| is_set(member.value));
                Some(set.map(|member| member.key.to_string()).collect())
            }
            (None, None) => None,
        }
    }

    /// Adds what the model can do, in the upstream's words.
    pub(crate) fn write_capabilities(&self, entry: &mut ObjectWriter) {
        if let Some(capabilities) = &self.capabilities {
            entry.value("capabilities", capabilities);
        }
    }
}

/// `null`
pub(crate) fn null() -> Json {
    Json::parse("null").unwrap_or_else(|_| Json::empty_object())
}

#[cfg(test)]
pub(crate) mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::{Dialect, dialects};

    pub(crate) fn two() -> [ModelEntry; 2] {
        let one = |id: &str, created| ModelEntry {
            id: id.to_owned(),
            created,
            owned_by: "up".to_owned(),
            ..ModelEntry::default()
        };
        [one("a\"b", Some(1_700_000_000)), one("c", None)]
    }

    fn value(text: &str) -> Value {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn what_an_upstream_says_of_a_model_is_told_in_every_dialect() {
        let ollama = dialects::of(Dialect::OllamaChat);
        for (entry, tokens) in [
            (
                r#"{"id":"m","name":"The M","context_length":1000,"created":5,"capabilities":["vision"]}"#,
                1000,
            ),
            (
                r#"{"id":"m","display_name":"The M","max_input_tokens":200000,"capabilities":{"vision":{"supported":true},"audio":{"supported":false}}}"#,
                200_000,
            ),
            (
                r#"{"id":"m","name":"The M","max_model_len":4096,"capabilities":{"vision":true,"audio":false}}"#,
                4096,
            ),
            (r#"{"id":"m","name":"The M","meta":{"n_ctx_train":8192},"capabilities":["vision"]}"#, 8192),
        ] {
            let model = ModelEntry::read(&Json::parse(entry).unwrap(), "up").unwrap();
            let told = value(&dialects::of(Dialect::AnthropicMessages).write_model(&model));
            assert_eq!((&told["display_name"], &told["max_input_tokens"]), (&json!("The M"), &json!(tokens)));
            let told = value(&dialects::of(Dialect::OpenAiChat).write_model(&model.clone().named("alias")));
            assert_eq!((&told["id"], &told["name"]), (&json!("alias"), &json!("The M")));
            assert_eq!(told["context_length"], tokens);
            assert!(told["capabilities"].to_string().contains("vision"), "{told}");
            let told = value(&(ollama.model_page().unwrap().write)(&model));
            assert_eq!(told["capabilities"], json!(["completion", "tools", "vision"]), "{entry}");
            assert_eq!(told["model_info"]["unknown.context_length"], tokens);
        }
        let tag = r#"{"name":"q:8b","model":"q:8b","details":{"family":"q","parameter_size":"8B"}}"#;
        let model = ModelEntry::read(&Json::parse(tag).unwrap(), "up").unwrap();
        assert_eq!(value(&ollama.write_models(&[model]))["models"][0]["details"]["parameter_size"], "8B");
        assert_eq!(ModelEntry::read(&Json::empty_object(), "up"), None);
    }
}
