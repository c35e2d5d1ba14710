//! Planted secrets: shapes × places. None may be found in what is written.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use toolwright_redact::Redactor;

use super::random::Random;
use super::redactor;

/// How much of a secret is looked for in the output.
const LOOKED_FOR: usize = 12;

/// A name, and a maker of secrets of that shape.
type Shape = (&'static str, fn(&mut Random) -> String);

/// Secrets that are known wherever they stand.
const SHAPES: &[Shape] = &[
    ("aws key", |random| format!("AKIA{}", random.upper(16))),
    ("aws session key", |random| format!("ASIA{}", random.upper(16))),
    ("aws secret", |random| random.base64(40)),
    ("github", |random| format!("ghp_{}", random.word(36))),
    ("github server", |random| format!("ghs_{}", random.word(36))),
    ("github fine", |random| format!("github_pat_{}_{}", random.word(22), random.word(59))),
    ("gitlab", |random| format!("glpat-{}", random.word(20))),
    ("slack bot", |random| format!("xoxb-{}-{}", random.of(b"0123456789", 12), random.word(24))),
    ("slack user", |random| format!("xoxp-{}-{}", random.of(b"0123456789", 12), random.word(24))),
    ("stripe", |random| format!("sk_live_{}", random.word(24))),
    ("stripe restricted", |random| format!("rk_test_{}", random.word(24))),
    ("openai", |random| format!("sk-{}", random.word(48))),
    ("openai project", |random| format!("sk-proj-{}", random.word(48))),
    ("anthropic", |random| format!("sk-ant-api03-{}-{}", random.word(40), random.word(20))),
    ("google", |random| format!("AIza{}", random.word(35))),
    ("google oauth", |random| format!("ya29.{}", random.word(60))),
    ("npm", |random| format!("npm_{}", random.word(36))),
    ("pypi", |random| format!("pypi-AgEIcHlwaS5vcmc{}", random.word(60))),
    ("hugging face", |random| format!("hf_{}", random.word(34))),
    ("sendgrid", |random| format!("SG.{}.{}", random.word(22), random.word(43))),
    ("digital ocean", |random| format!("dop_v1_{}", random.hex(64))),
    ("docker", |random| format!("dckr_pat_{}", random.word(27))),
    ("shopify", |random| format!("shpat_{}", random.hex(32))),
    ("jwt", |random| {
        let part = |text: String| URL_SAFE_NO_PAD.encode(text);
        let header = part(r#"{"alg":"HS256","typ":"JWT"}"#.to_owned());
        format!("{header}.{}.{}", part(format!(r#"{{"sub":"{}"}}"#, random.word(10))), random.word(43))
    }),
    ("random", |random| random.word(32)),
    ("random long", |random| random.word(64)),
];

/// A name, and a text around a secret.
type Place = (&'static str, fn(&str) -> String);

/// JSON in which a secret without a key stands.
const IN_JSON: &[Place] = &[
    ("a value", |secret| json!({"path": "a.txt", "text": secret}).to_string()),
    ("in a sentence", |secret| json!({"text": format!("take {secret}, it works")}).to_string()),
    ("deep", |secret| json!({"a": [{"b": [[{"c": {"d": secret}}]]}]}).to_string()),
    ("a key", |secret| format!(r#"{{"{secret}": 1}}"#)),
    ("JSON in a string", |secret| json!({"body": json!({"x": {"y": secret}}).to_string()}).to_string()),
    ("JSON in JSON in a string", |secret| {
        json!({"a": json!({"b": json!({"c": [secret]}).to_string()}).to_string()}).to_string()
    }),
    ("a string alone", |secret| json!(secret).to_string()),
    ("first letter escaped", |secret| {
        let first = secret.chars().next().expect("it is not empty");
        format!(r#"{{"text":"\u{:04x}{}"}}"#, first as u32, &secret[1..])
    }),
    ("every letter escaped", |secret| {
        let escaped: String = secret.chars().map(|c| format!("\\u{:04X}", c as u32)).collect();
        format!(r#"{{"text":"{escaped}"}}"#)
    }),
    ("base64", |secret| json!({"data": STANDARD.encode(format!("key is {secret}\n"))}).to_string()),
    ("base64 of JSON", |secret| {
        json!({"data": URL_SAFE_NO_PAD.encode(json!({"token": secret}).to_string())}).to_string()
    }),
    ("broken: cut", |secret| format!(r#"{{"text": "use {secret}"#)),
    ("broken: single quotes", |secret| format!("{{'text': '{secret}', 'n': 1")),
    ("broken: no quotes", |secret| format!("{{text: {secret}, n: 1}}")),
    ("a command", |secret| {
        json!({"command": format!("curl -H 'X-Key: {secret}' https://x.org")}).to_string()
    }),
    ("a query", |secret| json!({"url": format!("https://x.org/a?page=2&token={secret}&z=1")}).to_string()),
];

/// Text in which a secret without a key stands.
const IN_TEXT: &[Place] = &[
    ("a sentence", |secret| format!("cannot use {secret} here")),
    ("at the end", |secret| format!("refused: {secret}")),
    ("in quotes", |secret| format!("invalid value '{secret}' for header")),
    ("a line of a log", |secret| format!("2026-01-02T03:04:05Z ERROR client: rejected {secret}, status=401")),
    ("between lines", |secret| format!("line one\n  {secret}\nline three\n")),
    ("an address", |secret| format!("fetch https://me:{secret}@git.example.com/x.git failed")),
    ("bearer", |secret| format!("sent Authorization: Bearer {secret} to host")),
    ("JSON between words", |secret| format!(r#"bad body {{"n": 1, "text": "{secret}"}} in request"#)),
    ("escaped JSON", |secret| format!(r#"bad body {{\"n\": 1, \"text\": \"{secret}\"}} in request"#)),
    ("percent", |secret| format!("GET /x?q=%{:02X}{} HTTP/1.1", secret.as_bytes()[0], &secret[1..])),
    ("hexadecimal", |secret| {
        let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
        format!("dump of token={secret}: {hex}")
    }),
];

/// Secrets that only their key or their value tells.
const PLAIN: &[&str] = &[
    "hunter2-hunter",
    "correct horse battery staple",
    "Tr0ub4dor&3-long",
    "pässwörd-ünïcode",
    "with \"quotes\" and \\ in it",
    "123456789012345",
    "line one of it\nline two of it",
];

/// Places that tell by a key.
const BY_KEY: &[Place] = &[
    ("password", |secret| json!({"user": "me", "password": secret}).to_string()),
    ("misspelt", |secret| json!({"pasword": secret}).to_string()),
    ("camel", |secret| json!({"config": {"dbPassword": secret}}).to_string()),
    ("nested", |secret| json!({"credentials": {"a": [secret, {"b": secret}]}}).to_string()),
    ("in a string", |secret| json!({"body": json!({"api_key": secret}).to_string()}).to_string()),
    ("deep in strings", |secret| {
        json!({"a": json!({"b": json!({"c": json!({"client_secret": secret}).to_string()}).to_string()}).to_string()})
            .to_string()
    }),
    ("name and value", |secret| json!({"env": [{"name": "DB_PASSWORD", "value": secret}]}).to_string()),
    ("value and name", |secret| json!([{"value": secret, "key": "X-Api-Key"}]).to_string()),
    ("arguments", |secret| json!({"args": ["run", "--token", secret]}).to_string()),
    ("headers", |secret| json!([["X-Api-Key", secret]]).to_string()),
    ("escaped key", |secret| json!({"password": secret}).to_string().replace("password", "p\\u0061ssword")),
    ("broken", |secret| json!({"n": 1, "password": secret}).to_string().replace("1,", "1")),
    ("cut", |secret| {
        let text = json!({"password": secret}).to_string();
        text[..text.len() - 2].to_owned()
    }),
    ("in an error", |secret| format!("refused {} by host", json!({"a": {"passphrase": secret}}))),
    ("base64", |secret| STANDARD.encode(json!({"password": secret}).to_string())),
];

/// What must not be found of a secret: itself and its start, but for a start that everybody knows.
fn traces(secret: &str) -> Vec<String> {
    let start = |text: &str| text.chars().take(LOOKED_FOR).collect::<String>();
    let known = ["sk-ant-api03-", "pypi-AgEIcHlwaS5vcmc", "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."];
    let rest = known.iter().find_map(|known| secret.strip_prefix(known)).unwrap_or(secret);
    let escaped = json!(secret).to_string();
    let base64 = STANDARD.encode(secret);
    let mut traces = vec![start(secret), start(rest), start(&escaped[1..]), start(&base64)];
    traces.extend(secret.lines().map(start));
    traces
}

/// Everything that a text says: as it is, and each string of it that holds more.
fn everything_said(text: &str) -> String {
    let mut said = text.to_owned();
    let mut left = vec![text.to_owned()];
    while let Some(text) = left.pop() {
        let Ok(value) = serde_json::from_str::<Value>(&text) else { continue };
        let mut values = vec![value];
        while let Some(value) = values.pop() {
            match value {
                Value::String(text) => {
                    said.push('\n');
                    said.push_str(&text);
                    left.push(text);
                }
                Value::Array(items) => values.extend(items),
                Value::Object(members) => {
                    for (key, value) in members {
                        values.extend([Value::String(key), value]);
                    }
                }
                _ => {}
            }
        }
    }
    said
}

/// Whether something of the secret is left.
fn leak(redactor: &Redactor, input: &str, secret: &str) -> Option<String> {
    let outputs = [redactor.json(input), redactor.text(input)];
    outputs.iter().find_map(|output| {
        let said = everything_said(output);
        let found = traces(secret).into_iter().any(|trace| said.contains(&trace));
        found.then(|| format!("{output}"))
    })
}

#[test]
fn no_planted_secret_is_found() {
    let redactor = redactor();
    let (mut planted, mut found) = (0, Vec::new());
    let mut plant = |shape: &str, place: &str, input: String, secret: &str| {
        planted += 1;
        if let Some(output) = leak(&redactor, &input, secret) {
            found.push(format!("{shape} / {place}: {input}\n    {output}"));
        }
    };
    for (seed, (shape, make)) in SHAPES.iter().enumerate() {
        for (number, (place, around)) in IN_JSON.iter().chain(IN_TEXT).chain(BY_KEY).enumerate() {
            let secret = make(&mut Random::new((seed * 1000 + number) as u64 + 1));
            plant(shape, place, around(&secret), &secret);
        }
    }
    for secret in PLAIN {
        for (place, around) in BY_KEY {
            plant("plain", place, around(secret), secret);
        }
    }
    assert!(found.is_empty(), "{} of {planted} found:\n{}", found.len(), found.join("\n"));
    assert!(planted >= 500, "{planted}");
    println!("{planted} planted, 0 found");
}

#[test]
fn values_that_we_hold_are_found_in_every_form() {
    let secrets: Vec<String> = PLAIN.iter().map(|secret| (*secret).to_owned()).collect();
    let redactor = redactor().with_known(secrets.clone());
    let hex = |text: &str| text.bytes().map(|byte| format!("{byte:02x}")).collect::<String>();
    let percent = |text: &str| text.bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
    for secret in &secrets {
        let escaped = json!(secret).to_string();
        for input in [
            format!("before {secret} after"),
            format!("glued{secret}glued"),
            json!({"x": secret}).to_string(),
            json!({"x": format!("say {secret}.")}).to_string(),
            json!({"x": json!({"y": secret}).to_string()}).to_string(),
            format!("error: {escaped}"),
            json!({secret: 1}).to_string(),
            format!("sum {}", hex(secret)),
            format!("sum {}", hex(secret).to_uppercase()),
            format!("GET /{}", percent(secret)),
            format!("GET /{}", percent(secret).to_lowercase()),
            STANDARD.encode(secret),
            STANDARD.encode(format!("u:{secret}")),
            STANDARD.encode(format!("us:{secret}:x")),
            URL_SAFE_NO_PAD.encode(format!("\u{1}{secret}\u{2}")),
        ] {
            let output = leak(&redactor, &input, secret);
            assert_eq!(output, None, "{secret:?} in {input}");
            assert!(redactor.text(&input).contains("[redacted:"), "{input}");
        }
        let mark = redactor.mark(secret);
        assert!(redactor.text(&format!("a {secret} b")).contains(&mark));
        assert!(
            redactor.json(&json!({"a": secret, "password": secret}).to_string()).matches(&mark).count() >= 2
        );
    }
    let number = redactor.json(r#"{"n":123456789012345,"m":[1234567890123456789]}"#);
    assert!(
        serde_json::from_str::<Value>(&number).is_ok() && !number.contains("123456789012345"),
        "{number}"
    );
}

#[test]
fn private_keys_in_several_lines_are_hidden_as_a_whole() {
    let redactor = redactor();
    let mut random = Random::new(5);
    for kind in
        ["RSA PRIVATE KEY", "PRIVATE KEY", "EC PRIVATE KEY", "OPENSSH PRIVATE KEY", "ENCRYPTED PRIVATE KEY"]
    {
        let lines: Vec<String> = (0..6).map(|_| random.base64(64)).collect();
        let whole = format!("-----BEGIN {kind}-----\n{}\n-----END {kind}-----\n", lines.join("\n"));
        let cut = format!("-----BEGIN {kind}-----\n{}", lines.join("\n"));
        for key in [&whole, &cut, &whole.replace('\n', " "), &whole.replace('\n', "\r\n")] {
            for input in [
                key.clone(),
                format!("stderr: loaded\n{key}\nthen it broke\n"),
                json!({"file": key}).to_string(),
                json!({"a": json!({"file": key}).to_string()}).to_string(),
                format!("error near {:?}", key),
                STANDARD.encode(key),
            ] {
                for output in [redactor.json(&input), redactor.text(&input)] {
                    let said = everything_said(&output);
                    for line in &lines {
                        assert!(!said.contains(&line[..LOOKED_FOR]), "{input}\n{output}");
                    }
                }
            }
        }
        let shown = redactor.text(&format!("before\n{whole}after")).into_owned();
        assert!(shown.starts_with("before\n[redacted:") && shown.ends_with("]\nafter"), "{shown}");
    }
}
