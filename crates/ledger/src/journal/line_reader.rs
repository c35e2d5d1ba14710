//! Reads the lines of one file, also while another process writes it.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use super::line_format::MAX_LINE;

/// Size of the read buffer in bytes.
const READ_BYTES: usize = 64 << 10;

/// Reads a file line by line and tracks the position.
#[derive(Debug)]
pub(super) struct LineReader {
    reader: BufReader<File>,
    buffer: Vec<u8>,
    /// Offset of the next line.
    next: u64,
    /// Number (from 1 on) and offset of the line that was read last, or of the incomplete one.
    pub line: u64,
    pub offset: u64,
}

/// Result of reading a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineRead {
    /// A complete line; its content is in [`LineReader::bytes`].
    Line,
    /// A complete line that exceeds the maximum length.
    TooLong,
    /// The file ends within a line. The next call reads it again from its start.
    Unfinished,
    /// The end of the file.
    End,
}

impl LineReader {
    pub fn open(path: &Path) -> io::Result<LineReader> {
        let reader = BufReader::with_capacity(READ_BYTES, File::open(path)?);
        Ok(LineReader { reader, buffer: Vec::new(), next: 0, line: 0, offset: 0 })
    }

    /// The content of the last line, without its newline.
    pub fn bytes(&self) -> &[u8] {
        &self.buffer
    }

    pub fn read(&mut self) -> io::Result<LineRead> {
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
                // It cannot be a journal line. Only its end is searched.
                self.buffer.clear();
            }
        }
        self.line += 1;
        self.offset = self.next;
        self.next += count;
        self.buffer.pop();
        Ok(if count > MAX_LINE as u64 { LineRead::TooLong } else { LineRead::Line })
    }

    fn stop(&mut self, unfinished: u64) -> io::Result<LineRead> {
        self.buffer.clear();
        // The read-ahead bytes may change: the writer truncates a line that it could not finish.
        self.reader.seek(SeekFrom::Start(self.next))?;
        Ok(if unfinished == 0 { LineRead::End } else { LineRead::Unfinished })
    }

    /// Offset of the line after the last one.
    pub fn next_offset(&self) -> u64 {
        self.next
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn incomplete_line_is_read_when_complete() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        let mut file = File::create(&path).unwrap();
        file.write_all(b"one\ntw").unwrap();
        let mut lines = LineReader::open(&path).unwrap();
        assert_eq!((lines.read().unwrap(), lines.bytes()), (LineRead::Line, &b"one"[..]));
        assert_eq!(lines.read().unwrap(), LineRead::Unfinished);
        // The incomplete line is truncated, and another line takes its place.
        file.set_len(4).unwrap();
        assert_eq!(lines.read().unwrap(), LineRead::End);
        file.seek(SeekFrom::End(0)).unwrap();
        file.write_all(b"TWO\n").unwrap();
        assert_eq!((lines.read().unwrap(), lines.bytes()), (LineRead::Line, &b"TWO"[..]));
        assert_eq!((lines.line, lines.offset, lines.next_offset()), (2, 4, 8));
        assert_eq!(lines.read().unwrap(), LineRead::End);
    }

    #[test]
    fn endless_line_uses_bounded_memory() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        let mut file = File::create(&path).unwrap();
        // A sparse file: the zeros take no disk space.
        file.set_len(3 * MAX_LINE as u64).unwrap();
        file.seek(SeekFrom::End(0)).unwrap();
        file.write_all(b"\nafter\n").unwrap();
        let mut lines = LineReader::open(&path).unwrap();
        assert_eq!(lines.read().unwrap(), LineRead::TooLong);
        assert!(lines.buffer.capacity() <= 4 * MAX_LINE);
        assert_eq!((lines.read().unwrap(), lines.bytes()), (LineRead::Line, &b"after"[..]));
        assert_eq!(lines.offset, 3 * MAX_LINE as u64 + 1);
    }
}
