//! What is not repaired arrives as it was sent, byte by byte, where client and server are of one era.

use toolwright_testkit::faithful::{
    ARGUMENTS, CAPABILITIES, CURSOR, ERROR, INFO, INSTRUCTIONS, RESULTS, TOOLS, result,
};
use toolwright_testkit::load::Era;

use crate::caller::{Caller, Reply, json};
use crate::{serve, server};

/// What a modern server adds to a result.
fn modern(result: &str, is_cacheable: bool) -> String {
    let cache = if is_cacheable { r#","ttlMs":60000,"cacheScope":"public""# } else { "" };
    let inside = result.strip_suffix('}').expect("an object");
    format!(r#"{inside},"resultType":"complete"{cache}}}"#)
}

async fn everything_arrives_as_it_was_sent(caller: &mut Caller, is_modern: bool) {
    let whole = |result: &str, is_cacheable: bool| match is_modern {
        true => modern(result, is_cacheable),
        false => result.to_owned(),
    };
    let about = &caller.about;
    assert_eq!(about.get("capabilities").expect("capabilities").as_str(), CAPABILITIES);
    assert_eq!(about.get_text("instructions"), json(INSTRUCTIONS).to_text());
    let info = match is_modern {
        false => about.get("serverInfo"),
        true => about.get("_meta").and_then(|meta| meta.get("io.modelcontextprotocol/serverInfo")),
    };
    assert_eq!(info.expect("who it is").as_str(), INFO);

    let first = caller.ask("tools/list", "{}").await.result().expect("tools");
    let tools = format!(r#"{{"tools":[{}],"nextCursor":{CURSOR},"x-more":1.0}}"#, TOOLS[0].join(","));
    assert_eq!(first.as_str(), whole(&tools, true));
    let second = caller.ask("tools/list", &format!(r#"{{"cursor":{CURSOR}}}"#)).await.result();
    let tools = format!(r#"{{"tools":[{}]}}"#, TOOLS[1].join(","));
    assert_eq!(second.expect("the second page").as_str(), whole(&tools, true));

    let called = caller.call("zebra", ARGUMENTS).await.result().expect("a result");
    assert_eq!(called.as_str(), whole(&result(ARGUMENTS), false));
    for (method, params, result) in RESULTS {
        let is_cacheable = method.ends_with("/list") || method == "resources/read";
        let answered = caller.ask(method, params).await.result();
        let answered = answered.unwrap_or_else(|told| panic!("{method}: {told}"));
        assert_eq!(answered.as_str(), whole(result, is_cacheable), "{method}");
    }
    is_the_servers_error(&caller.call("fails", "{}").await);
    is_the_servers_error(&caller.ask("vendor.example/fails", "{}").await);
}

/// The message is the same text, whatever escapes it was spelled with; all else is the same to the byte.
fn is_the_servers_error(reply: &Reply) {
    let (error, sent) = (reply.error().unwrap_or_else(|| panic!("{}", reply.body)), json(ERROR));
    assert_eq!(error.get_text("message"), sent.get_text("message"));
    assert_eq!(error.without("message"), sent.without("message"));
}

#[tokio::test]
async fn a_legacy_server_to_a_legacy_client() {
    let gateway = serve(&[("faithful", server("faithful-server", &[]))]);
    let mut caller = Caller::meet(&gateway, "/mcp/t/faithful", Era::Legacy).await;
    everything_arrives_as_it_was_sent(&mut caller, false).await;
}

#[tokio::test]
async fn a_modern_server_to_a_modern_client() {
    let gateway = serve(&[("faithful", server("faithful-server", &["--modern"]))]);
    let mut caller = Caller::meet(&gateway, "/mcp/t/faithful", Era::Modern).await;
    everything_arrives_as_it_was_sent(&mut caller, true).await;
}

#[tokio::test]
async fn across_the_eras_the_items_stay_as_they_are() {
    let servers =
        [("old", server("faithful-server", &[])), ("new", server("faithful-server", &["--modern"]))];
    let gateway = serve(&servers);
    let mut callers = [
        Caller::meet(&gateway, "/mcp/t/old", Era::Modern).await,
        Caller::meet(&gateway, "/mcp/t/new", Era::Legacy).await,
    ];
    for caller in &mut callers {
        let listed = caller.ask("tools/list", "{}").await.result().expect("tools");
        let items: Vec<String> = listed
            .get("tools")
            .and_then(|tools| tools.items())
            .expect("a list")
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(items, TOOLS[0]);
        assert_eq!(listed.get("nextCursor").expect("a cursor").as_str(), CURSOR);
        let called = caller.call("zebra", ARGUMENTS).await.result().expect("a result");
        let sent = json(&result(ARGUMENTS));
        for member in ["structuredContent", "content", "x-vendor"] {
            assert_eq!(called.get(member), sent.get(member), "{member}");
        }
        is_the_servers_error(&caller.call("fails", "{}").await);
        assert_eq!(caller.about.get_text("instructions"), json(INSTRUCTIONS).to_text());
    }
    // Only a modern client sees what only a modern server says.
    let [new_client, old_client] = &mut callers;
    let listed = new_client.ask("tools/list", "{}").await.result().expect("tools");
    assert_eq!(listed.get_text("resultType").as_deref(), Some("complete"));
    assert!(listed.get("ttlMs").is_some() && listed.get("cacheScope").is_some(), "{listed}");
    let listed = old_client.ask("tools/list", "{}").await.result().expect("tools");
    for member in ["resultType", "ttlMs", "cacheScope"] {
        assert!(listed.get(member).is_none(), "{member} in {listed}");
    }
}

#[tokio::test]
async fn a_tool_that_is_filtered_is_the_only_thing_that_is_missing() {
    let mut entry = server("faithful-server", &[]);
    entry["toolFilters"] = serde_json::json!(["*", "!echo"]);
    let gateway = serve(&[("faithful", entry)]);
    let mut caller = Caller::meet(&gateway, "/mcp/t/faithful", Era::Legacy).await;
    let listed = caller.ask("tools/list", "{}").await.result().expect("tools");
    let tools = listed.get("tools").and_then(|tools| tools.items()).expect("a list");
    assert_eq!(tools.iter().map(ToString::to_string).collect::<Vec<String>>(), [TOOLS[0][0]]);
    assert_eq!(listed.get("nextCursor").expect("a cursor").as_str(), CURSOR);
    let refused = caller.call("echo", "{}").await;
    let is_refused = refused.error().is_some()
        || refused
            .result()
            .is_ok_and(|result| result.get("isError").is_some_and(|value| value.as_str() == "true"));
    assert!(is_refused, "{}", refused.body);
}
