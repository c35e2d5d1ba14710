//! Conversion of a parsed file to toolboxes and settings.

mod agent;
mod checks;
mod duplicates;
mod fields;
mod keys;
mod llm;
mod login;
mod section;
mod security;
mod server;
mod settings;
mod transport;
mod voice;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

use toolwright_jsonrpc::raw::{Kind, Member, Node, quote};

use self::duplicates::DuplicateScope;
use self::keys::ObjectKind;
pub(crate) use self::settings::FileSettings;
use crate::configuration::DEFAULT_TOOLBOX;
use crate::problem_collector::ProblemCollector;
use crate::{Environment, ServerConfig, Severity, Toolbox};

/// Reads one file.
pub(crate) struct ConfigReader<'t, 'e> {
    collector: ProblemCollector<'t>,
    environment: &'e Environment<'e>,
    /// The base of relative folders.
    folder: &'e Path,
    /// Secrets that the current server got from the environment.
    secrets: BTreeSet<String>,
    /// The response size limit of servers that have none of their own.
    default_response_bytes: Option<usize>,
}

/// Top-level boolean settings of a file.
#[derive(Default)]
pub(crate) struct FileSwitches {
    pub accepts_legacy_tool_key: bool,
    pub serves_builtin_tools: Option<bool>,
    pub is_strict: bool,
}

/// The kind of object that a name belongs to.
#[derive(Clone, Copy)]
enum NamedObject {
    Toolbox,
    Server,
}

impl<'t, 'e> ConfigReader<'t, 'e> {
    pub fn new(collector: ProblemCollector<'t>, environment: &'e Environment<'e>, folder: &'e Path) -> Self {
        ConfigReader {
            collector,
            environment,
            folder,
            secrets: BTreeSet::new(),
            default_response_bytes: None,
        }
    }

    /// Reads the top-level boolean settings. An invalid one is a warning and is ignored.
    pub fn switches(&mut self, root: &Node<'t>) -> FileSwitches {
        let before = self.collector.count();
        let members = root.as_object().unwrap_or_default();
        let mut flag = |key: &str| value_of(members, key).and_then(|node| self.flag(&node, key));
        let switches = FileSwitches {
            accepts_legacy_tool_key: flag("acceptLegacyToolKey").unwrap_or(false),
            is_strict: flag("strict").unwrap_or(false),
            serves_builtin_tools: flag("builtinTools"),
        };
        self.collector.downgrade_since(before);
        switches
    }

