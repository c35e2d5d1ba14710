//! What holds for every file, every edit and every interleaving.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot prepare itself stops")]

use crate::files_support;

use std::os::unix::fs::MetadataExt;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use files_support::Desk;
use futures_util::FutureExt;
use proptest::prelude::*;
use serde_json::json;
use tokio_util::sync::CancellationToken;
use toolwright_builtin_tools::{BuiltinConfig, FilesConfig, builtin_tools};
use toolwright_executor::{Call, ErrorCode, ToolExecutor, ToolRegistry};

/// Lines of a file with one kind of line ending, with repeated words so that matches are not always unique.
fn file() -> impl Strategy<Value = (String, &'static str)> {
    let line = prop_oneof!["[a-c]{0,4}", "[ \t]{0,3}x", "ä[aä]{0,2}😀?", Just(String::new())];
    (prop::collection::vec(line, 1..12), prop_oneof![Just("\n"), Just("\r\n")], any::<bool>()).prop_map(
        |(lines, ending, last)| {
            let mut text = lines.join(ending);
            if last {
                text.push_str(ending);
            }
            (text, ending)
        },
    )
}

fn slice(text: &str, from: prop::sample::Index, to: prop::sample::Index) -> String {
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let (one, other) = (from.get(&places), to.get(&places));
    let cut = &text[*one.min(other)..*one.max(other)];
    // Half of a line ending is not what a model sends.
    cut.trim_start_matches('\n').trim_end_matches('\r').to_owned()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    /// An edit and its reverse give the same bytes; an edit that is refused changes nothing.
    #[test]
    fn an_edit_and_its_reverse_restore_the_bytes(
        (text, ending) in file(),
        from in any::<prop::sample::Index>(),
        to in any::<prop::sample::Index>(),
        new in "[a-dx\n]{0,6}",
    ) {
        let old = slice(&text, from, to);
        let new = new.replace('\n', ending);
        let desk = Desk::new();
        desk.put("a.txt", &text);
        let edit = desk.call("edit_file", json!({"path": "a.txt", "old_text": old, "new_text": new}));
        if edit.is_err() {
            prop_assert_eq!(desk.get("a.txt"), text);
            return Ok(());
        }
        prop_assert!(text.matches(old.as_str()).count() == 1);
        prop_assert_eq!(desk.get("a.txt"), text.replacen(&old, &new, 1));
        let changed = desk.get("a.txt");
        let back = desk.call("edit_file", json!({"path": "a.txt", "old_text": new, "new_text": old}));
        match back {
            Ok(_) => prop_assert_eq!(desk.get("a.txt"), text),
            Err(_) => prop_assert_eq!(desk.get("a.txt"), changed),
        }
        prop_assert_eq!(desk.everything().len(), 2, "a temporary file was left");
    }

    /// A diff made from two texts turns the one into the other, byte for byte.
    #[test]
    fn a_diff_of_two_texts_turns_one_into_the_other(
        (old, ending) in file(),
        at in any::<prop::sample::Index>(),
        gone in 0usize..3,
        added in prop::collection::vec("[a-d -+@]{0,4}", 0..3),
    ) {
        let lines: Vec<&str> = old.split_inclusive('\n').collect();
        prop_assume!(!lines.is_empty());
        let start = at.index(lines.len());
        let end = (start + gone).min(lines.len());
        prop_assume!(end > start || !added.is_empty());
        // The last line without a newline would need the marker; it stays as it is here.
        prop_assume!(end < lines.len());
        // A single line without an end has no kind: what is added ends in a line feed.
        let ending = if old.contains('\n') { ending } else { "\n" };
        let body = |line: &str| line.trim_end_matches(['\r', '\n']).to_owned();
        let mut diff = format!("@@ -{},{} +{},{} @@\n", start + 1, end - start + 1, start + 1, added.len() + 1);
        for line in &lines[start..end] {
            diff.push_str(&format!("-{}\n", body(line)));
        }
        for line in &added {
            diff.push_str(&format!("+{line}\n"));
        }
        diff.push_str(&format!(" {}\n", body(lines[end])));
        let expected = lines[..start].concat()
            + &added.iter().map(|line| format!("{line}{ending}")).collect::<String>()
            + &lines[end..].concat();
        let desk = Desk::new();
        desk.put("a.txt", &old);
        desk.ok("apply_diff", json!({"path": "a.txt", "diff": diff}));
        prop_assert_eq!(desk.get("a.txt"), expected, "{}", diff);
    }
}

