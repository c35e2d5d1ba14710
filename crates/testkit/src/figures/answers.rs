//! Answers among noise, answers that are too large, and answers that are too deep.

use std::time::{Duration, Instant};

use toolwright_jsonrpc::Json;
use toolwright_mcp::RequestError;

use super::{Figure, Times, Usage};
use crate::STDOUT_HABITS;
use crate::servers::{PATIENCE, Programs, call, ready, says, supervised};

const MIB: u64 = 1024;
/// The longest line that is kept, and what may come on top of it.
const LINE_CAP_KIB: u64 = 16 * MIB;
const ABOVE_CAP_KIB: u64 = 8 * MIB;
/// What may be left of a large result once it is gone.
const KEPT_KIB: u64 = 8 * MIB;

/// Q09: every way to spoil stdout, and a line of so many megabytes without an end.
pub async fn torture(programs: &Programs, rounds: usize, megabytes: u64) -> Figure {
    let done = format!(
        "{} ways to spoil stdout, {rounds} times; {megabytes} MB without a line end",
        STDOUT_HABITS.len()
    );
    let mut figure = Figure::new("Q09", done);
    let server = supervised("noisy", programs.hostile(&[]));
    let peer = ready(&server).await;
    let before = Usage::own();
    let mut delivered = 0;
    for round in 0..rounds {
        for habit in STDOUT_HABITS {
            let nonce = format!("{habit} {round}");
            let said = says(&peer, habit, &nonce).await;
            let is_right = said.as_ref().is_ok_and(|said| *said == nonce);
            delivered += usize::from(is_right);
            figure.must(is_right, || format!("{habit}: {said:?}"));
        }
    }
    let arguments = format!(r#"{{"text":"after it","megabytes":{megabytes}}}"#);
    let said = call(&peer, "long-line-before", &arguments, PATIENCE).await;
    figure.must(said.is_ok(), || format!("the answer behind {megabytes} MB: {said:?}"));
    let grown = Usage::own().peak_kib.saturating_sub(before.rss_kib);
    let counts = peer.connection().counts();
    figure.see(format!("{delivered} of {} answers delivered", rounds * STDOUT_HABITS.len()));
    figure.see(format!(
        "{} pieces of noise counted, {} answers that nobody waited for",
        counts.noise, counts.unwanted
    ));
    figure.see(format!("memory grew by {} MiB at most", grown / MIB));
    figure.must(counts.unwanted >= rounds as u64, || "second answers were not counted".to_owned());
    figure.should("memory ≤ line cap + 8 MiB", grown <= LINE_CAP_KIB + ABOVE_CAP_KIB);
    figure
}

/// Q12: a result of so many megabytes, while others call the same server and another one.
pub async fn large(programs: &Programs, megabytes: u64, rounds: usize) -> Figure {
    let mut figure =
        Figure::new("Q12", format!("a result of {megabytes} MiB, {rounds} times, with calls meanwhile"));
    let (server, other) =
        (supervised("large", programs.hostile(&[])), supervised("other", programs.hostile(&[])));
    let (peer, beside) = (ready(&server).await, ready(&other).await);
    let before = Usage::own();
    let (mut taken, mut same, mut others) = (Times::default(), Times::default(), Times::default());
    let mut told = String::new();
    for _ in 0..rounds {
        let begin = Instant::now();
        let arguments = format!(r#"{{"megabytes":{megabytes}}}"#);
        let mut answer = std::pin::pin!(call(&peer, "large", &arguments, PATIENCE));
        let meanwhile = async {
            loop {
                let begin = Instant::now();
                if says(&beside, "plain", "x").await.is_ok() {
                    others.add(begin.elapsed());
                }
            }
        };
        // Sent while the large one is on its way.
        let behind = async {
            tokio::time::sleep(Duration::from_millis(1)).await;
            let begin = Instant::now();
            (says(&peer, "plain", "x").await, begin.elapsed())
        };
        let ((answer, took), (said, waited)) = tokio::select! {
            both = async { tokio::join!(async { ((&mut answer).await, begin.elapsed()) }, behind) } => both,
            () = meanwhile => continue,
        };
        taken.add(took);
        same.add(waited);
        figure.must(said.is_ok(), || format!("the call meanwhile: {said:?}"));
        told = match answer {
            Ok(result) => format!("an answer of {} bytes", result.as_str().len()),
            Err(error) => error.to_string(),
        };
        let is_clear = told.starts_with("an answer of") || told.contains("larger than");
        figure.must(is_clear, || told.clone());
    }
    let peak = Usage::own().peak_kib.saturating_sub(before.rss_kib);
    tokio::time::sleep(Duration::from_millis(500)).await;
    let kept = Usage::own().rss_kib.saturating_sub(before.rss_kib);
    figure.see(format!("told: {told}"));
    figure.see(format!("answered or refused: {taken}"));
    figure.see(format!("a call to the same server meanwhile: {same}"));
    figure.see(format!("calls to another server meanwhile: {others}"));
    figure.see(format!("memory grew by {} MiB at most, {} MiB after half a second", peak / MIB, kept / MIB));
    figure.must(!others.0.is_empty(), || "no other call came through meanwhile".to_owned());
    figure.should("≤ 1 s", taken.most() <= Duration::from_secs(1));
    figure.should("calls to another server p99 ≤ 50 ms", others.percentile(99) <= Duration::from_millis(50));
    figure.should("memory ≤ 3 × the result", peak <= 3 * megabytes * MIB);
    figure.should("and back within 8 MiB of what it was", kept <= KEPT_KIB);
    figure
}

/// Q13: nesting in both directions.
pub async fn depths(programs: &Programs, rounds: usize) -> Figure {
    let mut figure =
        Figure::new("Q13", format!("nesting of 64, 100, 129, 5,000, 100,000 and 1,000,000, {rounds} times"));
    let server = supervised("deep", programs.hostile(&[]));
    let peer = ready(&server).await;
    let (mut answers, mut questions) = (Times::default(), Times::default());
    for _ in 0..rounds {
        for (depth, is_taken) in
            [(64, true), (100, true), (129, false), (5_000, false), (100_000, false), (1_000_000, false)]
        {
            let begin = Instant::now();
            let answer = call(&peer, "deep", &format!(r#"{{"depth":{depth}}}"#), PATIENCE).await;
            let took = begin.elapsed();
            let is_right = match &answer {
                Ok(_) => is_taken,
                Err(RequestError::Unreadable(_)) => !is_taken,
                Err(_) => false,
            };
            figure.must(is_right, || format!("{depth} levels: {:?}", answer.map(|_| "taken")));
            if !is_taken {
                answers.add(took);
            }
            let text = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
            let begin = Instant::now();
            let is_sent = Json::parse(&text).is_ok();
            questions.add(begin.elapsed());
            figure.must(is_sent == is_taken, || format!("{depth} levels to the server"));
        }
    }
    let said = says(&peer, "plain", "still here").await;
    figure.must(said.is_ok(), || format!("the call after them: {said:?}"));
    figure.see(format!("answers refused: {answers}"));
    figure.see(format!("arguments taken or refused: {questions}"));
    figure.should("an error ≤ 50 ms", answers.percentile(99) <= Duration::from_millis(50));
    figure
}
