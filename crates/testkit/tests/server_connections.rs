//! Founding document 001's demands on MCP servers, one test for each scenario, with a real child process
//! behind the executor.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use toolwright_backend::{ServerOptions, Servers, offer};
use toolwright_config::parse;
use toolwright_executor::{Call, CallOutcome, ErrorCode, ToolExecutor, ToolRegistry};
use toolwright_jsonrpc::Json;
use toolwright_mcp::{Identity, NoHost, PeerOptions};
use toolwright_toolbox::{Policy, StateName};
use tracing_subscriber::fmt::MakeWriter;

const PATIENCE: Duration = Duration::from_secs(30);
const SERVER: &str = env!("CARGO_BIN_EXE_switch-server");

/// What was logged.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    /// Hears everything that this thread logs.
    fn listen() -> (Log, tracing::subscriber::DefaultGuard) {
        let log = Log::default();
        let subscriber = tracing_subscriber::fmt()
            .with_ansi(false)
            .with_max_level(tracing::Level::DEBUG)
            .with_writer(log.clone())
            .finish();
        (log.clone(), tracing::subscriber::set_default(subscriber))
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().expect("no panic before")).into_owned()
    }
}

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("no panic before").extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl<'w> MakeWriter<'w> for Log {
    type Writer = Log;

    fn make_writer(&'w self) -> Log {
        self.clone()
    }
}

/// Servers by name, each with what stands in its entry.
fn started(entries: &[(&str, &str)], policy: Policy) -> Arc<Servers> {
    let entries: Vec<String> = entries.iter().map(|(name, entry)| format!("\"{name}\": {entry}")).collect();
    let text = format!("{{\"mcpServers\": {{{}}}}}", entries.join(", "));
    let configuration = parse(&text, Path::new("/servers.json"), &|_| None).expect("a configuration");
    assert!(configuration.problems.is_empty(), "{:?}", configuration.problems);
    let options = ServerOptions {
        identity: Identity { client: Json::empty_object(), capabilities: Json::empty_object() },
        peer: PeerOptions::default(),
        policy,
        host: Arc::new(NoHost),
        guardian: None,
        logins: None,
        timeout: None,
        local_tools: ["datetime", "search", "volume"].map(str::to_owned).to_vec(),
        definitions: None,
        is_lazy: false,
    };
    Servers::start(&configuration, |_| true, &options)
}

fn entry(args: &[&str]) -> String {
    let args: Vec<String> = args.iter().map(|arg| format!("{arg:?}")).collect();
    format!("{{\"command\": {SERVER:?}, \"args\": [{}]}}", args.join(", "))
}

/// Waits as the founding document says, a hundred times as fast.
fn quick() -> Policy {
    Policy { base_delay: Duration::from_millis(20), ..Policy::default() }
}

async fn settled(servers: &Arc<Servers>) -> ToolExecutor {
    assert!(servers.settled(PATIENCE).await, "{:?}", servers.views());
    let registry = Arc::new(ToolRegistry::new());
    offer(servers, &registry);
    ToolExecutor::new(registry)
}

async fn called(executor: &ToolExecutor, tool: &str, arguments: &str) -> CallOutcome {
    executor.execute(Call::new(tool, arguments)).await
}

#[tokio::test]
async fn debug_logs_use_stderr() {
    let servers = started(&[("zwave", &entry(&[]))], quick());
    settled(&servers).await;
    let view = servers.get("zwave").expect("it").view();
    assert!(view.stderr_tail.contains("[debug] asked for tools/list"), "{view:?}");
    assert_eq!(view.noise, 0, "nothing but messages is on stdout");
}

