//! Q23: the clock jumps while calls run.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;
use toolwright_testkit::load::Served;

use crate::support::{client, exported, programs, say, verified};

/// Where Debian has the library, by the machine; the first is where most have it.
const FOLDERS: [&str; 3] =
    ["/usr/lib/x86_64-linux-gnu/faketime", "/usr/lib/aarch64-linux-gnu/faketime", "/usr/lib/faketime"];
/// The clocks that the gateway is given, one after the other.
const CLOCKS: [&str; 6] =
    ["+0", "@1970-01-01 00:00:10", "@2038-01-19 03:14:06", "-1h", "+1d", "@2106-02-07 06:28:14"];
/// How long a call may take.
const TIMEOUT: Duration = Duration::from_secs(2);
const YEAR_US: i64 = 365 * 24 * 3600 * 1_000_000;

fn library() -> Option<PathBuf> {
    let found =
        FOLDERS.iter().map(|folder| PathBuf::from(folder).join("libfaketime.so.1")).find(|it| it.exists());
    if found.is_none() {
        eprintln!("SKIPPED: there is no libfaketime here; install the Debian package faketime");
    }
    found
}

/// A gateway whose clock is what the file `clock` says; the steady clock stays what it is, as in earnest.
fn with_clock(library: &Path, flags: &[&str]) -> Served {
    let programs = programs();
    let library = library.to_string_lossy();
    let variables = [
        ("LD_PRELOAD", &*library),
        ("FAKETIME_TIMESTAMP_FILE", "{folder}/clock"),
        ("FAKETIME_NO_CACHE", "1"),
        ("DONT_FAKE_MONOTONIC", "1"),
        ("FAKETIME_DONT_FAKE_MONOTONIC", "1"),
    ];
    let flags = [&["--no-auth", "--log-dir", "{folder}/logs"], flags].concat();
    let mut entry = programs.entry(&[]);
    entry["timeoutMs"] = (TIMEOUT.as_millis() as u64).into();
    let configuration = programs.apart(&[("one".to_owned(), entry)]);
    Served::start_behind(&programs, &[], Some(&configuration), &flags, &variables)
}

fn set(served: &Served, clock: &str) {
    let (new, file) = (served.folder().join("clock.new"), served.folder().join("clock"));
    fs::write(&new, clock).and_then(|()| fs::rename(new, file)).expect("written");
}

fn times(records: &[Value]) -> Vec<i64> {
    records.iter().map(|record| record["ts"].as_i64().expect("a time")).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn q23_the_clock_jumps_during_calls_and_only_the_times_of_records_show_it() {
    let Some(library) = library() else { return };
    let mut served = with_clock(&library, &[]);
    let mut first = client(&served).await;
    let mut second = client(&served).await;
    for (number, clock) in CLOCKS.iter().enumerate() {
        // One call begins before the jump and ends after it, another begins after it.
        let text = format!("over {number}");
        let arguments = format!(r#"{{"text":"{text}","ms":300}}"#);
        let (reply, ()) = tokio::join!(first.call("1", "slow", &arguments), async {
            tokio::time::sleep(Duration::from_millis(100)).await;
            set(&served, clock);
            assert_eq!(
                say(&mut second, "echo", &format!("after {number}")).await.text().map(str::len),
                Some(7)
            );
        });
        assert_eq!(reply.expect("a reply").text(), Some(text.as_str()), "{clock}");
    }
    let records = exported(&served);
    // The numbers order, and no time was negative or a jump.
    for (number, record) in records.iter().enumerate() {
        assert_eq!(record["seq"], number as u64 + 1);
        let took = record["duration_us"].as_u64().unwrap_or_else(|| panic!("{record}"));
        assert!(took < 30_000_000, "a duration of {took} µs: {record}");
    }
    let slow = records.iter().filter(|record| record["tool"] == "slow" && record["kind"] == "call");
    for record in slow {
        assert!(record["duration_us"].as_u64() >= Some(290_000), "{record}");
    }
    let times = times(&records);
    // The clock was another indeed: 1970 and 2106 are among the times.
    assert!(times.iter().any(|ts| *ts < YEAR_US) && times.iter().any(|ts| *ts > 130 * YEAR_US), "{times:?}");
    verified(&served);
    set(&served, "+0");
    assert_eq!(served.stop().map(|(_, code)| code), Some(0));
    let numbers = fs::read_to_string(served.folder().join("logs/normalizer_stats.json")).expect("numbers");
    let numbers: Value = serde_json::from_str(&numbers).expect("JSON");
    assert_eq!(numbers["total_processed"], 2 * CLOCKS.len() as u64);
    assert!(!served.log().contains("panicked"), "{}", served.log());
    // A journal of such times is taken up again.
    set(&served, "@1970-01-01 00:00:10");
    served.start_again();
    let mut again = client(&served).await;
    assert!(!say(&mut again, "echo", "again").await.is_error());
    assert!(verified(&served).contains("whole"));
    assert_eq!(exported(&served).len(), records.len() + 2, "nothing was thought too old");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn q23_a_call_is_given_up_after_its_time_wherever_the_clock_jumps() {
    let Some(library) = library() else { return };
    for clock in ["+1d", "-1h", "@1970-01-01 00:00:10", "@2038-01-19 03:14:06"] {
        let served = with_clock(&library, &[]);
        let mut client = client(&served).await;
        // It is reached before: what is measured is the call.
        assert!(!say(&mut client, "echo", "x").await.is_error());
        let begin = Instant::now();
        let call = client.call("1", "slow", r#"{"text":"x","ms":120000}"#);
        let (reply, ()) = tokio::join!(call, async {
            tokio::time::sleep(Duration::from_millis(100)).await;
            set(&served, clock);
        });
        let took = begin.elapsed();
        assert!(reply.expect("a reply").is_error(), "{clock}");
        assert!((TIMEOUT..TIMEOUT * 20).contains(&took), "{clock}: given up after {took:?}");
        let last = exported(&served).pop().expect("a record");
        assert_eq!(last["error"]["code"], "timeout", "{last}");
    }
}
