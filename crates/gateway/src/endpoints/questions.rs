//! Whom a server's own words are for: the client whose call it is working on, and never another one.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, broadcast};
use tokio::time::{Instant, sleep, timeout_at};
use toolwright_jsonrpc::{ErrorObject, INTERNAL_ERROR, Json, Notification, Request};
use toolwright_mcp::front::{Back, SessionId};
use toolwright_mcp::{Answer, Era, Host, log_rank};

use super::offered::LastOffered;
use super::watching::Watching;

/// How many notifications wait for those who listen to a server.
const TOLD: usize = 256;
/// How often a call that waits for its client shows that it is still at it.
const BEAT: Duration = Duration::from_secs(5);
/// How long the calls of one client wait for those of another at a server that asks: a client may think for minutes.
const TURN: Duration = Duration::from_secs(5);
/// How long a server may still ask about a request that was given up: not every server hears of that.
const AFTER_THE_END: Duration = Duration::from_secs(300);
/// How many requests that were given up are remembered one by one.
const MAX_GIVEN_UP: usize = 64;
/// The mark of a modern server's notifications: it names a request of ours, which means nothing to clients.
const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// Requests during which a server has no reason to ask anything.
const NEVER_ASKS: &[&str] = &[
    "tools/list",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
    "completion/complete",
    "tasks/list",
    "tasks/get",
    "tasks/cancel",
];

/// What shows that a call is still at it.
pub(crate) type Beat = Arc<dyn Fn() + Send + Sync>;

/// Hears what one server says by itself.
pub(crate) struct ServerHost {
    server: String,
    /// Who is asked what belongs to no call.
    otherwise: Arc<dyn Host>,
    table: Mutex<Table>,
    /// Woken when a call has left.
    left: Notify,
    told: broadcast::Sender<Told>,
    first_asked: OnceLock<Instant>,
    pub offered: LastOffered,
    pub watching: Watching,
}

/// Something for those who listen.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    pub notification: Notification,
    /// The one session it is for; all when absent.
    pub only: Option<SessionId>,
}

/// Who has ever had a call at a server.
#[derive(Clone, Copy, Default)]
enum Callers {
    #[default]
    Nobody,
    Only(Asker),
    Several,
}

#[derive(Default)]
struct Table {
    last: u64,
    callers: Callers,
    calls: HashMap<u64, Entry>,
    /// Whose requests were given up before the server answered, and until when it may still ask about them.
    given_up: Vec<(Asker, Instant)>,
    /// Whether it has asked in a way that does not say whom.
    asks: bool,
}

struct Entry {
    asker: Asker,
    takes_turns: bool,
    host: Arc<CallHost>,
}

/// Who is the same client: a session, or one request of a client without one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asker {
    Session(SessionId),
    Request(u64),
    /// One of many who are not remembered: nobody is the same.
    Anybody,
}

/// Whose calls a server is working on.
enum InFlight {
    Nobody,
    /// One client's; this is its newest call.
    One(Arc<CallHost>),
    Several,
}

/// The way back to the client of one call, for what the server says while it works on it.
pub(crate) struct CallHost {
    back: Back,
    log_level: Option<String>,
    beat: Beat,
    server: Arc<ServerHost>,
}

/// A call that a server works on, until this is dropped.
pub(crate) struct Entered {
    number: u64,
    /// Whether the server is done with it.
    is_over: bool,
    /// The way back to its client.
    pub host: Arc<CallHost>,
}

