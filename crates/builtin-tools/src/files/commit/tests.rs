//! Every act on the disk is made to fail once; the folder must be as it was, with nothing left behind.

#![allow(clippy::unwrap_used, reason = "a test that cannot prepare itself stops")]

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use super::super::disk;
use super::super::place::{self, Place, Root};
use super::super::run::Stop;
use super::{Change, Contents, Origin, Taken, What, commit, recover};

#[cfg(unix)]
mod leftovers;

thread_local! {
    static LEFT: Cell<Option<(usize, Fault)>> = const { Cell::new(None) };
}

/// What happens when the count of acts has run out.
#[derive(Clone, Copy)]
enum Fault {
    Error,
    /// The process dies without another word.
    Death,
    /// Somebody else puts a link to another folder in the place of a folder.
    #[cfg(unix)]
    Swap,
}

/// Fails when the test's count of acts has run out.
pub(super) fn step() -> io::Result<()> {
    LEFT.with(|left| match left.get() {
        Some((0, Fault::Error)) => {
            left.set(None);
            Err(io::Error::other("planted"))
        }
        Some((0, Fault::Death)) => die(),
        #[cfg(unix)]
        Some((0, Fault::Swap)) => {
            left.set(None);
            leftovers::swap();
            Ok(())
        }
        Some((acts, fault)) => {
            left.set(Some((acts - 1, fault)));
            Ok(())
        }
        None => Ok(()),
    })
}

/// Ends this process as SIGKILL does: nothing is dropped, nothing is flushed.
fn die() -> ! {
    let _ = Command::new("kill").args(["-KILL", &std::process::id().to_string()]).status();
    std::process::abort()
}

/// Every file and folder below a path, with contents.
fn tree(root: &Path) -> BTreeMap<String, Option<Vec<u8>>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().display().to_string();
            if path.is_symlink() {
                found.insert(name, Some(fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()));
            } else if path.is_dir() {
                found.insert(name, None);
                folders.push(path);
            } else {
                found.insert(name, Some(fs::read(&path).unwrap()));
            }
        }
    }
    found
}

fn place_of(roots: &[Root], path: &str) -> Place {
    place::resolve(roots, path, &|_, _| None).unwrap()
}

fn contents(text: &str) -> Option<Contents> {
    Some(Contents { what: What::Bytes(Arc::from(text.as_bytes())), permissions: None })
}

/// One change of every kind, in one root or two, among them a file whose name becomes that of a folder.
fn changes(roots: &[Root]) -> Vec<Change> {
    let change = |place: Place, taken: Option<Taken>, after: Option<Contents>| {
        let before = disk::look(roots, &place).unwrap_or_default().map(|found| found.identity);
        Change { place, before, taken, after }
    };
    let at = |path: &str| place_of(roots, path);
    let trashed = |name: &str| Some(Taken::Trashed(Path::new(".toolwright-trash").join(name)));
    let below_file = Place { path: "turned/inner.txt".into(), ..at("turned") };
    let mut changes = vec![
        change(at("replaced.txt"), None, contents("new")),
        change(at("deep/er/made.txt"), None, contents("made")),
        change(at("trashed.txt"), trashed("1-trashed.txt"), None),
        change(at("removed.txt"), Some(Taken::Removed), None),
        change(at("sub/replaced.txt"), None, contents("new too")),
        change(at("again.txt"), trashed("2-again.txt"), contents("another")),
        change(at("turned"), Some(Taken::Removed), None),
        change(below_file, None, contents("inner")),
    ];
    let moved = |path: &str| {
        let place = Place { path: path.into(), ..at("again.txt") };
        let found = disk::look(roots, &place).ok().flatten()?;
        let origin = Origin { place, identity: found.identity, is_link: found.is_link };
        Some(Contents { what: What::Moved(origin), permissions: None })
    };
    let link = |path: &str| Place { path: path.into(), ..at("again.txt") };
    changes.push(change(at("moved.txt"), Some(Taken::Removed), None));
    changes.push(change(at("new/name.txt"), None, moved("moved.txt")));
    changes.push(change(link("link"), Some(Taken::Removed), None));
    changes.push(change(at("relinked"), None, moved("link")));
    if roots.len() > 1 {
        for (path, after) in [("replaced.txt", contents("new")), ("made/made.txt", contents("made"))] {
            changes.push(change(Place { root: 1, path: path.into(), shown: path.into() }, None, after));
        }
    }
    changes
}

