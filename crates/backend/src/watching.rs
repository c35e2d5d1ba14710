//! Hearing of changes at a server for as long as somebody wants to: one subscription for all who want the same,
//! begun again when the server is.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tokio_util::sync::{CancellationToken, DropGuard};
use toolwright_base::IgnorePoison;
use toolwright_jsonrpc::{ErrorObject, INTERNAL_ERROR};
use toolwright_mcp::{Era, Filter, RequestError, RequestOptions};
use toolwright_toolbox::{State, Supervisor};

/// How long the server may take to agree.
const AGREE: Duration = Duration::from_secs(10);
/// How long a server that is being reached is waited for.
const REACH: Duration = Duration::from_secs(20);
/// The wait before a subscription that was refused is asked for again.
const AGAIN: Duration = Duration::from_secs(30);

/// What is heard of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Wanted {
    /// Changes of the lists of prompts and resources. Those of tools are heard of anyway.
    Lists,
    /// Changes of one resource.
    Resource(String),
}

/// Whether clients meet the server as a modern one.
type Family = bool;

/// The subscriptions at one server.
#[derive(Default)]
pub struct Watching {
    kept: Mutex<HashMap<(Family, Wanted), Weak<Kept>>>,
}

/// A subscription that lasts as long as this.
#[derive(Debug)]
pub struct Kept {
    /// What came of it so far.
    state: watch::Receiver<Option<Result<(), ErrorObject>>>,
    _end: DropGuard,
}

impl Watching {
    fn kept(&self) -> MutexGuard<'_, HashMap<(Family, Wanted), Weak<Kept>>> {
        self.kept.lock().ignore_poison()
    }

    /// Begins to hear of it in the client's family, or takes part in what others hear.
    pub fn keep(&self, supervisor: &Supervisor, era: Era, wanted: Wanted) -> Arc<Kept> {
        let mut all = self.kept();
        let key = (era == Era::Modern, wanted.clone());
        if let Some(kept) = all.get(&key).and_then(Weak::upgrade) {
            return kept;
        }
        all.retain(|_, kept| kept.strong_count() > 0);
        let (tell, state) = watch::channel(None);
        let end = CancellationToken::new();
        let ended = end.clone();
        let (supervisor, what) = (supervisor.clone(), wanted);
        tokio::spawn(async move {
            tokio::select! {
                () = subscribe_always(supervisor, era, what, tell) => {}
                () = ended.cancelled() => {}
            }
        });
        let kept = Arc::new(Kept { state, _end: end.drop_guard() });
        all.insert(key, Arc::downgrade(&kept));
        kept
    }
}

impl Kept {
    /// Waits for what comes of it at first, for a bounded time.
    pub async fn begun(&self) -> Result<(), ErrorObject> {
        let mut state = self.state.clone();
        let begun = timeout(REACH + AGREE, state.wait_for(Option::is_some)).await;
        match begun {
            Ok(Ok(state)) => state.clone().unwrap_or(Ok(())),
            _ => Err(ErrorObject::new(INTERNAL_ERROR, "the server did not agree to tell of changes in time")),
        }
    }
}

async fn subscribe_always(
    supervisor: Supervisor,
    era: Era,
    wanted: Wanted,
    tell: watch::Sender<Option<Result<(), ErrorObject>>>,
) {
    let filter = match &wanted {
        Wanted::Lists => Filter { prompts: true, resources: true, ..Filter::default() },
        Wanted::Resource(uri) => Filter { uris: vec![uri.clone()], ..Filter::default() },
    };
    let options = RequestOptions { timeout: Some(AGREE), is_background: true, ..RequestOptions::default() };
    loop {
        if wanted == Wanted::Lists {
            // Nobody is started only to be asked whether something changes.
            let mut seen = supervisor.subscribe();
            let is_there = |state: &State| matches!(state, State::Ready | State::Degraded { .. });
            if seen.wait_for(|seen| is_there(&seen.snapshot.state)).await.is_err() {
                return;
            }
        }
        let error = match supervisor.peer(REACH).await {
            Ok(peer) => match peer.for_client(era).await.subscribe(filter.clone(), &options).await {
                Ok(subscription) => {
                    tell.send_replace(Some(Ok(())));
                    peer.connection().wait_closed().await;
                    drop(subscription);
                    continue;
                }
                Err(RequestError::Server(error)) => error,
                Err(error) => ErrorObject::new(INTERNAL_ERROR, error.to_string()),
            },
            Err(error) => {
                let message = format!("The server '{}' cannot be used. {error}", supervisor.name());
                ErrorObject::new(INTERNAL_ERROR, message)
            }
        };
        tracing::debug!(server = supervisor.name(), ?wanted, error = %error.message, "not subscribed");
        tell.send_replace(Some(Err(error)));
        sleep(AGAIN).await;
    }
}
