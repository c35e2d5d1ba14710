//! Servers in use for a long time: nothing grows.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::time::sleep;
use toolwright_mcp::guard::Guardian;

use super::{Figure, Usage};
use crate::STDOUT_HABITS;
use crate::servers::{Programs, ready, says, supervised};

const SERVERS: usize = 3;
const CALLERS: usize = 8;
/// The part of the time that does not count: caches fill, the allocator finds its size.
const WARM_UP: f64 = 0.2;
/// How often it is looked.
const SAMPLE: Duration = Duration::from_secs(1);

/// Q05: servers with noise of every kind in use for so long, with a guardian.
pub async fn watch(programs: &Programs, time: Duration) -> Figure {
    let mut figure =
        Figure::new("Q05", format!("{CALLERS} callers of {SERVERS} servers for {} s", time.as_secs()));
    let guardian = Guardian::start(programs.guardian.clone(), vec!["__guard".into()]).expect("a guardian");
    let servers: Vec<_> = (0..SERVERS)
        .map(|number| {
            let command = programs.hostile(&[]);
            let command = toolwright_mcp::stdio::ChildCommand { guardian: Some(guardian.clone()), ..command };
            supervised(&format!("soaked-{number}"), command)
        })
        .collect();
    for server in &servers {
        ready(server).await;
    }
    let (is_over, made, wrong) =
        (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    // A line of megabytes is a figure of its own. A message without a line end would share its line with the next
    // caller's noise.
    let habits: Vec<&str> = STDOUT_HABITS
        .iter()
        .copied()
        .filter(|habit| !["long-line-before", "spread-out", "no-line-end"].contains(habit))
        .collect();
    let callers: Vec<_> = (0..CALLERS)
        .map(|caller| {
            let (server, habits) = (servers[caller % SERVERS].clone(), habits.clone());
            let (is_over, made, wrong) = (Arc::clone(&is_over), Arc::clone(&made), Arc::clone(&wrong));
            tokio::spawn(async move {
                let mut number = caller;
                while !is_over.load(Ordering::Relaxed) {
                    number += 1;
                    let nonce = format!("{caller}-{number}");
                    let said = says(&ready(&server).await, habits[number % habits.len()], &nonce).await;
                    wrong.fetch_add(u64::from(said.ok() != Some(nonce)), Ordering::Relaxed);
                    made.fetch_add(1, Ordering::Relaxed);
                }
            })
        })
        .collect();
    let begin = Instant::now();
    let mut samples = Vec::new();
    while begin.elapsed() < time {
        sleep(SAMPLE.min(time / 10)).await;
        if begin.elapsed() >= time.mul_f64(WARM_UP) {
            samples.push((begin.elapsed().as_secs_f64(), Usage::own()));
        }
    }
    is_over.store(true, Ordering::Relaxed);
    for caller in callers {
        caller.await.expect("a caller");
    }
    judge(&mut figure, &samples, made.load(Ordering::Relaxed), wrong.load(Ordering::Relaxed));
    let restarts: u32 = servers.iter().map(|server| server.snapshot().restarts).sum();
    figure.must(restarts == 0, || format!("{restarts} restarts"));
    figure
}

fn judge(figure: &mut Figure, samples: &[(f64, Usage)], made: u64, wrong: u64) {
    figure.must(wrong == 0, || format!("{wrong} of {made} calls went wrong"));
    figure.see(format!("{made} calls"));
    let range = |of: fn(&Usage) -> u64| {
        let values = || samples.iter().map(|(_, usage)| of(usage));
        (values().min().unwrap_or(0), values().max().unwrap_or(0))
    };
    let (rss, threads) = (range(|usage| usage.rss_kib), range(|usage| usage.threads));
    let (files, children) = (range(|usage| usage.files as u64), range(|usage| usage.children as u64));
    let points: Vec<(f64, f64)> = samples.iter().map(|(at, usage)| (*at, usage.rss_kib as f64)).collect();
    let per_hour = slope(&points) * 3600.0 * 100.0 / (rss.0.max(1) as f64);
    figure.see(format!("memory {} to {} KiB, {per_hour:+.1} % an hour", rss.0, rss.1));
    figure.see(format!(
        "files {} to {}, threads {} to {}, children {} to {}",
        files.0, files.1, threads.0, threads.1, children.0, children.1
    ));
    let expected = SERVERS as u64 + 1;
    figure.must(children == (expected, expected), || {
        format!("{} to {} children, not {expected}", children.0, children.1)
    });
    figure.must(files.0 == files.1, || "the number of open files changed".to_owned());
    figure.should("memory ≤ +1 % an hour", per_hour <= 1.0);
    figure.should("threads constant", threads.0 == threads.1);
}

/// The slope of the line that is nearest to the points.
fn slope(points: &[(f64, f64)]) -> f64 {
    let count = points.len().max(1) as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let over = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum::<f64>();
    let under = points.iter().map(|point| (point.0 - x).powi(2)).sum::<f64>();
    if under > 0.0 { over / under } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slope_is_that_of_the_nearest_line() {
        assert_eq!(slope(&[(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)]), 2.0);
        assert_eq!(slope(&[(3.0, 1.0)]), 0.0);
        assert_eq!(slope(&[]), 0.0);
    }
}
