//! Fast path for the most frequent mistake: every name is right, and a number or a boolean is sent as text.
//!
//! Nothing else is handled here. Any other call takes the full path, which has the same result for these calls;
//! a law in the tests compares the two.

use bumpalo::Bump;
use smallvec::SmallVec;
use toolwright_jsonrpc::raw::{Kind, Member, Node};
use toolwright_model::{Change, Code, Origin, Outcome};

use crate::repair::{ValuePath, change_of, plain_scalar};
use crate::rules::RuleSet;
use crate::schema::Validator;
use crate::tool::Tool;

/// Larger objects take the full path.
const MAX_MEMBERS: usize = 32;

/// The outcome for arguments that the schema rejects, if they have only this mistake.
pub(crate) fn repair<'a>(
    rules: &RuleSet,
    tool: &Tool,
    validator: &Validator<'_>,
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
    let mut repaired: SmallVec<[Member<'a>; MAX_MEMBERS]> = SmallVec::new();
    let mut changes: Vec<Change> = Vec::new();
    for member in members {
        let id = object.object.properties.get(member.key)?;
        if repaired.iter().any(|earlier| earlier.key == member.key) {
            return None;
        }
        if validator.accepts(id, &member.value) {
            repaired.push(*member);
            continue;
        }
        let declared = schema.node(id);
        if declared.has.combinators || declared.has.values {
            return None;
        }
        let (value, why) = plain_scalar(&member.value, declared.types, arena)?;
        if !validator.accepts(id, &value) {
            return None;
        }
        changes.push(change_of(
            Code::StringToScalar,
            &ValuePath::Root.key(member.key),
            &member.value,
            &value,
            why,
        ));
        repaired.push(member.with_value(value));
    }
    let node = Node::built(Kind::Object(&repaired));
    validator.accepts(schema.root(), &node).then(|| Outcome::Repaired { arguments: node.to_json(), changes })
}
