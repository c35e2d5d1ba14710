//! Unified diffs: applying one to the contents of one file.

mod parse;

pub(super) use parse::{Diff, parse};
use parse::{Hunk, Line};

use super::endings::Endings;
use super::tool::counted;

/// How much of a line a message shows.
const MAX_SHOWN_CHARS: usize = 80;

/// How many lines are compared at most when a hunk is looked for elsewhere than its header says.
const MAX_COMPARISONS: usize = 200_000_000;

/// The contents after a diff, and what it did.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Applied {
    /// The new contents.
    pub text: String,
    /// Lines added.
    pub added: usize,
    /// Lines removed.
    pub removed: usize,
    /// The line at which each hunk was applied, counted from 1.
    pub lines: Vec<usize>,
}

/// Why a diff cannot be read or applied.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum DiffError {
    #[error(
        "the diff holds no hunk. Send a unified diff: a line \"@@ -1,3 +1,4 @@\" and then lines that begin with a space, - or +"
    )]
    NoHunk,
    #[error(
        "the diff changes more than one file (a second file begins in line {line} of the diff). Send one call for each file"
    )]
    SeveralFiles { line: usize },
    #[error(
        "line {line} of the diff begins with neither a space, - nor +: {text:?}. Begin unchanged lines with one space"
    )]
    BadLine { line: usize, text: String },
    #[error("hunk {hunk} has only unchanged lines. Mark lines with - and +")]
    NothingToDo { hunk: usize },
    #[error(
        "hunk {hunk} adds lines without saying where. Give its header line numbers (@@ -12,0 +13,2 @@) or add unchanged lines around it"
    )]
    NoPlace { hunk: usize },
    #[error(
        "hunk {hunk} does not fit: {reason}. Read the file again and make the diff from what it holds now"
    )]
    NotThere { hunk: usize, reason: String },
    #[error(
        "hunk {hunk} fits in {count} places (lines {lines}) and its header names none of them. Correct the line number or add unchanged lines"
    )]
    Ambiguous { hunk: usize, count: usize, lines: String },
    #[error(
        "hunk {hunk} fits only in line {line}, which is not behind the hunk before it. Send the hunks in the order of their lines, and none that overlaps another"
    )]
    WrongOrder { hunk: usize, line: usize },
}

/// What stands at the beginning of some texts to say that they are UTF-8.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Applies every hunk of `diff` to `content`, or none.
///
/// A hunk goes where its header says, or, when its lines do not stand there, to the only other place where
/// they do. Nothing is matched approximately. A byte order mark of the file stays and is no part of line 1,
/// unless the diff has one too.
pub(super) fn apply(diff: &Diff<'_>, content: &str) -> Result<Applied, DiffError> {
    match content.strip_prefix(BYTE_ORDER_MARK) {
        Some(rest) if !has_mark(diff) => {
            let mut applied = apply_to_lines(diff, rest)?;
            applied.text.insert(0, BYTE_ORDER_MARK);
            Ok(applied)
        }
        _ => apply_to_lines(diff, content),
    }
}

fn has_mark(diff: &Diff<'_>) -> bool {
    let mut lines = diff.hunks.iter().flat_map(|hunk| &hunk.lines);
    lines.any(|(Line::Keep(text) | Line::Remove(text) | Line::Add(text))| text.starts_with(BYTE_ORDER_MARK))
}

fn apply_to_lines(diff: &Diff<'_>, content: &str) -> Result<Applied, DiffError> {
    let lines = split(content);
    let endings = Endings::of(content);
    let ending = if endings == Endings::CrLf { "\r\n" } else { "\n" };
    let mut out: Vec<(&str, &str)> = Vec::with_capacity(lines.len());
    let mut applied = Applied { text: String::new(), added: 0, removed: 0, lines: Vec::new() };
    let (mut cursor, mut drift) = (0usize, 0isize);
    for (index, hunk) in diff.hunks.iter().enumerate() {
        let place = find(hunk, index + 1, &lines, cursor, drift)?;
        if let Some(stated) = hunk.index() {
            drift = place as isize - stated as isize;
        }
        out.extend_from_slice(&lines[cursor..place]);
        applied.lines.push(place + 1);
        cursor = place;
        for line in &hunk.lines {
            match line {
                Line::Keep(_) => {
                    out.push(lines[cursor]);
                    cursor += 1;
                }
                Line::Remove(_) => {
                    applied.removed += 1;
                    cursor += 1;
                }
                Line::Add(text) => {
                    applied.added += 1;
                    let beside = lines.get(cursor.saturating_sub(1)).map_or("", |(_, own)| own);
                    out.push((text, if endings == Endings::Mixed { beside } else { ending }));
                }
            }
        }
    }
    out.extend_from_slice(&lines[cursor..]);
    let had_final = content.is_empty() || content.ends_with('\n');
    applied.text = join(&out, ending, diff.final_newline.unwrap_or(had_final));
    Ok(applied)
}

