//! What strangers cannot do to the pages: by what they send, by pages of their own, by another install.

use serde_json::{Value, json};
use toolwright_testkit::load::Served;

use crate::stage::{Stage, link, programs, server, servers, tools, url};

/// The ways in which a text tries to become a part of a page. `{place}` tells where it came from.
const SHAPES: [&str; 5] = [
    r#"<script>window.pwned="{place}"</script>"#,
    r#""><img src=x onerror=window.pwned="{place}">"#,
    r#"</script></title></textarea><svg onload=window.pwned="{place}">"#,
    r#"javascript:window.pwned="{place}""#,
    r#"' onmouseover=window.pwned="{place}" autofocus onfocus=window.pwned="{place}" x='"#,
];

fn shapes(place: &str) -> [String; 5] {
    SHAPES.map(|shape| shape.replace("{place}", place))
}

/// Servers whose names, tools, errors, stderr and noise are all hostile.
fn hostile_servers() -> Value {
    let open = json!({"type": "object"});
    let named = shapes("tool").map(|name| json!({"name": name, "inputSchema": open}));
    let tools = [tools(), named.to_vec()].concat();
    let says = json!({
        "name": shapes("server info").join(" "),
        "tools": tools,
        "fails": {"lose_note": shapes("error").join("\n")},
        "says": shapes("stderr").join("\n"),
        "noise": shapes("noise").join("\n"),
    });
    let mut servers = json!({"notes": server(&says)});
    for name in shapes("server") {
        servers[name] = json!({"command": "sh", "args": ["-c", "exit 1"]});
    }
    servers
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_that_comes_from_outside_runs_in_a_browser() {
    let words = ["body", "text", "words", "letter", "line"];
    let rules: Vec<Value> = words
        .iter()
        .zip(shapes("rule").into_iter().zip(shapes("note")))
        .map(|(word, (id, note))| {
            json!({"id": id, "note": note, "tools": ["send_note"], "type": "param_alias", "from": word, "to": "prose"})
        })
        .collect();
    let Some(stage) = Stage::set_with(hostile_servers(), json!(rules)).await else { return };
    for name in shapes("token") {
        let (code, _, error) = stage.gateway.run(&["token", "add", "--", &name]);
        assert!(code != 0 && error.contains("cannot be the name of a token"), "{error}");
    }
    let report = stage.examine("hostile", json!({"words": words, "shapes": SHAPES})).await;
    // Every place was on a page, as text.
    for (place, page) in [
        ("tool", "a call"),
        ("key", "a call"),
        ("value", "a call"),
        ("error", "a call"),
        ("error", "/errors"),
        ("mistake", "/errors"),
        ("client", "/calls"),
        ("client", "/live"),
        ("tool", "/live"),
        ("tool", "/playground"),
        ("server", "/servers"),
        ("server info", "/servers"),
        ("stderr", "/servers"),
        ("noise", "/servers"),
        ("rule", "/rules"),
        ("rule", "/normalizer"),
        ("note", "/rules"),
        ("model", "/models"),
        ("address", "/calls"),
        ("schema", "/playground, typed"),
    ] {
        let pages = report.seen(place).as_array().cloned().unwrap_or_default();
        assert!(pages.contains(&json!(page)), "what came as {place} is on {pages:?}, not on {page}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_another_site_changes_nothing_in_a_browser_of_somebody_inside() {
    let Some(stage) = Stage::set().await else { return };
    let report = stage.examine("other_site", json!({})).await;
    assert_eq!(report.seen("before"), &json!(["accept", "dismiss"]));
    assert_eq!(report.seen("restarted"), &json!(true), "our own page can");
    // It did reach the gateway, and was refused there.
    let statuses = report.seen("statuses");
    for path in ["/do/restart", "/do/try", "/api/suggestions/ID/accept"] {
        let all = statuses[path].as_array().cloned().unwrap_or_default();
        assert!(all.contains(&json!(403)) && !all.contains(&json!(200)), "{path}: {all:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_is_inside_one_install_is_outside_another() {
    let Some(stage) = Stage::set().await else { return };
    let second = Served::start_guarded(&programs(), &json!({"mcpServers": servers()}));
    let more = json!({
        "spare": link(&stage.gateway),
        "second": {"url": url(&second), "token": second.token},
    });
    let report = stage.examine("installs", more).await;
    for (what, is_open) in [
        ("own", true),
        ("other", false),
        ("copied", false),
        ("link", false),
        ("token", false),
        ("rightToken", true),
        ("both", true),
        ("scriptsCannotRead", true),
    ] {
        assert_eq!(report.seen(what), &json!(is_open), "{what}");
    }
}
