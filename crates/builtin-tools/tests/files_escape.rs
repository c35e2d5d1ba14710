//! No path, link or race leads out of the root.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot prepare itself stops")]

use crate::files_support;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use files_support::{Desk, says};
use serde_json::{Value, json};
use toolwright_builtin_tools::{BuiltinConfig, FilesConfig, builtin_tools};

const SECRET: &str = "the secret outside";

/// A desk with a secret beside the root and every kind of link to it.
fn besieged() -> Desk {
    let desk = Desk::new();
    let outside = desk.outside();
    fs::create_dir(outside.join("vault")).unwrap();
    fs::write(outside.join("vault/secret.txt"), SECRET).unwrap();
    fs::write(outside.join("secret.txt"), SECRET).unwrap();
    // A folder whose name begins like the root's: a check of string prefixes lets it pass.
    fs::create_dir(outside.join("root-evil")).unwrap();
    fs::write(outside.join("root-evil/secret.txt"), SECRET).unwrap();
    desk.put("inside.txt", "inside").put("sub/inside.txt", "inside");
    let root = desk.root();
    symlink(outside.join("secret.txt"), root.join("link-file")).unwrap();
    symlink("../secret.txt", root.join("link-file-relative")).unwrap();
    symlink(outside.join("vault"), root.join("link-folder")).unwrap();
    symlink("../vault", root.join("sub/link-up")).unwrap();
    symlink("../../vault", root.join("sub/link-folder-relative")).unwrap();
    symlink("chain-2", root.join("chain-1")).unwrap();
    symlink("sub/chain-3", root.join("chain-2")).unwrap();
    symlink("../link-file", root.join("sub/chain-3")).unwrap();
    symlink("circle-b", root.join("circle-a")).unwrap();
    symlink("circle-a", root.join("circle-b")).unwrap();
    symlink("/", root.join("link-root")).unwrap();
    symlink("/proc/self/root", root.join("link-proc")).unwrap();
    symlink("../not-there-yet.txt", root.join("link-nowhere")).unwrap();
    symlink("not-there-yet.txt", root.join("link-gone")).unwrap();
    desk
}

fn escapes(desk: &Desk) -> Vec<String> {
    let outside = desk.outside().display().to_string();
    let root = desk.root().display().to_string();
    let mut paths: Vec<String> = [
        "../secret.txt",
        "./../secret.txt",
        "sub/../../secret.txt",
        "sub/../../../../../../../../../etc/passwd",
        "..",
        "../",
        "../root-evil/secret.txt",
        "..//secret.txt",
        "//etc/passwd",
        "///etc/passwd",
        "/etc/passwd",
        "/",
        "/proc/self/environ",
        "/proc/self/cwd/secret.txt",
        "~/secret.txt",
        "~",
        "link-file",
        "link-file-relative",
        "link-folder/secret.txt",
        "link-folder/../secret.txt",
        "sub/link-folder-relative/secret.txt",
        "sub/link-up/../../secret.txt",
        "chain-1",
        "chain-2",
        "sub/chain-3",
        "circle-a",
        "link-root/etc/passwd",
        "link-proc/etc/passwd",
        "link-nowhere",
        "missing/../../secret.txt",
        "missing/../inside.txt/../../secret.txt",
        "../secret.txt\0.txt",
        "inside.txt\0../../secret.txt",
        "",
        "..\\..\\secret.txt/../../secret.txt",
        "sub/.. /../../secret.txt/../../../secret.txt",
    ]
    .map(str::to_owned)
    .into();
    paths.extend([
        format!("{outside}/secret.txt"),
        format!("{outside}/root-evil/secret.txt"),
        format!("{root}-evil/secret.txt"),
        format!("{root}/../secret.txt"),
        format!("{root}/../root/../secret.txt"),
        format!("{root}//..//secret.txt"),
        format!("{}/secret.txt", outside.to_uppercase()),
        format!("{root}/link-file"),
        format!("/{root}/../secret.txt"),
        "../".repeat(1700) + "etc/passwd",
        "a/".repeat(2500) + "../secret.txt",
        "x".repeat(5000),
        "x".repeat(300),
        "../ROOT/../secret.txt".to_owned(),
        "../Secret.txt".to_owned(),
    ]);
    paths
}