#[test]
fn edits_at_the_same_time_lose_nothing() {
    const CALLS: usize = 40;
    let desk = Desk::new();
    desk.put("a.txt", (0..CALLS).map(|n| format!("<{n}>\n")).collect::<String>());
    let function = &desk.tool("edit_file").function;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    runtime.block_on(async {
        let calls: Vec<_> = (0..CALLS)
            .map(|n| {
                let arguments =
                    json!({"path": "a.txt", "old_text": format!("<{n}>"), "new_text": format!("[{n}]")});
                tokio::spawn(Arc::clone(function).call(arguments.to_string()))
            })
            .collect();
        for call in calls {
            call.await.unwrap().unwrap();
        }
    });
    assert_eq!(desk.get("a.txt"), (0..CALLS).map(|n| format!("[{n}]\n")).collect::<String>());
}

#[test]
fn a_dropped_call_leaves_a_whole_file_and_nothing_beside_it() {
    let desk = Desk::new();
    let old = "old\n".repeat(200_000);
    let new = "new\n".repeat(200_000);
    desk.put("a.txt", &old);
    let function = &desk.tool("write_to_file").function;
    for wait_us in [0, 50, 200, 1000, 3000, 10_000] {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_time().build().unwrap();
        let call = Arc::clone(function).call(json!({"path": "a.txt", "content": new}).to_string());
        runtime.block_on(async {
            let _ = tokio::time::timeout(std::time::Duration::from_micros(wait_us), call).await;
        });
        // Dropping the runtime waits for the blocking thread.
        drop(runtime);
        let now = desk.get("a.txt");
        assert!(now == old || now == new, "half a file after {wait_us} µs");
        assert_eq!(desk.everything().len(), 2, "after {wait_us} µs");
    }
}

#[test]
fn a_cancelled_call_has_changed_nothing_and_any_other_everything() {
    let desk = Desk::new();
    let registry = ToolRegistry::new();
    let files = FilesConfig { roots: vec![desk.root()], ..FilesConfig::default() };
    for tool in builtin_tools(&BuiltinConfig { files, ..BuiltinConfig::default() }).unwrap() {
        registry.register(tool.definition, tool.function).unwrap();
    }
    let executor = ToolExecutor::new(Arc::new(registry));
    let (mut cancelled, mut done) = (0, 0);
    for round in 0..400u64 {
        let new = format!("{round}\n").repeat(20_000);
        desk.put("a.txt", "old").put("b.txt", "old");
        let steps = json!([
            {"action": "write", "path": "a.txt", "content": new},
            {"action": "write", "path": "b.txt", "content": new}
        ]);
        let arguments = json!({"pipeline_json": steps.to_string()}).to_string();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let outcome = runtime.block_on(async {
            let stop = CancellationToken::new();
            let call = executor.execute(Call::new("batch_operations", arguments).cancelled_by(stop.clone()));
            let (outcome, ()) = tokio::join!(call, async {
                tokio::time::sleep(std::time::Duration::from_micros(round * 50)).await;
                stop.cancel();
            });
            outcome
        });
        // Dropping the runtime waits for the blocking thread.
        drop(runtime);
        let expected = match outcome.result {
            Ok(_) => new.as_str(),
            Err(error) => {
                assert_eq!(error.code, ErrorCode::Cancelled, "{error:?}");
                "old"
            }
        };
        assert!(desk.get("a.txt") == expected && desk.get("b.txt") == expected, "round {round}");
        if expected == "old" {
            cancelled += 1
        } else {
            done += 1
        }
        if cancelled > 20 && done > 20 {
            break;
        }
    }
    assert!(cancelled > 0, "{cancelled} cancelled, {done} done");
}

/// The folder that [`a_process_that_is_killed`] writes to, when this process is that one.
const KILLED: &str = "TOOLWRIGHT_TEST_KILLED_IN";

