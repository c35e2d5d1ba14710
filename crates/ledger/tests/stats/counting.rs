//! Counting, and the names of the rows.

use std::sync::Arc;
use std::time::{Duration, Instant};

use toolwright_ledger::stats::{OTHERS, Stats, StatsLimits, Step, UNKNOWN};
use toolwright_ledger::{Change, Kind, Record};

use super::records::{NOW, call, change, changed, failed};

#[test]
fn calls_count_by_tool_server_client_and_rule() {
    let stats = Stats::default();
    let at = |server: &str, record: Record| Record {
        toolbox: Some("home".into()),
        server: Some(server.into()),
        client: Some("ann".into()),
        ..record
    };
    stats.observe(&at("a", call("read")));
    stats.observe(&at("b", changed("read", "r1", "param_alias")));
    stats.observe(&at("b", failed("read", "tool_error", "no")));
    stats.observe(&call("clock"));
    stats.observe(&Record { kind: Kind::InProgress, ..at("a", call("read")) });

    let seen = stats.snapshot();
    let total = seen.total.summary();
    assert_eq!((total.processed, total.normalized, total.errors), (4, 1, 1));
    assert_eq!((total.bytes_in, total.bytes_out, total.p50_us, total.max_us), (40, 80, 100, 100));
    let tools: Vec<_> = seen
        .tools
        .iter()
        .map(|row| (row.server.as_deref(), row.tool.as_str(), row.numbers.processed))
        .collect();
    assert_eq!(tools, [(Some("a"), "read", 1), (Some("b"), "read", 2), (None, "clock", 1)]);
    let servers: Vec<_> =
        seen.servers.iter().map(|row| (row.server.as_str(), row.numbers.processed)).collect();
    assert_eq!(servers, [("a", 1), ("b", 2)]);
    assert_eq!((seen.clients[0].client.as_str(), seen.clients[0].numbers.processed), ("ann", 3));
    assert_eq!(
        stats.normalizer(jiff::Timestamp::UNIX_EPOCH).by_tool["read"].processed,
        3,
        "one name in the file"
    );
}

#[test]
fn rule_counts_once_per_call_and_keeps_tool_order() {
    let stats = Stats::default();
    for tool in ["edit", "batch", "edit"] {
        let mut record = changed(tool, "r1", "param_alias");
        record.changes.push(change("r1", "param_alias"));
        stats.observe(&record);
    }
    let rules = stats.snapshot().rules;
    assert_eq!(
        (rules[0].hits, rules[0].tools.as_slice()),
        (3, ["edit".to_owned(), "batch".to_owned()].as_slice())
    );
    assert_eq!(stats.snapshot().recent[0].applied.len(), 2);
}

#[test]
fn change_without_rule_counts_by_code() {
    let stats = Stats::default();
    let change = Change { code: "N1".into(), path: "/filePath".into(), ..Change::default() };
    stats.observe(&Record { changes: vec![change], ..call("read") });
    let rules = stats.snapshot().rules;
    assert_eq!((rules[0].rule_id.as_str(), rules[0].rule_type.as_str()), ("N1", "schema"));
}

#[test]
fn recent_changes_are_the_last_fifty() {
    let stats = Stats::default();
    for number in 0..120 {
        stats.observe(&Record { ts: NOW + number, ..changed("edit", "r1", "param_alias") });
    }
    let recent = stats.snapshot().recent;
    assert_eq!((recent.len(), recent[0].ts, recent[49].ts), (50, NOW + 70, NOW + 119));
    let applied = &recent[0].applied[0];
    assert_eq!(
        (applied.param.as_str(), applied.from.as_deref(), applied.to.as_deref()),
        ("old_str", Some("old_str"), Some("old_text"))
    );
}

