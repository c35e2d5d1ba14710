//! Reading a unified diff.

use super::DiffError;

/// A diff of one file.
#[derive(Debug, PartialEq, Eq)]
pub(in super::super) struct Diff<'a> {
    /// The old side is `/dev/null`: the diff makes a new file.
    pub creates: bool,
    /// The new side is `/dev/null`: the diff removes the file.
    pub deletes: bool,
    /// What the diff says of the newline at the end of the file, if anything.
    pub final_newline: Option<bool>,
    /// At least one.
    pub hunks: Vec<Hunk<'a>>,
}

/// One place that changes.
#[derive(Debug, PartialEq, Eq)]
pub(in super::super) struct Hunk<'a> {
    /// Line number and length of the old side, when the header says them.
    old: Option<(usize, usize)>,
    /// The length of the new side, when the header says it.
    new_len: Option<usize>,
    /// How many lines of each side were read so far.
    seen: (usize, usize),
    /// The lines in order.
    pub lines: Vec<Line<'a>>,
}

/// One line of a hunk, without its mark and its line ending.
#[derive(Debug, PartialEq, Eq)]
pub(in super::super) enum Line<'a> {
    Keep(&'a str),
    Remove(&'a str),
    Add(&'a str),
}

impl<'a> Hunk<'a> {
    /// The lines that must be there.
    pub(super) fn old(&self) -> impl Iterator<Item = &'a str> {
        self.lines.iter().filter_map(|line| match line {
            Line::Keep(text) | Line::Remove(text) => Some(*text),
            Line::Add(_) => None,
        })
    }

    /// The index at which the header says that the hunk begins. A hunk that only adds begins *after*
    /// the line that it names.
    pub(super) fn index(&self) -> Option<usize> {
        let (line, _) = self.old?;
        Some(if self.old().next().is_none() { line } else { line.saturating_sub(1) })
    }

    fn push(&mut self, line: Line<'a>) {
        self.seen.0 += usize::from(!matches!(line, Line::Add(_)));
        self.seen.1 += usize::from(!matches!(line, Line::Remove(_)));
        self.lines.push(line);
    }

    fn wants_more(&self) -> bool {
        self.old.is_some_and(|(_, len)| self.seen.0 < len)
            || self.new_len.is_some_and(|len| self.seen.1 < len)
    }
}

/// Reads a diff of one file. Counts in hunk headers may be wrong, as models often write them; what the
/// lines themselves say is what counts.
pub(in super::super) fn parse(diff: &str) -> Result<Diff<'_>, DiffError> {
    let mut lines: Vec<&str> = diff.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    let mut parsed = Diff { creates: false, deletes: false, final_newline: None, hunks: Vec::new() };
    let mut at = 0;
    while at < lines.len() {
        if lines[at].starts_with("@@") {
            at = hunk(&lines, at, &mut parsed)?;
            continue;
        }
        preamble(lines[at], at, &mut parsed)?;
        at += 1;
    }
    if parsed.hunks.is_empty() {
        return Err(DiffError::NoHunk);
    }
    Ok(parsed)
}

fn preamble(line: &str, at: usize, parsed: &mut Diff<'_>) -> Result<(), DiffError> {
    if line.trim().is_empty() {
        return Ok(());
    }
    if !parsed.hunks.is_empty() {
        let next_file =
            ["--- ", "+++ ", "diff ", "index ", "Index: "].iter().any(|start| line.starts_with(start));
        return Err(if next_file {
            DiffError::SeveralFiles { line: at + 1 }
        } else {
            DiffError::BadLine { line: at + 1, text: line.chars().take(80).collect() }
        });
    }
    parsed.creates |= line.starts_with("--- /dev/null");
    parsed.deletes |= line.starts_with("+++ /dev/null");
    Ok(())
}

/// Reads the hunk whose header stands at `at`; gives the index of the first line after it.
fn hunk<'a>(lines: &[&'a str], at: usize, parsed: &mut Diff<'a>) -> Result<usize, DiffError> {
    let mut hunk = header(lines[at]);
    let mut next = at + 1;
    // Only lines that were entirely empty may be left out again at the end: they can be the gap
    // between two hunks as well as an unchanged empty line without its space.
    let mut gaps = 0;
    while let Some(line) = lines.get(next) {
        let second_file =
            line.starts_with("--- ") && lines.get(next + 1).is_some_and(|after| after.starts_with("+++ "));
        if line.starts_with("@@") || (second_file && !hunk.wants_more()) {
            break;
        }
        match line.as_bytes().first() {
            None => {
                gaps = if hunk.wants_more() { 0 } else { gaps + 1 };
                hunk.push(Line::Keep(""));
            }
            Some(b'\\') => mark_end(&hunk, parsed),
            Some(mark @ (b' ' | b'+' | b'-')) => {
                gaps = 0;
                let text = &line[1..];
                hunk.push(match mark {
                    b' ' => Line::Keep(text),
                    b'+' => Line::Add(text),
                    _ => Line::Remove(text),
                });
            }
            Some(_) => break,
        }
        next += 1;
    }
    hunk.lines.truncate(hunk.lines.len() - gaps);
    if hunk.lines.iter().all(|line| matches!(line, Line::Keep(_))) {
        return Err(DiffError::NothingToDo { hunk: parsed.hunks.len() + 1 });
    }
    parsed.hunks.push(hunk);
    Ok(next)
}

/// `\ No newline at end of file` speaks of the line before it.
fn mark_end(hunk: &Hunk<'_>, parsed: &mut Diff<'_>) {
    match hunk.lines.last() {
        Some(Line::Keep(_) | Line::Add(_)) => parsed.final_newline = Some(false),
        Some(Line::Remove(_)) => parsed.final_newline = parsed.final_newline.or(Some(true)),
        None => {}
    }
}

/// `@@ -12,3 +12,4 @@ fn name()`; a header without readable numbers says nothing about the place.
fn header<'a>(line: &str) -> Hunk<'a> {
    let mut words = line.trim_start_matches('@').split_whitespace();
    let old = words.next().and_then(|word| range(word.strip_prefix('-')?));
    let new = words.next().and_then(|word| range(word.strip_prefix('+')?));
    Hunk { old, new_len: new.map(|(_, len)| len), seen: (0, 0), lines: Vec::new() }
}

fn range(text: &str) -> Option<(usize, usize)> {
    match text.split_once(',') {
        Some((line, len)) => Some((line.parse().ok()?, len.parse().ok()?)),
        None => Some((text.parse().ok()?, 1)),
    }
}
