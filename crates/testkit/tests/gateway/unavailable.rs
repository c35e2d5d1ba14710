//! A server that cannot be had says so to its own clients, and to nobody else.

use serde_json::json;
use toolwright_testkit::load::Era;

use crate::caller::Caller;
use crate::{serve, server};

#[tokio::test]
async fn a_list_that_cannot_be_had_is_an_error_and_never_empty() {
    let servers = [("missing", json!({"command": "/no/such/program"})), ("echo", server("load-server", &[]))];
    let gateway = serve(&servers);
    let mut good = Caller::meet(&gateway, "/mcp/t/echo", Era::Legacy).await;
    let said = good.call("echo", r#"{"text":"here"}"#).await.result().expect("a result");
    assert!(said.as_str().contains("here"), "{said}");
    let mut caller = Caller::silent(&gateway, "/mcp/t/missing", Era::Modern).await;
    let listed = caller.ask("tools/list", "{}").await;
    let error = listed.error().unwrap_or_else(|| panic!("{}", listed.body));
    assert!(error.as_str().contains("/no/such/program"), "{error}");
    // Among others it is left out, and they work.
    let mut all = Caller::meet(&gateway, "/mcp/all", Era::Modern).await;
    let listed = all.ask("tools/list", "{}").await.result().expect("tools");
    let tools = listed.get("tools").and_then(|tools| tools.items()).expect("a list");
    assert_eq!(tools.len(), 9, "{listed}");
}
