//! `search_web` over real HTTP, with answers in the shapes that the providers document.

#![allow(clippy::unwrap_used, reason = "a test that cannot prepare itself stops")]

use crate::search_web_support;

use std::sync::Arc;
use std::time::{Duration, Instant};

use search_web_support::{Reply, Server};
use serde_json::{Value, json};
use toolwright_builtin_tools::{
    ApiKey, BuiltinConfig, BuiltinTool, Clock, ProviderConfig, SearchConfig, builtin_tools,
};
use toolwright_executor::{ToolFailure, ToolOutput};
use toolwright_model::Origin;
use toolwright_normalizer::Tool;

const KEY: &str = "key-that-nobody-may-see";

fn tool(search: SearchConfig) -> BuiltinTool {
    let config = BuiltinConfig {
        search,
        clock: Clock::new(|| "2026-11-16T17:00:00Z".parse().unwrap()),
        timezone: Some("UTC".to_owned()),
        ..BuiltinConfig::default()
    };
    builtin_tools(&config).unwrap().into_iter().find(|tool| tool.definition.name == "search_web").unwrap()
}

fn ask(search: SearchConfig, query: &str) -> Result<ToolOutput, ToolFailure> {
    let tool = tool(search);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let done = runtime.block_on(Arc::clone(&tool.function).call(json!({"query": query}).to_string()));
    match &done {
        Ok(output) => {
            let schema = tool.definition.output_schema.unwrap();
            let checker = toolwright_model::ToolDefinition { input_schema: schema, ..Default::default() };
            let structured = output.structured.as_deref().unwrap();
            assert!(Tool::compile(&checker).unwrap().accepts(structured), "{structured}");
        }
        Err(failure) => assert!(!format!("{failure} {failure:?}").contains(KEY), "{failure}"),
    }
    done
}

fn with(provider: ProviderConfig) -> SearchConfig {
    SearchConfig { provider: Some(provider), timeout: Duration::from_millis(1500), ..SearchConfig::default() }
}

/// Each provider, pointed at a server.
fn providers(url: &str) -> Vec<SearchConfig> {
    let key = || ApiKey::new(KEY);
    vec![
        with(ProviderConfig::SearxNg { url: format!("{url}/") }),
        with(ProviderConfig::Brave { api_key: key(), url: Some(format!("{url}/res/v1/web/search")) }),
        with(ProviderConfig::Google {
            api_key: key(),
            cx: "engine".into(),
            url: Some(format!("{url}/customsearch/v1")),
        }),
        with(ProviderConfig::DuckDuckGo { url: Some(format!("{url}/")) }),
    ]
}

fn structured(output: &ToolOutput) -> Value {
    serde_json::from_str(output.structured.as_deref().unwrap()).unwrap()
}

#[test]
fn searxng_is_asked_for_json_and_read() {
    let answer = json!({
        "query": "rust", "number_of_results": 0,
        "results": [
            {"url": "https://rust-lang.org/", "title": "Rust", "content": "A language", "engine": "brave",
             "parsed_url": ["https", "rust-lang.org", "/", "", "", ""], "score": 1.0, "category": "general"},
            {"url": "https://b.example/", "title": "B &amp; C", "content": null}
        ],
        "answers": [{"url": null, "engine": "x", "answer": "Forty-two"}],
        "corrections": [], "infoboxes": [], "suggestions": [], "unresponsive_engines": []
    });
    let server = Server::new(Reply::Say(200, answer.to_string()));
    let output = ask(providers(&server.url).remove(0), "rust & co?").unwrap();
    let head = server.request();
    assert!(head.starts_with("GET /search?q=rust+%26+co%3F&format=json HTTP/1.1"), "{head}");
    assert_eq!(
        output.text,
        "[Today is Monday, November 16, 2026]\nForty-two\n1. Rust (https://rust-lang.org/)\n   A language\n\
         2. B & C (https://b.example/)\n   "
    );
    assert_eq!(structured(&output)["provider"], "SearXNG");
}

#[test]
fn brave_gets_its_token_in_a_header() {
    let answer = json!({
        "type": "search", "query": {"original": "rust"},
        "web": {"type": "search", "results": [
            {"title": "Rust", "url": "https://rust-lang.org/", "description": "A <strong>fast</strong> language",
             "is_source_local": false, "profile": {"name": "rust-lang.org"}}
        ]}
    });
    let server = Server::new(Reply::Say(200, answer.to_string()));
    let output = ask(providers(&server.url).remove(1), "rust").unwrap();
    let head = server.request();
    assert!(head.starts_with("GET /res/v1/web/search?q=rust&count=5 "), "{head}");
    assert!(head.to_lowercase().contains(&format!("x-subscription-token: {KEY}")), "{head}");
    assert_eq!(structured(&output)["results"][0]["snippet"], "A fast language");
}

