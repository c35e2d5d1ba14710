//! Format of one line: how a record is serialized, and how a line is verified and parsed.
//!
//! `{"seq":7,…the record…,"prev_hash":"<64 hex>","lost":2,"continues":{…},"hash":"<64 hex>"}` and a newline. `hash` is
//! the SHA-256 over the bytes of the line before `,"hash"`. `lost` is present when records before this one could not be
//! written, `continues` when this line starts a new file for another reason than size.

use std::fmt;

use aws_lc_rs::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};

use super::damage::Why;
use super::error::AppendError;
use crate::Record;

/// Maximum length of a line in bytes, including its newline.
pub const MAX_LINE: usize = 16 << 20;

/// The keys before the hashes.
const PREV_KEY: &[u8] = b",\"prev_hash\":\"";
const HASH_KEY: &[u8] = b",\"hash\":\"";
/// Length of the end of a line from the last key on, without the newline.
const END: usize = HASH_KEY.len() + 64 + 2;
/// Start of a record before it has a sequence number.
const UNNUMBERED: &[u8] = b"{\"seq\":0";

/// The SHA-256 of a line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct LineHash([u8; 32]);

impl LineHash {
    /// The previous hash of the first line of a journal.
    pub const ZERO: LineHash = LineHash([0; 32]);

    pub fn of(bytes: &[u8]) -> LineHash {
        let mut hash = [0; 32];
        hash.copy_from_slice(digest(&SHA256, bytes).as_ref());
        LineHash(hash)
    }

    /// As 64 lowercase hex digits.
    fn hex(self) -> [u8; 64] {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut hex = [0; 64];
        for (pair, byte) in hex.chunks_exact_mut(2).zip(self.0) {
            pair[0] = DIGITS[usize::from(byte >> 4)];
            pair[1] = DIGITS[usize::from(byte & 15)];
        }
        hex
    }

    /// Parses 64 lowercase hex digits. Uppercase digits are never written.
    pub fn from_hex(hex: &[u8]) -> Option<LineHash> {
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
        Some(LineHash(hash))
    }
}

impl fmt::Display for LineHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.hex().iter().try_for_each(|digit| write!(f, "{}", char::from(*digit)))
    }
}

impl fmt::Debug for LineHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Why a new file was started, in its first line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Continuation {
    /// The previous file.
    pub file: String,
    /// The last record that was found in it, or written to it.
    pub seq: u64,
    /// The reason: `damage`, `write`, `sync` or `removed`.
    pub why: String,
}

/// The fields of a line that form the chain.
#[derive(Clone, Debug)]
pub(super) struct ChainLink {
    pub seq: u64,
    pub prev: LineHash,
    pub hash: LineHash,
    /// Number of records before it that could not be written.
    pub lost: u64,
}

/// Serializes a record as JSON without its sequence number, into a buffer that is cleared first.
pub(super) fn serialize_body(record: &mut Record, buffer: &mut Vec<u8>) -> Result<(), AppendError> {
    buffer.clear();
    record.seq = 0;
    serde_json::to_writer(&mut *buffer, record).map_err(|why| AppendError::Json(why.to_string()))?;
    // Arguments keep the form in which they were sent and may contain line breaks between tokens. JSON strings contain
    // none.
    for byte in buffer.iter_mut() {
        if matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
    if !buffer.starts_with(UNNUMBERED) || !buffer.ends_with(b"}") {
        return Err(AppendError::Json("its first field is not its number".into()));
    }
    // The fields that are added later are shorter than this.
    let size = buffer.len() + 1024;
    if size > MAX_LINE { Err(AppendError::TooLarge { size }) } else { Ok(()) }
}

/// Writes a complete line from a serialized record, into a buffer that is cleared first. Returns its hash.
pub(super) fn write_line(
    body: &[u8],
    seq: u64,
    prev: LineHash,
    lost: u64,
    continues: Option<&Continuation>,
    line: &mut Vec<u8>,
) -> LineHash {
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
    let hash = LineHash::of(line);
    line.extend_from_slice(HASH_KEY);
    line.extend_from_slice(&hash.hex());
    line.extend_from_slice(b"\"}\n");
    hash
}

/// Verifies the hash of a line, without its newline.
pub(super) fn verify_line(line: &[u8]) -> Result<ChainLink, Why> {
    let end = line.len().checked_sub(END).ok_or(Why::NoHash)?;
    let (content, end) = line.split_at(end);
    let hash = end.strip_prefix(HASH_KEY).and_then(|rest| rest.strip_suffix(b"\"}")).ok_or(Why::NoHash)?;
    let hash = LineHash::from_hex(hash).ok_or(Why::NoHash)?;
    if LineHash::of(content) != hash {
        return Err(Why::Hash);
    }
    // Fast path: nearly all lines have nothing between the two hashes and need no JSON parser.
    if let Some((seq, prev)) = parse_plain(content) {
        return Ok(ChainLink { seq, prev, hash, lost: 0 });
    }
    #[derive(Deserialize)]
    struct ChainFields<'a> {
        seq: u64,
        prev_hash: &'a str,
        #[serde(default)]
        lost: u64,
    }
    let chained: ChainFields<'_> =
        serde_json::from_slice(line).map_err(|why| Why::NoRecord(why.to_string()))?;
    let prev = LineHash::from_hex(chained.prev_hash.as_bytes())
        .ok_or_else(|| Why::NoRecord("prev_hash is no hash".into()))?;
    Ok(ChainLink { seq: chained.seq, prev, hash, lost: chained.lost })
}