/// The lines of a text, each with its own ending.
fn split(content: &str) -> Vec<(&str, &str)> {
    content
        .split_inclusive('\n')
        .map(|line| {
            let body = line.strip_suffix('\n').map_or(line, |body| body.strip_suffix('\r').unwrap_or(body));
            (body, &line[body.len()..])
        })
        .collect()
}

fn join(lines: &[(&str, &str)], ending: &str, final_newline: bool) -> String {
    let mut text = String::with_capacity(lines.iter().map(|(body, end)| body.len() + end.len() + 1).sum());
    for (index, (body, own)) in lines.iter().enumerate() {
        text.push_str(body);
        let last = index + 1 == lines.len();
        if !last || final_newline {
            text.push_str(if own.is_empty() { ending } else { own });
        }
    }
    text
}

/// The index of the line at which a hunk begins.
fn find(
    hunk: &Hunk<'_>,
    number: usize,
    lines: &[(&str, &str)],
    cursor: usize,
    drift: isize,
) -> Result<usize, DiffError> {
    let old: Vec<&str> = hunk.old().collect();
    let stands = |index: usize| {
        let window = lines.get(index..index + old.len());
        window.is_some_and(|window| window.iter().zip(&old).all(|((body, _), wanted)| body == wanted))
    };
    let fits = |index: usize| index >= cursor && stands(index);
    let stated = hunk.index();
    let moved = stated.and_then(|index| index.checked_add_signed(drift));
    if let Some(index) = [moved, stated].into_iter().flatten().find(|index| fits(*index)) {
        return Ok(index);
    }
    if old.is_empty() {
        return match stated {
            Some(_) if lines.is_empty() => Ok(0),
            Some(index) if index < cursor => Err(DiffError::WrongOrder { hunk: number, line: index + 1 }),
            Some(index) => Err(DiffError::NotThere {
                hunk: number,
                reason: format!(
                    "it adds after line {index}, but the file has {}",
                    counted(lines.len(), "line")
                ),
            }),
            None => Err(DiffError::NoPlace { hunk: number }),
        };
    }
    if lines.len().saturating_mul(old.len()) > MAX_COMPARISONS {
        let reason =
            "it is not where its header says, and it is too long to be looked for elsewhere".to_owned();
        return Err(DiffError::NotThere { hunk: number, reason });
    }
    let places: Vec<usize> = (cursor..lines.len()).filter(|index| fits(*index)).collect();
    match places.as_slice() {
        [only] => Ok(*only),
        [] => {
            if let Some(index) = (0..cursor).find(|index| stands(*index)) {
                return Err(DiffError::WrongOrder { hunk: number, line: index + 1 });
            }
            Err(DiffError::NotThere { hunk: number, reason: first_difference(&old, lines, stated, cursor) })
        }
        several => Err(DiffError::Ambiguous {
            hunk: number,
            count: several.len(),
            lines: several
                .iter()
                .take(10)
                .map(|index| (index + 1).to_string())
                .collect::<Vec<_>>()
                .join(", "),
        }),
    }
}

/// The first line that differs at the stated place, or else the line that is nowhere.
fn first_difference(old: &[&str], lines: &[(&str, &str)], stated: Option<usize>, cursor: usize) -> String {
    if let Some(absent) = old.iter().find(|wanted| !lines[cursor..].iter().any(|(body, _)| body == *wanted)) {
        return format!("the line {} is nowhere in the rest of the file", shown(absent));
    }
    let start = stated.unwrap_or(cursor);
    let differing = old.iter().enumerate().find_map(|(offset, wanted)| {
        let found =
            lines.get(start + offset).map_or("the end of the file".to_owned(), |(body, _)| shown(body));
        let same = lines.get(start + offset).is_some_and(|(body, _)| body == wanted);
        (!same).then(|| format!("line {} should be {} and is {found}", start + offset + 1, shown(wanted)))
    });
    differing.unwrap_or_else(|| "its lines do not stand together".to_owned())
}

fn shown(line: &str) -> String {
    let cut: String = line.chars().take(MAX_SHOWN_CHARS).collect();
    let more = if cut.len() < line.len() { "…" } else { "" };
    format!("{cut:?}{more}")
}

#[cfg(test)]
mod tests;