#[test]
fn google_gets_key_engine_and_count() {
    let answer = json!({
        "kind": "customsearch#search", "searchInformation": {"totalResults": "1"},
        "items": [{"kind": "customsearch#result", "title": "Rust", "link": "https://rust-lang.org/",
                   "displayLink": "rust-lang.org", "snippet": "A language\nfor everyone"}]
    });
    let server = Server::new(Reply::Say(200, answer.to_string()));
    let output = ask(providers(&server.url).remove(2), "rust").unwrap();
    let head = server.request();
    assert!(head.starts_with(&format!("GET /customsearch/v1?key={KEY}&cx=engine&q=rust&num=5 ")), "{head}");
    assert_eq!(structured(&output)["results"][0]["snippet"], "A language for everyone");
}

#[test]
fn duckduckgo_gives_an_answer_and_topics() {
    let answer = json!({
        "Heading": "Rust", "AbstractText": "Rust is a language.", "AbstractURL": "https://en.wikipedia.org/wiki/Rust",
        "Answer": "", "Definition": "", "meta": null,
        "RelatedTopics": [
            {"FirstURL": "https://duckduckgo.com/Cargo", "Text": "Cargo - The package manager", "Icon": {}},
            {"Name": "Other", "Topics": [{"FirstURL": "https://duckduckgo.com/Iron", "Text": "Iron oxide"}]}
        ]
    });
    let server =
        Server::new(Reply::SayWith(200, "content-type: application/x-javascript", answer.to_string()));
    let output = ask(providers(&server.url).remove(3), "rust").unwrap();
    assert!(server.request().starts_with("GET /?q=rust&format=json&no_html=1&skip_disambig=1 "));
    let read = structured(&output);
    assert_eq!(read["answer"], "Rust is a language. (https://en.wikipedia.org/wiki/Rust)");
    assert_eq!(read["results"][0]["title"], "Cargo");
    assert_eq!(read["results"][1]["url"], "https://duckduckgo.com/Iron");
}

#[test]
fn nothing_found_is_a_result_and_no_failure() {
    let empty = [
        json!({"query": "x", "results": [], "answers": []}),
        json!({"type": "search", "query": {"original": "x"}}),
        json!({"kind": "customsearch#search", "searchInformation": {"totalResults": "0"}}),
        json!({"Heading": "", "AbstractText": "", "Answer": "", "RelatedTopics": []}),
    ];
    for (index, answer) in empty.into_iter().enumerate() {
        let server = Server::new(Reply::Say(200, answer.to_string()));
        let output = ask(providers(&server.url).remove(index), "x").unwrap();
        assert!(output.text.ends_with("Nothing was found for \"x\"."), "{}", output.text);
    }
}

/// What a failure is put down to.
#[derive(Debug, PartialEq)]
enum Kind {
    Network,
    Provider,
    Tool,
}

impl Kind {
    fn of(failure: &ToolFailure) -> Kind {
        match failure {
            ToolFailure::Unavailable { .. } => Kind::Network,
            ToolFailure::NotReady { .. } => Kind::Provider,
            _ => Kind::Tool,
        }
    }
}

/// Every provider against one reply: the failure must be of this kind and hold these words.
fn all_fail(reply: Reply, kind: Kind, words: &[&str]) {
    for index in 0..4 {
        let server = Server::new(reply.clone());
        let failure = ask(providers(&server.url).remove(index), "rust").unwrap_err();
        assert_eq!(Kind::of(&failure), kind, "{failure:?}");
        for word in ["the web was not searched"].iter().chain(words) {
            assert!(failure.to_string().contains(word), "{word:?} is not in: {failure}");
        }
    }
}

#[test]
fn a_refused_key_is_said() {
    all_fail(Reply::Say(401, "{}".into()), Kind::Tool, &["HTTP 401", "key and settings"]);
    all_fail(Reply::Say(403, "<html>".into()), Kind::Tool, &["HTTP 403", "settings"]);
}

#[test]
fn too_many_requests_may_pass() {
    all_fail(Reply::Say(429, "{}".into()), Kind::Provider, &["HTTP 429", "Try again later"]);
}

#[test]
fn a_broken_server_may_pass() {
    all_fail(Reply::Say(503, "down".into()), Kind::Provider, &["HTTP 503"]);
}

#[test]
fn silence_ends_in_time() {
    let began = Instant::now();
    all_fail(Reply::Silence, Kind::Network, &["no answer within 1.5 seconds"]);
    assert!(began.elapsed() < Duration::from_secs(15));
}

