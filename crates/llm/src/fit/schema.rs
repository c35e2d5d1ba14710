//! The schemas of tools, reduced to what an upstream takes. What needs no change keeps its bytes.

use std::collections::BTreeSet;

use toolwright_jsonrpc::Json;

use super::{schema_gemini, schema_object, schema_ollama, shown};
use crate::form::{Format, Request};
use crate::{Notes, SchemaRule, Target};

/// How many keywords or tools a note names.
const TOLD: usize = 12;

/// What had to be changed in one schema.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// Keywords that were left out.
    pub left_out: BTreeSet<String>,
    /// What was said in another way.
    pub rewritten: BTreeSet<&'static str>,
    /// Whether a schema within itself, or one that is too deep or too large, was cut.
    pub is_cut: bool,
    /// Whether a reference points nowhere.
    pub is_unresolved: bool,
    /// Whether the root was made an object with properties.
    pub is_root_changed: bool,
}

impl Findings {
    /// Whether nothing had to be changed.
    pub fn is_empty(&self) -> bool {
        self.left_out.is_empty()
            && self.rewritten.is_empty()
            && !self.is_cut
            && !self.is_unresolved
            && !self.is_root_changed
    }

    /// A keyword was left out.
    pub fn left_out(&mut self, keyword: &str) {
        if self.left_out.len() < 64 && !self.left_out.contains(keyword) {
            self.left_out.insert(shown(keyword));
        }
    }
}

/// What had to be changed in all schemas.
#[derive(Debug, Default)]
struct Summary {
    left_out: BTreeSet<String>,
    rewritten: BTreeSet<&'static str>,
    touched: Vec<String>,
    cut: Vec<String>,
    unresolved: Vec<String>,
    roots: Vec<String>,
}

/// Reduces the schemas of a request by the target's rule, and notes once what that took.
pub(super) fn fit_schemas(request: &mut Request, target: &Target, notes: &mut Notes) {
    let mut summary = Summary::default();
    for tool in &mut request.tools {
        let mut found = Findings::default();
        match reduced(target.schemas, tool.schema.as_ref(), &mut found) {
            Change::None => {}
            Change::Left => tool.schema = None,
            Change::To(schema) => tool.schema = Some(schema),
        }
        summary.add(found, &tool.name);
    }
    if target.schemas == SchemaRule::Gemini
        && let Some(Format::Schema { schema, .. }) = &mut request.format
    {
        let mut found = Findings::default();
        if let Change::To(new) = schema_gemini::reduce_value(schema, &mut found) {
            *schema = new;
        }
        summary.add(found, "the form of the answer");
    }
    summary.tell(notes);
}

/// What becomes of a schema.
#[derive(Debug, PartialEq)]
pub(super) enum Change {
    /// It stays.
    None,
    /// It is not sent.
    Left,
    /// This one is sent.
    To(Json),
}

pub(super) fn reduced(rule: SchemaRule, schema: Option<&Json>, found: &mut Findings) -> Change {
    match (rule, schema) {
        (SchemaRule::Any, _) | (SchemaRule::Gemini, None) => Change::None,
        (SchemaRule::ObjectWithProperties | SchemaRule::Ollama, None) => schema_object::empty(),
        (SchemaRule::ObjectWithProperties, Some(schema)) => schema_object::reduce(schema, found),
        (SchemaRule::Gemini, Some(schema)) => schema_gemini::reduce(schema, found),
        (SchemaRule::Ollama, Some(schema)) => schema_ollama::reduce(schema, found),
    }
}

impl Summary {
    fn add(&mut self, found: Findings, name: &str) {
        if found.is_empty() {
            return;
        }
        self.touched.push(shown(name));
        for (is_so, list) in [
            (found.is_cut, &mut self.cut),
            (found.is_unresolved, &mut self.unresolved),
            (found.is_root_changed, &mut self.roots),
        ] {
            if is_so {
                list.push(shown(name));
            }
        }
        self.left_out.extend(found.left_out);
        self.rewritten.extend(found.rewritten);
    }

    fn tell(&self, notes: &mut Notes) {
        const JUDGED: &str = "calls are judged by the schemas as they were sent";
        let tools = listed(self.touched.iter());
        if !self.left_out.is_empty() {
            let keywords = listed(self.left_out.iter());
            notes.add(
                "schema_keywords_left_out",
                format!(
                    "the upstream does not take {keywords}: left out of the schemas of {tools}; {JUDGED}"
                ),
            );
        }
        if !self.rewritten.is_empty() {
            let forms = listed(self.rewritten.iter());
            notes.add(
                "schema_rewritten",
                format!(
                    "the upstream does not take {forms}: said differently in the schemas of {tools}; {JUDGED}"
                ),
            );
        }
        if !self.cut.is_empty() {
            notes.add(
                "schema_cut",
                format!(
                    "schemas that contain themselves, are too deep or too large were cut: those of {}",
                    listed(self.cut.iter())
                ),
            );
        }
        if !self.unresolved.is_empty() {
            notes.add(
                "schema_reference_unknown",
                format!("a $ref points nowhere in the schemas of {}", listed(self.unresolved.iter())),
            );
        }
        if !self.roots.is_empty() {
            notes.add(
                "schema_root_changed",
                format!(
                    "the upstream takes objects with properties only: the schemas of {} were made such; {JUDGED}",
                    listed(self.roots.iter())
                ),
            );
        }
    }
}

/// The first of them, and how many more there are.
fn listed(all: impl ExactSizeIterator<Item = impl AsRef<str>>) -> String {
    let count = all.len();
    let told: Vec<String> = all.take(TOLD).map(|one| one.as_ref().to_owned()).collect();
    match count.saturating_sub(TOLD) {
        0 => told.join(", "),
        more => format!("{} and {more} more", told.join(", ")),
    }
}
