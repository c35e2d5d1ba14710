//! Known keys: Toolwright's, those that clients write, and other spellings of Toolwright's.

use toolwright_base::{closest_name, fold_name};
use toolwright_jsonrpc::raw::{Member, quote};

use super::ConfigReader;
use crate::Severity;

/// The kind of object that has the keys.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ObjectKind {
    File,
    Toolbox {
        has_servers: bool,
    },
    Server {
        has_transport: bool,
    },
    /// A section: Toolwright's keys, and those that another program has there.
    Section {
        known: &'static [&'static str],
        foreign: &'static [&'static str],
        /// Other names of Toolwright's keys.
        words: &'static [(&'static str, &'static str)],
    },
}

/// The most unknown keys that one warning lists.
const NAMED_KEYS: usize = 5;

/// The most unknown keys of one object that are compared with known ones.
const COMPARED_KEYS: usize = 200;

const FILE_KEYS: &[&str] = &[
    "mcpServers",
    "toolboxes",
    "builtinTools",
    "acceptLegacyToolKey",
    "strict",
    "maxResponseBytes",
    "ledger",
    "redact",
    "store",
    "learn",
    "learnFrom",
    "telemetry",
    "llm",
    "agent",
    "security",
    "notify",
    "voice",
];
const TOOLBOX_KEYS: &[&str] = &["description", "mcpServers"];
const SERVER_KEYS: &[&str] = &[
    "command",
    "args",
    "env",
    "env_from",
    "cwd",
    "url",
    "headers",
    "oauth",
    "type",
    "toolFilters",
    "timeoutMs",
    "idleMs",
    "maxResponseBytes",
    "builtinRules",
    "protocol",
    "disabled",
];

/// Aliases of these keys, and keys of other programs that are used too.
const ALSO_READ: &[&str] = &[
    "transport",
    "enabled",
    "isActive",
    "envFrom",
    "environment",
    "httpUrl",
    "serverUrl",
    "baseUrl",
    "tools",
    "includeTools",
    "allowedTools",
    "enabledTools",
    "excludeTools",
    "disabledTools",
    "blockedTools",
    "envFile",
    "headersHelper",
];

/// Keys that clients write next to the servers. They are ignored silently.
const SILENT_IN_FILE: &[&str] = &[
    "$schema",
    "servers",
    "inputs",
    "toolMode",
    "globalShortcut",
    "version",
    "name",
    "description",
    "metadata",
    "mcpServersDisabled",
    "scale",
    "locale",
    "userThemeMode",
    "theme",
    "preferences",
];

/// Keys that clients write into a server's entry for themselves. They are ignored silently.
const SILENT_IN_SERVER: &[&str] = &[
    "$schema",
    "alwaysAllow",
    "alwaysLoad",
    "auth",
    "authProviderType",
    "autoApprove",
    "autoStart",
    "autostart",
    "category",
    "chatId",
    "description",
    "dev",
    "displayName",
    "dxt",
    "errors",
    "extensions",
    "fromGalleryId",
    "gallery",
    "icon",
    "icons",
    "id",
    "iconUrl",
    "initTimeout",
    "installSource",
    "instructions",
    "key",
    "label",
    "lastError",
    "location",
    "logo",
    "logoUrl",
    "longRunning",
    "metadata",
    "name",
    "networkTimeout",
    "note",
    "notes",
    "oauthScopes",
    "protocolVersion",
    "provider",
    "providerUrl",
    "readOnly",
    "reference",
    "registryUrl",
    "remoteConfig",
    "requestTimeout",
    "roots",
    "sandbox",
    "scope",
    "scopes",
    "searchKey",
    "settings",
    "source",
    "startupTimeout",
    "status",
    "tags",
    "targetAudience",
    "targetServiceAccount",
    "timeout",
    "title",
    "trust",
    "updatedAt",
    "version",
    "watchPaths",
    "createdAt",
    "disabledReason",
    "sampling",
    "samplingConfig",
];

/// Other names of Toolwright's keys.
const OTHER_WORDS: &[(&str, &str)] = &[
    ("arguments", "args"),
    ("argv", "args"),
    ("params", "args"),
    ("cmd", "command"),
    ("exec", "command"),
    ("executable", "command"),
    ("program", "command"),
    ("run", "command"),
    ("bin", "command"),
    ("envs", "env"),
    ("envvars", "env"),
    ("environmentvariables", "env"),
    ("variables", "env"),
    ("inheritenv", "env_from"),
    ("envpassthrough", "env_from"),
    ("passenv", "env_from"),
    ("dir", "cwd"),
    ("directory", "cwd"),
    ("folder", "cwd"),
    ("workdir", "cwd"),
    ("workingdir", "cwd"),
    ("workingdirectory", "cwd"),
    ("address", "url"),
    ("endpoint", "url"),
    ("host", "url"),
    ("uri", "url"),
    ("httpheaders", "headers"),
    ("requestheaders", "headers"),
    ("filter", "toolFilters"),
    ("filters", "toolFilters"),
    ("toolfilter", "toolFilters"),
    ("timeoutseconds", "timeoutMs"),
    ("timeoutsec", "timeoutMs"),
    ("idle", "idleMs"),
    ("idletimeout", "idleMs"),
    ("maxresponsesize", "maxResponseBytes"),
    ("responsebytes", "maxResponseBytes"),
    ("active", "enabled"),
    ("isdisabled", "disabled"),
    ("isenabled", "enabled"),
];

/// Other names of `mcpServers`.
const OTHER_WORDS_FOR_SERVERS: &[&str] =
    &["mcp", "mcpserver", "mcpservers", "server", "contextservers", "extensions", "tools"];

