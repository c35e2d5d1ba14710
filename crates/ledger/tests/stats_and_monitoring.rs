//! Founding document 004 on stats, monitoring and persistence, sentence by sentence.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use toolwright_ledger::patterns::{Patterns, SuggestedRule, Trend};
use toolwright_ledger::stats::{Stats, StatsFile};
use toolwright_ledger::{Change, Failure, Record};

/// 2026-03-16T09:00:00Z.
const NOW: i64 = 1_773_651_600_000_000;

fn call(tool: &str) -> Record {
    Record { tool: tool.into(), ts: NOW, ..Record::default() }
}

fn renamed(tool: &str) -> Record {
    let change = Change {
        code: "N3".into(),
        path: "/old_str".into(),
        from: Some("\"old_str\"".into()),
        to: Some("\"old_text\"".into()),
        rule: Some("edit-old_str".into()),
        rule_type: Some("param_alias".into()),
    };
    Record { changes: vec![change], ..call(tool) }
}

fn failed(tool: &str, message: &str, ts: i64) -> Record {
    let error = Failure { code: "tool_error".into(), message: message.into(), ..Failure::default() };
    Record { error: Some(error), ts, ..call(tool) }
}

fn on_disk(folder: &std::path::Path) -> Value {
    let text = std::fs::read_to_string(StatsFile::path(folder)).expect("there is a file");
    serde_json::from_str(&text).expect("it can be read")
}

/// "Normalizer: Total processed/normalized, by-tool breakdown, by-rule hits, recent normalizations feed".
#[test]
fn normalizer_total_processed_normalized_by_tool_breakdown_by_rule_hits_recent_normalizations_feed() {
    let stats = Stats::default();
    for record in [call("read_file"), renamed("edit_file"), renamed("multi_edit"), call("edit_file")] {
        stats.observe(&record);
    }
    let now = jiff::Timestamp::from_microsecond(NOW).expect("a moment");
    let applied = json!([{
        "rule_id": "edit-old_str", "type": "param_alias", "param": "old_str", "from": "old_str", "to": "old_text"
    }]);
    assert_eq!(
        serde_json::to_value(stats.normalizer(now)).expect("it can be written"),
        json!({
            "total_processed": 4,
            "total_normalized": 2,
            "last_updated": "2026-03-16T09:00:00Z",
            "by_tool": {
                "edit_file": {"processed": 2, "normalized": 1},
                "multi_edit": {"processed": 1, "normalized": 1},
                "read_file": {"processed": 1, "normalized": 0}
            },
            "by_rule": {
                "edit-old_str": {
                    "rule_id": "edit-old_str", "type": "param_alias", "hits": 2, "tools": ["edit_file", "multi_edit"]
                }
            },
            "recent_normalizations": [
                {"ts": "2026-03-16T09:00:00Z", "tool": "edit_file", "applied": applied},
                {"ts": "2026-03-16T09:00:00Z", "tool": "multi_edit", "applied": applied}
            ]
        })
    );
}

/// "Error Patterns: Groups recurring errors by tool and pattern, …".
#[test]
fn error_patterns_groups_recurring_errors_by_tool_and_pattern() {
    let patterns = Patterns::default();
    for (tool, path) in [("read_file", "/a/b"), ("read_file", r"C:\a\b"), ("edit_file", "/a/b")] {
        patterns.observe(&failed(tool, &format!("{path} not found"), NOW));
    }
    let found: Vec<_> = patterns.list(NOW).into_iter().map(|it| (it.tool, it.pattern, it.count)).collect();
    assert_eq!(
        found,
        [
            ("read_file".to_owned(), "<PATH> not found".to_owned(), 2),
            ("edit_file".to_owned(), "<PATH> not found".to_owned(), 1)
        ]
    );
}

/// "… shows trends, …".
#[test]
fn error_patterns_shows_trends() {
    let trend_of = |seconds: &[i64]| {
        let patterns = Patterns::default();
        let moments: Vec<i64> = seconds.iter().map(|second| NOW + second * 1_000_000).collect();
        moments.iter().for_each(|ts| patterns.observe(&failed("read_file", "not found", *ts)));
        patterns.list(moments[moments.len() - 1])[0].trend
    };
    assert_eq!(trend_of(&[0, 60, 120, 180, 181, 182, 183]), Trend::Increasing);
    assert_eq!(trend_of(&[0, 60, 120, 180, 240, 300, 360]), Trend::Stable);
    assert_eq!(trend_of(&[0, 1, 2, 3, 63, 123, 183]), Trend::Decreasing);
}

