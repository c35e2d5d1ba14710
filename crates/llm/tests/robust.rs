//! No input makes a reader or a writer panic, and what is written is JSON.

use std::fs;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use proptest::prelude::*;
use serde_json::{Value, json};
use toolwright_jsonrpc::raw;
use toolwright_llm::form::{Request, Response};
use toolwright_llm::{Dialect, Notes, Reply, Target, dialects, fit};

/// Everything that comes in in the golden files.
static INPUTS: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut files: Vec<_> = fs::read_dir(root)
        .expect("the golden folder")
        .flat_map(|folder| fs::read_dir(folder.expect("a folder").path()).expect("a folder"))
        .map(|file| file.expect("a file").path())
        .filter(|path| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            name.ends_with(".json") && !name.ends_with(".target.json")
        })
        .collect();
    files.sort();
    // A new golden file is empty until it is filled.
    files
        .iter()
        .filter_map(|path| serde_json::from_str(&fs::read_to_string(path).expect("a text")).ok())
        .collect()
});

/// Reads a text as everything that it could be, and writes what was read in every dialect.
fn take(text: &str) {
    let reply =
        Reply { request: Arc::new(Request::default()), id: "x".to_owned(), created: 1, estimated_input: 3 };
    for from in Dialect::ALL {
        if let Ok(request) = dialects::of(from).read_request(text) {
            for to in Dialect::ALL {
                let mut target = Target::new(to, "m");
                for takes_all in [true, false] {
                    (target.takes_inline_system, target.takes_neighbours) = (takes_all, takes_all);
                    target.takes_user_after_results = takes_all;
                    let (mut request, mut notes) = (request.clone(), Notes::default());
                    if fit::fit(&mut request, &target, &mut notes).is_err() {
                        continue;
                    }
                    if let Ok(body) = dialects::write_request(&request, &target, &mut notes) {
                        assert_eq!(raw::check(&body), Ok(()), "{body}");
                    }
                }
            }
            // What a request says is said again in answers to it.
            let reply = Reply { request: Arc::new(request), ..reply.clone() };
            let body = dialects::of(from).write_response(&Response::default(), &reply);
            assert_eq!(raw::check(&body), Ok(()), "{body}");
        }
        if let Ok(response) = dialects::of(from).read_response(text) {
            for to in Dialect::ALL {
                let body = dialects::of(to).write_response(&response, &reply);
                assert_eq!(raw::check(&body), Ok(()), "{body}");
            }
        }
        for status in [0, 200, 400, 429, 503, 999] {
            let failure = dialects::of(from).read_error(status, text);
            assert!(failure.status >= 400, "{failure:?}");
            assert!(!failure.message.is_empty());
            for to in Dialect::ALL {
                assert_eq!(raw::check(&dialects::of(to).write_error(&failure, "req_1")), Ok(()));
            }
        }
    }
}

/// Puts another value in the place of one of all values, counted from the outside in.
fn replace(value: &mut Value, at: &mut usize, with: &Value) -> bool {
    if *at == 0 {
        *value = with.clone();
        return true;
    }
    *at -= 1;
    match value {
        Value::Array(items) => items.iter_mut().any(|item| replace(item, at, with)),
        Value::Object(members) => members.values_mut().any(|item| replace(item, at, with)),
        _ => false,
    }
}

fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(members) => members.values().map(count).sum(),
        _ => 0,
    }
}

fn strange() -> impl Strategy<Value = Value> {
    prop::sample::select(vec![
        json!(null),
        json!(true),
        json!(-1),
        json!(1e300),
        json!(""),
        json!("tool_use"),
        json!("x"),
        json!([]),
        json!([null]),
        json!([[]]),
        json!({}),
        json!({"type": "text"}),
        json!({"type": "tool_result", "tool_use_id": ""}),
        json!({"type": "error"}),
        json!({"role": "assistant", "content": null}),
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn a_body_with_two_strange_values_is_taken_or_refused(
        file in any::<prop::sample::Index>(),
        places in prop::collection::vec((any::<prop::sample::Index>(), strange()), 1..3),
    ) {
        let mut body = INPUTS[file.index(INPUTS.len())].clone();
        for (place, with) in places {
            let mut at = place.index(count(&body));
            replace(&mut body, &mut at, &with);
        }
        take(&body.to_string());
    }

    #[test]
    fn any_text_is_taken_or_refused(text in "[\\[\\]{}:,\"0-9a-z<>/\\\\ é]{0,40}") {
        take(&text);
    }
}

#[test]
fn depth_and_halves_are_refused() {
    take(&"[".repeat(100_000));
    let deep = format!(r#"{{"model":"m","messages":{}1{}}}"#, "[".repeat(5000), "]".repeat(5000));
    for dialect in Dialect::ALL {
        assert!(dialects::of(dialect).read_request(&deep).is_err());
    }
    take(&deep);
    for input in INPUTS.iter() {
        let text = input.to_string();
        let half = (0..=text.len() / 2).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        take(&text[..half]);
    }
}
