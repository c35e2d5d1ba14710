//! Compiler from schema text to the arena of nodes.

use std::collections::{HashMap, HashSet};

use bumpalo::Bump;
use toolwright_jsonrpc::raw::{self, Kind, Member, Node};

use super::draft::SchemaDraft;
use super::dynamic;
use super::error::SchemaError;
use super::forms::{count, is_assertion, misfit, number, shown, strings};
use super::pattern::SchemaPatterns;
use super::pointer::follow;
use super::{
    Condition, EnumOptions, KeywordGroups, Literal, MAX_NAME_BYTES, Schema, SchemaId, SchemaNode,
    SchemaPattern, Types, UnionChoice,
};
use crate::names::SplitName;

/// Maximum length of a schema text.
pub const MAX_SCHEMA_BYTES: usize = 1 << 20;
/// Maximum number of schemas in one tool.
pub const MAX_SUBSCHEMAS: usize = 10_000;

impl Schema {
    /// Compiles a schema. Resolves references into the schema; others are not validated.
    pub fn compile(text: &str) -> Result<Schema, SchemaError> {
        if text.len() > MAX_SCHEMA_BYTES {
            return Err(SchemaError::TooLong { bytes: text.len() });
        }
        let arena = Bump::new();
        let root = raw::parse(text, &arena).map_err(SchemaError::NotJson)?.root;
        if !matches!(root.kind, Kind::Object(_) | Kind::Bool(_)) {
            return Err(SchemaError::NotASchema { found: root.type_name() });
        }
        let uri = root.get("$schema").and_then(|uri| uri.as_text());
        let draft = uri.map_or(SchemaDraft::Year2020, |uri| SchemaDraft::named(&uri));
        if dynamic::is_undecided(&root, draft) {
            let notes = vec![dynamic::NOTE.to_owned()];
            return Ok(Schema {
                nodes: vec![SchemaNode::default()],
                root: SchemaId(0),
                names: HashMap::new(),
                notes,
            });
        }
        let mut compiler = Compiler {
            draft,
            root,
            anchors: HashMap::new(),
            known: HashMap::new(),
            nodes: Vec::new(),
            patterns: SchemaPatterns::default(),
            notes: Vec::new(),
        };
        compiler.find_anchors(&root);
        let id = compiler.schema(root, root)?;
        let mut nodes = compiler.nodes;
        tell_branches_apart(&mut nodes);
        let names = names(&nodes);
        let mut seen = HashSet::new();
        let notes = compiler.notes.into_iter().filter(|note| seen.insert(note.clone())).collect();
        Ok(Schema { nodes, root: id, names, notes })
    }
}

struct Compiler<'a> {
    draft: SchemaDraft,
    root: Node<'a>,
    /// `$id`, `$anchor` and their older forms, by the text of a reference to them.
    anchors: HashMap<String, Node<'a>>,
    /// Schemas that already have an index, by the address of their text.
    known: HashMap<usize, SchemaId>,
    nodes: Vec<SchemaNode>,
    patterns: SchemaPatterns,
    notes: Vec<String>,
}

impl<'a> Compiler<'a> {
    fn find_anchors(&mut self, node: &Node<'a>) {
        match node.kind {
            Kind::Object(members) => {
                for member in members {
                    if let Some(text) = member.value.as_text() {
                        match member.key {
                            "$anchor" | "$dynamicAnchor" => {
                                self.anchors.entry(format!("#{text}")).or_insert(*node);
                            }
                            "$id" | "id" => {
                                let name = text.trim_end_matches('#').to_owned();
                                self.anchors.entry(name).or_insert(*node);
                            }
                            _ => {}
                        }
                    }
                    self.find_anchors(&member.value);
                }
            }
            Kind::Array(items) => items.iter().for_each(|item| self.find_anchors(item)),
            _ => {}
        }
    }

