//! Founding document 002, "Validation Rules": the contract to the letter, and what is never filled in.

use toolwright_toolbox::meta::{Identifier, Known, read_use_tool, read_use_tool_strictly};

/// Toolbox, server and tool; a tool whose server calls it destructive.
struct Boxes(&'static [(&'static str, &'static str, &'static str)]);

const DESTRUCTIVE_BY_HINT: &str = "query";

impl Known for Boxes {
    fn toolboxes(&self) -> Vec<String> {
        distinct(self.0.iter().map(|entry| entry.0))
    }

    fn servers(&self, toolbox: &str) -> Vec<String> {
        distinct(self.0.iter().filter(|entry| entry.0 == toolbox).map(|entry| entry.1))
    }

    fn tools(&self, toolbox: &str, server: &str) -> Vec<String> {
        let of_server = self.0.iter().filter(|entry| entry.0 == toolbox && entry.1 == server);
        of_server.map(|entry| entry.2).filter(|name| !name.is_empty()).map(str::to_owned).collect()
    }

    fn is_destructive(&self, tool: &Identifier) -> bool {
        tool.name == DESTRUCTIVE_BY_HINT || tool.name.starts_with("delete")
    }

    fn configured(&self) -> Vec<(String, String)> {
        self.0.iter().map(|entry| (entry.0.to_owned(), entry.1.to_owned())).collect()
    }

    fn input_schema(&self, _: &Identifier) -> Option<String> {
        None
    }
}

fn distinct<'t>(names: impl Iterator<Item = &'t str>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for name in names {
        if !found.iter().any(|known| known == name) {
            found.push(name.to_owned());
        }
    }
    found
}

const KNOWN: Boxes = Boxes(&[
    ("main", "everything", "echo"),
    ("main", "time", "convert_time"),
    ("main", "time", "get_current_time"),
    ("main", "database", "query"),
    ("main", "database", "delete_user"),
    ("other", "files", "echo"),
]);

fn shown(tool: &Identifier) -> String {
    format!("{}/{}/{}", tool.toolbox, tool.server, tool.name)
}

#[test]
fn strict_reading_takes_the_contract_and_nothing_else() {
    let right = r#"{"tool":{"toolbox":"main","server":"time","name":"convert_time"},"arguments":{"a":1}}"#;
    let call = read_use_tool_strictly(right, &KNOWN).expect("it is right");
    assert_eq!(
        (shown(&call.tool).as_str(), call.arguments.as_str()),
        ("main/time/convert_time", r#"{"a":1}"#)
    );
    let bare = r#"{"tool":{"toolbox":"main","server":"time","name":"convert_time"}}"#;
    assert_eq!(read_use_tool_strictly(bare, &KNOWN).expect("it is right").arguments.as_str(), "{}");
    // A name in another form is for the lookup to refuse, not to be changed.
    let form = r#"{"tool":{"toolbox":"main","server":"time","name":"convertTime"}}"#;
    assert_eq!(read_use_tool_strictly(form, &KNOWN).expect("it is whole").tool.name, "convertTime");
}

#[test]
fn strict_reading_refuses_with_the_words_of_the_contract() {
    for (sent, error) in [
        (r#"{"tool":{"server":"time","name":"convert_time"}}"#, "tool.toolbox: Required"),
        (r#"{"tool":{"toolbox":"main","name":"convert_time"}}"#, "tool.server: Required"),
        (r#"{"tool":{"toolbox":"","server":"time","name":"x"}}"#, "toolbox: Toolbox name cannot be empty"),
        (r#"{"tool":{"toolbox":"main","server":"","name":"x"}}"#, "server: Server name cannot be empty"),
        (r#"{"tool":{"toolbox":"main","server":"time","name":""}}"#, "name: Tool name cannot be empty"),
        (
            r#"{"tool":{"toolbox":"main","server":"time","name":"x","path":"a"}}"#,
            "tool: Unrecognized key(s) in object: 'path'",
        ),
        (
            r#"{"tool":{"toolbox":"main","server":"time","name":"x"},"path":"a"}"#,
            "use_tool: Unrecognized key(s) in object: 'path'",
        ),
        (
            r#"{"tool":{"toolbox":"main","server":"time","name":"x"},"arguments":null}"#,
            "arguments: Expected object, received null",
        ),
        (
            r#"{"tool":{"toolbox":"main","server":"time","name":"x"},"arguments":"{}"}"#,
            "arguments: Expected object, received string",
        ),
        (r#"{"tool":"main/time/convert_time"}"#, "tool: Expected object, received string"),
    ] {
        let text = read_use_tool_strictly(sent, &KNOWN).expect_err(sent);
        let first = text.lines().next().unwrap_or_default();
        assert_eq!(first, format!("Invalid tool invocation parameters: {error}"), "{sent}");
    }
}

#[test]
fn nothing_is_filled_in_for_what_can_destroy_something() {
    for sent in [
        r#"{"tool":{"server":"database","name":"query"},"arguments":{"sql":"DROP TABLE users"}}"#,
        r#"{"tool":{"toolbox":"main","name":"query"}}"#,
        r#"{"tool":{"server":"database","name":"delete_user"}}"#,
        r#"{"tool":"query"}"#,
        r#"{"tool":"database/query"}"#,
        r#"{"tool":"delete_user"}"#,
    ] {
        assert!(read_use_tool(sent, &KNOWN, false).is_err(), "{sent}");
    }
    let harmless = r#"{"tool":{"server":"time","name":"convert_time"}}"#;
    let call = read_use_tool(harmless, &KNOWN, false).expect("it can mean one thing");
    assert_eq!(shown(&call.tool), "main/time/convert_time");
}

#[test]
fn a_short_name_is_understood_when_it_is_one_tool() {
    for sent in ["convert_time", "time/convert_time", "time.convert_time", "main/time/convert_time"] {
        let call = read_use_tool(&format!(r#"{{"tool":"{sent}","arguments":{{"a":1}}}}"#), &KNOWN, false);
        let call = call.expect(sent);
        assert_eq!(shown(&call.tool), "main/time/convert_time");
        assert_eq!((call.arguments.as_str(), call.changes.len()), (r#"{"a":1}"#, 1));
    }
}

#[test]
fn a_short_name_of_two_tools_or_none_is_refused() {
    for sent in ["echo", "convert", "files/convert_time"] {
        assert!(read_use_tool(&format!(r#"{{"tool":"{sent}"}}"#), &KNOWN, false).is_err(), "{sent}");
    }
}

#[test]
fn the_correct_call_that_is_shown_is_of_the_tool_that_was_named() {
    // A server that was never asked may have one of the name too.
    let unsure = Boxes(&[
        ("main", "everything", "echo"),
        ("main", "time", "convert_time"),
        ("main", "database", "query"),
        ("main", "sleeping", ""),
    ]);
    for (sent, server, name) in
        [("convert_time", "time", "convert_time"), ("database/query", "database", "query")]
    {
        let text = read_use_tool(&format!(r#"{{"tool":"{sent}"}}"#), &unsure, false).expect_err(sent);
        let (_, example) = text.split_once("A correct call:\n").expect("an example");
        assert!(
            example.contains(&format!("\"{server}\"")) && example.contains(&format!("\"{name}\"")),
            "{text}"
        );
    }
}
