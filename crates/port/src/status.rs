//! How a gateway is doing, in one piece: for `toolwright status`, `/api/status` and agents.
//!
//! What is told is read off when somebody asks; nothing is kept for it. It holds names and numbers, no arguments, no
//! results and no secrets.

mod ask;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock, Weak};
use std::time::Instant;

use futures_util::future::BoxFuture;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use toolwright_backend::{FailureCause, Server, Servers, StateName};
use toolwright_endpoints::{Gateway, StatusReport};
use toolwright_executor::ToolExecutor;
use toolwright_ledger::journal::State;
use toolwright_ledger::stats::{Step, rfc3339};
use toolwright_ledger::{Ledger, learn};
use toolwright_mcp::front::Visitor;
use toolwright_proxy::LlmFront;
use toolwright_redact::known;

use crate::Web;

pub use ask::{AskError, ask};

/// How a gateway is doing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    /// `ok`, `degraded` when something that should work does not, or `ending`.
    pub status: String,
    /// What does not work, in words; empty when it is `ok`.
    pub problems: Vec<String>,
    /// Whether its calls are made up, by `toolwright demo`.
    #[serde(default)]
    pub demo: bool,
    /// The program's version.
    pub version: String,
    /// Its process.
    pub pid: u32,
    /// Where it listens; nothing for one that serves over standard input and output.
    pub address: Option<String>,
    /// When it was started.
    pub since: String,
    /// How long ago that is.
    pub uptime_seconds: u64,
    /// The file that names its servers.
    pub configuration: Option<String>,
    /// Its servers, in the order of the file.
    pub servers: Vec<ServerStatus>,
    /// How many tools are offered.
    pub tools: usize,
    /// Calls of the last hour; nothing where none are written down.
    pub last_hour: Option<LastHour>,
    /// Where calls are written down.
    pub journal: Option<JournalStatus>,
    /// How near each limit is.
    pub limits: Vec<LimitStatus>,
    /// The upstreams that models are asked at.
    pub models: Vec<String>,
    /// Suggestions that wait for a decision; nothing where nothing is learned.
    pub suggestions: Option<usize>,
}

/// A server at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerStatus {
    /// Its name.
    pub name: String,
    /// The toolbox that it is in.
    pub toolbox: String,
    /// Its state.
    pub state: StateName,
    /// `modern` or `legacy`, once that is known.
    pub era: Option<String>,
    /// How many tools it has, as last known.
    pub tools: usize,
    /// Why it cannot be used, when it cannot.
    pub problem: Option<String>,
    /// The kind of `problem`, for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<FailureCause>,
}

/// Calls of the last hour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastHour {
    /// All of them.
    pub calls: u64,
    /// Those that failed.
    pub errors: u64,
    /// Those that were mended.
    pub repaired: u64,
}

/// The journal at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalStatus {
    /// `ok` or `degraded`.
    pub state: String,
    /// What a record survives: `process` or `power`.
    pub durability: String,
    /// The number of the last record.
    pub last: u64,
    /// Records that could not be written since the start.
    pub lost: u64,
    /// Why calls cannot be looked up, when they cannot.
    pub index_problem: Option<String>,
}

/// How near a limit is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LimitStatus {
    /// Its name, as in `/api/health`.
    pub name: String,
    /// What is in use.
    pub current: usize,
    /// How much may be.
    pub limit: usize,
    /// How many found no room; nothing where nobody counts.
    pub turned_away: Option<u64>,
}

/// What a status is read off.
pub struct StatusSource {
    pub(crate) servers: Arc<Servers>,
    pub(crate) executor: Arc<ToolExecutor>,
    pub(crate) gateway: Weak<Gateway>,
    pub(crate) ledger: Option<Arc<Ledger>>,
    pub(crate) llm: Option<Arc<LlmFront>>,
    pub(crate) configuration: Option<PathBuf>,
    is_demo: bool,
    started: Instant,
    since: Timestamp,
    port: OnceLock<(SocketAddr, Weak<Web>)>,
}

/// What a gateway is made of, for its status.
pub struct StatusParts<'p> {
    /// What clients are connected to.
    pub gateway: &'p Arc<Gateway>,
    /// Its servers.
    pub servers: &'p Arc<Servers>,
    /// Who runs calls.
    pub executor: &'p Arc<ToolExecutor>,
    /// Where calls are written down.
    pub ledger: Option<&'p Arc<Ledger>>,
    /// What models are asked through.
    pub llm: Option<&'p Arc<LlmFront>>,
    /// The file that names the servers.
    pub configuration: Option<PathBuf>,
    /// Whether its calls are made up.
    pub is_demo: bool,
}

