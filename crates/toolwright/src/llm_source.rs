//! Which models can be asked: as the configuration says, or the usual providers.

use std::sync::Arc;

use toolwright_config::{
    Configuration, Destination, LlmPart, LlmSettings, ModelRoute, SecretText, USUAL_UPSTREAM_TIME,
    UpstreamKey, UpstreamSettings,
};
use toolwright_executor::printable;
use toolwright_ledger::Ledger;
use toolwright_llm::{Dialect, dialects};
use toolwright_normalizer::ActiveRules;
use toolwright_proxy::LlmFront;

/// The models of these names are asked at the upstream beside.
const USUAL: [(&str, &str); 7] = [
    ("claude*", "anthropic"),
    ("gpt-*", "openai"),
    ("chatgpt*", "openai"),
    ("o1*", "openai"),
    ("o3*", "openai"),
    ("o4*", "openai"),
    ("*", "ollama"),
];

/// What the configuration says of models; without a word, the usual providers, with the keys of the environment or
/// those that clients send.
pub fn settings(configuration: Option<&Configuration>) -> LlmSettings {
    let Some(configuration) = configuration else { return usual() };
    // Who wrote something that cannot be read did not ask for the usual providers.
    let is_wrong = configuration.problems.iter().any(|problem| problem.llm == Some(LlmPart::Section));
    match &configuration.llm {
        Some(settings) => settings.clone(),
        None if is_wrong => {
            LlmSettings { upstreams: Vec::new(), models: Vec::new(), reask: 0, keeps_bodies: false }
        }
        None => usual(),
    }
}

/// The front, and what it is told of another configuration.
pub fn front(
    settings: &LlmSettings,
    rules: &Arc<ActiveRules>,
    ledger: Option<&Arc<Ledger>>,
) -> Option<Arc<LlmFront>> {
    match LlmFront::new(settings, Arc::clone(rules), ledger.cloned()) {
        Ok(front) => Some(Arc::new(front)),
        Err(error) => {
            eprintln!("warning: no model can be asked: {}", printable(&error.to_string(), &[]));
            None
        }
    }
}

/// Puts another configuration into force, and tells whether that changed anything.
pub fn follow(front: &LlmFront, before: &Configuration, new: &Configuration) -> bool {
    let new = settings(Some(new));
    if settings(Some(before)) == new {
        return false;
    }
    let applied = front.apply(&new);
    if let Err(error) = &applied {
        eprintln!("warning: models are asked as before: {}", printable(&error.to_string(), &[]));
    }
    applied.is_ok()
}

fn usual() -> LlmSettings {
    let key = |dialect: Dialect| {
        let variable = dialects::of(dialect).key_variable();
        match variable.and_then(|name| std::env::var(name).ok()) {
            Some(key) if !key.trim().is_empty() => UpstreamKey::Text(SecretText::new(key.trim().to_owned())),
            _ => UpstreamKey::Client,
        }
    };
    let upstream = |dialect: Dialect, url: &str| UpstreamSettings {
        name: dialect.kind().to_owned(),
        dialect,
        url: url.to_owned(),
        key: key(dialect),
        headers: Vec::new(),
        first_byte: USUAL_UPSTREAM_TIME,
        idle: USUAL_UPSTREAM_TIME,
        reads_text_calls: None,
        quirks: Default::default(),
    };
    let (anthropic, openai, ollama) = (Dialect::AnthropicMessages, Dialect::OpenAiChat, Dialect::OllamaChat);
    let address = std::env::var("OLLAMA_HOST").ok().and_then(|host| ollama_address(&host));
    let address = address.unwrap_or_else(|| ollama.default_url().to_owned());
    let route = |(pattern, upstream): (&str, &str)| ModelRoute {
        pattern: pattern.to_owned(),
        destinations: vec![Destination { upstream: upstream.to_owned(), model: None }],
    };
    LlmSettings {
        upstreams: vec![
            upstream(anthropic, anthropic.default_url()),
            upstream(openai, openai.default_url()),
            upstream(ollama, &address),
        ],
        models: USUAL.into_iter().map(route).collect(),
        reask: 0,
        keeps_bodies: false,
    }
}

/// The address that Ollama's own variable means: a host, a port, or both, with or without a scheme.
fn ollama_address(host: &str) -> Option<String> {
    let host = host.trim().trim_end_matches('/');
    if host.is_empty() {
        return None;
    }
    let (scheme, rest) = host.split_once("://").unwrap_or(("http", host));
    let rest = rest.replace("0.0.0.0", "127.0.0.1");
    let rest = if rest.starts_with(':') { format!("127.0.0.1{rest}") } else { rest };
    let has_port = rest.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    Some(if has_port || host.contains("://") {
        format!("{scheme}://{rest}")
    } else {
        format!("{scheme}://{rest}:11434")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_of_ollama_is_understood_as_ollama_does() {
        for (said, meant) in [
            ("127.0.0.1:11435", "http://127.0.0.1:11435"),
            ("0.0.0.0", "http://127.0.0.1:11434"),
            (":9000", "http://127.0.0.1:9000"),
            ("https://models.example/", "https://models.example"),
        ] {
            assert_eq!(ollama_address(said).as_deref(), Some(meant), "{said}");
        }
        assert_eq!(ollama_address(" "), None);
    }
}
