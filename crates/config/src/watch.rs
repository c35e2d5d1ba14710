//! Notices that a file has changed, by what stands in it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use toolwright_base::FileStamp;

use crate::load::{from_bytes, read};
use crate::{ConfigError, Configuration, Environment};

/// A file that was written so short a time ago may be written again without looking different.
const FRESH: Duration = Duration::from_secs(3);

/// A file that is looked at again and again. It may come and go: editors put another in its place.
#[derive(Debug)]
pub struct Watch {
    file: PathBuf,
    /// How the file looked when it was last read.
    seen: Option<FileStamp>,
    /// What was last reported, or taken as known.
    known: Content,
    /// What stood in it at the last look and is bad: it may be half written.
    doubtful: Option<Content>,
}

/// How thoroughly a file is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// It is read when it looks different, and a bad one is reported when it stays so until the next look.
    Passing,
    /// It is read and reported, whatever it looks like.
    Thorough,
}

/// What stands in a file; nothing when it cannot be read.
type Content = Option<Vec<u8>>;

impl Watch {
    /// Watches a file, which need not be there. What stands in it now counts as known.
    pub fn new(file: &Path) -> Watch {
        let seen = FileStamp::of(file);
        Watch { file: file.to_owned(), seen, known: read(file).ok(), doubtful: None }
    }

    /// The file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Whether a look in passing would find what is known. Costs one question to the system.
    pub fn looks_the_same(&self) -> bool {
        self.is_as_seen(FileStamp::of(&self.file))
    }

    fn is_as_seen(&self, stamp: Option<FileStamp>) -> bool {
        stamp == self.seen && !stamp.is_some_and(|stamp| stamp.is_fresh(FRESH)) && self.doubtful.is_none()
    }

    /// Looks at the file. Tells what it says when that is not what was told last: each content once.
    pub fn look(
        &mut self,
        look: Look,
        environment: &Environment<'_>,
    ) -> Option<Result<Configuration, ConfigError>> {
        let stamp = FileStamp::of(&self.file);
        if look == Look::Passing && self.is_as_seen(stamp) {
            return None;
        }
        self.seen = stamp;
        let (content, read) = match read(&self.file) {
            Ok(bytes) => (Some(bytes.clone()), Ok(bytes)),
            Err(error) => (None, Err(error)),
        };
        if look == Look::Passing && content == self.known {
            self.doubtful = None;
            return None;
        }
        let said = read.and_then(|bytes| from_bytes(&self.file, bytes, environment));
        if look == Look::Passing && said.is_err() && self.doubtful.as_ref() != Some(&content) {
            self.doubtful = Some(content);
            return None;
        }
        self.doubtful = None;
        self.known = content;
        Some(said)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::SystemTime;

    use super::*;

    fn names(said: Option<Result<Configuration, ConfigError>>) -> Vec<String> {
        let configuration = said.expect("something is told").expect("it is right");
        configuration.servers().map(|(_, server)| server.name.clone()).collect()
    }

    fn file_of(name: &str) -> String {
        format!(r#"{{"mcpServers": {{"{name}": {{"command": "x"}}}}}}"#)
    }

    #[test]
    fn each_content_is_told_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("toolwright.json");
        fs::write(&file, file_of("a")).expect("written");
        let mut watch = Watch::new(&file);
        let look = |watch: &mut Watch| watch.look(Look::Passing, &|_| None);
        assert!(look(&mut watch).is_none());
        // As long as before, and a moment later.
        fs::write(&file, file_of("b")).expect("written");
        assert_eq!(names(look(&mut watch)), ["b"]);
        assert!(look(&mut watch).is_none());
        // Written anew with the same content.
        fs::write(&file, file_of("b")).expect("written");
        assert!(look(&mut watch).is_none());
        // Another file in its place.
        let other = folder.path().join("other");
        fs::write(&other, file_of("c")).expect("written");
        fs::rename(&other, &file).expect("renamed");
        assert_eq!(names(look(&mut watch)), ["c"]);
        assert_eq!(names(watch.look(Look::Thorough, &|_| None)), ["c"]);
    }

    #[test]
    fn a_file_of_long_ago_need_not_be_read_to_be_known() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("toolwright.json");
        let old = |text: &str| {
            fs::write(&file, text).expect("written");
            let long_ago = SystemTime::now() - 10 * FRESH;
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
        // Half written: it is read again with the next look, whatever it looks like then.
        old("{");
        assert!(watch.look(Look::Passing, &|_| None).is_none() && !watch.looks_the_same());
        // What was written just now may be written again within the same tick of the clock.
        fs::write(&file, file_of("c")).expect("written");
        assert!(watch.look(Look::Passing, &|_| None).is_some() && !watch.looks_the_same());
    }

    #[test]
    fn a_bad_file_is_told_once_when_it_stays_bad() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("toolwright.json");
        let mut watch = Watch::new(&file);
        let look = |watch: &mut Watch| watch.look(Look::Passing, &|_| None);
        assert!(look(&mut watch).is_none());
        // Half written, then whole.
        fs::write(&file, &file_of("a")[..20]).expect("written");
        assert!(look(&mut watch).is_none());
        fs::write(&file, file_of("a")).expect("written");
        assert_eq!(names(look(&mut watch)), ["a"]);
        // Bad, and it stays so.
        fs::write(&file, "{").expect("written");
        assert!(look(&mut watch).is_none());
        assert!(matches!(look(&mut watch), Some(Err(ConfigError::Wrong(_)))));
        assert!(look(&mut watch).is_none());
        // Gone, and back.
        fs::remove_file(&file).expect("removed");
        assert!(look(&mut watch).is_none());
        assert!(look(&mut watch).expect("told").is_err());
        assert!(look(&mut watch).is_none());
        fs::write(&file, file_of("a")).expect("written");
        assert_eq!(names(look(&mut watch)), ["a"]);
        // On demand it is told at once.
        fs::write(&file, "[").expect("written");
        assert!(watch.look(Look::Thorough, &|_| None).expect("told").is_err());
        assert!(look(&mut watch).is_none());
    }
}
