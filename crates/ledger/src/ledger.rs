//! The ledger of one gateway: everything that is kept of its calls, behind one door.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use jiff::Timestamp;
use serde_json::value::RawValue;
use tokio_util::sync::CancellationToken;
use toolwright_redact::{OptionsError, RedactOptions, Redactor};

use crate::journal::{AppendError, Health, Journal, JournalError, JournalOptions, Recovered, node_folder};
use crate::patterns::Patterns;
use crate::stats::{NormalizerStats, Stats, StatsFile};
use crate::{Change, Failure, Kind, Record, disk};

/// How many gateways may write on one machine at once.
const NODES: usize = 64;
/// The name of the first of them.
const FIRST_NODE: &str = "main";

/// How many records of before are counted at a start.
const COUNTED_AGAIN: u64 = 200_000;

/// What becomes of a call that cannot be written down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnFailure {
    /// It is run, counted as lost, and that is said.
    #[default]
    Allow,
    /// It is not run.
    Block,
}

/// What can be chosen about a ledger.
#[derive(Clone, Debug, Default)]
pub struct LedgerOptions {
    /// Where it is kept.
    pub folder: PathBuf,
    /// Where `normalizer_stats.json` is written; nowhere when absent.
    pub log_dir: Option<PathBuf>,
    /// About the journal.
    pub journal: JournalOptions,
    /// What becomes of a call that cannot be written down.
    pub on_failure: OnFailure,
    /// What is hidden besides what is hidden anyway.
    pub redact: RedactOptions,
    /// Values that are known to be secret.
    pub secrets: Vec<String>,
}

/// Why there is no ledger.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// The journal cannot be opened.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// What is to be hidden cannot be understood.
    #[error("what is to be hidden cannot be understood: {0}")]
    Redact(#[from] OptionsError),
    /// The salt of the marks cannot be kept.
    #[error("{} cannot be read or made: {why}", .file.display())]
    Salt {
        /// The file.
        file: PathBuf,
        /// What the system said.
        why: io::Error,
    },
}

/// Everything that is kept of the calls of one gateway.
pub struct Ledger {
    journal: Journal,
    redactor: RwLock<Redactor>,
    secrets: Mutex<BTreeSet<String>>,
    stats: Arc<Stats>,
    stats_file: Option<Arc<StatsFile>>,
    patterns: Patterns,
    on_failure: OnFailure,
    /// The last record before this run.
    before: u64,
}

/// Arguments without their secrets. Only a ledger makes them, so that nobody forgets to.
#[derive(Clone, Debug, Default)]
pub struct Hidden(Option<Box<RawValue>>);

impl Ledger {
    /// Opens the ledger in a folder. What was written before is counted by [`keep`](Self::keep). Blocks for some
    /// milliseconds.
    ///
    /// # Errors
    /// When the journal cannot be written, and when what is to be hidden is not understood. A stats file that cannot
    /// be had is only warned of.
    pub fn open(options: LedgerOptions) -> Result<(Ledger, Recovered), LedgerError> {
        let LedgerOptions { folder, log_dir, journal, on_failure, redact, secrets } = options;
        let redactor = Redactor::new(salt(&folder)?, redact)?.with_known(secrets.clone());
        let (journal, recovered) = open_journal(&folder, &journal)?;
        let (stats, patterns) = (Arc::new(Stats::default()), Patterns::default());
        let stats_file = log_dir.as_deref().and_then(|log_dir| restore(log_dir, &journal, &stats));
        let (redactor, before) = (RwLock::new(redactor), journal.last_seq());
        let secrets = Mutex::new(secrets.into_iter().collect());
        Ok((
            Ledger { journal, redactor, secrets, stats, stats_file, patterns, on_failure, before },
            recovered,
        ))
    }

    /// Counts what was written before this run.
    fn count_before(&self) {
        let from = self.before.saturating_sub(COUNTED_AGAIN) + 1;
        let records = Journal::read(self.journal.folder(), from).filter_map(Result::ok);
        for record in records.take_while(|record| record.seq <= self.before) {
            self.patterns.observe(&record);
            if self.stats_file.is_none() {
                self.stats.observe(&record);
            }
        }
    }

    /// More values are known to be secret. Those of before stay so: servers that go may still say them.
    pub fn add_secrets(&self, secrets: impl IntoIterator<Item = String>) {
        let mut known = self.secrets.lock().unwrap_or_else(PoisonError::into_inner);
        known.extend(secrets);
        let mut redactor = self.redactor.write().unwrap_or_else(PoisonError::into_inner);
        *redactor = redactor.with_known(known.iter().cloned().collect());
    }

    /// Arguments as they are written down: JSON as it is but for its secrets, and anything else as a string.
    pub fn hide(&self, arguments: &str) -> Hidden {
        Hidden(json(&self.redactor().json(arguments)))
    }

    /// A text as it is written down, for those who show it elsewhere: a log.
    pub fn hide_text(&self, text: &str) -> String {
        self.redactor().text(text).into_owned()
    }

    /// Writes down that a call begins: when it is cut, that is how it is known.
    ///
    /// # Errors
    /// When it could not be written and must not be run without.
    pub fn begin(&self, record: Record, sent: Hidden) -> Result<(), AppendError> {
        let mut record = self.hidden(Record { kind: Kind::InProgress, arguments: sent.0, ..record });
        match (self.write(&mut record), self.on_failure) {
            (Err(error), OnFailure::Block) => Err(error),
            (Err(error), OnFailure::Allow) => {
                tracing::error!("a call is run without a record of its begin: {error}");
                Ok(())
            }
            (Ok(()), _) => Ok(()),
        }
    }

