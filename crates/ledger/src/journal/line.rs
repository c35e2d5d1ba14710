//! One line: how a record is written and how a line is proved and read.
//!
//! `{"seq":7,…the record…,"prev_hash":"<64 hex>","lost":2,"continues":{…},"hash":"<64 hex>"}` and a newline. `hash` is
//! the SHA-256 over the bytes of the line before `,"hash"`. `lost` is there when records could not be written before
//! this one, `continues` when this line does not go on in the file of the one before for a reason.

use std::fmt;

use aws_lc_rs::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};

use super::damage::Why;
use super::error::AppendError;
use crate::Record;

/// The longest line, in bytes, with its newline.
pub const MAX_LINE: usize = 16 << 20;

/// What comes before the hashes.
const PREV_KEY: &[u8] = b",\"prev_hash\":\"";
const HASH_KEY: &[u8] = b",\"hash\":\"";
/// How long a line's end is from the last of them on, without the newline.
const END: usize = HASH_KEY.len() + 64 + 2;
/// What a record begins with before it has a number.
const UNNUMBERED: &[u8] = b"{\"seq\":0";

/// The SHA-256 of a line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Hash([u8; 32]);

impl Hash {
    /// What the first line of a journal follows.
    pub const ZERO: Hash = Hash([0; 32]);

    pub fn of(bytes: &[u8]) -> Hash {
        let mut hash = [0; 32];
        hash.copy_from_slice(digest(&SHA256, bytes).as_ref());
        Hash(hash)
    }

    /// As 64 small hex digits.
    fn hex(self) -> [u8; 64] {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut hex = [0; 64];
        for (pair, byte) in hex.chunks_exact_mut(2).zip(self.0) {
            pair[0] = DIGITS[usize::from(byte >> 4)];
            pair[1] = DIGITS[usize::from(byte & 15)];
        }
        hex
    }

