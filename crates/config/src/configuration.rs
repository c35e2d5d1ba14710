//! What a configuration says: toolboxes, and the servers in them.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use toolwright_redact::{RedactOptions, holds_secret, is_secret_key};

use crate::read::{Settings, Switches};
use crate::{
    AgentConfig, BuiltinRulesSetting, LearnPolicy, LedgerSettings, LlmSettings, NotifySettings, Problem,
    SecuritySettings, Severity, StoreAddress, TelemetrySettings, ToolFilters, VoiceSettings,
};

/// The toolbox that the servers of a client's file are in.
pub const DEFAULT_TOOLBOX: &str = "default";

/// The shortest value that is hidden; shorter ones would hide half of every text.
const MIN_SECRET_CHARS: usize = 6;

/// What stands where a secret was.
pub(crate) const HIDDEN: &str = "[redacted]";

/// What a file says.
#[derive(Clone, Debug)]
pub struct Configuration {
    /// The file, as it was asked for.
    pub file: PathBuf,
    /// The toolboxes, in the order of the file.
    pub toolboxes: Vec<Toolbox>,
    /// Whether the old key `tool` of an identifier counts as `name` in `use_tool`.
    pub accepts_legacy_tool_key: bool,
    /// Whether `use_tool` takes calls to the letter of its contract only.
    pub is_strict: bool,
    /// Whether our own tools are served; where the file does not say, they are served without servers only.
    pub serves_builtin_tools: Option<bool>,
    /// What is written down of calls.
    pub ledger: LedgerSettings,
    /// What is hidden in it, besides what is hidden anyway.
    pub redact: RedactOptions,
    /// Where records can be searched.
    pub store: StoreAddress,
    /// What becomes of what calls teach.
    pub learn: LearnPolicy,
    /// Tokens whose calls may put learned rules into force, besides the owner's.
    pub learn_from: Vec<String>,
    /// Whom traces and metrics are sent to; nobody when absent.
    pub telemetry: Option<TelemetrySettings>,
    /// Who answers for language models; nobody when absent.
    pub llm: Option<LlmSettings>,
    /// How questions to models are answered; as usual when absent.
    pub agent: Option<AgentConfig>,
    /// What becomes of tools that are suspected.
    pub security: SecuritySettings,
    /// Who is told of what happens.
    pub notify: NotifySettings,
    /// The voice; none when absent.
    pub voice: Option<VoiceSettings>,
    /// Something is said of the voice that cannot be used: whoever has one keeps what was in force.
    pub is_voice_wrong: bool,
    /// What of the settings is not shown.
    settings_secrets: Hidden,
    /// What is wrong with the file, in its order. What an error is about is not among the toolboxes.
    pub problems: Vec<Problem>,
}

/// Servers under one name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toolbox {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// Its servers, in the order of the file.
    pub servers: Vec<ServerConfig>,
}

/// One server. Two that are equal are the same server: nothing has to be started anew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerConfig {
    /// Its name, unique in its toolbox.
    pub name: String,
    /// How it is reached.
    pub transport: Transport,
    /// Which of its tools are offered.
    pub tool_filters: ToolFilters,
    /// How long one of its tools may take; the usual time when absent.
    pub timeout: Option<Duration>,
    /// How long it may go unused before it is stopped; for ever when absent.
    pub idle: Option<Duration>,
    /// The largest response that is taken from it, in bytes, by its entry or by the file; the usual when absent.
    pub max_response_bytes: Option<usize>,
    /// How far the built-in rules go for its tools.
    pub builtin_rules: BuiltinRulesSetting,
    /// The family of the protocol that it is met in.
    pub protocol: ProtocolFamily,
    /// Whether it is switched off.
    pub is_disabled: bool,
    /// What came from the environment.
    from_environment: Hidden,
}

/// The family of the protocol that a server is met in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProtocolFamily {
    /// As fits its transport and its clients.
    #[default]
    Auto,
    /// Revisions that begin with `initialize`.
    Legacy,
    /// Revisions without it.
    Modern,
}

/// Texts that are not shown.
#[derive(Clone, Default, PartialEq, Eq)]
struct Hidden(BTreeSet<String>);

/// How a server is reached.
#[derive(Clone, PartialEq, Eq)]
pub enum Transport {
    /// It is a child process.
    Stdio {
        /// The program.
        command: OsString,
        /// Its arguments.
        args: Vec<String>,
        /// Variables that it gets.
        env: Vec<(String, String)>,
        /// Variables of this process that it gets as well.
        env_from: Vec<String>,
        /// The folder that it runs in, absolute; this process's own when absent.
        cwd: Option<PathBuf>,
    },
    /// It listens at an address.
    Http {
        /// The address.
        url: String,
        /// Headers of every request to it.
        headers: Vec<(String, String)>,
        /// Which of the two HTTP transports it speaks.
        kind: HttpKind,
        /// How one logs in to it, where it wants that.
        login: Login,
    },
}

/// Who we are to the authorization server of a server. All of it can be found out where the two allow it.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Login {
    /// An id that was given out for us before.
    pub client_id: Option<String>,
    /// The secret that came with the id.
    pub client_secret: Option<String>,
    /// The address of a document that describes us.
    pub client_metadata_url: Option<String>,
    /// What to ask for; what the server says it needs when empty.
    pub scopes: Vec<String>,
    /// The port that the browser comes back to; any free one when absent.
    pub callback_port: Option<u16>,
}

