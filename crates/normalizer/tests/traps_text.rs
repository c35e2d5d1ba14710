//! Traps in the text of a call: what stands around the arguments, what is cut off, and what only looks
//! like a string, a list or a call.

mod trap;

use toolwright_model::{Code, Outcome};
use trap::{NUMBER, TEXT, outcome, refused, repaired, tool};

#[test]
fn a_fence_is_taken_off_and_a_cut_path_is_not_completed() {
    let read = tool("open_note", &format!(r#""path":{TEXT}"#), r#""path""#, false);
    repaired(&read, "```json\n{\"path\": \"a\"}\n```", r#"{"path": "a"}"#);
    refused(&read, r#"{"path": "/etc/pas"#, Code::S2);
}

#[test]
fn text_is_never_lost_outside_of_the_object() {
    let find = tool("find_docs", r#""query":{"type":"object"},"limit":{"type":"integer"}"#, "", false);
    refused(&find, "query: {\"text\": \"fjord\"}\nlimit: 5", Code::R9);
    refused(&find, "find_docs(query={\"text\": \"fjord\"}, limit=5)", Code::R9);
    refused(&find, r#"{"limit": 5} {"limit": 6}"#, Code::R2);
}

#[test]
fn a_tuple_is_a_list_and_a_string_in_parentheses_a_string() {
    let tags = format!(r#""title":{TEXT},"tags":{{"type":"array","items":{TEXT}}}"#);
    let tag = tool("tag_note", &tags, r#""title""#, false);
    let listed = r#"{"title":"x","tags":["a","b, c"]}"#;
    repaired(&tag, "{'title': 'x', 'tags': ('a', 'b, c')}", listed);
    repaired(&tag, r#"{"title": "x", "tags": ("a", "b, c",)}"#, listed);
    repaired(&tag, "{'title': 'x', 'tags': ('a',)}", r#"{"title":"x","tags":["a"]}"#);
    repaired(&tag, "{'title': ('x'), 'tags': ()}", r#"{"title":"x","tags":[]}"#);
    refused(&tag, "{'title': ('x', 'y')}", Code::R8);
    refused(&tag, "{'title': 'x', 'tags': tuple('a', 'b')}", Code::R5);
    refused(&tag, "{'title': 'x', 'tags': ('a' 'b')}", Code::R2);
    refused(&tag, "{'title': 'x', 'tags': ('a', 'b'", Code::S2);
    let count = tool("take", r#""count":{"type":"integer"}"#, r#""count""#, false);
    refused(&count, "{'count': (5)}", Code::R5);
    refused(&count, "{'count': (2 + 3)}", Code::R5);
    // Parentheses inside a string stay.
    repaired(&tag, "{'title': 'f(\"a\", \"b\") and (c)'}", r#"{"title":"f(\"a\", \"b\") and (c)"}"#);
}

#[test]
fn strings_side_by_side_are_neither_joined_nor_taken_apart() {
    let read = tool("open_note", &format!(r#""path":{TEXT},"mode":{TEXT}"#), r#""path""#, false);
    for sent in [
        "{'path': 'a' 'b'}",
        "{'path': 'a''b'}",
        "{'path': 'one '\n  'two', 'mode': 'r'}",
        r#"{"path": "one " " two", "mode": 'r'}"#,
        r#"{"path": "a" "b", "mode": 'r'}"#,
        "{'path': `a` `b`}",
    ] {
        refused(&read, sent, Code::R2);
    }
    repaired(&read, "{'path': 'a' 'mode': 'r'}", r#"{"path":"a","mode":"r"}"#);
    repaired(&read, "{'path': 'rock 'n' roll'}", r#"{"path":"rock 'n' roll"}"#);
}

#[test]
fn words_that_take_the_call_back_refuse_it() {
    let path = format!(r#""path":{TEXT}"#);
    let read = tool("read_note", &path, r#""path""#, false);
    let wipe = tool("delete_note", &path, r#""path""#, false);
    for around in [
        "Do not run this: {}",
        "I will not call it {}",
        "not {}",
        "Don't do this:\n{}",
        "Don’t: {}",
        "{} <- wrong, ignore",
        "{}\n\nOops, cancel that.",
        "~~{}~~",
        "Error: {}",
        "Never call it like this:\n```json\n{}\n```",
        "// {}",
        "x = 1 // {}",
        "# {}",
        "/* {} */",
        "<!-- {} -->",
        "<think>{}</think>",
        "<thinking>I could send {}</thinking>",
        "I could send {}\n</think>",
        "<think>{}",
        "<tool_response>{}</tool_response>",
        "<tool_response>\n{}\n</tool_response>",
        "Observation: {}",
        "Nicht ausführen: {}",
        "不要执行 {}",
    ] {
        let sent = around.replace("{}", r#"{"path": "a"}"#);
        refused(&read, &sent, Code::R2);
        refused(&wipe, &sent, Code::R2);
        // The same in a string of JSON.
        refused(&read, &format!("{sent:?}"), Code::R2);
    }
    for around in [
        "```json\n{}\n```",
        "~~~json\n{}\n~~~",
        "Here are the arguments:\n{}",
        "Sure, I'll do that now.\n{}",
        "No problem! {}",
        "Action Input: {}",
        "<tool_call>{}</tool_call>",
        "<tool_call>\n{}\n</tool_call>",
        "<think>I must not forget the path, never.</think>\n{}",
        "I should not stop here.</think>\n{}",
        "arguments = {}",
        "// the arguments\n{}",
        "<tool_response>ok</tool_response>\n{}",
        "I will wait for the result. {}",
    ] {
        repaired(&read, &around.replace("{}", r#"{"path": "a"}"#), r#"{"path": "a"}"#);
    }
    // What is inside of the object is not read as words.
    repaired(&read, r#"Sure: {"path": "do not run"}"#, r#"{"path": "do not run"}"#);
    repaired(&read, r#"{"path": "not"} {"path": "not"}"#, r#"{"path": "not"}"#);
}

#[test]
fn text_that_names_another_tool_is_refused() {
    let path = format!(r#""path":{TEXT}"#);
    let update = tool("update_note", &path, r#""path""#, false);
    let forms = [
        "NAME: {}",
        "NAME {}",
        "NAME\n{}",
        "NAME({})",
        "`NAME`\n```json\n{}\n```",
        "I will call NAME with {}",
        "<function=NAME>{}</function>",
        "<invoke name=\"NAME\">{}</invoke>",
        "<NAME>{}</NAME>",
        "Action: NAME\nAction Input: {}",
        "functions.NAME:0 {}",
        "[TOOL_CALLS]NAME{}",
    ];
    for form in forms {
        let sent = |name: &str| form.replace("NAME", name).replace("{}", r#"{"path": "a"}"#);
        refused(&update, &sent("read_note"), Code::R7);
        refused(&update, &sent("delete_note"), Code::R7);
        refused(&update, &sent("deleteNote"), Code::R7);
        repaired(&update, &sent("update_note"), r#"{"path": "a"}"#);
    }
    refused(&update, "Action: search\nAction Input: {\"path\": \"a\"}", Code::R7);
    refused(&update, r#"delete: {"path": "a"}"#, Code::R7);
    refused(&update, r#"delete-note: {"path": "a"}"#, Code::R7);
    // A parameter, or what the arguments are about.
    repaired(&update, r#"I change my_notes now: {"path": "my_notes/a"} ok"#, r#"{"path": "my_notes/a"}"#);
}

#[test]
fn a_destructive_tool_takes_labels_around_its_arguments_and_no_other_words() {
    let wipe = tool("delete_note", &format!(r#""path":{TEXT}"#), r#""path""#, false);
    for around in [
        "```json\n{}\n```",
        "Here are the arguments: {}",
        "Action: delete_note\nAction Input: {}",
        "<function=delete_note>{}</function>",
        "delete_note({})",
        "<tool_call>{}</tool_call>",
        "<think>Remove it?</think>{}",
    ] {
        repaired(&wipe, &around.replace("{}", r#"{"path": "a"}"#), r#"{"path": "a"}"#);
    }
    for around in ["Sure, if you say so: {}", "{} after they agree", "Example: {}", "Should I send {}?"] {
        refused(&wipe, &around.replace("{}", r#"{"path": "a"}"#), Code::R11);
    }
}

#[test]
fn words_that_are_left_out_are_reported() {
    let read = tool("read_note", &format!(r#""path":{TEXT}"#), r#""path""#, false);
    let said = |sent: &str| match outcome(&read, sent) {
        Outcome::Repaired { changes, .. } => changes[0].from.clone().expect("what was left out"),
        other => panic!("{sent}: {other:?}"),
    };
    assert_eq!(said(r#"Sure, I'll do that now. {"path": "a"}"#), r#""Sure, I'll do that now.""#);
    let long = said(&format!(r#"{} {{"path": "a"}}"#, "word ".repeat(100)));
    assert!(long.ends_with("…\"") && long.chars().count() < 90, "{long}");
}

#[test]
fn a_string_is_not_glued_to_the_next() {
    let read = tool("read_note", &format!(r#""path":{TEXT}"#), r#""path""#, false);
    for sent in
        ["{'path': 'a', 'b'}", "{'path': 'a', b, 'c'}", "{'path': 'a' , 'b', 'c'}", "{'path': `a`, `b`}"]
    {
        refused(&read, sent, Code::R2);
    }
    repaired(&read, "{'path': 'it's here, isn't it'}", r#"{"path":"it's here, isn't it"}"#);
    repaired(&read, "{'path': 'say 'yes', then go'}", r#"{"path":"say 'yes', then go"}"#);
}

#[test]
fn a_tuple_in_a_string_is_a_list_and_strings_side_by_side_are_no_item() {
    let tag = tool("tag_note", &format!(r#""tags":{{"type":"array","items":{TEXT}}}"#), r#""tags""#, false);
    for (sent, list) in [
        ("('a', 'b')", r#"["a","b"]"#),
        (r#"(\"a\",\"b\")"#, r#"["a","b"]"#),
        ("('a',)", r#"["a"]"#),
        ("a (b) c", r#"["a (b) c"]"#),
        (r#"\"a\" OR \"b\""#, r#"["\"a\" OR \"b\""]"#),
        ("(optional)", r#"["(optional)"]"#),
    ] {
        repaired(&tag, &format!(r#"{{"tags":"{sent}"}}"#), &format!(r#"{{"tags":{list}}}"#));
    }
    for sent in
        [r#"\"a\" \"b\""#, "'a' 'b'", r#"\"a b\", \"c d\""#, "('a' 'b')", "('a')", "('a', 'b'", "(a, b)"]
    {
        refused(&tag, &format!(r#"{{"tags":"{sent}"}}"#), Code::R8);
    }
}

#[test]
fn strings_and_numbers_of_python_are_read() {
    let properties =
        format!(r#""query":{TEXT},"tags":{{"type":"array","items":{TEXT}}},"min_score":{NUMBER}"#);
    let find = tool("search_docs", &properties, "", false);
    repaired(&find, "{'query': u'x'}", r#"{"query":"x"}"#);
    repaired(
        &find,
        "{u'query': u'x', u'tags': [u'a', u\"b\"], u'min_score': 5}",
        r#"{"query":"x","tags":["a","b"],"min_score":5}"#,
    );
    repaired(&find, r#"{"min_score":5.}"#, r#"{"min_score":5.0}"#);
    refused(&find, r#"{"min_score":5..}"#, Code::R5);
    refused(&find, r#"{"min_score":5.5.}"#, Code::R5);
    refused(&find, "{'query': f'x{y}'}", Code::R5);
    refused(&find, r#"{"query":"x")"#, Code::R9);
}

#[test]
fn a_call_as_code_is_read_when_it_names_this_tool_and_holds_literals_only() {
    let properties =
        format!(r#""query":{TEXT},"limit":{{"type":"integer"}},"tags":{{"type":"array","items":{TEXT}}}"#);
    let find = tool("search_docs", &properties, r#""query""#, false);
    repaired(&find, r#"search_docs(query="x", limit=5)"#, r#"{"query":"x","limit":5}"#);
    repaired(&find, "search_docs( query = 'a, b=c (d)', limit = 5, )", r#"{"query":"a, b=c (d)","limit":5}"#);
    repaired(&find, "functions.search_docs(tags=['a', 'b'], query='x')", r#"{"tags":["a","b"],"query":"x"}"#);
    repaired(&find, "```python\nsearch_docs(query=\"x\")\n```", r#"{"query":"x"}"#);
    refused(&find, r#"delete_docs(query="x")"#, Code::R7);
    refused(&find, r#"delete(query="x")"#, Code::R7);
    refused(&find, "search_docs(query=x)", Code::R5);
    refused(&find, r#"search_docs(query="x" + y)"#, Code::R9);
    refused(&find, "search_docs(query=load('x'))", Code::R5);
    refused(&find, r#"search_docs("x", limit=5)"#, Code::R9);
    refused(&find, r#"search_docs(query="x", limit=5"#, Code::S2);
    refused(&find, "search_docs(query=\"x\")\nsearch_docs(query=\"y\")", Code::R9);
    refused(&find, "search_docs(query=\"x\", query=\"y\")", Code::R7);
    refused(&find, "# search_docs(query=\"x\")", Code::R9);
}
