//! What is kept out of the reach of the files tools: no tool reads, finds or changes it, under no name.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot prepare itself stops")]

use crate::files_support;

use std::fs;
use std::os::unix::fs::symlink;

use files_support::{Desk, says};
use serde_json::{Value, json};

const WHY: &str = "it is a file of the gateway itself";

fn batch(steps: Value) -> Value {
    json!({"pipeline_json": json!({"steps": steps}).to_string()})
}

/// A root with a configuration and a state folder that are kept out, and a file of the user.
fn desk() -> Desk {
    let desk = Desk::keeping_out(&["toolwright.json", "home/state/toolwright"]);
    desk.put("toolwright.json", "secret 1\n").put("notes.md", "secret 0\n");
    desk.put("home/state/toolwright/token", "secret 2\n").put("home/state/other", "secret 3\n");
    desk.put("home/state/toolwright/logins/a.json", "secret 4\n");
    desk
}

/// Every way to use a path that names a file.
fn uses(path: &str) -> Vec<(&'static str, Value)> {
    let edits = json!([{"old_text": "secret", "new_text": "x"}]).to_string();
    let diff = "@@ -1 +1 @@\n-secret 1\n+x\n";
    let mut uses = vec![
        ("read_file", json!({"path": path})),
        ("search_files", json!({"path": path, "pattern": "secret"})),
        ("write_to_file", json!({"path": path, "content": "{}"})),
        ("write_to_file", json!({"path": path, "content": "{}", "force": true})),
        ("write_to_file", json!({"path": path, "content": "{}", "dry_run": true})),
        ("edit_file", json!({"path": path, "old_text": "secret", "new_text": "x"})),
        ("multi_edit", json!({"path": path, "edits_json": edits})),
        ("apply_diff", json!({"path": path, "diff": diff})),
        ("delete_file", json!({"path": path})),
        ("delete_file", json!({"path": path, "permanent": true, "force": true})),
    ];
    let steps = [
        json!({"action": "read", "path": path}),
        json!({"action": "search", "path": path, "pattern": "secret"}),
        json!({"action": "write", "path": path, "content": "{}", "force": true}),
        json!({"action": "delete", "path": path, "force": true}),
        json!({"action": "move", "path": path, "to": "b.txt", "force": true}),
        json!({"action": "copy", "path": path, "to": "b.txt", "force": true}),
        json!({"action": "move", "path": "notes.md", "to": path, "force": true}),
        json!({"action": "copy", "path": "notes.md", "to": path, "force": true}),
    ];
    uses.extend(steps.map(|step| ("batch_operations", batch(json!([step])))));
    uses
}

/// No tool takes the path, and nothing changes.
#[track_caller]
fn is_refused(desk: &Desk, path: &str) {
    let before = desk.everything();
    for (tool, arguments) in uses(path) {
        let said = desk.no(tool, arguments.clone());
        assert!(said.contains(WHY) && said.contains("Use another file"), "{tool} {arguments}: {said}");
        assert!(!said.contains("secret "), "{said}");
    }
    assert_eq!(desk.everything(), before);
}

#[test]
fn no_tool_takes_a_kept_out_file_by_its_name() {
    let desk = desk();
    let absolute = desk.root().join("toolwright.json").display().to_string();
    for path in ["toolwright.json", "./toolwright.json", "home/../toolwright.json", &absolute] {
        is_refused(&desk, path);
    }
    for path in ["home/state/toolwright/token", "home/state/toolwright/logins/a.json"] {
        is_refused(&desk, path);
    }
}

#[test]
fn what_is_not_there_yet_is_not_made() {
    let desk = Desk::keeping_out(&["toolwright.json", "home/.config/toolwright"]);
    desk.put("notes.md", "secret 0\n");
    for path in ["toolwright.json", "Toolwright.JSON", "toolwright.json/x", "home/.config/toolwright/x.json"]
    {
        is_refused(&desk, path);
    }
    // A file or link where a folder on its path would be leads elsewhere.
    fs::create_dir_all(desk.root().join("trap/.config/toolwright")).unwrap();
    symlink("trap", desk.root().join("link")).unwrap();
    for to in ["home", "home/.config"] {
        let step = json!([{"action": "move", "path": "link", "to": to}]);
        says(&desk.no("batch_operations", batch(step)), &["on the path to a file of the gateway itself"]);
        let said = desk.no("write_to_file", json!({"path": to, "content": ""}));
        says(&said, &["on the path to a file of the gateway itself", "Use another name"]);
    }
    desk.ok("write_to_file", json!({"path": "home/.config/other/x.json", "content": ""}));
    desk.ok("write_to_file", json!({"path": "toolwright.json.md", "content": ""}));
}

