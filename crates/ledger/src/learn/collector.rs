//! Collects evidence from finished calls and derives suggestions.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use serde_json::{Map, Value};
use toolwright_model::{Origin, ToolDefinition};
use toolwright_normalizer::{ActiveRules, Normalizer};
use toolwright_redact::is_secret_key;

use super::call_comparison::{Comparison, compare};
use super::error_hints::candidate_from_error;
use super::evidence::{EvidenceTally, Observation};
use super::policy::SafetyFacts;
use super::refused_calls::{RefusedCall, RefusedCalls};
use super::rule_candidate::Lesson;
use super::rule_trial::{RecordedCall, repair, rules_of, try_candidate, with_rules};
use super::suggestion::{Evidence, Status, Suggestion, fingerprint, id, rule_id};
use super::tool_schema::ToolSchema;
use super::witness::Witness;
use crate::{Kind, Record};

/// Maximum number of tracked tools; the least recently called is evicted first.
const MAX_TOOLS: usize = 512;
/// Maximum number of candidates of one tool.
const MAX_CANDIDATES: usize = 256;
/// Longer arguments are ignored.
const MAX_ARGUMENT_BYTES: usize = 64 << 10;
/// Bytes of calls that are stored for each tool, to try rules on.
const MAX_STORED_BYTES: usize = 64 << 10;
/// Longer arguments are not stored.
const MAX_STORED_CALL_BYTES: usize = 4 << 10;

/// Learns from calls. Pure: no clock, no file, no network.
#[derive(Debug)]
pub struct Learner {
    rules: Arc<ActiveRules>,
    tools: HashMap<String, ToolKnowledge>,
    pending: RefusedCalls,
    observed: u64,
    /// Tokens whose corrections may activate rules, in addition to the owner's.
    deciders: Vec<String>,
}

/// Evidence about one tool with one schema.
#[derive(Debug)]
struct ToolKnowledge {
    fingerprint: String,
    schema: ToolSchema,
    candidates: BTreeMap<Lesson, EvidenceTally>,
    calls: VecDeque<RecordedCall>,
    stored_bytes: usize,
    last_used: u64,
}

impl Default for Learner {
    fn default() -> Self {
        Learner::new(Arc::default())
    }
}

impl Learner {
    /// Creates a learner for calls that are repaired with these rules. Mistakes that they already repair are not
    /// learned again.
    pub fn new(rules: Arc<ActiveRules>) -> Learner {
        Learner {
            rules,
            tools: HashMap::new(),
            pending: RefusedCalls::default(),
            observed: 0,
            deciders: Vec::new(),
        }
    }

    /// Sets the tokens whose corrections may activate rules, in addition to the owner's.
    pub(super) fn set_deciders(&mut self, deciders: Vec<String>) {
        self.deciders = deciders;
    }

    /// Learns from a finished call. Ignores calls without a tool definition, or with one that does not compile.
    pub fn observe(&mut self, record: &Record, tool: Option<&ToolDefinition>) {
        self.learn(record, tool);
    }

