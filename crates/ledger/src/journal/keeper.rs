//! The thread beside a journal: it syncs groups of records, and removes what is too old.
//!
//! All records that were written while one sync ran are made safe by the next one, together.

use std::fs::File;
use std::io;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use toolwright_base::IgnorePoison;
use toolwright_model::Durability;

use super::writer::{Shared, Todo};

/// How often old segments are looked for when nothing else happens.
const TIDY_EVERY: Duration = Duration::from_secs(60 * 60);

/// What is to be synced.
struct Group {
    files: Vec<Arc<File>>,
    todo: Todo,
    /// Whether the last record of the group could be written.
    is_well: bool,
}

pub(super) fn start(shared: &Arc<Shared>) -> io::Result<JoinHandle<()>> {
    let shared = Arc::clone(shared);
    Builder::new().name("journal".into()).spawn(move || run(&shared))
}

fn run(shared: &Shared) {
    loop {
        let mut writer = shared.lock();
        let mut is_hour_over = false;
        if !writer.todo.is_sync && !writer.todo.is_tidy && !writer.is_closing {
            let waited = shared
                .wake
                .wait_timeout_while(writer, TIDY_EVERY, |writer| {
                    !writer.todo.is_sync && !writer.todo.is_tidy && !writer.is_closing
                })
                .ignore_poison();
            (writer, is_hour_over) = (waited.0, waited.1.timed_out());
        }
        let is_closing = writer.is_closing;
        let is_tidy = std::mem::take(&mut writer.todo.is_tidy) || is_hour_over;
        let group = writer.todo.is_sync.then(|| {
            let todo = std::mem::take(&mut writer.todo);
            let files = todo.rotated.iter().cloned().chain(writer.file()).collect();
            Group { files, todo, is_well: !writer.is_failing() }
        });
        drop(writer);
        let is_more = group.is_some();
        if let Some(group) = group {
            sync(shared, group);
        }
        if is_tidy {
            tidy(shared);
        }
        if is_closing && !is_more {
            return;
        }
    }
}

fn sync(shared: &Shared, group: Group) {
    let Group { files, todo, is_well } = group;
    debug_assert_eq!(shared.options.durability, Durability::Power);
    let synced = files.iter().try_for_each(|file| file.sync_data());
    let synced = match synced {
        Ok(()) if todo.is_folder => toolwright_base::sync_folder(&shared.folder),
        synced => synced,
    };
    match synced {
        Ok(()) => {
            {
                let mut writer = shared.lock();
                if is_well && writer.is_degraded() && !writer.is_failing() {
                    writer.sync_resumed(&shared.health);
                }
            }
            for done in todo.waiting {
                // Who does not wait any more need not be told.
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

fn tidy(shared: &Shared) {
    match shared.tidy() {
        Ok(removed) => shared.health.removed(removed.len() as u64),
        Err(why) => tracing::warn!(error = %why, "old segments of the journal could not be removed"),
    }
}
