//! Reading text that was meant to be JSON.

use bumpalo::Bump;
use toolwright_jsonrpc::raw::parse_or_break;
use toolwright_model::Finish;
use toolwright_normalizer::text::{FirstValue, Reading, read};

use crate::is_strict_json;

/// Any text is read or refused; what was read is strict JSON.
pub fn text(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let arena = Bump::new();
    let broken = parse_or_break(&text, &arena).err().map(|broken| FirstValue::after(&broken));
    for first in [Some(FirstValue::Untried), broken].into_iter().flatten() {
        for finish in [Finish::Unknown, Finish::Stop, Finish::Length] {
            if let Ok(Reading { json, .. }) = read(&text, finish, first) {
                assert!(
                    is_strict_json(&json),
                    "{text:?} with {finish:?} and {first:?} was read as {json:?}, which is not JSON"
                );
            }
        }
    }
}
