//! The section `llm`: each value, the defaults, and the limited effect of an error.

use crate::support;

use std::path::PathBuf;
use std::time::Duration;

use support::{clean, problems, read};
use toolwright_config::{
    Configuration, LlmPart, LlmSettings, ModelRoute, ReasoningQuirk, SchemaQuirk, Severity, UpstreamKey,
    UpstreamQuirks,
};
use toolwright_model::Dialect;

const WHOLE: &str = r#"{"llm": {
    "upstreams": {
        "anthropic": {"kind": "anthropic", "url": "https://api.anthropic.com/", "apiKey": "${TOKEN}"},
        "openai": {"kind": "openai", "url": "https://api.openai.com/v1", "api": "responses", "apiKeyFile": "keys/openai",
            "headers": {"OpenAI-Organization": "org-1"}, "timeoutMs": 5000, "idleTimeoutMs": "1500", "textToolCalls": true,
            "quirks": {"maxCompletionTokens": true, "temperature": false, "topK": true, "nameChars": 40, "schemas": "gemini",
                "reasoning": "none", "think": false, "inlineSystem": false, "maxTokens": 9000}},
        "local": {"kind": "ollama", "url": "http://127.0.0.1:11434"}
    },
    "models": {
        "*haiku*": "openai/gpt-4.1-mini",
        "*sonnet*": ["openai/gpt-4.1", "local/hf.co/team/qwen3:8b"],
        "*": "anthropic/*"
    },
    "reask": 2,
    "keepBodies": true
}}"#;

fn llm(configuration: &Configuration) -> &LlmSettings {
    configuration.llm.as_ref().expect("there is a section")
}

fn names(settings: &LlmSettings) -> Vec<&str> {
    settings.upstreams.iter().map(|upstream| upstream.name.as_str()).collect()
}

#[test]
fn all_keys_are_read() {
    let configuration = clean(WHOLE);
    let settings = llm(&configuration);
    assert_eq!((settings.reask, settings.keeps_bodies), (2, true));
    assert_eq!(names(settings), ["anthropic", "openai", "local"]);
    let [anthropic, openai, local] = &settings.upstreams[..] else { panic!("three") };
    assert_eq!(
        (anthropic.dialect, anthropic.url.as_str()),
        (Dialect::AnthropicMessages, "https://api.anthropic.com")
    );
    let UpstreamKey::Text(key) = &anthropic.key else { panic!("{:?}", anthropic.key) };
    assert_eq!(key.expose(), "t0ken-of-ann");
    assert_eq!(openai.dialect, Dialect::OpenAiResponses);
    assert_eq!(openai.key, UpstreamKey::File(PathBuf::from("/home/ann/desk/keys/openai")));
    assert_eq!(
        (openai.headers[0].0.as_str(), openai.headers[0].1.expose()),
        ("OpenAI-Organization", "org-1")
    );
    assert_eq!((openai.first_byte, openai.idle), (Duration::from_secs(5), Duration::from_millis(1500)));
    assert_eq!(openai.reads_text_calls, Some(true));
    assert_eq!(
        openai.quirks,
        UpstreamQuirks {
            max_completion_tokens: Some(true),
            temperature: Some(false),
            top_k: Some(true),
            name_chars: Some(40),
            schemas: Some(SchemaQuirk::Gemini),
            reasoning: Some(ReasoningQuirk::None),
            think: Some(false),
            inline_system: Some(false),
            max_tokens: Some(9000),
        }
    );
    assert_eq!((local.dialect, &local.key), (Dialect::OllamaChat, &UpstreamKey::Client));
}

#[test]
fn absent_keys_have_defaults() {
    let configuration =
        clean(r#"{"llm": {"upstreams": {"a": {"kind": "openai", "url": "http://localhost:8000/v1"}}}}"#);
    let settings = llm(&configuration);
    assert_eq!((settings.reask, settings.keeps_bodies), (0, false));
    let [upstream] = &settings.upstreams[..] else { panic!("one") };
    assert_eq!((upstream.first_byte, upstream.idle), (Duration::from_secs(120), Duration::from_secs(120)));
    assert_eq!((upstream.dialect, upstream.reads_text_calls), (Dialect::OpenAiChat, None));
    assert_eq!((&upstream.key, &upstream.quirks), (&UpstreamKey::Client, &UpstreamQuirks::default()));
    for text in [r#"{"mcpServers": {}}"#, r#"{"llm": null}"#] {
        assert_eq!(clean(text).llm, None);
    }
}

/// The route of a pattern.
fn route<'s>(settings: &'s LlmSettings, pattern: &str) -> Option<&'s ModelRoute> {
    settings.models.iter().find(|route| route.pattern == pattern)
}

