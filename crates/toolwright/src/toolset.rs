//! The tools that the commands offer: the built-in ones, registered as an executor needs them.

use std::path::PathBuf;
use std::sync::Arc;

use toolwright_normalizer::Normalizer;
use toolwright_tools::builtin::{BuiltinConfig, FilesConfig, builtin_tools};
use toolwright_tools::{ToolExecutor, ToolRegistry};

use crate::cli::ToolOptions;
use crate::report::Report;
use crate::rules_source;

/// An executor of all tools that the options ask for.
pub fn executor(options: &ToolOptions) -> Result<ToolExecutor, Report> {
    let normalizer = Normalizer::new(rules_source::load(&options.rules)?);
    let executor = ToolExecutor::new(registry(&options.root)?);
    executor.set_normalizer(normalizer);
    Ok(executor)
}

/// The built-in tools, the files tools inside these folders only.
fn registry(roots: &[PathBuf]) -> Result<Arc<ToolRegistry>, Report> {
    let roots = if roots.is_empty() { vec![PathBuf::from(".")] } else { roots.to_vec() };
    let config =
        BuiltinConfig { files: FilesConfig { roots, ..FilesConfig::default() }, ..BuiltinConfig::default() };
    let tools = builtin_tools(&config)
        .map_err(|error| Report::usage(error.to_string(), "give folders that are there with --root"))?;
    let registry = ToolRegistry::new();
    for tool in tools {
        let name = tool.definition.name.clone();
        registry.register(tool.definition, tool.function).map_err(|error| {
            Report::usage(format!("the built-in tool \"{name}\" cannot be offered: {error}"), "report this")
        })?;
    }
    Ok(Arc::new(registry))
}
