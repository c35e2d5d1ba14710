//! Q03: the n-th call to the system fails while a gateway serves.

use std::fs;

use serde_json::Value;
use toolwright_testkit::load::Served;

use crate::support::{JOURNAL, client, exported, one_server, programs, say, verified, works};

const CALLS: u32 = 4;

fn has_strace() -> bool {
    works("strace", &["-D", "-f", "-qq", "-o", "/dev/null", "-e", "inject=fsync:error=EIO:when=1", "true"])
}

/// A gateway whose calls of this kind fail when `when` says so, in the first files of its journal only.
fn with_fault(call: &str, error: &str, when: &str, flags: &[&str]) -> Served {
    let (trace, inject) = (format!("trace={call}"), format!("inject={call}:error={error}:when={when}"));
    let files: Vec<String> =
        (1..=2 * CALLS).map(|seq| format!("{{folder}}/{JOURNAL}/{seq:020}.jsonl")).collect();
    // `-D`: the gateway is our child and the tracer is not, so that it ends when we say so.
    let mut before = vec!["strace", "-D", "-f", "-qq", "-o", "/dev/null", "-e", &trace, "-e", &inject];
    for file in &files {
        before.extend(["-P", file]);
    }
    let programs = programs();
    let flags = [&["--no-auth"], flags].concat();
    Served::start_behind(&programs, &before, Some(&one_server(&programs)), &flags, &[])
}

fn ends(records: &[Value]) -> Vec<&str> {
    let ends = records.iter().filter(|record| record["kind"] == "call");
    ends.map(|record| record["arguments"]["text"].as_str().unwrap_or_default()).collect()
}

/// Each call writes twice: its begin, and its end.
async fn the_nth_write_fails(error: &str) {
    if !has_strace() {
        return;
    }
    for policy in ["allow", "block"] {
        for when in 1..=5 {
            let at = format!("{error} {policy} {when}");
            let mut served = with_fault("write", error, &when.to_string(), &["--without-journal", policy]);
            let mut client = client(&served).await;
            for number in 1..=CALLS {
                let reply = say(&mut client, "echo", &format!("call {number}")).await;
                let is_refused = policy == "block" && when == 2 * number - 1;
                if is_refused {
                    assert!(reply.is_error(), "{at}: {reply:?}");
                    let told = format!("{:?}", reply.outcome);
                    assert!(told.contains("cannot write to the journal"), "{at}: {told}");
                } else if policy == "block" && when == 2 * number {
                    // It ran, and nobody is answered as if that had been written down.
                    let told = format!("{:?}", reply.outcome);
                    assert!(reply.is_error() && told.contains("has run"), "{at}: {told}");
                    assert!(told.contains("cannot write to the journal"), "{at}: {told}");
                } else {
                    assert_eq!(reply.text(), Some(format!("call {number}").as_str()), "{at}: {reply:?}");
                }
                let is_degraded = if when == 2 * number { 1.0 } else { 0.0 };
                assert_eq!(served.metric("toolwright_journal_degraded").await, Some(is_degraded), "{at}");
            }
            assert_eq!(served.metric("toolwright_journal_lost_records_total").await, Some(1.0), "{at}");
            // A failed write was said, once, and it went on.
            let log = served.log();
            assert_eq!(log.matches("the journal cannot be written").count(), 1, "{at}: {log}");
            assert!(!log.contains("panicked"), "{at}: {log}");
            let whole = verified(&served);
            assert!(whole.contains("1 records could not be written"), "{at}: {whole}");
            let records = exported(&served);
            assert_eq!(records.len(), 2 * CALLS as usize - 1, "{at}");
            // Only the record whose write failed is missing.
            let lost_end = when % 2 == 0;
            let expected: Vec<String> = (1..=CALLS)
                .filter(|number| !(lost_end && when == 2 * number))
                .map(|number| format!("call {number}"))
                .collect();
            assert_eq!(ends(&records), expected, "{at}");
            assert_eq!(served.stop().map(|(_, code)| code), Some(0), "{at}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn q03_the_nth_write_says_that_the_disk_is_broken() {
    the_nth_write_fails("EIO").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn q03_the_nth_write_says_that_the_disk_is_full() {
    the_nth_write_fails("ENOSPC").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn q03_while_writes_fail_it_is_degraded_and_the_next_record_counts_what_is_missing() {
    if !has_strace() {
        return;
    }
    let served = with_fault("write", "ENOSPC", "3..6", &[]);
    let mut client = client(&served).await;
    let mut states = Vec::new();
    for number in 1..=4 {
        assert_eq!(
            say(&mut client, "echo", &format!("{number}")).await.text(),
            Some(number.to_string().as_str())
        );
        let ready = served.page("/readyz").await.expect("a page").text();
        let ready: Value = serde_json::from_str(&ready).expect("JSON");
        states.push(ready["journal"].as_str().unwrap_or_default().to_owned());
    }
    assert_eq!(states, ["ok", "degraded", "degraded", "ok"]);
    assert_eq!(served.metric("toolwright_journal_lost_records_total").await, Some(4.0));
    assert!(verified(&served).contains("4 records could not be written"));
    assert_eq!(ends(&exported(&served)), ["1", "4"]);
}

/// Whatever cannot be synced, a gateway starts, answers, writes down and ends.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn q03_the_nth_sync_fails_and_nothing_crashes() {
    if !has_strace() {
        return;
    }
    let programs = programs();
    for (call, error) in [("fsync", "EIO"), ("fdatasync", "EIO"), ("fsync", "ENOSPC")] {
        for when in 1..=5 {
            let at = format!("{call} {error} {when}");
            let flags = ["--no-auth", "--log-dir", "{folder}/logs"];
            let mut served = Served::start_behind(&programs, &[], Some(&one_server(&programs)), &flags, &[]);
            // The keys of the install are there: without them it says what is wrong and does not start.
            assert_eq!(served.stop().map(|(_, code)| code), Some(0), "{at}");
            let (trace, inject) =
                (format!("trace={call}"), format!("inject={call}:error={error}:when={when}"));
            let before = ["strace", "-D", "-f", "-qq", "-o", "/dev/null", "-e", &trace, "-e", &inject];
            served.start_again_behind(&before);
            let mut client = client(&served).await;
            assert_eq!(say(&mut client, "echo", "x").await.text(), Some("x"), "{at}");
            assert_eq!(served.stop().map(|(_, code)| code), Some(0), "{at}");
            assert!(!served.log().contains("panicked"), "{at}: {}", served.log());
            assert_eq!(ends(&exported(&served)), ["x"], "{at}");
            verified(&served);
            served.start_again_behind(&[]);
            assert_eq!(served.stop().map(|(_, code)| code), Some(0), "{at}");
            let numbers = fs::read_to_string(served.folder().join("logs/normalizer_stats.json"));
            let numbers: Value = serde_json::from_str(&numbers.expect("a file")).expect("JSON");
            assert_eq!(numbers["total_processed"], 1, "{at}: {numbers}");
        }
    }
}
