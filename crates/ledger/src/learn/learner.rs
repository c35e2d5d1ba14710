//! The learner: watches finished calls and knows what they teach.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use serde_json::{Map, Value};
use toolwright_model::{Origin, ToolDefinition};
use toolwright_normalizer::{ActiveRules, Normalizer};
use toolwright_redact::is_secret_key;

use super::compare::{Comparison, compare};
use super::evidence::{Known, Seen};
use super::hints::pointed_at;
use super::lesson::Lesson;
use super::pending::{Pending, Refused};
use super::policy::Facts;
use super::shape::Shape;
use super::suggestion::{Evidence, Status, Suggestion, fingerprint, id, rule_id};
use super::trial::{Call, mended, rules_of, try_lesson, with_rules};
use super::witness::Witness;
use crate::{Kind, Record};

/// Tools that are remembered; the one that was not called for longest is forgotten first.
const MAX_TOOLS: usize = 512;
/// Lessons of one tool.
const MAX_LESSONS: usize = 256;
/// Longer arguments teach nothing.
const MAX_ARGUMENT_BYTES: usize = 64 << 10;
/// What is kept of the calls of one tool, to try rules on.
const MAX_KEPT_BYTES: usize = 64 << 10;
/// Longer arguments are not kept.
const MAX_KEPT_CALL_BYTES: usize = 4 << 10;

/// Learns from calls. Pure: no clock, no file, no network.
#[derive(Debug)]
pub struct Learner {
    rules: Arc<ActiveRules>,
    tools: HashMap<String, ToolKnowledge>,
    pending: Pending,
    observed: u64,
    /// Tokens whose corrections may put rules into force, besides the owner's.
    deciders: Vec<String>,
}

/// What is known of one tool with one schema.
#[derive(Debug)]
struct ToolKnowledge {
    fingerprint: String,
    shape: Shape,
    lessons: BTreeMap<Lesson, Known>,
    calls: VecDeque<Call>,
    kept_bytes: usize,
    touched: u64,
}

impl Default for Learner {
    fn default() -> Self {
        Learner::new(Arc::default())
    }
}

impl Learner {
    /// A learner for calls that are repaired with these rules. What they repair already is not learned again.
    pub fn new(rules: Arc<ActiveRules>) -> Learner {
        Learner {
            rules,
            tools: HashMap::new(),
            pending: Pending::default(),
            observed: 0,
            deciders: Vec::new(),
        }
    }

    /// Tokens whose corrections may put rules into force, besides the owner's.
    pub(super) fn set_deciders(&mut self, deciders: Vec<String>) {
        self.deciders = deciders;
    }

    /// Learns from a finished call. Without the tool's definition, or with one that cannot be compiled, there is
    /// nothing to learn.
    pub fn observe(&mut self, record: &Record, tool: Option<&ToolDefinition>) {
        self.notice(record, tool);
    }

    /// Learns from a finished call. Says whether a model corrected something, so that there may be a new suggestion.
    pub(super) fn notice(&mut self, record: &Record, tool: Option<&ToolDefinition>) -> bool {
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
        known.touched = self.observed;
        known.keep(&text, record.is_ok());
        let is_valid = known.shape.tool.accepts(&text);
        let witness = Witness::of(record);
        // Two clients may be in a conversation of one name: what one sends corrects nothing of the other.
        let conversation = record.session.as_ref().map(|session| format!("{:?} {session}", record.principal));
        let seen = Seen { witness: &witness, about: &text, ts: record.ts, seq: record.seq };
        if !record.is_ok() {
            if !is_valid {
                known.refused(record, &sent, &seen);
                if let Some(conversation) = &conversation {
                    let refused = Refused { arguments: sent, ts: record.ts, seq: record.seq };
                    self.pending.add(conversation, &scope, refused);
                }
            }
            return false;
        }
        let was_sent_as_is = record.normalized.is_none() && record.changes.is_empty();
        if was_sent_as_is {
            known.taken_as_it_is(&sent, &seen);
        }
        let right = match &record.normalized {
            Some(normalized) => serde_json::from_str(normalized.get()).ok(),
            None => Some(Value::Object(sent)),
        };
        let (Some(Value::Object(right)), Some(conversation)) = (right, &conversation) else { return false };
        if !known.shape.tool.accepts(&Value::Object(right.clone()).to_string()) {
            return false;
        }
        let corrected = self.pending.take(conversation, &scope, record.ts);
        let rules = self.rules.load();
        for refused in &corrected {
            let comparison = compare(&refused.arguments, &right, &known.shape);
            let right = Value::Object(right.clone());
            known.corrected(rules.normalizer(), &scope, comparison, &right, &witness, refused);
        }
        !corrected.is_empty()
    }

