//! Canonical definitions, their fingerprints, and diffs.

use toolwright_security::{Class, Definition, Line, MAX_FIELDS, compare, diff};

fn read(text: &str) -> Definition {
    Definition::read(text).expect("a tool")
}

#[test]
fn definition_has_one_canonical_form() {
    let one = read(r#"{"name":"a","inputSchema":{"type":"object","b":1,"a":2}}"#);
    let other = read("{ \"inputSchema\": {\"a\":2, \"b\":1, \"type\":\"object\"},\n \"name\": \"a\" }");
    assert_eq!(one.canonical(), r#"{"inputSchema":{"a":2,"b":1,"type":"object"},"name":"a"}"#);
    assert_eq!(one.canonical(), other.canonical());
    assert_eq!(one.fingerprint("npx a"), other.fingerprint("npx a"));
    assert_eq!(one.name(), "a");
    assert!(one.pretty().contains("\n  \"name\": \"a\""));
}

#[test]
fn invalid_tool_is_not_parsed() {
    let deep = format!(r#"{{"name":"a","x":{}}}"#, "[".repeat(300) + &"]".repeat(300));
    for text in ["", "[]", "{}", r#"{"name":1}"#, r#"{"name":"a"} x"#, "{\"name\":", &deep] {
        assert!(Definition::read(text).is_none(), "{text}");
    }
}

#[test]
fn meta_is_excluded_and_unknown_fields_are_not() {
    let plain = read(r#"{"name":"a"}"#);
    assert_eq!(plain.canonical(), read(r#"{"name":"a","_meta":{"time":1}}"#).canonical());
    assert_ne!(plain.canonical(), read(r#"{"name":"a","icons":[]}"#).canonical());
}

#[test]
fn fingerprint_covers_the_command() {
    let tool = read(r#"{"name":"a"}"#);
    assert_ne!(tool.fingerprint("a"), tool.fingerprint("b"));
    assert_ne!(tool.fingerprint(""), tool.fingerprint(" "));
    assert_eq!(tool.fingerprint("a").as_str().len(), 64);
}

#[test]
fn duplicate_keys_are_both_retained() {
    let once = read(r#"{"name":"a","description":"good"}"#);
    for text in [
        r#"{"name":"a","description":"evil","description":"good"}"#,
        r#"{"name":"a","description":"good","description":"evil"}"#,
    ] {
        let twice = read(text);
        assert_ne!(once.canonical(), twice.canonical());
        assert_eq!(compare(&once, &twice).class, Class::Meaning);
        assert_eq!(twice.canonical(), read(&twice.canonical()).canonical(), "what was read is read the same");
    }
}

#[test]
fn fields_are_listed_by_path_and_bounded() {
    let old =
        read(r#"{"name":"a","inputSchema":{"properties":{"path":{"type":"string"}},"anyOf":[{"x":1}]}}"#);
    let new =
        read(r#"{"name":"a","inputSchema":{"properties":{"path":{"type":"number"}},"anyOf":[{"x":2}]}}"#);
    let change = compare(&old, &new);
    assert_eq!(change.fields, ["inputSchema.anyOf[0].x", "inputSchema.properties.path.type"]);
    assert_eq!(change.class, Class::Meaning);
    let many: Vec<String> = (0..80).map(|number| format!(r#""f{number}":1"#)).collect();
    let change = compare(&old, &read(&format!(r#"{{"name":"a",{}}}"#, many.join(","))));
    assert_eq!((change.fields.len(), change.more), (MAX_FIELDS, 31));
}

#[test]
fn property_named_description_is_not_a_description() {
    let old = read(r#"{"name":"a","inputSchema":{"properties":{"description":{"description":"x"}}}}"#);
    let words = read(r#"{"name":"a","inputSchema":{"properties":{"description":{"description":"y"}}}}"#);
    let meaning = read(r#"{"name":"a","inputSchema":{"properties":{"description":"y"}}}"#);
    assert_eq!(compare(&old, &words).class, Class::Words);
    assert_eq!(compare(&old, &meaning).class, Class::Meaning);
}

#[test]
fn diff_shows_context_lines() {
    let old: Vec<String> = (0..20).map(|number| number.to_string()).collect();
    let mut new = old.clone();
    new[10] = "ten".to_owned();
    let lines = diff(&old.join("\n"), &new.join("\n"));
    let same = |text: &str| Line::Same(text.to_owned());
    let expected = [
        Line::Elided(7),
        same("7"),
        same("8"),
        same("9"),
        Line::Removed("10".to_owned()),
        Line::Added("ten".to_owned()),
        same("11"),
        same("12"),
        same("13"),
        Line::Elided(6),
    ];
    assert_eq!(lines, expected);
    assert!(diff("a\nb", "a\nb").is_empty());
    assert_eq!(diff("", "a"), [Line::Added("a".to_owned())]);
}

#[test]
fn huge_texts_are_listed_one_after_the_other() {
    let old = "a\n".repeat(50_000);
    let lines = diff(&old, "b");
    assert!(lines.len() < 1_010);
    assert!(lines.contains(&Line::Elided(49_000)));
    assert_eq!(lines.last(), Some(&Line::Added("b".to_owned())));
    let (old, new) = (numbered(0, 3_900), numbered(10_000, 3_900));
    assert!(diff(&old, &new).len() < 2_010, "too many pairs to compare");
}

fn numbered(from: usize, count: usize) -> String {
    (from..from + count).map(|number| format!("{number}\n")).collect()
}
