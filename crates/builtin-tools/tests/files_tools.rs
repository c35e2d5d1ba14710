//! Each files tool: what it does, and what it says when it cannot.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot prepare itself stops")]

use crate::files_support;

use std::fs;
use std::os::unix::fs::PermissionsExt;

use files_support::{Desk, says};
use serde_json::json;
use toolwright_builtin_tools::{BuiltinConfig, FilesConfig, FilesLimits, builtin_tools};
use toolwright_executor::ToolFailure;
use toolwright_model::Origin;

#[test]
fn a_file_is_read_exactly() {
    let desk = Desk::new();
    desk.put("a.txt", "one\r\ntwo\n\nlast").put("empty.txt", "").put("bom.txt", "\u{feff}x");
    assert_eq!(desk.ok("read_file", json!({"path": "a.txt"})), "one\r\ntwo\n\nlast");
    assert_eq!(desk.ok("read_file", json!({"path": "empty.txt"})), "");
    assert_eq!(desk.ok("read_file", json!({"path": "bom.txt"})), "\u{feff}x");
    assert_eq!(desk.ok("read_file", json!({"path": "a.txt", "start_line": 2, "end_line": 3})), "two\n\n");
    assert_eq!(desk.ok("read_file", json!({"path": "a.txt", "start_line": 4})), "last");
    assert_eq!(desk.ok("read_file", json!({"path": "a.txt", "end_line": 1})), "one\r\n");
}

#[test]
fn what_cannot_be_read_is_said_with_the_way_out() {
    let limits = FilesLimits { max_file_bytes: 1000, max_read_bytes: 100, ..FilesLimits::default() };
    let desk = Desk::with_limits(limits);
    desk.put("large.txt", "x".repeat(1001)).put("long.txt", "line\n".repeat(100));
    desk.put("image.png", b"\x89PNG\0\0").put("latin.txt", b"caf\xe9").put("sub/a.txt", "");
    let read = |path: &str| desk.no("read_file", json!({"path": path}));
    says(&read("large.txt"), &["large.txt", "1001 bytes", "1000", "max_file_bytes"]);
    says(&read("long.txt"), &["500 bytes in 100 lines", "100 bytes", "start_line"]);
    says(&read("image.png"), &["binary", "NUL byte at position 4"]);
    says(&read("latin.txt"), &["binary", "no UTF-8 at position 3"]);
    says(&read("sub"), &["is a folder", "list_directory"]);
    says(&read("none.txt"), &["does not exist", "search_files"]);
    assert_eq!(desk.ok("read_file", json!({"path": "long.txt", "end_line": 2})), "line\nline\n");
    says(&desk.no("read_file", json!({"path": "long.txt", "start_line": 101})), &["101", "100 lines"]);
    says(&desk.no("read_file", json!({"path": "long.txt", "start_line": 5, "end_line": 4})), &["before"]);
}

#[test]
fn a_pipe_is_refused_without_waiting() {
    let desk = Desk::new();
    let made = std::process::Command::new("mkfifo").arg(desk.root().join("pipe")).status();
    if made.is_ok_and(|status| status.success()) {
        says(&desk.no("read_file", json!({"path": "pipe"})), &["neither a file nor a folder"]);
        says(&desk.no("write_to_file", json!({"path": "pipe", "content": ""})), &["neither"]);
        assert_eq!(desk.json("search_files", json!({"pattern": "x"}))["lines"], 0);
    }
}

#[test]
fn files_are_written_with_their_folders() {
    let desk = Desk::new();
    let made = desk.json("write_to_file", json!({"path": "a/b/c.txt", "content": "x\r\n"}));
    assert_eq!(made, json!({"path": "a/b/c.txt", "change": "created", "bytes": 3, "dry_run": false}));
    assert_eq!(desk.get("a/b/c.txt"), "x\r\n");
    assert_eq!(
        desk.json("write_to_file", json!({"path": "a/b/c.txt", "content": "y"}))["change"],
        "replaced"
    );
    assert_eq!(desk.json("write_to_file", json!({"path": "a/b/c.txt", "content": "y"}))["change"], "none");
    assert_eq!(desk.everything().len(), 4, "root, a, b, c.txt and no temporary file");
}