#[test]
fn routes_keep_the_order_of_the_file() {
    let configuration = clean(WHOLE);
    let settings = llm(&configuration);
    let goes = |model: &str| -> Vec<(String, Option<String>)> {
        let route = route(settings, model).expect("a route");
        route.destinations.iter().map(|to| (to.upstream.clone(), to.model.clone())).collect()
    };
    let to = |upstream: &str, model: &str| (upstream.to_owned(), Some(model.to_owned()));
    assert_eq!(goes("*haiku*"), [to("openai", "gpt-4.1-mini")]);
    assert_eq!(goes("*sonnet*"), [to("openai", "gpt-4.1"), to("local", "hf.co/team/qwen3:8b")]);
    assert_eq!(goes("*"), [("anthropic".to_owned(), None)]);
    let patterns: Vec<&str> = settings.models.iter().map(|route| route.pattern.as_str()).collect();
    assert_eq!(patterns, ["*haiku*", "*sonnet*", "*"], "in the order of the file");
}

#[test]
fn first_upstream_is_the_default_route() {
    let configuration = clean(
        r#"{"llm": {"upstreams": {"b": {"kind": "ollama", "url": "http://localhost"}, "a": {"kind": "ollama", "url": "http://localhost"}}}}"#,
    );
    let route = route(llm(&configuration), "*").expect("a route");
    assert_eq!((route.destinations[0].upstream.as_str(), &route.destinations[0].model), ("b", &None));
}

#[test]
fn invalid_upstream_affects_no_other_upstream_or_server() {
    for bad in [
        r#"{"kind": "openai"}"#,
        r#"{"url": "http://localhost"}"#,
        r#"{"kind": "openai", "url": "localhost"}"#,
        r#"{"kind": "openai", "url": "http://localhost", "apiKey": "${NOT_SET}"}"#,
        r#"{"kind": "openai", "url": "http://localhost", "apiKey": "a", "apiKeyFile": "b"}"#,
        r#"{"kind": "openai", "url": "http://localhost", "url": "http://other"}"#,
        r#"{"kind": "openai", "url": "http://localhost", "headers": {"a b": "c"}}"#,
        r#"{"kind": "openai", "url": "http://localhost", "quirks": {"topK": "maybe"}}"#,
        r#"{"kind": "openai", "url": "http://localhost", "apikey": "x"}"#,
        r#"{"kind": 5, "url": "http://localhost"}"#,
        r#""http://localhost""#,
        "null",
        "[]",
    ] {
        let good = r#"{"kind": "ollama", "url": "http://localhost"}"#;
        let text = format!(
            r#"{{"mcpServers": {{"s": {{"command": "x"}}}}, "llm": {{
                "upstreams": {{"before": {good}, "bad": {bad}, "after": {good}}},
                "models": {{"a": "bad/*", "b": "after/*"}}}}}}"#
        );
        let configuration = read(&text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(configuration.servers().count(), 1, "{bad}");
        let settings = llm(&configuration);
        assert_eq!(names(settings), ["before", "after"], "{bad}");
        let errors: Vec<_> =
            configuration.problems.iter().filter(|problem| problem.severity == Severity::Error).collect();
        assert!(!errors.is_empty() && configuration.has_errors(), "{bad}");
        for error in errors {
            assert_eq!(error.llm, Some(LlmPart::Upstream("bad".to_owned())), "{error}");
            assert!(error.to_string().starts_with("error: upstream \"bad\" is left out\n"), "{error}");
        }
        // No other upstream serves its models.
        assert_eq!(route(settings, "a").expect("a route").destinations[0].upstream, "bad");
    }
}

