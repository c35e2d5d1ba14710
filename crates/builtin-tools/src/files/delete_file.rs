//! `delete_file`: a file moved to the trash, or deleted for good.

use serde::Deserialize;
use serde_json::json;
use toolwright_executor::{ToolFailure, ToolOutput, printable};

use super::stage::{Fate, Protected, Stage};
use super::tool::{Effect, FileTool, named, output};

/// The arguments of `delete_file`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DeleteFile {
    path: String,
    #[serde(default)]
    permanent: bool,
    #[serde(default)]
    force: bool,
    #[serde(default)]
    dry_run: bool,
}

impl FileTool for DeleteFile {
    const NAME: &'static str = "delete_file";
    const DESCRIPTION: &'static str = "Deletes one file. It is moved to the folder .toolwright-trash, from where \
        it can be taken back; with permanent it is gone for good. Folders are not deleted. Of a symbolic link \
        the link is deleted, not what it points to.";
    const INPUT: &'static str = r#"{
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "The file, relative to the working folder or absolute inside it"},
    "permanent": {"type": "boolean", "description": "Delete for good instead of moving to the trash"},
    "force": {"type": "boolean", "description": "Delete the file even if it is read-only"},
    "dry_run": {"type": "boolean", "description": "Say what would happen and change nothing"}
  },
  "required": ["path"],
  "additionalProperties": false
}"#;
    const OUTPUT: Option<&'static str> = Some(
        r#"{
  "type": "object",
  "properties": {
    "path": {"type": "string"},
    "trash": {"type": ["string", "null"], "description": "Where the file is now, or in a dry run the folder it would go to; null when it is gone for good"},
    "dry_run": {"type": "boolean"}
  },
  "required": ["path", "trash", "dry_run"],
  "additionalProperties": false
}"#,
    );
    const EFFECT: Effect = Effect::Destroys;

    fn dry_run(&self) -> bool {
        self.dry_run
    }

    fn perform(self, stage: &mut Stage<'_>) -> Result<ToolOutput, ToolFailure> {
        let place = stage.entry(&self.path)?;
        let fate = if self.permanent { Fate::Remove } else { Fate::Trash };
        let mut trash = stage.delete(&place, fate, Protected::forced(self.force))?;
        // The name in the trash holds the time: that of a dry run will never be there.
        if let Some((folder, _)) = trash.as_deref().and_then(|trash| trash.rsplit_once('/'))
            && stage.is_dry_run()
        {
            trash = Some(folder.to_owned());
        }
        let text = match trash.as_deref().map(|trash| printable(trash, &[])) {
            Some(trash) if stage.is_dry_run() => {
                format!("Would move {} to the trash, the folder {trash}.", named(&place))
            }
            Some(trash) => format!(
                "Moved {0} to the trash, where it is {trash}. To get it back as it was, use batch_operations with a \
                 step of the action move from there to {0}.",
                named(&place)
            ),
            None => format!("{} {} for good.", stage.say("Deleted", "Would delete"), named(&place)),
        };
        Ok(output(text, &json!({"path": place.shown, "trash": trash, "dry_run": stage.is_dry_run()})))
    }
}
