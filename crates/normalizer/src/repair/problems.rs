//! Why a value cannot be made to fit, in words a model can act on.

use toolwright_jsonrpc::raw::{Kind, Node};
use toolwright_model::{Code, Problem};

use super::{Fitter, Path};
use crate::schema::{Goal, SchemaId, Types};

/// How much of a value is shown in changes and messages.
const PREVIEW_BYTES: usize = 240;

/// A problem at a place.
pub(crate) fn problem(code: Code, path: &Path<'_>, message: impl Into<String>) -> Problem {
    Problem { code, path: path.to_string(), message: message.into() }
}

/// A value's JSON text, cut to a length that can be shown. What is cut is still valid JSON.
pub(crate) fn preview(node: &Node<'_>) -> String {
    let mut text = String::new();
    if node.write_at_most(&mut text, PREVIEW_BYTES) {
        return text;
    }
    let mut end = PREVIEW_BYTES.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    toolwright_jsonrpc::raw::quote(&format!("{}…", &text[..end]))
}

/// `a string`, `an object or null`, `null`.
fn with_article(words: &str) -> String {
    match words {
        "null" | "any value" => words.to_owned(),
        _ if words.starts_with(['a', 'i', 'o']) => format!("an {words}"),
        _ => format!("a {words}"),
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
        vec![self.mismatch(&goals, &nearest.unwrap_or(*value), path)]
    }

    fn mismatch(&self, goals: &[Goal], value: &Node<'a>, path: &Path<'_>) -> Problem {
        let schema = self.judge.schema();
        let options: Vec<String> = goals
            .iter()
            .flat_map(|goal| goal.options(schema))
            .map(|option| option.to_json())
            .take(24)
            .collect();
        let types = goals.iter().fold(Types::NONE, |types, goal| types.union(goal.types(schema)));
        let found = preview(value);
        if !options.is_empty() {
            let message = format!("{found} is none of the allowed values: {}", options.join(", "));
            return problem(Code::R4, path, message);
        }
        if let Kind::Number(_) = value.kind
            && types.overlaps(Types::INTEGER)
            && !types.accept(value)
        {
            let message = format!(
                "{found} is not a whole number; an integer is expected and rounding would lose a part"
            );
            return problem(Code::R3, path, message);
        }
        if types.accept(value) {
            let message = format!(
                "{found} has the right type but breaks another rule of the schema (range, length, pattern or a combination)"
            );
            return problem(Code::R8, path, message);
        }
        let message = format!(
            "{found} is {}, but {} is expected",
            value.a_type_name(),
            with_article(&types.describe())
        );
        problem(Code::R8, path, message)
    }
}
