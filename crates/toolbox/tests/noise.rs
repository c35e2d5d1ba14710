//! A server that prints without end fills neither our log nor what is kept.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use toolwright_jsonrpc::lines::{Noise, NoiseKind};
use toolwright_mcp::{Connection, Event, Link, NoHost};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

/// How much is printed.
const LINES: u64 = 200_000;

#[derive(Clone, Default)]
struct Counted(Arc<AtomicUsize>);

impl<S: tracing::Subscriber> Layer<S> for Counted {
    fn on_event(&self, _: &tracing::Event<'_>, _: Context<'_, S>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[tokio::test]
async fn noise_is_counted_in_full_and_logged_in_part_and_without_secrets() {
    let counted = Counted::default();
    let _guard = tracing::subscriber::set_default(tracing_subscriber::registry().with(counted.clone()));
    let (outgoing, _to_send) = mpsc::channel(1);
    let (events, incoming) = mpsc::channel(8);
    let link = Link { outgoing, events: incoming, stop: CancellationToken::new() };
    let connection = Connection::open(link, Arc::new(NoHost));
    for number in 0..LINES {
        let shown = format!("\u{1b}[32mline {number} token=abc{number}");
        let noise = Noise { kind: NoiseKind::Text, shown, id: None, is_answer: false, fault: None };
        events.send(Event::Noise(noise)).await.expect("somebody listens");
    }
    drop(events);
    connection.wait_closed().await;
    let counts = connection.counts();
    assert_eq!(counts.noise, LINES);
    assert_eq!(counts.last_noise.len(), 16);
    assert_eq!(counts.last_noise[15].shown, format!("line {} token=[redacted]", LINES - 1));
    // Five, and one each time the number has doubled: 8, 16, … 131072.
    assert_eq!(counted.0.load(Ordering::SeqCst), 5 + 15);
}