/// A folder `a` with a file for every change, and a folder `b` for the second root.
fn folders() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("a/sub")).unwrap();
    fs::create_dir(folder.path().join("b")).unwrap();
    let names = [
        "replaced.txt",
        "trashed.txt",
        "removed.txt",
        "sub/replaced.txt",
        "again.txt",
        "turned",
        "moved.txt",
    ];
    #[cfg(unix)]
    std::os::unix::fs::symlink("../nowhere", folder.path().join("a/link")).unwrap();
    for name in names.map(|name| format!("a/{name}")).iter().chain(&["b/replaced.txt".to_owned()]) {
        fs::write(folder.path().join(name), name).unwrap();
    }
    folder
}

fn open(folder: &Path, count: usize) -> Vec<Root> {
    ["a", "b"][..count].iter().map(|name| Root::open(&folder.join(name)).unwrap()).collect()
}

fn complete(roots: usize) -> Vec<(&'static str, Option<&'static str>)> {
    let mut expected = vec![
        ("a", None),
        ("a/.toolwright-trash", None),
        ("a/.toolwright-trash/1-trashed.txt", Some("a/trashed.txt")),
        ("a/.toolwright-trash/2-again.txt", Some("a/again.txt")),
        ("a/again.txt", Some("another")),
        ("a/deep", None),
        ("a/deep/er", None),
        ("a/deep/er/made.txt", Some("made")),
        ("a/new", None),
        ("a/new/name.txt", Some("a/moved.txt")),
        ("a/relinked", Some("../nowhere")),
        ("a/replaced.txt", Some("new")),
        ("a/sub", None),
        ("a/sub/replaced.txt", Some("new too")),
        ("a/turned", None),
        ("a/turned/inner.txt", Some("inner")),
        ("b", None),
    ];
    if roots > 1 {
        expected.push(("b/made", None));
        expected.push(("b/made/made.txt", Some("made")));
        expected.push(("b/replaced.txt", Some("new")));
    } else {
        expected.push(("b/replaced.txt", Some("b/replaced.txt")));
    }
    expected
}

fn is_complete(folder: &Path, roots: usize) -> bool {
    let found = tree(folder);
    let found: Vec<_> = found.iter().map(|(name, text)| (name.as_str(), text.as_deref())).collect();
    let expected: Vec<_> =
        complete(roots).into_iter().map(|(name, text)| (name, text.map(str::as_bytes))).collect();
    found == expected
}

#[test]
fn a_failure_at_any_act_changes_nothing() {
    let mut acts = 0;
    loop {
        let folder = folders();
        let before = tree(folder.path());
        let roots = open(folder.path(), 2);
        let changes = changes(&roots);
        LEFT.with(|left| left.set(Some((acts, Fault::Error))));
        let done = commit(&roots, &changes, &Stop::default());
        let reached = LEFT.with(Cell::take).is_none();
        match done {
            Err(failure) => {
                assert!(
                    reached && failure.to_string().contains("Nothing was changed"),
                    "act {acts}: {failure}"
                );
                assert_eq!(tree(folder.path()), before, "act {acts}");
            }
            // What fails behind the last change is only untidy.
            Ok(()) => {
                assert!(is_complete(folder.path(), 2), "{:#?}", tree(folder.path()));
                if !reached {
                    break;
                }
            }
        }
        acts += 1;
    }
    assert!(acts >= 30, "only {acts} acts were made to fail");
}

