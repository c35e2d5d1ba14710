//! The ledger of one gateway: everything that is kept of its calls, behind one door.

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

use crate::hiding::{Hidden, bytes_of, hide, hide_exchange};
use crate::index::{IndexerStatus, Store};
use crate::indexed::{Indexed, StoreAddress};
use crate::journal::{
    AppendError, Health, Journal, JournalError, JournalOptions, Recovered, Syncing, node_folder,
};
use crate::learn::{Definitions, LearningError, SharedLearning};
use crate::patterns::Patterns;
use crate::room::Room;
use crate::stats::{NormalizerStats, Stats, StatsFile};
use crate::{Kind, Record};

/// Up to this many bytes are redacted in place: that is slower for a byte than reading it.
const IN_PLACE_BYTES: usize = 16 << 10;
/// How many gateways may write on one machine at once.
const NODES: usize = 64;
/// The name of the first of them.
const FIRST_NODE: &str = "main";

/// How many records of before are counted at a start.
const COUNTED_AGAIN: u64 = 200_000;

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
    /// Where calls are looked up: a file in the folder when nothing is said.
    pub store: Option<StoreAddress>,
    /// What is done with what calls teach.
    pub learn: LearnPolicy,
    /// Tokens whose corrections may put rules into force with `apply-safe`, besides the owner's.
    pub learn_from: Vec<String>,
    /// The rules that learned ones are added to: those that calls are repaired with.
    pub rules: Arc<ActiveRules>,
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
    /// What was decided about rules cannot be read, or the rules not be written.
    #[error(transparent)]
    Learning(#[from] LearningError),
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
    indexed: Indexed,
    learning: Arc<SharedLearning>,
    on_failure: OnFailure,
    room: Room,
    /// The last record before this run.
    before: u64,
}

/// A record that is not as safe yet as the options ask. There is none when records need not survive a loss of power.
#[derive(Debug)]
pub struct NotSafeYet {
    written: Result<Syncing, AppendError>,
    on_failure: OnFailure,
}

