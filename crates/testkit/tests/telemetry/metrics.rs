//! Metrics: by OTLP, and on the page for Prometheus.

use std::collections::BTreeMap;

use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::metrics::v1::number_data_point::Value as Number;
use opentelemetry_proto::tonic::metrics::v1::{HistogramDataPoint, NumberDataPoint};
use toolwright_testkit::load::Era;

use crate::caller::Caller;
use crate::collector::{Collector, Habit, attributes};
use crate::serve;

fn histogram(collector: &Collector, name: &str) -> Vec<HistogramDataPoint> {
    let metric = collector.metric(name).unwrap_or_else(|| panic!("{name} came"));
    assert_eq!(metric.unit, "s");
    let Some(Data::Histogram(histogram)) = metric.data else { panic!("{name} is a histogram") };
    histogram.data_points
}

fn numbers(collector: &Collector, name: &str) -> BTreeMap<String, u64> {
    let metric = collector.metric(name).unwrap_or_else(|| panic!("{name} came"));
    let points = match metric.data {
        Some(Data::Sum(sum)) => sum.data_points,
        Some(Data::Gauge(gauge)) => gauge.data_points,
        other => panic!("{name}: {other:?}"),
    };
    let value = |point: &NumberDataPoint| match point.value {
        Some(Number::AsInt(value)) => value.unsigned_abs(),
        other => panic!("{name}: {other:?}"),
    };
    points
        .iter()
        .map(|point| {
            let labels: Vec<String> = attributes(&point.attributes).into_values().collect();
            (labels.join(" "), value(point))
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_are_measured_as_the_conventions_want_it() {
    let collector = Collector::start(Habit::Takes).await;
    let mut gateway = serve(&[("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.url)]).await;
    std::fs::write(gateway.folder().join("a.txt"), "hello").expect("written");
    let mut caller = Caller::meet(&gateway, "/mcp/all", Era::Legacy).await;
    let read = "builtin__files__read_file";
    for (tool, arguments) in [
        (read, r#"{"file_path":"a.txt"}"#),
        (read, r#"{"path":"missing.txt"}"#),
        (read, r#"{"bogus":1}"#),
        ("old__old__v0", "{}"),
        ("old__old__v0", "{}"),
    ] {
        let _ = caller.call(tool, arguments).await;
    }
    let page = gateway.page("/metrics").await.expect("a page").text();
    // What was measured since the last time goes out at the end.
    assert_eq!(gateway.stop().expect("it ends").1, 0);

    let points = histogram(&collector, "mcp.server.operation.duration");
    let bounds = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0];
    assert!(points.iter().all(|point| point.explicit_bounds == bounds));
    let of = |tool: &str, error: Option<&str>| {
        let fits = |point: &&HistogramDataPoint| {
            let about = attributes(&point.attributes);
            about["mcp.method.name"] == "tools/call"
                && about["gen_ai.operation.name"] == "execute_tool"
                && about.get("gen_ai.tool.name").map(String::as_str) == Some(tool)
                && about.get("error.type").map(String::as_str) == error
        };
        points.iter().find(fits).map_or(0, |point| point.count)
    };
    assert_eq!(of("read_file", None), 1);
    assert_eq!(of("read_file", Some("tool_error")), 1);
    assert_eq!(of("read_file", Some("invalid_arguments")), 1);
    assert_eq!(of("v0", None), 2);
    let behind = histogram(&collector, "mcp.client.operation.duration");
    let [point] = &behind[..] else { panic!("{behind:#?}") };
    let about = attributes(&point.attributes);
    assert_eq!((point.count, &*about["toolwright.server"], &*about["network.transport"]), (2, "old", "pipe"));

    let outcomes = numbers(&collector, "toolwright.calls");
    assert_eq!(outcomes.get("ok"), Some(&3), "{outcomes:?}");
    assert_eq!(numbers(&collector, "toolwright.calls.repaired")[""], 1);
    assert_eq!(numbers(&collector, "toolwright.calls.refused")["invalid_arguments"], 1);
    assert_eq!(numbers(&collector, "toolwright.repairs").values().sum::<u64>(), 1);
    assert_eq!(numbers(&collector, "toolwright.journal.lost")[""], 0);
    assert!(numbers(&collector, "toolwright.journal.records")[""] >= 5);
    assert_eq!(numbers(&collector, "toolwright.journal.degraded")[""], 0);
    assert_eq!(numbers(&collector, "toolwright.calls.in_flight")[""], 0);
    let lost = numbers(&collector, "toolwright.telemetry.spans_lost");
    assert_eq!((lost["queue_full"], lost["not_sent"]), (0, 0));

    let has = |line: &str| assert!(page.lines().any(|known| known == line), "{line}\n{page}");
    has("toolwright_repairs_total{rule=\"read_file-file_path\"} 1");
    has("toolwright_journal_lost_records_total 0");
    has("toolwright_journal_degraded 0");
    has("toolwright_telemetry_spans_lost_total{reason=\"queue_full\"} 0");
    assert!(page.contains("toolwright_journal_records_total "), "{page}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_states_of_servers_are_told_while_they_run() {
    let collector = Collector::start(Habit::Takes).await;
    let interval = ("OTEL_METRIC_EXPORT_INTERVAL", "100");
    let traces = ("OTEL_TRACES_EXPORTER", "none");
    let gateway = serve(&[("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.url), interval, traces]).await;
    let mut caller = Caller::meet(&gateway, "/mcp/t/old", Era::Legacy).await;
    let answer = caller.call("v0", "{}").await.result().expect("a result");
    assert!(crate::seen_meta(&answer).get("traceparent").is_none(), "no spans, no place: {answer}");
    for _ in 0..600 {
        if collector.metric("toolwright.servers").is_some()
            && numbers(&collector, "toolwright.servers").get("ready") == Some(&2)
        {
            assert_eq!(collector.spans(0).await, Vec::new());
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("{:?}", collector.metric("toolwright.servers"));
}
