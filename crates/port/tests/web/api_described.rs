//! `docs/openapi.json` is true: every path answers as it says.

use serde_json::{Value, json};

use crate::telling::{Index, Telling, telling};

/// Holds answers against the description.
struct Described(Value);

impl Described {
    async fn new(telling: &Telling) -> Described {
        let document = telling.told("/api/openapi.json").await;
        for (name, schema) in document["components"]["schemas"].as_object().expect("schemas") {
            jsonschema::draft202012::meta::validate(schema).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        Described(document)
    }

    /// Whether an answer is one that the description has for this path.
    #[track_caller]
    fn holds(&self, method: &str, path: &str, status: u16, body: &Value) {
        let mut response = &self.0["paths"][path][method]["responses"][status.to_string()];
        if let Some(name) = response["$ref"].as_str() {
            let name = name.strip_prefix("#/components/responses/").expect("a response");
            response = &self.0["components"]["responses"][name];
        }
        let schema = &response["content"]["application/json"]["schema"];
        assert!(schema.is_object(), "{method} {path} does not have {status}");
        let whole = json!({ "allOf": [schema], "components": self.0["components"] });
        let validator = jsonschema::draft202012::new(&whole).expect("a schema");
        let errors: Vec<String> =
            validator.iter_errors(body).map(|error| format!("{}: {error}", error.instance_path())).collect();
        assert!(errors.is_empty(), "{method} {path} {status}: {errors:#?}\n{body}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_path_answers_as_it_is_described() {
    let telling = telling(Index::Kept).await;
    let described = Described::new(&telling).await;
    telling.calls();
    let suggestion = telling.suggestion().await;
    let id = suggestion["id"].as_str().expect("an id");
    telling.indexed().await;
    for (template, path) in [
        ("/api/health", "/api/health"),
        ("/api/status", "/api/status"),
        ("/api/normalizer", "/api/normalizer"),
        ("/api/error-patterns", "/api/error-patterns"),
        ("/api/operations", "/api/operations?limit=1000"),
        ("/api/operations/{call}", "/api/operations/call3"),
        ("/api/operations/{call}", "/api/operations/call99"),
        ("/api/operations/{call}", "/api/operations/nothing"),
        ("/api/stats", "/api/stats"),
        ("/api/stats", "/api/stats?range=24h&scope=all"),
        ("/api/stats", "/api/stats?range=x"),
        ("/api/rules", "/api/rules"),
        ("/api/suggestions", "/api/suggestions"),
        ("/api/suggestions/{id}", &format!("/api/suggestions/{id}")),
        ("/api/suggestions/{id}", "/api/suggestions/nothing"),
        ("/api/openapi.json", "/api/openapi.json"),
    ] {
        let answer = telling.get(path).await;
        let body: Value = serde_json::from_str(&answer.body).expect("JSON");
        described.holds("get", template, answer.status, &body);
        let is_wrong = path.contains("nothing") || path.ends_with("=x");
        assert_eq!(answer.status == 200, !is_wrong, "{path}: {body}");
    }
    for (decision, status) in
        [("accept", 200), ("accept", 409), ("undo", 200), ("undo", 409), ("dismiss", 200), ("dismiss", 409)]
    {
        let template = format!("/api/suggestions/{{id}}/{decision}");
        let (had, body) = telling.post(&format!("/api/suggestions/{id}/{decision}"), "{}").await;
        assert_eq!(had, status, "{decision}: {body}");
        described.holds("post", &template, status, &body);
    }
    let history = telling.told("/api/suggestions/history").await;
    assert_eq!(history["events"].as_array().map(Vec::len), Some(3), "{history}");
    described.holds("get", "/api/suggestions/history", 200, &history);
    // The refusals that every path shares.
    let answer = telling.port.ask_as("GET", "/api/rules", "", "").await;
    described.holds("get", "/api/rules", answer.status, &serde_json::from_str(&answer.body).expect("JSON"));
    let answer = telling.port.ask("POST", "/api/rules", "", "").await;
    described.holds("get", "/api/rules", answer.status, &serde_json::from_str(&answer.body).expect("JSON"));
}

#[tokio::test(flavor = "multi_thread")]
async fn parameters_are_those_that_are_described() {
    let telling = telling(Index::None).await;
    let described = Described::new(&telling).await;
    for (template, path) in [
        ("/api/operations", "/api/operations"),
        ("/api/stats", "/api/stats"),
        ("/api/suggestions/history", "/api/suggestions/history"),
    ] {
        let answer = telling.get(&format!("{path}?nothing=1")).await;
        let (_, told) = answer.body.split_once("there are ").expect("the names");
        let mut told: Vec<&str> = told.split('"').next().expect("the names").split(", ").collect();
        let given = described.0["paths"][template]["get"]["parameters"].as_array().expect("parameters");
        let mut names: Vec<&str> = given.iter().filter_map(|parameter| parameter["name"].as_str()).collect();
        told.sort_unstable();
        names.sort_unstable();
        assert_eq!(told, names, "{template}");
    }
}
