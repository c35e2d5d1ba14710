//! Keys in several lines: `-----BEGIN PRIVATE KEY-----`.

use crate::lines::is_part_of_key;

const BEGIN: &str = "-----BEGIN";
const END: &str = "-----END";

/// The longest block with an end, in bytes. Of one without, the lines that look like a part of it go.
const MAX_BYTES: usize = 64 << 10;

/// The longest name of a block, in bytes.
const MAX_NAME_BYTES: usize = 80;

/// Finds ends of blocks, each once.
#[derive(Default)]
pub(super) struct Ends {
    /// The first end behind the place last asked for.
    next: Option<Option<usize>>,
}

impl Ends {
    /// Where the first end behind this place begins. Places are asked for in order.
    fn after(&mut self, text: &str, from: usize) -> Option<usize> {
        match self.next {
            Some(None) => None,
            Some(Some(at)) if at >= from => Some(at),
            _ => *self.next.insert(text[from..].find(END).map(|at| from + at)),
        }
    }
}

/// A block of lines.
pub(super) struct Block {
    pub(super) end: usize,
    /// Certificates and public keys may be shown.
    pub(super) is_private: bool,
}

/// The block that begins here.
pub(super) fn block(text: &str, start: usize, ends: &mut Ends) -> Option<Block> {
    let rest = text[start..].strip_prefix(BEGIN)?;
    let name_bytes = rest.find("-----").filter(|length| *length <= MAX_NAME_BYTES)?;
    let is_private = rest[..name_bytes].contains("PRIVATE");
    let body = start + BEGIN.len() + name_bytes + "-----".len();
    let end = ends.after(text, body).filter(|end| end - body <= MAX_BYTES);
    let end = match end {
        Some(end) => end_of_dashes(text, end + END.len()),
        None => end_of_lines(text, body),
    };
    Some(Block { end, is_private })
}

fn end_of_dashes(text: &str, from: usize) -> usize {
    let rest = &text[from..];
    match rest.find("-----").filter(|length| *length <= MAX_NAME_BYTES) {
        Some(length) => from + length + "-----".len(),
        None => from + rest.find(['\n', '"']).unwrap_or(rest.len()),
    }
}

fn end_of_lines(text: &str, from: usize) -> usize {
    // What begins the next block is no part of this one, so no line is read for two blocks.
    let next = text[from..].find("-----").map_or(text.len(), |next| from + next);
    let mut end = from;
    for line in text[from..next].split_inclusive('\n') {
        // The lines may be glued together; a word that is not coded ends them.
        if !is_part_of_key(line.trim_end_matches('…')) {
            let is_coded = |c: char| c.is_ascii_alphanumeric() || "+/= \r".contains(c);
            return end + line.find(|c| !is_coded(c)).unwrap_or(line.len()).min(coded_words(line));
        }
        end += line.len();
    }
    end
}

/// How much of a line is words of at least 16 characters.
fn coded_words(line: &str) -> usize {
    let words =
        line.split_inclusive(' ').take_while(|word| word.trim_end().len() >= 16 || word.trim().is_empty());
    words.map(str::len).sum()
}
