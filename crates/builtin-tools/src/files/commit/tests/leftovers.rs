//! What may be left behind: nothing hidden, and nothing that stops the next call.

use std::cell::RefCell;
use std::os::unix::fs::symlink;

use super::*;

thread_local! {
    static SWAPPED: RefCell<PathBuf> = RefCell::default();
}

/// Puts a link to the folder `other` in the place of the folder `sub`.
pub(super) fn swap() {
    let root = SWAPPED.with_borrow(Clone::clone);
    fs::rename(root.join("sub"), root.join("aside")).unwrap();
    symlink("other", root.join("sub")).unwrap();
}

fn names(root: &Path) -> Vec<String> {
    tree(root).into_keys().collect()
}

#[test]
fn a_folder_that_is_swapped_at_any_act_keeps_no_temporary_file() {
    let mut acts = 0;
    loop {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("sub")).unwrap();
        fs::create_dir(folder.path().join("other")).unwrap();
        fs::write(folder.path().join("sub/a.txt"), "old").unwrap();
        let roots = [Root::open(folder.path()).unwrap()];
        let changes = ["sub/a.txt", "sub/b.txt"].map(|path| {
            let place = place_of(&roots, path);
            let before = disk::look(&roots, &place).unwrap().map(|found| found.identity);
            Change { place, before, taken: None, after: contents("new") }
        });
        SWAPPED.set(folder.path().to_owned());
        LEFT.with(|left| left.set(Some((acts, Fault::Swap))));
        let done = commit(&roots, &changes, &Stop::default());
        let reached = LEFT.with(Cell::take).is_none();
        let left: Vec<_> =
            names(folder.path()).into_iter().filter(|name| name.contains(".toolwright-")).collect();
        assert!(left.is_empty(), "act {acts}, {done:?}: {left:?}");
        if !reached {
            break;
        }
        acts += 1;
    }
    assert!(acts >= 8, "only {acts} acts");
}

#[test]
fn a_temporary_file_of_a_dead_process_with_our_number_is_in_nobodys_way() {
    let folder = tempfile::tempdir().unwrap();
    let roots = [Root::open(folder.path()).unwrap()];
    for number in 0..200 {
        let name = format!(".toolwright-{}-{number}-a.txt.new", std::process::id());
        fs::write(folder.path().join(name), "left").unwrap();
    }
    let change = Change { place: place_of(&roots, "a.txt"), before: None, taken: None, after: contents("x") };
    commit(&roots, &[change], &Stop::default()).unwrap();
    assert_eq!(fs::read_to_string(folder.path().join("a.txt")).unwrap(), "x");
    assert_eq!(tree(folder.path()).len(), 201);
}

#[test]
fn what_somebody_changed_after_a_crash_stays_and_its_old_contents_are_told_and_seen() {
    let mut told = Vec::new();
    for acts in 0..200 {
        let folder = folders();
        if ends(folder.path(), 1, acts, "commit") {
            break;
        }
        let file = folder.path().join("a/replaced.txt");
        fs::write(&file, "changed by hand").unwrap();
        let left = recover(&open(folder.path(), 1)).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "changed by hand", "act {acts}");
        assert!(
            !names(folder.path()).iter().any(|name| name.contains("/.toolwright-") && name.ends_with(".old"))
        );
        let kept = fs::read_to_string(folder.path().join("a/replaced.txt.toolwright-kept")).ok();
        assert_eq!(left.is_empty(), kept.is_none(), "act {acts}: {left:?}");
        assert!(kept.is_none_or(|kept| kept == "a/replaced.txt"), "act {acts}");
        told.extend(left);
    }
    let expected = "replaced.txt was changed by somebody else since and stays so; what it held before is kept as \
                    replaced.txt.toolwright-kept.";
    assert!(told.iter().any(|line| line.ends_with(expected)), "{told:?}");
}

/// The folder that [`a_process_on_a_full_disk`] works in, when this process is that one.
const FULL: &str = "TOOLWRIGHT_TEST_FULL_DISK_IN";

/// Not a test of its own: the process of the next one, which can write no byte to any file.
#[test]
fn a_process_on_a_full_disk() {
    let Some(folder) = std::env::var_os(FULL) else { return };
    let roots = [Root::open(Path::new(&folder)).unwrap()];
    let change = |path: &str, taken: Option<Taken>, after: Option<Contents>| {
        let place = place_of(&roots, path);
        let before = disk::look(&roots, &place).unwrap().map(|found| found.identity);
        Change { place, before, taken, after }
    };
    assert!(commit(&roots, &[change("c", None, contents("x"))], &Stop::default()).is_err());
    commit(&roots, &[change("a", Some(Taken::Removed), None)], &Stop::default()).unwrap();
    let trash = Taken::Trashed(".toolwright-trash/1-b".into());
    commit(&roots, &[change("b", Some(trash), None)], &Stop::default()).unwrap();
}

#[test]
fn one_file_can_be_deleted_on_a_full_disk() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a", "b"] {
        fs::write(folder.path().join(name), name).unwrap();
    }
    let done = Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" --exact \"$1\""])
        .arg(std::env::current_exe().unwrap())
        .arg("files::commit::tests::leftovers::a_process_on_a_full_disk")
        .env(FULL, folder.path())
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
    assert_eq!(names(folder.path()), [".toolwright-trash", ".toolwright-trash/1-b"]);
}
