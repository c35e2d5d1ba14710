//! What calls teach a gateway: suggested, accepted, in force at once, undone, and kept over restarts.

#![cfg(unix)]

use crate::gateway;
use crate::notes;

use std::time::Duration;

use gateway::{Gateway, Home, until};
use serde_json::{Value, json};

fn suggestions(home: &Home) -> Vec<Value> {
    let (code, told, _) = home.run(&["rules", "suggest", "--json"]);
    if code != 0 {
        return Vec::new();
    }
    serde_json::from_str(&told).expect("a list")
}

/// A gateway that has seen the mistake corrected twice, and the suggestion that came of it.
fn taught(home: &Home) -> (Gateway, Value) {
    home.put("toolwright.json", &notes::configuration(&json!({})));
    let gateway = Gateway::start(home, &[]);
    notes::correct_itself(&gateway, "buy milk");
    assert!(suggestions(home).is_empty(), "once is not enough");
    notes::correct_itself(&gateway, "feed the cat");
    until("there is a suggestion", || suggestions(home).len() == 1);
    let suggestion = suggestions(home).remove(0);
    (gateway, suggestion)
}

#[test]
fn what_a_model_corrects_twice_is_suggested_and_what_is_accepted_is_in_force_at_once() {
    let home = Home::new();
    let (mut gateway, suggestion) = taught(&home);
    let rule = &suggestion["rule"];
    assert_eq!(rule["type"], json!("param_alias"), "{suggestion}");
    assert_eq!((&rule["from"], &rule["to"]), (&json!("payload"), &json!("prose")), "{suggestion}");
    assert_eq!(rule["tools"], json!(["notes/send_note"]), "{suggestion}");
    assert_eq!(suggestion["evidence"]["observations"], json!(2), "{suggestion}");
    assert_eq!(suggestion["replay"], json!({ "mends": 2, "of": 2, "changes_good": 0 }), "{suggestion}");

    let id = suggestion["id"].as_str().expect("an id");
    let (code, told, error) = home.run(&["rules", "accept", &id[..6], "--by", "anna"]);
    assert!(code == 0 && told.contains("payload -> prose"), "{told}{error}");
    until("the rule is in force", || notes::send(&gateway, "payload", "water the plants"));
    let (_, listed, _) = home.run(&["rules", "list"]);
    assert!(listed.contains(&format!("learned-{id}")), "{listed}");
    let (_, shown, _) = home.run(&["audit", "tail", "-n", "1"]);
    assert!(shown.contains(&format!("learned-{id}")), "the record names the rule: {shown}");

    // A decision that was cut off does not hold, and that is told, once.
    let decisions = home.path().join("state/toolwright/decisions.jsonl");
    let whole = std::fs::read(&decisions).expect("the decisions");
    std::fs::write(&decisions, [&whole[..], &whole[..whole.len() / 2]].concat()).expect("written");
    let (_, history, error) = home.run(&["rules", "history"]);
    assert!(history.lines().count() == 1 && error.contains("was cut off"), "{history}{error}");
    assert_eq!(home.run(&["rules", "history"]).2, "");

    // It survives a restart, and is taken back in one step.
    gateway.signal("TERM");
    gateway.end(Duration::from_secs(20));
    let gateway = Gateway::start(&home, &[]);
    assert!(notes::send(&gateway, "payload", "after a restart"), "in force from the first call on");
    let (code, _, error) = home.run(&["rules", "undo", id]);
    assert_eq!(code, 0, "{error}");
    until("the rule is out of force", || !notes::send(&gateway, "payload", "again"));
    let (_, history, _) = home.run(&["rules", "history"]);
    let lines: Vec<&str> = history.lines().collect();
    assert_eq!(lines.len(), 2, "{history}");
    assert!(lines[0].contains("accepted") && lines[0].ends_with("by anna"), "{history}");
    assert!(lines[1].contains("undone"), "{history}");
}

#[test]
fn a_dismissed_suggestion_is_not_shown_and_wrong_ids_are_told() {
    let home = Home::new();
    let (code, _, error) = home.run(&["rules", "suggest"]);
    assert!(code == 1 && error.contains("nothing has been learned yet"), "{error}");
    let (gateway, suggestion) = taught(&home);
    let id = suggestion["id"].as_str().expect("an id");
    for wrong in ["nothing", ""] {
        let (code, _, error) = home.run(&["rules", "accept", wrong]);
        assert!(code == 1 && error.contains("there is no suggestion"), "{error}");
    }
    let (code, _, error) = home.run(&["rules", "undo", id]);
    assert!(code == 1 && error.contains("nothing to undo"), "{error}");
    assert_eq!(home.run(&["rules", "dismiss", id]).0, 0);
    assert!(suggestions(&home).is_empty());
    let (code, _, error) = home.run(&["rules", "dismiss", id]);
    assert!(code == 1 && error.contains("cannot be dismissed"), "{error}");
    let (_, all, _) = home.run(&["rules", "suggest", "--all"]);
    assert!(all.contains("(dismissed)"), "{all}");
    assert!(!notes::send(&gateway, "payload", "nothing changed"));
}

#[test]
fn an_index_that_is_gone_is_made_again() {
    let home = Home::new();
    let (mut gateway, _) = taught(&home);
    gateway.signal("TERM");
    gateway.end(Duration::from_secs(20));
    let state = home.path().join("state/toolwright");
    assert!(state.join("index.db").is_file(), "there is an index");
    std::fs::remove_file(state.join("index.db")).expect("removed");
    let (code, told, error) = home.run(&["audit", "reindex"]);
    // Two mistakes that failed at once, and two calls with a begin and an end.
    assert!(code == 0 && told.contains("main: 6 records read again"), "{told}{error}");
    let again = home.run(&["audit", "reindex"]);
    assert_eq!(again.1, told, "once more is the same");
}

#[test]
fn with_apply_safe_what_two_conversations_correct_is_in_force_by_itself() {
    let home = Home::new();
    home.put(
        "toolwright.json",
        &notes::configuration(&json!({ "learn": "apply-safe", "learnFrom": ["anna", "ben"] })),
    );
    let mut tokens = Vec::new();
    for name in ["anna", "ben"] {
        let (code, told, error) = home.run(&["token", "add", name]);
        assert_eq!(code, 0, "{error}");
        let token = told.split_whitespace().find(|word| word.starts_with("tw_")).expect("a token");
        tokens.push(token.to_owned());
    }
    let mut gateway = Gateway::start(&home, &[]);
    let own = gateway.token.clone();
    for (number, token) in tokens.into_iter().enumerate() {
        gateway.token = token;
        notes::correct_itself(&gateway, &format!("note {number}"));
    }
    gateway.token = own;
    until("the rule is in force", || notes::send(&gateway, "payload", "by itself"));
    let (_, history, _) = home.run(&["rules", "history"]);
    assert!(history.contains("accepted") && history.contains("by policy:apply-safe"), "{history}");
    // One step takes it back, and it does not come back by itself.
    let id = history.split_whitespace().nth(2).expect("an id").to_owned();
    assert_eq!(home.run(&["rules", "undo", &id]).0, 0);
    until("it is out of force", || !notes::send(&gateway, "payload", "undone"));
    for number in 0..3 {
        notes::correct_itself(&gateway, &format!("again {number}"));
    }
    std::thread::sleep(Duration::from_secs(2));
    assert!(!notes::send(&gateway, "payload", "still undone"));
}
