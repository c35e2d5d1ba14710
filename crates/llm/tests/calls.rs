//! One call: its name, its arguments, and what is delivered; each repair with the look-alike that is none.

use crate::support;

use support::*;
use toolwright_jsonrpc::Json;
use toolwright_llm::calls::{CallReport, Delivery, Mended, mend_history, mend_response};
use toolwright_llm::form::{Arguments, Block, Call, Message, Request, Response, Role, Stop, Text};
use toolwright_model::{Code, Finish, Outcome};

fn mended(name: &str, sent: &str, finish: Finish) -> Mended {
    let mender = mender(&usual_tools(), true);
    mender.arguments(&mender.name(name), sent, finish)
}

fn delivered(name: &str, sent: &str) -> Delivery {
    mended(name, sent, Finish::Stop).delivery
}

fn instead(text: &str) -> Delivery {
    Delivery::Instead(text.to_owned())
}

// === Names ===

#[test]
fn a_name_is_found_in_another_form_and_never_by_distance() {
    let mender = mender(&usual_tools(), true);
    for (sent, name, code) in [
        ("read_note", "read_note", None),
        ("ReadNote", "read_note", Some(Code::ToolNameForm)),
        ("read-note", "read_note", Some(Code::ToolNameForm)),
        ("mcp__toolwright__read_note", "read_note", Some(Code::ToolNameAffix)),
        ("functions.read_note:0", "read_note", Some(Code::ToolNameAffix)),
    ] {
        let named = mender.name(sent);
        assert!(named.is_known());
        assert_eq!(named.name(), name, "{sent}");
        let report = mender.arguments(&named, r#"{"path":"a"}"#, Finish::Stop).report;
        assert_eq!(report.name_change.map(|change| change.code), code, "{sent}");
        assert_eq!((report.name.as_str(), report.sent_name.as_str()), (name, sent));
    }
    for sent in ["read_notes", "read_not", "undo_read_note", "mcp__undo__read_note", "!read_note", "", "Bash"]
    {
        let named = mender.name(sent);
        assert_eq!((named.name(), named.is_known()), (sent, false));
        let mended = mender.arguments(&named, r#"{"path":"a"}"#, Finish::Stop);
        assert_eq!(mended.delivery, Delivery::AsSent, "{sent}");
        assert!(mended.report.unknown_tool.is_some_and(|words| words.contains("read_note")), "{sent}");
    }
}

#[test]
fn two_tools_of_one_form_are_not_chosen_between() {
    let tools = [tool("read_note", "{}"), tool("readNote", "{}")];
    let mender = mender(&tools, true);
    assert_eq!(mender.name("readNote").name(), "readNote");
    assert!(!mender.name("READ-NOTE").is_known());
}

#[test]
fn a_server_in_the_names_of_the_request_is_another_place() {
    let tools = ["deploy", "vault_put", "mcp__prod__list", "vault__get"].map(|name| tool(name, "{}"));
    let mender = mender(&tools, true);
    for sent in
        ["mcp__prod__deploy", "mcp__staging__deploy", "prod__deploy", "vault__put", "vaultPut", "prod_list"]
    {
        assert!(!mender.name(sent).is_known(), "{sent}");
    }
    for (sent, name) in [("list", "mcp__prod__list"), ("Vault__Get", "vault__get"), ("Deploy", "deploy")] {
        assert_eq!(mender.name(sent).name(), name, "{sent}");
    }
}

/// Comparing takes time by the number of tools, and one response can have any number of calls.
#[test]
fn wrong_names_are_looked_up_within_a_bound() {
    let tools: Vec<_> = (0..1_000).map(|at| tool(&format!("tool_{at}"), "{}")).collect();
    let mender = mender(&tools, true);
    assert!(mender.name("TOOL-0").is_known());
    for at in 0..200 {
        assert!(!mender.name(&format!("unknown_{at}")).is_known());
    }
    assert!(!mender.name("TOOL-7").is_known(), "the bound is reached");
    assert!(mender.name("TOOL-0").is_known(), "what was found stays found");
    assert!(mender.name("tool_7").is_known(), "a tool's own name is no comparison");
    let named = mender.name("TOOL-7");
    let report = mender.arguments(&named, "{}", Finish::Stop).report;
    assert!(report.unknown_tool.is_some_and(|message| message.contains("\"TOOL-7\"")));
}

// === Arguments ===

#[test]
fn a_valid_call_keeps_its_bytes() {
    for sent in
        [r#"{"path":"a"}"#, " {\n \"path\" : \"\\u0061\" , \"limit\": 10.0 }\n", r#"{"path":"{\"a\":1}"}"#]
    {
        let mended = mended("read_note", sent, Finish::Stop);
        assert_eq!(
            (mended.delivery, mended.report.outcome),
            (Delivery::AsSent, Outcome::Unchanged),
            "{sent}"
        );
    }
}

#[test]
fn what_can_be_mended_is_delivered_mended() {
    for (sent, expected) in [
        ("{'path': 'a',}", r#"{"path":"a"}"#),
        (r#"{"file_path":"a","limit":"5"}"#, r#"{"path":"a","limit":5}"#),
        (r#"{"arguments":{"path":"a"}}"#, r#"{"path":"a"}"#),
        (r#""{\"path\":\"a\"}""#, r#"{"path":"a"}"#),
        ("```json\n{\"path\":\"a\"}\n```", r#"{"path":"a"}"#),
        (r#"{"path":"a""#, r#"{"path":"a"}"#),
    ] {
        let mended = mended("read_note", sent, Finish::Stop);
        assert_eq!(mended.delivery, instead(expected), "{sent}");
        assert_eq!(mended.report.instead.as_deref(), Some(expected));
        assert!(mended.report.is_changed());
    }
}

#[test]
fn what_is_refused_and_an_object_goes_on_as_it_is() {
    for sent in [r#"{"limit":5}"#, r#"{"path":"a","depth":3}"#, r#"{"path":"a","path":"b"}"#, "{}"] {
        let mended = mended("read_note", sent, Finish::Stop);
        assert_eq!(mended.delivery, Delivery::AsSent, "{sent}");
        assert!(matches!(mended.report.outcome, Outcome::Refused { .. }), "{sent}");
        assert!(!mended.report.is_changed());
    }
}

#[test]
fn what_is_refused_and_can_only_be_read_leniently_is_its_best_reading() {
    assert_eq!(delivered("read_note", "{'depth': 3}"), instead(r#"{"depth":3}"#));
    assert_eq!(delivered("read_note", r#""{\"depth\":3}""#), instead(r#"{"depth":3}"#));
}

#[test]
fn a_call_that_was_refused_for_its_words_is_not_made_executable() {
    // The object alone would fit: who delivers it executes what was refused.
    let sent = r#"Do not run this: {"path":"a"}"#;
    assert_eq!(
        delivered("read_note", sent),
        instead(&format!(r#"{{"unreadable_arguments":{}}}"#, quote(sent)))
    );
    // A bracket is never added for a tool that can destroy something.
    let open = r#"{"path":"a""#;
    assert_eq!(
        delivered("delete_note", open),
        instead(&format!(r#"{{"unreadable_arguments":{}}}"#, quote(open)))
    );
    let for_text = mender(&usual_tools(), false);
    for (name, sent) in [("read_note", sent), ("delete_note", open)] {
        assert_eq!(for_text.arguments(&for_text.name(name), sent, Finish::Stop).delivery, Delivery::AsSent);
    }
}

#[test]
fn what_cannot_be_read_is_wrapped_for_who_needs_an_object_and_left_for_who_does_not() {
    for sent in ["not json", r#"{"path": "a"#, r#"{"path": 5*3}"#, "[1,2]", "12", "\u{0}"] {
        let wrapped = format!(r#"{{"unreadable_arguments":{}}}"#, quote(sent));
        assert_eq!(delivered("read_note", sent), instead(&wrapped), "{sent}");
        let for_text = mender(&usual_tools(), false);
        assert_eq!(
            for_text.arguments(&for_text.name("read_note"), sent, Finish::Stop).delivery,
            Delivery::AsSent
        );
    }
}

#[test]
fn no_arguments_are_an_empty_object_where_the_tool_takes_one() {
    for sent in ["", " \n", "null"] {
        let mended = mended("list_notes", sent, Finish::Stop);
        assert_eq!(mended.delivery, instead("{}"), "{sent:?}");
        assert!(matches!(mended.report.outcome, Outcome::Repaired { .. }));
    }
    // Where it does not, nothing is invented, and the client says what is missing.
    let empty = mended("read_note", "", Finish::Stop);
    assert_eq!(empty.delivery, instead("{}"));
    assert!(matches!(empty.report.outcome, Outcome::Refused { .. }));
}

#[test]
fn a_call_that_the_length_limit_cut_is_never_completed() {
    for sent in [r#"{"path":"/a/b"#, r#"{"path":"a","#, r#"{"path":"a""#, "", "{", r#"{'path': 'a'"#] {
        let mended = mended("read_note", sent, Finish::Length);
        assert_eq!(mended.delivery, Delivery::CutOff, "{sent}");
        assert!(mended.report.is_cut && mended.report.is_changed());
    }
    // One that was whole before the limit came is one.
    assert_eq!(mended("read_note", r#"{"path":"a"}"#, Finish::Length).delivery, Delivery::AsSent);
    assert_eq!(mended("read_note", r#"{"file":"a"}"#, Finish::Length).delivery, instead(r#"{"path":"a"}"#));
}

#[test]
fn calls_of_a_tool_whose_schema_cannot_be_read_pass_as_they_are_and_that_is_told_once() {
    let mender = mender(&[tool("odd", "[]")], true);
    let named = mender.name("odd");
    let first = mender.arguments(&named, r#"{"a":1}"#, Finish::Stop);
    assert_eq!((first.delivery, first.report.outcome), (Delivery::AsSent, Outcome::Unchanged));
    assert!(first.report.unjudged_tool.is_some());
    assert_eq!(mender.arguments(&named, "{}", Finish::Stop).report.unjudged_tool, None);
    assert_eq!(mender.arguments(&named, "{'a': 1}", Finish::Stop).delivery, instead(r#"{"a":1}"#));
}

fn quote(text: &str) -> String {
    serde_json::to_string(text).expect("text")
}

// === Whole answers ===

fn a_call(name: &str, arguments: Arguments) -> Block {
    Block::Call(Call { id: Some("c".into()), name: name.into(), arguments, extra: Vec::new() })
}

fn text_call(name: &str, text: &str) -> Block {
    a_call(name, Arguments::Text(text.into()))
}

fn object_call(name: &str, json: &str) -> Block {
    a_call(name, Arguments::Object(Json::parse(json).expect("JSON")))
}

fn answered(blocks: Vec<Block>, stop: Stop) -> (Response, Vec<CallReport>) {
    let mut response = Response { blocks, stop: Some(stop), ..Response::default() };
    let reports = mend_response(&mender(&usual_tools(), true), &mut response);
    (response, reports)
}

#[test]
fn the_calls_of_a_whole_answer_are_mended_and_its_end_is_settled() {
    let blocks = vec![
        Block::Text(Text { text: "so".into(), extra: Vec::new() }),
        text_call("ReadNote", "{'path': 'a'}"),
        object_call("write_note", r#"{ "path":"a","content":"b" }"#),
    ];
    let (response, reports) = answered(blocks.clone(), Stop::EndTurn);
    assert_eq!(response.blocks[1], object_call("read_note", r#"{"path":"a"}"#));
    assert_eq!(response.blocks[2], blocks[2]);
    assert_eq!(response.stop, Some(Stop::ToolUse));
    assert_eq!(reports.len(), 2);
}

#[test]
fn a_whole_answer_that_was_cut_has_no_call_that_could_be_executed() {
    let cut = text_call("write_note", r#"{"path":"a","content":"half"#);
    let (response, reports) =
        answered(vec![object_call("read_note", r#"{"path":"a"}"#), cut], Stop::MaxTokens);
    assert_eq!(response.blocks, [object_call("read_note", r#"{"path":"a"}"#)]);
    assert_eq!(response.stop, Some(Stop::MaxTokens));
    assert!(reports[1].is_cut && !reports[0].is_cut);
}

#[test]
fn the_end_of_an_answer_agrees_with_its_calls() {
    for (blocks, stop, settled) in [
        (vec![], Stop::ToolUse, Stop::EndTurn),
        (vec![], Stop::EndTurn, Stop::EndTurn),
        (vec![object_call("read_note", r#"{"path":"a"}"#)], Stop::EndTurn, Stop::ToolUse),
        (vec![object_call("read_note", r#"{"path":"a"}"#)], Stop::StopSequence, Stop::StopSequence),
        (vec![object_call("read_note", r#"{"path":"a"}"#)], Stop::MaxTokens, Stop::MaxTokens),
        (vec![object_call("read_note", r#"{"path":"a"}"#)], Stop::Refusal, Stop::Refusal),
        (vec![text_call("read_note", "{")], Stop::ContextWindow, Stop::ContextWindow),
    ] {
        assert_eq!(answered(blocks, stop).0.stop, Some(settled));
    }
}

// === History ===

fn remembered(needs_objects: bool, blocks: Vec<Block>) -> (Vec<Block>, Vec<CallReport>) {
    let message = Message { role: Role::Assistant, blocks, extra: Vec::new() };
    let mut request = Request { messages: vec![message], tools: usual_tools(), ..Request::default() };
    let reports = mend_history(&mender(&usual_tools(), needs_objects), &mut request);
    (request.messages.remove(0).blocks, reports)
}

#[test]
fn the_calls_of_the_history_are_mended_before_a_strict_upstream_sees_them() {
    let valid = object_call("read_note", r#"{ "path" : "a" }"#);
    let (blocks, reports) = remembered(
        true,
        vec![valid.clone(), object_call("Read_Note", r#"{"file_path":"b"}"#), text_call("read_note", "")],
    );
    assert_eq!(blocks, [valid, object_call("read_note", r#"{"path":"b"}"#), object_call("read_note", "{}")]);
    assert_eq!(reports.len(), 2);
}

#[test]
fn what_cannot_be_mended_in_the_history_stays_as_an_object_where_one_is_needed() {
    let cut = text_call("write_note", r#"{"path":"a","content":"half"#);
    let (blocks, _) = remembered(false, vec![cut.clone()]);
    assert_eq!(blocks[..], *std::slice::from_ref(&cut));
    let (blocks, reports) = remembered(true, vec![cut]);
    assert_eq!(
        blocks,
        [object_call("write_note", r#"{"unreadable_arguments":"{\"path\":\"a\",\"content\":\"half"}"#)]
    );
    assert!(!reports[0].is_cut);
}

#[test]
fn calls_of_tools_that_the_request_does_not_bring_are_left_alone() {
    let unknown = object_call("Bash", r#"{"file_path":"b"}"#);
    assert_eq!(remembered(true, vec![unknown.clone()]), (vec![unknown], vec![]));
    let user = Message { role: Role::User, blocks: vec![text_call("read_note", "{")], extra: Vec::new() };
    let mut request = Request { messages: vec![user.clone()], ..Request::default() };
    assert!(mend_history(&mender(&usual_tools(), true), &mut request).is_empty());
    assert_eq!(request.messages, [user]);
}
