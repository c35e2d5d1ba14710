//! All Markdown of the project, and what lies in `docs/`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::Path;

/// Folders that hold nothing of the project's own.
const LEFT_OUT: [&str; 3] = ["target", "node_modules", "artifacts"];

/// Texts of pages by their names from the top folder, with `/` between folders, and the names of all files.
#[derive(Debug, Default)]
pub struct Pages {
    pages: BTreeMap<String, String>,
    files: BTreeSet<String>,
    words: String,
}

impl Pages {
    /// Reads them below the top folder.
    pub fn read(root: &Path) -> io::Result<Pages> {
        let mut pages = Pages::default();
        pages.walk(root, "")?;
        pages.words = fs::read_to_string(root.join(super::spelling::WORDS)).unwrap_or_default();
        Ok(pages)
    }

    fn walk(&mut self, folder: &Path, name: &str) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let own = entry.file_name().to_string_lossy().into_owned();
            if own.starts_with('.') || LEFT_OUT.contains(&own.as_str()) {
                continue;
            }
            let whole = if name.is_empty() { own } else { format!("{name}/{own}") };
            if entry.file_type()?.is_dir() {
                self.walk(&entry.path(), &whole)?;
            } else if whole.ends_with(".md") {
                let text = fs::read_to_string(entry.path())?;
                self.add(&whole, &text);
            } else {
                self.files.insert(whole);
            }
        }
        Ok(())
    }

    /// Adds a page.
    pub fn add(&mut self, name: &str, text: &str) {
        self.files.insert(name.to_owned());
        self.pages.insert(name.to_owned(), text.to_owned());
    }

    /// Adds a file that is no page.
    #[cfg(test)]
    pub fn add_file(&mut self, name: &str) {
        self.files.insert(name.to_owned());
    }

    /// Takes these for the words that the dictionary does not have.
    #[cfg(test)]
    pub fn with_words(mut self, words: &str) -> Pages {
        self.words = words.to_owned();
        self
    }

    /// The pages and their texts.
    pub fn all(&self) -> &BTreeMap<String, String> {
        &self.pages
    }

    /// The text of a page.
    pub fn page(&self, name: &str) -> Option<&str> {
        self.pages.get(name).map(String::as_str)
    }

    /// Every file, pages too.
    pub fn files(&self) -> &BTreeSet<String> {
        &self.files
    }

    /// Whether there is a file or a folder of the name.
    pub fn has(&self, name: &str) -> bool {
        let inside = format!("{}/", name.trim_end_matches('/'));
        name.is_empty()
            || self.files.contains(name)
            || self.files.iter().any(|file| file.starts_with(&inside))
    }

    /// The project's own words.
    pub fn words(&self) -> &str {
        &self.words
    }
}
