//! From the text of a path to a place inside one of the roots.
//!
//! Every access goes through the directory handle of a root (`cap-std`, on Linux `openat2` with
//! `RESOLVE_BENEATH`), so a path, a symbolic link or a link that is swapped during the call cannot lead
//! outside. The checks here are for clear messages; the handle is what holds.

use std::io;
use std::path::{Component, Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use super::super::arguments::invalid;
use crate::ToolFailure;

/// The longest path that is taken, in bytes: what the kernel takes too.
const MAX_PATH_BYTES: usize = 4096;
/// The longest name of one file or folder, in bytes.
const MAX_NAME_BYTES: usize = 255;

/// A folder that the files tools may use.
#[derive(Debug)]
pub(super) struct Root {
    pub dir: Dir,
    /// As configured, absolute.
    given: PathBuf,
    /// With symbolic links resolved.
    real: PathBuf,
}

/// A file or folder inside a root. It may not exist yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The number of the root.
    pub root: usize,
    /// The path below the root, without links or `..`; `.` for the root itself.
    pub path: PathBuf,
    /// The path as results name it; it can be sent back.
    pub shown: String,
}

impl Root {
    /// Opens a root.
    pub(super) fn open(path: &Path) -> io::Result<Root> {
        let given = std::path::absolute(path)?;
        let real = given.canonicalize()?;
        Ok(Root { dir: Dir::open_ambient_dir(&real, ambient_authority())?, given, real })
    }

    /// What is left of an absolute path below this root, compared component by component.
    fn below<'a>(&self, path: &'a Path) -> Option<&'a Path> {
        path.strip_prefix(&self.given).or_else(|_| path.strip_prefix(&self.real)).ok()
    }
}

impl Place {
    /// The folder that holds it; `.` at the top of a root.
    pub(super) fn parent(&self) -> &Path {
        self.path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
    }

    /// Its own name; nothing for a root itself.
    pub(super) fn name(&self) -> Option<&Path> {
        self.path.file_name().map(Path::new)
    }

    /// A place below this one.
    pub(super) fn join(&self, name: &Path) -> Place {
        let shown = match self.shown.as_str() {
            "." => name.display().to_string(),
            folder => format!("{folder}/{}", name.display()),
        };
        let path = if self.path == Path::new(".") { name.to_owned() } else { self.path.join(name) };
        Place { root: self.root, path, shown }
    }
}

/// Finds the place that a path names.
///
/// A relative path is below the first root; an absolute one must be below one of them.
pub(super) fn resolve(roots: &[Root], text: &str) -> Result<Place, ToolFailure> {
    check_text(text)?;
    let path = Path::new(text);
    let (root, rest) = if path.is_absolute() {
        let below = roots.iter().enumerate().filter_map(|(index, root)| Some((index, root.below(path)?)));
        // The innermost root: the one that leaves the least of the path.
        below.min_by_key(|(_, rest)| rest.components().count()).ok_or_else(|| outside(roots, text))?
    } else {
        (0, path)
    };
    let Some(dir) = roots.get(root).map(|root| &root.dir) else {
        return Err(outside(roots, text));
    };
    let rest = if rest.as_os_str().is_empty() { Path::new(".") } else { rest };
    let path = match real(dir, rest) {
        Ok(path) => path,
        Err(error) if error.kind() == io::ErrorKind::NotFound => missing(dir, rest, roots, text)?,
        Err(error) => return Err(failure(roots, text, &error)),
    };
    let path = if path.as_os_str().is_empty() { PathBuf::from(".") } else { path };
    Ok(Place { root, shown: shown(roots, root, &path), path })
}

/// Finds the entry of a folder that a path names: like [`resolve`], but a symbolic link at the end is the
/// place itself. Deleting a link must not delete what it points to.
pub(super) fn resolve_entry(roots: &[Root], text: &str) -> Result<Place, ToolFailure> {
    check_text(text)?;
    let path = Path::new(text);
    let (Some(parent), Some(name)) = (path.parent().and_then(Path::to_str), path.file_name()) else {
        return resolve(roots, text);
    };
    let folder = resolve(roots, if parent.is_empty() { "." } else { parent })?;
    Ok(folder.join(Path::new(name)))
}

