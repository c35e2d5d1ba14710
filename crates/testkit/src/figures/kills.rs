//! Servers that are killed in the middle of a call.

use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tokio::task::JoinHandle;
use tokio::time::sleep;
use toolwright_mcp::{Ending, Peer, RequestError};

use super::{Dice, Figure, Times};
use crate::servers::{PATIENCE, Programs, call, ready, says, supervised};

/// How long the other server is called before the first kill: at least, and for each kill.
const UNDISTURBED: Duration = Duration::from_secs(1);
const UNDISTURBED_PER_KILL: Duration = Duration::from_millis(5);
/// The longest wait between the call and the kill, in microseconds.
const MAX_WAIT_US: u64 = 5000;

/// Q10: one server is killed in the middle of a call, so many times, while another one is called.
pub async fn kills(programs: &Programs, rounds: usize) -> Figure {
    let mut figure = Figure::new("Q10", format!("{rounds} kills in the middle of a call"));
    let server = supervised("killed", programs.hostile(&[]));
    let other = supervised("other", programs.hostile(&[]));
    let beside = ready(&other).await;
    let span = UNDISTURBED.max(UNDISTURBED_PER_KILL * u32::try_from(rounds).unwrap_or(u32::MAX));
    let (undisturbed, _) = calls_until(&beside, sleep(span)).await;
    let (is_over, disturbed) = calling(&beside);
    let begin = Instant::now();
    let mut dice = Dice(0x5eed_0010);
    let (mut failed, mut back) = (Times::default(), Times::default());
    for round in 0..rounds {
        let peer = ready(&server).await;
        let pid = server.snapshot().pid.and_then(|pid| Pid::from_raw(pid.cast_signed()));
        let Some(pid) = pid else {
            figure.must(false, || format!("round {round}: no process"));
            continue;
        };
        let kill = async {
            sleep(Duration::from_micros(dice.below(MAX_WAIT_US))).await;
            let killed = kill_process(pid, Signal::KILL);
            (Instant::now(), killed.is_ok())
        };
        let hanging = async { (call(&peer, "hang", "{}", PATIENCE).await, Instant::now()) };
        let ((outcome, at), (killed_at, is_killed)) = tokio::join!(hanging, kill);
        figure.must(is_killed, || format!("round {round}: not killed"));
        failed.add(at.saturating_duration_since(killed_at));
        let is_told = match &outcome {
            Err(RequestError::Closed(closed)) => {
                closed.ending == Ending::Killed(9) && closed.stderr.contains("hostile server started")
            }
            _ => false,
        };
        figure.must(is_told, || format!("round {round}: {outcome:?}"));
        let peer = ready(&server).await;
        let said = says(&peer, "plain", "back").await;
        back.add(at.elapsed());
        figure.must(said.as_deref().ok() == Some("back"), || format!("round {round}, after it: {said:?}"));
    }
    is_over.store(true, Ordering::Relaxed);
    let pace = begin.elapsed() / u32::try_from(rounds.max(1)).unwrap_or(u32::MAX);
    let (disturbed, faults) = disturbed.await.expect("the other server's caller");
    let (is_over, beside_bare) = calling(&beside);
    let program = programs.server.clone();
    let bare = tokio::task::spawn_blocking(move || bare_kills(&program, rounds, pace)).await;
    is_over.store(true, Ordering::Relaxed);
    let (beside_bare, _) = beside_bare.await.expect("the other server's caller");
    figure.must(matches!(bare, Ok(Ok(()))), || format!("the bare starts: {bare:?}"));
    let snapshot = server.snapshot();
    figure.must(snapshot.restarts as usize == rounds, || format!("{} restarts", snapshot.restarts));
    let told = snapshot.last_failure.map(|failure| failure.to_string()).unwrap_or_default();
    figure.must(told.contains("signal 9 (SIGKILL)"), || format!("the last error is {told:?}"));
    figure.must(faults == 0, || format!("{faults} calls to the other server failed"));
    figure.must(other.snapshot().restarts == 0, || "the other server was started again".to_owned());
    figure.see(format!("from the kill to its error: {failed}"));
    figure.see(format!("from the error to the next answer: {back}"));
    figure.see(format!("another server before, {} calls: {undisturbed}", undisturbed.0.len()));
    figure.see(format!("another server meanwhile, {} calls: {disturbed}", disturbed.0.len()));
    figure.see(format!("another server beside bare starts and kills at that pace: {beside_bare}"));
    figure.should("error p99 ≤ 250 ms", failed.percentile(99) <= Duration::from_millis(250));
    figure.should("back ≤ 1 s", back.most() <= Duration::from_secs(1));
    let limit = undisturbed.percentile(99).mul_f64(1.1);
    figure.should("the other server's p99 changes ≤ 10 %", disturbed.percentile(99) <= limit);
    figure
}

/// Calls a server until the flag is set.
fn calling(peer: &Peer) -> (Arc<AtomicBool>, JoinHandle<(Times, usize)>) {
    let is_over = Arc::new(AtomicBool::new(false));
    let calls = tokio::spawn({
        let (peer, is_over) = (peer.clone(), Arc::clone(&is_over));
        async move {
            let over = async {
                while !is_over.load(Ordering::Relaxed) {
                    sleep(Duration::from_millis(20)).await;
                }
            };
            calls_until(&peer, over).await
        }
    });
    (is_over, calls)
}

/// Starts the program, hears it once and kills it, so many times, by a thread that has nothing to do with our
/// connections: what that does to another server is what the machine does, not we.
fn bare_kills(program: &Path, rounds: usize, pace: Duration) -> io::Result<()> {
    for _ in 0..rounds {
        let begin = Instant::now();
        let mut command = Command::new(program);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let heard = hear_once(&mut child);
        child.kill()?;
        child.wait()?;
        heard?;
        std::thread::sleep(pace.saturating_sub(begin.elapsed()));
    }
    Ok(())
}

fn hear_once(child: &mut Child) -> io::Result<()> {
    let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(io::Error::other("its pipes are missing"));
    };
    stdin.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}\n")?;
    BufReader::new(stdout).read_line(&mut String::new()).map(drop)
}

/// Calls one after the other, a millisecond apart, and counts those that fail.
async fn calls_until(peer: &Peer, over: impl Future<Output = ()>) -> (Times, usize) {
    let (mut times, mut faults) = (Times::default(), 0);
    let calls = async {
        loop {
            let begin = Instant::now();
            match says(peer, "plain", "x").await {
                Ok(_) => times.add(begin.elapsed()),
                Err(_) => faults += 1,
            }
            sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::select! {
        () = calls => {}
        () = over => {}
    }
    (times, faults)
}
