//! One change of one file: shown, made, remembered and taken back.

use std::process::ExitCode;

use serde_json::json;
use similar::TextDiff;
use toolwright_base::Readers;
use toolwright_config::clients::{Document, EditError, Format, secret_texts};

use super::{parsed, shown};
use crate::cli::InstallOptions;
use crate::client_files::{ClientFile, Record, RecordFolder};
use crate::commands::{print, print_text};
use crate::report::Report;

/// What stands where a secret was.
const HIDDEN: &str = "[redacted]";

/// What is changed.
pub struct Change<'c> {
    pub id: &'c str,
    pub title: &'c str,
    pub name: &'c str,
    pub file: &'c ClientFile,
}

/// What is to be said of it.
#[derive(Default)]
pub struct Said {
    pub next: Option<&'static str>,
    pub lines: Vec<String>,
    /// Servers that go past us.
    pub past: Vec<String>,
    /// Servers that were taken out.
    pub moved: Vec<String>,
    /// Whether a token stands in the file.
    pub holds_token: bool,
    /// Whether others get the file as well.
    pub is_shared: bool,
    /// The file without us, when we were in it already.
    pub without_us: Option<String>,
}

/// Takes what we wrote out of a document: how much was made for it in, where we have written that down, whether
/// something of ours was there out.
pub type TakeOut<'t> = dyn Fn(&mut Document, Option<usize>) -> Result<bool, EditError> + 't;

