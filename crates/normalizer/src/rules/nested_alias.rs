//! `nested_alias`: a field under another name inside a payload.
//!
//! `{"type": "nested_alias", "in_payload": "pipeline_json", "array_path": "steps[]", "from": "type",
//! "to": "action"}` renames the field in every step, whether the payload is a string or raw JSON.

use toolwright_model::Code;

use super::payload::{ArrayPath, edit};
use super::{Applied, Site, param_alias};

pub(super) fn apply<'a>(
    site: &Site<'_, '_, 'a>,
    payload: &str,
    path: &ArrayPath,
    from: &str,
    to: &str,
) -> Option<Applied<'a>> {
    edit(site, payload, path, &|members, _, _, place| {
        param_alias::rename(site, members, from, to, Code::N5, place)
    })
}