#[test]
fn invalid_section_affects_no_server_and_invalid_route_has_no_fallback() {
    for (wrong, has_section) in [
        (r#""openai""#, false),
        (r#"{"upstreams": 5}"#, true),
        (r#"{"upstreams": {"a": {"kind": "ollama", "url": "http://localhost"}}, "models": 5}"#, true),
        (r#"{"upstreams": {"a": {"kind": "ollama", "url": "http://localhost"}}, "reask": -1}"#, true),
    ] {
        let text = format!(r#"{{"mcpServers": {{"s": {{"command": "x"}}}}, "llm": {wrong}}}"#);
        let configuration = read(&text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(
            (configuration.servers().count(), configuration.llm.is_some()),
            (1, has_section),
            "{wrong}"
        );
        let [problem] = &configuration.problems[..] else { panic!("{:?}", configuration.problems) };
        assert_eq!(problem.llm, Some(LlmPart::Section), "{wrong}");
    }
    let configuration = read(
        r#"{"llm": {"upstreams": {"a": {"kind": "ollama", "url": "http://localhost"}},
            "models": {"secret-*": "b/*", "both": ["b/x", "a/x"], "*": "a/*"}}}"#,
    )
    .expect("it can be used");
    let settings = llm(&configuration);
    assert!(route(settings, "secret-*").expect("a route").destinations.is_empty());
    assert_eq!(route(settings, "both").expect("a route").destinations.len(), 1);
    assert_eq!(configuration.problems.len(), 2);
}

#[test]
fn keys_headers_and_users_of_addresses_are_secret() {
    let configuration = clean(
        r#"{"llm": {"upstreams": {
            "a": {"kind": "openai", "url": "https://hunter2-user:hunter2-word@localhost/v1?key=hunter2-query", "apiKey": "hunter2-key"},
            "b": {"kind": "openai", "url": "https://hunter2-alone@localhost/v1", "headers": {"x-team": "hunter2-team"}, "apiKey": "${TOKEN}"}
        }}}"#,
    );
    let secrets = configuration.secrets();
    for secret in [
        "hunter2-user:hunter2-word",
        "hunter2-word",
        "hunter2-query",
        "hunter2-key",
        "hunter2-alone",
        "hunter2-team",
        "t0ken-of-ann",
    ] {
        assert!(secrets.iter().any(|known| known == secret), "{secret}: {secrets:?}");
    }
    let printed = format!("{configuration:?} {configuration:#?}");
    assert!(!printed.contains("hunter2") && !printed.contains("t0ken"), "{printed}");
    assert_eq!(llm(&configuration).upstreams[0].shown_url(), "https://localhost/v1");
}

#[test]
fn upstream_messages_contain_no_secret() {
    for upstream in [
        r#"{"kind": "openai", "url": "hunter2:hunter2@localhost", "apiKey": "hunter2-hunter2"}"#,
        r#"{"kind": "openai", "url": "https://ann:hunter2@localhost/v1/responses"}"#,
        r#"{"kind": "openai", "url": "${TOKEN}"}"#,
        r#"{"kind": "openai", "url": "https://${TOKEN}/responses"}"#,
        r#"{"kind": "${TOKEN}", "url": "http://localhost", "api": "${TOKEN}", "quirks": {"schemas": "${TOKEN}", "nameChars": "${TOKEN}"}}"#,
        r#"{"kind": "openai", "url": "http://localhost", "apiKey": "hunter2 hunter2"}"#,
        r#"{"kind": "openai", "url": "http://localhost", "apiKey": ["hunter2-hunter2"]}"#,
        r#"{"kind": "openai", "url": "http://localhost", "api_key": "hunter2-hunter2"}"#,
        r#"{"kind": "openai", "url": "http://localhost", "headers": {"authorization": "Bearer hunter2-hunter2\n"}}"#,
    ] {
        let found = problems(&format!(
            r#"{{"llm": {{"upstreams": {{"a": {upstream}}}, "models": {{"*": "${{TOKEN}}/x"}}}}}}"#
        ));
        assert!(!found.is_empty(), "{upstream}");
        for problem in found {
            let output = format!("{problem}\n{}\n{problem:?}", problem.line());
            assert!(!output.contains("hunter2") && !output.contains("t0ken"), "{output}");
        }
    }
}

#[test]
fn reload_detects_changes() {
    let before = clean(WHOLE);
    assert_eq!(before.llm, clean(WHOLE).llm);
    assert_ne!(before.llm, clean(&WHOLE.replace("${TOKEN}", "another-key")).llm);
    assert_ne!(before.llm, clean(&WHOLE.replace("\"reask\": 2", "\"reask\": 1")).llm);
}
