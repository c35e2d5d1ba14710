//! Properties that hold for all records.

use proptest::prelude::*;
use toolwright_ledger::stats::{NormalizerStats, Snapshot, Stats, StatsLimits};
use toolwright_ledger::{Failure, Record};

use super::records::{NOW, call, change};

fn record() -> impl Strategy<Value = Record> {
    let names = (0..5_u8, 0..4_u8, 0..3_u8);
    let rules = prop::collection::vec(0..4_u8, 0..3);
    let numbers = (-10_000_000_000_i64..10_000_000_000, any::<u32>(), any::<u32>(), any::<u32>());
    (names, rules, numbers, any::<bool>()).prop_map(|((tool, server, client), rules, numbers, is_error)| {
        let (ts, duration, bytes_in, bytes_out) = numbers;
        Record {
            ts: NOW + ts,
            server: (server > 0).then(|| format!("server{server}")),
            client: (client > 0).then(|| format!("client{client}")),
            changes: rules.iter().map(|rule| change(&format!("rule{rule}"), "param_alias")).collect(),
            error: is_error.then(Failure::default),
            duration_us: duration.into(),
            bytes_in: bytes_in.into(),
            bytes_out: bytes_out.into(),
            ..call(&format!("tool{tool}"))
        }
    })
}

fn counted<'a>(records: impl IntoIterator<Item = &'a Record>) -> Stats {
    let stats = Stats::default();
    for record in records {
        stats.observe(record);
    }
    stats
}

/// Without the order, which depends on arrival, and without the list of the last changes.
fn unordered(mut snapshot: Snapshot) -> Snapshot {
    snapshot.tools.sort_by_key(|row| (row.server.clone(), row.tool.clone()));
    snapshot.servers.sort_by_key(|row| row.server.clone());
    snapshot.clients.sort_by_key(|row| row.client.clone());
    snapshot.rules.sort_by_key(|row| row.rule_id.clone());
    for rule in &mut snapshot.rules {
        rule.tools.sort();
    }
    snapshot.recent.clear();
    snapshot
}

proptest! {
    #[test]
    fn merge_equals_counting_everything(
        first in prop::collection::vec(record(), 0..60),
        second in prop::collection::vec(record(), 0..60),
    ) {
        let (one, two) = (counted(&first).snapshot(), counted(&second).snapshot());
        let both = counted(first.iter().chain(&second)).snapshot();
        let limits = StatsLimits::default();
        prop_assert_eq!(unordered(one.merge(&two, limits)), unordered(both.clone()));
        prop_assert_eq!(unordered(two.merge(&one, limits)), unordered(both.clone()));

        let normalizer_stats = |snapshot: &Snapshot| snapshot.normalizer(jiff::Timestamp::UNIX_EPOCH);
        let mut sum = normalizer_stats(&one);
        sum.add(&normalizer_stats(&two), 50);
        let without_recent = |mut normalizer_stats: NormalizerStats| {
            normalizer_stats.recent_normalizations.clear();
            for rule in normalizer_stats.by_rule.values_mut() {
                rule.tools.sort();
            }
            normalizer_stats
        };
        prop_assert_eq!(sum.recent_normalizations.len(), normalizer_stats(&both).recent_normalizations.len());
        prop_assert_eq!(without_recent(sum.clone()), without_recent(normalizer_stats(&both)));
        prop_assert_eq!(sum.beyond(&sum), None);
        let lost = sum.beyond(&normalizer_stats(&one)).map_or(0, |lost| lost.total_processed);
        prop_assert_eq!(lost, second.len() as u64);
    }

    #[test]
    fn restart_changes_no_counts(
        mut records in prop::collection::vec(record(), 0..100),
        at in any::<prop::sample::Index>(),
    ) {
        // After a restart the list of the last changes is ordered by time.
        records.sort_by_key(|record| record.ts);
        let at = at.index(records.len() + 1);
        let written = serde_json::to_string(&counted(&records[..at]).snapshot()).expect("it can be written");
        let again = Stats::default();
        again.restore(&serde_json::from_str(&written).expect("it can be read"));
        for record in &records[at..] {
            again.observe(record);
        }
        prop_assert_eq!(again.snapshot(), counted(&records).snapshot());
    }

    #[test]
    fn records_after_the_last_snapshot_are_counted_once(
        records in prop::collection::vec(record(), 1..80),
        order in any::<u64>(),
        at in any::<prop::sample::Index>(),
    ) {
        let mut records = records;
        for (number, record) in records.iter_mut().enumerate() {
            record.seq = number as u64 + 1;
            record.node = "a".into();
        }
        // Calls end concurrently: neighbours swap.
        let mut ended: Vec<Record> = records.clone();
        for place in 1..ended.len() {
            if order >> (place % 64) & 1 == 1 {
                ended.swap(place - 1, place);
            }
        }
        // The first sequence number that is seen counts as the first one.
        let stats = Stats::default();
        stats.catch_up(&records[..1]);
        ended.retain(|record| record.seq != 1);
        let at = at.index(ended.len() + 1);
        for record in &ended[..at] {
            stats.observe(record);
        }
        let again = Stats::default();
        again.restore(&stats.snapshot());
        let late = again.catch_up(&records);
        prop_assert_eq!(late as usize, ended.len() - at);
        prop_assert_eq!(unordered(again.snapshot()), unordered(counted(&records).snapshot()));
    }
}