    /// Makes room for the tool, and forgets what was learned of another schema.
    fn prepare(&mut self, scope: &str, record: &Record, definition: &ToolDefinition) -> bool {
        let fingerprint = schema_of(record, definition);
        if self.tools.get(scope).is_some_and(|known| known.fingerprint == fingerprint) {
            return true;
        }
        let Ok(shape) = Shape::of(definition) else { return false };
        if self.tools.len() >= MAX_TOOLS && !self.tools.contains_key(scope) {
            let oldest =
                self.tools.iter().min_by_key(|(_, known)| known.touched).map(|(name, _)| name.clone());
            oldest.and_then(|oldest| self.tools.remove(&oldest));
        }
        let known = ToolKnowledge {
            fingerprint,
            shape,
            lessons: BTreeMap::new(),
            calls: VecDeque::new(),
            kept_bytes: 0,
            touched: 0,
        };
        self.tools.insert(scope.to_owned(), known);
        true
    }

    /// Whether calls of a tool were seen.
    pub(super) fn knows(&self, scope: &str) -> bool {
        self.tools.contains_key(scope)
    }

    /// Forgets what a tool taught.
    pub(super) fn forget(&mut self, scope: &str) {
        self.tools.remove(scope);
    }

    /// What can be suggested now, the surest first. All have the status `suggested`: what was decided about them
    /// is not known here.
    pub fn suggestions(&self) -> Vec<Suggestion> {
        let mut all: Vec<Suggestion> =
            self.tools.keys().flat_map(|scope| self.suggestions_for(scope)).map(|(one, _)| one).collect();
        all.sort_by(|one, two| two.confidence.total_cmp(&one.confidence).then_with(|| one.id.cmp(&two.id)));
        all
    }

    /// The suggestions for one tool, each with what the policy asks.
    pub(super) fn suggestions_for(&self, scope: &str) -> Vec<(Suggestion, Facts)> {
        let Some(known) = self.tools.get(scope) else { return Vec::new() };
        let ready: Vec<(&Lesson, &Known, usize)> = known
            .lessons
            .iter()
            .map(|(lesson, evidence)| (lesson, evidence, known.rivals(lesson)))
            .filter(|(_, evidence, rivals)| evidence.is_enough(*rivals))
            .collect();
        let rules = self.rules.load();
        let mut suggestions = Vec::with_capacity(ready.len());
        for (lesson, evidence, rivals) in &ready {
            let others: Vec<&Lesson> =
                ready.iter().map(|(other, ..)| *other).filter(|other| other != lesson).collect();
            let tool = (scope, &known.shape.tool);
            let replay = try_lesson(rules.normalizer(), tool, (lesson, &others), known.calls.iter().cloned());
            // Rules that became active since have taken the work away.
            if replay.of == 0 && known.is_covered(rules.normalizer(), lesson) {
                continue;
            }
            let id = id(scope, &known.fingerprint, lesson);
            let suggestion = Suggestion {
                rule: lesson.rule(&rule_id(&id), scope, "learned: not accepted yet"),
                id,
                tool: scope.to_owned(),
                schema: known.fingerprint.clone(),
                lesson: (*lesson).clone(),
                reason: reason(lesson, evidence, scope),
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
            let facts = Facts::gather(&suggestion, evidence, &known.shape, &self.deciders);
            suggestions.push((suggestion, facts));
        }
        suggestions
    }
}

impl ToolKnowledge {
    fn keep(&mut self, text: &str, is_good: bool) {
        if text.len() > MAX_KEPT_CALL_BYTES {
            return;
        }
        self.kept_bytes += text.len();
        self.calls.push_back(Call { text: text.to_owned(), is_good });
        while self.kept_bytes > MAX_KEPT_BYTES {
            let Some(oldest) = self.calls.pop_front() else { break };
            self.kept_bytes -= oldest.text.len();
        }
    }