/// Sequence number and previous hash of a verified line that ends with `prev_hash` before its own hash.
fn parse_plain(content: &[u8]) -> Option<(u64, LineHash)> {
    let rest = content.strip_suffix(b"\"")?;
    let (rest, prev) = rest.split_at_checked(rest.len().checked_sub(64)?)?;
    if !rest.ends_with(PREV_KEY) {
        return None;
    }
    let digits = rest.strip_prefix(&UNNUMBERED[..UNNUMBERED.len() - 1])?;
    let digits = &digits[..digits.iter().position(|byte| *byte == b',')?];
    Some((std::str::from_utf8(digits).ok()?.parse().ok()?, LineHash::from_hex(prev)?))
}

/// Parses the record of a verified line.
pub(super) fn parse_record(line: &[u8]) -> Result<Record, Why> {
    serde_json::from_slice(line).map_err(|why| Why::NoRecord(why.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line_of(mut record: Record, lost: u64, continues: Option<&Continuation>) -> Vec<u8> {
        let (mut text, mut line) = (Vec::new(), Vec::new());
        serialize_body(&mut record, &mut text).expect("a body");
        write_line(&text, 7, LineHash::ZERO, lost, continues, &mut line);
        line
    }

    #[test]
    fn line_format_is_stable() {
        let record =
            Record { ts: 5, node: "n".into(), call: "c".into(), tool: "t".into(), ..Record::default() };
        let continues = Continuation { file: "x.jsonl".into(), seq: 6, why: "damage".into() };
        let line = String::from_utf8(line_of(record, 2, Some(&continues))).unwrap();
        let zeros = "0".repeat(64);
        let content = format!(
            r#"{{"seq":7,"ts":5,"node":"n","kind":"call","call":"c","front":"","tool":"t","stages":{{"transport":"not_reached","protocol":"not_reached","tool":"not_reached"}},"duration_us":0,"bytes_in":0,"bytes_out":0,"prev_hash":"{zeros}","lost":2,"continues":{{"file":"x.jsonl","seq":6,"why":"damage"}}"#
        );
        let hash = LineHash::of(content.as_bytes());
        assert_eq!(line, format!("{content},\"hash\":\"{hash}\"}}\n"));
    }

    #[test]
    fn hash_is_sha256() {
        assert_eq!(
            LineHash::of(b"abc").to_string(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!(
            LineHash::from_hex(LineHash::of(b"abc").to_string().as_bytes()),
            Some(LineHash::of(b"abc"))
        );
        assert_eq!(LineHash::from_hex("A".repeat(64).as_bytes()), None);
    }

    #[test]
    fn line_breaks_in_arguments_do_not_break_the_line() {
        let arguments = "{\n  \"text\": \"a\\nb\",\r\n  \"n\": 1.50\n}".to_owned();
        let arguments = serde_json::value::RawValue::from_string(arguments).unwrap();
        let line = line_of(Record { arguments: Some(arguments), ..Record::default() }, 0, None);
        assert_eq!(line.iter().filter(|b| **b == b'\n').count(), 1);
        let line = line.strip_suffix(b"\n").unwrap();
        verify_line(line).unwrap();
        let read = parse_record(line).unwrap();
        assert_eq!(read.seq, 7);
        assert_eq!(read.arguments.unwrap().get(), "{   \"text\": \"a\\nb\",    \"n\": 1.50 }");
    }

    #[test]
    fn every_changed_byte_is_detected() {
        let line = line_of(Record { tool: "read_file".into(), ..Record::default() }, 0, None);
        let line = line.strip_suffix(b"\n").unwrap();
        for place in 0..line.len() {
            for bit in 0..8 {
                let mut changed = line.to_vec();
                changed[place] ^= 1 << bit;
                assert!(verify_line(&changed).is_err(), "byte {place}, bit {bit}");
            }
            assert!(verify_line(&line[..place]).is_err(), "cut at {place}");
        }
    }

    #[test]
    fn oversized_record_is_refused() {
        let mut record = Record { tool: "x".repeat(MAX_LINE), ..Record::default() };
        assert!(matches!(serialize_body(&mut record, &mut Vec::new()), Err(AppendError::TooLarge { .. })));
    }
}
