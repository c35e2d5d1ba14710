//! `subscriptions/listen`: a modern client hears what changes for as long as its request is open.

use std::sync::Arc;

use http::{Response, StatusCode};
use toolwright_jsonrpc::{ErrorObject, INTERNAL_ERROR, INVALID_PARAMS, Id, Json, Notification};

use super::answer;
use super::body::FrontBody;
use super::events::{EventBody, Events};
use super::exchange::Exchange;
use super::fronts::{Listener, Place};
use super::http::bad_request;
use super::level::Level;
use super::reading::Params;
use super::service::Listening;
use super::task::{Task, answer_line, notification_line};
use super::way::Line;
use crate::{Era, Filter};

/// Says which subscription a notification belongs to.
const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// A subscription that has begun.
pub(super) struct Subscribed {
    id: Id,
    listening: Listening,
    level: Option<Level>,
    _listener: Listener,
}

/// Why there is no subscription.
pub(super) enum Refused {
    /// The params are wrong.
    Params(ErrorObject),
    /// The visitor listens enough.
    TooMany(ErrorObject),
    /// The service says so.
    Service(ErrorObject),
}

/// Begins a subscription.
pub(super) async fn begin(
    exchange: &Exchange,
    params: &Params<'_>,
    level: Option<Level>,
) -> Result<Subscribed, Refused> {
    let wanted = params.get("notifications").filter(|text| text.starts_with('{'));
    let Some(wanted) = wanted.and_then(|text| Json::parse(text).ok()) else {
        let said = "\"notifications\", an object, must say what to listen to";
        return Err(Refused::Params(ErrorObject::new(INVALID_PARAMS, said)));
    };
    let filter = Filter::from_json(&wanted);
    let Some(listener) = exchange.shared.listener(&exchange.client.visitor) else {
        let limit = exchange.shared.limits.listeners_per_visitor;
        let said = format!("{limit} subscriptions of this client are open already; close one");
        return Err(Refused::TooMany(ErrorObject::new(INTERNAL_ERROR, said)));
    };
    let client = Arc::clone(&exchange.client);
    let mut listening =
        exchange.service.listen(client, filter.clone(), level.is_some()).await.map_err(Refused::Service)?;
    // Nobody is told what it did not ask for, whatever the service grants.
    let granted = &mut listening.granted;
    granted.tools &= filter.tools;
    granted.prompts &= filter.prompts;
    granted.resources &= filter.resources;
    granted.uris.retain(|uri| filter.uris.contains(uri));
    Ok(Subscribed { id: exchange.id.clone(), listening, level, _listener: listener })
}

impl Subscribed {
    /// The first message of the subscription.
    pub fn acknowledgement(&self) -> String {
        let params = Json::empty_object().with("notifications", &self.listening.granted.to_json());
        notification_line(self.tagged(Notification {
            method: "notifications/subscriptions/acknowledged".into(),
            params: Some(params),
            extra: Vec::new(),
        }))
    }

    /// The next message; `None` when the service has no more.
    pub async fn next(&mut self) -> Option<String> {
        loop {
            let notification = self.listening.notifications.recv().await?;
            if self.is_wanted(&notification) {
                return Some(notification_line(self.tagged(notification)));
            }
        }
    }

    /// The last message.
    pub fn end(&self) -> String {
        let meta = Json::empty_object().with(SUBSCRIPTION, self.id.as_json());
        let result = Json::empty_object().with("resultType", &Json::text("complete")).with("_meta", &meta);
        answer_line(Some(self.id.clone()), Ok(result))
    }

    fn is_wanted(&self, notification: &Notification) -> bool {
        let granted = &self.listening.granted;
        match notification.method.as_str() {
            "notifications/tools/list_changed" => granted.tools,
            "notifications/prompts/list_changed" => granted.prompts,
            "notifications/resources/list_changed" => granted.resources,
            // It may be a part of the resource that was asked for, so its address is not compared.
            "notifications/resources/updated" => !granted.uris.is_empty(),
            "notifications/message" => self.level.is_some_and(|level| level.lets_through(notification)),
            _ => true,
        }
    }

    fn tagged(&self, notification: Notification) -> Notification {
        let params = notification.params.unwrap_or_else(Json::empty_object);
        let meta = params.get("_meta").unwrap_or_else(Json::empty_object);
        let meta = meta.with(SUBSCRIPTION, self.id.as_json());
        Notification { params: Some(params.with("_meta", &meta)), ..notification }
    }
}

/// Answers with a stream that stays open.
pub(super) async fn answer_http(
    place: Place<'_>,
    exchange: Exchange,
    params: &Params<'_>,
    level: Option<Level>,
) -> Response<FrontBody> {
    let mut subscribed = match begin(&exchange, params, level).await {
        Ok(subscribed) => subscribed,
        Err(Refused::Params(error)) => return bad_request(exchange.id, error),
        Err(Refused::TooMany(error)) => {
            return answer::error(StatusCode::TOO_MANY_REQUESTS, Some(exchange.id), error);
        }
        Err(Refused::Service(error)) => return answer::failed(Era::Modern, exchange.id, error),
    };
    let limits = &place.shared.limits;
    let events = Arc::new(Events::passing(limits.stream_bytes, Arc::clone(&place.shared.counters)));
    events.push(&Line { text: subscribed.acknowledgement(), may_be_lost: false });
    let (written, closing) = (Arc::clone(&events), place.shared.closing.clone());
    let task = Task::spawn(async move {
        loop {
            let next = tokio::select! {
                next = subscribed.next() => next,
                () = closing.cancelled() => None,
            };
            match next {
                Some(text) => written.push(&Line { text, may_be_lost: true }),
                None => break,
            }
        }
        written.push(&Line { text: subscribed.end(), may_be_lost: false });
        written.finish();
    });
    answer::events(EventBody::new(events, limits.keep_alive, Some(task)))
}
