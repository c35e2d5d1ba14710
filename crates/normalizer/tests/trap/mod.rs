//! Helpers of the trap tests: a small tool, and the two outcomes that are compared.

// Every test file uses its own part.
#![allow(dead_code)]

use toolwright_model::{Annotations, Code, Finish, Outcome, ToolDefinition};
use toolwright_normalizer::{Normalizer, RawArguments, Tool};

pub fn tool(name: &str, properties: &str, required: &str, destructive: bool) -> Tool {
    let definition = ToolDefinition {
        name: name.to_owned(),
        input_schema: format!(
            r#"{{"type":"object","properties":{{{properties}}},"required":[{required}],"additionalProperties":false}}"#
        ),
        annotations: Annotations { destructive, ..Annotations::default() },
        ..ToolDefinition::default()
    };
    Tool::compile(&definition).expect("the schema compiles")
}

pub fn outcome(tool: &Tool, arguments: &str) -> Outcome {
    Normalizer::default().normalize(tool, &RawArguments::text(arguments, Finish::Unknown))
}

#[track_caller]
pub fn repaired(tool: &Tool, arguments: &str, expected: &str) {
    match outcome(tool, arguments) {
        Outcome::Repaired { arguments: got, .. } => assert_eq!(got, expected),
        other => panic!("{arguments} should be repaired, got {other:?}"),
    }
}

#[track_caller]
pub fn refused(tool: &Tool, arguments: &str, code: Code) {
    match outcome(tool, arguments) {
        Outcome::Refused { problems, .. } => {
            assert!(problems.iter().any(|problem| problem.code == code), "{arguments}: {problems:?}");
        }
        other => panic!("{arguments} should be refused, got {other:?}"),
    }
}

pub const NUMBER: &str = r#"{"type":"number"}"#;
pub const TEXT: &str = r#"{"type":"string"}"#;
