//! Contract of every store, with any database. Each check gets an empty store.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use tokio::time::timeout;
use toolwright_ledger::Record;
use toolwright_ledger::index::{
    By, ExchangeFilter, ExchangesBy, Filter, FoundCall, Menu, RETIRED, SharedRule, State, Status, Store,
    StoreError,
};

use crate::records::{SECOND, START, begun, call, changed, exchange, failed, json};

pub type Check = fn(Store) -> Pin<Box<dyn Future<Output = ()> + Send>>;

macro_rules! checks {
    ($($name:ident),* $(,)?) => {
        /// Every check by its name.
        pub const CHECKS: &[(&str, Check)] = &[$((stringify!($name), |store| Box::pin($name(store)))),*];
    };
}

checks! {
    record_round_trips,
    insert_is_idempotent,
    records_with_equal_times_are_all_stored,
    large_batches_are_inserted,
    end_record_replaces_start_record,
    call_without_end_is_running_or_interrupted,
    calls_match_every_filter,
    text_search_ignores_case,
    unusual_characters_round_trip,
    pages_follow_each_other_without_gaps,
    sums_count_and_rank,
    sums_follow_the_clock,
    equal_errors_are_grouped,
    filter_values_are_listed,
    pruned_records_are_deleted,
    forgotten_node_restarts_at_one,
    rules_are_versioned_without_lost_updates,
    watch_returns_every_change,
    exchange_round_trips_and_is_no_call,
    exchanges_match_every_filter,
    exchanges_are_summed_up_by_model,
    exchanges_are_pruned_with_calls,
}

async fn filled(store: &Store, records: &[Record]) -> usize {
    store.insert(records).await.expect("records are put in")
}

async fn found(store: &Store, filter: Filter) -> Vec<FoundCall> {
    store.calls(&filter, None, 2_000).await.expect("an answer").calls
}

async fn numbers(store: &Store, filter: Filter) -> Vec<u64> {
    found(store, filter).await.iter().map(|call| call.record.seq).collect()
}

fn text(record: &Record) -> String {
    serde_json::to_string(record).expect("a record is JSON")
}

async fn record_round_trips(store: Store) {
    let mut record = changed("a", 1, &[Some("r1"), None]);
    record.error = failed("a", 1, "tool_failed", "no such file: \"x\"\n").error;
    filled(&store, &[record.clone()]).await;
    let calls = found(&store, Filter::default()).await;
    assert_eq!(calls.len(), 1);
    assert_eq!(text(&calls[0].record), text(&record));
    assert_eq!(calls[0].state, State::Error);
    let one = store.call("a-call-1").await.expect("an answer").expect("the call");
    assert_eq!(text(&one.record), text(&record));
    assert!(store.call("a-call-2").await.expect("an answer").is_none());
    assert_eq!(store.indexed("a").await.expect("an answer"), 1);
    assert_eq!(store.indexed("b").await.expect("an answer"), 0);
}

async fn insert_is_idempotent(store: Store) {
    let records: Vec<Record> = (1..=30).map(|seq| changed("a", seq, &[Some("r")])).collect();
    assert_eq!(filled(&store, &records).await, 30);
    assert_eq!(filled(&store, &records[10..]).await, 0);
    let more: Vec<Record> = (20..=40).map(|seq| call("a", seq)).collect();
    assert_eq!(filled(&store, &more).await, 10);
    let twice = [call("b", 1), call("b", 1), call("b", 2)];
    assert_eq!(filled(&store, &twice).await, 2);
    assert_eq!(
        numbers(&store, Filter { node: Some("a".into()), ..Filter::default() }).await,
        (1..=40).rev().collect::<Vec<_>>()
    );
    let rules = store.sums(&Filter::default(), By::Rule, 10).await.expect("sums");
    assert_eq!((rules[0].key.as_str(), rules[0].calls), ("r", 30));
    assert_eq!(found(&store, Filter { text: Some("mended".into()), ..Filter::default() }).await.len(), 30);
    assert_eq!(store.indexed("a").await.expect("an answer"), 40);
}

