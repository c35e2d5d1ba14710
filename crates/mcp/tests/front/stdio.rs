//! Clients that started us: both eras over lines.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use toolwright_jsonrpc::Json;
use toolwright_mcp::front::{FrontLimits, Fronts, Service, Visitor};

use crate::scripted::*;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf, split};
use tokio::task::JoinHandle;
use tokio::time::timeout;

struct Desk {
    service: Arc<Scripted>,
    fronts: Arc<Fronts>,
    input: Option<WriteHalf<DuplexStream>>,
    output: Lines<BufReader<ReadHalf<DuplexStream>>>,
    served: JoinHandle<()>,
}

impl Desk {
    fn new() -> Desk {
        Desk::with(FrontLimits { stdio_grace: Duration::from_millis(300), ..FrontLimits::default() })
    }

    fn with(limits: FrontLimits) -> Desk {
        let (service, fronts) = (Scripted::new(), fronts(limits));
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let (reader, writer) = split(theirs);
        let (behind, front) = (Arc::clone(&service) as Arc<dyn Service>, Arc::clone(&fronts));
        let served = tokio::spawn(async move {
            front.serve_stdio(behind, reader, writer, Visitor::everywhere("stdio")).await;
        });
        let (output, input) = split(ours);
        Desk { service, fronts, input: Some(input), output: BufReader::new(output).lines(), served }
    }

    async fn write(&mut self, line: &str) {
        let input = self.input.as_mut().expect("open");
        input.write_all(format!("{line}\n").as_bytes()).await.expect("written");
    }

    async fn read(&mut self) -> Json {
        let line = timeout(PATIENCE, self.output.next_line()).await.expect("a line in time");
        json(&line.expect("a line").expect("more lines"))
    }

    async fn ask(&mut self, line: &str) -> Json {
        self.write(line).await;
        self.read().await
    }

    async fn initialize(&mut self, revision: &str) {
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":"init","method":"initialize","params":{{"protocolVersion":"{revision}","capabilities":{{"elicitation":{{}}}}}}}}"#
        );
        let said = self.ask(&line).await;
        assert_eq!(
            said.get("result").expect("a result").get_text("protocolVersion").as_deref(),
            Some(revision)
        );
        self.write(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    }

    /// Ends the input and waits for the end.
    async fn end(mut self) -> Vec<String> {
        let mut input = self.input.take().expect("open");
        input.shutdown().await.expect("closed");
        drop(input);
        let mut rest = Vec::new();
        while let Ok(Some(line)) = timeout(PATIENCE, self.output.next_line()).await.expect("an end in time") {
            rest.push(line);
        }
        timeout(PATIENCE, self.served).await.expect("an end in time").expect("no panic");
        rest
    }
}

