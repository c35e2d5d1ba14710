//! Walking through folders: what is left out is said, and nothing else is left out.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot prepare itself stops")]

use crate::files_support;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::sync::Arc;

use files_support::{Desk, says};
use futures_util::FutureExt;
use serde_json::json;
use toolwright_builtin_tools::{BuiltinConfig, FilesConfig, FilesLimits, builtin_tools};

#[test]
fn only_the_folders_that_are_too_deep_are_left_out() {
    let desk = Desk::new();
    desk.put(&format!("a/{}deep.txt", "d/".repeat(70)), "needle\n");
    desk.put(&format!("b/{}deep.txt", "d/".repeat(70)), "needle\n").put("z.txt", "needle\n");
    let left_out = "folders deeper than 64 were left out (max_depth)";
    let found = desk.ok("search_files", json!({"pattern": "needle"}));
    assert_eq!(found, format!("1 line in 1 file.\nz.txt:1: needle\n[{left_out}]"));
    let listed = desk.json("list_directory", json!({"recursive": true}));
    let entries = listed["entries"].as_array().unwrap();
    assert_eq!(entries.last().unwrap()["path"], "z.txt");
    assert_eq!((entries.len(), &listed["left_out"]), (2 * 64 + 1, &json!(left_out)));
}

#[test]
fn what_was_looked_at_is_listed_and_the_rest_is_said_to_be_left_out() {
    let desk = Desk::with_limits(FilesLimits { max_visited: 3, ..FilesLimits::default() });
    desk.put("a/b/c.txt", "").put("d/e.txt", "").put("f.txt", "");
    let listed = desk.json("list_directory", json!({"recursive": true}));
    assert_eq!(listed["left_out"], "only 3 files and folders were looked at (max_visited)");
    assert_eq!(listed["entries"].as_array().unwrap().len(), 3);
    let desk = Desk::with_limits(FilesLimits { max_visited: 0, ..FilesLimits::default() });
    desk.put("a.txt", "");
    says(&desk.ok("list_directory", json!({})), &["Nothing in . can be listed.\n[only 0 files"]);
}

/// The folder that [`a_process_of_somebody_else`] works in, when this process is that one.
const SOMEBODY_ELSE: &str = "TOOLWRIGHT_TEST_WALK_OF_SOMEBODY_ELSE_IN";

/// Not a test of its own: the process that the next one starts as another user.
#[test]
fn a_process_of_somebody_else() {
    let Some(root) = std::env::var_os(SOMEBODY_ELSE) else { return };
    let files = FilesConfig { roots: vec![root.into()], ..FilesConfig::default() };
    let tools = builtin_tools(&BuiltinConfig { files, ..BuiltinConfig::default() }).unwrap();
    let call = |tool: &str, arguments: serde_json::Value| {
        let tool = tools.iter().find(|known| known.definition.name == tool).unwrap();
        let function = Arc::clone(&tool.function);
        function.call(arguments.to_string()).now_or_never().unwrap()
    };
    for (tool, arguments) in [
        ("list_directory", json!({"path": "closed"})),
        ("search_files", json!({"path": "closed", "pattern": "x"})),
        ("list_directory", json!({"path": "names"})),
    ] {
        let failure = call(tool, arguments).unwrap_err().to_string();
        says(&failure, &["cannot read the folder \"", "permission denied"]);
    }
    let listed = call("list_directory", json!({"recursive": true})).unwrap().text;
    assert_eq!(listed, "closed/\nnames/\n[2 files or folders could not be read]");
}

#[test]
fn a_folder_that_cannot_be_read_is_not_an_empty_one() {
    let folder = tempfile::tempdir().unwrap();
    if fs::metadata(folder.path()).unwrap().uid() != 0 {
        return; // Only root can make a folder of another user.
    }
    let mode = |path: &str, mode: u32| {
        fs::set_permissions(folder.path().join(path), fs::Permissions::from_mode(mode)).unwrap();
    };
    for name in ["closed", "names"] {
        fs::create_dir(folder.path().join(name)).unwrap();
    }
    for name in ["closed/a.txt", "names/a.txt", "names/b.txt"] {
        fs::write(folder.path().join(name), "x").unwrap();
    }
    mode("", 0o755);
    mode("closed", 0o700);
    mode("names", 0o744);
    let done = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "files_walk::a_process_of_somebody_else"])
        .env(SOMEBODY_ELSE, folder.path())
        .uid(65534)
        .gid(65534)
        .output();
    // The test program itself may lie where that user cannot go.
    if let Ok(done) = done {
        let said = String::from_utf8_lossy(&done.stdout);
        assert!(done.status.success() && said.contains("1 passed"), "{said}");
    }
}