impl StatusSource {
    /// Tells of these parts, from now on.
    pub fn new(parts: StatusParts<'_>) -> Arc<StatusSource> {
        Arc::new(StatusSource {
            servers: Arc::clone(parts.servers),
            executor: Arc::clone(parts.executor),
            gateway: Arc::downgrade(parts.gateway),
            ledger: parts.ledger.cloned(),
            llm: parts.llm.cloned(),
            configuration: parts.configuration,
            is_demo: parts.is_demo,
            started: Instant::now(),
            since: Timestamp::now(),
            port: OnceLock::new(),
        })
    }

    /// Tells of this port too. Only the first one counts: a gateway has one.
    pub fn at(&self, address: SocketAddr, web: &Arc<Web>) {
        let _ = self.port.set((address, Arc::downgrade(web)));
    }

    /// How it is doing now.
    pub async fn now(&self) -> Status {
        let servers: Vec<ServerStatus> = self.servers.iter().map(|server| server_status(&server)).collect();
        let (address, web) = match self.port.get() {
            Some((address, web)) => (Some(format!("http://{address}")), web.upgrade()),
            None => (None, None),
        };
        let journal = self.ledger.as_deref().map(journal_status);
        let suggestions = match &self.ledger {
            // What each would do to recorded calls is tried out for this.
            Some(ledger) => {
                let learning = Arc::clone(ledger.learning());
                let waiting = tokio::task::spawn_blocking(move || waiting(&learning.suggestions()));
                waiting.await.ok()
            }
            None => None,
        };
        let refused = self.servers.refused().map(|why| {
            let first = why.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
            format!("the configuration was changed and is not in force: {}", first.trim())
        });
        let problems: Vec<String> = refused.into_iter().chain(problems(&servers, journal.as_ref())).collect();
        let is_ending = web.as_ref().is_some_and(|web| web.stop().is_asked());
        let status = match (is_ending, problems.is_empty()) {
            (true, _) => "ending",
            (false, true) => "ok",
            (false, false) => "degraded",
        };
        Status {
            status: status.to_owned(),
            problems,
            demo: self.is_demo,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            pid: std::process::id(),
            address,
            since: rfc3339(self.since.as_microsecond()),
            uptime_seconds: self.started.elapsed().as_secs(),
            configuration: self.configuration.as_ref().map(|file| file.display().to_string()),
            servers,
            tools: self.gateway.upgrade().map_or(0, |gateway| gateway.offered_tools()),
            last_hour: self.ledger.as_deref().map(last_hour),
            journal,
            limits: self.limits(web.as_deref()),
            models: self.llm.as_ref().map(|llm| llm.upstreams()).unwrap_or_default(),
            suggestions,
        }
    }

    /// Those of the port, or that of calls alone where there is none.
    fn limits(&self, web: Option<&Web>) -> Vec<LimitStatus> {
        match web {
            Some(web) => web
                .limits_now()
                .into_iter()
                .map(|now| LimitStatus {
                    name: now.name.to_owned(),
                    current: now.current,
                    limit: now.limit,
                    turned_away: now.dropped,
                })
                .collect(),
            None => vec![LimitStatus {
                name: "callsInAll".to_owned(),
                current: self.executor.running(),
                limit: self.executor.limits().calls_in_all,
                turned_away: None,
            }],
        }
    }
}

impl StatusReport for StatusSource {
    fn report<'s>(&'s self, visitor: &'s Visitor) -> BoxFuture<'s, String> {
        Box::pin(async move {
            let status = self.now().await.for_visitor(visitor);
            // Names and numbers are always written.
            serde_json::to_string_pretty(&status).unwrap_or_default()
        })
    }
}

impl Status {
    /// What somebody may know who may use some toolboxes only: these, and nothing of what others do.
    pub fn for_visitor(mut self, visitor: &Visitor) -> Status {
        if visitor.toolboxes.is_none() {
            return self;
        }
        self.servers.retain(|server| visitor.may_use(&server.toolbox));
        let problems = problems(&self.servers, None);
        let is_ending = self.status == "ending";
        Status {
            status: match (is_ending, problems.is_empty()) {
                (true, _) => self.status,
                (false, true) => "ok".to_owned(),
                (false, false) => "degraded".to_owned(),
            },
            problems,
            tools: self.servers.iter().map(|server| server.tools).sum(),
            configuration: None,
            last_hour: None,
            journal: None,
            limits: Vec::new(),
            models: Vec::new(),
            suggestions: None,
            ..self
        }
    }

    /// How many servers are in which state.
    pub fn by_state(&self) -> BTreeMap<&str, usize> {
        let mut states = BTreeMap::new();
        for server in &self.servers {
            *states.entry(server.state.as_str()).or_default() += 1;
        }
        states
    }
}

