//! The lines of one file, also while somebody writes it.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use super::line::MAX_LINE;

/// How much is read at once, in bytes.
const READ_BYTES: usize = 64 << 10;

/// Reads a file line by line and knows where it is.
#[derive(Debug)]
pub(super) struct Lines {
    reader: BufReader<File>,
    buffer: Vec<u8>,
    /// Where the next line begins.
    next: u64,
    /// The line that was read last, or the one that is not whole: its number from 1 on, and where it begins.
    pub line: u64,
    pub offset: u64,
}

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// A whole line; its bytes are in [`Lines::bytes`].
    Line,
    /// A whole line that is longer than lines may be.
    TooLong,
    /// The file ends within a line. Asked again, it is read again from its begin.
    Unfinished,
    /// The file ends here.
    End,
}

impl Lines {
    pub fn open(path: &Path) -> io::Result<Lines> {
        let reader = BufReader::with_capacity(READ_BYTES, File::open(path)?);
        Ok(Lines { reader, buffer: Vec::new(), next: 0, line: 0, offset: 0 })
    }

    /// The line that was read last, without its newline.
    pub fn bytes(&self) -> &[u8] {
        &self.buffer
    }

    pub fn read(&mut self) -> io::Result<Found> {
        self.buffer.clear();
        let mut count = 0_u64;
        loop {
            let left = (MAX_LINE + 1).saturating_sub(self.buffer.len()) as u64;
            let read = (&mut self.reader).take(left).read_until(b'\n', &mut self.buffer)?;
            count += read as u64;
            if self.buffer.last() == Some(&b'\n') {
                break;
            }
            if read == 0 {
                return self.stop(count);
            }
            if self.buffer.len() > MAX_LINE {
                // It is no line of ours. Only its end is looked for.
                self.buffer.clear();
            }
        }
        self.line += 1;
        self.offset = self.next;
        self.next += count;
        self.buffer.pop();
        Ok(if count > MAX_LINE as u64 { Found::TooLong } else { Found::Line })
    }

    fn stop(&mut self, unfinished: u64) -> io::Result<Found> {
        self.buffer.clear();
        // What was read ahead may be changed when it is read again: the writer cuts off what it could not finish.
        self.reader.seek(SeekFrom::Start(self.next))?;
        Ok(if unfinished == 0 { Found::End } else { Found::Unfinished })
    }

    /// Where the line after the last one begins.
    pub fn next_offset(&self) -> u64 {
        self.next
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_line_that_is_being_written_is_read_when_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        let mut file = File::create(&path).unwrap();
        file.write_all(b"one\ntw").unwrap();
        let mut lines = Lines::open(&path).unwrap();
        assert_eq!((lines.read().unwrap(), lines.bytes()), (Found::Line, &b"one"[..]));
        assert_eq!(lines.read().unwrap(), Found::Unfinished);
        // What could not be finished is cut off, and another line takes its place.
        file.set_len(4).unwrap();
        assert_eq!(lines.read().unwrap(), Found::End);
        file.seek(SeekFrom::End(0)).unwrap();
        file.write_all(b"TWO\n").unwrap();
        assert_eq!((lines.read().unwrap(), lines.bytes()), (Found::Line, &b"TWO"[..]));
        assert_eq!((lines.line, lines.offset, lines.next_offset()), (2, 4, 8));
        assert_eq!(lines.read().unwrap(), Found::End);
    }

    #[test]
    fn a_line_without_end_takes_no_memory_without_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        let mut file = File::create(&path).unwrap();
        // A hole of zeros: it costs nothing on the disk.
        file.set_len(3 * MAX_LINE as u64).unwrap();
        file.seek(SeekFrom::End(0)).unwrap();
        file.write_all(b"\nafter\n").unwrap();
        let mut lines = Lines::open(&path).unwrap();
        assert_eq!(lines.read().unwrap(), Found::TooLong);
        assert!(lines.buffer.capacity() <= 4 * MAX_LINE);
        assert_eq!((lines.read().unwrap(), lines.bytes()), (Found::Line, &b"after"[..]));
        assert_eq!(lines.offset, 3 * MAX_LINE as u64 + 1);
    }
}
