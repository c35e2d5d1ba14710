//! Loading of configuration files.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use bumpalo::Bump;
use toolwright_base::closest_name;
use toolwright_jsonrpc::raw;

use crate::problem_collector::ProblemCollector;
use crate::read::{ConfigReader, FileSwitches};
use crate::{ConfigError, Configuration, Environment, Severity, jsonc, syntax};

/// The largest configuration file.
pub const MAX_FILE_BYTES: u64 = 4 << 20;

/// The largest file of a client: some clients store their history in the same file.
const MAX_CLIENT_FILE_BYTES: u64 = 64 << 20;

/// Loads a file.
pub fn load(file: &Path, environment: &Environment<'_>) -> Result<Configuration, ConfigError> {
    from_bytes(file, read(file)?, environment)
}

/// Parses the bytes of a file.
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

/// Parses the text of a file without disk access. Relative folders start at the folder of the file. A leading byte
/// order mark is ignored.
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
    let mut collector = ProblemCollector::new(text, &blanked);
    let mut switches = FileSwitches::default();
    let read = match raw::parse(&blanked, &arena) {
        Ok(parsed) => {
            let mut reader = ConfigReader::new(collector, environment, folder);
            let toolboxes = reader.file(&parsed.root);
            switches = reader.switches(&parsed.root);
            let settings = reader.settings(&parsed.root);
            collector = reader.into_collector();
            toolboxes.zip(settings)
        }
        Err(error) => {
            let syntax_error = syntax::describe(&blanked, &error);
            collector.add(Severity::Error, syntax_error.offset, syntax_error.message, syntax_error.fix);
            None
        }
    };
    let mut problems = collector.into_problems(file);
    match read {
        Some((toolboxes, settings)) => {
            Ok(Configuration::new(file.to_owned(), toolboxes, switches, settings, problems))
        }
        None => {
            // An error that makes the whole file unusable does not belong to a toolbox or an upstream.
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

/// The text of a client's file, which may contain much besides servers. `None` if the file does not exist.
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
            ConfigError::NotFound { file: file.to_owned(), asked_by: None, near: similar_file(file) }
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

/// A file with a similar name in the same folder.
pub(crate) fn similar_file(file: &Path) -> Option<PathBuf> {
    /// The most names of a folder that are compared.
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
