//! The usual mistake, mended at once: every name is right, and a number or a boolean is sent as text.
//!
//! Nothing else is looked at here. Whatever is not exactly this goes the whole way, which comes to the
//! same result for what is; a law in the tests holds the two together.

use bumpalo::Bump;
use smallvec::SmallVec;
use toolwright_jsonrpc::raw::{Kind, Member, Node};
use toolwright_model::{Change, Code, Origin, Outcome};

use crate::repair::{Path, change_of, plain_scalar};
use crate::rules::RuleSet;
use crate::schema::Judge;
use crate::tool::Tool;

/// Larger objects go the whole way.
const MAX_MEMBERS: usize = 32;

/// The outcome for arguments that the schema has rejected, if they hold nothing but the usual mistake.
pub(crate) fn mend<'a>(
    rules: &RuleSet,
    tool: &Tool,
    judge: &Judge<'_>,
    root: &Node<'a>,
    arena: &'a Bump,
) -> Option<Outcome> {
    let members = root.as_object().filter(|members| members.len() <= MAX_MEMBERS)?;
    let schema = tool.schema();
    let object = schema.node(schema.root());
    let is_plain = !object.has.combinators && object.object.pattern_properties.is_empty();
    if !is_plain || tool.origin() != Origin::Server || rules.may_touch(tool, members) {
        return None;
    }
    let mut mended: SmallVec<[Member<'a>; MAX_MEMBERS]> = SmallVec::new();
    let mut changes: Vec<Change> = Vec::new();
    for member in members {
        let id = object.object.properties.get(member.key)?;
        if mended.iter().any(|earlier| earlier.key == member.key) {
            return None;
        }
        if judge.accepts(id, &member.value) {
            mended.push(*member);
            continue;
        }
        let declared = schema.node(id);
        if declared.has.combinators || declared.has.values {
            return None;
        }
        let (value, why) = plain_scalar(&member.value, declared.types, arena)?;
        if !judge.accepts(id, &value) {
            return None;
        }
        changes.push(change_of(
            Code::StringToScalar,
            &Path::Root.key(member.key),
            &member.value,
            &value,
            why,
        ));
        mended.push(member.with_value(value));
    }
    let node = Node::built(Kind::Object(&mended));
    judge.accepts(schema.root(), &node).then(|| Outcome::Repaired { arguments: node.to_json(), changes })
}
