//! The figures of the whole gateway in the sizes of a test run; `cargo xtask soak` has the full ones.

#![cfg(target_os = "linux")]

use std::path::Path;

use toolwright_testkit::figures::{Figure, gateway};
use toolwright_testkit::load::GatewayPrograms;

fn programs() -> GatewayPrograms {
    GatewayPrograms::beside(Path::new(env!("CARGO_BIN_EXE_load-server")))
}

fn holds(figure: &Figure) {
    assert!(figure.faults.is_empty(), "{figure}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn q01_after_fifty_kills_every_answered_call_is_written_down_once() {
    holds(&gateway::crashes(&programs(), 50).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn q06_sessions_that_are_dropped_leave_nothing() {
    holds(&gateway::sessions(&programs(), 400).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn q14_very_many_tools_are_listed_in_one_order_and_found() {
    holds(&gateway::many_tools(&programs(), 10, 1000, 3).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn q15_nobody_gets_the_answer_of_another() {
    holds(&gateway::routing(&programs(), 64, 50_000).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn q15_an_id_comes_back_as_it_was_and_one_in_use_is_refused() {
    holds(&gateway::ids(&programs()).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn q24_fifty_reloads_fail_no_call_and_leave_no_child() {
    holds(&gateway::reloads(&programs(), 50).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn q27_nobody_waits_for_a_server_that_does_not_start() {
    holds(&gateway::starts(&programs()).await);
}
