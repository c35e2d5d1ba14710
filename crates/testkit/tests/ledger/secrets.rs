//! T14: secrets that callers, servers and the configuration hold are found in nothing that a gateway writes.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;
use toolwright_testkit::load::{Client, Era, Served};

use crate::planted::{Planted, Sent, planted};
use crate::support::{programs, until};

const SECRETS: usize = 500;
/// What the configuration holds: words that only their place makes secret.
const CONFIGURED: [&str; 4] = ["plum-harbour-tin", "wicker lamp 77", "Grz#9-käse/moon", "velvet.otter.oak"];

/// What everybody may read.
const HARMLESS: &str = "marigold on the terrace";

/// Every file below a folder with its bytes.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => found.extend(files(&entry.path())),
            Ok(kind) if kind.is_file() => {
                found.push((entry.path(), fs::read(entry.path()).expect("its bytes")));
            }
            _ => {}
        }
    }
    found
}

fn holds(bytes: &[u8], needle: &str) -> bool {
    bytes.windows(needle.len()).any(|window| window == needle.as_bytes())
}

/// Where one of them stands, with what stands around it.
fn found(files: &[(PathBuf, Vec<u8>)], needles: &[String]) -> Option<String> {
    needles.iter().find_map(|needle| {
        let (file, bytes) = files.iter().find(|(_, bytes)| holds(bytes, needle))?;
        let text = String::from_utf8_lossy(bytes);
        let line = text.lines().find(|line| line.contains(needle.as_str())).unwrap_or_default();
        let at = line.find(needle.as_str()).unwrap_or_default();
        let from = line.floor_char_boundary(at.saturating_sub(120));
        let to = line.floor_char_boundary(at + needle.len() + 40);
        Some(format!("{needle:?} is in {}: …{}", file.display(), &line[from..to]))
    })
}

async fn send(served: &Served, token: &str, planted: &Planted) {
    let bearer = format!("Bearer {token}");
    let mut headers = vec![("authorization", bearer.as_str())];
    if let Sent::Header(name, value) = &planted.sent {
        headers.push((name, value));
    }
    let era = if planted.needles[0].len().is_multiple_of(2) { Era::Legacy } else { Era::Modern };
    // One that ends must not keep the others' calls from their server.
    let path = match &planted.sent {
        Sent::Arguments("die", _) => "/mcp/t/three",
        _ => "/mcp/t/one",
    };
    let client = Client::open_with(served.address, path, era, &headers).await;
    let mut client = client.unwrap_or_else(|trouble| panic!("{planted:?}: {trouble}"));
    // What comes of it does not matter here: some of these calls must fail.
    let _ = match &planted.sent {
        Sent::Arguments(tool, arguments) => client.call("1", tool, &arguments.to_string()).await.map(drop),
        Sent::ToolName(name) => client.call("1", name, "{}").await.map(drop),
        Sent::Header(..) => client.call("1", "echo", r#"{"text":"x"}"#).await.map(drop),
        Sent::Body(body) => client.raw(body.as_bytes()).await.map(drop),
    };
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t14_of_five_hundred_planted_secrets_none_is_found_in_what_is_written() {
    let programs = programs();
    let mut entry = programs.entry(&["--label=x", &format!("--api-key={}", CONFIGURED[3])]);
    entry["env"] =
        json!({"SERVICE_PASSWORD": CONFIGURED[0], "SERVICE_TOKEN": CONFIGURED[1], "API_KEY": CONFIGURED[2]});
    let remote =
        json!({"url": "http://127.0.0.1:9/mcp", "headers": {"Authorization": "Bearer quiet-meadow-88"}});
    let configuration = programs.apart(&[
        ("one".to_owned(), entry),
        ("two".to_owned(), remote),
        ("three".to_owned(), programs.entry(&[])),
    ]);
    let flags = ["--log-dir", "{folder}/logs", "--rate", "0"];
    let mut served =
        Served::start_behind(&programs, &[], Some(&configuration), &flags, &[("TOOLWRIGHT_LOG", "trace")]);
    let (_, own, _) = served.run(&["token", "show"]);
    let own = own.trim().to_owned();
    let (code, added, complaint) = served.run(&["token", "add", "friend"]);
    assert_eq!(code, 0, "{complaint}");
    let friend = added.split_whitespace().find(|word| word.starts_with("tw_")).expect("a token").to_owned();
    let known: Vec<String> = CONFIGURED
        .iter()
        .take(3)
        .map(|secret| (*secret).to_owned())
        .chain(["quiet-meadow-88".to_owned()])
        .collect();
    let mut all = planted(SECRETS, &known);
    for (token, needle) in [(&own, own.clone()), (&friend, friend.clone())] {
        // A token that a model was shown and sends on.
        all.push(Planted {
            needles: vec![needle],
            sent: Sent::Arguments("echo", json!({"text": format!("my token is {token}")})),
        });
        all.push(Planted {
            needles: vec![token.clone()],
            sent: Sent::Arguments("fail", json!({"text": format!("denied for {token}")})),
        });
    }
    let bearer = format!("Bearer {friend}");
    let headers = [("authorization", bearer.as_str())];
    until("the new token is known", async || {
        Client::open_with(served.address, "/mcp/t/one", Era::Legacy, &headers).await.is_ok()
    })
    .await;
    for (number, planted) in all.iter().enumerate() {
        send(&served, if number % 2 == 0 { &own } else { &friend }, planted).await;
    }
    // The server that cannot be reached is asked, so that what is said of it is written.
    let headers = [("authorization", format!("Bearer {own}"))];
    let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
    if let Ok(mut client) = Client::open_with(served.address, "/mcp/t/two", Era::Modern, &headers).await {
        let _ = client.call("1", "echo", "{}").await;
    }
    // What is no secret is found: it is looked in the right places.
    let harmless = Sent::Arguments("fail", json!({"text": format!("no room for the {HARMLESS}")}));
    send(&served, &own, &Planted { needles: vec![HARMLESS.to_owned()], sent: harmless }).await;
    // Somebody with a token that is none.
    let _ = Client::open_with(
        served.address,
        "/mcp",
        Era::Legacy,
        &[("authorization", "Bearer tw_wrong-marble-42")],
    )
    .await;
    all.push(Planted { needles: vec!["tw_wrong-marble-42".to_owned()], sent: Sent::Body(String::new()) });
    let calls = served.run(&["audit", "export"]).1.lines().count();
    assert_eq!(served.stop().map(|(_, code)| code), Some(0));
    // The calls came as far as the journal.
    assert!(calls > SECRETS, "{calls} records");
    let mut written = files(&served.folder().join("toolwright"));
    written.extend(files(&served.folder().join("logs")));
    written.push((served.folder().join("stderr"), fs::read(served.folder().join("stderr")).expect("a log")));
    // The install's own token stands in its own file, for its owner alone.
    written.retain(|(file, _)| !file.ends_with("toolwright/token"));
    let told_in = written.iter().filter(|(_, bytes)| holds(bytes, HARMLESS)).count();
    assert!(told_in >= 2, "the journal and the log tell of what is harmless");
    let leaks: BTreeSet<String> =
        all.iter().filter_map(|planted| found(&written, &planted.needles)).collect();
    let some: Vec<&String> = leaks.iter().take(40).collect();
    assert!(leaks.is_empty(), "{} of {} were found:\n{some:#?}", leaks.len(), all.len());
}
