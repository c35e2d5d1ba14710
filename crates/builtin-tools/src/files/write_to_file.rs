//! `write_to_file`: a whole file, new or replaced.

use serde::Deserialize;
use serde_json::json;
use toolwright_executor::{ToolFailure, ToolOutput};

use super::disk;
use super::stage::{Protected, Stage};
use super::tool::{Effect, FileTool, counted, named, output};

/// The arguments of `write_to_file`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WriteToFile {
    path: String,
    content: String,
    #[serde(default)]
    force: bool,
    #[serde(default)]
    dry_run: bool,
}

impl FileTool for WriteToFile {
    const NAME: &'static str = "write_to_file";
    const DESCRIPTION: &'static str = "Writes a whole text file: creates it, with its folders, or replaces \
        everything in it. The content is written exactly as sent. To change a part of a file use edit_file.";
    const INPUT: &'static str = r#"{
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "The file, relative to the working folder or absolute inside it"},
    "content": {"type": "string", "description": "The complete new contents"},
    "force": {"type": "boolean", "description": "Replace the file even if it is read-only or binary"},
    "dry_run": {"type": "boolean", "description": "Say what would happen and change nothing"}
  },
  "required": ["path", "content"],
  "additionalProperties": false
}"#;
    const OUTPUT: Option<&'static str> = Some(
        r#"{
  "type": "object",
  "properties": {
    "path": {"type": "string"},
    "change": {"enum": ["created", "replaced", "none"]},
    "bytes": {"type": "integer"},
    "dry_run": {"type": "boolean"}
  },
  "required": ["path", "change", "bytes", "dry_run"],
  "additionalProperties": false
}"#,
    );
    const EFFECT: Effect = Effect::Destroys;

    fn dry_run(&self) -> bool {
        self.dry_run
    }

    fn perform(self, stage: &mut Stage<'_>) -> Result<ToolOutput, ToolFailure> {
        let place = stage.file(&self.path)?;
        let found = stage.find(&place)?;
        let bytes = self.content.len();
        let change = match &found {
            None => "created",
            Some(file) if *file.bytes == *self.content.as_bytes() => "none",
            Some(_) => "replaced",
        };
        if let Some(file) = &found
            && !self.force
        {
            disk::text(&place, &file.bytes)?;
        }
        if change != "none" {
            stage.write(&place, found.as_ref(), self.content.into_bytes(), Protected::forced(self.force))?;
        }
        let text = match change {
            "created" => {
                format!(
                    "{} {} with {}.",
                    stage.say("Created", "Would create"),
                    named(&place),
                    counted(bytes, "byte")
                )
            }
            "none" => format!("{} holds exactly this already; nothing to do.", named(&place)),
            _ => format!(
                "{} the contents of {} ({}).",
                stage.say("Replaced", "Would replace"),
                named(&place),
                counted(bytes, "byte")
            ),
        };
        let structured =
            json!({"path": place.shown, "change": change, "bytes": bytes, "dry_run": stage.is_dry_run()});
        Ok(output(text, &structured))
    }
}
