//! Calls that wait for an answer of their modern client. The client holds a sealed state and comes back
//! with it; the work of the call goes on meanwhile.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use tokio::time::{Instant, sleep};
use toolwright_base::unix_seconds;
use toolwright_jsonrpc::{ErrorObject, INTERNAL_ERROR, INVALID_PARAMS, Json};

use super::call::Call;
use super::exchange::Exchange;
use super::fronts::Shared;
use super::seal::{Purpose, random_number};
use super::task::lock;
use super::token::{CallState, is_older};

/// What every state of ours begins with: others belong to the servers.
const PREFIX: &str = "tw1.";

/// Whether a state is one of ours, by its looks.
pub(super) fn is_own_state(state: &str) -> bool {
    state.starts_with(PREFIX)
}

/// The calls that wait.
#[derive(Default)]
pub(super) struct Parking {
    calls: Mutex<HashMap<u128, Parked>>,
}

struct Parked {
    call: Call,
    visitor: Arc<str>,
    until: Instant,
}

impl Parking {
    pub fn len(&self) -> usize {
        lock(&self.calls).len()
    }

    /// Takes a call out.
    fn take(&self, id: u128) -> Option<Call> {
        lock(&self.calls).remove(&id).map(|parked| parked.call)
    }

    fn expire(&self, id: u128) {
        let mut calls = lock(&self.calls);
        let gone = match calls.get(&id) {
            Some(parked) if parked.until <= Instant::now() => calls.remove(&id),
            _ => None,
        };
        drop(calls);
        // Its work ends here, without the lock.
        drop(gone);
    }

    /// Ends every call that waits.
    pub fn clear(&self) {
        let calls = std::mem::take(&mut *lock(&self.calls));
        drop(calls);
    }
}

/// Parks a call that has questions; gives the result that asks them. When there is no room the questions are
/// refused and the call is given back.
pub(super) fn park(exchange: &Exchange, mut call: Call) -> Result<Json, Call> {
    let shared = &exchange.shared;
    let limits = &shared.limits;
    let visitor = &exchange.client.visitor.name;
    let id = random_number();
    let state = CallState {
        id,
        issued: unix_seconds(),
        endpoint: exchange.endpoint.clone(),
        visitor: visitor.to_string(),
        method: exchange.method.clone(),
        digest: exchange.digest.clone(),
    };
    let Some(sealed) = shared.sealer.seal(Purpose::State, &state.to_bytes()) else {
        call.way.refuse_questions(&ErrorObject::new(INTERNAL_ERROR, "the state of the call was not sealed"));
        return Err(call);
    };
    let mut calls = lock(&shared.parking.calls);
    let of_visitor = calls.values().filter(|parked| parked.visitor == *visitor).count();
    if calls.len() >= limits.parked_calls || of_visitor >= limits.parked_calls_per_visitor {
        drop(calls);
        let said = "too many calls wait for an answer of their client already; the question was not asked";
        call.way.refuse_questions(&ErrorObject::new(INTERNAL_ERROR, said));
        return Err(call);
    }
    let Some(questions) = call.way.tell_questions() else { return Err(call) };
    call.detach();
    call.hold = None;
    let until = Instant::now() + limits.parked;
    calls.insert(id, Parked { call, visitor: Arc::clone(visitor), until });
    drop(calls);
    let weak: std::sync::Weak<Shared> = Arc::downgrade(shared);
    let patience = limits.parked;
    tokio::spawn(async move {
        sleep(patience).await;
        if let Some(shared) = weak.upgrade() {
            shared.parking.expire(id);
        }
    });
    Ok(Json::empty_object()
        .with("resultType", &Json::text("input_required"))
        .with("inputRequests", &questions)
        .with("requestState", &Json::text(&format!("{PREFIX}{sealed}"))))
}

/// Takes the call of a state up again, with the answers that came for it.
pub(super) fn resume(
    exchange: &Exchange,
    state: &str,
    responses: Option<&Json>,
) -> Result<Call, ErrorObject> {
    let shared = &exchange.shared;
    let opened = state.strip_prefix(PREFIX).and_then(|sealed| shared.sealer.open(Purpose::State, sealed));
    let Some(state) = opened.and_then(|bytes| CallState::from_bytes(&bytes)) else {
        return Err(refused("\"requestState\" was changed or is not from here; send it back as it came"));
    };
    if *state.visitor != *exchange.client.visitor.name || state.endpoint != exchange.endpoint {
        return Err(refused("\"requestState\" belongs to another client or endpoint"));
    }
    if state.method != exchange.method || state.digest != exchange.digest {
        return Err(refused(
            "\"requestState\" belongs to another call; repeat the call with the same arguments",
        ));
    }
    let is_wrong = |responses: &Json| {
        responses.members().is_none_or(|answers| answers.iter().any(|answer| !answer.value.starts_with('{')))
    };
    if responses.is_some_and(is_wrong) {
        return Err(refused("\"inputResponses\" must be an object whose values are objects"));
    }
    let is_late = is_older(state.issued, shared.limits.parked);
    let Some(call) = shared.parking.take(state.id).filter(|_| !is_late) else {
        let said = "the call of \"requestState\" does not wait any more: it was answered, it took too long, or \
                    it waits in another process; send the call again without \"requestState\"";
        return Err(refused(said));
    };
    if let Some(responses) = responses {
        call.way.answer_questions(responses);
    }
    Ok(call)
}

fn refused(said: &str) -> ErrorObject {
    ErrorObject::new(INVALID_PARAMS, said)
}
