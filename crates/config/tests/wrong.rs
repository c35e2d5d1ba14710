//! Invalid configurations: each is reported with its position and a fix, and is valid with the fix.

use crate::support;
use crate::wrong_cases;

use std::fmt::Write;

use support::{clean, problems};
use toolwright_config::Severity;
use wrong_cases::CASES;

#[test]
fn every_problem_has_a_position_and_a_fix() {
    let mut output = String::new();
    for case in CASES {
        let found = problems(case.wrong);
        assert!(!found.is_empty(), "{}: nothing is told", case.title);
        let _ = writeln!(output, "## {}", case.title);
        for problem in found {
            assert!(!problem.fix.is_empty() && !problem.message.is_empty(), "{}", case.title);
            let line = case.wrong.lines().nth(problem.line - 1).unwrap_or_default();
            assert!(problem.column <= line.chars().count() + 1, "{}: outside of its line", case.title);
            let _ = writeln!(output, "{problem}");
        }
        output.push('\n');
    }
    insta::assert_snapshot!(output);
}

#[test]
fn every_fix_works() {
    assert!(CASES.len() >= 40, "{}", CASES.len());
    for case in CASES.iter().filter(|case| !case.fixed.is_empty()) {
        println!("{}", case.title);
        clean(case.fixed);
    }
}

#[test]
fn invalid_server_affects_no_other_server() {
    let bad = [
        r#"{"command": "x", "args": "-y"}"#,
        r#"{"command": 5}"#,
        r#"{"url": "example.com"}"#,
        r#"{"command": "x", "env": {"A": "${NOT_SET}"}}"#,
        r#"{"command": "x", "env": ["A=b"]}"#,
        r#"{"command": "x", "command": "y"}"#,
        r#"{"command": "x", "toolFilters": "read"}"#,
        r#"{"command": "${"}"#,
        r#""npx""#,
        "null",
        "[]",
        "{}",
    ];
    for bad in bad {
        let text = format!(
            r#"{{"mcpServers": {{"before": {{"command": "a"}}, "bad": {bad}, "after": {{"url": "http://localhost:1/mcp"}}}}}}"#
        );
        let configuration = support::read(&text).unwrap_or_else(|error| panic!("{error}"));
        let names: Vec<&str> = configuration.servers().map(|(_, server)| server.name.as_str()).collect();
        assert_eq!(names, ["before", "after"], "{bad}");
        let errors: Vec<_> =
            configuration.problems.iter().filter(|problem| problem.severity == Severity::Error).collect();
        assert!(!errors.is_empty(), "{bad}");
        for error in errors {
            assert_eq!(error.server.as_deref(), Some("bad"), "{error}");
        }
    }
}

#[test]
fn errors_of_a_disabled_server_are_warnings() {
    let found = problems(
        r#"{"mcpServers": {"off": {"command": "x", "env": {"A": "${NOT_SET}"}, "disabled": true}}}"#,
    );
    let [problem] = &found[..] else { panic!("{found:?}") };
    assert_eq!(problem.severity, Severity::Warning);
    assert_eq!(problem.message, "the environment variable NOT_SET is not set");
}

#[test]
fn all_problems_of_a_server_are_reported_at_once() {
    let found = problems(
        r#"{"mcpServers": {"s": {"command": 5, "args": [null], "env": {"A": "${lower}"}, "cwd": [], "toolFilters": [""]}}}"#,
    );
    assert_eq!(found.len(), 5, "{found:#?}");
    assert!(found.windows(2).all(|pair| pair[0].column < pair[1].column), "not in their order");
}

#[test]
fn number_of_reported_problems_is_limited() {
    let entries: Vec<String> = (0..5_000).map(|at| format!("\"s{at}\": {{}}")).collect();
    let found = problems(&format!("{{\"mcpServers\": {{{}}}}}", entries.join(",")));
    assert_eq!(found.len(), 200);
    assert!(found[199].fix.ends_with("4800 more are not shown"), "{}", found[199].fix);
}

#[test]
fn messages_contain_no_secret_of_the_file() {
    for text in [
        r#"{"mcpServers": {"s": {"command": "x", "env": {"API_KEY": "hunter2-hunter2", "X": 5}}}}"#,
        r#"{"mcpServers": {"s": {"command": "x", "env": {"API_KEY": "hunter2-hunter2" "X": 5}}}}"#,
        r#"{"mcpServers": {"s": {"command": "x", "args": ["--token", "hunter2-hunter2", null]}}}"#,
        r#"{"mcpServers": {"s": {"url": "http://a b", "headers": {"Authorization": "Bearer hunter2-hunter2"}}}}"#,
        "{\"mcpServers\": {\"s\": {\"command\": \"x\", \"env\": {\"API_KEY\": \"hunter2-hunter2\n\"}}}}",
        r#"{"mcpServers": {"s": {"command": "x", "env": {"API_KEY": ["hunter2-hunter2"]}}}}"#,
        r#"{"mcpServers": {"s": {"command": "x", "args": "--token hunter2-hunter2"}}}"#,
        r#"{"mcpServers": {"s": {"command": "x --token hunter2-hunter2"}}}"#,
        r#"{"mcpServers": {"s": "x --token hunter2-hunter2"}}"#,
        r#"{"mcpServers": {"s": {"command": "x", "env": ["API_KEY=hunter2-hunter2"]}}}"#,
    ] {
        for problem in problems(text) {
            let output = format!("{problem}\n{}\n{problem:?}", problem.line());
            assert!(!output.contains("hunter2"), "{output}");
        }
    }
}

