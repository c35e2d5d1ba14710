//! Time series of calls: per minute for a day, per hour for 90 days.
//!
//! Only points with calls are stored, and the oldest is dropped when there are too many. Nothing is dropped because of
//! the clock: one wrong jump would delete everything.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::Record;

/// Resolution of a time series.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// One minute; a day is stored.
    Minute,
    /// One hour; 90 days are stored.
    Hour,
}

impl Step {
    /// Number of stored points.
    pub const fn kept(self) -> usize {
        match self {
            Step::Minute => 24 * 60,
            Step::Hour => 90 * 24,
        }
    }

    /// Length of a point in microseconds.
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

/// One point for charts: the calls from `ts` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Point {
    /// Start in microseconds since 1970.
    pub ts: i64,
    /// Calls.
    pub calls: u64,
    /// Those whose arguments were changed.
    pub normalized: u64,
    /// Failed calls.
    pub errors: u64,
    /// Mean duration in microseconds.
    pub mean_us: u64,
}

/// One stored point, serialized as a list of five numbers.
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

/// The series of minutes and of hours.
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

    /// Adds another series.
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

    /// All stored points, without gaps, up to the one that contains `now`.
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
            let position = cell.at.checked_sub(first).and_then(|position| points.get_mut(position as usize));
            if let Some(point) = position {
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
    let position = match cells.back() {
        Some(last) if last.at == cell.at => Ok(cells.len() - 1),
        Some(last) if last.at > cell.at => cells.binary_search_by_key(&cell.at, |stored| stored.at),
        _ => Err(cells.len()),
    };
    match position {
        Ok(position) => {
            if let Some(stored) = cells.get_mut(position) {
                stored.calls = stored.calls.saturating_add(cell.calls);
                stored.normalized = stored.normalized.saturating_add(cell.normalized);
                stored.errors = stored.errors.saturating_add(cell.errors);
                stored.busy_us = stored.busy_us.saturating_add(cell.busy_us);
            }
        }
        Err(position) => {
            cells.insert(position, cell);
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
    fn stores_a_day_of_minutes_and_ninety_days_of_hours() {
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
    fn clock_jumps_lose_no_points() {
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
