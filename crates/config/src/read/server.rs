//! One server's entry.

use toolwright_jsonrpc::raw::{Member, Node, quote, same_value};

use super::duplicates::DuplicateScope;
use super::keys::ObjectKind;
use super::{ConfigReader, is_null, non_null_value};
use crate::{BuiltinRulesSetting, ProtocolFamily, ServerConfig, ToolFilters};

/// Tool lists of clients that apply here too: a tool that the user disabled in a client must not reappear.
const ALLOW_LISTS: &[&str] = &["tools", "includeTools", "allowedTools", "enabledTools"];
const REFUSE_LISTS: &[&str] = &["excludeTools", "disabledTools", "blockedTools"];

/// The protocol families.
const FAMILIES: &[(&str, ProtocolFamily)] =
    &[("auto", ProtocolFamily::Auto), ("legacy", ProtocolFamily::Legacy), ("modern", ProtocolFamily::Modern)];

/// The key of the response size limit, its range and its default.
const MAX_RESPONSE_BYTES: &str = "maxResponseBytes";
const RESPONSE_BYTES: std::ops::RangeInclusive<u64> = 64 << 10..=1 << 30;
const DEFAULT_RESPONSE_BYTES: u64 = 16 << 20;

impl<'t> ConfigReader<'t, '_> {
    /// Reads the server of an entry; `None` if it has an error.
    pub(super) fn server(&mut self, name: String, member: &Member<'t>) -> Option<ServerConfig> {
        let Some(members) = member.value.as_object() else {
            self.report_invalid_server(&member.value);
            return None;
        };
        let (errors, count) = (self.collector.errors(), self.collector.count());
        self.secrets.clear();
        self.check_duplicates(members, DuplicateScope::Server);
        let is_disabled = self.is_disabled(members);
        let transport = self.transport(member, members);
        let tool_filters = self.tool_filters(members);
        let timeout =
            non_null_value(members, "timeoutMs").and_then(|node| self.milliseconds(&node, "timeoutMs"));
        let idle = non_null_value(members, "idleMs").and_then(|node| self.milliseconds(&node, "idleMs"));
        let max_response_bytes = self.max_response_bytes(members).or(self.default_response_bytes);
        let settings = BuiltinRulesSetting::ALL.map(|setting| (setting.word(), setting));
        let builtin_rules = non_null_value(members, "builtinRules")
            .and_then(|node| self.word(&node, "builtinRules", &settings));
        let protocol =
            non_null_value(members, "protocol").and_then(|node| self.word(&node, "protocol", FAMILIES));
        let is_wrong = self.collector.errors() > errors;
        if is_disabled {
            // Errors of a disabled server are warnings only.
            self.collector.downgrade_since(count);
        }
        let transport = transport.filter(|_| !is_wrong)?;
        let mut server = ServerConfig::new(name, transport);
        (server.tool_filters, server.is_disabled) = (tool_filters, is_disabled);
        server.builtin_rules = builtin_rules.unwrap_or_default();
        server.max_response_bytes = max_response_bytes;
        (server.timeout, server.idle, server.protocol) = (timeout, idle, protocol.unwrap_or_default());
        Some(server.with_expanded(std::mem::take(&mut self.secrets)))
    }

    /// The response size limit in bytes: of one server, or the default of the file.
    pub(super) fn max_response_bytes(&mut self, members: &'t [Member<'t>]) -> Option<usize> {
        let node = non_null_value(members, MAX_RESPONSE_BYTES)?;
        let count = self.collector.count();
        let bytes = self.whole(&node, MAX_RESPONSE_BYTES, "bytes", RESPONSE_BYTES, DEFAULT_RESPONSE_BYTES);
        // The default limit applies, and a server that worked keeps working.
        self.collector.downgrade_since(count);
        bytes.and_then(|bytes| usize::try_from(bytes).ok())
    }

    fn report_invalid_server(&mut self, node: &Node<'t>) {
        let message = format!("a server is an object, not {}", node.a_type_name());
        let fix = match node.as_text() {
            Some(text) if text.starts_with("http://") || text.starts_with("https://") => {
                format!("write {{\"url\": {}}}", quote(&text))
            }
            Some(text) => {
                let mut words = text.split_whitespace().take(8).map(quote);
                let command = words.next().unwrap_or_else(|| "\"…\"".to_owned());
                let args: Vec<String> = words.collect();
                format!("write {{\"command\": {command}, \"args\": [{}]}}", args.join(", "))
            }
            None => "write {\"command\": \"…\", \"args\": []} or {\"url\": \"https://…\"}".to_owned(),
        };
        self.collector.error(node, message, fix);
    }

    /// Whether the server is disabled, by any of the keys.
    fn is_disabled(&mut self, members: &'t [Member<'t>]) -> bool {
        let mut flag = |key: &str| {
            let node = non_null_value(members, key)?;
            self.flag(&node, key)
        };
        let is_off = flag("disabled").unwrap_or(false);
        let is_on = flag("enabled").unwrap_or(true) && flag("isActive").unwrap_or(true);
        is_off || !is_on
    }

    fn tool_filters(&mut self, members: &'t [Member<'t>]) -> ToolFilters {
        let mut filters = ToolFilters::default();
        if let Some(node) = non_null_value(members, "toolFilters")
            && let Some(list) = self.filter_list(&node, "toolFilters")
        {
            filters = filters.and(ToolFilters::new(&list));
        }
        for key in ALLOW_LISTS {
            if let Some(node) = non_null_value(members, key).filter(|node| node.as_array().is_some())
                && let Some(list) = self.filter_list(&node, key)
            {
                filters.allow(list);
            }
        }
        for key in REFUSE_LISTS {
            if let Some(node) = non_null_value(members, key)
                && let Some(list) = self.filter_list(&node, key)
            {
                filters.refuse(list);
            }
        }
        filters
    }

    fn filter_list(&mut self, node: &Node<'t>, key: &str) -> Option<Vec<String>> {
        let list = self.texts(node, key)?;
        let items = node.as_array().unwrap_or_default();
        for (item, entry) in items.iter().zip(&list) {
            let name = entry.strip_prefix('!').unwrap_or(entry);
            if name.trim().is_empty() {
                let message = format!("an entry of \"{key}\" names no tool");
                self.collector.error(
                    item,
                    message,
                    "write a tool's name, a pattern such as \"read_*\", or \"!name\"",
                );
            }
        }
        Some(list)
    }

    /// The value of a key with aliases. Two different values are an error.
    pub(super) fn one_of(&mut self, members: &'t [Member<'t>], keys: &[&str]) -> Option<Member<'t>> {
        let mut non_null_value =
            members.iter().filter(|member| keys.contains(&member.key) && !is_null(&member.value));
        let first = non_null_value.next()?;
        for other in non_null_value.filter(|other| other.key != first.key) {
            if !same_value(&first.value, &other.value) {
                let message = format!("{} and {} have different values", quote(first.key), quote(other.key));
                self.collector.error_at_key(
                    other.raw_key(),
                    message,
                    format!("keep {} only", quote(keys[0])),
                );
            }
        }
        Some(*first)
    }

    /// Warns about keys that belong to the other transport.
    pub(super) fn warn_unused(&mut self, members: &'t [Member<'t>], keys: &[&str], why: &str) {
        for member in members.iter().filter(|member| keys.contains(&member.key)) {
            let is_empty = member.value.as_array().is_some_and(<[_]>::is_empty)
                || member.value.as_object().is_some_and(<[_]>::is_empty)
                || is_null(&member.value);
            if !is_empty {
                let message = format!("{} is not used {why}", quote(member.key));
                self.collector.warning_at_key(member.raw_key(), message, "remove it");
            }
        }
    }

    /// Reports unknown keys. Returns true if one of them is a misspelled `command` or `url`.
    pub(super) fn check_server_keys(&mut self, members: &'t [Member<'t>], has_transport: bool) -> bool {
        self.check_keys(members, ObjectKind::Server { has_transport })
    }
}