    /// From 64 small hex digits. Large ones are not ours.
    pub fn from_hex(hex: &[u8]) -> Option<Hash> {
        let digit = |b: u8| match b {
            b'0'..=b'9' => Some(b - b'0'),
            b'a'..=b'f' => Some(b - b'a' + 10),
            _ => None,
        };
        if hex.len() != 64 {
            return None;
        }
        let mut hash = [0; 32];
        for (byte, pair) in hash.iter_mut().zip(hex.chunks_exact(2)) {
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Some(Hash(hash))
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.hex().iter().try_for_each(|digit| write!(f, "{}", char::from(*digit)))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Why a new file was begun, in its first line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Continues {
    /// The file before.
    pub file: String,
    /// The last record that was found in it, or written to it.
    pub seq: u64,
    /// Why it was not gone on with: `damage`, `write`, `sync` or `removed`.
    pub why: String,
}

/// What chains a line to the others.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub seq: u64,
    pub prev: Hash,
    pub hash: Hash,
    /// How many records could not be written before it.
    pub lost: u64,
}

/// Writes a record as JSON without its number, into a buffer that is emptied first.
pub(super) fn body(record: &mut Record, buffer: &mut Vec<u8>) -> Result<(), AppendError> {
    buffer.clear();
    record.seq = 0;
    serde_json::to_writer(&mut *buffer, record).map_err(|why| AppendError::Json(why.to_string()))?;
    // Arguments are kept as they were sent and may hold line breaks between their tokens. Within strings JSON has none.
    for byte in buffer.iter_mut() {
        if matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
    if !buffer.starts_with(UNNUMBERED) || !buffer.ends_with(b"}") {
        return Err(AppendError::Json("its first field is not its number".into()));
    }
    // What is added below is shorter than this.
    let size = buffer.len() + 1024;
    if size > MAX_LINE { Err(AppendError::TooLarge { size }) } else { Ok(()) }
}

/// Makes a whole line of a record without a number, into a buffer that is emptied first. Gives its hash.
pub(super) fn finish(
    body: &[u8],
    seq: u64,
    prev: Hash,
    lost: u64,
    continues: Option<&Continues>,
    line: &mut Vec<u8>,
) -> Hash {
    use std::io::Write;
    line.clear();
    line.extend_from_slice(&UNNUMBERED[..UNNUMBERED.len() - 1]);
    // Writing to a vector does not fail.
    let _ = write!(line, "{seq}");
    line.extend_from_slice(&body[UNNUMBERED.len()..body.len() - 1]);
    line.extend_from_slice(PREV_KEY);
    line.extend_from_slice(&prev.hex());
    line.push(b'"');
    if lost > 0 {
        let _ = write!(line, ",\"lost\":{lost}");
    }
    if let Some(continues) = continues {
        line.extend_from_slice(b",\"continues\":");
        let _ = serde_json::to_writer(&mut *line, continues);
    }
    let hash = Hash::of(line);
    line.extend_from_slice(HASH_KEY);
    line.extend_from_slice(&hash.hex());
    line.extend_from_slice(b"\"}\n");
    hash
}

/// Whether a line, without its newline, is as it was written.
pub(super) fn prove(line: &[u8]) -> Result<Link, Why> {
    let end = line.len().checked_sub(END).ok_or(Why::NoHash)?;
    let (said, end) = line.split_at(end);
    let hash = end.strip_prefix(HASH_KEY).and_then(|rest| rest.strip_suffix(b"\"}")).ok_or(Why::NoHash)?;
    let hash = Hash::from_hex(hash).ok_or(Why::NoHash)?;
    if Hash::of(said) != hash {
        return Err(Why::Hash);
    }
    // Nearly all lines have nothing between the two hashes and need not be parsed for it.
    if let Some((seq, prev)) = plain(said) {
        return Ok(Link { seq, prev, hash, lost: 0 });
    }
    #[derive(Deserialize)]
    struct Chained<'a> {
        seq: u64,
        prev_hash: &'a str,
        #[serde(default)]
        lost: u64,
    }
    let chained: Chained<'_> = serde_json::from_slice(line).map_err(|why| Why::NoRecord(why.to_string()))?;
    let prev = Hash::from_hex(chained.prev_hash.as_bytes())
        .ok_or_else(|| Why::NoRecord("prev_hash is no hash".into()))?;
    Ok(Link { seq: chained.seq, prev, hash, lost: chained.lost })
}

/// The number and the hash before, of a line that is as it was written and ends with `prev_hash` but for its own hash.
fn plain(said: &[u8]) -> Option<(u64, Hash)> {
    let rest = said.strip_suffix(b"\"")?;
    let (rest, prev) = rest.split_at_checked(rest.len().checked_sub(64)?)?;
    if !rest.ends_with(PREV_KEY) {
        return None;
    }
    let digits = rest.strip_prefix(&UNNUMBERED[..UNNUMBERED.len() - 1])?;
    let digits = &digits[..digits.iter().position(|byte| *byte == b',')?];
    Some((std::str::from_utf8(digits).ok()?.parse().ok()?, Hash::from_hex(prev)?))
}

/// The record of a line that has been proved.
pub(super) fn record(line: &[u8]) -> Result<Record, Why> {
    serde_json::from_slice(line).map_err(|why| Why::NoRecord(why.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line_of(mut record: Record, lost: u64, continues: Option<&Continues>) -> Vec<u8> {
        let (mut text, mut line) = (Vec::new(), Vec::new());
        body(&mut record, &mut text).expect("a body");
        finish(&text, 7, Hash::ZERO, lost, continues, &mut line);
        line
    }

    #[test]
    fn a_line_is_exactly_this() {
        let record =
            Record { ts: 5, node: "n".into(), call: "c".into(), tool: "t".into(), ..Record::default() };
        let continues = Continues { file: "x.jsonl".into(), seq: 6, why: "damage".into() };
        let line = String::from_utf8(line_of(record, 2, Some(&continues))).unwrap();
        let zeros = "0".repeat(64);
        let said = format!(
            r#"{{"seq":7,"ts":5,"node":"n","kind":"call","call":"c","front":"","tool":"t","stages":{{"transport":"not_reached","protocol":"not_reached","tool":"not_reached"}},"duration_us":0,"bytes_in":0,"bytes_out":0,"prev_hash":"{zeros}","lost":2,"continues":{{"file":"x.jsonl","seq":6,"why":"damage"}}"#
        );
        let hash = Hash::of(said.as_bytes());
        assert_eq!(line, format!("{said},\"hash\":\"{hash}\"}}\n"));
    }

    #[test]
    fn a_hash_is_the_known_one_of_its_bytes() {
        assert_eq!(
            Hash::of(b"abc").to_string(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!(Hash::from_hex(Hash::of(b"abc").to_string().as_bytes()), Some(Hash::of(b"abc")));
        assert_eq!(Hash::from_hex("A".repeat(64).as_bytes()), None);
    }

    #[test]
    fn line_breaks_in_arguments_do_not_break_the_line() {
        let arguments = "{\n  \"text\": \"a\\nb\",\r\n  \"n\": 1.50\n}".to_owned();
        let arguments = serde_json::value::RawValue::from_string(arguments).unwrap();
        let line = line_of(Record { arguments: Some(arguments), ..Record::default() }, 0, None);
        assert_eq!(line.iter().filter(|b| **b == b'\n').count(), 1);
        let line = line.strip_suffix(b"\n").unwrap();
        prove(line).unwrap();
        let read = record(line).unwrap();
        assert_eq!(read.seq, 7);
        assert_eq!(read.arguments.unwrap().get(), "{   \"text\": \"a\\nb\",    \"n\": 1.50 }");
    }

    #[test]
    fn every_changed_byte_is_found() {
        let line = line_of(Record { tool: "read_file".into(), ..Record::default() }, 0, None);
        let line = line.strip_suffix(b"\n").unwrap();
        for place in 0..line.len() {
            for bit in 0..8 {
                let mut changed = line.to_vec();
                changed[place] ^= 1 << bit;
                assert!(prove(&changed).is_err(), "byte {place}, bit {bit}");
            }
            assert!(prove(&line[..place]).is_err(), "cut at {place}");
        }
    }

    #[test]
    fn a_record_that_is_too_large_is_refused() {
        let mut record = Record { tool: "x".repeat(MAX_LINE), ..Record::default() };
        assert!(matches!(body(&mut record, &mut Vec::new()), Err(AppendError::TooLarge { .. })));
    }
}
