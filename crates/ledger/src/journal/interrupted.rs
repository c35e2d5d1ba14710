//! Interrupted calls: a start record without an end record.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use serde::Deserialize;

use super::error::JournalError;
use super::files;
use super::reader::{JournalScan, ScanStep};
use crate::{Kind, Record};

/// Maximum number of returned calls: the newest.
const MAX_INTERRUPTED: usize = 10_000;

/// The start records of the calls in a journal that have no end record, oldest first. In a journal that is being
/// written, calls in flight are among them. At most the newest 10,000 are returned.
///
/// # Errors
/// When the folder cannot be read. Damaged lines are skipped.
pub fn interrupted(folder: &Path) -> Result<Vec<Record>, JournalError> {
    #[derive(Deserialize)]
    struct CallMarker {
        kind: Kind,
        call: String,
    }
    files::segments(folder).map_err(|why| JournalError::Io {
        what: "read the journal in",
        path: folder.to_path_buf(),
        why,
    })?;
    let mut started: BTreeMap<u64, Record> = BTreeMap::new();
    let mut numbers: HashMap<String, u64> = HashMap::new();
    let mut scan = JournalScan::new(folder, 0);
    loop {
        let link = match scan.step() {
            ScanStep::Right(link) | ScanStep::Wrong(_, Some(link)) => link,
            ScanStep::Wrong(_, None) => continue,
            ScanStep::Unfinished(_) | ScanStep::End => break,
        };
        let Ok(marker) = serde_json::from_slice::<CallMarker>(scan.bytes()) else { continue };
        match marker.kind {
            Kind::Call => {
                if let Some(number) = numbers.remove(&marker.call) {
                    started.remove(&number);
                }
            }
            Kind::Exchange => {}
            Kind::InProgress => {
                if let Ok(record) = scan.record(&link) {
                    // Of two start records of one call the later counts.
                    if let Some(older) = numbers.insert(marker.call, link.seq) {
                        started.remove(&older);
                    }
                    started.insert(link.seq, record);
                }
                if started.len() > MAX_INTERRUPTED
                    && let Some((_, oldest)) = started.pop_first()
                {
                    numbers.remove(&oldest.call);
                }
            }
        }
    }
    Ok(started.into_values().collect())
}
