//! Every act on the disk is made to fail once; the folder must be as it was, with nothing left behind.

#![allow(clippy::unwrap_used, reason = "a test that cannot prepare itself stops")]

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::super::disk;
use super::super::place::{self, Root};
use super::super::run::Stop;
use super::{After, Change, commit};

thread_local! {
    static LEFT: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Fails when the test's count of acts has run out.
pub(super) fn step() -> io::Result<()> {
    LEFT.with(|left| match left.get() {
        Some(0) => {
            left.set(None);
            Err(io::Error::other("planted"))
        }
        Some(acts) => {
            left.set(Some(acts - 1));
            Ok(())
        }
        None => Ok(()),
    })
}

/// Every file and folder below a path, with contents.
fn tree(root: &Path) -> BTreeMap<String, Option<Vec<u8>>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().display().to_string();
            if path.is_dir() {
                found.insert(name, None);
                folders.push(path);
            } else {
                found.insert(name, Some(fs::read(&path).unwrap()));
            }
        }
    }
    found
}

fn changes(roots: &[Root]) -> Vec<Change> {
    let change = |path: &str, after: After| {
        let place = place::resolve(roots, path).unwrap();
        let before = disk::look(roots, &place).unwrap();
        Change { place, before, after }
    };
    let write = |text: &str| After::Write { bytes: Arc::from(text.as_bytes()), permissions: None };
    vec![
        change("replaced.txt", write("new")),
        change("deep/er/made.txt", write("made")),
        change("trashed.txt", After::Trash(".toolwright-trash/1-trashed.txt".into())),
        change("removed.txt", After::Remove),
        change("sub/replaced.txt", write("new too")),
    ]
}

#[test]
fn a_failure_at_any_act_changes_nothing() {
    let mut acts = 0;
    loop {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("sub")).unwrap();
        for name in ["replaced.txt", "trashed.txt", "removed.txt", "sub/replaced.txt"] {
            fs::write(folder.path().join(name), name).unwrap();
        }
        let before = tree(folder.path());
        let roots = [Root::open(folder.path()).unwrap()];
        let changes = changes(&roots);
        LEFT.with(|left| left.set(Some(acts)));
        let done = commit(&roots, &changes, &Stop::default());
        let reached = LEFT.with(Cell::take).is_none();
        if done.is_ok() {
            assert!(!reached, "the planted failure was swallowed at act {acts}");
            let names: Vec<_> = tree(folder.path()).into_keys().collect();
            let expected = [
                ".toolwright-trash",
                ".toolwright-trash/1-trashed.txt",
                "deep",
                "deep/er",
                "deep/er/made.txt",
                "replaced.txt",
                "sub",
                "sub/replaced.txt",
            ];
            assert_eq!(names, expected);
            break;
        }
        assert!(reached && done.unwrap_err().to_string().contains("Nothing was changed"), "act {acts}");
        assert_eq!(tree(folder.path()), before, "act {acts}");
        acts += 1;
    }
    assert!(acts >= 12, "only {acts} acts were made to fail");
}

#[test]
fn a_cancelled_call_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let roots = [Root::open(folder.path()).unwrap()];
    let place = place::resolve(&roots, "a/b.txt").unwrap();
    let after = After::Write { bytes: Arc::from(b"x".as_slice()), permissions: None };
    let refused = commit(&roots, &[Change { place, before: None, after }], &Stop::now());
    assert!(refused.unwrap_err().to_string().contains("cancelled"));
    assert!(tree(folder.path()).is_empty());
}

#[test]
fn a_file_that_somebody_else_changed_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    for (name, other) in [("there.txt", "longer than before"), ("new.txt", "came meanwhile")] {
        if name == "there.txt" {
            fs::write(folder.path().join(name), "old").unwrap();
        }
        let roots = [Root::open(folder.path()).unwrap()];
        let place = place::resolve(&roots, name).unwrap();
        let before = disk::look(&roots, &place).unwrap();
        fs::write(folder.path().join(name), other).unwrap();
        let after = After::Write { bytes: Arc::from(b"mine".as_slice()), permissions: None };
        let refused = commit(&roots, &[Change { place, before, after }], &Stop::default()).unwrap_err();
        assert!(refused.to_string().contains("by somebody else"), "{refused}");
        assert_eq!(fs::read_to_string(folder.path().join(name)).unwrap(), other);
    }
    assert_eq!(tree(folder.path()).len(), 2);
}
