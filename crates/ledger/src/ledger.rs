//! Ledger of one gateway: the single entry point to journal, index, statistics and learning.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, RwLock};

use jiff::Timestamp;
use tokio_util::sync::CancellationToken;
use toolwright_base::{FileReplacement, IgnorePoison, make_private_folder, off_async_above};
use toolwright_model::{LearnPolicy, OnFailure};
use toolwright_normalizer::ActiveRules;
use toolwright_redact::{OptionsError, RedactOptions, Redactor};

use crate::disk_space::DiskSpaceProbe;
use crate::index::{IndexerStatus, Store};
use crate::index_feeder::{IndexFeeder, StoreAddress};
use crate::journal::{
    AppendError, Health, Journal, JournalError, JournalOptions, Recovered, Syncing, node_folder,
};
use crate::learn::{Definitions, LearningError, SharedLearning};
use crate::patterns::Patterns;
use crate::redaction::{Hidden, redact_exchange, redact_record, redactable_bytes};
use crate::stats::{NormalizerStats, Stats, StatsFile};
use crate::{Kind, Record};

/// Larger texts are redacted off the async runtime: redaction takes longer per byte than reading.
const INLINE_REDACTION_BYTES: usize = 16 << 10;
/// Gateways that may write on one machine at once.
const MAX_NODES: usize = 64;
/// The node name of the first of them.
const FIRST_NODE: &str = "main";

/// Earlier records that are counted again at startup.
const MAX_RECOUNTED_RECORDS: u64 = 200_000;

/// Options of a ledger.
#[derive(Clone, Debug, Default)]
pub struct LedgerOptions {
    /// The state folder.
    pub folder: PathBuf,
    /// The folder of `normalizer_stats.json`; the file is not written when absent.
    pub log_dir: Option<PathBuf>,
    /// Options of the journal.
    pub journal: JournalOptions,
    /// The behaviour when a call cannot be journaled.
    pub on_failure: OnFailure,
    /// Additional values and keys to redact.
    pub redact: RedactOptions,
    /// Values that are known to be secret.
    pub secrets: Vec<String>,
    /// The database for queries; by default an SQLite file in the state folder.
    pub store: Option<StoreAddress>,
    /// The policy for suggestions.
    pub learn: LearnPolicy,
    /// Tokens whose corrections may activate rules with `apply-safe`, in addition to the owner's.
    pub learn_from: Vec<String>,
    /// The active rules, which repair calls. Learned rules are added to them.
    pub rules: Arc<ActiveRules>,
}

