//! What a supervisor keeps of a server, and what it says of one that is not well. In paused time.

use crate::scripted;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use scripted::{LONG, Scripted, asked};
use tokio::time::sleep;
use toolwright_jsonrpc::Json;
use toolwright_mcp::{Peer, RequestError, RequestOptions};
use toolwright_toolbox::{Beginning, Policy, State, StateName, StillWorks, Supervisor, TransportKind};

const MOMENT: Duration = Duration::from_millis(500);

async fn times_out(peer: &Peer) {
    let hasty = RequestOptions { timeout: Some(Duration::from_secs(1)), ..RequestOptions::default() };
    let error = peer.request("x", None, &hasty).await.expect_err("no answer");
    assert!(matches!(error, RequestError::TimedOut(_)), "{error}");
}

fn names(supervisor: &Supervisor) -> Vec<String> {
    supervisor.tools().items.iter().filter_map(|tool| tool.get_text("name")).collect()
}

#[tokio::test(start_paused = true)]
async fn last_known_tools_stay_while_the_server_is_away() {
    let server = Scripted::failing(0);
    server.habits.tools.store(2, Ordering::SeqCst);
    let supervisor = Supervisor::start(server.clone(), Policy::default());
    assert!(!supervisor.tools().is_current);
    let mut seen = supervisor.subscribe();
    seen.wait_for(|seen| seen.tools.is_current).await.expect("listed");
    assert_eq!((names(&supervisor), supervisor.snapshot().tools), (vec!["t0".into(), "t1".into()], 2));
    server.failures.store(2, Ordering::SeqCst);
    server.habits.tools.store(3, Ordering::SeqCst);
    server.crash();
    seen.wait_for(|seen| !seen.tools.is_current).await.expect("away");
    assert_eq!((names(&supervisor).len(), supervisor.snapshot().tools), (2, 2));
    seen.wait_for(|seen| seen.tools.is_current).await.expect("listed again");
    assert_eq!(names(&supervisor), ["t0", "t1", "t2"]);
    assert_eq!(supervisor.name(), "scripted");
}

