//! The models that clients are told of, in each dialect's shape.

use toolwright_jsonrpc::{Json, ObjectWriter, raw};

/// The version of Ollama's API that is spoken here. Clients ask for it to know what they may use.
pub const OLLAMA_VERSION: &str = "0.12.0";

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
    fn abilities(&self) -> Option<Vec<String>> {
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
}

/// The answer to `GET /v1/models` for a client that sends `anthropic-version`.
pub fn anthropic_list(models: &[ModelEntry]) -> String {
    let end = |model: Option<&ModelEntry>| model.map_or_else(null, |model| Json::text(&model.id));
    let mut list = ObjectWriter::default();
    list.list("data", models.iter().map(anthropic_entry));
    list.value("has_more", &word("false"));
    list.value("first_id", &end(models.first()));
    list.value("last_id", &end(models.last()));
    list.finish().to_string()
}

/// The answer to `GET /v1/models/{id}` for a client that sends `anthropic-version`.
pub fn anthropic_model(model: &ModelEntry) -> String {
    anthropic_entry(model).to_string()
}

/// The answer to `GET /v1/models` for others.
pub fn openai_list(models: &[ModelEntry]) -> String {
    let mut list = ObjectWriter::default();
    list.text("object", "list");
    list.list("data", models.iter().map(openai_entry));
    list.finish().to_string()
}

/// The answer to `GET /v1/models/{id}` for others.
pub fn openai_model(model: &ModelEntry) -> String {
    openai_entry(model).to_string()
}

/// The answer to Ollama's `GET /api/tags`.
pub fn ollama_tags(models: &[ModelEntry]) -> String {
    let mut list = ObjectWriter::default();
    list.list("models", models.iter().map(ollama_entry));
    list.finish().to_string()
}

/// The answer to Ollama's `GET /api/version`.
pub fn ollama_version() -> String {
    let mut version = ObjectWriter::default();
    version.text("version", OLLAMA_VERSION);
    version.finish().to_string()
}

/// The answer to Ollama's `POST /api/show`.
pub fn ollama_show(model: &ModelEntry) -> String {
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
    show.value("details", &model.details.clone().unwrap_or_else(ollama_details));
    show.value("model_info", &info.finish());
    let mut abilities = vec!["completion".to_owned(), "tools".to_owned()];
    for ability in model.abilities().unwrap_or_default() {
        if !abilities.contains(&ability) {
            abilities.push(ability);
        }
    }
    show.value("capabilities", &Json::texts(&abilities));
    show.text("modified_at", &time(model.created));
    show.finish().to_string()
}

fn anthropic_entry(model: &ModelEntry) -> Json {
    let mut entry = ObjectWriter::default();
    entry.text("type", "model");
    entry.text("id", &model.id);
    entry.text("display_name", model.display_name.as_deref().unwrap_or(&model.id));
    // The epoch is what Anthropic itself says of an unknown time.
    entry.text("created_at", &time(model.created));
    if let Some(tokens) = model.context_window {
        entry.number("max_input_tokens", tokens);
    }
    write_capabilities(model, &mut entry);
    entry.finish()
}

fn openai_entry(model: &ModelEntry) -> Json {
    let mut entry = ObjectWriter::default();
    entry.text("id", &model.id);
    entry.text("object", "model");
    entry.number("created", model.created.unwrap_or(0));
    entry.text("owned_by", &model.owned_by);
    if let Some(name) = &model.display_name {
        entry.text("name", name);
    }
    if let Some(tokens) = model.context_window {
        entry.number("context_length", tokens);
    }
    write_capabilities(model, &mut entry);
    entry.finish()
}

fn write_capabilities(model: &ModelEntry, entry: &mut ObjectWriter) {
    if let Some(capabilities) = &model.capabilities {
        entry.value("capabilities", capabilities);
    }
}

fn ollama_entry(model: &ModelEntry) -> Json {
    let mut entry = ObjectWriter::default();
    entry.text("name", &model.id);
    entry.text("model", &model.id);
    entry.text("modified_at", &time(model.created));
    entry.number("size", 0);
    entry.text("digest", "");
    entry.value("details", &model.details.clone().unwrap_or_else(ollama_details));
    entry.finish()
}

