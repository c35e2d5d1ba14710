//! Traps in the text of a call: what stands around the arguments, what is cut off, and what only looks
//! like a list or a call.

use crate::trap;

use toolwright_model::{Code, Outcome};
use trap::{TEXT, outcome, refused, repaired, tool};

#[test]
fn a_fence_is_taken_off_and_a_cut_path_is_not_completed() {
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
    // What is inside of the object is not read as words.
    repaired(&read, r#"Sure: {"path": "do not run"}"#, r#"{"path": "do not run"}"#);
    repaired(&read, r#"{"path": "not"} {"path": "not"}"#, r#"{"path": "not"}"#);
}

#[test]
fn words_that_correct_condition_or_question_the_call_refuse_it() {
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
fn remarks_that_restrain_are_not_dropped() {
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
    // On a tool that destroys nothing, what was thought is no order.
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
    for around in ["Sure, I tidy up now: {}", "{} It is old.", "Let me see. {}"] {
        refused(&wipe, &around.replace("{}", r#"{"path": "a"}"#), Code::OverRiskBudget);
    }
    for around in ["Sure, if you say so: {}", "{} after they agree", "Example: {}", "Should I send {}?"] {
        refused(&wipe, &around.replace("{}", r#"{"path": "a"}"#), Code::AmbiguousReading);
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
fn control_characters_around_the_value_are_called_by_their_name() {
    let read = tool("read_note", &format!(r#""path":{TEXT}"#), r#""path""#, false);
    for sent in ["{\"path\": \"a\"}\0", "\0\u{1}{\"path\": \"a\"}\0\n"] {
        let Outcome::Repaired { changes, .. } = outcome(&read, sent) else { panic!("{sent}") };
        let said: Vec<_> = changes.iter().filter_map(|change| change.from.as_deref()).collect();
        assert_eq!(said, [r#""control characters around the value""#], "{sent:?}");
    }
}

#[test]
fn json_in_a_string_is_opened_four_times_and_no_more() {
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
        refused(&tag, &format!(r#"{{"tags":"{sent}"}}"#), Code::ValueMismatch);
    }
}

#[test]
fn a_call_as_code_is_read_when_it_names_this_tool_and_holds_literals_only() {
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
