//! `read_file`: the text of a file, or some lines of it.

use serde::Deserialize;
use toolwright_executor::{ToolFailure, ToolOutput};

use super::super::arguments::{LARGEST_COUNT, invalid, whole_number};
use super::disk;
use super::stage::Stage;
use super::tool::{Effect, FileTool, counted};

/// The arguments of `read_file`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadFile {
    path: String,
    #[serde(default, deserialize_with = "whole_number")]
    start_line: Option<usize>,
    #[serde(default, deserialize_with = "whole_number")]
    end_line: Option<usize>,
}

impl FileTool for ReadFile {
    const NAME: &'static str = "read_file";
    const DESCRIPTION: &'static str = "Reads a UTF-8 text file and returns its contents exactly. With start_line \
        and end_line only those lines, counted from 1, both included.";
    const INPUT: &'static str = r#"{
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "The file, relative to the working folder or absolute inside it"},
    "start_line": {"type": "integer", "minimum": 1, "description": "The first line to return; the first of the file when left out"},
    "end_line": {"type": "integer", "minimum": 1, "description": "The last line to return; the last of the file when left out"}
  },
  "required": ["path"],
  "additionalProperties": false
}"#;
    const OUTPUT: Option<&'static str> = None;
    const EFFECT: Effect = Effect::Reads;

    fn perform(self, stage: &mut Stage<'_>) -> Result<ToolOutput, ToolFailure> {
        let place = stage.file(&self.path)?;
        let file = stage.read(&place)?;
        let text = disk::text(&place, &file.bytes)?;
        let text = self.window(&place.shown, text)?;
        let limit = stage.toolbox().limits.max_read_bytes;
        if text.len() as u64 > limit {
            return Err(self.too_long(&place.shown, text, limit));
        }
        Ok(ToolOutput::text(text))
    }
}

impl ReadFile {
    /// What was asked for has more than `limit` bytes: how much it is, and what can be read.
    fn too_long(&self, shown: &str, text: &str, limit: u64) -> ToolFailure {
        let (bytes, lines) = (text.len(), text.split_inclusive('\n').count());
        let start = self.start_line.unwrap_or(1).max(1);
        let is_part = self.start_line.is_some() || self.end_line.is_some();
        let (what, fix) = match lines {
            1 => (
                format!("line {start} of {shown:?} alone has {bytes} bytes"),
                "Part of a line cannot be read: use search_files to see how the lines that hold a text begin",
            ),
            _ if is_part => (
                format!("lines {start} to {} of {shown:?} have {bytes} bytes", start + lines - 1),
                "Ask for fewer lines, or use search_files to find the place",
            ),
            _ => (
                format!("{shown:?} has {bytes} bytes in {}", counted(lines, "line")),
                "Use start_line and end_line to read it in parts, or search_files to find the place",
            ),
        };
        ToolFailure::tool(format!("{what}; at most {limit} bytes are returned at once. {fix}"))
    }

    fn window<'a>(&self, shown: &str, text: &'a str) -> Result<&'a str, ToolFailure> {
        if self.start_line.is_none() && self.end_line.is_none() {
            return Ok(text);
        }
        let start = self.start_line.unwrap_or(1).max(1);
        let end = self.end_line.unwrap_or(usize::MAX);
        if end < start {
            return Err(invalid(format!(
                "end_line {end} comes before start_line {start}. Send the first line first"
            )));
        }
        let lines = text.split_inclusive('\n').count();
        if start > lines.max(1) {
            return Err(invalid(format!(
                "start_line is {start}{}, but {shown:?} has {}",
                if start >= LARGEST_COUNT { " or more" } else { "" },
                counted(lines, "line")
            )));
        }
        let length = |lines: usize| text.split_inclusive('\n').take(lines).map(str::len).sum::<usize>();
        Ok(&text[length(start - 1)..length(end)])
    }
}
