//! Why a file cannot be used at all.

use std::io;
use std::path::{Path, PathBuf};

use crate::Problem;

/// Why a file cannot be used at all. Shown, it ends with the next step.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// There is no such file.
    #[error("{}\nfix: {}", self.what(), self.fix())]
    NotFound {
        /// As it was asked for.
        file: PathBuf,
        /// Who asked for it: `--config`, `WORKBENCH_CONFIG`.
        asked_by: Option<&'static str>,
        /// A file beside it whose name is nearly the same.
        near: Option<PathBuf>,
    },
    /// It is a folder.
    #[error("{}\nfix: {}", self.what(), self.fix())]
    IsFolder {
        /// As it was asked for.
        file: PathBuf,
    },
    /// It cannot be read.
    #[error("{}\nfix: {}", self.what(), self.fix())]
    NotReadable {
        /// As it was asked for.
        file: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// It is larger than it may be.
    #[error("{}\nfix: {}", self.what(), self.fix())]
    TooLarge {
        /// As it was asked for.
        file: PathBuf,
        /// The most that is read, in bytes.
        most: u64,
    },
    /// It is not UTF-8.
    #[error("{}\nfix: {}", self.what(), self.fix())]
    NotText {
        /// As it was asked for.
        file: PathBuf,
        /// Line and column of the first byte that is none, counted from 1.
        at: (usize, usize),
        /// Whether it begins as UTF-16 does.
        is_utf16: bool,
    },
    /// It says something else than a configuration.
    #[error("{0}")]
    Wrong(Box<Problem>),
}

impl ConfigError {
    /// The file.
    pub fn file(&self) -> &Path {
        match self {
            ConfigError::NotFound { file, .. }
            | ConfigError::IsFolder { file }
            | ConfigError::NotReadable { file, .. }
            | ConfigError::TooLarge { file, .. }
            | ConfigError::NotText { file, .. } => file,
            ConfigError::Wrong(problem) => &problem.file,
        }
    }

    /// What is wrong, without the next step. Of a configuration that says something wrong, the whole report: it shows
    /// the next step under the line that is wrong.
    pub fn what(&self) -> String {
        match self {
            ConfigError::NotFound { file, .. } => format!("there is no file {}", file.display()),
            ConfigError::IsFolder { file } => format!("{} is a folder, not a file", file.display()),
            ConfigError::NotReadable { file, source } => {
                format!("{} cannot be read: {source}", file.display())
            }
            ConfigError::TooLarge { file, most } => {
                format!("{} is larger than {} MiB", file.display(), most >> 20)
            }
            ConfigError::NotText { file, at, is_utf16 } => not_text(file, at, is_utf16),
            ConfigError::Wrong(problem) => format!("{}{}", problem.headline(), problem.details()),
        }
    }

    /// The next step.
    pub fn fix(&self) -> String {
        match self {
            ConfigError::NotFound { near: Some(near), .. } => format!("did you mean {}?", near.display()),
            ConfigError::NotFound { asked_by: Some(who), .. } => {
                format!("check the path after {who}, or leave it out to look in the usual places")
            }
            ConfigError::NotFound { .. } => "check the path".to_owned(),
            ConfigError::IsFolder { .. } => "name the file in it".to_owned(),
            ConfigError::NotReadable { source, .. } => match source.kind() {
                io::ErrorKind::PermissionDenied => "check who may read the file".to_owned(),
                _ => "check the file and try again".to_owned(),
            },
            ConfigError::TooLarge { .. } => "name a file that holds the servers and nothing else".to_owned(),
            ConfigError::NotText { .. } => "save it as UTF-8".to_owned(),
            ConfigError::Wrong(problem) => problem.fix.clone(),
        }
    }
}

fn not_text(file: &Path, (line, column): &(usize, usize), is_utf16: &bool) -> String {
    let file = file.display();
    if *is_utf16 {
        return format!("{file} is UTF-16, not UTF-8");
    }
    format!("{file}:{line}:{column}: this byte is not UTF-8")
}
