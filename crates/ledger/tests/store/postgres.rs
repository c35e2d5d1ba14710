//! The contract on a real PostgreSQL, and several gateways on one database.

use std::time::Duration;

use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;
use toolwright_ledger::Record;
use toolwright_ledger::index::{By, Filter, SharedRule, Store, StoreError};

use crate::cluster::Cluster;
use crate::contract::CHECKS;
use crate::indexing::{Journal, start, until};
use crate::records::call;

fn rule(id: &str) -> SharedRule {
    let word = str::to_owned;
    SharedRule {
        id: word(id),
        kind: word("rule"),
        status: word("active"),
        body: word("{}"),
        changed_by: word("test"),
        ..SharedRule::default()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn contract_holds_on_postgresql() {
    let cluster = Cluster::start();
    for (nr, (name, check)) in CHECKS.iter().enumerate() {
        eprintln!("postgresql: {name}");
        let store = Store::postgres(&cluster.database(&format!("check{nr}"))).expect("an address");
        check(store.clone()).await;
        store.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn gateways_on_one_database_see_each_other() {
    let cluster = Cluster::start();
    let address = cluster.database("shared");
    let open = || Store::postgres(&address).expect("an address");
    let (one, two) = (open(), open());
    // Both create the tables at the same time.
    let (first, second) = tokio::join!(one.rules_version(), two.rules_version());
    assert_eq!((first.expect("an answer"), second.expect("an answer")), (0, 0));

    // A rule of one reaches the other within a second. The test waits longer, for a busy machine.
    let mut watch = two.watch_rules(0);
    one.put_rule(&rule("warm"), 0).await.expect("a rule");
    let seen = timeout(Duration::from_secs(30), watch.next()).await.expect("in time").expect("a change");
    assert_eq!(seen.id, "warm");
    let mut slowest = Duration::ZERO;
    for n in 0..20 {
        let begun = Instant::now();
        one.put_rule(&rule(&format!("r{n}")), 0).await.expect("a rule");
        let seen = timeout(Duration::from_secs(4), watch.next())
            .await
            .expect("told, not found by looking")
            .expect("a change");
        assert_eq!(seen.id, format!("r{n}"));
        slowest = slowest.max(begun.elapsed());
    }
    eprintln!("a rule was at the other gateway after at most {slowest:?}");
    assert!(matches!(two.put_rule(&rule("r1"), 0).await, Err(StoreError::Conflict { .. })));

    // Both write calls at the same times, and each finds those of both.
    let put = |store: Store, node: &'static str| async move {
        for batch in 0..10 {
            let records: Vec<Record> =
                (batch * 200 + 1..=batch * 200 + 200).map(|seq| call(node, seq)).collect();
            while let Err(error) = store.insert(&records).await {
                assert!(error.is_away(), "{error}");
            }
        }
    };
    tokio::join!(put(one.clone(), "a"), put(two.clone(), "b"));
    for store in [&one, &two] {
        let nodes = store.sums(&Filter::default(), By::Node, 10).await.expect("sums");
        assert_eq!(
            nodes.iter().map(|sum| (sum.key.as_str(), sum.calls)).collect::<Vec<_>>(),
            [("a", 2_000), ("b", 2_000)]
        );
        assert_eq!(
            store.nodes().await.expect("nodes").iter().map(|node| node.indexed).collect::<Vec<_>>(),
            [2_000, 2_000]
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn database_outage_loses_nothing() {
    let mut cluster = Cluster::start();
    let address = cluster.database("failing");
    let open = || Store::postgres(&address).expect("an address");
    let (one, two) = (open(), open());
    let (a, b) = (Journal::default(), Journal::default());
    let cancel = CancellationToken::new();
    let indexers = [start(&one, "a", a.source(), &cancel), start(&two, "b", b.source(), &cancel)];
    let mut watch = two.watch_rules(0);
    a.fill("a", 700);
    b.fill("b", 700);
    for indexer in &indexers {
        indexer.handle().nudge();
        until(indexer, |status| status.indexed == Some(700)).await;
    }

    for round in 1..=2 {
        cluster.end();
        // Calls continue: they only write the journal.
        let begun = Instant::now();
        a.fill("a", 700 + round * 1_500);
        b.fill("b", 700 + round * 300);
        indexers.iter().for_each(|indexer| indexer.handle().nudge());
        assert!(begun.elapsed() < Duration::from_secs(10));
        until(&indexers[0], |status| status.problem.is_some()).await;
        assert!(one.calls(&Filter::default(), None, 1).await.expect_err("it is away").is_away());
        cluster.begin();
        until(&indexers[0], |status| status.indexed == Some(700 + round * 1_500) && status.problem.is_none())
            .await;
        until(&indexers[1], |status| status.indexed == Some(700 + round * 300) && status.problem.is_none())
            .await;
        // A rule that was written while the other was not listening is seen anyway.
        let id = format!("after{round}");
        one.put_rule(&rule(&id), 0).await.expect("a rule");
        let seen = timeout(Duration::from_secs(30), watch.next()).await.expect("in time").expect("a change");
        assert_eq!(seen.id, id);
    }
    cancel.cancel();
    for indexer in indexers {
        indexer.ended().await;
    }
    // Nothing is missing, nothing is duplicated.
    let sql = "SELECT string_agg(node || ' ' || n || ' ' || d || ' ' || m, ', ' ORDER BY node) FROM \
               (SELECT node, count(*) n, count(DISTINCT seq) d, max(seq) m FROM calls GROUP BY node) s";
    assert_eq!(cluster.run_sql("failing", sql), "a 3700 3700 3700, b 1300 1300 1300");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn gateway_starts_before_its_database() {
    let mut cluster = Cluster::start();
    let address = cluster.database("late");
    cluster.end();
    let store = Store::postgres(&address).expect("an address");
    let journal = Journal::default();
    journal.fill("a", 20);
    let cancel = CancellationToken::new();
    let indexer = start(&store, "a", journal.source(), &cancel);
    let mut watch = store.watch_rules(0);
    until(&indexer, |status| status.problem.is_some()).await;
    cluster.begin();
    until(&indexer, |status| status.indexed == Some(20)).await;
    store.put_rule(&rule("r"), 0).await.expect("a rule");
    assert!(timeout(Duration::from_secs(30), watch.next()).await.expect("in time").is_some());
    cancel.cancel();
    indexer.ended().await;

    // A later version used the database: this is reported, and nothing is changed.
    let step = "INSERT INTO toolwright_migrations (version, description, success, checksum, execution_time) \
                VALUES (999, 'later', true, '\\x00', 1)";
    cluster.run_sql("late", step);
    let error =
        Store::postgres(&address).expect("an address").indexed("a").await.expect_err("a later version");
    assert!(matches!(error, StoreError::Newer(999)), "{error}");
}

#[test]
fn invalid_address_is_reported() {
    let error = Store::postgres("index.db").expect_err("no address");
    assert!(error.to_string().contains("postgres://"), "{error}");
}
