//! `/api/error-patterns`: errors that are alike, with the rule that would mend them when one was learned.

use std::collections::HashMap;
use std::sync::Arc;

use http::Response;
use serde_json::Value;
use toolwright_base::unix_micros;
use toolwright_ledger::learn::{Status, Suggestion};
use toolwright_ledger::patterns::{Pattern, SuggestedRule};

use super::query::Query;
use super::{Api, aside, json};
use crate::inside::InsideBody;
use crate::refusal::Refusal;

pub(super) async fn answer(api: &Api, query: &Query) -> Result<Response<InsideBody>, Refusal> {
    query.allow(&[])?;
    let ledger = Arc::clone(api.ledger()?);
    let report = aside(move || {
        let known = Known::new(ledger.learning().suggestions());
        ledger.patterns().report(unix_micros(), |pattern| known.rule_for(pattern))
    });
    json(&report.await?)
}

/// The suggestions that wait for somebody, by their tools.
struct Known(HashMap<String, Vec<Suggestion>>);

impl Known {
    fn new(suggestions: Vec<Suggestion>) -> Known {
        let mut by_tool: HashMap<String, Vec<Suggestion>> = HashMap::new();
        for suggestion in suggestions.into_iter().filter(|it| it.status == Status::Suggested) {
            by_tool.entry(suggestion.tool.clone()).or_default().push(suggestion);
        }
        Known(by_tool)
    }

    fn rule_for(&self, pattern: &Pattern) -> Option<SuggestedRule> {
        let tool = match &pattern.server {
            Some(server) => format!("{server}/{}", pattern.tool),
            None => pattern.tool.clone(),
        };
        let candidates = self.0.get(&tool)?;
        candidates.iter().find(|suggestion| is_about(suggestion, pattern)).map(in_few_words)
    }
}

/// Whether a suggestion is about what a pattern is about. A refusal of Toolwright has the parameter as a field. An error of a
/// server is free text: there, a quoted name is all there is to go by.
fn is_about(suggestion: &Suggestion, pattern: &Pattern) -> bool {
    let names = ["from", "to", "in_payload"].into_iter().filter_map(|key| suggestion.rule[key].as_str());
    let parameter = pattern.parameter.as_deref().map(|it| it.trim_start_matches('/'));
    names.into_iter().any(|name| {
        let is_quoted =
            |text: &str| ['"', '\'', '`'].iter().any(|sign| text.contains(&format!("{sign}{name}{sign}")));
        parameter == Some(name)
            || is_quoted(&pattern.pattern)
            || pattern.sample_errors.iter().any(|sample| is_quoted(sample))
    })
}

fn in_few_words(suggestion: &Suggestion) -> SuggestedRule {
    let rule = &suggestion.rule;
    let text = |key: &str| match &rule[key] {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    };
    SuggestedRule {
        rule_type: text("type").unwrap_or_default(),
        from: text("from").unwrap_or_default(),
        to: text("to").or_else(|| text("coerce_to")).or_else(|| text("value")).unwrap_or_default(),
        reason: suggestion.reason.clone(),
        id: Some(suggestion.id.clone()),
    }
}
