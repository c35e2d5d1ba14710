//! Why a value cannot be made to fit, in words a model can act on.

use toolwright_jsonrpc::raw::{Kind, Node};
use toolwright_model::{Code, Problem};

use super::breach::LISTED_VALUES;
use super::{Fitter, Path, preview};
use crate::schema::{Goal, Literal, SchemaId, Types};

/// A problem at a place.
pub(crate) fn problem(code: Code, path: &Path<'_>, message: impl Into<String>) -> Problem {
    Problem { code, path: path.to_string(), message: message.into() }
}

/// The whole numbers around a fraction, as what to send instead.
pub(super) fn whole_numbers_around(text: &str) -> String {
    /// Up to here a float is exact to less than one.
    const EXACT: f64 = 1e15;
    match text.parse::<f64>() {
        Ok(number) if number.abs() < EXACT => format!("; send {} or {}", number.floor(), number.ceil()),
        _ => String::new(),
    }
}

impl<'a> Fitter<'_, 'a> {
    /// The reasons why nothing fits: those of the nearest branch, or the plain mismatch.
    pub(super) fn explain_misfit(
        &self,
        ids: &[SchemaId],
        value: &Node<'a>,
        path: &Path<'_>,
        mut reasons: Vec<Vec<Problem>>,
        nearest: Option<Node<'a>>,
    ) -> Vec<Problem> {
        if self.judge.is_exhausted() {
            return vec![problem(Code::R12, path, "the call takes too long to judge")];
        }
        reasons.retain(|problems| !problems.is_empty());
        reasons.sort_by_key(Vec::len);
        if let Some(nearest) = reasons.into_iter().next() {
            return nearest;
        }
        let goals = Goal::alternatives(self.judge, ids, value);
        // What a step made of the value says more than the value: `500` is over the maximum.
        let found = self.mismatch(ids, &goals, &nearest.unwrap_or(*value), path);
        self.trace.rejected(path, 0, || found.message.clone());
        vec![found]
    }

    fn mismatch(&self, ids: &[SchemaId], goals: &[Goal], value: &Node<'a>, path: &Path<'_>) -> Problem {
        let schema = self.judge.schema();
        let options: Vec<&Literal> = goals.iter().flat_map(|goal| goal.options(schema)).collect();
        let types = goals.iter().fold(Types::NONE, |types, goal| types.union(goal.types(schema)));
        let found = preview(value);
        match &options[..] {
            [] => {}
            [only] if !only.equals(value) => {
                let message = format!("{found} is not allowed; only {} is (const)", only.to_json());
                return problem(Code::R4, path, message);
            }
            _ if options.iter().all(|option| !option.equals(value)) => {
                let listed: Vec<String> =
                    options.iter().map(|option| option.to_json()).take(LISTED_VALUES).collect();
                let message = format!("{found} is none of the allowed values: {}", listed.join(", "));
                return problem(Code::R4, path, message);
            }
            _ => {}
        }
        if let Kind::Number(digits) = value.kind
            && types.overlaps(Types::INTEGER)
            && !types.accept(value)
        {
            let message = format!(
                "{found} is not a whole number; an integer is expected and rounding would lose a part{}",
                whole_numbers_around(digits)
            );
            return problem(Code::R3, path, message);
        }
        if types.accept(value) {
            return self.breach(ids, value, path).unwrap_or_else(|| {
                problem(Code::R8, path, format!("{found} does not fit {}", self.expected(ids)))
            });
        }
        let message = format!("{found} is {}, but {} is expected", value.a_type_name(), self.expected(ids));
        problem(Code::R8, path, message)
    }
}