#[tokio::test(start_paused = true)]
async fn changes_of_tools_are_listed_without_a_storm() {
    let server = Scripted::failing(0);
    let supervisor = Supervisor::start(server.clone(), Policy::default());
    supervisor.peer(LONG).await.expect("ready");
    sleep(MOMENT).await;
    assert_eq!(server.habits.count("tools/list"), 1);
    // Many changes at once are one.
    server.habits.tools.store(1, Ordering::SeqCst);
    for _ in 0..50 {
        server.habits.change.notify_one();
        sleep(Duration::from_millis(1)).await;
    }
    let mut seen = supervisor.subscribe();
    seen.wait_for(|seen| seen.snapshot.tools == 1).await.expect("listed");
    assert_eq!(server.habits.count("tools/list"), 2);
    // A server that tells changes that are none is asked less and less.
    for _ in 0..6000 {
        server.habits.change.notify_one();
        sleep(Duration::from_millis(100)).await;
    }
    let lists = server.habits.count("tools/list");
    assert!((5..30).contains(&lists), "{lists} lists in ten minutes");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn the_list_before_is_served_until_the_next_one_is_prepared() {
    let server = Scripted::failing(0);
    server.habits.tools.store(1, Ordering::SeqCst);
    let (begun, mut preparing) = tokio::sync::mpsc::unbounded_channel();
    let (go_on, may_go_on) = std::sync::mpsc::channel();
    let may_go_on = std::sync::Mutex::new(may_go_on);
    let prepare = Arc::new(move |items: &Arc<[Json]>| {
        begun.send(items.len()).expect("it is waited for");
        may_go_on.lock().expect("no panic before").recv().expect("it is told to go on");
    });
    let (others, known) = (Arc::new(StillWorks::default), Arc::default());
    let supervisor =
        Supervisor::begin(server.clone(), Policy::default(), others, Beginning::AtOnce, known, Some(prepare));
    let mut seen = supervisor.subscribe();
    assert_eq!(preparing.recv().await, Some(1));
    go_on.send(()).expect("it waits");
    seen.wait_for(|seen| seen.tools.is_current).await.expect("listed");
    let first = supervisor.tools();
    server.habits.tools.store(2, Ordering::SeqCst);
    server.habits.change.notify_one();
    assert_eq!(preparing.recv().await, Some(2));
    // It works on the new list. The runtime has one thread, and the server answers all the same.
    assert_eq!(asked(&supervisor).await, "tools/list");
    assert!(Arc::ptr_eq(&supervisor.tools().items, &first.items));
    go_on.send(()).expect("it waits");
    seen.wait_for(|seen| seen.tools.items.len() == 2).await.expect("listed");
    // A list that says the same is the same list.
    let second = supervisor.tools();
    server.habits.change.notify_one();
    assert_eq!(preparing.recv().await, Some(2));
    go_on.send(()).expect("it waits");
    seen.wait_for(|seen| !Arc::ptr_eq(&seen.tools, &second)).await.expect("listed");
    assert!(Arc::ptr_eq(&supervisor.tools().items, &second.items));
}

#[tokio::test(start_paused = true)]
async fn a_server_whose_tools_cannot_be_listed_is_degraded_until_they_can() {
    let server = Scripted::failing(0);
    server.habits.has_lost_tools.store(true, Ordering::SeqCst);
    let supervisor = Supervisor::start(server.clone(), Policy::default());
    let mut seen = supervisor.subscribe();
    seen.wait_for(|seen| seen.snapshot.state.name() == StateName::Degraded).await.expect("degraded");
    let error = supervisor.snapshot().last_failure.expect("an error").to_string();
    assert!(error.contains("its tools cannot be listed"), "{error}");
    // It can be used all the same.
    assert_eq!(asked(&supervisor).await, "tools/list");
    server.habits.has_lost_tools.store(false, Ordering::SeqCst);
    seen.wait_for(|seen| seen.snapshot.state == State::Ready).await.expect("mended");
    assert!(supervisor.tools().is_current);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_leaves_requests_unanswered_is_degraded_until_it_answers() {
    let server = Scripted::failing(0);
    let supervisor = Supervisor::start(server.clone(), Policy::default());
    let peer = supervisor.peer(LONG).await.expect("ready");
    sleep(MOMENT).await;
    server.habits.silent.store(2, Ordering::SeqCst);
    times_out(&peer).await;
    times_out(&peer).await;
    sleep(MOMENT).await;
    assert_eq!(supervisor.snapshot().state, State::Ready);
    assert_eq!(asked(&supervisor).await, "tools/list");
    // Three in a row are too many; the server is then asked whether it is there.
    server.habits.silent.store(5, Ordering::SeqCst);
    for _ in 0..3 {
        times_out(&peer).await;
    }
    let mut seen = supervisor.subscribe();
    seen.wait_for(|seen| seen.snapshot.state.name() == StateName::Degraded).await.expect("degraded");
    let reason = "3 requests in a row had no answer in time".to_owned();
    assert_eq!(supervisor.snapshot().state, State::Degraded { reason });
    assert_eq!(supervisor.snapshot().restarts, 0);
    seen.wait_for(|seen| seen.snapshot.state == State::Ready).await.expect("back");
    assert_eq!(server.habits.count("ping"), 3);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_answers_nothing_any_more_is_restarted() {
    let server = Scripted::failing(0);
    let supervisor = Supervisor::start(server.clone(), Policy::default());
    let peer = supervisor.peer(LONG).await.expect("ready");
    sleep(MOMENT).await;
    // Three requests of ours, and as many pings.
    server.habits.silent.store(6, Ordering::SeqCst);
    for _ in 0..3 {
        times_out(&peer).await;
    }
    let mut seen = supervisor.subscribe();
    seen.wait_for(|seen| seen.snapshot.state.name() == StateName::Degraded).await.expect("degraded");
    seen.wait_for(|seen| seen.snapshot.restarts == 1).await.expect("restarted");
    assert!(peer.connection().closed().is_some());
    let said = supervisor.snapshot().last_failure.expect("a reason").to_string();
    assert_eq!(said, "it left 3 requests and 3 pings unanswered");
    assert_eq!(asked(&supervisor).await, "tools/list");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_nobody_uses_rests_and_its_next_use_starts_it() {
    let server = Scripted::failing(0);
    server.habits.tools.store(1, Ordering::SeqCst);
    let idle = Duration::from_secs(60);
    let supervisor = Supervisor::start(server.clone(), Policy { idle: Some(idle), ..Policy::default() });
    asked(&supervisor).await;
    // A use every 50 s keeps it.
    for _ in 0..5 {
        sleep(Duration::from_secs(50)).await;
        asked(&supervisor).await;
    }
    assert_eq!(supervisor.snapshot().state, State::Ready);
    // So does a call that takes long.
    let peer = supervisor.peer(LONG).await.expect("ready");
    server.habits.silent.store(1, Ordering::SeqCst);
    let patient = RequestOptions { timeout: Some(Duration::from_secs(300)), ..RequestOptions::default() };
    assert!(peer.request("slow", None, &patient).await.is_err());
    assert_eq!(supervisor.snapshot().state, State::Ready);
    sleep(Duration::from_secs(61)).await;
    let rested = supervisor.snapshot();
    assert_eq!(
        (rested.state.clone(), rested.state.name(), rested.pid),
        (State::Resting, StateName::NotStarted, None)
    );
    assert_eq!((rested.tools, supervisor.tools().is_current), (1, false));
    assert!(peer.connection().closed().is_some());
    // It rests on, and is no crash.
    sleep(LONG).await;
    assert_eq!(supervisor.snapshot().state, State::Resting);
    assert_eq!(server.attempts.lock().expect("no panic before").len(), 1);
    assert_eq!(asked(&supervisor).await, "tools/list");
    assert_eq!(server.attempts.lock().expect("no panic before").len(), 2);
    // A restart wakes it too.
    sleep(Duration::from_secs(61)).await;
    assert_eq!(supervisor.snapshot().state, State::Resting);
    supervisor.restart();
    sleep(MOMENT).await;
    assert_eq!(supervisor.snapshot().state, State::Ready);
}

#[tokio::test(start_paused = true)]
async fn a_restart_ends_a_wait_and_a_quarantine() {
    let server = Scripted::failing(u32::MAX);
    let supervisor = Supervisor::start(server.clone(), Policy::default());
    sleep(Duration::from_secs(100)).await;
    assert_eq!(supervisor.snapshot().state.name(), StateName::Backoff);
    server.failures.store(0, Ordering::SeqCst);
    supervisor.restart();
    sleep(MOMENT).await;
    assert_eq!(supervisor.snapshot().state, State::Ready);
    for _ in 0..5 {
        asked(&supervisor).await;
        server.crash();
        sleep(Duration::from_millis(1)).await;
    }
    assert_eq!(supervisor.snapshot().state, State::Quarantined);
    supervisor.restart();
    sleep(MOMENT).await;
    assert_eq!(supervisor.snapshot().state, State::Ready);
}

#[tokio::test(start_paused = true)]
async fn a_snapshot_shows_era_revision_and_requests_in_flight() {
    let server = Scripted::failing(0);
    let supervisor = Supervisor::start(server.clone(), Policy::default());
    let peer = supervisor.peer(LONG).await.expect("ready");
    let seen = supervisor.snapshot();
    assert_eq!((seen.transport, seen.revision.as_deref()), (TransportKind::Stdio, Some("2025-11-25")));
    assert_eq!(seen.era, Some(toolwright_mcp::Era::Legacy));
    server.habits.silent.store(1, Ordering::SeqCst);
    let waiting = Arc::new(peer);
    let call = tokio::spawn({
        let peer = Arc::clone(&waiting);
        async move { peer.request("x", None, &RequestOptions::default()).await }
    });
    sleep(MOMENT).await;
    assert_eq!(supervisor.snapshot().in_flight, 1);
    call.abort();
    sleep(MOMENT).await;
    assert_eq!(supervisor.snapshot().in_flight, 0);
}
