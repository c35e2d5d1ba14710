//! What is written down of an exchange: numbers always, bodies only when asked.

mod calls;

use std::sync::Arc;
use std::time::Instant;

use toolwright_ledger::{Exchange, Failure as Failed, Kind, Ledger, Reached, Record, Stages};
use toolwright_llm::calls::CallReport;
use toolwright_llm::exchange::{Asked, Prepared, Report, repaired};
use toolwright_llm::form::Stop;
use toolwright_llm::{Dialect, Failure, FailureKind, Notes};

use crate::router::Way;
use crate::said::Visit;
use crate::{ExchangeCounter, LlmFront};

/// How much of a body is written down, where that is asked for.
const MOST_BODY: usize = 1 << 20;
/// How this front is called in records.
const FRONT: &str = "llm";

/// One exchange. It is written down when it ends, or when it is dropped before.
pub(crate) struct Exchanged {
    ledger: Option<Arc<Ledger>>,
    /// The way in.
    front: &'static str,
    /// The conversation; its own when absent.
    session: Option<String>,
    counter: Arc<ExchangeCounter>,
    id: String,
    client: String,
    ts: i64,
    began: Instant,
    bytes_in: usize,
    bytes_out: usize,
    exchange: Exchange,
    report: Report,
    history: Vec<CallReport>,
    answer: Vec<u8>,
    dialect: Dialect,
    upstream: Dialect,
    /// How often an upstream was asked.
    pub attempts: u32,
    /// What could not be said to the upstream.
    notes: Vec<&'static str>,
    /// The status that the client gets.
    pub status: u16,
    /// Whether bodies are written down.
    pub keeps_bodies: bool,
    is_over: bool,
}

impl Exchanged {
    pub fn new(front: &LlmFront, dialect: Dialect, visit: &Visit, id: &str, bytes_in: usize) -> Exchanged {
        Exchanged {
            ledger: front.ledger.clone(),
            front: FRONT,
            session: None,
            counter: Arc::clone(&front.counter),
            id: id.to_owned(),
            client: visit.client.clone(),
            ts: toolwright_base::unix_micros(),
            began: Instant::now(),
            bytes_in,
            bytes_out: 0,
            exchange: Exchange { dialect: dialect.name().to_owned(), ..Exchange::default() },
            report: Report::default(),
            history: Vec::new(),
            answer: Vec::new(),
            dialect,
            upstream: dialect,
            attempts: 0,
            notes: Vec::new(),
            status: 200,
            keeps_bodies: false,
            is_over: false,
        }
    }

    /// The same for one that belongs to a conversation of another way in.
    pub fn of(mut self, front: &'static str, session: Option<String>) -> Exchanged {
        (self.front, self.session) = (front, session);
        self
    }

    /// The client's dialect.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// The dialect of the upstream that was asked last.
    pub fn upstream_dialect(&self) -> Dialect {
        self.upstream
    }

    /// Which exchange it is.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// How many calls were mended so far.
    pub fn repairs(&self) -> u64 {
        (self.report.repaired() + repaired(&self.history)) as u64
    }

    /// What could not be said to the upstream, in codes: each once, in order. Nothing where all was said.
    pub fn note_codes(&self) -> Option<String> {
        let mut codes: Vec<&str> = Vec::new();
        for code in &self.notes {
            if !codes.contains(code) {
                codes.push(code);
            }
        }
        (!codes.is_empty()).then(|| codes.join(", "))
    }

    /// What is asked.
    pub fn asks(&mut self, asked: &Asked) {
        self.exchange.model = asked.model().to_owned();
        self.exchange.is_stream = asked.is_stream();
    }

    /// What is asked, where we ask ourselves.
    pub fn asks_for(&mut self, model: &str, is_stream: bool) {
        self.exchange.model = model.to_owned();
        self.exchange.is_stream = is_stream;
    }

