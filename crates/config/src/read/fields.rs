//! The values of keys: texts, lists, pairs, flags and durations, with expanded variables.

use std::collections::HashSet;
use std::time::Duration;

use toolwright_jsonrpc::raw::{Kind, Member, Node, quote};
use toolwright_redact::{holds_secret, is_secret_key};

use super::checks::Check;
use super::duplicates::DuplicateScope;
use super::{ConfigReader, is_null};
use crate::Severity;
use crate::expand::{ExpandedText, expand};

/// The longest duration.
const MAX_TIME: Duration = Duration::from_secs(24 * 60 * 60);
/// Shorter timeouts were probably meant in seconds.
const SHORT_MS: f64 = 100.0;

impl<'t> ConfigReader<'t, '_> {
    /// Expands the text of a node.
    pub(super) fn expand(&mut self, node: &Node<'t>, text: &str, severity: Severity) -> Option<ExpandedText> {
        let start = self.collector.offset_of_node(node);
        // If the string contains escapes, offsets in the text are not those in the file.
        let is_exact = matches!(node.kind, Kind::String(raw) if raw.raw() == text);
        let place = |at: usize| if is_exact { start + 1 + at } else { start };
        match expand(text, self.environment) {
            Ok(expanded) => {
                for warning in &expanded.warnings {
                    let (message, fix) = (warning.message.clone(), warning.fix.clone());
                    self.collector.add(Severity::Warning, place(warning.at), message, fix);
                }
                Some(expanded)
            }
            Err(error) => {
                self.collector.add(severity, place(error.at), error.message, error.fix);
                None
            }
        }
    }

    /// A key with expanded variables.
    pub(super) fn expand_key(&mut self, member: &Member<'t>) -> Option<String> {
        match expand(member.key, self.environment) {
            Ok(expanded) => Some(expanded.text),
            Err(error) => {
                self.collector.error_at_key(member.raw_key(), error.message, error.fix);
                None
            }
        }
    }

    /// A string. Values of secret variables in it are recorded as secrets.
    pub(super) fn text(&mut self, node: &Node<'t>, what: &str) -> Option<String> {
        let Some(text) = node.as_text() else {
            let message = format!("{what} is a string, not {}", node.a_type_name());
            let fix = match node.kind {
                Kind::Number(_) | Kind::Bool(_) => format!("write \"{}\"", node.source().unwrap_or_default()),
                _ => "write \"…\"".to_owned(),
            };
            self.collector.error(node, message, fix);
            return None;
        };
        let expanded = self.expand(node, &text, Severity::Error)?;
        let secrets =
            expanded.from_environment.iter().filter(|(name, value)| is_secret_variable(name, value));
        self.secrets.extend(secrets.map(|(_, value)| value.clone()));
        self.without_nul(node, expanded.text, what)
    }

    /// A value of `env` or `headers`: everything from the environment counts as secret, and numbers and booleans are
    /// accepted as text.
    pub(super) fn secret_text(&mut self, node: &Node<'t>, what: &str) -> Option<String> {
        if let Some(text) = self.plain(node, what) {
            return Some(text);
        }
        let Some(text) = node.as_text() else {
            let message = format!("{what} is a string, not {}", node.a_type_name());
            let fix = if is_null(node) { "leave it out, or write \"\"" } else { "write \"…\"" };
            self.collector.error(node, message, fix);
            return None;
        };
        let expanded = self.expand(node, &text, Severity::Error)?;
        if !expanded.from_environment.is_empty() {
            self.secrets.insert(expanded.text.clone());
        }
        self.secrets.extend(expanded.from_environment.into_iter().map(|(_, value)| value));
        self.without_nul(node, expanded.text, what)
    }

    /// A number or a boolean in place of a string: its text is used.
    fn plain(&mut self, node: &Node<'t>, what: &str) -> Option<String> {
        let text = match node.kind {
            Kind::Number(text) => text,
            Kind::Bool(_) => node.source()?,
            _ => return None,
        };
        let message = format!("{what} is a string; {} is taken as its text", node.a_type_name());
        self.collector.warning(node, message, format!("write \"{text}\""));
        Some(text.to_owned())
    }

    fn without_nul(&mut self, node: &Node<'t>, text: String, what: &str) -> Option<String> {
        if text.contains('\0') {
            let message = format!("{what} cannot hold the character U+0000");
            self.collector.error(node, message, "remove \\u0000");
            return None;
        }
        Some(text)
    }

    /// A list of strings. All problems in it are reported.
    pub(super) fn texts(&mut self, node: &Node<'t>, key: &str) -> Option<Vec<String>> {
        let Some(items) = node.as_array() else {
            let message = format!("\"{key}\" is a list of strings, not {}", node.a_type_name());
            let words = node.as_text().map(|text| {
                let words: Vec<String> = text.split_whitespace().take(8).map(quote).collect();
                format!("write [{}]", words.join(", "))
            });
            self.collector.error(node, message, words.unwrap_or_else(|| "write [\"…\"]".to_owned()));
            return None;
        };
        let what = format!("an entry of \"{key}\"");
        let before = self.collector.errors();
        let texts: Vec<String> = items
            .iter()
            .filter_map(|item| self.plain(item, &what).or_else(|| self.text(item, &what)))
            .collect();
        (self.collector.errors() == before).then_some(texts)
    }

    /// An object of strings, such as `env` and `headers`.
    pub(super) fn pairs(
        &mut self,
        node: &Node<'t>,
        key: &str,
        check: fn(&str, &str) -> Check,
    ) -> Option<Vec<(String, String)>> {
        let Some(members) = node.as_object() else {
            let message = format!("\"{key}\" is an object of strings, not {}", node.a_type_name());
            // The message must not quote the values: they may be secret.
            let first = node.as_text().or_else(|| node.as_array()?.first()?.as_text()).unwrap_or_default();
            let name = first.split_once(['=', ':']).map_or("NAME", |(name, _)| name.trim());
            self.collector.error(node, message, format!("write {{{}: \"…\"}}", quote(name)));
            return None;
        };
        let before = self.collector.errors();
        self.check_duplicates(members, DuplicateScope::Server);
        let mut pairs: Vec<(String, String)> = Vec::with_capacity(members.len());
        let mut seen: HashSet<String> = HashSet::with_capacity(members.len());
        for member in members {
            let what = format!("the value of {} in \"{key}\"", quote(member.key));
            let name = self.expand_key(member);
            let value = self.secret_text(&member.value, &what);
            let (Some(name), Some(value)) = (name, value) else { continue };
            if let Err((message, fix)) = check(&name, &value) {
                self.collector.error_at_key(member.raw_key(), message, fix);
            }
            // A duplicate key is already reported.
            if seen.insert(name.clone()) {
                pairs.push((name, value));
            }
        }
        (self.collector.errors() == before).then_some(pairs)
    }

    /// `true` or `false`, or a text with one of them, as from a variable.
    pub(super) fn flag(&mut self, node: &Node<'t>, key: &str) -> Option<bool> {
        if let Kind::Bool(flag) = node.kind {
            return Some(flag);
        }
        let text = match node.as_text() {
            Some(text) => self.expand(node, &text, Severity::Error)?.text,
            None => String::new(),
        };
        match text.trim().to_ascii_lowercase().as_str() {
            "true" => Some(true),
            "false" => Some(false),
            _ => {
                let message = format!("\"{key}\" is true or false, not {}", node.a_type_name());
                self.collector.error(node, message, "write true or false, without quotes");
                None
            }
        }
    }

    /// A duration in milliseconds, or a text with one, as from a variable. An invalid one is reported and ignored.
    pub(super) fn milliseconds(&mut self, node: &Node<'t>, key: &str) -> Option<Duration> {
        let text = match node.kind {
            Kind::Number(text) => text.to_owned(),
            _ => match node.as_text() {
                Some(text) => self.expand(node, &text, Severity::Warning)?.text,
                None => String::new(),
            },
        };
        let most = MAX_TIME.as_millis();
        match text.trim().parse::<f64>() {
            Ok(time) if time >= 1.0 && time <= most as f64 => {
                if time < SHORT_MS && key == "timeoutMs" {
                    let message = format!("{time} ms is hardly enough for any call");
                    self.collector.warning(
                        node,
                        message,
                        format!("write {} for {time} seconds", time * 1000.0),
                    );
                }
                Some(Duration::from_micros((time * 1000.0) as u64))
            }
            Ok(time) if (0.0..1.0).contains(&time) => {
                let message = format!("\"{key}\" of 0 is not used");
                self.collector.warning(node, message, "leave it out for no limit of its own");
                None
            }
            _ => {
                let message =
                    format!("\"{key}\" is a number of milliseconds from 1 to {most}; it is not used");
                self.collector.warning(node, message, "write 30000 for 30 seconds");
                None
            }
        }
    }
}

/// Whether a variable outside of `env` and `headers` is secret; in those, all are.
pub(super) fn is_secret_variable(name: &str, value: &str) -> bool {
    is_secret_key(name) || name.split('_').any(|word| word == "KEY") || holds_secret(value)
}
