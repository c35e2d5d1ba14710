//! What servers say their tools are: whether that is what was agreed to, and whether it hides instructions.
//!
//! Where tools are hidden, every list is looked at before anybody sees it: there is no moment at which a new definition is
//! offered unseen. That takes a while for a list of thousands, so it is done on a thread of its own, no lock that others
//! need is held meanwhile, and an entry that was in the list before is not read again.

mod looked;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use arc_swap::ArcSwap;
use toolwright_base::{IgnorePoison, lock_off_async};
use toolwright_config::{SecuritySettings, Suspicion};
use toolwright_jsonrpc::Json;
use toolwright_security::{Agreed, ApproveError, Finding, Pins, Severity, Waiting};

use crate::notices::{NoticeKind, Notices};
use crate::servers::Server;
use looked::Looked;
pub use looked::Subject;

/// What was agreed to, what was found, and what is done about it.
pub struct Definitions {
    pins: Pins,
    policy: ArcSwap<SecuritySettings>,
    looked: Mutex<HashMap<String, Arc<Looked>>>,
    /// Held while a list is looked at, and never together with the others by those who only ask.
    looking: Mutex<()>,
    /// How many entries of lists were read.
    readings: AtomicU64,
    notices: Arc<Notices>,
    problem: Option<String>,
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
        Definitions {
            pins,
            policy,
            looked: Mutex::default(),
            looking: Mutex::default(),
            readings: AtomicU64::new(0),
            notices,
            problem: None,
        }
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
    pub fn hides_some(&self) -> bool {
        let policy = self.policy();
        policy.changed_tools == Suspicion::Hide || policy.hidden_instructions == Suspicion::Hide
    }

    /// Whether a tool of a server is hidden.
    pub fn hides(&self, server: &Server, tool: &str) -> bool {
        if !self.hides_some() {
            return false;
        }
        self.look(server);
        let policy = self.policy();
        let key = server.subject.key.as_str();
        let looked = self.known(key);
        let is_changed = || {
            self.pins.is_waiting(key, tool)
                || looked.as_ref().is_some_and(|looked| looked.unreadable.contains(tool))
        };
        let is_grave = || looked.as_ref().is_some_and(|looked| looked.grave.contains(tool));
        policy.changed_tools == Suspicion::Hide && is_changed()
            || policy.hidden_instructions == Suspicion::Hide && is_grave()
    }

    /// Whether a server has ever listed a tool whose name is so, also before this start.
    pub fn has_listed(&self, server: &Server, is_so: impl Fn(&str) -> bool) -> bool {
        self.pins.has_listed(&server.subject.key, is_so)
    }

    /// Whether an entry of a list that a server has just sent is hidden: one that is not in the list that was looked at, or
    /// has no name, is none that anybody agreed to.
    pub fn hides_sent(&self, server: &Server, item: &Json) -> bool {
        if !self.hides_some() {
            return false;
        }
        self.look(server);
        let looked = self.known(&server.subject.key);
        item.get_text("name").is_none() || !looked.is_some_and(|looked| looked.read.contains_key(item))
    }

    /// Looks at what a server lists now. Costs next to nothing while that stays as it is.
    pub fn look(&self, server: &Server) {
        let listed = server.supervisor.tools();
        // What is kept of a server that is away was looked at when it was there.
        if listed.is_current {
            self.look_at(&server.subject, &listed.items);
        }
    }

    /// Looks at a list of a server.
    pub fn look_at(&self, subject: &Subject, items: &Arc<[Json]>) {
        let is_known = || self.known(&subject.key).is_some_and(|known| known.is_of(subject, items));
        if is_known() {
            return;
        }
        // Another list may be long in the looking.
        let _looking = lock_off_async(&self.looking);
        if is_known() {
            return;
        }
        let others: Vec<Arc<Looked>> = {
            let looked = self.looked();
            looked
                .iter()
                .filter(|(key, _)| **key != subject.key)
                .map(|(_, looked)| Arc::clone(looked))
                .collect()
        };
        let before = self.known(&subject.key);
        let (looked, read) = Looked::read(subject, items, before.as_deref(), &others);
        self.readings.fetch_add(read, Ordering::Relaxed);
        // What waited before the start is no news.
        let waits = |tool: &&str| self.pins.is_waiting(&subject.key, tool);
        let waited: Vec<&str> = looked.names().filter(waits).collect();
        let seen = self.pins.see_read(&subject.key, &subject.command, &looked.prints());
        let changed = looked::changed(&seen, &waited);
        let was_grave = |tool: &&str| before.as_ref().is_some_and(|before| before.grave.contains(*tool));
        let grave: Vec<&str> =
            looked.grave.iter().map(String::as_str).filter(|tool| !was_grave(tool)).collect();
        if !changed.is_empty() {
            let text = format!(
                "{} not what was agreed to at the server \"{}\": {}",
                counted(changed.len(), "is", "are"),
                subject.name,
                some_of(&changed)
            );
            self.notices.tell(NoticeKind::DefinitionChanged, text, "/security");
        }
        if !grave.is_empty() {
            let text = format!(
                "{} instructions for the model at the server \"{}\": {}",
                counted(grave.len(), "holds", "hold"),
                subject.name,
                some_of(&grave)
            );
            self.notices.tell(NoticeKind::HiddenInstructions, text, "/security");
        }
        self.looked().insert(subject.key.clone(), Arc::new(looked));
    }

    /// How many entries of lists were read since the start. An entry that is listed again is not.
    pub fn readings(&self) -> u64 {
        self.readings.load(Ordering::Relaxed)
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

    fn known(&self, key: &str) -> Option<Arc<Looked>> {
        self.looked().get(key).cloned()
    }

    fn looked(&self) -> MutexGuard<'_, HashMap<String, Arc<Looked>>> {
        self.looked.lock().ignore_poison()
    }
}

fn counted(count: usize, one: &str, several: &str) -> String {
    if count == 1 { format!("One tool {one}") } else { format!("{count} tools {several}") }
}

fn some_of(names: &[&str]) -> String {
    const SHOWN: usize = 5;
    let shown = names[..names.len().min(SHOWN)].join(", ");
    if names.len() > SHOWN { format!("{shown} and others") } else { shown }
}
