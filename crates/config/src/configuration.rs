//! The configuration: toolboxes, their servers, and settings.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use toolwright_redact::{RedactOptions, holds_secret, is_secret_key};

use crate::read::{FileSettings, FileSwitches};
use crate::{
    AgentConfig, BuiltinRulesSetting, LearnPolicy, LedgerSettings, LlmSettings, NotifySettings, Problem,
    SecuritySettings, Severity, StoreAddress, TelemetrySettings, ToolFilters, VoiceSettings,
};

/// The toolbox for servers outside any toolbox, as in a client's file.
pub const DEFAULT_TOOLBOX: &str = "default";

/// The shortest secret that is hidden; shorter ones would match too many harmless texts.
const MIN_SECRET_CHARS: usize = 6;

/// The replacement for a secret.
pub(crate) const HIDDEN: &str = "[redacted]";

/// A parsed configuration file.
#[derive(Clone, Debug)]
pub struct Configuration {
    /// The path of the file, as it was requested.
    pub file: PathBuf,
    /// The toolboxes, in the order of the file.
    pub toolboxes: Vec<Toolbox>,
    /// Whether `use_tool` accepts the old key `tool` of an identifier as `name`.
    pub accepts_legacy_tool_key: bool,
    /// Whether `use_tool` accepts only calls that match its contract exactly.
    pub is_strict: bool,
    /// Whether the built-in tools are served. If absent, they are served only if the file has no servers.
    pub serves_builtin_tools: Option<bool>,
    /// Settings of the journal.
    pub ledger: LedgerSettings,
    /// Additional redaction of the journal.
    pub redact: RedactOptions,
    /// The database for searching records.
    pub store: StoreAddress,
    /// The policy for learned rules.
    pub learn: LearnPolicy,
    /// Tokens whose calls may activate learned rules, besides the owner's.
    pub learn_from: Vec<String>,
    /// The export of traces and metrics; off if absent.
    pub telemetry: Option<TelemetrySettings>,
    /// The LLM proxy; off if absent.
    pub llm: Option<LlmSettings>,
    /// Settings of questions to models; defaults if absent.
    pub agent: Option<AgentConfig>,
    /// The handling of suspicious tools.
    pub security: SecuritySettings,
    /// The targets of notifications.
    pub notify: NotifySettings,
    /// The voice; off if absent.
    pub voice: Option<VoiceSettings>,
    /// The section `voice` is invalid: on a reload, the active voice settings stay active.
    pub is_voice_wrong: bool,
    /// Secrets in the settings.
    settings_secrets: HiddenTexts,
    /// The problems of the file, in its order. Parts with an error are not among the toolboxes.
    pub problems: Vec<Problem>,
}

/// A named group of servers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toolbox {
    /// Its name.
    pub name: String,
    /// Its purpose.
    pub description: Option<String>,
    /// Its servers, in the order of the file.
    pub servers: Vec<ServerConfig>,
}

/// One server. Equal values mean the same server: a reload does not restart it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerConfig {
    /// Its name, unique in its toolbox.
    pub name: String,
    /// Its transport.
    pub transport: Transport,
    /// The filter of its tools.
    pub tool_filters: ToolFilters,
    /// The timeout of its tools; the default if absent.
    pub timeout: Option<Duration>,
    /// The idle time after which it is stopped; never if absent.
    pub idle: Option<Duration>,
    /// The largest accepted response in bytes, from its entry or the file; the default if absent.
    pub max_response_bytes: Option<usize>,
    /// The reach of the built-in rules for its tools.
    pub builtin_rules: BuiltinRulesSetting,
    /// The protocol family for the handshake.
    pub protocol: ProtocolFamily,
    /// Whether it is disabled.
    pub is_disabled: bool,
    /// Values from the environment.
    from_environment: HiddenTexts,
}

/// The protocol family for the handshake with a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProtocolFamily {
    /// Chosen by the transport and the clients.
    #[default]
    Auto,
    /// Protocol versions that start with `initialize`.
    Legacy,
    /// Protocol versions without `initialize`.
    Modern,
}

/// Texts that are not shown.
#[derive(Clone, Default, PartialEq, Eq)]
struct HiddenTexts(BTreeSet<String>);

/// The transport of a server.
#[derive(Clone, PartialEq, Eq)]
pub enum Transport {
    /// A child process.
    Stdio {
        /// The program.
        command: OsString,
        /// Its arguments.
        args: Vec<String>,
        /// Its environment variables.
        env: Vec<(String, String)>,
        /// Variables of the gateway process that it inherits.
        env_from: Vec<String>,
        /// Its working directory, absolute; that of the gateway if absent.
        cwd: Option<PathBuf>,
    },
    /// An HTTP server.
    Http {
        /// The address.
        url: String,
        /// Headers of every request.
        headers: Vec<(String, String)>,
        /// Which of the two HTTP transports it uses.
        kind: HttpKind,
        /// The OAuth client registration, if the server demands a login.
        login: Login,
    },
}

