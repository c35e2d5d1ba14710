//! `apply_diff`: a unified diff applied to one file.

use serde::Deserialize;
use serde_json::json;
use toolwright_executor::{ToolFailure, ToolOutput};

use super::diff::{self, DiffError};
use super::disk::{self, File};
use super::place::Place;
use super::stage::{Protected, Stage};
use super::tool::{Effect, FileTool, counted, named, output};

/// The arguments of `apply_diff`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ApplyDiff {
    path: String,
    diff: String,
    #[serde(default)]
    force: bool,
    #[serde(default)]
    dry_run: bool,
}

impl FileTool for ApplyDiff {
    const NAME: &'static str = "apply_diff";
    const DESCRIPTION: &'static str = "Applies a unified diff to one text file, all hunks or none. A hunk goes \
        where its header says, or to the only other place where its unchanged and removed lines stand; lines \
        must match exactly. File names in the diff are not looked at; path is what counts.";
    const INPUT: &'static str = r#"{
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "The file, relative to the working folder or absolute inside it"},
    "diff": {"type": "string", "description": "A unified diff of this one file: hunks that begin with @@ -line,count +line,count @@"},
    "force": {"type": "boolean", "description": "Change the file even if it is read-only"},
    "dry_run": {"type": "boolean", "description": "Say what would happen and change nothing"}
  },
  "required": ["path", "diff"],
  "additionalProperties": false
}"#;
    const OUTPUT: Option<&'static str> = Some(
        r#"{
  "type": "object",
  "properties": {
    "path": {"type": "string"},
    "hunks": {"type": "integer"},
    "added": {"type": "integer"},
    "removed": {"type": "integer"},
    "lines": {"type": "array", "items": {"type": "integer"}},
    "dry_run": {"type": "boolean"}
  },
  "required": ["path", "hunks", "added", "removed", "lines", "dry_run"],
  "additionalProperties": false
}"#,
    );
    const EFFECT: Effect = Effect::Edits;

    fn dry_run(&self) -> bool {
        self.dry_run
    }

    fn perform(self, stage: &mut Stage<'_>) -> Result<ToolOutput, ToolFailure> {
        let place = stage.file(&self.path)?;
        let refused = |error: DiffError| {
            ToolFailure::tool(format!("cannot change {:?}: {error}. Nothing was changed.", place.shown))
        };
        let diff = diff::parse(&self.diff).map_err(refused)?;
        let file = target(stage, &place, &diff)?;
        let content = match &file {
            Some(file) => disk::text(&place, &file.bytes)?,
            None => "",
        };
        let applied = diff::apply(&diff, content).map_err(refused)?;
        stage.write(&place, file.as_ref(), applied.text.into_bytes(), Protected::forced(self.force))?;
        let text = format!(
            "{} {} to {}: {} added, {} removed.",
            stage.say("Applied", "Would apply"),
            counted(diff.hunks.len(), "hunk"),
            named(&place),
            counted(applied.added, "line"),
            applied.removed
        );
        let structured = json!({
            "path": place.shown, "hunks": diff.hunks.len(), "added": applied.added,
            "removed": applied.removed, "lines": applied.lines, "dry_run": stage.is_dry_run(),
        });
        Ok(output(text, &structured))
    }
}

/// The file to change; nothing when the diff makes it.
fn target(stage: &Stage<'_>, place: &Place, diff: &diff::Diff<'_>) -> Result<Option<File>, ToolFailure> {
    if diff.deletes {
        return Err(ToolFailure::tool(format!(
            "the diff deletes {:?}, which apply_diff does not do. Use delete_file",
            place.shown
        )));
    }
    if !diff.creates {
        return stage.read(place).map(Some);
    }
    match stage.find(place)? {
        None => Ok(None),
        Some(file) if file.bytes.is_empty() => Ok(Some(file)),
        Some(_) => Err(ToolFailure::tool(format!(
            "the diff makes {:?} as a new file, but it exists. Make the diff from what it holds now",
            place.shown
        ))),
    }
}
