//! What can be seen of a server, for people and programs.

use serde::{Deserialize, Serialize};
use toolwright_base::IgnorePoison;
use toolwright_mcp::Era;
use toolwright_toolbox::{FailureCause, State, StateName};

use crate::servers::Server;

/// How many lines of stderr are shown.
const TAIL_LINES: usize = 10;

/// A server at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerView {
    /// Its name.
    pub name: String,
    /// The toolbox that it is in.
    pub toolbox: String,
    /// Its state.
    pub state: StateName,
    /// What the word leaves out: which attempt, how long a wait.
    pub detail: Option<String>,
    /// `modern` or `legacy`, once that is known.
    pub era: Option<String>,
    /// The revision of the protocol that was agreed on.
    pub protocol_version: Option<String>,
    /// How it is reached: stdio, http or sse.
    pub transport: String,
    /// Its process, when it is a child that runs.
    pub pid: Option<u32>,
    /// How often it was reached again.
    pub restarts: u32,
    /// How many tools it has, as last known.
    pub tools: usize,
    /// Whether that is what it lists now.
    pub tools_are_current: bool,
    /// Tools among them that cannot be registered, each with its reason.
    #[serde(default)]
    pub unusable_tools: Vec<String>,
    /// Calls that it is working on.
    pub in_flight: usize,
    /// Pieces of text on its standard output that were no messages.
    pub noise: u64,
    /// The last of it.
    pub last_noise: Vec<String>,
    /// What went wrong last.
    pub last_error: Option<String>,
    /// The kind of that, for programs.
    #[serde(default)]
    pub failure: Option<FailureCause>,
    /// Who it says it is: name and version.
    pub server: Option<String>,
    /// The end of its stderr.
    pub stderr_tail: String,
}

impl ServerView {
    /// What can be seen of this server now.
    pub fn of(server: &Server) -> ServerView {
        let seen = server.supervisor.snapshot();
        let listed = server.supervisor.tools();
        let said = |key: &str| seen.server.as_ref().and_then(|info| info.get_text(key));
        ServerView {
            name: server.name.clone(),
            toolbox: server.toolbox.clone(),
            state: seen.state.name(),
            detail: detail(&seen.state),
            era: seen.era.map(|era| match era {
                Era::Modern => "modern".to_owned(),
                Era::Legacy => "legacy".to_owned(),
            }),
            protocol_version: seen.revision.clone(),
            transport: seen.transport.to_string(),
            pid: seen.pid,
            restarts: seen.restarts,
            tools: listed.items.len(),
            tools_are_current: listed.is_current,
            unusable_tools: server.unusable_tools.lock().ignore_poison().clone(),
            in_flight: seen.in_flight,
            noise: seen.noise,
            last_noise: server.supervisor.noise(),
            last_error: seen.last_failure.as_ref().map(ToString::to_string),
            failure: seen.last_failure.as_ref().map(|failure| failure.cause),
            server: said("name").map(|name| match said("version") {
                Some(version) => format!("{name} {version}"),
                None => name,
            }),
            stderr_tail: last_lines(&server.supervisor.stderr()),
        }
    }

    /// Whether nothing is known against calls: one that is not started is started by them.
    pub fn is_usable(&self) -> bool {
        matches!(self.state, StateName::Ready | StateName::Degraded | StateName::NotStarted)
    }

    /// Whether it can be used but its tools are not known for a reason.
    pub fn is_without_tools(&self) -> bool {
        self.state == StateName::Degraded && self.tools == 0
    }

    /// Whether it demands a login, or another one.
    pub fn wants_login(&self) -> bool {
        self.failure == Some(FailureCause::LoginRequired)
    }

    /// Whether somebody switched it off.
    pub fn is_off(&self) -> bool {
        self.state == StateName::Disabled
    }
}

fn detail(state: &State) -> Option<String> {
    match state {
        State::Starting { attempt: 1 } => None,
        State::Starting { attempt } => Some(format!("attempt {attempt}")),
        State::Resting => Some("not used; the next call starts it".to_owned()),
        State::Degraded { reason } => Some(reason.clone()),
        State::Backoff { failures, wait } => {
            let times = if *failures == 1 { "once".to_owned() } else { format!("{failures} times") };
            Some(format!("failed {times}; tried again within {} s", wait.as_secs()))
        }
        _ => None,
    }
}

/// The end of a text.
fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    lines[lines.len().saturating_sub(TAIL_LINES)..].join("\n")
}
