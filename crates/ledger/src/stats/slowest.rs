//! The slowest calls.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use super::state::truncate;
use crate::Record;

/// One slow call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SlowCall {
    /// Duration in microseconds.
    pub duration_us: u64,
    /// Time of the request in microseconds since 1970.
    pub ts: i64,
    /// Id of the call.
    pub call: String,
    /// Server of the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The tool.
    pub tool: String,
    /// Whether it succeeded.
    pub ok: bool,
}

/// A bounded list, the slowest first.
#[derive(Debug)]
pub(super) struct SlowestCalls {
    calls: Vec<SlowCall>,
    limit: usize,
}

impl SlowestCalls {
    pub fn new(limit: usize) -> SlowestCalls {
        SlowestCalls { calls: Vec::new(), limit }
    }

    /// Most calls are not slow: they cost one comparison.
    pub fn see(&mut self, record: &Record, text: usize) {
        let is_full = self.calls.len() >= self.limit;
        if is_full && self.calls.last().is_none_or(|last| record.duration_us <= last.duration_us) {
            return;
        }
        self.add(&[SlowCall {
            duration_us: record.duration_us,
            ts: record.ts,
            call: truncate(&record.call, text).to_owned(),
            server: record.server.as_deref().map(|server| truncate(server, text).to_owned()),
            tool: truncate(&record.tool, text).to_owned(),
            ok: record.is_ok(),
        }]);
    }

    /// Adds other calls.
    pub fn add(&mut self, others: &[SlowCall]) {
        self.calls.extend(others.iter().cloned());
        self.calls.sort_by(|one, two| {
            let key = |call: &SlowCall| (Reverse(call.duration_us), call.ts);
            key(one).cmp(&key(two)).then_with(|| one.call.cmp(&two.call))
        });
        self.calls.truncate(self.limit);
    }

    pub fn list(&self) -> Vec<SlowCall> {
        self.calls.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slowest_calls_stay_in_any_order() {
        let mut slowest = SlowestCalls::new(3);
        for (number, duration_us) in [5, 90, 20, 90, 7, 30].into_iter().enumerate() {
            let call = format!("c{number}");
            slowest.see(&Record { duration_us, call, ts: number as i64, ..Record::default() }, 200);
        }
        let kept: Vec<(u64, String)> =
            slowest.list().into_iter().map(|call| (call.duration_us, call.call)).collect();
        assert_eq!(kept, [(90, "c1".to_owned()), (90, "c3".to_owned()), (30, "c5".to_owned())]);
        let mut none = SlowestCalls::new(0);
        none.see(&Record { duration_us: 1, ..Record::default() }, 200);
        assert!(none.list().is_empty());
    }
}
