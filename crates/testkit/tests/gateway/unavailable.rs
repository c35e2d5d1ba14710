//! A server that cannot be had says so to its own clients, and to nobody else.

use serde_json::json;
use toolwright_testkit::wire::{Caller, Speech};

use crate::{serve, server};

#[tokio::test]
async fn a_list_that_cannot_be_had_is_an_error_and_never_empty() {
    let servers = [("missing", json!({"command": "/no/such/program"})), ("echo", server("echo-server", &[]))];
    let gateway = serve(&servers).await;
    let mut good = Caller::legacy(&gateway.url("/mcp/t/echo")).await;
    assert_eq!(good.says("echo", r#"{"text":"here"}"#).await, "here");
    let mut caller = Caller::silent(&gateway.url("/mcp/t/missing"), Speech::Modern).await;
    let listed = caller.ask("tools/list", "{}").await;
    let error = listed.error().unwrap_or_else(|| panic!("{}", listed.body));
    assert!(error.as_str().contains("/no/such/program"), "{error}");
    // Among others it is left out, and they work.
    let mut all = Caller::modern(&gateway.url("/mcp/all")).await;
    let listed = all.ask("tools/list", "{}").await.result().expect("tools");
    let tools = listed.get("tools").and_then(|tools| tools.items()).expect("a list");
    assert_eq!(tools.len(), 2, "{listed}");
}
