//! One message of a legacy client, over whatever it came.

use std::sync::Arc;

use toolwright_jsonrpc::{
    ErrorObject, INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, Id, Json, METHOD_NOT_FOUND, Notification,
    Request,
};

use super::call::{Call, HeldId, Hold};
use super::level::Level;
use super::reading::Params;
use super::service::{Asked, Back, WayBack};
use super::session::{NotHeld, Session};
use super::way::{Bounds, Kind, Way};

/// What becomes of a request.
pub(super) enum Begun {
    Answered(Result<Json, ErrorObject>),
    Call(Call),
}

/// Begins a request in its session.
pub(super) async fn begin(
    session: &Arc<Session>,
    request: &Request,
    params: Result<Params<'_>, ErrorObject>,
    has_stream: bool,
) -> Begun {
    let params = match params {
        Ok(params) => params,
        Err(error) => return Begun::Answered(Err(error)),
    };
    match request.method.as_str() {
        "ping" => Begun::Answered(Ok(Json::empty_object())),
        "initialize" => {
            let said = "this session has begun already; a new one begins without a session";
            Begun::Answered(Err(ErrorObject::new(INVALID_REQUEST, said)))
        }
        "logging/setLevel" => Begun::Answered(set_level(session, &params)),
        "resources/subscribe" => Begun::Answered(match uri(&params) {
            Ok(uri) => session.subscribe(uri).await.map(|()| Json::empty_object()),
            Err(error) => Err(error),
        }),
        "resources/unsubscribe" => Begun::Answered(uri(&params).map(|uri| {
            // One that was never begun is as little heard of as one that is ended.
            session.unsubscribe(&uri);
            Json::empty_object()
        })),
        "subscriptions/listen" => {
            let said = "\"subscriptions/listen\" is not a method of this revision";
            Begun::Answered(Err(ErrorObject::new(METHOD_NOT_FOUND, said)))
        }
        _ => match begin_call(session, request, &params, has_stream) {
            Ok(call) => Begun::Call(call),
            Err(error) => Begun::Answered(Err(error)),
        },
    }
}

fn begin_call(
    session: &Arc<Session>,
    request: &Request,
    params: &Params<'_>,
    has_stream: bool,
) -> Result<Call, ErrorObject> {
    let shared = &session.shared;
    let bounds = Bounds {
        notifications: shared.limits.waiting_notifications,
        questions: shared.limits.questions_per_call,
        has_stream,
    };
    let kind = Kind::Legacy { session: Arc::downgrade(session) };
    let way = Arc::new(Way::new(kind, bounds, params.progress_token(), Arc::clone(&shared.counters)));
    session.hold(&request.id, &way).map_err(|why| not_held(why, &request.id))?;
    let id = HeldId { session: Arc::clone(session), id: request.id.clone() };
    let client = session.client();
    let asked = Asked {
        back: Back::new(Arc::clone(&client), Arc::clone(&way) as Arc<dyn WayBack>),
        client,
        method: request.method.clone(),
        params: request.params.clone(),
        log_level: session.level().map(|level| level.as_str().to_owned()),
        trace: params.trace.clone(),
    };
    let hold = Hold { _in_flight: shared.in_flight(), _id: Some(id) };
    Ok(Call::new(session.service().request(asked), way, hold))
}

/// Why a request is not begun.
pub(super) fn not_held(why: NotHeld, id: &Id) -> ErrorObject {
    match why {
        NotHeld::InFlight => {
            let said = format!("the id {id} is in use by a request that is not answered yet; take another");
            ErrorObject::new(INVALID_REQUEST, said)
        }
        NotHeld::TooMany => {
            let said = "too many requests of this client are worked on; wait for one of them";
            ErrorObject::new(INTERNAL_ERROR, said)
        }
    }
}

fn set_level(session: &Session, params: &Params<'_>) -> Result<Json, ErrorObject> {
    let Some(level) = params.get_text("level").and_then(|text| Level::parse(&text)) else {
        let said = format!("\"level\" must be one of {}", Level::names());
        return Err(ErrorObject::new(INVALID_PARAMS, said));
    };
    session.set_level(level);
    Ok(Json::empty_object())
}

fn uri(params: &Params<'_>) -> Result<String, ErrorObject> {
    let uri = params.get_text("uri").filter(|uri| !uri.is_empty());
    uri.map(|uri| uri.into_owned()).ok_or_else(|| {
        ErrorObject::new(INVALID_PARAMS, "\"uri\", a string, must say which resource is meant")
    })
}

/// Hears a notification of a client.
pub(super) fn notified(session: &Arc<Session>, notification: Notification) {
    let params = match Params::read(notification.params.as_ref()) {
        Ok(params) => params,
        // Nobody waits for an answer to it.
        Err(error) => return tracing::debug!(error = error.message, "a notification is left out"),
    };
    match notification.method.as_str() {
        "notifications/cancelled" => {
            let id = params.get("requestId").and_then(|id| Id::from_json(Json::parse(id).ok()?));
            if let Some(id) = id {
                session.cancel(&id);
            }
        }
        // It ends the greeting between this client and us. A server has had its own greeting, and one over HTTP
        // holds everything back after it until it is listened to.
        "notifications/initialized" => {}
        _ => {
            drop(params);
            session.service().notified(&session.client(), notification);
        }
    }
}
