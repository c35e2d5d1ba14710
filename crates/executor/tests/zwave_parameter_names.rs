//! Founding document 000, "MCP Tool Parameter Name Normalization": each scenario through registry and
//! executor, to what the tool's own function gets to see.

use crate::support;

use support::*;
use toolwright_executor::{Call, ToolExecutor, ToolFailure};
use toolwright_model::Code;

const CAMEL: &str = r#"{"type":"object","properties":{"newParameterName":{"type":"string"},"level":{"type":"integer"},
    "value":{}},"additionalProperties":false}"#;

fn executor() -> ToolExecutor {
    ToolExecutor::new(registry([
        (of_server("zwave", "control_zwave_device", ZWAVE), echo()),
        (of_server("demo", "set_parameter", CAMEL), echo()),
        (built_in("control_speaker_volume", CAMEL), echo()),
    ]))
}

#[tokio::test]
async fn snake_case_to_camel_case_conversion_for_mcp_tools() {
    let sent = r#"{"device_name":"Porch","action":"on"}"#;
    let outcome = executor().execute(Call::new("control_zwave_device", sent)).await;
    assert_eq!(outcome.text(), r#"{"deviceName":"Porch","action":"on"}"#);
}

#[tokio::test]
async fn built_in_tools_are_not_affected() {
    let executor = executor();
    let sent = r#"{ "level": 5, "value":"new_value" }"#;
    assert_eq!(executor.execute(Call::new("control_speaker_volume", sent)).await.text(), sent);
    let outcome =
        executor.execute(Call::new("control_speaker_volume", r#"{"new_parameter_name":"x"}"#)).await;
    assert!(outcome.result.is_err(), "what does not fit is refused, never changed");
    assert!(outcome.changes.is_empty());
}

#[tokio::test]
async fn static_parameter_mappings_for_known_mcp_tools() {
    let sent = r#"{"device_name":"Switch One","command":"on"}"#;
    let outcome = executor().execute(Call::new("control_zwave_device", sent)).await;
    assert_eq!(outcome.text(), r#"{"deviceName":"Switch One","action":"on"}"#);
}

#[tokio::test]
async fn heuristic_conversion_for_unmapped_parameters() {
    let outcome = executor().execute(Call::new("set_parameter", r#"{"new_parameter_name":"a_b"}"#)).await;
    assert_eq!(outcome.text(), r#"{"newParameterName":"a_b"}"#);
    assert_eq!(outcome.changes.iter().map(|change| change.code).collect::<Vec<_>>(), [Code::KeyForm]);
}

#[tokio::test]
async fn parameters_without_underscores_pass_through_unchanged() {
    let sent = r#"{"level":1,"value":2}"#;
    let outcome = executor().execute(Call::new("set_parameter", sent)).await;
    assert_eq!(outcome.text(), sent);
    assert!(outcome.changes.is_empty());
}

#[tokio::test]
async fn parameter_normalization_logging() {
    let log = Log::new();
    let executor = executor();
    let mapped = r#"{"device_name":"Switch One","action":"on"}"#;
    executor.execute(Call::new("control_zwave_device", mapped)).await;
    log.line(&[
        "INFO",
        r#" {device_name: "...", action: "..."} → {deviceName: "...", action: "..."}"#,
        "/device_name",
    ]);
    executor.execute(Call::new("set_parameter", r#"{"new_parameter_name":"x"}"#)).await;
    log.line(&[
        r#" {new_parameter_name: "..."} → {newParameterName: "..."}"#,
        "changes=N1 /new_parameter_name",
    ]);
    let arrows = |log: &Log| log.lines().iter().filter(|line| line.contains('→')).count();
    assert_eq!(arrows(&log), 2);
    executor.execute(Call::new("set_parameter", r#"{"newParameterName":"x"}"#)).await;
    assert_eq!(arrows(&log), 2, "nothing differs, nothing is told");
}

#[tokio::test]
async fn error_handling_with_invalid_parameters_after_normalization() {
    let message =
        "MCP error -32602: Invalid arguments: {\"path\": [\"action\"], \"message\": \"Required\"}\n";
    for failure in [ToolFailure::tool(message), ToolFailure::InvalidArguments { message: message.to_owned() }]
    {
        let registry = registry([(of_server("zwave", "control_zwave_device", ZWAVE), fails(failure))]);
        let sent = r#"{"device_name":"Porch","command":"on"}"#;
        let outcome = ToolExecutor::new(registry).execute(Call::new("control_zwave_device", sent)).await;
        assert!(!outcome.changes.is_empty());
        assert_eq!(outcome.text(), message);
    }
}
