//! T12: a server gets what it was given of the environment, and nothing else.

use toolwright_testkit::served::Served;
use toolwright_testkit::wire::Caller;

use crate::{one_each, server, toolwright};

#[tokio::test]
async fn a_server_sees_no_variable_that_it_was_not_given() {
    let mut entry = server("hostile-server", &[]);
    entry["env"] = serde_json::json!({"GIVEN": "this one"});
    let secrets = [("OPENAI_API_KEY", "sk-secret"), ("TOOLWRIGHT_ODD", "not for servers")];
    let gateway = Served::start_in(
        &toolwright(),
        &one_each(&[("hostile", entry)]),
        &["--no-auth"],
        &secrets,
    )
    .await;
    let mut caller = Caller::legacy(&gateway.url("/mcp/t/hostile")).await;
    let seen = caller.call("environment", "{}").await.body;
    assert!(seen.contains("GIVEN") && seen.contains("PATH"), "{seen}");
    for (name, value) in secrets {
        assert!(!seen.contains(name) && !seen.contains(value), "{name}");
    }
}
