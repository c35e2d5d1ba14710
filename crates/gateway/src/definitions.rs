//! What servers say their tools are: whether that is what was agreed to, and whether it hides instructions.
//!
//! Every list is looked at before anybody sees it: where tools are hidden, there is no moment at which a new
//! definition is offered unseen.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arc_swap::ArcSwap;
use toolwright_config::{SecuritySettings, Suspicion, Transport};
use toolwright_jsonrpc::Json;
use toolwright_security::{
    Agreed, ApproveError, Context, Definition, Finding, Pins, Severity, Sight, Waiting, scan_tool,
};
use toolwright_toolbox::Listed;

use crate::notices::{NoticeKind, Notices};
use crate::servers::Server;

/// What was agreed to, what was found, and what is done about it.
pub struct Definitions {
    pins: Pins,
    policy: ArcSwap<SecuritySettings>,
    looked: Mutex<HashMap<String, Looked>>,
    notices: Arc<Notices>,
    problem: Option<String>,
}

/// What was seen of one server.
struct Looked {
    listed: Arc<Listed>,
    command: String,
    tools: BTreeSet<String>,
    /// Those whose definitions cannot be read, and so not be compared.
    unreadable: BTreeSet<String>,
    findings: Vec<ToolFindings>,
}

/// What was found in the definition of one tool.
#[derive(Clone, Debug)]
pub struct ToolFindings {
    /// The toolbox and the server's name in it.
    pub server: String,
    /// The tool's name.
    pub tool: String,
    /// What was found, at least one.
    pub findings: Vec<Finding>,
}

impl ToolFindings {
    /// Whether something in it is surely no description.
    pub fn is_grave(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == Severity::High)
    }
}

impl Definitions {
    /// Definitions that were agreed to, and what is done about others.
    pub fn new(pins: Pins, policy: SecuritySettings, notices: Arc<Notices>) -> Definitions {
        let policy = ArcSwap::from_pointee(policy);
        Definitions { pins, policy, looked: Mutex::default(), notices, problem: None }
    }

    /// The same, where what was agreed to before could not be read.
    pub fn with_problem(self, problem: String) -> Definitions {
        Definitions { problem: Some(problem), ..self }
    }

