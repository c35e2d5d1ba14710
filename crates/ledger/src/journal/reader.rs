//! Reads a journal from the disk: all segments in order, also while they are written, rotated and removed.

use std::io;
use std::path::{Path, PathBuf};

use super::chain::Chain;
use super::damage::{Damage, Why};
use super::files::{self, JournalSegment};
use super::line_format::{self, ChainLink, LineHash};
use super::line_reader::{LineRead, LineReader};
use super::retention;
use crate::Record;

/// Scans the lines of all segments and checks each.
#[derive(Debug)]
pub(super) struct JournalScan {
    folder: PathBuf,
    from_seq: u64,
    chain: Option<Chain>,
    current: Option<CurrentSegment>,
    /// First sequence number of the segment that was entered last.
    segment_start: Option<u64>,
}

#[derive(Debug)]
struct CurrentSegment {
    path: PathBuf,
    lines: LineReader,
    /// Whether a later segment exists: no line is appended to this one any more.
    is_final: bool,
}

/// Result of one step of the scan.
#[derive(Debug)]
pub(super) enum ScanStep {
    /// A valid line; its content is in [`JournalScan::bytes`].
    Right(ChainLink),
    /// Damage; with a link when the line is valid in itself.
    Wrong(Damage, Option<ChainLink>),
    /// The last file ends within a line: it is being written, or was torn.
    Unfinished(Damage),
    /// All lines are read. The next call continues with newer ones.
    End,
}

impl JournalScan {
    pub fn new(folder: &Path, from_seq: u64) -> JournalScan {
        JournalScan {
            folder: folder.to_path_buf(),
            from_seq,
            chain: None,
            current: None,
            segment_start: None,
        }
    }

    /// The line of the last step.
    pub fn bytes(&self) -> &[u8] {
        self.current.as_ref().map_or(&[], |current| current.lines.bytes())
    }

    /// The current segment.
    pub fn segment_start(&self) -> Option<u64> {
        self.segment_start
    }

    pub fn step(&mut self) -> ScanStep {
        loop {
            let (Some(current), Some(chain)) = (&mut self.current, &mut self.chain) else {
                match self.next_segment() {
                    Err(why) => return ScanStep::Wrong(self.unreadable(self.folder.clone(), &why), None),
                    Ok(None) => return ScanStep::End,
                    Ok(Some(segment)) => match self.enter_segment(&segment) {
                        None => continue,
                        Some(damage) => return ScanStep::Wrong(damage, None),
                    },
                }
            };
            let found = current.lines.read();
            let lines = &current.lines;
            let (line, offset) = match found {
                Ok(LineRead::Line | LineRead::TooLong) => (lines.line, lines.offset),
                _ => (lines.line + 1, lines.next_offset()),
            };
            let at = |seq, why| Damage { file: current.path.clone(), line, offset, seq, why };
            match found {
                Ok(LineRead::Line) => {
                    let checked = chain.check(lines.bytes());
                    return match (checked.wrong, checked.link) {
                        (None, Some(link)) => ScanStep::Right(link),
                        (Some((seq, why)), link) => ScanStep::Wrong(at(seq, why), link),
                        // A line without a link always has damage.
                        (None, None) => continue,
                    };
                }
                Ok(LineRead::TooLong) => {
                    let seq = chain.mark_unreadable();
                    return ScanStep::Wrong(at(seq, Why::TooLong), None);
                }
                Err(why) => {
                    let damage = at(chain.mark_unreadable(), Why::Io(why.to_string()));
                    self.current = None;
                    return ScanStep::Wrong(damage, None);
                }
                Ok(found @ (LineRead::Unfinished | LineRead::End)) => {
                    let is_torn = found == LineRead::Unfinished;
                    let damage = at(chain.next, Why::Torn);
                    let is_final = current.is_final;
                    match self.next_segment() {
                        Ok(Some(_)) if !is_final => {
                            // LineReader that were appended between reading and listing the segments are read first.
                            if let Some(current) = &mut self.current {
                                current.is_final = true;
                            }
                        }
                        Ok(Some(_)) => {
                            self.current = None;
                            if is_torn {
                                self.chain.as_mut().map(Chain::mark_unreadable);
                                return ScanStep::Wrong(damage, None);
                            }
                        }
                        _ if is_torn => return ScanStep::Unfinished(damage),
                        _ => return ScanStep::End,
                    }
                }
            }
        }
    }

