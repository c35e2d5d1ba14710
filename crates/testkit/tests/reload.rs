//! A new configuration under load: no call is lost, no child is left, and a bad file changes nothing (Q24).
#![cfg(target_os = "linux")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use toolwright_backend::reload::{self, Reloaded};
use toolwright_backend::{ServerOptions, Servers, offer};
use toolwright_config::{Configuration, parse};
use toolwright_executor::{Call, CallOutcome, ToolExecutor, ToolRegistry};
use toolwright_jsonrpc::Json;
use toolwright_mcp::{Identity, NoHost, PeerOptions};
use toolwright_toolbox::Policy;

const SWITCH: &str = env!("CARGO_BIN_EXE_switch-server");
const HOSTILE: &str = env!("CARGO_BIN_EXE_hostile-server");
const PATIENCE: Duration = Duration::from_secs(60);
const CALL: &str = r#"{"deviceName":"Lamp","action":"on"}"#;

fn options(is_lazy: bool) -> ServerOptions {
    ServerOptions {
        identity: Identity { client: Json::empty_object(), capabilities: Json::empty_object() },
        peer: PeerOptions::default(),
        policy: Policy { base_delay: Duration::from_millis(20), ..Policy::default() },
        host: Arc::new(NoHost),
        guardian: None,
        logins: None,
        timeout: Some(Duration::from_secs(60)),
        local_tools: Vec::new(),
        definitions: None,
        is_lazy,
    }
}

