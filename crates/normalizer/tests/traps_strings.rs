//! Traps in the strings of a call: where one ends, and what only looks like one.

use crate::trap;

use toolwright_model::{Code, Outcome};
use trap::{NUMBER, TEXT, outcome, refused, repaired, tool};

#[test]
fn adjacent_strings_are_neither_joined_nor_split() {
    let read = tool("open_note", &format!(r#""path":{TEXT},"mode":{TEXT}"#), r#""path""#, false);
    for sent in [
        "{'path': 'a' 'b'}",
        "{'path': 'a''b'}",
        "{'path': 'one '\n  'two', 'mode': 'r'}",
        r#"{"path": "one " " two", "mode": 'r'}"#,
        r#"{"path": "a" "b", "mode": 'r'}"#,
        "{'path': `a` `b`}",
    ] {
        refused(&read, sent, Code::AmbiguousReading);
    }
    repaired(&read, "{'path': 'a' 'mode': 'r'}", r#"{"path":"a","mode":"r"}"#);
    repaired(&read, "{'path': 'rock 'n' roll'}", r#"{"path":"rock 'n' roll"}"#);
}

#[test]
fn string_is_not_joined_with_the_next() {
    let read = tool("read_note", &format!(r#""path":{TEXT}"#), r#""path""#, false);
    for sent in
        ["{'path': 'a', 'b'}", "{'path': 'a', b, 'c'}", "{'path': 'a' , 'b', 'c'}", "{'path': `a`, `b`}"]
    {
        refused(&read, sent, Code::AmbiguousReading);
    }
    repaired(&read, "{'path': 'it's here, isn't it'}", r#"{"path":"it's here, isn't it"}"#);
    repaired(&read, "{'path': 'say 'yes', then go'}", r#"{"path":"say 'yes', then go"}"#);
}

#[test]
fn text_after_a_string_is_not_swallowed() {
    let properties =
        format!(r#""city":{TEXT},"unit":{TEXT},"days":{NUMBER},"tags":{{"type":"array","items":{TEXT}}}"#);
    let find = tool("forecast", &properties, "", false);
    // After a wrong separator, or after a lost quote.
    for mark in [";", ":", ".", " ->", " &", " |", " =>", "/", " and", " or", " if x else"] {
        refused(&find, &format!("{{'city': 'Rome'{mark} 'unit': 'C'}}"), Code::AmbiguousReading);
        refused(&find, &format!("{{'city': 'Paris'{mark} 'Milan'}}"), Code::AmbiguousReading);
        refused(&find, &format!("{{'city': `Rome`{mark} `Milan`, 'days': 3}}"), Code::AmbiguousReading);
        refused(&find, &format!("{{'city': “Rome”{mark} “Milan”, 'days': 3}}"), Code::AmbiguousReading);
        refused(&find, &format!(r#"{{"city": "Rome "{mark} " Milan"}}"#), Code::AmbiguousReading);
    }
    for sent in [
        "{'city': 'Rome, 'unit': 'C'}",
        "{'city': 'Rome, 'days': 3}",
        "{'city': 'Rome, 'tags': ['a', 'b']}",
        "{'city': 'Rome, 'unit': 'it's C'}",
        "{'city': 'Rome, 'unit: 'C'}",
        r#"{"city": “Rome, "unit": "C"}"#,
        r#"{"city": "Rome, "days\": "-3"}"#,
        r#"{"city": "Rome, "days": 3}"#,
        "{'city': ''Rome'}",
        "{'city': '' or 'x'}",
    ] {
        refused(&find, sent, Code::AmbiguousReading);
    }
    for sent in [r#"{"tags":"['a'; 'b']"}"#, r#"{"tags":"['a' + 'b', 'c']"}"#] {
        refused(&find, sent, Code::ValueMismatch);
    }
}

#[test]
fn string_in_an_expression_is_refused() {
    let find = tool("forecast", &format!(r#""city":{TEXT},"days":{NUMBER}"#), "", false);
    let wipe = tool("delete_note", &format!(r#""path":{TEXT}"#), r#""path""#, false);
    for value in [
        "'Rome' + 'x'",
        "'%s' % 'a'",
        "'Rome' == 'C'",
        "`a` + `b`",
        "“a” + “b”",
        "'a.'+x+'.b'",
        "'a ' + x + ' b'",
        "'bob' + name",
        "'bob'.upper()",
        "'bob' * 3",
        "'a' + str(5)",
        "' '.join(x)",
        r#""a " + " b""#,
        r#""a".upper()"#,
        r#""a ".join(x)"#,
    ] {
        refused(&find, &format!("{{'city': {value}}}"), Code::Expression);
        refused(&find, &format!("{{'days': 3, 'city': {value}, }}"), Code::Expression);
        refused(&find, &format!("forecast(city={value}, days=3)"), Code::Expression);
        refused(&wipe, &format!("{{'path': {value}}}"), Code::Expression);
    }
    for text in [
        "he said 'hi' to me",
        "'hi' he said",
        "she said 'hi'",
        "he said 'it's ok' to me",
        "don't",
        "the '90s",
        "the dogs' bones",
        "use '--all' or '/tmp' (or 'x')",
    ] {
        repaired(
            &find,
            &format!("{{'city': '{text}', 'days': 3}}"),
            &format!(r#"{{"city":"{text}","days":3}}"#),
        );
    }
    repaired(&find, r#"{"city": "ls "*.txt" now"}"#, r#"{"city":"ls \"*.txt\" now"}"#);
    refused(&find, "{'city': 'he said 'hi' to m", Code::TruncatedText);
    refused(&find, "{'city': 'the dogs' bo", Code::TruncatedText);
}

#[test]
fn expression_is_quoted_without_trailing_text() {
    let find = tool("forecast", &format!(r#""city":{TEXT},"days":{NUMBER}"#), "", false);
    for (sent, token) in [
        ("{'days': 5_000, 'city': 'bob'}", r#""5_000" is"#),
        ("{'city': bob}", r#""bob" is"#),
        ("forecast(days=2*3)", r#""2*3" is"#),
        ("forecast(city=load('a, b'), days=3)", r#""load('a, b')" is"#),
        ("{'city': 'a, b' + c, 'days': 3}", r#""'a, b' + c" is"#),
    ] {
        let Outcome::Refused { problems, .. } = outcome(&find, sent) else { panic!("{sent}") };
        assert!(problems[0].message.starts_with(token), "{sent}: {}", problems[0].message);
    }
}

#[test]
fn python_strings_and_numbers_are_parsed() {
    let properties =
        format!(r#""query":{TEXT},"tags":{{"type":"array","items":{TEXT}}},"min_score":{NUMBER}"#);
    let find = tool("search_docs", &properties, "", false);
    repaired(&find, "{'query': u'x'}", r#"{"query":"x"}"#);
    repaired(
        &find,
        "{u'query': u'x', u'tags': [u'a', u\"b\"], u'min_score': 5}",
        r#"{"query":"x","tags":["a","b"],"min_score":5}"#,
    );
    repaired(&find, r#"{"min_score":5.}"#, r#"{"min_score":5.0}"#);
    refused(&find, r#"{"min_score":5..}"#, Code::Expression);
    refused(&find, r#"{"min_score":5.5.}"#, Code::Expression);
    refused(&find, "{'query': f'x{y}'}", Code::Expression);
    refused(&find, r#"{"query":"x")"#, Code::UnreadableText);
}
