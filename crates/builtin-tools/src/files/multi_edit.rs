//! `multi_edit`: several replacements in one file, all or none.

use serde::Deserialize;
use serde_json::{Map, Value};
use toolwright_executor::{ToolFailure, ToolOutput};

use super::super::arguments::{flag, in_words, invalid, read_object};
use super::disk;
use super::edit_file::{EDIT_OUTPUT, cannot_edit, edited};
use super::replace::{MAX_LINES_KEPT, Which, replace};
use super::stage::{Protected, Stage};
use super::tool::{Effect, FileTool, counted};

/// The arguments of `multi_edit`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MultiEdit {
    path: String,
    edits_json: String,
    #[serde(default)]
    force: bool,
    #[serde(default)]
    dry_run: bool,
}

/// One replacement.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Edit {
    old_text: String,
    new_text: String,
    #[serde(default, deserialize_with = "flag")]
    replace_all: bool,
}

impl FileTool for MultiEdit {
    const NAME: &'static str = "multi_edit";
    const DESCRIPTION: &'static str = "Makes several replacements in one text file, in order, all or none: each \
        works on what the one before has left. edits_json is the text of a JSON array of \
        {\"old_text\", \"new_text\", \"replace_all\"?} with the rules of edit_file.";
    const INPUT: &'static str = r#"{
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "The file, relative to the working folder or absolute inside it"},
    "edits_json": {"type": "string", "description": "JSON text: [{\"old_text\": \"…\", \"new_text\": \"…\"}, …]"},
    "force": {"type": "boolean", "description": "Edit the file even if it is read-only"},
    "dry_run": {"type": "boolean", "description": "Say what would happen and change nothing"}
  },
  "required": ["path", "edits_json"],
  "additionalProperties": false
}"#;
    const OUTPUT: Option<&'static str> = Some(EDIT_OUTPUT);
    const EFFECT: Effect = Effect::Edits;

    fn dry_run(&self) -> bool {
        self.dry_run
    }

    fn perform(self, stage: &mut Stage<'_>) -> Result<ToolOutput, ToolFailure> {
        let edits = self.edits(stage.toolbox().limits.max_steps)?;
        let place = stage.file(&self.path)?;
        let file = stage.read(&place)?;
        let mut content = disk::text(&place, &file.bytes)?.to_owned();
        let (mut count, mut lines) = (0, Vec::new());
        let max_bytes = stage.toolbox().limits.max_file_bytes;
        for (index, edit) in edits.iter().enumerate() {
            stage.stop().check()?;
            let which = if edit.replace_all { Which::All } else { Which::TheOnly };
            let replaced =
                replace(&content, &edit.old_text, &edit.new_text, which, max_bytes).map_err(|mismatch| {
                    cannot_edit(&place, &format!("edit {} of {}: {mismatch}", index + 1, edits.len()))
                })?;
            content = replaced.text;
            count += replaced.count;
            lines.extend(replaced.lines);
            lines.truncate(MAX_LINES_KEPT);
        }
        stage.write(&place, Some(&file), content.into_bytes(), Protected::forced(self.force))?;
        Ok(edited(stage, &place, count, &lines))
    }
}

impl MultiEdit {
    fn edits(&self, max_steps: usize) -> Result<Vec<Edit>, ToolFailure> {
        let edits: Vec<Edit> = serde_json::from_str(&self.edits_json).map_err(|error| {
            invalid(format!(
                "edits_json is not a JSON array of {{\"old_text\", \"new_text\"}} objects: {}. Send for \
                 example [{{\"old_text\": \"a\", \"new_text\": \"b\"}}]",
                wrong_edit(&self.edits_json).unwrap_or_else(|| in_words(&error))
            ))
        })?;
        if edits.is_empty() {
            return Err(invalid("edits_json holds no edit. Send at least one {\"old_text\", \"new_text\"}"));
        }
        if edits.len() > max_steps {
            return Err(invalid(format!(
                "edits_json holds {}; at most {max_steps} can be made in one call. Split them",
                counted(edits.len(), "edit")
            )));
        }
        Ok(edits)
    }
}

/// The first edit that cannot be read, and its field that is at fault.
fn wrong_edit(edits_json: &str) -> Option<String> {
    let edits: Vec<Map<String, Value>> = serde_json::from_str(edits_json).ok()?;
    edits.into_iter().enumerate().find_map(|(index, edit)| {
        let said = read_object::<Edit>(edit).err()?;
        Some(format!("edit {}: {said}", index + 1))
    })
}