    /// Learns from a finished call. Returns whether the model corrected a call, so that a new suggestion is possible.
    pub(super) fn learn(&mut self, record: &Record, tool: Option<&ToolDefinition>) -> bool {
        let read = tool.filter(|tool| tool.origin == Origin::Server && record.kind == Kind::Call);
        let text = arguments_text(record).filter(|text| text.len() <= MAX_ARGUMENT_BYTES);
        let (Some(definition), Some(text)) = (read, text) else { return false };
        let Ok(Value::Object(sent)) = serde_json::from_str::<Value>(&text) else { return false };
        let scope = scope_of(record);
        self.observed += 1;
        if !self.prepare(&scope, record, definition) {
            return false;
        }
        let Some(known) = self.tools.get_mut(&scope) else { return false };
        known.last_used = self.observed;
        known.store_call(&text, record.is_ok());
        let is_valid = known.schema.tool.accepts(&text);
        let witness = Witness::of(record);
        // Two clients may use the same conversation name: a call of one is no correction of the other.
        let conversation = record.session.as_ref().map(|session| format!("{:?} {session}", record.principal));
        let seen = Observation { witness: &witness, about: &text, ts: record.ts, seq: record.seq };
        if !record.is_ok() {
            if !is_valid {
                known.record_refusal(record, &sent, &seen);
                if let Some(conversation) = &conversation {
                    let refused = RefusedCall { arguments: sent, ts: record.ts, seq: record.seq };
                    self.pending.add(conversation, &scope, refused);
                }
            }
            return false;
        }
        let was_sent_as_is = record.normalized.is_none() && record.changes.is_empty();
        if was_sent_as_is {
            known.record_success(&sent, &seen);
        }
        let right = match &record.normalized {
            Some(normalized) => serde_json::from_str(normalized.get()).ok(),
            None => Some(Value::Object(sent)),
        };
        let (Some(Value::Object(right)), Some(conversation)) = (right, &conversation) else { return false };
        if !known.schema.tool.accepts(&Value::Object(right.clone()).to_string()) {
            return false;
        }
        let corrected = self.pending.take(conversation, &scope, record.ts);
        let rules = self.rules.load();
        for refused in &corrected {
            let comparison = compare(&refused.arguments, &right, &known.schema);
            let right = Value::Object(right.clone());
            known.record_correction(rules.normalizer(), &scope, comparison, &right, &witness, refused);
        }
        !corrected.is_empty()
    }

    /// Makes room for the tool, and discards evidence about another schema.
    fn prepare(&mut self, scope: &str, record: &Record, definition: &ToolDefinition) -> bool {
        let fingerprint = schema_of(record, definition);
        if self.tools.get(scope).is_some_and(|known| known.fingerprint == fingerprint) {
            return true;
        }
        let Ok(schema) = ToolSchema::of(definition) else { return false };
        if self.tools.len() >= MAX_TOOLS && !self.tools.contains_key(scope) {
            let oldest =
                self.tools.iter().min_by_key(|(_, known)| known.last_used).map(|(name, _)| name.clone());
            oldest.and_then(|oldest| self.tools.remove(&oldest));
        }
        let known = ToolKnowledge {
            fingerprint,
            schema,
            candidates: BTreeMap::new(),
            calls: VecDeque::new(),
            stored_bytes: 0,
            last_used: 0,
        };
        self.tools.insert(scope.to_owned(), known);
        true
    }

    /// Whether calls of a tool were observed.
    pub(super) fn knows(&self, scope: &str) -> bool {
        self.tools.contains_key(scope)
    }

    /// Discards the evidence about a tool.
    pub(super) fn forget(&mut self, scope: &str) {
        self.tools.remove(scope);
    }

    /// Current suggestions, the most confident first. All have the status `suggested`: decisions are not known here.
    pub fn suggestions(&self) -> Vec<Suggestion> {
        let mut all: Vec<Suggestion> =
            self.tools.keys().flat_map(|scope| self.suggestions_for(scope)).map(|(one, _)| one).collect();
        all.sort_by(|one, two| two.confidence.total_cmp(&one.confidence).then_with(|| one.id.cmp(&two.id)));
        all
    }

