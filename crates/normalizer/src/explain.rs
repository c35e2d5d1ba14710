//! The trace of an outcome: steps that were tried, rejected and chosen, with costs that add up.
//!
//! During a repair, steps are recorded as they are tried; which of them are part of the outcome is known
//! only at the end. So every change gets its price when it is made, and the outcome lists its changes
//! with their prices and the total.

use std::cell::RefCell;
use std::collections::HashMap;

use toolwright_model::{Change, Code};

use crate::repair::{ValuePath, shortened};

/// Result of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It was considered, or is part of a reading that was considered.
    Tried,
    /// It was not used.
    Rejected,
    /// It is part of the outcome.
    Chosen,
    /// The sum of the chosen steps.
    Total,
}

/// One line of an explanation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceStep {
    /// Its result.
    pub verdict: Verdict,
    /// JSON Pointer of its position.
    pub path: String,
    /// Its cost, or the cost it would have.
    pub cost: u32,
    /// Its description.
    pub text: String,
}

/// Records steps if it is on; costs nothing otherwise.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    record: Option<TraceRecord>,
}

#[derive(Debug, Default)]
struct TraceRecord {
    steps: RefCell<Vec<TraceStep>>,
    prices: RefCell<Prices>,
}

/// Changes with their prices, by code and position.
type Prices = HashMap<(Code, String), Vec<(Change, u32)>>;

impl Verdict {
    /// One word for listings.
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Tried => "tried",
            Verdict::Rejected => "rejected",
            Verdict::Chosen => "chosen",
            Verdict::Total => "total",
        }
    }
}

impl Trace {
    pub fn on() -> Trace {
        Trace { record: Some(TraceRecord::default()) }
    }

    pub fn is_on(&self) -> bool {
        self.record.is_some()
    }

    /// A step that is part of a reading. [`Trace::conclude`] decides whether the outcome is that reading.
    pub fn chosen(&self, path: &ValuePath<'_>, cost: u32, text: impl FnOnce() -> String) {
        self.add(Verdict::Tried, path, cost, text);
    }

    pub fn rejected(&self, path: &ValuePath<'_>, cost: u32, text: impl FnOnce() -> String) {
        self.add(Verdict::Rejected, path, cost, text);
    }

    pub fn tried(&self, path: &ValuePath<'_>, cost: u32, text: impl FnOnce() -> String) {
        self.add(Verdict::Tried, path, cost, text);
    }

    fn add(&self, verdict: Verdict, path: &ValuePath<'_>, cost: u32, text: impl FnOnce() -> String) {
        if let Some(record) = &self.record {
            let step = TraceStep { verdict, path: path.to_string(), cost, text: shortened(text()) };
            record.steps.borrow_mut().push(step);
        }
    }

    /// Records the cost of a single change.
    pub fn price(&self, change: &Change, cost: u32) {
        if let Some(record) = &self.record {
            let place = (change.code, change.path.clone());
            record.prices.borrow_mut().entry(place).or_default().push((change.clone(), cost));
        }
    }

    /// Prices the changes that have no price yet: all together cost `total`.
    pub fn price_rest(&self, changes: &[Change], total: u32) {
        let Some(record) = &self.record else { return };
        let known: u32 = changes.iter().filter_map(|change| record.price_of(change)).sum();
        let mut rest = total.saturating_sub(known);
        for change in changes {
            if record.price_of(change).is_none() {
                self.price(change, std::mem::take(&mut rest));
            }
        }
    }

    /// Records the envelopes that a reading removes; each costs the same.
    pub fn opened(&self, changes: &[Change], total: u32) {
        let Some(record) = &self.record else { return };
        let each = total / u32::try_from(changes.len()).unwrap_or(1).max(1);
        for change in changes {
            self.price(change, each);
            let text = format!("{}: {}", change.code, change.why);
            let step = TraceStep { verdict: Verdict::Tried, path: change.path.clone(), cost: each, text };
            record.steps.borrow_mut().push(step);
        }
    }

    /// Records the outcome: its changes, each with its price, and their total; or that nothing was changed.
    pub fn conclude(&self, changes: &[Change], total: u32, text: impl FnOnce() -> String) {
        let Some(record) = &self.record else { return };
        self.price_rest(changes, total);
        let mut steps = record.steps.borrow_mut();
        for change in changes {
            steps.push(TraceStep {
                verdict: Verdict::Chosen,
                path: change.path.clone(),
                cost: record.price_of(change).unwrap_or_default(),
                text: shortened(format!("{}: {}", change.code, described(change))),
            });
        }
        let verdict = if changes.is_empty() { Verdict::Chosen } else { Verdict::Total };
        steps.push(TraceStep { verdict, path: String::new(), cost: total, text: shortened(text()) });
    }

    pub fn into_steps(self) -> Vec<TraceStep> {
        self.record.map(|record| record.steps.into_inner()).unwrap_or_default()
    }
}

impl TraceRecord {
    /// Changes by rules and by lenient parsing cost nothing; others have the price recorded last.
    fn price_of(&self, change: &Change) -> Option<u32> {
        let prices = self.prices.borrow();
        let here = prices.get(&(change.code, change.path.clone())).map(Vec::as_slice).unwrap_or_default();
        let known = here.iter().rev().find(|(other, _)| other == change).map(|(_, cost)| *cost);
        known.or_else(|| change.rule.is_some().then_some(0))
    }
}

/// A change on one line: `"limit" → 5, the digits of a number`.
fn described(change: &Change) -> String {
    let rule = change.rule.as_ref().map_or(String::new(), |rule| format!(" [rule {rule}]"));
    match (&change.from, &change.to) {
        (Some(from), Some(to)) => format!("{from} → {to}, {}{rule}", change.why),
        (None, Some(to)) => format!("nothing → {to}, {}{rule}", change.why),
        (Some(from), None) if !from.contains(&change.why) => {
            format!("{from} → nothing, {}{rule}", change.why)
        }
        _ => format!("{}{rule}", change.why),
    }
}
