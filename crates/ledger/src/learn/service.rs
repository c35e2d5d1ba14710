//! Learning service: runs alongside the calls, and shares decisions with other processes and gateways.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::Notify;
use tokio::task::spawn_blocking;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use toolwright_base::{FileStamp, IgnorePoison, private_options, replace_private, unix_micros};
use toolwright_model::ToolDefinition;
use toolwright_normalizer::ActiveRules;

use super::index_cursor::{DeferredRecords, IndexCursor};
use super::{
    DECISIONS_FILE, Event, FileStore, LearnPolicy, Learning, LearningError, LearningOptions, Loaded,
    MemoryStore, Move, Suggestion, decision_sync,
};
use crate::index::Store;
use crate::{LLM_FRONT, Record};

/// The current suggestions, for other processes and for the next start.
pub const SUGGESTIONS_FILE: &str = "suggestions.json";
/// An index that was written this recently may change again with the same stamp.
const FRESH: Duration = Duration::from_secs(1);
/// Polling interval of the index for calls, and of the decisions file for those of other processes.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Locked by the process that learns; the others of this machine read its suggestions.
const LOCK_FILE: &str = "learning.lock";
/// Interval at which another process retries to take the lock.
const LOCK_RETRY: Duration = Duration::from_secs(2);

/// Looks up the tools that records name.
pub trait Definitions: Send + Sync + 'static {
    /// The tool of a record, when its schema is still the recorded one.
    fn definition(&self, record: &Record) -> Option<ToolDefinition>;
    /// A number that changes when the tools change.
    fn generation(&self) -> u64;
}

/// Learns alongside the calls.
pub struct SharedLearning {
    learning: Mutex<Learning>,
    folder: PathBuf,
    written: Mutex<String>,
    /// The lock of the process that learns.
    lock: OnceLock<File>,
    /// Wakes the task that publishes decisions to other gateways.
    pub(super) decision_made: Notify,
}

impl SharedLearning {
    /// Loads the earlier decisions of this folder. The result contains what could not be read.
    ///
    /// # Errors
    /// When the files cannot be read or written.
    pub fn open(
        folder: &Path,
        rules: Arc<ActiveRules>,
        policy: LearnPolicy,
    ) -> Result<(SharedLearning, Loaded), LearningError> {
        let store = FileStore::open(folder)?;
        let options =
            LearningOptions { policy, rules, folder: Some(folder.to_path_buf()), ..Default::default() };
        let (mut learning, loaded) = Learning::open(options, Box::new(store))?;
        learning.remember(earlier_suggestions(folder));
        Ok((SharedLearning::of(learning, folder), loaded))
    }

    /// Starts without earlier decisions when they cannot be read: new decisions are lost with the process.
    ///
    /// # Errors
    /// None in practice: nothing is read or written.
    pub fn without_decisions(
        folder: &Path,
        rules: Arc<ActiveRules>,
        policy: LearnPolicy,
    ) -> Result<SharedLearning, LearningError> {
        let options = LearningOptions { policy, rules, ..Default::default() };
        let (learning, _) = Learning::open(options, Box::<MemoryStore>::default())?;
        Ok(SharedLearning::of(learning, folder))
    }

    fn of(learning: Learning, folder: &Path) -> SharedLearning {
        SharedLearning {
            learning: Mutex::new(learning),
            folder: folder.to_path_buf(),
            written: Mutex::default(),
            lock: OnceLock::new(),
            decision_made: Notify::new(),
        }
    }