/// A path below a root as results name it: relative for the first root, absolute for the others.
pub(super) fn shown(roots: &[Root], root: usize, path: &Path) -> String {
    match root {
        0 => path.display().to_string(),
        _ if path == Path::new(".") => roots[root].given.display().to_string(),
        _ => roots[root].given.join(path).display().to_string(),
    }
}

/// The path without links. One that has none is taken as it stands: the system would be asked for the name
/// of what is there now, and answer with another when somebody renames or replaces it in that moment.
fn real(dir: &Dir, path: &Path) -> io::Result<PathBuf> {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::Normal(name) => {
                plain.push(name);
                if dir.symlink_metadata(&plain)?.is_symlink() {
                    return dir.canonicalize(path);
                }
            }
            _ => return dir.canonicalize(path),
        }
    }
    Ok(plain)
}

/// The place of something that does not exist: its nearest folder that does, and the names below it.
fn missing(dir: &Dir, path: &Path, roots: &[Root], text: &str) -> Result<PathBuf, ToolFailure> {
    let components: Vec<Component<'_>> = path.components().collect();
    for kept in (0..components.len()).rev() {
        let mut folder: PathBuf = components[..kept].iter().collect();
        if folder.as_os_str().is_empty() {
            folder.push(".");
        }
        let real = match real(dir, &folder) {
            Ok(real) => real,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(failure(roots, text, &error)),
        };
        let names: PathBuf = components[kept..].iter().collect();
        if components[kept..].iter().any(|component| !matches!(component, Component::Normal(_))) {
            return Err(invalid(format!(
                "the path {text:?} goes up with \"..\" from a folder that does not exist. Send the path without \"..\""
            )));
        }
        if dir.symlink_metadata(real.join(components[kept])).is_ok_and(|found| found.is_symlink()) {
            return Err(invalid(format!(
                "the path {text:?} goes through a symbolic link that leads nowhere. Use the path of a real file"
            )));
        }
        let real = if real == Path::new(".") { PathBuf::new() } else { real };
        return Ok(real.join(names));
    }
    Err(outside(roots, text))
}

fn check_text(text: &str) -> Result<(), ToolFailure> {
    let wrong = if text.is_empty() {
        "the path is empty. Send the path of a file or folder; \".\" is the folder that the tools work in"
            .to_owned()
    } else if text.contains('\0') {
        format!("the path {text:?} holds a NUL character, which no file name can. Remove it")
    } else if text.len() > MAX_PATH_BYTES {
        format!(
            "the path has {} bytes; at most {MAX_PATH_BYTES} are possible. Send a shorter one",
            text.len()
        )
    } else if text.split('/').any(|name| name.len() > MAX_NAME_BYTES) {
        format!("the path holds a name of more than {MAX_NAME_BYTES} bytes, which no file can have")
    } else if text == "~" || text.starts_with("~/") {
        format!(
            "the path {text:?} begins with ~, which is not expanded here. Send a path relative to the folder"
        )
    } else {
        return Ok(());
    };
    Err(invalid(wrong))
}

fn outside(roots: &[Root], text: &str) -> ToolFailure {
    let allowed: Vec<String> = roots.iter().map(|root| root.given.display().to_string()).collect();
    invalid(format!(
        "the path {text:?} leads outside of the folders that the files tools may use ({}). Use a path inside \
         them, for example relative to the first",
        allowed.join(", ")
    ))
}

/// The words for an error of the file system about a path that the caller sent.
pub(super) fn failure(roots: &[Root], text: &str, error: &io::Error) -> ToolFailure {
    if is_escape(error) {
        return outside(roots, text);
    }
    ToolFailure::tool(format!("cannot use {text:?}: {}", reason(error)))
}

/// Whether `cap-std` refused a path because it leads out of its root. Its own error carries no number of
/// the operating system, a refusal of the operating system does.
fn is_escape(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_none()
}

/// An error of the file system in words for the model.
pub(super) fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "it does not exist".to_owned(),
        io::ErrorKind::PermissionDenied if is_escape(error) => {
            "it leads outside of the allowed folders".to_owned()
        }
        io::ErrorKind::PermissionDenied => "the system does not allow it (permission denied)".to_owned(),
        io::ErrorKind::NotADirectory => "a part of the path is a file, not a folder".to_owned(),
        io::ErrorKind::StorageFull => "the disk is full".to_owned(),
        io::ErrorKind::ReadOnlyFilesystem => "the disk is read-only".to_owned(),
        _ => error.to_string(),
    }
}
