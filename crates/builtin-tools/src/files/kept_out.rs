//! What the tools do not touch though it is inside of a root: the files of the gateway itself.
//!
//! Who could write the configuration could have programs started, and who could read the tokens could come
//! back with more rights. A place is known by its name and, where it is there, by its device and inode: so it
//! is kept out under every name, also that of a hard link.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Component, Path, PathBuf};

use cap_fs_ext::MetadataExt;
use cap_std::fs::Metadata;
use toolwright_executor::ToolFailure;

use super::super::arguments::invalid;
use super::place::{MAX_LINKS, Place, Root};

/// How many files and folders in the kept-out folders are known by more than their names.
const MAX_KNOWN: usize = 10_000;

/// The device and the inode of a file or folder.
type Id = (u64, u64);

/// The kept-out places as they are now.
#[derive(Debug, Default)]
pub(super) struct KeptOut {
    /// Their paths, as given and without links.
    names: Vec<PathBuf>,
    /// The links that lead to them.
    links: Vec<PathBuf>,
    /// What is there of them, with everything in it.
    known: HashSet<Id>,
    /// What is not there: the nearest folder that is, and the names below it.
    missing: Vec<(Id, PathBuf)>,
}

/// What a place is to the kept-out ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    None,
    /// It is one or is in one.
    Inside,
    /// It holds one, or leads to it.
    Around,
}

impl KeptOut {
    /// Looks at the places.
    pub(super) fn look(places: &[PathBuf]) -> KeptOut {
        let mut kept = KeptOut::default();
        for place in places {
            let real = kept.follow(place);
            match id(&real) {
                Some(found) => kept.know(&real, found),
                None => kept.miss(&real),
            }
            kept.names.extend([place.clone(), real]);
        }
        kept
    }

    /// Fails for a place that is kept out. `text` is the path as it was sent.
    pub(super) fn check(&self, roots: &[Root], place: &Place, text: &str) -> Result<(), ToolFailure> {
        if self.relation(roots, place) == Relation::Inside { Err(refused(text)) } else { Ok(()) }
    }

    /// Fails for a place that must stay as it is: one that is kept out, holds such a place or leads to it.
    pub(super) fn check_change(&self, roots: &[Root], place: &Place) -> Result<(), ToolFailure> {
        match self.relation(roots, place) {
            Relation::None => Ok(()),
            Relation::Inside => Err(refused(&place.shown)),
            Relation::Around => Err(invalid(format!(
                "{:?} cannot be written, moved or deleted: it is on the path to a file of the gateway itself. Use \
                 another name; who runs the gateway can change it without these tools",
                place.shown
            ))),
        }
    }

    /// Whether an entry of a folder is kept out.
    pub(super) fn has(&self, roots: &[Root], place: &Place, metadata: &Metadata) -> bool {
        if self.names.is_empty() {
            return false;
        }
        let path = full(roots, place);
        self.is_one(metadata) || self.by_name(&path) == Relation::Inside
    }

    /// Whether a file or folder that was found is one of those that are kept out.
    pub(super) fn is_one(&self, found: &Metadata) -> bool {
        // Not every system tells the device and inode of what it lists; there nothing is known by them.
        !self.known.is_empty() && self.is_known((found.dev(), found.ino()))
    }

    /// The same, by its device and inode.
    pub(super) fn is_known(&self, id: (u64, u64)) -> bool {
        self.known.contains(&id)
    }

    fn relation(&self, roots: &[Root], place: &Place) -> Relation {
        if self.names.is_empty() {
            return Relation::None;
        }
        match self.by_name(&full(roots, place)) {
            Relation::Inside => Relation::Inside,
            found => {
                let other = self.by_id(&roots[place.root], &place.path);
                if other == Relation::None { found } else { other }
            }
        }
    }