/// Every call that takes a path, made with `path`.
fn calls(path: &str) -> Vec<(&'static str, Value)> {
    let step = |step: Value| json!({"pipeline_json": json!({"steps": [step]}).to_string(), "force": true});
    vec![
        ("read_file", json!({"path": path})),
        ("list_directory", json!({"path": path, "recursive": true})),
        ("search_files", json!({"path": path, "pattern": "secret"})),
        ("write_to_file", json!({"path": path, "content": "overwritten", "force": true})),
        ("edit_file", json!({"path": path, "old_text": "secret", "new_text": "stolen", "force": true})),
        ("multi_edit", json!({"path": path, "edits_json": r#"[{"old_text":"secret","new_text":"stolen"}]"#})),
        ("apply_diff", json!({"path": path, "diff": "@@ -1 +1 @@\n-the secret outside\n+stolen\n"})),
        ("apply_diff", json!({"path": path, "diff": "--- /dev/null\n+++ b\n@@ -0,0 +1 @@\n+stolen\n"})),
        ("batch_operations", step(json!({"action": "copy", "path": path, "to": "stolen.txt"}))),
        ("batch_operations", step(json!({"action": "move", "path": path, "to": "stolen.txt"}))),
        ("batch_operations", step(json!({"action": "copy", "path": "inside.txt", "to": path}))),
        ("batch_operations", step(json!({"action": "write", "path": path, "content": "overwritten"}))),
    ]
}

#[test]
fn no_path_leads_outside() {
    let desk = besieged();
    let before = desk.everything();
    let mut made = 0;
    for path in escapes(&desk) {
        for (tool, arguments) in calls(&path) {
            // A link itself is inside, and moving it reaches nothing of what it points to.
            let is_link = desk.root().join(&path).is_symlink();
            if is_link && arguments.to_string().contains("move") {
                continue;
            }
            let message = desk.no(tool, arguments);
            assert!(!message.contains(SECRET), "{tool} {path:?} gave away: {message}");
            made += 1;
        }
        assert!(desk.everything() == before, "{path:?} changed something");
    }
    assert!(made > 500, "{made} calls");
}

#[test]
fn deleting_reaches_nothing_outside_and_never_follows_a_link() {
    let desk = besieged();
    let before = desk.everything();
    for path in escapes(&desk) {
        // At its end a link is deleted as a link: its target stays.
        let entry = desk.root().join(&path);
        if path.len() < 100 && !path.contains("..") && !path.starts_with('/') && entry.is_symlink() {
            continue;
        }
        if path.ends_with("/link-file") {
            continue;
        }
        for permanent in [false, true] {
            desk.no("delete_file", json!({"path": path, "permanent": permanent, "force": true}));
        }
        assert!(desk.everything() == before, "{path:?} deleted something");
    }
    desk.ok("delete_file", json!({"path": "link-file", "permanent": true}));
    desk.ok("delete_file", json!({"path": "chain-1"}));
    assert_eq!(fs::read_to_string(desk.outside().join("secret.txt")).unwrap(), SECRET);
    assert!(!desk.root().join("link-file").is_symlink());
}

#[test]
fn listing_and_searching_do_not_go_through_links() {
    let desk = besieged();
    let list = desk.ok("list_directory", json!({"recursive": true}));
    assert!(list.contains("link-folder  (symbolic link)") && !list.contains("secret.txt"), "{list}");
    assert_eq!(desk.json("search_files", json!({"pattern": "secret", "count_only": true}))["lines"], 0);
}

#[test]
fn a_trash_folder_that_is_a_link_is_not_used() {
    let desk = besieged();
    symlink(desk.outside().join("vault"), desk.root().join(".toolwright-trash")).unwrap();
    let before = desk.everything();
    desk.no("delete_file", json!({"path": "inside.txt"}));
    assert!(desk.everything() == before);
}

#[test]
fn messages_name_the_path_the_allowed_folder_and_the_way_out() {
    let desk = besieged();
    let root = desk.root().display().to_string();
    for path in ["../secret.txt", "/etc/passwd", "link-file"] {
        let message = desk.no("read_file", json!({"path": path}));
        files_support::says(&message, &[path, "leads outside", &root, "relative to the first"]);
    }
    for (path, words) in [
        ("", "is empty"),
        ("a\0b", "NUL character"),
        ("~/x", "not expanded"),
        ("link-gone", "leads nowhere"),
        ("inside.txt/x", "is a file, not a folder"),
    ] {
        files_support::says(&desk.no("read_file", json!({"path": path})), &[words]);
    }
    files_support::says(&desk.no("read_file", json!({"path": "x".repeat(5000)})), &["5000", "4096"]);
}

#[test]
fn paths_inside_are_taken_in_every_form() {
    let desk = besieged();
    symlink("sub", desk.root().join("inner")).unwrap();
    let root = desk.root().display().to_string();
    for path in [
        "sub/inside.txt".to_owned(),
        "./sub//inside.txt".to_owned(),
        "sub/../sub/inside.txt".to_owned(),
        "inner/inside.txt".to_owned(),
        format!("{root}/sub/inside.txt"),
        format!("{root}//sub/./inside.txt"),
    ] {
        assert_eq!(desk.ok("read_file", json!({"path": path})), "inside", "{path}");
    }
}

/// The deadline keeps a slow machine from waiting; the rounds keep a fast one from spinning.
const RACE_ROUNDS: usize = 3000;
const RACE_SECONDS: u64 = 8;

#[test]
fn a_link_swapped_during_the_call_never_leads_outside() {
    let desk = besieged();
    let root = desk.root();
    fs::create_dir(root.join("real")).unwrap();
    fs::write(root.join("real/secret.txt"), "harmless").unwrap();
    // The link is there before the first call, which would make a folder of that name otherwise.
    symlink("real", root.join("swapped")).unwrap();
    let done = AtomicBool::new(false);
    let (mut through, mut refused) = (0, 0);
    std::thread::scope(|scope| {
        // Also when an assertion fails: the scope waits for the thread.
        let _stop = SetOnDrop(&done);
        scope.spawn(|| swap(&root, desk.outside(), &done));
        let end = Instant::now() + Duration::from_secs(RACE_SECONDS);
        for round in 0..RACE_ROUNDS {
            if Instant::now() > end {
                break;
            }
            let read = desk.call("read_file", json!({"path": "swapped/secret.txt"}));
            match &read {
                Ok(output) => assert_ne!(output.text, SECRET, "round {round}"),
                Err(_) => refused += 1,
            }
            through += usize::from(read.is_ok());
            let content = format!("round {round}");
            let _ = desk.call("write_to_file", json!({"path": "swapped/secret.txt", "content": content}));
            let _ = desk
                .call("write_to_file", json!({"path": format!("swapped/new-{round}.txt"), "content": "x"}));
            let _ =
                desk.call("delete_file", json!({"path": "swapped/secret.txt", "permanent": round % 2 == 0}));
            let last = desk.call("read_file", json!({"path": "swapped.txt"}));
            assert!(last.is_err() || last.is_ok_and(|output| output.text != SECRET), "round {round}");
            let edit =
                json!({"path": "swapped.txt", "old_text": "secret", "new_text": "stolen", "force": true});
            let _ = desk.call("edit_file", edit);
            let _ =
                desk.call("write_to_file", json!({"path": "swapped.txt", "content": "mine", "force": true}));
            let vault = desk.outside().join("vault");
            assert_eq!(fs::read_to_string(vault.join("secret.txt")).unwrap(), SECRET, "round {round}");
            assert_eq!(fs::read_dir(vault).unwrap().count(), 1, "round {round}");
        }
    });
    // Both sides of the race were met, or the test shows nothing.
    assert!(through > 0 && refused > 0, "{through} through, {refused} refused");
}

struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Points `swapped` in turns at a folder inside, at one outside, and makes it a folder of its own.
fn swap(root: &Path, outside: &Path, done: &AtomicBool) {
    let (link, next) = (root.join("swapped"), root.join("next"));
    let vault = outside.join("vault");
    let mut turn = 0u32;
    while !done.load(Ordering::Relaxed) {
        let target = if turn.is_multiple_of(2) { Path::new("real") } else { &vault };
        let _ = fs::remove_file(&next);
        symlink(target, &next).unwrap();
        fs::rename(&next, &link).unwrap();
        let _ = fs::write(root.join("real/secret.txt"), "harmless");
        match turn % 3 {
            0 => symlink(vault.join("secret.txt"), &next).unwrap(),
            1 => symlink("real/secret.txt", &next).unwrap(),
            _ => fs::write(&next, "harmless").unwrap(),
        }
        fs::rename(&next, root.join("swapped.txt")).unwrap();
        turn += 1;
    }
}

#[test]
fn a_root_that_goes_up_behind_a_link_has_the_name_of_where_it_leads() {
    let desk = Desk::new();
    desk.put("real/deep/x.txt", "").put("real/a.txt", "A");
    symlink("real/deep", desk.root().join("link")).unwrap();
    let roots = vec![desk.outside().to_owned(), desk.root().join("link/..")];
    let files = FilesConfig { roots, ..FilesConfig::default() };
    let tools = builtin_tools(&BuiltinConfig { files, ..BuiltinConfig::default() }).unwrap();
    let list = tools.iter().find(|tool| tool.definition.name == "list_directory").unwrap();
    let real = desk.root().canonicalize().unwrap().join("real");
    let call = std::sync::Arc::clone(&list.function).call(json!({"path": real}).to_string());
    let listed = futures_util::FutureExt::now_or_never(call).unwrap().unwrap().text;
    assert!(listed.contains(&real.join("a.txt").display().to_string()), "{listed}");
}

#[test]
fn links_that_stay_inside_are_followed_whatever_their_form() {
    let desk = Desk::new();
    let root = desk.root();
    desk.put("sub/a.txt", "A").put("sub/deep/b.txt", "B");
    symlink(root.join("sub/a.txt"), root.join("absolute")).unwrap();
    symlink(root.join("sub"), root.join("folder")).unwrap();
    symlink("../../folder/deep", root.join("sub/deep/chain")).unwrap();
    let read = |path: &str| desk.ok("read_file", json!({"path": path}));
    assert_eq!((read("absolute"), read("folder/deep/b.txt")), ("A".into(), "B".into()));
    assert_eq!((read("folder/deep/chain/b.txt"), read("folder/../absolute")), ("B".into(), "A".into()));
    desk.ok("write_to_file", json!({"path": "folder/new.txt", "content": "N"}));
    assert_eq!(desk.get("sub/new.txt"), "N");
    // The files that the tools need for themselves are nobody else's.
    for path in [".toolwright-journal", ".toolwright-1-2-a.txt.old", "sub/.toolwright-1-2-a.txt.new"] {
        says(&desk.no("write_to_file", json!({"path": path, "content": ""})), &["for themselves"]);
        says(&desk.no("delete_file", json!({"path": path})), &["for themselves"]);
    }
}

#[test]
fn a_link_that_leads_outside_is_moved_itself() {
    let desk = besieged();
    for name in ["link-file", "link-folder", "link-nowhere", "circle-a"] {
        let target = fs::read_link(desk.root().join(name)).unwrap();
        let steps = json!([{"action": "move", "path": name, "to": "moved/here"}]).to_string();
        desk.ok("batch_operations", json!({"pipeline_json": steps}));
        assert_eq!(fs::read_link(desk.root().join("moved/here")).unwrap(), target);
        let message = desk.no("read_file", json!({"path": "moved/here"}));
        assert!(!message.contains(SECRET), "{message}");
        fs::remove_file(desk.root().join("moved/here")).unwrap();
    }
    assert_eq!(fs::read_to_string(desk.outside().join("secret.txt")).unwrap(), SECRET);
}
