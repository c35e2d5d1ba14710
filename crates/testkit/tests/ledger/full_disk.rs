//! Q22: the disk with the state folder is full.

use std::fs;
use std::path::Path;

use serde_json::Value;
use toolwright_testkit::load::Served;

use crate::disk::SmallDisk;
use crate::support::{client, one_server, programs, say, until};

/// A gateway with all that it keeps on the small disk.
fn on(disk: &SmallDisk, flags: &[&str]) -> Served {
    let programs = programs();
    let before = disk.behind();
    let before: Vec<&str> = before.iter().map(String::as_str).collect();
    let state = disk.inside().to_string_lossy().into_owned();
    let logs = format!("{state}/logs");
    let flags = [&["--no-auth", "--log-dir", &logs], flags].concat();
    Served::start_behind(
        &programs,
        &before,
        Some(&one_server(&programs)),
        &flags,
        &[("XDG_STATE_HOME", &state)],
    )
}

fn numbers(disk: &SmallDisk) -> Value {
    let text = fs::read_to_string(disk.outside().join("logs/normalizer_stats.json")).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

async fn lost(served: &Served) -> u64 {
    served.metric("toolwright_journal_lost_records_total").await.unwrap_or_default() as u64
}

fn bytes(file: &Path) -> Vec<u8> {
    fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn q22_calls_go_on_and_every_one_is_written_or_counted() {
    let Some(disk) = SmallDisk::mount() else { return };
    let mut served = on(&disk, &[]);
    let (code, _, complaint) = served.run_behind(&["token", "add", "kept"]);
    assert_eq!(code, 0, "{complaint}");
    let mut client = client(&served).await;
    let (mut made, mut missing) = (0, 0);
    for round in 1..=3 {
        for _ in 0..20 {
            made += 1;
            assert!(!say(&mut client, "echo", &"room ".repeat(20)).await.is_error());
        }
        disk.fill();
        while lost(&served).await < missing + 20 {
            made += 1;
            assert!(made < 2000, "the disk does not become full");
            assert_eq!(say(&mut client, "echo", "no room").await.text(), Some("no room"));
        }
        missing = lost(&served).await;
        assert_eq!(served.metric("toolwright_journal_degraded").await, Some(1.0));
        // Said for each time that it began, not for each record.
        let said = served.log().matches("the journal cannot be written").count();
        assert!((round..=3 * round).contains(&said), "{said} lines in round {round}");
        // What was there before is as it was.
        assert!(served.run_behind(&["token", "list"]).1.contains("kept"));
        let tokens = tokens(&disk);
        let (code, _, complaint) = served.run_behind(&["token", "add", "another"]);
        assert!(code != 0 && !complaint.contains("panicked"), "{complaint}");
        assert_eq!(tokens, self::tokens(&disk), "half a file was left");
        disk.make_room();
        made += 1;
        assert!(!say(&mut client, "echo", "room again").await.is_error());
        assert_eq!(served.metric("toolwright_journal_degraded").await, Some(0.0));
    }
    assert!(verified_on(&served).contains(&format!("{missing} records could not be written")));
    let records = exported_on(&served);
    // Each call has two records: nothing was dropped in silence.
    assert_eq!(records as u64 + missing, 2 * made);
    assert_eq!(served.stop().map(|(_, code)| code), Some(0));
    // The numbers know every call, written or not.
    assert_eq!(numbers(&disk)["total_processed"], made, "{}", numbers(&disk));
}

fn tokens(disk: &SmallDisk) -> Vec<u8> {
    let folder = disk.outside().join("toolwright");
    let names = fs::read_dir(&folder).expect("a folder").flatten().map(|entry| entry.path());
    let mut files: Vec<_> = names.filter(|path| path.to_string_lossy().contains("token")).collect();
    files.sort();
    files.iter().flat_map(|file| [file.to_string_lossy().as_bytes().to_vec(), bytes(file)].concat()).collect()
}

fn verified_on(served: &Served) -> String {
    let (code, said, complaint) = served.run_behind(&["audit", "verify"]);
    assert_eq!(code, 0, "{said}{complaint}");
    said
}

fn exported_on(served: &Served) -> usize {
    served.run_behind(&["audit", "export"]).1.lines().count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn q22_with_block_no_call_is_run_that_cannot_be_written_down() {
    let Some(disk) = SmallDisk::mount() else { return };
    let served = on(&disk, &["--without-journal", "block"]);
    let mut client = client(&served).await;
    assert_eq!(say(&mut client, "print", "before").await.text(), Some("before"));
    assert_eq!(served.page("/readyz").await.expect("a page").status, 200);
    disk.fill();
    // Before any call has failed: a load balancer shall not find out by losing one.
    until("it is not ready", async || served.page("/readyz").await.is_ok_and(|page| page.status == 503))
        .await;
    let (mut refused, mut unrecorded) = (0, 0);
    for number in 0..200 {
        let reply = say(&mut client, "echo", "no room").await;
        if reply.is_error() {
            refused += 1;
            let told = format!("{:?}", reply.outcome);
            // There may have been room for the begin of the first one, and none for its end.
            unrecorded += u64::from(told.contains("has run"));
            assert!(unrecorded <= 1, "call {number} ran without a record");
            assert!(told.contains("cannot write to the journal"), "{told}");
            assert!(told.contains("free some space"), "{told}");
        } else {
            assert_eq!(refused, 0, "call {number} was run without a record");
        }
        if refused == 10 {
            break;
        }
    }
    assert_eq!(refused, 10);
    disk.make_room();
    until("it is ready again", async || served.page("/readyz").await.is_ok_and(|page| page.status == 200))
        .await;
    assert_eq!(say(&mut client, "echo", "after").await.text(), Some("after"));
    assert_eq!(served.metric("toolwright_journal_degraded").await, Some(0.0));
    // Of each refused call its begin and its end are missing, and counted; of one that ran its end is.
    let missing = lost(&served).await;
    assert!(missing >= 2 * refused - unrecorded, "{missing}");
    assert!(verified_on(&served).contains(&format!("{missing} records could not be written")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn q22_a_gateway_that_starts_on_a_full_disk_says_so_and_serves_or_refuses_to() {
    let Some(disk) = SmallDisk::mount() else { return };
    let mut served = on(&disk, &[]);
    let mut first = client(&served).await;
    assert!(!say(&mut first, "echo", "before").await.is_error());
    assert_eq!(served.stop().map(|(_, code)| code), Some(0));
    let before = numbers(&disk)["total_processed"].clone();
    assert_eq!(before, 1);
    disk.fill();
    served.start_again();
    let mut again = client(&served).await;
    assert_eq!(say(&mut again, "echo", "no room").await.text(), Some("no room"));
    assert!(numbers(&disk)["total_processed"].as_u64() >= Some(1), "it never counts backwards");
    disk.make_room();
    assert_eq!(say(&mut again, "echo", "room").await.text(), Some("room"));
    until("records are written", async || exported_on(&served) > 2).await;
    verified_on(&served);
    assert_eq!(served.stop().map(|(_, code)| code), Some(0));
    assert!(numbers(&disk)["total_processed"].as_u64() >= Some(2), "{}", numbers(&disk));
}
