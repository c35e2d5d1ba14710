//! Judging answers.

use serde_json::{Map, Value};

use crate::case::{Case, Verdict};
use crate::compare::same_value;

/// What the program did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Left the call alone.
    Unchanged,
    /// Changed it.
    Repaired,
    /// Gave an error.
    Refused,
}

/// An answer of the program.
#[derive(Debug)]
pub struct Answer {
    /// What it did.
    pub outcome: Outcome,
    /// All it said.
    pub members: Map<String, Value>,
}

impl Answer {
    /// Reads an answer; nothing when it names no known outcome.
    pub fn read(members: Map<String, Value>) -> Option<Self> {
        let outcome = match members.get("outcome")?.as_str()? {
            "unchanged" => Outcome::Unchanged,
            "repaired" => Outcome::Repaired,
            "refused" => Outcome::Refused,
            _ => return None,
        };
        Some(Self { outcome, members })
    }

    fn name(&self) -> Option<&str> {
        self.members.get("name").and_then(Value::as_str)
    }

    fn arguments(&self) -> &Value {
        self.members.get("arguments").unwrap_or(&Value::Null)
    }
}

/// How good an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grade {
    /// What the contract asks for.
    Right,
    /// An error where an answer exists.
    Refused,
    /// Something else went on: other arguments, a changed valid call, an accepted trap.
    Wrong,
}

/// A case with the answer to it.
#[derive(Debug)]
pub struct Judged<'a> {
    /// The case.
    pub case: &'a Case,
    /// The answer.
    pub answer: &'a Answer,
    /// How good it is.
    pub grade: Grade,
}

/// Grades an answer.
pub fn judge<'a>(case: &'a Case, answer: &'a Answer) -> Judged<'a> {
    let same_name = || case.expected_name.as_ref().is_none_or(|name| answer.name() == Some(name));
    let same_arguments =
        || case.expected.as_ref().is_none_or(|expected| same_value(expected, answer.arguments()));
    let same = || same_name() && same_arguments();
    let grade = match (case.verdict, answer.outcome) {
        (Verdict::Refuse, Outcome::Refused) => Grade::Right,
        (Verdict::Unchanged, Outcome::Unchanged) if same() => Grade::Right,
        (Verdict::Repair, Outcome::Repaired) if same() => Grade::Right,
        (_, Outcome::Refused) => Grade::Refused,
        _ => Grade::Wrong,
    };
    Judged { case, answer, grade }
}

impl Judged<'_> {
    /// What a developer needs to study a miss; nothing when the answer is right.
    pub fn miss(&self) -> Option<Value> {
        if self.grade == Grade::Right {
            return None;
        }
        let Value::Object(mut line) = self.case.line() else { return None };
        let grade = if self.grade == Grade::Refused { "refused" } else { "wrong" };
        line.insert("grade".to_string(), Value::from(grade));
        let mut got = self.answer.members.clone();
        got.shift_remove("id");
        line.insert("got".to_string(), Value::Object(got));
        Some(Value::Object(line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn graded(expect: Value, answer: Value) -> Grade {
        let line = json!({"id": "a", "tool": {}, "arguments": {}, "expect": expect}).to_string();
        let case = Case::read(&line, "g", "here").unwrap();
        let answer = Answer::read(answer.as_object().unwrap().clone()).unwrap();
        judge(&case, &answer).grade
    }

    #[test]
    fn only_the_expected_arguments_are_right() {
        let expect = json!({"verdict": "repair", "arguments": {"a": 1}});
        let answer = |outcome: &str, arguments: Value| json!({"outcome": outcome, "arguments": arguments});
        assert_eq!(graded(expect.clone(), answer("repaired", json!({"a": 1}))), Grade::Right);
        assert_eq!(graded(expect.clone(), answer("repaired", json!({"a": 2}))), Grade::Wrong);
        assert_eq!(graded(expect.clone(), answer("unchanged", json!({"a": 1}))), Grade::Wrong);
        assert_eq!(graded(expect, answer("refused", json!(null))), Grade::Refused);
    }

    #[test]
    fn a_trap_must_be_refused() {
        let expect = json!({"verdict": "refuse"});
        assert_eq!(graded(expect.clone(), json!({"outcome": "refused", "arguments": null})), Grade::Right);
        assert_eq!(graded(expect.clone(), json!({"outcome": "repaired", "arguments": {}})), Grade::Wrong);
        assert_eq!(graded(expect, json!({"outcome": "unchanged", "arguments": {}})), Grade::Wrong);
    }

    #[test]
    fn a_valid_call_must_not_be_called_repaired() {
        let expect = json!({"verdict": "unchanged", "arguments": {}});
        assert_eq!(graded(expect.clone(), json!({"outcome": "repaired", "arguments": {}})), Grade::Wrong);
        assert_eq!(graded(expect, json!({"outcome": "unchanged", "arguments": {}})), Grade::Right);
    }
}
