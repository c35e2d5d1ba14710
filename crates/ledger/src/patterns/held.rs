//! The patterns that are held, behind their lock.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::trend::Moments;
use super::{Pattern, normalize, parameter};
use crate::stats::rfc3339;
use crate::{Failure, Record};

/// How many tools have their calls counted.
const MAX_TOOLS: usize = 1_000;
/// How many messages are kept of one pattern, and how much of each.
const SAMPLES: usize = 3;
const SAMPLE_BYTES: usize = 500;
/// How much of a name is kept.
const NAME_BYTES: usize = 200;

#[derive(Debug)]
pub(super) struct Held {
    limit: usize,
    patterns: HashMap<Arc<Key>, Entry>,
    /// By when they were seen last. The order of coming, for clocks jump.
    by_age: BTreeMap<u64, Arc<Key>>,
    calls: HashMap<ToolKey, u64>,
    seen: u64,
    forgotten: Forgotten,
}

/// What had to go.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Forgotten {
    pub patterns: u64,
    pub errors: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct ToolKey {
    toolbox: Option<String>,
    server: Option<String>,
    tool: String,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Key {
    tool: ToolKey,
    code: String,
    pattern: String,
}

#[derive(Debug)]
struct Entry {
    age: u64,
    count: u64,
    first_seen: i64,
    last_seen: i64,
    moments: Moments,
    parameter: Option<String>,
    samples: Vec<String>,
}

/// One failed call, ready to be counted.
#[derive(Debug)]
pub(super) struct Failed {
    key: Key,
    ts: i64,
    parameter: Option<String>,
    sample: String,
}

impl Failed {
    pub fn of(record: &Record, error: &Failure) -> Self {
        let message = cut(&error.message, super::MAX_MESSAGE);
        let names = parameter::names(record, error);
        let pattern = normalize(message, &names);
        Failed {
            ts: record.ts,
            parameter: parameter::concerned(record, error, message),
            sample: cut(message, SAMPLE_BYTES).to_owned(),
            key: Key { tool: ToolKey::of(record), code: cut(&error.code, NAME_BYTES).to_owned(), pattern },
        }
    }
}

impl ToolKey {
    fn of(record: &Record) -> Self {
        let name = |name: &Option<String>| name.as_deref().map(|name| cut(name, NAME_BYTES).to_owned());
        ToolKey {
            toolbox: name(&record.toolbox),
            server: name(&record.server),
            tool: cut(&record.tool, NAME_BYTES).to_owned(),
        }
    }
}

impl Held {
    pub fn new(limit: usize) -> Self {
        Held {
            limit: limit.max(1),
            patterns: HashMap::new(),
            by_age: BTreeMap::new(),
            calls: HashMap::new(),
            seen: 0,
            forgotten: Forgotten::default(),
        }
    }

    pub fn count_call(&mut self, record: &Record) {
        let key = ToolKey::of(record);
        if let Some(calls) = self.calls.get_mut(&key) {
            *calls += 1;
        } else if self.calls.len() < MAX_TOOLS && !is_made_up(record) {
            self.calls.insert(key, 1);
        }
    }

    pub fn count_error(&mut self, failed: Failed) {
        let Failed { key, ts, parameter, sample } = failed;
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
            self.forget_oldest();
        }
        let key = Arc::new(key);
        let mut entry = Entry {
            age,
            count: 0,
            first_seen: ts,
            last_seen: ts,
            moments: Moments::default(),
            parameter: None,
            samples: Vec::new(),
        };
        entry.add(age, ts, parameter, sample);
        self.by_age.insert(age, Arc::clone(&key));
        self.patterns.insert(key, entry);
    }

    pub fn list(&self, now: i64) -> Vec<Pattern> {
        let mut sorted: Vec<(&Arc<Key>, &Entry)> = self.patterns.iter().collect();
        // The last tells those apart that came equally often: the order is always the same.
        sorted.sort_by_key(|(_, entry)| (u64::MAX - entry.count, u64::MAX - entry.age));
        sorted.into_iter().map(|(key, entry)| self.pattern(key, entry, now)).collect()
    }

    pub fn total_errors(&self) -> u64 {
        self.seen
    }

    pub fn forgotten(&self) -> Forgotten {
        self.forgotten
    }

    fn pattern(&self, key: &Key, entry: &Entry, now: i64) -> Pattern {
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
            trend: entry.moments.trend(now),
            recent: entry.moments.spans(now),
            sample_errors: entry.samples.clone(),
            share: calls.map(|calls| entry.count as f64 / calls as f64),
            suggested_rule: None,
        }
    }

    fn forget_oldest(&mut self) {
        let Some((_, key)) = self.by_age.pop_first() else { return };
        if let Some(entry) = self.patterns.remove(&key) {
            self.forgotten.patterns += 1;
            self.forgotten.errors += entry.count;
        }
    }
}

impl Entry {
    fn add(&mut self, age: u64, ts: i64, parameter: Option<String>, sample: String) {
        self.age = age;
        self.count += 1;
        self.first_seen = self.first_seen.min(ts);
        self.last_seen = ts;
        self.moments.add(ts);
        if self.parameter.is_none() {
            self.parameter = parameter;
        }
        if self.samples.len() < SAMPLES && !self.samples.contains(&sample) {
            self.samples.push(sample);
        }
    }
}

/// Whether the name of the tool is only what somebody sent: there is no end of such names.
fn is_made_up(record: &Record) -> bool {
    record
        .error
        .as_ref()
        .is_some_and(|error| matches!(error.code.as_str(), "unknown_tool" | "ambiguous_tool"))
}

fn cut(text: &str, limit: usize) -> &str {
    &text[..text.floor_char_boundary(limit)]
}
