//! `json_accept_both`: raw JSON where the tool takes a string of JSON.
//!
//! `{"type": "json_accept_both", "from": "edits_json"}` turns a list or object into its JSON text; a
//! string is left alone.

use toolwright_jsonrpc::raw::Kind;
use toolwright_model::Code;

use super::{Applied, Site};
use crate::repair::{Path, preview};

pub(super) fn apply<'a>(site: &Site<'_, '_, 'a>, name: &str) -> Option<Applied<'a>> {
    let index = site.position(name)?;
    let value = site.members[index].value;
    if !matches!(value.kind, Kind::Array(_) | Kind::Object(_)) {
        return None;
    }
    let text = site.fitter.text_node(&value.to_json());
    if site.needs_agreement() && !site.agrees_to_value(name, &value, &text) {
        return None;
    }
    let path = Path::Root.key(name).to_string();
    let change = site.change(
        Code::ContainerToString,
        path,
        Some(preview(&value)),
        Some(preview(&text)),
        "raw JSON as text",
    );
    Some(Applied { members: site.with_value(index, text), changes: vec![change] })
}
