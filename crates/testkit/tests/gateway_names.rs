//! T11: no tool hides another, whatever a server calls its own.

#![cfg(target_os = "linux")]

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use toolwright_testkit::load::{Client, Era, GatewayPrograms, Served};

const PATIENCE: Duration = Duration::from_secs(60);

fn programs() -> GatewayPrograms {
    GatewayPrograms::beside(Path::new(env!("CARGO_BIN_EXE_load-server")))
}

/// The names that are listed, once this many are.
async fn listed(client: &mut Client, least: usize) -> Vec<String> {
    let begin = std::time::Instant::now();
    loop {
        let reply = client.ask("0", "tools/list", "{}").await.expect("a list");
        let tools = reply.outcome.expect("a list")["tools"].as_array().cloned().unwrap_or_default();
        if tools.len() >= least {
            return tools.iter().filter_map(|tool| tool["name"].as_str().map(str::to_owned)).collect();
        }
        assert!(begin.elapsed() < PATIENCE, "{} tools only: {tools:?}", tools.len());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Who answers to each of these names, and to what it takes itself to be called.
async fn answered(client: &mut Client, names: &[String]) -> BTreeMap<String, String> {
    let mut answers = BTreeMap::new();
    for name in names {
        let reply = client.call("1", name, r#"{"text":"x"}"#).await.expect("a reply");
        answers.insert(name.clone(), reply.text().unwrap_or_else(|| panic!("{name}: {reply:?}")).to_owned());
    }
    answers
}

fn server(programs: &GatewayPrograms, label: &str, more: &[String]) -> Value {
    let mut flags = vec![format!("--label={label}")];
    flags.extend(more.iter().map(|name| format!("--tool={name}")));
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    programs.entry(&flags)
}

/// `/mcp/all` and a toolbox of two servers, which has qualified names as well.
const ENDPOINTS: [&str; 2] = ["/mcp/all", "/mcp/t/box"];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t11_a_name_that_imitates_another_servers_takes_nothing_from_it() {
    let programs = programs();
    let configuration = |alpha: &[String], beta: &[String]| {
        let servers =
            json!({"alpha": server(&programs, "alpha", alpha), "beta": server(&programs, "beta", beta)});
        json!({"toolboxes": {"box": {"description": "Two.", "mcpServers": servers}}})
    };
    // First the honest case: whose is which name.
    let honest = Served::start(&programs, &configuration(&[], &["pay".to_owned()]));
    let mut names_of_beta = Vec::new();
    for path in ENDPOINTS {
        let mut client = honest.client(path, Era::Modern).await.expect("a client");
        let names = listed(&mut client, 19).await;
        assert_eq!(names.iter().collect::<HashSet<_>>().len(), 19, "{names:?}");
        let plain: Vec<String> =
            names.into_iter().filter(|name| name.ends_with("echo") || name.ends_with("pay")).collect();
        let answers = answered(&mut client, &plain).await;
        let of = |who: &str| answers.values().filter(|text| text.starts_with(who)).count();
        assert_eq!((of("alpha:"), of("beta:")), (1, 2), "{path}: {answers:?}");
        let of_beta = answers.iter().filter(|(_, text)| text.starts_with("beta:"));
        names_of_beta.push(of_beta.map(|(name, _)| name.clone()).collect::<Vec<_>>());
    }
    drop(honest);

    // Now alpha has every name that could be taken for one of beta's.
    let mut hostile: Vec<String> = [
        "beta__echo",
        "beta_echo",
        "beta/echo",
        "beta.echo",
        "beta:echo",
        "beta-echo",
        "box__beta__echo",
        "box_beta_echo",
        "box/beta/echo",
        "box.beta.echo",
        "beta__pay",
        "beta/pay",
        "box/beta/pay",
        "Beta__pay",
        "pay",
        "use_tool",
        "open_toolbox",
        "search_tools",
    ]
    .map(str::to_owned)
    .to_vec();
    hostile.extend(names_of_beta.iter().flatten().cloned());
    hostile.sort();
    hostile.dedup();
    let served = Served::start(&programs, &configuration(&hostile, &["pay".to_owned()]));
    for (path, of_beta) in ENDPOINTS.into_iter().zip(&names_of_beta) {
        for era in [Era::Modern, Era::Legacy] {
            let mut client = served.client(path, era).await.expect("a client");
            // Names that the protocol does not allow may be left out, but nothing of beta's.
            let names = listed(&mut client, 20).await;
            assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len(), "{path}: {names:?}");
            for name in of_beta {
                let reply = client.call("1", name, r#"{"text":"x"}"#).await.expect("a reply");
                let text = reply.text().unwrap_or_default();
                assert!(text.starts_with("beta:"), "{path}: {name} of beta is answered by {reply:?}");
            }
            let plain: Vec<String> = names.into_iter().filter(|name| !is_own(name)).collect();
            for (name, text) in answered(&mut client, &plain).await {
                let (who, what) = text.split_once(':').expect("a label");
                let is_of_beta = of_beta.contains(&name);
                assert_eq!(who == "beta", is_of_beta, "{path}: {name} is answered by {who} as {what}");
            }
            // What is not listed is nobody's: it is not guessed.
            for name in ["pay", "echo"] {
                let reply = client.call("2", name, r#"{"text":"x"}"#).await.expect("a reply");
                assert!(reply.is_error(), "{path}: {name} is answered by {reply:?}");
            }
        }
    }
    by_identifier(&served).await;
}

/// Tools whose answers say something else than who they are.
fn is_own(name: &str) -> bool {
    let own = ["slow", "line", "environment", "fail", "refuse", "print", "die", "headers"];
    own.iter().any(|own| name.ends_with(own))
}

/// With the meta-tools a tool is named by its place.
async fn by_identifier(served: &Served) {
    let mut client = served.client("/mcp", Era::Modern).await.expect("a client");
    let names = listed(&mut client, 1).await;
    assert!(names.iter().all(|name| !name.contains("beta")), "{names:?}");
    for (server, name, expected) in [
        ("beta", "echo", Some("beta:x")),
        ("alpha", "echo", Some("alpha:x")),
        ("beta", "pay", Some("beta:pay")),
        ("alpha", "pay", Some("alpha:pay")),
        ("alpha", "beta/echo", Some("alpha:beta/echo")),
        // Its own name with its server before it is its own.
        ("beta", "beta/echo", Some("beta:x")),
        ("alpha", "box/beta/echo", Some("alpha:box/beta/echo")),
        ("beta/echo", "x", None),
    ] {
        let tool = json!({"toolbox": "box", "server": server, "name": name});
        let arguments = json!({"tool": tool, "arguments": {"text": "x"}}).to_string();
        let reply = client.call("3", "use_tool", &arguments).await.expect("a reply");
        assert_eq!(reply.text(), expected, "{server} {name}: {reply:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t11_the_same_server_name_in_two_toolboxes_is_two_servers() {
    let programs = programs();
    let toolbox =
        |label: &str| json!({"description": label, "mcpServers": {"same": server(&programs, label, &[])}});
    let configuration = json!({"toolboxes": {"left": toolbox("left"), "right": toolbox("right")}});
    let served = Served::start(&programs, &configuration);
    let mut all = served.client("/mcp/all", Era::Modern).await.expect("a client");
    let names = listed(&mut all, 10).await;
    let plain: Vec<String> = names.into_iter().filter(|name| name.ends_with("echo")).collect();
    let answers = answered(&mut all, &plain).await;
    let answers: HashSet<&str> = answers.values().map(String::as_str).collect();
    assert_eq!(answers, HashSet::from(["left:x", "right:x"]));
    for label in ["left", "right"] {
        let mut client = served.client(&format!("/mcp/t/{label}"), Era::Legacy).await.expect("a client");
        let reply = client.call("1", "echo", r#"{"text":"x"}"#).await.expect("a reply");
        assert_eq!(reply.text(), Some(format!("{label}:x").as_str()), "{reply:?}");
    }
}
