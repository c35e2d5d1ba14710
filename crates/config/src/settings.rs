//! Settings besides servers: journal, redaction, store, security, notifications and telemetry.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use toolwright_model::{Durability, OnFailure};

/// Settings of the journal. An absent setting has its default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LedgerSettings {
    /// The durability of a record before the response to its call.
    pub durability: Durability,
    /// The handling of a call whose record cannot be written.
    pub on_failure: OnFailure,
    /// The retention time of records.
    pub keep: Option<Duration>,
    /// The size limit of the whole journal, in bytes.
    pub keep_bytes: Option<u64>,
    /// The size limit of one journal file, in bytes.
    pub segment_bytes: Option<u64>,
    /// The folder of `normalizer_stats.json`, absolute; not written if absent.
    pub log_dir: Option<PathBuf>,
}

/// The database for searching records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreAddress {
    /// A SQLite file: this absolute path, or the default one in the state folder.
    Sqlite(Option<PathBuf>),
    /// The address of a PostgreSQL database. It may contain a password.
    Postgres(SecretText),
}

/// The reach of the built-in rules for the tools of a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BuiltinRulesSetting {
    /// They apply wherever a tool's schema does not contradict them.
    #[default]
    Schema,
    /// They apply whatever the schema says, as long as a valid call stays valid.
    Always,
    /// They do not apply.
    Off,
}

impl BuiltinRulesSetting {
    /// All variants.
    pub const ALL: [BuiltinRulesSetting; 3] =
        [BuiltinRulesSetting::Schema, BuiltinRulesSetting::Always, BuiltinRulesSetting::Off];

    /// Its name in files.
    pub fn word(self) -> &'static str {
        match self {
            BuiltinRulesSetting::Schema => "schema",
            BuiltinRulesSetting::Always => "always",
            BuiltinRulesSetting::Off => "off",
        }
    }
}

/// The handling of tools whose definitions changed or contain hidden instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SecuritySettings {
    /// Tools whose definitions differ from the approved ones.
    pub changed_tools: Suspicion,
    /// Tools whose definitions contain hidden instructions for the model.
    pub hidden_instructions: Suspicion,
}

/// The handling of a suspicious tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Suspicion {
    /// It stays usable, with a warning.
    #[default]
    Flag,
    /// It is hidden until a user approves it.
    Hide,
}

impl Suspicion {
    /// Its name in files.
    pub fn word(self) -> &'static str {
        match self {
            Suspicion::Flag => "flag",
            Suspicion::Hide => "hide",
        }
    }
}

/// The targets of notifications.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NotifySettings {
    /// The address that every alert is posted to, as JSON. It may contain a secret.
    pub webhook: Option<SecretText>,
}

/// The export of traces and metrics.
#[derive(Clone, PartialEq, Eq)]
pub struct TelemetrySettings {
    /// The address of an OTLP collector over HTTP. It may contain a password.
    pub otlp: Option<String>,
    /// Headers of every export request.
    pub headers: Vec<(String, SecretText)>,
    /// The service name of this gateway.
    pub service_name: Option<String>,
    /// Whether traces are exported.
    pub traces: bool,
    /// Whether metrics are exported.
    pub metrics: bool,
}

/// A text that is not shown.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct SecretText(String);

impl SecretText {
    /// Wraps a secret text.
    pub fn new(text: impl Into<String>) -> SecretText {
        SecretText(text.into())
    }

    /// The text itself. It must not appear in logs and messages.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SecretText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[redacted]")
    }
}

impl Default for StoreAddress {
    fn default() -> StoreAddress {
        StoreAddress::Sqlite(None)
    }
}

impl Default for TelemetrySettings {
    fn default() -> TelemetrySettings {
        let (traces, metrics) = (true, true);
        TelemetrySettings { otlp: None, headers: Vec::new(), service_name: None, traces, metrics }
    }
}

/// The address may contain a password: the debug output only shows whether it is set.
impl fmt::Debug for TelemetrySettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TelemetrySettings")
            .field("otlp", &self.otlp.as_ref().map(|_| "[redacted]"))
            .field("headers", &self.headers)
            .field("service_name", &self.service_name)
            .field("traces", &self.traces)
            .field("metrics", &self.metrics)
            .finish()
    }
}
