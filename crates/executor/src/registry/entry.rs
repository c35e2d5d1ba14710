//! One registered tool: its definition, and the function behind it.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use toolwright_base::ConcurrencyLimit;
use toolwright_model::{Origin, ToolDefinition};
use toolwright_normalizer::Tool;

use super::check::{self, RegistrationError};
use super::parameters::{self, Parameter};
use crate::ToolFunction;
use crate::redact::is_secret_key;

/// What stands for the server in the qualified name of a built-in tool.
pub const BUILT_IN: &str = "builtin";

/// The name of the in-process server that offers the files tools.
pub const FILES_SERVER: &str = "files";

/// What stands for the server in the qualified name of a tool whose server is not known.
pub const UNNAMED_SERVER: &str = "unnamed";

/// A tool that can be called.
pub struct RegisteredTool {
    checked: Arc<Checked>,
    function: Arc<dyn ToolFunction>,
    qualified_name: String,
    running: Arc<ConcurrencyLimit>,
}

/// A definition that is in order, and what was made of it. A tool that is registered again with the same definition
/// shares it: checking and compiling a schema is the most expensive step of a registration.
struct Checked {
    definition: ToolDefinition,
    /// Compiled when the tool is called first: that takes ten times the memory of the schema's text, and of
    /// thousands of tools few are ever called.
    tool: OnceLock<Tool>,
    /// Read when somebody wants to know, for the same reason.
    described: OnceLock<Described>,
}

/// What a tool takes.
struct Described {
    parameters: Vec<Parameter>,
    takes_secrets: bool,
    schema_print: u64,
}

impl RegisteredTool {
    /// Checks a definition.
    pub(super) fn new(
        definition: ToolDefinition,
        function: Arc<dyn ToolFunction>,
    ) -> Result<Self, RegistrationError> {
        check::check(&definition)?;
        Ok(RegisteredTool {
            qualified_name: format!("{}/{}", source(&definition), definition.name),
            checked: Arc::new(Checked { definition, tool: OnceLock::new(), described: OnceLock::new() }),
            function,
            running: Arc::default(),
        })
    }

    /// The same tool with another function behind it.
    pub(super) fn with_function(&self, function: Arc<dyn ToolFunction>) -> Self {
        RegisteredTool {
            checked: Arc::clone(&self.checked),
            function,
            qualified_name: self.qualified_name.clone(),
            running: Arc::clone(&self.running),
        }
    }

    /// The same, counting the calls of the tool whose place it takes with its own.
    pub(super) fn in_place_of(mut self, earlier: &RegisteredTool) -> Self {
        self.running = Arc::clone(&earlier.running);
        self
    }

    /// The tool's own name.
    pub fn name(&self) -> &str {
        &self.checked.definition.name
    }

    /// `server/name`: the name that no other tool has.
    pub fn qualified_name(&self) -> &str {
        &self.qualified_name
    }

    /// The server that offers it, when it is known.
    pub fn server(&self) -> Option<&str> {
        self.checked.definition.server.as_deref()
    }

    /// Where it comes from, for people: its server's name or `builtin`.
    pub fn source(&self) -> &str {
        source(&self.checked.definition)
    }

    /// The definition as it was registered.
    pub fn definition(&self) -> &ToolDefinition {
        &self.checked.definition
    }

    /// The compiled tool, as the normalizer takes it.
    pub fn tool(&self) -> &Tool {
        self.checked.tool.get_or_init(|| match Tool::compile(self.definition()) {
            Ok(tool) => tool,
            Err(error) => unreachable!("it was compiled when it was registered: {error}"),
        })
    }

    /// The code behind the tool.
    pub fn function(&self) -> Arc<dyn ToolFunction> {
        Arc::clone(&self.function)
    }

    /// How long it may take, where its function has a limit of its own.
    pub fn timeout(&self) -> Option<Duration> {
        self.function.timeout()
    }

    /// The schema of the arguments, its text as it was registered.
    pub fn input_schema(&self) -> &str {
        &self.checked.definition.input_schema
    }

    /// The schema of the structured result, its text as it was registered.
    pub fn output_schema(&self) -> Option<&str> {
        self.checked.definition.output_schema.as_deref()
    }

    /// The parameters, for messages to people and models.
    pub fn parameters(&self) -> &[Parameter] {
        &self.described().parameters
    }

    /// Whether one of the parameters is a secret by its name.
    pub fn takes_secrets(&self) -> bool {
        self.described().takes_secrets
    }

    /// Tells this schema of the arguments from others: the same for the same text, today and later.
    pub fn schema_print(&self) -> u64 {
        self.described().schema_print
    }

    fn described(&self) -> &Described {
        self.checked.described.get_or_init(|| {
            let parameters = parameters::of(self.input_schema());
            let takes_secrets = parameters.iter().any(|parameter| is_secret_key(&parameter.name));
            let schema_print = print_of(self.input_schema());
            Described { parameters, takes_secrets, schema_print }
        })
    }

    /// Counts the calls that run.
    pub(crate) fn running(&self) -> &Arc<ConcurrencyLimit> {
        &self.running
    }
}

impl fmt::Debug for RegisteredTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RegisteredTool").field("definition", self.definition()).finish_non_exhaustive()
    }
}

/// FNV-1a: records keep it, so it must never change.
fn print_of(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |print, byte| (print ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// What stands before the slash. A server cannot be called `builtin`, so no two sources share a name.
pub(super) fn source(definition: &ToolDefinition) -> &str {
    match (&definition.server, definition.origin) {
        (Some(server), _) => server,
        (None, Origin::BuiltIn) => BUILT_IN,
        (None, Origin::Server) => UNNAMED_SERVER,
    }
}
