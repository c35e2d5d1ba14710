//! How a journal is doing, for those who show it.

use std::sync::Mutex;

use toolwright_base::IgnorePoison;

/// How a journal is doing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// Whether the last record could be written.
    pub state: State,
    /// How many records could not be written since the journal was opened.
    pub lost: u64,
    /// How many were written and may not survive a loss of power, because a sync failed.
    pub unsynced: u64,
    /// How many files were removed since the journal was opened, because they were too old or too much.
    pub removed: u64,
    /// What went wrong last, also when it is well again.
    pub last_error: Option<String>,
    /// Since when the state is what it is, in microseconds since 1970. Nothing when it never changed.
    pub since: Option<i64>,
}

/// Whether records are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// They are.
    #[default]
    Ok,
    /// The last one could not be.
    Degraded,
}

impl State {
    /// The word for it in files and pages.
    pub fn word(self) -> &'static str {
        match self {
            State::Ok => "ok",
            State::Degraded => "degraded",
        }
    }
}

/// The health of a journal, changed in few places and read in many.
#[derive(Debug, Default)]
pub(super) struct HealthCell(Mutex<Health>);

impl HealthCell {
    pub fn get(&self) -> Health {
        self.0.lock().ignore_poison().clone()
    }

    /// So many records were lost or are unsure.
    pub fn fail(&self, lost: u64, unsynced: u64, why: String) {
        let mut health = self.0.lock().ignore_poison();
        if health.state == State::Ok {
            // Once, and not for each record: a full disk needs no flood of lines.
            tracing::error!(error = %why, "the journal cannot be written");
            health.since = Some(jiff::Timestamp::now().as_microsecond());
        }
        health.state = State::Degraded;
        health.lost = health.lost.saturating_add(lost);
        health.unsynced = health.unsynced.saturating_add(unsynced);
        health.last_error = Some(why);
    }

    /// So many files were removed.
    pub fn removed(&self, files: u64) {
        let mut health = self.0.lock().ignore_poison();
        health.removed = health.removed.saturating_add(files);
    }

    /// It works again.
    pub fn resume(&self) {
        let mut health = self.0.lock().ignore_poison();
        if health.state == State::Degraded {
            tracing::warn!(lost = health.lost, unsynced = health.unsynced, "the journal is written again");
            health.state = State::Ok;
            health.since = Some(jiff::Timestamp::now().as_microsecond());
        }
    }
}
