//! The configured servers, each under a supervisor of its own.

mod names;
mod server;
mod starting;

use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::time::Duration;

use arc_swap::ArcSwap;
use futures_util::future::join_all;
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};
use toolwright_base::IgnorePoison;
use toolwright_config::{Configuration, ServerConfig};
use toolwright_executor::RegistrationError;
use toolwright_mcp::guard::Guardian;
use toolwright_mcp::{Host, Identity, PeerOptions};
use toolwright_toolbox::{Beginning, Policy, Retiring, State};

use crate::ServerView;
use crate::definitions::Definitions;
use crate::login::Logins;
use crate::offer::Offer;
pub use names::named;
pub use server::Server;
use starting::{is_same_process, started};

/// How long servers may take to end before the program goes on without them.
const END: Duration = Duration::from_secs(7);

/// What all servers share.
#[derive(Clone)]
pub struct ServerOptions {
    /// Who we are.
    pub identity: Identity,
    /// How servers are met.
    pub peer: PeerOptions,
    /// How often they are tried; what a server's entry says counts more.
    pub policy: Policy,
    /// Who answers what servers ask when it belongs to no call of a client.
    pub host: Arc<dyn Host>,
    /// The program that sees to it that no child outlives this process.
    pub guardian: Option<Guardian>,
    /// Where logins are kept.
    pub logins: Option<Logins>,
    /// The time of every call, whatever a server's entry says.
    pub timeout: Option<Duration>,
    /// The tools that work without any server, for messages.
    pub local_tools: Vec<String>,
    /// What their tools are agreed to be; nobody looks when absent.
    pub definitions: Option<Arc<Definitions>>,
    /// Whether servers are started when somebody asks for them, and not before.
    pub is_lazy: bool,
}

/// All servers. They end with it.
pub struct Servers {
    current: ArcSwap<Current>,
    options: ServerOptions,
    /// Finds the way back from a server to all of them.
    all: Arc<OnceLock<Weak<Servers>>>,
    /// One change at a time.
    changing: Mutex<()>,
    changed: watch::Sender<u64>,
    /// What keeps registries in step.
    offers: Mutex<Vec<Offer>>,
    /// Those whose place was taken, while they finish.
    retiring: Mutex<Vec<Retiring>>,
    /// Why the file as it stands is not in force.
    refused: Mutex<Option<String>>,
    ended: CancellationToken,
    _end: DropGuard,
}

/// The servers as one configuration has them: what belongs together stays together.
pub struct Current {
    /// The configuration.
    pub configuration: Arc<Configuration>,
    /// Its servers, in the order of the file.
    pub list: Vec<Server>,
}

/// What a new configuration changed, by the names of servers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    /// Servers that were not there before.
    pub added: Vec<String>,
    /// Servers whose entries are different now.
    pub changed: Vec<String>,
    /// Servers that are no more.
    pub removed: Vec<String>,
    /// Servers that nothing was done to.
    pub kept: Vec<String>,
    /// Whether our own tools are served now, when that has changed.
    pub own_tools: Option<bool>,
}

impl Servers {
    /// Starts every server of the configuration that `wanted` wants, all at once. Must be called on a tokio
    /// runtime.
    pub fn start(
        configuration: &Configuration,
        wanted: impl Fn(&str) -> bool,
        options: &ServerOptions,
    ) -> Arc<Servers> {
        let all: Arc<OnceLock<Weak<Servers>>> = Arc::default();
        let beginning = if options.is_lazy { Beginning::WhenAsked } else { Beginning::AtOnce };
        let list = named(configuration)
            .filter(|(name, ..)| wanted(name))
            .map(|entry| started(entry, options, &all, beginning, None))
            .collect();
        let ended = CancellationToken::new();
        let servers = Arc::new(Servers {
            current: ArcSwap::from_pointee(Current { configuration: Arc::new(configuration.clone()), list }),
            options: options.clone(),
            all,
            changing: Mutex::default(),
            changed: watch::channel(0).0,
            offers: Mutex::default(),
            retiring: Mutex::default(),
            refused: Mutex::default(),
            _end: ended.clone().drop_guard(),
            ended,
        });
        // Set once, here, before anything can ask.
        let _ = servers.all.set(Arc::downgrade(&servers));
        servers
    }

    /// The configuration in force and its servers, at one moment.
    pub fn current(&self) -> Arc<Current> {
        self.current.load_full()
    }

    /// Why the file as it stands is not in force, while that is so.
    pub fn refused(&self) -> Option<String> {
        self.refused.lock().ignore_poison().clone()
    }

    /// The file was read: whether it is in force.
    pub fn set_refused(&self, why: Option<String>) {
        *self.refused.lock().ignore_poison() = why;
    }

