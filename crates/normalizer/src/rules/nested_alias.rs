//! `nested_alias`: a field under another name inside a payload.
//!
//! `{"type": "nested_alias", "in_payload": "pipeline_json", "array_path": "steps[]", "from": "type",
//! "to": "action"}` renames the field in every step, whether the payload is a string or raw JSON.

use toolwright_jsonrpc::raw::{Member, same_value};
use toolwright_model::Code;

use super::payload::{ArrayPath, Edit, edit};
use super::{Ruling, Site, param_alias};
use crate::repair::{Path, problem};

pub(super) fn apply<'a>(
    site: &Site<'_, '_, 'a>,
    payload: &str,
    path: &ArrayPath,
    from: &str,
    to: &str,
) -> Ruling<'a> {
    edit(site, payload, path, &mut Rename { site, from, to })
}

struct Rename<'r, 's, 'f, 'a> {
    site: &'r Site<'s, 'f, 'a>,
    from: &'r str,
    to: &'r str,
}

impl<'a> Edit<'a> for Rename<'_, '_, '_, 'a> {
    fn object(&mut self, members: &[Member<'a>], _: usize, place: &Path<'_>) -> Ruling<'a> {
        let (from, to) = (self.from, self.to);
        // A built-in rule does not decide between two different values, and no schema says that both
        // may stand there: the call is refused rather than passed with one of them unread.
        if self.site.needs_agreement() {
            let value = |key: &str| members.iter().find(|member| member.key == key).map(|found| found.value);
            if let (Some(alias), Some(explicit)) = (value(from), value(to))
                && !same_value(&alias, &explicit)
            {
                // What was learned says nothing about both at once.
                if self.site.rule.is_learned() {
                    return Ok(None);
                }
                let message = format!(
                    "\"{from}\" and \"{to}\" are two values for one field (rule {}); send one of them, as \"{to}\"",
                    self.site.rule.id
                );
                return Err(problem(Code::ConflictingValues, &place.key(from), message));
            }
        }
        Ok(param_alias::rename(self.site, members, from, to, Code::NestedAliasByRule, place))
    }
}
