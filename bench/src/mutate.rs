//! Mistakes of models as edits on a valid call.
//!
//! A [`Mutation`] is one mistake. It is offered only where it alone makes the call invalid, so that the one right
//! answer to it is the original call; [`fit`] says which mistakes can be made in one call without becoming
//! ambiguous together.

pub mod apply;
pub mod envelope;
pub mod names;
pub mod nulls;
pub mod syntax;
pub mod values;

use serde_json::Value;

use crate::alias;
use crate::corpus::{self, Tool};
use crate::rng::Rng;
use crate::schema;
use crate::site::{self, Path, Site};

/// All kinds of mistakes in values, names and nesting. The part before the colon is the stage that mends it.
pub const KINDS: [&str; 24] = [
    "type:scalar_text",
    "type:json_text",
    "type:python_text",
    "type:one_for_list",
    "type:list_for_one",
    "type:number_for_string",
    "type:object_for_json_text",
    "enum:form",
    "null:null",
    "null:empty",
    "null:word",
    "null:unknown",
    "key:case",
    "key:case_all",
    "key:typo",
    "key:alias",
    "wrapper:missing",
    "wrapper:missing_beside_others",
    "envelope:key",
    "envelope:tool_name",
    "envelope:list",
    "envelope:call",
    "envelope:call_text",
    "envelope:key_text",
];

/// One change to a value.
#[derive(Debug, Clone)]
pub enum Edit {
    /// The value at a path becomes another one.
    Change(Path, Change),
    /// An object gets a further member.
    Insert(Path, String, Value),
    /// An object loses a member.
    Remove(Path, String),
    /// Members of an object get other names.
    Rename(Path, Vec<(String, String)>),
    /// The members of this member stand one level too high.
    Lift(String),
    /// The arguments stand inside something.
    Envelope(envelope::Envelope),
}

/// What a value becomes, whatever happened inside it before.
#[derive(Debug, Clone)]
pub enum Change {
    /// This value.
    To(Value),
    /// Its JSON text.
    JsonText,
    /// Its Python text.
    PythonText,
    /// A list with it as the only item.
    ListOfOne,
    /// Its only item.
    OnlyItem,
}

/// One mistake of a model.
#[derive(Debug, Clone)]
pub struct Mutation {
    /// One of [`KINDS`], or the name of a trap.
    pub kind: &'static str,
    /// What it does.
    pub edits: Vec<Edit>,
}

impl Mutation {
    /// A mistake made of one edit.
    pub fn new(kind: &'static str, edit: Edit) -> Self {
        Self { kind, edits: vec![edit] }
    }

    /// The kind, and whether it is below the top level.
    pub fn label(&self) -> String {
        let deep = self.edits.iter().all(|edit| match edit {
            Edit::Change(path, _) => path.len() > 1,
            Edit::Insert(path, ..) | Edit::Remove(path, _) | Edit::Rename(path, _) => !path.is_empty(),
            Edit::Lift(_) | Edit::Envelope(_) => false,
        });
        if deep { format!("{}@nested", self.kind) } else { self.kind.to_string() }
    }

    /// Other spellings of the very same words.
    fn is_spelling(&self) -> bool {
        self.kind.starts_with("key:case")
    }

    /// Mistakes whose repair is a guess by name, which a destructive tool may refuse.
    pub fn is_inferred(&self) -> bool {
        matches!(self.kind, "key:typo" | "key:alias" | "wrapper:missing" | "wrapper:missing_beside_others")
    }
}

/// What a mistake is looked for in.
#[derive(Debug)]
pub struct Scene<'a> {
    /// The tool.
    pub tool: &'a Tool,
    /// A valid call of it.
    pub call: &'a Value,
    /// Its sites.
    pub sites: Vec<Site<'a>>,
}

impl<'a> Scene<'a> {
    /// Looks at a valid call.
    pub fn new(tool: &'a Tool, call: &'a Value) -> Self {
        Self { tool, call, sites: site::sites(&tool.schema, call) }
    }

    /// Whether the tool accepts these arguments.
    pub fn accepts(&self, arguments: &Value) -> bool {
        schema::accepts(&self.tool.schema, &self.tool.schema, arguments)
    }

