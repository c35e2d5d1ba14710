//! Texts of a tool that give the model orders, hide something, or ask for what is secret.
//!
//! These are patterns. They find what is known and plain; who knows them can write around them. A finding is a reason
//! to look, and no finding is no proof.

use std::collections::HashSet;

use serde::Serialize;
use serde_json::Value;

use crate::canonical;
use text::Folded;

mod encoded;
mod exfiltration;
mod instruction;
mod invisible;
mod markup;
mod patterns;
mod secret_place;
mod shadowing;
mod spaced;
mod text;

/// How much of each text is looked at.
pub const MAX_TEXT_BYTES: usize = 256 * 1024;

/// How many findings are given back. The gravest are kept.
pub const MAX_FINDINGS: usize = 100;

/// How long a place may be, in characters.
const MAX_PLACE_CHARS: usize = 300;

/// How grave a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing; common in honest tools as well.
    Low,
    /// Unusual in honest tools. Somebody should look.
    Medium,
    /// Hardly ever there for an honest reason.
    High,
}

/// Something that a text should not have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What kind of thing it is, such as `instruction`.
    pub code: &'static str,
    /// How grave it is.
    pub severity: Severity,
    /// Where it is: a JSON pointer for a tool, else what the caller said.
    pub place: String,
    /// The text around it, short. What cannot be seen is written as `\u{…}`.
    pub excerpt: String,
    /// What is wrong with it.
    pub why: &'static str,
}

/// What is known besides the text.
#[derive(Clone, Debug, Default)]
pub struct Context {
    other_tools: HashSet<String>,
}

impl Context {
    /// The names of other servers' tools, for `shadowing`. Leave out the names of the server's own tools.
    pub fn new<T: AsRef<str>>(other_tools: impl IntoIterator<Item = T>) -> Self {
        Self { other_tools: other_tools.into_iter().map(|name| Folded::new(name.as_ref()).text).collect() }
    }
}

/// Looks at texts, each with its place.
pub fn scan<'a>(texts: impl IntoIterator<Item = (&'a str, &'a str)>, context: &Context) -> Vec<Finding> {
    let mut report = Report::default();
    for (place, text) in texts {
        look(place, text, context, &mut report);
    }
    report.gravest()
}

/// Looks at every text and key of a tool, as a server lists it. `_meta` is left out: models do not see it.
pub fn scan_tool(tool_json: &str, context: &Context) -> Vec<Finding> {
    let Some(mut tool) = canonical::read(tool_json) else { return scan([("", tool_json)], context) };
    if let Value::Object(fields) = &mut tool {
        fields.shift_remove("_meta");
    }
    let mut report = Report::default();
    walk(&tool, &mut String::new(), context, &mut report);
    report.gravest()
}

fn walk(value: &Value, place: &mut String, context: &Context, report: &mut Report) {
    let end = place.len();
    match value {
        Value::String(text) => look(place, text, context, report),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                place.push_str(&format!("/{index}"));
                walk(item, place, context, report);
                place.truncate(end);
            }
        }
        Value::Object(fields) => {
            for (key, item) in fields {
                place.push('/');
                place.push_str(&key.replace('~', "~0").replace('/', "~1"));
                look(place, key, context, report);
                walk(item, place, context, report);
                place.truncate(end);
            }
        }
        _ => {}
    }
}

fn look(place: &str, text: &str, context: &Context, report: &mut Report) {
    let seen = text::start(text, MAX_TEXT_BYTES);
    let mut spot = Spot { place, text: seen, report };
    if seen.len() < text.len() {
        // Padding is how an order is put where nobody looks. Honest texts are a thousandth of this.
        spot.tell("unread", Severity::High, (0, 0), "The text is too long; its end was not looked at.");
    }
    invisible::look(&mut spot);
    let folded = Folded::new(seen);
    markup::look(&folded, &mut spot);
    instruction::look(&folded, &mut spot);
    secret_place::look(&folded, &mut spot);
    exfiltration::look(&folded, &mut spot);
    shadowing::look(&folded, context, &mut spot);
    encoded::look(&mut spot);
    spaced::look(&mut spot);
}

/// A text under examination.
struct Spot<'a> {
    place: &'a str,
    text: &'a str,
    report: &'a mut Report,
}

impl Spot<'_> {
    /// Reports what lies between two byte positions of the text.
    fn tell(&mut self, code: &'static str, severity: Severity, range: (usize, usize), why: &'static str) {
        let place: String = self.place.chars().take(MAX_PLACE_CHARS).collect();
        let excerpt = text::excerpt(self.text, range);
        self.report.add(Finding { code, severity, place, excerpt, why });
    }
}

/// Findings, at most one for each code and place.
#[derive(Default)]
struct Report {
    findings: Vec<Finding>,
}

impl Report {
    fn add(&mut self, finding: Finding) {
        // All findings of a place come one after the other.
        let same_place = self.findings.iter_mut().rev().take_while(|known| known.place == finding.place);
        for known in same_place {
            if known.code == finding.code {
                if known.severity < finding.severity {
                    *known = finding;
                }
                return;
            }
        }
        self.findings.push(finding);
        if self.findings.len() > 20 * MAX_FINDINGS {
            self.keep_gravest();
        }
    }

    /// A server must not be able to bury a grave finding under many small ones.
    fn keep_gravest(&mut self) {
        self.findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        self.findings.truncate(MAX_FINDINGS);
    }

    fn gravest(mut self) -> Vec<Finding> {
        self.keep_gravest();
        self.findings
    }
}
