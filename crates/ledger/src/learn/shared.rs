//! Learning that runs beside the calls, and whose decisions all processes and gateways share.

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

use super::reading::{Reading, Waiting};
use super::{
    DECISIONS_FILE, Event, FileStore, LearnPolicy, Learning, LearningError, LearningOptions, Loaded,
    MemoryStore, Move, Suggestion, sharing,
};
use crate::index::Store;
use crate::{LLM_FRONT, Record};

/// What is suggested, for other processes and for the next start.
pub const SUGGESTIONS_FILE: &str = "suggestions.json";
/// An index that was written so short a time ago may be written again with the same stamp.
const FRESH: Duration = Duration::from_secs(1);
/// How often the index is looked at for calls, and the file of decisions for those of others.
const LOOK: Duration = Duration::from_millis(500);
/// Held by the process that learns; the others of this machine read what it suggests.
const LOCK_FILE: &str = "learning.lock";
/// How often a process that does not learn asks whether it shall.
const ASK: Duration = Duration::from_secs(2);

/// Knows the tools that records speak of.
pub trait Definitions: Send + Sync + 'static {
    /// The tool of a record, when it still has the schema that the record was written under.
    fn definition(&self, record: &Record) -> Option<ToolDefinition>;
    /// A number that is another one when there are other tools.
    fn generation(&self) -> u64;
}

/// Learns beside the calls.
pub struct SharedLearning {
    learning: Mutex<Learning>,
    folder: PathBuf,
    written: Mutex<String>,
    /// The lock of the process that learns.
    lock: OnceLock<File>,
    /// Wakes who tells others of decisions.
    pub(super) decided: Notify,
}

impl SharedLearning {
    /// Begins with what was decided before in this folder. What of that could not be read is in the answer.
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

