//! The cases of the grid: what is called, and what is told of it.

use std::time::{Duration, Instant};

use tokio::time::sleep;

use crate::way::{Gateway, Outcome, Said, Starts, leaks};

/// How long the caller waits; for a result of many megabytes longer.
const PATIENCE: Duration = Duration::from_secs(12);
const LARGE_PATIENCE: Duration = Duration::from_secs(60);
const LARGE_MIB: u64 = 30;
/// How long after it the other call is sent: the quickest of the gateways is not through with it by then.
const MEANWHILE: Duration = Duration::from_millis(10);
/// How long a gateway may take to come back.
const COME_BACK: Duration = Duration::from_secs(6);

/// Every case with a fresh gateway, in the order of the grid.
pub async fn all(starts: &Starts) -> Vec<(String, String)> {
    let mut cells = Vec::new();
    let noise = [
        ("log lines + half JSON on stdout", &["many-log-lines", "half-json"][..]),
        ("bytes FF FE on stdout", &["bad-utf8-line"]),
        ("answers twice", &["answers-twice"]),
    ];
    for (case, habits) in noise {
        cells.push((case.to_owned(), told(starts, async |gateway| among_noise(gateway, habits).await).await));
    }
    let case = format!("{LARGE_MIB} MiB text result");
    cells.push((case, told(starts, async |gateway| large(gateway).await).await));
    for depth in [100, 5_000, 100_000, 1_000_000] {
        let case = format!("result nested {depth} deep");
        cells.push((case, told(starts, async |gateway| deep(gateway, depth).await).await));
    }
    cells.push((
        "environment of the child".into(),
        told(starts, async |gateway| environment(gateway).await).await,
    ));
    cells.push(("tool never answers".into(), told(starts, async |gateway| hangs(gateway).await).await));
    cells.push(("server dies in the call".into(), told(starts, async |gateway| dies(gateway).await).await));
    cells.push(("memory when idle".into(), told(starts, async |gateway| idle(gateway).await).await));
    cells
}

async fn told(starts: &Starts, case: impl AsyncFnOnce(&Gateway) -> String) -> String {
    match Gateway::start(starts).await {
        Ok(gateway) => case(&gateway).await,
        Err(reason) => reason,
    }
}

async fn among_noise(gateway: &Gateway, habits: &[&str]) -> String {
    for habit in habits {
        let outcome = gateway.call(habit, r#"{"text":"x"}"#, PATIENCE).await;
        if !outcome.is_ok() {
            return format!("{}; {}", shown(&outcome), next(gateway).await);
        }
    }
    format!("ok; {}", next(gateway).await)
}

async fn large(gateway: &Gateway) -> String {
    let arguments = format!(r#"{{"megabytes":{LARGE_MIB}}}"#);
    let meanwhile = async {
        sleep(MEANWHILE).await;
        gateway.call("plain", r#"{"text":"x"}"#, PATIENCE).await
    };
    let (large, meanwhile) = tokio::join!(gateway.call("large", &arguments, LARGE_PATIENCE), meanwhile);
    let peak = gateway.usage().peak_kib / 1024;
    format!("{}, peak {peak} MiB; a call meanwhile: {}", shown(&large), shown(&meanwhile))
}

async fn deep(gateway: &Gateway, depth: u64) -> String {
    let outcome = gateway.call("deep", &format!(r#"{{"depth":{depth}}}"#), PATIENCE).await;
    format!("{}; {}", shown(&outcome), next(gateway).await)
}

async fn environment(gateway: &Gateway) -> String {
    let outcome = gateway.call("environment", "{}", PATIENCE).await;
    let Said::Result(names) = &outcome.said else { return shown(&outcome) };
    // The text stands in an answer, or alone.
    let names = names.rsplit_once("\"text\":\"").map_or(names.as_str(), |(_, rest)| rest);
    let names = names.split('"').next().unwrap_or_default();
    let leak = if leaks(names) { "the secret of the gateway among them" } else { "no secret" };
    format!("{} names, {leak}", names.split(' ').filter(|name| !name.is_empty()).count())
}

async fn hangs(gateway: &Gateway) -> String {
    let outcome = gateway.call("hang", "{}", PATIENCE).await;
    let cancelled = gateway.call("tally", "{}", PATIENCE).await;
    let cancelled = match &cancelled.said {
        Said::Result(text) if text == "1" || text.contains(r#""text":"1""#) => "the server was told",
        Said::Result(_) => "the server was not told",
        _ => "the next call fails",
    };
    format!("{}; {cancelled}", shown(&outcome))
}

async fn dies(gateway: &Gateway) -> String {
    let outcome = gateway.call("die", r#"{"text":"out of luck","code":7}"#, PATIENCE).await;
    let why = match &outcome.said {
        Said::Error(text) => {
            let (code, stderr) = (text.contains("exit code 7"), text.contains("out of luck"));
            match (code, stderr) {
                (true, true) => " with exit code and stderr",
                (true, false) => " with exit code",
                (false, true) => " with stderr",
                (false, false) => " without a cause",
            }
        }
        _ => "",
    };
    let begin = Instant::now();
    while begin.elapsed() < COME_BACK {
        let left = COME_BACK.saturating_sub(begin.elapsed());
        if gateway.call("plain", r#"{"text":"x"}"#, left).await.is_ok() {
            return format!("{}{why}; back after {}", shown(&outcome), time(begin.elapsed()));
        }
        sleep(Duration::from_millis(50)).await;
    }
    format!("{}{why}; not back within {} s", shown(&outcome), COME_BACK.as_secs())
}

async fn idle(gateway: &Gateway) -> String {
    // One call, so that nothing is started that was put off.
    let outcome = gateway.call("plain", r#"{"text":"x"}"#, PATIENCE).await;
    sleep(Duration::from_secs(1)).await;
    match outcome.is_ok() {
        true => format!("{} MiB", gateway.usage().rss_kib / 1024),
        false => shown(&outcome),
    }
}

async fn next(gateway: &Gateway) -> String {
    let outcome = gateway.call("plain", r#"{"text":"x"}"#, PATIENCE).await;
    if outcome.is_ok() { "next call ok".to_owned() } else { format!("next call: {}", shown(&outcome)) }
}

fn shown(outcome: &Outcome) -> String {
    match &outcome.said {
        Said::Result(_) => format!("ok in {}", time(outcome.took)),
        Said::Error(text) if text == "an empty body" => format!("an empty body after {}", time(outcome.took)),
        Said::Error(_) => format!("error in {}", time(outcome.took)),
        Said::Nothing => format!("nothing within {}", time(outcome.took)),
    }
}

fn time(took: Duration) -> String {
    match took {
        took if took < Duration::from_secs(1) => format!("{} ms", took.as_millis()),
        took => format!("{:.1} s", took.as_secs_f64()),
    }
}
