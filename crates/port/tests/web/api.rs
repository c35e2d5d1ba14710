//! What `/api/*` answers.

use serde_json::{Value, json};
use toolwright_executor::Call;

use crate::telling::{Index, Telling, telling};

/// The ids of the calls on a page, and where the next one is.
async fn page(telling: &Telling, path: &str, source: &str) -> (Vec<String>, Option<String>) {
    let answer = telling.get(path).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.body);
    assert_eq!(answer.header("x-toolwright-source"), Some(source), "{path}");
    let calls: Vec<Value> = serde_json::from_str(&answer.body).expect("a list");
    let link = answer.header("link").map(|link| {
        let (target, rel) = link.strip_prefix('<').and_then(|link| link.split_once('>')).expect("a link");
        assert_eq!(rel, "; rel=\"next\"");
        target.to_owned()
    });
    assert_eq!(link.is_some(), answer.header("x-next-cursor").is_some());
    (calls.iter().map(|call| call["req_id"].as_str().expect("an id").to_owned()).collect(), link)
}

async fn all_pages(telling: &Telling, first: &str, source: &str) -> Vec<String> {
    let (mut calls, mut next) = page(telling, first, source).await;
    while let Some(link) = next {
        let (more, after) = page(telling, &link, source).await;
        calls.extend(more);
        next = after;
    }
    calls
}

