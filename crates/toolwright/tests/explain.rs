//! `toolwright explain`: a call that was made, a rule, and what was meant by what there is not.

#![cfg(unix)]

use serde_json::{Value, json};

use crate::gateway::{Gateway, Home};

/// A home in which one call was mended by a built-in rule, and its id.
fn home_with_a_call() -> (Home, String) {
    let home = Home::new();
    let mut gateway = Gateway::start(&home, &[]);
    let params = json!({ "name": "files__read_file", "arguments": { "file_path": "notes.md" } });
    let result = gateway.modern("/mcp/t/builtin", "tools/call", params).expect("a result");
    assert_ne!(result["isError"], json!(true), "{result}");
    gateway.signal("TERM");
    gateway.end(std::time::Duration::from_secs(30)).expect("it ends");
    let (_, out, _) = home.run(&["audit", "tail", "--json"]);
    let record: Value = serde_json::from_str(out.lines().last().expect("a record")).expect("JSON");
    let id = record["call"].as_str().expect("an id").to_owned();
    (home, id)
}

#[test]
fn a_call_is_explained_from_the_journal_by_the_beginning_of_its_id() {
    let (home, id) = home_with_a_call();
    let (code, out, errors) = home.run(&["explain", &id[..id.len() - 2]]);
    assert_eq!((code, errors.as_str()), (0, ""), "{out}");
    for part in [
        format!("call      {id}"),
        "came      {\"file_path\":\"notes.md\"}".to_owned(),
        "went out  {\"path\":\"notes.md\"}".to_owned(),
        "N3  /file_path".to_owned(),
        "outcome   ok after".to_owned(),
        "next      toolwright explain N3".to_owned(),
    ] {
        assert!(out.contains(&part), "{part}: {out}");
    }
    let (code, out, _) = home.run(&["explain", &id, "--json"]);
    let said: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((code, &said["call"], &said["record"]["changes"][0]["code"]), (0, &json!(id), &json!("N3")));
}

#[test]
fn a_rule_is_explained_with_what_it_did() {
    let (home, id) = home_with_a_call();
    let (_, out, _) = home.run(&["explain", &id, "--json"]);
    let said: Value = serde_json::from_str(&out).expect("JSON");
    let rule = said["record"]["changes"][0]["rule"].as_str().expect("a rule").to_owned();
    let (code, out, _) = home.run(&["explain", &rule]);
    assert_eq!(code, 0, "{out}");
    for part in ["does      ", "from      the built-in set", "in force  yes", "fired     once", id.as_str()] {
        assert!(out.contains(part), "{part}: {out}");
    }
    let (_, out, _) = home.run(&["explain", &rule, "--json"]);
    let said: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((&said["rule"], &said["hits"], &said["inForce"]), (&json!(rule), &json!(1), &json!(true)));
    let (_, out, _) = home.run(&["explain", &rule, "--disable", "file-path"]);
    assert!(out.contains("in force  "), "{out}");
}

#[test]
fn what_there_is_not_is_told_with_what_is_near() {
    let home = Home::new();
    let (code, out, errors) = home.run(&["explain", "edit-oldstr"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(errors.contains("is no code, no rule and no call that was written down"), "{errors}");
    assert!(errors.contains("fix: did you mean edit-old_str"), "{errors}");
    let (_, _, errors) = home.run(&["explain", "N44"]);
    assert!(errors.contains("did you mean N4"), "{errors}");
    let (code, _, errors) = home.run(&["explain", ""]);
    assert_eq!(code, 2, "{errors}");
}