/// The OAuth client registration at the authorization server. All of it can be discovered if both servers support
/// that.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Login {
    /// A client id from an earlier registration.
    pub client_id: Option<String>,
    /// The secret of the client id.
    pub client_secret: Option<String>,
    /// The address of the client metadata document.
    pub client_metadata_url: Option<String>,
    /// The scopes to request; those that the server demands if empty.
    pub scopes: Vec<String>,
    /// The port of the redirect address; any free one if absent.
    pub callback_port: Option<u16>,
}

/// The HTTP transports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HttpKind {
    /// Detected by the response of the server.
    #[default]
    Auto,
    /// Streamable HTTP.
    Streamable,
    /// HTTP with server-sent events, of protocol version 2024-11-05.
    Sse,
}

// === impl Configuration ===

impl Configuration {
    /// Combines the parsed parts.
    pub(crate) fn new(
        file: PathBuf,
        toolboxes: Vec<Toolbox>,
        switches: FileSwitches,
        settings: FileSettings,
        problems: Vec<Problem>,
    ) -> Configuration {
        let FileSettings {
            ledger,
            redact,
            store,
            learn,
            learn_from,
            telemetry,
            llm,
            agent,
            security,
            notify,
            voice,
            is_voice_wrong,
            secrets,
        } = settings;
        Configuration {
            file,
            toolboxes,
            accepts_legacy_tool_key: switches.accepts_legacy_tool_key,
            is_strict: switches.is_strict,
            serves_builtin_tools: switches.serves_builtin_tools,
            ledger,
            redact,
            store,
            learn,
            learn_from,
            telemetry,
            llm,
            agent,
            security,
            notify,
            voice,
            is_voice_wrong,
            settings_secrets: HiddenTexts(secrets),
            problems,
        }
    }

    /// All secrets of the file that must not appear in logs: of its servers, its store, its telemetry and its
    /// upstreams.
    pub fn secrets(&self) -> Vec<String> {
        let of_servers = self.servers().flat_map(|(_, server)| server.secrets());
        let mut found: BTreeSet<&str> = BTreeSet::new();
        self.settings_secrets.0.iter().for_each(|value| take(&mut found, value));
        of_servers.chain(long_enough(found)).collect()
    }

    /// The sections that need a restart because they differ from another configuration.
    pub fn needs_restart(&self, other: &Configuration) -> Vec<&'static str> {
        let parts = [
            ("ledger", self.ledger != other.ledger),
            ("store", self.store != other.store),
            ("telemetry", self.telemetry != other.telemetry),
            ("agent", self.agent != other.agent),
        ];
        parts.into_iter().filter(|(_, is_other)| *is_other).map(|(name, _)| name).collect()
    }

    /// All servers, each with its toolbox.
    pub fn servers(&self) -> impl Iterator<Item = (&Toolbox, &ServerConfig)> {
        self.toolboxes.iter().flat_map(|toolbox| toolbox.servers.iter().map(move |server| (toolbox, server)))
    }

    /// Whether the built-in tools are served: as the file demands, or if it has no servers. A server that is left out
    /// because of an error still counts: tools that write files must not appear because of a typing mistake or an
    /// unset variable.
    pub fn serves_own_tools(&self) -> bool {
        self.serves_builtin_tools
            .unwrap_or_else(|| self.servers().next().is_none() && !self.has_left_out_servers())
    }

    fn has_left_out_servers(&self) -> bool {
        let is_of_server = |problem: &Problem| problem.toolbox.is_some() || problem.server.is_some();
        self.problems.iter().any(|problem| problem.severity == Severity::Error && is_of_server(problem))
    }

    /// Whether a part of the file is left out because of an error.
    pub fn has_errors(&self) -> bool {
        self.problems.iter().any(|problem| problem.severity == Severity::Error)
    }
}

// === impl ServerConfig ===

impl ServerConfig {
    /// A server with all its tools and default timeouts.
    pub fn new(name: impl Into<String>, transport: Transport) -> ServerConfig {
        ServerConfig {
            name: name.into(),
            transport,
            tool_filters: ToolFilters::default(),
            timeout: None,
            idle: None,
            max_response_bytes: None,
            builtin_rules: BuiltinRulesSetting::default(),
            protocol: ProtocolFamily::Auto,
            is_disabled: false,
            from_environment: HiddenTexts::default(),
        }
    }

    /// Adds texts from the environment.
    pub(crate) fn with_expanded(self, from_environment: BTreeSet<String>) -> ServerConfig {
        ServerConfig { from_environment: HiddenTexts(from_environment), ..self }
    }