    /// Compiles a schema once. `base` is the schema that local references are relative to.
    fn schema(&mut self, node: Node<'a>, base: Node<'a>) -> Result<SchemaId, SchemaError> {
        let place = node.source().map_or(0, |source| source.as_ptr() as usize);
        if let Some(id) = self.known.get(&place) {
            return Ok(*id);
        }
        if self.nodes.len() >= MAX_SUBSCHEMAS {
            return Err(SchemaError::TooMany);
        }
        let id = SchemaId(self.nodes.len() as u32);
        self.known.insert(place, id);
        self.nodes.push(SchemaNode::default());
        let compiled = match node.kind {
            Kind::Bool(false) => SchemaNode { never: true, ..SchemaNode::default() },
            Kind::Object(members) => {
                let own_base = match node.get("$id").and_then(|id| id.as_text()) {
                    Some(id) if !id.starts_with('#') => node,
                    _ => base,
                };
                self.keywords(members, own_base)?
            }
            Kind::Bool(true) => SchemaNode::default(),
            _ => {
                let found = shown(&node);
                self.notes.push(format!("{found} is not a schema, so it is not validated"));
                SchemaNode::default()
            }
        };
        self.nodes[id.0 as usize] = compiled;
        Ok(id)
    }

    fn keywords(&mut self, members: &'a [Member<'a>], base: Node<'a>) -> Result<SchemaNode, SchemaError> {
        let mut out = SchemaNode::default();
        self.note_what_is_not_read(members);
        let is_reference =
            |key: &str| matches!(key, "$ref" | "$dynamicRef" | "$recursiveRef") && self.draft.knows(key);
        let reference = members.iter().find(|member| is_reference(member.key));
        if let Some(target) = reference.and_then(|member| member.value.as_text()) {
            out.reference = self.reference(&target, base)?;
            out.has.combinators = true;
            // Before 2019-09 the siblings of a reference were ignored; a description is still used.
            if self.draft <= SchemaDraft::Seven {
                for sibling in members.iter().filter(|member| is_assertion(member.key)) {
                    let key = sibling.key;
                    self.notes.push(format!("\"{key}\" next to a \"$ref\" is not validated in this draft"));
                }
                return Ok(out);
            }
        }
        for member in members.iter().filter(|member| self.draft.knows(member.key)).collect::<Vec<_>>() {
            self.keyword(&mut out, member, base)?;
        }
        let value_of =
            |name: &str| members.iter().find(|member| member.key == name).map(|member| member.value);
        // The older spelling of tuples: the items after the listed ones.
        if self.draft.knows("additionalItems")
            && value_of("items").is_some_and(|items| items.as_array().is_some())
            && let Some(rest) = value_of("additionalItems")
        {
            out.array.items = Some(self.schema(rest, base)?);
        }
        // Draft 4 has booleans that make the bounds exclusive.
        let is_true = |name: &str| value_of(name).is_some_and(|value| matches!(value.kind, Kind::Bool(true)));
        if is_true("exclusiveMinimum") {
            out.number.above = out.number.minimum.take();
        }
        if is_true("exclusiveMaximum") {
            out.number.below = out.number.maximum.take();
        }
        let test = members.iter().find(|member| member.key == "if").filter(|_| self.draft.knows("if"));
        if let Some(test) = test {
            let branch = |name: &str| members.iter().find(|member| member.key == name);
            let test = self.schema(test.value, base)?;
            let then = branch("then").map(|member| self.schema(member.value, base)).transpose()?;
            let otherwise = branch("else").map(|member| self.schema(member.value, base)).transpose()?;
            out.condition = Some(Condition { test, then, otherwise });
        }
        if members
            .iter()
            .any(|member| member.key == "nullable" && matches!(member.value.kind, Kind::Bool(true)))
            && out.types != Types::ALL
        {
            out.types = out.types.union(Types::NULL);
        }
        out.read_union_of_texts(&self.nodes);
        let values =
            out.constant.iter().map(Literal::types).chain(out.options.iter().map(|options| options.types()));
        out.types = values.fold(out.types, Types::intersection);
        out.has = KeywordGroups::of(&out);
        Ok(out)
    }

    /// Notes keywords with an invalid value, and those that the schema's draft does not have.
    fn note_what_is_not_read(&mut self, members: &'a [Member<'a>]) {
        for member in members {
            let key = member.key;
            if !self.draft.knows(key) {
                self.notes
                    .push(format!("\"{key}\" is not a keyword of the schema's draft and is not validated"));
            } else if let Some(expected) = misfit(key, &member.value) {
                let found = shown(&member.value);
                self.notes.push(format!("\"{key}\" is {found} where {expected} is expected: not validated"));
            }
        }
    }

    fn keyword(
        &mut self,
        out: &mut SchemaNode,
        member: &Member<'a>,
        base: Node<'a>,
    ) -> Result<(), SchemaError> {
        let value = member.value;
        match member.key {
            "type" => out.types = self.types(&value),
            "const" => out.constant = Some(Literal::of(&value)),
            "enum" => {
                let list =
                    |items: &[Node<'a>]| Box::new(EnumOptions::new(items.iter().map(Literal::of).collect()));
                out.options = value.as_array().map(list);
            }
            "description" | "title" => {
                if let Some(text) = value.as_text() {
                    let joined = format!("{} {text}", out.description);
                    out.description = joined.trim().into();
                }
            }
            "default" => out.defaults_to_true = matches!(value.kind, Kind::Bool(true)),
            "allOf" => out.all_of = self.schemas(&value, base)?,
            "anyOf" => out.any_of = self.schemas(&value, base)?,
            "oneOf" => out.one_of = self.schemas(&value, base)?,
            "not" => out.not = Some(self.schema(value, base)?),
            "properties" => {
                for property in value.as_object().unwrap_or_default() {
                    let id = self.schema(property.value, base)?;
                    out.object.properties.push(property.key, id);
                }
            }
            "patternProperties" => {
                for property in value.as_object().unwrap_or_default() {
                    let pattern = self.pattern(property.key);
                    let id = self.schema(property.value, base)?;
                    out.object.pattern_properties.push((pattern, id));
                }
            }
            "additionalProperties" => out.object.additional = Some(self.schema(value, base)?),
            "unevaluatedProperties" => {
                out.object.unevaluated = Some(self.schema(value, base)?);
            }
            "propertyNames" => out.object.names = Some(self.schema(value, base)?),
            "required" => out.object.required = strings(&value),
            "dependentRequired" => {
                for entry in value.as_object().unwrap_or_default() {
                    out.object.dependent_required.push((entry.key.into(), strings(&entry.value)));
                }
            }
            "dependentSchemas" => self.dependent_schemas(out, &value, base)?,
            "dependencies" => {
                for entry in value.as_object().unwrap_or_default() {
                    if entry.value.as_array().is_some() {
                        out.object.dependent_required.push((entry.key.into(), strings(&entry.value)));
                    } else {
                        let id = self.schema(entry.value, base)?;
                        out.object.dependent_schemas.push((entry.key.into(), id));
                    }
                }
            }
            "minProperties" => out.object.min = count(&value),
            "maxProperties" => out.object.max = count(&value),
            "prefixItems" => out.array.prefix = self.schemas(&value, base)?,
            // The array form is the older spelling of `prefixItems`.
            "items" if value.as_array().is_some() => out.array.prefix = self.schemas(&value, base)?,
            "items" => out.array.items = Some(self.schema(value, base)?),
            "contains" => out.array.contains = Some(self.schema(value, base)?),
            "minContains" => out.array.min_contains = count(&value),
            "maxContains" => out.array.max_contains = count(&value),
            "unevaluatedItems" => {
                out.array.unevaluated = Some(self.schema(value, base)?);
            }
            "minItems" => out.array.min = count(&value),
            "maxItems" => out.array.max = count(&value),
            "uniqueItems" => out.array.unique = matches!(value.kind, Kind::Bool(true)),
            "minLength" => out.string.min = count(&value),
            "maxLength" => out.string.max = count(&value),
            "pattern" => {
                if let Some(text) = value.as_text() {
                    out.string.pattern = Some(self.pattern(&text));
                }
            }
            "format" | "contentMediaType" => {
                out.string.holds_json =
                    out.string.holds_json || value.as_text().is_some_and(|text| text.contains("json"));
            }
            "minimum" => out.number.minimum = number(&value),
            "maximum" => out.number.maximum = number(&value),
            "exclusiveMinimum" => out.number.above = number(&value),
            "exclusiveMaximum" => out.number.below = number(&value),
            "multipleOf" => {
                out.number.multiple_of = number(&value).filter(|_| misfit(member.key, &value).is_none());
            }
            _ => {}
        }
        Ok(())
    }

    fn dependent_schemas(
        &mut self,
        out: &mut SchemaNode,
        value: &Node<'a>,
        base: Node<'a>,
    ) -> Result<(), SchemaError> {
        for entry in value.as_object().unwrap_or_default() {
            let id = self.schema(entry.value, base)?;
            out.object.dependent_schemas.push((entry.key.into(), id));
        }
        Ok(())
    }

    fn types(&mut self, value: &Node<'a>) -> Types {
        let named = |node: &Node<'a>| node.as_text().and_then(|name| Types::named(&name));
        let found = match value.as_array() {
            Some([]) => None,
            Some(items) => {
                items.iter().map(named).try_fold(Types::NONE, |types, one| one.map(|one| types.union(one)))
            }
            None => named(value),
        };
        found.unwrap_or_else(|| {
            self.notes.push(format!(
                "the type {} is not a type of JSON Schema and is not validated",
                value.to_json()
            ));
            Types::ALL
        })
    }

    fn schemas(&mut self, value: &Node<'a>, base: Node<'a>) -> Result<Vec<SchemaId>, SchemaError> {
        value.as_array().unwrap_or_default().iter().map(|item| self.schema(*item, base)).collect()
    }

    fn pattern(&mut self, source: &str) -> SchemaPattern {
        let (pattern, is_new) = self.patterns.add(source);
        if let Some(reason) = pattern.unsupported().filter(|_| is_new) {
            self.notes.push(format!(
                "the pattern {} {} and is not validated",
                raw::quote(source),
                reason.describe()
            ));
        }
        pattern
    }

    fn reference(&mut self, target: &str, base: Node<'a>) -> Result<Option<SchemaId>, SchemaError> {
        let (document, fragment) = target.split_once('#').unwrap_or((target, ""));
        let start = match document {
            "" => Some(base),
            _ => self.anchors.get(document).copied(),
        };
        let found = start.and_then(|start| match fragment {
            "" => Some(start),
            pointer if pointer.starts_with('/') => {
                follow(start, pointer).or_else(|| follow(self.root, pointer))
            }
            anchor => self.anchors.get(&format!("#{anchor}")).copied(),
        });
        match found {
            // Inside another resource, local references are relative to it.
            Some(node) => self.schema(node, start.filter(|_| !document.is_empty()).unwrap_or(base)).map(Some),
            None => {
                let reason = if start.is_some() {
                    "points to nothing in this schema; its target is not validated"
                } else {
                    "points to another document, which is not fetched; its target is not validated"
                };
                self.notes.push(format!("the reference {} {reason}", raw::quote(target)));
                Ok(None)
            }
        }
    }
}

fn tell_branches_apart(nodes: &mut [SchemaNode]) {
    for index in 0..nodes.len() {
        nodes[index].any_choice = UnionChoice::of(nodes, &nodes[index].any_of).map(Box::new);
        nodes[index].one_choice = UnionChoice::of(nodes, &nodes[index].one_of).map(Box::new);
    }
}

fn names(nodes: &[SchemaNode]) -> HashMap<Box<str>, SplitName> {
    let declared = nodes.iter().flat_map(|node| node.object.properties.iter().map(|(name, _)| name));
    let required = nodes.iter().flat_map(|node| node.object.required.iter().map(|name| &**name));
    let names = declared.chain(required).filter(|name| name.len() <= MAX_NAME_BYTES);
    names.map(|name| (name.into(), SplitName::new(name))).collect()
}