    pub fn into_collector(self) -> ProblemCollector<'t> {
        self.collector
    }

    /// The toolboxes; `None` if the file as a whole cannot be used.
    pub fn file(&mut self, root: &Node<'t>) -> Option<Vec<Toolbox>> {
        let Some(members) = root.as_object() else {
            let message = format!("a configuration is an object, not {}", root.a_type_name());
            self.collector.error(root, message, "write {\"mcpServers\": {\"name\": {\"command\": \"…\"}}}");
            return None;
        };
        self.check_duplicates(members, DuplicateScope::File)?;
        let toolboxes = value_of(members, "toolboxes");
        let servers = value_of(members, "mcpServers").or_else(|| value_of(members, "servers"));
        if toolboxes.is_none() && servers.is_none() {
            return self.without_servers(root, members);
        }
        self.check_keys(members, ObjectKind::File);
        self.check_server_aliases(members);
        self.check_tool_mode(members);
        self.default_response_bytes = self.max_response_bytes(members);
        let mut found = match toolboxes {
            Some(toolboxes) => self.toolboxes(&toolboxes)?,
            None => Vec::new(),
        };
        if let Some(servers) = servers {
            self.default_toolbox(&servers, &mut found)?;
        }
        Some(found)
    }

    /// Adds the servers of a client's file to the default toolbox.
    fn default_toolbox(&mut self, servers: &Node<'t>, found: &mut Vec<Toolbox>) -> Option<()> {
        let Some(members) = servers.as_object() else {
            self.report_invalid_servers(servers);
            return None;
        };
        self.collector.toolbox = Some(DEFAULT_TOOLBOX.to_owned());
        let place = found.iter().position(|toolbox| toolbox.name == DEFAULT_TOOLBOX);
        let taken = place.map_or(Vec::new(), |place| std::mem::take(&mut found[place].servers));
        let servers = self.servers(members, taken);
        match place {
            Some(place) => found[place].servers = servers,
            None => found.insert(0, Toolbox { name: DEFAULT_TOOLBOX.to_owned(), description: None, servers }),
        }
        self.collector.toolbox = None;
        Some(())
    }

    fn toolboxes(&mut self, node: &Node<'t>) -> Option<Vec<Toolbox>> {
        let Some(members) = node.as_object() else {
            let message =
                format!("\"toolboxes\" is an object of toolboxes by name, not {}", node.a_type_name());
            let fix = "write {\"name\": {\"description\": \"…\", \"mcpServers\": {…}}}";
            self.collector.error(node, message, fix);
            return None;
        };
        self.check_duplicates(members, DuplicateScope::Toolboxes)?;
        let mut found: Vec<Toolbox> = Vec::new();
        let mut seen: HashSet<String> = HashSet::new();
        for member in members {
            self.collector.toolbox = Some(member.key.to_owned());
            let Some(name) = self.name(member, NamedObject::Toolbox) else { continue };
            self.collector.toolbox = Some(name.clone());
            if !seen.insert(name.clone()) {
                let message = format!("the toolbox \"{name}\" occurs twice");
                self.collector.error_at_key(member.raw_key(), message, "give it another name");
                continue;
            }
            found.extend(self.toolbox(name, member));
        }
        self.collector.toolbox = None;
        Some(found)
    }

    fn toolbox(&mut self, name: String, member: &Member<'t>) -> Option<Toolbox> {
        let Some(members) = member.value.as_object() else {
            let message = format!("a toolbox is an object, not {}", member.value.a_type_name());
            let fix = "write {\"description\": \"…\", \"mcpServers\": {…}}";
            self.collector.error(&member.value, message, fix);
            return None;
        };
        self.check_duplicates(members, DuplicateScope::Toolbox)?;
        let description = self.description(member, members);
        let servers = value_of(members, "mcpServers").or_else(|| value_of(members, "servers"));
        self.check_server_aliases(members);
        let is_misspelled = self.check_keys(members, ObjectKind::Toolbox { has_servers: servers.is_some() });
        let Some(servers) = servers else {
            if !is_misspelled {
                let fix = "add \"mcpServers\": {\"name\": {\"command\": \"…\"}}";
                self.collector.error_at_key(member.raw_key(), "a toolbox needs \"mcpServers\"", fix);
            }
            return None;
        };
        let Some(members) = servers.as_object() else {
            self.report_invalid_servers(&servers);
            return None;
        };
        if members.is_empty() {
            let fix = "add a server, or remove the toolbox";
            self.collector.warning(&servers, "the toolbox has no servers", fix);
        }
        let servers = self.servers(members, Vec::new());
        Some(Toolbox { name, description, servers })
    }

    /// Reads the description. A toolbox works without one, but models choose by it.
    fn description(&mut self, toolbox: &Member<'t>, members: &'t [Member<'t>]) -> Option<String> {
        let fix = "describe in one sentence what its tools are for";
        let Some(node) = value_of(members, "description") else {
            self.collector.warning_at_key(toolbox.raw_key(), "a toolbox needs a \"description\"", fix);
            return None;
        };
        let Some(text) = node.as_text() else {
            let message = format!("a description is a string, not {}", node.a_type_name());
            self.collector.warning(&node, message, fix);
            return None;
        };
        if text.trim().is_empty() {
            self.collector.warning(&node, "the description is empty", fix);
            return None;
        }
        let expanded = self.expand(&node, &text, Severity::Warning);
        Some(expanded.map_or_else(|| text.into_owned(), |expanded| expanded.text))
    }

    /// The servers of an object, added to `taken`. Of two different servers with the same name, neither is used.
    fn servers(&mut self, members: &'t [Member<'t>], taken: Vec<ServerConfig>) -> Vec<ServerConfig> {
        let mut servers = taken;
        // The first entry of each name; `None` for servers in `taken`.
        let mut seen: HashMap<String, Option<Node<'t>>> =
            servers.iter().map(|server| (server.name.clone(), None)).collect();
        let mut twice: HashSet<String> = HashSet::new();
        for member in members {
            self.collector.server = Some(member.key.to_owned());
            let Some(name) = self.name(member, NamedObject::Server) else { continue };
            self.collector.server = Some(name.clone());
            if let Some(before) = seen.get(&name) {
                if self.report_duplicate_server(member, *before) {
                    twice.insert(name);
                }
                continue;
            }
            seen.insert(name.clone(), Some(member.value));
            servers.extend(self.server(name, member));
        }
        self.collector.server = None;
        servers.retain(|server| !twice.contains(&server.name));
        servers
    }

    /// Reports a duplicate name. Returns true if the two entries differ.
    fn report_duplicate_server(&mut self, member: &Member<'t>, before: Option<Node<'t>>) -> bool {
        let is_same =
            before.is_some_and(|before| toolwright_jsonrpc::raw::same_value(&before, &member.value));
        if is_same {
            let message = "this server occurs twice with the same value";
            self.collector.warning_at_key(member.raw_key(), message, "remove one of them");
        } else {
            let message = "two servers have this name, and neither is used";
            self.collector.error_at_key(member.raw_key(), message, "give one of them another name");
        }
        !is_same
    }

    /// The name in a key, with expanded variables.
    fn name(&mut self, member: &Member<'t>, named: NamedObject) -> Option<String> {
        let expanded = self.expand_key(member)?;
        let message = match named {
            NamedObject::Toolbox => "Toolbox name cannot be empty",
            NamedObject::Server => "Server name cannot be empty",
        };
        if expanded.trim().is_empty() {
            self.collector.error_at_key(
                member.raw_key(),
                message,
                "give it a name: models call its tools by it",
            );
            return None;
        }
        if expanded.contains(char::is_control) {
            let message = "a name cannot hold line breaks, tabs or other control characters";
            self.collector.error_at_key(member.raw_key(), message, "write it in letters, digits, - and _");
            return None;
        }
        Some(expanded)
    }

    /// Warns if both `servers` and its alias `mcpServers` are present: only one of them is used.
    fn check_server_aliases(&mut self, members: &'t [Member<'t>]) {
        let other = members.iter().find(|member| member.key == "servers");
        if let Some(other) = other.filter(|_| value_of(members, "mcpServers").is_some()) {
            let message = "\"servers\" is ignored next to \"mcpServers\"";
            self.collector.warning_at_key(other.raw_key(), message, "put all servers into \"mcpServers\"");
        }
    }

    fn report_invalid_servers(&mut self, node: &Node<'t>) {
        let message = format!("servers are an object by name, not {}", node.a_type_name());
        let name = node.as_array().and_then(|items| items.first()?.get("name")?.as_text());
        let fix = match name {
            Some(name) => format!("write {{{}: {{…}}}}: the name is the key", quote(&name)),
            None => "write {\"name\": {\"command\": \"…\"}}".to_owned(),
        };
        self.collector.error(node, message, fix);
    }

    /// Warns about `toolMode` of a workbench file before 0.11; there is only one mode now.
    fn check_tool_mode(&mut self, members: &'t [Member<'t>]) {
        let Some(node) = value_of(members, "toolMode") else { return };
        if node.as_text().as_deref() == Some("dynamic") {
            let message = "the tool mode \"dynamic\" is no longer supported";
            let fix = "remove it: tools are called by use_tool, or all at once under their own names";
            self.collector.warning(&node, message, fix);
        } else {
            self.collector.warning(&node, "there is one tool mode only", "remove \"toolMode\"");
        }
    }

    /// Reads a file without servers. An empty file is valid; unknown keys are probably a mistake.
    fn without_servers(&mut self, root: &Node<'t>, members: &'t [Member<'t>]) -> Option<Vec<Toolbox>> {
        let unknown: Vec<&Member<'t>> =
            members.iter().filter(|member| !keys::is_known_key(ObjectKind::File, member.key)).collect();
        if unknown.is_empty() {
            return Some(Vec::new());
        }
        let is_server = |node: &Node<'t>| node.get("command").is_some() || node.get("url").is_some();
        if is_server(root) {
            let fix = "write {\"mcpServers\": {\"name\": {…}}} around it";
            self.collector.error(root, "this is one server, without a name", fix);
        } else if let Some(member) = unknown.iter().find(|member| is_server(&member.value)) {
            let fix = "write {\"mcpServers\": {…}} around the servers";
            self.collector.error_at_key(member.raw_key(), "this is a server, outside of \"mcpServers\"", fix);
        } else if let Some((member, word)) = unknown
            .iter()
            .find_map(|member| keys::suggestion(ObjectKind::File, member.key).map(|word| (member, word)))
        {
            let message = format!("unknown key {}", quote(member.key));
            self.collector.error_at_key(member.raw_key(), message, format!("did you mean \"{word}\"?"));
        } else {
            let fix = "add \"mcpServers\": {\"name\": {\"command\": \"…\"}}";
            self.collector.error(root, "neither \"mcpServers\" nor \"toolboxes\" is in this file", fix);
        }
        None
    }
}

/// The value of a key.
fn value_of<'t>(members: &[Member<'t>], key: &str) -> Option<Node<'t>> {
    members.iter().find(|member| member.key == key).map(|member| member.value)
}

/// The value of a key; `null` counts as absent.
fn non_null_value<'t>(members: &[Member<'t>], key: &str) -> Option<Node<'t>> {
    value_of(members, key).filter(|node| !is_null(node))
}

/// Whether a value is `null`.
fn is_null(node: &Node<'_>) -> bool {
    matches!(node.kind, Kind::Null)
}

/// Whether a key of a server's entry is used, or known to be irrelevant.
pub(crate) fn is_known_of_server(key: &str) -> bool {
    keys::is_known_key(ObjectKind::Server { has_transport: true }, key)
}
