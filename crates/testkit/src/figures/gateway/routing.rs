//! Q15: nobody gets another's answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::super::Figure;
use super::astray;
use crate::load::{Client, Era, GatewayPrograms, Histogram, Served};

/// The servers: two of each era, over both transports where that is possible.
const SERVERS: [&str; 4] = ["legacy-one", "legacy-two", "modern-one", "modern-two"];

/// How a client reaches a tool.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// The one server of a toolbox, by its own names.
    Toolbox,
    /// Every tool, by flat names.
    All,
    /// The meta-tools.
    Meta,
}

/// What clients saw.
#[derive(Default)]
struct Tally {
    right: u64,
    /// Answers that belong to another call.
    misrouted: u64,
    /// Calls without an answer of their own.
    failed: u64,
    first: Option<String>,
    times: Histogram,
}

/// Q15: so many clients of both eras, all with ids from 0, make so many calls together.
pub async fn routing(programs: &GatewayPrograms, clients: usize, calls: u64) -> Figure {
    let mut figure =
        Figure::new("Q15", format!("{clients} clients, every id from 0, {calls} calls with a nonce"));
    let entries = SERVERS.map(|name| {
        let label = format!("--label={name}");
        let flags =
            if name.starts_with("modern") { vec![label.as_str(), "--modern"] } else { vec![label.as_str()] };
        (name.to_owned(), programs.entry(&flags))
    });
    let served = Served::start_with(programs, Some(&programs.apart(&entries)), &["--rate", "0"], &[]);
    let flat = Arc::new(flat_names(&served).await);
    let left = Arc::new(AtomicU64::new(0));
    let mut running = JoinSet::new();
    let begin = Instant::now();
    for number in 0..clients {
        let era = if number % 2 == 0 { Era::Legacy } else { Era::Modern };
        let way = [Way::Toolbox, Way::All, Way::Meta][number / 2 % 3];
        let server = SERVERS[number / 6 % SERVERS.len()];
        let (left, flat, address) = (Arc::clone(&left), Arc::clone(&flat), served.address);
        running.spawn(async move {
            let path = match way {
                Way::Toolbox => format!("/mcp/t/{server}"),
                Way::All => "/mcp/all".to_owned(),
                Way::Meta => "/mcp".to_owned(),
            };
            let mut tally = Tally::default();
            let mut client = match Client::open(address, &path, era).await {
                Ok(client) => client,
                Err(trouble) => {
                    tally.failed += 1;
                    tally.first = Some(format!("{era:?} {path}: {trouble}"));
                    return tally;
                }
            };
            if matches!(way, Way::Meta) && era == Era::Legacy {
                let _ =
                    client.call(r#""open""#, "open_toolbox", &json!({"toolbox": server}).to_string()).await;
            }
            for id in 0.. {
                if left.fetch_add(1, Ordering::Relaxed) >= calls {
                    break;
                }
                let nonce = format!("{number}-{id}");
                let (tool, arguments) = call(way, server, &nonce, &flat);
                let begin = Instant::now();
                let reply = client.call(&id.to_string(), &tool, &arguments).await;
                tally.times.add(begin.elapsed());
                let wanted = format!("{server}:{nonce}");
                tally.count(id, &wanted, reply.map_err(|trouble| trouble.to_string()));
            }
            tally
        });
    }
    let mut all = Tally::default();
    while let Some(tally) = running.join_next().await {
        let tally = tally.expect("a client");
        all.right += tally.right;
        all.misrouted += tally.misrouted;
        all.failed += tally.failed;
        all.times.merge(&tally.times);
        all.first = all.first.or(tally.first);
    }
    let rate = all.right as f64 / begin.elapsed().as_secs_f64();
    figure.see(format!("{} right, {} misrouted, {} failed", all.right, all.misrouted, all.failed));
    figure.see(format!("{rate:.0} calls a second; {}", all.times));
    figure.must(all.misrouted == 0, || format!("{} answers went astray", all.misrouted));
    figure.must(all.right == calls, || format!("{} of {calls} were right; {:?}", all.right, all.first));
    figure.must(astray(&served, SERVERS.len()).is_none(), || format!("{:?}", astray(&served, SERVERS.len())));
    figure
}

impl Tally {
    fn count(&mut self, id: u64, wanted: &str, reply: Result<crate::load::Reply, String>) {
        match reply {
            Ok(reply) => match reply.text() {
                Some(text) if text == wanted && reply.id == id.to_string() => self.right += 1,
                Some(text) => {
                    self.misrouted += 1;
                    self.first.get_or_insert(format!("{wanted} (id {id}) got {text} (id {})", reply.id));
                }
                None => {
                    self.failed += 1;
                    self.first.get_or_insert(format!("{wanted}: {reply:?}"));
                }
            },
            Err(trouble) => {
                self.failed += 1;
                self.first.get_or_insert(format!("{wanted}: {trouble}"));
            }
        }
    }
}

fn call(way: Way, server: &str, nonce: &str, flat: &[(String, String)]) -> (String, String) {
    let arguments = json!({"text": nonce});
    match way {
        Way::Toolbox => ("echo".to_owned(), arguments.to_string()),
        Way::All => {
            let name = flat.iter().find(|(known, _)| known == server).map(|(_, name)| name.clone());
            (name.unwrap_or_default(), arguments.to_string())
        }
        Way::Meta => {
            let tool = json!({"toolbox": server, "server": server, "name": "echo"});
            ("use_tool".to_owned(), json!({"tool": tool, "arguments": arguments}).to_string())
        }
    }
}

/// The flat name of `echo` of each server: it is the one that this server answers to.
async fn flat_names(served: &Served) -> Vec<(String, String)> {
    let mut client = served.client("/mcp/all", Era::Modern).await.expect("a client");
    let mut found = Vec::new();
    let is_there = super::comes(crate::servers::PATIENCE, async || {
        let names = super::names(&mut client, 0).await;
        names.iter().filter(|name| name.ends_with("echo")).count() == SERVERS.len()
    });
    assert!(is_there.await, "not every server is listed");
    for name in super::names(&mut client, 0).await.into_iter().filter(|name| name.ends_with("echo")) {
        let reply = client.call("0", &name, r#"{"text":"who"}"#).await;
        let reply = reply.unwrap_or_else(|trouble| panic!("{name}: {trouble}"));
        let text = reply.text().unwrap_or_else(|| panic!("{name}: {reply:?}")).to_owned();
        let (server, _) = text.split_once(':').expect("a label");
        found.push((server.to_owned(), name));
    }
    found
}

/// Ids of every form, and one that is used twice at the same time. Not a part of the load: it is exact.
pub async fn ids(programs: &GatewayPrograms) -> Figure {
    let mut figure = Figure::new("Q15", "ids of every form, and one that is in use already");
    let entries = [("one".to_owned(), programs.entry(&[]))];
    let served = Served::start(programs, &programs.apart(&entries));
    for era in [Era::Legacy, Era::Modern] {
        let mut client = served.client("/mcp/t/one", era).await.expect("a client");
        for id in
            ["0", "-1", "9007199254740993", "-9007199254740993", "18446744073709551616", r#""7""#, r#""""#]
        {
            let reply = client.call(id, "echo", r#"{"text":"x"}"#).await;
            let is_right = reply.as_ref().is_ok_and(|reply| reply.id == id && reply.text() == Some("x"));
            figure.must(is_right, || format!("{era:?} {id}: {reply:?}"));
        }
        let reply = client.call(r#""\u00e9\/\n""#, "echo", r#"{"text":"x"}"#).await;
        let same = |id: &str| serde_json::from_str::<Value>(id).is_ok_and(|id| id == "é/\n");
        let is_right = reply.as_ref().is_ok_and(|reply| same(&reply.id) && reply.text() == Some("x"));
        figure.must(is_right, || format!("{era:?} escapes: {reply:?}"));
        // The protocol knows no such ids: refused, or answered under the very same one, but never another.
        for id in ["1.5", "1e2", "null", "true", "[1]", "{}"] {
            let reply = client.call(id, "echo", r#"{"text":"x"}"#).await;
            let is_refused = match &reply {
                Ok(reply) => match &reply.outcome {
                    Ok(_) => reply.id == id && id != "null",
                    Err(_) => reply.id == id || reply.id == "null" || reply.id.is_empty(),
                },
                Err(crate::load::Trouble::Odd(status, _)) => (400..500).contains(status),
                Err(_) => false,
            };
            figure.must(is_refused, || format!("{era:?} {id}: {reply:?}"));
            if reply.is_err() {
                client = served.client("/mcp/t/one", era).await.expect("a client");
            }
        }
        in_use(&mut figure, &served, era).await;
    }
    figure
}

/// A second request with the id of one that is not answered yet.
async fn in_use(figure: &mut Figure, served: &Served, era: Era) {
    let mut first = served.client("/mcp/t/one", era).await.expect("a client");
    let mut second = first.again().await.expect("a connection");
    let slow = r#"{"name":"slow","arguments":{"text":"first","ms":1000}}"#;
    first.send("5", "tools/call", slow).await.expect("sent");
    tokio::time::sleep(Duration::from_millis(300)).await;
    let begin = Instant::now();
    let reply = second.call("5", "echo", r#"{"text":"second"}"#).await;
    match era {
        // Two requests of one session.
        Era::Legacy => {
            let is_refused = reply.as_ref().is_ok_and(|reply| reply.outcome.is_err());
            figure.must(is_refused, || format!("an id in use: {reply:?}"));
        }
        // Nothing says that they are of one client.
        Era::Modern => {
            let is_answered = reply.as_ref().is_ok_and(|reply| reply.text() == Some("second"));
            figure.must(is_answered, || format!("an id of another client: {reply:?}"));
        }
    }
    figure.must(begin.elapsed() < Duration::from_secs(20), || "it waited for the first".to_owned());
    let reply = first.receive().await;
    let is_right = reply.as_ref().is_ok_and(|reply| reply.id == "5" && reply.text() == Some("first"));
    figure.must(is_right, || format!("{era:?}: the first of two: {reply:?}"));
    let reply = second.call("5", "echo", r#"{"text":"again"}"#).await;
    let is_right = reply.as_ref().is_ok_and(|reply| reply.text() == Some("again"));
    figure.must(is_right, || format!("{era:?}: an id that is free again: {reply:?}"));
}