    fn learning(&self) -> MutexGuard<'_, Learning> {
        self.learning.lock().ignore_poison()
    }

    /// Like [`Self::learning`], for suggestions: a process that does not learn reads those of another one.
    fn learning_with_suggestions(&self) -> MutexGuard<'_, Learning> {
        let mut learning = self.learning();
        if self.lock.get().is_none() {
            learning.remember(earlier_suggestions(&self.folder));
        }
        learning
    }

    /// Waits until no other process of this machine learns.
    async fn acquire_lock(&self) {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        let path = self.folder.join(LOCK_FILE);
        loop {
            let opened = private_options(&mut options).open(&path);
            if let Ok(file) = opened
                && file.try_lock().is_ok()
            {
                let _ = self.lock.set(file);
                // The current file is compared with later suggestions.
                let there = fs::read_to_string(self.folder.join(SUGGESTIONS_FILE)).unwrap_or_default();
                *self.written.lock().ignore_poison() = there;
                return;
            }
            sleep(LOCK_RETRY).await;
        }
    }

    /// The policy for suggestions.
    pub fn policy(&self) -> LearnPolicy {
        self.learning().policy()
    }

    /// Changes what happens with suggestions.
    pub fn set_policy(&self, policy: LearnPolicy) {
        self.learning().set_policy(policy);
    }

    /// Sets the tokens whose corrections may activate rules, in addition to the owner's.
    pub fn set_deciders(&self, deciders: Vec<String>) {
        self.learning().set_deciders(deciders);
    }

    /// Every suggestion with its status: new ones first, the most confident of them first.
    pub fn suggestions(&self) -> Vec<Suggestion> {
        self.learning_with_suggestions().suggestions()
    }

    /// Returns one suggestion.
    pub fn suggestion(&self, id: &str) -> Option<Suggestion> {
        self.learning_with_suggestions().suggestion(id)
    }

    /// The reason why a suggestion needs a person, as text; `None` when the policy `apply-safe` would accept it.
    ///
    /// # Errors
    /// When there is no such suggestion.
    pub fn why_not_safe(&self, id: &str) -> Result<Option<String>, LearningError> {
        Ok(self.learning().why_not_safe(id)?.map(|reason| reason.to_string()))
    }

    /// All decisions, oldest first.
    pub fn history(&self) -> Vec<Event> {
        self.learning().history().to_vec()
    }

    /// The decisions whose keys are not in this set.
    pub(super) fn decisions_except(&self, known: &HashSet<String>) -> Vec<Event> {
        let learning = self.learning();
        learning.history().iter().filter(|event| !known.contains(&event.key())).cloned().collect()
    }

    /// The active learned rules, in the format of rules files.
    pub fn active_rules(&self) -> Vec<Value> {
        self.learning().active_rules()
    }

    /// Activates a suggestion's rule before it returns. Blocks until the decision is on the disk, like the next two.
    ///
    /// # Errors
    /// When there is no such suggestion, it was already decided, or the decision cannot be stored.
    pub fn accept(&self, id: &str, by: &str) -> Result<Suggestion, LearningError> {
        self.decide(|learning, now| learning.accept(id, by, now))
    }

    /// Hides a suggestion until its evidence has doubled.
    ///
    /// # Errors
    /// As [`SharedLearning::accept`].
    pub fn dismiss(&self, id: &str, by: &str) -> Result<Suggestion, LearningError> {
        self.decide(|learning, now| learning.dismiss(id, by, now))
    }

    /// Undoes the last decision about a suggestion.
    ///
    /// # Errors
    /// When there is no such suggestion, no decision about it, or the decision cannot be stored.
    pub fn undo(&self, id: &str, by: &str) -> Result<Suggestion, LearningError> {
        self.decide(|learning, now| learning.undo(id, by, now))
    }

    fn decide(
        &self,
        decide: impl FnOnce(&mut Learning, i64) -> Result<Suggestion, LearningError>,
    ) -> Result<Suggestion, LearningError> {
        let result = {
            let mut learning = self.learning_with_suggestions();
            // Another process may have decided a moment ago.
            learning.refresh()?;
            decide(&mut learning, unix_micros())
        };
        self.decision_made.notify_one();
        self.write_suggestions();
        result
    }

    /// Imports decisions of other gateways. Returns whether any was new.
    pub(super) fn import(&self, events: Vec<Event>) -> Result<bool, LearningError> {
        let is_new = self.learning().import(events)?;
        if is_new {
            self.decision_made.notify_one();
        }
        Ok(is_new)
    }

    /// Learns from new records in the index, of all gateways that write there, until `stop`.
    pub async fn run(self: Arc<Self>, store: Store, tools: Arc<dyn Definitions>, stop: CancellationToken) {
        let shares = store.is_shared();
        let share = async {
            match shares {
                true => decision_sync::run(&self, &store).await,
                false => std::future::pending().await,
            }
        };
        tokio::select! {
            () = stop.cancelled() => {}
            () = self.follow_calls(&store, tools) => {}
            () = self.follow_decisions() => {}
            () = share => {}
        }
    }

    async fn follow_calls(self: &Arc<Self>, store: &Store, tools: Arc<dyn Definitions>) {
        self.acquire_lock().await;
        let mut cursor = IndexCursor::default();
        let mut was_unavailable = false;
        let mut has_new_records = false;
        let mut seen = None;
        loop {
            // Usually nothing has changed, and a query would wake three threads.
            let now = (store.file_stamps(), tools.generation());
            if seen == Some(now) && !may_change_unseen(&now.0) {
                sleep(POLL_INTERVAL).await;
                continue;
            }
            match cursor.read(store).await {
                Ok(records) => {
                    was_unavailable = false;
                    let is_more = !records.is_empty();
                    let (learning, tools) = (Arc::clone(self), Arc::clone(&tools));
                    let mut deferred = std::mem::take(&mut cursor.deferred);
                    let learned = spawn_blocking(move || {
                        learning.learn(records, &*tools, &mut deferred);
                        deferred
                    });
                    match learned.await {
                        Ok(deferred) => cursor.deferred = deferred,
                        Err(error) => tracing::error!("learning from some calls broke off: {error}"),
                    }
                    if is_more {
                        (has_new_records, seen) = (true, None);
                        continue;
                    }
                    if std::mem::take(&mut has_new_records) {
                        let learning = Arc::clone(self);
                        drop(spawn_blocking(move || learning.write_suggestions()).await);
                    }
                    seen = Some(now);
                }
                Err(error) => {
                    if !was_unavailable {
                        tracing::warn!("nothing is learned for now: {error}");
                    }
                    was_unavailable = true;
                }
            }
            sleep(POLL_INTERVAL).await;
        }
    }

    /// Learns from records, and again from those whose tools were unknown before.
    fn learn(&self, records: Vec<Record>, tools: &dyn Definitions, deferred: &mut DeferredRecords) {
        for record in deferred.take_if_changed(tools.generation()).into_iter().chain(records) {
            self.learn_one(record, tools, deferred);
        }
    }

    fn learn_one(&self, record: Record, tools: &dyn Definitions, deferred: &mut DeferredRecords) {
        let tool = tools.definition(&record);
        if tool.is_none() {
            // A call without a schema reached no tool, and the tools of a model's client are not registered.
            if record.schema.is_some() && record.front != LLM_FRONT {
                deferred.push(record);
            }
            return;
        }
        let moves = self.learning().observe(&record, tool.as_ref());
        match moves {
            Ok(moves) if moves.is_empty() => {}
            Ok(moves) => {
                moves.iter().for_each(log_change);
                self.decision_made.notify_one();
            }
            Err(error) => tracing::error!("what was learned cannot be kept: {error}"),
        }
    }

    /// Polls for decisions of other processes on this machine.
    async fn follow_decisions(self: &Arc<Self>) {
        let mut has_failed = false;
        let file = self.folder.join(DECISIONS_FILE);
        let mut seen = None;
        loop {
            sleep(POLL_INTERVAL).await;
            let now = Some(FileStamp::of(&file));
            if now == seen && !has_failed {
                continue;
            }
            seen = now;
            let learning = Arc::clone(self);
            let refreshed = spawn_blocking(move || learning.learning().refresh()).await;
            match refreshed {
                Ok(Ok(false)) | Err(_) => has_failed = false,
                Ok(Ok(true)) => {
                    has_failed = false;
                    self.decision_made.notify_one();
                }
                Ok(Err(error)) => {
                    if !has_failed {
                        tracing::error!("decisions about rules cannot be read: {error}");
                    }
                    has_failed = true;
                }
            }
        }
    }

    /// Writes the suggestions to their file, when they have changed.
    fn write_suggestions(&self) {
        if self.lock.get().is_none() {
            return;
        }
        let suggested = self.learning().undecided();
        let Ok(text) = serde_json::to_string_pretty(&suggested) else { return };
        let mut written = self.written.lock().ignore_poison();
        if *written == text || (suggested.is_empty() && written.is_empty()) {
            return;
        }
        match replace_private(&self.folder.join(SUGGESTIONS_FILE), text.as_bytes()) {
            Ok(()) => *written = text,
            Err(error) => tracing::warn!("{SUGGESTIONS_FILE} cannot be written: {error}"),
        }
    }
}

/// The last stored suggestions. An unreadable file counts as empty: it is rebuilt from the calls.
pub fn earlier_suggestions(folder: &Path) -> Vec<Suggestion> {
    let text = fs::read(folder.join(SUGGESTIONS_FILE)).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}

/// Whether an index may have changed without a new stamp. Always true for a database that is not a file.
fn may_change_unseen(file_stamps: &Option<[Option<FileStamp>; 2]>) -> bool {
    file_stamps.is_none_or(|file_stamps| file_stamps.iter().flatten().any(|stamp| stamp.is_fresh(FRESH)))
}

fn log_change(change: &Move) {
    match change {
        Move::Applied(suggestion) => tracing::info!(
            suggestion = suggestion.id,
            tool = suggestion.tool,
            "a rule was learned and is in force: {}",
            suggestion.reason
        ),
        Move::Lapsed(suggestion) => tracing::info!(
            suggestion = suggestion.id,
            tool = suggestion.tool,
            "a learned rule lapsed: the tool has another schema"
        ),
    }
}
