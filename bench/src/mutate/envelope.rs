//! Arguments one level too deep, or one level too high.

use serde_json::{Value, json};

use super::{Edit, Mutation, Scene};
use crate::keys;
use crate::rng::Rng;
use crate::site::{Members, Site, Step};

/// What stands around the arguments.
#[derive(Debug, Clone)]
pub enum Envelope {
    /// One member with this name, the arguments as they are or as JSON text.
    Key(String, Form),
    /// A list with one item.
    List,
    /// The whole call: names of the members for tool and arguments, and the name of the tool.
    Call(&'static str, &'static str, String, Form),
    /// `{"type": "function", "function": {...}}`
    Function(String, Form),
    /// `{"type": "tool_use", ...}`
    ToolUse(String),
}

/// How the arguments stand in the envelope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// As an object.
    Plain,
    /// As JSON text.
    Text,
}

const NAMES: [&str; 6] = ["arguments", "input", "parameters", "params", "args", "tool_input"];

/// Adds envelopes and missing wrappers.
pub fn add(scene: &Scene<'_>, rng: &mut Rng, found: &mut Vec<Mutation>) {
    let tool = scene.tool.name.clone();
    let mut push = |kind, envelope| found.push(Mutation::new(kind, Edit::Envelope(envelope)));
    let name = rng.word(&NAMES);
    if is_free(scene, &[name]) {
        push("envelope:key", Envelope::Key(name.to_string(), Form::Plain));
        push("envelope:key_text", Envelope::Key(name.to_string(), Form::Text));
    }
    if is_free(scene, &[tool.as_str()]) {
        push("envelope:tool_name", Envelope::Key(tool.clone(), Form::Plain));
    }
    push("envelope:list", Envelope::List);
    let label = rng.word(&["name", "tool", "tool_name", "function"]);
    let holder = rng.word(&["arguments", "parameters", "input", "args"]);
    if is_free(scene, &[label, holder]) {
        push("envelope:call", Envelope::Call(label, holder, tool.clone(), Form::Plain));
        push("envelope:call_text", Envelope::Call(label, holder, tool.clone(), Form::Text));
    }
    if is_free(scene, &["type", "function", "name", "input", "id"]) {
        push("envelope:call", Envelope::Function(tool.clone(), Form::Plain));
        push("envelope:call_text", Envelope::Function(tool.clone(), Form::Text));
        push("envelope:call", Envelope::ToolUse(tool));
    }
    found.extend(scene.sites.iter().filter_map(|site| lifted(scene, site)));
}

/// Puts a value into an envelope.
pub fn wrap(envelope: &Envelope, value: Value) -> Value {
    let formed = |form: Form, value: Value| match form {
        Form::Plain => value,
        Form::Text => Value::String(value.to_string()),
    };
    match envelope {
        Envelope::Key(name, form) => json!({ name: formed(*form, value) }),
        Envelope::List => json!([value]),
        Envelope::Call(label, holder, tool, form) => json!({*label: tool, *holder: formed(*form, value)}),
        Envelope::Function(tool, form) => {
            json!({"type": "function", "function": {"name": tool, "arguments": formed(*form, value)}})
        }
        Envelope::ToolUse(tool) => {
            json!({"type": "tool_use", "id": "toolu_01", "name": tool, "input": value})
        }
    }
}

/// Which envelopes can stand in each other: a call in a key or a list, or the same key twice.
pub fn stack(one: &Envelope, two: &Envelope) -> bool {
    let is_call = |envelope: &Envelope| {
        matches!(envelope, Envelope::Call(..) | Envelope::Function(..) | Envelope::ToolUse(_))
    };
    let is_text = |envelope: &Envelope| {
        matches!(envelope, Envelope::Key(_, Form::Text) | Envelope::Function(_, Form::Text))
            || matches!(envelope, Envelope::Call(.., Form::Text))
    };
    let both = |test: &dyn Fn(&Envelope) -> bool| test(one) && test(two);
    !both(&is_call) && !both(&is_text) && !both(&|envelope| matches!(envelope, Envelope::List))
}

/// Whether no parameter of the tool has one of these names or words.
fn is_free(scene: &Scene<'_>, names: &[&str]) -> bool {
    scene.tool.parameters().all(|parameter| {
        let normal = keys::normal(parameter);
        let words = keys::words(parameter);
        names.iter().all(|name| keys::normal(name) != normal && !words.iter().any(|word| word == name))
    })
}

/// The one required object of a tool, its members sent beside each other at the top.
fn lifted(scene: &Scene<'_>, site: &Site<'_>) -> Option<Mutation> {
    let [Step::Key(key)] = site.path.as_slice() else { return None };
    let (inner, sent) = (site.members()?, site.value.as_object()?);
    let top = scene.sites.first()?;
    let outer = top.members()?;
    let objects = outer.required.iter().filter(|name| is_object(scene, name)).count();
    let lone = site.required && !site.in_union && objects == 1;
    let shown = sent.keys().any(|name| inner.needs(name));
    let known = sent.keys().all(|name| inner.declared.contains_key(name));
    let apart = sent.keys().all(|name| is_apart(&outer, name));
    let only = scene.call.as_object()?.len() == 1;
    let kind = if only { "wrapper:missing" } else { "wrapper:missing_beside_others" };
    (lone && shown && known && apart).then(|| Mutation::new(kind, Edit::Lift(key.clone())))
}

fn is_object(scene: &Scene<'_>, name: &str) -> bool {
    scene.call.get(name).is_some_and(Value::is_object)
}

/// Whether a lifted member cannot be taken for a parameter of the tool.
fn is_apart(outer: &Members<'_>, name: &str) -> bool {
    let normal = keys::normal(name);
    outer.declared.keys().all(|other| keys::normal(other) != normal)
}
