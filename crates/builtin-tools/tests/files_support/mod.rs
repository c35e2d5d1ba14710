//! A folder for a test and the files tools on it.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use tempfile::TempDir;
use tokio::runtime::Runtime;
use toolwright_builtin_tools::{BuiltinConfig, BuiltinTool, FilesConfig, FilesLimits, builtin_tools};
use toolwright_executor::{ToolFailure, ToolOutput};
use toolwright_model::Outcome;
use toolwright_normalizer::{Normalizer, RawArguments, Tool};

/// A root in a folder of its own, with room beside it for what must stay out of reach.
pub struct Desk {
    runtime: Runtime,
    outer: TempDir,
    tools: Vec<BuiltinTool>,
}

impl Desk {
    pub fn new() -> Desk {
        Desk::with_limits(FilesLimits::default())
    }

    pub fn with_limits(limits: FilesLimits) -> Desk {
        Desk::with(limits, &[])
    }

    /// With these places below the root kept out.
    pub fn keeping_out(places: &[&str]) -> Desk {
        Desk::with(FilesLimits::default(), places)
    }

    fn with(limits: FilesLimits, kept_out: &[&str]) -> Desk {
        let outer = tempfile::tempdir().unwrap();
        fs::create_dir(outer.path().join("root")).unwrap();
        let files = FilesConfig {
            roots: vec![outer.path().join("root")],
            kept_out: kept_out.iter().map(|place| outer.path().join("root").join(place)).collect(),
            limits,
        };
        let tools = builtin_tools(&BuiltinConfig { files, ..BuiltinConfig::default() }).unwrap();
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
        Desk { runtime, outer, tools }
    }

    /// The root itself.
    pub fn root(&self) -> PathBuf {
        self.outer.path().join("root")
    }

    /// The folder around the root.
    pub fn outside(&self) -> &Path {
        self.outer.path()
    }

    pub fn tool(&self, name: &str) -> &BuiltinTool {
        self.tools.iter().find(|tool| tool.definition.name == name).unwrap()
    }

    /// Writes a file below the root.
    pub fn put(&self, path: &str, contents: impl AsRef<[u8]>) -> &Self {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
        self
    }

    /// Reads a file below the root.
    pub fn get(&self, path: &str) -> String {
        String::from_utf8(fs::read(self.root().join(path)).unwrap()).unwrap()
    }

    /// Calls a tool as it is. Arguments and structured results are held against the schemas.
    pub fn call(&self, name: &str, arguments: Value) -> Result<ToolOutput, ToolFailure> {
        let tool = self.tool(name);
        let function = Arc::clone(&tool.function);
        let done = self.runtime.block_on(function.call(arguments.to_string()));
        if let (Ok(output), Some(schema)) = (&done, &tool.definition.output_schema) {
            let checker = Tool::compile(&toolwright_model::ToolDefinition {
                input_schema: schema.clone(),
                ..toolwright_model::ToolDefinition::default()
            });
            let structured = output.structured.as_deref().expect("a tool with an output schema gives JSON");
            assert!(checker.unwrap().accepts(structured), "{name}: {structured} does not fit {schema}");
        }
        done
    }

    /// A call that must succeed: its text.
    pub fn ok(&self, name: &str, arguments: Value) -> String {
        match self.call(name, arguments) {
            Ok(output) => output.text,
            Err(failure) => panic!("{name} failed: {failure}"),
        }
    }

    /// A call that must succeed: its JSON.
    pub fn json(&self, name: &str, arguments: Value) -> Value {
        serde_json::from_str(&self.call(name, arguments).unwrap().structured.unwrap()).unwrap()
    }

    /// A call that must fail: what it says.
    pub fn no(&self, name: &str, arguments: Value) -> String {
        match self.call(name, arguments.clone()) {
            Ok(output) => panic!("{name} {arguments} must fail, but: {}", output.text),
            Err(failure) => failure.to_string(),
        }
    }

    /// A call as a client sends it: through the normalizer with its built-in rules.
    pub fn mended(&self, name: &str, sent: &Value) -> Result<Value, String> {
        let tool = Tool::compile(&self.tool(name).definition).unwrap();
        match Normalizer::default().normalize(&tool, &RawArguments::json(&sent.to_string())) {
            Outcome::Unchanged => Ok(sent.clone()),
            Outcome::Repaired { arguments, .. } => Ok(serde_json::from_str(&arguments).unwrap()),
            Outcome::Refused { problems, .. } => Err(format!("{problems:?}")),
        }
    }

    /// Every file and folder around and in the root, with contents; links by their target.
    pub fn everything(&self) -> BTreeMap<String, Vec<u8>> {
        let mut found = BTreeMap::new();
        let mut folders = vec![self.outer.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(self.outer.path()).unwrap().display().to_string();
                if path.is_symlink() {
                    found.insert(name, fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes());
                } else if path.is_dir() {
                    found.insert(name + "/", Vec::new());
                    folders.push(path);
                } else if path.is_file() {
                    found.insert(name, fs::read(&path).unwrap());
                }
            }
        }
        found
    }
}

/// A message for a model says what is wrong and what to do: it must hold all of these words.
#[track_caller]
pub fn says(message: &str, words: &[&str]) {
    for word in words {
        assert!(message.contains(word), "{word:?} is not in: {message}");
    }
}
