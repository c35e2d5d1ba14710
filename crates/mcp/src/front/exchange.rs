//! One request of a modern client, over whatever it came.

use std::sync::Arc;

use toolwright_jsonrpc::{ErrorObject, Id, Json, METHOD_NOT_FOUND, Request};

use super::call::{Call, HeldId, Hold};
use super::client::Client;
use super::fronts::{Place, Shared};
use super::level::Level;
use super::meta::{Said, call_digest};
use super::reading::Params;
use super::service::{Asked, Back, Service, WayBack};
use super::session::{NotHeld, Session};
use super::shape::Shaped;
use super::way::{Bounds, Kind, Line, Step, Way};
use super::{handshake, legacy, parked, shape};
use crate::Era;

/// Methods that only legacy clients have.
const REMOVED: &[&str] =
    &["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"];
/// The requests that may be answered with questions.
const ASKABLE: &[&str] = &["tools/call", "resources/read", "prompts/get"];

/// A request of a modern client, to be answered.
pub(super) struct Exchange {
    pub shared: Arc<Shared>,
    pub service: Arc<dyn Service>,
    pub client: Arc<Client>,
    pub endpoint: String,
    pub method: String,
    pub id: Id,
    /// Of what the call is about; empty when nobody can be asked about it.
    pub digest: Vec<u8>,
}

/// What becomes of a request.
pub(super) enum Begun {
    /// It is answered already.
    Answered(Result<Json, ErrorObject>),
    /// It is worked on.
    Call(Call),
    /// It wants to hear what changes.
    Listen { level: Option<Level> },
}

/// What comes next for the client.
pub(super) enum Next<Answer> {
    Line(Line),
    Answer(Answer),
    /// The client does not want it any more.
    Nothing,
}

/// How a call ends for now, not yet as the client gets it.
pub(super) enum End {
    Done(Result<Json, ErrorObject>),
    /// It is parked, and these are its questions.
    Asking(Json),
}

/// How a request came.
pub(super) struct Arrival<'a> {
    pub request: &'a Request,
    pub params: &'a Params<'a>,
    pub client: Arc<Client>,
    pub has_stream: bool,
    /// The connection over stdio.
    pub connection: Option<&'a Arc<Session>>,
}

/// A client as one modern request introduces it.
pub(super) fn client(
    place: Place<'_>,
    said: &Said,
    revision: String,
    connection: Option<&Arc<Session>>,
) -> Arc<Client> {
    Arc::new(Client {
        visitor: place.visitor.clone(),
        era: Era::Modern,
        revision,
        info: said.info.clone(),
        capabilities: said.capabilities.clone(),
        session: connection.map(|session| session.id),
        is_resumed: false,
    })
}

impl Exchange {
    /// Begins a request whose revision and headers are fine.
    pub async fn begin(place: Place<'_>, arrival: Arrival<'_>, said: Said) -> (Exchange, Begun) {
        let Arrival { request, params, client, has_stream, connection } = arrival;
        let is_askable = ASKABLE.contains(&request.method.as_str());
        let exchange = Exchange {
            shared: Arc::clone(place.shared),
            service: Arc::clone(place.service),
            client,
            endpoint: place.endpoint.to_owned(),
            method: request.method.clone(),
            id: request.id.clone(),
            digest: if is_askable { call_digest(params) } else { Vec::new() },
        };
        let begun = match request.method.as_str() {
            method if REMOVED.contains(&method) => {
                let said = format!("\"{method}\" is not a method of this revision");
                Begun::Answered(Err(ErrorObject::new(METHOD_NOT_FOUND, said)))
            }
            "server/discover" => {
                let ttl = place.shared.limits.list_ttl_ms();
                Begun::Answered(handshake::discovered(place.service, &exchange.client, ttl).await)
            }
            "subscriptions/listen" => Begun::Listen { level: said.level },
            _ => match exchange.begin_call(said, is_askable, has_stream, connection) {
                Ok(call) => Begun::Call(call),
                Err(error) => Begun::Answered(Err(error)),
            },
        };
        (exchange, begun)
    }

