//! From a file to a configuration.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use bumpalo::Bump;
use toolwright_base::closest_name;
use toolwright_jsonrpc::raw;

use crate::mistakes::Mistakes;
use crate::read::{Reader, Switches};
use crate::{ConfigError, Configuration, Environment, Severity, jsonc, syntax};

/// The longest file that is read.
pub const MAX_FILE_BYTES: u64 = 4 << 20;

/// The longest file of a client that is read: some keep their history beside the servers.
const MAX_CLIENT_FILE_BYTES: u64 = 64 << 20;

/// Reads a file.
pub fn load(file: &Path, environment: &Environment<'_>) -> Result<Configuration, ConfigError> {
    from_bytes(file, read(file)?, environment)
}

/// Reads the bytes of a file.
pub(crate) fn from_bytes(
    file: &Path,
    bytes: Vec<u8>,
    environment: &Environment<'_>,
) -> Result<Configuration, ConfigError> {
    let text = String::from_utf8(bytes).map_err(|error| not_text(file, error.as_bytes()))?;
    let whole = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let folder = whole.parent().map(Path::to_owned).unwrap_or_default();
    parse_in(&text, file, &folder, environment)
}

/// Reads the text of a file; nothing is looked up on disk. Relative folders in it begin at the file's own.
/// A byte order mark at its start is no part of the text.
pub fn parse(text: &str, file: &Path, environment: &Environment<'_>) -> Result<Configuration, ConfigError> {
    parse_in(text, file, file.parent().unwrap_or(Path::new("")), environment)
}

fn parse_in(
    text: &str,
    file: &Path,
    folder: &Path,
    environment: &Environment<'_>,
) -> Result<Configuration, ConfigError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let blanked = jsonc::blanked(text);
    let arena = Bump::new();
    let mut mistakes = Mistakes::new(text, &blanked);
    let mut switches = Switches::default();
    let read = match raw::parse(&blanked, &arena) {
        Ok(parsed) => {
            let mut reader = Reader::new(mistakes, environment, folder);
            let toolboxes = reader.file(&parsed.root);
            switches = reader.switches(&parsed.root);
            let settings = reader.settings(&parsed.root);
            mistakes = reader.into_mistakes();
            toolboxes.zip(settings)
        }
        Err(error) => {
            let said = syntax::say(&blanked, &error);
            mistakes.add(Severity::Error, said.offset, said.message, said.fix);
            None
        }
    };
    let mut problems = mistakes.into_problems(file);
    match read {
        Some((toolboxes, settings)) => {
            Ok(Configuration::new(file.to_owned(), toolboxes, switches, settings, problems))
        }
        None => {
            // What makes the whole file useless is about no toolbox and no upstream.
            let at = problems.iter().position(|problem| {
                problem.severity == Severity::Error
                    && problem.toolbox.is_none()
                    && problem.server.is_none()
                    && problem.llm.is_none()
            });
            Err(ConfigError::Wrong(Box::new(problems.swap_remove(at.unwrap_or_default()))))
        }
    }
}

/// The text of a file of a client, which may hold much besides servers; nothing when there is no such file.
pub fn read_client_file(file: &Path) -> Result<Option<String>, ConfigError> {
    let bytes = match read_up_to(file, MAX_CLIENT_FILE_BYTES) {
        Err(ConfigError::NotFound { .. }) => return Ok(None),
        bytes => bytes?,
    };
    String::from_utf8(bytes).map(Some).map_err(|error| not_text(file, error.as_bytes()))
}

/// The bytes of a file.
pub(crate) fn read(file: &Path) -> Result<Vec<u8>, ConfigError> {
    read_up_to(file, MAX_FILE_BYTES)
}

fn read_up_to(file: &Path, most: u64) -> Result<Vec<u8>, ConfigError> {
    let fail = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => {
            ConfigError::NotFound { file: file.to_owned(), asked_by: None, near: near(file) }
        }
        io::ErrorKind::IsADirectory => ConfigError::IsFolder { file: file.to_owned() },
        _ => ConfigError::NotReadable { file: file.to_owned(), source },
    };
    if file.is_dir() {
        return Err(ConfigError::IsFolder { file: file.to_owned() });
    }
    let mut bytes = Vec::new();
    File::open(file).and_then(|file| file.take(most + 1).read_to_end(&mut bytes)).map_err(fail)?;
    if bytes.len() as u64 > most {
        return Err(ConfigError::TooLarge { file: file.to_owned(), most });
    }
    Ok(bytes)
}

/// A file in the same folder whose name is nearly the same.
pub(crate) fn near(file: &Path) -> Option<PathBuf> {
    /// How many names of a folder are looked at.
    const MAX_NAMES: usize = 1_000;
    let folder = file.parent()?;
    let wanted = file.file_name()?.to_str()?;
    let looked_in = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let names = std::fs::read_dir(looked_in).ok()?.take(MAX_NAMES).flatten();
    let mut names: Vec<String> = names.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names.retain(|name| name != wanted);
    closest_name(wanted, names.iter().map(String::as_str)).map(|name| folder.join(name))
}

fn not_text(file: &Path, bytes: &[u8]) -> ConfigError {
    let is_utf16 = matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [_, 0, _, 0, ..] | [0, _, 0, _, ..]);
    let valid = bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let line = valid.matches('\n').count() + 1;
    let column = valid.rsplit('\n').next().map_or(0, |last| last.chars().count()) + 1;
    ConfigError::NotText { file: file.to_owned(), at: (line, column), is_utf16 }
}
