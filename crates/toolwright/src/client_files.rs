//! Files of other programs on disk: read, written whole or not at all, and brought back.
//!
//! A file keeps its mode and its owner, a link stays a link, and what somebody else wrote meanwhile is never lost.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use toolwright_base::{FileReplacement, Readers, make_private_folder, replace_private};

use crate::report::Report;
use crate::server_source::state_folder;

/// How many links are followed from one file to the next.
const MAX_LINKS: usize = 8;

/// A file as it was when it was looked at.
pub struct ClientFile {
    /// As it was asked for.
    pub path: PathBuf,
    /// Where it really is.
    real: PathBuf,
    /// What was in it; nothing when there was none.
    pub text: Option<String>,
}

/// What an installation changed, so that it can be taken back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    pub client: String,
    pub name: String,
    pub file: PathBuf,
    /// Whether the file was there.
    pub existed: bool,
    /// How many steps to the entry were made for it.
    pub made: usize,
    /// Folders that were made for the file, the outermost first.
    pub folders: Vec<PathBuf>,
}

/// Where the record of one installation is.
pub struct RecordFolder(PathBuf);

impl ClientFile {
    /// Looks at a file.
    pub fn open(path: &Path) -> Result<ClientFile, Report> {
        let real = real_path(path);
        let text =
            toolwright_config::read_client_file(&real).map_err(|error| Report::configuration(&error))?;
        Ok(ClientFile { path: path.to_owned(), real, text })
    }

    /// Writes it, unless it is another one by now. Gives the folders that were made for it.
    pub fn write(&self, text: &str, readers: Readers) -> Result<Vec<PathBuf>, Report> {
        let failed = |error: io::Error| Report::io("write", &self.path, &error);
        self.check_unchanged()?;
        let folder = self.real.parent().map(Path::to_owned).unwrap_or_default();
        let missing: Vec<PathBuf> = {
            let mut missing: Vec<PathBuf> =
                folder.ancestors().take_while(|folder| !folder.exists()).map(Path::to_owned).collect();
            missing.reverse();
            missing.into_iter().filter(|folder| !folder.as_os_str().is_empty()).collect()
        };
        fs::create_dir_all(&folder).map_err(failed)?;
        let written = self.check_writable().and_then(|()| {
            let replacement = FileReplacement::write_alike(&self.real, text.as_bytes(), readers)?;
            // Another program may have been faster than the disk.
            self.check_unchanged()
                .map_err(|_| io::Error::other("it was changed meanwhile; run the command again"))?;
            replacement.place()
        });
        written.map_err(failed)?;
        Ok(missing)
    }

    /// Takes the file away, as it was not there before.
    pub fn remove(&self) -> Result<(), Report> {
        self.check_unchanged()?;
        fs::remove_file(&self.real).map_err(|error| Report::io("remove", &self.path, &error))
    }

    /// Whether others than its owner can read it.
    pub fn is_open_to_others(&self) -> bool {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::metadata(&self.real).is_ok_and(|seen| seen.permissions().mode() & 0o077 != 0)
        }
        #[cfg(not(unix))]
        false
    }

    fn check_unchanged(&self) -> Result<(), Report> {
        let now =
            toolwright_config::read_client_file(&self.real).map_err(|error| Report::configuration(&error))?;
        if now == self.text {
            return Ok(());
        }
        let what =
            format!("{} was changed by another program meanwhile, and is left alone", self.path.display());
        Err(Report::found(what, "run the command again"))
    }

    fn check_writable(&self) -> io::Result<()> {
        match fs::metadata(&self.real) {
            Ok(seen) if seen.permissions().readonly() => {
                Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only"))
            }
            _ => Ok(()),
        }
    }
}

/// Where links lead to in the end; also when nothing is there yet.
fn real_path(path: &Path) -> PathBuf {
    let mut real = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(target) = fs::read_link(&real) else { break };
        real = real.parent().map_or_else(|| target.clone(), |folder| folder.join(&target));
    }
    fs::canonicalize(&real).unwrap_or(real)
}