    /// A call that the schema refuses failed.
    fn refused(&mut self, record: &Record, sent: &Map<String, Value>, seen: &Seen<'_>) {
        for (lesson, evidence) in &mut self.lessons {
            evidence.refusals += u64::from(lesson.concerns(sent));
        }
        let Some(failure) = record.error.as_ref().filter(|failure| failure.is_from_tool) else { return };
        let pointed = pointed_at(&failure.message, sent, &self.shape).filter(may_be_learned);
        if let Some(evidence) = pointed.and_then(|lesson| self.evidence(lesson)) {
            evidence.error(seen);
        }
    }

    /// A call went well with what lessons call mistakes.
    fn taken_as_it_is(&mut self, sent: &Map<String, Value>, seen: &Seen<'_>) {
        for (lesson, evidence) in &mut self.lessons {
            // Something left out is no mistake where the call was taken; a value of the right type neither.
            let is_taken = match lesson {
                Lesson::TypeCoerce { from, coerce_to } => {
                    sent.get(from).is_some_and(|value| (coerce_to == "string") != value.is_string())
                }
                _ => lesson.concerns(sent),
            };
            if is_taken {
                evidence.against(seen);
            }
        }
    }

    /// A refused call was corrected.
    fn corrected(
        &mut self,
        normalizer: &Normalizer,
        scope: &str,
        comparison: Comparison,
        right: &Value,
        witness: &Witness,
        refused: &Refused,
    ) {
        let seen = |about| Seen { witness, about, ts: refused.ts, seq: refused.seq };
        for (lesson, about) in &comparison.against {
            if let Some(evidence) = self.evidence(lesson.clone()) {
                evidence.against(&seen(about.as_str()));
            }
        }
        let lessons: Vec<&Lesson> = comparison.taught.iter().map(|taught| &taught.lesson).collect();
        let with = with_rules(normalizer, rules_of(scope, &lessons));
        for taught in &comparison.taught {
            let mistake = taught.with_mistake.to_string();
            let tool = &self.shape.tool;
            let is_mistake = !tool.accepts(&mistake);
            let is_covered = mended(normalizer, tool, &mistake).as_ref() == Some(right);
            let is_mended = mended(&with, tool, &mistake).as_ref() == Some(right);
            if !is_mistake || is_covered || !is_mended || !may_be_learned(&taught.lesson) {
                continue;
            }
            let (is_clean, is_sole) = (comparison.is_clean, taught.is_sole);
            if let Some(evidence) = self.evidence(taught.lesson.clone()) {
                evidence.retry(&seen(taught.about.as_str()), is_clean, is_sole);
            }
        }
    }

    fn evidence(&mut self, lesson: Lesson) -> Option<&mut Known> {
        if self.lessons.len() >= MAX_LESSONS && !self.lessons.contains_key(&lesson) {
            let weakest = self.lessons.iter().min_by_key(|(_, known)| (known.observations(), known.last));
            let weakest = weakest.map(|(lesson, _)| lesson.clone())?;
            self.lessons.remove(&weakest);
        }
        Some(self.lessons.entry(lesson).or_default())
    }

    /// How much speaks for other readings of the same mistake.
    fn rivals(&self, lesson: &Lesson) -> usize {
        let others = self.lessons.iter().filter(|(other, _)| lesson.disagrees_with(other));
        others.map(|(_, evidence)| evidence.retries()).sum()
    }

    /// Whether the kept calls that show the mistake are mended without the lesson.
    fn is_covered(&self, normalizer: &Normalizer, lesson: &Lesson) -> bool {
        let mut shown = self.calls.iter().filter(|call| !call.is_good).filter(|call| {
            let sent = serde_json::from_str::<Value>(&call.text).ok();
            sent.as_ref().and_then(Value::as_object).is_some_and(|sent| lesson.concerns(sent))
        });
        shown.any(|call| mended(normalizer, &self.shape.tool, &call.text).is_some())
    }
}

/// What holds a secret is never the subject of a rule that nobody wrote.
fn may_be_learned(lesson: &Lesson) -> bool {
    // A mark stands where a key was a secret: no call will ever have it.
    !lesson.names().into_iter().any(|name| is_secret_key(name) || name.contains("[redacted:"))
}

fn reason(lesson: &Lesson, evidence: &Known, tool: &str) -> String {
    let what = match lesson {
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

/// The arguments of a record as text: what a string holds when they were no JSON.
pub(super) fn arguments_text(record: &Record) -> Option<String> {
    let raw = record.arguments.as_ref()?.get();
    if raw.starts_with('"') { serde_json::from_str(raw).ok() } else { Some(raw.to_owned()) }
}
