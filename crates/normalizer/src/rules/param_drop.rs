//! `param_drop`: a parameter that the tool does not support.
//!
//! `{"type": "param_drop", "from": "offset"}` removes `offset`; the removal is reported.

use toolwright_model::Code;

use super::{AppliedRule, Site};
use crate::repair::{ValuePath, preview};

pub(super) fn apply<'a>(site: &Site<'_, '_, 'a>, name: &str) -> Option<AppliedRule<'a>> {
    let index = site.position(name)?;
    // A declared parameter is never dropped, whatever the setting of the server.
    let is_wanted = || match site.around.is_valid {
        true => site.may_map(name) && site.is_undeclared(name),
        false => !site.is_declared(name),
    };
    if site.needs_agreement() && !is_wanted() {
        return None;
    }
    let mut members = site.members.to_vec();
    let dropped = members.remove(index);
    let from = Some(preview(&dropped.value));
    let change = site.change(
        Code::UnsupportedDropped,
        ValuePath::Root.key(name).to_string(),
        from,
        None,
        "dropped as the rule says",
    );
    Some(AppliedRule { members, changes: vec![change] })
}
