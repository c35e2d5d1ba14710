//! Schemas that are simple enough to be followed while a value is being written.

use crate::schema::{Schema, SchemaId, SchemaNode, Types};

/// Maximum number of references that are followed.
const MAX_REFERENCES: usize = 8;

/// The root, if it only declares members.
pub(super) fn root(schema: &Schema) -> Option<SchemaId> {
    let id = resolved(schema, schema.root());
    let node = schema.node(id);
    (node.types.overlaps(Types::OBJECT) && has_plain_members(node)).then_some(id)
}

/// The schema of an object, if it only declares members.
pub(super) fn object(schema: &Schema, id: SchemaId) -> Option<SchemaId> {
    let id = resolved(schema, id);
    let node = schema.node(id);
    let is_one =
        node.types.overlaps(Types::OBJECT) && !node.types.overlaps(Types::STRING.union(Types::ARRAY));
    (is_one && has_plain_members(node)).then_some(id)
}

/// The schema of an array, if it only declares items.
pub(super) fn list(schema: &Schema, id: SchemaId) -> Option<SchemaId> {
    let id = resolved(schema, id);
    let node = schema.node(id);
    let is_one =
        node.types.overlaps(Types::ARRAY) && !node.types.overlaps(Types::STRING.union(Types::OBJECT));
    let array = &node.array;
    let is_plain = array.contains.is_none()
        && array.unevaluated.is_none()
        && array.min.is_none()
        && array.max.is_none()
        && !array.unique;
    (is_one && is_plain && !node.never && !node.has.values && !node.has.combinators).then_some(id)
}

/// The schema of an item.
pub(super) fn item(schema: &Schema, list: SchemaId, index: usize) -> Option<SchemaId> {
    let array = &schema.node(list).array;
    array.prefix.get(index).copied().or(array.items)
}

/// Whether every string is valid, whatever its contents.
pub(super) fn takes_any_text(schema: &Schema, id: SchemaId) -> bool {
    let node = schema.node(resolved(schema, id));
    !node.never
        && node.types.overlaps(Types::STRING)
        && !node.has.string
        && !node.has.values
        && !node.has.combinators
}

fn has_plain_members(node: &SchemaNode) -> bool {
    let object = &node.object;
    !node.never
        && !node.has.values
        && !node.has.combinators
        && object.pattern_properties.is_empty()
        && object.unevaluated.is_none()
        && object.names.is_none()
        && object.dependent_required.is_empty()
        && object.dependent_schemas.is_empty()
        && object.min.is_none()
        && object.max.is_none()
}

/// The target of a schema that is nothing but a reference.
fn resolved(schema: &Schema, mut id: SchemaId) -> SchemaId {
    for _ in 0..MAX_REFERENCES {
        let node = schema.node(id);
        let Some(target) = node.reference else { return id };
        let is_alone = !node.never
            && node.types == Types::ALL
            && !node.has.object
            && !node.has.array
            && !node.has.string
            && !node.has.number
            && !node.has.values
            && node.not.is_none()
            && node.condition.is_none()
            && node.all_of.is_empty()
            && node.any_of.is_empty()
            && node.one_of.is_empty();
        if !is_alone {
            return id;
        }
        id = target;
    }
    id
}
