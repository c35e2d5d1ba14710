//! What is hidden of a text, and what is left of it.

use toolwright_redact::{RedactOptions, Redactor};

use super::redactor;

/// The text with `#` where marks are.
fn shown(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("[redacted:") {
        out.push_str(before);
        out.push('#');
        rest = &after["12345678]".len()..];
    }
    out + rest
}

#[test]
fn json_keeps_everything_but_the_secret() {
    let redactor = redactor();
    for (input, output) in [
        (r#"{"path": "a.txt",  "n": 1e3}"#, r#"{"path": "a.txt",  "n": 1e3}"#),
        (r#"{"password":"hunter2","n":1}"#, r##"{"password":"#","n":1}"##),
        (r#"{"pin": 1234, "token": null, "auth": true}"#, r##"{"pin": "#", "token": null, "auth": true}"##),
        (r#"{"credentials":{"user":"me","n":[1,"x"]}}"#, r##"{"credentials":{"user":"#","n":["#","#"]}}"##),
        (r#"{"Authorization":"Bearer abc"}"#, r##"{"Authorization":"Bearer #"}"##),
        (r#"{"a":"{\"token\":\"x\",\"n\":1}"}"#, r##"{"a":"{\"token\":\"#\",\"n\":1}"}"##),
        (r#"{"a":"{\"pin\":12}"}"#, r##"{"a":"{\"pin\":\"#\"}"}"##),
        (r#"{"t":"é\n ghp_0123456789abcdef \u0041"}"#, r##"{"t":"é\n # \u0041"}"##),
        (r#"{"token":"${GITHUB_TOKEN}","password":""}"#, r#"{"token":"${GITHUB_TOKEN}","password":""}"#),
        (
            r#"[{"name":"API_KEY","value":5},{"name":"n","value":5}]"#,
            r##"[{"name":"API_KEY","value":"#"},{"name":"n","value":5}]"##,
        ),
        (r#"["--password","a","--n","b"]"#, r##"["--password","#","--n","b"]"##),
        (r#"{"max_tokens": 100, "author": "me"}"#, r#"{"max_tokens": 100, "author": "me"}"#),
        ("{password: hunter2, n: 1", "{password: #, n: 1"),
        ("{'password': 'hunter2', 'n': 1}", "{'password': '#', 'n': 1}"),
        (r#""postgres://me:s3cret@db/x""#, r##""postgres://me:#@db/x""##),
        ("5", "5"),
        ("", ""),
    ] {
        assert_eq!(shown(&redactor.json(input)), output);
    }
}

#[test]
fn text_keeps_everything_but_the_secret() {
    let redactor = redactor();
    for (input, output) in [
        ("plain line: nothing here", "plain line: nothing here"),
        ("connecting with password=hunter2 to db", "connecting with password=# to db"),
        (r#"config {"apiKey": "abc def", "port": 1}"#, r##"config {"apiKey": "#", "port": 1}"##),
        (r#"{\"token\": \"x y\", \"a\": 1}"#, r##"{\"token\": \"#\", \"a\": 1}"##),
        ("curl --api-key abc123 http://x", "curl --api-key # http://x"),
        ("password: correct horse battery", "password: #"),
        ("using sk-abcdefghijkl, sure", "using #, sure"),
        ("Authorization: Bearer abc.def.ghi", "Authorization: Bearer #"),
        ("sent Bearer abc123 to it", "sent Bearer # to it"),
        ("postgres://me:s3cr@t@db:5432/x is down", "postgres://me:#@db:5432/x is down"),
        ("redis://:pa/ss@h/0", "redis://:#@h/0"),
        ("the password is hunter2", "the password is #"),
        ("GET /x?token=abc&page=2", "GET /x?token=#&page=2"),
        ("GET /x?key=AbC-123&sig=xyz", "GET /x?key=#&sig=#"),
        // A blank in a password without quotes cannot be told from the end of it.
        ("Server=db;User Id=me;Password=p w;Port=1", "Server=db;User Id=me;Password=# w;Port=1"),
        ("Cookie: a=b; c=d", "Cookie: #"),
        ("curl -u me:hunter2 http://x", "curl -u me:# http://x"),
        ("the api key: abc-123", "the api key: #"),
        ("AccountName=x;AccountKey=abc/def==;Endpoint=y", "AccountName=x;AccountKey=#;Endpoint=y"),
        (r#"bad {"auth": {"x": 5}} end"#, r##"bad {"auth": {"x": "#"}} end"##),
        (
            "hook https://hooks.slack.com/services/T000/B000/qWeRtYuI failed",
            "hook https://hooks.slack.com/services/# failed",
        ),
    ] {
        assert_eq!(shown(&redactor.text(input)), output);
    }
}

#[test]
fn equal_secrets_have_equal_marks_and_other_salts_other_ones() {
    let redactor = redactor();
    let mark = redactor.mark("hunter2-x");
    for text in [
        r#"{"password":"hunter2-x"}"#,
        "password=hunter2-x",
        r#"{"Authorization":"Bearer hunter2-x"}"#,
        "Authorization: Bearer hunter2-x",
        r#"{"a":"{\"token\":\"hunter2-x\"}"}"#,
        "https://u:hunter2-x@h",
    ] {
        assert!(redactor.json(text).contains(&mark), "{text}: {}", redactor.json(text));
        assert!(redactor.text(text).contains(&mark), "{text}: {}", redactor.text(text));
    }
    let other = Redactor::new([1; 32], RedactOptions::default()).expect("the defaults are right");
    assert_ne!(other.mark("hunter2-x"), mark);
    assert_ne!(redactor.mark("hunter2-y"), mark);
}

#[test]
fn options_add_keys_and_patterns_and_allow_keys() {
    let options = RedactOptions {
        keys: vec!["*_dsn".to_owned()],
        allow_keys: vec!["session_id".to_owned()],
        patterns: vec![r"EMP-\d{4}".to_owned(), r"badge (\w+)".to_owned()],
        entropy: false,
    };
    let redactor = Redactor::new([1; 32], options).expect("these options are right");
    let input =
        r#"{"db_dsn":"x","session_id":"abc","note":"EMP-1234, badge blue7","r":"q8Zk2LwX0vB7nM4tR6yP1sD3"}"#;
    let output = r##"{"db_dsn":"#","session_id":"abc","note":"#, badge #","r":"q8Zk2LwX0vB7nM4tR6yP1sD3"}"##;
    assert_eq!(shown(&redactor.json(input)), output);
    let shaped = r#"{"session_id":"ghp_0123456789abcdef0123"}"#;
    assert_eq!(shown(&redactor.json(shaped)), r##"{"session_id":"#"}"##);
}

#[test]
fn a_text_that_passed_before_is_hidden_once_it_is_known_to_be_secret() {
    let before = redactor();
    assert_eq!(before.text("blue-harbour"), "blue-harbour");
    assert_eq!(before.text("blue-harbour"), "blue-harbour");
    let after = before.with_known(vec!["blue-harbour".to_owned()]);
    assert!(!after.text("blue-harbour").contains("harbour"));
    let pattern = RedactOptions { patterns: vec!["blue-[a-z]+".to_owned()], ..RedactOptions::default() };
    let after = before.with_options(&pattern).expect("a pattern");
    assert!(!after.text("blue-harbour").contains("harbour"));
    assert_eq!(before.text("blue-harbour"), "blue-harbour");
}

#[test]
fn a_known_value_that_was_cut_is_hidden_at_the_end() {
    let redactor = redactor().with_known(vec!["hunter2-and-more".to_owned(), "abcd".to_owned()]);
    assert_eq!(shown(&redactor.text("it said hunter2-an…")), "it said #");
    assert_eq!(shown(&redactor.text("it said hunt")), "it said hunt");
    // A short one is only looked for as a word of its own.
    assert_eq!(shown(&redactor.text("abcd abcde (abcd)")), "# abcde (#)");
}

#[test]
fn a_known_value_over_several_parts_of_json_hides_all_of_it() {
    let redactor = redactor().with_known(vec![r#""a":"b","c":7"#.to_owned()]);
    let shown = redactor.json(r#"{"a":"b","c":7}"#);
    assert!(!shown.contains("\"b\"") && serde_json::from_str::<serde_json::Value>(&shown).is_ok(), "{shown}");
}
