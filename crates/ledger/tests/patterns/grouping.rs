//! Grouping and reporting of similar errors.

use serde_json::json;
use serde_json::value::RawValue;
use toolwright_ledger::patterns::{Patterns, SuggestedRule, Trend};
use toolwright_ledger::{Failure, Kind, Record};

/// 2026-03-16T09:00:00Z.
const NOW: i64 = 1_773_651_600_000_000;
const SECOND: i64 = 1_000_000;

fn failed(tool: &str, code: &str, message: &str, ts: i64) -> Record {
    let error = Failure { code: code.into(), message: message.into(), ..Failure::default() };
    Record { tool: tool.into(), error: Some(error), ts, ..Record::default() }
}

#[test]
fn similar_errors_are_one_pattern() {
    let patterns = Patterns::default();
    for (number, path) in ["/home/a/1.txt", r"C:\Users\b\2.txt", r"\\host\c", "~/d"].iter().enumerate() {
        let ts = NOW + number as i64 * SECOND;
        patterns.observe(&failed("read", "tool_error", &format!("open {path}: line {number} is bad"), ts));
        patterns.observe(&Record { tool: "read".into(), ts, ..Record::default() });
        patterns.observe(&Record { tool: "read".into(), ts, kind: Kind::InProgress, ..Record::default() });
    }
    patterns.observe(&failed("write", "tool_error", "open /a/b: line 1 is bad", NOW));
    patterns.observe(&failed("read", "timeout", "open /a/b: line 1 is bad", NOW));

    let list = patterns.list(NOW + 4 * SECOND);
    assert_eq!(list.len(), 3, "the tool and the code tell them apart: {list:?}");
    let first = &list[0];
    assert_eq!(first.pattern, "open <PATH>: line <N> is bad");
    assert_eq!((first.count, first.tool.as_str(), first.code.as_str()), (4, "read", "tool_error"));
    assert_eq!(first.first_seen, "2026-03-16T09:00:00Z");
    assert_eq!(first.last_seen, "2026-03-16T09:00:03Z");
    assert_eq!(first.trend, Trend::Stable);
    assert_eq!(first.sample_errors.len(), 3);
    assert_eq!(first.sample_errors[0], "open /home/a/1.txt: line 0 is bad");
    assert_eq!(first.share, Some(4.0 / 9.0));
}

#[test]
fn servers_with_the_same_tool_name_are_distinct() {
    let patterns = Patterns::default();
    for server in ["a", "b"] {
        patterns.observe(&Record { server: Some(server.into()), ..failed("read", "tool_error", "no", NOW) });
    }
    let servers: Vec<_> = patterns.list(NOW).into_iter().filter_map(|it| it.server).collect();
    assert_eq!(servers, ["b", "a"], "the last one first");
}

#[test]
fn samples_are_distinct_and_short() {
    let patterns = Patterns::default();
    for number in [1, 1, 1, 2, 3, 4] {
        let message = format!("line {number} {}", "x".repeat(1_000));
        patterns.observe(&failed("read", "tool_error", &message, NOW));
    }
    let samples = &patterns.list(NOW)[0].sample_errors;
    assert_eq!(samples.iter().map(|it| &it[..6]).collect::<Vec<_>>(), ["line 1", "line 2", "line 3"]);
    assert!(samples.iter().all(|sample| sample.len() == 500));
}