    /// Puts a configuration in the place of the one in force. A server whose entry is the same is left alone.
    /// One that is different is started anew and takes over at once; the old one finishes its calls and ends.
    /// Every server of the configuration is wanted. Must be called on a tokio runtime.
    pub fn apply(&self, configuration: &Configuration) -> Applied {
        let _one_at_a_time = self.changing.lock().ignore_poison();
        let before = self.current();
        let mut applied = Applied::default();
        if self.ended.is_cancelled() {
            return applied;
        }
        let serves_own = configuration.serves_own_tools();
        applied.own_tools = (before.configuration.serves_own_tools() != serves_own).then_some(serves_own);
        let mut retired = Vec::new();
        let mut list = Vec::new();
        for entry in named(configuration) {
            let (name, toolbox, config) = &entry;
            let is_meant = |old: &&Server| old.toolbox == toolbox.name && old.own_name == config.name;
            let server = match before.list.iter().find(is_meant) {
                Some(old) if *old.entry == **config => {
                    applied.kept.push(name.clone());
                    // Another server may have taken its name, or given it back.
                    Server { name: name.clone(), ..old.clone() }
                }
                Some(old) => {
                    applied.changed.push(name.clone());
                    if is_same_process(&old.entry, config) {
                        old.with_entry(name, config, &self.options)
                    } else {
                        retired.push(old.clone());
                        // One that nobody uses need not begin.
                        let rests = self.options.is_lazy && old.supervisor.snapshot().state == State::Resting;
                        let beginning = if rests { Beginning::WhenAsked } else { Beginning::AtOnce };
                        started(entry, &self.options, &self.all, beginning, Some(old))
                    }
                }
                None => {
                    applied.added.push(name.clone());
                    let beginning =
                        if self.options.is_lazy { Beginning::WhenAsked } else { Beginning::AtOnce };
                    started(entry, &self.options, &self.all, beginning, None)
                }
            };
            list.push(server);
        }
        for old in &before.list {
            let is_there = |new: &Server| new.toolbox == old.toolbox && new.own_name == old.own_name;
            if !list.iter().any(is_there) {
                applied.removed.push(old.name.clone());
                retired.push(old.clone());
            }
        }
        // Tools are there before somebody sees the new servers, and go after nobody sees the old ones.
        let offers = self.offers.lock().ignore_poison();
        for offer in offers.iter() {
            offer.add(&list, &self.ended);
        }
        let configuration = Arc::new(configuration.clone());
        let names: Vec<String> = list.iter().map(|server| server.name.clone()).collect();
        self.current.store(Arc::new(Current { configuration, list }));
        offers.iter().for_each(|offer| offer.retain(&names));
        drop(before);
        let mut retiring = self.retiring.lock().ignore_poison();
        retiring.retain(|old| !old.has_ended());
        retiring.extend(retired.into_iter().map(|old| old.supervisor.retire()));
        self.changed.send_modify(|generation| *generation += 1);
        applied
    }

    /// What servers say their tools are, where somebody looks.
    pub fn definitions(&self) -> Option<&Arc<Definitions>> {
        self.options.definitions.as_ref()
    }

    /// Offers what was hidden and is agreed to now, or hides what is hidden now.
    pub fn offer_anew(&self) {
        let _one_at_a_time = self.changing.lock().ignore_poison();
        let before = self.current();
        // Lists are made again when the entry of a server is another one, be it that it says the same.
        let renewed = |server: &Server| Server {
            entry: Arc::new(ServerConfig::clone(&server.entry)),
            ..server.clone()
        };
        let list: Vec<Server> = before.list.iter().map(renewed).collect();
        let offers = self.offers.lock().ignore_poison();
        offers.iter().for_each(|offer| offer.again(&list));
        self.current.store(Arc::new(Current { configuration: Arc::clone(&before.configuration), list }));
        self.changed.send_modify(|generation| *generation += 1);
    }

    /// Tells of every configuration that takes the place of another.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// Registers the tools of all servers, and keeps them in step from now on.
    pub fn offered(&self, offer: Offer) -> Vec<RegistrationError> {
        let _one_at_a_time = self.changing.lock().ignore_poison();
        let left_out = offer.add(&self.current().list, &self.ended);
        self.offers.lock().ignore_poison().push(offer);
        left_out
    }

    /// The names that the servers of a configuration have here.
    pub fn names_of(configuration: &Configuration) -> impl Iterator<Item = String> {
        named(configuration).map(|(name, ..)| name)
    }

    /// What a configuration says of the server of this name.
    pub fn entry_of<'c>(configuration: &'c Configuration, name: &str) -> Option<&'c ServerConfig> {
        named(configuration).find(|(known, ..)| known == name).map(|(_, _, entry)| entry)
    }

    /// Every server of now, in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = Server> {
        self.current().list.clone().into_iter()
    }

    /// The server that has this name now.
    pub fn get(&self, name: &str) -> Option<Server> {
        self.current().list.iter().find(|server| server.name == name).cloned()
    }

    /// All names.
    pub fn names(&self) -> Vec<String> {
        self.current().list.iter().map(|server| server.name.clone()).collect()
    }

    /// Every server as it is now.
    pub fn views(&self) -> Vec<ServerView> {
        self.current().list.iter().map(Server::view).collect()
    }

    /// Waits until each server is ready, or has failed as often as it is tried at the start. `false` when
    /// that takes longer than this.
    pub async fn settled(&self, patience: Duration) -> bool {
        timeout(patience, join_all(self.current().list.iter().map(Server::settled))).await.is_ok()
    }

    /// Ends all servers and waits for that, for a bounded time.
    pub async fn stop(&self) {
        self.ended.cancel();
        let current = {
            // What is being applied is there first, and nothing is after.
            let _one_at_a_time = self.changing.lock().ignore_poison();
            self.current()
        };
        let retiring = std::mem::take(&mut *self.retiring.lock().ignore_poison());
        current.list.iter().for_each(|server| server.supervisor.disable());
        retiring.iter().for_each(Retiring::end);
        let ends = join_all(current.list.iter().map(|server| server.supervisor.ended()));
        let last_ends = join_all(retiring.iter().map(Retiring::ended));
        let have_ended = timeout(END, futures_util::future::join(ends, last_ends)).await.is_ok();
        let guardian = self.options.guardian.as_ref();
        if !(have_ended && guardian.is_none_or(Guardian::dismiss)) {
            tracing::warn!("some servers did not end in time and are left to the guardian");
        }
    }

    /// Cancelled when the servers end.
    pub fn ended(&self) -> &CancellationToken {
        &self.ended
    }
}
