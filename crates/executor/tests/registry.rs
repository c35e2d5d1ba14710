//! Founding document 001, "tool-execution": a named test for each scenario on the registry.

use crate::support;

use std::sync::Arc;
use std::thread;

use support::*;
use toolwright_executor::registry::{Place, Replaced};
use toolwright_executor::{Call, ErrorCode, Format, ToolExecutor, ToolRegistry};
use toolwright_model::{Annotations, ToolDefinition};

fn names(registry: &ToolRegistry) -> Vec<String> {
    registry.snapshot().callable_names().map(str::to_owned).collect()
}

// === Requirement: Tool Registry ===

#[test]
fn register_tool_at_startup() {
    let registry = ToolRegistry::new();
    let changes = registry.subscribe();
    let tools = [
        (built_in("get_datetime", ANY_OBJECT), echo()),
        (built_in("", ANY_OBJECT), echo()),
        (of_server("zwave", "control_zwave_device", ZWAVE), echo()),
    ];
    let registered = registry.register_all(tools);
    assert_eq!(registered.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, true]);
    assert_eq!(registered[2].as_ref().expect("in order").qualified_name, "zwave/control_zwave_device");
    assert_eq!(names(&registry), ["get_datetime", "control_zwave_device"]);
    assert_eq!((*changes.borrow(), registry.snapshot().generation()), (1, 1), "one change");
    registry.register_all([]);
    assert_eq!(registry.remove_server("nobody"), 0);
    assert_eq!(*changes.borrow(), 1, "nothing changed");
}