/// How many suggestions nobody has decided about.
fn waiting(suggestions: &[learn::Suggestion]) -> usize {
    suggestions.iter().filter(|suggestion| suggestion.status == learn::Status::Suggested).count()
}

fn server_status(server: &Server) -> ServerStatus {
    let view = server.view();
    let is_well = view.is_usable() && !view.is_without_tools();
    let is_at_rest = matches!(view.state, StateName::Starting | StateName::Disabled);
    let problem = (!is_well && !is_at_rest)
        .then(|| view.last_error.clone().or(view.detail.clone()).unwrap_or_else(|| view.state.to_string()))
        .map(|why| known(&why, &server.secrets).into_owned());
    ServerStatus {
        name: view.name,
        toolbox: view.toolbox,
        state: view.state,
        era: view.era,
        tools: view.tools,
        failure: problem.as_ref().and(view.failure),
        problem,
    }
}

fn journal_status(ledger: &Ledger) -> JournalStatus {
    let (journal, health) = (ledger.journal(), ledger.health());
    JournalStatus {
        state: health.state.word().to_owned(),
        durability: journal.durability().word().to_owned(),
        last: journal.last_seq(),
        lost: health.lost,
        index_problem: ledger.index_problem(),
    }
}

fn last_hour(ledger: &Ledger) -> LastHour {
    let now = Timestamp::now().as_microsecond();
    let points = ledger.stats().over_time(Step::Minute, now);
    let recent = points.iter().filter(|point| point.ts > now - Step::Hour.us());
    recent.fold(LastHour::default(), |sum, point| LastHour {
        calls: sum.calls + point.calls,
        errors: sum.errors + point.errors,
        repaired: sum.repaired + point.normalized,
    })
}

fn problems(servers: &[ServerStatus], journal: Option<&JournalStatus>) -> Vec<String> {
    let of_servers = servers.iter().filter_map(|server| {
        let problem = server.problem.as_ref()?;
        let first = problem.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        Some(format!("the server '{}' cannot be used: {}", server.name, first.trim()))
    });
    let of_journal = journal.into_iter().flat_map(|journal| {
        let unwritten = (journal.state != State::Ok.word()).then(|| "calls are not written down".to_owned());
        let unindexed =
            journal.index_problem.as_ref().map(|problem| format!("calls cannot be looked up: {problem}"));
        unwritten.into_iter().chain(unindexed)
    });
    of_servers.chain(of_journal).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status() -> Status {
        let server = |name: &str, toolbox: &str, problem: Option<&str>| ServerStatus {
            name: name.into(),
            toolbox: toolbox.into(),
            state: if problem.is_some() { StateName::Backoff } else { StateName::Ready },
            failure: None,
            era: None,
            tools: 2,
            problem: problem.map(str::to_owned),
        };
        Status {
            status: "degraded".into(),
            problems: vec!["the server 'b' cannot be used: gone".into()],
            servers: vec![server("a", "x", None), server("b", "y", Some("gone"))],
            configuration: Some("toolwright.json".into()),
            models: vec!["openai".into()],
            suggestions: Some(1),
            last_hour: Some(LastHour { calls: 5, errors: 1, repaired: 2 }),
            ..Status::default()
        }
    }

    #[test]
    fn who_may_use_one_toolbox_hears_of_it_alone() {
        let visitor = Visitor { name: "laptop".into(), toolboxes: Some(["x".to_owned()].into()) };
        let seen = status().for_visitor(&visitor);
        assert_eq!((seen.status.as_str(), seen.servers.len(), seen.tools), ("ok", 1, 2));
        assert_eq!((seen.configuration, seen.suggestions, seen.last_hour), (None, None, None));
        assert!(seen.models.is_empty() && seen.problems.is_empty());
        let all = status().for_visitor(&Visitor::everywhere("own"));
        assert_eq!(all, status());
    }

    #[test]
    fn a_problem_is_told_by_its_first_line() {
        let mut servers = status().servers;
        servers[1].problem = Some("\n  gone\nstderr: much".into());
        assert_eq!(problems(&servers, None), ["the server 'b' cannot be used: gone"]);
        let journal = JournalStatus {
            state: "degraded".into(),
            index_problem: Some("away".into()),
            ..JournalStatus::default()
        };
        assert_eq!(
            problems(&[], Some(&journal)),
            ["calls are not written down", "calls cannot be looked up: away"]
        );
    }

    #[test]
    fn states_are_counted() {
        assert_eq!(Vec::from_iter(status().by_state()), [("backoff", 1), ("ready", 1)]);
    }
}
