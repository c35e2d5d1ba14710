//! Properties that hold for any record.

use proptest::prelude::*;
use serde_json::value::RawValue;
use tempfile::tempdir;
use toolwright_ledger::journal::verify;
use toolwright_ledger::{Change, Failure, Kind, Reached, Record, Stages};

use crate::support::{open, read};

fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("1.50".to_owned()),
        Just("-0".to_owned()),
        Just("12345678901234567890123".to_owned()),
        any::<String>().prop_map(|text| serde_json::to_string(&text).expect("a string")),
    ];
    // With line breaks and spaces between the tokens, as people and models write it.
    leaf.prop_recursive(3, 20, 4, |inner| {
        let pair = (any::<String>(), inner.clone());
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(|items| format!("[\n {} \r\n]", items.join(",\n"))),
            prop::collection::vec(pair, 0..4).prop_map(|pairs| {
                let pairs = pairs.into_iter().map(|(key, value)| {
                    format!("{}\t:\r\n{value}", serde_json::to_string(&key).expect("a string"))
                });
                format!("{{{}}}", pairs.collect::<Vec<String>>().join(" ,"))
            }),
        ]
    })
}

prop_compose! {
    fn any_record()(
        ts in any::<i64>(),
        call in any::<String>(),
        tool in any::<String>(),
        client in any::<Option<String>>(),
        // A bare null is read back as absent: a record does not distinguish the two.
        arguments in prop::option::of(json().prop_filter("null", |text| text != "null")),
        message in any::<String>(),
        is_begun in any::<bool>(),
        duration_us in any::<u64>(),
    ) -> Record {
        Record {
            ts, call, tool, client, duration_us,
            kind: if is_begun { Kind::InProgress } else { Kind::Call },
            arguments: arguments.map(|text| RawValue::from_string(text).expect("JSON")),
            changes: vec![Change { code: "x".into(), path: message.clone(), ..Change::default() }],
            stages: Stages { tool: Reached::Failed, ..Stages::default() },
            error: Some(Failure { message, ..Failure::default() }),
            ..Record::default()
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_record_round_trips(records in prop::collection::vec(any_record(), 1..8)) {
        let folder = tempdir().unwrap();
        let (journal, _) = open(folder.path());
        for record in &records {
            journal.append(record.clone()).unwrap();
        }
        let (found, damage) = read(folder.path());
        prop_assert_eq!(damage, []);
        prop_assert_eq!(found.len(), records.len());
        for (number, (mut sent, found)) in records.into_iter().zip(found).enumerate() {
            (sent.seq, sent.node) = (number as u64 + 1, "here".into());
            // Line breaks between tokens become spaces; nothing else changes.
            let sent = serde_json::to_string(&sent).unwrap().replace(['\n', '\r'], " ");
            prop_assert_eq!(serde_json::to_string(&found).unwrap(), sent);
        }
        prop_assert_eq!(verify(folder.path()).unwrap().bad, 0);
    }
}
