//! Calls that are given up: by their time, and by their callers around their completion.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use tokio::time::{sleep, timeout};
use toolwright_jsonrpc::raw;
use toolwright_mcp::{Peer, RequestError};

use super::{Dice, Figure, Times};
use crate::servers::{PATIENCE, Programs, call, ready, says, supervised};

/// How many call at once.
const CALLERS: usize = 64;
/// How long the last cancellations may be on their way.
const SETTLED: Duration = Duration::from_secs(5);

/// Q11: so many calls hang until their time is over.
pub async fn hung(programs: &Programs, calls: usize, patience: Duration) -> Figure {
    let mut figure = Figure::new("Q11", format!("{calls} calls that hang for {} s", patience.as_secs_f64()));
    let (server, other) =
        (supervised("hangs", programs.hostile(&[])), supervised("other", programs.hostile(&[])));
    let (peer, beside) = (ready(&server).await, ready(&other).await);
    let waiting: Vec<_> = (0..calls)
        .map(|_| {
            let peer = peer.clone();
            tokio::spawn(async move {
                let begin = Instant::now();
                (call(&peer, "hang", "{}", patience).await, begin.elapsed())
            })
        })
        .collect();
    let mut others = Times::default();
    let begin = Instant::now();
    while begin.elapsed() < patience.mul_f64(0.9) {
        let begin = Instant::now();
        let said = says(&beside, "plain", "x").await;
        figure.must(said.is_ok(), || format!("another server: {said:?}"));
        others.add(begin.elapsed());
        sleep(Duration::from_millis(5)).await;
    }
    figure.see(format!("{} wait at once", peer.connection().in_flight()));
    let (mut early, mut late) = (Duration::ZERO, Duration::ZERO);
    for waiting in waiting {
        let (outcome, took) = waiting.await.expect("a caller");
        figure.must(matches!(outcome, Err(RequestError::TimedOut(_))), || format!("{outcome:?}"));
        early = early.max(patience.saturating_sub(took));
        late = late.max(took.saturating_sub(patience));
    }
    let left = peer.connection().in_flight();
    figure.must(left == 0, || format!("{left} still wait"));
    // The server reads in order: it has seen every cancellation before this.
    let cancelled = says(&peer, "tally", "").await.unwrap_or_default();
    figure.must(cancelled == calls.to_string(), || format!("the server saw {cancelled} cancellations"));
    let before = peer.connection().counts().unwanted;
    let said = says(&peer, "answers-hung", "and this").await;
    figure.must(said.as_deref().ok() == Some("and this"), || format!("after the late answers: {said:?}"));
    let dropped = peer.connection().counts().unwanted - before;
    figure.must(dropped == calls as u64, || format!("{dropped} late answers counted"));
    let (early, late) = (early.as_secs_f64() * 1000.0, late.as_secs_f64() * 1000.0);
    figure.see(format!("timed out at most {early:.1} ms early and {late:.1} ms late"));
    figure
        .see(format!("the server saw {cancelled} cancellations; {dropped} late answers dropped and counted"));
    figure.see(format!("another server meanwhile: {others}"));
    figure.should("timeouts ± 100 ms", early <= 100.0 && late <= 100.0);
    figure
}

/// Q16: calls that are given up at random moments around their completion.
pub async fn around_completion(programs: &Programs, calls: usize) -> Figure {
    let mut figure = Figure::new("Q16", format!("{calls} calls given up around their completion"));
    let server = supervised("cancelled", programs.hostile(&[]));
    let peer = ready(&server).await;
    let usual = usual_time(&peer).await;
    let callers: Vec<_> = (0..CALLERS)
        .map(|caller| {
            let peer = peer.clone();
            tokio::spawn(give_up(peer, caller, calls.div_ceil(CALLERS), usual))
        })
        .collect();
    let mut answered = HashSet::new();
    let (mut given_up, mut faults, mut made) = (0usize, 0usize, 0usize);
    for caller in callers {
        let ended = caller.await.expect("a caller");
        made += ended.answered.len() + ended.given_up + ended.faults.len();
        given_up += ended.given_up;
        faults += ended.faults.len();
        answered.extend(ended.answered);
        ended.faults.into_iter().for_each(|fault| figure.must(false, || fault));
    }
    figure.must(made == calls.div_ceil(CALLERS) * CALLERS, || format!("{made} ends for {calls} calls"));
    let left = peer.connection().in_flight();
    figure.must(left == 0, || format!("{left} still wait"));
    let cancelled: usize =
        says(&peer, "tally", "").await.ok().and_then(|said| said.parse().ok()).unwrap_or(usize::MAX);
    let texts = says(&peer, "tally-texts", "").await.unwrap_or_default();
    let texts: Vec<&str> = texts.split(' ').filter(|text| !text.is_empty()).collect();
    let both = texts.iter().filter(|text| answered.contains(**text)).count();
    let twice = texts.len() - texts.iter().collect::<HashSet<_>>().len();
    figure.must(both == 0, || format!("{both} calls were answered and cancelled"));
    figure.must(twice == 0, || format!("{twice} calls were cancelled twice"));
    figure.must(cancelled <= given_up, || format!("{cancelled} cancellations for {given_up} given up"));
    let deadline = Instant::now() + SETTLED;
    let late = || peer.connection().counts().unwanted as usize;
    while late() < texts.len() && Instant::now() < deadline {
        sleep(Duration::from_millis(10)).await;
    }
    figure.must(late() <= cancelled, || format!("{} late answers, {cancelled} cancellations", late()));
    figure.must(late() <= given_up, || format!("{} late answers for {given_up} given up", late()));
    figure.see(format!("{} answered, {given_up} given up, {faults} failed", answered.len()));
    figure.see(format!(
        "{cancelled} cancellations reached the server; {} late answers dropped and counted",
        late()
    ));
    figure.see(format!("{left} wait at the end"));
    figure
}

/// What one caller saw.
#[derive(Default)]
struct Ended {
    answered: Vec<String>,
    given_up: usize,
    faults: Vec<String>,
}

async fn give_up(peer: Peer, caller: usize, calls: usize, usual: Duration) -> Ended {
    let mut dice = Dice(0x5eed_0016 + caller as u64);
    let mut ended = Ended::default();
    for number in 0..calls {
        let nonce = format!("{caller}-{number}");
        let arguments = format!(r#"{{"text":{}}}"#, raw::quote(&nonce));
        let wait = Duration::from_nanos(dice.below(2 * usual.as_nanos() as u64));
        match timeout(wait, call(&peer, "tracked", &arguments, PATIENCE)).await {
            Ok(Ok(result)) if crate::servers::text_of(&result) == nonce => ended.answered.push(nonce),
            Ok(other) => ended.faults.push(format!("{nonce}: {other:?}")),
            Err(_) => ended.given_up += 1,
        }
    }
    ended
}

/// How long a call takes when all callers call.
async fn usual_time(peer: &Peer) -> Duration {
    let callers: Vec<_> = (0..CALLERS)
        .map(|_| {
            let peer = peer.clone();
            tokio::spawn(async move {
                let mut times = Times::default();
                for _ in 0..20 {
                    let begin = Instant::now();
                    let _ = says(&peer, "plain", "x").await;
                    times.add(begin.elapsed());
                }
                times.percentile(50)
            })
        })
        .collect();
    let mut times = Times::default();
    for caller in callers {
        times.add(caller.await.expect("a caller"));
    }
    times.percentile(50)
}
