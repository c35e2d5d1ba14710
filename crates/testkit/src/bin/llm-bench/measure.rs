//! So many requests by so many clients, each over a connection of its own that is kept.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Barrier;
use tokio::task::JoinSet;
use toolwright_testkit::load::{Histogram, Wire};

use crate::asked;
use crate::order::{Dialect, Kind, Step};
use crate::upstream::{ANSWER, DIGITS, MARK, now};

/// Who is slow makes fewer requests: a step takes no longer than this, but for the request that runs then.
const MOST: Duration = Duration::from_secs(2);
/// Requests of all clients together that are not timed; of streams there is one.
const WARM_UP: usize = 30;

/// What was seen.
#[derive(Clone, Default)]
pub struct Seen {
    /// Of a request, or of a piece of a stream.
    pub times: Histogram,
    /// Requests or pieces in a second, of all clients together.
    pub rate: f64,
    /// Requests or pieces, with those that were not timed.
    pub units: u64,
    /// Answers that were not what was expected.
    pub wrong: u64,
    /// The first of them.
    pub first: String,
    /// Time of processors, of one request or piece.
    pub cpu_ns: f64,
    pub rss_kib: u64,
}

/// Where and how requests are sent.
#[derive(Clone)]
pub struct Place {
    pub address: SocketAddr,
    pub client: Dialect,
    pub token: String,
}

impl Place {
    fn request(&self, step: &Step) -> Vec<u8> {
        let body = asked::body(step, self.client);
        let key = match self.client {
            Dialect::Chat => format!("authorization: Bearer {}", self.token),
            Dialect::Anthropic => format!("x-api-key: {}\r\nanthropic-version: 2023-06-01", self.token),
        };
        let (path, address, length) = (self.client.path(), self.address, body.len());
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: {address}\r\naccept: */*\r\nuser-agent: llm-bench\r\n{key}\r\n\
             content-type: application/json\r\ncontent-length: {length}\r\n\r\n"
        );
        [head.as_bytes(), body.as_bytes()].concat()
    }
}

/// Does the step.
pub async fn run(place: &Place, step: &Step) -> Result<Seen, String> {
    let request: Arc<[u8]> = place.request(step).into();
    let clients = step.clients.max(1);
    let warm_up = if step.kind.is_stream() { 1 } else { WARM_UP.div_ceil(clients) };
    let each = step.requests.div_ceil(clients as u64);
    let start = Arc::new(Barrier::new(clients + 1));
    let mut running = JoinSet::new();
    for _ in 0..clients {
        let wire = Wire::connect(place.address).await.map_err(|error| error.to_string())?;
        let (request, start, step) = (Arc::clone(&request), Arc::clone(&start), step.clone());
        running.spawn(async move {
            let mut client = Client { wire, request, step, seen: Seen::default() };
            for _ in 0..warm_up {
                client.ask().await;
            }
            start.wait().await;
            client.seen.times = Histogram::default();
            let begin = Instant::now();
            for _ in 0..each {
                client.ask().await;
                if begin.elapsed() > MOST {
                    break;
                }
            }
            client.seen
        });
    }
    start.wait().await;
    let begin = Instant::now();
    let mut all = Seen::default();
    while let Some(seen) = running.join_next().await {
        let seen = seen.map_err(|error| error.to_string())?;
        all.times.merge(&seen.times);
        all.units += seen.units;
        all.wrong += seen.wrong;
        if all.first.is_empty() {
            all.first = seen.first;
        }
    }
    let timed = match step.kind {
        // Its times are of whole streams, told by the piece.
        Kind::Stream | Kind::Call => all.times.count() * step.chunks,
        _ => all.times.count(),
    };
    all.rate = timed as f64 / begin.elapsed().as_secs_f64();
    Ok(all)
}

struct Client {
    wire: Wire,
    request: Arc<[u8]>,
    step: Step,
    seen: Seen,
}

impl Client {
    async fn ask(&mut self) {
        let done = match self.step.kind.is_stream() {
            true => self.ask_stream().await,
            false => self.ask_whole().await,
        };
        if let Err(reason) = done {
            self.seen.wrong += 1;
            if self.seen.first.is_empty() {
                self.seen.first = reason;
            }
        }
    }

    async fn ask_whole(&mut self) -> Result<(), String> {
        let sent = Instant::now();
        let answer = self.wire.ask(&self.request).await.map_err(|error| error.to_string())?;
        self.seen.times.add(sent.elapsed());
        self.seen.units += 1;
        let is_right = answer.status == 200 && contains(&answer.body, ANSWER.as_bytes());
        if is_right { Ok(()) } else { Err(told(answer.status, &answer.body)) }
    }

    async fn ask_stream(&mut self) -> Result<(), String> {
        let failed = |error: std::io::Error| error.to_string();
        let sent = Instant::now();
        self.wire.send(&self.request).await.map_err(failed)?;
        let head = self.wire.receive_head().await.map_err(failed)?;
        if head.status != 200 {
            let answer = self.wire.receive_body(head).await.map_err(failed)?;
            return Err(told(answer.status, &answer.body));
        }
        let (mut body, mut marks) = (Vec::new(), Marks::default());
        while let Some(chunk) = self.wire.receive_chunk().await.map_err(failed)? {
            let come = now();
            body.extend_from_slice(&chunk);
            let times = (self.step.kind == Kind::Paced).then_some(&mut self.seen.times);
            marks.read(&body, come, times);
        }
        let taken = sent.elapsed();
        self.seen.units += marks.count;
        if marks.count != self.step.chunks {
            return Err(format!("{} chunks of {}: {}", marks.count, self.step.chunks, told(200, &body)));
        }
        if self.step.kind != Kind::Paced {
            self.seen.times.add(taken / u32::try_from(self.step.chunks.max(1)).unwrap_or(u32::MAX));
        }
        Ok(())
    }
}

/// The marks of pieces in what has come of a stream.
#[derive(Default)]
struct Marks {
    count: u64,
    searched: usize,
}

impl Marks {
    /// Finds those that are whole by now; how long each was on its way is added.
    fn read(&mut self, body: &[u8], come: u64, mut times: Option<&mut Histogram>) {
        while let Some(at) = body[self.searched..].iter().position(|byte| *byte == MARK) {
            let digits = self.searched + at + 1;
            let Some(text) = body.get(digits..digits + DIGITS) else {
                self.searched = digits - 1;
                return;
            };
            let written = std::str::from_utf8(text).ok().and_then(|text| text.parse::<u64>().ok());
            if let Some(written) = written {
                self.count += 1;
                if let Some(times) = &mut times {
                    times.add(Duration::from_nanos(come.saturating_sub(written)));
                }
            }
            self.searched = digits;
        }
        self.searched = body.len();
    }
}

fn contains(body: &[u8], wanted: &[u8]) -> bool {
    body.windows(wanted.len()).any(|window| window == wanted)
}

fn told(status: u16, body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    format!("{status}: {}", &text[..text.floor_char_boundary(300)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_found_once_however_they_come() {
        let body = b"data: @0000000000000000100 and @0000000000000000150 and mail@example.org";
        for step in 1..=body.len() {
            let (mut marks, mut times) = (Marks::default(), Histogram::default());
            for end in (step..body.len()).step_by(step).chain([body.len()]) {
                marks.read(&body[..end], 250, Some(&mut times));
            }
            assert_eq!((marks.count, times.count()), (2, 2), "in steps of {step}");
            assert_eq!(times.percentile(100.0), Duration::from_nanos(150));
        }
    }
}
