//! The constraint that a value breaks, with its limit and its keyword in the schema.
//!
//! The validator only says no. For a refused value the same keywords are evaluated once more, up to the
//! first that is broken: `"limit" is 500, but at most 100 is allowed (maximum)`.

use toolwright_jsonrpc::raw::{Kind, Member, Node, Number, Str, quote, same_value};
use toolwright_model::{Code, Problem};

use super::expected::counted;
use super::{Fitter, ValuePath, preview, problem};
use crate::schema::{Literal, NumberKeywords, SchemaId, SchemaNode, StringKeywords};

/// Maximum depth of nested schemas that are followed.
const MAX_DEPTH: u32 = 32;
/// Maximum number of allowed values that are listed.
pub(super) const LISTED_VALUES: usize = 24;

impl<'a> Fitter<'_, 'a> {
    /// The first constraint that the value breaks; `None` if it breaks none or the limit is reached.
    pub(super) fn breach(&self, ids: &[SchemaId], value: &Node<'a>, path: &ValuePath<'_>) -> Option<Problem> {
        ids.iter().find_map(|id| self.broken(*id, value, path, 0))
    }

    fn broken(&self, id: SchemaId, value: &Node<'_>, path: &ValuePath<'_>, depth: u32) -> Option<Problem> {
        if self.validator.accepts(id, value) || self.validator.is_exhausted() || depth > MAX_DEPTH {
            return None;
        }
        let node = self.validator.schema().node(id);
        let found = |message: String| Some(problem(Code::ValueMismatch, path, message));
        if node.never {
            return found(format!("{} not allowed here (false)", path.being()));
        }
        if !node.types.accept(value) {
            let expected = self.expected(&[id]);
            return found(wrong_type(value, path, &expected));
        }
        if let Some(message) = broken_value(node, value) {
            return Some(problem(Code::UnknownEnumValue, path, message));
        }
        let own = match value.kind {
            Kind::Object(members) => self
                .broken_object(node, members, path)
                .or_else(|| self.broken_member(node, members, value, path, depth)),
            Kind::Array(items) => self.broken_array(node, items, path, depth),
            Kind::String(text) => broken_text(&node.string, value, &text.decode(), path).and_then(found),
            Kind::Number(digits) => Number::parse(digits)
                .and_then(|number| broken_number(&node.number, &number))
                .and_then(|rule| found(format!("{} {}, but {rule}", path.being(), preview(value)))),
            Kind::Null | Kind::Bool(_) => None,
        };
        own.or_else(|| self.broken_combination(node, value, path, depth))
            .or_else(|| self.unevaluated(id, value, path))
    }

    fn broken_object(
        &self,
        node: &SchemaNode,
        members: &[Member<'_>],
        path: &ValuePath<'_>,
    ) -> Option<Problem> {
        let object = &node.object;
        let has = |key: &str| members.iter().any(|member| member.key == key);
        if let Some(name) = object.required.iter().find(|name| !has(name)) {
            let message = format!("required parameter {} is missing", quote(name));
            return Some(problem(Code::MissingRequired, &path.key(name), message));
        }
        if let Some(rule) = broken_count(members.len(), object.min, object.max, "Properties") {
            let have = if matches!(path, ValuePath::Root) { "have" } else { "has" };
            let count = counted(members.len() as u64, "member");
            return Some(problem(
                Code::ValueMismatch,
                path,
                format!("{} {have} {count}, but {rule}", path.subject()),
            ));
        }
        let lacking =
            object.dependent_required.iter().filter(|(key, _)| has(key)).find_map(|(key, needed)| {
                needed.iter().find(|needed| !has(needed)).map(|needed| (key, needed))
            });
        lacking.map(|(key, needed)| {
            let message = format!("{} needs {} as well (dependentRequired)", quote(key), quote(needed));
            problem(Code::ValueMismatch, &path.key(needed), message)
        })
    }

    fn broken_member(
        &self,
        node: &SchemaNode,
        members: &[Member<'_>],
        value: &Node<'_>,
        path: &ValuePath<'_>,
        depth: u32,
    ) -> Option<Problem> {
        let object = &node.object;
        let inside = members.iter().find_map(|member| {
            let place = path.key(member.key);
            let broken = |id: SchemaId| self.broken(id, &member.value, &place, depth + 1);
            let matching =
                || object.pattern_properties.iter().filter(|(pattern, _)| pattern.matches(member.key));
            let declared = object.properties.get(member.key);
            let is_known = declared.is_some() || matching().next().is_some();
            let rest = object.additional.filter(|_| !is_known);
            declared
                .and_then(broken)
                .or_else(|| matching().find_map(|(_, id)| broken(*id)))
                .or_else(|| rest.and_then(broken))
        });
        let by_name = || {
            let names = object.names?;
            members.iter().find_map(|member| {
                let escaped = quote(member.key);
                let name = Node::built(Kind::String(Str::from_escaped(&escaped[1..escaped.len() - 1])));
                let place = path.key(member.key);
                let why = self.broken(names, &name, &place, depth + 1)?;
                let message = format!("the key {escaped} is not allowed (propertyNames): {}", why.message);
                Some(problem(Code::ValueMismatch, &place, message))
            })
        };
        let by_dependence = || {
            let present = object.dependent_schemas.iter().filter(|(key, _)| value.get(key).is_some());
            present.into_iter().find_map(|(key, id)| {
                let mut found = self.broken(*id, value, path, depth + 1)?;
                found.message =
                    format!("{} (because {} is there: dependentSchemas)", found.message, quote(key));
                Some(found)
            })
        };
        inside.or_else(by_name).or_else(by_dependence)
    }

    /// A member or item that no schema evaluates, if that is not allowed.
    fn unevaluated(&self, id: SchemaId, value: &Node<'_>, path: &ValuePath<'_>) -> Option<Problem> {
        let node = self.validator.schema().node(id);
        let refuse = |place: ValuePath<'_>, keyword: &str| {
            Some(problem(
                Code::ValueMismatch,
                &place,
                format!("{} not allowed here ({keyword})", place.being()),
            ))
        };
        if let (Some(rest), Some(members)) = (node.object.unevaluated, value.as_object()) {
            let is_rest = |member: &&Member<'_>| {
                !self.validator.evaluates_key(id, member.key, value)
                    && !self.validator.accepts(rest, &member.value)
            };
            return members
                .iter()
                .find(is_rest)
                .and_then(|member| refuse(path.key(member.key), "unevaluatedProperties"));
        }
        let (rest, items) = (node.array.unevaluated?, value.as_array()?);
        let is_rest = |(index, item): &(usize, &Node<'_>)| {
            !self.validator.evaluates_item(id, *index, item, value) && !self.validator.accepts(rest, item)
        };
        items
            .iter()
            .enumerate()
            .find(is_rest)
            .and_then(|(index, _)| refuse(path.item(index), "unevaluatedItems"))
    }

    fn broken_array(
        &self,
        node: &SchemaNode,
        items: &[Node<'_>],
        path: &ValuePath<'_>,
        depth: u32,
    ) -> Option<Problem> {
        let array = &node.array;
        let found = |message: String| Some(problem(Code::ValueMismatch, path, message));
        if let Some(rule) = broken_count(items.len(), array.min, array.max, "Items") {
            return found(format!(
                "{} has {}, but {rule}",
                path.subject(),
                counted(items.len() as u64, "item")
            ));
        }
        if array.unique
            && let Some((first, second)) = repeated(items)
        {
            return found(format!(
                "{} has {} at {first} and at {second}, but every item may occur only once (uniqueItems)",
                path.subject(),
                preview(&items[first])
            ));
        }
        let inside = items.iter().enumerate().find_map(|(index, item)| {
            let id = array.prefix.get(index).copied().or(array.items)?;
            self.broken(id, item, &path.item(index), depth + 1)
        });
        if inside.is_some() {
            return inside;
        }
        let id = array.contains?;
        let count = items.iter().filter(|item| self.validator.accepts(id, item)).count();
        let min = Some(array.min_contains.unwrap_or(1));
        let rule = broken_count(count, min, array.max_contains, "Contains")?;
        let rule = if array.min_contains.is_none() { rule.replace("minContains", "contains") } else { rule };
        let wanted = self.expected(&[id]);
        found(format!(
            "{} has {} that fit {wanted}, but {rule}",
            path.subject(),
            counted(count as u64, "item")
        ))
    }

    fn broken_combination(
        &self,
        node: &SchemaNode,
        value: &Node<'_>,
        path: &ValuePath<'_>,
        depth: u32,
    ) -> Option<Problem> {
        let inner = |id: &SchemaId| self.broken(*id, value, path, depth + 1);
        let found = |message: String| Some(problem(Code::ValueMismatch, path, message));
        if let Some(found) = node.reference.iter().chain(&node.all_of).find_map(inner) {
            return Some(found);
        }
        for (union, keyword) in [(&node.any_of, "anyOf"), (&node.one_of, "oneOf")] {
            let fitting = union.iter().filter(|id| self.validator.accepts(**id, value)).count();
            if keyword == "oneOf" && fitting > 1 {
                let count = union.len();
                return found(format!(
                    "{} {}, which fits {fitting} of the {count} allowed forms, but must fit exactly one (oneOf)",
                    path.being(),
                    preview(value)
                ));
            }
            if !union.is_empty() && fitting == 0 {
                let of_type = |id: &&SchemaId| self.validator.schema().node(**id).types.accept(value);
                let mut near = union.iter().filter(of_type);
                if let (Some(only), None) = (near.next(), near.next()) {
                    return inner(only);
                }
                let expected = self.expected_of_either(union);
                return found(format!(
                    "{} {}, which fits none of the {} allowed forms ({keyword}): {expected}",
                    path.being(),
                    preview(value),
                    union.len()
                ));
            }
        }
        if let Some(id) = node.not.filter(|id| self.validator.accepts(*id, value)) {
            return found(format!("{} {}, but {} (not)", path.being(), preview(value), self.forbidden(id)));
        }
        let condition = node.condition?;
        let branch =
            if self.validator.accepts(condition.test, value) { condition.then } else { condition.otherwise };
        branch.as_ref().and_then(inner)
    }

    /// Describes what a schema under `not` forbids.
    fn forbidden(&self, id: SchemaId) -> String {
        let node = self.validator.schema().node(id);
        match &node.object.required[..] {
            [] => match self.expected(&[id]).as_str() {
                "any value" => "that is not allowed".to_owned(),
                expected => format!("{expected} is not allowed"),
            },
            [name] => format!("{} may not be there", quote(name)),
            names => {
                let names: Vec<String> = names.iter().map(|name| quote(name)).collect();
                format!("{} may not be used together", names.join(" and "))
            }
        }
    }
}

