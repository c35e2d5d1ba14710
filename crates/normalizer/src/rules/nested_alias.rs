//! `nested_alias`: a field under another name inside a payload.
//!
//! `{"type": "nested_alias", "in_payload": "pipeline_json", "array_path": "steps[]", "from": "type",
//! "to": "action"}` renames the field in every step, whether the payload is a string or raw JSON.

use toolwright_jsonrpc::raw::{Member, same_value};
use toolwright_model::Code;

use super::payload::{ArrayPath, PayloadEdit, edit};
use super::{Ruling, Site, param_alias};
use crate::repair::{ValuePath, problem};

pub(super) fn apply<'a>(
    site: &Site<'_, '_, 'a>,
    payload: &str,
    path: &ArrayPath,
    from: &str,
    to: &str,
) -> Ruling<'a> {
    edit(site, payload, path, &mut FieldRename { site, from, to })
}

struct FieldRename<'r, 's, 'f, 'a> {
    site: &'r Site<'s, 'f, 'a>,
    from: &'r str,
    to: &'r str,
}

impl<'a> PayloadEdit<'a> for FieldRename<'_, '_, '_, 'a> {
    fn object(&mut self, members: &[Member<'a>], _: usize, place: &ValuePath<'_>) -> Ruling<'a> {
        let (from, to) = (self.from, self.to);
        // A built-in rule does not decide between two different values, and no schema says that both are
        // allowed: the call is refused and not forwarded with one of them unread.
        if self.site.needs_agreement() {
            let value = |key: &str| members.iter().find(|member| member.key == key).map(|found| found.value);
            if let (Some(alias), Some(explicit)) = (value(from), value(to))
                && !same_value(&alias, &explicit)
            {
                // A learned rule has no evidence for both at once.
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
