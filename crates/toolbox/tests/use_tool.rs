//! The contract of `use_tool` (founding document 002) to the letter, what is repaired into it, and next to each repair its look-alike.

use toolwright_jsonrpc::Json;
use toolwright_model::Code;
use toolwright_toolbox::meta::{Identifier, Known, UseTool, read_use_tool};

/// Toolboxes of a test: `toolbox server tool schema`.
struct Boxes(Vec<(&'static str, &'static str, &'static str, &'static str)>);

const PATH: &str = r#"{"type":"object","properties":{"path":{"type":"string"},"limit":{"type":"integer"}},"required":["path"]}"#;
const OURS: &str = r#"{"type":"object","properties":{"path":{"type":"string"},"name":{"type":"string"},"tool":{"type":"object"},"arguments":{"type":"object"}}}"#;
const INPUT: &str = r#"{"type":"object","properties":{"input":{"type":"object"},"deep":{"type":"boolean"}}}"#;

fn boxes() -> Boxes {
    Boxes(vec![
        ("dev", "filesystem", "read_file", PATH),
        ("dev", "filesystem", "delete_file", PATH),
        ("dev", "filesystem", "stat_file", PATH),
        ("dev", "database", "query", r#"{"type":"object","properties":{"sql":{"type":"string"}}}"#),
        ("dev", "database", "create_entity", OURS),
        ("prod", "memory", "list_keys", r#"{"type":"object"}"#),
        ("prod", "memory", "query", INPUT),
    ])
}

impl Known for Boxes {
    fn toolboxes(&self) -> Vec<String> {
        distinct(self.0.iter().map(|entry| entry.0))
    }

    fn servers(&self, toolbox: &str) -> Vec<String> {
        distinct(self.0.iter().filter(|entry| entry.0 == toolbox).map(|entry| entry.1))
    }

    fn tools(&self, toolbox: &str, server: &str) -> Vec<String> {
        let of_server = self.0.iter().filter(|entry| entry.0 == toolbox && entry.1 == server);
        // Nothing is known of a server whose tools have no name.
        distinct(of_server.map(|entry| entry.2).filter(|name| !name.is_empty()))
    }

    fn configured(&self) -> Vec<(String, String)> {
        self.0.iter().map(|entry| (entry.0.to_owned(), entry.1.to_owned())).collect()
    }

    fn input_schema(&self, tool: &Identifier) -> Option<String> {
        let is_meant = |entry: &&(&str, &str, &str, &str)| {
            entry.0 == tool.toolbox && entry.1 == tool.server && entry.2 == tool.name
        };
        self.0.iter().find(is_meant).map(|entry| entry.3.to_owned())
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

fn read(sent: &str) -> Result<UseTool, String> {
    read_use_tool(sent, &boxes(), false)
}

fn errors(sent: &str) -> String {
    let text = read(sent).expect_err(sent);
    let (errors, example) = text.split_once("\n\nA correct call:\n").expect("an example");
    let example = read(example).unwrap_or_else(|error| panic!("{sent}: the example is wrong: {error}"));
    assert!(example.changes.is_empty(), "{sent}: the example has to be mended");
    errors.strip_prefix("Invalid tool invocation parameters: ").expect("the contract's beginning").to_owned()
}

/// A call that is read as this one, by these steps.
fn mended(sent: &str, tool: [&str; 3], arguments: &str, codes: &[Code]) {
    let call = read(sent).unwrap_or_else(|error| panic!("{sent}: {error}"));
    assert_eq!(call.tool, Identifier::new(tool[0], tool[1], tool[2]), "{sent}");
    assert_eq!(call.arguments.as_str(), arguments, "{sent}");
    let found: Vec<Code> = call.changes.iter().map(|change| change.code).collect();
    assert_eq!(found, codes, "{sent}");
    // What was mended keeps the contract, and stays as it is.
    let tool = Json::parse(&format!(
        r#"{{"toolbox":{},"server":{},"name":{}}}"#,
        Json::text(&call.tool.toolbox),
        Json::text(&call.tool.server),
        Json::text(&call.tool.name)
    ));
    let again =
        Json::empty_object().with("tool", &tool.expect("it is JSON")).with("arguments", &call.arguments);
    let again = read(again.as_str()).expect("it is right");
    assert_eq!((again.tool, again.arguments, again.changes.len()), (call.tool, call.arguments, 0));
}

const READ: [&str; 3] = ["dev", "filesystem", "read_file"];
const HOSTS: &str = r#"{"path":"/etc/hosts"}"#;

// === The contract ===

#[test]
fn the_examples_of_the_contract_are_read_as_they_are() {
    mended(
        r#"{"tool":{"toolbox":"dev","server":"filesystem","name":"read_file"},"arguments":{"path":"/etc/hosts"}}"#,
        READ,
        HOSTS,
        &[],
    );
    mended(
        r#"{"tool":{"toolbox":"prod","server":"memory","name":"list_keys"}}"#,
        ["prod", "memory", "list_keys"],
        "{}",
        &[],
    );
    mended(
        r#"{"tool":{"toolbox":"dev","server":"database","name":"query"},"arguments":{"sql":"SELECT * FROM users LIMIT 10"}}"#,
        ["dev", "database", "query"],
        r#"{"sql":"SELECT * FROM users LIMIT 10"}"#,
        &[],
    );
}

#[test]
fn arguments_keep_their_bytes() {
    let sent = r#"{"tool":{"toolbox":"dev","server":"filesystem","name":"read_file"},"arguments":{"path" : "\u00e4", "limit":1.0,  "x":12345678901234567890123}}"#;
    let call = read(sent).expect("it is right");
    assert_eq!(call.arguments.as_str(), r#"{"path" : "\u00e4", "limit":1.0,  "x":12345678901234567890123}"#);
}

#[test]
fn what_does_not_exist_is_not_the_readers_business() {
    mended(r#"{"tool":{"toolbox":"no","server":"such","name":"tool"}}"#, ["no", "such", "tool"], "{}", &[]);
}

#[test]
fn empty_fields_are_told_by_name() {
    let with = |toolbox: &str, server: &str, name: &str| {
        errors(&format!(r#"{{"tool":{{"toolbox":"{toolbox}","server":"{server}","name":"{name}"}}}}"#))
    };
    assert_eq!(with("", "filesystem", "read_file"), "toolbox: Toolbox name cannot be empty");
    assert_eq!(with("dev", "", "read_file"), "server: Server name cannot be empty");
    assert_eq!(with("dev", "filesystem", ""), "name: Tool name cannot be empty");
    assert_eq!(
        with("", "", ""),
        "toolbox: Toolbox name cannot be empty; server: Server name cannot be empty; name: Tool name cannot be empty"
    );
}

#[test]
fn missing_and_wrong_fields_are_told() {
    assert_eq!(errors("{}"), "tool: Required");
    assert_eq!(errors(""), "tool: Required");
    assert_eq!(errors("[]"), "Expected object, received array");
    assert_eq!(errors(r#"{"tool":7}"#), "tool: Expected object, received number");
    assert_eq!(errors(r#"{"tool":"read_files"}"#), "tool: Expected object, received string");
    assert_eq!(
        errors(r#"{"tool":{}}"#),
        "tool.toolbox: Required; tool.server: Required; tool.name: Required"
    );
    assert_eq!(
        errors(r#"{"tool":{"toolbox":["dev"],"server":null,"name":{}}}"#),
        "tool.toolbox: Expected string, received array; tool.server: Expected string, received null; \
         tool.name: Expected string, received object"
    );
    let tool = r#""tool":{"toolbox":"dev","server":"filesystem","name":"read_file"}"#;
    assert_eq!(
        errors(&format!(r#"{{{tool},"arguments":"a text"}}"#)),
        "arguments: Expected object, received string"
    );
    assert_eq!(
        errors(&format!(r#"{{{tool},"arguments":[1]}}"#)),
        "arguments: Expected object, received array"
    );
    assert_eq!(
        errors(&format!(r#"{{{tool},"arguments":7}}"#)),
        "arguments: Expected object, received number"
    );
    assert_eq!(
        errors(&format!(r#"{{{tool},"tool":{{"toolbox":"prod","server":"memory","name":"list_keys"}}}}"#)),
        "use_tool: Key 'tool' is given twice with different values"
    );
}

#[test]
fn the_old_key_is_refused_with_the_call_as_it_should_be() {
    let old = r#"{"tool":{"toolbox":"dev","server":"filesystem","tool":"read_file"},"arguments":{"path":"/etc/hosts"}}"#;
    assert_eq!(errors(old), "tool.name: Required; tool: Unrecognized key(s) in object: 'tool'");
    let text = read(old).expect_err("the contract");
    let example = text.split_once("A correct call:\n").expect("an example").1;
    let call = read(example).expect("it is right");
    assert_eq!(
        (call.tool, call.arguments.get_text("path").as_deref()),
        (Identifier::new(READ[0], READ[1], READ[2]), Some("/etc/hosts"))
    );
}

#[test]
fn the_old_key_is_taken_where_the_configuration_says_so() {
    let old = r#"{"tool":{"toolbox":"dev","server":"filesystem","tool":"read_file"}}"#;
    let call = read_use_tool(old, &boxes(), true).expect("it is taken");
    assert_eq!(call.tool, Identifier::new(READ[0], READ[1], READ[2]));
    assert_eq!(call.changes.len(), 1);
    assert_eq!(call.changes[0].code, Code::AliasByRule);
    assert_eq!(call.changes[0].rule.as_deref(), Some("acceptLegacyToolKey"));
    // Two names for one tool, and a name that is none.
    for wrong in [
        r#"{"tool":{"toolbox":"dev","server":"filesystem","tool":"read_file","name":"delete_file"}}"#,
        r#"{"tool":{"toolbox":"dev","server":"filesystem","tool":7}}"#,
        r#"{"tool":{"toolbox":"dev","server":"filesystem","tool":""}}"#,
    ] {
        assert!(read_use_tool(wrong, &boxes(), true).is_err(), "{wrong}");
    }
}

// === Envelopes ===

#[test]
fn a_call_one_level_too_deep_is_taken_out() {
    let call = r#"{"tool":{"toolbox":"dev","server":"filesystem","name":"read_file"},"arguments":{"path":"/etc/hosts"}}"#;
    for key in ["arguments", "use_tool", "parameters", "params", "input", "tool"] {
        mended(&format!(r#"{{"{key}":{call}}}"#), READ, HOSTS, &[Code::EnvelopeRemoved]);
    }
    mended(&format!(r#"{{"name":"use_tool","arguments":{call}}}"#), READ, HOSTS, &[Code::EnvelopeRemoved]);
    mended(
        &format!(r#"{{"use_tool":{{"arguments":{call}}}}}"#),
        READ,
        HOSTS,
        &[Code::EnvelopeRemoved, Code::EnvelopeRemoved],
    );
    mended(
        r#"{"tool":{"tool":{"toolbox":"dev","server":"filesystem","name":"read_file"}},"arguments":{"path":"/etc/hosts"}}"#,
        READ,
        HOSTS,
        &[Code::EnvelopeRemoved],
    );
    // Something stands beside it, another tool is called, or it is no call.
    errors(&format!(r#"{{"arguments":{call},"path":"/x"}}"#));
    errors(&format!(r#"{{"name":"open_toolbox","arguments":{call}}}"#));
    errors(r#"{"arguments":{"path":"/etc/hosts"}}"#);
    errors(r#"{"tool":{"tool":{"toolbox":"dev","server":"filesystem","name":"read_file"},"server":"x"}}"#);
}

#[test]
fn a_call_in_a_string_is_opened() {
    let call = r#"{"tool":{"toolbox":"dev","server":"filesystem","name":"read_file"},"arguments":{"path":"/etc/hosts"}}"#;
    mended(Json::text(call).as_str(), READ, HOSTS, &[Code::DoubleEncoding]);
    mended(&format!(r#"{{"input":{}}}"#, Json::text(call)), READ, HOSTS, &[Code::EnvelopeRemoved]);
    errors(Json::text(&call[..call.len() - 1]).as_str());
}

#[test]
fn dotted_keys_are_joined() {
    mended(
        r#"{"tool.toolbox":"dev","tool.server":"filesystem","tool.name":"read_file","arguments.path":"/etc/hosts"}"#,
        READ,
        HOSTS,
        &[Code::WrapperRestored, Code::WrapperRestored, Code::WrapperRestored, Code::WrapperRestored],
    );
    mended(
        r#"{"tool":{"toolbox":"dev","server":"filesystem"},"tool.name":"read_file","arguments":{"path":"/etc/hosts"}}"#,
        READ,
        HOSTS,
        &[Code::WrapperRestored],
    );
    // Two values for one field, a path that goes deeper, the old key.
    errors(
        r#"{"tool":{"toolbox":"dev","server":"filesystem","name":"delete_file"},"tool.name":"read_file"}"#,
    );
    errors(
        r#"{"tool.toolbox":"dev","tool.server":"filesystem","tool.name":"read_file","arguments.path.x":"/x"}"#,
    );
    errors(r#"{"tool.toolbox":"dev","tool.server":"filesystem","tool.tool":"read_file"}"#);
}

// === Strings ===

#[test]
fn arguments_in_a_string_are_opened_when_they_are_an_object() {
    let with = |arguments: &str| {
        format!(
            r#"{{"tool":{{"toolbox":"dev","server":"filesystem","name":"read_file"}},"arguments":{arguments}}}"#
        )
    };
    mended(&with(r#""{\"path\":\"/etc/hosts\"}""#), READ, HOSTS, &[Code::StringToContainer]);
    mended(&with("null"), READ, "{}", &[Code::EmptyOptional]);
    mended(&with("\"\""), READ, "{}", &[Code::EmptyOptional]);
    errors(&with(r#""[1]""#));
    errors(&with(r#""{\"path\":\"/etc""#));
    errors(&with(r#""/etc/hosts""#));
}

#[test]
fn a_tool_in_a_string_is_read_when_it_is_one_tool() {
    mended(
        r#"{"tool":"{\"toolbox\":\"dev\",\"server\":\"filesystem\",\"name\":\"read_file\"}","arguments":{"path":"/etc/hosts"}}"#,
        READ,
        HOSTS,
        &[Code::StringToContainer],
    );
    mended(
        r#"{"tool":"dev/filesystem/read_file","arguments":{"path":"/etc/hosts"}}"#,
        READ,
        HOSTS,
        &[Code::StringToContainer],
    );
    mended(r#"{"tool":"dev__filesystem__read_file"}"#, READ, "{}", &[Code::StringToContainer]);
    errors(r#"{"tool":"dev/filesystem/write_file"}"#);
    errors(r#"{"tool":"prod/filesystem/read_file"}"#);
    // The same writing for two tools.
    let two = Boxes(vec![("a", "b/c", "d", PATH), ("a/b", "c", "d", PATH)]);
    assert!(read_use_tool(r#"{"tool":"a/b/c/d"}"#, &two, false).is_err());
}

// === Levels ===

#[test]
fn arguments_beside_the_identifier_are_gathered_by_name() {
    let tool = r#""tool":{"toolbox":"dev","server":"filesystem","name":"read_file"}"#;
    mended(&format!(r#"{{{tool},"path":"/etc/hosts"}}"#), READ, HOSTS, &[Code::WrapperRestored]);
    mended(
        &format!(r#"{{{tool},"arguments":{{"path":"/x"}},"limit":5}}"#),
        READ,
        r#"{"path":"/x","limit":5}"#,
        &[Code::WrapperRestored],
    );
    mended(&format!(r#"{{{tool},"params":{{"path":"/etc/hosts"}}}}"#), READ, HOSTS, &[Code::AliasBySchema]);
    mended(
        &format!(r#"{{{tool},"arguments":{{"path":"/x"}},"reason":null}}"#),
        READ,
        r#"{"path":"/x"}"#,
        &[Code::EmptyOptional],
    );
    // No parameter of the tool, a value twice, two places for all of them, a second identifier.
    assert_eq!(
        errors(&format!(r#"{{{tool},"file":"/x"}}"#)),
        "use_tool: Unrecognized key(s) in object: 'file'"
    );
    errors(&format!(r#"{{{tool},"arguments":{{"path":"/x"}},"path":"/y"}}"#));
    errors(&format!(r#"{{{tool},"arguments":{{"path":"/x"}},"params":{{"path":"/y"}}}}"#));
    errors(&format!(r#"{{{tool},"path":"/x","server":"database"}}"#));
    // The tool has parameters that are called as our own keys are.
    errors(r#"{"tool":{"toolbox":"dev","server":"database","name":"create_entity"},"path":"/x"}"#);
    // `input` is a parameter of the tool, and a word for all arguments.
    errors(r#"{"tool":{"toolbox":"prod","server":"memory","name":"query"},"input":{"deep":true}}"#);
    // Nothing is known of the tool.
    errors(r#"{"tool":{"toolbox":"dev","server":"filesystem","name":"unknown"},"path":"/x"}"#);
}

#[test]
fn arguments_inside_the_identifier_are_gathered_by_name() {
    let tool = r#""toolbox":"dev","server":"filesystem","name":"read_file""#;
    mended(
        &format!(r#"{{"tool":{{{tool},"arguments":{{"path":"/etc/hosts"}}}}}}"#),
        READ,
        HOSTS,
        &[Code::EnvelopeRemoved],
    );
    mended(&format!(r#"{{"tool":{{{tool},"path":"/etc/hosts"}}}}"#), READ, HOSTS, &[Code::WrapperRestored]);
    mended(
        &format!(r#"{{"tool":{{{tool},"limit":1}},"arguments":{{"path":"/x"}}}}"#),
        READ,
        r#"{"path":"/x","limit":1}"#,
        &[Code::WrapperRestored],
    );
    assert_eq!(
        errors(&format!(r#"{{"tool":{{{tool},"colour":"red"}}}}"#)),
        "tool: Unrecognized key(s) in object: 'colour'"
    );
    errors(&format!(r#"{{"tool":{{{tool},"arguments":{{"path":"/x"}}}},"arguments":{{"path":"/y"}}}}"#));
    errors(&format!(r#"{{"tool":{{{tool},"arguments":"/x"}}}}"#));
    // Its own `name`, `tool` or `arguments` may be meant.
    let own = r#""toolbox":"dev","server":"database","name":"create_entity""#;
    errors(&format!(r#"{{"tool":{{{own},"path":"/x"}}}}"#));
    errors(&format!(r#"{{"tool":{{{own},"arguments":{{"path":"/x"}}}}}}"#));
    errors(&format!(r#"{{"tool":{{{own},"tool":{{}}}}}}"#));
}

#[test]
fn an_identifier_beside_the_arguments_is_gathered() {
    mended(
        r#"{"toolbox":"dev","server":"filesystem","name":"read_file","arguments":{"path":"/etc/hosts"}}"#,
        READ,
        HOSTS,
        &[Code::WrapperRestored],
    );
    mended(
        r#"{"toolbox":"dev","server":"filesystem","tool":"read_file"}"#,
        READ,
        "{}",
        &[Code::WrapperRestored],
    );
    mended(
        r#"{"toolbox":"dev","server":"filesystem","name":"read_file","path":"/etc/hosts"}"#,
        READ,
        HOSTS,
        &[Code::WrapperRestored, Code::WrapperRestored],
    );
    // Not a parameter, a parameter of one of our names, two names.
    errors(r#"{"toolbox":"dev","server":"filesystem","name":"read_file","colour":"red"}"#);
    errors(r#"{"toolbox":"dev","server":"filesystem","tool":"read_file","name":"delete_file"}"#);
    errors(r#"{"toolbox":"dev","server":"filesystem","name":7}"#);
}

// === Names ===

#[test]
fn a_part_that_only_one_tool_leaves_open_is_completed() {
    mended(r#"{"tool":{"toolbox":"dev","name":"read_file"}}"#, READ, "{}", &[Code::ToolNameAffix]);
    mended(r#"{"tool":{"server":"filesystem","name":"read_file"}}"#, READ, "{}", &[Code::ToolNameAffix]);
    mended(
        r#"{"tool":{"name":"read_file"},"arguments":{"path":"/etc/hosts"}}"#,
        READ,
        HOSTS,
        &[Code::ToolNameAffix, Code::ToolNameAffix],
    );
    // Two tools of the name; one that destroys; one that nobody has.
    errors(r#"{"tool":{"name":"query"}}"#);
    errors(r#"{"tool":{"toolbox":"dev","name":"delete_file"}}"#);
    errors(r#"{"tool":{"toolbox":"dev","name":"write_note"}}"#);
    // A server that was not asked yet may have it as well.
    let unasked = Boxes(vec![("dev", "a", "read_file", PATH), ("dev", "b", "", PATH)]);
    assert!(read_use_tool(r#"{"tool":{"toolbox":"dev","name":"read_file"}}"#, &unasked, false).is_err());
    let only = Boxes(vec![("dev", "b", "", PATH)]);
    // Whether a tool of a server that was not asked yet can destroy something, nobody knows.
    let text = read_use_tool(r#"{"tool":{"toolbox":"dev","name":"read_file"}}"#, &only, false)
        .expect_err("not asked");
    let (_, example) = text.split_once("A correct call:\n").expect("an example");
    assert!(example.contains("\"b\"") && example.contains("\"read_file\""), "{text}");
}

#[test]
fn a_name_in_another_form_is_the_tool_of_its_server() {
    let with =
        |name: &str| format!(r#"{{"tool":{{"toolbox":"dev","server":"filesystem","name":"{name}"}}}}"#);
    for written in [
        "filesystem/read_file",
        "dev__filesystem__read_file",
        "filesystem__read_file",
        "mcp__toolwright__dev__filesystem__read_file",
    ] {
        mended(&with(written), READ, "{}", &[Code::ToolNameAffix]);
    }
    mended(&with("readFile"), READ, "{}", &[Code::ToolNameForm]);
    // Of another server, or of nobody: left for the contract's own words.
    for other in ["database__query", "prod__filesystem__read_file", "github/read_file", "write_file", "read"]
    {
        assert_eq!(read(&with(other)).expect("it is read").tool.name, other);
    }
}

#[test]
fn keys_in_another_form_are_the_normalizers() {
    let call = read(r#"{"tool":{"Toolbox":"dev","Server":"filesystem","Name":"read_file"},"Arguments":{"path":"/etc/hosts"}}"#)
        .expect("it is mended");
    assert_eq!(call.arguments.as_str(), HOSTS);
    assert!(call.changes.iter().all(|change| change.code == Code::KeyForm));
    assert_eq!(call.changes.len(), 4);
}

// === Bounds ===

#[test]
fn many_members_and_long_keys_cost_little() {
    let many: String = (0..100_000).map(|at| format!(r#","k{at}":1"#)).collect();
    let sent =
        format!(r#"{{"tool":{{"toolbox":"dev","server":"filesystem","name":"read_file"{many}}}{many}}}"#);
    let begun = std::time::Instant::now();
    let text = read(&sent).expect_err("nothing of it is known");
    assert!(begun.elapsed().as_secs() < 20);
    assert!(text.len() < 5_000, "{}", text.len());
    let text = read(&format!(r#"{{"{}":1}}"#, "k".repeat(1_000_000))).expect_err("no call");
    assert!(text.len() < 5_000, "{}", text.len());
}

// === The call that is shown ===

/// Two toolboxes with a server of the same name, and one whose tools are not known.
fn shown(sent: &str) -> (String, String) {
    let known = Boxes(vec![
        ("default", "d1", "drop_all", PATH),
        ("default", "d1", "echo", PATH),
        ("A", "a1", "echo", PATH),
        ("A", "shared", "who", PATH),
        ("B", "shared", "who", PATH),
        ("far", "silent", "", ""),
    ]);
    let text = read_use_tool(sent, &known, false).expect_err(sent);
    let (_, example) = text.split_once("\n\nA correct call:\n").expect("an example");
    let call = read_use_tool(example, &known, false).expect("it is right");
    assert!(call.changes.is_empty(), "{sent}: {example}");
    let written: String = call.arguments.as_str().split_whitespace().collect();
    (call.tool.to_string(), written)
}

#[test]
fn a_tool_that_is_named_in_full_is_shown_with_its_arguments() {
    let tool = r#"{"toolbox":"A","server":"a1","name":"echo"}"#;
    let in_a_string = Json::text(tool);
    for sent in [
        format!(r#"{{"tool":[{tool}],"arguments":{{"path":"x"}}}}"#),
        format!(r#"[{{"tool":{tool},"arguments":{{"path":"x"}}}}]"#),
        format!(r#"{{"tool":[{in_a_string}],"arguments":"{{\"path\":\"x\"}}"}}"#),
        format!(r#"{{"tool":{tool},"path":"x","zzz":1}}"#),
        format!(r#"{{"use_tool":{{"tool":{tool},"arguments":{{"path":"x"}}}},"zzz":1}}"#),
        r#"{"tool":{"toolbox":"A","server":"a1"},"name":"echo","arguments":{"path":"x"}}"#.to_owned(),
        r#"{"tool":{"toolbox":"A","server":"a1","tool":"echo"},"arguments":{"path":"x"}}"#.to_owned(),
    ] {
        assert_eq!(shown(&sent), ("A/a1/echo".to_owned(), r#"{"path":"x"}"#.to_owned()), "{sent}");
    }
    // Which arguments are meant is not seen.
    for sent in [
        format!(r#"{{"tool":{tool},"arguments":{{"path":"x"}},"arguments":{{"path":"y"}}}}"#),
        r#"{"tool":{"toolbox":"A","server":"a1","name":"echo","arguments":{"path":"x"}},"arguments":{"path":"y"}}"#.to_owned(),
        format!(r#"{{"tool":{tool},"arguments":"{{\"path\":\"h"}}"#),
    ] {
        assert_eq!(shown(&sent), ("A/a1/echo".to_owned(), "{}".to_owned()), "{sent}");
    }
    // Its tools are not known, so that it may have this one.
    assert_eq!(
        shown(r#"{"tool":{"toolbox":"far","server":"silent","tool":"hum"},"arguments":{"path":"x"}}"#),
        ("far/silent/hum".to_owned(), r#"{"path":"x"}"#.to_owned())
    );
}

#[test]
fn any_other_tool_is_shown_without_the_arguments_that_were_sent() {
    for (sent, tool) in [
        // What does not exist, or not together.
        (r#"{"tool":{"server":"b1","name":"echo"},"arguments":{"path":"x"}}"#, "default/d1/echo"),
        (r#"{"tool":{"toolbox":"A","server":"b1","tool":"echo"},"arguments":{"path":"x"}}"#, "A/a1/echo"),
        (r#"{"tool":{"toolbox":"default","server":"shared","tool":"who"},"path":"x"}"#, "A/shared/who"),
        (r#"{"tool":{"toolbox":"far","server":"loud","tool":"hum"},"path":"x"}"#, "far/silent/<tool>"),
        // What is no name.
        (r#"{"tool":"B.b1.echo","arguments":{"path":"x"}}"#, "default/d1/echo"),
        (r#"{"tool":"{\"toolbox\": \"A\", \"server\": \"a1","arguments":{"path":"x"}}"#, "default/d1/echo"),
        // What is not whole.
        (r#"{"tool":{"toolbox":null,"server":"a1","name":"echo"},"arguments":{"path":"x"}}"#, "A/a1/echo"),
        (r#"{"tool":{"server":"shared","name":"who"},"arguments":{"path":"x"}}"#, "A/shared/who"),
        // Two tools.
        (
            r#"{"tool":[{"toolbox":"A","server":"a1","name":"echo"},{"toolbox":"B","server":"shared","name":"who"}],"arguments":{"path":"x"}}"#,
            "A/a1/echo",
        ),
        (
            r#"{"tool":{"toolbox":"A","server":"shared","name":"who","name":"echo"},"arguments":{"path":"x"}}"#,
            "A/shared/who",
        ),
        ("7", "default/d1/echo"),
    ] {
        assert_eq!(shown(sent), (tool.to_owned(), "{}".to_owned()), "{sent}");
    }
    let nothing = Boxes(Vec::new());
    let text = read_use_tool(r#"{"tool":"x.y.z","path":"x"}"#, &nothing, false).expect_err("no tool");
    let flat: String = text.split_once("A correct call:").expect("an example").1.split_whitespace().collect();
    assert_eq!(
        flat,
        r#"{"tool":{"toolbox":"<toolbox>","server":"<server>","name":"<tool>"},"arguments":{}}"#
    );
}