/// Error of opening or changing a ledger.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// The journal cannot be opened.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The redaction options are invalid.
    #[error("what is to be hidden cannot be understood: {0}")]
    Redact(#[from] OptionsError),
    /// The decisions about rules cannot be read, or the rules cannot be written.
    #[error(transparent)]
    Learning(#[from] LearningError),
    /// The salt of the redaction marks cannot be stored.
    #[error("{} cannot be read or made: {why}", .file.display())]
    Salt {
        /// The file.
        file: PathBuf,
        /// The error of the operating system.
        why: io::Error,
    },
}

/// Journal, index, statistics and suggested rules of one gateway.
pub struct Ledger {
    journal: Journal,
    redactor: RwLock<Redactor>,
    secrets: Mutex<BTreeSet<String>>,
    stats: Arc<Stats>,
    stats_file: Option<Arc<StatsFile>>,
    patterns: Patterns,
    index: IndexFeeder,
    learning: Arc<SharedLearning>,
    on_failure: OnFailure,
    disk_space: DiskSpaceProbe,
    /// Sequence number of the last record before this run.
    last_before: u64,
}

/// A written record that is not yet as durable as the options require. Not used when records need not survive a power
/// loss.
#[derive(Debug)]
pub struct NotSafeYet {
    written: Result<Syncing, AppendError>,
    on_failure: OnFailure,
}

impl NotSafeYet {
    /// Waits until the record is durable. A failure is counted in [`Ledger::health`].
    ///
    /// # Errors
    /// When the sync fails and [`OnFailure::Block`] is set.
    pub async fn safe(self) -> Result<(), AppendError> {
        let synced = match self.written {
            Ok(syncing) => syncing.done().await,
            Err(error) => Err(error),
        };
        match self.on_failure {
            OnFailure::Allow => Ok(()),
            OnFailure::Block => synced,
        }
    }
}

impl Ledger {
    /// Opens the ledger in a folder. [`keep`](Self::keep) counts the earlier records. Blocks for some milliseconds.
    ///
    /// # Errors
    /// When the journal cannot be written, or the redaction options are invalid. A missing stats file only causes a
    /// warning.
    pub fn open(options: LedgerOptions) -> Result<(Ledger, Recovered), LedgerError> {
        let LedgerOptions { folder, log_dir, journal: journal_options, on_failure, redact, secrets, .. } =
            options;
        let salt = load_or_create_salt(&folder)?;
        let redactor = Redactor::new(salt, redact)?.with_known(secrets.clone());
        let (journal, recovered) = open_journal(&folder, &journal_options)?;
        let address = options.store.unwrap_or_else(|| StoreAddress::in_folder(&folder));
        let index = IndexFeeder::new(address, journal.node(), &installation_id(&salt));
        let learning = open_learning(&folder, options.rules, options.learn)?;
        learning.set_deciders(options.learn_from);
        let learning = Arc::new(learning);
        let (stats, patterns) = (Arc::new(Stats::default()), Patterns::default());
        let stats_file = log_dir
            .as_deref()
            .and_then(|log_dir| restore_stats(log_dir, &journal, &installation_id(&salt), &stats));
        let (redactor, last_before) = (RwLock::new(redactor), journal.last_seq());
        let secrets = Mutex::new(secrets.into_iter().collect());
        Ok((
            Ledger {
                journal,
                redactor,
                secrets,
                stats,
                stats_file,
                patterns,
                index,
                learning,
                on_failure,
                disk_space: DiskSpaceProbe::default(),
                last_before,
            },
            recovered,
        ))
    }

    /// Counts the records of earlier runs.
    fn count_earlier_records(&self) {
        let from = self.last_before.saturating_sub(MAX_RECOUNTED_RECORDS) + 1;
        let records = Journal::read(self.journal.folder(), from).filter_map(Result::ok);
        for record in records.take_while(|record| record.seq <= self.last_before) {
            self.patterns.observe(&record);
            if self.stats_file.is_none() {
                self.stats.observe(&record);
            }
        }
    }

    /// Adds values that are known to be secret. Earlier ones stay: a removed server may still return its secrets.
    pub fn add_secrets(&self, secrets: impl IntoIterator<Item = String>) {
        let mut all = self.secrets.lock().ignore_poison();
        all.extend(secrets);
        let mut redactor = self.redactor.write().ignore_poison();
        *redactor = redactor.with_known(all.iter().cloned().collect());
    }

    /// Replaces the additional redaction options. Known secrets stay known.
    ///
    /// # Errors
    /// When the options are invalid; then nothing has changed.
    pub fn set_redact(&self, options: &RedactOptions) -> Result<(), LedgerError> {
        let mut redactor = self.redactor.write().ignore_poison();
        *redactor = redactor.with_options(options)?;
        Ok(())
    }

    /// Redacts arguments for a record: JSON keeps its form, anything else becomes a string.
    pub fn hide(&self, arguments: &str) -> Hidden {
        off_async_above(INLINE_REDACTION_BYTES, arguments.len(), || Hidden::new(&self.redactor(), arguments))
    }

    /// Redacts a text that is shown elsewhere, such as in a log.
    pub fn hide_text(&self, text: &str) -> String {
        off_async_above(INLINE_REDACTION_BYTES, text.len(), || self.redactor().text(text).into_owned())
    }

    /// Writes the start record of a call, so that an interrupted call is recognized. The caller waits for the returned
    /// record before it runs the call.
    ///
    /// # Errors
    /// When it could not be written and [`OnFailure::Block`] is set.
    pub fn begin(&self, record: Record, sent: Hidden) -> Result<Option<NotSafeYet>, AppendError> {
        let mut record = Record { kind: Kind::InProgress, ..record };
        self.redact(&mut record, [&sent, &Hidden::default()]);
        record.arguments = sent.json;
        match (self.write(&mut record), self.on_failure) {
            (Err(error), OnFailure::Block) => Err(error),
            (Err(error), OnFailure::Allow) => {
                tracing::error!("a call is run without a record of its begin: {error}");
                Ok(None)
            }
            (Ok(syncing), _) => Ok(syncing.map(|syncing| self.pending_record(Ok(syncing)))),
        }
    }

    /// Writes the end record of a call, and counts it. `normalized` contains the arguments that the tool received, when
    /// they were changed. The caller waits for the returned record before it responds: with [`OnFailure::Block`] it
    /// fails when the end could not be written, so that no call gets a normal response without a record.
    pub fn end(&self, record: Record, sent: Hidden, normalized: Hidden) -> Option<NotSafeYet> {
        let mut record = Record { kind: Kind::Call, ..record };
        self.redact(&mut record, [&sent, &normalized]);
        (record.arguments, record.normalized) = (sent.json, normalized.json);
        let written = self.write(&mut record);
        if let Err(error) = &written {
            tracing::error!("the record of a call is lost: {error}");
        }
        self.patterns.observe(&record);
        written.transpose().map(|written| self.pending_record(written))
    }

    /// Writes the record of an exchange with a model. The caller does not wait for it: a stream has been answered long
    /// before.
    pub fn exchange(&self, record: Record) {
        let mut record = Record { kind: Kind::Exchange, ..record };
        off_async_above(INLINE_REDACTION_BYTES, redactable_bytes(&record), || {
            redact_exchange(&self.redactor(), &mut record)
        });
        if let Err(error) = self.write(&mut record) {
            tracing::error!("the record of an exchange with a model is lost: {error}");
        }
    }

    fn redact(&self, record: &mut Record, arguments: [&Hidden; 2]) {
        let bytes =
            redactable_bytes(record) + arguments.iter().map(|hidden| hidden.named_bytes()).sum::<usize>();
        off_async_above(INLINE_REDACTION_BYTES, bytes, || redact_record(&self.redactor(), record, arguments));
    }

    fn pending_record(&self, written: Result<Syncing, AppendError>) -> NotSafeYet {
        NotSafeYet { written, on_failure: self.on_failure }
    }

    /// The stats observe every record: they recognize by the sequence numbers which ones they have counted.
    fn write(&self, record: &mut Record) -> Result<Option<Syncing>, AppendError> {
        let written = self.journal.write_durable(record);
        self.stats.observe(record);
        self.index.nudge();
        written
    }

    /// Call statistics of this process.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Groups of similar errors.
    pub fn patterns(&self) -> &Patterns {
        &self.patterns
    }

    /// Statistics about repairs, summed over all gateways that share the log folder.
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

    /// Sequence number of the last record before this run.
    pub fn last_before(&self) -> u64 {
        self.last_before
    }

    /// Whether calls are refused now because they cannot be journaled. Without calls, only this check finds out that
    /// the disk is full, or has space again.
    pub fn refuses_calls(&self) -> bool {
        self.on_failure == OnFailure::Block && !self.disk_space.has_space(self.journal.folder())
    }

    /// Health of the journal.
    pub fn health(&self) -> Health {
        self.journal.health()
    }

    /// The journal.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// The database for queries, once it could be opened.
    pub fn store(&self) -> Option<Store> {
        self.index.store().cloned()
    }

    /// The node name of this gateway in the database.
    pub fn node(&self) -> &str {
        self.index.node()
    }

    /// Status of the indexer; `None` before the index could be opened.
    pub fn indexer(&self) -> Option<IndexerStatus> {
        self.index.status()
    }

    /// Number of records by which the index lags behind the journal; `None` before that is known.
    pub fn index_lag(&self) -> Option<u64> {
        Some(self.journal.last_seq().saturating_sub(self.index.status()?.indexed?))
    }

    /// The error that keeps the index from being opened or from accepting records.
    pub fn index_problem(&self) -> Option<String> {
        self.index.problem()
    }

    /// Suggestions and learned rules.
    pub fn learning(&self) -> &Arc<SharedLearning> {
        &self.learning
    }

    /// Runs the background work until `stop`: counts earlier records, writes the stats file, feeds the index and learns
    /// from it. The last writes are complete before this returns.
    pub async fn keep(self: Arc<Self>, tools: Arc<dyn Definitions>, stop: CancellationToken) {
        let ledger = Arc::clone(&self);
        // The task ends by itself; it needs no join.
        drop(tokio::task::spawn_blocking(move || ledger.count_earlier_records()));
        let stats = async {
            match &self.stats_file {
                Some(file) => Arc::clone(file).run(stop.clone()).await,
                None => stop.cancelled().await,
            }
        };
        let indexing = async {
            let Some(store) = self.index.open(&stop).await else { return };
            let learning = Arc::clone(&self.learning).run(store.clone(), tools, stop.clone());
            let feeding = self.index.feed(store, &self.journal, self.last_before, stop.clone());
            tokio::join!(learning, feeding);
        };
        tokio::join!(stats, indexing);
    }

    fn redactor(&self) -> Redactor {
        self.redactor.read().ignore_poison().clone()
    }
}

/// Opens the decisions of earlier runs. Damaged decisions must not stop the journal.
fn open_learning(
    folder: &Path,
    rules: Arc<ActiveRules>,
    policy: LearnPolicy,
) -> Result<SharedLearning, LedgerError> {
    match SharedLearning::open(folder, Arc::clone(&rules), policy) {
        Ok((learning, loaded)) => {
            if loaded.torn_bytes > 0 {
                tracing::warn!(
                    "the last decision about a rule was cut off ({} bytes) and does not hold; decide again: toolwright rules suggest",
                    loaded.torn_bytes
                );
            }
            if !loaded.damaged.is_empty() {
                let lines = &loaded.damaged;
                tracing::warn!(
                    "lines {lines:?} of the decisions about rules cannot be read and are passed over"
                );
            }
            Ok(learning)
        }
        Err(error) => {
            tracing::error!("no learned rule is in force, and decisions are gone with this run: {error}");
            Ok(SharedLearning::without_decisions(folder, rules, policy)?)
        }
    }
}

/// Opens the journal of the first node name that no other process uses.
fn open_journal(folder: &Path, options: &JournalOptions) -> Result<(Journal, Recovered), LedgerError> {
    if let Some(node) = &options.node {
        return Ok(Journal::open(&node_folder(folder, node), options.clone())?);
    }
    let mut number = 1;
    loop {
        let node = if number == 1 { FIRST_NODE.to_owned() } else { format!("{FIRST_NODE}-{number}") };
        let options = JournalOptions { node: Some(node.clone()), ..options.clone() };
        match Journal::open(&node_folder(folder, &node), options) {
            Err(JournalError::InUse { .. }) if number < MAX_NODES => number += 1,
            opened => return Ok(opened?),
        }
    }
}

/// Restores earlier statistics: from the file, and from journal records that are newer than the file.
fn restore_stats(
    log_dir: &Path,
    journal: &Journal,
    install: &str,
    stats: &Arc<Stats>,
) -> Option<Arc<StatsFile>> {
    let (file, restored) =
        match StatsFile::open(log_dir, &format!("{install}-{}", journal.node()), Arc::clone(stats)) {
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

/// Stable name of this installation that reveals nothing about it.
pub(crate) fn installation_id(salt: &[u8; 32]) -> String {
    let hash = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, &[&salt[..], b"install"].concat());
    hash.as_ref()[..4].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Salt of the redaction marks of this installation.
pub(crate) fn load_or_create_salt(folder: &Path) -> Result<[u8; 32], LedgerError> {
    let file = folder.join("redaction-salt");
    let failed = |why| LedgerError::Salt { file: file.clone(), why };
    // This may be the first write: the state folder is created for the user alone.
    make_private_folder(folder).map_err(failed)?;
    // Nothing is written when the file exists: a full disk must not keep a gateway from starting.
    if !file.exists() {
        let mut salt = [0; 32];
        aws_lc_rs::rand::fill(&mut salt).map_err(|_| failed(io::Error::other("there is no randomness")))?;
        // Another gateway may have created it in the meantime.
        FileReplacement::write_private(&file, &salt).and_then(FileReplacement::place_new).map_err(failed)?;
    }
    let bytes = fs::read(&file).map_err(failed)?;
    bytes.try_into().map_err(|_| failed(io::Error::other("it does not have 32 bytes; remove it")))
}