impl ServerHost {
    /// The host of the server of this name.
    pub fn new(server: &str, otherwise: Arc<dyn Host>) -> Arc<ServerHost> {
        let (told, _) = broadcast::channel(TOLD);
        Arc::new(ServerHost {
            server: server.to_owned(),
            otherwise,
            table: Mutex::default(),
            left: Notify::new(),
            told,
            first_asked: OnceLock::new(),
            offered: LastOffered::default(),
            watching: Watching::default(),
        })
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a request. Once the server has asked without saying whom, requests of several clients that it may
    /// ask about take turns, for a while; lists and the like wait for nobody.
    pub async fn enter(
        self: &Arc<Self>,
        method: &str,
        back: Back,
        log_level: Option<String>,
        beat: Beat,
    ) -> Entered {
        let takes_turns = !NEVER_ASKS.contains(&method);
        let client = Arc::clone(back.client());
        let host = Arc::new(CallHost { back, log_level, beat, server: Arc::clone(self) });
        // Questions to a modern client are answers to one of its requests, so each of these is its own.
        let session = client.session.filter(|_| client.era == Era::Legacy);
        let patience = Instant::now() + TURN;
        loop {
            let mut left = std::pin::pin!(self.left.notified());
            left.as_mut().enable();
            {
                let mut table = self.table();
                table.last += 1;
                let number = table.last;
                let asker = session.map_or(Asker::Request(number), Asker::Session);
                let is_in_the_way = |other: &Entry| other.takes_turns && other.asker != asker;
                let waits = table.asks && takes_turns && Instant::now() < patience;
                if !waits || !table.calls.values().any(is_in_the_way) {
                    table.calls.insert(number, Entry { asker, takes_turns, host: Arc::clone(&host) });
                    table.callers = match table.callers {
                        Callers::Nobody => Callers::Only(asker),
                        Callers::Only(other) if other == asker => Callers::Only(asker),
                        _ => Callers::Several,
                    };
                    // The wait is no time of the tool.
                    (host.beat)();
                    return Entered { number, is_over: false, host };
                }
            }
            let _ = timeout_at(patience, left).await;
        }
    }

    /// Hears everything that is told to all.
    pub fn listen(&self) -> broadcast::Receiver<Told> {
        self.told.subscribe()
    }

    /// Whether this session is the only client that ever had a call here, or nobody had.
    pub fn is_alone(&self, session: Option<SessionId>) -> bool {
        match self.table().callers {
            Callers::Nobody => true,
            Callers::Only(Asker::Session(only)) => session == Some(only),
            Callers::Only(_) | Callers::Several => false,
        }
    }

    /// Whether it works on no call and nobody listens to it.
    pub fn is_unused(&self) -> bool {
        self.table().calls.is_empty() && self.told.receiver_count() == 0
    }

    /// How much of a time for its first list is left. The time begins when somebody first waits for it, so
    /// that a server that never comes holds up nobody for ever.
    pub fn time_left(&self, patience: Duration) -> Duration {
        let begun = *self.first_asked.get_or_init(Instant::now);
        patience.saturating_sub(begun.elapsed())
    }

    fn tell_all(&self, notification: Notification) {
        self.tell(notification, None);
    }

    fn tell(&self, notification: Notification, only: Option<SessionId>) {
        // Nobody may listen.
        let _ = self.told.send(Told { notification: without_mark(notification), only });
    }

    /// Tells what belongs to no call that is known. It may be about one that has ended, so nobody hears of it but
    /// the only client that ever had one.
    fn tell_owner(&self, notification: Notification) {
        let callers = self.table().callers;
        match callers {
            Callers::Nobody => self.tell(notification, None),
            Callers::Only(Asker::Session(session)) => self.tell(notification, Some(session)),
            Callers::Only(_) | Callers::Several => {
                tracing::debug!(server = %self.server, method = notification.method, "it is not known for whom this is");
            }
        }
    }

    fn whose(table: &Table) -> InFlight {
        let now = Instant::now();
        let mut given_up = table.given_up.iter().filter(|(_, until)| now < *until).map(|(asker, _)| *asker);
        // While a server works on something that it can ask about, it asks about nothing else.
        let can_ask = table.calls.values().any(|entry| entry.takes_turns);
        let mut calls = table.calls.iter().filter(|(_, entry)| entry.takes_turns || !can_ask);
        let Some((first, entry)) = calls.next() else {
            return if given_up.next().is_some() { InFlight::Several } else { InFlight::Nobody };
        };
        if given_up.any(|asker| asker != entry.asker) {
            return InFlight::Several;
        }
        let mut newest = (first, entry);
        for (number, other) in calls {
            if other.asker != entry.asker {
                return InFlight::Several;
            }
            if number > newest.0 {
                newest = (number, other);
            }
        }
        InFlight::One(Arc::clone(&newest.1.host))
    }
}

impl Host for ServerHost {
    fn request(&self, request: Request) -> Answer<'_> {
        let whose = {
            let mut table = self.table();
            let whose = ServerHost::whose(&table);
            table.asks |= !matches!(whose, InFlight::Nobody);
            whose
        };
        match whose {
            InFlight::Nobody => self.otherwise.request(request),
            InFlight::One(host) => Box::pin(async move { host.ask(request).await }),
            InFlight::Several => {
                let message = format!(
                    "\"{}\" cannot be passed on: several clients have calls at the server '{}', or gave one up, and \
                     which one is asked cannot be told; from now on their calls take turns, so try again",
                    request.method, self.server
                );
                Box::pin(async move { Err(ErrorObject::new(INTERNAL_ERROR, message)) })
            }
        }
    }