    /// The suggestions for one tool, each with the facts for the policy.
    pub(super) fn suggestions_for(&self, scope: &str) -> Vec<(Suggestion, SafetyFacts)> {
        let Some(known) = self.tools.get(scope) else { return Vec::new() };
        let ready: Vec<(&Lesson, &EvidenceTally, usize)> = known
            .candidates
            .iter()
            .map(|(candidate, evidence)| (candidate, evidence, known.rivals(candidate)))
            .filter(|(_, evidence, rivals)| evidence.is_enough(*rivals))
            .collect();
        let rules = self.rules.load();
        let mut suggestions = Vec::with_capacity(ready.len());
        for (candidate, evidence, rivals) in &ready {
            let others: Vec<&Lesson> =
                ready.iter().map(|(other, ..)| *other).filter(|other| other != candidate).collect();
            let tool = (scope, &known.schema.tool);
            let replay =
                try_candidate(rules.normalizer(), tool, (candidate, &others), known.calls.iter().cloned());
            // Rules that became active since already repair these calls.
            if replay.of == 0 && known.is_covered(rules.normalizer(), candidate) {
                continue;
            }
            let id = id(scope, &known.fingerprint, candidate);
            let suggestion = Suggestion {
                rule: candidate.rule(&rule_id(&id), scope, "learned: not accepted yet"),
                id,
                tool: scope.to_owned(),
                schema: known.fingerprint.clone(),
                lesson: (*candidate).clone(),
                reason: reason(candidate, evidence, scope),
                evidence: Evidence {
                    observations: evidence.observations() as u64,
                    sessions: evidence.sessions() as u64,
                    sources: evidence.sources(),
                    against: (evidence.against_count() + rivals) as u64,
                    first: evidence.first,
                    last: evidence.last,
                    samples: evidence.samples.clone(),
                    witnesses: evidence.witnesses().into_iter().collect(),
                },
                confidence: evidence.confidence(*rivals),
                replay,
                status: Status::Suggested,
            };
            let facts = SafetyFacts::gather(&suggestion, evidence, &known.schema, &self.deciders);
            suggestions.push((suggestion, facts));
        }
        suggestions
    }
}

impl ToolKnowledge {
    fn store_call(&mut self, text: &str, is_good: bool) {
        if text.len() > MAX_STORED_CALL_BYTES {
            return;
        }
        self.stored_bytes += text.len();
        self.calls.push_back(RecordedCall { text: text.to_owned(), is_good });
        while self.stored_bytes > MAX_STORED_BYTES {
            let Some(oldest) = self.calls.pop_front() else { break };
            self.stored_bytes -= oldest.text.len();
        }
    }

    /// Records a failed call that violates the schema.
    fn record_refusal(&mut self, record: &Record, sent: &Map<String, Value>, seen: &Observation<'_>) {
        for (candidate, evidence) in &mut self.candidates {
            evidence.refusals += u64::from(candidate.concerns(sent));
        }
        let Some(failure) = record.error.as_ref().filter(|failure| failure.is_from_tool) else { return };
        let pointed = candidate_from_error(&failure.message, sent, &self.schema).filter(may_be_learned);
        if let Some(evidence) = pointed.and_then(|candidate| self.evidence(candidate)) {
            evidence.error(seen);
        }
    }

    /// Records a successful call that contains a candidate's mistake.
    fn record_success(&mut self, sent: &Map<String, Value>, seen: &Observation<'_>) {
        for (candidate, evidence) in &mut self.candidates {
            // A missing parameter is no mistake where the call was accepted; neither is a value of the right type.
            let is_taken = match candidate {
                Lesson::TypeCoerce { from, coerce_to } => {
                    sent.get(from).is_some_and(|value| (coerce_to == "string") != value.is_string())
                }
                _ => candidate.concerns(sent),
            };
            if is_taken {
                evidence.against(seen);
            }
        }
    }

    /// Records the correction of a refused call.
    fn record_correction(
        &mut self,
        normalizer: &Normalizer,
        scope: &str,
        comparison: Comparison,
        right: &Value,
        witness: &Witness,
        refused: &RefusedCall,
    ) {
        let seen = |about| Observation { witness, about, ts: refused.ts, seq: refused.seq };
        for (candidate, about) in &comparison.against {
            if let Some(evidence) = self.evidence(candidate.clone()) {
                evidence.against(&seen(about.as_str()));
            }
        }
        let candidates: Vec<&Lesson> =
            comparison.corrections.iter().map(|correction| &correction.candidate).collect();
        let with = with_rules(normalizer, rules_of(scope, &candidates));
        for correction in &comparison.corrections {
            let mistake = correction.with_mistake.to_string();
            let tool = &self.schema.tool;
            let is_mistake = !tool.accepts(&mistake);
            let is_covered = repair(normalizer, tool, &mistake).as_ref() == Some(right);
            let is_repaired = repair(&with, tool, &mistake).as_ref() == Some(right);
            if !is_mistake || is_covered || !is_repaired || !may_be_learned(&correction.candidate) {
                continue;
            }
            let (is_clean, is_sole) = (comparison.is_clean, correction.is_sole);
            if let Some(evidence) = self.evidence(correction.candidate.clone()) {
                evidence.retry(&seen(correction.about.as_str()), is_clean, is_sole);
            }
        }
    }

