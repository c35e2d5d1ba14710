//! A folder for `toolwright call` to work in.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::path::PathBuf;

use serde_json::Value;
use tempfile::TempDir;

use crate::program::{Done, run};

/// A folder that the files tools may use.
pub struct Desk(TempDir);

impl Desk {
    pub fn new() -> Desk {
        let desk = Desk(tempfile::tempdir().expect("a folder"));
        desk.put("notes.md", "# Notes\nbuy milk\n");
        desk
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn put(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, text).expect("written");
    }

    pub fn make_read_only(&self, name: &str) {
        let mut permissions = std::fs::metadata(self.path(name)).expect("a file").permissions();
        permissions.set_readonly(true);
        std::fs::set_permissions(self.path(name), permissions).expect("changed");
    }

    /// What is in the file, if it is there.
    pub fn find(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.path(name)).ok()
    }

    pub fn get(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("read")
    }

    pub fn root(&self) -> String {
        self.0.path().display().to_string()
    }

    /// Runs `call` with these arguments.
    pub fn call(&self, arguments: &[&str]) -> Done {
        let root = self.root();
        run(&[&["call", "--root", &root], arguments].concat(), "")
    }

    /// Runs `call --json` and reads the answer.
    pub fn json(&self, arguments: &[&str]) -> (i32, Value) {
        let done = self.call(&[arguments, &["--json"]].concat());
        assert_eq!(done.stderr, "", "{arguments:?}");
        assert_eq!(done.stdout.matches('\n').count(), 1, "one line: {}", done.stdout);
        (done.code, serde_json::from_str(&done.stdout).expect("JSON"))
    }

    /// What was printed and where, with the folder's own name left out.
    pub fn shown(&self, done: &Done) -> String {
        let text = format!("exit code {}\n--- stdout\n{}--- stderr\n{}", done.code, done.stdout, done.stderr);
        let real = std::fs::canonicalize(self.0.path()).expect("a path").display().to_string();
        text.replace(&real, "ROOT").replace(&self.root(), "ROOT")
    }
}
