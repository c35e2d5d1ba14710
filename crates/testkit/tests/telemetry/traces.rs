//! Spans: their names, their places, and what they do not tell.

use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use opentelemetry_proto::tonic::trace::v1::{Span, status::StatusCode};
use toolwright_testkit::load::Era;

use crate::caller::Caller;
use crate::collector::{Collector, Habit, attributes, hex};
use crate::{SPAN, TRACE, seen_meta, serve};

const SECRET: &str = "hunter2-correct-horse";

fn has(span: &Span, expected: &[(&str, &str)]) {
    let known = attributes(&span.attributes);
    for (key, value) in expected {
        assert_eq!(known.get(*key).map(String::as_str), Some(*value), "{key} of {known:#?}");
    }
}

fn parent(flags: &str) -> String {
    format!("00-{TRACE}-{SPAN}-{flags}")
}

/// The params of a call that says where it stands.
fn standing(traceparent: &str, more: &str) -> String {
    format!(
        r#"{{"name":"v0","arguments":{{"password":"{SECRET}"}},"_meta":{{"traceparent":"{traceparent}"{more}}}}}"#
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_is_a_span_below_the_clients_and_above_the_servers() {
    let collector = Collector::start(Habit::Takes).await;
    let mut gateway = serve(&[
        ("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.url),
        ("OTEL_EXPORTER_OTLP_HEADERS", "x-api-key=s%20ecret"),
        ("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test"),
    ])
    .await;
    let mut count = 0;
    // The parameters of a modern client have a `_meta` of their own, which the caller writes: no parent there.
    for (path, is_modern_server) in [("/mcp/t/old", false), ("/mcp/t/new", true)] {
        let mut caller = Caller::meet(&gateway, path, Era::Legacy).await;
        let params = standing(&parent("01"), r#","tracestate":"rojo=1","baggage":"user=alice""#);
        let answer = caller.ask("tools/call", &params).await.result().expect("a result");
        let meta = seen_meta(&answer);
        let spans = collector.spans(count + 2).await;
        let [call, asking] = &spans[count..] else { panic!("{spans:#?}") };
        count += 2;
        assert_eq!((call.kind(), asking.kind()), (SpanKind::Server, SpanKind::Client));
        assert_eq!((&*call.name, &*asking.name), ("tools/call v0", "tools/call v0"));
        assert_eq!((hex(&call.trace_id), hex(&asking.trace_id)), (TRACE.into(), TRACE.into()));
        assert_eq!(hex(&call.parent_span_id), SPAN);
        assert_eq!(asking.parent_span_id, call.span_id);
        assert_eq!(meta["traceparent"], format!("00-{TRACE}-{}-01", hex(&asking.span_id)));
        assert_eq!((&meta["tracestate"], &meta["baggage"]), (&"rojo=1".into(), &"user=alice".into()));
        let server = path.rsplit('/').next().expect("a name");
        has(
            call,
            &[
                ("mcp.method.name", "tools/call"),
                ("gen_ai.tool.name", "v0"),
                ("gen_ai.operation.name", "execute_tool"),
                ("mcp.protocol.version", "2025-11-25"),
                ("network.transport", "tcp"),
                ("network.protocol.name", "http"),
                ("toolwright.client", "caller"),
                ("toolwright.front", "mcp"),
                ("toolwright.toolbox", server),
                ("toolwright.server", server),
                ("toolwright.repaired", "false"),
                ("toolwright.changes", "0"),
                ("toolwright.stage.transport", "passed"),
                ("toolwright.stage.protocol", "passed"),
                ("toolwright.stage.tool", "passed"),
            ],
        );
        assert!(attributes(&call.attributes).contains_key("mcp.session.id"));
        let revision = if is_modern_server { "2026-07-28" } else { "2025-11-25" };
        has(asking, &[("network.transport", "pipe"), ("mcp.protocol.version", revision)]);
        assert!(call.end_time_unix_nano >= asking.end_time_unix_nano);
    }
    let resource = collector.resource();
    assert_eq!(resource["service.name"], "toolwright");
    assert_eq!(resource["deployment.environment.name"], "test");
    assert_eq!(collector.header("x-api-key").as_deref(), Some("s ecret"));
    assert_eq!(gateway.stop().expect("it ends").1, 0);
    assert!(!collector.has(SECRET), "no argument leaves by telemetry");
    assert!(!collector.has("alice"), "nor baggage");
    assert!(!gateway.log().contains("telemetry"), "{}", gateway.log());
}

/// Whatever name a client gives itself, its secrets do not leave by telemetry.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn names_of_clients_are_sent_without_their_secrets() {
    const TOKEN: &str = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    let collector = Collector::start(Habit::Takes).await;
    let mut gateway = serve(&[("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.url)]).await;
    let name = format!("editor {TOKEN} password=blau7-hafen");
    let mut caller = Caller::meet_as(&gateway, "/mcp/t/old", &name).await;
    caller.ask("tools/call", r#"{"name":"v0","arguments":{}}"#).await.result().expect("a result");
    let spans = collector.spans(2).await;
    assert!(
        spans.iter().any(|span| {
            attributes(&span.attributes)
                .get("toolwright.client")
                .is_some_and(|name| name.starts_with("editor ["))
        }),
        "{spans:#?}"
    );
    assert_eq!(gateway.stop().expect("it ends").1, 0);
    assert!(!collector.has("ghp_abcdef") && !collector.has("blau7"), "a secret left by telemetry");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_without_a_parent_or_with_a_wrong_one_begins_a_trace() {
    let collector = Collector::start(Habit::Takes).await;
    let gateway = serve(&[("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.url)]).await;
    let mut caller = Caller::meet(&gateway, "/mcp/t/old", Era::Legacy).await;
    let wrong = standing("00-nonsense", r#","tracestate":"rojo=1""#);
    for (at, params) in [r#"{"name":"v0","arguments":{}}"#, wrong.as_str()].into_iter().enumerate() {
        let answer = caller.ask("tools/call", params).await.result().expect("a result");
        let spans = collector.spans(2 * at + 2).await;
        let [call, asking] = &spans[2 * at..] else { panic!("{spans:#?}") };
        assert!(call.parent_span_id.is_empty(), "{call:#?}");
        assert_eq!(asking.parent_span_id, call.span_id);
        let meta = seen_meta(&answer);
        let ours = format!("00-{}-{}-01", hex(&call.trace_id), hex(&asking.span_id));
        assert_eq!(meta["traceparent"], ours);
        assert!(meta.get("tracestate").is_none(), "it belongs to the parent that is none: {meta}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_header_of_the_request_counts_where_meta_is_silent() {
    let collector = Collector::start(Habit::Takes).await;
    let gateway = serve(&[("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.url)]).await;
    let header = format!("traceparent: 00-{}-{SPAN}-01\r\n", TRACE.replace('4', "5"));
    let mut count = 0;
    for era in [Era::Legacy, Era::Modern] {
        let mut caller = Caller::meet(&gateway, "/mcp/t/new", era).await;
        caller.more_headers = header.clone();
        let answer = caller.ask("tools/call", r#"{"name":"v0","arguments":{}}"#).await;
        let meta = seen_meta(&answer.result().expect("a result"));
        let spans = collector.spans(count + 2).await;
        let [call, asking] = &spans[count..] else { panic!("{spans:#?}") };
        count += 2;
        assert_eq!((hex(&call.trace_id), hex(&call.parent_span_id)), (TRACE.replace('4', "5"), SPAN.into()));
        let ours = format!("00-{}-{}-01", hex(&call.trace_id), hex(&asking.span_id));
        assert_eq!(meta["traceparent"], ours);
    }
    let mut caller = Caller::meet(&gateway, "/mcp/t/old", Era::Legacy).await;
    caller.more_headers = header;
    caller.ask("tools/call", &standing(&parent("01"), "")).await.result().expect("a result");
    let spans = collector.spans(count + 2).await;
    assert_eq!(hex(&spans[count].trace_id), TRACE, "what `_meta` says counts more");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_telemetry_nothing_is_touched() {
    let gateway =
        serve(&[("OTEL_SDK_DISABLED", "true"), ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")]).await;
    let mut caller = Caller::meet(&gateway, "/mcp/t/old", Era::Legacy).await;
    caller.more_headers = format!("traceparent: {}\r\n", parent("01"));
    for sent in [standing("00-nonsense", r#","tracestate":"rojo=1""#), standing(&parent("01"), "")] {
        let answer = caller.ask("tools/call", &sent).await.result().expect("a result");
        let mut seen = seen_meta(&answer);
        seen.as_object_mut().expect("an object").remove("progressToken");
        let sent: serde_json::Value = serde_json::from_str(&sent).expect("JSON");
        assert_eq!(seen, sent["_meta"]);
    }
    let answer = caller.call("v0", "{}").await.result().expect("a result");
    assert!(seen_meta(&answer).get("traceparent").is_none(), "{answer}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_trace_that_is_not_sampled_goes_on_without_spans() {
    let collector = Collector::start(Habit::Takes).await;
    let mut gateway = serve(&[("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.url)]).await;
    let mut caller = Caller::meet(&gateway, "/mcp/t/old", Era::Legacy).await;
    let answer = caller.ask("tools/call", &standing(&parent("00"), "")).await.result().expect("a result");
    let ours = seen_meta(&answer)["traceparent"].as_str().expect("a place").to_owned();
    assert!(ours.starts_with(&format!("00-{TRACE}-")) && ours.ends_with("-00"), "{ours}");
    assert!(!ours.contains(SPAN), "it is our place, not that of the client: {ours}");
    assert_eq!(gateway.stop().expect("it ends").1, 0);
    assert_eq!(collector.spans(0).await, Vec::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failures_and_repairs_are_told_by_kind_and_never_by_words() {
    let collector = Collector::start(Habit::Takes).await;
    let mut gateway = serve(&[("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.url)]).await;
    std::fs::write(gateway.folder().join("a.txt"), format!("the result is {SECRET}")).expect("written");
    let mut caller = Caller::meet(&gateway, "/mcp/all", Era::Legacy).await;
    let read = "builtin__files__read_file";
    for (tool, arguments) in [
        (read, r#"{"file_path":"a.txt"}"#.to_owned()),
        (read, format!(r#"{{"path":"missing-{SECRET}.txt"}}"#)),
        (read, format!(r#"{{"bogus":"{SECRET}"}}"#)),
    ] {
        let _ = caller.call(tool, &arguments).await;
    }
    // The server refuses what it does not know, and nobody knows the tool that a client makes up.
    let mut direct = Caller::meet(&gateway, "/mcp/t/old", Era::Legacy).await;
    direct.call(&format!("made-up-{SECRET}"), "{}").await.result().expect("this server answers everything");
    assert_eq!(gateway.stop().expect("it ends").1, 0);
    let spans = collector.spans(5).await;
    let [mended, failed, refused, unknown, asking] = &spans[..] else { panic!("{spans:#?}") };
    has(
        mended,
        &[
            ("toolwright.repaired", "true"),
            ("toolwright.changes", "1"),
            ("toolwright.rules", "read_file-file_path"),
            ("gen_ai.tool.name", "read_file"),
        ],
    );
    assert_eq!(mended.name, "tools/call read_file");
    has(failed, &[("error.type", "tool_error"), ("toolwright.stage.tool", "failed")]);
    has(refused, &[("error.type", "invalid_arguments"), ("toolwright.stage.protocol", "failed")]);
    for span in [failed, refused] {
        let status = span.status.as_ref().expect("a status");
        assert_eq!((status.code(), &*status.message), (StatusCode::Error, ""));
    }
    assert_eq!((&*unknown.name, &*asking.name), ("tools/call", "tools/call"));
    assert!(!collector.has(SECRET));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_collector_hears_of_no_secret_whatever_is_called() {
    let collector = Collector::start(Habit::Takes).await;
    let interval = ("OTEL_METRIC_EXPORT_INTERVAL", "200");
    let mut gateway = serve(&[("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.url), interval]).await;
    let mut caller = Caller::meet(&gateway, "/mcp", Era::Legacy).await;
    caller.call("open_toolbox", r#"{"toolbox":"builtin"}"#).await.result().expect("it is open");
    let secrets: Vec<String> = (0..50).map(|at| format!("sk-{at:02}-planted-{SECRET}")).collect();
    for secret in &secrets {
        let sent = format!(
            r#"{{"tool":{{"toolbox":"builtin","server":"files","name":"read_file"}},"arguments":{{"path":"{secret}","token":"{secret}"}}}}"#
        );
        let _ = caller.call("use_tool", &sent).await;
        let _ = caller.call(secret, "{}").await;
    }
    assert_eq!(gateway.stop().expect("it ends").1, 0);
    assert_eq!(collector.spans(50).await.len(), 50);
    for secret in &secrets {
        assert!(!collector.has(secret), "{secret}");
    }
}
