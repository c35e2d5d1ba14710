//! From the text of a path to a place inside one of the roots.
//!
//! Every access goes through the directory handle of a root (`cap-std`, on Linux `openat2` with
//! `RESOLVE_BENEATH`), so a path, a symbolic link or a link that is swapped during the call cannot lead
//! outside. The checks here are for clear messages; the handle is what holds.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Component, Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use toolwright_executor::ToolFailure;

use super::super::arguments::invalid;
use super::commit::is_own;
use super::reason::{escape, is_escape};

pub(super) use super::reason::reason;

/// The longest path that is taken, in bytes: what the kernel takes too.
const MAX_PATH_BYTES: usize = 4096;
/// How many symbolic links one path goes through at most: as many as the kernel takes.
pub(super) const MAX_LINKS: usize = 40;
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

/// What a batch has made of a path so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Staged {
    File,
    Gone,
}

/// Tells what is staged for a path below the root of this number.
pub(super) type Staging<'a> = &'a dyn Fn(usize, &Path) -> Option<Staged>;

impl Root {
    /// Opens a root.
    pub(super) fn open(path: &Path) -> io::Result<Root> {
        let given = std::path::absolute(path)?;
        let real = given.canonicalize()?;
        // After a link `..` is not what it looks like, so such a path is not shown to anybody.
        let goes_up = given.components().any(|component| component == Component::ParentDir);
        let given = if goes_up { real.clone() } else { given };
        Ok(Root { dir: Dir::open_ambient_dir(&real, ambient_authority())?, given, real })
    }

    /// Its path with symbolic links resolved.
    pub(super) fn real(&self) -> &Path {
        &self.real
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

/// Finds the place that a path names, in the files as a batch has staged them.
///
/// A relative path is below the first root; an absolute one must be below one of them.
pub(super) fn resolve(roots: &[Root], text: &str, staging: Staging<'_>) -> Result<Place, ToolFailure> {
    check_text(text)?;
    resolve_path(roots, Path::new(text), text, staging)
}

/// Finds the place of a path that is the sent text or a part of it. Messages name what was sent.
fn resolve_path(roots: &[Root], path: &Path, text: &str, staging: Staging<'_>) -> Result<Place, ToolFailure> {
    let (root, rest) = if path.is_absolute() {
        let below = roots.iter().enumerate().filter_map(|(index, root)| Some((index, root.below(path)?)));
        // The innermost root: the one that leaves the least of the path.
        below.min_by_key(|(_, rest)| rest.components().count()).ok_or_else(|| outside(roots, text))?
    } else {
        (0, path)
    };
    let Some(used) = roots.get(root) else {
        return Err(outside(roots, text));
    };
    let staged = |path: &Path| staging(root, path);
    let path = match real(used, rest, &staged) {
        Ok(path) => path,
        Err(error) if error.kind() == io::ErrorKind::NotFound => missing(used, rest, &staged, roots, text)?,
        Err(error) => return Err(failure(roots, text, &error)),
    };
    if path.components().any(|component| is_own(Path::new(component.as_os_str()))) {
        return Err(invalid(format!(
            "the path {text:?} names a file that the files tools use for themselves while they write. Choose another"
        )));
    }
    let path = if path.as_os_str().is_empty() { PathBuf::from(".") } else { path };
    Ok(Place { root, shown: shown(roots, root, &path), path })
}

/// Finds the entry of a folder that a path names: like [`resolve`], but a symbolic link at the end is the
/// place itself. Deleting a link must not delete what it points to.
pub(super) fn resolve_entry(roots: &[Root], text: &str, staging: Staging<'_>) -> Result<Place, ToolFailure> {
    check_text(text)?;
    let path = Path::new(text);
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return resolve(roots, text, staging);
    };
    if is_own(Path::new(name)) {
        return resolve(roots, text, staging);
    }
    let folder = resolve_path(roots, parent, text, staging)?;
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

/// The path without links; an empty one for the root itself.
///
/// Links are followed here, one by one, and not by the system: it would be asked for the name of what is
/// there now, and answer with another when somebody renames or replaces it in that moment. An absolute link
/// is followed when it leads into the same root. Whatever comes out is used through the handle of the root.
fn real(root: &Root, path: &Path, staged: &dyn Fn(&Path) -> Option<Staged>) -> io::Result<PathBuf> {
    let (mut plain, mut links) = (PathBuf::new(), 0);
    let mut rest = names_reversed(path)?;
    while let Some(name) = rest.pop() {
        if name == OsStr::new("..") {
            if !plain.pop() {
                return Err(escape());
            }
            continue;
        }
        plain.push(&name);
        let is_folder = match staged(&plain) {
            Some(Staged::Gone) => return Err(io::ErrorKind::NotFound.into()),
            Some(Staged::File) => false,
            None => {
                let found = root.dir.symlink_metadata(&plain)?;
                if found.is_symlink() {
                    links += 1;
                    if links > MAX_LINKS {
                        return Err(io::Error::other(format!(
                            "it goes through more than {MAX_LINKS} symbolic links, or they lead in a circle"
                        )));
                    }
                    let target = root.dir.read_link_contents(&plain)?;
                    plain.pop();
                    if target.is_absolute() {
                        plain.clear();
                        rest.extend(names_reversed(root.below(&target).ok_or_else(escape)?)?);
                    } else {
                        rest.extend(names_reversed(&target)?);
                    }
                    continue;
                }
                found.is_dir()
            }
        };
        if !is_folder && !rest.is_empty() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
    }
    Ok(plain)
}

/// The names of a relative path, the last one first.
fn names_reversed(path: &Path) -> io::Result<Vec<OsString>> {
    let mut names = Vec::new();
    for component in path.components().rev() {
        match component {
            Component::CurDir => {}
            Component::Normal(name) => names.push(name.to_owned()),
            Component::ParentDir => names.push(OsString::from("..")),
            Component::RootDir | Component::Prefix(_) => return Err(escape()),
        }
    }
    Ok(names)
}

/// The place of something that does not exist: its nearest folder that does, and the names below it.
fn missing(
    root: &Root,
    path: &Path,
    staged: &dyn Fn(&Path) -> Option<Staged>,
    roots: &[Root],
    text: &str,
) -> Result<PathBuf, ToolFailure> {
    let components: Vec<Component<'_>> = path.components().collect();
    for kept in (0..components.len()).rev() {
        let folder: PathBuf = components[..kept].iter().collect();
        let real = match real(root, &folder, staged) {
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
        let first = real.join(components[kept]);
        let is_link = || root.dir.symlink_metadata(&first).is_ok_and(|found| found.is_symlink());
        if staged(&first).is_none() && is_link() {
            return Err(invalid(format!(
                "the path {text:?} goes through a symbolic link that leads nowhere. Use the path of a real file"
            )));
        }
        return Ok(real.join(names));
    }
    Err(outside(roots, text))
}

/// A path with a slash at its end names a folder, and so it is not taken for a file.
pub(super) fn check_names_file(text: &str) -> Result<(), ToolFailure> {
    let folder = text.trim_end_matches("/.").trim_end_matches('/');
    if folder.len() == text.len() || folder.is_empty() {
        return Ok(());
    }
    let end = if text.ends_with('.') { "\"/.\"" } else { "a slash" };
    Err(invalid(format!(
        "the path {text:?} ends with {end}, so it names a folder, and a file is needed. Send {folder:?} for a \
         file of that name, or {:?} for one in the folder",
        format!("{folder}/NAME")
    )))
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
