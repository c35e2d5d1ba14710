//! Laws: valid JSON stays valid and keeps its shape, hiding twice changes nothing more, and no way of writing
//! a secret shows it.

use proptest::prelude::*;
use serde_json::{Map, Value};

use super::redactor;

/// Words that meet: names of secrets, signs, secrets, marks, and what surrounds them.
const PIECES: &[&str] = &[
    "password",
    "token",
    "auth",
    "session",
    "=",
    ":",
    ": ",
    " is ",
    "\"",
    "'",
    "\\\"",
    "\\",
    "\n",
    " ",
    ",",
    ";",
    "{",
    "}",
    "[",
    "]",
    "://",
    "@",
    "/",
    "?",
    "&",
    "Bearer ",
    "basic ",
    "--token ",
    " -u ",
    "-----BEGIN",
    " PRIVATE KEY-----",
    "-----END",
    "ghp_0123456789abcdef",
    "sk-",
    "eyJhbGciOi.abcdefghij",
    "hunter2",
    "q8Zk2LwX0vB7nM4tR6yP1sD3",
    "é",
    "😀",
    "%41",
    "\\u0041",
    "KIA0123456789ABCD12",
    "[redacted:12345678]",
    "[redacted",
    "path",
    "name",
    "value",
    "api_key",
    "the",
    "12345",
    "null",
    "eyJwYXNzd29yZCI6Imh1bnRlcjIifQ==",
    "...",
    "…",
    "Password for ",
    "mot de passe",
    "key",
    "mysql -p",
    "sshpass -p ",
    "：",
    "密码",
    "<password>",
    "</",
    "identified by ",
    "password '",
    "machine login ",
    "echo ",
    " | chpasswd",
    "-passin pass:",
    "4111 1111 1111 1111",
    "DE89 3704 0044 0532 0130 00",
    "db:5432:a:b:",
    "pass",
    "passwords",
];

fn mixture() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..14).prop_map(|pieces| pieces.concat())
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_filter("JSON has no others", |number| number.is_finite()).prop_map(Value::from),
        mixture().prop_map(Value::String),
        any::<String>().prop_map(Value::String),
        mixture().prop_map(|text| Value::String(
            serde_json::json!({"password": text, "n": [1, text]}).to_string()
        )),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::Array),
            prop::collection::vec((mixture(), inner), 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// Whether two values have the same shape: a number may have become a string.
fn is_same_shape(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left.iter().zip(right).all(|(left, right)| is_same_shape(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            // Keys that hold a secret become marks, and two of them may be the same.
            left.len() != right.len() && left.keys().any(|key| !right.contains_key(key))
                || left.values().zip(right.values()).all(|(left, right)| is_same_shape(left, right))
        }
        // Reading a number may change its last digit.
        (Value::Number(left), Value::Number(right)) => left.is_f64() == right.is_f64(),
        (Value::Number(_) | Value::String(_), Value::String(_)) => true,
        (left, right) => left == right,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn valid_json_stays_valid_and_keeps_its_shape(value in value(), is_pretty: bool) {
        let text = if is_pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
        let text = text.expect("it can be written");
        let shown = redactor().json(&text).into_owned();
        let read: Result<Value, _> = serde_json::from_str(&shown);
        prop_assert!(read.is_ok(), "{text}\n{shown}");
        prop_assert!(is_same_shape(&value, &read.expect("it was just read")), "{text}\n{shown}");
    }

    #[test]
    fn hiding_twice_changes_nothing_more(text in mixture(), value in value()) {
        let redactor = redactor();
        let once = redactor.text(&text).into_owned();
        prop_assert_eq!(redactor.text(&once), once.as_str(), "{}", text);
        let once = redactor.json(&text).into_owned();
        prop_assert_eq!(redactor.json(&once), once.as_str(), "{}", text);
        let text = value.to_string();
        let once = redactor.json(&text).into_owned();
        prop_assert_eq!(redactor.json(&once), once.as_str(), "{}", text);
    }

    #[test]
    fn no_text_breaks_it_and_no_known_secret_is_shown(before in mixture(), after in mixture(), text in any::<String>()) {
        let redactor = redactor().with_known(vec!["S3CR3T-VALUE".to_owned()]);
        for text in [format!("{before}S3CR3T-VALUE{after}"), format!("{text}S3CR3T-VALUE{before}")] {
            for shown in [redactor.text(&text), redactor.json(&text)] {
                prop_assert!(!shown.contains("S3CR3T-VALUE"), "{}\n{}", text, shown);
            }
        }
    }

    #[test]
    fn no_way_of_escaping_shows_a_secret(ways in prop::collection::vec(0..3_u8, 20), levels in 0..4_usize) {
        let secret = "AKIA0123456789ABCDEF";
        let written: String = secret.chars().zip(ways).map(|(c, way)| match way {
            0 => c.to_string(),
            1 => format!("\\u{:04x}", c as u32),
            _ => format!("\\u{:04X}", c as u32),
        }).collect();
        let mut text = format!(r#"{{"note":"it is {written}"}}"#);
        for _ in 0..levels {
            text = serde_json::json!({"inner": text}).to_string();
        }
        let shown = redactor().json(&text).into_owned();
        let mut said = shown.clone();
        for _ in 0..=levels {
            let value: Value = serde_json::from_str(&said).expect("it stays valid");
            let inner = value.get("inner").or(value.get("note")).and_then(Value::as_str).expect("a string");
            said = inner.to_owned();
        }
        prop_assert!(said.starts_with("it is [redacted:") && said.len() == "it is [redacted:12345678]".len(), "{}", shown);
    }

    #[test]
    fn what_holds_nothing_is_not_copied(words in prop::collection::vec("[a-z]{1,8}", 0..20)) {
        let text = serde_json::json!({"query": words.join(" "), "path": words.join("/")}).to_string();
        let redactor = redactor();
        let is_borrowed = matches!(redactor.json(&text), std::borrow::Cow::Borrowed(_));
        prop_assert!(is_borrowed || words.iter().any(|word| redactor.hides_key(word)), "{}", redactor.json(&text));
    }
}