#[test]
fn answers_that_cannot_be_read_are_said() {
    all_fail(Reply::Say(200, "<html>captcha</html>".into()), Kind::Tool, &["cannot be read", "not JSON"]);
    all_fail(Reply::Say(200, "[]".into()), Kind::Tool, &["cannot be read", "no list"]);
    all_fail(Reply::Say(200, "\"".repeat(3 << 20)), Kind::Tool, &["longer than"]);
    all_fail(Reply::Half, Kind::Network, &["cannot be reached"]);
}

#[test]
fn a_redirect_is_not_followed_because_it_would_carry_the_key() {
    let other = Server::new(Reply::Say(200, "{}".into()));
    let header: &'static str = Box::leak(format!("location: {}", other.url).into_boxed_str());
    all_fail(Reply::SayWith(302, header, String::new()), Kind::Tool, &["HTTP 302"]);
}

#[test]
fn nobody_at_the_address_is_said_without_the_key() {
    let closed = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}", listener.local_addr().unwrap())
    };
    for config in providers(&closed) {
        let failure = ask(config, "rust").unwrap_err();
        assert!(matches!(&failure, ToolFailure::Unavailable { .. }));
        assert!(failure.to_string().contains("cannot be reached"), "{failure}");
    }
}

#[test]
fn the_providers_own_words_are_repeated() {
    let brave = json!({"type": "ErrorResponse", "error": {"id": "1", "status": 422,
        "code": "SUBSCRIPTION_TOKEN_INVALID", "detail": "The provided subscription token is invalid."}});
    let server = Server::new(Reply::Say(422, brave.to_string()));
    let text = ask(providers(&server.url).remove(1), "x").unwrap_err().to_string();
    assert!(
        text.contains("Brave Search answered with HTTP 422: The provided subscription token is invalid.")
    );
    let google = json!({"error": {"code": 400, "message": "API key not valid. Please pass a valid API key.",
        "status": "INVALID_ARGUMENT"}});
    let server = Server::new(Reply::Say(400, google.to_string()));
    let text = ask(providers(&server.url).remove(2), "x").unwrap_err().to_string();
    assert!(text.contains("Google answered with HTTP 400: API key not valid."), "{text}");
    let server = Server::new(Reply::Say(403, "<html>".into()));
    let text = ask(providers(&server.url).remove(0), "x").unwrap_err().to_string();
    assert!(text.contains("add json to search.formats"), "{text}");
}

#[test]
fn long_results_are_cut_at_whole_results() {
    let hits: Vec<Value> = (0..9)
        .map(|n| json!({"title": format!("T{n}"), "url": "https://x/", "content": "ä".repeat(400)}))
        .collect();
    let server = Server::new(Reply::Say(200, json!({"results": hits}).to_string()));
    let output = ask(providers(&server.url).remove(0), "x").unwrap();
    assert!(output.text.chars().count() <= 2100 && output.text.ends_with('ä'), "{}", output.text);
    assert_eq!(structured(&output)["results"].as_array().unwrap().len(), 4);
}

#[test]
fn without_a_provider_it_says_how_to_get_one() {
    let failure = ask(SearchConfig::default(), "rust").unwrap_err();
    assert!(matches!(&failure, ToolFailure::NotReady { .. }));
    for word in ["not set up", "searxng", "brave", "google", "duckduckgo"] {
        assert!(failure.to_string().contains(word), "{failure}");
    }
}

#[test]
fn wrong_queries_and_addresses_are_explained() {
    for (query, words) in
        [("", "query is empty"), ("  ", "query is empty"), (&"x".repeat(257), "256 characters")]
    {
        let failure = ask(SearchConfig::default(), query).unwrap_err();
        assert!(
            matches!(&failure, ToolFailure::InvalidArguments { .. }) && failure.to_string().contains(words)
        );
    }
    for (url, words) in [("not a url", "relative URL"), ("file:///etc", "http:// or https://")] {
        let search = with(ProviderConfig::SearxNg { url: url.to_owned() });
        let config = BuiltinConfig { search, ..BuiltinConfig::default() };
        let text = builtin_tools(&config).err().unwrap().to_string();
        assert!(text.contains(words) && text.contains("configuration"), "{text}");
    }
}

#[test]
fn the_key_does_not_show_in_debug_output_and_the_tool_is_our_own() {
    let config = with(ProviderConfig::Brave { api_key: ApiKey::new(KEY), url: None });
    assert!(!format!("{config:?}").contains(KEY));
    let definition = tool(config).definition;
    assert_eq!((definition.origin, definition.server), (Origin::BuiltIn, None));
}
