//! Traps in the text of a call: text around the arguments, truncated text, and what only looks like a list
//! or a call.

use crate::trap;

use toolwright_model::{Code, Outcome};
use trap::{TEXT, outcome, refused, repaired, tool};

#[test]
fn fence_is_removed_and_truncated_path_is_refused() {
    let read = tool("open_note", &format!(r#""path":{TEXT}"#), r#""path""#, false);
    repaired(&read, "```json\n{\"path\": \"a\"}\n```", r#"{"path": "a"}"#);
    refused(&read, r#"{"path": "/etc/pas"#, Code::TruncatedText);
}

#[test]
fn text_is_never_lost_outside_of_the_object() {
    let find = tool("find_docs", r#""query":{"type":"object"},"limit":{"type":"integer"}"#, "", false);
    refused(&find, "query: {\"text\": \"fjord\"}\nlimit: 5", Code::UnreadableText);
    refused(&find, "find_docs(query={\"text\": \"fjord\"}, limit=5)", Code::UnreadableText);
    refused(&find, r#"{"limit": 5} {"limit": 6}"#, Code::AmbiguousReading);
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
    refused(&tag, "{'title': ('x', 'y')}", Code::ValueMismatch);
    refused(&tag, "{'title': 'x', 'tags': tuple('a', 'b')}", Code::Expression);
    refused(&tag, "{'title': 'x', 'tags': ('a' 'b')}", Code::AmbiguousReading);
    refused(&tag, "{'title': 'x', 'tags': ('a', 'b'", Code::TruncatedText);
    let count = tool("take", r#""count":{"type":"integer"}"#, r#""count""#, false);
    refused(&count, "{'count': (5)}", Code::Expression);
    refused(&count, "{'count': (2 + 3)}", Code::Expression);
    // Parentheses inside a string stay.
    repaired(&tag, "{'title': 'f(\"a\", \"b\") and (c)'}", r#"{"title":"f(\"a\", \"b\") and (c)"}"#);
}

#[test]
fn revoking_words_refuse_the_call() {
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
        refused(&read, &sent, Code::AmbiguousReading);
        refused(&wipe, &sent, Code::AmbiguousReading);
        // The same in a string of JSON.
        refused(&read, &format!("{sent:?}"), Code::AmbiguousReading);
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
    // The contents of the object are not searched for words.
    repaired(&read, r#"Sure: {"path": "do not run"}"#, r#"{"path": "do not run"}"#);
    repaired(&read, r#"{"path": "not"} {"path": "not"}"#, r#"{"path": "not"}"#);
}

#[test]
fn correcting_or_conditional_words_refuse_the_call() {
    let read = tool("read_note", &format!(r#""path":{TEXT}"#), r#""path""#, false);
    for around in [
        "{}\n\nActually, make it b.",
        "```json\n{}\n```\nMake it b.",
        "{} Send it twice.",
        "{} but with b",
        "{} for b too",
        "{}, limit 50",
        "{} x2",
        "{} OK?",
        "In case the user says yes: {}",
        "Last time I sent {}",
        "When the user says go: {}",
        "Let me know whether to send {}",
        "{} (pending your OK)",
        "Wait for approval before sending {}",
        "If the user agrees I would send {}",
        "After the user confirms: {}",
        "Once you say so: {}",
        "Should I send {}?",
        "Is this right: `{}`?",
        "The previous call was {}",
        "What I sent was {}",
        "For example: {}",
        "e.g. {}",
    ] {
        refused(&read, &around.replace("{}", r#"{"path": "a"}"#), Code::AmbiguousReading);
    }
    for around in [
        "Sure, here is the call:\n{}",
        "I'll search for that now. {}",
        "Let me check the weather in Rome. {}",
        "Let me check if it is there: {}",
        "The user asked if it is there. {}",
        "When does it end? I look. {}",
        "{} ok",
        "{} I sum it up for you.",
        "{}\n\nOnce I have it, I sum it up. Is there anything else?",
        "Actually, I read the note first: {}",
        "I would like to read it: {}",
        "I'll do that at once: {}",
        "Based on the previous results, I read a: {}",
        "What's in it? {}",
        "{}\n\nLet me know if you need anything else!",
    ] {
        repaired(&read, &around.replace("{}", r#"{"path": "a"}"#), r#"{"path": "a"}"#);
    }
}

#[test]
fn restraining_remarks_are_not_dropped() {
    let path = format!(r#""path":{TEXT}"#);
    let send = tool("send_note", &path, r#""path""#, false);
    let wipe = tool("delete_note", &path, r#""path""#, false);
    let sent = |remark: &str| format!(r#"{{"path":"a","thought":"{remark}"}}"#);
    for remark in ["do NOT send before Friday", "He is ill. Don't send it yet", "Please wait", "Dry run"] {
        refused(&send, &sent(remark), Code::MeaningfulUnknown);
        refused(&wipe, &sent(remark), Code::MeaningfulUnknown);
    }
    for remark in ["only delete *.tmp", "just simulate", "if he agrees", "as in the example"] {
        refused(&wipe, &sent(remark), Code::MeaningfulUnknown);
    }
    // For a tool that is not destructive, a thought is not an order.
    for remark in ["He did not say which note, I take a", "If it is long I cut it", "The only note he has"] {
        repaired(&send, &sent(remark), r#"{"path":"a"}"#);
    }
    repaired(&wipe, &sent("He wants it gone"), r#"{"path":"a"}"#);
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
        refused(&update, &sent("read_note"), Code::ConflictingValues);
        refused(&update, &sent("delete_note"), Code::ConflictingValues);
        refused(&update, &sent("deleteNote"), Code::ConflictingValues);
        repaired(&update, &sent("update_note"), r#"{"path": "a"}"#);
    }
    refused(&update, "Action: search\nAction Input: {\"path\": \"a\"}", Code::ConflictingValues);
    refused(&update, r#"delete: {"path": "a"}"#, Code::ConflictingValues);
    refused(&update, r#"delete-note: {"path": "a"}"#, Code::ConflictingValues);
    // A parameter, or the subject of the arguments.
    repaired(&update, r#"I change my_notes now: {"path": "my_notes/a"} ok"#, r#"{"path": "my_notes/a"}"#);
}

#[test]
fn destructive_tool_allows_only_labels_around_arguments() {
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
    for around in ["Sure, I tidy up now: {}", "{} It is old.", "Let me see. {}"] {
        refused(&wipe, &around.replace("{}", r#"{"path": "a"}"#), Code::OverRiskBudget);
    }
    for around in ["Sure, if you say so: {}", "{} after they agree", "Example: {}", "Should I send {}?"] {
        refused(&wipe, &around.replace("{}", r#"{"path": "a"}"#), Code::AmbiguousReading);
    }
}

#[test]
fn omitted_text_is_reported() {
    let read = tool("read_note", &format!(r#""path":{TEXT}"#), r#""path""#, false);
    let left_out = |sent: &str| match outcome(&read, sent) {
        Outcome::Repaired { changes, .. } => changes[0].from.clone().expect("what was left out"),
        other => panic!("{sent}: {other:?}"),
    };
    assert_eq!(left_out(r#"Sure, I'll do that now. {"path": "a"}"#), r#""Sure, I'll do that now.""#);
    let long = left_out(&format!(r#"{} {{"path": "a"}}"#, "word ".repeat(100)));
    assert!(long.ends_with("…\"") && long.chars().count() < 90, "{long}");
}

#[test]
fn surrounding_control_characters_are_reported() {
    let read = tool("read_note", &format!(r#""path":{TEXT}"#), r#""path""#, false);
    for sent in ["{\"path\": \"a\"}\0", "\0\u{1}{\"path\": \"a\"}\0\n"] {
        let Outcome::Repaired { changes, .. } = outcome(&read, sent) else { panic!("{sent}") };
        let left_out: Vec<_> = changes.iter().filter_map(|change| change.from.as_deref()).collect();
        assert_eq!(left_out, [r#""control characters around the value""#], "{sent:?}");
    }
}

#[test]
fn json_in_a_string_is_decoded_at_most_four_times() {
    let read = tool("read_note", &format!(r#""path":{TEXT}"#), r#""path""#, false);
    let mut sent = r#"{"path":"a"}"#.to_owned();
    for times in 1..=12 {
        sent = serde_json::Value::String(sent).to_string();
        match outcome(&read, &sent) {
            Outcome::Repaired { changes, .. } => assert!(times <= 4 && changes.len() == times, "{times}"),
            Outcome::Refused { problems, .. } => {
                assert!(times > 4 && problems[0].code == Code::OverLimit, "{times}")
            }
            Outcome::Unchanged => panic!("{times}"),
        }
    }
}

#[test]
fn words_between_bars_are_several_and_a_pattern_is_one() {
    let tag = tool("tag_note", &format!(r#""tags":{{"type":"array","items":{TEXT}}}"#), r#""tags""#, false);
    refused(&tag, r#"{"tags":"a|b|c"}"#, Code::ValueMismatch);
    refused(&tag, r#"{"tags":"a | b"}"#, Code::ValueMismatch);
    repaired(&tag, r#"{"tags":"^a|b$"}"#, r#"{"tags":["^a|b$"]}"#);
    repaired(&tag, r#"{"tags":"/a /b"}"#, r#"{"tags":["/a /b"]}"#);
}

#[test]
fn tuple_in_a_string_is_a_list() {
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
        refused(&tag, &format!(r#"{{"tags":"{sent}"}}"#), Code::ValueMismatch);
    }
}

#[test]
fn keyword_call_needs_this_tool_and_literals() {
    let properties =
        format!(r#""query":{TEXT},"limit":{{"type":"integer"}},"tags":{{"type":"array","items":{TEXT}}}"#);
    let find = tool("search_docs", &properties, r#""query""#, false);
    repaired(&find, r#"search_docs(query="x", limit=5)"#, r#"{"query":"x","limit":5}"#);
    repaired(&find, "search_docs( query = 'a, b=c (d)', limit = 5, )", r#"{"query":"a, b=c (d)","limit":5}"#);
    repaired(&find, "functions.search_docs(tags=['a', 'b'], query='x')", r#"{"tags":["a","b"],"query":"x"}"#);
    for fence in ["```python\n", "```tool_code\n", "```c++\n", "~~~objective-c\n", "```"] {
        repaired(&find, &format!("{fence}search_docs(query=\"x\")\n```"), r#"{"query":"x"}"#);
    }
    refused(&find, "```tool_code\ndelete_docs(query=\"x\")\n```", Code::ConflictingValues);
    refused(&find, r#"delete_docs(query="x")"#, Code::ConflictingValues);
    refused(&find, r#"delete(query="x")"#, Code::ConflictingValues);
    refused(&find, "search_docs(query=x)", Code::Expression);
    refused(&find, r#"search_docs(query="x" + y)"#, Code::Expression);
    refused(&find, "search_docs(query='x' + 'y', limit=5)", Code::Expression);
    refused(&find, "search_docs(query=load('x'))", Code::Expression);
    refused(&find, r#"search_docs("x", limit=5)"#, Code::UnreadableText);
    refused(&find, r#"search_docs(query="x", limit=5"#, Code::TruncatedText);
    refused(&find, "search_docs(query=\"x\")\nsearch_docs(query=\"y\")", Code::UnreadableText);
    refused(&find, "search_docs(query=\"x\", query=\"y\")", Code::ConflictingValues);
    refused(&find, "# search_docs(query=\"x\")", Code::UnreadableText);
}
