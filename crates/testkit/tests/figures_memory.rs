//! The figures that bound memory: in one test, since they look at the memory of the whole process.

#![cfg(target_os = "linux")]

use toolwright_testkit::figures;
use toolwright_testkit::servers::Programs;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn q09_and_q12_noise_and_large_results_do_not_fill_the_memory() {
    let programs = Programs {
        server: env!("CARGO_BIN_EXE_hostile-server").into(),
        guardian: env!("CARGO_BIN_EXE_guardian").into(),
    };
    for figure in [figures::torture(&programs, 2, 100).await, figures::large(&programs, 64, 2).await] {
        assert!(figure.faults.is_empty(), "{figure}");
        let memory = figure.goals.iter().find(|(goal, _)| goal.starts_with("memory")).expect("a goal");
        assert!(memory.1, "{figure}");
    }
}
