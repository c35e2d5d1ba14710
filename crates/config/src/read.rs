//! From the tree of a file to toolboxes.

mod agent;
mod checks;
mod fields;
mod keys;
mod llm;
mod login;
mod part;
mod repeats;
mod server;
mod settings;
mod suspicion;
mod transport;
mod voice;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

use toolwright_jsonrpc::raw::{Kind, Member, Node, quote};

use self::keys::Shape;
use self::repeats::Within;
pub(crate) use self::settings::Settings;
use crate::configuration::DEFAULT_TOOLBOX;
use crate::mistakes::Mistakes;
use crate::{Environment, ServerConfig, Severity, Toolbox};

/// Reads one file.
pub(crate) struct Reader<'t, 'e> {
    mistakes: Mistakes<'t>,
    environment: &'e Environment<'e>,
    /// Where relative folders begin.
    folder: &'e Path,
    /// What the server that is being read got from the environment.
    secrets: BTreeSet<String>,
    /// How large a response of a server may be that does not say it.
    usual_response_bytes: Option<usize>,
}

/// What a file switches on and off.
#[derive(Default)]
pub(crate) struct Switches {
    pub accepts_legacy_tool_key: bool,
    pub serves_builtin_tools: Option<bool>,
    pub is_strict: bool,
}

/// What a name is of.
#[derive(Clone, Copy)]
enum Named {
    Toolbox,
    Server,
}

impl<'t, 'e> Reader<'t, 'e> {
    pub fn new(mistakes: Mistakes<'t>, environment: &'e Environment<'e>, folder: &'e Path) -> Self {
        Reader { mistakes, environment, folder, secrets: BTreeSet::new(), usual_response_bytes: None }
    }

    /// What the file switches on and off. A wrong one is told and changes nothing else.
    pub fn switches(&mut self, root: &Node<'t>) -> Switches {
        let before = self.mistakes.count();
        let members = root.as_object().unwrap_or_default();
        let mut flag = |key: &str| value_of(members, key).and_then(|node| self.flag(&node, key));
        let switches = Switches {
            accepts_legacy_tool_key: flag("acceptLegacyToolKey").unwrap_or(false),
            is_strict: flag("strict").unwrap_or(false),
            serves_builtin_tools: flag("builtinTools"),
        };
        self.mistakes.soften_since(before);
        switches
    }

