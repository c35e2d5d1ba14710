//! `param_alias`: a parameter under another name.
//!
//! `{"type": "param_alias", "from": "filename", "to": "path"}` moves the value of `filename` to
//! `path`. A `path` that was given explicitly wins: `filename` is then dropped and reported.

use toolwright_jsonrpc::raw::{Member, Node, quote, same_value};
use toolwright_model::{Change, Code};

use super::{Action, AppliedRule, Site};
use crate::names::{NameContext, SplitName, compare};
use crate::repair::{ValuePath, preview};

pub(super) fn apply<'a>(site: &Site<'_, '_, 'a>, from: &str, to: &str) -> Option<AppliedRule<'a>> {
    if site.needs_agreement() {
        // Another spelling of the target is a second value for it: a built-in rule does not decide.
        let target = SplitName::new(to);
        let sent = site.position(from).map(|index| site.members[index].value)?;
        let is_rival = |member: &Member<'a>| {
            let key = member.key;
            !same_value(&member.value, &sent)
                && key != from
                && !site.is_declared(key)
                && compare(&SplitName::new(key), &target, NameContext::NONE).is_some()
        };
        let is_wanted = match site.around.is_valid {
            true => site.may_map(from) && !site.is_claimed(to) && !has_other_alias(site, from, to, &sent),
            false => !site.is_declared(from) && site.is_declared(to),
        };
        if !is_wanted || site.members.iter().any(is_rival) {
            return None;
        }
    }
    rename(site, site.members, from, to, Code::AliasByRule, &ValuePath::Root)
}

/// Whether another alias of the same parameter has another value.
fn has_other_alias<'a>(site: &Site<'_, '_, 'a>, from: &str, to: &str, sent: &Node<'a>) -> bool {
    let others = site.around.rules.iter().filter_map(|rule| match &rule.action {
        Action::ParamAlias { from: other, to: target } if target == to && other != from => Some(other),
        _ => None,
    });
    let mut values = others.filter_map(|other| site.position(other)).map(|index| site.members[index].value);
    values.any(|value| !same_value(&value, sent))
}

/// Renames a member; the explicit target wins over the alias.
pub(super) fn rename<'a>(
    site: &Site<'_, '_, 'a>,
    members: &[Member<'a>],
    from: &str,
    to: &str,
    code: Code,
    place: &ValuePath<'_>,
) -> Option<AppliedRule<'a>> {
    let index = members.iter().position(|member| member.key == from)?;
    let sent = members[index];
    let mut renamed = members.to_vec();
    let path = place.key(from).to_string();
    let change: Change = match members.iter().find(|member| member.key == to) {
        None => {
            let name: &'a str = site.fitter.arena.alloc_str(to);
            renamed[index] = Member::new(name, sent.value);
            site.change(code, path, Some(quote(from)), Some(quote(to)), "alias")
        }
        Some(explicit) => {
            let same = same_value(&explicit.value, &sent.value);
            // A built-in rule does not decide between two different values.
            if !same && site.needs_agreement() {
                return None;
            }
            renamed.remove(index);
            let why = if same {
                format!("the same value is given as \"{to}\"")
            } else {
                format!("conflict: \"{to}\" is given explicitly and wins")
            };
            site.change(Code::UnsupportedDropped, path, Some(preview(&sent.value)), None, &why)
        }
    };
    Some(AppliedRule { members: renamed, changes: vec![change] })
}