    /// Why what was agreed to before is not known.
    pub fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }

    /// What is done about tools that are suspected.
    pub fn policy(&self) -> SecuritySettings {
        **self.policy.load()
    }

    /// Does something else about them from now on.
    pub fn set_policy(&self, policy: SecuritySettings) {
        self.policy.store(Arc::new(policy));
    }

    /// Whether some tool may be hidden.
    pub(crate) fn hides_some(&self) -> bool {
        let policy = self.policy();
        policy.changed_tools == Suspicion::Hide || policy.hidden_instructions == Suspicion::Hide
    }

    /// Whether a tool of a server is hidden.
    pub(crate) fn hides(&self, server: &Server, tool: &str) -> bool {
        if !self.hides_some() {
            return false;
        }
        self.look(server);
        let policy = self.policy();
        let key = key_of(server);
        let is_changed = || {
            self.pins.is_waiting(&key, tool)
                || self.looked().get(&key).is_some_and(|looked| looked.unreadable.contains(tool))
        };
        let is_grave = || {
            let looked = self.looked();
            let findings = looked.get(&key).map(|looked| looked.findings.as_slice());
            findings.unwrap_or_default().iter().any(|found| found.tool == tool && found.is_grave())
        };
        policy.changed_tools == Suspicion::Hide && is_changed()
            || policy.hidden_instructions == Suspicion::Hide && is_grave()
    }

    /// Whether a server has ever listed a tool whose name is so, also before this start.
    pub(crate) fn has_listed(&self, server: &Server, is_so: impl Fn(&str) -> bool) -> bool {
        self.pins.has_listed(&key_of(server), is_so)
    }

    /// Whether an entry of a list that a server has just sent is hidden: one that is not in the list that was looked at, or
    /// has no name, is none that anybody agreed to.
    pub(crate) fn hides_sent(&self, server: &Server, item: &Json) -> bool {
        if !self.hides_some() {
            return false;
        }
        self.look(server);
        let looked = self.looked();
        let was_looked_at = |looked: &Looked| looked.listed.items.contains(item);
        item.get_text("name").is_none() || !looked.get(&key_of(server)).is_some_and(was_looked_at)
    }

    /// Looks at what a server lists now. Costs next to nothing while that stays as it is.
    pub(crate) fn look(&self, server: &Server) {
        let listed = server.supervisor.tools();
        if !listed.is_current {
            // What is kept of a server that is away was looked at when it was there.
            return;
        }
        let command = command_of(server);
        let mut looked = self.looked();
        let is_known = |known: &Looked| Arc::ptr_eq(&known.listed, &listed) && known.command == command;
        let key = key_of(server);
        if looked.get(&key).is_some_and(is_known) {
            return;
        }
        let texts: Vec<String> = listed.items.iter().map(|item| item.as_str().to_owned()).collect();
        let own: BTreeSet<String> = listed.items.iter().filter_map(|item| item.get_text("name")).collect();
        // What waited before the start is no news.
        let waited: BTreeSet<String> =
            own.iter().filter(|tool| self.pins.is_waiting(&key, tool)).cloned().collect();
        let seen = self.pins.see(&key, &command, &texts);
        let others = looked.iter().filter(|(known, _)| **known != key);
        let of_others = others.flat_map(|(_, looked)| &looked.tools).filter(|tool| !own.contains(*tool));
        let context = Context::new(of_others);
        let findings: Vec<ToolFindings> = listed
            .items
            .iter()
            .zip(&texts)
            .filter_map(|(item, text)| {
                let findings = scan_tool(text, &context);
                let tool = item.get_text("name")?;
                (!findings.is_empty()).then(|| ToolFindings { server: key.clone(), tool, findings })
            })
            .collect();
        let mut unreadable = BTreeSet::new();
        if seen.iter().any(|seen| seen.sight == Sight::Unreadable) {
            let cannot_be_read = |text: &String| Definition::read(text).is_none();
            let items = listed.items.iter().zip(&texts).filter(|(_, text)| cannot_be_read(text));
            unreadable.extend(items.filter_map(|(item, _)| item.get_text("name")));
        }
        let entry = Looked { listed, command, tools: own, unreadable, findings };
        let graver: Vec<String> =
            entry.findings.iter().filter(|found| found.is_grave()).map(|found| found.tool.clone()).collect();
        let changed: Vec<&str> = seen
            .iter()
            .filter(|seen| matches!(seen.sight, Sight::Added | Sight::Changed(_) | Sight::Moved))
            .filter(|seen| !waited.contains(&seen.tool))
            .map(|seen| seen.tool.as_str())
            .collect();
        let before = looked.insert(key, entry);
        drop(looked);
        if !changed.is_empty() {
            let text = format!(
                "{} not what was agreed to at the server \"{}\": {}",
                counted(changed.len(), "is", "are"),
                server.name,
                some_of(&changed)
            );
            self.notices.tell(NoticeKind::DefinitionChanged, text, "/security");
        }
        let was_grave = |tool: &String| {
            let known = before.as_ref().map(|known| known.findings.as_slice()).unwrap_or_default();
            known.iter().any(|found| found.tool == *tool && found.is_grave())
        };
        let new: Vec<&str> = graver.iter().filter(|tool| !was_grave(tool)).map(String::as_str).collect();
        if !new.is_empty() {
            let text = format!(
                "{} instructions for the model at the server \"{}\": {}",
                counted(new.len(), "holds", "hold"),
                server.name,
                some_of(&new)
            );
            self.notices.tell(NoticeKind::HiddenInstructions, text, "/security");
        }
    }

    /// What waits until somebody agrees to it.
    pub fn waiting(&self) -> Vec<Waiting> {
        self.pins.waiting()
    }

    /// What was agreed to.
    pub fn agreed(&self) -> Vec<Agreed> {
        self.pins.agreed()
    }

    /// Why what was agreed to is not on the disk.
    pub fn unsaved(&self) -> Option<String> {
        self.pins.unsaved()
    }

    /// What was found in definitions, by server and tool.
    pub fn findings(&self) -> Vec<ToolFindings> {
        let looked = self.looked();
        let mut all: Vec<ToolFindings> =
            looked.values().flat_map(|looked| looked.findings.iter().cloned()).collect();
        all.sort_by(|one, two| (&one.server, &one.tool).cmp(&(&two.server, &two.tool)));
        all
    }

    /// Agrees to a definition, if it is still the one that somebody looked at.
    ///
    /// # Errors
    /// When another one is offered now, none waits, or the file cannot be written.
    pub fn approve(&self, server: &str, tool: &str, fingerprint: &str) -> Result<(), ApproveError> {
        self.pins.approve(server, tool, fingerprint)
    }

    fn looked(&self) -> MutexGuard<'_, HashMap<String, Looked>> {
        self.looked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn counted(count: usize, one: &str, several: &str) -> String {
    if count == 1 { format!("One tool {one}") } else { format!("{count} tools {several}") }
}

/// What a server is called in what was agreed to. The names of servers change with those beside them; this does not.
fn key_of(server: &Server) -> String {
    format!("{}/{}", server.toolbox, server.own_name)
}

fn some_of(names: &[&str]) -> String {
    const SHOWN: usize = 5;
    let shown = names[..names.len().min(SHOWN)].join(", ");
    if names.len() > SHOWN { format!("{shown} and others") } else { shown }
}

/// How a server is started or reached, without its secrets.
fn command_of(server: &Server) -> String {
    let text = match &server.entry().transport {
        Transport::Stdio { command, args, .. } => {
            let command = command.to_string_lossy();
            std::iter::once(&*command).chain(args.iter().map(String::as_str)).collect::<Vec<_>>().join(" ")
        }
        Transport::Http { url, .. } => url.to_string(),
    };
    server.secrets.iter().fold(text, |text, secret| text.replace(secret.as_str(), toolwright_redact::HIDDEN))
}