    /// Who is asked.
    pub fn goes(&mut self, way: &Way, prepared: &Prepared) {
        self.goes_to(way, &prepared.notes, &prepared.body);
        self.history.clone_from(&prepared.history);
    }

    /// The same with what is sent there.
    pub fn goes_to(&mut self, way: &Way, notes: &Notes, body: &str) {
        self.attempts += 1;
        // What the one before came to is not what this one does.
        (self.report, self.status) = (Report::default(), 200);
        self.upstream = way.upstream.dialect();
        self.exchange.upstream = way.upstream.name().to_owned();
        self.exchange.upstream_dialect = way.upstream.dialect().name().to_owned();
        self.exchange.upstream_model = way.model.clone();
        self.notes = notes.as_slice().iter().map(|note| note.code).collect();
        self.exchange.notes = notes.as_slice().iter().map(|note| note.message.clone()).collect();
        if self.keeps_bodies {
            self.exchange.request = Some(cut(body.as_bytes()));
        }
    }

    /// It did not come to an answer.
    pub fn fails(&mut self, failure: &Failure) {
        self.status = failure.status;
        self.report.failure = Some(failure.clone());
    }

    /// What became of the answer.
    pub fn reports(&mut self, report: &Report) {
        self.hears(report);
        self.report = report.clone();
    }

    /// What became of it so far.
    pub fn watches(&mut self, report: &Report) {
        self.hears(report);
        self.report.follow(report);
    }

    fn hears(&mut self, report: &Report) {
        if report.has_content && self.exchange.first_token_us.is_none() {
            self.exchange.first_token_us = Some(micros(self.began));
        }
    }

    /// Bytes for the client.
    pub fn answers(&mut self, bytes: &[u8]) {
        self.bytes_out += bytes.len();
        if self.keeps_bodies {
            let room = MOST_BODY.saturating_sub(self.answer.len());
            self.answer.extend_from_slice(&bytes[..bytes.len().min(room)]);
        }
    }

    /// What is left of this is another's to end.
    pub fn take(&mut self) -> Exchanged {
        let rest = Exchanged {
            ledger: None,
            session: None,
            counter: Arc::clone(&self.counter),
            id: String::new(),
            client: String::new(),
            exchange: Exchange::default(),
            report: Report::default(),
            history: Vec::new(),
            answer: Vec::new(),
            notes: Vec::new(),
            is_over: true,
            ..*self
        };
        std::mem::replace(self, rest)
    }

    /// Writes it down, once.
    pub fn ends(&mut self) {
        drop(self.over());
    }

    /// The same for an answer that is ready: it leaves first. The task runs when the one that answers rests, and nobody
    /// is woken for it.
    pub fn ends_afterwards(&mut self) {
        if let Some(over) = self.over() {
            drop(tokio::spawn(async move { drop(over) }));
        }
    }

    /// Counts it, once. What is given back writes it down when it is dropped.
    fn over(&mut self) -> Option<Over> {
        if std::mem::replace(&mut self.is_over, true) {
            return None;
        }
        let duration_us = micros(self.began);
        let exchange = self.ended();
        self.warn_of_unknown_tools(&exchange);
        let outcome = self.report.failure.as_ref().map_or("ok", |failure| code(failure.kind));
        self.counter.count(&exchange, outcome, duration_us);
        let ledger = self.ledger.take()?;
        Some(Over { ledger, exchanged: self.take(), exchange: Box::new(exchange), duration_us })
    }

    /// What is known of it at its end.
    fn ended(&mut self) -> Exchange {
        let usage = self.report.usage;
        Exchange {
            status: self.status,
            input_tokens: usage.input,
            cache_read_tokens: usage.cache_read,
            cache_write_tokens: usage.cache_write,
            output_tokens: usage.output,
            reasoning_tokens: usage.reasoning,
            stop: self.report.stop.as_ref().map(|stop| stop_word(stop).to_owned()),
            calls: count(self.report.calls.len()),
            repaired: count(self.report.repaired()),
            refused: count(self.report.refused()),
            history_repaired: count(repaired(&self.history)),
            attempts: self.attempts,
            answer: self.keeps_bodies.then(|| cut(&self.answer)),
            ..std::mem::take(&mut self.exchange)
        }
    }

