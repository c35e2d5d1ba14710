//! What is told to a client that listens: changes of lists and resources, and log messages of no request.

use std::sync::{Arc, Mutex};

use tokio::sync::{broadcast, mpsc};
use tokio_util::sync::CancellationToken;
use toolwright_base::IgnorePoison;
use toolwright_jsonrpc::{ErrorObject, Json, Notification};
use toolwright_mcp::front::Listening;
use toolwright_mcp::{Era, Filter};

use toolwright_backend::owner::Owner;
use toolwright_backend::questions::{ServerHost, Told};
use toolwright_backend::watching::{Kept, Wanted};
use toolwright_backend::{Server, Servers};

/// How many notifications wait for the wire.
const WAITING: usize = 64;

pub(crate) const TOOLS_CHANGED: &str = "notifications/tools/list_changed";
pub(crate) const PROMPTS_CHANGED: &str = "notifications/prompts/list_changed";
pub(crate) const RESOURCES_CHANGED: &str = "notifications/resources/list_changed";
const RESOURCE_UPDATED: &str = "notifications/resources/updated";

/// What one client hears of one server.
#[derive(Clone)]
pub(crate) struct Ear {
    pub filter: Filter,
    /// The resources it hears of: the server's own URI, and the one that the client knows.
    pub uris: Vec<(String, String)>,
    /// Whether log messages and whatever else belongs to no call are told.
    pub logs: bool,
    /// The client: some things are for one client alone.
    pub owner: Owner,
    /// The family that it meets servers in.
    pub era: Era,
    /// Whether one resource that the server does not tell of is an error; else the others are told of.
    pub is_strict: bool,
    /// Whether changes of tools are told when the server says so, not when their new list is here.
    pub is_transparent: bool,
}

/// Collects what one client is told, from any number of servers.
pub(crate) struct Pump {
    hearing: Hearing,
    told: mpsc::Receiver<Notification>,
}

#[derive(Clone)]
struct Hearing {
    tell: mpsc::Sender<Notification>,
    end: CancellationToken,
    kept: Arc<Mutex<Vec<Arc<Kept>>>>,
    /// Those that are heard, each once.
    heard: Arc<Mutex<Vec<Arc<ServerHost>>>>,
    /// The resources that nobody tells of.
    refused: Arc<Mutex<Vec<String>>>,
}

impl Pump {
    pub fn new() -> Pump {
        let (tell, told) = mpsc::channel(WAITING);
        let hearing = Hearing {
            tell,
            end: CancellationToken::new(),
            kept: Arc::default(),
            heard: Arc::default(),
            refused: Arc::default(),
        };
        Pump { hearing, told }
    }

    /// Hears a server from now on. Fails when the server does not agree to tell of a resource.
    pub async fn hear(&self, server: &Server, ear: Ear) -> Result<(), ErrorObject> {
        self.hearing.hear(server, ear).await
    }

    /// Tells of every new configuration, and hears the servers that it brings.
    pub fn follow(
        &self,
        servers: &Servers,
        filter: &Filter,
        ears: impl Fn() -> Vec<(Server, Ear)> + Send + 'static,
    ) {
        let (hearing, mut changes) = (self.hearing.clone(), servers.changes());
        let kinds = [
            (TOOLS_CHANGED, filter.tools),
            (PROMPTS_CHANGED, filter.prompts),
            (RESOURCES_CHANGED, filter.resources),
        ];
        let end = hearing.end.clone();
        let following = async move {
            while changes.changed().await.is_ok() {
                for (server, ear) in ears() {
                    if let Err(error) = hearing.hear(&server, ear).await {
                        tracing::debug!(server = %server.name, error = %error.message, "not heard");
                    }
                }
                for (method, _) in kinds.iter().filter(|(_, is_wanted)| *is_wanted) {
                    if hearing.tell.send(notification(method, None)).await.is_err() {
                        return;
                    }
                }
            }
        };
        tokio::spawn(async move {
            tokio::select! {
                () = following => {}
                () = end.cancelled() => {}
            }
        });
    }

    /// What the wire gets.
    pub fn into_listening(self, mut granted: Filter) -> Listening {
        let refused = std::mem::take(&mut *self.hearing.refused.lock().ignore_poison());
        granted.uris.retain(|uri| !refused.contains(uri));
        let hold = Box::new((self.hearing.end.drop_guard(), self.hearing.kept));
        Listening { granted, notifications: self.told, hold }
    }
}

