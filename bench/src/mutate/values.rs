//! Values of the wrong type, and enum values in another form.

use serde_json::Value;

use super::{Change, Edit, Mutation, Scene};
use crate::keys::{self, Spelling};
use crate::rng::Rng;
use crate::site::{Site, Step};
use crate::write;

/// Adds what can go wrong with each value.
pub fn add(scene: &Scene<'_>, rng: &mut Rng, found: &mut Vec<Mutation>) {
    for site in scene.sites.iter().filter(|site| !site.path.is_empty()) {
        let mut push =
            |kind, change| found.push(Mutation::new(kind, Edit::Change(site.path.clone(), change)));
        if let Some(text) = scalar_text(site.value, rng) {
            push("type:scalar_text", Change::To(Value::String(text)));
        }
        if site.value.is_array() || site.value.is_object() {
            push("type:json_text", Change::JsonText);
            if write::python(site.value).contains(['\'', 'T', 'F', 'N']) {
                push("type:python_text", Change::PythonText);
            }
        }
        if is_clear_list_of_one(site) {
            push("type:one_for_list", Change::OnlyItem);
        }
        let inside_list = matches!(site.path.last(), Some(Step::Index(_)));
        if !inside_list && !site.value.is_array() && !site.value.is_null() {
            push("type:list_for_one", Change::ListOfOne);
        }
        if let Some(number) = number_of(site) {
            push("type:number_for_string", Change::To(number));
        }
        if let Some(container) = json_of(site) {
            push("type:object_for_json_text", Change::To(container));
        }
        if let Some(form) = enum_form(site, rng) {
            push("enum:form", Change::To(Value::String(form)));
        }
    }
}

fn scalar_text(value: &Value, rng: &mut Rng) -> Option<String> {
    match value {
        Value::Bool(true) => Some(rng.word(&["true", "True"]).to_string()),
        Value::Bool(false) => Some(rng.word(&["false", "False"]).to_string()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// A list whose only item, sent alone, can only mean that list: not text that might be several items.
fn is_clear_list_of_one(site: &Site<'_>) -> bool {
    let Some([item]) = site.value.as_array().map(Vec::as_slice) else { return false };
    let clear = match item {
        Value::String(text) => {
            !text.is_empty() && !text.contains([',', ';', '[', '{', '\n']) && !text.contains(" and ")
        }
        Value::Array(_) | Value::Null => false,
        _ => true,
    };
    clear && site.branch.get("prefixItems").is_none()
}

/// The number that prints exactly as the string does.
fn number_of(site: &Site<'_>) -> Option<Value> {
    let text = site.value.as_str()?;
    if site.branch.get("enum").is_some() || site.branch.get("const").is_some() {
        return None;
    }
    let number: Value = serde_json::from_str(text).ok()?;
    let printed = number.to_string();
    (number.is_number() && printed.as_str() == text).then_some(number)
}

/// The container a string holds as JSON text, where the declaration says that it holds JSON.
fn json_of(site: &Site<'_>) -> Option<Value> {
    let value: Value = serde_json::from_str(site.value.as_str()?).ok()?;
    let description = site.branch.get("description").and_then(Value::as_str).unwrap_or_default();
    let says_so = description.contains("JSON") || site.key().is_some_and(|key| key.contains("json"));
    (says_so && (value.is_object() || value.is_array())).then_some(value)
}

/// Another spelling of an enum value that points at no other value of the enum.
fn enum_form(site: &Site<'_>, rng: &mut Rng) -> Option<String> {
    let value = site.value.as_str()?;
    let allowed: Vec<&str> = match (site.branch.get("enum"), site.branch.get("const")) {
        (Some(Value::Array(list)), _) => list.iter().filter_map(Value::as_str).collect(),
        (_, Some(only)) => only.as_str().into_iter().collect(),
        _ => return None,
    };
    let normal = keys::normal(value);
    let twins = allowed.iter().filter(|other| keys::normal(other) == normal).count();
    if normal.len() < 2 || twins != 1 {
        return None;
    }
    let mut forms = vec![value.to_uppercase(), value.to_lowercase()];
    // Signs such as the slash of a MIME type mean something: only separators are written differently.
    if value.chars().all(|letter| letter.is_alphanumeric() || "_- ".contains(letter)) {
        forms.extend(Spelling::ALL.iter().map(|spelling| spelling.of(value)));
        forms.push(keys::words(value).join(" "));
    }
    forms.retain(|form| keys::normal(form) == normal && form != value && !allowed.contains(&form.as_str()));
    rng.pick(&forms).cloned()
}