/// `5 is a number, but a string is expected`; a null is named by its position.
pub(super) fn wrong_type(value: &Node<'_>, path: &ValuePath<'_>, expected: &str) -> String {
    match value.kind {
        Kind::Null => format!("{} null, but {expected} is expected", path.being()),
        _ => format!("{} is {}, but {expected} is expected", preview(value), value.a_type_name()),
    }
}

/// The message for a value that is not the one that `const`, or an `enum` of one, allows.
pub(super) fn not_the_only(value: &Node<'_>, only: &Literal, is_constant: bool) -> String {
    let keyword = if is_constant { "const" } else { "enum" };
    format!("{} is not allowed; only {} is ({keyword})", preview(value), only.to_json())
}

fn broken_value(node: &SchemaNode, value: &Node<'_>) -> Option<String> {
    let is_off = |literal: &&Literal| !literal.equals(value);
    if let Some(only) = node.constant.as_ref().filter(is_off) {
        return Some(not_the_only(value, only, true));
    }
    let options = node.options.as_ref().filter(|options| !options.contain(value))?;
    if let (1, Some(only)) = (options.len(), options.iter().next()) {
        return Some(not_the_only(value, only, false));
    }
    let listed: Vec<String> = options.iter().map(Literal::to_json).take(LISTED_VALUES).collect();
    Some(format!("{} is none of the allowed values: {}", preview(value), listed.join(", ")))
}

