//! Maintenance thread of a journal: syncs groups of records, and removes old segments.
//!
//! All records that were written while one sync ran are covered by the next one, together (group commit).

use std::fs::File;
use std::io;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use toolwright_base::IgnorePoison;
use toolwright_model::Durability;

use super::writer::{JournalShared, PendingWork};

/// Interval of retention when no segment is finished.
const RETENTION_INTERVAL: Duration = Duration::from_secs(60 * 60);

/// A group of records to sync.
struct SyncGroup {
    files: Vec<Arc<File>>,
    todo: PendingWork,
    /// Whether the last record of the group could be written.
    is_writing: bool,
}

pub(super) fn start(shared: &Arc<JournalShared>) -> io::Result<JoinHandle<()>> {
    let shared = Arc::clone(shared);
    Builder::new().name("journal".into()).spawn(move || run(&shared))
}

fn run(shared: &JournalShared) {
    loop {
        let mut writer = shared.lock();
        let mut is_hour_over = false;
        if !writer.todo.needs_sync && !writer.todo.needs_retention && !writer.is_closing {
            let waited = shared
                .wake
                .wait_timeout_while(writer, RETENTION_INTERVAL, |writer| {
                    !writer.todo.needs_sync && !writer.todo.needs_retention && !writer.is_closing
                })
                .ignore_poison();
            (writer, is_hour_over) = (waited.0, waited.1.timed_out());
        }
        let is_closing = writer.is_closing;
        let needs_retention = std::mem::take(&mut writer.todo.needs_retention) || is_hour_over;
        let group = writer.todo.needs_sync.then(|| {
            let todo = std::mem::take(&mut writer.todo);
            let files = todo.rotated.iter().cloned().chain(writer.file()).collect();
            SyncGroup { files, todo, is_writing: !writer.is_failing() }
        });
        drop(writer);
        let is_more = group.is_some();
        if let Some(group) = group {
            sync(shared, group);
        }
        if needs_retention {
            tidy(shared);
        }
        if is_closing && !is_more {
            return;
        }
    }
}

fn sync(shared: &JournalShared, group: SyncGroup) {
    let SyncGroup { files, todo, is_writing } = group;
    debug_assert_eq!(shared.options.durability, Durability::Power);
    let synced = files.iter().try_for_each(|file| file.sync_data());
    let synced = match synced {
        Ok(()) if todo.needs_folder_sync => toolwright_base::sync_folder(&shared.folder),
        synced => synced,
    };
    match synced {
        Ok(()) => {
            {
                let mut writer = shared.lock();
                if is_writing && writer.is_degraded() && !writer.is_failing() {
                    writer.sync_resumed(&shared.health);
                }
            }
            for done in todo.waiting {
                // A waiting caller may be gone: a failed send is no error.
                let _ = done.send(Ok(()));
            }
        }
        Err(why) => {
            let why = why.to_string();
            let also_waiting = {
                let mut writer = shared.lock();
                let (waiting, unsynced) = writer.sync_failed();
                shared.health.fail(0, todo.unsynced + unsynced, why.clone());
                waiting
            };
            for done in todo.waiting.into_iter().chain(also_waiting) {
                let _ = done.send(Err(why.clone()));
            }
        }
    }
}

fn tidy(shared: &JournalShared) {
    match shared.tidy() {
        Ok(removed) => shared.health.removed(removed.len() as u64),
        Err(why) => tracing::warn!(error = %why, "old segments of the journal could not be removed"),
    }
}
