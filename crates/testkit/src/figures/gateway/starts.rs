//! Q27: the start.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::super::Figure;
use super::{comes, names};
use crate::load::{Era, GatewayPrograms, Served};
use crate::servers::PATIENCE;

const SERVERS: usize = 20;
/// What is promised without servers.
const READY: Duration = Duration::from_millis(100);
/// How long each server takes before it says anything.
const DELAY: Duration = Duration::from_secs(1);
/// One after the other would take 20 s; so much is allowed to a machine that does much else.
const TOGETHER: Duration = Duration::from_secs(12);

/// Q27: ready at once without servers; many slow ones start together, and broken ones delay nobody.
pub async fn starts(programs: &GatewayPrograms) -> Figure {
    let mut figure = Figure::new(
        "Q27",
        format!("no server; {SERVERS} servers of {} s, one broken, one silent", DELAY.as_secs()),
    );
    let alone = Served::start_with(programs, None, &[], &[]);
    let begin = Instant::now();
    let is_ready =
        comes(PATIENCE, async || alone.page("/readyz").await.is_ok_and(|page| page.status == 200)).await;
    let took = alone.took + begin.elapsed();
    figure.must(is_ready, || "not ready without servers".to_owned());
    figure.see(format!("without servers ready after {:.1} ms", took.as_secs_f64() * 1000.0));
    figure.should("ready ≤ 100 ms", took <= READY);
    drop(alone);

    let delay = format!("--delay={}", DELAY.as_millis());
    let mut entries: serde_json::Map<String, Value> = (0..SERVERS)
        .map(|number| (format!("s{number}"), programs.entry(&[&delay, &format!("--label=s{number}")])))
        .collect();
    entries.insert("broken".to_owned(), json!({"command": "no-such-program-anywhere"}));
    entries.insert("silent".to_owned(), programs.entry(&["--hangs"]));
    let begin = Instant::now();
    let served = Served::start(programs, &json!({"mcpServers": entries}));
    let listening = begin.elapsed();
    let healthy = served.page("/healthz").await;
    figure.must(healthy.as_ref().is_ok_and(|page| page.status == 200), || format!("/healthz: {healthy:?}"));
    let mut all = served.client("/mcp/all", Era::Modern).await.expect("a client");
    let is_listed = comes(PATIENCE, async || {
        let names = names(&mut all, 0).await;
        names.iter().filter(|name| name.ends_with("echo")).count() == SERVERS
    })
    .await;
    let listed = begin.elapsed();
    figure.must(is_listed, || "not every server is listed".to_owned());
    figure.must(listed < TOGETHER, || format!("all listed after {:.1} s only", listed.as_secs_f64()));
    figure.see(format!(
        "with servers listening after {:.1} ms, all {SERVERS} listed after {:.1} s",
        listening.as_secs_f64() * 1000.0,
        listed.as_secs_f64()
    ));
    let begin = Instant::now();
    for name in names(&mut all, 0).await.into_iter().filter(|name| name.ends_with("echo")) {
        let reply = all.call("1", &name, r#"{"text":"x"}"#).await;
        let is_right =
            reply.as_ref().is_ok_and(|reply| reply.text().is_some_and(|text| text.ends_with(":x")));
        figure.must(is_right, || format!("{name}: {reply:?}"));
    }
    figure.must(begin.elapsed() < TOGETHER, || "the calls waited for something".to_owned());
    figure
}
