//! Line-based diff of two texts.

use serde::Serialize;

/// Unchanged lines shown around a change.
const CONTEXT: usize = 3;

/// Above this many lines per side, the texts are not aligned.
const MAX_LINES: usize = 4_000;

/// The most pairs of lines that are compared.
const MAX_PAIRS: usize = 4_000_000;

/// How many lines of each text are shown if they are too long to align.
const MAX_SHOWN: usize = 1_000;

/// A line of a diff.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Line {
    /// Both texts have it.
    Same(String),
    /// Only the old text has it.
    Removed(String),
    /// Only the new text has it.
    Added(String),
    /// The number of lines that are not shown.
    Elided(usize),
}

/// Compares two texts. Equal texts give an empty diff. Very long texts are listed one after the other and truncated.
pub fn diff(old: &str, new: &str) -> Vec<Line> {
    let old: Vec<&str> = old.lines().collect();
    let new: Vec<&str> = new.lines().collect();
    if old == new {
        return Vec::new();
    }
    if old.len() > MAX_LINES || new.len() > MAX_LINES {
        return list_both(&old, &new);
    }
    let head = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let rest = old.len().min(new.len()) - head;
    let tail = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(old, new)| old == new).count();
    let (old_part, new_part) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    if old_part.len() * new_part.len() > MAX_PAIRS {
        return list_both(&old, &new);
    }
    let same = |line: &&str| Line::Same((*line).to_owned());
    let mut lines: Vec<Line> = old[..head].iter().map(same).collect();
    lines.extend(aligned(old_part, new_part));
    lines.extend(old[old.len() - tail..].iter().map(same));
    elide_distant_lines(lines)
}

/// Aligns the texts by their longest common subsequence.
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

fn elide_distant_lines(lines: Vec<Line>) -> Vec<Line> {
    let mut is_near = vec![false; lines.len()];
    for (place, line) in lines.iter().enumerate() {
        if !matches!(line, Line::Same(_)) {
            is_near[place.saturating_sub(CONTEXT)..(place + CONTEXT + 1).min(lines.len())].fill(true);
        }
    }
    let (mut shown, mut left_out) = (Vec::new(), 0);
    for (line, is_near) in lines.into_iter().zip(is_near) {
        if !is_near {
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

fn list_both(old: &[&str], new: &[&str]) -> Vec<Line> {
    let mut lines = truncate_side(old, Line::Removed);
    lines.extend(truncate_side(new, Line::Added));
    lines
}

fn truncate_side(side: &[&str], line: fn(String) -> Line) -> Vec<Line> {
    let mut lines: Vec<Line> = side.iter().take(MAX_SHOWN).map(|text| line((*text).to_owned())).collect();
    if side.len() > MAX_SHOWN {
        lines.push(Line::Elided(side.len() - MAX_SHOWN));
    }
    lines
}
