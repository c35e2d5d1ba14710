//! One request of a stdio client, until it is answered.

use std::sync::Arc;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use toolwright_jsonrpc::Request;

use super::call::{Call, HeldId, Hold};
use super::client::Visitor;
use super::exchange::{self, Arrival, Begun, Exchange, Next};
use super::fronts::{Place, Shared};
use super::legacy::{self, Begun as LegacyBegun};
use super::level::Level;
use super::listen::{self, Refused};
use super::reading::Params;
use super::session::{Output, Session};
use super::task::{answer_line, error_line};
use super::way::{Bounds, Kind, Line, Step, Way};
use super::{meta, shape};

/// What the states of parked calls are bound to.
pub(super) const ENDPOINT: &str = "stdio";

/// What a request needs to be answered.
#[derive(Clone)]
pub(super) struct Wire {
    pub shared: Arc<Shared>,
    pub session: Arc<Session>,
    pub visitor: Visitor,
    pub out: mpsc::Sender<Output>,
    /// Cancelled when the client is gone.
    pub over: CancellationToken,
}

impl Wire {
    pub async fn send(&self, line: String) {
        let _ = self.out.send(Output::Line(line)).await;
    }

    pub fn tell(&self, line: Line) {
        if line.may_be_lost {
            if self.out.try_send(Output::Line(line.text)).is_err() {
                self.shared.counters.drop_notification();
            }
            return;
        }
        // A question must not be lost, and must not hold the call up either.
        let wire = self.clone();
        tokio::spawn(async move { wire.send(line.text).await });
    }

    async fn pass(&self, line: Line) {
        match line.may_be_lost {
            true => self.tell(line),
            false => self.send(line.text).await,
        }
    }

    pub async fn begin_legacy(self, request: Request) {
        match legacy::begin(&self.session, &request, Params::read(request.params.as_ref()), true).await {
            LegacyBegun::Answered(outcome) => self.send(answer_line(Some(request.id), outcome)).await,
            LegacyBegun::Call(call) => self.run_legacy(call, request).await,
        }
    }

    pub async fn run_legacy(self, mut call: Call, request: Request) {
        loop {
            match call.next().await {
                Step::Line(line) => self.pass(line).await,
                Step::Done(outcome) => {
                    // The id is free again before the client knows the answer.
                    drop(call);
                    let outcome = shape::legacy(&request.method, outcome);
                    return self.send(answer_line(Some(request.id), outcome)).await;
                }
                Step::Cancelled | Step::Questions => return,
            }
        }
    }

    /// Begins a modern request.
    pub async fn begin_modern(&self, request: &Request) -> (Option<Exchange>, Begun) {
        let refused = |error| (None, Begun::Answered(Err(error)));
        let params = match Params::read(request.params.as_ref()) {
            Ok(params) => params,
            Err(error) => return refused(error),
        };
        let checked = meta::revision(&params).and_then(|revision| {
            meta::check_revision(&revision)?;
            Ok((revision, meta::said(&params)?))
        });
        let (revision, said) = match checked {
            Ok(checked) => checked,
            Err(error) => return refused(error),
        };
        let service = self.session.service();
        let place =
            Place { shared: &self.shared, endpoint: ENDPOINT, service: &service, visitor: &self.visitor };
        let client = exchange::client(place, &said, revision, Some(&self.session));
        let arrival =
            Arrival { request, params: &params, client, has_stream: true, connection: Some(&self.session) };
        let (exchange, begun) = Exchange::begin(place, arrival, said).await;
        (Some(exchange), begun)
    }

    pub async fn answer_modern(self, request: Request) {
        match self.begin_modern(&request).await {
            (Some(exchange), Begun::Call(call)) => self.run_modern(exchange, call).await,
            (Some(exchange), Begun::Listen { level }) => {
                self.listen(exchange, &request, level).await;
            }
            (_, Begun::Answered(outcome)) => self.send(answer_line(Some(request.id), outcome)).await,
            (None, _) => {}
        }
    }

    pub async fn run_modern(self, exchange: Exchange, call: Call) {
        let mut call = match exchange.ask_again(call) {
            Ok(asking) => return self.send(answer_line(Some(exchange.id), Ok(asking))).await,
            Err(call) => Some(call),
        };
        loop {
            let next = exchange.next(&mut call).await;
            match exchange.shape(next).await {
                Next::Line(line) => self.pass(line).await,
                Next::Answer(outcome) => {
                    drop(call);
                    return self.send(answer_line(Some(exchange.id), outcome)).await;
                }
                Next::Nothing => return,
            }
        }
    }

    /// Tells what changes until the client cancels its request.
    async fn listen(self, exchange: Exchange, request: &Request, level: Option<Level>) {
        let bounds = Bounds { notifications: 1, questions: 0, has_stream: false };
        let kind = Kind::Modern { level: None, can_be_parked: false };
        let way = Arc::new(Way::new(kind, bounds, None, Arc::clone(&self.shared.counters)));
        if let Err(why) = self.session.hold(&exchange.id, &way) {
            let error = legacy::not_held(why, &exchange.id);
            return self.send(error_line(Some(exchange.id), error)).await;
        }
        let id = HeldId { session: Arc::clone(&self.session), id: exchange.id.clone() };
        let hold = Hold { _in_flight: self.shared.in_flight(), _id: Some(id) };
        let mut open = Call::new(Box::pin(std::future::pending()), way, hold);
        let begun = match Params::read(request.params.as_ref()) {
            Ok(params) => listen::begin(&exchange, &params, level).await,
            Err(error) => Err(Refused::Params(error)),
        };
        let mut subscribed = match begun {
            Ok(subscribed) => subscribed,
            Err(Refused::Params(error) | Refused::TooMany(error) | Refused::Service(error)) => {
                return self.send(error_line(Some(exchange.id), error)).await;
            }
        };
        self.send(subscribed.acknowledgement()).await;
        let closing = self.over.clone();
        loop {
            let next = tokio::select! {
                next = subscribed.next() => next,
                () = closing.cancelled() => None,
                _ = open.next() => return,
            };
            match next {
                Some(text) => self.tell(Line { text, may_be_lost: true }),
                None => break,
            }
        }
        self.send(subscribed.end()).await;
    }
}
