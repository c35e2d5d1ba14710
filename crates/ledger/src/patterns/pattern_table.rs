//! Table of error patterns, behind its lock.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::trend::RecentTimes;
use super::{Pattern, normalize, parameter};
use crate::stats::rfc3339;
use crate::{Failure, Record};

/// Maximum number of tools whose calls are counted.
const MAX_TOOLS: usize = 1_000;
/// Number of sample messages per pattern, and their length.
const MAX_SAMPLES: usize = 3;
const MAX_SAMPLE_BYTES: usize = 500;
/// Maximum length of a stored name.
const MAX_NAME_BYTES: usize = 200;

#[derive(Debug)]
pub(super) struct PatternTable {
    limit: usize,
    patterns: HashMap<Arc<PatternKey>, PatternEntry>,
    /// Patterns by last occurrence, in order of arrival because clocks jump.
    by_age: BTreeMap<u64, Arc<PatternKey>>,
    calls: HashMap<PatternTool, u64>,
    seen: u64,
    evicted: EvictedCounts,
}

/// Counts of evicted patterns.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EvictedCounts {
    pub patterns: u64,
    pub errors: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct PatternTool {
    toolbox: Option<String>,
    server: Option<String>,
    tool: String,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct PatternKey {
    tool: PatternTool,
    code: String,
    pattern: String,
}

#[derive(Debug)]
struct PatternEntry {
    age: u64,
    count: u64,
    first_seen: i64,
    last_seen: i64,
    times: RecentTimes,
    parameter: Option<String>,
    samples: Vec<String>,
}

/// One failed call, prepared for counting.
#[derive(Debug)]
pub(super) struct FailedCall {
    key: PatternKey,
    ts: i64,
    parameter: Option<String>,
    sample: String,
}

impl FailedCall {
    pub fn of(record: &Record, error: &Failure) -> Self {
        let message = truncate(&error.message, super::MAX_MESSAGE);
        let names = parameter::names(record, error);
        let pattern = normalize(message, &names);
        FailedCall {
            ts: record.ts,
            parameter: parameter::affected(record, error, message),
            sample: truncate(message, MAX_SAMPLE_BYTES).to_owned(),
            key: PatternKey {
                tool: PatternTool::of(record),
                code: truncate(&error.code, MAX_NAME_BYTES).to_owned(),
                pattern,
            },
        }
    }
}

impl PatternTool {
    fn of(record: &Record) -> Self {
        let name =
            |name: &Option<String>| name.as_deref().map(|name| truncate(name, MAX_NAME_BYTES).to_owned());
        PatternTool {
            toolbox: name(&record.toolbox),
            server: name(&record.server),
            tool: truncate(&record.tool, MAX_NAME_BYTES).to_owned(),
        }
    }
}

impl PatternTable {
    pub fn new(limit: usize) -> Self {
        PatternTable {
            limit: limit.max(1),
            patterns: HashMap::new(),
            by_age: BTreeMap::new(),
            calls: HashMap::new(),
            seen: 0,
            evicted: EvictedCounts::default(),
        }
    }

    pub fn count_call(&mut self, record: &Record) {
        let key = PatternTool::of(record);
        if let Some(calls) = self.calls.get_mut(&key) {
            *calls += 1;
        } else if self.calls.len() < MAX_TOOLS && !is_unknown_tool(record) {
            self.calls.insert(key, 1);
        }
    }

    pub fn count_error(&mut self, failed: FailedCall) {
        let FailedCall { key, ts, parameter, sample } = failed;
        self.seen += 1;
        let age = self.seen;
        if let Some((held, _)) = self.patterns.get_key_value(&key) {
            let key = Arc::clone(held);
            if let Some(entry) = self.patterns.get_mut(&key) {
                self.by_age.remove(&entry.age);
                entry.add(age, ts, parameter, sample);
                self.by_age.insert(age, key);
            }
            return;
        }
        if self.patterns.len() >= self.limit {
            self.evict_oldest();
        }
        let key = Arc::new(key);
        let mut entry = PatternEntry {
            age,
            count: 0,
            first_seen: ts,
            last_seen: ts,
            times: RecentTimes::default(),
            parameter: None,
            samples: Vec::new(),
        };
        entry.add(age, ts, parameter, sample);
        self.by_age.insert(age, Arc::clone(&key));
        self.patterns.insert(key, entry);
    }

    pub fn list(&self, now: i64) -> Vec<Pattern> {
        let mut sorted: Vec<(&Arc<PatternKey>, &PatternEntry)> = self.patterns.iter().collect();
        // The second key makes the order of equally frequent patterns deterministic.
        sorted.sort_by_key(|(_, entry)| (u64::MAX - entry.count, u64::MAX - entry.age));
        sorted.into_iter().map(|(key, entry)| self.pattern(key, entry, now)).collect()
    }

    pub fn total_errors(&self) -> u64 {
        self.seen
    }

    pub fn evicted(&self) -> EvictedCounts {
        self.evicted
    }

    fn pattern(&self, key: &PatternKey, entry: &PatternEntry, now: i64) -> Pattern {
        let calls = self.calls.get(&key.tool).copied().filter(|calls| *calls > 0);
        Pattern {
            pattern: key.pattern.clone(),
            tool: key.tool.tool.clone(),
            server: key.tool.server.clone(),
            toolbox: key.tool.toolbox.clone(),
            code: key.code.clone(),
            parameter: entry.parameter.clone(),
            count: entry.count,
            first_seen: rfc3339(entry.first_seen),
            last_seen: rfc3339(entry.last_seen),
            trend: entry.times.trend(now),
            recent: entry.times.spans(now),
            sample_errors: entry.samples.clone(),
            share: calls.map(|calls| entry.count as f64 / calls as f64),
            suggested_rule: None,
        }
    }

    fn evict_oldest(&mut self) {
        let Some((_, key)) = self.by_age.pop_first() else { return };
        if let Some(entry) = self.patterns.remove(&key) {
            self.evicted.patterns += 1;
            self.evicted.errors += entry.count;
        }
    }
}

impl PatternEntry {
    fn add(&mut self, age: u64, ts: i64, parameter: Option<String>, sample: String) {
        self.age = age;
        self.count += 1;
        self.first_seen = self.first_seen.min(ts);
        self.last_seen = ts;
        self.times.add(ts);
        if self.parameter.is_none() {
            self.parameter = parameter;
        }
        if self.samples.len() < MAX_SAMPLES && !self.samples.contains(&sample) {
            self.samples.push(sample);
        }
    }
}

/// Whether the tool name is only what the client sent: the number of such names is unbounded.
fn is_unknown_tool(record: &Record) -> bool {
    record
        .error
        .as_ref()
        .is_some_and(|error| matches!(error.code.as_str(), "unknown_tool" | "ambiguous_tool"))
}

fn truncate(text: &str, limit: usize) -> &str {
    &text[..text.floor_char_boundary(limit)]
}