async fn records_with_equal_times_are_all_stored(store: Store) {
    // A stopped clock, and two gateways.
    let at_once = |node: &str, seq: u64| Record { ts: START, ..call(node, seq) };
    for node in ["a", "b"] {
        let records: Vec<Record> = (1..=1_300).map(|seq| at_once(node, seq)).collect();
        assert_eq!(filled(&store, &records).await, 1_300);
        assert_eq!(filled(&store, &records).await, 0);
    }
    for node in ["a", "b"] {
        let mut numbers = numbers(&store, Filter { node: Some(node.into()), ..Filter::default() }).await;
        numbers.sort_unstable();
        assert_eq!(numbers, (1..=1_300).collect::<Vec<_>>());
    }
    let exactly =
        Filter { from: Some(START), to: Some(START + 1), text: Some("hosts".into()), ..Filter::default() };
    assert_eq!(store.sums(&exactly, By::Tool, 1).await.expect("sums")[0].calls, 2_600);
    let before = Filter { to: Some(START), ..Filter::default() };
    assert!(found(&store, before).await.is_empty());
}

async fn large_batches_are_inserted(store: Store) {
    let large = json(&format!("{:?}", "word ".repeat(200_000)));
    let records: Vec<Record> = (1..=1_234)
        .map(|seq| Record {
            arguments: if seq % 300 == 0 { large.clone() } else { json("{}") },
            ..call("a", seq)
        })
        .collect();
    assert_eq!(filled(&store, &records).await, 1_234);
    assert_eq!(found(&store, Filter { text: Some("word".into()), ..Filter::default() }).await.len(), 4);
    assert_eq!(filled(&store, &[]).await, 0);
}

async fn end_record_replaces_start_record(store: Store) {
    // In one batch, in two, and with the start record repeated after the end.
    filled(&store, &[begun("a", 1), call("a", 2)]).await;
    filled(&store, &[begun("a", 3)]).await;
    assert_eq!(numbers(&store, Filter::default()).await, [3, 2]);
    filled(&store, &[call("a", 4)]).await;
    filled(&store, &[begun("a", 1), begun("a", 3)]).await;
    assert_eq!(numbers(&store, Filter::default()).await, [4, 2]);
    assert_eq!(numbers(&store, Filter { text: Some("hosts".into()), ..Filter::default() }).await, [4, 2]);
    // The same id at another gateway is another call.
    filled(&store, &[Record { node: "b".into(), ..begun("a", 1) }]).await;
    assert_eq!(found(&store, Filter::default()).await.len(), 3);
}

async fn call_without_end_is_running_or_interrupted(store: Store) {
    filled(&store, &[begun("a", 1)]).await;
    store.begin_run("a", 1).await.expect("a start");
    filled(&store, &[begun("a", 3), call("a", 5)]).await;
    let status = |status| Filter { status: Some(status), ..Filter::default() };
    assert_eq!(numbers(&store, status(Status::Interrupted)).await, [1]);
    assert_eq!(numbers(&store, status(Status::Running)).await, [3]);
    assert_eq!(numbers(&store, status(Status::Ok)).await, [5]);
    let states: Vec<State> = found(&store, Filter::default()).await.iter().map(|call| call.state).collect();
    assert_eq!(states, [State::Ok, State::Running, State::Interrupted]);
    // It restarts: calls in flight were interrupted.
    store.begin_run("a", 5).await.expect("a start");
    assert_eq!(numbers(&store, status(Status::Interrupted)).await, [3, 1]);
    assert_eq!(store.indexed("a").await.expect("an answer"), 5, "a start forgets no progress");
    let sums = store.sums(&Filter::default(), By::Tool, 10).await.expect("sums");
    assert_eq!(sums[0].calls, 1, "only calls with an end are summed up");
}

async fn calls_match_every_filter(store: Store) {
    let records = [
        call("a", 1),
        Record { tool: "write_file".into(), ..call("a", 2) },
        Record { server: Some("web".into()), ..call("a", 3) },
        Record { client: Some("cursor".into()), ..call("a", 4) },
        Record { session: None, client: None, ..call("a", 5) },
        failed("a", 6, "not_found", "no such file"),
        changed("a", 7, &[Some("alias-1"), Some("alias-1"), None]),
        call("b", 8),
    ];
    filled(&store, &records).await;
    let any = Filter::default;
    let cases = [
        (any(), vec![8, 7, 6, 5, 4, 3, 2, 1]),
        (Filter { tool: Some("write_file".into()), ..any() }, vec![2]),
        (Filter { server: Some("web".into()), ..any() }, vec![3]),
        (Filter { client: Some("cursor".into()), ..any() }, vec![4]),
        (Filter { session: Some("s1".into()), ..any() }, vec![8, 7, 6, 4, 3, 2, 1]),
        (Filter { node: Some("b".into()), ..any() }, vec![8]),
        (Filter { status: Some(Status::Ok), ..any() }, vec![8, 7, 5, 4, 3, 2, 1]),
        (Filter { status: Some(Status::Error), ..any() }, vec![6]),
        (Filter { status: Some(Status::Changed), ..any() }, vec![7]),
        (Filter { code: Some("not_found".into()), ..any() }, vec![6]),
        (Filter { rule: Some("alias-1".into()), ..any() }, vec![7]),
        (Filter { rule: Some("param_renamed".into()), ..any() }, vec![7]),
        (Filter { rule: Some("other".into()), ..any() }, vec![]),
        (Filter { rule: Some("alias-1".into()), text: Some("mended".into()), ..any() }, vec![7]),
        (Filter { from: Some(START + 3 * SECOND), to: Some(START + 6 * SECOND), ..any() }, vec![5, 4, 3]),
        (
            Filter { tool: Some("read_file".into()), text: Some("such".into()), from: Some(START), ..any() },
            vec![6],
        ),
        (Filter { tool: Some("write_file".into()), text: Some("such".into()), ..any() }, vec![]),
    ];
    for (filter, expected) in cases {
        assert_eq!(numbers(&store, filter.clone()).await, expected, "{filter:?}");
    }
}

