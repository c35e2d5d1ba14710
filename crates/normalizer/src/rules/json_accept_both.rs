//! `json_accept_both`: raw JSON for a tool that accepts a string of JSON.
//!
//! `{"type": "json_accept_both", "from": "edits_json"}` converts a list or object to its JSON text; a
//! string stays unchanged.

use toolwright_jsonrpc::raw::Kind;
use toolwright_model::Code;

use super::{AppliedRule, Site};
use crate::repair::{ValuePath, preview};

pub(super) fn apply<'a>(site: &Site<'_, '_, 'a>, name: &str) -> Option<AppliedRule<'a>> {
    let index = site.position(name)?;
    let value = site.members[index].value;
    if !matches!(value.kind, Kind::Array(_) | Kind::Object(_)) {
        return None;
    }
    let text = site.fitter.text_node(&value.to_json());
    if site.needs_agreement() && !site.agrees_to_value(name, &value, &text) {
        return None;
    }
    let path = ValuePath::Root.key(name).to_string();
    let change = site.change(
        Code::ContainerToString,
        path,
        Some(preview(&value)),
        Some(preview(&text)),
        "raw JSON as text",
    );
    Some(AppliedRule { members: site.with_value(index, text), changes: vec![change] })
}
