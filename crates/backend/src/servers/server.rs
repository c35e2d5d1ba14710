//! One configured server.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::timeout;
use toolwright_config::{BuiltinRulesSetting, ServerConfig, ToolFilters};
use toolwright_jsonrpc::Json;
use toolwright_model::BuiltinRules;
use toolwright_toolbox::{Seen, State, Supervisor};

use super::ServerOptions;
use crate::ServerView;
use crate::definitions::{Definitions, Subject};
use crate::questions::ServerHost;

/// How long a restart is waited for before its state is told as it is.
const RESTART: Duration = Duration::from_secs(30);

/// One server.
#[derive(Clone)]
pub struct Server {
    /// Its name; `toolbox.name` where several toolboxes have one of the name, or we have it ourselves.
    pub name: String,
    /// The toolbox that it is in.
    pub toolbox: String,
    /// Its name there, as the configuration has it.
    pub own_name: String,
    /// What keeps it alive.
    pub supervisor: Supervisor,
    /// The time of its calls.
    pub timeout: Option<Duration>,
    /// What no message may show of it.
    pub secrets: Arc<[String]>,
    pub(super) attempts: u32,
    pub(super) filters: ToolFilters,
    pub(super) entry: Arc<ServerConfig>,
    /// Its definitions as they were approved, where they are checked.
    pub definitions: Option<Arc<Definitions>>,
    /// What it is to those who look at its lists.
    pub subject: Arc<Subject>,
    /// Who hears what it says by itself.
    pub host: Arc<ServerHost>,
    /// Tools that it lists and that cannot be registered, each with its reason.
    pub unusable_tools: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// What can be seen of it now.
    pub fn view(&self) -> ServerView {
        ServerView::of(self)
    }

    /// Whether a tool of it is offered: the configuration lets it be, and it is not hidden for what it says it is.
    pub fn allows(&self, tool: &str) -> bool {
        self.filters.allows(tool)
            && self.definitions.as_ref().is_none_or(|definitions| !definitions.hides(self, tool))
    }

    /// Whether an entry of a list that it has just sent is hidden.
    pub fn hides_sent(&self, item: &Json) -> bool {
        self.definitions.as_ref().is_some_and(|definitions| definitions.hides_sent(self, item))
    }

    /// Whether tools of it may be hidden for what they say they are.
    pub fn hides_some(&self) -> bool {
        self.definitions.as_ref().is_some_and(|definitions| definitions.hides_some())
    }

    /// Whether some of its tools are kept back.
    pub fn is_filtered(&self) -> bool {
        !self.filters.is_open() || self.hides_some()
    }

    /// What the configuration says of it. It is the same for as long as that stays as it is.
    pub fn entry(&self) -> &Arc<ServerConfig> {
        &self.entry
    }

    /// How far the built-in rules go for its tools.
    pub fn builtin_rules(&self) -> BuiltinRules {
        match self.entry.builtin_rules {
            BuiltinRulesSetting::Schema => BuiltinRules::Schema,
            BuiltinRulesSetting::Always => BuiltinRules::Always,
            BuiltinRulesSetting::Off => BuiltinRules::Off,
        }
    }

    /// Whether its tools are offered in the same way as those of another.
    pub fn is_offered_as(&self, other: &Server) -> bool {
        self.name == other.name
            && self.supervisor.is_same(&other.supervisor)
            && self.timeout == other.timeout
            && self.filters == other.filters
            && self.entry.builtin_rules == other.entry.builtin_rules
    }

    /// The same server with an entry that says other things about its use only.
    pub(super) fn with_entry(&self, name: &str, entry: &ServerConfig, options: &ServerOptions) -> Server {
        Server {
            name: name.to_owned(),
            timeout: options.timeout.or(entry.timeout),
            filters: entry.tool_filters.clone(),
            entry: Arc::new(entry.clone()),
            ..self.clone()
        }
    }

    /// Waits until it is ready, switched off, or has failed as often as it is tried at the start.
    pub async fn settled(&self) {
        let mut seen = self.supervisor.subscribe();
        let _ = seen.wait_for(|seen| is_settled(seen, self.attempts)).await;
    }

    /// Ends it, starts it anew, and waits for what comes of it.
    pub async fn restart(&self) {
        let mut seen = self.supervisor.subscribe();
        seen.mark_unchanged();
        self.supervisor.restart();
        let _ = timeout(RESTART, async {
            // It is seen to go before it is seen to come.
            let _ = seen.changed().await;
            self.settled().await;
        })
        .await;
    }
}

fn is_settled(seen: &Seen, attempts: u32) -> bool {
    match &seen.snapshot.state {
        State::Starting { .. } => false,
        // Its tools are listed right after it is ready.
        State::Ready => seen.tools.is_current,
        State::Backoff { failures, .. } => *failures >= attempts || seen.snapshot.is_lasting,
        State::Degraded { .. } | State::Resting | State::Quarantined | State::Disabled => true,
    }
}
