//! The rules file of the editor: validated before it is written, with earlier versions.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;
use toolwright_base::{FileReplacement, Readers};
use toolwright_normalizer::rules::{RuleFileError, parse_file};

/// Limit of stored earlier versions.
const MAX_EARLIER: usize = 50;
/// The longest accepted text, in bytes.
const LONGEST: usize = 4 << 20;

/// The rules file.
#[derive(Clone, Debug)]
pub struct RulesText {
    file: PathBuf,
    /// The folder of earlier versions.
    history: Option<PathBuf>,
}

/// Why a text was not written.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    /// It has errors.
    #[error("the rules have mistakes, so they were not written")]
    Mistakes(Vec<RuleFileError>),
    /// Another program changed the file in the meantime.
    #[error(
        "the file was changed by somebody else meanwhile; load the page again and put your change into the new text"
    )]
    Changed,
    /// It is too long.
    #[error("the text has more than {LONGEST} bytes")]
    TooLong,
    /// The file could not be written.
    #[error("{file} cannot be written: {error}")]
    Io { file: String, error: io::Error },
}

/// An earlier version.
pub struct EarlierVersion {
    /// The time of its replacement, in microseconds since 1970.
    pub until: i64,
    /// Its text.
    pub text: String,
}

impl RulesText {
    pub fn new(file: PathBuf, history: Option<PathBuf>) -> RulesText {
        RulesText { file, history }
    }

    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The current text.
    pub fn read(&self) -> io::Result<String> {
        match fs::read_to_string(&self.file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok("[]\n".to_owned()),
            other => other,
        }
    }

    /// Replaces the text whose version mark is `before`.
    pub fn save(&self, text: &str, before: &str, now: i64) -> Result<usize, SaveError> {
        let rules = check(text).map_err(SaveError::Mistakes)?;
        let failed = |error: io::Error| SaveError::Io { file: self.file.display().to_string(), error };
        let old = self.read().map_err(failed)?;
        if mark(&old) != before {
            return Err(SaveError::Changed);
        }
        if text.len() > LONGEST {
            return Err(SaveError::TooLong);
        }
        self.store_earlier(&old, now).map_err(failed)?;
        self.replace(text).map_err(failed)?;
        Ok(rules)
    }

    /// Replaces the file atomically.
    fn replace(&self, text: &str) -> io::Result<()> {
        // A symbolic link stays: its target is replaced.
        let file = fs::canonicalize(&self.file).unwrap_or_else(|_| self.file.clone());
        FileReplacement::write_alike(&file, text.as_bytes(), Readers::Everyone)?.place()
    }

    fn store_earlier(&self, old: &str, now: i64) -> io::Result<()> {
        let Some(folder) = &self.history else { return Ok(()) };
        fs::create_dir_all(folder)?;
        fs::write(folder.join(format!("{now:020}.json")), old)?;
        let mut names = self.earlier_files();
        while names.len() > MAX_EARLIER {
            fs::remove_file(names.remove(0))?;
        }
        Ok(())
    }

    fn earlier_files(&self) -> Vec<PathBuf> {
        let Some(Ok(entries)) = self.history.as_ref().map(fs::read_dir) else { return Vec::new() };
        let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        files.retain(|file| file.extension().is_some_and(|ending| ending == "json"));
        files.sort();
        files
    }

    /// Earlier versions, newest first.
    pub fn earlier(&self, at_most: usize) -> Vec<EarlierVersion> {
        let read = |file: PathBuf| {
            let until = file.file_stem()?.to_str()?.parse().ok()?;
            Some(EarlierVersion { until, text: fs::read_to_string(file).ok()? })
        };
        self.earlier_files().into_iter().rev().filter_map(read).take(at_most).collect()
    }

    /// The file of test cases for these rules.
    pub fn cases_file(&self) -> PathBuf {
        self.file.with_extension("cases.jsonl")
    }

