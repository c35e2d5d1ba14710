//! The last of what a server wrote to stderr, as it may be shown.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Mutex;

use toolwright_base::IgnorePoison;
use toolwright_redact::{harmless, lines};

/// How much is kept.
const KEPT_BYTES: usize = 64 << 10;
/// How many lines of it, and how much of them, stand in a message.
const TAIL_LINES: usize = 10;
const TAIL_BYTES: usize = 2000;

/// A ring of the last bytes. What is read from it has no secrets and no codes for a terminal.
#[derive(Default)]
pub struct StderrRing {
    ring: Mutex<Ring>,
    /// Values that must not be shown.
    secrets: Vec<String>,
}

#[derive(Default)]
struct Ring {
    bytes: VecDeque<u8>,
    /// Whether something before them is gone.
    is_cut: bool,
}

impl StderrRing {
    /// A ring for a server that knows these secrets.
    pub(super) fn hiding(secrets: Vec<String>) -> StderrRing {
        StderrRing { secrets, ..StderrRing::default() }
    }

    pub(super) fn push(&self, more: &[u8]) {
        let mut ring = self.ring.lock().ignore_poison();
        let kept = &more[more.len().saturating_sub(KEPT_BYTES)..];
        let over = (ring.bytes.len() + kept.len()).saturating_sub(KEPT_BYTES);
        ring.is_cut |= over > 0 || kept.len() < more.len();
        ring.bytes.drain(..over);
        ring.bytes.extend(kept);
    }

    /// Everything that is kept, in whole lines.
    pub fn text(&self) -> String {
        let (bytes, is_cut) = {
            let ring = self.ring.lock().ignore_poison();
            let (front, back) = ring.bytes.as_slices();
            ([front, back].concat(), ring.is_cut)
        };
        let text = String::from_utf8_lossy(&bytes);
        // The rest of a secret whose beginning is gone cannot be known.
        let start = if is_cut { self.first_whole(&text) } else { 0 };
        lines(&harmless(&text[start..]), &self.secrets)
    }

    /// Where the first whole line begins; in a line without end, behind the longest secret.
    fn first_whole(&self, text: &str) -> usize {
        let longest = self.secrets.iter().map(String::len).max().unwrap_or_default();
        let start = text.find('\n').map_or(longest, |end| end + 1);
        text.ceil_char_boundary(start)
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

impl fmt::Debug for StderrRing {
    /// Without the secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StderrRing").field("tail", &self.tail()).finish_non_exhaustive()
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
        assert!(ring.text().len() > KEPT_BYTES - 20 && ring.text().starts_with("line "));
        assert!(ring.tail().starts_with("line 19990\n") && ring.tail().ends_with("line 19999"));
        ring.push("ä".repeat(KEPT_BYTES).as_bytes());
        assert_eq!(ring.text().len(), KEPT_BYTES);
        assert!(ring.tail().len() <= TAIL_BYTES);
    }

    #[test]
    fn secrets_are_hidden_however_they_arrive() {
        let ring = StderrRing::hiding(vec!["hunter2-and-more".into()]);
        for piece in ["\u{1b}[31mlogin hunter", "2-and-\u{1b}[0m", "more at api_key=", "abc done\n"] {
            ring.push(piece.as_bytes());
        }
        assert_eq!(ring.text(), "login [redacted] at api_key=[redacted] done\n");
        // The beginning of one is pushed out of the ring.
        let ring = StderrRing::hiding(vec!["hunter2-and-more".into()]);
        ring.push(b"hunter2-and-more");
        ring.push("x".repeat(KEPT_BYTES - 8).as_bytes());
        assert!(!ring.text().contains("more"), "{}", &ring.text()[..20]);
        ring.push(b"\nnext");
        assert_eq!(ring.text(), "next");
    }
}
