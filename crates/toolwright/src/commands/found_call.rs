//! One call that was written down, by its id or the beginning of it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use toolwright_executor::printable;
use toolwright_ledger::Record;
use toolwright_ledger::journal::{Damage, Journal};

use crate::report::Report;

/// How many calls are named that somebody may mean.
const NAMED: usize = 5;

/// The last record of the call; nothing when there is none.
pub fn find(folders: &[PathBuf], call: &str) -> Result<Option<Record>, Report> {
    // The record of the end comes after that of the begin, and says more.
    let mut found: BTreeMap<String, Record> = BTreeMap::new();
    for folder in folders {
        let meant = read(folder, 1).filter(|record| !call.is_empty() && record.call.starts_with(call));
        for record in meant {
            if found.len() <= NAMED || found.contains_key(&record.call) {
                found.insert(record.call.clone(), record);
            }
        }
    }
    if found.len() > 1 && !found.contains_key(call) {
        let mut ids: Vec<&str> = found.keys().take(NAMED).map(String::as_str).collect();
        if found.len() > NAMED {
            ids.push("…");
        }
        let what = format!("several calls begin with {call:?}: {}", ids.join(", "));
        return Err(Report::found(what, "give more of the id"));
    }
    Ok(found.remove(call).or_else(|| found.into_values().next()))
}

/// The records of a journal from a number on. What is damaged is told.
pub fn read(folder: &Path, from: u64) -> impl Iterator<Item = Record> + use<> {
    Journal::read(folder, from).filter_map(|record| record.inspect_err(warn).ok())
}

pub fn warn(damage: &Damage) {
    eprintln!("warning: {}", printable(&damage.to_string(), &['\\']));
}
