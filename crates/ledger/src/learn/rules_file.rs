//! The file of learned rules that the normalizer reads.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// The file of learned rules in the state folder.
pub const LEARNED_RULES_FILE: &str = "learned-rules.json";

/// Why the file of learned rules could not be written. The one before is still there.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {source}; the rules before stay in force", path.display())]
pub struct RulesFileError {
    /// The file.
    pub path: PathBuf,
    /// Why it failed.
    pub source: std::io::Error,
}

/// The text of a rules file, one rule a line.
pub(super) fn rendered(rules: &[Value]) -> String {
    if rules.is_empty() {
        return "[]\n".to_owned();
    }
    let lines: Vec<String> = rules.iter().map(|rule| format!("  {rule}")).collect();
    format!("[\n{}\n]\n", lines.join(",\n"))
}

/// Writes the rules beside the file and puts them in its place, so that a reader finds the old ones or the new ones.
pub fn write_rules_file(folder: &Path, rules: &[Value]) -> Result<PathBuf, RulesFileError> {
    let path = folder.join(LEARNED_RULES_FILE);
    let beside = folder.join(format!(".{LEARNED_RULES_FILE}.{}", std::process::id()));
    let write = || {
        let mut file = File::create(&beside)?;
        file.write_all(rendered(rules).as_bytes())?;
        file.sync_all()?;
        fs::rename(&beside, &path)?;
        // The name is safe when its folder is.
        File::open(folder)?.sync_all()
    };
    write().map(|()| path.clone()).map_err(|source| {
        let _ = fs::remove_file(&beside);
        RulesFileError { path, source }
    })
}