/// Other names of the sections.
const OTHER_WORDS_FOR_SETTINGS: &[(&str, &str)] = &[
    ("journal", "ledger"),
    ("audit", "ledger"),
    ("redaction", "redact"),
    ("database", "store"),
    ("learning", "learn"),
    ("otel", "telemetry"),
    ("opentelemetry", "telemetry"),
    ("notifications", "notify"),
    ("webhook", "notify"),
    ("llms", "llm"),
    ("upstreams", "llm"),
    ("ask", "agent"),
    ("assistant", "agent"),
    ("speech", "voice"),
    ("mqtt", "voice"),
    ("wyoming", "voice"),
];

/// Whether a key is used, or known to be irrelevant.
pub(super) fn is_known_key(object: ObjectKind, key: &str) -> bool {
    // Conventions for comments in JSON, and for vendor extensions.
    if key.starts_with(['_', '$', '#']) || key.starts_with("//") || key.starts_with("x-") || key == "comment"
    {
        return true;
    }
    match object {
        ObjectKind::File => FILE_KEYS.contains(&key) || SILENT_IN_FILE.contains(&key),
        ObjectKind::Toolbox { .. } => {
            TOOLBOX_KEYS.contains(&key) || ["servers", "name", "title", "icon"].contains(&key)
        }
        ObjectKind::Server { .. } => {
            SERVER_KEYS.contains(&key) || ALSO_READ.contains(&key) || SILENT_IN_SERVER.contains(&key)
        }
        ObjectKind::Section { known, foreign, .. } => known.contains(&key) || foreign.contains(&key),
    }
}

/// The known key closest to an unknown one.
pub(super) fn suggestion(object: ObjectKind, key: &str) -> Option<&'static str> {
    let folded = fold_name(key);
    match object {
        ObjectKind::File if OTHER_WORDS_FOR_SERVERS.contains(&folded.as_str()) => Some("mcpServers"),
        ObjectKind::File => {
            let other = OTHER_WORDS_FOR_SETTINGS.iter().find(|(word, _)| *word == folded);
            other.map(|(_, known_key)| *known_key).or_else(|| closest_name(key, FILE_KEYS.iter().copied()))
        }
        ObjectKind::Toolbox { .. } if OTHER_WORDS_FOR_SERVERS.contains(&folded.as_str()) => {
            Some("mcpServers")
        }
        ObjectKind::Toolbox { .. } => closest_name(key, TOOLBOX_KEYS.iter().copied()),
        ObjectKind::Server { .. } => {
            let other = OTHER_WORDS.iter().find(|(word, _)| *word == folded).map(|(_, known_key)| *known_key);
            other.or_else(|| closest_name(key, SERVER_KEYS.iter().chain(ALSO_READ).copied()))
        }
        ObjectKind::Section { known, words, .. } => {
            let other = words.iter().find(|(word, _)| *word == folded).map(|(_, known_key)| *known_key);
            other.or_else(|| closest_name(key, known.iter().copied()))
        }
    }
}

impl<'t> ConfigReader<'t, '_> {
    /// Reports unknown keys. Returns true if one of them is probably a missing required key.
    pub(super) fn check_keys(&mut self, members: &'t [Member<'t>], object: ObjectKind) -> bool {
        let mut is_misspelled = false;
        let mut others: Vec<&Member<'t>> = Vec::new();
        let unknown = members.iter().filter(|member| !is_known_key(object, member.key));
        for (at, member) in unknown.enumerate() {
            let word = if at < COMPARED_KEYS { suggestion(object, member.key) } else { None };
            let Some(word) = word else {
                others.push(member);
                continue;
            };
            let is_missing = match object {
                ObjectKind::File | ObjectKind::Section { .. } => false,
                ObjectKind::Toolbox { has_servers } => !has_servers && word == "mcpServers",
                ObjectKind::Server { has_transport } => !has_transport && ["command", "url"].contains(&word),
            };
            is_misspelled |= is_missing;
            // A mistyped safety or secrecy setting must not be ignored silently.
            let is_needed = match object {
                ObjectKind::File => false,
                ObjectKind::Section { .. } => true,
                ObjectKind::Toolbox { .. } | ObjectKind::Server { .. } => is_missing,
            };
            let severity = if is_needed { Severity::Error } else { Severity::Warning };
            let place = self.collector.offset_of_key(member.raw_key());
            let message = format!("unknown key {}", quote(member.key));
            self.collector.add(severity, place, message, format!("did you mean \"{word}\"?"));
        }
        self.warn_unknown(&others, object);
        is_misspelled
    }

    /// Adds one warning for all of them: a client's settings may have many.
    fn warn_unknown(&mut self, others: &[&Member<'t>], object: ObjectKind) {
        let Some(first) = others.first() else { return };
        let mut named: Vec<String> = others.iter().take(NAMED_KEYS).map(|member| quote(member.key)).collect();
        if others.len() > NAMED_KEYS {
            named.push(format!("{} more", others.len() - NAMED_KEYS));
        }
        let plural = if others.len() == 1 { "" } else { "s" };
        let message = format!("unknown key{plural} {}", named.join(", "));
        let known = match object {
            ObjectKind::File => FILE_KEYS,
            ObjectKind::Toolbox { .. } => TOOLBOX_KEYS,
            ObjectKind::Server { .. } => SERVER_KEYS,
            ObjectKind::Section { known, .. } => known,
        };
        let fix = format!("remove what is not needed; known are {}", known.join(", "));
        self.collector.warning_at_key(first.raw_key(), message, fix);
    }
}
