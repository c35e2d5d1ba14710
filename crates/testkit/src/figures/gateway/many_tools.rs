//! Q14: very many tools.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::super::{Figure, Usage};
use super::{comes, names};
use crate::load::{Client, Era, GatewayPrograms, Histogram, Served};
use crate::servers::PATIENCE;

/// What is promised.
const LIST: Duration = Duration::from_millis(200);
const SEARCH: Duration = Duration::from_millis(20);
const RSS_KIB: u64 = 150 << 10;
/// What every server has besides.
const OWN_TOOLS: usize = 9;

const QUERIES: [&str; 6] = [
    "create an invoice for a customer",
    "read the sensor of a pump",
    "meeting calendar",
    "delete playlist",
    "s3_update_vehicle",
    "a word that nobody has: zzxqy",
];

/// Q14: so many servers with so many tools each; lists and searches, so many times.
pub async fn many_tools(programs: &GatewayPrograms, servers: usize, tools: usize, rounds: usize) -> Figure {
    let mut figure = Figure::new("Q14", format!("{servers} servers with {tools} tools of 2 KB each"));
    let entries: serde_json::Map<String, Value> = (0..servers)
        .map(|number| {
            let flags = [format!("--tools={tools}"), format!("--prefix=s{number}")];
            (format!("s{number}"), programs.entry(&[&flags[0], &flags[1]]))
        })
        .collect();
    let served = Served::start_with(programs, Some(&json!({"mcpServers": entries})), &["--rate", "0"], &[]);
    let expected = servers * (tools + OWN_TOOLS);
    let mut all = served.client("/mcp/all", Era::Modern).await.expect("a client");
    let begin = Instant::now();
    let is_there = comes(PATIENCE, async || names(&mut all, 0).await.len() == expected).await;
    figure.see(format!("all of them listed {:.1} s after the start", begin.elapsed().as_secs_f64()));
    figure.must(is_there, || "not every tool is listed".to_owned());

    let (first, before) = (names(&mut all, 0).await, Usage::of(served.pid()));
    let (mut lists, mut bytes) = (Histogram::default(), 0);
    for round in 0..rounds {
        let begin = Instant::now();
        let body = page(&mut all, round).await;
        lists.add(begin.elapsed());
        bytes = bytes.max(body);
    }
    let second = names(&mut all, 0).await;
    figure.must(first == second, || "the order of the list changed".to_owned());
    let mut other = served.client("/mcp/all", Era::Legacy).await.expect("a client");
    figure.must(names(&mut other, 0).await == first, || "another client sees another order".to_owned());

    let mut found = served.client("/mcp", Era::Modern).await.expect("a client");
    let mut searches = Histogram::default();
    for round in 0..rounds * QUERIES.len() {
        let query = QUERIES[round % QUERIES.len()];
        let begin = Instant::now();
        let arguments = json!({"query": query}).to_string();
        let reply = found.call(&round.to_string(), "search_tools", &arguments).await;
        searches.add(begin.elapsed());
        let is_answered = reply.as_ref().is_ok_and(|reply| !reply.is_error());
        figure.must(is_answered, || format!("\"{query}\": {reply:?}"));
        let text = reply.ok().and_then(|reply| reply.text().map(str::to_owned)).unwrap_or_default();
        let is_wanted = match query {
            "delete playlist" => text.contains("delete_playlist"),
            "s3_update_vehicle" => text.contains("s3_update_vehicle"),
            _ => true,
        };
        figure.must(is_wanted, || format!("\"{query}\" found {}", &text[..text.floor_char_boundary(300)]));
    }
    let after = Usage::of(served.pid());
    figure.see(format!("a list of {} tools, {} MB: {lists}", first.len(), bytes / 1_000_000));
    figure.see(format!("search_tools: {searches}"));
    figure.see(format!(
        "memory {} MiB with every tool, {} MiB in the end, {} MiB at most",
        before.rss_kib >> 10,
        after.rss_kib >> 10,
        after.peak_kib >> 10
    ));
    figure.should("a list p99 ≤ 200 ms", lists.percentile(99.0) <= LIST);
    figure.should("a search p99 ≤ 20 ms", searches.percentile(99.0) <= SEARCH);
    figure.should("memory ≤ 150 MiB", after.rss_kib <= RSS_KIB);
    figure
}

/// The first page, as it comes: how many bytes it has.
async fn page(client: &mut Client, round: usize) -> usize {
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":{round},"method":"tools/list","params":{{"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
    );
    let headers = Client::modern_headers("tools/list", None);
    client.raw_with(body.as_bytes(), &headers).await.map_or(0, |answer| answer.body.len())
}
