//! Whatever is sent: execute never panics, and a tool only ever sees arguments that its schema accepts, by
//! the word of an independent validator.

use crate::support;

use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use serde_json::Value;
use support::*;
use toolwright_executor::{Call, ErrorCode, ToolExecutor, ToolOutput};
use toolwright_model::{Finish, Origin};

const SCHEMAS: &[&str] = &[
    ANY_OBJECT,
    ZWAVE,
    r#"{"type":"object","properties":{"path":{"type":"string","minLength":1},"lines":{"type":"array","items":{"type":"integer"}},
        "raw":{"type":"boolean"}},"required":["path"],"additionalProperties":false}"#,
    r#"{"type":"object","properties":{"filter":{"type":"object","properties":{"user_id":{"type":"integer"},"tags":{"type":"array",
        "items":{"enum":["a","b"]},"maxItems":3}},"required":["user_id"]},"ratio":{"type":"number","maximum":1}},"required":["filter"]}"#,
    r#"{"type":"object","properties":{"target":{"anyOf":[{"type":"integer"},{"type":"object","properties":{"id":{"type":"string"}},
        "required":["id"]}]},"token":{"type":["string","null"]}}}"#,
];

/// What the tools saw, by the place of their schema.
type Seen = Arc<Mutex<Vec<(usize, String)>>>;

fn executor(seen: &Seen) -> ToolExecutor {
    let tool = |(place, schema): (usize, &&str)| {
        [Origin::Server, Origin::BuiltIn].map(|origin| {
            let seen = Arc::clone(seen);
            let note = function(move |arguments: String| {
                seen.lock().expect("no test panics with it").push((place, arguments));
                async { Ok(ToolOutput::text("done")) }
            });
            let name = format!("tool_{place}_{origin:?}").to_lowercase();
            match origin {
                Origin::Server => (of_server("demo", &name, schema), note),
                Origin::BuiltIn => (built_in(&name, schema), note),
            }
        })
    };
    ToolExecutor::new(registry(SCHEMAS.iter().enumerate().flat_map(tool)))
}

fn key() -> impl Strategy<Value = String> {
    const KNOWN: &[&str] = &[
        "deviceName",
        "device_name",
        "action",
        "command",
        "level",
        "path",
        "file_path",
        "lines",
        "raw",
        "filter",
        "user_id",
        "userId",
        "tags",
        "ratio",
        "target",
        "id",
        "token",
        "arguments",
        "input",
    ];
    prop_oneof![4 => prop::sample::select(KNOWN).prop_map(str::to_owned), 1 => ".{0,6}"]
}

fn json() -> impl Strategy<Value = Value> {
    let text = prop_oneof!["(on|off|ON|dim|a|b|true|12|1.5|\\[1\\]|\\{\\}|null)", ".{0,8}"];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-5_i64..120).prop_map(Value::from),
        (-2.0..2.0_f64).prop_map(Value::from),
        text.prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key(), inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn arguments() -> impl Strategy<Value = String> {
    let object = prop::collection::vec((key(), json()), 0..5)
        .prop_map(|members| Value::Object(members.into_iter().collect()).to_string())
        .boxed();
    let cut = (object.clone(), 0..80_usize).prop_map(|(text, end)| text.chars().take(end).collect());
    let quoted = object.clone().prop_map(|text| Value::from(text).to_string());
    let plain = object.clone().prop_map(|text| text.replace('"', "'"));
    prop_oneof![6 => object, 1 => cut, 1 => quoted, 1 => plain, 1 => json().prop_map(|value| value.to_string()), 1 => ".{0,40}"]
}

fn name() -> impl Strategy<Value = String> {
    let known = (0..SCHEMAS.len(), any::<bool>(), 0..4_u8).prop_map(|(place, is_ours, form)| {
        let name = format!("tool_{place}_{}", if is_ours { "builtin" } else { "server" });
        match form {
            0 | 1 => name,
            2 => format!("mcp__demo__{name}"),
            _ => name.replace('_', "-").to_uppercase(),
        }
    });
    prop_oneof![9 => known, 1 => ".{0,20}"]
}

fn finish() -> impl Strategy<Value = Finish> {
    prop_oneof![Just(Finish::Unknown), Just(Finish::Stop), Just(Finish::Length)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn tools_only_see_arguments_that_their_schemas_accept(name in name(), sent in arguments(), finish in finish()) {
        let seen = Seen::default();
        let log = Log::new();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        let outcome = runtime.block_on(executor(&seen).execute(Call::new(name, sent.clone()).with_finish(finish)));
        let seen = seen.lock().expect("no test panics with it");
        match &outcome.result {
            Ok(_) => prop_assert_eq!(seen.len(), 1),
            Err(error) => {
                prop_assert!(seen.is_empty(), "a call that failed was run");
                prop_assert!(error.code != ErrorCode::Panicked, "{}", error.details);
            }
        }
        for (place, arguments) in seen.iter() {
            let value: Value = serde_json::from_str(arguments).expect("a tool gets JSON");
            prop_assert!(value.is_object());
            let schema: Value = serde_json::from_str(SCHEMAS[*place]).expect("a schema");
            prop_assert!(jsonschema::is_valid(&schema, &value), "{} for {}", arguments, SCHEMAS[*place]);
            let is_ours = outcome.tool.as_ref().is_some_and(|tool| tool.server().is_none());
            let was_nothing = ["", "null", "None", "undefined"].contains(&sent.trim());
            if outcome.changes.is_empty() || is_ours && !was_nothing {
                prop_assert_eq!(arguments, &sent, "without a change, and for our own tools, the same bytes");
            }
        }
        prop_assert!(!log.lines().is_empty(), "every call is logged");
    }
}
