//! What founding document 004 says on stats and their persistence, sentence by sentence, with the program as users run it.
//! (The same sentences about the parts alone, error patterns among them, are in the crate of the ledger.)

#![cfg(unix)]

use crate::gateway;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use gateway::{Gateway, Home, until};
use serde_json::{Value, json};

fn call(gateway: &Gateway, tool: &str, arguments: Value) {
    let params = json!({ "name": format!("builtin__files__{tool}"), "arguments": arguments });
    gateway.modern("/mcp/all", "tools/call", params).expect("an answer");
}

/// A call that fits, and two that rules make fit.
fn three_calls(home: &Home, gateway: &Gateway) {
    home.put("a.txt", "hello hello\n");
    call(gateway, "read_file", json!({ "path": "a.txt" }));
    call(gateway, "edit_file", json!({ "path": "a.txt", "old_str": "hello hello", "new_text": "world" }));
    call(gateway, "delete_file", json!({ "path": "a.txt", "permanent": "true" }));
}

fn logs(home: &Home) -> PathBuf {
    home.path().join("logs")
}

fn start(home: &Home) -> Gateway {
    Gateway::start(home, &["--log-dir", &logs(home).display().to_string()])
}

fn stop(mut gateway: Gateway) {
    gateway.signal("TERM");
    assert!(gateway.end(Duration::from_secs(20)).is_some_and(|status| status.success()));
}

fn kill(mut gateway: Gateway) {
    gateway.signal("KILL");
    gateway.end(Duration::from_secs(10)).expect("an end");
}

fn numbers(home: &Home) -> Value {
    let text = fs::read_to_string(logs(home).join("normalizer_stats.json")).expect("the file");
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Whether a file of this name is anywhere below a folder.
fn is_below(folder: &Path, name: &str) -> bool {
    fs::read_dir(folder).expect("a folder").flatten().any(|entry| {
        let path = entry.path();
        path.file_name().is_some_and(|it| it == name) || path.is_dir() && is_below(&path, name)
    })
}

/// "Normalizer: Total processed/normalized, by-tool breakdown, by-rule hits, recent normalizations feed".
#[test]
fn normalizer_total_processed_normalized_by_tool_breakdown_by_rule_hits_recent_normalizations_feed() {
    let home = Home::new();
    let gateway = start(&home);
    three_calls(&home, &gateway);
    stop(gateway);
    let told = numbers(&home);
    assert_eq!((&told["total_processed"], &told["total_normalized"]), (&json!(3), &json!(2)), "{told}");
    assert_eq!(
        told["by_tool"],
        json!({
            "delete_file": { "processed": 1, "normalized": 1 },
            "edit_file": { "processed": 1, "normalized": 1 },
            "read_file": { "processed": 1, "normalized": 0 },
        })
    );
    for (rule, tool) in [("edit-old_str", "edit_file"), ("permanent-bool-coerce", "delete_file")] {
        let of_rule = &told["by_rule"][rule];
        assert_eq!((&of_rule["rule_id"], &of_rule["hits"]), (&json!(rule), &json!(1)), "{told}");
        assert_eq!(of_rule["tools"], json!([tool]), "{told}");
    }
    let recent = told["recent_normalizations"].as_array().expect("a feed");
    let fed: Vec<(&Value, &Value)> =
        recent.iter().map(|it| (&it["tool"], &it["applied"][0]["rule_id"])).collect();
    assert_eq!(
        fed,
        [
            (&json!("edit_file"), &json!("edit-old_str")),
            (&json!("delete_file"), &json!("permanent-bool-coerce"))
        ]
    );
}

/// "Normalizer stats are written to normalizer_stats.json every 30 seconds …": while it serves.
#[test]
fn normalizer_stats_are_written_to_normalizer_stats_json_every_30_seconds() {
    let home = Home::new();
    let gateway = start(&home);
    assert_eq!(numbers(&home)["total_processed"], 0, "it is there from the start");
    three_calls(&home, &gateway);
    // For as long as it takes, twice over.
    for _ in 0..2 {
        if numbers(&home)["total_processed"] != 3 {
            let patience = std::time::Instant::now() + Duration::from_secs(35);
            while std::time::Instant::now() < patience && numbers(&home)["total_processed"] != 3 {
                std::thread::sleep(Duration::from_millis(100));
            }
        }
    }
    assert_eq!(numbers(&home)["total_processed"], 3);
    // Nothing at its end wrote it: it has none.
    kill(gateway);
    assert_eq!(numbers(&home)["total_normalized"], 2);
}

/// "… (when --log-dir is set), …".
#[test]
fn when_log_dir_is_set() {
    let home = Home::new();
    let gateway = Gateway::start(&home, &[]);
    three_calls(&home, &gateway);
    stop(gateway);
    assert!(!is_below(home.path(), "normalizer_stats.json"));
    // What was counted without it is in it as soon as it is asked for: the journal has it.
    let gateway = start(&home);
    until("the calls of before are counted", || numbers(&home)["total_processed"] == 3);
    stop(gateway);
}

/// "… preserving data across server restarts."
#[test]
fn preserving_data_across_server_restarts() {
    let home = Home::new();
    for round in 1..=3 {
        let gateway = start(&home);
        // What a kill kept out of the file comes from the journal, soon after the start.
        until("all of before is counted", || numbers(&home)["total_processed"] == 3 * (round - 1));
        three_calls(&home, &gateway);
        // An orderly end, and one that writes nothing: both preserve all.
        if round == 2 { kill(gateway) } else { stop(gateway) }
    }
    let told = numbers(&home);
    assert_eq!((&told["total_processed"], &told["total_normalized"]), (&json!(9), &json!(6)), "{told}");
    assert_eq!(told["by_rule"]["edit-old_str"]["hits"], 3, "{told}");
    assert_eq!(told["by_tool"]["read_file"]["processed"], 3, "{told}");
    assert_eq!(told["recent_normalizations"].as_array().map(Vec::len), Some(6), "{told}");
}

/// Two servers at once, which the original had overwrite each other's file.
#[test]
fn two_gateways_with_one_log_dir_add_up() {
    let home = Home::new();
    let (one, two) = (start(&home), start(&home));
    three_calls(&home, &one);
    three_calls(&home, &two);
    three_calls(&home, &two);
    stop(one);
    stop(two);
    assert_eq!(numbers(&home)["total_processed"], 9);
    assert_eq!(numbers(&home)["by_rule"]["edit-old_str"]["hits"], 3);
    // And go on from there, one or both.
    let (one, two) = (start(&home), start(&home));
    three_calls(&home, &one);
    three_calls(&home, &two);
    kill(one);
    stop(two);
    stop(start(&home));
    assert_eq!(numbers(&home)["total_processed"], 15);
}

/// "Normalizations field in audit entries".
#[test]
fn normalizations_field_in_audit_entries() {
    let home = Home::new();
    let gateway = Gateway::start(&home, &[]);
    three_calls(&home, &gateway);
    let (code, exported, _) = home.run(&["audit", "export", "--tool", "edit_file"]);
    assert_eq!(code, 0);
    let mut entries = exported.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let entry = entries.rfind(|entry| entry["kind"] == "call").expect("an entry");
    assert_eq!(entry["changes"][0]["rule"], "edit-old_str", "{entry}");
    // Before and after.
    assert_eq!(entry["arguments"]["old_str"], "hello hello", "{entry}");
    assert_eq!(entry["normalized"]["old_text"], "hello hello", "{entry}");
}