async fn text_search_ignores_case(store: Store) {
    let said = |seq, words: &str| Record {
        arguments: json(&serde_json::json!({ "text": words }).to_string()),
        ..call("a", seq)
    };
    let records = [
        said(1, "The Quick brown fox"),
        said(2, "quicksilver /var/log/app.log"),
        said(3, "Größe über alles"),
        failed("a", 4, "tool_failed", "Connection refused: db-01.example.com:5432"),
        said(5, "名前 テスト"),
        said(6, "hindi हिन्दी 3.14"),
    ];
    filled(&store, &records).await;
    let cases: [(&str, &[u64]); 14] = [
        ("quick", &[1]),
        ("QUICK*", &[2, 1]),
        ("fox brown", &[1]),
        ("fox silver", &[]),
        ("app.log", &[2]),
        ("größe", &[3]),
        ("GRÖSSE", &[]),
        ("db-01.example.com", &[4]),
        ("refused 5432", &[4]),
        ("read_file", &[6, 5, 4, 3, 2, 1]),
        ("テスト", &[5]),
        ("हिन्दी", &[6]),
        ("3.14", &[6]),
        ("-- ' \" *", &[]),
    ];
    for (words, expected) in cases {
        assert_eq!(
            numbers(&store, Filter { text: Some(words.into()), ..Filter::default() }).await,
            expected,
            "{words}"
        );
    }
}