    /// Adds a test case.
    pub fn add_case(&self, case: &Value) -> io::Result<PathBuf> {
        use io::Write;
        let file = self.cases_file();
        let mut open = fs::OpenOptions::new().create(true).append(true).open(&file)?;
        open.write_all(format!("{case}\n").as_bytes())?;
        Ok(file)
    }
}

/// The number of rules in a text, or all its errors.
pub fn check(text: &str) -> Result<usize, Vec<RuleFileError>> {
    parse_file(text).map(|rules| rules.len())
}

/// The version mark of a text.
pub fn mark(text: &str) -> String {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: &str = r#"[{"id":"a","tools":["t"],"type":"param_alias","from":"filename","to":"path"}]"#;

    fn texts() -> (tempfile::TempDir, RulesText) {
        let folder = tempfile::tempdir().expect("a folder");
        let text = RulesText::new(folder.path().join("rules.json"), Some(folder.path().join("before")));
        (folder, text)
    }

    #[test]
    fn save_stores_the_earlier_version() {
        let (_folder, rules) = texts();
        let empty = rules.read().expect("nothing yet");
        assert_eq!(rules.save(RULE, &mark(&empty), 5).expect("saved"), 1);
        assert_eq!(rules.read().expect("text"), RULE);
        assert_eq!(rules.save("[]", &mark(RULE), 6).expect("saved"), 0);
        let earlier: Vec<_> = rules.earlier(10).into_iter().map(|one| (one.until, one.text)).collect();
        assert_eq!(earlier, [(6, RULE.to_owned()), (5, empty)]);
    }

    #[test]
    fn mistakes_and_texts_of_others_are_never_written_over() {
        let (_folder, rules) = texts();
        let empty = mark(&rules.read().expect("nothing yet"));
        let mistakes = rules.save(r#"[{"id":"a"}]"#, &empty, 5).expect_err("it has mistakes");
        assert!(matches!(mistakes, SaveError::Mistakes(list) if !list.is_empty()));
        fs::write(rules.file(), RULE).expect("written by somebody else");
        assert!(matches!(rules.save("[]", &empty, 6), Err(SaveError::Changed)));
        assert_eq!(rules.read().expect("text"), RULE);
        assert!(rules.earlier(10).is_empty());
    }

    #[test]
    fn earlier_versions_are_limited() {
        let (_folder, rules) = texts();
        for now in 0..60 {
            let before = mark(&rules.read().expect("text"));
            rules.save(if now % 2 == 0 { RULE } else { "[]" }, &before, now).expect("saved");
        }
        assert_eq!(rules.earlier(100).len(), MAX_EARLIER);
        assert_eq!(rules.earlier(1)[0].until, 59);
    }

    /// Both writers saw the same text. The file is the whole text of one of them, whatever their saves
    /// returned.
    #[test]
    fn two_writers_at_once_leave_one_whole_text() {
        let (folder, rules) = texts();
        let long = |id: char| RULE.replace(' ', &format!(" {}", " ".repeat(40_000 + usize::from(id == 'b'))));
        let (one, other) = (long('a'), long('b'));
        for _ in 0..20 {
            std::thread::scope(|scope| {
                for text in [&one, &other] {
                    let rules = &rules;
                    scope.spawn(move || rules.replace(text).expect("written"));
                }
            });
            let text = rules.read().expect("text");
            assert!(text == one || text == other, "a mix of two texts");
        }
        let left =
            fs::read_dir(folder.path()).expect("a folder").flatten().filter(|entry| entry.path().is_file());
        assert_eq!(left.count(), 1, "nothing is left next to the file");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link_and_rights_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let (folder, rules) = texts();
        let real = folder.path().join("real.json");
        fs::write(&real, "[]").expect("written");
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).expect("rights");
        symlink(&real, rules.file()).expect("a link");
        rules.save(RULE, &mark("[]"), 1).expect("saved");
        assert!(fs::symlink_metadata(rules.file()).expect("there").is_symlink());
        assert_eq!(fs::read_to_string(&real).expect("text"), RULE);
        assert_eq!(fs::metadata(&real).expect("there").permissions().mode() & 0o777, 0o640);
    }
}
