//! Carrying out edits, innermost first.

use serde_json::{Map, Value};

use super::{Change, Edit, Mutation, envelope};
use crate::site::Step;
use crate::write;

/// The call with all mistakes made, or nothing when one of them finds no place any more.
pub fn all(call: &Value, mutations: &[Mutation]) -> Option<Value> {
    let mut edits: Vec<&Edit> = mutations.iter().flat_map(|mutation| &mutation.edits).collect();
    edits.sort_by_key(|edit| order(edit));
    let mut value = call.clone();
    for edit in edits {
        value = one(value, edit)?;
    }
    Some(value)
}

/// Deeper values first; in one object members come and go, then get their names, then the object itself changes.
fn order(edit: &Edit) -> (std::cmp::Reverse<usize>, u8) {
    let (depth, phase) = match edit {
        Edit::Insert(path, ..) | Edit::Remove(path, _) => (path.len(), 0),
        Edit::Rename(path, _) => (path.len(), 1),
        Edit::Change(path, _) => (path.len(), 2),
        Edit::Lift(_) => (0, 3),
        Edit::Envelope(_) => (0, 4),
    };
    (std::cmp::Reverse(depth), phase)
}

fn one(mut value: Value, edit: &Edit) -> Option<Value> {
    match edit {
        Edit::Change(path, change) => {
            let place = at(&mut value, path)?;
            *place = changed(place.take(), change)?;
        }
        Edit::Insert(path, key, member) => {
            at(&mut value, path)?.as_object_mut()?.insert(key.clone(), member.clone());
        }
        Edit::Remove(path, key) => {
            at(&mut value, path)?.as_object_mut()?.shift_remove(key)?;
        }
        Edit::Rename(path, pairs) => {
            let place = at(&mut value, path)?;
            *place = Value::Object(renamed(place.as_object()?, pairs));
        }
        Edit::Lift(key) => {
            let outer = value.as_object()?;
            let inner = outer.get(key)?.as_object()?;
            let others = outer.iter().filter(|(name, _)| *name != key);
            value = Value::Object(
                others.chain(inner).map(|(name, member)| (name.clone(), member.clone())).collect(),
            );
        }
        Edit::Envelope(kind) => value = envelope::wrap(kind, value),
    }
    Some(value)
}

fn changed(value: Value, change: &Change) -> Option<Value> {
    Some(match change {
        Change::To(other) => other.clone(),
        Change::JsonText => Value::String(value.to_string()),
        Change::PythonText => Value::String(write::python(&value)),
        Change::ListOfOne => Value::Array(vec![value]),
        Change::OnlyItem => match value {
            Value::Array(items) if items.len() == 1 => items.into_iter().next()?,
            _ => return None,
        },
    })
}

fn renamed(members: &Map<String, Value>, pairs: &[(String, String)]) -> Map<String, Value> {
    let name = |key: &String| {
        let pair = pairs.iter().find(|(from, _)| from == key);
        pair.map_or_else(|| key.clone(), |(_, to)| to.clone())
    };
    members.iter().map(|(key, value)| (name(key), value.clone())).collect()
}

fn at<'a>(value: &'a mut Value, path: &[Step]) -> Option<&'a mut Value> {
    path.iter().try_fold(value, |value, step| match step {
        Step::Key(key) => value.get_mut(key),
        Step::Index(index) => value.get_mut(index),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn inner_edits_come_before_outer_ones() {
        let call = json!({"tags": [5], "o": {"startTime": 1}});
        let key = |name: &str| Step::Key(name.to_string());
        let mutations = [
            Mutation::new("type:json_text", Edit::Change(vec![key("o")], Change::JsonText)),
            Mutation::new("type:one_for_list", Edit::Change(vec![key("tags")], Change::OnlyItem)),
            Mutation::new(
                "type:scalar_text",
                Edit::Change(vec![key("tags"), Step::Index(0)], Change::To(json!("5"))),
            ),
            Mutation::new(
                "key:case",
                Edit::Rename(vec![key("o")], vec![("startTime".to_string(), "start_time".to_string())]),
            ),
        ];
        let broken = all(&call, &mutations).unwrap();
        assert_eq!(broken, json!({"tags": "5", "o": "{\"start_time\":1}"}));
    }
}
