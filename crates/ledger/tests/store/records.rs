//! Records for the store tests.

use serde_json::value::RawValue;
use toolwright_ledger::{Change, Exchange, Failure, Kind, Reached, Record, Stages};

/// A reference time in microseconds: the start of an hour.
pub const START: i64 = 1_790_000_000_000_000 / 3_600_000_000 * 3_600_000_000;
pub const SECOND: i64 = 1_000_000;

pub fn json(text: &str) -> Option<Box<RawValue>> {
    Some(RawValue::from_string(text.to_owned()).expect("the test's JSON is JSON"))
}

/// A successful call, a second after the previous one.
pub fn call(node: &str, seq: u64) -> Record {
    Record {
        seq,
        ts: START + i64::try_from(seq).expect("small") * SECOND,
        node: node.to_owned(),
        kind: Kind::Call,
        call: format!("{node}-call-{seq}"),
        client: Some("claude".to_owned()),
        session: Some("s1".to_owned()),
        front: "mcp".to_owned(),
        toolbox: Some("box".to_owned()),
        server: Some("files".to_owned()),
        tool: "read_file".to_owned(),
        schema: Some("abc".to_owned()),
        arguments: json(r#"{"path":"/etc/hosts","n":1.50}"#),
        stages: Stages { transport: Reached::Passed, protocol: Reached::Passed, tool: Reached::Passed },
        duration_us: seq * 10,
        bytes_in: 30,
        bytes_out: 100,
        ..Record::default()
    }
}

pub fn failed(node: &str, seq: u64, code: &str, message: &str) -> Record {
    let parameters = vec!["/path".to_owned()];
    let error =
        Failure { code: code.to_owned(), message: message.to_owned(), parameters, is_from_tool: true };
    let stages = Stages { tool: Reached::Failed, ..call(node, seq).stages };
    Record { error: Some(error), stages, ..call(node, seq) }
}

pub fn changed(node: &str, seq: u64, rules: &[Option<&str>]) -> Record {
    let change = |rule: &Option<&str>| Change {
        code: "param_renamed".to_owned(),
        path: "/path".to_owned(),
        from: Some("\"file\"".to_owned()),
        to: Some("\"path\"".to_owned()),
        rule: rule.map(str::to_owned),
        rule_type: rule.map(|_| "param_alias".to_owned()),
    };
    Record {
        changes: rules.iter().map(change).collect(),
        normalized: json(r#"{"path":"mended"}"#),
        ..call(node, seq)
    }
}

/// The start record of the call whose end record has the next sequence number.
pub fn begun(node: &str, seq: u64) -> Record {
    let end = call(node, seq + 1);
    Record { seq, kind: Kind::InProgress, ts: end.ts, stages: Stages::default(), duration_us: 0, ..end }
}

/// A successful exchange with a model, a second after the previous one.
pub fn exchange(node: &str, seq: u64, model: &str) -> Record {
    let about = Exchange {
        dialect: "anthropic".to_owned(),
        upstream: "openai".to_owned(),
        upstream_dialect: "openai-chat".to_owned(),
        model: model.to_owned(),
        upstream_model: format!("{model}-up"),
        is_stream: true,
        status: 200,
        input_tokens: Some(100),
        output_tokens: Some(20),
        first_token_us: Some(seq * 5),
        stop: Some("tool_calls".to_owned()),
        calls: 2,
        repaired: 1,
        attempts: 1,
        notes: vec!["top_k was left out".to_owned()],
        ..Exchange::default()
    };
    Record {
        kind: Kind::Exchange,
        call: format!("{node}-exchange-{seq}"),
        front: "llm".to_owned(),
        toolbox: None,
        server: Some("openai".to_owned()),
        tool: String::new(),
        schema: None,
        arguments: None,
        exchange: Some(Box::new(about)),
        ..call(node, seq)
    }
}