async fn unusual_characters_round_trip(store: Store) {
    let odd = Record {
        tool: "a\0b'; DROP TABLE calls; --".into(),
        client: Some("{filter} $1 ?1 \u{1f600}".into()),
        arguments: json(r#"{"zero":"\u0000","half":"\ud800","deep":"\\u0000"}"#),
        ..changed("a", 1, &[Some("rule\0'")])
    };
    filled(&store, &[odd.clone(), failed("a", 2, "", "\0")]).await;
    let calls = found(&store, Filter::default()).await;
    assert_eq!(calls.len(), 2);
    // PostgreSQL stores no NUL character: both return the replacement character.
    assert_eq!(calls[1].record.tool, "a\u{fffd}b'; DROP TABLE calls; --");
    assert_eq!(calls[1].record.client, odd.client);
    let sent = |record: &Record| record.arguments.as_ref().map(|json| json.get().to_owned());
    assert_eq!(sent(&calls[1].record), sent(&odd), "arguments stay byte for byte");
    for (filter, seq) in [
        (Filter { client: odd.client.clone(), ..Filter::default() }, 1),
        (Filter { tool: Some(odd.tool.clone()), ..Filter::default() }, 1),
        (Filter { rule: Some("rule\0'".into()), ..Filter::default() }, 1),
        (Filter { status: Some(Status::Error), ..Filter::default() }, 2),
    ] {
        assert_eq!(numbers(&store, filter.clone()).await, [seq], "{filter:?}");
    }
    let huge = Record { seq: u64::MAX, ts: i64::MAX, duration_us: u64::MAX, ..call("b", 1) };
    let early = Record { ts: i64::MIN, ..call("b", 2) };
    assert_eq!(filled(&store, &[huge, early]).await, 2);
    assert_eq!(found(&store, Filter { node: Some("b".into()), ..Filter::default() }).await.len(), 2);
}

async fn pages_follow_each_other_without_gaps(store: Store) {
    let records: Vec<Record> = (1..=95).map(|seq| call("a", seq)).collect();
    filled(&store, &records).await;
    for text in [None, Some("hosts".to_owned())] {
        let filter = Filter { text, ..Filter::default() };
        let (mut seen, mut after) = (Vec::new(), None);
        loop {
            let page = store.calls(&filter, after, 10).await.expect("a page");
            assert!(page.calls.len() <= 10);
            seen.extend(page.calls.iter().map(|call| call.record.seq));
            // New records do not move older ones.
            filled(&store, &[call("a", 1_000 + seen.len() as u64)]).await;
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        seen.retain(|seq| *seq <= 95);
        assert_eq!(seen, (1..=95).rev().collect::<Vec<_>>());
    }
    assert_eq!(
        store.calls(&Filter::default(), None, 0).await.expect("a page").calls.len(),
        1,
        "a bound is at least 1"
    );
}

async fn sums_count_and_rank(store: Store) {
    let mut records: Vec<Record> = (1..=100).map(|seq| call("a", seq)).collect();
    records
        .extend((101..=110).map(|seq| Record { tool: "other".into(), ..failed("a", seq, "busy", "later") }));
    records.extend(
        (111..=113)
            .map(|seq| Record { client: None, ..changed("a", seq, &[Some("r"), Some("r"), Some("q")]) }),
    );
    filled(&store, &records).await;
    let tools = store.sums(&Filter::default(), By::Tool, 10).await.expect("sums");
    let names: Vec<(&str, u64, u64, u64)> =
        tools.iter().map(|sum| (sum.key.as_str(), sum.calls, sum.ok, sum.changed)).collect();
    assert_eq!(names, [("read_file", 103, 103, 3), ("other", 10, 0, 0)]);
    assert_eq!((tools[1].p50_us, tools[1].p95_us), (1_050, 1_100), "the nearest rank");
    let times = (tools[1].mean_us, tools[1].min_us, tools[1].max_us, tools[1].p99_us);
    assert_eq!(times, (1_055, 1_010, 1_100, 1_100));
    let all = store.sums(&Filter::default(), By::All, 10).await.expect("sums");
    assert_eq!((all.len(), all[0].calls, all[0].ok, all[0].min_us), (1, 113, 103, 10));
    let failures = Filter { status: Some(Status::Error), ..Filter::default() };
    let slowest = store.slowest(&failures, 3).await.expect("calls");
    let slowest: Vec<u64> = slowest.iter().map(|call| call.record.duration_us).collect();
    assert_eq!(slowest, [1_100, 1_090, 1_080]);
    assert_eq!((tools[1].bytes_in, tools[1].bytes_out, tools[1].last), (300, 1_000, START + 110 * SECOND));
    let hundred = Filter { to: Some(START + 101 * SECOND), ..Filter::default() };
    let sums = store.sums(&hundred, By::Server, 10).await.expect("sums");
    assert_eq!((sums[0].calls, sums[0].p50_us, sums[0].p95_us), (100, 500, 950));
    let rules = store.sums(&Filter::default(), By::Rule, 10).await.expect("sums");
    let rules: Vec<(&str, u64)> = rules.iter().map(|sum| (sum.key.as_str(), sum.calls)).collect();
    assert_eq!(rules, [("q", 3), ("r", 3)], "a call counts once for a rule");
    let words = Filter { text: Some("mended".into()), rule: Some("q".into()), ..Filter::default() };
    assert_eq!(store.sums(&words, By::Rule, 10).await.expect("sums").len(), 1);
    let clients = store.sums(&Filter::default(), By::Client, 10).await.expect("sums");
    assert_eq!((clients.len(), clients[0].calls), (1, 110), "who has no name is in no sum by name");
    assert_eq!(store.sums(&Filter::default(), By::Code, 10).await.expect("sums")[0].key, "busy");
    assert_eq!(store.sums(&Filter::default(), By::Tool, 1).await.expect("sums").len(), 1);
}

async fn sums_follow_the_clock(store: Store) {
    let records: Vec<Record> =
        (0..150).map(|n| Record { ts: START + n * 30 * SECOND, ..call("a", n as u64 + 1) }).collect();
    filled(&store, &records).await;
    let minutes = store.sums(&Filter::default(), By::Minute, 2_000).await.expect("sums");
    assert_eq!(minutes.len(), 75);
    assert!(minutes.iter().all(|minute| minute.calls == 2));
    assert_eq!(minutes[0].key, START.to_string());
    assert_eq!(minutes[1].key, (START + 60 * SECOND).to_string());
    let hours = store.sums(&Filter::default(), By::Hour, 10).await.expect("sums");
    assert_eq!(hours.iter().map(|hour| hour.calls).collect::<Vec<_>>(), [120, 30]);
    let newest = store.sums(&Filter::default(), By::Minute, 2).await.expect("sums");
    assert_eq!(newest, minutes[73..], "the newest when there are too many, the oldest of them first");
}

async fn equal_errors_are_grouped(store: Store) {
    let mut records: Vec<Record> = (1..=5).map(|seq| failed("a", seq, "not_found", "no such file")).collect();
    records.push(failed("a", 6, "not_found", "no such folder"));
    records.push(call("a", 7));
    filled(&store, &records).await;
    let errors = store.errors(&Filter::default(), 10).await.expect("errors");
    assert_eq!(errors.len(), 2);
    let first = &errors[0];
    assert_eq!(
        (first.tool.as_str(), first.code.as_str(), first.message.as_str()),
        ("read_file", "not_found", "no such file")
    );
    assert_eq!((first.calls, first.first, first.last), (5, START + SECOND, START + 5 * SECOND));
    assert_eq!(
        (first.parameters.as_slice(), first.server.as_deref()),
        (&["/path".to_owned()][..], Some("files"))
    );
    let later = Filter { from: Some(START + 6 * SECOND), ..Filter::default() };
    assert_eq!(store.errors(&later, 10).await.expect("errors").len(), 1);
}

async fn filter_values_are_listed(store: Store) {
    assert!(store.values(Menu::Tools, 10).await.expect("values").is_empty());
    let tool = |seq, tool: &str| Record { tool: tool.into(), ..failed("a", seq, tool, "x") };
    filled(
        &store,
        &[tool(1, "b"), tool(2, "a"), tool(3, "Z"), tool(4, "b"), Record { client: None, ..tool(5, "ä") }],
    )
    .await;
    assert_eq!(store.values(Menu::Tools, 10).await.expect("values"), ["Z", "a", "b", "ä"]);
    assert_eq!(store.values(Menu::Tools, 2).await.expect("values").len(), 2);
    assert_eq!(store.values(Menu::Codes, 10).await.expect("values").len(), 4);
    assert_eq!(store.values(Menu::Clients, 10).await.expect("values"), ["claude"]);
    assert_eq!(store.values(Menu::Servers, 10).await.expect("values"), ["files"]);
    assert_eq!(store.values(Menu::Nodes, 10).await.expect("values"), ["a"]);
}

async fn pruned_records_are_deleted(store: Store) {
    let records: Vec<Record> = (1..=2_500).map(|seq| changed("a", seq, &[Some("r")])).collect();
    filled(&store, &records).await;
    filled(&store, &[call("b", 1)]).await;
    assert_eq!(store.forget_before("a", 1).await.expect("pruned"), 0);
    assert_eq!(store.forget_before("a", 2_461).await.expect("pruned"), 2_460);
    assert_eq!(store.forget_before("a", 2_461).await.expect("pruned"), 0);
    // Words and rules were deleted too, and deleted records do not return by themselves.
    assert_eq!(found(&store, Filter { text: Some("mended".into()), ..Filter::default() }).await.len(), 40);
    assert_eq!(found(&store, Filter { rule: Some("r".into()), ..Filter::default() }).await.len(), 40);
    assert_eq!(store.sums(&Filter::default(), By::Rule, 1).await.expect("sums")[0].calls, 40);
    assert_eq!(store.indexed("a").await.expect("an answer"), 2_500);
    // The remaining records are read in the order of sequence numbers, and other nodes are not affected.
    let read: Vec<u64> =
        store.records_after("a", 2_480, 10).await.expect("read").iter().map(|record| record.seq).collect();
    assert_eq!(read, (2_481..=2_490).collect::<Vec<_>>());
    assert_eq!(store.records_after("b", 0, 10).await.expect("read").len(), 1);
}

async fn forgotten_node_restarts_at_one(store: Store) {
    let records: Vec<Record> = (1..=1_200).map(|seq| call("a", seq)).collect();
    filled(&store, &records).await;
    filled(&store, &[call("b", 1)]).await;
    assert_eq!(store.forget("a").await.expect("forgotten"), 1_200);
    assert_eq!(store.indexed("a").await.expect("an answer"), 0);
    assert_eq!(store.indexed("b").await.expect("an answer"), 1);
    assert_eq!(found(&store, Filter::default()).await.len(), 1);
    assert_eq!(filled(&store, &records).await, 1_200);
}

fn rule(id: &str, body: &str) -> SharedRule {
    SharedRule {
        id: id.into(),
        kind: "rule".into(),
        status: "active".into(),
        body: body.into(),
        changed_by: "test".into(),
        ..SharedRule::default()
    }
}

async fn rules_are_versioned_without_lost_updates(store: Store) {
    assert_eq!(store.rules_version().await.expect("a version"), 0);
    let first = store.put_rule(&rule("r1", "{}"), 0).await.expect("a new rule");
    let second = store.put_rule(&rule("r2", "{}"), 0).await.expect("a new rule");
    assert!(second > first);
    let conflict = store.put_rule(&rule("r1", "[]"), 0).await.expect_err("it is there already");
    assert!(
        matches!(conflict, StoreError::Conflict { expected: 0, found, .. } if found == first),
        "{conflict}"
    );
    assert!(conflict.to_string().contains("r1"), "{conflict}");
    let third = store.put_rule(&rule("r1", "[1]"), first).await.expect("changed");
    let conflict = store.retire_rule("r1", first, "me").await.expect_err("it was changed");
    assert!(matches!(conflict, StoreError::Conflict { found, .. } if found == third));
    assert!(matches!(store.retire_rule("none", 1, "me").await, Err(StoreError::Conflict { found: 0, .. })));
    let fourth = store.retire_rule("r1", third, "me").await.expect("retired");
    let rules = store.rules_after(0).await.expect("rules");
    let seen: Vec<(&str, i64, &str)> =
        rules.iter().map(|rule| (rule.id.as_str(), rule.version, rule.status.as_str())).collect();
    assert_eq!(seen, [("r2", second, "active"), ("r1", fourth, RETIRED)]);
    assert_eq!((rules[1].body.as_str(), rules[1].changed_by.as_str()), ("[1]", "me"));
    assert_eq!(store.rules_after(second).await.expect("rules").len(), 1);
    assert_eq!(store.rules_version().await.expect("a version"), fourth);
    // Concurrent writes: one wins each time.
    let tries: Vec<_> = (0..8)
        .map(|n| {
            let store = store.clone();
            tokio::spawn(async move { store.put_rule(&rule("r3", &n.to_string()), 0).await.is_ok() })
        })
        .collect();
    let mut won = 0;
    for one in tries {
        won += usize::from(one.await.expect("a task"));
    }
    assert_eq!(won, 1);
}

async fn watch_returns_every_change(store: Store) {
    for n in 0..150 {
        store.put_rule(&rule(&format!("r{n}"), "{}"), 0).await.expect("a rule");
    }
    let mut watch = store.watch_rules(0);
    let mut seen = Vec::new();
    while seen.len() < 150 {
        let change =
            timeout(Duration::from_secs(30), watch.next()).await.expect("in time").expect("a change");
        seen.push(change.id);
    }
    assert_eq!(seen, (0..150).map(|n| format!("r{n}")).collect::<Vec<_>>(), "in their order");
    let version = store.put_rule(&rule("late", "{}"), 0).await.expect("a rule");
    let change = timeout(Duration::from_secs(30), watch.next()).await.expect("in time").expect("a change");
    assert_eq!((change.id.as_str(), change.version), ("late", version));
    store.retire_rule("late", version, "test").await.expect("retired");
    let change = timeout(Duration::from_secs(30), watch.next()).await.expect("in time").expect("a change");
    assert_eq!(change.status, RETIRED);
}

async fn exchange_numbers(store: &Store, filter: ExchangeFilter) -> Vec<u64> {
    let page = store.exchanges(&filter, None, 2_000).await.expect("an answer");
    page.exchanges.iter().map(|found| found.record.seq).collect()
}

async fn exchange_round_trips_and_is_no_call(store: Store) {
    let mut odd = exchange("a", 2, "m\0del \u{1f600}");
    odd.error = failed("a", 2, "upstream_error", "over\0loaded").error;
    let records = [exchange("a", 1, "haiku"), odd.clone(), call("a", 3)];
    assert_eq!(filled(&store, &records).await, 3);
    assert_eq!(filled(&store, &records).await, 0, "each once");
    let page = store.exchanges(&ExchangeFilter::default(), None, 10).await.expect("an answer");
    assert_eq!(page.next, None);
    let back: Vec<String> = page.exchanges.iter().map(|found| text(&found.record)).collect();
    assert_eq!(back, [text(&odd), text(&records[0])]);
    let one = store.exchange("a-exchange-1").await.expect("an answer").expect("the exchange");
    assert_eq!(text(&one.record), text(&records[0]));
    assert!(store.exchange("a-call-3").await.expect("an answer").is_none());
    // No query about calls returns them, and they are not indexed again.
    assert_eq!(store.indexed("a").await.expect("an answer"), 3);
    assert_eq!(numbers(&store, Filter::default()).await, [3]);
    assert!(store.call("a-exchange-1").await.expect("an answer").is_none());
    let learned = store.records_after("a", 0, 10).await.expect("an answer");
    assert_eq!(learned.iter().map(|record| record.seq).collect::<Vec<_>>(), [3]);
    let all = store.sums(&Filter::default(), By::All, 10).await.expect("sums");
    assert_eq!((all.len(), all[0].calls, all[0].ok), (1, 1, 1));
    assert!(store.errors(&Filter::default(), 10).await.expect("errors").is_empty());
    assert_eq!(store.slowest(&Filter::default(), 10).await.expect("calls").len(), 1);
    assert_eq!(store.values(Menu::Tools, 10).await.expect("values"), ["read_file"]);
    assert_eq!(store.values(Menu::Servers, 10).await.expect("values"), ["files"]);
    assert_eq!(store.values(Menu::Models, 10).await.expect("values"), ["haiku", "m\u{fffd}del \u{1f600}"]);
    assert_eq!(store.values(Menu::Upstreams, 10).await.expect("values"), ["openai"]);
}

async fn exchanges_match_every_filter(store: Store) {
    let mut records: Vec<Record> = (1..=6).map(|seq| exchange("a", seq, "haiku")).collect();
    let about = |record: &mut Record, change: fn(&mut toolwright_ledger::Exchange)| {
        change(record.exchange.as_mut().expect("an exchange"));
    };
    about(&mut records[0], |exchange| exchange.model = "opus".into());
    about(&mut records[1], |exchange| exchange.upstream = "local".into());
    about(&mut records[2], |exchange| exchange.repaired = 0);
    records[3].error = failed("a", 4, "upstream_error", "no").error;
    records[4].client = Some("codex".into());
    records[5].session = Some("s2".into());
    filled(&store, &records).await;
    filled(&store, &[exchange("b", 1, "haiku")]).await;
    let some = |word: &str| Some(word.to_owned());
    let usual = ExchangeFilter::default;
    for (filter, expected) in [
        (ExchangeFilter { model: some("opus"), ..usual() }, vec![1]),
        (ExchangeFilter { upstream_model: some("haiku-up"), node: some("b"), ..usual() }, vec![1]),
        (ExchangeFilter { upstream: some("local"), ..usual() }, vec![2]),
        (ExchangeFilter { status: Some(Status::Error), ..usual() }, vec![4]),
        (ExchangeFilter { status: Some(Status::Ok), node: some("a"), ..usual() }, vec![6, 5, 3, 2, 1]),
        (ExchangeFilter { status: Some(Status::Changed), node: some("a"), ..usual() }, vec![6, 5, 4, 2, 1]),
        (ExchangeFilter { status: Some(Status::Running), ..usual() }, vec![]),
        (ExchangeFilter { code: some("upstream_error"), ..usual() }, vec![4]),
        (ExchangeFilter { client: some("codex"), ..usual() }, vec![5]),
        (ExchangeFilter { session: some("s2"), ..usual() }, vec![6]),
        (
            ExchangeFilter {
                from: Some(START + 3 * SECOND),
                to: Some(START + 5 * SECOND),
                node: some("a"),
                ..usual()
            },
            vec![4, 3],
        ),
    ] {
        assert_eq!(exchange_numbers(&store, filter.clone()).await, expected, "{filter:?}");
    }
    let mine = ExchangeFilter { node: some("a"), ..usual() };
    let (mut after, mut seen) = (None, Vec::new());
    loop {
        let page = store.exchanges(&mine, after, 4).await.expect("a page");
        seen.extend(page.exchanges.iter().map(|found| found.record.seq));
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(seen, [6, 5, 4, 3, 2, 1]);
}

async fn exchanges_are_summed_up_by_model(store: Store) {
    let mut records: Vec<Record> = (1..=100).map(|seq| exchange("a", seq, "haiku")).collect();
    records.extend((101..=103).map(|seq| exchange("a", seq, "opus")));
    for record in &mut records[50..100] {
        // Half of them had no first token.
        record.exchange.as_mut().expect("an exchange").first_token_us = None;
    }
    records[0].error = failed("a", 1, "upstream_error", "no").error;
    let about = records[1].exchange.as_mut().expect("an exchange");
    (about.cache_read_tokens, about.cache_write_tokens, about.reasoning_tokens) = (Some(7), Some(8), Some(9));
    (about.refused, about.attempts, about.input_tokens) = (3, 2, None);
    let silent = records[102].exchange.as_mut().expect("an exchange");
    *silent = toolwright_ledger::Exchange {
        model: "silent".into(),
        output_tokens: Some(u64::MAX),
        ..Default::default()
    }
    .into();
    filled(&store, &records).await;
    let sums = store.exchange_sums(&ExchangeFilter::default(), ExchangesBy::Model, 10).await.expect("sums");
    assert_eq!(
        sums.iter().map(|sum| (sum.key.as_str(), sum.requests)).collect::<Vec<_>>(),
        [("haiku", 100), ("opus", 2), ("silent", 1)]
    );
    let [haiku, _, silent] = &sums[..] else { panic!("three") };
    let newest = ExchangeFilter { newest: Some(5), ..ExchangeFilter::default() };
    let of_newest = store.exchange_sums(&newest, ExchangesBy::Model, 10).await.expect("sums");
    assert_eq!(
        of_newest.iter().map(|sum| (sum.key.as_str(), sum.requests)).collect::<Vec<_>>(),
        [("haiku", 2), ("opus", 2), ("silent", 1)]
    );
    assert_eq!(
        (haiku.ok, haiku.calls, haiku.repaired, haiku.refused, haiku.attempts),
        (99, 200, 100, 3, 101)
    );
    assert_eq!((haiku.input_tokens, haiku.output_tokens), (9_900, 2_000));
    assert_eq!((haiku.cache_read_tokens, haiku.cache_write_tokens, haiku.reasoning_tokens), (7, 8, 9));
    assert_eq!((haiku.p50_us, haiku.p95_us, haiku.max_us, haiku.mean_us), (500, 950, 1_000, 505));
    // Of the 50 that had one, each five microseconds after the previous one.
    assert_eq!((haiku.first_token_p50_us, haiku.first_token_p95_us), (Some(125), Some(240)));
    assert_eq!(haiku.last, START + 100 * SECOND);
    assert_eq!((silent.first_token_p50_us, silent.input_tokens), (None, 0));
    let minutes =
        store.exchange_sums(&ExchangeFilter::default(), ExchangesBy::Minute, 10).await.expect("sums");
    assert_eq!(minutes.iter().map(|sum| sum.requests).collect::<Vec<_>>(), [59, 44]);
    for (by, keys) in [
        (ExchangesBy::All, 1),
        (ExchangesBy::UpstreamModel, 3),
        (ExchangesBy::Upstream, 1),
        (ExchangesBy::Client, 1),
        (ExchangesBy::Code, 1),
        (ExchangesBy::Node, 1),
        (ExchangesBy::Hour, 1),
    ] {
        let sums = store.exchange_sums(&ExchangeFilter::default(), by, 10).await.expect("sums");
        assert_eq!(sums.len(), keys, "{by:?}: {sums:?}");
    }
}

async fn exchanges_are_pruned_with_calls(store: Store) {
    let mixed = |node: &str| -> Vec<Record> {
        let one =
            |seq: u64| if seq.is_multiple_of(2) { exchange(node, seq, "haiku") } else { call(node, seq) };
        (1..=40).map(one).collect()
    };
    filled(&store, &mixed("a")).await;
    filled(&store, &mixed("b")).await;
    let usual = ExchangeFilter::default;
    let only = |node: &str| ExchangeFilter { node: Some(node.to_owned()), ..ExchangeFilter::default() };
    assert_eq!(store.forget_before("a", 11).await.expect("gone"), 10);
    assert_eq!(exchange_numbers(&store, only("a")).await.last(), Some(&12));
    store.begin_run("a", 30).await.expect("a run");
    assert_eq!(exchange_numbers(&store, only("a")).await.first(), Some(&30));
    assert_eq!(store.forget("a").await.expect("gone"), 20);
    assert!(exchange_numbers(&store, only("a")).await.is_empty());
    assert_eq!(store.forget_before("b", 31).await.expect("gone"), 30);
    assert_eq!(exchange_numbers(&store, usual()).await, [40, 38, 36, 34, 32]);
    assert_eq!(numbers(&store, Filter::default()).await, [39, 37, 35, 33, 31]);
    assert_eq!(store.forget("b").await.expect("gone"), 10);
    assert_eq!(filled(&store, &mixed("b")).await, 40);
}
