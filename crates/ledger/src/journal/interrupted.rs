//! Calls that were begun and whose end nobody wrote down.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use serde::Deserialize;

use super::error::JournalError;
use super::files;
use super::read::{Scan, Step};
use crate::{Kind, Record};

/// How many are remembered at most: the newest.
const MAX_INTERRUPTED: usize = 10_000;

/// The first records of the calls in a journal that have no last one, oldest first. In a journal that is being
/// written, calls that are running are among them. Of very many the newest 10,000 are given.
///
/// # Errors
/// When the folder cannot be read. Damaged lines are passed over.
pub fn interrupted(folder: &Path) -> Result<Vec<Record>, JournalError> {
    #[derive(Deserialize)]
    struct Said {
        kind: Kind,
        call: String,
    }
    files::segments(folder).map_err(|why| JournalError::Io {
        what: "read the journal in",
        path: folder.to_path_buf(),
        why,
    })?;
    let mut begun: BTreeMap<u64, Record> = BTreeMap::new();
    let mut numbers: HashMap<String, u64> = HashMap::new();
    let mut scan = Scan::new(folder, 0);
    loop {
        let link = match scan.step() {
            Step::Right(link) | Step::Wrong(_, Some(link)) => link,
            Step::Wrong(_, None) => continue,
            Step::Unfinished(_) | Step::End => break,
        };
        let Ok(said) = serde_json::from_slice::<Said>(scan.bytes()) else { continue };
        match said.kind {
            Kind::Call => {
                if let Some(number) = numbers.remove(&said.call) {
                    begun.remove(&number);
                }
            }
            Kind::Exchange => {}
            Kind::InProgress => {
                if let Ok(record) = scan.record(&link) {
                    // Of two begins of one call the later counts.
                    if let Some(older) = numbers.insert(said.call, link.seq) {
                        begun.remove(&older);
                    }
                    begun.insert(link.seq, record);
                }
                if begun.len() > MAX_INTERRUPTED
                    && let Some((_, oldest)) = begun.pop_first()
                {
                    numbers.remove(&oldest.call);
                }
            }
        }
    }
    Ok(begun.into_values().collect())
}
