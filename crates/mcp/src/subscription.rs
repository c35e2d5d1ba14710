//! Hearing what changes at a server, in both eras.
//!
//! A modern server is asked once for everything that is wanted, by a request that stays open. A legacy one
//! tells changes of its lists by itself and is asked for each resource. Either way what is heard goes to
//! the host of the connection, and the subscription ends when it is dropped.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};
use tokio_util::sync::{CancellationToken, DropGuard};
use toolwright_base::IgnorePoison;
use toolwright_jsonrpc::{Json, raw};

use crate::era::Era;
use crate::{Connection, Peer, RequestError, RequestOptions};

/// How long the acknowledgement of a subscription may take, when the caller does not say.
const ACKNOWLEDGE: Duration = Duration::from_secs(10);
/// The wait before a subscription that was lost is opened again; it doubles up to the longest.
const REOPEN: Duration = Duration::from_secs(1);
const REOPEN_MAX: Duration = Duration::from_secs(60);
/// How long the end of a legacy subscription may take.
const UNSUBSCRIBE: Duration = Duration::from_secs(5);

/// What is to be heard.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// That the list of tools changed.
    pub tools: bool,
    /// That the list of prompts changed.
    pub prompts: bool,
    /// That the list of resources changed.
    pub resources: bool,
    /// That one of these resources changed.
    pub uris: Vec<String>,
}

/// A subscription. It ends when it is dropped, or with the server.
#[derive(Debug)]
pub struct Subscription {
    granted: Filter,
    _end: DropGuard,
}

impl Subscription {
    /// What the server agreed to tell. A legacy server does not say; what it announces is taken for it.
    pub fn granted(&self) -> &Filter {
        &self.granted
    }

    pub(crate) async fn begin(
        peer: &Peer,
        filter: Filter,
        options: &RequestOptions,
    ) -> Result<Subscription, RequestError> {
        match peer.era() {
            Era::Legacy => begin_legacy(peer, filter, options).await,
            Era::Modern => begin_modern(peer, &filter, options).await,
        }
    }
}

impl Filter {
    pub(crate) fn to_json(&self) -> Json {
        let mut wanted = Json::empty_object();
        let kinds = [
            ("toolsListChanged", self.tools),
            ("promptsListChanged", self.prompts),
            ("resourcesListChanged", self.resources),
        ];
        for (key, _) in kinds.into_iter().filter(|(_, is_wanted)| *is_wanted) {
            wanted = wanted.with(key, &Json::yes());
        }
        if !self.uris.is_empty() {
            wanted = wanted.with("resourceSubscriptions", &Json::texts(&self.uris));
        }
        wanted
    }

    pub(crate) fn from_json(said: &Json) -> Filter {
        let is_true = |key: &str| said.get(key).is_some_and(|value| value.as_str() == "true");
        let uris = said.get("resourceSubscriptions").and_then(|uris| uris.items()).unwrap_or_default();
        Filter {
            tools: is_true("toolsListChanged"),
            prompts: is_true("promptsListChanged"),
            resources: is_true("resourcesListChanged"),
            uris: uris.iter().filter_map(Json::to_text).collect(),
        }
    }
}

// === modern ===

async fn begin_modern(
    peer: &Peer,
    filter: &Filter,
    options: &RequestOptions,
) -> Result<Subscription, RequestError> {
    let params = Json::empty_object().with("notifications", &filter.to_json());
    let params = peer.with_meta(Some(params), options);
    let (tell, mut told) = mpsc::channel(1);
    let acknowledged = tell.clone();
    let opening = Opening {
        // The task must not keep the server alive.
        connection: peer.connection().unheld(),
        params,
        options: RequestOptions {
            timeout: None,
            is_background: true,
            // Only the first acknowledgement is waited for.
            on_acknowledged: Some(Arc::new(move |params| drop(acknowledged.try_send(Ok(params))))),
            ..options.clone()
        },
    };
    let end = CancellationToken::new();
    let ended = end.clone();
    tokio::spawn(async move {
        tokio::select! {
            () = opening.keep_open(tell) => {}
            () = ended.cancelled() => {}
        }
    });
    let patience = options.timeout.unwrap_or(ACKNOWLEDGE);
    let guard = end.drop_guard();
    let said = match timeout(patience, told.recv()).await {
        Ok(Some(said)) => said?,
        Ok(None) => return Err(RequestError::NoAnswer("the subscription was not acknowledged".into())),
        Err(_) => return Err(RequestError::TimedOut(patience)),
    };
    let granted = said.get("notifications").map(|said| Filter::from_json(&said)).unwrap_or_default();
    Ok(Subscription { granted, _end: guard })
}

/// A request that stays open.
struct Opening {
    connection: Connection,
    params: Json,
    options: RequestOptions,
}

