//! Exchanges with models are recorded next to calls, and do not affect call statistics or learning.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use toolwright_ledger::index::{ExchangeFilter, ExchangesBy, Filter};
use toolwright_ledger::journal::{Journal, interrupted, verify};
use toolwright_ledger::learn::Definitions;
use toolwright_ledger::{Exchange, Failure, Kind, LLM_FRONT, Ledger, LedgerOptions, Record};
use toolwright_model::ToolDefinition;

/// Has no tools.
struct NoTools;

impl Definitions for NoTools {
    fn definition(&self, _: &Record) -> Option<ToolDefinition> {
        None
    }

    fn generation(&self) -> u64 {
        1
    }
}

fn open(folder: &Path) -> Ledger {
    let options = LedgerOptions {
        folder: folder.join("state"),
        log_dir: Some(folder.join("logs")),
        secrets: vec!["hunter2-hunter2".to_owned()],
        ..LedgerOptions::default()
    };
    Ledger::open(options).expect("a ledger").0
}

fn exchange(model: &str) -> Record {
    let about = Exchange {
        dialect: "anthropic".into(),
        upstream: "openai".into(),
        model: model.into(),
        upstream_model: "gpt".into(),
        status: 502,
        output_tokens: Some(3),
        calls: 1,
        repaired: 1,
        notes: vec!["hunter2-hunter2 was left out".into()],
        request: Some(r#"{"messages":[{"role":"user","content":"hunter2-hunter2"}]}"#.into()),
        ..Exchange::default()
    };
    let error = Failure { code: "upstream_error".into(), message: "over".into(), ..Failure::default() };
    Record {
        ts: 1_790_000_000_000_000,
        call: format!("exchange-{model}"),
        client: Some("claude".into()),
        front: LLM_FRONT.into(),
        server: Some("openai".into()),
        error: Some(error),
        duration_us: 9_000_000,
        exchange: Some(Box::new(about)),
        ..Record::default()
    }
}

/// A call that a model made of a tool that only its client has.
fn unknown_call(seq: u64, error: Option<Failure>) -> Record {
    Record {
        ts: 1_790_000_000_000_000,
        call: format!("call-{seq}"),
        client: Some("claude".into()),
        front: LLM_FRONT.into(),
        tool: "TodoWrite".into(),
        error,
        ..Record::default()
    }
}

fn write_some(ledger: &Ledger) {
    for number in 0..5 {
        ledger.exchange(exchange(&format!("model-{number}")));
        let sent = ledger.hide(r#"{"todos":[]}"#);
        ledger.end(unknown_call(number, None), sent, Default::default());
    }
    let refused = Failure { code: "invalid_arguments".into(), message: "no".into(), ..Failure::default() };
    ledger.end(unknown_call(5, Some(refused)), ledger.hide("{}"), Default::default());
}

#[test]
fn exchange_is_journaled_but_not_counted_as_call() {
    let scratch = tempfile::tempdir().expect("a folder");
    let ledger = open(scratch.path());
    write_some(&ledger);
    let folder = ledger.journal().folder().to_owned();
    let checked = verify(&folder).expect("readable");
    assert!(checked.is_whole() && checked.records == 11, "{checked:?}");
    assert!(interrupted(&folder).expect("readable").is_empty());
    let records: Vec<Record> = Journal::read(&folder, 1).map(|record| record.expect("whole")).collect();
    let exchanges: Vec<&Record> = records.iter().filter(|record| record.kind == Kind::Exchange).collect();
    assert_eq!((exchanges.len(), exchanges[0].tool.as_str()), (5, ""));
    let about = exchanges[0].exchange.as_ref().expect("what is particular");
    assert_eq!((about.model.as_str(), about.status, about.output_tokens), ("model-0", 502, Some(3)));
    let text = std::fs::read_dir(&folder)
        .expect("a folder")
        .flatten()
        .filter_map(|entry| std::fs::read_to_string(entry.path()).ok())
        .collect::<String>();
    assert!(!text.contains("hunter2") && text.contains("\"request\":"), "{text}");

    // Six calls of one tool, one of which failed.
    let check = |ledger: &Ledger| {
        let summary = ledger.stats().summary();
        let summary = serde_json::to_value(&summary).expect("JSON");
        assert!(
            !summary.to_string().contains("openai") && !summary.to_string().contains("model-"),
            "{summary}"
        );
        let numbers = serde_json::to_value(ledger.normalizer_stats()).expect("JSON");
        assert_eq!(
            (&numbers["total_processed"], &numbers["total_normalized"]),
            (&6.into(), &0.into()),
            "{numbers}"
        );
    };
    check(&ledger);
    let patterns = ledger.patterns().list(1_790_000_000_000_000);
    assert_eq!(patterns.len(), 1, "{patterns:?}");
    drop(ledger);
    // Counting the journal again gives the same result.
    check(&open(scratch.path()));
}

#[tokio::test]
async fn exchanges_are_indexed_despite_unknown_tools() {
    let scratch = tempfile::tempdir().expect("a folder");
    let ledger = Arc::new(open(scratch.path()));
    let stop = CancellationToken::new();
    let keeping = tokio::spawn(Arc::clone(&ledger).keep(Arc::new(NoTools), stop.clone()));
    write_some(&ledger);
    let deadline = tokio::time::Instant::now() + Duration::from_secs(60);
    while ledger.indexer().and_then(|status| status.indexed) != Some(11) {
        assert!(tokio::time::Instant::now() < deadline, "the index does not follow");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let store = ledger.store().expect("a store");
    let usual = ExchangeFilter::default();
    assert_eq!(store.exchanges(&usual, None, 100).await.expect("an answer").exchanges.len(), 5);
    let sums = store.exchange_sums(&usual, ExchangesBy::Model, 100).await.expect("sums");
    assert_eq!((sums.len(), sums[0].repaired, sums[0].ok), (5, 1, 0));
    assert_eq!(store.calls(&Filter::default(), None, 100).await.expect("an answer").calls.len(), 6);
    stop.cancel();
    keeping.await.expect("it ends");
    assert!(ledger.learning().suggestions().is_empty());
}

#[test]
fn older_records_round_trip() {
    let old = r#"{"seq":7,"ts":5,"node":"n","kind":"call","call":"c","front":"","tool":"t","stages":{"transport":"not_reached","protocol":"not_reached","tool":"not_reached"},"duration_us":0,"bytes_in":0,"bytes_out":0}"#;
    let record: Record = serde_json::from_str(old).expect("a record");
    assert!(record.exchange.is_none());
    assert_eq!(serde_json::to_string(&record).expect("JSON"), old);
    // An exchange with fewer, or more, fields than this version has.
    let other = r#"{"seq":1,"ts":5,"node":"n","kind":"exchange","call":"c","tool":"","exchange":{"model":"m","later":1}}"#;
    let record: Record = serde_json::from_str(other).expect("a record");
    assert_eq!(record.exchange.expect("an exchange").model, "m");
}