    fn evidence(&mut self, candidate: Lesson) -> Option<&mut EvidenceTally> {
        if self.candidates.len() >= MAX_CANDIDATES && !self.candidates.contains_key(&candidate) {
            let weakest = self.candidates.iter().min_by_key(|(_, known)| (known.observations(), known.last));
            let weakest = weakest.map(|(candidate, _)| candidate.clone())?;
            self.candidates.remove(&weakest);
        }
        Some(self.candidates.entry(candidate).or_default())
    }

    /// Number of corrections for contradicting candidates.
    fn rivals(&self, candidate: &Lesson) -> usize {
        let others = self.candidates.iter().filter(|(other, _)| candidate.disagrees_with(other));
        others.map(|(_, evidence)| evidence.retries()).sum()
    }

    /// Whether the stored calls with the mistake are repaired without the candidate.
    fn is_covered(&self, normalizer: &Normalizer, candidate: &Lesson) -> bool {
        let mut shown = self.calls.iter().filter(|call| !call.is_good).filter(|call| {
            let sent = serde_json::from_str::<Value>(&call.text).ok();
            sent.as_ref().and_then(Value::as_object).is_some_and(|sent| candidate.concerns(sent))
        });
        shown.any(|call| repair(normalizer, &self.schema.tool, &call.text).is_some())
    }
}

/// A parameter that contains a secret is never the subject of a learned rule.
fn may_be_learned(candidate: &Lesson) -> bool {
    // A mark replaces a key that was a secret: no call will ever contain it.
    !candidate.names().into_iter().any(|name| is_secret_key(name) || name.contains("[redacted:"))
}

fn reason(candidate: &Lesson, evidence: &EvidenceTally, tool: &str) -> String {
    let what = match candidate {
        Lesson::ParamAlias { from, to } => format!("\"{from}\" was sent where {tool} takes \"{to}\""),
        Lesson::TypeCoerce { from, coerce_to } => {
            format!("\"{from}\" was sent in another type where {tool} takes {coerce_to}")
        }
        Lesson::ValueMap { from, sent, meant } => {
            format!("\"{sent}\" was sent as \"{from}\" where {tool} takes {meant}")
        }
        Lesson::NestedAlias { in_payload, from, to, .. } => {
            format!("\"{from}\" was sent in \"{in_payload}\" where {tool} takes \"{to}\"")
        }
        Lesson::ParamDefault { from, value } => {
            format!("\"{from}\" was left out and {tool} got {value} afterwards every time")
        }
    };
    let times = |count: usize| if count == 1 { "once".to_owned() } else { format!("{count} times") };
    let errors = evidence.observations() - evidence.retries();
    match (evidence.retries(), errors) {
        (0, errors) => format!("{what}; the tool's error said so {}", times(errors)),
        (retries, 0) => format!("{what}; the model corrected itself {}", times(retries)),
        (retries, errors) => format!(
            "{what}; the model corrected itself {}, the tool's error said so {}",
            times(retries),
            times(errors)
        ),
    }
}

/// The tool of a record as rules name it.
pub(super) fn scope_of(record: &Record) -> String {
    match &record.server {
        Some(server) => format!("{server}/{}", record.tool),
        None => record.tool.clone(),
    }
}

pub(super) fn schema_of(record: &Record, definition: &ToolDefinition) -> String {
    record.schema.clone().unwrap_or_else(|| fingerprint(&definition.input_schema))
}

/// The arguments of a record as text: the content of the string when they were not JSON.
pub(super) fn arguments_text(record: &Record) -> Option<String> {
    let raw = record.arguments.as_ref()?.get();
    if raw.starts_with('"') { serde_json::from_str(raw).ok() } else { Some(raw.to_owned()) }
}
