//! The models that clients are told of, and the count of tokens.

use toolwright_jsonrpc::{Json, ObjectWriter};

use crate::dialects::time;
use crate::models::{ModelEntry, null};

/// The response to `GET /v1/models`.
pub(super) fn write_models(models: &[ModelEntry]) -> String {
    let end = |model: Option<&ModelEntry>| model.map_or_else(null, |model| Json::text(&model.id));
    let mut list = ObjectWriter::default();
    list.list("data", models.iter().map(entry));
    list.value("has_more", &Json::parse("false").unwrap_or_else(|_| null()));
    list.value("first_id", &end(models.first()));
    list.value("last_id", &end(models.last()));
    list.finish().to_string()
}

/// The response to `GET /v1/models/{id}`.
pub(super) fn write_model(model: &ModelEntry) -> String {
    entry(model).to_string()
}

fn entry(model: &ModelEntry) -> Json {
    let mut out = ObjectWriter::default();
    out.text("type", "model");
    out.text("id", &model.id);
    out.text("display_name", model.display_name.as_deref().unwrap_or(&model.id));
    // The epoch is what Anthropic itself says of an unknown time.
    out.text("created_at", &time::write(model.created.unwrap_or(0)));
    if let Some(tokens) = model.context_window {
        out.number("max_input_tokens", tokens);
    }
    model.write_capabilities(&mut out);
    out.finish()
}

/// The response to `POST /v1/messages/count_tokens`.
pub(super) fn write_token_count(tokens: u64) -> String {
    format!(r#"{{"input_tokens":{tokens}}}"#)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::models::two;

    fn value(text: &str) -> Value {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn anthropic_clients_get_a_page_with_its_ends() {
        let list = value(&write_models(&two()));
        assert_eq!(
            list,
            json!({"data": [
                {"type": "model", "id": "a\"b", "display_name": "a\"b", "created_at": "2023-11-14T22:13:20Z"},
                {"type": "model", "id": "c", "display_name": "c", "created_at": "1970-01-01T00:00:00Z"}],
                "has_more": false, "first_id": "a\"b", "last_id": "c"})
        );
        let none = value(&write_models(&[]));
        assert_eq!(none, json!({"data": [], "has_more": false, "first_id": null, "last_id": null}));
        assert_eq!(value(&write_model(&two()[1])), list["data"][1]);
    }

    #[test]
    fn the_count_of_tokens_is_one_member() {
        assert_eq!(write_token_count(42), r#"{"input_tokens":42}"#);
    }
}
