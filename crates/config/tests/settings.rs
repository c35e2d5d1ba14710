//! The settings besides servers: each value, the defaults, and the hiding of secrets.

use crate::support;

use std::path::PathBuf;
use std::time::Duration;

use support::{clean, problems, read};
use toolwright_config::{Durability, LearnPolicy, OnFailure, Severity, StoreAddress, Suspicion};

#[test]
fn absent_settings_have_defaults() {
    for text in
        [r#"{"mcpServers": {}}"#, r#"{"ledger": {}, "redact": {}}"#, r#"{"ledger": null, "store": null}"#]
    {
        let read = clean(text);
        assert_eq!(read.ledger, Default::default());
        assert_eq!((read.ledger.durability, read.ledger.on_failure), (Durability::Process, OnFailure::Allow));
        assert_eq!(read.redact, Default::default());
        assert!(read.redact.entropy);
        assert_eq!((read.store, read.learn), (StoreAddress::Sqlite(None), LearnPolicy::Suggest));
        assert!(read.telemetry.is_none());
    }
}

#[test]
fn ledger_settings_are_read() {
    let read = clean(
        r#"{"ledger": {"durability": "power", "onFailure": "block", "keepDays": 30, "keepBytes": 67108864,
            "segmentBytes": "${SEGMENT:-1048576}", "logDir": "./logs"}}"#,
    );
    assert_eq!((read.ledger.durability, read.ledger.on_failure), (Durability::Power, OnFailure::Block));
    assert_eq!(read.ledger.keep, Some(Duration::from_secs(30 * 86_400)));
    assert_eq!((read.ledger.keep_bytes, read.ledger.segment_bytes), (Some(64 << 20), Some(1 << 20)));
    assert_eq!(read.ledger.log_dir, Some(PathBuf::from("/home/ann/desk/logs")));
    let home = clean(r#"{"ledger": {"logDir": "~/logs"}}"#);
    assert_eq!(home.ledger.log_dir, Some(PathBuf::from("/home/ann/logs")));
}

#[test]
fn redact_settings_are_read() {
    let read = clean(
        r#"{"redact": {"keys": ["*_dsn"], "allowKeys": ["page_token"], "patterns": ["emp-\\d{4}$"], "entropy": false}}"#,
    );
    assert_eq!(
        (read.redact.keys, read.redact.allow_keys),
        (vec!["*_dsn".to_owned()], vec!["page_token".to_owned()])
    );
    assert_eq!((read.redact.patterns, read.redact.entropy), (vec!["emp-\\d{4}$".to_owned()], false));
}

#[test]
fn store_is_a_file_or_a_database() {
    let file = |path: &str| StoreAddress::Sqlite(Some(PathBuf::from(path)));
    for (written, store) in [
        ("sqlite:", StoreAddress::Sqlite(None)),
        ("sqlite", StoreAddress::Sqlite(None)),
        ("sqlite:calls.db", file("/home/ann/desk/calls.db")),
        ("sqlite:///var/calls.db", file("/var/calls.db")),
        ("sqlite:~/calls.db", file("/home/ann/calls.db")),
        ("/var/calls.db", file("/var/calls.db")),
        ("./calls.db", file("/home/ann/desk/calls.db")),
    ] {
        assert_eq!(clean(&format!("{{\"store\": \"{written}\"}}")).store, store, "{written}");
    }
    for written in ["postgres://ann@db/calls", "PostgreSQL://ann@db/calls", "postgres:///calls?host=/run/pg"]
    {
        let read = clean(&format!("{{\"store\": \"{written}\"}}"));
        let StoreAddress::Postgres(address) = &read.store else { panic!("{written}") };
        assert_eq!(address.expose(), written);
    }
}

#[test]
fn learn_and_telemetry_settings_are_read() {
    for (word, learn) in
        [("off", LearnPolicy::Off), ("suggest", LearnPolicy::Suggest), ("apply-safe", LearnPolicy::ApplySafe)]
    {
        let read = clean(&format!("{{\"learn\": \"{word}\"}}"));
        assert_eq!((read.learn, read.learn.word()), (learn, word));
    }
    let read = clean(
        r#"{"telemetry": {"otlp": "http://127.0.0.1:4318", "headers": {"x-team": "${TOKEN}"}, "serviceName": "desk",
            "metrics": false}}"#,
    );
    let telemetry = read.telemetry.expect("there is some");
    assert_eq!(telemetry.otlp.as_deref(), Some("http://127.0.0.1:4318"));
    let (name, value) = &telemetry.headers[0];
    assert_eq!((name.as_str(), value.expose()), ("x-team", "t0ken-of-ann"));
    assert_eq!(telemetry.service_name.as_deref(), Some("desk"));
    assert!(telemetry.traces && !telemetry.metrics);
    // Another program's key for disabling its own telemetry.
    let read =
        clean(r#"{"telemetry": {"enabled": false, "target": "local", "otlp": "http://127.0.0.1:4318"}}"#);
    assert!(read.telemetry.is_none());
}

