//! One question to the program under test, and the right answer.

use serde_json::{Map, Value, json};

use crate::corpus::Tool;
use crate::error::BenchError;
use crate::tool_name::Called;

/// What the contract asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Give the expected arguments.
    Repair,
    /// Give an error.
    Refuse,
    /// Leave the call alone.
    Unchanged,
}

impl Verdict {
    /// The word used in files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Repair => "repair",
            Self::Refuse => "refuse",
            Self::Unchanged => "unchanged",
        }
    }
}

/// Arguments as they are sent.
#[derive(Debug, Clone)]
pub struct Sent {
    /// An object, or the raw text of the model as a string.
    pub arguments: Value,
    /// Why the model stopped, when that is known.
    pub finish: Option<&'static str>,
}

/// A question with its answer.
#[derive(Debug, Clone)]
pub struct Case {
    /// The group it is counted in.
    pub group: String,
    /// The line for `toolwright normalize`.
    pub question: Map<String, Value>,
    /// What is right.
    pub verdict: Verdict,
    /// The right arguments of a repair.
    pub expected: Option<Value>,
    /// The right name of the tool, where the program has to find it.
    pub expected_name: Option<String>,
    /// What was done to the call.
    pub layers: Vec<String>,
}

impl Case {
    /// A case about a tool of the corpus.
    pub fn new(id: String, group: &str, tool: &Tool, sent: Sent, answer: (Verdict, Option<Value>)) -> Self {
        let mut question = Map::new();
        question.insert("id".to_string(), Value::String(id));
        question.insert("tool".to_string(), tool.line());
        question.insert("arguments".to_string(), sent.arguments);
        if let Some(finish) = sent.finish {
            question.insert("finish".to_string(), Value::from(finish));
        }
        let (verdict, expected) = answer;
        Self {
            group: group.to_string(),
            question,
            verdict,
            expected,
            expected_name: None,
            layers: Vec::new(),
        }
    }

    /// The same case with the tool to be found by name among several.
    pub fn among(mut self, called: &Called<'_>) -> Self {
        let tool = self.question.shift_remove("tool");
        let name = tool.as_ref().and_then(|tool| tool.get("name")).and_then(Value::as_str);
        self.expected_name = name.filter(|_| self.verdict != Verdict::Refuse).map(str::to_string);
        self.question.insert("name".to_string(), Value::from(called.name.as_str()));
        let tools = called.tools.iter().map(|tool| tool.line()).collect();
        self.question.insert("tools".to_string(), Value::Array(tools));
        self
    }

    /// The same case with what was done to it.
    pub fn with_layers(mut self, layers: Vec<String>) -> Self {
        self.layers = layers;
        self
    }

    /// Name of the case.
    pub fn id(&self) -> &str {
        self.question.get("id").and_then(Value::as_str).unwrap_or_default()
    }

    /// The line of `score generate`.
    pub fn line(&self) -> Value {
        let mut line = self.question.clone();
        let mut expect = json!({"verdict": self.verdict.word()});
        if let (Some(members), Some(expected)) = (expect.as_object_mut(), &self.expected) {
            members.insert("arguments".to_string(), expected.clone());
        }
        if let (Some(members), Some(name)) = (expect.as_object_mut(), &self.expected_name) {
            members.insert("name".to_string(), Value::from(name.as_str()));
        }
        line.insert("expect".to_string(), expect);
        line.insert("layers".to_string(), json!(self.layers));
        Value::Object(line)
    }

    /// Reads a line in the format of `score generate`.
    pub fn read(line: &str, group: &str, place: &str) -> Result<Self, BenchError> {
        let mut question: Map<String, Value> =
            serde_json::from_str(line).map_err(|error| BenchError::Json(place.to_string(), error))?;
        let wrong = |what: &str| BenchError::Shape(format!("{place}: {what}"));
        let expect = question.shift_remove("expect").ok_or_else(|| wrong("`expect` is missing"))?;
        let layers = question.shift_remove("layers");
        question.shift_remove("note");
        let verdict = match expect.get("verdict").and_then(Value::as_str) {
            Some("repair") => Verdict::Repair,
            Some("refuse") => Verdict::Refuse,
            Some("unchanged") => Verdict::Unchanged,
            _ => return Err(wrong("`expect.verdict` is not repair, refuse or unchanged")),
        };
        let expected = expect.get("arguments").cloned();
        if verdict == Verdict::Repair && expected.is_none() {
            return Err(wrong("a repair needs `expect.arguments`"));
        }
        let expected_name = expect.get("name").and_then(Value::as_str).map(str::to_string);
        let names = layers.as_ref().and_then(Value::as_array).into_iter().flatten();
        let layers = names.filter_map(Value::as_str).map(str::to_string).collect();
        Ok(Self { group: group.to_string(), question, verdict, expected, expected_name, layers })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_comes_back_as_it_was_written() {
        let line = json!({"id": "a", "tool": {"name": "t", "inputSchema": {}}, "arguments": "{}", "finish": "stop",
            "expect": {"verdict": "repair", "arguments": {"x": 1}, "name": "t"}, "layers": ["k"]});
        let case = Case::read(&line.to_string(), "g", "here").unwrap();
        assert_eq!(case.line(), line);
        assert!(!case.question.contains_key("expect"));
    }

    #[test]
    fn a_repair_without_an_answer_is_an_error() {
        let line = r#"{"id": "a", "expect": {"verdict": "repair"}}"#;
        assert!(Case::read(line, "g", "here").is_err());
    }
}
