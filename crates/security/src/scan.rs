//! Scanner for texts of a tool that give the model orders, hide something, or ask for secrets.
//!
//! The scanner uses patterns. They find known and plain attacks; an attacker who knows them can avoid them. A finding
//! is a reason to review the tool; no finding is no proof that it is harmless.

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

/// The number of bytes of each text that are scanned.
pub const MAX_TEXT_BYTES: usize = 256 * 1024;

/// The most findings that are returned. The most severe ones are retained.
pub const MAX_FINDINGS: usize = 100;

/// The longest position, in characters.
const MAX_PLACE_CHARS: usize = 300;

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing; common in harmless tools as well.
    Low,
    /// Unusual in harmless tools. A user should review it.
    Medium,
    /// Hardly ever present for a harmless reason.
    High,
}

/// A suspicious part of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The kind of finding, such as `instruction`.
    pub code: &'static str,
    /// Its severity.
    pub severity: Severity,
    /// Its position: a JSON pointer for a tool, else the position that the caller passed.
    pub place: String,
    /// A short excerpt of the text. Invisible characters are written as `\u{…}`.
    pub excerpt: String,
    /// The reason why it is suspicious.
    pub why: &'static str,
}

/// Information that is needed besides the text.
#[derive(Clone, Debug, Default)]
pub struct Context {
    other_tools: HashSet<String>,
}

impl Context {
    /// Creates a context with the names of other servers' tools, for `shadowing`. Do not include the server's own
    /// tools.
    pub fn new<T: AsRef<str>>(other_tools: impl IntoIterator<Item = T>) -> Self {
        Self { other_tools: other_tools.into_iter().map(|name| Folded::new(name.as_ref()).text).collect() }
    }
}

/// Scans texts, each with its position.
pub fn scan<'a>(texts: impl IntoIterator<Item = (&'a str, &'a str)>, context: &Context) -> Vec<Finding> {
    let mut list = FindingList::default();
    for (place, text) in texts {
        check_text(place, text, context, &mut list);
    }
    list.into_most_severe()
}

/// Scans every text and key of a tool, as its server lists it. `_meta` is excluded: models do not see it.
pub fn scan_tool(tool_json: &str, context: &Context) -> Vec<Finding> {
    let Some(mut tool) = canonical::read(tool_json) else { return scan([("", tool_json)], context) };
    if let Value::Object(fields) = &mut tool {
        fields.shift_remove("_meta");
    }
    let mut list = FindingList::default();
    walk(&tool, &mut String::new(), context, &mut list);
    list.into_most_severe()
}

fn walk(value: &Value, place: &mut String, context: &Context, list: &mut FindingList) {
    let end = place.len();
    match value {
        Value::String(text) => check_text(place, text, context, list),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                place.push_str(&format!("/{index}"));
                walk(item, place, context, list);
                place.truncate(end);
            }
        }
        Value::Object(fields) => {
            for (key, item) in fields {
                place.push('/');
                place.push_str(&key.replace('~', "~0").replace('/', "~1"));
                check_text(place, key, context, list);
                walk(item, place, context, list);
                place.truncate(end);
            }
        }
        _ => {}
    }
}

fn check_text(place: &str, text: &str, context: &Context, list: &mut FindingList) {
    let start = text::start(text, MAX_TEXT_BYTES);
    let mut scanned = ScannedText { place, text: start, list };
    if start.len() < text.len() {
        // Padding puts an order where no reviewer looks. Harmless texts are a thousandth of this size.
        scanned.add_finding(
            "unread",
            Severity::High,
            (0, 0),
            "The text is too long; its end was not scanned.",
        );
    }
    invisible::check(&mut scanned);
    let folded = Folded::new(start);
    markup::check(&folded, &mut scanned);
    instruction::check(&folded, &mut scanned);
    secret_place::check(&folded, &mut scanned);
    exfiltration::check(&folded, &mut scanned);
    shadowing::check(&folded, context, &mut scanned);
    encoded::check(&mut scanned);
    spaced::check(&mut scanned);
}

/// A text under scan.
struct ScannedText<'a> {
    place: &'a str,
    text: &'a str,
    list: &'a mut FindingList,
}

impl ScannedText<'_> {
    /// Adds a finding for a byte range of the text.
    fn add_finding(
        &mut self,
        code: &'static str,
        severity: Severity,
        range: (usize, usize),
        why: &'static str,
    ) {
        let place: String = self.place.chars().take(MAX_PLACE_CHARS).collect();
        let excerpt = text::excerpt(self.text, range);
        self.list.add(Finding { code, severity, place, excerpt, why });
    }
}

/// Collected findings, at most one per code and position.
#[derive(Default)]
struct FindingList {
    findings: Vec<Finding>,
}

impl FindingList {
    fn add(&mut self, finding: Finding) {
        // All findings of one position are added one after the other.
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
            self.retain_most_severe();
        }
    }

    /// Keeps the most severe findings: a server must not be able to hide one among many minor ones.
    fn retain_most_severe(&mut self) {
        self.findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        self.findings.truncate(MAX_FINDINGS);
    }

    fn into_most_severe(mut self) -> Vec<Finding> {
        self.retain_most_severe();
        self.findings
    }
}