#[test]
fn affected_parameter_is_reported_and_kept_in_the_pattern() {
    let patterns = Patterns::default();
    let arguments = |text: &str| RawValue::from_string(text.to_owned()).ok();
    for value in ["1", "\"two\""] {
        patterns.observe(&Record {
            arguments: arguments(&format!("{{\"file\":{value},\"old_str\":3}}")),
            ..failed("edit", "tool_error", &format!("unknown parameter 'old_str', value {value}"), NOW)
        });
    }
    let mut record = failed("edit", "invalid_arguments", "missing required parameter \"path\" of edit", NOW);
    record.error.as_mut().expect("it failed").parameters = vec!["/path".into()];
    patterns.observe(&record);

    let list = patterns.list(NOW);
    assert_eq!(list[0].pattern, "missing required parameter \"path\" of edit");
    assert_eq!(list[0].parameter.as_deref(), Some("path"));
    let of_old: Vec<_> = list[1..].iter().map(|it| (it.pattern.as_str(), it.parameter.as_deref())).collect();
    assert_eq!(
        of_old,
        [
            ("unknown parameter 'old_str', value <STR>", Some("old_str")),
            ("unknown parameter 'old_str', value <N>", Some("old_str"))
        ]
    );
}

#[test]
fn least_recent_patterns_are_evicted_but_stay_in_the_total() {
    let patterns = Patterns::new(3);
    let see = |word: &str| patterns.observe(&failed("read", "tool_error", word, NOW));
    for word in ["one", "one", "two", "three", "one", "four", "five"] {
        see(word);
    }
    let report = patterns.report(NOW, |_| None);
    let held: Vec<_> = report.patterns.iter().map(|it| (it.pattern.as_str(), it.count)).collect();
    assert_eq!(held, [("one", 3), ("five", 1), ("four", 1)]);
    assert_eq!((report.total_errors, report.forgotten_patterns, report.forgotten_errors), (7, 2, 2));
}

#[test]
fn unbounded_errors_use_bounded_memory() {
    let patterns = Patterns::default();
    let word = |mut number: u32| {
        let mut word = String::new();
        while number > 0 {
            word.push(char::from(b'a' + (number % 26) as u8));
            number /= 26;
        }
        word
    };
    for number in 1..6_000 {
        patterns.observe(&failed(&word(number), "unknown_tool", &word(number), NOW));
    }
    let report = patterns.report(NOW, |_| None);
    assert_eq!((report.unique_patterns, report.patterns.len()), (2_000, 50));
    assert_eq!((report.total_errors, report.forgotten_errors), (5_999, 3_999));
    assert!(report.patterns.iter().all(|pattern| pattern.share.is_none()));
}

#[test]
fn patterns_can_be_rebuilt_from_records() {
    let records: Vec<Record> = (0..500)
        .map(|number| {
            failed(
                "read",
                "tool_error",
                &format!("{} at /a/{number}", ["x", "y", "z"][number % 3]),
                NOW + number as i64,
            )
        })
        .collect();
    let (live, again) = (Patterns::default(), Patterns::default());
    records.iter().for_each(|record| live.observe(record));
    for record in &records {
        let line = serde_json::to_string(record).expect("it can be written");
        again.observe(&serde_json::from_str(&line).expect("it can be read"));
    }
    assert_eq!(live.list(NOW + 600), again.list(NOW + 600));
}

#[test]
fn report_has_the_documented_format() {
    let patterns = Patterns::default();
    patterns.observe(&failed("edit", "tool_error", "no old_text", NOW));
    let report = patterns.report(NOW, |pattern| {
        (pattern.tool == "edit").then(|| SuggestedRule {
            rule_type: "param_alias".into(),
            from: "old_str".into(),
            to: "old_text".into(),
            reason: "seen twice".into(),
            id: None,
        })
    });
    assert_eq!(
        serde_json::to_value(&report).expect("it can be written"),
        json!({
            "patterns": [{
                "pattern": "no old_text", "tool": "edit", "code": "tool_error", "count": 1,
                "first_seen": "2026-03-16T09:00:00Z", "last_seen": "2026-03-16T09:00:00Z", "trend": "stable",
                "sample_errors": ["no old_text"], "share": 1.0,
                "suggested_rule": {
                    "type": "param_alias", "from": "old_str", "to": "old_text", "reason": "seen twice"
                }
            }],
            "total_errors": 1, "unique_patterns": 1, "with_suggestions": 1,
            "forgotten_patterns": 0, "forgotten_errors": 0
        })
    );
}