impl RecordFolder {
    /// The record of a client's file and a name in it.
    pub fn new(client: &str, name: &str, file: &Path) -> Result<RecordFolder, Report> {
        let state = state_folder().ok_or_else(|| {
            Report::usage("there is no folder to keep backups in", "set HOME or XDG_STATE_HOME")
        })?;
        let file = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
        let plain: String =
            name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).take(40).collect();
        let number = mark(&format!("{name}\n{}", file.display()));
        Ok(RecordFolder(state.join("installs").join(format!("{client}-{plain}-{number:016x}"))))
    }

    /// Where what was there before is kept.
    pub fn before_file(&self) -> PathBuf {
        self.0.join("before")
    }

    /// The record, with the texts before and after.
    pub fn read(&self) -> Option<(Record, String, String)> {
        let text = |name: &str| fs::read_to_string(self.0.join(name)).ok();
        let record: Record = serde_json::from_str(&text("record.json")?).ok()?;
        Some((record, text("before")?, text("after")?))
    }

    /// Keeps what was there before and after.
    pub fn write(&self, record: &Record, before: &str, after: &str) -> Result<(), Report> {
        let json =
            serde_json::to_string_pretty(record).map_err(|error| self.failed(&io::Error::from(error)))?;
        make_private_folder(&self.0).map_err(|error| self.failed(&error))?;
        for (name, text) in [("before", before), ("after", after), ("record.json", &json)] {
            replace_private(&self.0.join(name), text.as_bytes()).map_err(|error| self.failed(&error))?;
        }
        Ok(())
    }

    /// Forgets it.
    pub fn forget(&self) -> Result<(), Report> {
        match fs::remove_dir_all(&self.0) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(self.failed(&error)),
            _ => Ok(()),
        }
    }

    fn failed(&self, error: &io::Error) -> Report {
        Report::io("write", &self.0, error)
    }
}

/// Keeps a copy of a text in the state folder, and tells where. The last one of a file is kept.
pub fn back_up(file: &Path, text: &str) -> Result<PathBuf, Report> {
    let state = state_folder().ok_or_else(|| {
        Report::usage("there is no folder to keep backups in", "set HOME or XDG_STATE_HOME")
    })?;
    let folder = state.join("backups");
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or("file");
    let whole = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let backup = folder.join(format!("{:016x}-{name}", mark(&whole.display().to_string())));
    let written = make_private_folder(&folder).and_then(|()| replace_private(&backup, text.as_bytes()));
    written.map_err(|error| Report::io("write", &backup, &error))?;
    Ok(backup)
}

/// A number for a text (FNV-1a): names of files, not secrets, hang on it.
fn mark(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |mark, byte| (mark ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_another_program_changed_meanwhile_is_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("mcp.json");
        fs::write(&path, "{}").expect("written");
        let file = ClientFile::open(&path).expect("opened");
        fs::write(&path, "{\"theirs\": 1}").expect("written");
        let report = file.write("{\"ours\": 1}", Readers::Everyone).expect_err("it was changed");
        assert!(report.what().contains("was changed by another program meanwhile"), "{report}");
        assert_eq!(fs::read_to_string(&path).expect("read"), "{\"theirs\": 1}");
        let there: Vec<_> = fs::read_dir(folder.path()).expect("a folder").collect();
        assert_eq!(there.len(), 1, "something is left beside it");
    }

    #[test]
    fn a_read_only_file_is_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("mcp.json");
        fs::write(&path, "{}").expect("written");
        let mut permissions = fs::metadata(&path).expect("a file").permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&path, permissions).expect("changed");
        let file = ClientFile::open(&path).expect("opened");
        let report = file.write("{\"ours\": 1}", Readers::Everyone).expect_err("it is read-only");
        assert!(report.what().contains("it is read-only"), "{report}");
        assert_eq!(fs::read_to_string(&path).expect("read"), "{}");
    }
}
