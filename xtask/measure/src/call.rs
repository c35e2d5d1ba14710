//! One call as the gateway makes it: from argument text to decision and result text.

use toolwright_model::{Finish, Outcome, ToolDefinition};
use toolwright_normalizer::{Normalizer, RawArguments, Tool};

/// A tool that is compiled once and called often.
#[derive(Debug)]
pub struct Caller {
    normalizer: Normalizer,
    tool: Tool,
}

impl Caller {
    /// Compiles the tool.
    pub fn new(name: &str, schema: &str) -> Result<Self, String> {
        let definition = ToolDefinition {
            name: name.to_owned(),
            input_schema: schema.to_owned(),
            ..ToolDefinition::default()
        };
        let tool = Tool::compile(&definition).map_err(|error| format!("the schema: {error}"))?;
        Ok(Self { normalizer: Normalizer::default(), tool })
    }

    /// The arguments that go on to the tool, or nothing for a refused call.
    pub fn result(&self, text: &str) -> Option<String> {
        match self.normalize(text) {
            Outcome::Unchanged => Some(text.to_owned()),
            Outcome::Repaired { arguments, .. } => Some(arguments),
            Outcome::Refused { .. } => None,
        }
    }

    /// How long they are: what is timed. An unchanged call is not copied for the measurement, since
    /// nobody else would copy it either.
    pub fn result_bytes(&self, text: &str) -> usize {
        match self.normalize(text) {
            Outcome::Unchanged => text.len(),
            Outcome::Repaired { arguments, .. } => arguments.len(),
            Outcome::Refused { .. } => 0,
        }
    }

    fn normalize(&self, text: &str) -> Outcome {
        self.normalizer.normalize(&self.tool, &RawArguments::text(text, Finish::Stop))
    }
}
