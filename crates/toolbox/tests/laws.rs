//! What holds for every call of a meta-tool, whatever is sent.

use proptest::prelude::*;
use toolwright_jsonrpc::Json;
use toolwright_toolbox::meta::{Identifier, Known, read_close, read_open, read_search, read_use_tool};

struct One;

impl Known for One {
    fn toolboxes(&self) -> Vec<String> {
        vec!["dev".to_owned()]
    }

    fn servers(&self, _: &str) -> Vec<String> {
        vec!["fs".to_owned(), "db".to_owned()]
    }

    fn tools(&self, _: &str, server: &str) -> Vec<String> {
        vec![format!("read_{server}"), "path".to_owned()]
    }

    fn configured(&self) -> Vec<(String, String)> {
        vec![("dev".to_owned(), "fs".to_owned()), ("dev".to_owned(), "db".to_owned())]
    }

    fn input_schema(&self, _: &Identifier) -> Option<String> {
        Some(r#"{"type":"object","properties":{"path":{"type":"string"}}}"#.to_owned())
    }
}

fn any_json() -> impl Strategy<Value = String> {
    let words = [
        "toolbox",
        "server",
        "name",
        "tool",
        "arguments",
        "path",
        "dev",
        "fs",
        "read_fs",
        "tool.name",
        "use_tool",
    ];
    let word = prop::sample::select(words.to_vec());
    let leaf = prop_oneof![
        word.clone().prop_map(|word| format!("\"{word}\"")),
        Just("null".to_owned()),
        Just("1.50".to_owned()),
        Just("\"{\\\"path\\\":1}\"".to_owned()),
        Just("\"\"".to_owned()),
    ];
    leaf.prop_recursive(5, 40, 5, move |inner| {
        prop_oneof![
            prop::collection::vec((word.clone(), inner.clone()), 0..5).prop_map(|members| {
                let members: Vec<String> =
                    members.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
                format!("{{{}}}", members.join(","))
            }),
            prop::collection::vec(inner, 0..3).prop_map(|items| format!("[{}]", items.join(","))),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_call_is_read_or_refused_with_a_call_that_is_right(sent in any_json(), legacy: bool) {
        match read_use_tool(&sent, &One, legacy) {
            Ok(call) => {
                prop_assert!(!call.tool.toolbox.is_empty() && !call.tool.server.is_empty() && !call.tool.name.is_empty());
                prop_assert!(call.arguments.members().is_some());
                // What is changed is told.
                let tool = Json::empty_object()
                    .with("toolbox", &Json::text(&call.tool.toolbox))
                    .with("server", &Json::text(&call.tool.server))
                    .with("name", &Json::text(&call.tool.name));
                let whole = Json::empty_object().with("tool", &tool).with("arguments", &call.arguments);
                let again = read_use_tool(whole.as_str(), &One, legacy).expect("it is right");
                prop_assert_eq!(&again.tool, &call.tool);
                prop_assert_eq!(&again.arguments, &call.arguments);
                prop_assert!(again.changes.is_empty());
            }
            Err(text) => {
                prop_assert!(text.starts_with("Invalid tool invocation parameters: "));
                let (_, example) = text.split_once("\n\nA correct call:\n").expect("an example");
                let example = read_use_tool(example, &One, false);
                prop_assert!(example.is_ok_and(|call| call.changes.is_empty()));
            }
        }
        let _ = (read_open(&sent), read_close(&sent), read_search(&sent));
    }

    #[test]
    fn any_text_is_read_or_refused(sent in "\\PC{0,60}") {
        let _ = (read_use_tool(&sent, &One, true), read_open(&sent), read_search(&sent));
    }
}