impl Change<'_> {
    /// Writes the document, or shows what would be written.
    pub fn carry_out(
        &self,
        document: &Document,
        made: usize,
        said: &Said,
        options: &InstallOptions,
    ) -> Result<ExitCode, Report> {
        let before = self.file.text.as_deref();
        let after = document.to_text();
        let is_changed = before != Some(after.as_str());
        if options.dry_run {
            return self.show(before, &after, document, options, is_changed);
        }
        let mut backup = None;
        if is_changed {
            let folder = RecordFolder::new(self.id, self.name, &self.file.path)?;
            let (record, kept) = self.record(&folder, made, said);
            // First what brings it back, then the change.
            folder.write(&record, &kept, &after)?;
            let readers = if said.holds_token { Readers::Owner } else { Readers::Everyone };
            let folders = self.file.write(&after, readers)?;
            if !folders.is_empty() {
                folder.write(&Record { folders, ..record }, &kept, &after)?;
            }
            backup = Some(folder.before_file());
        }
        if options.json {
            print(&self.as_json(is_changed, said, backup.map(|path| path.display().to_string())))?;
        } else {
            self.tell(is_changed, said, before.is_some())?;
        }
        if said.holds_token && self.file.is_open_to_others() {
            let path = self.file.path.display();
            eprintln!(
                "warning: others on this machine can read {path}, and it holds a token: chmod 600 {path}"
            );
        }
        if said.holds_token && said.is_shared {
            eprintln!(
                "warning: {} holds a token: do not hand it on with the project",
                self.file.path.display()
            );
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Brings back what was there. A file that was changed since loses our part only.
    pub fn undo(
        &self,
        format: Format,
        options: &InstallOptions,
        take_out: &TakeOut<'_>,
    ) -> Result<ExitCode, Report> {
        let folder = RecordFolder::new(self.id, self.name, &self.file.path)?;
        let current = self.file.text.as_deref();
        let kept = folder.read();
        let path = self.file.path.display();
        if let Some((record, before, after)) = &kept
            && current == Some(after.as_str())
        {
            if options.dry_run {
                return self.show_texts(current, before, &[], options, true);
            }
            if record.existed {
                self.file.write(before, Readers::Owner)?;
            } else {
                self.file.remove()?;
                // Folders that were made for it, as long as nobody uses them.
                record.folders.iter().rev().for_each(|folder| drop(std::fs::remove_dir(folder)));
            }
            folder.forget()?;
            let what = if record.existed {
                "is what it was before"
            } else {
                "is gone again, as it was not there before"
            };
            return self.undone(&format!("{path} {what}."), true, options);
        }
        let mut document = parsed(format, self.file)?;
        let made = kept.as_ref().map(|(record, ..)| record.made);
        let was_there = take_out(&mut document, made).map_err(|error| {
            Report::usage(
                format!("{path} is left alone: {error}"),
                format!("take \"{}\" out by hand", self.name),
            )
        })?;
        if !was_there {
            return self.undone(&format!("Toolwright is not in {path}: nothing to undo."), false, options);
        }
        let after = document.to_text();
        if options.dry_run {
            return self.show(current, &after, &document, options, true);
        }
        self.file.write(&after, Readers::Owner)?;
        let mut told = format!("{path} was changed since, so only \"{}\" was taken out.", self.name);
        if kept.is_some_and(|(record, ..)| record.existed) {
            told.push_str(&format!(
                " The whole file as it was before is in {}.",
                folder.before_file().display()
            ));
        } else {
            folder.forget()?;
        }
        self.undone(&told, true, options)
    }

    /// What is kept: what was there before us, however often we were installed since.
    fn record(&self, folder: &RecordFolder, made: usize, said: &Said) -> (Record, String) {
        let current = self.file.text.as_deref();
        if let Some((record, before, after)) = folder.read()
            && current == Some(after.as_str())
        {
            return (record, before);
        }
        let record = Record {
            client: self.id.to_owned(),
            name: self.name.to_owned(),
            file: self.file.path.clone(),
            existed: current.is_some(),
            made,
            folders: Vec::new(),
        };
        // Somebody changed the file since we came: what is theirs stays theirs.
        let before = said.without_us.as_deref().or(current).unwrap_or_default();
        (record, before.to_owned())
    }

    fn show(
        &self,
        before: Option<&str>,
        after: &str,
        document: &Document,
        options: &InstallOptions,
        is_changed: bool,
    ) -> Result<ExitCode, Report> {
        self.show_texts(before, after, &secret_texts(document.root()), options, is_changed)
    }

    fn show_texts(
        &self,
        before: Option<&str>,
        after: &str,
        secrets: &[String],
        options: &InstallOptions,
        is_changed: bool,
    ) -> Result<ExitCode, Report> {
        let mut secrets = secrets.to_vec();
        for text in [before, Some(after)].into_iter().flatten() {
            let document = Document::parse(text, Format::of(&self.file.path), &self.file.path);
            secrets.extend(document.map(|document| secret_texts(document.root())).unwrap_or_default());
        }
        let hidden =
            |text: &str| secrets.iter().fold(text.to_owned(), |text, secret| text.replace(secret, HIDDEN));
        let (old, new) = (hidden(before.unwrap_or_default()), hidden(after));
        let path = self.file.path.display().to_string();
        let diff = TextDiff::from_lines(&old, &new);
        let from = if before.is_some() { path.as_str() } else { "/dev/null" };
        let diff = diff.unified_diff().context_radius(3).header(from, &path).to_string();
        if options.json {
            let said = json!({ "client": self.id, "file": path, "name": self.name, "changed": is_changed, "written": false, "diff": diff });
            print(&said.to_string())?;
        } else if is_changed {
            print_text(&shown(&diff))?;
        } else {
            print(&format!("Nothing would change in {path}."))?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn tell(&self, is_changed: bool, said: &Said, existed: bool) -> Result<(), Report> {
        let path = self.file.path.display();
        let (title, name) = (self.title, self.name);
        let mut lines: Vec<String> = Vec::new();
        lines.push(match (self.name == super::models::NAME, is_changed) {
            (true, true) => format!("{title} asks its models through Toolwright now: {path}"),
            (true, false) => format!("{title} asks its models through Toolwright already: {path}"),
            (false, true) => format!("Toolwright is in {title} now: \"{name}\" in {path}"),
            (false, false) => format!("Toolwright is in {title} already, just so: \"{name}\" in {path}"),
        });
        lines.extend(said.lines.iter().cloned());
        if is_changed {
            if !existed {
                lines.push(format!(
                    "There was no such file before. If {title} is not installed, nobody reads it."
                ));
            }
            lines.extend(said.next.map(|next| format!("next: {next}")));
            lines.push(format!("To take it back: toolwright install {}{} --undo", self.id, self.flags(said)));
        }
        print(&shown(&lines.join("\n")))
    }

    /// What the same file and name are asked for by.
    fn flags(&self, said: &Said) -> String {
        let name = if self.name == "toolwright" || self.name == super::models::NAME {
            String::new()
        } else {
            format!(" --name {}", self.name)
        };
        let scope = if said.is_shared { " --scope project" } else { "" };
        let side = if self.name == super::models::NAME { " --llm" } else { "" };
        format!("{scope}{name}{side}")
    }

    fn undone(&self, told: &str, is_changed: bool, options: &InstallOptions) -> Result<ExitCode, Report> {
        if options.json {
            let file = self.file.path.display().to_string();
            let said = json!({ "client": self.id, "file": file, "name": self.name, "changed": is_changed, "written": is_changed, "told": told });
            print(&said.to_string())?;
        } else {
            print(&shown(told))?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn as_json(&self, is_changed: bool, said: &Said, backup: Option<String>) -> String {
        json!({
            "client": self.id,
            "file": self.file.path.display().to_string(),
            "name": self.name,
            "changed": is_changed,
            "written": is_changed,
            "backup": backup,
            "next": said.next,
            "past": said.past,
            "moved": said.moved,
        })
        .to_string()
    }
}
