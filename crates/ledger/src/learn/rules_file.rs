//! The file of learned rules that the normalizer reads.

use std::path::{Path, PathBuf};

use serde_json::Value;

/// The file of learned rules in the state folder.
pub const LEARNED_RULES_FILE: &str = "learned-rules.json";

/// Error of writing the file of learned rules. The previous one still exists.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {source}; the rules before stay in force", path.display())]
pub struct RulesFileError {
    /// The file.
    pub path: PathBuf,
    /// The error of the operating system.
    pub source: std::io::Error,
}

/// The text of a rules file, one rule per line.
pub(super) fn rendered(rules: &[Value]) -> String {
    if rules.is_empty() {
        return "[]\n".to_owned();
    }
    let lines: Vec<String> = rules.iter().map(|rule| format!("  {rule}")).collect();
    format!("[\n{}\n]\n", lines.join(",\n"))
}

/// Replaces the rules file atomically, so that a reader sees the old or the new rules. An unchanged file is not written
/// again, and a missing file equals one without rules.
pub fn write_rules_file(folder: &Path, rules: &[Value]) -> Result<PathBuf, RulesFileError> {
    let path = folder.join(LEARNED_RULES_FILE);
    let there = std::fs::read_to_string(&path).ok();
    if there.map_or(rules.is_empty(), |there| there == rendered(rules)) {
        return Ok(path);
    }
    match toolwright_base::replace_private(&path, rendered(rules).as_bytes()) {
        Ok(()) => Ok(path),
        Err(source) => Err(RulesFileError { path, source }),
    }
}
