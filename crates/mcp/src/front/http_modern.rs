//! A message of a modern client over HTTP. The connection is the request: when it closes, the work ends.

use std::sync::Arc;

use http::{HeaderMap, Response, StatusCode};
use tokio::time::timeout;
use toolwright_jsonrpc::{ErrorObject, Json, Notification};

use super::answer;
use super::body::FrontBody;
use super::call::Call;
use super::events::{EventBody, Events};
use super::exchange::{self, Arrival, Begun, Exchange, Next};
use super::fronts::Place;
use super::headers::{self, Accepted};
use super::http::{Asked, bad_request};
use super::reading::Params;
use super::task::{Task, answer_line};
use super::way::Line;
use super::{listen, meta};
use crate::Era;
use crate::http::headers::PROTOCOL_VERSION;

/// Answers a request.
pub(super) async fn answer(place: Place<'_>, headers: &HeaderMap, asked: Asked<'_>) -> Response<FrontBody> {
    let Asked { request, params, accepted } = asked;
    let id = || request.id.clone();
    let params = match params {
        Ok(params) => params,
        Err(error) => return bad_request(id(), error),
    };
    let checked = meta::revision(&params).and_then(|revision| {
        headers::check(headers, &revision, &request.method, &params)?;
        meta::check_revision(&revision)?;
        Ok((revision, meta::said(&params)?))
    });
    let (revision, said) = match checked {
        Ok(checked) => checked,
        Err(error) => return bad_request(id(), error),
    };
    let client = exchange::client(place, &said, revision, None);
    if request.method == "tools/call"
        && let Some(name) = params.get_text("name")
    {
        let schema = place.service.schema_with_headers(&client, &name);
        let arguments = params.get("arguments").and_then(|text| Json::parse(text).ok());
        if let Some(schema) = schema
            && let Err(error) = headers::check_arguments(headers, &schema, arguments.as_ref())
        {
            return bad_request(id(), error);
        }
    }
    let arrival = Arrival { request, params: &params, client, has_stream: accepted.events, connection: None };
    let (exchange, begun) = Exchange::begin(place, arrival, said).await;
    match begun {
        Begun::Answered(outcome) => answer::outcome(Era::Modern, id(), outcome),
        Begun::Listen { level } => {
            if !accepted.events {
                let said = "the header Accept must name text/event-stream to listen";
                return answer::refusal(StatusCode::NOT_ACCEPTABLE, said);
            }
            listen::answer_http(place, exchange, &params, level).await
        }
        Begun::Call(call) => match exchange.ask_again(call) {
            Ok(asking) => answer::outcome(Era::Modern, id(), Ok(asking)),
            Err(call) => answer_call(exchange, call, accepted).await,
        },
    }
}

async fn answer_call(exchange: Exchange, call: Call, accepted: Accepted) -> Response<FrontBody> {
    let mut call = Some(call);
    let first = match accepted {
        Accepted { json: true, events: true } => {
            match timeout(exchange.shared.limits.silence, exchange.next(&mut call)).await {
                Ok(next) => next,
                Err(_) => return stream(exchange, call, None),
            }
        }
        Accepted { events: false, .. } => exchange.next(&mut call).await,
        Accepted { json: false, .. } => return stream(exchange, call, None),
    };
    match exchange.shape(first).await {
        Next::Answer(outcome) => answer::outcome(Era::Modern, exchange.id, outcome),
        Next::Line(line) => stream(exchange, call, Some(line)),
        Next::Nothing => answer::empty(StatusCode::ACCEPTED),
    }
}

/// Goes on as a stream.
fn stream(exchange: Exchange, mut call: Option<Call>, first: Option<Line>) -> Response<FrontBody> {
    let shared = Arc::clone(&exchange.shared);
    let limits = &shared.limits;
    let events = Arc::new(Events::passing(limits.stream_bytes, Arc::clone(&shared.counters)));
    match first {
        Some(line) => events.push(&line),
        None => events.comment(),
    }
    let written = Arc::clone(&events);
    let task = Task::spawn(async move {
        loop {
            let next = exchange.next(&mut call).await;
            match exchange.shape(next).await {
                Next::Line(line) => written.push(&line),
                Next::Answer(outcome) => {
                    let text = answer_line(Some(exchange.id), outcome);
                    written.push(&Line { text, may_be_lost: false });
                    break;
                }
                Next::Nothing => break,
            }
        }
        written.finish();
    });
    answer::events(EventBody::new(events, limits.keep_alive, Some(task)))
}

/// Hears a notification.
pub(super) fn hear(
    place: Place<'_>,
    headers: &HeaderMap,
    notification: &Notification,
    params: Result<Params<'_>, ErrorObject>,
) -> Response<FrontBody> {
    let params = match params {
        Ok(params) => params,
        Err(error) => return answer::error(StatusCode::BAD_REQUEST, None, error),
    };
    let revision = match meta::revision(&params) {
        Ok(revision) => revision,
        // A notification need not say it; its header does then.
        Err(_) => match headers::only(headers, PROTOCOL_VERSION) {
            Ok(named) => named.unwrap_or_default().to_owned(),
            Err(error) => return answer::error(StatusCode::BAD_REQUEST, None, error),
        },
    };
    if let Err(error) = meta::check_revision(&revision) {
        return answer::error(StatusCode::BAD_REQUEST, None, error);
    }
    // Closing the connection cancels, and nothing else does over HTTP.
    if notification.method != "notifications/cancelled"
        && let Ok(said) = meta::said(&params)
    {
        let client = exchange::client(place, &said, revision, None);
        let notification = Notification { params: said.params, ..notification.clone() };
        place.service.notified(&client, notification);
    }
    answer::empty(StatusCode::ACCEPTED)
}
