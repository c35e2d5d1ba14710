//! Thoughts of other providers in a request: members of messages. Details that Toolwright marked go nowhere, and no
//! thoughts go to an upstream that refuses them.

use toolwright_jsonrpc::{Json, ObjectWriter, raw};

use super::reasoning::is_marked_detail;
use crate::pass::marks::{Edits, has_any, span, word};
use crate::{ReasoningField, Target};

/// The members of a message that hold thoughts.
const THOUGHTS: [&str; 4] = ["reasoning_content", "reasoning", "reasoning_details", "thinking_blocks"];

/// What takes them out of a body.
pub(super) fn edits(body: &str, target: &Target) -> Option<Edits> {
    if !has_any(body, &["reasoning", "thinking_blocks"]) {
        return None;
    }
    let mut edits = Edits::new();
    for message in raw::items(raw::find(body, "messages")?).ok()? {
        if word(message, "role").as_deref() != Some("assistant") {
            continue;
        }
        let Ok(members) = raw::members(message) else { continue };
        let mut out = ObjectWriter::with_capacity(message.len());
        let mut is_changed = false;
        for member in &members {
            let is_thought = THOUGHTS.contains(&&*member.key);
            if is_thought && target.reasoning == ReasoningField::None {
                is_changed = true;
                continue;
            }
            let details = raw::items(member.value).ok().filter(|_| member.key == "reasoning_details");
            let Some(details) = details.filter(|details| details.iter().any(|one| is_marked_detail(one)))
            else {
                out.member(member);
                continue;
            };
            is_changed = true;
            let kept = details.into_iter().filter(|one| !is_marked_detail(one));
            let kept: Vec<Json> = kept.filter_map(|one| Json::parse(one).ok()).collect();
            if !kept.is_empty() {
                out.list("reasoning_details", kept);
            }
        }
        if is_changed {
            edits.push((span(body, message), out.finish().as_str().to_owned()));
        }
    }
    Some(edits)
}