fn entry(program: &str, args: &[&str]) -> String {
    let args: Vec<String> = args.iter().map(|arg| format!("{arg:?}")).collect();
    format!(r#"{{"command": {program:?}, "args": [{}]}}"#, args.join(", "))
}

fn file(entries: &[(&str, String)]) -> String {
    let entries: Vec<String> = entries.iter().map(|(name, entry)| format!("{name:?}: {entry}")).collect();
    format!(r#"{{"mcpServers": {{{}}}}}"#, entries.join(", "))
}

fn configuration(text: &str) -> Configuration {
    let configuration = parse(text, Path::new("/toolwright.json"), &|_| None).expect("a configuration");
    assert!(configuration.problems.is_empty(), "{:?}", configuration.problems);
    configuration
}

fn started(text: &str, is_lazy: bool) -> (Arc<Servers>, Arc<ToolExecutor>) {
    let servers = Servers::start(&configuration(text), |_| true, &options(is_lazy));
    let registry = Arc::new(ToolRegistry::new());
    offer(&servers, &registry);
    (servers, Arc::new(ToolExecutor::new(registry)))
}

/// The processes that were started with this mark.
fn children(mark: &str) -> usize {
    let processes = std::fs::read_dir("/proc").expect("the processes");
    processes
        .filter_map(|entry| std::fs::read(entry.ok()?.path().join("cmdline")).ok())
        .filter(|line| line.split(|byte| *byte == 0).any(|word| word == mark.as_bytes()))
        .count()
}

async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "not in time: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn is_fine(outcome: &CallOutcome) -> bool {
    outcome.result.is_ok()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fifty_reloads_under_load_lose_no_call_and_leave_no_child() {
    let mark = format!("--mark=fifty-{}", std::process::id());
    // One changes each time, one stays, one comes and goes.
    let text = |round: usize| {
        let number = format!("--round={round}");
        let mut entries =
            vec![("changing", entry(SWITCH, &[&mark, &number])), ("steady", entry(SWITCH, &[&mark]))];
        if round.is_multiple_of(2) {
            entries.push(("fleeting", entry(SWITCH, &[&mark])));
        }
        file(&entries)
    };
    let folder = tempfile::tempdir().expect("a folder");
    let path: PathBuf = folder.path().join("toolwright.json");
    std::fs::write(&path, text(0)).expect("written");
    let (servers, executor) = started(&text(0), false);
    assert!(servers.settled(PATIENCE).await);
    let is_offered = |tool| executor.registry().get(tool).is_some();
    until("their tools", || {
        is_offered("changing/control_zwave_device") && is_offered("steady/control_zwave_device")
    })
    .await;
    let steady = servers.get("steady").expect("it").view().pid;
    let reloading = reload::watch(&path, &servers);
    let (over, calls) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let callers: Vec<_> = (0..8)
        .map(|caller| {
            let (executor, over, calls) = (Arc::clone(&executor), Arc::clone(&over), Arc::clone(&calls));
            tokio::spawn(async move {
                let tool = ["changing/control_zwave_device", "steady/control_zwave_device"][caller % 2];
                let mut failed = Vec::new();
                while !over.load(Ordering::Relaxed) {
                    let outcome = executor.execute(Call::new(tool, CALL)).await;
                    calls.fetch_add(1, Ordering::Relaxed);
                    if !is_fine(&outcome) {
                        failed.push(format!("{outcome:?}"));
                    }
                }
                failed
            })
        })
        .collect();
    for round in 1..=50 {
        if round % 10 == 5 {
            // Half written, then wrong, then with a mistake in a server that works.
            let good = text(round);
            std::fs::write(&path, &good[..good.len() / 2]).expect("written");
            assert!(matches!(reloading.now().await, Reloaded::Refused(_)));
            std::fs::write(&path, good.replacen("\"args\": [", "\"args\": \"x\", \"env\": [", 1))
                .expect("written");
            let Reloaded::Refused(why) = reloading.now().await else { panic!("it is wrong") };
            assert!(why.contains(":1:") && why.contains("= fix:") && why.contains("stays in force"), "{why}");
        }
        let before = calls.load(Ordering::Relaxed);
        // As editors do it.
        let other = folder.path().join("next");
        std::fs::write(&other, text(round)).expect("written");
        std::fs::rename(&other, &path).expect("renamed");
        let Reloaded::Applied(applied) = reloading.now().await else { panic!("it is right") };
        // The task may have been quicker than the question.
        assert!(applied.kept.contains(&"steady".to_owned()), "{applied:?}");
        until("calls go on", || calls.load(Ordering::Relaxed) > before + 8).await;
    }
    over.store(true, Ordering::Relaxed);
    for caller in callers {
        let failed = caller.await.expect("no panic");
        assert_eq!(failed, Vec::<String>::new());
    }
    assert_eq!(servers.get("steady").expect("it").view().pid, steady, "it was left alone");
    let round = servers.current().configuration.servers().count();
    assert_eq!(round, 3);
    assert!(servers.settled(PATIENCE).await);
    until("as many children as servers", || children(&mark) == 3).await;
    servers.stop().await;
    until("no child is left", || children(&mark) == 0).await;
    println!("{} calls", calls.load(Ordering::Relaxed));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_in_flight_comes_to_its_end_at_the_old_server() {
    let mark = format!("--mark=flight-{}", std::process::id());
    let text = |more: &str| file(&[("slow", entry(HOSTILE, &["--lists-habits", &mark, more]))]);
    let (servers, executor) = started(&text("--one"), false);
    assert!(servers.settled(PATIENCE).await);
    until("its tools are offered", || executor.registry().get("slow/heartbeat").is_some()).await;
    let old = servers.get("slow").expect("it").view().pid;
    let slow = {
        let executor = Arc::clone(&executor);
        tokio::spawn(async move {
            let arguments = r#"{"text":"done","beats":20,"every_ms":100}"#;
            executor.execute(Call::new("slow/heartbeat", arguments)).await
        })
    };
    until("the call is on its way", || servers.get("slow").expect("it").view().in_flight > 0).await;
    let applied = servers.apply(&configuration(&text("--two")));
    assert_eq!(applied.changed, ["slow"]);
    // The new one answers while the old one works.
    let quick = executor.execute(Call::new("slow/tracked", r#"{"text":"quick"}"#)).await;
    assert!(is_fine(&quick), "{quick:?}");
    assert!(!slow.is_finished());
    assert_ne!(servers.get("slow").expect("it").view().pid, old);
    let slow = slow.await.expect("no panic");
    assert!(is_fine(&slow), "{slow:?}");
    until("the old one is gone", || children(&mark) == 1).await;
    // A server that is removed finishes too, and its tools go.
    let applied = servers.apply(&configuration(r#"{"mcpServers": {}}"#));
    assert_eq!(applied.removed, ["slow"]);
    assert!(executor.registry().get("slow/tracked").is_none());
    until("nobody is left", || children(&mark) == 0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lazy_servers_begin_when_they_are_asked_for() {
    let mark = format!("--mark=lazy-{}", std::process::id());
    let text = file(&[("a", entry(SWITCH, &[&mark])), ("b", entry(SWITCH, &[&mark]))]);
    let (servers, executor) = started(&text, true);
    assert!(servers.settled(PATIENCE).await);
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(children(&mark), 0);
    let server = servers.get("a").expect("it");
    assert!(server.supervisor.peer(PATIENCE).await.is_ok());
    until("its tools are offered", || executor.registry().get("a/control_zwave_device").is_some()).await;
    assert_eq!(children(&mark), 1);
    // What is new rests as well; what is used and changes is there at once.
    let text = file(&[("a", entry(SWITCH, &[&mark, "--more"])), ("c", entry(SWITCH, &[&mark]))]);
    let applied = servers.apply(&configuration(&text));
    assert_eq!(
        (applied.changed, applied.added, applied.removed),
        (vec!["a".to_owned()], vec!["c".to_owned()], vec!["b".to_owned()])
    );
    let outcome = executor.execute(Call::new("a/control_zwave_device", CALL)).await;
    assert!(is_fine(&outcome), "{outcome:?}");
    until("one child", || children(&mark) == 1).await;
    // At rest, and back.
    servers.get("a").expect("it").supervisor.rest();
    until("no child", || children(&mark) == 0).await;
    let outcome = executor.execute(Call::new("a/control_zwave_device", CALL)).await;
    assert!(is_fine(&outcome), "{outcome:?}");
    servers.stop().await;
    until("no child is left", || children(&mark) == 0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn names_filters_and_times_change_without_a_new_process() {
    let mark = format!("--mark=names-{}", std::process::id());
    let a = entry(SWITCH, &[&mark]);
    let (servers, executor) = started(&file(&[("a", a.clone())]), false);
    assert!(servers.settled(PATIENCE).await);
    until("its tools are offered", || executor.registry().get("a/configure").is_some()).await;
    let pid = servers.get("a").expect("it").view().pid;
    // A second `a` makes both speak of their toolboxes.
    let shared = format!(
        r#"{{"mcpServers": {{"a": {a}}}, "toolboxes": {{"t": {{"description": "d", "mcpServers": {{"a": {}}}}}}}}}"#,
        entry(SWITCH, &[&mark, "--other"])
    );
    let applied = servers.apply(&configuration(&shared));
    assert_eq!(
        (&applied.kept[..], &applied.added[..]),
        (&["default.a".to_owned()][..], &["t.a".to_owned()][..])
    );
    assert!(executor.registry().get("a/configure").is_none());
    assert!(executor.registry().get("default.a/configure").is_some());
    assert_eq!(servers.get("default.a").expect("it").view().pid, pid);
    // Filters and times are about the use of a server.
    let filtered = a.replacen('{', r#"{"toolFilters": ["!configure"], "timeoutMs": 5000, "#, 1);
    let applied = servers.apply(&configuration(&file(&[("a", filtered)])));
    assert_eq!(
        (&applied.changed[..], &applied.removed[..]),
        (&["a".to_owned()][..], &["t.a".to_owned()][..])
    );
    assert_eq!(servers.get("a").expect("it").view().pid, pid);
    assert!(executor.registry().get("a/configure").is_none());
    assert!(executor.registry().get("a/control_zwave_device").is_some());
    until("one child", || children(&mark) == 1).await;
    servers.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_that_comes_later_is_taken_and_one_that_goes_changes_nothing() {
    let mark = format!("--mark=later-{}", std::process::id());
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("toolwright.json");
    let (servers, _executor) = started("{}", true);
    let told = Arc::new(AtomicUsize::new(0));
    let telling = Arc::clone(&told);
    let foretold = Arc::new(AtomicUsize::new(0));
    let foretelling = Arc::clone(&foretold);
    let before = move |old: &Configuration, new: &Configuration| {
        assert_eq!((old.servers().count(), new.servers().count()), (0, 1));
        foretelling.fetch_add(1, Ordering::Relaxed);
    };
    let reloading = reload::watch_telling(&path, &servers, before, move |new, applied| {
        assert_eq!((new.servers().count(), &applied.added[..]), (1, &["a".to_owned()][..]));
        telling.fetch_add(1, Ordering::Relaxed);
    });
    tokio::time::sleep(Duration::from_millis(700)).await;
    let mut changes = servers.changes();
    std::fs::write(&path, file(&[("a", entry(SWITCH, &[&mark]))])).expect("written");
    tokio::time::timeout(PATIENCE, changes.changed()).await.expect("in time").expect("it lives");
    assert_eq!(servers.names(), ["a"]);
    std::fs::remove_file(&path).expect("removed");
    tokio::time::sleep(Duration::from_millis(1500)).await;
    assert_eq!(servers.names(), ["a"]);
    let Reloaded::Refused(why) = reloading.now().await else { panic!("it is gone") };
    assert_eq!(why.matches("check the path").count(), 1, "{why}");
    assert_eq!(told.load(Ordering::Relaxed), 1, "only what is in force is told");
    assert_eq!(foretold.load(Ordering::Relaxed), 1);
    servers.stop().await;
}
