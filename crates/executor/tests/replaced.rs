//! Tools of a server whose list changes: what stayed is not checked again, and the order is the server's.

use crate::support;

use std::sync::Arc;

use support::*;
use toolwright_executor::{ToolFunction, ToolRegistry};

type Tools = Vec<(toolwright_model::ToolDefinition, Arc<dyn ToolFunction>)>;

fn list(names: &[&str]) -> Tools {
    names.iter().map(|name| (of_server("demo", name, ZWAVE), echo())).collect()
}

fn names(registry: &ToolRegistry) -> Vec<String> {
    registry.snapshot().tools().iter().map(|tool| tool.name().to_owned()).collect()
}

#[test]
fn an_unchanged_definition_is_not_checked_again() {
    let registry = ToolRegistry::new();
    let many: Vec<String> = (0..500).map(|number| format!("tool_{number}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert!(registry.replace_server("demo", list(&many)).is_empty());
    assert_eq!(registry.checks(), 500);
    registry.replace_server("demo", list(&many));
    assert_eq!(registry.checks(), 500, "the same list is not checked");
    let mut changed = list(&many);
    changed[7].0.description = "Does something else.".to_owned();
    changed.push((of_server("demo", "one_more", ZWAVE), echo()));
    registry.replace_server("demo", changed);
    assert_eq!(registry.checks(), 502);
    assert_eq!(registry.get("tool_7").expect("it stays").definition().description, "Does something else.");
    // One that comes back after it was gone is a new one.
    registry.replace_server("demo", list(&many[..1]));
    registry.replace_server("demo", list(&many[..2]));
    assert_eq!(registry.checks(), 503);
}

#[tokio::test]
async fn an_unchanged_tool_has_the_function_of_the_last_registration() {
    let registry = ToolRegistry::new();
    for text in ["first", "second"] {
        registry.replace_server("demo", [(of_server("demo", "greet", ANY_OBJECT), answers(text))]);
        let tool = registry.get("greet").expect("it is registered");
        assert_eq!(tool.function().call("{}".to_owned()).await.expect("it answers").text, text);
    }
    assert_eq!(registry.checks(), 1);
}

#[test]
fn the_order_is_that_of_the_list_and_the_first_of_two_counts() {
    let registry = registry([(of_server("other", "last", ANY_OBJECT), echo())]);
    registry.replace_server("demo", list(&["b", "a", "c"]));
    let mut tools = list(&["c", "a", "d", "a"]);
    tools[3].0.description = "The second of the name.".to_owned();
    registry.replace_server("demo", tools);
    assert_eq!(names(&registry), ["last", "c", "a", "d"]);
    assert_ne!(registry.get("a").expect("there").definition().description, "The second of the name.");
}