impl Hearing {
    async fn hear(&self, server: &Server, ear: Ear) -> Result<(), ErrorObject> {
        {
            let mut heard = self.heard.lock().ignore_poison();
            if heard.iter().any(|host| Arc::ptr_eq(host, &server.host)) {
                return Ok(());
            }
            heard.push(Arc::clone(&server.host));
        }
        let notifications = server.host.listen();
        let watching = &server.host.watching;
        if ear.filter.prompts || ear.filter.resources {
            self.keep(watching.keep(&server.supervisor, ear.era, Wanted::Lists));
        }
        let mut refused = Vec::new();
        for (uri, known) in &ear.uris {
            let kept = watching.keep(&server.supervisor, ear.era, Wanted::Resource(uri.clone()));
            match kept.begun().await {
                Ok(()) => self.keep(kept),
                Err(error) if ear.is_strict => return Err(error),
                Err(_) => refused.push(known.clone()),
            }
        }
        self.refused.lock().ignore_poison().append(&mut refused);
        let (tell, end, server) = (self.tell.clone(), self.end.clone(), server.clone());
        tokio::spawn(async move {
            tokio::select! {
                () = pass_on(server, notifications, ear, tell) => {}
                () = end.cancelled() => {}
            }
        });
        Ok(())
    }

    fn keep(&self, kept: Arc<Kept>) {
        self.kept.lock().ignore_poison().push(kept);
    }
}

async fn pass_on(
    server: Server,
    mut notifications: broadcast::Receiver<Told>,
    ear: Ear,
    tell: mpsc::Sender<Notification>,
) {
    let mut seen = server.supervisor.subscribe();
    let mut tools = Arc::clone(&seen.borrow_and_update().tools);
    // Whether the next change of the list was told already, in the server's own words.
    let mut is_told = false;
    loop {
        let next = tokio::select! {
            heard = notifications.recv() => match heard {
                Ok(Told { audience, .. }) if !audience.includes(&ear.owner) => None,
                Ok(Told { notification: heard, .. }) => {
                    is_told |= ear.is_transparent && heard.method == TOOLS_CHANGED;
                    ear.take(heard)
                }
                Err(broadcast::error::RecvError::Lagged(lost)) => {
                    tracing::warn!(server = %server.name, lost, "a client listens too slowly");
                    None
                }
                Err(broadcast::error::RecvError::Closed) => return,
            },
            changed = seen.changed() => {
                if changed.is_err() {
                    return;
                }
                let now = Arc::clone(&seen.borrow_and_update().tools);
                let has_changed = !Arc::ptr_eq(&now.items, &tools.items);
                if !now.is_current {
                    is_told = false;
                }
                tools = now;
                let is_news = has_changed && !std::mem::take(&mut is_told) && ear.filter.tools;
                is_news.then(|| notification(TOOLS_CHANGED, None))
            }
        };
        if let Some(next) = next
            && tell.send(next).await.is_err()
        {
            return;
        }
    }
}

impl Ear {
    /// A notification as this client gets it, if it does.
    fn take(&self, heard: Notification) -> Option<Notification> {
        match heard.method.as_str() {
            TOOLS_CHANGED => (self.filter.tools && self.is_transparent).then_some(heard),
            PROMPTS_CHANGED => self.filter.prompts.then_some(heard),
            RESOURCES_CHANGED => self.filter.resources.then_some(heard),
            RESOURCE_UPDATED => {
                let params = heard.params.as_ref()?;
                let uri = params.get_text("uri")?;
                let (own, known) = self.uris.iter().find(|(own, _)| is_within(&uri, own))?;
                if own == known || uri != *own {
                    return Some(heard);
                }
                let params = params.with("uri", &Json::text(known));
                Some(Notification { params: Some(params), ..heard })
            }
            _ => self.logs.then_some(heard),
        }
    }
}

/// Whether a resource is the one that is meant, or a part of it: servers may tell of those.
fn is_within(uri: &str, meant: &str) -> bool {
    uri == meant || uri.strip_prefix(meant).is_some_and(|rest| meant.ends_with('/') || rest.starts_with('/'))
}

pub(crate) fn notification(method: &str, params: Option<Json>) -> Notification {
    Notification { method: method.to_owned(), params, extra: Vec::new() }
}