/// The HTTP transports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HttpKind {
    /// Whichever the server answers to.
    #[default]
    Auto,
    /// Streamable HTTP.
    Streamable,
    /// HTTP with server-sent events, of the first revision.
    Sse,
}

// === impl Configuration ===

impl Configuration {
    /// What a file says of servers and of the rest.
    pub(crate) fn new(
        file: PathBuf,
        toolboxes: Vec<Toolbox>,
        switches: Switches,
        settings: Settings,
        problems: Vec<Problem>,
    ) -> Configuration {
        let Settings {
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
            settings_secrets: Hidden(secrets),
            problems,
        }
    }

    /// What no log may show of the whole file: of its servers, its store, its telemetry and its upstreams.
    pub fn secrets(&self) -> Vec<String> {
        let of_servers = self.servers().flat_map(|(_, server)| server.secrets());
        let mut found: BTreeSet<&str> = BTreeSet::new();
        self.settings_secrets.0.iter().for_each(|value| take(&mut found, value));
        of_servers.chain(long_enough(found)).collect()
    }

    /// The parts that are read at a start only and are different in another file.
    pub fn needs_restart(&self, other: &Configuration) -> Vec<&'static str> {
        let parts = [
            ("ledger", self.ledger != other.ledger),
            ("store", self.store != other.store),
            ("telemetry", self.telemetry != other.telemetry),
            ("agent", self.agent != other.agent),
        ];
        parts.into_iter().filter(|(_, is_other)| *is_other).map(|(name, _)| name).collect()
    }

    /// Every server with its toolbox.
    pub fn servers(&self) -> impl Iterator<Item = (&Toolbox, &ServerConfig)> {
        self.toolboxes.iter().flat_map(|toolbox| toolbox.servers.iter().map(move |server| (toolbox, server)))
    }

    /// Whether the built-in tools are served: as the file says, or when it names no servers. A file with servers says
    /// whether they are wanted as well. A server that is left out because of a mistake counts as named: tools that write
    /// files must not appear because of a typing error or a variable that is not set.
    pub fn serves_own_tools(&self) -> bool {
        self.serves_builtin_tools
            .unwrap_or_else(|| self.servers().next().is_none() && !self.has_left_out_servers())
    }

    fn has_left_out_servers(&self) -> bool {
        let is_of_server = |problem: &Problem| problem.toolbox.is_some() || problem.server.is_some();
        self.problems.iter().any(|problem| problem.severity == Severity::Error && is_of_server(problem))
    }

    /// Whether something that the file names is left out.
    pub fn has_errors(&self) -> bool {
        self.problems.iter().any(|problem| problem.severity == Severity::Error)
    }
}

// === impl ServerConfig ===

impl ServerConfig {
    /// A server with all its tools and the usual times.
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
            from_environment: Hidden::default(),
        }
    }

    /// The same, with texts that came from the environment.
    pub(crate) fn with_expanded(self, from_environment: BTreeSet<String>) -> ServerConfig {
        ServerConfig { from_environment: Hidden(from_environment), ..self }
    }

    /// What no log may show, the longest first: what came from the environment, and what stands under a key
    /// that speaks of a secret. Values of fewer than 6 characters are not among them.
    pub fn secrets(&self) -> Vec<String> {
        let mut found: BTreeSet<&str> = self.from_environment.0.iter().map(String::as_str).collect();
        match &self.transport {
            Transport::Stdio { command, args, env, .. } => {
                // A whole command line in the place of the program.
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

    /// How it is reached, in a few words that may be shown.
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

/// Those that can be told from any other text, the longest first.
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

/// A value, and what follows `Bearer` or `Basic` in it: a server may print either.
fn take<'v>(found: &mut BTreeSet<&'v str>, value: &'v str) {
    found.insert(value);
    if let Some((scheme, rest)) = value.trim_start().split_once(' ')
        && ["bearer", "basic", "token"].contains(&scheme.to_ascii_lowercase().as_str())
    {
        found.insert(rest.trim());
    }
}

/// What follows `--token` or stands in `--token=…`, and what looks like a secret by itself.
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

/// The password of an address, and the values of its query that are secret.
pub(crate) fn secrets_of_address(url: &str) -> Vec<&str> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let password =
        authority.rsplit_once('@').and_then(|(user, _)| user.split_once(':')).map(|(_, word)| word);
    let query = rest.split_once('?').map_or("", |(_, query)| query.split('#').next().unwrap_or_default());
    let of_query = query.split('&').filter_map(|pair| pair.split_once('=')).filter_map(|(key, value)| {
        // `key` alone says nothing in a schema; in an address it is an API key.
        (is_secret_key(key) || key.eq_ignore_ascii_case("key") || holds_secret(value)).then_some(value)
    });
    password.into_iter().chain(of_query).collect()
}

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {HIDDEN}", self.0.len())
    }
}

// === impl Transport ===

impl Transport {
    /// The word for it: `stdio`, `http` or `sse`.
    pub fn name(&self) -> &'static str {
        match self {
            Transport::Stdio { .. } => "stdio",
            Transport::Http { kind: HttpKind::Sse, .. } => "sse",
            Transport::Http { .. } => "http",
        }
    }
}

/// Values may be secrets: names and counts are shown.
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
