//! What was tried, rejected and chosen on the way to an outcome, with costs that add up.
//!
//! While a call is mended, steps are noted as they are tried; which of them the outcome rests on is
//! known at the end only. So every change is given its price when it is made, and the outcome lists
//! the changes it is made of with their prices and the total.

use std::cell::RefCell;
use std::collections::HashMap;

use toolwright_model::{Change, Code};

use crate::repair::{Path, shortened};

/// What became of something that was tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It was looked at, or is part of a reading that was considered.
    Tried,
    /// It was not taken.
    Rejected,
    /// It is part of the outcome.
    Chosen,
    /// The sum of what was chosen.
    Total,
}

/// One line of an explanation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceStep {
    /// What became of it.
    pub verdict: Verdict,
    /// JSON Pointer of the place.
    pub path: String,
    /// What it costs, or would cost.
    pub cost: u32,
    /// What it was.
    pub text: String,
}

/// Collects steps when asked to; costs nothing otherwise.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    record: Option<Record>,
}

#[derive(Debug, Default)]
struct Record {
    steps: RefCell<Vec<TraceStep>>,
    prices: RefCell<Prices>,
}

/// Changes with their prices, by code and place.
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
        Trace { record: Some(Record::default()) }
    }

    pub fn is_on(&self) -> bool {
        self.record.is_some()
    }

    /// Taken into a reading. Whether the outcome is that reading, [`Trace::conclude`] says.
    pub fn chosen(&self, path: &Path<'_>, cost: u32, text: impl FnOnce() -> String) {
        self.add(Verdict::Tried, path, cost, text);
    }

    pub fn rejected(&self, path: &Path<'_>, cost: u32, text: impl FnOnce() -> String) {
        self.add(Verdict::Rejected, path, cost, text);
    }

    pub fn tried(&self, path: &Path<'_>, cost: u32, text: impl FnOnce() -> String) {
        self.add(Verdict::Tried, path, cost, text);
    }

    fn add(&self, verdict: Verdict, path: &Path<'_>, cost: u32, text: impl FnOnce() -> String) {
        if let Some(record) = &self.record {
            let step = TraceStep { verdict, path: path.to_string(), cost, text: shortened(text()) };
            record.steps.borrow_mut().push(step);
        }
    }

    /// What a change costs by itself.
    pub fn price(&self, change: &Change, cost: u32) {
        if let Some(record) = &self.record {
            let place = (change.code, change.path.clone());
            record.prices.borrow_mut().entry(place).or_default().push((change.clone(), cost));
        }
    }

    /// Prices what has no price yet: the changes together cost `total`.
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

    /// The envelopes that a reading opens; each costs the same.
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

    /// The outcome: its changes, each with its price, and their total; or that nothing was changed.
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

impl Record {
    /// What rules and leniencies do costs nothing; the rest costs what was said last.
    fn price_of(&self, change: &Change) -> Option<u32> {
        let prices = self.prices.borrow();
        let here = prices.get(&(change.code, change.path.clone())).map(Vec::as_slice).unwrap_or_default();
        let known = here.iter().rev().find(|(other, _)| other == change).map(|(_, cost)| *cost);
        known.or_else(|| change.rule.is_some().then_some(0))
    }
}

/// A change in a line: `"limit" → 5, the digits of a number`.
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
