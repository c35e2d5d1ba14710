//! Learning engine: evidence, policy, decisions, and the active learned rules.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value;
use toolwright_model::{LearnPolicy, ToolDefinition};
use toolwright_normalizer::ActiveRules;
use toolwright_normalizer::rules::parse_learned;

use super::collector::{Learner, schema_of, scope_of};
use super::decision_store::{DecisionStore, Loaded, StoreError};
use super::decisions::{Decisions, Event, What};
use super::policy::{Unsafe, check};
use super::rules_file::{RulesFileError, rendered, write_rules_file};
use super::suggestion::{Status, Suggestion};
use crate::Record;

/// Author of decisions of the policy.
const POLICY: &str = "policy:apply-safe";
/// Author of decisions because of a changed schema.
const SCHEMA: &str = "schema";
/// Default for the rules that the policy may apply to one tool within a day.
const APPLIED_PER_TOOL_AND_DAY: usize = 5;
const DAY_US: i64 = 24 * 60 * 60 * 1_000_000;

/// Options of learning.
#[derive(Clone, Debug)]
pub struct LearningOptions {
    /// The policy for suggestions.
    pub policy: LearnPolicy,
    /// The active rules, to which accepted suggestions are added.
    pub rules: Arc<ActiveRules>,
    /// Folder of the learned rules file; the file is not written when absent.
    pub folder: Option<PathBuf>,
    /// Maximum number of rules that the policy may apply to one tool within a day.
    pub applied_per_tool_and_day: usize,
    /// Tokens whose corrections may activate rules with `apply-safe`, in addition to the owner's.
    pub deciders: Vec<String>,
}

impl Default for LearningOptions {
    fn default() -> Self {
        LearningOptions {
            policy: LearnPolicy::default(),
            rules: Arc::default(),
            folder: None,
            applied_per_tool_and_day: APPLIED_PER_TOOL_AND_DAY,
            deciders: Vec::new(),
        }
    }
}

/// Error of a decision.
#[derive(Debug, thiserror::Error)]
pub enum LearningError {
    /// No such suggestion.
    #[error("there is no suggestion \"{0}\"; list them to see their ids")]
    Unknown(String),
    /// The decision contradicts an earlier one.
    #[error("suggestion {id} is {} already, so it cannot be {wanted}", .status.word())]
    Already {
        /// The suggestion.
        id: String,
        /// Its current status.
        status: Status,
        /// The requested status.
        wanted: &'static str,
    },
    /// There is no decision to undo.
    #[error("nothing was decided about suggestion {0}, so there is nothing to undo")]
    NothingToUndo(String),
    /// The rule conflicts with the active learned rules.
    #[error("suggestion {id} does not go with the learned rules in force: {why}; undo the other one first")]
    Clash {
        /// The suggestion.
        id: String,
        /// The conflict.
        why: String,
    },
    /// The decision could not be stored.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The decision is stored, but the rules file is not written.
    #[error(transparent)]
    RulesFile(#[from] RulesFileError),
}

/// Automatic change of the active rules.
#[derive(Clone, Debug)]
pub enum Move {
    /// The policy applied a suggestion.
    Applied(Suggestion),
    /// A rule lapsed because the tool's schema changed.
    Lapsed(Suggestion),
}

/// Learns from calls, and stores decisions.
pub struct Learning {
    options: LearningOptions,
    learner: Learner,
    store: Box<dyn DecisionStore>,
    decisions: Decisions,
    history: Vec<Event>,
    known: HashSet<String>,
    /// Suggestions of earlier runs whose tools have not been observed since.
    earlier: Vec<Suggestion>,
}

impl Learning {
    /// Loads earlier decisions, activates their rules, and rewrites the rules file.
    pub fn open(
        options: LearningOptions,
        mut store: Box<dyn DecisionStore>,
    ) -> Result<(Learning, Loaded), LearningError> {
        let loaded = store.load()?;
        let mut learner = Learner::new(Arc::clone(&options.rules));
        learner.set_deciders(options.deciders.clone());
        let mut learning = Learning {
            options,
            learner,
            store,
            decisions: Decisions::default(),
            history: Vec::new(),
            known: HashSet::new(),
            earlier: Vec::new(),
        };
        let begun = match loaded.events.is_empty() {
            true => learning.activate(),
            false => learning.absorb(loaded.events.clone()).map(|_| ()),
        };
        match begun {
            // The rules are active anyway: only processes that read the file do not see them.
            Err(LearningError::RulesFile(error)) => tracing::warn!("{error}"),
            begun => begun?,
        }
        Ok((learning, loaded))
    }

