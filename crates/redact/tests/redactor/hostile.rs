//! Texts that are made to take long.

use std::time::{Duration, Instant};

use super::redactor;

/// What grows with the square of the length takes hours.
const LONG: Duration = Duration::from_secs(60);

#[test]
fn no_large_text_takes_long() {
    let redactor = redactor().with_known(vec!["hunter2-known".to_owned()]);
    let size = 256 << 10;
    for piece in [
        "token=",
        "a=",
        "\"token\": \"",
        "bearer x",
        "x://a:",
        "a://",
        " is ",
        "password: ",
        "pin=1 ",
        "-----BEGIN A-----\n",
        "-----BEGIN A PRIVATE KEY-----: \n",
        "-----END",
        "[",
        "{\"a\":",
        "{\"value\":1,\"name\":",
        "[{\"token\":[",
        "\\",
        "\\\\\"",
        "\\u0041",
        "%41",
        "%25",
        "eyJ",
        "sk-",
        "A",
        "q8Zk2LwX0vB7nM4t",
        "[redacted:12345678]",
        "[redacted",
        "\"",
        "'",
        "é",
        "{\"",
        "[[\"",
        "password \"",
        "password=\\\"",
        "1//0",
        ":AA",
        "aGVsbG8gd29ybGQg",
        "6869",
        "hunter2-know",
        " --token ",
        "=:",
        "token==",
        "pwd=/",
        "sk-",
        "eyJ-",
        "eyJ.a.",
        "AKIA",
        "{\"a\":1} ",
        "[\"a\"] ",
    ] {
        for text in
            [piece.repeat(size / piece.len()), format!("{{\"a\":\"{}", piece.repeat(size / piece.len()))]
        {
            let begin = Instant::now();
            let _ = (redactor.json(&text), redactor.text(&text));
            let took = begin.elapsed();
            if took > Duration::from_secs(1) {
                println!("{piece:?} {took:?}");
            }
            assert!(took < LONG, "{piece:?} {took:?}");
        }
    }
}

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