    /// The secrets that must not appear in logs, the longest first: values from the environment, and values of keys
    /// that suggest a secret. Values of fewer than 6 characters are not included.
    pub fn secrets(&self) -> Vec<String> {
        let mut found: BTreeSet<&str> = self.from_environment.0.iter().map(String::as_str).collect();
        match &self.transport {
            Transport::Stdio { command, args, env, .. } => {
                // A whole command line in place of the program.
                let words: Vec<&str> = command.to_str().unwrap_or_default().split_whitespace().collect();
                secret_arguments(&words).for_each(|value| take(&mut found, value));
                let args: Vec<&str> = args.iter().map(String::as_str).collect();
                env.iter()
                    .filter(|(key, _)| is_secret_key(key))
                    .for_each(|(_, value)| take(&mut found, value));
                secret_arguments(&args).for_each(|value| take(&mut found, value));
            }
            Transport::Http { url, headers, login, .. } => {
                login.client_secret.iter().for_each(|secret| take(&mut found, secret));
                let is_secret = |key: &str, value: &str| is_secret_key(key) || holds_secret(value);
                let of_headers = headers.iter().filter(|(key, value)| is_secret(key, value));
                of_headers.for_each(|(_, value)| take(&mut found, value));
                secrets_of_address(url).into_iter().for_each(|value| take(&mut found, value));
            }
        }
        long_enough(found)
    }

    /// A text without the secrets of this server.
    pub fn redacted(&self, text: &str) -> String {
        self.secrets().iter().fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), HIDDEN))
    }

    /// The command line or address, without secrets.
    pub fn describe(&self) -> String {
        let words = match &self.transport {
            Transport::Stdio { command, args, .. } => {
                let mut words = command.to_string_lossy().into_owned();
                args.iter().for_each(|arg| {
                    words.push(' ');
                    words.push_str(arg);
                });
                words
            }
            Transport::Http { url, .. } => url.clone(),
        };
        self.redacted(&words)
    }
}

/// The values that are long enough to be hidden, the longest first.
fn long_enough(found: BTreeSet<&str>) -> Vec<String> {
    let mut found: Vec<String> = found
        .into_iter()
        .map(str::trim)
        .filter(|value| value.chars().count() >= MIN_SECRET_CHARS)
        .map(str::to_owned)
        .collect();
    found.sort_by_key(|value| std::cmp::Reverse(value.len()));
    found.dedup();
    found
}

/// Adds a value, and the part after `Bearer` or `Basic`: a server may print either.
fn take<'v>(found: &mut BTreeSet<&'v str>, value: &'v str) {
    found.insert(value);
    if let Some((scheme, rest)) = value.trim_start().split_once(' ')
        && ["bearer", "basic", "token"].contains(&scheme.to_ascii_lowercase().as_str())
    {
        found.insert(rest.trim());
    }
}

/// The values of `--token VALUE` and `--token=VALUE`, and arguments that look like secrets.
pub(crate) fn secret_arguments<'a>(args: &[&'a str]) -> impl Iterator<Item = &'a str> {
    args.iter().enumerate().filter_map(|(at, &arg)| {
        let assigned = arg.split_once('=').filter(|(name, _)| is_secret_key(name));
        let before = at.checked_sub(1).and_then(|before| args.get(before));
        let follows_flag = before.is_some_and(|flag| flag.starts_with('-') && is_secret_key(flag));
        match assigned {
            Some((_, value)) => Some(value),
            None if arg.starts_with('-') => None,
            None => (follows_flag || holds_secret(arg)).then_some(arg),
        }
    })
}

/// The password of an address, and the secret values of its query.
pub(crate) fn secrets_of_address(url: &str) -> Vec<&str> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let password =
        authority.rsplit_once('@').and_then(|(user, _)| user.split_once(':')).map(|(_, word)| word);
    let query = rest.split_once('?').map_or("", |(_, query)| query.split('#').next().unwrap_or_default());
    let of_query = query.split('&').filter_map(|pair| pair.split_once('=')).filter_map(|(key, value)| {
        // `key` alone is not a secret key in a schema; in an address it is an API key.
        (is_secret_key(key) || key.eq_ignore_ascii_case("key") || holds_secret(value)).then_some(value)
    });
    password.into_iter().chain(of_query).collect()
}

impl fmt::Debug for HiddenTexts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {HIDDEN}", self.0.len())
    }
}

// === impl Transport ===

impl Transport {
    /// Its name: `stdio`, `http` or `sse`.
    pub fn name(&self) -> &'static str {
        match self {
            Transport::Stdio { .. } => "stdio",
            Transport::Http { kind: HttpKind::Sse, .. } => "sse",
            Transport::Http { .. } => "http",
        }
    }
}

/// Values may be secrets: the debug output has only names and counts.
impl fmt::Debug for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names =
            |pairs: &[(String, String)]| pairs.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        match self {
            Transport::Stdio { command, args, env, env_from, cwd } => f
                .debug_struct("Stdio")
                .field("command", command)
                .field("args", &args.len())
                .field("env", &names(env))
                .field("env_from", env_from)
                .field("cwd", cwd)
                .finish(),
            Transport::Http { url, headers, kind, .. } => f
                .debug_struct("Http")
                .field("url", &url.split(['?', '@']).next().unwrap_or_default().len())
                .field("headers", &names(headers))
                .field("kind", kind)
                .finish_non_exhaustive(),
        }
    }
}
