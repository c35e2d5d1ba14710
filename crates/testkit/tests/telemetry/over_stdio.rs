//! The same for a client that starts the gateway itself.

use std::process::Stdio;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::Command;

use crate::collector::{Collector, Habit, attributes, hex};
use crate::{SPAN, TRACE, beside, programs};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_over_stdio_is_a_span_that_is_sent_at_the_end() {
    let collector = Collector::start(Habit::Takes).await;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("servers.json");
    let configuration = json!({"mcpServers": {"old": {"command": beside("era-server"), "args": []}}});
    std::fs::write(&file, configuration.to_string()).expect("written");
    let mut command = Command::new(programs().toolwright);
    command.args(["stdio", "--toolbox", "default", "--config"]).arg(&file).current_dir(folder.path());
    for name in ["HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME"] {
        command.env(name, folder.path());
    }
    let mut child = command
        .env("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.url)
        .env("OTEL_SERVICE_NAME", "beside me")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("it starts");
    let mut input = child.stdin.take().expect("stdin");
    let mut output = BufReader::new(child.stdout.take().expect("stdout")).lines();
    let traceparent = format!("00-{TRACE}-{SPAN}-01");
    for message in [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "me", "version": "1"}}}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
            "name": "v0", "arguments": {}, "_meta": {"traceparent": traceparent}}}),
    ] {
        input.write_all(format!("{message}\n").as_bytes()).await.expect("written");
    }
    let seen = loop {
        let line = output.next_line().await.expect("a line").expect("an answer");
        let message: Value = serde_json::from_str(&line).expect("JSON");
        if message["id"] == 2 {
            break message["result"]["asked"]["_meta"]["traceparent"].clone();
        }
    };
    drop(input);
    assert!(child.wait().await.expect("it ends").success());
    let spans = collector.spans(2).await;
    let [call, asking] = &spans[..] else { panic!("{spans:#?}") };
    assert_eq!((hex(&call.trace_id), hex(&call.parent_span_id)), (TRACE.into(), SPAN.into()));
    assert_eq!(seen, format!("00-{TRACE}-{}-01", hex(&asking.span_id)));
    let about = attributes(&call.attributes);
    assert_eq!((&*about["network.transport"], &*about["toolwright.front"]), ("pipe", "stdio"));
    assert_eq!(collector.resource()["service.name"], "beside me");
}
