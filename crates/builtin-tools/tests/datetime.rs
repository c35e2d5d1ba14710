//! `get_current_datetime`: the seed's sentence, other zones and forms, and what is wrong with a wrong name.

#![allow(clippy::unwrap_used, reason = "a test that cannot prepare itself stops")]

use std::sync::Arc;

use futures_util::FutureExt;
use serde_json::{Value, json};
use toolwright_builtin_tools::{BuiltinConfig, BuiltinTool, Clock, builtin_tools};
use toolwright_executor::{ToolFailure, ToolOutput};
use toolwright_model::Origin;
use toolwright_normalizer::Tool;

fn tool(at: &str) -> BuiltinTool {
    let at: jiff::Timestamp = at.parse().unwrap();
    let config = BuiltinConfig {
        clock: Clock::new(move || at),
        timezone: Some("America/New_York".to_owned()),
        ..BuiltinConfig::default()
    };
    builtin_tools(&config)
        .unwrap()
        .into_iter()
        .find(|tool| tool.definition.name == "get_current_datetime")
        .unwrap()
}

fn call(at: &str, arguments: Value) -> Result<ToolOutput, ToolFailure> {
    let tool = tool(at);
    assert!(Tool::compile(&tool.definition).unwrap().accepts(&arguments.to_string()));
    Arc::clone(&tool.function).call(arguments.to_string()).now_or_never().unwrap()
}

fn told(at: &str, arguments: Value) -> String {
    call(at, arguments).unwrap().text
}

const NOON: &str = "2026-11-16T17:05:09Z";

#[test]
fn the_sentence_is_the_seeds() {
    assert_eq!(
        told(NOON, json!({})),
        "It is currently 12:05 PM on Monday, November 16, 2026. Your timezone is America/New_York."
    );
    assert_eq!(
        told("2026-03-01T05:00:00Z", json!({})),
        "It is currently 12:00 AM on Sunday, March 1, 2026. Your timezone is America/New_York."
    );
}

#[test]
fn other_time_zones_are_told_with_their_summer_time() {
    assert_eq!(
        told(NOON, json!({"timezone": "Asia/Kolkata"})),
        "It is currently 10:35 PM on Monday, November 16, 2026. The timezone is Asia/Kolkata."
    );
    assert_eq!(
        told(NOON, json!({"timezone": "Europe/Berlin", "format": "iso"})),
        "2026-11-16T18:05:09+01:00"
    );
    assert_eq!(
        told("2026-07-01T12:00:00Z", json!({"timezone": "Europe/Berlin", "format": "iso"})),
        "2026-07-01T14:00:00+02:00"
    );
    assert_eq!(told(NOON, json!({"timezone": "europe/berlin", "format": "time"})), "18:05:09");
}

#[test]
fn forms_have_names_or_are_patterns() {
    assert_eq!(told(NOON, json!({"format": "date"})), "2026-11-16");
    assert_eq!(told(NOON, json!({"format": "unix"})), "1794848709");
    assert_eq!(told(NOON, json!({"format": "%d.%m.%Y %H:%M %Z"})), "16.11.2026 12:05 EST");
    assert_eq!(told(NOON, json!({"format": "sentence"})), told(NOON, json!({})));
}

#[test]
fn the_structured_result_fits_its_schema() {
    let structured = call(NOON, json!({"format": "date"})).unwrap().structured.unwrap();
    let schema = tool(NOON).definition.output_schema.unwrap();
    let checker =
        Tool::compile(&toolwright_model::ToolDefinition { input_schema: schema, ..Default::default() });
    assert!(checker.unwrap().accepts(&structured));
    let read: Value = serde_json::from_str(&structured).unwrap();
    assert_eq!(read["iso"], "2026-11-16T12:05:09-05:00");
}

#[test]
fn a_wrong_zone_names_the_nearest() {
    for (wrong, near) in [
        ("Europe/Berln", "Europe/Berlin"),
        ("Tokyo", "Asia/Tokyo"),
        ("America/New York", "America/New_York"),
        ("Asia/Berlin", "Europe/Berlin"),
    ] {
        let failure = call(NOON, json!({"timezone": wrong})).unwrap_err();
        assert!(matches!(&failure, ToolFailure::InvalidArguments { .. }));
        let text = failure.to_string();
        assert!(text.contains(&format!("no time zone {wrong:?}")) && text.contains(near), "{text}");
    }
    let text = call(NOON, json!({"timezone": "qqqqqq"})).unwrap_err().to_string();
    assert!(text.contains("such as Europe/Berlin"), "{text}");
}

#[test]
fn a_wrong_form_or_argument_is_explained() {
    for (format, words) in
        [("nonsense", "sentence, iso, date"), ("%Q%", "cannot be written"), ("", "strftime")]
    {
        let text = call(NOON, json!({"format": format})).unwrap_err().to_string();
        assert!(text.contains(words), "{text}");
    }
    let tool = tool(NOON);
    let done = Arc::clone(&tool.function).call(r#"{"zone":"UTC"}"#.to_owned()).now_or_never().unwrap();
    assert!(done.unwrap_err().to_string().contains("\"zone\" is not known here"));
    assert_eq!((tool.definition.origin, tool.definition.server), (Origin::BuiltIn, None));
}

#[test]
fn a_wrong_zone_in_the_configuration_is_found_at_the_start() {
    let config = BuiltinConfig { timezone: Some("Europe/Pariss".to_owned()), ..BuiltinConfig::default() };
    let text = builtin_tools(&config).err().unwrap().to_string();
    assert!(text.contains("Europe/Paris") && text.contains("configuration"), "{text}");
}