#[test]
fn a_name_that_is_no_text_is_marked() {
    let desk = Desk::new();
    fs::write(desk.root().join(OsStr::from_bytes(b"caf\xe9.txt")), "x").unwrap();
    desk.put("plain.txt", "x");
    let listed = desk.ok("list_directory", json!({}));
    let mark = "(the name is not readable as text and cannot be used in a call)";
    assert_eq!(listed, format!("caf\u{fffd}.txt  1 byte  {mark}\nplain.txt  1 byte"));
    let entries = &desk.json("list_directory", json!({}))["entries"];
    assert_eq!((&entries[0]["exact"], entries[1].get("exact")), (&json!(false), None));
}

#[test]
fn a_backslash_beside_what_is_written_out_is_written_out_too() {
    let desk = Desk::new();
    desk.put("a\\nb", "").put("a\\n\nb", "");
    assert_eq!(desk.ok("list_directory", json!({})), "a\\\\n\\nb  0 bytes\na\\nb  0 bytes");
}

#[test]
fn include_is_compared_from_where_the_search_begins_and_from_the_root() {
    let desk = Desk::new();
    desk.put("src/a/b.rs", "needle\n").put("src/c.txt", "needle\n");
    for include in ["a/*.rs", "src/a/*.rs", "*.rs"] {
        let sent = json!({"path": "src", "pattern": "needle", "include": include});
        assert_eq!(desk.ok("search_files", sent), "1 line in 1 file.\nsrc/a/b.rs:1: needle", "{include}");
    }
    let one = |include: &str| json!({"path": "src/c.txt", "pattern": "needle", "include": include});
    says(&desk.no("search_files", one("*.rs")), &["path is the file \"src/c.txt\"", "Leave include out"]);
    says(&desk.ok("search_files", one("*.txt")), &["1 line"]);
}

#[test]
fn a_pattern_over_several_lines_is_said_to_find_nothing() {
    let desk = Desk::new();
    desk.put("a.txt", "one\ntwo\n");
    let search = |pattern: &str| desk.ok("search_files", json!({"pattern": pattern, "regex": true}));
    says(&search("one\\ntwo"), &["No line holds", "matched within one line"]);
    says(&search("^[^\\n]*wo$"), &["1 line in 1 file."]);
    assert!(!search("none").contains("within one line"));
}

#[test]
fn too_much_to_read_is_told_by_the_lines_that_were_asked_for() {
    let desk = Desk::with_limits(FilesLimits { max_read_bytes: 100, ..FilesLimits::default() });
    desk.put("a.txt", format!("short\n{}\n{}", "x".repeat(200), "line\n".repeat(50)));
    let read = |start: usize, end: usize| {
        desk.no("read_file", json!({"path": "a.txt", "start_line": start, "end_line": end}))
    };
    let one = read(2, 2);
    says(&one, &["line 2 of \"a.txt\" alone has 201 bytes", "search_files"]);
    assert!(!one.contains("end_line"), "{one}");
    says(&read(3, 40), &["lines 3 to 40 of \"a.txt\" have 190 bytes", "fewer lines"]);
    desk.put("b.txt", "x".repeat(200));
    says(&desk.no("read_file", json!({"path": "b.txt"})), &["line 1 of \"b.txt\" alone has 200 bytes"]);
    let huge = r#"{"path": "a.txt", "start_line": 1e300}"#;
    let huge: serde_json::Value = serde_json::from_str(huge).unwrap();
    says(
        &desk.no("read_file", huge),
        &["start_line is 9000000000000000 or more, but \"a.txt\" has 52 lines"],
    );
}
