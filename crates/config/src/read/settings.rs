//! The settings besides servers: `ledger`, `redact`, `store`, `learn`, `telemetry`, `llm`, `agent`, `security`,
//! `notify`, `voice`.
//!
//! An error in `ledger`, `redact`, `store` and `security` makes the file unusable: secrecy or safety that was
//! configured must not be lost. An error in another section is reported, and the invalid setting is ignored.

use std::collections::BTreeSet;
use std::time::Duration;

use toolwright_base::closest_name;
use toolwright_jsonrpc::raw::{Kind, Member, Node};
use toolwright_model::{Durability, LearnPolicy, OnFailure};
use toolwright_redact::{MAX_PATTERNS, OptionsError, RedactOptions};

use super::checks::{check_address, check_header};
use super::section::SectionKeys;
use super::security::{NOTIFY_KEYS, SECURITY_KEYS};
use super::{ConfigReader, non_null_value};
use crate::agent::AgentConfig;
use crate::configuration::secrets_of_address;
use crate::llm::LlmSettings;
use crate::settings::{
    LedgerSettings, NotifySettings, SecretText, SecuritySettings, StoreAddress, TelemetrySettings,
};
use crate::voice::VoiceSettings;

const LEDGER_KEYS: &[&str] = &["durability", "onFailure", "keepDays", "keepBytes", "segmentBytes", "logDir"];
const REDACT_KEYS: &[&str] = &["keys", "allowKeys", "patterns", "entropy"];
const TELEMETRY_KEYS: &[&str] = &["otlp", "headers", "serviceName", "traces", "metrics"];
/// Keys that another program has in the section of the same name.
const TELEMETRY_OF_OTHERS: &[&str] =
    &["enabled", "target", "otlpProtocol", "logPrompts", "outfile", "useCollector"];

/// The smallest and the default journal file, in bytes.
const MIN_SEGMENT_BYTES: u64 = 4096;
const DEFAULT_SEGMENT_BYTES: u64 = 16 << 20;
/// The largest size: an integer that every JSON parser represents exactly.
const MAX_BYTES: u64 = 1 << 53;
/// The longest retention of records, in days.
const MAX_DAYS: u64 = 36_500;
/// Values for fixes if the intended value is unknown.
const DEFAULT_DAYS: u64 = 90;
const EXAMPLE_BYTES: u64 = 64 << 20;
const DAY: u64 = 24 * 60 * 60;

/// The settings besides servers.
#[derive(Default)]
pub(crate) struct FileSettings {
    pub ledger: LedgerSettings,
    pub redact: RedactOptions,
    pub store: StoreAddress,
    pub learn: LearnPolicy,
    pub learn_from: Vec<String>,
    pub telemetry: Option<TelemetrySettings>,
    pub llm: Option<LlmSettings>,
    pub agent: Option<AgentConfig>,
    pub security: SecuritySettings,
    pub notify: NotifySettings,
    pub voice: Option<VoiceSettings>,
    /// The section `voice` is present and invalid.
    pub is_voice_wrong: bool,
    /// Secrets that must not appear in logs.
    pub secrets: BTreeSet<String>,
}

