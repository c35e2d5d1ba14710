//! What a configuration says besides servers: what is written down of calls and for how long, what is hidden in
//! it, where it can be searched, what is learned of it, and who else is told.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use toolwright_model::{Durability, OnFailure};

/// What is written down of calls. What is absent is as usual.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LedgerSettings {
    /// How safe a record is before its call is answered.
    pub durability: Durability,
    /// What becomes of a call that cannot be written down.
    pub on_failure: OnFailure,
    /// How long records are kept.
    pub keep: Option<Duration>,
    /// How much all records together may take, in bytes.
    pub keep_bytes: Option<u64>,
    /// How large one file of the journal becomes, in bytes.
    pub segment_bytes: Option<u64>,
    /// Where `normalizer_stats.json` is written, absolute; nowhere when absent.
    pub log_dir: Option<PathBuf>,
}

/// Where records can be searched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreAddress {
    /// A SQLite file: this one, absolute, or the usual one in the state folder.
    Sqlite(Option<PathBuf>),
    /// A PostgreSQL database, by its address. It may hold a password.
    Postgres(SecretText),
}

/// How far the built-in rules go for the tools of a server.
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
    /// Every value.
    pub const ALL: [BuiltinRulesSetting; 3] =
        [BuiltinRulesSetting::Schema, BuiltinRulesSetting::Always, BuiltinRulesSetting::Off];

    /// The word for it in files.
    pub fn word(self) -> &'static str {
        match self {
            BuiltinRulesSetting::Schema => "schema",
            BuiltinRulesSetting::Always => "always",
            BuiltinRulesSetting::Off => "off",
        }
    }
}

/// What becomes of tools that are not what they were, or that speak to the model behind the user's back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SecuritySettings {
    /// Tools whose definitions are others than those that were agreed to.
    pub changed_tools: Suspicion,
    /// Tools whose definitions hold instructions that nobody is meant to see.
    pub hidden_instructions: Suspicion,
}

/// What becomes of a tool that is suspected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Suspicion {
    /// It is shown, and works.
    #[default]
    Flag,
    /// It is hidden until somebody agrees to it.
    Hide,
}

impl Suspicion {
    /// The word for it in files.
    pub fn word(self) -> &'static str {
        match self {
            Suspicion::Flag => "flag",
            Suspicion::Hide => "hide",
        }
    }
}

/// Who is told when something happens that somebody should know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NotifySettings {
    /// An address that every notice is sent to, as JSON. It may hold a secret.
    pub webhook: Option<SecretText>,
}

/// Whom traces and metrics are sent to.
#[derive(Clone, PartialEq, Eq)]
pub struct TelemetrySettings {
    /// The address of an OTLP receiver over HTTP. It may hold a password.
    pub otlp: Option<String>,
    /// Headers of every request to it.
    pub headers: Vec<(String, SecretText)>,
    /// What this gateway is called there.
    pub service_name: Option<String>,
    /// Whether traces are sent.
    pub traces: bool,
    /// Whether metrics are sent.
    pub metrics: bool,
}

/// A text that is not shown.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct SecretText(String);

impl SecretText {
    /// Keeps a text from being shown.
    pub fn new(text: impl Into<String>) -> SecretText {
        SecretText(text.into())
    }

    /// The text itself. It must reach no log and no message.
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

/// The address may hold a password: whether there is one is shown.
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
