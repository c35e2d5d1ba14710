//! Local references: JSON Pointers in URI form.

use toolwright_jsonrpc::raw::{Kind, Node};

/// Follows a JSON Pointer, decoding percent escapes.
pub(super) fn follow<'a>(start: Node<'a>, pointer: &str) -> Option<Node<'a>> {
    let mut node = start;
    for part in pointer.split('/').skip(1) {
        let key = percent_decoded(part).replace("~1", "/").replace("~0", "~");
        node = match node.kind {
            Kind::Object(_) => node.get(&key)?,
            Kind::Array(items) => *items.get(key.parse::<usize>().ok()?)?,
            _ => return None,
        };
    }
    Some(node)
}

/// Decodes the percent escapes of a URI; invalid ones stay unchanged.
fn percent_decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let escaped = (bytes[at] == b'%').then(|| text.get(at + 1..at + 3)).flatten();
        match escaped.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}
