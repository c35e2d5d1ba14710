//! What can be done on the pages: a call made again, rules edited, a suggestion tried, calls found by time.

#![cfg(unix)]

use serde_json::json;

use crate::gateway::{Gateway, Home, until};
use crate::notes;
use crate::pages::{Browser, taught, wait_for_index};

#[test]
fn a_harmless_call_is_made_again_from_its_page_and_no_other() {
    let home = Home::new();
    home.put("toolwright.json", &notes::configuration(&json!({ "builtinTools": true })));
    home.put("notes.md", "buy milk");
    let gateway = Gateway::start(&home, &[]);
    let read = json!({ "name": "read_file", "arguments": { "file_path": "notes.md" } });
    gateway.modern("/mcp/t/builtin", "tools/call", read).expect("read");
    assert!(notes::send(&gateway, "prose", "hello"));
    wait_for_index(&gateway);
    let browser = Browser::enter(&gateway);
    let call_page = |tool: &str| {
        let calls = browser.page(&format!("/calls?tool={tool}"));
        let (_, rest) = calls.split_once("href=\"/calls/").expect("a call");
        browser.page(&format!("/calls/{}", rest.split('"').next().expect("an id")))
    };
    assert!(call_page("read_file").contains("data-do=\"again\""));
    assert!(call_page("send_note").contains("does not say that it changes nothing"));
    // As it was and edited: it is mended as every call is.
    for arguments in [r#"{"file_path":"notes.md"}"#, r#"{"path":"notes.md"}"#] {
        let made = browser.does("again", &json!({ "tool": "read_file", "arguments": arguments }));
        assert!(made.status == 200 && made.body.contains("buy milk"), "{made:?}");
    }
    let refused = browser.does("again", &json!({ "tool": "notes/send_note", "arguments": "{}" }));
    assert_eq!(refused.status, 403, "{refused:?}");
    assert_eq!(browser.does("again", &json!({ "tool": "nothing", "arguments": "{}" })).status, 403);
    wait_for_index(&gateway);
    assert!(browser.page("/calls?client=pages").contains("read_file"), "it is written down");
}

#[test]
fn rules_are_edited_with_checks_and_what_they_were_is_kept() {
    let home = Home::new();
    home.put("toolwright.json", &notes::configuration(&json!({})));
    let rules = home.put("rules.json", "[]");
    let gateway = Gateway::start(&home, &["--rules", rules.to_str().expect("a path")]);
    let browser = Browser::enter(&gateway);
    let mark = |page: &str| {
        let (_, rest) = page.split_once("name=\"before\" value=\"").expect("a mark");
        rest.split('"').next().expect("its end").to_owned()
    };
    let page = browser.page("/rules/edit");
    let before = mark(&page);
    let wrong = json!({ "text": "[{\"id\":\"a\"}]", "before": before });
    assert!(browser.does("check-rules", &wrong).body.contains("mistakes"));
    let told = browser.does("save-rules", &wrong);
    assert!(told.status == 200 && told.body.contains("line 1"), "{told:?}");
    assert_eq!(std::fs::read_to_string(&rules).expect("text"), "[]", "mistakes are not written");
    assert!(!notes::send(&gateway, "payload", "one"), "no rule mends it yet");
    let rule =
        r#"[{"id":"payload","tools":["send_note"],"type":"param_alias","from":"payload","to":"prose"}]"#;
    let saved = browser.does("save-rules", &json!({ "text": rule, "before": before }));
    assert!(saved.status == 200 && saved.body.contains("Saved"), "{saved:?}");
    until("the rule is in force", || notes::send(&gateway, "payload", "two"));
    let late = browser.does("save-rules", &json!({ "text": "[]", "before": before }));
    assert_eq!(late.status, 409, "somebody else was faster: {late:?}");
    let page = browser.page("/rules/edit");
    assert!(page.contains("Until ") && page.contains("Put this text"), "{page}");
    // What the playground shows becomes a test that the command runs.
    let tried =
        json!({ "tool": "notes/send_note", "schema": "", "arguments": r#"{"recipient":"a","payload":"b"}"# });
    let kept = browser.does("save-test", &tried);
    assert!(kept.status == 200 && kept.body.contains("rules test"), "{kept:?}");
    let cases = rules.with_extension("cases.jsonl");
    let (code, _, error) = home.run(&[
        "rules",
        "test",
        rules.to_str().expect("a path"),
        "--cases",
        cases.to_str().expect("a path"),
    ]);
    assert_eq!(code, 0, "{error}");
}

#[test]
fn a_suggestion_is_tried_before_it_is_accepted() {
    let home = Home::new();
    let gateway = taught(&home);
    let browser = Browser::enter(&gateway);
    until("there is a suggestion", || browser.page("/errors").contains("data-do=\"try-suggestion\""));
    let errors = browser.page("/errors");
    let (_, rest) = errors.split_once("name=\"suggestion\" value=\"").expect("a suggestion");
    let id = rest.split('"').next().expect("an id");
    let tried = browser.does("try-suggestion", &json!({ "suggestion": id }));
    assert!(tried.status == 200 && tried.body.contains("is mended"), "{tried:?}");
    assert!(!notes::send(&gateway, "payload", "again"), "nothing is in force by that");
    assert_eq!(browser.does("try-suggestion", &json!({ "suggestion": "none" })).status, 404);
}

#[test]
fn toolboxes_tell_what_they_cost_and_who_may_open_them() {
    let home = Home::new();
    home.put("toolwright.json", &notes::configuration(&json!({ "builtinTools": true })));
    let (code, _, error) = home.run(&["token", "add", "desk <b>", "--toolbox", "default"]);
    let name = if code == 0 { "desk &lt;b&gt;" } else { "desk" };
    if code != 0 {
        let (code, _, again) = home.run(&["token", "add", "desk", "--toolbox", "default"]);
        assert_eq!(code, 0, "{error}{again}");
    }
    let gateway = Gateway::start(&home, &[]);
    let _ = gateway.modern("/mcp/all", "tools/list", json!({}));
    let browser = Browser::enter(&gateway);
    let page = browser.page("/toolboxes");
    assert!(
        page.contains("send_note") && page.contains("read_file") && page.contains("Tokens, about"),
        "{page}"
    );
    assert!(page.contains(name) && page.contains("default"), "{page}");
    // How near each limit is.
    let about = browser.page("/about");
    assert!(about.contains("connections") && about.contains("Turned away"), "{about}");
}

#[test]
fn calls_are_found_by_time_and_a_wrong_time_is_told() {
    let home = Home::new();
    home.put("notes.md", "buy milk");
    let gateway = Gateway::start(&home, &[]);
    let read = json!({ "name": "read_file", "arguments": { "path": "notes.md" } });
    gateway.modern("/mcp/t/builtin", "tools/call", read).expect("read");
    wait_for_index(&gateway);
    let browser = Browser::enter(&gateway);
    assert!(browser.page("/calls?from=2026-01-01T00:00").contains("href=\"/calls/"));
    assert!(!browser.page("/calls?to=2026-01-01T00:00").contains("href=\"/calls/"));
    assert!(!browser.page("/calls?from=2999-01-01T00:00%2B01:00").contains("href=\"/calls/"));
    let wrong = browser.get("/calls?from=yesterday");
    assert!(wrong.status == 400 && wrong.body.contains("is no time"), "{wrong:?}");
}
