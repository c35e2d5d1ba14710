//! Routes what a server sends by itself to the client whose call it is working on, and never to another one.

mod callers;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::Duration;

use tokio::sync::{Notify, broadcast};
use tokio::time::{Instant, sleep, timeout_at};
use toolwright_base::IgnorePoison;
use toolwright_jsonrpc::{ErrorObject, INTERNAL_ERROR, Json, Notification, Request};
use toolwright_mcp::front::Back;
use toolwright_mcp::{Answer, Era, Host, log_rank};

use super::offered::LastOffered;
use super::owner::Owner;
use super::tasks::OwnedIds;
use super::watching::Watching;
pub use callers::Audience;
use callers::{Caller, Callers, InFlight};

/// How many notifications wait for those who listen to a server.
const TOLD: usize = 256;
/// How often a call that waits for its client shows that it is still at it.
const BEAT: Duration = Duration::from_secs(5);
/// How long the calls of one client wait for those of another at a server that asks: a client may think for minutes.
const TURN: Duration = Duration::from_secs(5);
/// The mark of a modern server's notifications: it names a request of ours, which means nothing to clients.
const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// The key of the task that a request or notification belongs to, in its `_meta`.
const RELATED_TASK: &str = "io.modelcontextprotocol/related-task";
/// The error of a server that needs its client to open an address first.
const URL_ELICITATION_REQUIRED: i64 = -32042;

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
pub type Beat = Arc<dyn Fn() + Send + Sync>;

/// Hears what one server says by itself.
pub struct ServerHost {
    server: String,
    /// Who is asked what belongs to no call.
    otherwise: Arc<dyn Host>,
    callers: Mutex<Callers>,
    /// Woken when a call has left.
    left: Notify,
    told: broadcast::Sender<Told>,
    first_asked: OnceLock<Instant>,
    /// The tools that it offers, as they were last read.
    pub offered: LastOffered,
    /// What clients listen to at it.
    pub watching: Watching,
    /// The clients of its tasks.
    pub tasks: OwnedIds,
    /// The clients of its elicitations that go on after their question was answered.
    elicitations: OwnedIds,
}

/// Something for those who listen.
#[derive(Clone, Debug)]
pub struct Told {
    /// What the server sent.
    pub notification: Notification,
    /// The clients that it is for.
    pub audience: Audience,
}

/// The way back to the client of one call, for what the server says while it works on it.
pub struct CallHost {
    back: Back,
    log_level: Option<String>,
    beat: Beat,
    server: Arc<ServerHost>,
    number: u64,
    connection: u64,
    /// Whether the server has answered after the call ended, or is gone.
    is_answered_late: AtomicBool,
}

/// A call that a server works on, until this is dropped.
pub struct Entered {
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
            callers: Mutex::default(),
            left: Notify::new(),
            told,
            first_asked: OnceLock::new(),
            offered: LastOffered::default(),
            watching: Watching::default(),
            tasks: OwnedIds::default(),
            elicitations: OwnedIds::default(),
        })
    }

    fn callers(&self) -> MutexGuard<'_, Callers> {
        self.callers.lock().ignore_poison()
    }

    /// Begins a request on a connection. Once the server has asked without naming the call, requests of several
    /// clients that it may ask about take turns, for a while; lists and the like never wait.
    pub async fn enter(
        self: &Arc<Self>,
        connection: u64,
        method: &str,
        back: Back,
        log_level: Option<String>,
        beat: Beat,
    ) -> Entered {
        let takes_turns = !NEVER_ASKS.contains(&method);
        let caller = Caller::of(back.client());
        let number = {
            let mut callers = self.callers();
            callers.connected(connection);
            callers.number()
        };
        let host = Arc::new(CallHost {
            back,
            log_level,
            beat,
            server: Arc::clone(self),
            number,
            connection,
            is_answered_late: AtomicBool::new(false),
        });
        let patience = Instant::now() + TURN;
        loop {
            let mut left = std::pin::pin!(self.left.notified());
            left.as_mut().enable();
            {
                let mut callers = self.callers();
                let waits = callers.asks && takes_turns && Instant::now() < patience;
                if !waits || !callers.is_in_the_way(&caller) {
                    callers.enter(number, caller, takes_turns, Arc::clone(&host));
                    // The wait is no time of the tool.
                    (host.beat)();
                    return Entered { is_over: false, host };
                }
            }
            let _ = timeout_at(patience, left).await;
        }
    }

    /// Hears everything that is told to all.
    pub fn listen(&self) -> broadcast::Receiver<Told> {
        self.told.subscribe()
    }

    /// Whether no client of another token has had a call here.
    pub fn is_alone(&self, token: &str) -> bool {
        self.callers().is_alone(token)
    }

    /// Whether it works on no call and no client listens to it.
    pub fn is_unused(&self) -> bool {
        self.callers().is_empty() && self.told.receiver_count() == 0
    }

    /// How much of a time for its first list is left. The time begins when somebody first waits for it, so
    /// that a server that never comes holds up nobody for ever.
    pub fn time_left(&self, patience: Duration) -> Duration {
        let begun = *self.first_asked.get_or_init(Instant::now);
        patience.saturating_sub(begun.elapsed())
    }

    fn tell(&self, notification: Notification, audience: Audience) {
        // There may be no listener.
        let _ = self.told.send(Told { notification: without_mark(notification), audience });
    }

    /// The client that a request or notification names by a task or an elicitation, if it names one.
    fn named_owner(&self, method: &str, params: Option<&Json>) -> Option<Named> {
        let params = params?;
        let related = params.get("_meta").and_then(|meta| meta.get(RELATED_TASK));
        let task = match related {
            Some(related) => related.get_text("taskId"),
            None if method.starts_with("notifications/tasks") => params.get_text("taskId"),
            None => None,
        };
        if let Some(id) = task {
            return Some(Named(self.tasks.owner(&id)));
        }
        let is_about_elicitation = method == "notifications/elicitation/complete";
        let id = params.get_text("elicitationId").filter(|_| is_about_elicitation)?;
        Some(Named(self.elicitations.owner(&id)))
    }

    /// A server reports elicitations in an error: what it sends about them later is for this client.
    pub fn note_elicitations(&self, owner: &Owner, connection: u64, error: &ErrorObject) {
        if error.number() != Some(URL_ELICITATION_REQUIRED) {
            return;
        }
        let elicitations = error.data.as_ref().and_then(|data| data.get("elicitations")?.items());
        for id in elicitations.into_iter().flatten().filter_map(|item| item.get_text("elicitationId")) {
            self.elicitations.add(owner, connection, id);
        }
    }

    fn refuse<'h>(&self, request: &Request, why: &str) -> Answer<'h> {
        let message =
            format!("\"{}\" of the server '{}' reaches no client: {why}", request.method, self.server);
        Box::pin(async move { Err(ErrorObject::new(INTERNAL_ERROR, message)) })
    }
}

