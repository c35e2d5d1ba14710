//! Errors of configuration files.

use std::io;
use std::path::{Path, PathBuf};

use crate::Problem;

/// Error of a configuration file that cannot be used at all. Its text ends with the fix.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file does not exist.
    #[error("{}\nfix: {}", self.what(), self.fix())]
    NotFound {
        /// The path, as it was requested.
        file: PathBuf,
        /// The source of the path: `--config`, `WORKBENCH_CONFIG`.
        asked_by: Option<&'static str>,
        /// A file with a similar name in the same folder.
        near: Option<PathBuf>,
    },
    /// The path is a folder.
    #[error("{}\nfix: {}", self.what(), self.fix())]
    IsFolder {
        /// The path, as it was requested.
        file: PathBuf,
    },
    /// The file cannot be read.
    #[error("{}\nfix: {}", self.what(), self.fix())]
    NotReadable {
        /// The path, as it was requested.
        file: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The file is too large.
    #[error("{}\nfix: {}", self.what(), self.fix())]
    TooLarge {
        /// The path, as it was requested.
        file: PathBuf,
        /// The limit in bytes.
        most: u64,
    },
    /// It is not UTF-8.
    #[error("{}\nfix: {}", self.what(), self.fix())]
    NotText {
        /// The path, as it was requested.
        file: PathBuf,
        /// Line and column of the first invalid byte, counted from 1.
        at: (usize, usize),
        /// Whether it starts with a UTF-16 byte order mark.
        is_utf16: bool,
    },
    /// The content is not a configuration.
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

    /// The description without the fix. For invalid content it is the whole report, which shows the fix under the
    /// invalid line.
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

    /// The fix.
    pub fn fix(&self) -> String {
        match self {
            ConfigError::NotFound { near: Some(near), .. } => format!("did you mean {}?", near.display()),
            ConfigError::NotFound { asked_by: Some(who), .. } => {
                format!("check the path after {who}, or leave it out to search the default locations")
            }
            ConfigError::NotFound { .. } => "check the path".to_owned(),
            ConfigError::IsFolder { .. } => "name the file in it".to_owned(),
            ConfigError::NotReadable { source, .. } => match source.kind() {
                io::ErrorKind::PermissionDenied => "check the permissions of the file".to_owned(),
                _ => "check the file and try again".to_owned(),
            },
            ConfigError::TooLarge { .. } => "name a file that contains only the configuration".to_owned(),
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