#[test]
fn what_cannot_be_written_leaves_everything_as_it_was() {
    let desk = Desk::with_limits(FilesLimits { max_file_bytes: 100, ..FilesLimits::default() });
    desk.put("sub/a.txt", "a").put("image.png", b"\0").put("kept.txt", "kept");
    fs::set_permissions(desk.root().join("kept.txt"), fs::Permissions::from_mode(0o444)).unwrap();
    let before = desk.everything();
    let write =
        |path: &str, content: String| desk.no("write_to_file", json!({"path": path, "content": content}));
    says(&write("sub", "x".into()), &["is a folder"]);
    says(&write(".", "x".into()), &["is a folder"]);
    says(&write("sub/a.txt/b.txt", "x".into()), &["is a file, not a folder"]);
    says(&write("image.png", "x".into()), &["binary", "force"]);
    says(&write("kept.txt", "x".into()), &["read-only", "force"]);
    says(&write("new/big.txt", "x".repeat(101)), &["101 bytes", "100"]);
    assert!(desk.everything() == before);
    desk.ok("write_to_file", json!({"path": "kept.txt", "content": "x", "force": true}));
    let mode = fs::metadata(desk.root().join("kept.txt")).unwrap().permissions().mode();
    assert_eq!((desk.get("kept.txt").as_str(), mode & 0o777), ("x", 0o444));
}

#[test]
fn one_text_is_replaced_by_another() {
    let desk = Desk::new();
    desk.put("a.txt", "one\ntwo\nthree\ntwo\n");
    let done = desk.json("edit_file", json!({"path": "a.txt", "old_text": "three", "new_text": "3"}));
    assert_eq!(done, json!({"path": "a.txt", "replacements": 1, "lines": [3], "dry_run": false}));
    let text = desk.no("edit_file", json!({"path": "a.txt", "old_text": "two", "new_text": "2"}));
    says(&text, &["a.txt", "occurs 2 times (lines 2, 4)", "replace_all", "Nothing was changed"]);
    let all = json!({"path": "a.txt", "old_text": "two", "new_text": "2", "replace_all": true});
    assert_eq!(desk.ok("edit_file", all), "Replaced 2 occurrences in a.txt (lines 2, 4).");
    assert_eq!(desk.get("a.txt"), "one\n2\n3\n2\n");
    let gone = desk.no("edit_file", json!({"path": "a.txt", "old_text": "two", "new_text": "2"}));
    says(&gone, &["does not occur", "Read the file again"]);
    says(
        &desk.no("edit_file", json!({"path": "a.txt", "old_text": "", "new_text": "2"})),
        &["old_text is empty"],
    );
    says(
        &desk.no("edit_file", json!({"path": "b.txt", "old_text": "a", "new_text": "b"})),
        &["does not exist"],
    );
}

