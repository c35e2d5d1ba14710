//! A collector that is away, slow or ill costs no call anything.

use std::time::{Duration, Instant};

use tokio::net::TcpListener;
use toolwright_testkit::load::{Era, Served};

use crate::caller::Caller;
use crate::collector::{Collector, Habit};
use crate::serve;

/// Generous: a call takes a millisecond, and waiting for a collector would take three or ten seconds.
const AT_ONCE: Duration = Duration::from_millis(2500);

async fn calls_are_answered(gateway: &Served, count: usize) {
    let mut caller = Caller::meet(gateway, "/mcp/t/old", Era::Legacy).await;
    for _ in 0..count {
        let begun = Instant::now();
        caller.call("v0", "{}").await.result().expect("a result");
        assert!(begun.elapsed() < AT_ONCE, "it took {:?}", begun.elapsed());
    }
}

async fn says(gateway: &Served, part: &str) {
    for _ in 0..1200 {
        if gateway.log().contains(part) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("it did not say {part:?}: {}", gateway.log());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_collector_that_is_away_is_told_once_and_used_when_it_comes() {
    let held = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = held.local_addr().expect("an address");
    drop(held);
    let url = format!("http://{address}");
    let metrics = ("OTEL_METRIC_EXPORT_INTERVAL", "300");
    let mut gateway = serve(&[("OTEL_EXPORTER_OTLP_ENDPOINT", &url), metrics]).await;
    calls_are_answered(&gateway, 5).await;
    says(&gateway, "cannot be sent").await;
    // More of the same is nothing new.
    calls_are_answered(&gateway, 5).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    let log = gateway.log();
    assert_eq!(log.matches("cannot be sent").count(), 1, "{log}");
    assert!(log.contains(&url) && log.contains("OTEL_EXPORTER_OTLP_ENDPOINT"), "{log}");
    assert!(log.to_lowercase().contains("refused"), "it says why: {log}");

    let collector = Collector::start_on(TcpListener::bind(address).await.expect("the port"), Habit::Takes);
    calls_are_answered(&gateway, 1).await;
    collector.spans(2).await;
    says(&gateway, "is reachable again").await;
    assert_eq!(gateway.log().matches("telemetry").count(), 2, "{}", gateway.log());
    assert_eq!(gateway.stop().expect("it ends").1, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_collector_that_never_answers_holds_nothing_up() {
    let collector = Collector::start(Habit::Hangs).await;
    let mut gateway = serve(&[("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.url)]).await;
    calls_are_answered(&gateway, 20).await;
    // The end waits three seconds for it, and servers that end have theirs.
    let (took, code) = gateway.stop().expect("it ends");
    assert_eq!(code, 0);
    assert!(took < Duration::from_secs(20), "it took {took:?}");
    assert!(gateway.log().contains("did not respond in time"), "{}", gateway.log());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_collector_that_refuses_is_told_of_by_its_status() {
    let collector = Collector::start(Habit::Refuses).await;
    let mut gateway = serve(&[("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.url)]).await;
    calls_are_answered(&gateway, 3).await;
    says(&gateway, "503").await;
    collector.becomes(Habit::Takes);
    calls_are_answered(&gateway, 1).await;
    says(&gateway, "is reachable again").await;
    let lost = gateway.metric("toolwright_telemetry_spans_lost_total").await.expect("a number");
    assert!(lost >= 1.0, "{lost}");
    assert!(gateway.log().contains(&format!("; {lost} spans were lost")), "{lost}: {}", gateway.log());
    assert_eq!(gateway.stop().expect("it ends").1, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_understood_is_told_and_calls_are_served() {
    let gateway =
        serve(&[("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4317"), ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")])
            .await;
    calls_are_answered(&gateway, 1).await;
    let log = gateway.log();
    assert!(log.contains("OTEL_EXPORTER_OTLP_ENDPOINT") && log.contains("http://localhost:4318"), "{log}");
}