    fn request_of_nobody(&self, request: Request) -> Answer<'_> {
        self.otherwise.request(request)
    }

    fn notified(&self, notification: Notification) {
        if is_for_all(&notification.method) {
            return self.tell_all(notification);
        }
        let whose = ServerHost::whose(&self.table());
        match whose {
            InFlight::One(host) => host.tell(notification),
            InFlight::Nobody | InFlight::Several => self.tell_owner(notification),
        }
    }
}

impl CallHost {
    /// Asks the client. As long as it thinks, the call shows that it is still at it.
    async fn ask(&self, request: Request) -> Result<Json, ErrorObject> {
        let mut answer = std::pin::pin!(self.back.ask(&request.method, request.params));
        loop {
            tokio::select! {
                answer = &mut answer => {
                    (self.beat)();
                    return answer;
                }
                () = sleep(BEAT) => (self.beat)(),
            }
        }
    }

    fn tell(&self, notification: Notification) {
        if wants(&notification, self.back.client().era, self.log_level.as_deref()) {
            self.back.notify(without_mark(notification));
        }
    }
}

impl Host for CallHost {
    fn request(&self, request: Request) -> Answer<'_> {
        Box::pin(self.ask(request))
    }

    fn notified(&self, notification: Notification) {
        if is_for_all(&notification.method) {
            self.server.tell_all(notification);
        } else {
            self.tell(notification);
        }
    }
}

impl Entered {
    /// The server has answered or is gone: it asks nothing about this call any more.
    pub fn end(mut self) {
        self.is_over = true;
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        let server = &self.host.server;
        let mut table = server.table();
        let entry = table.calls.remove(&self.number);
        if let Some(entry) = entry.filter(|entry| entry.takes_turns && !self.is_over) {
            table.give_up(entry.asker);
        }
        drop(table);
        server.left.notify_waiters();
    }
}

impl Table {
    /// Remembers whose request was given up. Of very many only that there were some is known.
    fn give_up(&mut self, asker: Asker) {
        let now = Instant::now();
        self.given_up.retain(|(other, until)| now < *until && *other != asker);
        if self.given_up.len() >= MAX_GIVEN_UP {
            self.given_up.clear();
            self.given_up.push((Asker::Anybody, now + AFTER_THE_END));
        }
        self.given_up.push((asker, now + AFTER_THE_END));
    }
}

/// Whether a notification is about the server and no single call.
fn is_for_all(method: &str) -> bool {
    matches!(
        method,
        "notifications/tools/list_changed"
            | "notifications/prompts/list_changed"
            | "notifications/resources/list_changed"
            | "notifications/resources/updated"
    )
}

/// Whether a client wants to hear of it: log messages have a level. A legacy client that never named one gets
/// what the server sends.
fn wants(notification: &Notification, era: Era, log_level: Option<&str>) -> bool {
    if notification.method != "notifications/message" {
        return true;
    }
    let level = notification.params.as_ref().and_then(|params| params.get_text("level")).unwrap_or_default();
    match log_level {
        Some(lowest) => log_rank(&level) >= log_rank(lowest),
        None => era == Era::Legacy,
    }
}

/// The same without the mark of our own subscription.
fn without_mark(notification: Notification) -> Notification {
    let Some(params) = &notification.params else { return notification };
    let Some(meta) = params.get("_meta").filter(|meta| meta.get(SUBSCRIPTION).is_some()) else {
        return notification;
    };
    let meta = meta.without(SUBSCRIPTION);
    let params = match meta.as_str() {
        "{}" => params.without("_meta"),
        _ => params.with("_meta", &meta),
    };
    // A notification that had nothing else goes on as it would without a subscription.
    let params = Some(params).filter(|params| params.as_str() != "{}");
    Notification { params, ..notification }
}

#[cfg(test)]
mod tests;
