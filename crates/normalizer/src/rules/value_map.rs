//! `value_map`: values for which the tool has other words.
//!
//! `{"type": "value_map", "from": "priority", "value": {"urgent": "high"}}` replaces the value
//! `"urgent"` of `priority` by `"high"`; other values stay unchanged.

use toolwright_jsonrpc::raw::{Kind, parse};
use toolwright_model::Code;

use super::{AppliedRule, Site};
use crate::repair::{ValuePath, preview};

pub(super) fn apply<'a>(
    site: &Site<'_, '_, 'a>,
    name: &str,
    pairs: &[(String, String)],
) -> Option<AppliedRule<'a>> {
    let index = site.position(name)?;
    let value = site.members[index].value;
    let sent = match value.kind {
        Kind::String(text) => text.decode().into_owned(),
        Kind::Number(text) => text.to_owned(),
        Kind::Bool(boolean) => boolean.to_string(),
        Kind::Null => "null".to_owned(),
        Kind::Array(_) | Kind::Object(_) => return None,
    };
    let (_, replacement) = pairs.iter().find(|(from, _)| *from == sent)?;
    let arena = site.fitter.arena;
    let node = parse(arena.alloc_str(replacement), arena).ok()?.root;
    if site.needs_agreement() && !site.agrees_to_value(name, &value, &node) {
        return None;
    }
    let path = ValuePath::Root.key(name).to_string();
    let change = site.change(
        Code::EnumForm,
        path,
        Some(preview(&value)),
        Some(preview(&node)),
        "mapped as the rule says",
    );
    Some(AppliedRule { members: site.with_value(index, node), changes: vec![change] })
}
