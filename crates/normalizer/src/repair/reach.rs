//! Reach of a call: no repair makes a destructive or writing tool affect more than the call says.
//!
//! An empty filter, a guard under an unknown name and a list that selects everything all leave a valid call
//! when they are dropped or converted, and that call deletes more. So what may be dropped depends on the
//! tool: for a reading tool anything, for a writing tool nothing that narrows or guards, and for a
//! destructive tool only remarks and flags that would let it destroy more.

use std::collections::HashSet;
use std::sync::LazyLock;

use toolwright_jsonrpc::raw::{Kind, Member, Node};

use super::{Fitter, ValuePath};
use crate::names::{canonical, fold, folds_to, is_destructive_tool, lines, words};
use crate::schema::{SchemaIds, Types};

static NARROWING: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let text = include_str!("../names/vocabulary/narrowing.txt");
    lines(text).flat_map(str::split_whitespace).map(canonical).collect()
});

/// Folded names of parameters that do not affect what is destroyed: the reason, and who is notified.
const REMARKS: &[&str] = &["comment", "notify", "rationale", "reason", "remark"];

/// Words of flags that let a tool destroy more if they are true, so that it destroys less without them.
const ENABLING: &[&str] = &[
    "all",
    "cascade",
    "everything",
    "force",
    "hard",
    "permanent",
    "permanently",
    "purge",
    "recursive",
    "recursively",
];

/// Words that invert a flag.
const NEGATING: &[&str] = &["no", "non", "not", "never", "without", "disable", "prevent", "skip", "avoid"];

/// Texts that select everything, or the root of everything. Any text with a `*` does too.
const EVERYTHING: &[&str] =
    &["", "%", "/", "\\", ".", "./", "..", "../", "~", "~/", "all", "any", "everything"];

/// Folded names of parameters that select an action.
const ACTIONS: &[&str] = &["action", "command", "deed", "method", "mode", "op", "operation", "task", "verb"];
/// Maximum depth of the arguments that is searched for an action.
const MAX_LEVELS: u32 = 3;
/// Maximum number of members of a level that are searched for an action.
const MAX_MEMBERS: usize = 64;
/// A longer text is not an action.
const MAX_ACTION_BYTES: usize = 64;

/// The effect of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ToolEffect {
    /// Destroys, interrupts or pays.
    Destroys,
    /// Changes existing data, or runs its input.
    Writes,
    /// Neither, by its name and its server's hint.
    Reads,
}

/// Whether a parameter of that name narrows or guards the effect of a tool.
pub(crate) fn narrows(name: &str) -> bool {
    words(name).iter().any(|word| NARROWING.contains(canonical(word)))
}

/// Whether the arguments select a destructive action of a tool with several: `{"action": "delete", "where": null}`.
pub(crate) fn requests_destruction(arguments: &Node<'_>) -> bool {
    destroys_within(arguments, MAX_LEVELS)
}

fn destroys_within(value: &Node<'_>, levels: u32) -> bool {
    let names_action = |member: &Member<'_>| {
        ACTIONS.iter().any(|action| folds_to(member.key, action))
            && member.value.as_text().is_some_and(|text| is_destructive_action(&text))
    };
    let inside = |value: &Node<'_>| levels > 0 && destroys_within(value, levels - 1);
    match value.kind {
        Kind::Object(members) => {
            let first = &members[..members.len().min(MAX_MEMBERS)];
            first.iter().any(|member| names_action(member) || inside(&member.value))
        }
        Kind::Array([only]) => inside(only),
        _ => false,
    }
}

/// `delete`, `DELETE_ALL`, `rows.purge`; a sentence is not an action.
fn is_destructive_action(text: &str) -> bool {
    !text.trim().contains(char::is_whitespace) && text.len() <= MAX_ACTION_BYTES && is_destructive_tool(text)
}

/// Whether a value selects everything, or does not narrow.
pub(super) fn may_select_all(value: &Node<'_>) -> bool {
    match value.kind {
        Kind::Null | Kind::Array([]) | Kind::Object([]) => true,
        Kind::String(_) => value.as_text().is_some_and(|text| {
            let text = text.trim().to_lowercase();
            text.contains('*')
                || EVERYTHING.contains(&text.as_str())
                || super::empty::is_word_for_nothing(&text)
        }),
        _ => false,
    }
}

impl Fitter<'_, '_> {
    /// Whether the call might affect more if the value at that position were dropped or emptied.
    pub(super) fn is_guarded(&self, path: &ValuePath<'_>) -> bool {
        match self.context.effect {
            ToolEffect::Destroys => true,
            ToolEffect::Writes => path.keys().any(narrows),
            ToolEffect::Reads => false,
        }
    }

    /// Whether an empty declared parameter may be left out without widening the call.
    pub(super) fn may_leave_out(&self, path: &ValuePath<'_>, name: &str, ids: &SchemaIds) -> bool {
        match self.context.effect {
            ToolEffect::Destroys => {
                REMARKS.contains(&fold(name).as_str()) || self.is_enabling_flag(name, ids)
            }
            ToolEffect::Writes | ToolEffect::Reads => !self.is_guarded(&path.key(name)),
        }
    }

    /// A flag that lets a tool destroy more, and that is off by default.
    fn is_enabling_flag(&self, name: &str, ids: &SchemaIds) -> bool {
        let schema = self.validator.schema();
        let is_flag = ids.iter().any(|id| schema.node(*id).types == Types::BOOLEAN);
        let is_on_by_itself = ids.iter().any(|id| schema.node(*id).defaults_to_true);
        let words = words(name);
        let has_one_of = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
        is_flag && !is_on_by_itself && has_one_of(ENABLING) && !has_one_of(NEGATING)
    }
}

#[cfg(test)]
mod tests {
    use super::narrows;

    #[test]
    fn limiting_parameter_narrows() {
        for name in ["where", "filters", "olderThan", "max_items", "dryRun", "exclude", "path_prefix"] {
            assert!(narrows(name), "{name}");
        }
        for name in ["color", "priority", "verbose", "timeout", "title"] {
            assert!(!narrows(name), "{name}");
        }
    }
}
