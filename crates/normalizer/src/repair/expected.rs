//! Description of a schema in a few words: `an integer from 1 to 100`, `"open" or "done"`.

use toolwright_jsonrpc::raw::{Kind, Node};

use super::Fitter;
use crate::schema::{Goal, SchemaId, SchemaNode, Types};

/// Maximum number of forms, values or names that are listed.
const LISTED: usize = 12;
/// Maximum number of allowed values that are compared with each other, to list each once.
const MAX_COMPARED: usize = 128;
/// Maximum depth of nested lists that are described.
const MAX_DEPTH: usize = 2;

impl Fitter<'_, '_> {
    /// Describes what the schemas accept, with its article.
    pub(super) fn expected(&self, ids: &[SchemaId]) -> String {
        self.expected_within(ids, 0)
    }

    /// Describes what at least one of the schemas accepts.
    pub(super) fn expected_of_either(&self, union: &[SchemaId]) -> String {
        either(union.iter().take(LISTED).map(|id| self.expected(&[*id])).collect(), 0)
    }

    fn expected_within(&self, ids: &[SchemaId], depth: usize) -> String {
        let schema = self.validator.schema();
        let goals = Goal::alternatives(self.validator, ids, &Node::built(Kind::Null));
        if !goals.is_empty() && goals.iter().all(|goal| goal.option_count(schema) > 0) {
            let count: usize = goals.iter().map(|goal| goal.option_count(schema)).sum();
            let options = goals.iter().flat_map(|goal| goal.first_options(schema, MAX_COMPARED));
            let options: Vec<String> = options.take(MAX_COMPARED).map(|option| option.to_json()).collect();
            let unseen = count - options.len();
            return either(options, unseen);
        }
        either(goals.iter().map(|goal| self.form(goal, depth)).collect(), 0)
    }

    /// Describes one form that a value may have.
    fn form(&self, goal: &Goal, depth: usize) -> String {
        let schema = self.validator.schema();
        let types = goal.types(schema);
        let nodes: Vec<&SchemaNode> = goal.nodes(schema).collect();
        let words = with_article(&types.describe());
        let limits = match types {
            Types::INTEGER | Types::NUMBER => number_limits(&nodes),
            Types::STRING => text_limits(&nodes),
            Types::ARRAY => {
                let items = goal.item(schema, 0);
                let item = if items.is_empty() || depth >= MAX_DEPTH {
                    None
                } else {
                    Some(self.expected_within(&items, depth + 1)).filter(|item| item != "any value")
                };
                let each = item.map_or(String::new(), |item| format!(" (each item {item})"));
                format!("{each}{}", count_limits(&nodes, |node| (node.array.min, node.array.max), "item"))
            }
            Types::OBJECT => {
                let names = goal.required(schema);
                let named: Vec<String> =
                    names.iter().take(LISTED).map(|name| format!("\"{name}\"")).collect();
                if named.is_empty() { String::new() } else { format!(" with {}", named.join(", ")) }
            }
            _ => String::new(),
        };
        format!("{words}{limits}")
    }
}

/// `a string`, `an object or null`, `null`.
pub(super) fn with_article(words: &str) -> String {
    match words {
        "null" | "any value" => words.to_owned(),
        "" => "nothing".to_owned(),
        _ if words.starts_with(['a', 'i', 'o']) => format!("an {words}"),
        _ => format!("a {words}"),
    }
}

/// `a, b or c`, each once; `unseen` is the number of further forms.
fn either(mut forms: Vec<String>, unseen: usize) -> String {
    let mut seen: Vec<String> = Vec::new();
    forms.retain(|form| {
        let is_new = !seen.contains(form);
        if is_new {
            seen.push(form.clone());
        }
        is_new
    });
    let more = forms.len().saturating_sub(LISTED) + unseen;
    forms.truncate(LISTED);
    if more > 0 {
        forms.push(format!("{more} more"));
    }
    match forms.split_last() {
        None => "any value".to_owned(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
    }
}

fn number_limits(nodes: &[&SchemaNode]) -> String {
    let limits = || nodes.iter().map(|node| &node.number);
    let minimum = limits().filter_map(|number| number.minimum.as_ref()).max();
    let maximum = limits().filter_map(|number| number.maximum.as_ref()).min();
    let mut words = match (minimum, maximum) {
        (Some(minimum), Some(maximum)) => format!(" from {minimum} to {maximum}"),
        (Some(minimum), None) => format!(" of at least {minimum}"),
        (None, Some(maximum)) => format!(" of at most {maximum}"),
        (None, None) => String::new(),
    };
    if let Some(above) = limits().filter_map(|number| number.above.as_ref()).max() {
        words.push_str(&format!(" above {above}"));
    }
    if let Some(below) = limits().filter_map(|number| number.below.as_ref()).min() {
        words.push_str(&format!(" below {below}"));
    }
    if let Some(step) = limits().find_map(|number| number.multiple_of.as_ref()) {
        words.push_str(&format!(" in steps of {step}"));
    }
    words
}

fn text_limits(nodes: &[&SchemaNode]) -> String {
    let pattern = nodes
        .iter()
        .filter_map(|node| node.string.pattern.as_ref())
        .find(|pattern| pattern.unsupported().is_none());
    let like = pattern.map_or(String::new(), |pattern| format!(" like {}", pattern.source()));
    format!("{}{like}", count_limits(nodes, |node| (node.string.min, node.string.max), "character"))
}

fn count_limits(
    nodes: &[&SchemaNode],
    limits: impl Fn(&SchemaNode) -> (Option<u64>, Option<u64>),
    unit: &str,
) -> String {
    let min = nodes.iter().filter_map(|node| limits(node).0).max().filter(|min| *min > 0);
    let max = nodes.iter().filter_map(|node| limits(node).1).min();
    match (min, max) {
        (Some(min), Some(max)) if min == max => format!(" of {}", counted(min, unit)),
        (Some(min), Some(max)) => format!(" of {min} to {}", counted(max, unit)),
        (Some(min), None) => format!(" of at least {}", counted(min, unit)),
        (None, Some(max)) => format!(" of at most {}", counted(max, unit)),
        (None, None) => String::new(),
    }
}

/// `1 item`, `3 items`.
pub(super) fn counted(count: u64, unit: &str) -> String {
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}