    /// The first segment to read, or the one after the current.
    fn next_segment(&self) -> io::Result<Option<JournalSegment>> {
        let mut segments = match files::segments(&self.folder) {
            Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(None),
            segments => segments?,
        };
        Ok(match self.segment_start {
            Some(segment_start) => segments.into_iter().find(|segment| segment.first > segment_start),
            None => {
                let before = segments.partition_point(|segment| segment.first <= self.from_seq);
                (!segments.is_empty()).then(|| segments.swap_remove(before.saturating_sub(1)))
            }
        })
    }

    /// Enters a segment. Returns damage of its position in the chain.
    fn enter_segment(&mut self, segment: &JournalSegment) -> Option<Damage> {
        let lines = match LineReader::open(&segment.path) {
            // It was removed meanwhile: the next listing shows the remaining ones.
            Err(why) if why.kind() == io::ErrorKind::NotFound => return None,
            opened => opened,
        };
        let is_begin = self.segment_start.is_none();
        self.segment_start = Some(segment.first);
        let mut is_without_begin = false;
        let head = || retention::read_head(&self.folder);
        match &self.chain {
            // Reading starts within the chain: earlier segments are not needed.
            None if self.from_seq >= segment.first.max(2) => {
                self.chain = Some(Chain::before(segment.first, None));
            }
            None if segment.first <= 1 => self.chain = Some(Chain::before(1, Some(LineHash::ZERO))),
            None => {
                // A head with a later sequence number was written before all older segments were removed.
                let head = head().filter(|head| head.seq >= segment.first);
                is_without_begin = is_begin && head.is_none();
                let prev = head.filter(|head| head.seq == segment.first).and_then(|head| head.prev());
                self.chain = Some(Chain::before(segment.first, prev));
            }
            Some(chain) if chain.is_gap(segment.first) => {
                // Segments were removed during the scan.
                if let Some(head) = head().filter(|head| head.seq == segment.first) {
                    self.chain = Some(Chain::before(segment.first, head.prev()));
                }
            }
            Some(_) => {}
        }
        match lines {
            Err(why) => Some(self.unreadable(segment.path.clone(), &why)),
            Ok(lines) => {
                self.current = Some(CurrentSegment { path: segment.path.clone(), lines, is_final: false });
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
        let seq = self.chain.as_mut().map_or(self.from_seq, Chain::mark_unreadable);
        Damage { file, line: 1, offset: 0, seq, why: Why::Io(why.to_string()) }
    }
}

/// Iterator over the records of a journal, from [`super::Journal::read`]. Damage is returned at its place, and reading
/// continues after it.
#[derive(Debug)]
pub struct Reader {
    scan: JournalScan,
    from_seq: u64,
    /// A record that follows the damage before it.
    held: Option<Result<Record, Damage>>,
    /// Set after an I/O error: an unreadable folder would be reported without end.
    is_failed: bool,
}

impl Reader {
    pub(super) fn new(folder: &Path, from_seq: u64) -> Reader {
        Reader { scan: JournalScan::new(folder, from_seq), from_seq, held: None, is_failed: false }
    }

    fn record(&self, link: &ChainLink, damaged: Option<&Damage>) -> Option<Result<Record, Damage>> {
        if link.seq < self.from_seq {
            return None;
        }
        Some(line_format::parse_record(self.scan.bytes()).map_err(|why| match damaged {
            Some(damage) => Damage { why, ..damage.clone() },
            None => self.scan.damage_at(link.seq, why),
        }))
    }
}

impl JournalScan {
    /// Damage at the line that was read last.
    fn damage_at(&self, seq: u64, why: Why) -> Damage {
        let (file, line, offset) = self.current.as_ref().map_or_else(
            || (self.folder.clone(), 0, 0),
            |current| (current.path.clone(), current.lines.line, current.lines.offset),
        );
        Damage { file, line, offset, seq, why }
    }

    /// The record of the line that was read last.
    pub fn record(&self, link: &ChainLink) -> Result<Record, Damage> {
        line_format::parse_record(self.bytes()).map_err(|why| self.damage_at(link.seq, why))
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
                ScanStep::Right(link) => {
                    if let Some(record) = self.record(&link, None) {
                        self.is_failed = false;
                        return Some(record);
                    }
                }
                ScanStep::Wrong(damage, link) => {
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
                ScanStep::Unfinished(_) | ScanStep::End => return None,
            }
        }
    }
}
