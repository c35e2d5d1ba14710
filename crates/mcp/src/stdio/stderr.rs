//! The last of what a server wrote to stderr.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// How much is kept.
const KEPT_BYTES: usize = 64 << 10;
/// How many lines of it, and how much of them, stand in a message.
const TAIL_LINES: usize = 10;
const TAIL_BYTES: usize = 2000;

/// A ring of the last bytes.
#[derive(Debug, Default)]
pub struct StderrRing {
    bytes: Mutex<VecDeque<u8>>,
}

impl StderrRing {
    pub(super) fn push(&self, more: &[u8]) {
        let mut bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let more = &more[more.len().saturating_sub(KEPT_BYTES)..];
        let over = (bytes.len() + more.len()).saturating_sub(KEPT_BYTES);
        bytes.drain(..over);
        bytes.extend(more);
    }

    /// Everything that is kept.
    pub fn text(&self) -> String {
        let bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let (front, back) = bytes.as_slices();
        String::from_utf8_lossy(&[front, back].concat()).into_owned()
    }

    /// The last lines, for a message.
    pub fn tail(&self) -> String {
        let text = self.text();
        let lines: Vec<&str> = text.trim_end().lines().collect();
        let last = lines[lines.len().saturating_sub(TAIL_LINES)..].join("\n");
        let start = last.ceil_char_boundary(last.len().saturating_sub(TAIL_BYTES));
        last[start..].to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_bytes_and_lines_are_kept() {
        let ring = StderrRing::default();
        assert_eq!(ring.tail(), "");
        for line in 0..20_000 {
            ring.push(format!("line {line}\n").as_bytes());
        }
        assert_eq!(ring.text().len(), KEPT_BYTES);
        assert!(ring.tail().starts_with("line 19990\n") && ring.tail().ends_with("line 19999"));
        ring.push("ä".repeat(KEPT_BYTES).as_bytes());
        assert_eq!(ring.text().len(), KEPT_BYTES);
        assert!(ring.tail().len() <= TAIL_BYTES);
    }
}
