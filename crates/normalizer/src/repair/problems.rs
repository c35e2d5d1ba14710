//! Problems of a value that cannot be repaired, worded so that a model can correct itself.

use std::cmp::Ordering;

use toolwright_jsonrpc::raw::{Kind, Node, Number, quote};
use toolwright_model::{Code, Problem};

use super::breach::{LISTED_VALUES, not_the_only, wrong_type};
use super::{Fitter, ValuePath, preview};
use crate::schema::{Goal, Literal, SchemaId, Types, steps};

/// A problem at a position.
pub(crate) fn problem(code: Code, path: &ValuePath<'_>, message: impl Into<String>) -> Problem {
    Problem { code, path: path.to_string(), message: shortened(message.into()) }
}

/// A message without its middle if it is too long to read.
pub(crate) fn shortened(message: String) -> String {
    /// Number of bytes kept from the start and from the end.
    const KEPT_BYTES: [usize; 2] = [1600, 400];
    if message.len() <= KEPT_BYTES[0] + KEPT_BYTES[1] {
        return message;
    }
    let start = message.floor_char_boundary(KEPT_BYTES[0]);
    let end = message.ceil_char_boundary(message.len() - KEPT_BYTES[1]);
    format!("{} … {}", &message[..start], &message[end..])
}

/// R12 for a call that exceeds the step limit.
pub(crate) fn too_many_steps(path: &ValuePath<'_>) -> Problem {
    problem(Code::OverLimit, path, "the call takes too many steps to validate; send less at once")
}

/// The integers next to a fraction, as a suggestion.
pub(super) fn whole_numbers_around(text: &str) -> String {
    /// Up to here a float is exact to less than one.
    const EXACT: f64 = 1e15;
    let near = text.parse::<f64>().ok().map(f64::round).filter(|near| near.abs() < EXACT);
    let Some((near, exact)) = near.map(|near| near as i64).zip(Number::parse(text)) else {
        return String::new();
    };
    // A float may equal the integer although the digits differ from it.
    match Number::parse(&near.to_string()).map(|whole| exact.cmp(&whole)) {
        Some(Ordering::Less) => format!("; send {} or {near}", near - 1),
        Some(Ordering::Greater) => format!("; send {near} or {}", near + 1),
        _ => String::new(),
    }
}

impl<'a> Fitter<'_, 'a> {
    /// The problems if nothing fits: those of the closest alternative, or the plain mismatch.
    pub(super) fn explain_misfit(
        &self,
        ids: &[SchemaId],
        value: &Node<'a>,
        path: &ValuePath<'_>,
        mut reasons: Vec<Vec<Problem>>,
        nearest: Option<Node<'a>>,
    ) -> Vec<Problem> {
        if self.validator.is_exhausted() {
            return vec![too_many_steps(path)];
        }
        reasons.retain(|problems| !problems.is_empty() && !self.is_about_a_wrap(value, path, problems));
        reasons.sort_by_key(Vec::len);
        if let Some(mut nearest) = reasons.into_iter().next() {
            // The closest alternative knows only its own kind.
            let is_kind = |found: &Problem, kind: &Problem| {
                found.code == Code::UnknownEnumValue && found.path == kind.path
            };
            if nearest.iter().any(|found| found.code == Code::UnknownEnumValue)
                && let Some(kind) = self.unknown_kind(ids, value, path)
            {
                nearest
                    .iter_mut()
                    .filter(|found| is_kind(found, &kind))
                    .for_each(|found| *found = kind.clone());
            }
            return nearest;
        }
        let goals = Goal::alternatives(self.validator, ids, value);
        // The result of a step is more specific than the value: `500` is over the maximum.
        let found = self.mismatch(ids, &goals, &nearest.unwrap_or(*value), path);
        self.trace.rejected(path, 0, || found.message.clone());
        vec![found]
    }

    /// For a union with so many forms that not all are tried: the value names a kind that does not exist, or
    /// names none.
    pub(super) fn too_many_forms(&self, ids: &[SchemaId], value: &Node<'a>, path: &ValuePath<'_>) -> Problem {
        self.unknown_kind(ids, value, path).unwrap_or_else(|| {
            let message = "the schema has too many forms here, and nothing in the value says which is meant";
            problem(Code::OverLimit, path, message)
        })
    }

    /// For a value of a kind that a union does not have: the existing kinds.
    fn unknown_kind(&self, ids: &[SchemaId], value: &Node<'a>, path: &ValuePath<'_>) -> Option<Problem> {
        let unknown = self.validator.schema().unknown_kind(ids, value)?;
        self.validator.spend_many(steps(unknown.count));
        let kinds: Vec<String> = unknown.nearest.iter().map(|kind| quote(kind)).collect();
        let (sent, count, kinds) = (preview(&unknown.sent), unknown.count, kinds.join(", "));
        let message = match unknown.nearest.len() {
            0 => format!("{sent} is none of the {count} allowed values"),
            all if all == count => format!("{sent} is none of the allowed values: {kinds}"),
            _ => format!("{sent} is none of the {count} allowed values; the nearest are {kinds}"),
        };
        Some(problem(Code::UnknownEnumValue, &path.key(unknown.key), message))
    }

    /// Whether the problem is that the value is not even a valid item of the expected list:
    /// then the list is missing.
    fn is_about_a_wrap(&self, value: &Node<'a>, path: &ValuePath<'_>, reason: &[Problem]) -> bool {
        let [only] = reason else { return false };
        only.code == Code::ValueMismatch
            && !matches!(value.kind, Kind::Array(_))
            && only.path == path.item(0).to_string()
            && self.open_container(value).is_none()
    }

    fn mismatch(&self, ids: &[SchemaId], goals: &[Goal], value: &Node<'a>, path: &ValuePath<'_>) -> Problem {
        let schema = self.validator.schema();
        // A list may be long, and many values may be missing in it.
        let options: Vec<&Literal> = goals
            .iter()
            .flat_map(|goal| goal.first_options(schema, LISTED_VALUES))
            .take(LISTED_VALUES)
            .collect();
        let is_listed = goals.iter().any(|goal| goal.lists(schema, value));
        let types = goals.iter().fold(Types::NONE, |types, goal| types.union(goal.types(schema)));
        let found = preview(value);
        match &options[..] {
            [] => {}
            _ if is_listed => {}
            [only] => {
                let is_constant =
                    goals.iter().flat_map(|goal| goal.nodes(schema)).any(|node| node.constant.is_some());
                return problem(Code::UnknownEnumValue, path, not_the_only(value, only, is_constant));
            }
            _ => {
                let listed: Vec<String> = options.iter().map(|option| option.to_json()).collect();
                let message = format!("{found} is none of the allowed values: {}", listed.join(", "));
                return problem(Code::UnknownEnumValue, path, message);
            }
        }
        if let Kind::Number(digits) = value.kind
            && types.overlaps(Types::INTEGER)
            && !types.accept(value)
        {
            let message = format!(
                "{found} is not a whole number; an integer is expected and rounding would lose a part{}",
                whole_numbers_around(digits)
            );
            return problem(Code::LossyNumber, path, message);
        }
        if types.accept(value) {
            return self.breach(ids, value, path).unwrap_or_else(|| {
                problem(Code::ValueMismatch, path, format!("{found} does not fit {}", self.expected(ids)))
            });
        }
        problem(Code::ValueMismatch, path, wrong_type(value, path, &self.expected(ids)))
    }
}
