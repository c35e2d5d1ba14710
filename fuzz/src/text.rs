//! Reading text that was meant to be JSON.

use toolwright_model::Finish;
use toolwright_normalizer::text::{FirstValue, Reading, read};

use crate::is_strict_json;

/// Any text is read or refused; what was read is strict JSON.
pub fn text(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for finish in [Finish::Unknown, Finish::Stop, Finish::Length] {
        if let Ok(Reading { json, .. }) = read(&text, finish, FirstValue::Untried) {
            assert!(
                is_strict_json(&json),
                "{text:?} with {finish:?} was read as {json:?}, which is not JSON"
            );
        }
    }
}
