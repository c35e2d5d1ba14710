//! `param_default`: a missing parameter with its value.
//!
//! `{"type": "param_default", "from": "encoding", "value": "utf-8"}` adds `encoding` if it is
//! absent. The value has the type it is written with; a parameter that is present, even as `null`,
//! stays unchanged. `{{uuid}}` in a text is an id for the call (see `generated.rs`).

use toolwright_jsonrpc::raw::{Member, parse};
use toolwright_model::Code;

use super::generated::GeneratedIds;
use super::{AppliedRule, Site};
use crate::names::fold;
use crate::repair::ValuePath;

pub(super) fn apply<'a>(site: &Site<'_, '_, 'a>, name: &str, value: &str) -> Option<AppliedRule<'a>> {
    // Another spelling of the name is a value for it.
    let is_there = site.members.iter().any(|member| fold(member.key) == fold(name));
    if is_there || site.needs_agreement() && !site.is_declared(name) {
        return None;
    }
    let arena = site.fitter.arena;
    let place = ValuePath::Root.key(name).to_string();
    let value = GeneratedIds::default().fill(site, value, &place);
    let node = parse(arena.alloc_str(&value), arena).ok()?.root;
    let mut members = site.members.to_vec();
    members.push(Member::new(arena.alloc_str(name), node));
    let change = site.change(Code::DefaultByRule, place, None, Some(value.into_owned()), "default");
    Some(AppliedRule { members, changes: vec![change] })
}