#[test]
fn links_to_it_are_the_same() {
    let desk = desk();
    symlink("toolwright.json", desk.root().join("file")).unwrap();
    symlink(desk.root().join("home/state/toolwright"), desk.root().join("folder")).unwrap();
    symlink("home/state", desk.root().join("above")).unwrap();
    for path in ["folder/token", "folder/new", "above/toolwright/token"] {
        is_refused(&desk, path);
    }
    for tool in ["read_file", "edit_file", "write_to_file"] {
        let mut uses = uses("file").into_iter().filter(|(name, _)| *name == tool);
        says(&desk.no(tool, uses.next().unwrap().1), &[WHY]);
    }
    says(&desk.no("list_directory", json!({"path": "folder"})), &[WHY]);
    says(&desk.no("search_files", json!({"path": "folder", "pattern": "secret"})), &[WHY]);
    // The link itself is a file of the user.
    desk.ok("delete_file", json!({"path": "file", "permanent": true}));
    assert_eq!(desk.get("toolwright.json"), "secret 1\n");
}

#[test]
fn hard_links_to_it_are_the_same() {
    let desk = desk();
    fs::hard_link(desk.root().join("toolwright.json"), desk.root().join("one")).unwrap();
    fs::hard_link(desk.root().join("home/state/toolwright/logins/a.json"), desk.root().join("two")).unwrap();
    is_refused(&desk, "one");
    is_refused(&desk, "two");
    let found = desk.json("search_files", json!({"pattern": "secret"}));
    assert_eq!(found["lines"], 2, "{found}");
}

#[test]
fn a_configuration_that_is_a_link_keeps_what_it_leads_to_out() {
    let desk = desk();
    fs::remove_file(desk.root().join("toolwright.json")).unwrap();
    symlink("one", desk.root().join("toolwright.json")).unwrap();
    symlink("dots/two.json", desk.root().join("one")).unwrap();
    // It leads nowhere yet.
    is_refused(&desk, "dots/two.json");
    desk.put("dots/two.json", "secret 5\n");
    is_refused(&desk, "dots/two.json");
    says(&desk.no("delete_file", json!({"path": "toolwright.json"})), &[WHY]);
    says(&desk.no("delete_file", json!({"path": "one"})), &["on the path to"]);
}

#[test]
fn folders_that_hold_it_stay_where_they_are() {
    let desk = desk();
    fs::create_dir(desk.root().join("real")).unwrap();
    fs::rename(desk.root().join("home/state"), desk.root().join("real/state")).unwrap();
    symlink("../real/state", desk.root().join("home/state")).unwrap();
    let before = desk.everything();
    for path in ["home", "home/state", "real/state", "real/state/toolwright"] {
        desk.no("delete_file", json!({"path": path, "force": true}));
        desk.no("write_to_file", json!({"path": path, "content": "", "force": true}));
        for (from, to) in [(path, "elsewhere"), ("notes.md", path)] {
            let step = json!([{"action": "move", "path": from, "to": to, "force": true}]);
            desk.no("batch_operations", batch(step));
        }
    }
    assert_eq!(desk.everything(), before);
    is_refused(&desk, "home/state/toolwright/token");
    is_refused(&desk, "real/state/toolwright/token");
}

#[test]
fn a_batch_does_not_come_by_it_in_steps() {
    let desk = desk();
    symlink("home/state/toolwright", desk.root().join("link")).unwrap();
    let before = desk.everything();
    let ways = [
        json!([{"action": "write", "path": "a", "content": "{}"}, {"action": "move", "path": "a", "to": "toolwright.json", "force": true}]),
        json!([{"action": "move", "path": "link", "to": "x"}, {"action": "read", "path": "x/token"}]),
        json!([{"action": "move", "path": "home/state/toolwright/token", "to": "x"}, {"action": "read", "path": "x"}]),
    ];
    for steps in ways {
        desk.no("batch_operations", batch(steps));
        assert_eq!(desk.everything(), before);
    }
}

#[test]
fn lists_and_searches_leave_it_out() {
    let desk = desk();
    let listed = desk.json("list_directory", json!({"recursive": true}));
    let paths: Vec<_> = listed["entries"].as_array().unwrap().iter().map(|entry| &entry["path"]).collect();
    assert_eq!(paths, ["home", "home/state", "home/state/other", "notes.md"]);
    assert_eq!(listed["left_out"], "files of the gateway itself were left out");
    let found = desk.json("search_files", json!({"pattern": "secret"}));
    assert_eq!((&found["lines"], &found["files"]), (&json!(2), &json!(2)));
    for path in ["home/state/toolwright", "home/state/toolwright/logins"] {
        says(&desk.no("list_directory", json!({"path": path})), &[WHY]);
        says(&desk.no("search_files", json!({"path": path, "pattern": "secret"})), &[WHY]);
    }
    says(&desk.no("list_directory", json!({"path": "toolwright.json"})), &[WHY]);
}

#[test]
fn the_user_s_own_files_are_as_before() {
    let desk = desk();
    assert_eq!(desk.ok("read_file", json!({"path": "home/state/other"})), "secret 3\n");
    desk.ok("write_to_file", json!({"path": "home/state/toolwright2/token", "content": "mine"}));
    desk.ok("delete_file", json!({"path": "notes.md"}));
}
