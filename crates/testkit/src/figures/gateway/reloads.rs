//! Q24: the file changes while calls are made.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::task::JoinSet;

use super::super::{Dice, Figure, Usage};
use super::{astray, comes, names};
use crate::load::{Client, Era, GatewayPrograms, Histogram, Served};
use crate::servers::PATIENCE;

/// The servers that stay in the file from the first to the last.
const STAYING: usize = 3;
const CALLERS: usize = 6;
/// A file that is broken must change nothing; so long it is looked whether it did.
const BROKEN_FOR: Duration = Duration::from_millis(250);

/// What the file is changed to, in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Added,
    Changed,
    Broken,
    Removed,
}

/// Q24: the file is written anew so many times, with calls to servers that stay in it.
pub async fn reloads(programs: &GatewayPrograms, rounds: usize) -> Figure {
    let mut figure = Figure::new(
        "Q24",
        format!(
            "{rounds} times another file (server added, changed, removed, file broken), {CALLERS} callers meanwhile"
        ),
    );
    let staying: Vec<(String, Value)> = (0..STAYING)
        .map(|number| (format!("stay{number}"), programs.entry(&[&format!("--label=stay{number}")])))
        .collect();
    let served = Served::start_with(programs, Some(&programs.apart(&staying)), &["--rate", "0"], &[]);
    let is_over = Arc::new(AtomicBool::new(false));
    let made = Arc::new(AtomicU64::new(0));
    let mut callers = JoinSet::new();
    for number in 0..CALLERS {
        let era = if number % 2 == 0 { Era::Legacy } else { Era::Modern };
        let server = format!("stay{}", number / 2 % STAYING);
        let client = served.client(&format!("/mcp/t/{server}"), era).await.expect("a client");
        callers.spawn(calls(client, server, number, Arc::clone(&is_over), Arc::clone(&made)));
    }
    let mut watcher = served.client("/mcp/all", Era::Modern).await.expect("a client");
    let mut seen = Histogram::default();
    let mut dice = Dice(0x5eed);
    let mut extra: Option<String> = None;
    let before = Usage::of(served.pid());
    for round in 0..rounds {
        let change = next(round, extra.is_some(), &mut dice);
        if matches!(change, Change::Added | Change::Changed) {
            extra = Some(format!("round{round}"));
        } else if change == Change::Removed {
            extra = None;
        }
        let mut servers = staying.clone();
        if let Some(label) = &extra {
            // A tool that only this round's server has tells that it is there.
            servers.push(("extra".to_owned(), programs.entry(&[&format!("--tool={label}")])));
        }
        let text = programs.apart(&servers).to_string();
        if change == Change::Broken {
            served.configure(&text[..text.len() - 1 - dice.below(text.len() as u64 / 2) as usize]);
            tokio::time::sleep(BROKEN_FOR).await;
        } else {
            served.configure(&text);
        }
        let begin = Instant::now();
        let is_seen = comes(PATIENCE, async || {
            let names = names(&mut watcher, 0).await;
            let is_shown = names.iter().any(|name| name.contains("extra"));
            let has_all =
                (0..STAYING).all(|number| names.iter().any(|name| name.contains(&format!("stay{number}"))));
            has_all
                && match &extra {
                    Some(label) => names.iter().any(|name| name.ends_with(label.as_str())),
                    None => !is_shown,
                }
        })
        .await;
        if change != Change::Broken {
            seen.add(begin.elapsed());
        }
        figure.must(is_seen, || format!("round {round}: {change:?} was not seen"));
        if !is_seen {
            break;
        }
    }
    served.configure(&programs.apart(&staying).to_string());
    let is_back = comes(PATIENCE, async || astray(&served, STAYING).is_none()).await;
    is_over.store(true, Ordering::Relaxed);
    let mut times = Histogram::default();
    while let Some(caller) = callers.join_next().await {
        let (own, failed) = caller.expect("a caller");
        times.merge(&own);
        figure.must(failed.is_empty(), || failed.join("; "));
    }
    figure.must(is_back, || format!("left behind: {:?}", astray(&served, STAYING)));
    let after = Usage::of(served.pid());
    figure.see(format!("{} calls meanwhile, {times}", made.load(Ordering::Relaxed)));
    figure.see(format!("a change was in force after: {seen}"));
    figure.see(format!(
        "memory {} KiB, in the end {} KiB; files {} and {}",
        before.rss_kib, after.rss_kib, before.files, after.files
    ));
    figure
}

fn next(round: usize, has_extra: bool, dice: &mut Dice) -> Change {
    match round % 4 {
        2 => Change::Broken,
        _ if !has_extra => Change::Added,
        _ if dice.below(2) == 0 => Change::Changed,
        _ => Change::Removed,
    }
}

/// Calls one after the other until it is over; the times, and what failed.
async fn calls(
    mut client: Client,
    server: String,
    number: usize,
    is_over: Arc<AtomicBool>,
    made: Arc<AtomicU64>,
) -> (Histogram, Vec<String>) {
    let (mut times, mut failed) = (Histogram::default(), Vec::new());
    let mut id: u64 = 0;
    while !is_over.load(Ordering::Relaxed) && failed.len() < 3 {
        id += 1;
        let nonce = format!("{number}-{id}");
        let begin = Instant::now();
        let reply = client.call(&id.to_string(), "echo", &format!(r#"{{"text":"{nonce}"}}"#)).await;
        times.add(begin.elapsed());
        made.fetch_add(1, Ordering::Relaxed);
        let is_right = reply.as_ref().is_ok_and(|reply| reply.text() == Some(&format!("{server}:{nonce}")));
        if !is_right {
            failed.push(format!("{server} {id}: {reply:?}"));
        }
        // Load, but room for everything else on a small machine.
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    (times, failed)
}
