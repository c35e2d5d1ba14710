//! Reads a journal from the disk: all segments in order, also while they are written, rotated and removed.

use std::io;
use std::path::{Path, PathBuf};

use super::chain::Chain;
use super::damage::{Damage, Why};
use super::files::{self, Segment};
use super::line::{self, Hash, Link};
use super::lines::{Found, Lines};
use super::retention;
use crate::Record;

/// Goes over the lines of all segments and says of each whether it is right.
#[derive(Debug)]
pub(super) struct Scan {
    folder: PathBuf,
    from_seq: u64,
    chain: Option<Chain>,
    current: Option<Current>,
    /// The number of the last segment that was begun.
    begun: Option<u64>,
}

#[derive(Debug)]
struct Current {
    path: PathBuf,
    lines: Lines,
    /// Whether a later segment was seen: nothing is added to this one any more.
    is_final: bool,
}

/// What the scan came upon.
#[derive(Debug)]
pub(super) enum Step {
    /// A line that is right; its bytes are in [`Scan::bytes`].
    Right(Link),
    /// Something wrong; with a link when the line is good in itself.
    Wrong(Damage, Option<Link>),
    /// The last file ends within a line: it is being written, or was torn.
    Unfinished(Damage),
    /// All is read. Asked again, it goes on with what came since.
    End,
}

impl Scan {
    pub fn new(folder: &Path, from_seq: u64) -> Scan {
        Scan { folder: folder.to_path_buf(), from_seq, chain: None, current: None, begun: None }
    }

    /// The line that the last step is about.
    pub fn bytes(&self) -> &[u8] {
        self.current.as_ref().map_or(&[], |current| current.lines.bytes())
    }

    /// The segment that is being read.
    pub fn begun(&self) -> Option<u64> {
        self.begun
    }

    pub fn step(&mut self) -> Step {
        loop {
            let (Some(current), Some(chain)) = (&mut self.current, &mut self.chain) else {
                match self.later() {
                    Err(why) => return Step::Wrong(self.unreadable(self.folder.clone(), &why), None),
                    Ok(None) => return Step::End,
                    Ok(Some(segment)) => match self.enter(&segment) {
                        None => continue,
                        Some(damage) => return Step::Wrong(damage, None),
                    },
                }
            };
            let found = current.lines.read();
            let lines = &current.lines;
            let (line, offset) = match found {
                Ok(Found::Line | Found::TooLong) => (lines.line, lines.offset),
                _ => (lines.line + 1, lines.next_offset()),
            };
            let at = |seq, why| Damage { file: current.path.clone(), line, offset, seq, why };
            match found {
                Ok(Found::Line) => {
                    let checked = chain.check(lines.bytes());
                    return match (checked.wrong, checked.link) {
                        (None, Some(link)) => Step::Right(link),
                        (Some((seq, why)), link) => Step::Wrong(at(seq, why), link),
                        // A line without a link always has something wrong.
                        (None, None) => continue,
                    };
                }
                Ok(Found::TooLong) => {
                    let seq = chain.spoil();
                    return Step::Wrong(at(seq, Why::TooLong), None);
                }
                Err(why) => {
                    let damage = at(chain.spoil(), Why::Io(why.to_string()));
                    self.current = None;
                    return Step::Wrong(damage, None);
                }
                Ok(found @ (Found::Unfinished | Found::End)) => {
                    let is_torn = found == Found::Unfinished;
                    let damage = at(chain.next, Why::Torn);
                    let is_final = current.is_final;
                    match self.later() {
                        Ok(Some(_)) if !is_final => {
                            // What was added between reading and looking for the next file is read first.
                            if let Some(current) = &mut self.current {
                                current.is_final = true;
                            }
                        }
                        Ok(Some(_)) => {
                            self.current = None;
                            if is_torn {
                                self.chain.as_mut().map(Chain::spoil);
                                return Step::Wrong(damage, None);
                            }
                        }
                        _ if is_torn => return Step::Unfinished(damage),
                        _ => return Step::End,
                    }
                }
            }
        }
    }

    /// The segment to begin with, or the one after the last.
    fn later(&self) -> io::Result<Option<Segment>> {
        let mut segments = match files::segments(&self.folder) {
            Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(None),
            segments => segments?,
        };
        Ok(match self.begun {
            Some(begun) => segments.into_iter().find(|segment| segment.first > begun),
            None => {
                let before = segments.partition_point(|segment| segment.first <= self.from_seq);
                (!segments.is_empty()).then(|| segments.swap_remove(before.saturating_sub(1)))
            }
        })
    }

