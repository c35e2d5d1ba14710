//! `edit_file`: one text in a file replaced by another.

use serde::Deserialize;
use serde_json::json;
use toolwright_executor::{ToolFailure, ToolOutput};

use super::disk;
use super::place::Place;
use super::replace::{Which, line_numbers, replace};
use super::stage::{Protected, Stage};
use super::tool::{Effect, FileTool, counted, named, output};

/// How many line numbers a result names.
const MAX_LINES_SHOWN: usize = 20;

/// The arguments of `edit_file`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EditFile {
    path: String,
    old_text: String,
    new_text: String,
    #[serde(default)]
    replace_all: bool,
    #[serde(default)]
    force: bool,
    #[serde(default)]
    dry_run: bool,
}

/// The schema of the results of `edit_file` and `multi_edit`.
pub(super) const EDIT_OUTPUT: &str = r#"{
  "type": "object",
  "properties": {
    "path": {"type": "string"},
    "replacements": {"type": "integer"},
    "lines": {"type": "array", "items": {"type": "integer"}, "description": "Where; the first 100"},
    "dry_run": {"type": "boolean"}
  },
  "required": ["path", "replacements", "lines", "dry_run"],
  "additionalProperties": false
}"#;

impl FileTool for EditFile {
    const NAME: &'static str = "edit_file";
    const DESCRIPTION: &'static str = "Replaces old_text by new_text in a text file. old_text must occur exactly \
        once, character for character; with replace_all every occurrence is replaced. Permissions and line \
        endings of the file stay as they are.";
    const INPUT: &'static str = r#"{
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "The file, relative to the working folder or absolute inside it"},
    "old_text": {"type": "string", "description": "The text to replace, exactly as it stands in the file, with enough lines around it to occur once"},
    "new_text": {"type": "string", "description": "The text to put in its place; empty to remove it"},
    "replace_all": {"type": "boolean", "description": "Replace every occurrence"},
    "force": {"type": "boolean", "description": "Edit the file even if it is read-only"},
    "dry_run": {"type": "boolean", "description": "Say what would happen and change nothing"}
  },
  "required": ["path", "old_text", "new_text"],
  "additionalProperties": false
}"#;
    const OUTPUT: Option<&'static str> = Some(EDIT_OUTPUT);
    const EFFECT: Effect = Effect::Edits;

    fn dry_run(&self) -> bool {
        self.dry_run
    }

    fn perform(self, stage: &mut Stage<'_>) -> Result<ToolOutput, ToolFailure> {
        let place = stage.file(&self.path)?;
        let file = stage.read(&place)?;
        let content = disk::text(&place, &file.bytes)?;
        let which = if self.replace_all { Which::All } else { Which::TheOnly };
        let max_bytes = stage.toolbox().limits.max_file_bytes;
        let replaced = replace(content, &self.old_text, &self.new_text, which, max_bytes)
            .map_err(|mismatch| cannot_edit(&place, &mismatch.to_string()))?;
        stage.write(&place, Some(&file), replaced.text.into_bytes(), Protected::forced(self.force))?;
        Ok(edited(stage, &place, replaced.count, &replaced.lines))
    }
}

/// The result of an edit. `lines` may be only the first.
pub(super) fn edited(stage: &Stage<'_>, place: &Place, count: usize, lines: &[usize]) -> ToolOutput {
    let text = format!(
        "{} {} in {} ({}).",
        stage.say("Replaced", "Would replace"),
        counted(count, "occurrence"),
        named(place),
        line_numbers(lines, MAX_LINES_SHOWN, count > lines.len())
    );
    let structured =
        json!({"path": place.shown, "replacements": count, "lines": lines, "dry_run": stage.is_dry_run()});
    output(text, &structured)
}

/// An edit that does not fit the file.
pub(super) fn cannot_edit(place: &Place, reason: &str) -> ToolFailure {
    ToolFailure::tool(format!("cannot edit {:?}: {reason}. Nothing was changed.", place.shown))
}
