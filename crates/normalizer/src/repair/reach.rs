//! How much a call touches: no repair lets a tool that destroys or writes touch more than the call says.
//!
//! An empty filter, a guard under an unknown name and a list that says "everything" all leave a valid call
//! behind when they are dropped or converted, and that call deletes more. So what may be lost depends on the
//! tool: one that only reads loses nothing by it, one that writes loses nothing that narrows or guards, and one
//! that destroys loses nothing but remarks and flags that would let it destroy more.

use std::collections::HashSet;
use std::sync::LazyLock;

use toolwright_jsonrpc::raw::{Kind, Member, Node};

use super::{Fitter, Path};
use crate::names::{canonical, fold, folds_to, is_destructive_tool, lines, words};
use crate::schema::{Ids, Types};

static NARROWING: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let text = include_str!("../names/vocabulary/narrowing.txt");
    lines(text).flat_map(str::split_whitespace).map(canonical).collect()
});

/// Parameters that change nothing about what is destroyed: why it is done, and who hears of it. Folded.
const REMARKS: &[&str] = &["comment", "notify", "rationale", "reason", "remark"];

/// Words of flags that let a tool destroy more when they are true, so that it destroys less without them.
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

/// Words that turn a flag round.
const NEGATING: &[&str] = &["no", "non", "not", "never", "without", "disable", "prevent", "skip", "avoid"];

/// Texts that stand for everything there is, or for the place that holds it. Any text with a `*` does too.
const SWEEPING: &[&str] =
    &["", "%", "/", "\\", ".", "./", "..", "../", "~", "~/", "all", "any", "everything"];

/// Parameters that say what is done. Folded.
const DEEDS: &[&str] = &["action", "command", "deed", "method", "mode", "op", "operation", "task", "verb"];
/// How many levels of the arguments are searched for one.
const MAX_LEVELS: u32 = 3;
/// How many members of a level are.
const MAX_MEMBERS: usize = 64;
/// A longer text is no deed.
const MAX_DEED_BYTES: usize = 64;

/// What a tool can do to what it touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Destroys, interrupts or pays.
    Destroys,
    /// Changes what is there, or runs what it is given.
    Writes,
    /// Neither, by its name and its server's hint.
    Reads,
}

/// Whether a parameter of that name narrows or guards what a tool touches.
pub(crate) fn narrows(name: &str) -> bool {
    words(name).iter().any(|word| NARROWING.contains(canonical(word)))
}

/// Whether the arguments tell a tool of many deeds to destroy something: `{"action": "delete", "where": null}`.
pub(crate) fn asks_to_destroy(arguments: &Node<'_>) -> bool {
    destroys_within(arguments, MAX_LEVELS)
}

fn destroys_within(value: &Node<'_>, levels: u32) -> bool {
    let says_deed = |member: &Member<'_>| {
        DEEDS.iter().any(|deed| folds_to(member.key, deed))
            && member.value.as_text().is_some_and(|text| is_destructive_deed(&text))
    };
    let inside = |value: &Node<'_>| levels > 0 && destroys_within(value, levels - 1);
    match value.kind {
        Kind::Object(members) => {
            let first = &members[..members.len().min(MAX_MEMBERS)];
            first.iter().any(|member| says_deed(member) || inside(&member.value))
        }
        Kind::Array([only]) => inside(only),
        _ => false,
    }
}

/// `delete`, `DELETE_ALL`, `rows.purge`; a sentence is no deed.
fn is_destructive_deed(text: &str) -> bool {
    !text.trim().contains(char::is_whitespace) && text.len() <= MAX_DEED_BYTES && is_destructive_tool(text)
}

/// Whether a value stands for everything, or for nothing that would narrow.
pub(super) fn is_sweeping(value: &Node<'_>) -> bool {
    match value.kind {
        Kind::Null | Kind::Array([]) | Kind::Object([]) => true,
        Kind::String(_) => value.as_text().is_some_and(|text| {
            let text = text.trim().to_lowercase();
            text.contains('*')
                || SWEEPING.contains(&text.as_str())
                || super::empty::is_word_for_nothing(&text)
        }),
        _ => false,
    }
}

impl Fitter<'_, '_> {
    /// Whether more might be touched if the value at that place were lost or emptied.
    pub(super) fn is_guarded(&self, path: &Path<'_>) -> bool {
        match self.context.effect {
            Effect::Destroys => true,
            Effect::Writes => path.keys().any(narrows),
            Effect::Reads => false,
        }
    }

    /// Whether a declared parameter that says nothing may be left out without the call touching more for it.
    pub(super) fn may_leave_out(&self, path: &Path<'_>, name: &str, ids: &Ids) -> bool {
        match self.context.effect {
            Effect::Destroys => REMARKS.contains(&fold(name).as_str()) || self.is_enabling_flag(name, ids),
            Effect::Writes | Effect::Reads => !self.is_guarded(&path.key(name)),
        }
    }

    /// A flag that lets a tool destroy more, and that is off unless it is sent.
    fn is_enabling_flag(&self, name: &str, ids: &Ids) -> bool {
        let schema = self.judge.schema();
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
    fn a_parameter_that_says_how_much_is_touched_narrows() {
        for name in ["where", "filters", "olderThan", "max_items", "dryRun", "exclude", "path_prefix"] {
            assert!(narrows(name), "{name}");
        }
        for name in ["color", "priority", "verbose", "timeout", "title"] {
            assert!(!narrows(name), "{name}");
        }
    }
}
