//! Ends the process when its graceful shutdown does not: a thread that needs no other thread.
//!
//! The signals of tokio are read by the threads that also answer clients. If one of these is busy, nobody hears a signal.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::sync::Notify;
use tokio::time::sleep;

use crate::report::EXIT_IO;
use crate::signals::Signals;

/// How long a graceful shutdown takes where no flag says otherwise.
pub const USUAL_GRACE: Duration = Duration::from_secs(10);
/// How long servers, ledger and telemetry may take to stop after that. Servers get 7 s.
const STOPPING: Duration = Duration::from_secs(15);
/// How long a second signal leaves to the threads that still listen.
const SECOND_SIGNAL: Duration = Duration::from_millis(500);

/// Watches the shutdown of this process.
pub struct Watchdog(Arc<Shutdown>);

#[derive(Default)]
struct Shutdown {
    has_begun: AtomicBool,
    begun: Notify,
}

impl Watchdog {
    /// Watches from now on. The process ends at the latest when `grace` has passed since the first signal and nothing
    /// was heard of a shutdown, or some seconds later if one has begun; and soon after a second signal.
    pub fn start(grace: Duration) -> Watchdog {
        let shutdown = Arc::new(Shutdown::default());
        let watched = Arc::clone(&shutdown);
        let watching = thread::Builder::new().name("watchdog".to_owned()).spawn(move || {
            // Its own runtime: it needs none of the threads that it watches.
            match Builder::new_current_thread().enable_all().build() {
                Ok(runtime) => runtime.block_on(watch(&watched, grace)),
                Err(error) => tracing::warn!("the shutdown is not watched: {error}"),
            }
        });
        if let Err(error) = watching {
            tracing::warn!("the shutdown is not watched: {error}");
        }
        Watchdog(shutdown)
    }

    /// The graceful shutdown begins.
    pub fn shutdown_begins(&self) {
        self.0.has_begun.store(true, Ordering::Relaxed);
        self.0.begun.notify_one();
    }
}

async fn watch(shutdown: &Shutdown, grace: Duration) {
    let mut signals = Signals::new();
    let first = tokio::select! {
        code = signals.end() => Some(code),
        // Standard input was closed, for example; or the other threads heard the signal before this one.
        () = shutdown.begun.notified() => None,
    };
    let late = async {
        sleep(grace).await;
        if shutdown.has_begun.load(Ordering::Relaxed) {
            sleep(STOPPING).await;
        }
    };
    // A shutdown that began before its signal was heard here is not ended by that signal.
    let second = async {
        if first.is_none() {
            signals.end().await;
        }
        signals.end().await
    };
    tokio::select! {
        () = late => {
            eprintln!("warning: the graceful shutdown took longer than {} s; the process ends now", grace.as_secs());
            std::process::exit(first.unwrap_or(EXIT_IO).into());
        }
        second = second => {
            sleep(SECOND_SIGNAL).await;
            std::process::exit(second.into());
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::process::{Child, Command, Stdio};
    use std::time::Instant;

    use super::*;
    use crate::report::EXIT_TERMINATED;

    /// Says that this run is the process that is watched, and its time for a graceful shutdown.
    const BUSY: &str = "TOOLWRIGHT_TEST_BUSY_GRACE_S";

    /// Says that this run is the process that is being shut down.
    const SHUTTING_DOWN: &str = "TOOLWRIGHT_TEST_SHUTTING_DOWN";

    /// Not a test alone: the others start it as a process of its own, whose threads are all busy for ever.
    #[test]
    fn busy_process() {
        let Some(grace) = std::env::var(BUSY).ok().and_then(|grace| grace.parse().ok()) else { return };
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let _signals = Signals::new();
            let _watchdog = Watchdog::start(Duration::from_secs(grace));
            tokio::spawn(async { busy() });
            // The watchdog listens before the parent reads this.
            thread::sleep(Duration::from_millis(300));
            println!("\nbusy");
            busy()
        });
    }

    fn busy() {
        loop {
            std::hint::spin_loop();
        }
    }

    /// Not a test alone either: a process that is being shut down when its signal comes, and ends by itself.
    #[test]
    fn process_that_is_being_shut_down() {
        if std::env::var_os(SHUTTING_DOWN).is_none() {
            return;
        }
        let watchdog = Watchdog::start(Duration::from_secs(600));
        watchdog.shutdown_begins();
        // The watchdog has seen that before the signal comes.
        thread::sleep(Duration::from_millis(300));
        println!("\nbusy");
        thread::sleep(SECOND_SIGNAL * 4);
    }

    fn start(grace_s: u64) -> Child {
        start_test("busy_process", BUSY, grace_s)
    }

    fn start_test(test: &str, variable: &str, grace_s: u64) -> Child {
        let mut child = Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", &format!("watchdog::tests::{test}"), "--nocapture"])
            .env(variable, grace_s.to_string())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        let lines = BufReader::new(child.stdout.as_mut().expect("stdout")).lines();
        assert!(lines.map_while(Result::ok).any(|line| line == "busy"), "it runs");
        child
    }

    fn signal(child: &Child) {
        let done = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
        assert!(done.expect("kill").success());
    }

    /// The exit code, if it comes in time.
    fn ended(child: &mut Child) -> Option<i32> {
        let late = Instant::now() + Duration::from_secs(30);
        while Instant::now() < late {
            if let Some(status) = child.try_wait().expect("it can be waited for") {
                return status.code();
            }
            thread::sleep(Duration::from_millis(20));
        }
        let _ = child.kill();
        let _ = child.wait();
        None
    }

    #[test]
    fn busy_threads_do_not_outlive_the_grace() {
        let mut child = start(1);
        let begin = Instant::now();
        signal(&child);
        assert_eq!(ended(&mut child), Some(EXIT_TERMINATED.into()));
        assert!(begin.elapsed() >= Duration::from_secs(1), "it has its grace");
    }

    #[test]
    fn a_signal_that_is_heard_after_the_shutdown_began_is_not_a_second_one() {
        let mut child = start_test("process_that_is_being_shut_down", SHUTTING_DOWN, 600);
        signal(&child);
        assert_eq!(ended(&mut child), Some(0));
    }

    #[test]
    fn a_second_signal_ends_busy_threads_at_once() {
        let mut child = start(600);
        signal(&child);
        thread::sleep(Duration::from_millis(300));
        signal(&child);
        assert_eq!(ended(&mut child), Some(EXIT_TERMINATED.into()));
    }
}
