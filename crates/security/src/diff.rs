//! Two texts side by side, line by line.

use serde::Serialize;

/// Lines that are shown around a change.
const CONTEXT: usize = 3;

/// With more lines than this on a side, nothing is looked for that both have.
const MAX_LINES: usize = 4_000;

/// How many pairs of lines are compared at most.
const MAX_PAIRS: usize = 4_000_000;

/// How many lines of each text are shown when they are too long to compare.
const MAX_SHOWN: usize = 1_000;

/// A line of a comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Line {
    /// Both texts have it.
    Same(String),
    /// Only the old text has it.
    Removed(String),
    /// Only the new text has it.
    Added(String),
    /// That many lines are not shown.
    Elided(usize),
}

/// Compares two texts. Equal texts give nothing. Very long texts are shown one after the other, and cut.
pub fn diff(old: &str, new: &str) -> Vec<Line> {
    let old: Vec<&str> = old.lines().collect();
    let new: Vec<&str> = new.lines().collect();
    if old == new {
        return Vec::new();
    }
    if old.len() > MAX_LINES || new.len() > MAX_LINES {
        return one_after_the_other(&old, &new);
    }
    let head = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let rest = old.len().min(new.len()) - head;
    let tail = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(old, new)| old == new).count();
    let (old_part, new_part) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    if old_part.len() * new_part.len() > MAX_PAIRS {
        return one_after_the_other(&old, &new);
    }
    let same = |line: &&str| Line::Same((*line).to_owned());
    let mut lines: Vec<Line> = old[..head].iter().map(same).collect();
    lines.extend(aligned(old_part, new_part));
    lines.extend(old[old.len() - tail..].iter().map(same));
    without_distant_lines(lines)
}

/// The longest common part, found with a table of lengths.
fn aligned(old: &[&str], new: &[&str]) -> Vec<Line> {
    let width = new.len() + 1;
    let mut lengths = vec![0_u16; (old.len() + 1) * width];
    for row in (0..old.len()).rev() {
        for column in (0..new.len()).rev() {
            let below = (row + 1) * width + column;
            lengths[row * width + column] = if old[row] == new[column] {
                lengths[below + 1] + 1
            } else {
                lengths[below].max(lengths[row * width + column + 1])
            };
        }
    }
    let (mut row, mut column, mut lines) = (0, 0, Vec::new());
    while row < old.len() || column < new.len() {
        if row < old.len() && column < new.len() && old[row] == new[column] {
            lines.push(Line::Same(old[row].to_owned()));
            (row, column) = (row + 1, column + 1);
        } else if column == new.len()
            || (row < old.len() && lengths[(row + 1) * width + column] >= lengths[row * width + column + 1])
        {
            lines.push(Line::Removed(old[row].to_owned()));
            row += 1;
        } else {
            lines.push(Line::Added(new[column].to_owned()));
            column += 1;
        }
    }
    lines
}

fn without_distant_lines(lines: Vec<Line>) -> Vec<Line> {
    let mut near = vec![false; lines.len()];
    for (place, line) in lines.iter().enumerate() {
        if !matches!(line, Line::Same(_)) {
            near[place.saturating_sub(CONTEXT)..(place + CONTEXT + 1).min(lines.len())].fill(true);
        }
    }
    let (mut shown, mut left_out) = (Vec::new(), 0);
    for (line, near) in lines.into_iter().zip(near) {
        if !near {
            left_out += 1;
            continue;
        }
        if left_out > 0 {
            shown.push(Line::Elided(left_out));
            left_out = 0;
        }
        shown.push(line);
    }
    if left_out > 0 {
        shown.push(Line::Elided(left_out));
    }
    shown
}

fn one_after_the_other(old: &[&str], new: &[&str]) -> Vec<Line> {
    let mut lines = cut(old, Line::Removed);
    lines.extend(cut(new, Line::Added));
    lines
}

fn cut(side: &[&str], line: fn(String) -> Line) -> Vec<Line> {
    let mut lines: Vec<Line> = side.iter().take(MAX_SHOWN).map(|text| line((*text).to_owned())).collect();
    if side.len() > MAX_SHOWN {
        lines.push(Line::Elided(side.len() - MAX_SHOWN));
    }
    lines
}