    /// Goes to a segment. Tells what is wrong with its place.
    fn enter(&mut self, segment: &Segment) -> Option<Damage> {
        let lines = match Lines::open(&segment.path) {
            // It was removed meanwhile: the next look shows those that are there.
            Err(why) if why.kind() == io::ErrorKind::NotFound => return None,
            opened => opened,
        };
        let is_begin = self.begun.is_none();
        self.begun = Some(segment.first);
        let mut is_without_begin = false;
        let head = || retention::head(&self.folder);
        match &self.chain {
            // Reading begins within the chain: what came before is not asked for.
            None if self.from_seq >= segment.first.max(2) => {
                self.chain = Some(Chain::before(segment.first, None));
            }
            None if segment.first <= 1 => self.chain = Some(Chain::before(1, Some(Hash::ZERO))),
            None => {
                // A note that names a later record was written before all older segments were gone.
                let head = head().filter(|head| head.seq >= segment.first);
                is_without_begin = is_begin && head.is_none();
                let prev = head.filter(|head| head.seq == segment.first).and_then(|head| head.prev());
                self.chain = Some(Chain::before(segment.first, prev));
            }
            Some(chain) if chain.is_gap(segment.first) => {
                // Segments were removed while this was reading.
                if let Some(head) = head().filter(|head| head.seq == segment.first) {
                    self.chain = Some(Chain::before(segment.first, head.prev()));
                }
            }
            Some(_) => {}
        }
        match lines {
            Err(why) => Some(self.unreadable(segment.path.clone(), &why)),
            Ok(lines) => {
                self.current = Some(Current { path: segment.path.clone(), lines, is_final: false });
                is_without_begin.then(|| Damage {
                    file: segment.path.clone(),
                    line: 1,
                    offset: 0,
                    seq: segment.first,
                    why: Why::NoBegin,
                })
            }
        }
    }

    fn unreadable(&mut self, file: PathBuf, why: &io::Error) -> Damage {
        let seq = self.chain.as_mut().map_or(self.from_seq, Chain::spoil);
        Damage { file, line: 1, offset: 0, seq, why: Why::Io(why.to_string()) }
    }
}

/// The records of a journal, from [`super::Journal::read`]. Damage is told where it is, and reading goes on behind it.
#[derive(Debug)]
pub struct Reader {
    scan: Scan,
    from_seq: u64,
    /// A record that comes after the damage before it.
    held: Option<Result<Record, Damage>>,
    /// An unreadable folder would be told without end.
    is_failed: bool,
}

impl Reader {
    pub(super) fn new(folder: &Path, from_seq: u64) -> Reader {
        Reader { scan: Scan::new(folder, from_seq), from_seq, held: None, is_failed: false }
    }

    fn record(&self, link: &Link, damaged: Option<&Damage>) -> Option<Result<Record, Damage>> {
        if link.seq < self.from_seq {
            return None;
        }
        Some(line::record(self.scan.bytes()).map_err(|why| match damaged {
            Some(damage) => Damage { why, ..damage.clone() },
            None => self.scan.place(link.seq, why),
        }))
    }
}

impl Scan {
    /// The place of the line that was read last.
    fn place(&self, seq: u64, why: Why) -> Damage {
        let (file, line, offset) = self.current.as_ref().map_or_else(
            || (self.folder.clone(), 0, 0),
            |current| (current.path.clone(), current.lines.line, current.lines.offset),
        );
        Damage { file, line, offset, seq, why }
    }

    /// The record of the line that was read last.
    pub fn record(&self, link: &Link) -> Result<Record, Damage> {
        line::record(self.bytes()).map_err(|why| self.place(link.seq, why))
    }
}

impl Iterator for Reader {
    type Item = Result<Record, Damage>;

    fn next(&mut self) -> Option<Result<Record, Damage>> {
        if let Some(held) = self.held.take() {
            return Some(held);
        }
        loop {
            match self.scan.step() {
                Step::Right(link) => {
                    if let Some(record) = self.record(&link, None) {
                        self.is_failed = false;
                        return Some(record);
                    }
                }
                Step::Wrong(damage, link) => {
                    let record = link.and_then(|link| self.record(&link, Some(&damage)));
                    if damage.seq < self.from_seq && record.is_none() {
                        continue;
                    }
                    if matches!(damage.why, Why::Io(_)) && std::mem::replace(&mut self.is_failed, true) {
                        return None;
                    }
                    self.held = record;
                    return Some(Err(damage));
                }
                Step::Unfinished(_) | Step::End => return None,
            }
        }
    }
}