    fn begin_call(
        &self,
        said: Said,
        is_askable: bool,
        has_stream: bool,
        connection: Option<&Arc<Session>>,
    ) -> Result<Call, ErrorObject> {
        if let Some(state) = said.state.as_deref().filter(|_| is_askable) {
            if connection.is_some_and(|session| session.is_held(&self.id)) {
                // The call that waits is not to suffer for it.
                return Err(legacy::not_held(NotHeld::InFlight, &self.id));
            }
            let mut call = parked::resume(self, state, said.responses.as_ref())?;
            call.way.change_progress_token(said.progress_token);
            call.hold = Some(self.hold(&call.way, connection)?);
            return Ok(call);
        }
        let limits = &self.shared.limits;
        let bounds = Bounds {
            notifications: limits.waiting_notifications,
            questions: limits.questions_per_call,
            has_stream,
        };
        let kind = Kind::Modern { level: said.level, can_be_parked: is_askable };
        let way = Arc::new(Way::new(kind, bounds, said.progress_token, Arc::clone(&self.shared.counters)));
        let hold = self.hold(&way, connection)?;
        let back = Back::new(Arc::clone(&self.client), Arc::clone(&way) as Arc<dyn WayBack>);
        let asked = Asked {
            client: Arc::clone(&self.client),
            method: self.method.clone(),
            params: said.params,
            log_level: said.level.map(|level| level.as_str().to_owned()),
            trace: said.trace,
            back,
        };
        Ok(Call::new(self.service.request(asked), way, hold))
    }

    fn hold(&self, way: &Arc<Way>, connection: Option<&Arc<Session>>) -> Result<Hold, ErrorObject> {
        let id = match connection {
            None => None,
            Some(session) => {
                let held = session.hold(&self.id, way);
                held.map_err(|why: NotHeld| legacy::not_held(why, &self.id))?;
                Some(HeldId { session: Arc::clone(session), id: self.id.clone() })
            }
        };
        Ok(Hold { _in_flight: self.shared.in_flight(), _id: id })
    }

    /// What comes next of a call. It is parked when it has questions, and taken out of `call` then. Nothing
    /// is lost when the wait is given up.
    pub async fn next(&self, call: &mut Option<Call>) -> Next<End> {
        loop {
            let Some(running) = call.as_mut() else { return Next::Nothing };
            match running.next().await {
                Step::Line(line) => return Next::Line(line),
                Step::Cancelled => return Next::Nothing,
                Step::Done(outcome) => return Next::Answer(End::Done(outcome)),
                Step::Questions => {
                    let Some(running) = call.take() else { return Next::Nothing };
                    match parked::park(self, running) {
                        Ok(asking) => return Next::Answer(End::Asking(asking)),
                        Err(running) => *call = Some(running),
                    }
                }
            }
        }
    }

    /// The same with an outcome as the client gets it.
    pub async fn shape(&self, next: Next<End>) -> Next<Result<Shaped, ErrorObject>> {
        match next {
            Next::Answer(End::Done(outcome)) => Next::Answer(self.shaped(outcome).await),
            Next::Answer(End::Asking(questions)) => Next::Answer(Ok(questions.into())),
            Next::Line(line) => Next::Line(line),
            Next::Nothing => Next::Nothing,
        }
    }

    /// The questions of a call that was taken up again with too few answers.
    pub fn ask_again(&self, call: Call) -> Result<Json, Call> {
        match call.way.has_questions() {
            true => parked::park(self, call),
            false => Err(call),
        }
    }

    /// The outcome as the client gets it.
    async fn shaped(&self, outcome: Result<Json, ErrorObject>) -> Result<Shaped, ErrorObject> {
        match outcome {
            Ok(result) => {
                let Some(lacks) = shape::lacks(&self.method, &result) else { return Ok(result.into()) };
                let server = match lacks.kind {
                    true => self.shared.server_name(&self.endpoint, &self.service, &self.client).await,
                    false => None,
                };
                let ttl = self.shared.limits.list_ttl_ms();
                Ok(shape::modern_result(result, lacks, server.as_ref(), ttl))
            }
            Err(error) => Err(error),
        }
    }
}
