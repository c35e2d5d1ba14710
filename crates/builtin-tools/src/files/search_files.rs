//! `search_files`: lines of text files that hold a text.

mod query;

use serde::Deserialize;
use serde_json::json;
use toolwright_executor::{ToolFailure, ToolOutput, printable};

use super::disk;
use super::place::Place;
use super::stage::Stage;
use super::tool::{Effect, FileTool, counted, output};
use super::trash;
use super::walk::{Depth, Kind, Next, walk};
use query::Query;

/// How much of a matching line is shown, in characters.
const MAX_LINE_CHARS: usize = 300;

/// The arguments of `search_files`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SearchFiles {
    path: Option<String>,
    pattern: String,
    include: Option<String>,
    #[serde(default)]
    regex: bool,
    case_sensitive: Option<bool>,
    recursive: Option<bool>,
    #[serde(default)]
    count_only: bool,
}

impl FileTool for SearchFiles {
    const NAME: &'static str = "search_files";
    const DESCRIPTION: &'static str = "Finds lines that hold a text in the text files of a folder and of the \
        folders below it, or in one file. Returns path, line number and line. Folders .git and \
        .toolwright-trash, binary files and symbolic links are passed over.";
    const INPUT: &'static str = r#"{
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "The folder or file to search; the working folder when left out"},
    "pattern": {"type": "string", "minLength": 1, "description": "The text to look for, within one line"},
    "include": {"type": "string", "description": "Only files whose name fits, for example *.rs or *.{ts,tsx}; with a / the path below path or below the working folder"},
    "regex": {"type": "boolean", "description": "The pattern is a regular expression"},
    "case_sensitive": {"type": "boolean", "description": "Upper and lower case differ; true when left out"},
    "recursive": {"type": "boolean", "description": "Search the folders below too; true when left out"},
    "count_only": {"type": "boolean", "description": "Only count the lines"}
  },
  "required": ["pattern"],
  "additionalProperties": false
}"#;
    const OUTPUT: Option<&'static str> = Some(
        r#"{
  "type": "object",
  "properties": {
    "lines": {"type": "integer", "description": "How many lines match"},
    "files": {"type": "integer", "description": "In how many files"},
    "matches": {"type": "array", "items": {
      "type": "object",
      "properties": {"path": {"type": "string"}, "line": {"type": "integer"}, "text": {"type": "string"}},
      "required": ["path", "line", "text"],
      "additionalProperties": false
    }},
    "left_out": {"type": ["string", "null"], "description": "What was not searched or is not shown, and why"}
  },
  "required": ["lines", "files", "left_out"],
  "additionalProperties": false
}"#,
    );
    const EFFECT: Effect = Effect::Reads;

    fn perform(self, stage: &mut Stage<'_>) -> Result<ToolOutput, ToolFailure> {
        let query = Query::new(
            &self.pattern,
            self.regex,
            self.case_sensitive.unwrap_or(true),
            self.include.as_deref(),
        )?;
        let start = stage.place(self.path.as_deref().unwrap_or("."))?;
        let mut search = Search { query, stage, count_only: self.count_only, ..Search::new(stage) };
        search.run(&start, if self.recursive.unwrap_or(true) { Depth::All } else { Depth::One })?;
        Ok(search.output(&self.pattern, self.regex))
    }
}

/// A search and what it has found so far.
struct Search<'a, 'b> {
    query: Query,
    stage: &'a Stage<'b>,
    count_only: bool,
    matches: Vec<(String, usize, String)>,
    lines: usize,
    files: usize,
    passed_over: PassedOver,
    limits: Vec<String>,
}

/// Files and folders that were not searched.
#[derive(Default)]
struct PassedOver {
    binary: usize,
    too_large: usize,
    unreadable: usize,
}

impl PassedOver {
    /// How many and why, for each reason that there was.
    fn words(&self) -> impl Iterator<Item = String> {
        let counts = [
            (self.binary, "binary file was", "binary files were", "passed over"),
            (self.too_large, "too large file was", "too large files were", "passed over"),
            (self.unreadable, "file or folder", "files or folders", "could not be read"),
        ];
        counts
            .into_iter()
            .filter(|(count, ..)| *count > 0)
            .map(|(count, one, many, what)| format!("{count} {} {what}", if count == 1 { one } else { many }))
    }
}

impl<'a, 'b> Search<'a, 'b> {
    fn new(stage: &'a Stage<'b>) -> Self {
        Search {
            query: Query::default(),
            stage,
            count_only: false,
            matches: Vec::new(),
            lines: 0,
            files: 0,
            passed_over: PassedOver::default(),
            limits: Vec::new(),
        }
    }