/// What [`a_process_that_dies`] does, when this process is that one: a folder, a number of roots, the act
/// that it dies at, and whether it commits or recovers.
const DIES: &str = "TOOLWRIGHT_TEST_DIES";

/// Not a test of its own: the process that dies in the next ones.
#[test]
fn a_process_that_dies() {
    let Some(task) = std::env::var(DIES).ok() else { return };
    let [folder, roots, acts, what] = task.split('|').collect::<Vec<_>>().try_into().unwrap();
    let roots = open(&PathBuf::from(folder), roots.parse().unwrap());
    let changes = if what == "commit" { changes(&roots) } else { Vec::new() };
    LEFT.with(|left| left.set(Some((acts.parse().unwrap(), Fault::Death))));
    match what {
        "commit" => commit(&roots, &changes, &Stop::default()).unwrap(),
        _ => drop(recover(&roots).unwrap()),
    }
}

/// Runs that process; whether it came to its end.
fn ends(folder: &Path, roots: usize, acts: usize, what: &str) -> bool {
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "files::commit::tests::a_process_that_dies"])
        .env(DIES, format!("{}|{roots}|{acts}|{what}", folder.display()))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success() || status.code().is_none(), "{what} failed at act {acts}");
    status.success()
}

#[test]
fn a_process_killed_at_any_act_leaves_all_or_nothing() {
    for roots in [1, 2] {
        let (mut acts, mut taken_back, mut done) = (0, 0, 0);
        loop {
            let folder = folders();
            let before = tree(folder.path());
            let ended = ends(folder.path(), roots, acts, "commit");
            recover(&open(folder.path(), roots)).unwrap();
            if is_complete(folder.path(), roots) {
                done += 1;
            } else {
                assert_eq!(tree(folder.path()), before, "killed at act {acts}, {roots} roots");
                taken_back += 1;
            }
            if ended {
                break;
            }
            acts += 1;
        }
        assert!(taken_back >= 20 && done >= 2, "{taken_back} taken back, {done} done");
    }
}

#[test]
fn a_recovery_that_is_killed_itself_is_taken_up_again() {
    // Just before the last name is changed: everything else has to be taken back.
    let last = 46;
    let mut acts = 0;
    loop {
        let folder = folders();
        let before = tree(folder.path());
        assert!(!ends(folder.path(), 2, last, "commit"));
        let ended = ends(folder.path(), 2, acts, "recover");
        recover(&open(folder.path(), 2)).unwrap();
        assert_eq!(tree(folder.path()), before, "killed at act {acts} of the recovery");
        if ended {
            break;
        }
        acts += 1;
    }
    assert!(acts >= 10, "only {acts} acts");
}

#[test]
fn the_commit_of_a_living_process_is_left_alone() {
    let folder = folders();
    let roots = open(folder.path(), 1);
    let journal = super::Journal::lock(&roots, &roots[0], &Stop::default()).unwrap();
    fs::write(folder.path().join("a/.toolwright-journal"), "somebody is writing this\n").unwrap();
    // A journal that is locked is not even read.
    recover(&open(folder.path(), 1)).unwrap();
    let waiting = open(folder.path(), 1);
    let changes = changes(&waiting);
    std::thread::scope(|scope| {
        let second = scope.spawn(|| commit(&waiting, &changes, &Stop::default()));
        std::thread::sleep(std::time::Duration::from_millis(100));
        assert!(!second.is_finished(), "the second commit does not wait");
        journal.remove(&roots[0].dir);
        second.join().unwrap().unwrap();
    });
    assert!(is_complete(folder.path(), 1));
}

