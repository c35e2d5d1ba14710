//! Change detection of a file, by its content.

use std::path::{Path, PathBuf};
use std::time::Duration;

use toolwright_base::FileStamp;

use crate::load::{from_bytes, read};
use crate::{ConfigError, Configuration, Environment};

/// A file that was written this recently may change again without a different stamp.
const FRESH_WITHIN: Duration = Duration::from_secs(3);

/// A watched file. It may disappear and reappear: editors replace it.
#[derive(Debug)]
pub struct Watch {
    file: PathBuf,
    /// The stamp of the file when it was last read.
    last_stamp: Option<FileStamp>,
    /// The content that was last reported, or present at the start.
    known: Content,
    /// Invalid content of the last check: it may be half written.
    unconfirmed: Option<Content>,
}

/// The mode of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Reads the file if its stamp differs. Reports an invalid file only if it is the same at the next check.
    Passing,
    /// Reads and reports the file in any case.
    Thorough,
}

/// The content of a file; `None` if it cannot be read.
type Content = Option<Vec<u8>>;

impl Watch {
    /// Watches a file, which need not exist. Its current content counts as known.
    pub fn new(file: &Path) -> Watch {
        let last_stamp = FileStamp::of(file);
        Watch { file: file.to_owned(), last_stamp, known: read(file).ok(), unconfirmed: None }
    }

    /// The file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Whether the stamp is unchanged, so that a passing check would do nothing. Costs one system call.
    pub fn looks_the_same(&self) -> bool {
        self.is_unchanged(FileStamp::of(&self.file))
    }

    fn is_unchanged(&self, stamp: Option<FileStamp>) -> bool {
        stamp == self.last_stamp
            && !stamp.is_some_and(|stamp| stamp.is_fresh(FRESH_WITHIN))
            && self.unconfirmed.is_none()
    }

    /// Checks the file. Returns its configuration if the content was not reported before.
    pub fn look(
        &mut self,
        look: Look,
        environment: &Environment<'_>,
    ) -> Option<Result<Configuration, ConfigError>> {
        let stamp = FileStamp::of(&self.file);
        if look == Look::Passing && self.is_unchanged(stamp) {
            return None;
        }
        self.last_stamp = stamp;
        let (content, read) = match read(&self.file) {
            Ok(bytes) => (Some(bytes.clone()), Ok(bytes)),
            Err(error) => (None, Err(error)),
        };
        if look == Look::Passing && content == self.known {
            self.unconfirmed = None;
            return None;
        }
        let result = read.and_then(|bytes| from_bytes(&self.file, bytes, environment));
        if look == Look::Passing && result.is_err() && self.unconfirmed.as_ref() != Some(&content) {
            self.unconfirmed = Some(content);
            return None;
        }
        self.unconfirmed = None;
        self.known = content;
        Some(result)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::SystemTime;

    use super::*;

    fn names(result: Option<Result<Configuration, ConfigError>>) -> Vec<String> {
        let configuration = result.expect("something is told").expect("it is right");
        configuration.servers().map(|(_, server)| server.name.clone()).collect()
    }

    fn file_of(name: &str) -> String {
        format!(r#"{{"mcpServers": {{"{name}": {{"command": "x"}}}}}}"#)
    }

    #[test]
    fn each_content_is_reported_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("toolwright.json");
        fs::write(&file, file_of("a")).expect("written");
        let mut watch = Watch::new(&file);
        let look = |watch: &mut Watch| watch.look(Look::Passing, &|_| None);
        assert!(look(&mut watch).is_none());
        // The same length, and a moment later.
        fs::write(&file, file_of("b")).expect("written");
        assert_eq!(names(look(&mut watch)), ["b"]);
        assert!(look(&mut watch).is_none());
        // Rewritten with the same content.
        fs::write(&file, file_of("b")).expect("written");
        assert!(look(&mut watch).is_none());
        // Replaced by another file.
        let other = folder.path().join("other");
        fs::write(&other, file_of("c")).expect("written");
        fs::rename(&other, &file).expect("renamed");
        assert_eq!(names(look(&mut watch)), ["c"]);
        assert_eq!(names(watch.look(Look::Thorough, &|_| None)), ["c"]);
    }

    #[test]
    fn old_file_is_not_read_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("toolwright.json");
        let old = |text: &str| {
            fs::write(&file, text).expect("written");
            let long_ago = SystemTime::now() - 10 * FRESH_WITHIN;
            fs::File::options()
                .append(true)
                .open(&file)
                .and_then(|file| file.set_modified(long_ago))
                .expect("old");
        };
        assert!(Watch::new(&file).looks_the_same(), "there is none");
        old(&file_of("a"));
        let mut watch = Watch::new(&file);
        assert!(watch.looks_the_same());
        old(&file_of("bb"));
        assert!(!watch.looks_the_same(), "it is longer");
        assert_eq!(names(watch.look(Look::Passing, &|_| None)), ["bb"]);
        assert!(watch.looks_the_same());
        // Half written: the next check reads it again, whatever its stamp is.
        old("{");
        assert!(watch.look(Look::Passing, &|_| None).is_none() && !watch.looks_the_same());
        // A file that was just written may be written again within the same clock tick.
        fs::write(&file, file_of("c")).expect("written");
        assert!(watch.look(Look::Passing, &|_| None).is_some() && !watch.looks_the_same());
    }

    #[test]
    fn invalid_file_is_reported_once_if_it_stays_invalid() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("toolwright.json");
        let mut watch = Watch::new(&file);
        let look = |watch: &mut Watch| watch.look(Look::Passing, &|_| None);
        assert!(look(&mut watch).is_none());
        // Half written, then complete.
        fs::write(&file, &file_of("a")[..20]).expect("written");
        assert!(look(&mut watch).is_none());
        fs::write(&file, file_of("a")).expect("written");
        assert_eq!(names(look(&mut watch)), ["a"]);
        // Invalid, and it stays so.
        fs::write(&file, "{").expect("written");
        assert!(look(&mut watch).is_none());
        assert!(matches!(look(&mut watch), Some(Err(ConfigError::Wrong(_)))));
        assert!(look(&mut watch).is_none());
        // Removed, and restored.
        fs::remove_file(&file).expect("removed");
        assert!(look(&mut watch).is_none());
        assert!(look(&mut watch).expect("told").is_err());
        assert!(look(&mut watch).is_none());
        fs::write(&file, file_of("a")).expect("written");
        assert_eq!(names(look(&mut watch)), ["a"]);
        // A thorough check reports it at once.
        fs::write(&file, "[").expect("written");
        assert!(watch.look(Look::Thorough, &|_| None).expect("told").is_err());
        assert!(look(&mut watch).is_none());
    }
}