    /// Sets the suggestions of earlier runs. Each stays until its tool is observed again; then the new evidence counts.
    pub fn remember(&mut self, earlier: Vec<Suggestion>) {
        self.earlier = earlier;
    }

    /// Loads decisions of other processes in the same folder. Returns whether there were any.
    pub fn refresh(&mut self) -> Result<bool, LearningError> {
        let news = self.store.news()?;
        self.absorb(news)
    }

    /// Imports and stores decisions of other gateways. Returns whether any was new.
    pub fn import(&mut self, events: Vec<Event>) -> Result<bool, LearningError> {
        let new: Vec<Event> = events.into_iter().filter(|event| !self.known.contains(&event.key())).collect();
        for event in &new {
            self.store.append(event)?;
        }
        self.absorb(new)
    }

    /// Inserts decisions in the order of time, and rebuilds the state from all of them.
    fn absorb(&mut self, events: Vec<Event>) -> Result<bool, LearningError> {
        let before = self.history.len();
        for event in events {
            if self.known.insert(event.key()) {
                self.history.push(event);
            }
        }
        if self.history.len() == before {
            return Ok(false);
        }
        self.history.sort_by_cached_key(Event::key);
        self.decisions = Decisions::default();
        self.history.iter().for_each(|event| self.decisions.apply(event));
        self.activate()?;
        Ok(true)
    }

    /// The active rules, including the learned ones.
    pub fn rules(&self) -> &Arc<ActiveRules> {
        &self.options.rules
    }

    /// The policy for suggestions.
    pub fn policy(&self) -> LearnPolicy {
        self.options.policy
    }

    /// Changes what happens with suggestions.
    pub fn set_policy(&mut self, policy: LearnPolicy) {
        self.options.policy = policy;
    }

    /// Sets the tokens whose corrections may activate rules, in addition to the owner's.
    pub fn set_deciders(&mut self, deciders: Vec<String>) {
        self.learner.set_deciders(deciders);
    }

    /// Learns from a finished call. Returns the resulting changes of the active rules.
    pub fn observe(
        &mut self,
        record: &Record,
        tool: Option<&ToolDefinition>,
    ) -> Result<Vec<Move>, LearningError> {
        let mut moves = Vec::new();
        let scope = scope_of(record);
        if let Some(definition) = tool {
            moves.extend(self.lapse(&scope, &schema_of(record, definition), record.ts)?);
        }
        if self.options.policy == LearnPolicy::Off {
            return Ok(moves);
        }
        let has_correction = self.learner.learn(record, tool);
        if has_correction && self.options.policy == LearnPolicy::ApplySafe {
            moves.extend(self.apply_safe(&scope, record.ts)?);
        }
        Ok(moves)
    }

    /// Every known suggestion with its status: new ones first, the most confident of them first.
    pub fn suggestions(&self) -> Vec<Suggestion> {
        let mut all = self.learner.suggestions();
        all.extend(self.earlier.iter().filter(|one| !self.learner.knows(&one.tool)).cloned());
        for suggestion in &mut all {
            suggestion.status = self.decisions.status_of(suggestion);
        }
        for decision in self.decisions.all().filter(|decision| decision.status != Status::Suggested) {
            if !all.iter().any(|known| known.id == decision.last.id) {
                all.push(Suggestion { status: decision.status, ..decision.last.suggestion.clone() });
            }
        }
        all.sort_by_key(|suggestion| suggestion.status != Status::Suggested);
        all
    }

