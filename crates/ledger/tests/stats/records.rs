//! Records for tests.

use toolwright_ledger::{Change, Failure, Record};

/// 2026-03-16T09:00:00Z.
pub const NOW: i64 = 1_773_651_600_000_000;

/// A successful call that was not changed.
pub fn call(tool: &str) -> Record {
    Record { tool: tool.into(), ts: NOW, duration_us: 100, bytes_in: 10, bytes_out: 20, ..Record::default() }
}

/// A call that a rule changed.
pub fn changed(tool: &str, rule: &str, rule_type: &str) -> Record {
    Record { changes: vec![change(rule, rule_type)], ..call(tool) }
}

/// A change by a rule.
pub fn change(rule: &str, rule_type: &str) -> Change {
    Change {
        code: "N3".into(),
        path: "/old_str".into(),
        from: Some("\"old_str\"".into()),
        to: Some("\"old_text\"".into()),
        rule: Some(rule.into()),
        rule_type: Some(rule_type.into()),
    }
}

/// A failed call.
pub fn failed(tool: &str, code: &str, message: &str) -> Record {
    let error = Failure { code: code.into(), message: message.into(), ..Failure::default() };
    Record { error: Some(error), ..call(tool) }
}