#[test]
fn security_and_notify_settings_are_read() {
    let read = clean(r#"{"mcpServers": {}}"#);
    assert_eq!(
        (read.security.changed_tools, read.security.hidden_instructions),
        (Suspicion::Flag, Suspicion::Flag)
    );
    assert_eq!(read.notify.webhook, None);
    let read = clean(
        r#"{"security": {"changedTools": "hide"}, "notify": {"webhook": "https://chat.example/hook/${TOKEN}"}}"#,
    );
    assert_eq!(
        (read.security.changed_tools, read.security.hidden_instructions),
        (Suspicion::Hide, Suspicion::Flag)
    );
    let webhook = read.notify.webhook.as_ref().expect("an address");
    assert_eq!(webhook.expose(), "https://chat.example/hook/t0ken-of-ann");
    // Everyone who has the address can post to it.
    assert!(read.secrets().contains(&webhook.expose().to_owned()));
    assert!(!format!("{read:?}").contains("t0ken-of-ann"));
}

#[test]
fn safety_error_makes_the_file_unusable_and_others_do_not() {
    for wrong in [
        r#""ledger": {"onFailure": "blok"}"#,
        r#""redact": {"patterns": ["("]}"#,
        r#""store": "mysql://db/calls""#,
        r#""ledger": {"durabilty": "power"}"#,
        r#""security": {"changedTools": "hid"}"#,
        r#""security": {"changedTool": "hide"}"#,
    ] {
        let text = format!("{{\"mcpServers\": {{\"a\": {{\"command\": \"x\"}}}}, {wrong}}}");
        assert!(read(&text).is_err(), "{wrong}");
    }
    for wrong in [
        r#""learn": "of""#,
        r#""telemetry": {"otlp": "nowhere"}"#,
        r#""ledger": {"unknown": 1}"#,
        r#""notify": {"webhook": "nowhere"}"#,
    ] {
        let text = format!("{{\"mcpServers\": {{\"a\": {{\"command\": \"x\"}}}}, {wrong}}}");
        let configuration = read(&text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(configuration.servers().count(), 1);
        assert!(configuration.problems.iter().all(|problem| problem.severity == Severity::Warning));
        assert_eq!(configuration.problems.len(), 1, "{:?}", configuration.problems);
    }
}

#[test]
fn secrets_of_settings_are_collected_and_hidden() {
    let configuration = clean(
        r#"{"store": "postgres://ann:hunter2%40home@db/calls?sslpassword=hunter2-ssl",
            "telemetry": {"otlp": "http://ann:hunter2-otlp@localhost:4318", "headers": {"x-team": "hunter2-team", "y": "${TOKEN}"}},
            "mcpServers": {"a": {"command": "x", "env": {"API_KEY": "hunter2-env"}}}}"#,
    );
    let secrets = configuration.secrets();
    let known = [
        "hunter2%40home",
        "hunter2@home",
        "hunter2-ssl",
        "hunter2-otlp",
        "hunter2-team",
        "t0ken-of-ann",
        "hunter2-env",
    ];
    for secret in known {
        assert!(secrets.iter().any(|known| known == secret), "{secret}: {secrets:?}");
    }
    let printed = format!("{configuration:?} {configuration:#?}");
    assert!(!printed.contains("hunter2") && !printed.contains("t0ken"), "{printed}");
}

#[test]
fn settings_messages_contain_no_secret() {
    for text in [
        r#"{"store": "mysql://ann:hunter2-hunter2@db/calls"}"#,
        r#"{"store": "postgres://ann:hunter2 hunter2@db/calls"}"#,
        r#"{"store": "host=db password=hunter2-hunter2"}"#,
        r#"{"store": "postgres://ann:${TOKEN} @db/calls"}"#,
        r#"{"store": "${TOKEN}://db"}"#,
        r#"{"ledger": {"durability": "${TOKEN}", "keepDays": "${TOKEN}", "onFailure": "${TOKEN}"}}"#,
        r#"{"redact": {"patterns": ["(${TOKEN}"]}}"#,
        r#"{"mcpServers": {}, "learn": "${TOKEN}"}"#,
        r#"{"mcpServers": {}, "telemetry": {"otlp": "${TOKEN}", "headers": {"a b": "${TOKEN}"}}}"#,
        r#"{"mcpServers": {}, "telemetry": {"otlp": "ann:hunter2@localhost", "headers": {"Authorization": "hunter2", "a b": ""}}}"#,
    ] {
        let found = problems(text);
        assert!(!found.is_empty(), "{text}");
        for problem in found {
            let output = format!("{problem}\n{}\n{problem:?}", problem.line());
            assert!(!output.contains("hunter2") && !output.contains("t0ken"), "{output}");
        }
    }
}

#[test]
fn sections_that_need_a_restart_are_listed() {
    let before = clean(r#"{"store": "sqlite:a.db", "learn": "off"}"#);
    let after = clean(
        r#"{"store": "sqlite:b.db", "learn": "suggest", "ledger": {"keepDays": 3}, "redact": {"keys": ["x"]},
            "telemetry": {"otlp": "http://localhost:4318"}}"#,
    );
    assert_eq!(before.needs_restart(&after), ["ledger", "store", "telemetry"]);
    assert!(before.needs_restart(&before).is_empty());
}

#[test]
fn agent_settings_are_read() {
    let read = clean(
        r#"{"agent": {"model": "qwen3:8b", "rounds": 5, "timeoutMs": 60000, "tokens": 50000, "answerTokens": "${ANSWER:-512}",
            "resultBytes": 8192, "repeats": 4, "temperature": 0.5, "tools": ["zwave/*", "!zwave/reset"],
            "system": {"voice": "Speak like a butler."}, "memory": {"idleMs": 300000, "turns": 10, "bytes": 32768}}}"#,
    );
    let agent = read.agent.expect("an agent");
    assert_eq!((agent.model.as_deref(), agent.rounds), (Some("qwen3:8b"), Some(5)));
    assert_eq!(agent.timeout, Some(Duration::from_secs(60)));
    assert_eq!(
        (agent.tokens, agent.answer_tokens, agent.result_bytes),
        (Some(50_000), Some(512), Some(8_192))
    );
    assert_eq!((agent.repeats, agent.temperature), (Some(4), Some(0.5)));
    assert_eq!(agent.tools, Some(vec!["zwave/*".to_owned(), "!zwave/reset".to_owned()]));
    assert_eq!((agent.ask_prompt, agent.voice_prompt.as_deref()), (None, Some("Speak like a butler.")));
    assert_eq!(agent.memory_idle, Some(Duration::from_secs(300)));
    assert_eq!((agent.memory_turns, agent.memory_bytes), (Some(10), Some(32_768)));
    let both = clean(r#"{"agent": {"system": "Be brief."}}"#).agent.expect("an agent");
    assert_eq!(
        (both.ask_prompt.as_deref(), both.voice_prompt.as_deref()),
        (Some("Be brief."), Some("Be brief."))
    );
    assert_eq!(clean(r#"{"agent": null}"#).agent, None);
}

#[test]
fn invalid_tool_list_allows_no_tool() {
    let read = read(r#"{"agent": {"tools": "read_*"}}"#).expect("the rest is used");
    assert_eq!(read.agent.and_then(|agent| agent.tools), Some(Vec::new()));
    assert!(read.problems.iter().all(|problem| problem.severity == Severity::Warning));
}

#[test]
fn builtin_rules_setting_is_read() {
    let written = |value: &str| {
        let text = format!(r#"{{"mcpServers": {{"a": {{"command": "x"{value}}}}}}}"#);
        let configuration = read(&text).expect("it is read");
        configuration.servers().map(|(_, server)| server.builtin_rules).next()
    };
    for setting in toolwright_config::BuiltinRulesSetting::ALL {
        let value = format!(r#", "builtinRules": "{}""#, setting.word());
        assert_eq!(written(&value), Some(setting));
    }
    assert_eq!(written(""), Some(toolwright_config::BuiltinRulesSetting::Schema));
    assert_eq!(written(r#", "builtinRules": "sometimes""#), None);
}

#[test]
fn response_limit_of_server_overrides_that_of_file() {
    let file = |of_file: &str, of_server: &str| {
        let text = format!(r#"{{{of_file}"mcpServers": {{"a": {{"command": "x"{of_server}}}}}}}"#);
        clean(&text).toolboxes[0].servers[0].max_response_bytes
    };
    assert_eq!(file("", ""), None);
    assert_eq!(file(r#""maxResponseBytes": 65536, "#, ""), Some(65_536));
    assert_eq!(file(r#""maxResponseBytes": 65536, "#, r#", "maxResponseBytes": 33554432"#), Some(32 << 20));
    assert_eq!(file("", r#", "maxResponseBytes": "${BYTES:-1073741824}""#), Some(1 << 30));
    // An invalid limit does not affect the server.
    let wrong = read(r#"{"mcpServers": {"a": {"command": "x", "maxResponseBytes": 5}}}"#).expect("read");
    assert_eq!(wrong.toolboxes[0].servers[0].max_response_bytes, None);
    assert!(!wrong.has_errors() && wrong.problems.len() == 1, "{:?}", wrong.problems);
}
