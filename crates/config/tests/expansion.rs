//! `${VAR}` in every string, as the workbench document demands: an invalid reference is an error.

use crate::support;

use std::ffi::OsString;
use std::path::Path;

use support::{clean, entry, environment, messages_of, problems};
use toolwright_config::{Transport, parse};

/// The expanded text of an argument.
fn expanded(text: &str) -> String {
    let server = entry(&format!(r#"{{"command": "x", "args": ["{text}"]}}"#));
    let Transport::Stdio { args, .. } = server.transport else { panic!("no command") };
    args[0].clone()
}

/// The problems of an argument.
fn problems_of(text: &str) -> String {
    messages_of(&format!(r#"{{"command": "x", "args": ["{text}"]}}"#)).join("\n")
}

#[test]
fn references_expand_to_values_and_defaults() {
    for (text, value) in [
        ("${HOME}", "/home/ann"),
        ("${HOME}/a/${PORT}", "/home/ann/a/8080"),
        ("${PORT:-1}", "8080"),
        ("${NOT_SET:-1}", "1"),
        ("${NOT_SET:-}", ""),
        ("${NOT_SET:-a b:-c}", "a b:-c"),
        ("${_X9:-ok}", "ok"),
        ("plain", "plain"),
        ("", ""),
    ] {
        assert_eq!(expanded(text), value, "{text}");
    }
}

#[test]
fn empty_variable_takes_precedence_over_the_default() {
    assert_eq!(expanded("[${EMPTY:-default}]"), "[]");
    assert_eq!(expanded("[${EMPTY}]"), "[]");
}

#[test]
fn values_are_not_expanded_again() {
    assert_eq!(expanded("${NESTED}"), "${TOKEN}");
}

#[test]
fn two_dollars_stand_for_one() {
    assert_eq!(expanded("$${HOME}"), "${HOME}");
    assert_eq!(expanded("$${lower}"), "${lower}");
    assert_eq!(expanded("$${"), "${");
    let messages = problems_of("a$$b");
    assert!(messages.starts_with("`$$` stands for one `$`"), "{messages}");
    let read =
        support::read(r#"{"mcpServers": {"s": {"command": "x", "args": ["a$$b", "$$$$", "$$${PORT}"]}}}"#);
    let read = read.expect("a configuration");
    let Transport::Stdio { args, .. } = &read.toolboxes[0].servers[0].transport else { panic!("no command") };
    assert_eq!(args, &["a$b", "$$", "$8080"]);
}

#[test]
fn single_dollar_is_text() {
    for text in ["$", "a$", "^x$", "$5", "pa$word", "a/$NOT_SET", "$ {HOME}", "{HOME}", "%HOME%"] {
        assert_eq!(expanded(text), text);
    }
}

#[test]
fn name_after_a_dollar_gets_a_warning() {
    for text in ["$HOME/data", "$HOME", "$NOT_SET"] {
        let messages = problems_of(text);
        assert!(messages.starts_with("a name after `$` without braces is text"), "{text}: {messages}");
    }
}

#[test]
fn invalid_reference_is_an_error() {
    for text in [
        "${lower}",
        "${Mixed}",
        "${123VAR}",
        "${VAR:default}",
        "${}",
        "${VAR",
        "${A}${B",
        "${ HOME }",
        "${HOME }",
        "${A-b}",
        "${A.B}",
        "${:-x}",
        "${HOME:-",
        "${NOT_SET:-${HOME}}",
        "${HOME:-${A}}",
        "${Ä}",
        "${env:}",
        "${input:key}",
        "${workspaceFolder}",
        "${userHome}",
        "${A:=b}",
        "${A:?b}",
    ] {
        let text = format!(r#"{{"mcpServers": {{"s": {{"command": "x", "args": ["{text}"]}}}}}}"#);
        let found = problems(&text);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert_eq!(found[0].server.as_deref(), Some("s"));
        // The caret is under the dollar.
        let line: Vec<char> = text.chars().collect();
        assert_eq!(line[found[0].column - 1], '$', "{text}");
    }
}

#[test]
fn unset_variable_is_reported_with_a_fix() {
    assert_eq!(
        problems_of("${GITHUB_TOKEN}"),
        "the environment variable GITHUB_TOKEN is not set; set it before the start (export GITHUB_TOKEN=value), \
         or give a default: ${GITHUB_TOKEN:-value}"
    );
}

#[test]
fn env_prefix_of_clients_is_accepted() {
    assert_eq!(expanded("${env:HOME}"), "/home/ann");
    assert_eq!(expanded("${env:NOT_SET:-x}"), "x");
}

#[test]
fn every_string_is_expanded() {
    let configuration = clean(
        r#"{"toolboxes": {"box-${PORT}": {"description": "at ${PORT}", "mcpServers": {
            "s-${PORT}": {"command": "${HOME}/serve", "args": ["${PORT}"], "env": {"K_${PORT}": "${PORT}"},
                "env_from": ["A_${PORT}"], "cwd": "${HOME}", "toolFilters": ["t_${PORT}"], "timeoutMs": "${PORT}",
                "disabled": "${OFF:-true}", "type": "${TYPE:-stdio}", "note": "${not read}"},
            "h": {"url": "${API_URL}/mcp", "headers": {"X-${PORT}": "${PORT}"}}}}}}"#,
    );
    let toolbox = &configuration.toolboxes[0];
    assert_eq!((toolbox.name.as_str(), toolbox.description.as_deref()), ("box-8080", Some("at 8080")));
    let server = &toolbox.servers[0];
    assert_eq!(server.name, "s-8080");
    assert!(server.is_disabled && server.tool_filters.allows("t_8080") && !server.tool_filters.allows("t_"));
    assert_eq!(server.timeout.map(|time| time.as_millis()), Some(8080));
    let Transport::Stdio { command, args, env, env_from, cwd } = &server.transport else {
        panic!("no command")
    };
    assert_eq!(command, "/home/ann/serve");
    assert_eq!(args, &["8080"]);
    assert_eq!(env, &[("K_8080".to_owned(), "8080".to_owned())]);
    assert_eq!(env_from, &["A_8080"]);
    assert_eq!(cwd.as_deref(), Some(Path::new("/home/ann")));
    let Transport::Http { url, headers, .. } = &toolbox.servers[1].transport else { panic!("no address") };
    assert_eq!(url, "https://api.example.com/mcp");
    assert_eq!(headers, &[("X-8080".to_owned(), "8080".to_owned())]);
}

#[test]
fn names_that_expand_to_the_same_are_reported() {
    let found = problems(r#"{"mcpServers": {"a8080": {"command": "x"}, "a${PORT}": {"command": "y"}}}"#);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].message, "two servers have this name, and neither is used");
}

#[test]
fn description_that_cannot_be_expanded_stays_unchanged() {
    let text =
        r#"{"toolboxes": {"dev": {"description": "of ${NOBODY}", "mcpServers": {"a": {"command": "x"}}}}}"#;
    let configuration = support::read(text).expect("a configuration");
    assert_eq!(configuration.toolboxes[0].description.as_deref(), Some("of ${NOBODY}"));
    assert!(!configuration.has_errors() && configuration.problems.len() == 1);
}

#[test]
fn invalid_value_is_reported_without_quoting_it() {
    let odd = |name: &str| match name {
        "LONG" => Some(OsString::from("x".repeat(200_000))),
        #[cfg(unix)]
        "BYTES" => Some(std::os::unix::ffi::OsStringExt::from_vec(vec![b'a', 0xff])),
        _ => environment(name),
    };
    let messages = |text: &str| {
        let text = format!(r#"{{"mcpServers": {{"s": {{"command": "x", "args": ["{text}"]}}}}}}"#);
        let read = parse(&text, Path::new("f.json"), &odd).expect("a configuration");
        assert_eq!(read.problems.len(), 1);
        read.problems[0].message.clone()
    };
    assert_eq!(messages("${LONG}"), "the text is longer than 128 KiB");
    #[cfg(unix)]
    assert_eq!(messages("${BYTES}"), "the value of the environment variable BYTES is not UTF-8");
}
