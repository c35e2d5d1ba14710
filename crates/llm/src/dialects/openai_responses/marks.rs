//! Thoughts of other providers in a request: items. One that Toolwright made, or that another provider signed, is none of
//! OpenAI's.

use std::borrow::Cow;

use toolwright_jsonrpc::raw;

use super::output::is_made_id;
use crate::form::signature;
use crate::pass::marks::{Edits, MARK, has_any, span, without_member, word};

/// What takes them out of a body.
pub(super) fn edits(body: &str) -> Option<Edits> {
    if !has_any(body, &[MARK, r#""reasoning""#, signature::BESIDE_CALL]) {
        return None;
    }
    let list = raw::find(body, "input")?;
    let items = raw::items(list).ok()?;
    let kept: Vec<Cow<'_, str>> = items.iter().filter_map(|item| kept_item(item)).collect();
    if kept.len() == items.len() && kept.iter().all(|item| matches!(item, Cow::Borrowed(_))) {
        return None;
    }
    Some(vec![(span(body, list), format!("[{}]", kept.join(",")))])
}

fn kept_item(item: &str) -> Option<Cow<'_, str>> {
    match word(item, "type").as_deref() {
        Some("reasoning") => {
            let is_foreign = match word(item, "encrypted_content").filter(|content| !content.is_empty()) {
                Some(content) => signature::is_ours(&content),
                None => word(item, "id").is_some_and(|id| is_made_id(&id)),
            };
            (!is_foreign).then_some(Cow::Borrowed(item))
        }
        Some("function_call") => Some(without_member(item, signature::BESIDE_CALL)),
        _ => Some(Cow::Borrowed(item)),
    }
}