fn ollama_details() -> Json {
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

fn null() -> Json {
    word("null")
}

fn word(text: &str) -> Json {
    Json::parse(text).unwrap_or_else(|_| Json::empty_object())
}

/// Seconds since 1970 as RFC 3339, in UTC. Years beyond 9999 are none.
fn time(seconds: Option<u64>) -> String {
    const LAST: u64 = 253_402_300_799;
    let seconds = seconds.unwrap_or(0).min(LAST);
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Years begin in March here, so that the day that leap years have is their last.
    let day = days + 719_468;
    let (era, day) = (day / 146_097, day % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let date = day - (153 * month + 2) / 5 + 1;
    let (year, month) =
        (year + era * 400 + u64::from(month >= 10), if month < 10 { month + 3 } else { month - 9 });
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{date:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn two() -> [ModelEntry; 2] {
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
    fn anthropic_clients_get_a_page_with_its_ends() {
        let list = value(&anthropic_list(&two()));
        assert_eq!(
            list,
            json!({"data": [
                {"type": "model", "id": "a\"b", "display_name": "a\"b", "created_at": "2023-11-14T22:13:20Z"},
                {"type": "model", "id": "c", "display_name": "c", "created_at": "1970-01-01T00:00:00Z"}],
                "has_more": false, "first_id": "a\"b", "last_id": "c"})
        );
        let none = value(&anthropic_list(&[]));
        assert_eq!(none, json!({"data": [], "has_more": false, "first_id": null, "last_id": null}));
        assert_eq!(value(&anthropic_model(&two()[1])), list["data"][1]);
    }

    #[test]
    fn openai_clients_get_a_list() {
        let list = value(&openai_list(&two()));
        let second = json!({"id": "c", "object": "model", "created": 0, "owned_by": "up"});
        assert_eq!((&list["object"], &list["data"][1]), (&json!("list"), &second));
        assert_eq!(list["data"][0]["created"], 1_700_000_000);
        assert_eq!(value(&openai_model(&two()[1])), second);
    }

    #[test]
    fn ollama_clients_get_names_and_details() {
        let tags = value(&ollama_tags(&two()));
        assert_eq!(tags["models"][0]["name"], "a\"b");
        assert_eq!(tags["models"][0]["model"], "a\"b");
        assert_eq!(tags["models"][1]["details"]["families"], Value::Null);
        assert_eq!(value(&ollama_version())["version"], OLLAMA_VERSION);
    }

    #[test]
    fn a_context_window_that_is_unknown_is_not_said() {
        let [mut model, _] = two();
        assert!(!ollama_show(&model).contains("context_length"));
        model.context_window = Some(131_072);
        let show = value(&ollama_show(&model));
        let architecture = show["model_info"]["general.architecture"].as_str().unwrap();
        assert_eq!(show["model_info"][format!("{architecture}.context_length")], 131_072);
        assert_eq!(show["capabilities"], json!(["completion", "tools"]));
    }

    #[test]
    fn what_an_upstream_says_of_a_model_is_told_in_every_dialect() {
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
            let told = value(&anthropic_model(&model));
            assert_eq!((&told["display_name"], &told["max_input_tokens"]), (&json!("The M"), &json!(tokens)));
            let told = value(&openai_model(&model.clone().named("alias")));
            assert_eq!((&told["id"], &told["name"]), (&json!("alias"), &json!("The M")));
            assert_eq!(told["context_length"], tokens);
            assert!(told["capabilities"].to_string().contains("vision"), "{told}");
            let told = value(&ollama_show(&model));
            assert_eq!(told["capabilities"], json!(["completion", "tools", "vision"]), "{entry}");
            assert_eq!(told["model_info"]["unknown.context_length"], tokens);
        }
        let tag = r#"{"name":"q:8b","model":"q:8b","details":{"family":"q","parameter_size":"8B"}}"#;
        let model = ModelEntry::read(&Json::parse(tag).unwrap(), "up").unwrap();
        assert_eq!(value(&ollama_tags(&[model]))["models"][0]["details"]["parameter_size"], "8B");
        assert_eq!(ModelEntry::read(&Json::empty_object(), "up"), None);
    }

    #[test]
    fn times_are_right_in_leap_years_and_at_the_ends() {
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (u64::MAX, "9999-12-31T23:59:59Z"),
        ] {
            assert_eq!(time(Some(seconds)), expected);
        }
    }
}
