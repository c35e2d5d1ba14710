//! The models that clients are told of, what Ollama says of one, and its version.

use toolwright_jsonrpc::{Json, ObjectWriter};

use crate::Thinks;
use crate::dialects::time;
use crate::models::{ModelEntry, null};

/// The version of Ollama's API that is spoken here. Clients ask for it to know what they may use.
const VERSION: &str = "0.12.0";
/// What a model that thinks has among its capabilities.
const THINKING: &str = "thinking";

/// The response to `GET /api/tags`.
pub(super) fn write_models(models: &[ModelEntry]) -> String {
    let mut list = ObjectWriter::default();
    list.list("models", models.iter().map(entry));
    list.finish().to_string()
}

/// The response to `GET /api/version`.
pub(super) fn write_version() -> String {
    let mut version = ObjectWriter::default();
    version.text("version", VERSION);
    version.finish().to_string()
}

/// The response to `POST /api/show`.
pub(super) fn write_page(model: &ModelEntry) -> String {
    let mut info = ObjectWriter::default();
    info.text("general.architecture", "unknown");
    info.text("general.basename", &model.id);
    if let Some(tokens) = model.context_window {
        info.number("unknown.context_length", tokens);
    }
    let mut show = ObjectWriter::default();
    show.text("modelfile", "");
    show.text("parameters", "");
    show.text("template", "");
    show.value("details", &model.details.clone().unwrap_or_else(no_details));
    show.value("model_info", &info.finish());
    let mut abilities = vec!["completion".to_owned(), "tools".to_owned()];
    for ability in model.abilities().unwrap_or_default() {
        if !abilities.contains(&ability) {
            abilities.push(ability);
        }
    }
    show.value("capabilities", &Json::texts(&abilities));
    show.text("modified_at", &time::write(model.created.unwrap_or(0)));
    show.finish().to_string()
}

/// The body of `POST /api/show`.
pub(super) fn write_page_request(model: &str) -> String {
    let mut body = ObjectWriter::default();
    body.text("model", model);
    body.finish().as_str().to_owned()
}

/// The model that the body of `POST /api/show` names.
pub(super) fn read_page_request(body: &[u8]) -> String {
    let body = std::str::from_utf8(body).ok().and_then(|text| Json::parse(text).ok());
    let model = body.and_then(|body| body.get("model").or_else(|| body.get("name")));
    model.and_then(|model| model.to_text()).unwrap_or_default()
}

/// What the capabilities in a response of `/api/show` say. Older servers have none.
pub(super) fn read_thinks(page: &str) -> Option<Thinks> {
    let capabilities = Json::parse(page).ok()?.get("capabilities")?.items()?;
    let is_there = capabilities.iter().any(|one| one.to_text().as_deref() == Some(THINKING));
    Some(if is_there { Thinks::Yes } else { Thinks::No })
}

fn entry(model: &ModelEntry) -> Json {
    let mut out = ObjectWriter::default();
    out.text("name", &model.id);
    out.text("model", &model.id);
    out.text("modified_at", &time::write(model.created.unwrap_or(0)));
    out.number("size", 0);
    out.text("digest", "");
    out.value("details", &model.details.clone().unwrap_or_else(no_details));
    out.finish()
}

fn no_details() -> Json {
    let mut details = ObjectWriter::default();
    for key in ["parent_model", "format", "family"] {
        details.text(key, "");
    }
    details.value("families", &null());
    for key in ["parameter_size", "quantization_level"] {
        details.text(key, "");
    }
    details.finish()
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
    fn ollama_clients_get_names_and_details() {
        let tags = value(&write_models(&two()));
        assert_eq!(tags["models"][0]["name"], "a\"b");
        assert_eq!(tags["models"][0]["model"], "a\"b");
        assert_eq!(tags["models"][1]["details"]["families"], Value::Null);
        assert_eq!(value(&write_version())["version"], VERSION);
    }

    #[test]
    fn a_context_window_that_is_unknown_is_not_said() {
        let [mut model, _] = two();
        assert!(!write_page(&model).contains("context_length"));
        model.context_window = Some(131_072);
        let show = value(&write_page(&model));
        let architecture = show["model_info"]["general.architecture"].as_str().unwrap();
        assert_eq!(show["model_info"][format!("{architecture}.context_length")], 131_072);
        assert_eq!(show["capabilities"], json!(["completion", "tools"]));
    }

    #[test]
    fn capabilities_say_whether_a_model_thinks() {
        assert_eq!(read_thinks(r#"{"capabilities":["completion","thinking"]}"#), Some(Thinks::Yes));
        assert_eq!(read_thinks(r#"{"capabilities":["completion","tools"]}"#), Some(Thinks::No));
        for unknown in
            [r#"{"details":{"family":"thinking"}}"#, r#"{"capabilities":"thinking"}"#, "no JSON", "{}"]
        {
            assert_eq!(read_thinks(unknown), None, "{unknown}");
        }
    }
}