#[test]
fn full_table_counts_under_others() {
    let limits = StatsLimits {
        tools: 3,
        clients: 2,
        servers: 2,
        rules: 2,
        tools_over_time: 1,
        ..StatsLimits::default()
    };
    let stats = Stats::new(limits);
    for number in 0..10 {
        let record = changed(&format!("tool{number}"), &format!("rule{number}"), "param_alias");
        stats.observe(&Record {
            client: Some(format!("client{number}")),
            server: Some(format!("server{number}")),
            ..record
        });
    }
    let seen = stats.snapshot();
    let tools: Vec<_> = seen.tools.iter().map(|row| (row.tool.as_str(), row.numbers.processed)).collect();
    assert_eq!(tools, [("tool0", 1), ("tool1", 1), ("tool2", 1), (OTHERS, 7)]);
    assert_eq!((seen.clients.len(), seen.clients[2].numbers.processed), (3, 8));
    assert_eq!((seen.servers.len(), seen.servers[2].numbers.processed), (3, 8));
    assert_eq!((seen.rules.len(), seen.rules[2].hits), (3, 8));
    assert_eq!(seen.total.processed, 10);
    let has_time: Vec<bool> = seen.tools.iter().map(|row| row.over_time.is_some()).collect();
    assert_eq!(has_time, [true, false, false, true]);

    let again = Stats::new(limits);
    again.restore(&seen);
    assert_eq!(again.snapshot(), seen, "the others stay the others");
}

#[test]
fn unknown_tool_names_do_not_fill_the_table() {
    let stats = Stats::default();
    for number in 0..5_000 {
        stats.observe(&failed(&format!("made_up_{number}"), "unknown_tool", "no such tool"));
    }
    stats.observe(&call("real"));
    let tools: Vec<_> =
        stats.snapshot().tools.iter().map(|row| (row.tool.clone(), row.numbers.processed)).collect();
    assert_eq!(tools, [(UNKNOWN.to_owned(), 5_000), ("real".to_owned(), 1)]);
}

#[test]
fn long_names_and_values_are_truncated() {
    let stats = Stats::default();
    let long = "ä".repeat(100_000);
    let mut record = changed(&long, &long, "param_alias");
    record.changes[0].to = Some(long.clone());
    record.changes[0].path = format!("/{long}");
    stats.observe(&record);
    let written = serde_json::to_string(&stats.snapshot()).expect("it can be written");
    assert!(written.len() < 5_000, "{} bytes", written.len());
}

#[test]
fn time_series_cover_all_calls_and_tools() {
    let stats = Stats::default();
    for minute in 0..3 {
        stats.observe(&Record { ts: NOW + minute * 60_000_000, server: Some("a".into()), ..call("read") });
    }
    stats.observe(&failed("write", "tool_error", "no"));
    let end = NOW + 2 * 60_000_000;
    let all: Vec<_> = stats.over_time(Step::Minute, end).iter().rev().take(4).map(|it| it.calls).collect();
    assert_eq!(all, [1, 1, 2, 0]);
    let write = stats.tool_over_time(None, None, "write", Step::Hour, end).expect("it was called");
    assert_eq!((write.len(), write[2_159].calls, write[2_159].errors), (2_160, 1, 1));
    assert!(stats.tool_over_time(None, None, "read", Step::Hour, end).is_none(), "it is a tool of a server");
    assert!(stats.tool_over_time(None, Some("a"), "read", Step::Hour, end).is_some());
}

#[test]
fn threads_lose_no_count() {
    let stats = Arc::new(Stats::default());
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let stats = Arc::clone(&stats);
            scope.spawn(move || {
                for _ in 0..5_000 {
                    stats.observe(&changed(&format!("tool{thread}"), "r1", "param_alias"));
                }
            });
        }
    });
    let seen = stats.snapshot();
    assert_eq!((seen.total.processed, seen.rules[0].hits, seen.tools.len()), (40_000, 40_000, 8));
}

/// The bound is far above the usual time, for busy machines. `--nocapture` prints the figure.
#[test]
fn counting_a_call_is_fast() {
    let stats = Stats::default();
    let records: Vec<Record> = (0..64)
        .map(|number| Record {
            client: Some(format!("client{}", number % 8)),
            server: Some(format!("server{}", number % 4)),
            seq: number + 1,
            ts: NOW + number as i64 * 1_000_000,
            ..call(&format!("tool{number}"))
        })
        .collect();
    let with_changes: Vec<Record> = records
        .iter()
        .map(|record| Record { changes: vec![change("r1", "param_alias")], ..record.clone() })
        .collect();
    for (what, records) in [("as it came", records), ("changed", with_changes)] {
        let count = 100_000;
        let begin = Instant::now();
        for record in records.iter().cycle().take(count) {
            stats.observe(record);
        }
        let each = begin.elapsed() / count as u32;
        println!("{each:?} for one call, {what}");
        assert!(each < Duration::from_micros(50), "{each:?} for one call, {what}");
    }
}