    /// Suggestions without a decision, which are stored for the next start.
    pub fn undecided(&self) -> Vec<Suggestion> {
        let mut all = self.suggestions();
        all.retain(|suggestion| suggestion.status == Status::Suggested);
        all
    }

    /// Returns one suggestion.
    pub fn suggestion(&self, id: &str) -> Option<Suggestion> {
        self.suggestions().into_iter().find(|suggestion| suggestion.id == id)
    }

    /// The reason why a suggestion needs a person; `None` when the policy `apply-safe` would accept it.
    pub fn why_not_safe(&self, id: &str) -> Result<Option<Unsafe>, LearningError> {
        let suggestion = self.suggestion(id).ok_or_else(|| LearningError::Unknown(id.to_owned()))?;
        let known = self.learner.suggestions_for(&suggestion.tool);
        let found = known.into_iter().find(|(known, _)| known.id == id);
        Ok(found.and_then(|(suggestion, facts)| check(&suggestion, &facts).err()))
    }

    /// All decisions, oldest first.
    pub fn history(&self) -> &[Event] {
        &self.history
    }

    /// The active learned rules, in the order of activation.
    pub fn active_rules(&self) -> Vec<Value> {
        self.decisions.active().map(rule_of).collect()
    }

    /// Activates a suggestion's rule before it returns. `now` is in microseconds since 1970.
    pub fn accept(&mut self, id: &str, by: &str, now: i64) -> Result<Suggestion, LearningError> {
        let suggestion = self.suggestion(id).ok_or_else(|| LearningError::Unknown(id.to_owned()))?;
        if matches!(suggestion.status, Status::Active | Status::Lapsed) {
            let (id, status) = (id.to_owned(), suggestion.status);
            return Err(LearningError::Already { id, status, wanted: "accepted" });
        }
        self.check_together(&suggestion, by, now)?;
        self.decide(What::Accepted, suggestion, by, now)
    }

    /// Hides a suggestion until its evidence has doubled.
    pub fn dismiss(&mut self, id: &str, by: &str, now: i64) -> Result<Suggestion, LearningError> {
        let suggestion = self.suggestion(id).ok_or_else(|| LearningError::Unknown(id.to_owned()))?;
        if !matches!(suggestion.status, Status::Suggested | Status::Undone) {
            let (id, status) = (id.to_owned(), suggestion.status);
            return Err(LearningError::Already { id, status, wanted: "dismissed" });
        }
        self.decide(What::Dismissed, suggestion, by, now)
    }

    /// Undoes the last decision about a suggestion: its rule is inactive when this returns, or it is suggested again.
    pub fn undo(&mut self, id: &str, by: &str, now: i64) -> Result<Suggestion, LearningError> {
        let decision = self.decisions.get(id).ok_or_else(|| match self.suggestion(id) {
            Some(_) => LearningError::NothingToUndo(id.to_owned()),
            None => LearningError::Unknown(id.to_owned()),
        })?;
        if !matches!(decision.status, Status::Active | Status::Dismissed) {
            return Err(LearningError::NothingToUndo(id.to_owned()));
        }
        let suggestion = decision.last.suggestion.clone();
        self.decide(What::Undone, suggestion, by, now)
    }

    fn decide(
        &mut self,
        what: What,
        suggestion: Suggestion,
        by: &str,
        now: i64,
    ) -> Result<Suggestion, LearningError> {
        let id = suggestion.id.clone();
        // A clock that was set back must not order a decision before the one that it follows.
        let ts = self.decisions.get(&id).map_or(now, |decision| now.max(decision.last.ts + 1));
        let event = Event { ts, id: id.clone(), event: what, by: by.to_owned(), suggestion };
        self.store.append(&event)?;
        let suggestion = event.suggestion.clone();
        self.absorb(vec![event])?;
        let status = self.decisions.get(&id).map(|decision| decision.status).unwrap_or_default();
        Ok(Suggestion { status, ..suggestion })
    }

