//! Numbers over time: per minute for a day, per hour for 90 days.
//!
//! Only what holds something is kept, and the oldest goes when there are too many. Nothing is thrown away because of
//! what the clock says: one wrong jump of it would take everything.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::Record;

/// How long one point is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// A minute; a day of them is kept.
    Minute,
    /// An hour; 90 days of them are kept.
    Hour,
}

impl Step {
    /// How many points are kept.
    pub const fn kept(self) -> usize {
        match self {
            Step::Minute => 24 * 60,
            Step::Hour => 90 * 24,
        }
    }

    /// How long one is, in microseconds.
    pub const fn us(self) -> i64 {
        match self {
            Step::Minute => 60_000_000,
            Step::Hour => 3_600_000_000,
        }
    }

    fn number(self, ts: i64) -> u32 {
        u32::try_from(ts.div_euclid(self.us()).max(0)).unwrap_or(u32::MAX)
    }
}

/// One point for a page: what happened from `ts` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Point {
    /// Its begin, in microseconds since 1970.
    pub ts: i64,
    /// Calls that came in.
    pub calls: u64,
    /// Those whose arguments were changed.
    pub normalized: u64,
    /// Those that failed.
    pub errors: u64,
    /// How long they took in the mean, in microseconds.
    pub mean_us: u64,
}

/// One point as it is kept: five numbers in a list when written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(u32, u32, u32, u32, u64)", into = "(u32, u32, u32, u32, u64)")]
pub struct Cell {
    at: u32,
    calls: u32,
    normalized: u32,
    errors: u32,
    busy_us: u64,
}

impl From<(u32, u32, u32, u32, u64)> for Cell {
    fn from((at, calls, normalized, errors, busy_us): (u32, u32, u32, u32, u64)) -> Self {
        Cell { at, calls, normalized, errors, busy_us }
    }
}

impl From<Cell> for (u32, u32, u32, u32, u64) {
    fn from(cell: Cell) -> Self {
        (cell.at, cell.calls, cell.normalized, cell.errors, cell.busy_us)
    }
}

/// Minutes and hours.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Series {
    minutes: VecDeque<Cell>,
    hours: VecDeque<Cell>,
}

impl Series {
    pub(super) fn count(&mut self, record: &Record) {
        let cell = Cell {
            at: 0,
            calls: 1,
            normalized: u32::from(!record.changes.is_empty()),
            errors: u32::from(record.error.is_some()),
            busy_us: record.duration_us,
        };
        add(&mut self.minutes, Cell { at: Step::Minute.number(record.ts), ..cell }, Step::Minute);
        add(&mut self.hours, Cell { at: Step::Hour.number(record.ts), ..cell }, Step::Hour);
    }

    /// Adds what was counted elsewhere.
    pub fn merge(&mut self, other: &Series) {
        for cell in &other.minutes {
            add(&mut self.minutes, *cell, Step::Minute);
        }
        for cell in &other.hours {
            add(&mut self.hours, *cell, Step::Hour);
        }
    }

    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.minutes.is_empty() && self.hours.is_empty()
    }

    /// As many points as are kept, without gaps, up to the one that `now` lies in.
    pub fn points(&self, step: Step, now: i64) -> Vec<Point> {
        let cells = match step {
            Step::Minute => &self.minutes,
            Step::Hour => &self.hours,
        };
        let last = step.number(now);
        let first = last.saturating_sub(u32::try_from(step.kept()).unwrap_or(u32::MAX) - 1);
        let mut points: Vec<Point> = (first..=last)
            .map(|at| Point { ts: i64::from(at) * step.us(), calls: 0, normalized: 0, errors: 0, mean_us: 0 })
            .collect();
        for cell in cells {
            let place = cell.at.checked_sub(first).and_then(|place| points.get_mut(place as usize));
            if let Some(point) = place {
                point.calls = u64::from(cell.calls);
                point.normalized = u64::from(cell.normalized);
                point.errors = u64::from(cell.errors);
                point.mean_us = cell.busy_us.checked_div(point.calls).unwrap_or(0);
            }
        }
        points
    }
}

fn add(cells: &mut VecDeque<Cell>, cell: Cell, step: Step) {
    let place = match cells.back() {
        Some(last) if last.at == cell.at => Ok(cells.len() - 1),
        Some(last) if last.at > cell.at => cells.binary_search_by_key(&cell.at, |held| held.at),
        _ => Err(cells.len()),
    };
    match place {
        Ok(place) => {
            if let Some(held) = cells.get_mut(place) {
                held.calls = held.calls.saturating_add(cell.calls);
                held.normalized = held.normalized.saturating_add(cell.normalized);
                held.errors = held.errors.saturating_add(cell.errors);
                held.busy_us = held.busy_us.saturating_add(cell.busy_us);
            }
        }
        Err(place) => {
            cells.insert(place, cell);
            if cells.len() > step.kept() {
                cells.pop_front();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 86_400_000_000;

    fn at(ts: i64) -> Record {
        Record { ts, duration_us: 10, ..Record::default() }
    }

    #[test]
    fn a_day_of_minutes_and_ninety_days_of_hours_are_kept() {
        let mut series = Series::default();
        let begin = 20_000 * DAY;
        for minute in 0..100 * 1_440 {
            series.count(&at(begin + minute * Step::Minute.us()));
        }
        assert_eq!((series.minutes.len(), series.hours.len()), (1_440, 2_160));
        let now = begin + 100 * DAY - 1;
        let minutes = series.points(Step::Minute, now);
        assert_eq!(minutes.len(), 1_440);
        assert!(minutes.iter().all(|point| point.calls == 1 && point.mean_us == 10));
        assert!(series.points(Step::Hour, now).iter().all(|point| point.calls == 60));
    }

    #[test]
    fn a_clock_that_jumps_ahead_and_back_takes_nothing_away() {
        let mut series = Series::default();
        let now = 20_000 * DAY;
        for ts in
            [now, now + 365 * DAY, now + Step::Minute.us(), now - 2 * Step::Minute.us(), i64::MIN, i64::MAX]
        {
            series.count(&at(ts));
        }
        let seen: Vec<u64> = series
            .points(Step::Minute, now + Step::Minute.us())
            .iter()
            .rev()
            .take(4)
            .map(|it| it.calls)
            .collect();
        assert_eq!(seen, [1, 1, 0, 1]);
    }
}