    /// Writes down how a call ended, and counts it. `normalized` is what the tool got, when that was changed.
    pub fn end(&self, record: Record, sent: Hidden, normalized: Hidden) {
        let record = Record { kind: Kind::Call, arguments: sent.0, normalized: normalized.0, ..record };
        let mut record = self.hidden(record);
        if let Err(error) = self.write(&mut record) {
            tracing::error!("the record of a call is lost: {error}");
        }
        self.patterns.observe(&record);
    }

    /// Stats hear of begins too: they know by the numbers what they have counted.
    fn write(&self, record: &mut Record) -> Result<(), AppendError> {
        let written = self.journal.write(record);
        self.stats.observe(record);
        written
    }

    /// The numbers.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// The errors that are alike.
    pub fn patterns(&self) -> &Patterns {
        &self.patterns
    }

    /// The numbers about repairs, of all gateways that share the folder of logs.
    pub fn normalizer_stats(&self) -> NormalizerStats {
        let sum = self.stats_file.as_ref().and_then(|file| match file.sum() {
            Ok(sum) => Some(sum),
            Err(error) => {
                tracing::warn!("{error}");
                None
            }
        });
        sum.unwrap_or_else(|| self.stats.normalizer(Timestamp::now()))
    }

    /// How the journal is doing.
    pub fn health(&self) -> Health {
        self.journal.health()
    }

    /// The journal.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Counts what was written before, and keeps the files of numbers until `stop`, when they are written once more.
    pub async fn keep(self: Arc<Self>, stop: CancellationToken) {
        let ledger = Arc::clone(&self);
        // It ends by itself; nobody waits for it.
        drop(tokio::task::spawn_blocking(move || ledger.count_before()));
        match &self.stats_file {
            Some(file) => Arc::clone(file).run(stop).await,
            None => stop.cancelled().await,
        }
    }

    fn redactor(&self) -> Redactor {
        self.redactor.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The rest of a record without secrets.
    fn hidden(&self, mut record: Record) -> Record {
        let redactor = self.redactor();
        for change in &mut record.changes {
            hide_change(&redactor, change);
        }
        if let Some(Failure { message, .. }) = &mut record.error {
            *message = redactor.text(message).into_owned();
        }
        record.tool = redactor.text(&record.tool).into_owned();
        record
    }
}

/// JSON as it is, and anything else as a string.
fn json(text: &str) -> Option<Box<RawValue>> {
    let whole = RawValue::from_string(text.trim().to_owned());
    whole.or_else(|_| serde_json::value::to_raw_value(text)).ok()
}

fn hide_change(redactor: &Redactor, change: &mut Change) {
    let is_secret = change.path.split('/').any(|key| redactor.hides_key(key));
    for value in [&mut change.from, &mut change.to].into_iter().flatten() {
        *value = match is_secret {
            true => format!("\"{}\"", redactor.mark(value)),
            false => redactor.json(value).into_owned(),
        };
    }
}

/// The journal of the first name that nobody writes now.
fn open_journal(folder: &Path, options: &JournalOptions) -> Result<(Journal, Recovered), LedgerError> {
    if let Some(node) = &options.node {
        return Ok(Journal::open(&node_folder(folder, node), options.clone())?);
    }
    let mut number = 1;
    loop {
        let node = if number == 1 { FIRST_NODE.to_owned() } else { format!("{FIRST_NODE}-{number}") };
        let options = JournalOptions { node: Some(node.clone()), ..options.clone() };
        match Journal::open(&node_folder(folder, &node), options) {
            Err(JournalError::InUse { .. }) if number < NODES => number += 1,
            opened => return Ok(opened?),
        }
    }
}

/// The numbers of before: what the file has, and what the journal has beyond it.
fn restore(log_dir: &Path, journal: &Journal, stats: &Arc<Stats>) -> Option<Arc<StatsFile>> {
    let (file, restored) = match StatsFile::open(log_dir, journal.node(), Arc::clone(stats)) {
        Ok(opened) => opened,
        Err(error) => {
            tracing::warn!("{error}; numbers are counted without their file");
            return None;
        }
    };
    match stats.progress() {
        Some(progress) if journal.last_seq() < progress.through => stats.forget_progress(),
        Some(progress) => {
            stats.catch_up(Journal::read(journal.folder(), progress.through + 1).filter_map(Result::ok));
        }
        None if restored.calls == 0 => {
            stats.catch_up(Journal::read(journal.folder(), 1).filter_map(Result::ok));
        }
        None => {}
    }
    Some(Arc::new(file))
}

/// The salt of this install's marks.
fn salt(folder: &Path) -> Result<[u8; 32], LedgerError> {
    let file = folder.join("redaction-salt");
    let failed = |why| LedgerError::Salt { file: file.clone(), why };
    fs::create_dir_all(folder).map_err(failed)?;
    let mut salt = [0; 32];
    aws_lc_rs::rand::fill(&mut salt).map_err(|_| failed(io::Error::other("there is no randomness")))?;
    // Another gateway may have been first, today or a year ago.
    disk::make_once(&file, &salt).map_err(failed)?;
    let kept = fs::read(&file).map_err(failed)?;
    kept.try_into().map_err(|_| failed(io::Error::other("it does not have 32 bytes; remove it")))
}
