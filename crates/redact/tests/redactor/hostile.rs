//! Texts that are made to take long.

use std::time::{Duration, Instant};

use super::redactor;

/// What grows with the square of the length takes hours.
const LONG: Duration = Duration::from_secs(60);

#[test]
fn sixteen_mebibytes_are_looked_through() {
    let redactor = redactor();
    let line =
        "let name = items.iter().map(|item| item.name.clone()).collect::<Vec<_>>(); // nothing here\\n";
    let text = format!(r#"{{"content":"{}password=hunter2"}}"#, line.repeat((16 << 20) / line.len()));
    let begin = Instant::now();
    let shown = redactor.json(&text);
    assert!(!shown.contains("hunter2") && shown.contains("nothing here"));
    println!("16 MiB in {:?}", begin.elapsed());
    assert!(begin.elapsed() < LONG);
}

#[test]
fn strings_in_strings_are_read_up_to_a_depth_and_hidden_beyond() {
    let redactor = redactor();
    let mut text = r#"{"password":"hunter2-deep"}"#.to_owned();
    for depth in 0..12 {
        text = serde_json::json!({"s": text}).to_string();
        let shown = redactor.json(&text).into_owned();
        assert!(!shown.contains("hunter2"), "{depth}");
        assert!(serde_json::from_str::<serde_json::Value>(&shown).is_ok(), "{depth}");
    }
    let deep = format!("{}{{\"pin\":7}}{}", "[".repeat(200_000), "]".repeat(200_000));
    assert!(redactor.json(&deep).contains(r#"{"pin":"[redacted:"#));
}