#[test]
fn edits_keep_mode_line_endings_and_the_final_newline() {
    for (before, after) in [
        ("a\r\nb\r\nc", "a\r\nx\r\ny\r\nc"),
        ("a\nb\nc\n", "a\nx\ny\nc\n"),
        ("\u{feff}a\r\nb\r\n", "\u{feff}a\r\nx\r\ny\r\n"),
    ] {
        let edits = [
            ("edit_file", json!({"path": "a.txt", "old_text": "b", "new_text": "x\ny"})),
            ("multi_edit", json!({"path": "a.txt", "edits_json": r#"[{"old_text":"b","new_text":"x\ny"}]"#})),
            ("apply_diff", json!({"path": "a.txt", "diff": "@@ -2 +2,2 @@\n-b\n+x\n+y\n"})),
            (
                "batch_operations",
                json!({"request_json":
                r#"{"steps":[{"action":"edit","path":"a.txt","old_text":"b","new_text":"x\ny"}]}"#}),
            ),
        ];
        for (tool, arguments) in edits {
            let desk = Desk::new();
            desk.put("a.txt", before);
            fs::set_permissions(desk.root().join("a.txt"), fs::Permissions::from_mode(0o751)).unwrap();
            desk.ok(tool, arguments);
            assert_eq!(desk.get("a.txt"), after, "{tool}");
            let mode = fs::metadata(desk.root().join("a.txt")).unwrap().permissions().mode();
            assert_eq!(mode & 0o7777, 0o751, "{tool}");
        }
    }
}

#[test]
fn an_edit_that_would_fill_the_memory_is_refused() {
    let desk = Desk::with_limits(FilesLimits { max_file_bytes: 100_000, ..FilesLimits::default() });
    desk.put("a.txt", "a".repeat(90_000));
    let new = "b".repeat(90_000);
    let text =
        desk.no("edit_file", json!({"path": "a.txt", "old_text": "a", "new_text": new, "replace_all": true}));
    says(&text, &["8100000000 bytes", "100000", "max_file_bytes"]);
    let shrunk = desk
        .json("edit_file", json!({"path": "a.txt", "old_text": "a", "new_text": "", "replace_all": true}));
    assert_eq!(
        (shrunk["replacements"].as_u64(), shrunk["lines"].as_array().unwrap().len()),
        (Some(90_000), 100)
    );
}

#[test]
fn an_edit_through_a_link_changes_its_target_and_keeps_the_link() {
    let desk = Desk::new();
    desk.put("real.txt", "a");
    std::os::unix::fs::symlink("real.txt", desk.root().join("link.txt")).unwrap();
    let done = desk.json("edit_file", json!({"path": "link.txt", "old_text": "a", "new_text": "b"}));
    assert_eq!((done["path"].as_str(), desk.get("real.txt").as_str()), (Some("real.txt"), "b"));
    assert!(desk.root().join("link.txt").is_symlink());
}

#[test]
fn a_hard_link_to_a_file_elsewhere_is_cut_not_written_through() {
    let desk = Desk::new();
    fs::write(desk.outside().join("outside.txt"), "a").unwrap();
    fs::hard_link(desk.outside().join("outside.txt"), desk.root().join("a.txt")).unwrap();
    desk.ok("edit_file", json!({"path": "a.txt", "old_text": "a", "new_text": "b"}));
    assert_eq!(fs::read_to_string(desk.outside().join("outside.txt")).unwrap(), "a");
}

#[test]
fn several_edits_are_made_in_order_or_not_at_all() {
    let desk = Desk::new();
    desk.put("a.txt", "one two three");
    let edits = r#"[{"old_text":"one","new_text":"1"},{"old_text":"1 two","new_text":"12"}]"#;
    desk.ok("multi_edit", json!({"path": "a.txt", "edits_json": edits}));
    assert_eq!(desk.get("a.txt"), "12 three");
    let edits = r#"[{"old_text":"three","new_text":"3"},{"old_text":"four","new_text":"4"}]"#;
    let text = desk.no("multi_edit", json!({"path": "a.txt", "edits_json": edits}));
    says(&text, &["edit 2 of 2", "does not occur", "Nothing was changed"]);
    assert_eq!(desk.get("a.txt"), "12 three");
    for (edits, words) in [
        ("[]", "holds no edit"),
        ("nonsense", "not a JSON array"),
        (r#"[{"old_str":"a","new_str":"b"}]"#, "\"old_str\" is not known here; known are old_text"),
        (r#"{"old_text":"a","new_text":"b"}"#, "not a JSON array"),
    ] {
        says(&desk.no("multi_edit", json!({"path": "a.txt", "edits_json": edits})), &[words]);
    }
}

#[test]
fn diffs_change_make_and_do_not_delete_files() {
    let desk = Desk::new();
    desk.put("a.txt", "one\ntwo\n");
    let done = desk.json("apply_diff", json!({"path": "a.txt", "diff": "@@ -2 +2 @@\n-two\n+2\n"}));
    assert_eq!((done["added"].as_u64(), done["lines"][0].as_u64()), (Some(1), Some(2)));
    assert_eq!(desk.get("a.txt"), "one\n2\n");
    let new = "--- /dev/null\n+++ b/sub/new.txt\n@@ -0,0 +1,2 @@\n+x\n+y\n";
    desk.ok("apply_diff", json!({"path": "sub/new.txt", "diff": new}));
    assert_eq!(desk.get("sub/new.txt"), "x\ny\n");
    says(&desk.no("apply_diff", json!({"path": "sub/new.txt", "diff": new})), &["but it exists"]);
    let delete = "--- a/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n";
    says(&desk.no("apply_diff", json!({"path": "a.txt", "diff": delete})), &["Use delete_file"]);
    let wrong = "@@ -1 +1 @@\n-nine\n+9\n";
    says(&desk.no("apply_diff", json!({"path": "a.txt", "diff": wrong})), &["hunk 1", "\"nine\" is nowhere"]);
    says(&desk.no("apply_diff", json!({"path": "none.txt", "diff": wrong})), &["does not exist"]);
}

#[test]
fn deleted_files_go_to_the_trash_unless_for_good() {
    let desk = Desk::new();
    desk.put("sub/a.txt", "a").put("b.bin", b"\0\xff").put("kept.txt", "");
    let trash = desk.json("delete_file", json!({"path": "sub/a.txt"}))["trash"].as_str().unwrap().to_owned();
    assert!(trash.starts_with(".toolwright-trash/") && trash.ends_with("-a.txt"), "{trash}");
    assert_eq!(desk.get(&trash), "a");
    says(&desk.no("delete_file", json!({"path": trash})), &["in the trash already", "permanent"]);
    desk.ok("delete_file", json!({"path": trash, "permanent": true}));
    desk.ok("delete_file", json!({"path": "b.bin", "permanent": true}));
    assert!(!desk.root().join("b.bin").exists());
    says(&desk.no("delete_file", json!({"path": "sub"})), &["is a folder"]);
    says(&desk.no("delete_file", json!({"path": "sub/a.txt"})), &["does not exist"]);
    fs::set_permissions(desk.root().join("kept.txt"), fs::Permissions::from_mode(0o400)).unwrap();
    says(&desk.no("delete_file", json!({"path": "kept.txt"})), &["read-only", "force"]);
    desk.ok("delete_file", json!({"path": "kept.txt", "force": true}));
}

#[test]
fn a_folder_is_listed_sorted_with_what_is_left_out() {
    let desk = Desk::with_limits(FilesLimits { max_entries: 3, max_depth: 2, ..FilesLimits::default() });
    says(&desk.ok("list_directory", json!({})), &[". is empty"]);
    desk.put("b.txt", "12").put("a/x/deep.txt", "");
    assert_eq!(desk.ok("list_directory", json!({})), "a/\nb.txt  2 bytes");
    let all = desk.json("list_directory", json!({"recursive": true}));
    assert_eq!(all["entries"][1], json!({"path": "a/x", "kind": "folder"}));
    says(all["left_out"].as_str().unwrap(), &["deeper than 2", "max_depth"]);
    desk.put("c.txt", "").put("d.txt", "");
    says(&desk.ok("list_directory", json!({"path": "."})), &["[only the first 3 entries", "max_entries"]);
    says(&desk.no("list_directory", json!({"path": "b.txt"})), &["is a file, not a folder", "read_file"]);
    says(&desk.no("list_directory", json!({"path": "none"})), &["does not exist"]);
}

#[test]
fn lines_are_found_counted_and_bounded() {
    let desk = Desk::with_limits(FilesLimits { max_matches: 2, ..FilesLimits::default() });
    desk.put("a.rs", "fn one() {}\nfn two() {}\n").put("sub/b.rs", "FN three\n").put("sub/c.txt", "fn\n");
    desk.put(".git/x.rs", "fn\n").put("bin.rs", b"fn\0");
    let found = desk.json("search_files", json!({"pattern": "fn", "include": "*.rs"}));
    assert_eq!(found["matches"][1], json!({"path": "a.rs", "line": 2, "text": "fn two() {}"}));
    assert_eq!((found["lines"].as_u64(), found["files"].as_u64()), (Some(2), Some(1)));
    says(found["left_out"].as_str().unwrap(), &["1 binary"]);
    let count = |arguments| desk.json("search_files", arguments)["lines"].as_u64().unwrap();
    assert_eq!(count(json!({"pattern": "fn", "count_only": true})), 3);
    assert_eq!(count(json!({"pattern": "fn", "count_only": true, "recursive": false})), 2);
    assert_eq!(count(json!({"pattern": "fn", "count_only": true, "case_sensitive": false})), 4);
    assert_eq!(count(json!({"pattern": "^fn$", "regex": true})), 1);
    assert_eq!(count(json!({"pattern": "(", "path": "a.rs"})), 2);
    assert_eq!(count(json!({"pattern": "fn", "path": ".git"})), 1);
    says(
        &desk.ok("search_files", json!({"pattern": "fn"})),
        &["3 lines in 2 files", "only the first 2 lines"],
    );
    says(&desk.ok("search_files", json!({"pattern": "nowhere"})), &["No line holds \"nowhere\""]);
    says(&desk.no("search_files", json!({"pattern": "(", "regex": true})), &["not a regular expression"]);
    says(&desk.no("search_files", json!({"pattern": "a\nb"})), &["line by line"]);
    says(&desk.no("search_files", json!({"pattern": "x", "path": "none"})), &["does not exist"]);
    says(&desk.no("search_files", json!({"pattern": "x", "path": "bin.rs", "include": "{"})), &["include"]);
}

#[test]
fn a_dry_run_changes_nothing_and_says_what_would_happen() {
    let desk = Desk::new();
    desk.put("a.txt", "a\n");
    let before = desk.everything();
    let steps = r#"{"steps":[{"action":"write","path":"new/b.txt","content":"b"},
                             {"action":"move","path":"a.txt","to":"new/a.txt"}]}"#;
    for (tool, arguments) in [
        ("write_to_file", json!({"path": "new/b.txt", "content": "b", "dry_run": true})),
        ("edit_file", json!({"path": "a.txt", "old_text": "a", "new_text": "b", "dry_run": true})),
        (
            "multi_edit",
            json!({"path": "a.txt", "edits_json": r#"[{"old_text":"a","new_text":"b"}]"#, "dry_run": true}),
        ),
        ("apply_diff", json!({"path": "a.txt", "diff": "@@ -1 +1 @@\n-a\n+b\n", "dry_run": true})),
        ("delete_file", json!({"path": "a.txt", "dry_run": true})),
        ("delete_file", json!({"path": "a.txt", "permanent": true, "dry_run": true})),
        ("batch_operations", json!({"pipeline_json": steps, "dry_run": true})),
    ] {
        says(&desk.ok(tool, arguments), &["Would"]);
        assert!(desk.everything() == before, "{tool}");
    }
}

#[test]
fn arguments_that_do_not_fit_are_named() {
    let desk = Desk::new();
    let failure = desk.call("edit_file", json!({"path": "a"})).unwrap_err();
    assert!(matches!(&failure, ToolFailure::InvalidArguments { .. }));
    says(&failure.to_string(), &["edit_file", "\"old_text\" is missing"]);
    says(&desk.no("read_file", json!({"path": "a", "paht": "b"})), &["\"paht\" is not known here"]);
}

#[test]
fn the_table_says_what_each_tool_is() {
    let desk = Desk::new();
    let destructive = ["write_to_file", "batch_operations", "delete_file"];
    let others = ["read_file", "list_directory", "search_files", "edit_file", "multi_edit", "apply_diff"];
    for name in destructive.into_iter().chain(others) {
        let definition = &desk.tool(name).definition;
        assert_eq!((definition.server.as_deref(), definition.origin), (Some("files"), Origin::Server));
        assert_eq!(definition.annotations.destructive, destructive.contains(&name), "{name}");
        toolwright_normalizer::Tool::compile(definition).unwrap();
    }
    let nowhere = FilesConfig { roots: vec!["/not/there".into()], ..FilesConfig::default() };
    let refused = builtin_tools(&BuiltinConfig { files: nowhere, ..BuiltinConfig::default() });
    says(&refused.err().unwrap().to_string(), &["/not/there", "does not exist", "configuration"]);
}

#[test]
fn with_two_roots_each_is_reached_by_its_absolute_path() {
    let outer = tempfile::tempdir().unwrap();
    let roots: Vec<_> = ["one", "two"].iter().map(|name| outer.path().join(name)).collect();
    for root in &roots {
        fs::create_dir(root).unwrap();
    }
    let files = FilesConfig { roots: roots.clone(), ..FilesConfig::default() };
    let tools = builtin_tools(&BuiltinConfig { files, ..BuiltinConfig::default() }).unwrap();
    let write = tools.iter().find(|tool| tool.definition.name == "write_to_file").unwrap();
    let path = roots[1].join("sub/a.txt").display().to_string();
    let arguments = json!({"path": path, "content": "x"}).to_string();
    let done =
        futures_util::future::FutureExt::now_or_never(std::sync::Arc::clone(&write.function).call(arguments));
    let done = done.expect("without a runtime the work is done at once").unwrap();
    says(&done.text, &[&path]);
    assert_eq!(fs::read_to_string(&path).unwrap(), "x");
}

#[test]
fn a_whole_number_is_one_however_it_is_written() {
    let desk = Desk::new();
    desk.put("a.txt", "one\ntwo\n");
    assert_eq!(desk.ok("read_file", json!({"path": "a.txt", "start_line": 2.0})), "two\n");
    assert_eq!(desk.ok("read_file", json!({"path": "a.txt", "end_line": 1e0})), "one\n");
}

#[test]
fn an_edited_file_runs_with_nobody_elses_rights() {
    let desk = Desk::new();
    desk.put("run", "q");
    fs::set_permissions(desk.root().join("run"), fs::Permissions::from_mode(0o6755)).unwrap();
    desk.ok("edit_file", json!({"path": "run", "old_text": "q", "new_text": "w"}));
    assert_eq!(fs::metadata(desk.root().join("run")).unwrap().permissions().mode() & 0o7777, 0o755);
}

/// Somebody renames the file and puts another in its place, again and again: a call never takes the renamed
/// one for the one it was given.
#[test]
fn a_file_that_is_replaced_meanwhile_keeps_its_name() {
    let desk = Desk::new();
    desk.put("w", "v").put("w.bak", "old");
    let (file, backup) = (desk.root().join("w"), desk.root().join("w.bak"));
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                let _ = fs::rename(&file, &backup);
                let _ = fs::write(&file, "n");
            }
        });
        let said: Vec<String> = (0..400)
            .map(|_| desk.call("write_to_file", json!({"path": "w", "content": "model"})))
            .filter_map(|result| result.ok().map(|output| output.text))
            .filter(|text| text.contains("w.bak") || text.contains("(deleted)"))
            .collect();
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(said.is_empty(), "{said:?}");
    });
    assert!(!desk.root().join("w (deleted)").exists());
}
