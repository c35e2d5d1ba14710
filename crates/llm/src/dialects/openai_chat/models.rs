//! The models that clients of both of OpenAI's APIs are told of.

use toolwright_jsonrpc::{Json, ObjectWriter};

use crate::models::ModelEntry;

/// The response to `GET /v1/models`.
pub(in crate::dialects) fn write_models(models: &[ModelEntry]) -> String {
    let mut list = ObjectWriter::default();
    list.text("object", "list");
    list.list("data", models.iter().map(entry));
    list.finish().to_string()
}

/// The response to `GET /v1/models/{id}`.
pub(in crate::dialects) fn write_model(model: &ModelEntry) -> String {
    entry(model).to_string()
}

fn entry(model: &ModelEntry) -> Json {
    let mut out = ObjectWriter::default();
    out.text("id", &model.id);
    out.text("object", "model");
    out.number("created", model.created.unwrap_or(0));
    out.text("owned_by", &model.owned_by);
    if let Some(name) = &model.display_name {
        out.text("name", name);
    }
    if let Some(tokens) = model.context_window {
        out.number("context_length", tokens);
    }
    model.write_capabilities(&mut out);
    out.finish()
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
    fn openai_clients_get_a_list() {
        let list = value(&write_models(&two()));
        let second = json!({"id": "c", "object": "model", "created": 0, "owned_by": "up"});
        assert_eq!((&list["object"], &list["data"][1]), (&json!("list"), &second));
        assert_eq!(list["data"][0]["created"], 1_700_000_000);
        assert_eq!(value(&write_model(&two()[1])), second);
    }
}