impl Opening {
    /// Opens it again whenever it is lost. One that was never acknowledged fails for good.
    async fn keep_open(self, tell: mpsc::Sender<Result<Json, RequestError>>) {
        let mut pause = REOPEN;
        loop {
            let begin = tokio::time::Instant::now();
            let params = Some(self.params.clone());
            match self.connection.request("subscriptions/listen", params, &self.options).await {
                // The server ended it, perhaps to be asked again.
                Ok(_) => {}
                Err(error) => {
                    let is_over = matches!(error, RequestError::Closed(_) | RequestError::Server(_));
                    tracing::debug!(%error, is_over, "a subscription is lost");
                    // Who waits for the acknowledgement hears why there is none.
                    let is_waited_for = tell.try_send(Err(error)).is_ok();
                    if is_over || is_waited_for {
                        return;
                    }
                }
            }
            pause = if begin.elapsed() > pause { REOPEN } else { (pause * 2).min(REOPEN_MAX) };
            sleep(pause).await;
        }
    }
}

// === legacy ===

/// How many subscriptions want each resource of a legacy server: it knows only one of each.
#[derive(Default)]
pub(crate) struct Watched {
    counts: Mutex<HashMap<String, usize>>,
}

impl Watched {
    fn counts(&self) -> MutexGuard<'_, HashMap<String, usize>> {
        self.counts.lock().ignore_poison()
    }

    /// Whether this one is the first.
    fn add(&self, uri: &str) -> bool {
        let mut counts = self.counts();
        let count = counts.entry(uri.to_owned()).or_default();
        *count += 1;
        *count == 1
    }

    /// Whether this one was the last.
    fn remove(&self, uri: &str) -> bool {
        let mut counts = self.counts();
        let Some(count) = counts.get_mut(uri) else { return false };
        *count -= 1;
        let is_last = *count == 0;
        if is_last {
            counts.remove(uri);
        }
        is_last
    }
}

async fn begin_legacy(
    peer: &Peer,
    filter: Filter,
    options: &RequestOptions,
) -> Result<Subscription, RequestError> {
    let watched = Arc::clone(&peer.about().watched);
    let end = CancellationToken::new();
    let mut begun = Begun { connection: peer.connection().unheld(), watched, uris: Vec::new() };
    let announces = |kind: &str| {
        let announced = peer.capabilities().get(kind).and_then(|kind| kind.get("listChanged"));
        announced.is_some_and(|value| value.as_str() == "true")
    };
    let granted = Filter {
        tools: filter.tools && announces("tools"),
        prompts: filter.prompts && announces("prompts"),
        resources: filter.resources && announces("resources"),
        uris: filter.uris.clone(),
    };
    for uri in filter.uris {
        let is_first = begun.watched.add(&uri);
        begun.uris.push(uri.clone());
        if is_first {
            let params = Json::empty_object().with("uri", &Json::text(&uri));
            if let Err(error) = peer.request("resources/subscribe", Some(params), options).await {
                // This one was not begun; those before it are ended.
                begun.uris.pop();
                begun.watched.remove(&uri);
                tokio::spawn(begun.end());
                return Err(error);
            }
        }
    }
    let ended = end.clone();
    tokio::spawn(async move {
        tokio::select! {
            () = ended.cancelled() => begun.end().await,
            _ = begun.connection.wait_closed() => {}
        }
    });
    Ok(Subscription { granted, _end: end.drop_guard() })
}

/// The resources that a legacy subscription began to hear of.
struct Begun {
    connection: Connection,
    watched: Arc<Watched>,
    uris: Vec<String>,
}

impl Begun {
    async fn end(self) {
        for uri in &self.uris {
            if self.watched.remove(uri) {
                let params = Json::empty_object().with("uri", &Json::text(uri));
                let options = RequestOptions {
                    timeout: Some(UNSUBSCRIBE),
                    is_background: true,
                    ..RequestOptions::default()
                };
                if let Err(error) =
                    self.connection.request("resources/unsubscribe", Some(params), &options).await
                {
                    tracing::debug!(uri = %raw::quote(uri), %error, "a subscription was not ended");
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_says_only_what_is_wanted() {
        let filter = Filter { tools: true, uris: vec!["file:///a \"b\"".into()], ..Filter::default() };
        let said = filter.to_json();
        assert_eq!(said.as_str(), r#"{"toolsListChanged":true,"resourceSubscriptions":["file:///a \"b\""]}"#);
        assert_eq!(Filter::from_json(&said), filter);
        assert_eq!(Filter::default().to_json().as_str(), "{}");
    }

    #[test]
    fn a_resource_is_begun_with_the_first_and_ended_with_the_last() {
        let watched = Watched::default();
        assert_eq!((watched.add("a"), watched.add("a"), watched.add("b")), (true, false, true));
        assert_eq!((watched.remove("a"), watched.remove("a"), watched.remove("a")), (false, true, false));
    }
}
