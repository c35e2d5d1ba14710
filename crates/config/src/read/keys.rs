//! Which keys are known: ours, those that clients write, and those that are probably meant for one of ours.

use toolwright_base::{closest_name, fold_name};
use toolwright_jsonrpc::raw::{Member, quote};

use super::Reader;
use crate::Severity;

/// What an object describes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    File,
    Toolbox {
        has_servers: bool,
    },
    Server {
        has_way: bool,
    },
    /// A part of the settings: our keys, and those that another program has there.
    Part {
        known: &'static [&'static str],
        of_others: &'static [&'static str],
        /// Words that look different and mean one of ours.
        words: &'static [(&'static str, &'static str)],
    },
}

/// How many unknown keys one warning names.
const NAMED_KEYS: usize = 5;

/// How many unknown keys of one object are compared with known ones.
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

/// The same under other names, or things that others mean and we use as well.
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

/// What clients write beside the servers.
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

/// What clients write into a server's entry, for themselves.
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

/// Words that look different and mean one of ours.
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

/// The same beside the servers.
const OTHER_WORDS_FOR_SERVERS: &[&str] =
    &["mcp", "mcpserver", "mcpservers", "server", "contextservers", "extensions", "tools"];

/// The same for the other parts of the file.
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

/// Whether a key is read, or known to be nothing for us.
pub(super) fn is_silent(shape: Shape, key: &str) -> bool {
    // How people write comments into JSON, and how tools write what is theirs.
    if key.starts_with(['_', '$', '#']) || key.starts_with("//") || key.starts_with("x-") || key == "comment"
    {
        return true;
    }
    match shape {
        Shape::File => FILE_KEYS.contains(&key) || SILENT_IN_FILE.contains(&key),
        Shape::Toolbox { .. } => {
            TOOLBOX_KEYS.contains(&key) || ["servers", "name", "title", "icon"].contains(&key)
        }
        Shape::Server { .. } => {
            SERVER_KEYS.contains(&key) || ALSO_READ.contains(&key) || SILENT_IN_SERVER.contains(&key)
        }
        Shape::Part { known, of_others, .. } => known.contains(&key) || of_others.contains(&key),
    }
}

/// The key of ours that was probably meant.
pub(super) fn suggestion(shape: Shape, key: &str) -> Option<&'static str> {
    let folded = fold_name(key);
    match shape {
        Shape::File if OTHER_WORDS_FOR_SERVERS.contains(&folded.as_str()) => Some("mcpServers"),
        Shape::File => {
            let other = OTHER_WORDS_FOR_SETTINGS.iter().find(|(word, _)| *word == folded);
            other.map(|(_, meant)| *meant).or_else(|| closest_name(key, FILE_KEYS.iter().copied()))
        }
        Shape::Toolbox { .. } if OTHER_WORDS_FOR_SERVERS.contains(&folded.as_str()) => Some("mcpServers"),
        Shape::Toolbox { .. } => closest_name(key, TOOLBOX_KEYS.iter().copied()),
        Shape::Server { .. } => {
            let other = OTHER_WORDS.iter().find(|(word, _)| *word == folded).map(|(_, meant)| *meant);
            other.or_else(|| closest_name(key, SERVER_KEYS.iter().chain(ALSO_READ).copied()))
        }
        Shape::Part { known, words, .. } => {
            let other = words.iter().find(|(word, _)| *word == folded).map(|(_, meant)| *meant);
            other.or_else(|| closest_name(key, known.iter().copied()))
        }
    }
}

impl<'t> Reader<'t, '_> {
    /// Tells of keys that nobody knows; true when one of them was probably meant for what is missing.
    pub(super) fn check_keys(&mut self, members: &'t [Member<'t>], shape: Shape) -> bool {
        let mut is_meant = false;
        let mut others: Vec<&Member<'t>> = Vec::new();
        let unknown = members.iter().filter(|member| !is_silent(shape, member.key));
        for (at, member) in unknown.enumerate() {
            let word = if at < COMPARED_KEYS { suggestion(shape, member.key) } else { None };
            let Some(word) = word else {
                others.push(member);
                continue;
            };
            let is_missing = match shape {
                Shape::File | Shape::Part { .. } => false,
                Shape::Toolbox { has_servers } => !has_servers && word == "mcpServers",
                Shape::Server { has_way } => !has_way && ["command", "url"].contains(&word),
            };
            is_meant |= is_missing;
            // Who asked for more safety or secrecy must not get less because of a letter.
            let is_needed = match shape {
                Shape::File => false,
                Shape::Part { .. } => true,
                Shape::Toolbox { .. } | Shape::Server { .. } => is_missing,
            };
            let severity = if is_needed { Severity::Error } else { Severity::Warning };
            let place = self.mistakes.place_of_key(member.raw_key());
            let message = format!("unknown key {}", quote(member.key));
            self.mistakes.add(severity, place, message, format!("did you mean \"{word}\"?"));
        }
        self.tell_of_unknown(&others, shape);
        is_meant
    }

    /// One warning for all of them: a client's settings may have many.
    fn tell_of_unknown(&mut self, others: &[&Member<'t>], shape: Shape) {
        let Some(first) = others.first() else { return };
        let mut named: Vec<String> = others.iter().take(NAMED_KEYS).map(|member| quote(member.key)).collect();
        if others.len() > NAMED_KEYS {
            named.push(format!("{} more", others.len() - NAMED_KEYS));
        }
        let plural = if others.len() == 1 { "" } else { "s" };
        let message = format!("unknown key{plural} {}", named.join(", "));
        let known = match shape {
            Shape::File => FILE_KEYS,
            Shape::Toolbox { .. } => TOOLBOX_KEYS,
            Shape::Server { .. } => SERVER_KEYS,
            Shape::Part { known, .. } => known,
        };
        let fix = format!("remove what is not needed; known are {}", known.join(", "));
        self.mistakes.warning_at_key(first.raw_key(), message, fix);
    }
}