    /// Activates the rules of accepted suggestions, then writes their file.
    fn activate(&self) -> Result<(), LearningError> {
        let rules = self.active_rules();
        // Accepted rules were checked; a rule from a file that was edited by hand may be invalid.
        let learned =
            rules.iter().filter_map(|rule| parse_learned(&rendered(std::slice::from_ref(rule))).ok());
        self.options.rules.set_learned(learned.flatten().collect());
        if let Some(folder) = &self.options.folder {
            write_rules_file(folder, &rules)?;
        }
        Ok(())
    }

    /// Checks that a rules file with the new rule would be valid.
    fn check_together(&self, suggestion: &Suggestion, by: &str, now: i64) -> Result<(), LearningError> {
        let mut rules = self.active_rules();
        rules.push(suggestion.rule_accepted(by, &time(now)));
        parse_learned(&rendered(&rules)).map(|_| ()).map_err(|errors| LearningError::Clash {
            id: suggestion.id.clone(),
            why: errors.first().map(|error| error.message.clone()).unwrap_or_default(),
        })
    }

    /// Deactivates rules that were learned for another schema of the tool.
    fn lapse(&mut self, scope: &str, schema: &str, now: i64) -> Result<Vec<Move>, LearningError> {
        let is_old = |event: &&Event| {
            let suggestion = &event.suggestion;
            suggestion.tool == scope && suggestion.schema != schema && event.ts <= now
        };
        let old: Vec<Suggestion> =
            self.decisions.active().filter(is_old).map(|event| event.suggestion.clone()).collect();
        let mut moves = Vec::new();
        for suggestion in old {
            // Evidence about the old schema must not suggest the rule again.
            self.learner.forget(scope);
            moves.push(Move::Lapsed(self.decide(What::Lapsed, suggestion, SCHEMA, now)?));
        }
        Ok(moves)
    }

    /// Applies the safe suggestions for a tool.
    fn apply_safe(&mut self, scope: &str, now: i64) -> Result<Vec<Move>, LearningError> {
        let mut moves = Vec::new();
        for (suggestion, facts) in self.learner.suggestions_for(scope) {
            // The policy does not repeat the decision of a person.
            let is_new = match self.decisions.get(&suggestion.id) {
                None => true,
                Some(decision) => decision.status == Status::Lapsed,
            };
            let unsafe_because =
                if self.applied_within_a_day(scope, now) >= self.options.applied_per_tool_and_day {
                    Some(Unsafe::TooManyToday(self.options.applied_per_tool_and_day))
                } else {
                    check(&suggestion, &facts).err()
                };
            if let Some(reason) = &unsafe_because {
                tracing::debug!(suggestion = suggestion.id, %reason, "waits for a person");
            }
            let is_accepted = is_new && unsafe_because.is_none();
            if is_accepted && self.check_together(&suggestion, POLICY, now).is_ok() {
                moves.push(Move::Applied(self.decide(What::Accepted, suggestion, POLICY, now)?));
            }
        }
        Ok(moves)
    }

    fn applied_within_a_day(&self, scope: &str, now: i64) -> usize {
        let is_counted = |event: &&Event| {
            event.event == What::Accepted
                && event.by == POLICY
                && event.suggestion.tool == scope
                && event.ts > now.saturating_sub(DAY_US)
        };
        self.history.iter().filter(is_counted).count()
    }
}

impl std::fmt::Debug for Learning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Learning")
            .field("options", &self.options)
            .field("history", &self.history.len())
            .finish()
    }
}

fn rule_of(event: &Event) -> Value {
    event.suggestion.rule_accepted(&event.by, &time(event.ts))
}

fn time(ts: i64) -> String {
    Timestamp::from_microsecond(ts).map_or_else(|_| ts.to_string(), |time| time.to_string())
}