    /// Begins without what was decided before, which cannot be read: what is decided now is gone with the process.
    ///
    /// # Errors
    /// None that can happen: nothing is read or written.
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
            decided: Notify::new(),
        }
    }

    fn learning(&self) -> MutexGuard<'_, Learning> {
        self.learning.lock().ignore_poison()
    }

    /// The same for who asks about suggestions: a process that does not learn reads what another one suggests.
    fn suggesting(&self) -> MutexGuard<'_, Learning> {
        let mut learning = self.learning();
        if self.lock.get().is_none() {
            learning.remember(earlier_suggestions(&self.folder));
        }
        learning
    }

    /// Waits until no other process of this machine learns.
    async fn take_turn(&self) {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        let path = self.folder.join(LOCK_FILE);
        loop {
            let opened = private_options(&mut options).open(&path);
            if let Ok(file) = opened
                && file.try_lock().is_ok()
            {
                let _ = self.lock.set(file);
                // What stands there is compared with what is suggested from now on.
                let there = fs::read_to_string(self.folder.join(SUGGESTIONS_FILE)).unwrap_or_default();
                *self.written.lock().ignore_poison() = there;
                return;
            }
            sleep(ASK).await;
        }
    }

    /// What is done with suggestions.
    pub fn policy(&self) -> LearnPolicy {
        self.learning().policy()
    }

    /// What is done with suggestions from now on.
    pub fn set_policy(&self, policy: LearnPolicy) {
        self.learning().set_policy(policy);
    }

    /// Tokens whose corrections may put rules into force from now on, besides the owner's.
    pub fn set_deciders(&self, deciders: Vec<String>) {
        self.learning().set_deciders(deciders);
    }

    /// Every suggestion with what was decided about it: new ones first, the surest of them first.
    pub fn suggestions(&self) -> Vec<Suggestion> {
        self.suggesting().suggestions()
    }

    /// One suggestion.
    pub fn suggestion(&self, id: &str) -> Option<Suggestion> {
        self.suggesting().suggestion(id)
    }

    /// Why a suggestion waits for a person, in words; nothing when the policy `apply-safe` would take it.
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

    /// The decisions whose keys are not among these.
    pub(super) fn decisions_beside(&self, known: &HashSet<String>) -> Vec<Event> {
        let learning = self.learning();
        learning.history().iter().filter(|event| !known.contains(&event.key())).cloned().collect()
    }

    /// The learned rules in force, as rules files have them.
    pub fn active_rules(&self) -> Vec<Value> {
        self.learning().active_rules()
    }

    /// Makes a suggestion's rule active before it returns. Blocks until that is on the disk, as the next two.
    ///
    /// # Errors
    /// When there is no such suggestion, it was decided before, or the decision cannot be kept.
    pub fn accept(&self, id: &str, by: &str) -> Result<Suggestion, LearningError> {
        self.decide(|learning, now| learning.accept(id, by, now))
    }

    /// Puts a suggestion away until its evidence has doubled.
    ///
    /// # Errors
    /// As [`SharedLearning::accept`].
    pub fn dismiss(&self, id: &str, by: &str) -> Result<Suggestion, LearningError> {
        self.decide(|learning, now| learning.dismiss(id, by, now))
    }

    /// Takes the last decision about a suggestion back.
    ///
    /// # Errors
    /// When there is no such suggestion, nothing was decided about it, or that cannot be kept.
    pub fn undo(&self, id: &str, by: &str) -> Result<Suggestion, LearningError> {
        self.decide(|learning, now| learning.undo(id, by, now))
    }

    fn decide(
        &self,
        decide: impl FnOnce(&mut Learning, i64) -> Result<Suggestion, LearningError>,
    ) -> Result<Suggestion, LearningError> {
        let decided = {
            let mut learning = self.suggesting();
            // Another process may have decided a moment ago.
            learning.refresh()?;
            decide(&mut learning, unix_micros())
        };
        self.decided.notify_one();
        self.keep_suggestions();
        decided
    }

    /// Takes over decisions of other gateways. Whether there was something new.
    pub(super) fn import(&self, events: Vec<Event>) -> Result<bool, LearningError> {
        let is_new = self.learning().import(events)?;
        if is_new {
            self.decided.notify_one();
        }
        Ok(is_new)
    }

    /// Learns from what comes into the index, from all gateways that write there, until `stop`.
    pub async fn run(self: Arc<Self>, store: Store, tools: Arc<dyn Definitions>, stop: CancellationToken) {
        let shares = store.is_shared();
        let share = async {
            match shares {
                true => sharing::share(&self, &store).await,
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
        self.take_turn().await;
        let mut reading = Reading::default();
        let mut was_away = false;
        let mut is_news = false;
        let mut seen = None;
        loop {
            // Nearly always nothing has changed, and asking would wake three threads to hear so.
            let now = (store.looks(), tools.generation());
            if seen == Some(now) && !may_change_unseen(&now.0) {
                sleep(LOOK).await;
                continue;
            }
            match reading.read(store).await {
                Ok(records) => {
                    was_away = false;
                    let is_more = !records.is_empty();
                    let (learning, tools) = (Arc::clone(self), Arc::clone(&tools));
                    let mut waiting = std::mem::take(&mut reading.waiting);
                    let learned = spawn_blocking(move || {
                        learning.learn(records, &*tools, &mut waiting);
                        waiting
                    });
                    match learned.await {
                        Ok(waiting) => reading.waiting = waiting,
                        Err(error) => tracing::error!("learning from some calls broke off: {error}"),
                    }
                    if is_more {
                        (is_news, seen) = (true, None);
                        continue;
                    }
                    if std::mem::take(&mut is_news) {
                        let learning = Arc::clone(self);
                        drop(spawn_blocking(move || learning.keep_suggestions()).await);
                    }
                    seen = Some(now);
                }
                Err(error) => {
                    if !was_away {
                        tracing::warn!("nothing is learned for now: {error}");
                    }
                    was_away = true;
                }
            }
            sleep(LOOK).await;
        }
    }

    /// Learns from records, and again from those whose tools were not known before.
    fn learn(&self, records: Vec<Record>, tools: &dyn Definitions, waiting: &mut Waiting) {
        for record in waiting.since(tools.generation()).into_iter().chain(records) {
            self.learn_one(record, tools, waiting);
        }
    }

    fn learn_one(&self, record: Record, tools: &dyn Definitions, waiting: &mut Waiting) {
        let tool = tools.definition(&record);
        if tool.is_none() {
            // A call that came to no tool never gets one, and the tools of who asks a model are not ours.
            if record.schema.is_some() && record.front != LLM_FRONT {
                waiting.push(record);
            }
            return;
        }
        let moves = self.learning().observe(&record, tool.as_ref());
        match moves {
            Ok(moves) if moves.is_empty() => {}
            Ok(moves) => {
                moves.iter().for_each(say);
                self.decided.notify_one();
            }
            Err(error) => tracing::error!("what was learned cannot be kept: {error}"),
        }
    }

    /// Looks for decisions of other processes on this machine.
    async fn follow_decisions(self: &Arc<Self>) {
        let mut was_wrong = false;
        let file = self.folder.join(DECISIONS_FILE);
        let mut seen = None;
        loop {
            sleep(LOOK).await;
            let now = Some(FileStamp::of(&file));
            if now == seen && !was_wrong {
                continue;
            }
            seen = now;
            let learning = Arc::clone(self);
            let looked = spawn_blocking(move || learning.learning().refresh()).await;
            match looked {
                Ok(Ok(false)) | Err(_) => was_wrong = false,
                Ok(Ok(true)) => {
                    was_wrong = false;
                    self.decided.notify_one();
                }
                Ok(Err(error)) => {
                    if !was_wrong {
                        tracing::error!("decisions about rules cannot be read: {error}");
                    }
                    was_wrong = true;
                }
            }
        }
    }

    /// Writes what is suggested, when that has changed.
    fn keep_suggestions(&self) {
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

/// What was suggested when somebody last wrote it down. A file that cannot be read suggests nothing: it is made
/// again from the calls.
pub fn earlier_suggestions(folder: &Path) -> Vec<Suggestion> {
    let text = fs::read(folder.join(SUGGESTIONS_FILE)).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}

/// Whether an index may have changed and look as before. One that can only be asked always may.
fn may_change_unseen(looks: &Option<[Option<FileStamp>; 2]>) -> bool {
    looks.is_none_or(|looks| looks.iter().flatten().any(|stamp| stamp.is_fresh(FRESH)))
}

fn say(moved: &Move) {
    match moved {
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
