//! Properties that hold for any text.

use crate::support;

use proptest::prelude::*;
use support::{environment, read};
use toolwright_config::{ConfigError, blanked};

/// Fragments that make comments, strings, commas and references likely.
fn piece() -> impl Strategy<Value = String> {
    let words = [
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\\",
        "/",
        "//",
        "/*",
        "*/",
        "\n",
        "\r\n",
        " ",
        "\t",
        "'",
        "#",
        "ä",
        "“",
        "$",
        "${",
        "${HOME}",
        "${X:-",
        "$$",
        "null",
        "true",
        "1e5",
        "0x1",
        "\"mcpServers\"",
        "\"toolboxes\"",
        "\"servers\"",
        "\"command\"",
        "\"args\"",
        "\"env\"",
        "\"url\"",
        "\"headers\"",
        "\"description\"",
        "\"a\"",
        "\"type\"",
        "\"http\"",
        "\"toolFilters\"",
        "\"timeoutMs\"",
        "\"~/x\"",
        "\u{feff}",
        "\u{0}",
        "\u{1b}[31m",
    ];
    prop_oneof![4 => prop::sample::select(words.to_vec()).prop_map(str::to_owned), 1 => ".{0,4}"]
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(piece(), 0..60).prop_map(|pieces| pieces.concat())
}

/// A server's entry that is mostly valid.
fn any_entry() -> impl Strategy<Value = String> {
    let values = [
        "\"x\"",
        "[]",
        "{}",
        "null",
        "5",
        "true",
        "[\"a\", 1]",
        "{\"A\": \"b\"}",
        "\"${HOME}\"",
        "\"${nope}\"",
        "\"http://h/\"",
        "\"stdio\"",
        "{\"A\": null}",
        "\"\\u0000\"",
        "[\"!\"]",
        "\"sse\"",
        "30000",
    ];
    let keys = [
        "command",
        "args",
        "env",
        "env_from",
        "cwd",
        "url",
        "headers",
        "type",
        "transport",
        "toolFilters",
        "timeoutMs",
        "idleMs",
        "protocol",
        "disabled",
        "enabled",
        "cmd",
        "note",
        "colour",
        "disabledTools",
        "httpUrl",
    ];
    let member = (prop::sample::select(keys.to_vec()), prop::sample::select(values.to_vec()));
    prop::collection::vec(member, 0..8).prop_map(|members| {
        let members: Vec<String> = members.iter().map(|(key, value)| format!("\"{key}\": {value}")).collect();
        format!("{{{}}}", members.join(", "))
    })
}

/// Checks every result: positions within the text, a message, and a fix.
fn check(text: &str) -> Result<(), TestCaseError> {
    let lines: Vec<&str> = text.strip_prefix('\u{feff}').unwrap_or(text).split('\n').collect();
    let problems = match read(text) {
        Ok(configuration) => {
            for (_, server) in configuration.servers() {
                prop_assert!(!server.name.trim().is_empty());
                let hidden = format!("{server:?} {}", server.describe());
                prop_assert!(server.secrets().iter().all(|secret| !hidden.contains(secret.as_str())));
            }
            configuration.problems
        }
        Err(ConfigError::Wrong(problem)) => vec![*problem],
        Err(error) => return Err(TestCaseError::fail(error.to_string())),
    };
    for problem in problems {
        prop_assert!(!problem.message.is_empty() && !problem.fix.is_empty());
        let line = lines.get(problem.line - 1).copied();
        prop_assert!(line.is_some_and(|line| problem.column <= line.chars().count() + 1), "{problem}");
        prop_assert!(problem.excerpt.caret <= problem.excerpt.text.chars().count() + 1, "{problem}");
        prop_assert!(!problem.to_string().contains(['\u{1b}', '\u{0}']), "{:?}", problem.to_string());
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn blanking_keeps_every_offset(text in prop_oneof![text(), any::<String>()]) {
        let blank = blanked(&text);
        prop_assert_eq!(blank.len(), text.len());
        for ((at, was), (also, is)) in text.bytes().enumerate().zip(blank.bytes().enumerate()) {
            prop_assert!(at == also && (was == is || is == b' '), "byte {at} of {text:?} became {is:?}");
            prop_assert!(was != b'\n' || is == b'\n', "a line break is lost");
        }
        prop_assert_eq!(&blanked(&blank), &blank, "blanking again changes something");
    }

    #[test]
    fn strict_json_stays_unchanged(text in text()) {
        if serde_json::from_str::<serde_json::Value>(&text).is_ok() {
            prop_assert_eq!(blanked(&text), text);
        }
    }

    #[test]
    fn any_text_gives_a_configuration_or_a_problem(text in text()) {
        check(&text)?;
    }

    #[test]
    fn any_entries_give_servers_or_problems(entries in prop::collection::vec(any_entry(), 0..4)) {
        let entries: Vec<String> =
            entries.iter().enumerate().map(|(at, entry)| format!("\"s{at}\": {entry}")).collect();
        check(&format!("{{\"mcpServers\": {{\n{},\n}}}} // end", entries.join(",\n")))?;
    }

    #[test]
    fn comments_and_trailing_commas_only_change_positions(entry in any_entry(), comment in "[^*/\n]{0,10}") {
        let plain = format!("{{\"mcpServers\": {{\"s\": {entry}}}}}");
        let noted = format!("// {comment}\n{{/*{comment}*/\"mcpServers\": {{\"s\": {entry},}},\n}}/*{comment}*/");
        let messages = |text: &str| match read(text) {
            Ok(read) => {
                let problems: Vec<String> = read.problems.iter().map(|problem| problem.message.clone()).collect();
                (read.toolboxes, problems)
            }
            Err(error) => (Vec::new(), vec![error.fix()]),
        };
        prop_assert_eq!(messages(&plain), messages(&noted));
    }

    #[test]
    fn text_without_dollars_stays_unchanged(text in "[^$\u{0}]{0,30}") {
        let quoted = serde_json::to_string(&text).expect("JSON");
        let read = read(&format!("{{\"mcpServers\": {{\"s\": {{\"command\": \"x\", \"args\": [{quoted}]}}}}}}"));
        let read = read.expect("a configuration");
        prop_assert!(read.problems.is_empty());
        let transport = &read.toolboxes[0].servers[0].transport;
        let toolwright_config::Transport::Stdio { args, .. } = transport else { panic!("no command") };
        prop_assert_eq!(&args[0], &text);
    }
}

#[test]
fn test_environment_has_home() {
    assert!(environment("HOME").is_some() && environment("X").is_none());
}