    fn by_name(&self, path: &Path) -> Relation {
        if self.names.iter().any(|name| is_below(path, name)) {
            Relation::Inside
        } else if self.names.iter().chain(&self.links).any(|name| is_below(name, path)) {
            Relation::Around
        } else {
            Relation::None
        }
    }

    fn by_id(&self, root: &Root, path: &Path) -> Relation {
        let mut found = Relation::None;
        if self.known.is_empty() && self.missing.is_empty() {
            return found;
        }
        // The root itself is the last, and its path is empty.
        for folder in path.ancestors() {
            let named = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            let Ok(metadata) = root.dir.symlink_metadata(named) else { continue };
            let here = (metadata.dev(), metadata.ino());
            if self.is_known(here) {
                return Relation::Inside;
            }
            let below = path.strip_prefix(folder).unwrap_or(path);
            for (_, names) in self.missing.iter().filter(|(near, _)| *near == here) {
                if is_below(below, names) {
                    return Relation::Inside;
                }
                if below.file_name().is_some() && is_below(names, below) {
                    found = Relation::Around;
                }
            }
        }
        found
    }

    /// The path without links. Those on the way are noted.
    fn follow(&mut self, path: &Path) -> PathBuf {
        let (mut plain, mut links) = (PathBuf::new(), 0);
        let mut rest = reversed(path);
        while let Some(name) = rest.pop() {
            if name == OsStr::new("..") {
                plain.pop();
                continue;
            }
            // The beginning of an absolute target takes the place of what was there.
            plain.push(&name);
            let Ok(target) = fs::read_link(&plain) else { continue };
            self.links.push(plain.clone());
            links += 1;
            if links > MAX_LINKS {
                break;
            }
            plain.pop();
            rest.extend(reversed(&target));
        }
        plain
    }

    /// Remembers a file or folder and everything in it.
    fn know(&mut self, path: &Path, found: Id) {
        self.known.insert(found);
        let mut folders = vec![path.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                if self.known.len() >= MAX_KNOWN {
                    return;
                }
                let path = entry.path();
                // Of a link what it leads to.
                if let Some(found) = id(&path)
                    && self.known.insert(found)
                {
                    folders.push(path);
                }
            }
        }
    }

    fn miss(&mut self, path: &Path) {
        let near = path.ancestors().find_map(|folder| Some((id(folder)?, path.strip_prefix(folder).ok()?)));
        self.missing.extend(near.map(|(near, names)| (near, names.to_owned())));
    }
}

fn full(roots: &[Root], place: &Place) -> PathBuf {
    match place.name() {
        Some(_) => roots[place.root].real().join(&place.path),
        None => roots[place.root].real().to_owned(),
    }
}

/// Whether a path is another or below it. Upper and lower case are the same: on some disks they are.
fn is_below(path: &Path, folder: &Path) -> bool {
    let mut names = path.components();
    folder.components().all(|wanted| {
        names.next().is_some_and(|name| {
            let (name, wanted) = (name.as_os_str(), wanted.as_os_str());
            name == wanted
                || name.eq_ignore_ascii_case(wanted)
                || !name.is_ascii()
                    && name.to_string_lossy().to_lowercase() == wanted.to_string_lossy().to_lowercase()
        })
    })
}

fn reversed(path: &Path) -> Vec<OsString> {
    let names = path.components().filter(|component| *component != Component::CurDir);
    names.rev().map(|component| component.as_os_str().to_owned()).collect()
}

#[cfg(unix)]
fn id(path: &Path) -> Option<Id> {
    fs::metadata(path).ok().map(|found| (found.dev(), found.ino()))
}

/// Names alone must do.
#[cfg(not(unix))]
fn id(_: &Path) -> Option<Id> {
    None
}

/// What a call is told that asks for a kept-out place.
pub(super) fn refused(text: &str) -> ToolFailure {
    invalid(format!(
        "the path {text:?} is not for the files tools: it is a file of the gateway itself, such as its configuration \
         or its tokens. Use another file; who runs the gateway can change this one without these tools"
    ))
}