/// "… suggests new normalizer rules". The learner chooses the rules; this tests that the report contains them.
#[test]
fn error_patterns_suggests_new_normalizer_rules() {
    let patterns = Patterns::default();
    patterns.observe(&failed("edit_file", "unknown parameter", NOW));
    patterns.observe(&failed("read_file", "not found", NOW));
    let rule =
        SuggestedRule { rule_type: "param_alias".into(), from: "old_str".into(), ..SuggestedRule::default() };
    let report = patterns.report(NOW, |pattern| (pattern.tool == "edit_file").then(|| rule.clone()));
    assert_eq!((report.with_suggestions, report.unique_patterns, report.total_errors), (1, 2, 2));
    let of_edit = report.patterns.iter().find(|it| it.tool == "edit_file").expect("it is listed");
    assert_eq!(of_edit.suggested_rule.as_ref(), Some(&rule));
}

/// "Normalizer stats are written to normalizer_stats.json every 30 seconds …".
#[tokio::test(start_paused = true)]
async fn normalizer_stats_are_written_to_normalizer_stats_json_every_30_seconds() {
    let folder = tempfile::tempdir().expect("a folder");
    let stats = Arc::new(Stats::default());
    let (file, _) = StatsFile::open(folder.path(), "a", Arc::clone(&stats)).expect("it opens");
    assert_eq!(on_disk(folder.path())["total_processed"], 0, "it is there from the start");
    let stop = CancellationToken::new();
    let writing = tokio::spawn(Arc::new(file).run(stop.clone()));
    tokio::time::sleep(Duration::from_secs(1)).await;
    for round in 1..=3 {
        stats.observe(&call("read_file"));
        tokio::time::sleep(Duration::from_secs(28)).await;
        assert_eq!(on_disk(folder.path())["total_processed"], round - 1, "not before 30 seconds are over");
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert_eq!(on_disk(folder.path())["total_processed"], round);
    }
    // And at shutdown.
    stats.observe(&call("read_file"));
    stop.cancel();
    writing.await.expect("it ends");
    assert_eq!(on_disk(folder.path())["total_processed"], 4);
}

/// "… (when --log-dir is set), …": counting does not need a folder, and writes nothing without one.
#[test]
fn when_log_dir_is_set() {
    let folder = tempfile::tempdir().expect("a folder");
    let stats = Arc::new(Stats::default());
    stats.observe(&call("read_file"));
    assert_eq!(stats.snapshot().total.processed, 1);
    assert!(!StatsFile::path(folder.path()).exists());
    let _opened = StatsFile::open(folder.path(), "a", Arc::clone(&stats)).expect("it opens");
    assert_eq!(on_disk(folder.path())["total_processed"], 1, "what was counted before is in it");
}

/// "… preserving data across server restarts."
#[test]
fn preserving_data_across_server_restarts() {
    let folder = tempfile::tempdir().expect("a folder");
    for round in 1..=4 {
        let stats = Arc::new(Stats::default());
        let (file, restored) = StatsFile::open(folder.path(), "a", Arc::clone(&stats)).expect("it opens");
        assert_eq!((restored.calls, restored.has_part), (round - 1, round > 1));
        stats.observe(&renamed("edit_file"));
        file.flush().expect("it is written");
        let report = on_disk(folder.path());
        assert_eq!(report["total_processed"], round);
        assert_eq!(report["by_tool"]["edit_file"]["normalized"], round);
        assert_eq!(report["by_rule"]["edit-old_str"]["hits"], round);
        assert_eq!(report["recent_normalizations"].as_array().map(Vec::len), Some(round as usize));
    }
}

/// "Normalizations field in audit entries": an entry contains the changes, and stats can be rebuilt from entries.
#[test]
fn normalizations_field_in_audit_entries() {
    let line = serde_json::to_string(&renamed("edit_file")).expect("it can be written");
    let entry: Record = serde_json::from_str(&line).expect("it can be read");
    let stats = Stats::default();
    stats.catch_up([entry]);
    assert_eq!(stats.snapshot().rules[0].rule_id, "edit-old_str");
}
