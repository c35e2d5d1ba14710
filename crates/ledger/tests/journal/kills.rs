//! Q01 in small: after a kill at any moment, no acknowledged record is missing.

use std::collections::HashMap;
use std::time::Duration;

use tempfile::tempdir;
use toolwright_ledger::journal::{Journal, JournalError, verify};

use crate::child::ChildProcess;
use crate::support::{Dice, open, options, read, torn};

#[test]
fn q01_kill_under_load_loses_and_duplicates_nothing() {
    let folder = tempdir().unwrap();
    let mut dice = Dice::new(u64::from(std::process::id()));
    let mut taken: HashMap<String, u64> = HashMap::new();
    let mut last_seq = 0;
    for kill in 0..50 {
        let mut child = ChildProcess::start(&[], "load", folder.path());
        let opened = child.line().expect("it opens");
        // It found everything that was there after the last kill.
        assert_eq!(opened, format!("open {last_seq}"), "kill {kill}");
        let after = Duration::from_millis(dice.below(40));
        let mut lines: Vec<String> = child.line().into_iter().collect();
        std::thread::sleep(after);
        child.kill();
        lines.extend(child.end().0);
        for line in lines {
            let (seq, call) = line.split_once(' ').expect("a number and a call");
            let before = taken.insert(call.to_owned(), seq.parse().expect("a number"));
            assert!(before.is_none());
        }
        let torn_before = torn(folder.path()).len();
        let (_, recovered) = open(folder.path());
        assert!(recovered.damage.is_none(), "kill {kill}: {:?}", recovered.damage);
        assert!(torn(folder.path()).len() <= torn_before + 1);
        last_seq = recovered.last_seq;
    }
    let verified = verify(folder.path()).unwrap();
    assert_eq!(verified.first_bad, None);
    let mut found: HashMap<String, u64> = HashMap::new();
    for record in read(folder.path()).0 {
        assert!(found.insert(record.call, record.seq).is_none(), "a record is there twice");
    }
    assert!(taken.len() > 50);
    for (call, seq) in &taken {
        assert_eq!(found.get(call), Some(seq), "{call} was taken");
    }
    println!("{} taken, {} found, {} torn ends", taken.len(), found.len(), torn(folder.path()).len());
}

#[test]
fn second_process_is_refused_until_the_first_exits() {
    let folder = tempdir().unwrap();
    let mut child = ChildProcess::start(&[], "hold", folder.path());
    assert_eq!(child.line().as_deref(), Some("held"));
    let refused = Journal::open(folder.path(), options()).unwrap_err();
    assert!(matches!(refused, JournalError::InUse { pid: Some(_), .. }), "{refused}");
    child.kill();
    drop(child.end());
    open(folder.path());
}
