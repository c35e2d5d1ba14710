//! Walking through folders: in order, without following links, within limits.

use std::io;
use std::path::{Path, PathBuf};

use cap_fs_ext::DirExt;
use cap_std::fs::{Dir, Metadata};
use toolwright_executor::ToolFailure;

use super::commit::is_own;
use super::kept_out::refused;
use super::place::{Place, failure, reason};
use super::stage::Stage;

/// How far down a walk goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Depth {
    /// Only what the folder itself holds.
    One,
    /// Folders in it too.
    All,
}

/// What an entry of a folder is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Folder,
    Link,
    Other,
}

/// One entry of a folder.
pub(super) struct Found {
    pub place: Place,
    pub kind: Kind,
    /// Its size in bytes.
    pub len: u64,
}

/// Whether a walk goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    Go,
    /// Do not enter this folder.
    Pass,
    Stop,
}

/// What a walk did not see.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Missed {
    /// Folders and entries that could not be read.
    pub unreadable: usize,
    /// What the limits left out, in words.
    pub limits: Vec<String>,
}

/// Visits what a folder holds, sorted by name, each folder before what is in it.
pub(super) fn walk(
    stage: &Stage<'_>,
    folder: &Place,
    depth: Depth,
    visit: &mut dyn FnMut(Found) -> Result<Next, ToolFailure>,
) -> Result<Missed, ToolFailure> {
    let roots = stage.roots();
    let dir = roots[folder.root].dir.open_dir(&folder.path).map_err(|error| match error.kind() {
        io::ErrorKind::NotADirectory => {
            ToolFailure::tool(format!("{:?} is a file, not a folder. Use read_file to read it", folder.shown))
        }
        _ => failure(roots, &folder.shown, &error),
    })?;
    if dir.dir_metadata().is_ok_and(|found| stage.kept_out().is_one(&found)) {
        return Err(refused(&folder.shown));
    }
    let mut walker = Walker {
        stage,
        depth,
        visit,
        visited: 0,
        is_full: false,
        is_deep: false,
        has_kept_out: false,
        missed: Missed::default(),
    };
    let entries = walker.entries(&dir).map_err(|error| unreadable(folder, &error))?;
    walker.folder(&dir, entries, folder, 1)?;
    Ok(walker.missed)
}

/// A folder that was asked for and cannot be read is not an empty one.
fn unreadable(folder: &Place, error: &io::Error) -> ToolFailure {
    ToolFailure::tool(format!("cannot read the folder {:?}: {}", folder.shown, reason(error)))
}

type Entries = Vec<(PathBuf, Metadata)>;

struct Walker<'a, 'b> {
    stage: &'a Stage<'b>,
    depth: Depth,
    visit: &'a mut dyn FnMut(Found) -> Result<Next, ToolFailure>,
    visited: usize,
    /// Whether as much was looked at as may be: no more folders are entered.
    is_full: bool,
    /// Whether folders were too deep: these are left out, and the walk goes on.
    is_deep: bool,
    /// Whether something is there that no tool touches.
    has_kept_out: bool,
    missed: Missed,
}

impl Walker<'_, '_> {
    fn folder(
        &mut self,
        dir: &Dir,
        entries: Entries,
        place: &Place,
        level: usize,
    ) -> Result<Next, ToolFailure> {
        for (name, metadata) in entries {
            self.stage.stop().check()?;
            let inner = place.join(&name);
            if self.stage.kept_out().has(self.stage.roots(), &inner, &metadata) {
                self.pass_over_kept_out();
                continue;
            }
            let found = Found { place: inner, kind: kind(&metadata), len: metadata.len() };
            let (below, is_folder) = (found.place.clone(), found.kind == Kind::Folder);
            match (self.visit)(found)? {
                Next::Stop => return Ok(Next::Stop),
                Next::Go if is_folder && self.depth == Depth::All => {
                    if self.enter(dir, &name, &below, level)? == Next::Stop {
                        return Ok(Next::Stop);
                    }
                }
                Next::Go | Next::Pass => {}
            }
        }
        Ok(Next::Go)
    }

    fn pass_over_kept_out(&mut self) {
        if !self.has_kept_out {
            self.has_kept_out = true;
            self.missed.limits.push("files of the gateway itself were left out".to_owned());
        }
    }

    fn enter(&mut self, dir: &Dir, name: &Path, place: &Place, level: usize) -> Result<Next, ToolFailure> {
        if self.is_full {
            return Ok(Next::Go);
        }
        let max_depth = self.stage.toolbox().limits.max_depth;
        if level >= max_depth {
            if !self.is_deep {
                self.is_deep = true;
                self.missed.limits.push(format!("folders deeper than {max_depth} were left out (max_depth)"));
            }
            return Ok(Next::Go);
        }
        match dir.open_dir_nofollow(name).and_then(|inner| Ok((self.entries(&inner)?, inner))) {
            Ok((entries, inner)) => self.folder(&inner, entries, place, level + 1),
            Err(_) => {
                self.missed.unreadable += 1;
                Ok(Next::Go)
            }
        }
    }

    fn entries(&mut self, dir: &Dir) -> io::Result<Entries> {
        let max_visited = self.stage.toolbox().limits.max_visited;
        let mut entries = Vec::new();
        for entry in dir.entries()? {
            if self.visited >= max_visited {
                self.is_full = true;
                let words = format!("only {max_visited} files and folders were looked at (max_visited)");
                self.missed.limits.push(words);
                break;
            }
            self.visited += 1;
            match entry.and_then(|entry| Ok((PathBuf::from(entry.file_name()), entry.metadata()?))) {
                Ok((name, _)) if is_own(&name) => {}
                Ok(entry) => entries.push(entry),
                Err(_) => self.missed.unreadable += 1,
            }
        }
        entries.sort_by(|(one, _), (other, _)| one.cmp(other));
        Ok(entries)
    }
}

fn kind(metadata: &Metadata) -> Kind {
    if metadata.is_symlink() {
        Kind::Link
    } else if metadata.is_dir() {
        Kind::Folder
    } else if metadata.is_file() {
        Kind::File
    } else {
        Kind::Other
    }
}
