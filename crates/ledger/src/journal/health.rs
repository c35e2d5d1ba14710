//! Health of a journal, for status pages and metrics.

use std::sync::Mutex;

use toolwright_base::IgnorePoison;

/// Health of a journal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// Whether the last record could be written.
    pub state: State,
    /// Records that could not be written since the journal was opened.
    pub lost: u64,
    /// Records that were written but may not survive a power loss, because a sync failed.
    pub unsynced: u64,
    /// Files that retention removed since the journal was opened.
    pub removed: u64,
    /// The last error, also after the journal has recovered.
    pub last_error: Option<String>,
    /// Time of the last state change in microseconds since 1970. `None` when the state never changed.
    pub since: Option<i64>,
}

/// State of writing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// Records are written.
    #[default]
    Ok,
    /// The last record could not be written.
    Degraded,
}

impl State {
    /// The word for files and pages.
    pub fn word(self) -> &'static str {
        match self {
            State::Ok => "ok",
            State::Degraded => "degraded",
        }
    }
}

/// JournalShared health of a journal.
#[derive(Debug, Default)]
pub(super) struct HealthCell(Mutex<Health>);

impl HealthCell {
    pub fn get(&self) -> Health {
        self.0.lock().ignore_poison().clone()
    }

    /// Counts lost and unsynced records.
    pub fn fail(&self, lost: u64, unsynced: u64, why: String) {
        let mut health = self.0.lock().ignore_poison();
        if health.state == State::Ok {
            // Logged once and not for each record: a full disk must not flood the log.
            tracing::error!(error = %why, "the journal cannot be written");
            health.since = Some(jiff::Timestamp::now().as_microsecond());
        }
        health.state = State::Degraded;
        health.lost = health.lost.saturating_add(lost);
        health.unsynced = health.unsynced.saturating_add(unsynced);
        health.last_error = Some(why);
    }

    /// Counts removed files.
    pub fn removed(&self, files: u64) {
        let mut health = self.0.lock().ignore_poison();
        health.removed = health.removed.saturating_add(files);
    }

    /// Writing works again.
    pub fn resume(&self) {
        let mut health = self.0.lock().ignore_poison();
        if health.state == State::Degraded {
            tracing::warn!(lost = health.lost, unsynced = health.unsynced, "the journal is written again");
            health.state = State::Ok;
            health.since = Some(jiff::Timestamp::now().as_microsecond());
        }
    }
}
