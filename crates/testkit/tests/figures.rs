//! The figures of connections in the sizes of a test run; `cargo xtask soak` has the full ones.

#![cfg(target_os = "linux")]

use std::time::Duration;

use toolwright_testkit::figures::{self, Figure};
use toolwright_testkit::servers::Programs;

fn programs() -> Programs {
    Programs {
        server: env!("CARGO_BIN_EXE_hostile-server").into(),
        guardian: env!("CARGO_BIN_EXE_guardian").into(),
    }
}

fn holds(figure: &Figure) {
    assert!(figure.faults.is_empty(), "{figure}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn q10_a_hundred_kills_are_an_error_each_and_harm_no_other_server() {
    holds(&figures::kills(&programs(), 100).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn q11_calls_that_hang_time_out_are_cancelled_and_their_late_answers_dropped() {
    holds(&figures::hung(&programs(), 64, Duration::from_secs(2)).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn q13_what_is_too_deep_is_refused_in_both_directions() {
    holds(&figures::depths(&programs(), 3).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn q16_a_call_given_up_around_its_completion_ends_once() {
    holds(&figures::around_completion(&programs(), 5000).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn q05_servers_in_use_keep_their_files_and_children() {
    holds(&figures::watch(&programs(), Duration::from_secs(5)).await);
}