    /// Whether the mutation alone makes the call invalid.
    pub fn is_error(&self, mutation: &Mutation) -> bool {
        apply::all(self.call, std::slice::from_ref(mutation)).is_some_and(|broken| !self.accepts(&broken))
    }
}

/// Every mistake that can be made in a call, several of each kind.
pub fn candidates(scene: &Scene<'_>, rng: &mut Rng) -> Vec<Mutation> {
    let mut found = changes(scene, rng);
    found.retain(|mutation| scene.is_error(mutation));
    if scene.tool.is_destructive() {
        found.retain(|mutation| !mutation.is_inferred());
    }
    found
}

/// The same changes, with those that leave the call valid and hence are no mistakes.
pub fn changes(scene: &Scene<'_>, rng: &mut Rng) -> Vec<Mutation> {
    let mut found = Vec::new();
    values::add(scene, rng, &mut found);
    nulls::add(scene, rng, &mut found);
    names::add(scene, rng, &mut found);
    envelope::add(scene, rng, &mut found);
    found
}

/// Whether a further mistake can be made beside those already chosen, with the original still the one answer.
pub fn fit(scene: &Scene<'_>, chosen: &[Mutation], next: &Mutation) -> bool {
    let edits = || chosen.iter().flat_map(|mutation| mutation.edits.iter().map(move |edit| (mutation, edit)));
    let envelopes = |edit: &Edit| matches!(edit, Edit::Envelope(_));
    if next.edits.iter().any(envelopes) && edits().filter(|(_, edit)| envelopes(edit)).count() >= 2 {
        return false;
    }
    next.edits.iter().all(|edit| {
        edits().all(|(mutation, other)| {
            fits(scene, (mutation, other), (next, edit)) && fits(scene, (next, edit), (mutation, other))
        })
    })
}

/// One direction of the check; the caller asks both ways.
fn fits(scene: &Scene<'_>, (one_kind, one): (&Mutation, &Edit), (two_kind, two): (&Mutation, &Edit)) -> bool {
    match (one, two) {
        (Edit::Change(path, change), Edit::Change(other, inner)) => {
            let only_child = other.len() == path.len() + 1 && other.starts_with(path);
            let cancels = matches!((change, inner), (Change::OnlyItem, Change::ListOfOne)) && only_child;
            path != other && !cancels
        }
        (Edit::Rename(path, pairs), Edit::Rename(other, others)) if path == other => {
            // Each sent name must point at its own parameter only, now that both are missing.
            pairs.iter().all(|(from, to)| {
                others.iter().all(|(other_from, other_to)| {
                    let clear = one_kind.is_spelling() || !alias::may_mean(to, other_from);
                    from != other_from && to != other_to && clear
                })
            })
        }
        (Edit::Insert(path, key, _), Edit::Insert(other, other_key, _)) => path != other || key != other_key,
        (Edit::Insert(path, key, _), Edit::Rename(other, pairs)) => {
            let clear = |to: &str| two_kind.is_spelling() || !alias::may_mean(to, key);
            path != other || pairs.iter().all(|(_, to)| key != to && clear(to))
        }
        (Edit::Remove(path, key), Edit::Change(other, _)) => {
            let mut gone = path.clone();
            gone.push(site::Step::Key(key.clone()));
            !other.starts_with(&gone)
        }
        (Edit::Lift(_), Edit::Lift(_)) => false,
        (Edit::Lift(key), Edit::Change(path, _)) => *path != [site::Step::Key(key.clone())],
        (Edit::Lift(_), Edit::Insert(..)) => two_kind.kind != "null:unknown",
        (Edit::Lift(key), Edit::Rename(path, pairs)) => match path.as_slice() {
            [] => pairs.iter().all(|(from, _)| from != key),
            [site::Step::Key(inside)] if inside == key => {
                // Enough members must keep their names to show where they belong.
                let inner = scene.call.get(key).and_then(Value::as_object).map_or(0, |inner| inner.len());
                !two_kind.is_inferred() || inner >= 3
            }
            _ => true,
        },
        (Edit::Envelope(one), Edit::Envelope(two)) => envelope::stack(one, two),
        _ => true,
    }
}

/// Whether a name is one that destructive calls depend on.
pub fn is_touchy(key: &str) -> bool {
    corpus::is_destructive_name(key)
}