fn broken_number(limits: &NumberKeywords, number: &Number) -> Option<String> {
    let breaks = |limit: &Option<Number>, fits: fn(&Number, &Number) -> bool, words: &str, keyword: &str| {
        let limit = limit.as_ref().filter(|limit| !fits(number, limit))?;
        Some(format!("{} ({keyword})", words.replace("{}", &limit.to_string())))
    };
    let is_multiple = |number: &Number, step: &Number| number.is_multiple_of(step).unwrap_or(true);
    breaks(&limits.minimum, |number, limit| number >= limit, "at least {} is expected", "minimum")
        .or_else(|| {
            breaks(&limits.maximum, |number, limit| number <= limit, "at most {} is allowed", "maximum")
        })
        .or_else(|| {
            breaks(
                &limits.above,
                |number, limit| number > limit,
                "more than {} is expected",
                "exclusiveMinimum",
            )
        })
        .or_else(|| {
            breaks(
                &limits.below,
                |number, limit| number < limit,
                "less than {} is expected",
                "exclusiveMaximum",
            )
        })
        .or_else(|| breaks(&limits.multiple_of, is_multiple, "a multiple of {} is expected", "multipleOf"))
}

fn broken_text(
    limits: &StringKeywords,
    value: &Node<'_>,
    text: &str,
    path: &ValuePath<'_>,
) -> Option<String> {
    let length = text.chars().count();
    if let Some(rule) = broken_count(length, limits.min, limits.max, "Length") {
        return Some(format!("{} has {}, but {rule}", path.subject(), counted(length as u64, "character")));
    }
    let pattern = limits.pattern.as_ref().filter(|pattern| !pattern.matches(text))?;
    Some(format!(
        "{} is {}, but text that matches {} is expected (pattern)",
        path.subject(),
        preview(value),
        pattern.source()
    ))
}

/// `at most 2 are allowed (maxItems)`, if a count is out of range.
fn broken_count(count: usize, min: Option<u64>, max: Option<u64>, keyword: &str) -> Option<String> {
    let count = count as u64;
    let are = |limit: u64| if limit == 1 { "is" } else { "are" };
    if let Some(min) = min.filter(|min| count < *min) {
        return Some(format!("at least {min} {} expected (min{keyword})", are(min)));
    }
    let max = max.filter(|max| count > *max)?;
    Some(format!("at most {max} {} allowed (max{keyword})", are(max)))
}

/// The positions of the first two items that are equal.
fn repeated(items: &[Node<'_>]) -> Option<(usize, usize)> {
    const COMPARED: usize = 1000;
    let items = &items[..items.len().min(COMPARED)];
    (0..items.len()).find_map(|second| {
        (0..second).find(|first| same_value(&items[*first], &items[second])).map(|first| (first, second))
    })
}
