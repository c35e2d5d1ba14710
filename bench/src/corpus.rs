//! The tools and their valid calls.

use serde_json::{Map, Value, json};

use crate::error::BenchError;
use crate::keys;

const TOOLS: &str = include_str!("../corpus/tools.json");

/// Words that make a tool or a parameter destructive in the contract of the normalizer.
const DESTRUCTIVE: [&str; 6] = ["force", "confirm", "delete", "recursive", "overwrite", "permanent"];

/// A tool as its server declares it, with valid calls.
#[derive(Debug, Clone)]
pub struct Tool {
    /// Name of the tool.
    pub name: String,
    /// What the server says about it.
    pub description: String,
    /// Its JSON Schema.
    pub schema: Value,
    /// Hints of the server.
    pub annotations: Option<Value>,
    /// Argument objects that the schema accepts.
    pub calls: Vec<Value>,
}

/// All tools.
#[derive(Debug)]
pub struct Corpus {
    /// In the order of the file.
    pub tools: Vec<Tool>,
}

impl Corpus {
    /// Reads the tools that are built into the program.
    pub fn load() -> Result<Self, BenchError> {
        let place = || "tools.json".to_string();
        let list: Vec<Value> =
            serde_json::from_str(TOOLS).map_err(|error| BenchError::Json(place(), error))?;
        let tools = list.iter().map(Tool::read).collect::<Option<Vec<_>>>();
        let tools = tools.ok_or_else(|| {
            BenchError::Shape(format!("{}: a tool lacks name, description, inputSchema or calls", place()))
        })?;
        Ok(Self { tools })
    }
}

impl Tool {
    fn read(value: &Value) -> Option<Self> {
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_string);
        let calls = value.get("calls")?.as_array()?;
        Some(Self {
            name: text("name")?,
            description: text("description")?,
            schema: value.get("inputSchema")?.clone(),
            annotations: value.get("annotations").cloned(),
            calls: calls.clone(),
        })
    }

    /// The `tool` member of a line for `toolwright normalize`.
    pub fn line(&self) -> Value {
        let mut line = json!({"name": self.name, "inputSchema": self.schema});
        if let (Some(members), Some(annotations)) = (line.as_object_mut(), &self.annotations) {
            members.insert("annotations".to_string(), annotations.clone());
        }
        line
    }

    /// Whether inferred repairs may be refused for this tool.
    pub fn is_destructive(&self) -> bool {
        let hint = self.annotations.as_ref().and_then(|hints| hints.get("destructiveHint"));
        hint.and_then(Value::as_bool).unwrap_or(false) || is_destructive_name(&self.name)
    }

    /// The declared parameters of the tool itself.
    pub fn parameters(&self) -> impl Iterator<Item = &String> {
        self.schema.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys)
    }
}

/// Whether a name carries one of the words that lower the budget.
pub fn is_destructive_name(name: &str) -> bool {
    keys::words(name).iter().any(|word| DESTRUCTIVE.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema;

    #[test]
    fn there_are_enough_tools_and_calls() {
        let corpus = Corpus::load().unwrap();
        assert!(corpus.tools.len() >= 90);
        assert!(corpus.tools.iter().all(|tool| tool.calls.len() >= 3));
    }

    #[test]
    fn every_call_of_the_corpus_is_valid() {
        for tool in Corpus::load().unwrap().tools {
            assert_eq!(schema::unknown_keyword(&tool.schema), None, "{}", tool.name);
            for call in &tool.calls {
                assert!(schema::accepts(&tool.schema, &tool.schema, call), "{} {call}", tool.name);
            }
        }
    }

    #[test]
    fn names_are_unique() {
        let corpus = Corpus::load().unwrap();
        let mut names: Vec<_> = corpus.tools.iter().map(|tool| keys::normal(&tool.name)).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), corpus.tools.len());
    }
}