    fn stages(&self) -> Stages {
        match (&self.report.failure, self.report.stop.is_some() || self.report.has_content) {
            (None, _) => {
                Stages { transport: Reached::Passed, protocol: Reached::Passed, tool: Reached::NotReached }
            }
            (Some(_), true) => Stages {
                transport: Reached::Failed,
                protocol: Reached::NotReached,
                tool: Reached::NotReached,
            },
            (Some(_), false) if self.attempts == 0 => Stages::default(),
            (Some(_), false) => {
                Stages { transport: Reached::Passed, protocol: Reached::Failed, tool: Reached::NotReached }
            }
        }
    }
}

/// An exchange that is over and not written down yet.
struct Over {
    ledger: Arc<Ledger>,
    exchanged: Exchanged,
    exchange: Box<Exchange>,
    duration_us: u64,
}

impl Drop for Over {
    fn drop(&mut self) {
        let Over { ledger, exchanged, exchange, duration_us } = self;
        let exchange = std::mem::take(exchange);
        let session = exchanged.session.take().unwrap_or_else(|| format!("llm-{}", exchanged.id));
        for (number, call) in exchanged.history.iter().chain(&exchanged.report.calls).enumerate() {
            exchanged.write_call(ledger, call, number, &session, &exchange.upstream);
        }
        let record = Record {
            ts: exchanged.ts,
            kind: Kind::Exchange,
            call: std::mem::take(&mut exchanged.id),
            client: Some(std::mem::take(&mut exchanged.client)),
            session: Some(session),
            front: exchanged.front.to_owned(),
            server: Some(exchange.upstream.clone()).filter(|upstream| !upstream.is_empty()),
            stages: exchanged.stages(),
            error: exchanged.report.failure.as_ref().map(failed),
            duration_us: *duration_us,
            bytes_in: exchanged.bytes_in as u64,
            bytes_out: exchanged.bytes_out as u64,
            exchange: Some(exchange),
            ..Record::default()
        };
        ledger.exchange(record);
    }
}

impl Drop for Exchanged {
    fn drop(&mut self) {
        if !self.is_over && self.report.failure.is_none() {
            // Dropped before its end: the client went away.
            self.report.failure =
                Some(Failure::new(FailureKind::Api, "the client went away").with_status(499));
            self.status = 499;
        }
        self.ends();
    }
}

fn code(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::InvalidRequest => "invalid_request",
        FailureKind::Authentication => "authentication",
        FailureKind::Billing => "billing",
        FailureKind::Permission => "permission",
        FailureKind::NotFound => "not_found",
        FailureKind::TooLarge => "too_large",
        FailureKind::RateLimit => "rate_limit",
        FailureKind::Api => "api",
        FailureKind::Timeout => "timeout",
        FailureKind::Overloaded => "overloaded",
    }
}

fn failed(failure: &Failure) -> Failed {
    Failed {
        code: code(failure.kind).to_owned(),
        message: failure.message.clone(),
        parameters: Vec::new(),
        is_from_tool: false,
    }
}

fn stop_word(stop: &Stop) -> &str {
    match stop {
        Stop::EndTurn => "end_turn",
        Stop::MaxTokens => "max_tokens",
        Stop::StopSequence => "stop_sequence",
        Stop::ToolUse => "tool_use",
        Stop::Refusal => "refusal",
        Stop::PauseTurn => "pause_turn",
        Stop::ContextWindow => "context_window",
        Stop::Other(word) => word,
    }
}

fn micros(began: Instant) -> u64 {
    u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX)
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn cut(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(MOST_BODY)]).into_owned()
}
