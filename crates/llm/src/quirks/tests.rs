use super::*;
use crate::dialects;

fn chat(host: &str, model: &str) -> Target {
    target(Dialect::OpenAiChat, host, model)
}

#[test]
fn newer_models_of_openai_take_max_completion_tokens_and_no_temperature() {
    for model in ["o1", "o1-mini", "o3-mini", "o4-mini", "gpt-5", "GPT-5.1-codex"] {
        let target = chat("api.openai.com", model);
        assert!(target.max_completion_tokens && !target.takes_temperature, "{model}");
        assert_eq!(target.most_stop_sequences, Some(0), "{model}");
        assert_eq!(target.model, model);
    }
    for model in ["gpt-4o", "gpt-4.1-mini", "gpt-4", "gpt-oss-120b", "openai/o3"] {
        let target = chat("api.openai.com", model);
        assert!(!target.max_completion_tokens && target.takes_temperature, "{model}");
        assert_eq!((target.most_tools, target.ids), (Some(128), IdRule::UpTo(40)));
    }
    assert!(chat("api.openai.com", "gpt-5-chat-latest").takes_temperature);
}

#[test]
fn models_that_refuse_tools_while_they_think_are_better_asked_on_responses() {
    let better = |kind, model| better_dialect(kind, "api.openai.com", model).map(|(kind, _)| kind);
    assert_eq!(better(Dialect::OpenAiChat, "gpt-5.4-mini"), Some(Dialect::OpenAiResponses));
    assert!(!chat("api.openai.com", "gpt-5.6").takes_effort_with_tools);
    assert_eq!(better(Dialect::OpenAiChat, "gpt-5"), None);
    assert_eq!(better(Dialect::OpenAiChat, "gpt-4o"), None);
    assert_eq!(better(Dialect::OpenAiResponses, "gpt-5.4"), None);
}

#[test]
fn gemini_is_known_behind_others() {
    for (kind, host, model) in [
        (Dialect::OpenAiChat, "generativelanguage.googleapis.com", "whatever"),
        (Dialect::OpenAiChat, "openrouter.ai", "google/gemini-2.5-pro"),
        (Dialect::OpenAiChat, "localhost", "Gemini-3-flash"),
        (Dialect::AnthropicMessages, "localhost", "gemini-3-pro"),
        (Dialect::OpenAiResponses, "x", "gemini-3-pro"),
    ] {
        assert_eq!(target(kind, host, model).schemas, SchemaRule::Gemini, "{host} {model}");
    }
    assert_eq!(target(Dialect::OllamaChat, "localhost", "gemini-x").schemas, SchemaRule::Ollama);
    assert_eq!(chat("localhost", "gemma3").schemas, SchemaRule::ObjectWithProperties);
}

#[test]
fn ids_are_nine_characters_for_mistral_only() {
    for (host, model) in
        [("api.mistral.ai", "x"), ("vllm.example", "mistralai/Mistral-7B"), ("localhost", "codestral")]
    {
        assert_eq!(chat(host, model).ids, IdRule::NineAlphanumerics, "{host} {model}");
    }
    assert_eq!(chat("localhost", "qwen3").ids, IdRule::Any);
}

#[test]
fn thoughts_go_back_where_they_are_taken() {
    for (host, model, field) in [
        ("localhost", "deepseek-r1:7b", ReasoningField::None),
        ("api.deepseek.com", "deepseek-reasoner", ReasoningField::ReasoningContent),
        ("api.openai.com", "gpt-4o", ReasoningField::None),
        ("openrouter.ai", "qwen/qwen3", ReasoningField::Reasoning),
        ("api.groq.com", "openai/gpt-oss-120b", ReasoningField::None),
        ("api.moonshot.ai", "kimi-k2-thinking", ReasoningField::ReasoningContent),
    ] {
        assert_eq!(chat(host, model).reasoning, field, "{host} {model}");
    }
}

#[test]
fn local_servers_take_top_k_and_openai_does_not() {
    assert!(chat("127.0.0.1", "qwen3-coder").takes_top_k);
    assert!(chat("LOCALHOST", "x").takes_top_k);
    assert!(!chat("localhost", "gpt-5").takes_top_k);
    assert!(!chat("api.openai.com", "gpt-4o").takes_top_k);
    assert!(!chat("localhost.example.com", "x").takes_top_k);
}

#[test]
fn claude_takes_what_its_generation_takes() {
    let claude = |host: &str, model: &str| target(Dialect::AnthropicMessages, host, model);
    let old = claude("api.anthropic.com", "claude-3-5-haiku-latest");
    assert!(old.takes_temperature && old.takes_temperature_with_top_p && old.takes_top_k);
    assert_eq!((old.name_chars, old.ids), (128, IdRule::Word));
    let one = claude("api.anthropic.com", "claude-sonnet-4-5-20250929");
    assert!(one.takes_temperature && !one.takes_temperature_with_top_p);
    let none = claude("api.anthropic.com", "claude-opus-4-7");
    assert!(!none.takes_temperature && !none.takes_top_k);
    assert_eq!(claude("proxy.example", "claude-3-opus").name_chars, 64);
    assert!(claude("api.anthropic.com", "claude-opus-4-20250514").takes_temperature_with_top_p);
}

#[test]
fn the_configuration_has_the_last_word() {
    let mut target = chat("api.openai.com", "gpt-5");
    let overrides = Overrides {
        takes_temperature: Some(true),
        most_tools: Some(7),
        ids: Some(IdRule::Word),
        default_max_tokens: Some(1),
        ..Overrides::default()
    };
    let before = target.clone();
    Overrides::default().apply(&mut target);
    assert_eq!(target, before);
    overrides.apply(&mut target);
    assert!(target.takes_temperature && target.max_completion_tokens);
    assert_eq!((target.most_tools, target.ids, target.default_max_tokens), (Some(7), IdRule::Word, 1));
}

#[test]
fn every_row_has_a_reason_and_patterns_in_small_letters() {
    for quirk in dialects::all().flat_map(|(_, module)| module.quirks()) {
        assert!(quirk.why.len() > 10 && !quirk.takes.is_empty(), "{quirk:?}");
        for pattern in quirk.hosts.iter().chain(quirk.models) {
            assert_eq!(*pattern, pattern.to_ascii_lowercase());
        }
    }
    assert_eq!(reasons(Dialect::OllamaChat, "localhost", "x").len(), 2);
    assert!(!reasons(Dialect::OpenAiChat, "api.openai.com", "gpt-5").is_empty());
}

#[test]
fn kinds_are_named_as_their_dialects() {
    for kind in Dialect::ALL {
        assert_eq!(Dialect::of_name(kind.name()), Some(kind));
    }
    assert_eq!(Dialect::of_kind("openai"), Some(Dialect::OpenAiChat));
    assert_eq!(Dialect::of_kind("bedrock"), None);
}
