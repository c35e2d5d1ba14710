//! Calls that the files tools refuse for what they mean: a folder for a file, half a character, a file of others.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot prepare itself stops")]

use crate::files_support;

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::sync::Arc;

use files_support::{Desk, says};
use futures_util::FutureExt;
use serde_json::json;
use toolwright_builtin_tools::{BuiltinConfig, FilesConfig, builtin_tools};
use toolwright_executor::ToolFailure;

#[test]
fn a_path_with_a_slash_at_its_end_is_not_taken_for_a_file() {
    let desk = Desk::new();
    desk.put("a.txt", "a").put("sub/b.txt", "b");
    let before = desk.everything();
    for path in ["new/", "sub/", "a.txt/", "new//"] {
        for (tool, arguments) in [
            ("write_to_file", json!({"path": path, "content": "x"})),
            ("edit_file", json!({"path": path, "old_text": "a", "new_text": "x"})),
            ("delete_file", json!({"path": path})),
            ("read_file", json!({"path": path})),
        ] {
            let refused = desk.call(tool, arguments).unwrap_err();
            assert!(matches!(refused, ToolFailure::InvalidArguments { .. }), "{tool} {path}: {refused}");
            says(&refused.to_string(), &["ends with a slash", "names a folder", "/NAME"]);
        }
    }
    let steps = json!([{"action": "move", "path": "a.txt", "to": "new/"}]).to_string();
    says(&desk.no("batch_operations", json!({"pipeline_json": steps})), &["ends with a slash"]);
    assert!(desk.everything() == before);
    assert_eq!(desk.json("list_directory", json!({"path": "sub/"}))["entries"][0]["path"], "sub/b.txt");
}

#[test]
fn half_a_character_is_named_with_its_parameter() {
    let desk = Desk::new();
    let call = |tool: &str, arguments: &str| {
        let function = Arc::clone(&desk.tool(tool).function);
        match function.call(arguments.to_owned()).now_or_never().unwrap() {
            Err(ToolFailure::InvalidArguments { message }) => message,
            other => panic!("{other:?}"),
        }
    };
    for half in ["\\ud800", "\\uDC00", "\\ud800\\u0041", "\\ud800\\ud83d\\ude00"] {
        let arguments = format!(r#"{{"path": "\\\\ud800 \\ud83d\\ude00", "content": "x{half}"}}"#);
        says(
            &call("write_to_file", &arguments),
            &["\"content\" holds", &half[..6], "half of a surrogate pair", "leave it out"],
        );
    }
    says(&call("read_file", r#"{"\ud800": 1}"#), &["a name holds \\ud800"]);
    let payload = json!({"pipeline_json": r#"[{"action": "read", "path": "\ud800"}]"#}).to_string();
    says(&call("batch_operations", &payload), &["pipeline_json holds \\ud800", "half of a surrogate pair"]);
}

/// The folder that [`a_process_of_somebody_else`] works in, when this process is that one.
const SOMEBODY_ELSE: &str = "TOOLWRIGHT_TEST_SOMEBODY_ELSE_IN";

/// Not a test of its own: the process that the next one starts as another user.
#[test]
fn a_process_of_somebody_else() {
    let Some(root) = std::env::var_os(SOMEBODY_ELSE) else { return };
    let files = FilesConfig { roots: vec![root.clone().into()], ..FilesConfig::default() };
    let tools = builtin_tools(&BuiltinConfig { files, ..BuiltinConfig::default() }).unwrap();
    let call = |tool: &str, arguments: serde_json::Value| {
        let tool = tools.iter().find(|known| known.definition.name == tool).unwrap();
        let function = Arc::clone(&tool.function);
        function.call(arguments.to_string()).now_or_never().unwrap()
    };
    let write = |force: bool| json!({"path": "theirs.txt", "content": "new", "force": force});
    says(&call("write_to_file", write(false)).unwrap_err().to_string(), &["is read-only", "force"]);
    says(&call("delete_file", json!({"path": "theirs.txt"})).unwrap_err().to_string(), &["is read-only"]);
    let ours = |permanent: bool| json!({"path": "open/ours.txt", "permanent": permanent});
    call("write_to_file", json!({"path": "open/ours.txt", "content": "x"})).unwrap();
    let refused = call("delete_file", ours(false)).unwrap_err().to_string();
    says(&refused, &["to the trash", ".toolwright-trash", "cannot be written to", "\"permanent\": true"]);
    call("delete_file", ours(true)).unwrap();
    call("write_to_file", write(true)).unwrap();
    assert_eq!(fs::read_to_string(std::path::Path::new(&root).join("theirs.txt")).unwrap(), "new");
}

#[test]
fn a_file_that_the_process_may_not_write_is_read_only() {
    let folder = tempfile::tempdir().unwrap();
    if fs::metadata(folder.path()).unwrap().uid() != 0 {
        return; // Only root can make a file of another user.
    }
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
    fs::write(folder.path().join("theirs.txt"), "old").unwrap();
    for (name, mode) in [("open", 0o777), (".toolwright-trash", 0o755)] {
        fs::create_dir(folder.path().join(name)).unwrap();
        fs::set_permissions(folder.path().join(name), fs::Permissions::from_mode(mode)).unwrap();
    }
    let done = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "files_refusals::a_process_of_somebody_else"])
        .env(SOMEBODY_ELSE, folder.path())
        .uid(65534)
        .output();
    // The test program itself may lie where that user cannot go.
    if let Ok(done) = done {
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
        assert_eq!(fs::read_to_string(folder.path().join("theirs.txt")).unwrap(), "new");
    }
}
