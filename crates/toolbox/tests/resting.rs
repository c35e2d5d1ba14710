//! Servers that begin when they are asked for, rest when they are told to, and retire.

use crate::scripted;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use scripted::{LONG, Scripted, asked};
use toolwright_jsonrpc::Json;
use toolwright_toolbox::{Beginning, Listed, Policy, State, StillWorks, Supervisor};

fn when_asked(server: &Arc<Scripted>) -> Supervisor {
    let others = Arc::new(StillWorks::default);
    Supervisor::begin(server.clone(), Policy::default(), others, Beginning::WhenAsked, Arc::default(), None)
}

fn attempts(server: &Scripted) -> usize {
    server.attempts.lock().expect("no panic before").len()
}

async fn state(supervisor: &Supervisor, is_wanted: impl Fn(&State) -> bool) {
    let mut seen = supervisor.subscribe();
    let wanted = seen.wait_for(|seen| is_wanted(&seen.snapshot.state));
    tokio::time::timeout(LONG, wanted).await.expect("in time").expect("it lives");
}

#[tokio::test(start_paused = true)]
async fn a_server_is_started_by_the_first_who_asks() {
    let server = Scripted::failing(0);
    let supervisor = when_asked(&server);
    tokio::time::sleep(LONG).await;
    assert_eq!((attempts(&server), supervisor.snapshot().state), (0, State::Resting));
    let (one, other) = tokio::join!(asked(&supervisor), asked(&supervisor));
    assert_eq!((one.as_str(), other.as_str(), attempts(&server)), ("tools/list", "tools/list", 1));
}

#[tokio::test(start_paused = true)]
async fn one_who_asks_before_the_server_rests_is_heard() {
    let server = Scripted::failing(0);
    // The task behind it has not run yet.
    let supervisor = when_asked(&server);
    assert_eq!(asked(&supervisor).await, "tools/list");
}

#[tokio::test(start_paused = true)]
async fn a_server_rests_on_demand_and_wakes_again() {
    let server = Scripted::failing(0);
    let supervisor = Supervisor::start(server.clone(), Policy::default());
    for round in 1..=3 {
        asked(&supervisor).await;
        assert_eq!(attempts(&server), round);
        supervisor.rest();
        state(&supervisor, |state| *state == State::Resting).await;
        // It stays so, and one more order changes nothing.
        supervisor.rest();
        tokio::time::sleep(LONG).await;
        assert_eq!((attempts(&server), supervisor.snapshot().state), (round, State::Resting));
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_used_does_not_rest() {
    let server = Scripted::failing(0);
    let supervisor = Supervisor::start(server.clone(), Policy::default());
    asked(&supervisor).await;
    supervisor.rest();
    for _ in 0..50 {
        asked(&supervisor).await;
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(attempts(&server), 1);
    state(&supervisor, |state| *state == State::Resting).await;
}

#[tokio::test(start_paused = true)]
async fn a_server_that_cannot_be_reached_is_left_alone_while_it_rests() {
    let server = Scripted::failing(u32::MAX);
    let supervisor = Supervisor::start(server.clone(), Policy::default());
    state(&supervisor, |state| matches!(state, State::Backoff { failures: 3, .. })).await;
    supervisor.rest();
    state(&supervisor, |state| *state == State::Resting).await;
    let before = attempts(&server);
    tokio::time::sleep(LONG).await;
    assert_eq!(attempts(&server), before);
    server.failures.store(0, Ordering::SeqCst);
    assert_eq!(asked(&supervisor).await, "tools/list");
}

#[tokio::test(start_paused = true)]
async fn restart_and_disable_count_more_than_rest() {
    let server = Scripted::failing(0);
    let supervisor = when_asked(&server);
    supervisor.restart();
    state(&supervisor, |state| *state == State::Ready).await;
    supervisor.rest();
    supervisor.disable();
    supervisor.ended().await;
    assert!(supervisor.peer(Duration::from_secs(1)).await.is_err());
    supervisor.enable();
    assert_eq!(asked(&supervisor).await, "tools/list");
}

#[tokio::test(start_paused = true)]
async fn tools_that_are_known_are_there_before_the_server_is() {
    let items: Arc<[Json]> = vec![Json::parse(r#"{"name":"t"}"#).expect("JSON")].into();
    let known = Arc::new(Listed { items: items.clone(), is_current: true });
    let server = Scripted::failing(0);
    let others = Arc::new(StillWorks::default);
    let supervisor = Supervisor::begin(server, Policy::default(), others, Beginning::WhenAsked, known, None);
    let listed = supervisor.tools();
    assert_eq!((&listed.items, listed.is_current, supervisor.snapshot().tools), (&items, false, 1));
}

#[tokio::test(start_paused = true)]
async fn a_server_retires_when_nobody_uses_it_though_somebody_holds_on() {
    let server = Scripted::failing(0);
    let supervisor = Supervisor::start(server.clone(), Policy::default());
    asked(&supervisor).await;
    supervisor.clone().retire();
    for _ in 0..20 {
        asked(&supervisor).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    assert_eq!(attempts(&server), 1);
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert_eq!(supervisor.snapshot().state, State::Disabled);
    // With the last clone it ends at once.
    let supervisor = Supervisor::start(Scripted::failing(0), Policy::default());
    asked(&supervisor).await;
    let mut seen = supervisor.subscribe();
    supervisor.retire();
    let gone = seen.wait_for(|seen| seen.snapshot.state == State::Disabled);
    tokio::time::timeout(Duration::from_millis(500), gone).await.expect("at once").expect("it was told");
}