#[test]
fn a_journal_that_nobody_here_wrote_is_not_acted_upon() {
    let plan = |path: &str, new: &str| {
        format!(
            r#"{{"Ready":{{"id":"1","files":[{{"path":"{path}","before":null,"new":"{new}","made":null,"old":null,"folders":[]}}]}}}}"#
        ) + "\n"
    };
    let own = ".toolwright-1-1-x.new";
    // All that the commit makes, besides what was put aside.
    let holds_all = |folder: &Path| {
        let found = tree(folder);
        complete(1).into_iter().all(|(name, text)| {
            found.get(name).is_some_and(|found| found.as_deref() == text.map(str::as_bytes))
        })
    };
    // It says that it was done, so what was kept would be removed.
    let trashed = r#"{"Ready":{"id":"1","files":[{"path":"x","before":null,"new":null,"made":null,"old":".toolwright-trash/old1.txt","folders":[]}]}}"#;
    let trashed = format!("{trashed}\n\"Done\"\n");
    // A copy of a journal that was written here, in another file.
    let copied = r#"{"Written":{"inode":1,"born":1}}"#.to_owned() + "\n" + &trashed;
    let nothing_known = r#"{"Written":{"inode":null,"born":null}}"#.to_owned() + "\n" + &trashed;
    for text in [
        "nonsense\n".to_owned(),
        plan("../b/replaced.txt", own),
        plan("x", "replaced.txt"),
        plan("replaced.txt", own),
        trashed,
        copied,
        nothing_known,
    ] {
        let folder = folders();
        let at = |name: &str| folder.path().join("a").join(name);
        fs::create_dir_all(at(".toolwright-trash")).unwrap();
        fs::write(at(".toolwright-trash/old1.txt"), "kept").unwrap();
        fs::write(at(".toolwright-journal"), &text).unwrap();
        let roots = open(folder.path(), 1);
        assert!(recover(&roots).unwrap().is_empty());
        assert_eq!(fs::read_to_string(at(".toolwright-trash/old1.txt")).unwrap(), "kept", "{text}");
        assert_eq!(fs::read_to_string(at("replaced.txt")).unwrap(), "a/replaced.txt", "{text}");
        let names = fs::read_dir(at("")).unwrap().flatten().map(|entry| entry.file_name());
        let aside: Vec<_> =
            names.filter(|name| name.to_string_lossy().starts_with(".toolwright-journal")).collect();
        assert_eq!(aside.len(), 1, "{aside:?}");
        assert_eq!(
            fs::read_to_string(at(&aside[0].to_string_lossy())).unwrap(),
            text,
            "it is put aside whole"
        );
        // It blocks nothing.
        commit(&roots, &changes(&roots), &Stop::default()).unwrap();
        assert!(holds_all(folder.path()));
    }
    for make in
        [|path: &Path| fs::create_dir(path), |path: &Path| std::os::unix::fs::symlink("replaced.txt", path)]
    {
        let folder = folders();
        make(&folder.path().join("a/.toolwright-journal")).unwrap();
        let roots = open(folder.path(), 1);
        recover(&roots).unwrap();
        commit(&roots, &changes(&roots), &Stop::default()).unwrap();
        assert!(holds_all(folder.path()));
    }
}

#[test]
fn a_cancelled_call_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let roots = [Root::open(folder.path()).unwrap()];
    let change =
        Change { place: place_of(&roots, "a/b.txt"), before: None, taken: None, after: contents("x") };
    let refused = commit(&roots, &[change], &Stop::now());
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
        let place = place_of(&roots, name);
        let before = disk::look(&roots, &place).unwrap().map(|found| found.identity);
        fs::write(folder.path().join(name), other).unwrap();
        let change = Change { place, before, taken: None, after: contents("mine") };
        let refused = commit(&roots, &[change], &Stop::default()).unwrap_err();
        assert!(refused.to_string().contains("by somebody else"), "{refused}");
        assert_eq!(fs::read_to_string(folder.path().join(name)).unwrap(), other);
    }
    assert_eq!(tree(folder.path()).len(), 2);
}
