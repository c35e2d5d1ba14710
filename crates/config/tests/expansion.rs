//! `${VAR}` in every string, as the workbench document promises it: what is no reference is an error.

use crate::support;

use std::ffi::OsString;
use std::path::Path;

use support::{clean, entry, environment, problems, said_of};
use toolwright_config::{Transport, parse};

/// What an argument becomes.
fn expanded(text: &str) -> String {
    let server = entry(&format!(r#"{{"command": "x", "args": ["{text}"]}}"#));
    let Transport::Stdio { args, .. } = server.transport else { panic!("no command") };
    args[0].clone()
}

/// What is said of an argument.
fn refused(text: &str) -> String {
    said_of(&format!(r#"{{"command": "x", "args": ["{text}"]}}"#)).join("\n")
}

#[test]
fn references_become_values_and_defaults() {
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
fn a_variable_that_is_set_to_nothing_wins_over_the_default() {
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
    let said = refused("a$$b");
    assert!(said.starts_with("`$$` stands for one `$`"), "{said}");
    let read =
        support::read(r#"{"mcpServers": {"s": {"command": "x", "args": ["a$$b", "$$$$", "$$${PORT}"]}}}"#);
    let read = read.expect("a configuration");
    let Transport::Stdio { args, .. } = &read.toolboxes[0].servers[0].transport else { panic!("no command") };
    assert_eq!(args, &["a$b", "$$", "$8080"]);
}

#[test]
fn a_dollar_by_itself_is_a_dollar() {
    for text in ["$", "a$", "^x$", "$5", "pa$word", "a/$NOT_SET", "$ {HOME}", "{HOME}", "%HOME%"] {
        assert_eq!(expanded(text), text);
    }
}

#[test]
fn a_name_behind_a_dollar_is_told_where_its_value_was_probably_meant() {
    for text in ["$HOME/data", "$HOME", "$NOT_SET"] {
        let said = refused(text);
        assert!(said.starts_with("a name behind `$` alone is text"), "{text}: {said}");
    }
}

#[test]
fn what_begins_as_a_reference_and_is_none_is_an_error() {
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
        // The caret stands under the dollar.
        let line: Vec<char> = text.chars().collect();
        assert_eq!(line[found[0].column - 1], '$', "{text}");
    }
}

#[test]
fn a_variable_that_is_not_set_is_named_with_what_to_do() {
    assert_eq!(
        refused("${GITHUB_TOKEN}"),
        "the environment variable GITHUB_TOKEN is not set; set it before the start (export GITHUB_TOKEN=value), \
         or give a default: ${GITHUB_TOKEN:-value}"
    );
}

#[test]
fn the_spelling_of_other_clients_is_understood() {
    assert_eq!(expanded("${env:HOME}"), "/home/ann");
    assert_eq!(expanded("${env:NOT_SET:-x}"), "x");
}

#[test]
fn every_string_is_expanded_and_nothing_else() {
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
fn two_names_that_become_one_are_told() {
    let found = problems(r#"{"mcpServers": {"a8080": {"command": "x"}, "a${PORT}": {"command": "y"}}}"#);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].message, "two servers have this name, and neither is used");
}

#[test]
fn a_toolbox_whose_description_cannot_be_expanded_is_used_as_it_stands() {
    let text =
        r#"{"toolboxes": {"dev": {"description": "of ${NOBODY}", "mcpServers": {"a": {"command": "x"}}}}}"#;
    let configuration = support::read(text).expect("a configuration");
    assert_eq!(configuration.toolboxes[0].description.as_deref(), Some("of ${NOBODY}"));
    assert!(!configuration.has_errors() && configuration.problems.len() == 1);
}

#[test]
fn a_value_that_is_no_text_or_too_long_is_told_without_it() {
    let odd = |name: &str| match name {
        "LONG" => Some(OsString::from("x".repeat(200_000))),
        #[cfg(unix)]
        "BYTES" => Some(std::os::unix::ffi::OsStringExt::from_vec(vec![b'a', 0xff])),
        _ => environment(name),
    };
    let said = |text: &str| {
        let text = format!(r#"{{"mcpServers": {{"s": {{"command": "x", "args": ["{text}"]}}}}}}"#);
        let read = parse(&text, Path::new("f.json"), &odd).expect("a configuration");
        assert_eq!(read.problems.len(), 1);
        read.problems[0].message.clone()
    };
    assert_eq!(said("${LONG}"), "the text is longer than 128 KiB");
    #[cfg(unix)]
    assert_eq!(said("${BYTES}"), "the value of the environment variable BYTES is not UTF-8");
}
