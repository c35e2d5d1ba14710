//! The folder of a demo: files for its tools, and what a gateway keeps. It goes away with the demo.

use std::path::PathBuf;
use std::{fs, io};

use tempfile::TempDir;

use crate::report::Report;

/// How the name of such a folder begins.
const PREFIX: &str = "toolwright-demo-";
/// The control socket in it.
const DOOR: &str = "door.sock";

/// What the files tools find.
const FILES: &[(&str, &str)] = &[
    (
        "README.md",
        "# The demo's folder\n\nA scripted model reads and writes here. All of it is removed when the demo ends.\n",
    ),
    ("notes/todo.md", "# To do\n\n- buy milk\n- call Ada\n- water the plants\n"),
    ("notes/ideas.md", "# Ideas\n\n- a bench for the garden\n- milk for the cat, bread for the birds\n"),
    (
        "src/main.rs",
        "fn main() {\n    greet(\"world\");\n}\n\nfn greet(name: &str) {\n    println!(\"hello {name}\");\n}\n",
    ),
    ("src/settings.toml", "name = \"demo\"\nverbose = false\nlimit = 20\n"),
];

/// A folder that only this user may enter.
pub struct DemoFolder(TempDir);

impl DemoFolder {
    /// Makes it, with its files.
    pub fn new() -> Result<DemoFolder, Report> {
        let place = std::env::temp_dir();
        let cannot = |error: io::Error| {
            let what = format!("cannot make a folder for the demo in {}: {error}", place.display());
            Report::usage(what, "set TMPDIR to a folder that you may write to")
        };
        let folder = DemoFolder(tempfile::Builder::new().prefix(PREFIX).tempdir().map_err(cannot)?);
        fs::create_dir_all(folder.state()).map_err(cannot)?;
        for (name, text) in FILES {
            let path = folder.files().join(name);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent).map_err(cannot)?;
            }
            fs::write(path, text).map_err(cannot)?;
        }
        Ok(folder)
    }

    /// Where the files tools work.
    pub fn files(&self) -> PathBuf {
        self.0.path().join("files")
    }

    /// What to give other commands as `XDG_STATE_HOME`, so that they look at the demo.
    pub fn state_home(&self) -> PathBuf {
        self.0.path().join("state")
    }

    /// Where the gateway keeps what a gateway keeps.
    pub fn state(&self) -> PathBuf {
        self.state_home().join("toolwright")
    }

    /// The control socket.
    pub fn door(&self) -> PathBuf {
        self.0.path().join(DOOR)
    }

    /// Removes it, with everything in it.
    pub fn remove(self) -> Result<(), Report> {
        let path = self.0.path().to_owned();
        // Whoever was just about to write a file may have made it after its folder was read.
        let tried = fs::remove_dir_all(&path).or_else(|_| fs::remove_dir_all(&path));
        match tried {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                let what = format!("the demo's folder {} cannot be removed: {error}", path.display());
                Err(Report::found(what, format!("remove it: rm -r {}", path.display())))
            }
            _ => Ok(()),
        }
    }
}

/// The control sockets of demos of this user that may be running.
pub fn doors() -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(std::env::temp_dir()) else { return Vec::new() };
    entries
        .flatten()
        .filter(|entry| entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX)))
        .filter(is_ours)
        .map(|entry| entry.path().join(DOOR))
        .collect()
}

/// Others may make folders with such a name here, and answer what they like behind such a socket.
#[cfg(unix)]
fn is_ours(entry: &fs::DirEntry) -> bool {
    use std::os::unix::fs::MetadataExt;
    entry.metadata().is_ok_and(|folder| {
        folder.is_dir() && folder.uid() == rustix::process::getuid().as_raw() && folder.mode() & 0o077 == 0
    })
}

#[cfg(not(unix))]
fn is_ours(_: &fs::DirEntry) -> bool {
    false
}
