//! A supervised server in paused time: every wait is exact, and no test waits.

use crate::scripted;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use scripted::{Scripted, asked};
use tokio::time::Instant;
use toolwright_toolbox::{Policy, State, StateName, Supervisor};

#[tokio::test(start_paused = true)]
async fn successful_connection_on_first_attempt() {
    let server = Scripted::failing(0);
    let supervisor = Supervisor::start(server.clone(), Policy::default());
    let begin = Instant::now();
    assert_eq!(asked(&supervisor).await, "tools/list");
    assert_eq!(begin.elapsed(), Duration::ZERO);
    let seen = supervisor.snapshot();
    assert_eq!((seen.state, seen.pid, seen.restarts, seen.last_failure), (State::Ready, Some(7), 0, None));
}

#[tokio::test(start_paused = true)]
async fn successful_connection_after_retry() {
    let server = Scripted::failing(1);
    let supervisor = Supervisor::start(server.clone(), Policy::default());
    assert_eq!(asked(&supervisor).await, "tools/list");
    assert_eq!(server.waits(), [2]);
}

#[tokio::test(start_paused = true)]
async fn exponential_backoff_delays() {
    let server = Scripted::failing(9);
    let supervisor = Supervisor::start(server.clone(), Policy::default());
    assert_eq!(supervisor.peer(Duration::from_secs(5)).await.unwrap_err().state, StateName::Backoff);
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert_eq!(asked(&supervisor).await, "tools/list");
    assert_eq!(server.waits(), [2, 4, 8, 16, 32, 60, 60, 60, 60]);
}

#[tokio::test(start_paused = true)]
async fn connection_fails_after_all_retries() {
    let server = Scripted::failing(u32::MAX);
    let supervisor = Supervisor::start(server.clone(), Policy::default());
    let error = supervisor.peer(Duration::from_secs(7)).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the server is not ready (backoff): broker unreachable; its stderr ends with: ECONNREFUSED"
    );
    assert_eq!(server.waits(), [2, 4]);
    // The next use does not wait for the backoff.
    let before = server.attempts.lock().expect("no panic before").len();
    assert!(supervisor.peer(Duration::from_millis(1)).await.is_err());
    assert_eq!(server.attempts.lock().expect("no panic before").len(), before + 1);
}

#[tokio::test(start_paused = true)]
async fn what_will_not_mend_itself_is_not_tried_like_a_blip() {
    let server =
        Arc::new(Scripted { failures: AtomicU32::new(u32::MAX), is_lasting: true, ..Scripted::default() });
    let _supervisor = Supervisor::start(server.clone(), Policy::default());
    tokio::time::sleep(Duration::from_secs(200)).await;
    assert_eq!(server.waits(), [2, 4, 60, 60, 60]);
}

#[tokio::test(start_paused = true)]
async fn retry_logic_is_configurable() {
    let server = Scripted::failing(3);
    let policy =
        Policy { base_delay: Duration::from_secs(1), max_delay: Duration::from_secs(3), ..Policy::default() };
    let supervisor = Supervisor::start(server.clone(), policy);
    tokio::time::sleep(Duration::from_secs(7)).await;
    asked(&supervisor).await;
    assert_eq!(server.waits(), [1, 2, 3]);
}

#[tokio::test(start_paused = true)]
async fn one_who_asks_for_a_broken_server_is_told_as_soon_as_it_has_failed() {
    let server = Scripted::failing(u32::MAX);
    let supervisor = Supervisor::start(server.clone(), Policy::default());
    let begin = Instant::now();
    let error = supervisor.peer(Duration::from_secs(60)).await.unwrap_err();
    assert_eq!(
        (error.state, begin.elapsed().as_secs()),
        (StateName::Backoff, 6),
        "the first attempts are waited for"
    );
    let error = supervisor.peer(Duration::from_secs(60)).await.unwrap_err();
    assert_eq!(
        (error.state, begin.elapsed().as_secs()),
        (StateName::Backoff, 6),
        "then it is tried once, at once"
    );
    assert_eq!(server.waits(), [2, 4, 0]);
}

#[tokio::test(start_paused = true)]
async fn retry_does_not_block_startup() {
    let broken = Supervisor::start(Scripted::failing(u32::MAX), Policy::default());
    let begin = Instant::now();
    let sound: Vec<Supervisor> =
        (0..20).map(|_| Supervisor::start(Scripted::failing(0), Policy::default())).collect();
    for supervisor in &sound {
        assert_eq!(asked(supervisor).await, "tools/list");
    }
    assert_eq!(begin.elapsed(), Duration::ZERO);
    assert_ne!(broken.snapshot().state, State::Ready);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_ends_is_started_at_once_and_its_counts_begin_anew() {
    let server = Scripted::failing(0);
    let supervisor = Supervisor::start(server.clone(), Policy::default());
    asked(&supervisor).await;
    server.failures.store(1, Ordering::SeqCst);
    server.crash();
    tokio::time::sleep(Duration::from_millis(1)).await;
    let seen = supervisor.snapshot();
    assert_eq!(seen.state, State::Backoff { failures: 1, wait: Duration::from_secs(2) });
    assert_eq!(asked(&supervisor).await, "tools/list");
    assert_eq!(supervisor.snapshot().restarts, 1);
    assert_eq!(server.waits(), [0, 2]);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_keeps_ending_is_put_aside_and_comes_back() {
    let server = Scripted::failing(0);
    let supervisor = Supervisor::start(server.clone(), Policy::default());
    for _ in 0..5 {
        asked(&supervisor).await;
        server.crash();
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert_eq!(supervisor.snapshot().state, State::Quarantined);
    let error = supervisor.peer(Duration::from_secs(1)).await.unwrap_err();
    assert!(
        error.to_string().contains("(quarantined: it ended too often and rests for up to ")
            && error.to_string().contains("exit code 9"),
        "{error}"
    );
    tokio::time::sleep(Duration::from_secs(300)).await;
    assert_eq!(asked(&supervisor).await, "tools/list");
}

#[tokio::test(start_paused = true)]
async fn crashes_that_are_far_apart_put_nothing_aside() {
    let server = Scripted::failing(0);
    let supervisor = Supervisor::start(server.clone(), Policy::default());
    for _ in 0..20 {
        asked(&supervisor).await;
        server.crash();
        tokio::time::sleep(Duration::from_secs(30)).await;
    }
    assert_eq!(asked(&supervisor).await, "tools/list");
}

#[tokio::test(start_paused = true)]
async fn a_server_is_disabled_enabled_and_restarted() {
    let server = Scripted::failing(0);
    let supervisor = Supervisor::start(server.clone(), Policy::default());
    asked(&supervisor).await;
    supervisor.disable();
    tokio::time::sleep(Duration::from_millis(1)).await;
    assert_eq!(supervisor.snapshot().state, State::Disabled);
    assert_eq!(supervisor.peer(Duration::from_secs(1)).await.unwrap_err().state, StateName::Disabled);
    supervisor.enable();
    asked(&supervisor).await;
    let attempts = server.attempts.lock().expect("no panic before").len();
    supervisor.restart();
    tokio::time::sleep(Duration::from_millis(1)).await;
    asked(&supervisor).await;
    assert_eq!(server.attempts.lock().expect("no panic before").len(), attempts + 1);
    // A restart also ends a quarantine or a wait.
    server.failures.store(u32::MAX, Ordering::SeqCst);
    server.crash();
    tokio::time::sleep(Duration::from_secs(100)).await;
    server.failures.store(0, Ordering::SeqCst);
    supervisor.restart();
    assert_eq!(asked(&supervisor).await, "tools/list");
}
