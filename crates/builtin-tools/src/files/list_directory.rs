//! `list_directory`: what a folder holds.

use serde::Deserialize;
use serde_json::{Value, json};
use toolwright_executor::{ToolFailure, ToolOutput};

use super::place::Place;
use super::stage::Stage;
use super::tool::{Effect, FileTool, counted, named, output};
use super::walk::{Depth, Kind, Next, walk};

/// The arguments of `list_directory`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ListDirectory {
    path: Option<String>,
    #[serde(default)]
    recursive: bool,
}

impl FileTool for ListDirectory {
    const NAME: &'static str = "list_directory";
    const DESCRIPTION: &'static str = "Lists the files and folders in a folder, sorted by name, with sizes; with \
        recursive also those in the folders below. Symbolic links are listed and not followed.";
    const INPUT: &'static str = r#"{
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "The folder; the working folder when left out"},
    "recursive": {"type": "boolean", "description": "List the folders below too"}
  },
  "additionalProperties": false
}"#;
    const OUTPUT: Option<&'static str> = Some(
        r#"{
  "type": "object",
  "properties": {
    "path": {"type": "string"},
    "entries": {"type": "array", "items": {
      "type": "object",
      "properties": {
        "path": {"type": "string"},
        "kind": {"enum": ["file", "folder", "link", "other"]},
        "bytes": {"type": "integer"},
        "exact": {"const": false, "description": "There when the name is not UTF-8: path shows it with U+FFFD and cannot be sent back"}
      },
      "required": ["path", "kind"],
      "additionalProperties": false
    }},
    "left_out": {"type": ["string", "null"], "description": "What is missing from the list and why"}
  },
  "required": ["path", "entries", "left_out"],
  "additionalProperties": false
}"#,
    );
    const EFFECT: Effect = Effect::Reads;

    fn perform(self, stage: &mut Stage<'_>) -> Result<ToolOutput, ToolFailure> {
        let folder = stage.place(self.path.as_deref().unwrap_or("."))?;
        let max = stage.toolbox().limits.max_entries;
        let (mut entries, mut lines, mut full) = (Vec::new(), Vec::new(), false);
        let depth = if self.recursive { Depth::All } else { Depth::One };
        let missed = walk(stage, &folder, depth, &mut |found| {
            if entries.len() == max {
                full = true;
                return Ok(Next::Stop);
            }
            let (entry, line) = describe(&found.place, found.kind, found.len);
            entries.push(entry);
            lines.push(line);
            Ok(Next::Go)
        })?;
        let mut left_out = Vec::new();
        if full {
            left_out.push(match max {
                1 => "only the first entry is listed (max_entries)".to_owned(),
                _ => format!("only the first {max} entries are listed (max_entries)"),
            });
        }
        left_out.extend(missed.limits);
        if missed.unreadable > 0 {
            left_out.push(match missed.unreadable {
                1 => "1 file or folder could not be read".to_owned(),
                count => format!("{count} files or folders could not be read"),
            });
        }
        let left_out = (!left_out.is_empty()).then(|| left_out.join("; "));
        let mut text = match lines.len() {
            0 if left_out.is_some() => format!("Nothing in {} can be listed.", named(&folder)),
            0 => format!("{} is empty.", named(&folder)),
            _ => lines.join("\n"),
        };
        if let Some(left_out) = &left_out {
            text.push_str(&format!("\n[{left_out}]"));
        }
        Ok(output(text, &json!({"path": folder.shown, "entries": entries, "left_out": left_out})))
    }
}

fn describe(place: &Place, kind: Kind, len: u64) -> (Value, String) {
    let (path, name) = (&place.shown, named(place));
    let (mut entry, mut line) = match kind {
        Kind::File => {
            let size = counted(usize::try_from(len).unwrap_or(usize::MAX), "byte");
            (json!({"path": path, "kind": "file", "bytes": len}), format!("{name}  {size}"))
        }
        Kind::Folder => (json!({"path": path, "kind": "folder"}), format!("{name}/")),
        Kind::Link => (json!({"path": path, "kind": "link"}), format!("{name}  (symbolic link)")),
        Kind::Other => (json!({"path": path, "kind": "other"}), format!("{name}  (not a file)")),
    };
    if place.path.to_str().is_none() {
        entry["exact"] = false.into();
        line.push_str("  (the name is not readable as text and cannot be used in a call)");
    }
    (entry, line)
}