#[tokio::test]
async fn json_rpc_messages_use_stdout() {
    let servers = started(&[("zwave", &entry(&[]))], quick());
    let executor = settled(&servers).await;
    let outcome = called(&executor, "zwave/configure", r#"{"value":1.0}"#).await;
    assert_eq!(outcome.text(), r#"{"value":1.0}"#);
}

#[tokio::test]
async fn prevent_stdout_pollution() {
    let servers = started(&[("zwave", &entry(&["--noisy"]))], quick());
    let executor = settled(&servers).await;
    let outcome = called(&executor, "configure", "{}").await;
    assert_eq!(outcome.text(), "{}", "what is no message reaches nobody");
    assert!(servers.get("zwave").expect("it").view().noise >= 3);
}

#[tokio::test]
async fn detect_stdout_pollution() {
    let (log, _listening) = Log::listen();
    let servers = started(&[("zwave", &entry(&["--noisy"]))], quick());
    settled(&servers).await;
    let view = servers.get("zwave").expect("it").view();
    assert!(view.last_noise.iter().any(|noise| noise.contains("[debug] answering tools/list")), "{view:?}");
    assert!(log.text().contains("[debug] answering initialize"), "{}", log.text());
}

#[tokio::test]
async fn continue_operation_after_parse_error() {
    let servers = started(&[("zwave", &entry(&["--noisy"]))], quick());
    let executor = settled(&servers).await;
    for _ in 0..20 {
        assert!(called(&executor, "configure", "{}").await.result.is_ok());
    }
    assert_eq!(servers.get("zwave").expect("it").view().restarts, 0);
}

#[tokio::test]
async fn snake_case_to_camel_case_conversion_for_mcp_tools() {
    let servers = started(&[("zwave", &entry(&[]))], quick());
    let executor = settled(&servers).await;
    let sent = r#"{"device_name": "Switch One", "action": "on"}"#;
    let outcome = called(&executor, "control_zwave_device", sent).await;
    assert_eq!(outcome.text(), r#"{"deviceName":"Switch One","action":"on"}"#);
}

#[tokio::test]
async fn static_parameter_mappings_for_known_mcp_tools() {
    let servers = started(&[("zwave", &entry(&[]))], quick());
    let executor = settled(&servers).await;
    let sent = r#"{"device_name": "Switch One", "command": "on"}"#;
    let outcome = called(&executor, "control_zwave_device", sent).await;
    assert_eq!(outcome.text(), r#"{"deviceName":"Switch One","action":"on"}"#);
    assert_eq!(outcome.changes.len(), 2);
}

#[tokio::test]
async fn heuristic_conversion_for_unmapped_parameters() {
    let servers = started(&[("zwave", &entry(&[]))], quick());
    let executor = settled(&servers).await;
    let outcome = called(&executor, "configure", r#"{"new_parameter_name": "x"}"#).await;
    assert_eq!(outcome.text(), r#"{"newParameterName":"x"}"#);
}

#[tokio::test]
async fn parameters_without_underscores_pass_through_unchanged() {
    let servers = started(&[("zwave", &entry(&[]))], quick());
    let executor = settled(&servers).await;
    let sent = r#"{"deviceName":"Switch One", "action":"off", "level":50}"#;
    let outcome = called(&executor, "control_zwave_device", sent).await;
    assert_eq!((&*outcome.text(), outcome.changes.len()), (sent, 0), "byte for byte");
}

#[tokio::test]
async fn parameter_normalization_logging() {
    let (log, _listening) = Log::listen();
    let servers = started(&[("zwave", &entry(&[]))], quick());
    let executor = settled(&servers).await;
    called(&executor, "configure", r#"{"new_parameter_name": "x"}"#).await;
    let logged = log.text();
    assert!(logged.contains(r#"{new_parameter_name: "..."} → {newParameterName: "..."}"#), "{logged}");
}

#[tokio::test]
async fn error_handling_with_invalid_parameters_after_normalization() {
    let servers = started(&[("zwave", &entry(&[]))], quick());
    let executor = settled(&servers).await;
    for (device, said) in [
        ("Nowhere", "Device \"Nowhere\" not found. Known: Switch One"),
        ("Broken", "MCP error -32602: nodeId is required"),
    ] {
        let sent = format!(r#"{{"device_name": "{device}", "command": "on"}}"#);
        let error = called(&executor, "control_zwave_device", &sent).await.result.unwrap_err();
        assert_eq!((error.code, error.details.as_str()), (ErrorCode::ToolError, said), "unchanged");
    }
}

#[tokio::test]
async fn successful_connection_on_first_attempt() {
    let (log, _listening) = Log::listen();
    let servers = started(&[("zwave", &entry(&[]))], quick());
    let executor = settled(&servers).await;
    assert_eq!(executor.registry().snapshot().tools().len(), 2);
    assert!(!log.text().contains("attempt"), "{}", log.text());
}

#[tokio::test]
async fn successful_connection_after_retry() {
    let (log, _listening) = Log::listen();
    let folder = tempfile::tempdir().expect("a folder");
    let counter = folder.path().join("starts");
    let fails = entry(&["--fails", "1", &counter.to_string_lossy()]);
    let servers = started(&[("zwave", &fails)], quick());
    let executor = settled(&servers).await;
    assert!(log.text().contains("MCP connection succeeded on attempt 2"), "{}", log.text());
    assert!(called(&executor, "configure", "{}").await.result.is_ok());
}

#[tokio::test]
async fn connection_fails_after_all_retries() {
    let (log, _listening) = Log::listen();
    let folder = tempfile::tempdir().expect("a folder");
    let counter = folder.path().join("starts");
    let fails = entry(&["--fails", "1000", &counter.to_string_lossy()]);
    let servers = started(&[("zwave", &fails), ("other", &entry(&[]))], quick());
    let executor = settled(&servers).await;
    let logged = log.text();
    assert!(logged.contains("MCP connection failed after 3 attempts"), "{logged}");
    assert!(logged.contains("❌ Failed to initialize MCP tools after 3 attempts"), "{logged}");
    assert!(logged.contains("MCP Server stderr: Error: connect ECONNREFUSED 127.0.0.1:1883"), "{logged}");
    assert!(called(&executor, "other/configure", "{}").await.result.is_ok(), "the others go on");
}

#[tokio::test]
async fn clear_user_facing_error_messages() {
    let (log, _listening) = Log::listen();
    let servers = started(&[("zwave", r#"{"command": "/no/such/zwave-mcp-server"}"#)], quick());
    let seen = servers.get("zwave").expect("it");
    while !log.text().contains("❌") {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let logged = log.text();
    for said in [
        "❌ Failed to initialize MCP tools after 3 attempts",
        "Reason: Connection to stdio server 'zwave' failed",
        "Check: MQTT broker running, zwave-mcp-server installed",
        "⚠️ Continuing with local tools only (datetime, search, volume)",
    ] {
        assert!(logged.contains(said), "{said} is not in\n{logged}");
    }
    assert_eq!(seen.view().state, StateName::Backoff);
}

#[tokio::test]
async fn retry_does_not_block_startup() {
    let hangs = r#"{"command": "sleep", "args": ["1000"]}"#;
    let entries =
        [("hangs", hangs), ("missing", r#"{"command": "/no/such/program"}"#), ("good", &entry(&[]))];
    let servers = started(&entries, Policy::default());
    let good = servers.get("good").expect("it");
    tokio::time::timeout(PATIENCE, good.settled()).await.expect("it waits for nobody");
    assert_eq!(good.view().state, StateName::Ready);
    assert_eq!(servers.get("hangs").expect("it").view().state, StateName::Starting);
}

#[tokio::test]
async fn calls_that_run_out_of_time_are_asked_to_stop_and_make_their_server_degraded() {
    let hostile = env!("CARGO_BIN_EXE_hostile-server");
    let entry = format!("{{\"command\": {hostile:?}, \"args\": [\"--lists-habits\"], \"timeoutMs\": 300}}");
    let servers = started(&[("slow", &entry)], quick());
    let executor = settled(&servers).await;
    for _ in 0..3 {
        let outcome = called(&executor, "slow/hang", "{}").await;
        let error = outcome.result.as_ref().expect_err("no answer");
        assert_eq!(error.code, ErrorCode::Timeout);
        assert!(error.sentence.contains("and was asked to stop"), "{}", error.sentence);
        assert!(error.details.contains("whether it did is not known"), "{}", error.details);
    }
    let server = servers.get("slow").expect("it");
    let mut seen = server.supervisor.subscribe();
    let degraded = seen.wait_for(|seen| seen.snapshot.state.name() == StateName::Degraded);
    tokio::time::timeout(PATIENCE, degraded).await.expect("in time").expect("degraded");
    // An answer that cannot be read is an error of the tool, and names what is wrong.
    let outcome = called(&executor, "slow/error-as-text", "{}").await;
    let error = outcome.result.as_ref().expect_err("no answer");
    assert_eq!(error.code, ErrorCode::ToolError);
    assert!(error.details.contains("boom"), "{}", error.details);
}