/// The client of an id that a server names; none when the id is not known.
struct Named(Option<Owner>);

impl Host for ServerHost {
    fn request(&self, request: Request) -> Answer<'_> {
        if let Some(Named(owner)) = self.named_owner(&request.method, request.params.as_ref()) {
            // A question of a task is asked on a request of its client, such as `tasks/result`.
            return match owner.and_then(|owner| self.callers().call_of(&owner)) {
                Some(host) => Box::pin(async move { host.ask(request).await }),
                None => self.refuse(&request, "the client of its task has no request open"),
            };
        }
        let in_flight = {
            let mut callers = self.callers();
            let in_flight = callers.in_flight();
            callers.asks |= matches!(in_flight, InFlight::One(_) | InFlight::Several);
            in_flight
        };
        match in_flight {
            InFlight::NoClient => self.otherwise.request(request),
            InFlight::One(host) => Box::pin(async move { host.ask(request).await }),
            InFlight::Several => self.refuse(
                &request,
                "several clients have calls there, or a client with another token has cancelled one, and the request \
                 does not say which call it belongs to; calls of different clients take turns there from now on, so \
                 call the tool again",
            ),
            InFlight::Cancelled => self.refuse(&request, "its call was cancelled or timed out"),
        }
    }

    fn request_of_nobody(&self, request: Request) -> Answer<'_> {
        self.otherwise.request(request)
    }

    fn notified(&self, notification: Notification) {
        if is_for_all(&notification.method) {
            return self.tell(notification, Audience::All);
        }
        // Progress of a call that has ended: its token means nothing to any client.
        if notification.method == "notifications/progress" {
            return;
        }
        if let Some(Named(owner)) = self.named_owner(&notification.method, notification.params.as_ref()) {
            match owner {
                Some(owner) => self.tell(notification, Audience::Client(owner)),
                None => {
                    tracing::debug!(server = %self.server, method = notification.method, "it names an unknown id");
                }
            }
            return;
        }
        let (in_flight, audience) = {
            let callers = self.callers();
            (callers.in_flight(), callers.audience())
        };
        match (in_flight, audience) {
            (InFlight::One(host), _) => host.tell(notification),
            (_, Some(audience)) => self.tell(notification, audience),
            (_, None) => {
                tracing::debug!(server = %self.server, method = notification.method, "its client is not known");
            }
        }
    }
}

impl CallHost {
    /// Asks the client. As long as it thinks, the call shows that it is still at it.
    async fn ask(&self, request: Request) -> Result<Json, ErrorObject> {
        if let Some(id) = request.params.as_ref().and_then(|params| params.get_text("elicitationId")) {
            self.server.elicitations.add(&Owner::of(self.back.client()), self.connection, id);
        }
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
            self.server.tell(notification, Audience::All);
        } else {
            self.tell(notification);
        }
    }

    fn answered_late(&self) {
        let mut callers = self.server.callers();
        self.is_answered_late.store(true, Ordering::Relaxed);
        callers.answered_late(self.number);
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
        let CallHost { server, number, is_answered_late, .. } = &*self.host;
        let mut callers = server.callers();
        callers.leave(*number, self.is_over || is_answered_late.load(Ordering::Relaxed));
        drop(callers);
        server.left.notify_waiters();
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