fn modern_call(id: &str, tool: &str, more: &str, meta: &str) -> String {
    modern_body(
        id,
        "tools/call",
        &format!(r#""name":"{tool}","arguments":{{}}{more}"#),
        r#"{"elicitation":{}}"#,
        meta,
    )
}

#[tokio::test]
async fn a_legacy_client_speaks_over_lines() {
    let mut desk = Desk::new();
    let early = desk.ask(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#).await;
    assert_eq!(error_code(&early), Some(-32600));
    desk.initialize("2025-06-18").await;
    assert_eq!(desk.fronts.counts().sessions, 1);
    let said = desk.ask(&call(1, "echo")).await;
    assert_eq!(said.get("id").unwrap().as_str(), "1");
    assert!(said.get("result").unwrap().get("resultType").is_none());
    assert!(desk.ask(r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#).await.get("result").is_some());
    let again = desk
        .ask(r#"{"jsonrpc":"2.0","id":3,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}"#)
        .await;
    assert_eq!(error_code(&again), Some(-32600));
    // Changes come by themselves.
    until("the session listens", || desk.service.listening() == 1).await;
    desk.service.tell(notification("notifications/tools/list_changed", "{}")).await;
    assert_eq!(desk.read().await.get_text("method").as_deref(), Some("notifications/tools/list_changed"));
    let (service, fronts) = (Arc::clone(&desk.service), Arc::clone(&desk.fronts));
    assert!(desk.end().await.is_empty());
    assert_eq!(service.ended.load(Ordering::SeqCst), 1);
    assert_eq!(fronts.counts().sessions, 0);
    until("nobody listens", || service.listening() == 0).await;
}

#[tokio::test]
async fn a_modern_client_speaks_over_the_same_lines() {
    let mut desk = Desk::new();
    let said = desk.ask(&modern_body("0", "server/discover", "", "{}", "")).await;
    assert!(said.get("result").unwrap().get("supportedVersions").is_some());
    let said = desk.ask(&modern_call("1", "echo", "", "")).await;
    assert_eq!(said.get("result").unwrap().get_text("resultType").as_deref(), Some("complete"));
    assert!(desk.service.last().client.session.is_some());
    let said = desk.ask(&modern_body("2", "ping", "", "{}", "")).await;
    assert_eq!(error_code(&said), Some(-32601));
    let odd = modern_call("3", "echo", "", "").replace("2026-07-28", "2031-01-01");
    assert_eq!(error_code(&desk.ask(&odd).await), Some(-32022));
    let probe = r#"{"jsonrpc":"2.0","id":4,"method":"server/discover"}"#;
    assert_eq!(error_code(&desk.ask(probe).await), Some(-32602));
    // The eras do not disturb each other.
    desk.initialize("2025-11-25").await;
    assert!(desk.ask(&modern_call("5", "echo", "", "")).await.get("result").is_some());
    desk.end().await;
}

#[tokio::test]
async fn requests_are_worked_on_at_once_and_can_be_cancelled() {
    let mut desk = Desk::new();
    desk.initialize("2025-06-18").await;
    desk.write(&call(1, "wait")).await;
    desk.write(&modern_call("2", "hang", "", "")).await;
    assert_eq!(desk.ask(&call(3, "echo")).await.get("id").unwrap().as_str(), "3");
    let twice = desk.ask(&call(2, "echo")).await;
    assert_eq!(error_code(&twice), Some(-32600));
    desk.write(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#).await;
    until("it is dropped", || desk.service.dropped.load(Ordering::SeqCst) == 1).await;
    desk.service.go.notify_one();
    assert_eq!(desk.read().await.get("id").unwrap().as_str(), "1");
    // The id is free again.
    until("nothing is in flight", || desk.fronts.counts().requests_in_flight == 0).await;
    assert!(desk.ask(&call(2, "echo")).await.get("result").is_some());
    desk.end().await;
}

#[tokio::test]
async fn questions_go_both_ways_of_the_eras() {
    let mut desk = Desk::new();
    desk.initialize("2025-06-18").await;
    let question = desk.ask(&call(1, "ask")).await;
    assert_eq!(question.get_text("method").as_deref(), Some("elicitation/create"));
    let id = question.get("id").unwrap();
    let said = desk.ask(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"a":1}}}}"#)).await;
    assert!(said.as_str().contains(r#"{\"a\":1}"#), "{said}");

    let asking = desk.ask(&modern_call("2", "ask", "", "")).await.get("result").unwrap();
    assert_eq!(asking.get_text("resultType").as_deref(), Some("input_required"));
    let key = asking.get("inputRequests").unwrap().members().unwrap()[0].key.to_string();
    let state = asking.get("requestState").unwrap();
    let more = format!(r#","inputResponses":{{"{key}":{{"a":2}}}},"requestState":{state}"#);
    let said = desk.ask(&modern_call("3", "ask", &more, "")).await;
    assert_eq!(said.get("id").unwrap().as_str(), "3");
    assert!(said.as_str().contains(r#"{\"a\":2}"#), "{said}");
    desk.end().await;
}

#[tokio::test]
async fn a_subscription_over_lines_ends_when_it_is_cancelled() {
    let mut desk = Desk::new();
    let listen = modern_body(
        "\"s\"",
        "subscriptions/listen",
        r#""notifications":{"toolsListChanged":true}"#,
        "{}",
        "",
    );
    let first = desk.ask(&listen).await;
    assert_eq!(first.get_text("method").as_deref(), Some("notifications/subscriptions/acknowledged"));
    desk.service.tell(notification("notifications/tools/list_changed", "{}")).await;
    let told = desk.read().await;
    assert_eq!(
        told.get("params").unwrap().get("_meta").unwrap().as_str(),
        r#"{"io.modelcontextprotocol/subscriptionId":"s"}"#
    );
    desk.write(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"s"}}"#).await;
    until("nobody listens", || desk.service.listening() == 0).await;
    // One that is open does not hold the end up.
    desk.ask(&listen).await;
    let begin = tokio::time::Instant::now();
    let rest = desk.end().await;
    assert_eq!(rest.len(), 1, "it ends gracefully");
    assert!(begin.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn what_is_no_message_is_answered_and_the_next_line_is_read() {
    let mut desk = Desk::with(FrontLimits { line_bytes: 2000, ..FrontLimits::default() });
    for (line, code) in [
        ("nonsense", -32700),
        ("{}", -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"x"}"#, -32600),
        ("[]", -32600),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600),
    ] {
        assert_eq!(error_code(&desk.ask(line).await), Some(code), "{line}");
    }
    assert_eq!(error_code(&desk.ask(&"x".repeat(5000)).await), Some(-32600));
    desk.write("").await;
    desk.write("  \r").await;
    assert!(desk.ask(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#).await.get("result").is_some());
    desk.initialize("2025-03-26").await;
    let batch = format!(r#"[{},{{"jsonrpc":"2.0","id":9,"method":"ping"}}]"#, call(8, "echo"));
    assert_eq!(desk.ask(&batch).await.items().unwrap().len(), 2);
    desk.end().await;
}

#[tokio::test]
async fn the_end_of_the_input_leaves_a_short_grace() {
    let mut desk = Desk::new();
    desk.initialize("2025-06-18").await;
    desk.write(&call(1, "wait")).await;
    desk.write(&call(2, "hang")).await;
    until("both are in flight", || desk.fronts.counts().requests_in_flight == 2).await;
    let service = Arc::clone(&desk.service);
    service.go.notify_one();
    let rest = desk.end().await;
    assert_eq!(rest.len(), 1, "{rest:?}");
    assert!(rest[0].contains("\"id\":1"));
    assert_eq!(service.dropped.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_line_without_an_end_is_a_message_too() {
    let mut desk = Desk::new();
    let input = desk.input.as_mut().unwrap();
    input.write_all(br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#).await.unwrap();
    assert_eq!(desk.end().await, [r#"{"jsonrpc":"2.0","id":1,"result":{}}"#]);
}

#[tokio::test]
async fn closing_the_front_ends_the_connection() {
    let mut desk = Desk::new();
    desk.initialize("2025-06-18").await;
    desk.fronts.close();
    timeout(PATIENCE, desk.served).await.unwrap().unwrap();
}