#[test]
fn messages_contain_no_value_of_a_variable() {
    for text in [
        r#"{"command": "x --token ${TOKEN}"}"#,
        r#"{"command": ["${TOKEN} x"], "args": "${TOKEN}"}"#,
        r#"{"command": "x", "type": "${TOKEN}"}"#,
        r#"{"command": "x", "cwd": "${TOKEN}\n"}"#,
        r#"{"command": "x", "env": {"A=${TOKEN}": "b"}}"#,
        r#"{"command": "x", "env_from": ["$$${TOKEN}"]}"#,
        r#"{"command": "x", "toolFilters": "${TOKEN}", "timeoutMs": "${TOKEN}", "disabled": "${TOKEN}"}"#,
        r#"{"url": "${TOKEN}"}"#,
        r#"{"url": "http://h:${TOKEN}/"}"#,
        r#"{"url": "${TOKEN}://h/"}"#,
        r#"{"url": "http://h/", "headers": {"a ${TOKEN}": "${TOKEN}\n"}}"#,
    ] {
        let found = problems(&format!("{{\"mcpServers\": {{\"s\": {text}}}}}"));
        assert!(!found.is_empty(), "{text}");
        for problem in found {
            assert!(!format!("{problem:?}").contains("t0ken"), "{problem}");
        }
    }
}

#[test]
fn null_and_empty_keys_are_ignored() {
    for text in [
        r#"{"command": "x", "url": null, "headers": null, "cwd": null, "env": null, "args": null, "type": null}"#,
        r#"{"command": "x", "url": "", "timeoutMs": null, "disabled": null, "toolFilters": null}"#,
        r#"{"command": "", "baseUrl": "http://localhost/mcp", "args": [], "env": {}, "type": "sse"}"#,
        r#"{"command": null, "url": "http://localhost/mcp"}"#,
    ] {
        support::entry(text);
    }
}

#[test]
fn large_files_give_short_messages() {
    const BYTES: usize = 4 << 20;
    let fill = |piece: &str| piece.repeat(BYTES / piece.len());
    let servers = |entry: &str| format!("{{\"mcpServers\": {{{}\"z\": {{}}}}}}", fill(entry));
    let entry = |members: &str| format!("{{\"mcpServers\": {{\"s\": {{{members}}}}}}}");
    let long = fill("x");
    // Entries that all differ, half a file of them.
    let numbered = |entry: &str| -> String {
        (0..BYTES / 2 / (entry.len() + 6)).map(|at| entry.replace("{}", &at.to_string())).collect()
    };
    for text in [
        servers("\"a\":{},"),
        servers("\"a\":1,\n"),
        entry(&format!("{}\"command\": \"x\"", fill("\"a\":1,"))),
        entry(&format!("\"command\": \"x\", \"args\": [{}1]", fill("0,"))),
        entry(&format!("\"command\": \"{}\"", fill("${HOME}"))),
        entry(&format!("\"command\": \"x\", \"args\": [\"{}\"]", fill("$$"))),
        entry(&format!("\"command\": \"{}\"", fill("a "))),
        entry(&format!("\"{long}\": 1")),
        format!("{{\"mcpServers\": {{\"{long}\": 1}}}}"),
        format!("{{\"llm\": {{\"upstreams\": {{{}\"z\": 1}}}}}}", numbered("\"u{}\":1,")),
        format!(
            "{{\"llm\": {{\"upstreams\": {{{}\"z\": 1}}, \"models\": {{{}\"z\": \"z/*\"}}}}}}",
            numbered("\"u{}\":1,"),
            numbered("\"m{}\":\"x{}/*\",")
        ),
        fill("/*"),
        fill("/"),
        fill("//\n"),
        fill("\""),
        fill("\\"),
        fill(","),
        fill("[1,],"),
        fill("{\"a\":1}"),
        long.clone(),
    ] {
        println!("{}…", &text[..60]);
        for problem in problems(&text) {
            assert!(problem.to_string().len() < 4_000 && problem.line().len() < 4_000);
        }
    }
}