    fn run(&mut self, start: &Place, depth: Depth) -> Result<(), ToolFailure> {
        if self.is_file(start) {
            self.query.check_takes(start)?;
            return self.file(start, start, true);
        }
        let stage = self.stage;
        let missed = walk(stage, start, depth, &mut |found| {
            match found.kind {
                Kind::Folder if passed_over(&found.place) => return Ok(Next::Pass),
                Kind::File if found.len > stage.toolbox().limits.max_file_bytes => {
                    self.passed_over.too_large += usize::from(self.query.takes(&found.place, start));
                }
                Kind::File => self.file(&found.place, start, false)?,
                _ => {}
            }
            Ok(Next::Go)
        })?;
        self.passed_over.unreadable += missed.unreadable;
        self.limits = missed.limits;
        // Files that an earlier step of the same batch has made are not on disk yet.
        for change in stage.changes().iter().filter(|change| change.before.is_none()) {
            let place = &change.place;
            let inside = place.root == start.root && below(start, place, depth);
            if inside && !passed_over(place) {
                self.file(place, start, false)?;
            }
        }
        Ok(())
    }

    fn is_file(&self, place: &Place) -> bool {
        let staged = self.stage.changes().iter().any(|change| change.place == *place);
        let metadata = self.stage.roots()[place.root].dir.symlink_metadata(&place.path);
        staged || metadata.is_ok_and(|metadata| metadata.is_file())
    }

    fn file(&mut self, place: &Place, start: &Place, asked_for: bool) -> Result<(), ToolFailure> {
        self.stage.stop().check()?;
        if !asked_for && !self.query.takes(place, start) {
            return Ok(());
        }
        let file = match self.stage.find(place) {
            Ok(Some(file)) => file,
            Ok(None) if asked_for => return self.stage.read(place).map(drop),
            Ok(None) => return Ok(()),
            Err(error) if asked_for => return Err(error),
            Err(_) => {
                self.passed_over.unreadable += 1;
                return Ok(());
            }
        };
        let Ok(text) = disk::text(place, &file.bytes) else {
            self.passed_over.binary += 1;
            return Ok(());
        };
        let before = self.lines;
        for (index, line) in text.lines().enumerate().filter(|(_, line)| self.query.matches(line)) {
            self.lines += 1;
            if !self.count_only && self.matches.len() < self.stage.toolbox().limits.max_matches {
                self.matches.push((place.shown.clone(), index + 1, cut(line)));
            }
        }
        self.files += usize::from(self.lines > before);
        Ok(())
    }

    fn output(self, pattern: &str, is_regex: bool) -> ToolOutput {
        let mut left_out = self.limits;
        if !self.count_only && self.matches.len() < self.lines {
            left_out.push(match self.matches.len() {
                1 => "only the first line is shown (max_matches)".to_owned(),
                count => format!("only the first {count} lines are shown (max_matches)"),
            });
        }
        left_out.extend(self.passed_over.words());
        let left_out = (!left_out.is_empty()).then(|| left_out.join("; "));
        let mut text = match self.lines {
            0 if is_regex && pattern.contains("\\n") => format!(
                "No line holds {pattern:?}. A pattern is matched within one line, so \\n in it finds nothing: search \
                 for one of the lines."
            ),
            0 => format!("No line holds {pattern:?}."),
            lines => format!("{} in {}.", counted(lines, "line"), counted(self.files, "file")),
        };
        for (path, line, shown) in &self.matches {
            let (path, shown) = (printable(path, &[]), printable(shown, &['\t']));
            text.push_str(&format!("\n{path}:{line}: {shown}"));
        }
        if let Some(left_out) = &left_out {
            text.push_str(&format!("\n[{left_out}]"));
        }
        let mut structured = json!({"lines": self.lines, "files": self.files, "left_out": left_out});
        if !self.count_only {
            let matches = self.matches.iter();
            structured["matches"] = matches
                .map(|(path, line, text)| json!({"path": path, "line": line, "text": text}))
                .collect::<Vec<_>>()
                .into();
        }
        output(text, &structured)
    }
}

fn cut(line: &str) -> String {
    match line.char_indices().nth(MAX_LINE_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// Folders that hold no files of the user's own.
fn passed_over(place: &Place) -> bool {
    trash::holds(&place.path) || place.name().is_some_and(|name| name.as_os_str() == ".git")
}

fn below(folder: &Place, place: &Place, depth: Depth) -> bool {
    match depth {
        Depth::One => place.parent() == folder.path,
        Depth::All => folder.path.as_os_str() == "." || place.path.starts_with(&folder.path),
    }
}

#[cfg(test)]
mod tests {
    use super::PassedOver;

    #[test]
    fn what_was_passed_over_is_counted_by_its_reason() {
        let words = |binary, too_large, unreadable| {
            PassedOver { binary, too_large, unreadable }.words().collect::<Vec<_>>().join("; ")
        };
        assert_eq!(words(0, 0, 0), "");
        assert_eq!(words(1, 0, 2), "1 binary file was passed over; 2 files or folders could not be read");
        assert_eq!(words(0, 3, 1), "3 too large files were passed over; 1 file or folder could not be read");
    }
}
