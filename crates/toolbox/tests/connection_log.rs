//! The lines about connections in the log, as founding document 001 words them.

use crate::scripted;

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use scripted::{LONG, Scripted};
use tokio::time::sleep;
use toolwright_toolbox::{Policy, StillWorks, Supervisor};
use tracing::field::{Field, Visit};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

/// The messages of events, in order.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn lines(&self) -> Vec<String> {
        self.0.lock().expect("no panic before").clone()
    }
}

impl<S: tracing::Subscriber> Layer<S> for Log {
    fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
        struct Message(String);
        impl Visit for Message {
            fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
                if field.name() == "message" {
                    self.0 = format!("{} {value:?}", self.0);
                }
            }
        }
        let mut message = Message(event.metadata().level().to_string());
        event.record(&mut message);
        self.0.lock().expect("no panic before").push(message.0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_retry_that_succeeds_is_logged_with_its_number_and_delay() {
    let log = Log::default();
    let _guard = tracing::subscriber::set_default(tracing_subscriber::registry().with(log.clone()));
    let supervisor = Supervisor::start(Scripted::failing(1), Policy::default());
    supervisor.peer(LONG).await.expect("ready");
    assert_eq!(
        log.lines(),
        [
            "WARN MCP connection attempt 1 failed; the next one is in 2 s",
            "INFO MCP connection succeeded on attempt 2"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_first_attempt_that_succeeds_logs_nothing() {
    let log = Log::default();
    let _guard = tracing::subscriber::set_default(tracing_subscriber::registry().with(log.clone()));
    let supervisor = Supervisor::start(Scripted::failing(0), Policy::default());
    supervisor.peer(LONG).await.expect("ready");
    assert_eq!(log.lines(), [] as [&str; 0]);
}

#[tokio::test(start_paused = true)]
async fn the_last_attempt_is_followed_by_the_block_for_people() {
    let log = Log::default();
    let _guard = tracing::subscriber::set_default(tracing_subscriber::registry().with(log.clone()));
    let local = ["datetime", "search", "volume"].map(str::to_owned).to_vec();
    let others = Arc::new(move || StillWorks { local: local.clone(), servers: Vec::new() });
    let _supervisor = Supervisor::start_beside(Scripted::failing(u32::MAX), Policy::default(), others);
    sleep(Duration::from_secs(7)).await;
    assert_eq!(
        log.lines(),
        [
            "WARN MCP connection attempt 1 failed; the next one is in 2 s",
            "WARN MCP connection attempt 2 failed; the next one is in 4 s",
            "WARN MCP connection attempt 3 failed; the next one is in 8 s, or at the next call",
            "ERROR MCP connection failed after 3 attempts",
            "ERROR ❌ Failed to initialize MCP tools after 3 attempts\n   \
             Reason: Connection to stdio server 'scripted' failed: broker unreachable\n   \
             MCP Server stderr: ECONNREFUSED\n   \
             Check: server running, its address right\n\
             ⚠️ Continuing with local tools only (datetime, search, volume)",
        ]
    );
}