impl<'t> ConfigReader<'t, '_> {
    /// Reads the settings; `None` if an error makes the file unusable.
    pub fn settings(&mut self, root: &Node<'t>) -> Option<FileSettings> {
        let members = root.as_object().unwrap_or_default();
        self.secrets.clear();
        let errors = self.collector.errors();
        let mut settings = FileSettings::default();
        if let Some(members) = self.part(members, "ledger", LEDGER_KEYS, &[]) {
            settings.ledger = self.ledger(members);
        }
        if let Some(members) = self.part(members, "redact", REDACT_KEYS, &[]) {
            settings.redact = self.redact(members);
        }
        if let Some(node) = non_null_value(members, "store") {
            settings.store = self.store(&node).unwrap_or_default();
        }
        if let Some(members) = self.part(members, "security", SECURITY_KEYS, &[]) {
            settings.security = self.security(members);
        }
        let is_usable = self.collector.errors() == errors;
        let count = self.collector.count();
        if let Some(node) = non_null_value(members, "learn") {
            let known = [LearnPolicy::Off, LearnPolicy::Suggest, LearnPolicy::ApplySafe]
                .map(|learn| (learn.word(), learn));
            settings.learn = self.word(&node, "learn", &known).unwrap_or_default();
        }
        if let Some(node) = non_null_value(members, "learnFrom") {
            settings.learn_from = self.texts(&node, "learnFrom").unwrap_or_default();
        }
        if let Some(members) = self.part(members, "telemetry", TELEMETRY_KEYS, TELEMETRY_OF_OTHERS) {
            settings.telemetry = self.telemetry(members);
        }
        if let Some(members) = self.part(members, "notify", NOTIFY_KEYS, &[]) {
            settings.notify = self.notify(members);
        }
        settings.agent = self.agent(members);
        settings.voice = self.voice(members);
        settings.is_voice_wrong = settings.voice.is_none() && non_null_value(members, "voice").is_some();
        self.collector.downgrade_since(count);
        settings.llm = self.llm(members);
        settings.secrets = std::mem::take(&mut self.secrets);
        is_usable.then_some(settings)
    }

    /// The members of a section, if it is present.
    fn part(
        &mut self,
        members: &[Member<'t>],
        key: &str,
        known: &'static [&'static str],
        foreign: &'static [&'static str],
    ) -> Option<&'t [Member<'t>]> {
        let node = non_null_value(members, key)?;
        self.members_of(&node, key, SectionKeys { known, foreign, words: &[], allows_flag: false })
    }

    fn ledger(&mut self, members: &'t [Member<'t>]) -> LedgerSettings {
        let durability = non_null_value(members, "durability").and_then(|node| {
            let known =
                [Durability::Process, Durability::Power].map(|durability| (durability.word(), durability));
            self.word(&node, "durability", &known)
        });
        let on_failure = non_null_value(members, "onFailure").and_then(|node| {
            let known =
                [OnFailure::Allow, OnFailure::Block].map(|on_failure| (on_failure.word(), on_failure));
            self.word(&node, "onFailure", &known)
        });
        let days = non_null_value(members, "keepDays")
            .and_then(|node| self.whole(&node, "keepDays", "days", 1..=MAX_DAYS, DEFAULT_DAYS));
        let bytes = MIN_SEGMENT_BYTES..=MAX_BYTES;
        let segment_bytes = non_null_value(members, "segmentBytes")
            .and_then(|node| self.whole(&node, "segmentBytes", "bytes", bytes.clone(), EXAMPLE_BYTES));
        let keep_bytes = non_null_value(members, "keepBytes")
            .and_then(|node| self.whole(&node, "keepBytes", "bytes", bytes, EXAMPLE_BYTES));
        let segment = segment_bytes.unwrap_or(DEFAULT_SEGMENT_BYTES);
        if let (Some(keep), Some(node)) = (keep_bytes, non_null_value(members, "keepBytes"))
            && keep < segment
        {
            let message = format!("\"keepBytes\" is less than one file of the journal takes ({segment})");
            let fix = format!("write at least {segment}, or make \"segmentBytes\" smaller");
            self.collector.error(&node, message, fix);
        }
        let log_dir = non_null_value(members, "logDir").and_then(|node| self.folder_at(&node, "logDir"));
        LedgerSettings {
            durability: durability.unwrap_or_default(),
            on_failure: on_failure.unwrap_or_default(),
            keep: days.map(|days| Duration::from_secs(days * DAY)),
            keep_bytes,
            segment_bytes,
            log_dir,
        }
    }

    fn redact(&mut self, members: &'t [Member<'t>]) -> RedactOptions {
        let patterns = self.each(members, "patterns", |pattern| RedactOptions {
            patterns: vec![pattern],
            ..RedactOptions::default()
        });
        if let Some(node) = non_null_value(members, "patterns").filter(|_| patterns.len() > MAX_PATTERNS) {
            let message = format!("{} patterns are too many: at most {MAX_PATTERNS}", patterns.len());
            self.collector.error(&node, message, "join some with `|`");
        }
        let entropy = non_null_value(members, "entropy").and_then(|node| self.flag(&node, "entropy"));
        RedactOptions {
            keys: self
                .each(members, "keys", |key| RedactOptions { keys: vec![key], ..RedactOptions::default() }),
            allow_keys: self.each(members, "allowKeys", |key| RedactOptions {
                allow_keys: vec![key],
                ..RedactOptions::default()
            }),
            patterns,
            entropy: entropy.unwrap_or(true),
        }
    }

    /// A list whose entries are validated one by one.
    fn each(
        &mut self,
        members: &'t [Member<'t>],
        key: &str,
        alone: impl Fn(String) -> RedactOptions,
    ) -> Vec<String> {
        let Some(node) = non_null_value(members, key) else { return Vec::new() };
        let Some(texts) = self.texts(&node, key) else { return Vec::new() };
        for (item, text) in node.as_array().unwrap_or_default().iter().zip(&texts).take(MAX_PATTERNS) {
            let (message, fix) = match alone(text.clone()).check() {
                Ok(()) => continue,
                Err(OptionsError::Pattern { why, .. }) => (
                    format!("this regular expression cannot be used: {why}"),
                    "correct it; in JSON a backslash is written `\\\\`, and `$${` stands for `${`",
                ),
                Err(OptionsError::MatchesNothing { .. }) => (
                    "this regular expression matches the empty text, and so everything".to_owned(),
                    "ask for at least one character, for example with + instead of *",
                ),
                Err(_) => {
                    (format!("an entry of \"{key}\" names no key"), "write at least one letter or digit")
                }
            };
            self.collector.error(item, message, fix);
        }
        texts
    }

    /// Parses `sqlite:PATH`, a path, or `postgres://…`.
    fn store(&mut self, node: &Node<'t>) -> Option<StoreAddress> {
        let text = self.secret_text(node, "\"store\"")?;
        let text = text.trim();
        let fix = "write \"sqlite:PATH\" or \"postgres://host/database\", or leave it out";
        let (scheme, rest) = match text.split_once(':') {
            // A single letter is a Windows drive.
            Some((scheme, rest))
                if scheme.len() > 1
                    && (rest.starts_with("//")
                        || scheme.bytes().all(|byte| byte.is_ascii_alphanumeric())) =>
            {
                (scheme.to_ascii_lowercase(), rest)
            }
            _ => (String::new(), text),
        };
        match scheme.as_str() {
            "postgres" | "postgresql" if rest.len() > 2 && rest.starts_with("//") => {
                if text.contains(|char: char| char.is_whitespace() || char.is_control()) {
                    let message = "an address cannot hold spaces or line breaks";
                    self.collector.error(
                        node,
                        message,
                        "write %20 for a space, or check the variable's value",
                    );
                    return None;
                }
                self.secrets.insert(text.to_owned());
                for secret in secrets_of_address(text) {
                    self.secrets.insert(percent_decoded(secret));
                    self.secrets.insert(secret.to_owned());
                }
                Some(StoreAddress::Postgres(SecretText::new(text)))
            }
            "postgres" | "postgresql" => {
                self.collector.error(node, "this is not the address of a PostgreSQL database", fix);
                None
            }
            "" if ["postgres", "postgresql"].contains(&text)
                || text.contains("host=")
                || text.contains("dbname=") =>
            {
                self.collector.error(node, "a PostgreSQL database is given by its address", fix);
                None
            }
            "" | "sqlite" | "file" => {
                let path = rest.strip_prefix("//").unwrap_or(rest);
                if scheme == "sqlite" && path.is_empty() || text == "sqlite" {
                    return Some(StoreAddress::Sqlite(None));
                }
                self.path(node, path, "\"store\"", "file").map(|path| StoreAddress::Sqlite(Some(path)))
            }
            _ => {
                self.collector.error(node, "records can be stored in SQLite or PostgreSQL only", fix);
                None
            }
        }
    }

    /// Reads the section; `None` if the address is invalid.
    fn telemetry(&mut self, members: &'t [Member<'t>]) -> Option<TelemetrySettings> {
        let errors = self.collector.errors();
        // A key of another program with an unambiguous meaning.
        if non_null_value(members, "enabled").is_some_and(|node| matches!(node.kind, Kind::Bool(false))) {
            return None;
        }
        let otlp = non_null_value(members, "otlp").and_then(|node| {
            let text = self.text(&node, "\"otlp\"")?;
            let Err((message, fix)) = check_address(&text) else { return Some(text) };
            // The message must not quote a value from a variable.
            let is_written = node.as_text().as_deref() == Some(text.as_str());
            let fix = if is_written { fix } else { "check the value of the variable".to_owned() };
            self.collector.error(&node, message, fix);
            None
        });
        otlp.iter().flat_map(|otlp| secrets_of_address(otlp)).map(str::to_owned).for_each(|secret| {
            self.secrets.insert(secret);
        });
        let headers =
            non_null_value(members, "headers").and_then(|node| self.pairs(&node, "headers", check_header));
        let headers = headers.unwrap_or_default();
        self.secrets.extend(headers.iter().map(|(_, value)| value.clone()));
        let service_name =
            non_null_value(members, "serviceName").and_then(|node| self.text(&node, "\"serviceName\""));
        let mut flag =
            |key| non_null_value(members, key).and_then(|node| self.flag(&node, key)).unwrap_or(true);
        let (traces, metrics) = (flag("traces"), flag("metrics"));
        let headers = headers.into_iter().map(|(name, value)| (name, SecretText::new(value))).collect();
        (self.collector.errors() == errors).then_some(TelemetrySettings {
            otlp,
            headers,
            service_name: service_name.filter(|name| !name.trim().is_empty()),
            traces,
            metrics,
        })
    }

    /// One of several words.
    pub(super) fn word<T: Copy>(
        &mut self,
        node: &Node<'t>,
        key: &str,
        known: &[(&'static str, T)],
    ) -> Option<T> {
        let written = node.as_text();
        let text = match &written {
            Some(_) => Some(self.text(node, &format!("\"{key}\""))?.trim().to_owned()),
            None => None,
        };
        if let Some((_, value)) = known.iter().find(|(word, _)| text.as_deref() == Some(word)) {
            return Some(*value);
        }
        let words: Vec<String> = known.iter().map(|(word, _)| format!("\"{word}\"")).collect();
        let (last, others) = words.split_last()?;
        let words = format!("{} or {last}", others.join(", "));
        let message = match text {
            Some(_) => format!("\"{key}\" is {words}"),
            None => format!("\"{key}\" is {words}, not {}", node.a_type_name()),
        };
        // A value from a variable must not be quoted, so there is no suggestion for it.
        let own = written.filter(|written| !written.contains('$'));
        let fix = match own.and_then(|written| closest_name(&written, known.iter().map(|(word, _)| *word))) {
            Some(word) => format!("did you mean \"{word}\"?"),
            None => format!("write {words}"),
        };
        self.collector.error(node, message, fix);
        None
    }

    /// An integer, or a text with one, as from a variable; `usual` is the value in the fix.
    pub(super) fn whole(
        &mut self,
        node: &Node<'t>,
        key: &str,
        of: &str,
        range: std::ops::RangeInclusive<u64>,
        example: u64,
    ) -> Option<u64> {
        let text = match node.kind {
            Kind::Number(text) => text.to_owned(),
            _ => match node.as_text() {
                Some(_) => self.text(node, &format!("\"{key}\""))?,
                None => String::new(),
            },
        };
        let number = text.trim().parse().ok().filter(|number| range.contains(number));
        if number.is_none() {
            let (least, most) = (range.start(), range.end());
            let message = format!("\"{key}\" is a whole number of {of} from {least} to {most}");
            let intended = node.as_text().and_then(|text| size(&text)).filter(|size| range.contains(size));
            self.collector.error(node, message, format!("write {}", intended.unwrap_or(example)));
        }
        number
    }
}

/// Parses a size such as `512 MiB`, for the fix.
fn size(text: &str) -> Option<u64> {
    let text = text.trim();
    let end = text.find(|char: char| !char.is_ascii_digit())?;
    let shift = match text[end..].trim().to_ascii_lowercase().as_str() {
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        "t" | "tb" | "tib" => 40,
        _ => return None,
    };
    text[..end].parse::<u64>().ok()?.checked_mul(1 << shift)
}

/// Percent-decodes a part of an address: drivers print it decoded.
fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, behind @ ..] = rest {
        let code = behind.get(..2).and_then(|code| std::str::from_utf8(code).ok());
        match code.filter(|_| *first == b'%').and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &behind[2..];
            }
            None => {
                bytes.push(*first);
                rest = behind;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_percent_encoding_are_parsed() {
        assert_eq!(size("512 MiB"), Some(512 << 20));
        assert_eq!((size("2GB"), size("2"), size("x"), size("5 apples")), (Some(2 << 30), None, None, None));
        assert_eq!(percent_decoded("p%40ss%2"), "p@ss%2");
    }
}
