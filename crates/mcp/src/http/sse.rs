//! HTTP with SSE, of revision 2024-11-05: one stream for everything that comes, one address to post to.

use std::sync::Arc;
use std::time::Duration;

use reqwest::{Method, Url};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use toolwright_base::off_async;
use toolwright_jsonrpc::Message;
use toolwright_jsonrpc::lines::{self, Line};

use super::CONFIRM;
use super::owner::Owner;
use super::session::is_initialized;
use super::streamable::{Streamable, add_headers};
use super::web::{EITHER, EVENT_STREAM, EventStream, Reply, SendError, Web, content_type, read_event};
use crate::RequestError;
use crate::error::{Ending, Unreachable};
use crate::link::{Event, Outgoing};

/// How long a server may take to say where messages go.
const ENDPOINT: Duration = Duration::from_secs(10);
/// The same for one that may be of another kind.
pub(super) const MAYBE_ENDPOINT: Duration = Duration::from_secs(3);

/// The stream of a server, and where it wants its messages.
pub(super) struct Opened {
    stream: EventStream,
    endpoint: Url,
}

/// Opens the stream of a server that says within this time where messages go.
pub(super) async fn open(web: &Web, patience: Duration) -> Result<Opened, SendError> {
    let response = match web.send(&web.ask(Method::GET, EVENT_STREAM)).await? {
        Reply::Accepted(response) if content_type(&response) == EVENT_STREAM => response,
        Reply::Accepted(response) => {
            let kind = content_type(&response);
            let reason = format!("{} answers with \"{kind}\" instead of a stream of events", web.place());
            return Err(SendError::Unreachable(Unreachable::other(reason)));
        }
        Reply::Refused(refusal) => return Err(refusal.to_error(&web.place()).into()),
    };
    let base = response.url().clone();
    let mut stream = web.events(response);
    let named = async {
        let event = stream.next().await?;
        (event.kind == "endpoint").then(|| event.text().unwrap_or_default().trim().to_owned())
    };
    let named = timeout(patience, named).await.ok().flatten();
    let Some(named) = named else {
        let reason = "its stream does not begin with the address for messages".to_owned();
        return Err(SendError::Unreachable(Unreachable::other(reason)));
    };
    match base.join(&named) {
        Ok(endpoint) if endpoint.origin() == web.url().origin() => Ok(Opened { stream, endpoint }),
        Ok(_) => {
            let reason = format!("it wants its messages at another place, {named}, which is not safe");
            Err(SendError::Unreachable(Unreachable::other(reason)))
        }
        Err(_) => {
            Err(SendError::Unreachable(Unreachable::other(format!("\"{named}\" is no address for messages"))))
        }
    }
}

/// A server that has ended the stream that its messages come on.
pub(super) fn stream_ended() -> Unreachable {
    Unreachable::other("it ended its stream")
}

/// Speaks to a server until it ends.
pub(super) async fn run(mut owner: Owner, opened: Option<Opened>) -> Ending {
    let opened = match opened {
        Some(opened) => opened,
        None => {
            let opened = tokio::select! {
                opened = open(&owner.web, ENDPOINT) => opened,
                () = owner.stop.cancelled() => return Ending::Stopped,
                () = owner.events.closed() => return Ending::Stopped,
            };
            match opened {
                Ok(opened) => opened,
                Err(SendError::Unreachable(reason)) => return Ending::Lost(reason),
                Err(SendError::Failed(error)) => return refuse(owner, error).await,
            }
        }
    };
    let Opened { mut stream, endpoint } = opened;
    let (lost, mut losses) = mpsc::channel(1);
    let shared = Arc::new(Streamable::new(Arc::clone(&owner.web), owner.events.clone(), lost));
    let mut posts = JoinSet::new();
    loop {
        tokio::select! {
            event = stream.next() => match event {
                Some(event) if event.is_message() => drop(shared.hear(read_event(&event), None).await),
                Some(_) => {}
                None => return Ending::Lost(stream_ended()),
            },
            reason = losses.recv() => return Ending::Lost(reason.unwrap_or_else(stream_ended)),
            Some(_) = posts.join_next() => {}
            next = owner.next() => {
                let Some((outgoing, _)) = next else { return Ending::Stopped };
                let is_confirmation = is_initialized(&outgoing.message);
                let post = post(Arc::clone(&shared), endpoint.clone(), outgoing);
                if is_confirmation {
                    // What follows builds on it.
                    tokio::select! {
                        () = post => {}
                        () = sleep(CONFIRM) => {}
                        () = owner.stop.cancelled() => {}
                    }
                } else {
                    posts.spawn(post);
                }
            }
        }
    }
}

/// Fails the first request for the reason that there is no stream, and ends.
async fn refuse(mut owner: Owner, error: RequestError) -> Ending {
    let ending = Ending::Lost(Unreachable::other(error.to_string()));
    if let Some((outgoing, _)) = owner.next().await
        && let Message::Request(request) = &outgoing.message
        && let Some(id) = request.id.to_number()
    {
        // Nobody listens any more when this fails.
        let _ = owner.events.send(Event::Failed { id, error }).await;
    }
    ending
}

/// Posts one message. Its answer comes on the stream; one that comes at once is taken as well.
async fn post(shared: Arc<Streamable>, endpoint: Url, outgoing: Outgoing) {
    let mut ask = shared.web.ask(Method::POST, EITHER);
    ask.url = endpoint;
    add_headers(&mut ask, outgoing.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    ask.body = Some(outgoing.message.to_line());
    let error = match shared.web.send(&ask).await {
        Ok(Reply::Accepted(response)) => {
            if content_type(&response).ends_with("json")
                && let Ok(bytes) = shared.web.body(response).await
            {
                let mut reading = off_async(bytes.len(), || lines::read(Line::Whole(&bytes)));
                // What stands beside an acknowledgement is no matter.
                reading.noise = None;
                shared.hear(reading, None).await;
            }
            return;
        }
        Ok(Reply::Refused(refusal)) if refusal.is_lost_session() => {
            let error = refusal.to_error(&shared.web.place());
            return shared
                .lose(Unreachable::other(format!("it does not know its own stream any more ({error})")));
        }
        Ok(Reply::Refused(refusal)) => refusal.to_error(&shared.web.place()),
        Err(SendError::Unreachable(reason)) => return shared.lose(reason),
        Err(SendError::Failed(error)) => error,
    };
    match &outgoing.message {
        Message::Request(request) => fail(&shared, request.id.to_number(), error).await,
        _ => tracing::debug!(%error, "a message was not taken"),
    }
}

async fn fail(shared: &Streamable, id: Option<u64>, error: RequestError) {
    if let Some(id) = id {
        shared.pass(Event::Failed { id, error }).await;
    }
}
