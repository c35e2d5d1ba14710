//! The command line of the program, and its errors.

use std::process::{Command, Output, Stdio};

fn run(arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_zwave-mcp-server"))
        .args(arguments)
        .env_clear()
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .output()
        .expect("it runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

#[test]
fn help_lists_every_variable() {
    let output = run(&["--help"], &[]);
    assert_eq!(output.status.code(), Some(0));
    insta::assert_snapshot!(text(&output.stdout));
}

#[test]
fn version_is_printed() {
    let output = run(&["--version"], &[]);
    assert_eq!(text(&output.stdout), format!("zwave-mcp-server {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn wrong_settings_are_reported_on_stderr() {
    let output = run(&[], &[("MQTT_BROKER_URL", "http://house"), ("ZWAVE_API_TIMEOUT_MS", "1s")]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(text(&output.stdout), "");
    insta::assert_snapshot!(text(&output.stderr));
}

#[test]
fn unknown_flag_is_reported_on_stderr() {
    let output = run(&["--port", "80"], &[]);
    assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(2), ""));
    assert!(text(&output.stderr).contains("--port"), "{}", text(&output.stderr));
}

#[test]
fn it_ends_with_its_standard_input() {
    let output = run(&[], &[("MQTT_BROKER_URL", "mqtt://127.0.0.1:1")]);
    assert_eq!(text(&output.stdout), "");
    assert!(!text(&output.stderr).contains("panicked"), "{}", text(&output.stderr));
}