#[test]
fn get_tool_definition() {
    let schema = r#"{"type":"object","required":["b"], "properties":{"b":{"type":"number","maximum":1.50e2,"default":12345678901234567890123},"a":{"type":"string"}}}"#;
    let definition = ToolDefinition {
        description: "Says \"hello\".".to_owned(),
        output_schema: Some(r#"{"type":"object", "minProperties":1}"#.to_owned()),
        annotations: Annotations { destructive: true, ..Annotations::default() },
        ..of_server("demo", "say.hello", schema)
    };
    let registry = registry([(definition, echo())]);
    let text = |format| registry.definitions(format).get().to_owned();
    assert_eq!(
        text(Format::Anthropic),
        format!(r#"[{{"name":"say_hello","description":"Says \"hello\".","input_schema":{schema}}}]"#)
    );
    let function = format!(
        r#"[{{"type":"function","function":{{"name":"say_hello","description":"Says \"hello\".","parameters":{schema}}}}}]"#
    );
    assert_eq!(text(Format::OpenAi), function);
    assert_eq!(text(Format::Ollama), function);
    assert_eq!(
        text(Format::Mcp),
        format!(
            r#"[{{"name":"say.hello","description":"Says \"hello\".","inputSchema":{schema},"outputSchema":{{"type":"object", "minProperties":1}},"annotations":{{"destructiveHint":true}}}}]"#
        )
    );
    assert_eq!(ToolRegistry::new().definitions(Format::Mcp).get(), "[]");
}

#[tokio::test]
async fn get_tool_executor_function() {
    let registry = registry([(of_server("demo", "greet", ANY_OBJECT), answers("hello"))]);
    for name in ["greet", "demo/greet"] {
        let tool = registry.get(name).expect("it is registered");
        assert_eq!(tool.function().call("{}".to_owned()).await.expect("it answers").text, "hello");
    }
    assert!(registry.get("demo").is_none() && registry.get("other/greet").is_none());
}

// === Requirement: Tool Definition Format ===

#[test]
fn validate_tool_definition() {
    let good = || of_server("demo", "read_file", ANY_OBJECT);
    let named = |name: &str| of_server("demo", name, ANY_OBJECT);
    let with_schema = |schema: &str| of_server("demo", "read_file", schema);
    let with_output = |schema: &str| ToolDefinition { output_schema: Some(schema.to_owned()), ..good() };
    let described = |text: &str| ToolDefinition { description: text.to_owned(), ..good() };
    let long = "a".repeat(129);
    let cases = [
        (named(""), Place::Name),
        (built_in("read file", ANY_OBJECT), Place::Name),
        (built_in("lösche", ANY_OBJECT), Place::Name),
        (named("read\nfile"), Place::Name),
        (named("read\u{202e}file"), Place::Name),
        (named(&long), Place::Name),
        (of_server("", "a", ANY_OBJECT), Place::Server),
        (of_server("builtin", "a", ANY_OBJECT), Place::Server),
        (of_server("a/b", "a", ANY_OBJECT), Place::Server),
        (ToolDefinition { server: Some("x".to_owned()), ..built_in("a", ANY_OBJECT) }, Place::Server),
        (described(""), Place::Description),
        (described(" \n"), Place::Description),
        (described("123 …"), Place::Description),
        (with_schema(""), Place::InputSchema),
        (with_schema("{"), Place::InputSchema),
        (with_schema("true"), Place::InputSchema),
        (with_schema("[]"), Place::InputSchema),
        (with_schema(r#"{"type":"string"}"#), Place::InputSchema),
        (with_schema(r#"{"type":"object","properties":[]}"#), Place::InputSchema),
        (with_schema(r#"{"type":"object","required":"a"}"#), Place::InputSchema),
        (with_output("no"), Place::OutputSchema),
        (with_output("[]"), Place::OutputSchema),
        (with_output(r#"{"properties":1}"#), Place::OutputSchema),
    ];
    let registry = ToolRegistry::new();
    let mut texts = Vec::new();
    for (definition, place) in cases {
        let error = registry.register(definition.clone(), echo()).expect_err("not in order");
        assert_eq!(error.place, place, "{definition:?}");
        texts.push(error.to_string());
    }
    assert!(registry.snapshot().tools().is_empty());
    insta::assert_snapshot!(texts.join("\n"));
    registry.register(with_output(r#"{"type":"array"}"#), echo()).expect("a result may be a list");
    let edge = "a".repeat(128);
    for name in ["read_file", "a.b-c/d_1", edge.as_str(), "read file", "lösche", "読む"] {
        registry.register(named(name), echo()).expect("in order");
    }
}

#[test]
fn ensure_tool_uniqueness() {
    let log = Log::new();
    let registry = registry([
        (of_server("demo", "first", ANY_OBJECT), answers("old")),
        (of_server("demo", "second", ANY_OBJECT), echo()),
    ]);
    assert!(log.lines().is_empty());
    let again = registry.register(of_server("demo", "first", ZWAVE), answers("new")).expect("in order");
    assert_eq!(again.replaced, Replaced::Earlier);
    log.line(&["WARN", "Overwriting existing tool: first", "origin=demo"]);
    assert_eq!(names(&registry), ["first", "second"], "it keeps its place");
    assert_eq!(registry.get("first").expect("registered").definition().input_schema, ZWAVE);
}

#[tokio::test]
async fn one_name_of_two_servers_hides_neither() {
    let log = Log::new();
    let registry = registry([
        (of_server("github", "create_issue", ANY_OBJECT), answers("github")),
        (built_in("search", ANY_OBJECT), answers("builtin")),
    ]);
    let second = registry.register(of_server("gitlab", "create_issue", ANY_OBJECT), answers("gitlab"));
    assert_eq!(second.expect("in order").callable_as, "gitlab/create_issue");
    registry.register(of_server("web", "search", ANY_OBJECT), answers("web")).expect("in order");
    log.line(&["WARN", "several tools are called create_issue", "github/create_issue, gitlab/create_issue"]);
    assert_eq!(
        names(&registry),
        ["github/create_issue", "builtin/search", "gitlab/create_issue", "web/search"]
    );
    let executor = ToolExecutor::new(Arc::clone(&registry));
    for (name, answer) in [
        ("github/create_issue", "github"),
        ("gitlab__create_issue", "gitlab"),
        ("builtin/search", "builtin"),
        ("builtin__search", "builtin"),
        ("web/search", "web"),
    ] {
        let outcome = executor.execute(Call::new(name, "{}")).await;
        assert_eq!(outcome.text(), answer, "{name}");
    }
    let error = executor.execute(Call::new("search", "{}")).await.result.expect_err("two have it");
    assert_eq!(error.code, ErrorCode::AmbiguousTool);
    assert!(error.details.contains("builtin/search or web/search"), "{}", error.details);

    assert_eq!(registry.remove_server("gitlab"), 1);
    assert_eq!(executor.execute(Call::new("create_issue", "{}")).await.text(), "github");
}

#[test]
fn a_qualified_name_is_never_taken_by_another_tool() {
    let registry = registry([
        (of_server("x", "a/b", ANY_OBJECT), echo()),
        (of_server("x", "a__b", ANY_OBJECT), echo()),
        (of_server("a", "b", ANY_OBJECT), echo()),
        (of_server("x", "c.d", ANY_OBJECT), echo()),
        (of_server("x", "c_d", ANY_OBJECT), echo()),
    ]);
    let found = |name: &str| registry.get(name).expect(name).qualified_name().to_owned();
    assert_eq!(found("a/b"), "a/b");
    assert_eq!(found("b"), "a/b");
    assert_eq!(found("x/a/b"), "x/a/b");
    let definitions: serde_json::Value =
        serde_json::from_str(registry.definitions(Format::Anthropic).get()).expect("JSON");
    let told: Vec<&str> =
        definitions.as_array().expect("a list").iter().filter_map(|tool| tool["name"].as_str()).collect();
    for (name, tool) in told.iter().zip(registry.snapshot().tools()) {
        assert_eq!(found(name), tool.qualified_name(), "every name that was told finds its own tool");
    }
}

#[test]
fn readers_see_whole_snapshots_while_writers_write() {
    let registry = ToolRegistry::new();
    let tools = |server: &'static str| {
        (0..20).map(move |n| (of_server(server, &format!("t{n}"), ANY_OBJECT), echo()))
    };
    thread::scope(|scope| {
        for server in ["a", "b"] {
            let registry = &registry;
            scope.spawn(move || {
                for _ in 0..20 {
                    assert!(registry.register_all(tools(server)).iter().all(Result::is_ok));
                    assert_eq!(registry.remove_server(server), 20);
                }
            });
        }
        scope.spawn(|| {
            let mut last = 0;
            while last < 80 {
                let snapshot = registry.snapshot();
                assert!(snapshot.tools().len().is_multiple_of(20) && snapshot.generation() >= last);
                for tool in snapshot.tools() {
                    assert!(snapshot.get(tool.qualified_name()).is_some());
                }
                last = snapshot.generation();
            }
        });
    });
    assert_eq!((registry.snapshot().tools().len(), *registry.subscribe().borrow()), (0, 80));
}