fn ids(numbers: impl DoubleEndedIterator<Item = u64>) -> Vec<String> {
    numbers.rev().map(|number| format!("call{number}")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_are_listed_newest_first_in_pages_and_filtered_from_index_and_journal_alike() {
    for (index, source) in [(Index::Kept, "index"), (Index::None, "journal")] {
        let telling = telling(index).await;
        telling.calls();
        if index == Index::Kept {
            telling.indexed().await;
        }
        let finished = "outcome=ok&";
        let good = ids((0..30).filter(|number| number % 5 != 0));
        for limit in [1, 7, 100] {
            let path = format!("/api/operations?{finished}limit={limit}");
            assert_eq!(all_pages(&telling, &path, source).await, good, "{source}, {limit}");
        }
        for (parameters, wanted) in [
            ("outcome=error", ids((0..30).filter(|number| number % 5 == 0))),
            ("outcome=changed", ids((0..30).filter(|number| number % 3 == 0))),
            ("rule=alias", ids((0..30).filter(|number| number % 3 == 0))),
            ("client=shell&outcome=ok", ids((0..30).filter(|it| it % 2 == 1 && it % 5 != 0))),
            ("code=tool_error", ids((0..30).filter(|number| number % 5 == 0))),
            ("tool=files/read_file&server=nobody", Vec::new()),
            ("tool=files/read_file&session=s3", ids((0..30).filter(|number| number % 4 == 3))),
            ("q=milk7", ids(7..8)),
            ("q=milk7%20read_file&since=1h", ids(7..8)),
            ("until=1h", Vec::new()),
            ("outcome=running", vec!["call99".to_owned()]),
            ("outcome=interrupted", Vec::new()),
        ] {
            let path = format!("/api/operations?{parameters}&limit=3");
            assert_eq!(all_pages(&telling, &path, source).await, wanted, "{source}, {parameters}");
        }
        let call = telling.told("/api/operations/call3").await;
        assert_eq!(call["norms"][0]["rule_id"], "alias", "{source}: {call}");
        assert_eq!(call["arguments"]["words"], "milk3", "{call}");
        let begun = telling.told("/api/operations/call99").await;
        assert_eq!(
            (&begun["status"], &begun["state"]),
            (&json!("in_progress"), &json!("running")),
            "{begun}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_answer_ends_and_the_next_page_goes_on() {
    for (index, source) in [(Index::Kept, "index"), (Index::None, "journal")] {
        let telling = telling(index).await;
        let large = format!(r#"{{"text":"{}"}}"#, "words ".repeat(100_000));
        for number in 0..20 {
            let record = toolwright_ledger::Record {
                ts: 1_700_000_000_000_000 + number as i64 * 1_000_000,
                call: format!("call{number}"),
                tool: "t".into(),
                ..toolwright_ledger::Record::default()
            };
            telling.call(record, &large);
        }
        if index == Index::Kept {
            telling.indexed().await;
        }
        let (first, next) = page(&telling, "/api/operations?limit=1000", source).await;
        assert!(first.len() < 20 && next.is_some(), "{source}: {} at once", first.len());
        assert_eq!(all_pages(&telling, "/api/operations?limit=1000", source).await, ids(0..20), "{source}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn numbers_from_memory_and_from_the_index_agree() {
    let telling = telling(Index::Kept).await;
    telling.calls();
    telling.indexed().await;
    for path in ["/api/stats", "/api/stats?range=1h", "/api/stats?range=all&scope=all"] {
        let told = telling.told(path).await;
        assert_eq!((&told["count"], &told["errors"]), (&json!(30), &json!(6)), "{path}: {told}");
        assert_eq!(
            (&told["error_rate"], &told["normalized"]),
            (&json!(0.2), &json!(10)),
            "begins are no calls"
        );
        assert_eq!(
            (&told["min_ms"], &told["max_ms"], &told["avg_ms"]),
            (&json!(1.0), &json!(3.9), &json!(2.45))
        );
        let tool = &told["by_tool"][0];
        assert_eq!(
            (&tool["tool"], &tool["count"], &tool["bytes_in"]),
            (&json!("read_file"), &json!(30), &json!(600))
        );
        let p99 = tool["p99_ms"].as_f64().expect("a number");
        assert!((3.8..=4.4).contains(&p99), "{path}: {p99}");
        assert_eq!(
            (&told["by_rule"][0]["rule_id"], &told["by_rule"][0]["hits"]),
            (&json!("alias"), &json!(10))
        );
        assert!(told["by_rule"][0]["last_fired"].is_string(), "{told}");
        assert_eq!(told["by_client"].as_array().map(Vec::len), Some(2), "{told}");
        assert_eq!(told["by_server"][0]["server"], "files", "{told}");
        let slowest: Vec<&str> = told["slowest"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(|call| call["req_id"].as_str())
            .collect();
        assert_eq!(slowest, ids(20..30), "{path}");
        for series in ["by_hour", "by_minute"] {
            let points = told[series].as_array().expect("a list");
            let count: u64 = points.iter().filter_map(|point| point["count"].as_u64()).sum();
            assert_eq!(count, 30, "{path} {series}");
            let times: Vec<&str> = points.iter().filter_map(|point| point["ts"].as_str()).collect();
            assert!(times.is_sorted(), "{times:?}");
        }
    }
    let told = telling.told("/api/stats?hours=3&minutes=2").await;
    let length = |series: &str| told[series].as_array().map(Vec::len);
    assert_eq!((length("by_hour"), length("by_minute")), (Some(3), Some(2)));
}

#[tokio::test(flavor = "multi_thread")]
async fn without_an_index_only_the_numbers_of_memory_are_told() {
    let telling = telling(Index::None).await;
    telling.calls();
    assert_eq!(telling.told("/api/stats").await["count"], json!(30));
    for path in ["/api/stats?range=1h", "/api/stats?scope=all", "/api/operations?cursor=i5"] {
        let answer = telling.get(path).await;
        assert_eq!(answer.status, 503, "{path}: {}", answer.body);
        assert!(answer.body.contains("\"reason\":\"index\""), "{}", answer.body);
    }
    let health = telling.told("/api/health").await;
    assert_eq!(health["index"]["problem"], "the database is not open yet", "{health}");
    assert_eq!(health["journal"]["last_seq"], json!(31), "{health}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_that_takes_no_records_is_reported_and_the_journal_answers() {
    use sqlx::{Connection, Executor};

    let telling = telling(Index::Kept).await;
    telling.calls();
    telling.indexed().await;
    assert_eq!(telling.told("/api/health").await["status"], "ok");
    // Another program holds the file: it can be read and not written.
    let file = telling.ledger.journal().folder().ancestors().map(|folder| folder.join("index.db"));
    let file = file.into_iter().find(|file| file.exists()).expect("the index");
    let mut other = sqlx::SqliteConnection::connect(&file.display().to_string()).await.expect("opened");
    other.execute("BEGIN IMMEDIATE").await.expect("locked");
    telling.call(crate::telling::record(500, "read_file"), "{}");
    for _ in 0..2_000 {
        if telling.told("/api/health").await["status"] == "degraded" {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    let health = telling.told("/api/health").await;
    assert_eq!(
        (&health["status"], &health["journal"]["state"]),
        (&json!("degraded"), &json!("ok")),
        "{health}"
    );
    assert_eq!(health["index"]["behind"], 1, "{health}");
    assert!(health["index"]["problem"].as_str().is_some_and(|why| why.contains("locked")), "{health}");
    let answer = telling.get("/api/operations?limit=1").await;
    assert_eq!(answer.header("x-toolwright-source"), Some("journal"));
    assert_eq!(answer.header("x-toolwright-index-lag"), Some("1"));
    assert!(answer.body.contains("call500"), "{}", answer.body);
    other.execute("ROLLBACK").await.expect("let go");
    telling.indexed().await;
    let (calls, _) = page(&telling, "/api/operations?limit=1", "index").await;
    assert_eq!(calls, ["call500"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn patterns_rules_and_the_normalizer_tell_what_was_counted() {
    let telling = telling(Index::Kept).await;
    telling.calls();
    let suggestion = telling.suggestion().await;
    let told = telling.told("/api/error-patterns").await;
    assert_eq!((&told["total_errors"], &told["unique_patterns"]), (&json!(8), &json!(2)), "{told}");
    assert_eq!(told["with_suggestions"], json!(1), "{told}");
    let (first, second) = (&told["patterns"][0], &told["patterns"][1]);
    assert_eq!(
        (&first["tool"], &first["count"], &first["code"]),
        (&json!("read_file"), &json!(6), &json!("tool_error"))
    );
    assert!(first.get("suggested_rule").is_none(), "{first}");
    assert_eq!(second["suggested_rule"]["id"], suggestion["id"], "{second}");
    let rule = &second["suggested_rule"];
    assert_eq!(
        (&rule["type"], &rule["from"], &rule["to"]),
        (&json!("param_alias"), &json!("payload"), &json!("prose"))
    );
    let told = telling.told("/api/normalizer").await;
    assert_eq!((&told["total_processed"], &told["total_normalized"]), (&json!(34), &json!(10)), "{told}");
    assert_eq!(told["by_rule"]["alias"]["hits"], json!(10), "{told}");
    let told = telling.told("/api/rules").await;
    let rules = told["rules"].as_array().expect("a list");
    assert!(!rules.is_empty() && rules.iter().all(|rule| rule["source"] == "built-in"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_decision_is_active_before_its_response() {
    let telling = telling(Index::Kept).await;
    let id = telling.suggestion().await["id"].as_str().expect("an id").to_owned();
    let decide = async |what: &str| telling.post(&format!("/api/suggestions/{id}/{what}"), "{}").await.0;
    let call = async || telling.executor.execute(Call::new("send_note", r#"{"payload":"buy milk"}"#)).await;
    assert!(call().await.result.is_err(), "nothing repairs it yet");
    for _ in 0..3 {
        assert_eq!(decide("accept").await, 200);
        let repaired = call().await;
        assert_eq!(repaired.text(), r#"{"prose":"buy milk"}"#);
        assert_eq!(repaired.changes[0].rule.as_deref(), Some(&*format!("learned-{id}")));
        assert_eq!(decide("undo").await, 200);
        assert!(call().await.result.is_err(), "the rule is not active any more");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn suggestions_are_accepted_dismissed_and_undone() {
    let telling = telling(Index::Kept).await;
    assert_eq!(telling.told("/api/suggestions").await, json!({ "policy": "suggest", "suggestions": [] }));
    let suggestion = telling.suggestion().await;
    let id = suggestion["id"].as_str().expect("an id").to_owned();
    assert_eq!(suggestion["evidence"]["observations"], json!(2), "{suggestion}");
    let one = telling.told(&format!("/api/suggestions/{id}")).await;
    assert_eq!(one["rule"], suggestion["rule"]);
    assert!(one.get("why_not_safe").is_some(), "{one}");
    let decide = async |what: &str, body: &str| {
        let (status, told) = telling.post(&format!("/api/suggestions/{id}/{what}"), body).await;
        let word = if status == 200 { &told["status"] } else { &told["error"]["data"]["reason"] };
        (status, word.as_str().unwrap_or_default().to_owned(), told)
    };
    let is = |(status, word, told): (u16, String, Value), wanted: (u16, &str)| {
        assert_eq!((status, word.as_str()), wanted, "{told}");
        told
    };
    is(decide("undo", "{}").await, (409, "decided"));
    is(decide("accept", r#"{"by":"Ada"}"#).await, (200, "active"));
    let told = is(decide("accept", "{}").await, (409, "decided"));
    assert!(told["error"]["message"].as_str().is_some_and(|it| it.contains("already")), "{told}");
    let active = telling.ledger.learning().active_rules();
    assert_eq!(active.len(), 1);
    assert!(active[0]["note"].as_str().is_some_and(|note| note.contains("accepted by Ada")), "{active:?}");
    is(decide("undo", "{}").await, (200, "undone"));
    assert!(telling.ledger.learning().active_rules().is_empty());
    let history = telling.told("/api/suggestions/history").await;
    let events: Vec<(&str, &str)> = history["events"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|event| (event["event"].as_str().expect("a word"), event["by"].as_str().expect("a name")))
        .collect();
    assert_eq!(events, [("undone", "default"), ("accepted", "Ada")], "the newest first");
    let one = telling.told("/api/suggestions/history?limit=1").await;
    assert_eq!(one["events"].as_array().map(Vec::len), Some(1));
    for (path, body, wanted) in [
        ("/api/suggestions/nothing/accept", "{}", (404, "suggestion")),
        ("/api/suggestions/nothing/undo", "{}", (404, "suggestion")),
        (&*format!("/api/suggestions/{id}/dismiss"), "not json", (400, "body")),
        (&*format!("/api/suggestions/{id}/dismiss"), "", (400, "body")),
    ] {
        let (status, told) = telling.post(path, body).await;
        let reason = told["error"]["data"]["reason"].as_str().unwrap_or_default();
        assert_eq!((status, reason), wanted, "{path}: {told}");
    }
    let answer = telling.get("/api/suggestions/nothing").await;
    assert!(answer.status == 404 && answer.body.contains("there is no suggestion"), "{}", answer.body);
}