    pub fn into_mistakes(self) -> Mistakes<'t> {
        self.mistakes
    }

    /// The toolboxes; nothing when the file as a whole cannot be used.
    pub fn file(&mut self, root: &Node<'t>) -> Option<Vec<Toolbox>> {
        let Some(members) = root.as_object() else {
            let message = format!("a configuration is an object, not {}", root.a_type_name());
            self.mistakes.error(root, message, "write {\"mcpServers\": {\"name\": {\"command\": \"…\"}}}");
            return None;
        };
        self.check_repeats(members, Within::File)?;
        let toolboxes = value_of(members, "toolboxes");
        let servers = value_of(members, "mcpServers").or_else(|| value_of(members, "servers"));
        if toolboxes.is_none() && servers.is_none() {
            return self.without_servers(root, members);
        }
        self.check_keys(members, Shape::File);
        self.check_both(members);
        self.check_tool_mode(members);
        self.usual_response_bytes = self.max_response_bytes(members);
        let mut found = match toolboxes {
            Some(toolboxes) => self.toolboxes(&toolboxes)?,
            None => Vec::new(),
        };
        if let Some(servers) = servers {
            self.default_toolbox(&servers, &mut found)?;
        }
        Some(found)
    }

    /// The servers of a client's file; a toolbox of that name has them beside its own.
    fn default_toolbox(&mut self, servers: &Node<'t>, found: &mut Vec<Toolbox>) -> Option<()> {
        let Some(members) = servers.as_object() else {
            self.no_servers_object(servers);
            return None;
        };
        self.mistakes.toolbox = Some(DEFAULT_TOOLBOX.to_owned());
        let place = found.iter().position(|toolbox| toolbox.name == DEFAULT_TOOLBOX);
        let taken = place.map_or(Vec::new(), |place| std::mem::take(&mut found[place].servers));
        let servers = self.servers(members, taken);
        match place {
            Some(place) => found[place].servers = servers,
            None => found.insert(0, Toolbox { name: DEFAULT_TOOLBOX.to_owned(), description: None, servers }),
        }
        self.mistakes.toolbox = None;
        Some(())
    }

    fn toolboxes(&mut self, node: &Node<'t>) -> Option<Vec<Toolbox>> {
        let Some(members) = node.as_object() else {
            let message =
                format!("\"toolboxes\" is an object of toolboxes by name, not {}", node.a_type_name());
            let fix = "write {\"name\": {\"description\": \"…\", \"mcpServers\": {…}}}";
            self.mistakes.error(node, message, fix);
            return None;
        };
        self.check_repeats(members, Within::Toolboxes)?;
        let mut found: Vec<Toolbox> = Vec::new();
        let mut seen: HashSet<String> = HashSet::new();
        for member in members {
            self.mistakes.toolbox = Some(member.key.to_owned());
            let Some(name) = self.name(member, Named::Toolbox) else { continue };
            self.mistakes.toolbox = Some(name.clone());
            if !seen.insert(name.clone()) {
                let message = format!("the toolbox \"{name}\" stands here twice");
                self.mistakes.error_at_key(member.raw_key(), message, "give it another name");
                continue;
            }
            found.extend(self.toolbox(name, member));
        }
        self.mistakes.toolbox = None;
        Some(found)
    }

    fn toolbox(&mut self, name: String, member: &Member<'t>) -> Option<Toolbox> {
        let Some(members) = member.value.as_object() else {
            let message = format!("a toolbox is an object, not {}", member.value.a_type_name());
            let fix = "write {\"description\": \"…\", \"mcpServers\": {…}}";
            self.mistakes.error(&member.value, message, fix);
            return None;
        };
        self.check_repeats(members, Within::Toolbox)?;
        let description = self.description(member, members);
        let servers = value_of(members, "mcpServers").or_else(|| value_of(members, "servers"));
        self.check_both(members);
        let is_meant = self.check_keys(members, Shape::Toolbox { has_servers: servers.is_some() });
        let Some(servers) = servers else {
            if !is_meant {
                let fix = "add \"mcpServers\": {\"name\": {\"command\": \"…\"}}";
                self.mistakes.error_at_key(member.raw_key(), "a toolbox needs \"mcpServers\"", fix);
            }
            return None;
        };
        let Some(members) = servers.as_object() else {
            self.no_servers_object(&servers);
            return None;
        };
        if members.is_empty() {
            let fix = "add a server, or remove the toolbox";
            self.mistakes.warning(&servers, "the toolbox has no servers", fix);
        }
        let servers = self.servers(members, Vec::new());
        Some(Toolbox { name, description, servers })
    }

    /// A toolbox without a description works; models choose by it.
    fn description(&mut self, toolbox: &Member<'t>, members: &'t [Member<'t>]) -> Option<String> {
        let fix = "say in a sentence what its tools are for";
        let Some(node) = value_of(members, "description") else {
            self.mistakes.warning_at_key(toolbox.raw_key(), "a toolbox needs a \"description\"", fix);
            return None;
        };
        let Some(text) = node.as_text() else {
            let message = format!("a description is a string, not {}", node.a_type_name());
            self.mistakes.warning(&node, message, fix);
            return None;
        };
        if text.trim().is_empty() {
            self.mistakes.warning(&node, "the description is empty", fix);
            return None;
        }
        let expanded = self.expand(&node, &text, Severity::Warning);
        Some(expanded.map_or_else(|| text.into_owned(), |expanded| expanded.text))
    }

    /// The servers of an object beside those that are there already. A name that stands twice is neither.
    fn servers(&mut self, members: &'t [Member<'t>], taken: Vec<ServerConfig>) -> Vec<ServerConfig> {
        let mut servers = taken;
        // Where each name was seen first; nowhere here for those that were there already.
        let mut seen: HashMap<String, Option<Node<'t>>> =
            servers.iter().map(|server| (server.name.clone(), None)).collect();
        let mut twice: HashSet<String> = HashSet::new();
        for member in members {
            self.mistakes.server = Some(member.key.to_owned());
            let Some(name) = self.name(member, Named::Server) else { continue };
            self.mistakes.server = Some(name.clone());
            if let Some(before) = seen.get(&name) {
                if self.is_second_server(member, *before) {
                    twice.insert(name);
                }
                continue;
            }
            seen.insert(name.clone(), Some(member.value));
            servers.extend(self.server(name, member));
        }
        self.mistakes.server = None;
        servers.retain(|server| !twice.contains(&server.name));
        servers
    }

    /// Tells of a name that stands twice; true when the two differ.
    fn is_second_server(&mut self, member: &Member<'t>, before: Option<Node<'t>>) -> bool {
        let is_same =
            before.is_some_and(|before| toolwright_jsonrpc::raw::same_value(&before, &member.value));
        if is_same {
            let message = "this server stands here twice, the same both times";
            self.mistakes.warning_at_key(member.raw_key(), message, "remove one of them");
        } else {
            let message = "two servers have this name, and neither is used";
            self.mistakes.error_at_key(member.raw_key(), message, "give one of them another name");
        }
        !is_same
    }

    /// The name that a key is, its variables replaced.
    fn name(&mut self, member: &Member<'t>, named: Named) -> Option<String> {
        let expanded = self.expand_key(member)?;
        let message = match named {
            Named::Toolbox => "Toolbox name cannot be empty",
            Named::Server => "Server name cannot be empty",
        };
        if expanded.trim().is_empty() {
            self.mistakes.error_at_key(
                member.raw_key(),
                message,
                "give it a name: models call its tools by it",
            );
            return None;
        }
        if expanded.contains(char::is_control) {
            let message = "a name cannot hold line breaks, tabs or other control characters";
            self.mistakes.error_at_key(member.raw_key(), message, "write it in letters, digits, - and _");
            return None;
        }
        Some(expanded)
    }

    /// `servers` is another word for `mcpServers`, and not a second list.
    fn check_both(&mut self, members: &'t [Member<'t>]) {
        let other = members.iter().find(|member| member.key == "servers");
        if let Some(other) = other.filter(|_| value_of(members, "mcpServers").is_some()) {
            let message = "\"servers\" is not read beside \"mcpServers\"";
            self.mistakes.warning_at_key(other.raw_key(), message, "put all servers into \"mcpServers\"");
        }
    }

    fn no_servers_object(&mut self, node: &Node<'t>) {
        let message = format!("servers are an object by name, not {}", node.a_type_name());
        let name = node.as_array().and_then(|items| items.first()?.get("name")?.as_text());
        let fix = match name {
            Some(name) => format!("write {{{}: {{…}}}}: the name is the key", quote(&name)),
            None => "write {\"name\": {\"command\": \"…\"}}".to_owned(),
        };
        self.mistakes.error(node, message, fix);
    }

    /// `toolMode` of a workbench file before 0.11; there is one mode only.
    fn check_tool_mode(&mut self, members: &'t [Member<'t>]) {
        let Some(node) = value_of(members, "toolMode") else { return };
        if node.as_text().as_deref() == Some("dynamic") {
            let message = "the tool mode \"dynamic\" is no longer supported";
            let fix = "remove it: tools are called by use_tool, or all at once under their own names";
            self.mistakes.warning(&node, message, fix);
        } else {
            self.mistakes.warning(&node, "there is one tool mode only", "remove \"toolMode\"");
        }
    }

    /// A file that names no servers: an empty one is none, any other is probably meant otherwise.
    fn without_servers(&mut self, root: &Node<'t>, members: &'t [Member<'t>]) -> Option<Vec<Toolbox>> {
        let unknown: Vec<&Member<'t>> =
            members.iter().filter(|member| !keys::is_silent(Shape::File, member.key)).collect();
        if unknown.is_empty() {
            return Some(Vec::new());
        }
        let is_server = |node: &Node<'t>| node.get("command").is_some() || node.get("url").is_some();
        if is_server(root) {
            let fix = "write {\"mcpServers\": {\"name\": {…}}} around it";
            self.mistakes.error(root, "this is one server, without a name", fix);
        } else if let Some(member) = unknown.iter().find(|member| is_server(&member.value)) {
            let fix = "write {\"mcpServers\": {…}} around the servers";
            self.mistakes.error_at_key(member.raw_key(), "this is a server, outside of \"mcpServers\"", fix);
        } else if let Some((member, word)) = unknown
            .iter()
            .find_map(|member| keys::suggestion(Shape::File, member.key).map(|word| (member, word)))
        {
            let message = format!("unknown key {}", quote(member.key));
            self.mistakes.error_at_key(member.raw_key(), message, format!("did you mean \"{word}\"?"));
        } else {
            let fix = "add \"mcpServers\": {\"name\": {\"command\": \"…\"}}";
            self.mistakes.error(root, "neither \"mcpServers\" nor \"toolboxes\" stands in this file", fix);
        }
        None
    }
}

/// The value of a key.
fn value_of<'t>(members: &[Member<'t>], key: &str) -> Option<Node<'t>> {
    members.iter().find(|member| member.key == key).map(|member| member.value)
}

/// The value of a key, unless it is `null`: that says nothing.
fn given<'t>(members: &[Member<'t>], key: &str) -> Option<Node<'t>> {
    value_of(members, key).filter(|node| !is_null(node))
}

/// Whether a value is `null`.
fn is_null(node: &Node<'_>) -> bool {
    matches!(node.kind, Kind::Null)
}

/// Whether a key of a server's entry is read, or known to be nothing for us.
pub(crate) fn is_known_of_server(key: &str) -> bool {
    keys::is_silent(Shape::Server { has_way: true }, key)
}
