//! What was tried, chosen and rejected on the way to an outcome, with costs.

use std::cell::RefCell;

use crate::repair::Path;

/// What became of something that was tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is part of the outcome, or of a reading that was considered.
    Chosen,
    /// It was not taken.
    Rejected,
    /// It was looked at.
    Tried,
}

/// One line of an explanation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceStep {
    /// What became of it.
    pub verdict: Verdict,
    /// JSON Pointer of the place.
    pub path: String,
    /// What it would cost.
    pub cost: u32,
    /// What it was.
    pub text: String,
}

/// Collects steps when asked to; costs nothing otherwise.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    steps: Option<RefCell<Vec<TraceStep>>>,
}

impl Verdict {
    /// One word for listings.
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Chosen => "chosen",
            Verdict::Rejected => "rejected",
            Verdict::Tried => "tried",
        }
    }
}

impl Trace {
    pub fn on() -> Trace {
        Trace { steps: Some(RefCell::new(Vec::new())) }
    }

    pub fn chosen(&self, path: &Path<'_>, cost: u32, text: impl FnOnce() -> String) {
        self.add(Verdict::Chosen, path, cost, text);
    }

    pub fn rejected(&self, path: &Path<'_>, cost: u32, text: impl FnOnce() -> String) {
        self.add(Verdict::Rejected, path, cost, text);
    }

    pub fn tried(&self, path: &Path<'_>, cost: u32, text: impl FnOnce() -> String) {
        self.add(Verdict::Tried, path, cost, text);
    }

    fn add(&self, verdict: Verdict, path: &Path<'_>, cost: u32, text: impl FnOnce() -> String) {
        if let Some(steps) = &self.steps {
            steps.borrow_mut().push(TraceStep { verdict, path: path.to_string(), cost, text: text() });
        }
    }

    pub fn into_steps(self) -> Vec<TraceStep> {
        self.steps.map(RefCell::into_inner).unwrap_or_default()
    }
}
