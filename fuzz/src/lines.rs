//! Messages among whatever a program prints.

use toolwright_jsonrpc::Message;
use toolwright_jsonrpc::lines::{Line, Lines, read};

use crate::is_strict_json;

/// Where a line is too long to be kept.
const LIMIT: usize = 4096;

/// Any bytes are cut into the same lines however they arrive; what is found in them is written as strict
/// JSON on one line, and that is read and written as the same line again.
pub fn lines(data: &[u8]) {
    let whole = cut(&[data]);
    let halves = data.split_at(data.len() / 2);
    assert_eq!(whole, cut(&[halves.0, halves.1]));
    for line in whole {
        for found in read(Line::Whole(&line)).messages {
            let written = found.message.to_line();
            assert!(is_strict_json(&written) && !written.contains('\n'), "{written:?}");
            let again = Message::parse(&written).map(|message| message.to_line());
            assert_eq!(again.as_ref(), Ok(&written));
        }
    }
}

fn cut(chunks: &[&[u8]]) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    let mut each = |line: Line<'_>| match line {
        Line::Whole(bytes) => found.push(bytes.to_vec()),
        Line::TooLong { start, end, bytes, .. } => {
            let _ = read(line);
            found.push([start, end, bytes.to_string().as_bytes()].concat());
        }
    };
    let mut lines = Lines::new(LIMIT);
    chunks.iter().for_each(|chunk| lines.push(chunk, &mut each));
    lines.finish(&mut each);
    found
}