impl NotSafeYet {
    /// Waits until the record is safe. One that does not become so is counted in [`Ledger::health`].
    ///
    /// # Errors
    /// When it does not become so, and calls must not go on without.
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
    /// Opens the ledger in a folder. What was written before is counted by [`keep`](Self::keep). Blocks for some
    /// milliseconds.
    ///
    /// # Errors
    /// When the journal cannot be written, and when what is to be hidden is not understood. A stats file that cannot
    /// be had is only warned of.
    pub fn open(options: LedgerOptions) -> Result<(Ledger, Recovered), LedgerError> {
        let LedgerOptions { folder, log_dir, journal: choices, on_failure, redact, secrets, .. } = options;
        let salt = salt(&folder)?;
        let redactor = Redactor::new(salt, redact)?.with_known(secrets.clone());
        let (journal, recovered) = open_journal(&folder, &choices)?;
        let address = options.store.unwrap_or_else(|| StoreAddress::in_folder(&folder));
        let indexed = Indexed::new(address, journal.node(), &install(&salt));
        let learning = open_learning(&folder, options.rules, options.learn)?;
        learning.set_deciders(options.learn_from);
        let learning = Arc::new(learning);
        let (stats, patterns) = (Arc::new(Stats::default()), Patterns::default());
        let stats_file =
            log_dir.as_deref().and_then(|log_dir| restore(log_dir, &journal, &install(&salt), &stats));
        let (redactor, before) = (RwLock::new(redactor), journal.last_seq());
        let secrets = Mutex::new(secrets.into_iter().collect());
        Ok((
            Ledger {
                journal,
                redactor,
                secrets,
                stats,
                stats_file,
                patterns,
                indexed,
                learning,
                on_failure,
                room: Room::default(),
                before,
            },
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
        let mut known = self.secrets.lock().ignore_poison();
        known.extend(secrets);
        let mut redactor = self.redactor.write().ignore_poison();
        *redactor = redactor.with_known(known.iter().cloned().collect());
    }

    /// Hides other things from now on, besides what is hidden anyway. Known secrets stay known.
    ///
    /// # Errors
    /// When the options cannot be used; then nothing has changed.
    pub fn set_redact(&self, options: &RedactOptions) -> Result<(), LedgerError> {
        let mut redactor = self.redactor.write().ignore_poison();
        *redactor = redactor.with_options(options)?;
        Ok(())
    }

    /// Arguments as they are written down: JSON as it is but for its secrets, and anything else as a string.
    pub fn hide(&self, arguments: &str) -> Hidden {
        off_async_above(IN_PLACE_BYTES, arguments.len(), || Hidden::new(&self.redactor(), arguments))
    }

    /// A text as it is written down, for those who show it elsewhere: a log.
    pub fn hide_text(&self, text: &str) -> String {
        off_async_above(IN_PLACE_BYTES, text.len(), || self.redactor().text(text).into_owned())
    }

    /// Writes down that a call begins: when it is cut, that is how it is known. What is given back is to be waited
    /// for before it is run.
    ///
    /// # Errors
    /// When it could not be written and must not be run without.
    pub fn begin(&self, record: Record, sent: Hidden) -> Result<Option<NotSafeYet>, AppendError> {
        let mut record = Record { kind: Kind::InProgress, ..record };
        self.hide_record(&mut record, [&sent, &Hidden::default()]);
        record.arguments = sent.json;
        match (self.write(&mut record), self.on_failure) {
            (Err(error), OnFailure::Block) => Err(error),
            (Err(error), OnFailure::Allow) => {
                tracing::error!("a call is run without a record of its begin: {error}");
                Ok(None)
            }
            (Ok(syncing), _) => Ok(syncing.map(|syncing| self.not_safe_yet(Ok(syncing)))),
        }
    }

    /// Writes down how a call ended, and counts it. `normalized` is what the tool got, when that was changed. What is
    /// given back is to be waited for before the call is answered: with [`OnFailure::Block`] it fails when the end could
    /// not be written, so that no call is answered as usual without a record.
    pub fn end(&self, record: Record, sent: Hidden, normalized: Hidden) -> Option<NotSafeYet> {
        let mut record = Record { kind: Kind::Call, ..record };
        self.hide_record(&mut record, [&sent, &normalized]);
        (record.arguments, record.normalized) = (sent.json, normalized.json);
        let written = self.write(&mut record);
        if let Err(error) = &written {
            tracing::error!("the record of a call is lost: {error}");
        }
        self.patterns.observe(&record);
        written.transpose().map(|written| self.not_safe_yet(written))
    }

    /// Writes down an exchange with a model. Nobody waits for it: a stream has been answered long before.
    pub fn exchange(&self, record: Record) {
        let mut record = Record { kind: Kind::Exchange, ..record };
        off_async_above(IN_PLACE_BYTES, bytes_of(&record), || hide_exchange(&self.redactor(), &mut record));
        if let Err(error) = self.write(&mut record) {
            tracing::error!("the record of an exchange with a model is lost: {error}");
        }
    }

    fn hide_record(&self, record: &mut Record, arguments: [&Hidden; 2]) {
        let bytes = bytes_of(record) + arguments.iter().map(|hidden| hidden.named_bytes()).sum::<usize>();
        off_async_above(IN_PLACE_BYTES, bytes, || hide(&self.redactor(), record, arguments));
    }

    fn not_safe_yet(&self, written: Result<Syncing, AppendError>) -> NotSafeYet {
        NotSafeYet { written, on_failure: self.on_failure }
    }

    /// Stats hear of all records: they know by the numbers what they have counted.
    fn write(&self, record: &mut Record) -> Result<Option<Syncing>, AppendError> {
        let written = self.journal.write_durable(record);
        self.stats.observe(record);
        self.indexed.nudge();
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

    /// The number of the last record before this run.
    pub fn last_before(&self) -> u64 {
        self.before
    }

    /// Whether calls are refused now because they cannot be written down. Where no call comes, nothing else finds out that
    /// the disk is full, or has room again.
    pub fn refuses_calls(&self) -> bool {
        self.on_failure == OnFailure::Block && !self.room.is_there(self.journal.folder())
    }

    /// How the journal is doing.
    pub fn health(&self) -> Health {
        self.journal.health()
    }

    /// The journal.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Where calls are looked up, once that could be opened.
    pub fn store(&self) -> Option<Store> {
        self.indexed.store().cloned()
    }

    /// What this gateway is called there.
    pub fn node(&self) -> &str {
        self.indexed.node()
    }

    /// How the indexer is doing; nothing before the index could be opened.
    pub fn indexer(&self) -> Option<IndexerStatus> {
        self.indexed.status()
    }

    /// How many records the index is behind the journal; nothing before that is known.
    pub fn index_lag(&self) -> Option<u64> {
        Some(self.journal.last_seq().saturating_sub(self.indexed.status()?.indexed?))
    }

    /// Why the index could not be opened or takes no records, while that is so.
    pub fn index_problem(&self) -> Option<String> {
        self.indexed.problem()
    }

    /// What calls teach, and the rules that are in force.
    pub fn learning(&self) -> &Arc<SharedLearning> {
        &self.learning
    }

    /// Counts what was written before, keeps the files of numbers, feeds the index and learns from it until `stop`.
    /// What is written then for the last time is written before this returns.
    pub async fn keep(self: Arc<Self>, tools: Arc<dyn Definitions>, stop: CancellationToken) {
        let ledger = Arc::clone(&self);
        // It ends by itself; nobody waits for it.
        drop(tokio::task::spawn_blocking(move || ledger.count_before()));
        let numbers = async {
            match &self.stats_file {
                Some(file) => Arc::clone(file).run(stop.clone()).await,
                None => stop.cancelled().await,
            }
        };
        let index = async {
            let Some(store) = self.indexed.open(&stop).await else { return };
            let learning = Arc::clone(&self.learning).run(store.clone(), tools, stop.clone());
            let feeding = self.indexed.feed(store, &self.journal, self.before, stop.clone());
            tokio::join!(learning, feeding);
        };
        tokio::join!(numbers, index);
    }

    fn redactor(&self) -> Redactor {
        self.redactor.read().ignore_poison().clone()
    }
}

/// What was learned before. Calls are written down whatever is wrong with it.
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
fn restore(log_dir: &Path, journal: &Journal, install: &str, stats: &Arc<Stats>) -> Option<Arc<StatsFile>> {
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

/// A name for this install that is always the same and tells nothing.
pub(crate) fn install(salt: &[u8; 32]) -> String {
    let hash = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, &[&salt[..], b"install"].concat());
    hash.as_ref()[..4].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The salt of this install's marks.
pub(crate) fn salt(folder: &Path) -> Result<[u8; 32], LedgerError> {
    let file = folder.join("redaction-salt");
    let failed = |why| LedgerError::Salt { file: file.clone(), why };
    // Whoever comes first makes the folder of everything that is kept: it is the user's alone.
    make_private_folder(folder).map_err(failed)?;
    // Nothing is written when it is there: a disk that is full must not keep a gateway from starting.
    if !file.exists() {
        let mut salt = [0; 32];
        aws_lc_rs::rand::fill(&mut salt).map_err(|_| failed(io::Error::other("there is no randomness")))?;
        // Another gateway may be first all the same.
        FileReplacement::write_private(&file, &salt).and_then(FileReplacement::place_new).map_err(failed)?;
    }
    let kept = fs::read(&file).map_err(failed)?;
    kept.try_into().map_err(|_| failed(io::Error::other("it does not have 32 bytes; remove it")))
}