fn whole(letter: char) -> String {
    String::from(letter).repeat(500_000)
}

/// Not a test of its own: the process that the next one kills.
#[test]
fn a_process_that_is_killed() {
    let Some(root) = std::env::var_os(KILLED) else { return };
    let files = FilesConfig { roots: vec![root.into()], ..FilesConfig::default() };
    let tools = builtin_tools(&BuiltinConfig { files, ..BuiltinConfig::default() }).unwrap();
    let batch = tools.iter().find(|tool| tool.definition.name == "batch_operations").unwrap();
    let write = tools.iter().find(|tool| tool.definition.name == "write_to_file").unwrap();
    for round in 0.. {
        let content = whole(if round % 2 == 0 { 'a' } else { 'b' });
        let one = json!({"path": "one.txt", "content": content});
        let steps = json!({"steps": [
            {"action": "write", "path": "two.txt", "content": content},
            {"action": "write", "path": "three.txt", "content": content}
        ]});
        // Without a runtime the work is done at once.
        Arc::clone(&write.function).call(one.to_string()).now_or_never().unwrap().unwrap();
        let arguments = json!({"pipeline_json": steps.to_string()}).to_string();
        Arc::clone(&batch.function).call(arguments).now_or_never().unwrap().unwrap();
    }
}

#[test]
fn a_killed_process_leaves_whole_files_and_whole_batches() {
    let desk = Desk::new();
    for name in ["one.txt", "two.txt", "three.txt"] {
        desk.put(name, whole('a'));
    }
    let inode = || std::fs::metadata(desk.root().join("one.txt")).unwrap().ino();
    let mut written = 0;
    for round in 0..15u64 {
        let before = inode();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "files_laws::a_process_that_is_killed"])
            .env(KILLED, desk.root())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        // However slow the machine is, the process is at work when it is killed.
        let deadline = Instant::now() + Duration::from_secs(20);
        while inode() == before && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
        written += usize::from(inode() != before);
        std::thread::sleep(Duration::from_millis(round * 7));
        child.kill().unwrap();
        child.wait().unwrap();
        // The next start clears up behind it.
        let files = FilesConfig { roots: vec![desk.root()], ..FilesConfig::default() };
        builtin_tools(&BuiltinConfig { files, ..BuiltinConfig::default() }).unwrap();
        assert_eq!(desk.everything().len(), 4, "left behind in round {round}");
        assert!(desk.get("two.txt") == desk.get("three.txt"), "half a batch in round {round}");
        for name in ["one.txt", "two.txt", "three.txt"] {
            let now = desk.get(name);
            assert!(now == whole('a') || now == whole('b'), "half of {name} in round {round}");
        }
    }
    assert!(written > 5, "in only {written} rounds the process had written before it was killed");
}

#[test]
fn a_living_process_is_not_disturbed_by_others_that_start() {
    let desk = Desk::new();
    for name in ["one.txt", "two.txt", "three.txt"] {
        desk.put(name, whole('a'));
    }
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "files_laws::a_process_that_is_killed"])
        .env(KILLED, desk.root())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let steps = json!([
        {"action": "write", "path": "mine.txt", "content": "1"},
        {"action": "write", "path": "other.txt", "content": "2"},
        {"action": "delete", "path": "other.txt"}
    ]);
    let since = std::time::Instant::now();
    while since.elapsed() < std::time::Duration::from_secs(1) {
        // Each start looks for what a dead process has left, each call writes in the same folder.
        let files = FilesConfig { roots: vec![desk.root()], ..FilesConfig::default() };
        let tools = builtin_tools(&BuiltinConfig { files, ..BuiltinConfig::default() }).unwrap();
        let batch = tools.iter().find(|tool| tool.definition.name == "batch_operations").unwrap();
        let arguments = json!({"pipeline_json": steps.to_string()}).to_string();
        Arc::clone(&batch.function).call(arguments).now_or_never().unwrap().unwrap();
    }
    // It ends by itself only when one of its calls fails.
    assert!(child.try_wait().unwrap().is_none(), "a call of the other process failed");
    child.kill().unwrap();
    child.wait().unwrap();
}
