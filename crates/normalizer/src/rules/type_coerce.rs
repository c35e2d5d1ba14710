//! `type_coerce`: a string that should be a boolean, a number or the reverse.
//!
//! `{"type": "type_coerce", "from": "force", "coerce_to": "bool"}` converts `"true"`, `"1"` and `"yes"`
//! to `true`, `"false"`, `"0"` and `"no"` to `false`, in any case. `int` and `float` accept plain
//! numbers, `string` accepts numbers and booleans. Everything else stays unchanged.

use toolwright_jsonrpc::raw::{Kind, Node, Number, is_json_number};
use toolwright_model::Code;

use super::{AppliedRule, Site};
use crate::names::is_destructive_flag;
use crate::repair::{ValuePath, preview};

/// The type to coerce to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoerceTo {
    /// `bool`
    Bool,
    /// `int`
    Int,
    /// `float`
    Float,
    /// `string`
    String,
}

impl CoerceTo {
    /// The types by their names in a rules file.
    pub const NAMES: &[(&str, CoerceTo)] = &[
        ("bool", CoerceTo::Bool),
        ("int", CoerceTo::Int),
        ("float", CoerceTo::Float),
        ("string", CoerceTo::String),
    ];
}

pub(super) fn apply<'a>(site: &Site<'_, '_, 'a>, name: &str, to: CoerceTo) -> Option<AppliedRule<'a>> {
    let index = site.position(name)?;
    let value = site.members[index].value;
    let coerced = coerce(site, &value, to)?;
    if site.needs_agreement() && !site.agrees_to_value(name, &value, &coerced) {
        return None;
    }
    // A built-in rule does not accept `yes` for a destructive flag.
    let is_spelt_out =
        || value.as_text().is_some_and(|text| ["true", "false"].contains(&&*text.to_lowercase()));
    if site.needs_agreement() && is_destructive_flag(name) && !is_spelt_out() {
        return None;
    }
    let code = if to == CoerceTo::String { Code::NumberToString } else { Code::StringToScalar };
    let path = ValuePath::Root.key(name).to_string();
    let change =
        site.change(code, path, Some(preview(&value)), Some(preview(&coerced)), "coerced as the rule says");
    Some(AppliedRule { members: site.with_value(index, coerced), changes: vec![change] })
}

fn coerce<'a>(site: &Site<'_, '_, 'a>, value: &Node<'a>, to: CoerceTo) -> Option<Node<'a>> {
    let arena = site.fitter.arena;
    match (to, value.kind) {
        (CoerceTo::String, Kind::Number(text)) => Some(site.fitter.text_node(text)),
        (CoerceTo::String, Kind::Bool(boolean)) => Some(site.fitter.text_node(&boolean.to_string())),
        (CoerceTo::String, _) => None,
        (_, Kind::String(text)) => {
            let text = text.decode();
            let kind = match to {
                CoerceTo::Bool => Kind::Bool(boolean(&text)?),
                _ => {
                    let number = Number::parse(&text).filter(|_| is_json_number(&text))?;
                    let fits =
                        to == CoerceTo::Float || number.is_integer() && !text.contains(['.', 'e', 'E']);
                    Kind::Number(fits.then(|| &*arena.alloc_str(&text))?)
                }
            };
            Some(Node::built(kind))
        }
        _ => None,
    }
}

/// The boolean of a word.
pub(super) fn boolean(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" => Some(true),
        "false" | "0" | "no" => Some(false),
        _ => None,
    }
}
