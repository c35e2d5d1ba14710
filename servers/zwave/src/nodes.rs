//! The gateway's list of nodes, from its API `getNodes`.
//!
//! Parsing is lenient: a node without a number is skipped, and a missing key is unknown.

use serde_json::{Map, Value};

/// A node of the network.
#[derive(Clone, Debug, PartialEq)]
pub struct ZwaveNode {
    /// Its number.
    pub id: u64,
    /// The name set by the user; may be empty.
    pub name: String,
    /// The location set by the user; may be empty.
    pub location: String,
    /// The gateway has finished its interview.
    pub is_ready: bool,
    /// It is not dead.
    pub is_available: bool,
    /// Such as `Alive` or `Asleep`.
    pub status: String,
    /// Milliseconds since 1970.
    pub last_active: Option<u64>,
    /// Its values.
    pub values: Vec<NodeValue>,
}

/// A value of a node.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeValue {
    /// The number of its command class.
    pub class: u64,
    /// Zero is the device itself.
    pub endpoint: u64,
    /// The property in the API.
    pub property: Value,
    /// The property key in the API.
    pub property_key: Option<Value>,
    /// The property in topics.
    pub property_name: String,
    /// Such as `°C`.
    pub unit: Option<String>,
    /// Null while it is unknown.
    pub value: Value,
    /// Milliseconds since 1970.
    pub last_update: Option<u64>,
}

/// Parses a result of `getNodes`, without the controller. `None` if it is not a list.
pub fn read(result: &Value) -> Option<Vec<ZwaveNode>> {
    let nodes = result.as_array()?;
    Some(nodes.iter().filter_map(Value::as_object).filter_map(node).collect())
}

fn node(node: &Map<String, Value>) -> Option<ZwaveNode> {
    let is_true = |key: &str| node.get(key).and_then(Value::as_bool).unwrap_or(false);
    if is_true("isControllerNode") || is_true("virtual") {
        return None;
    }
    let values = node.get("values").and_then(Value::as_object);
    Some(ZwaveNode {
        id: node.get("id")?.as_u64()?,
        name: text(node, "name"),
        location: text(node, "loc"),
        is_ready: is_true("ready"),
        is_available: is_true("available"),
        status: text(node, "status"),
        last_active: node.get("lastActive").and_then(Value::as_u64),
        values: values
            .map(|values| values.values().filter_map(Value::as_object).filter_map(value).collect())
            .unwrap_or_default(),
    })
}

fn value(value: &Map<String, Value>) -> Option<NodeValue> {
    let property = value.get("property")?.clone();
    let property_name = match text(value, "propertyName") {
        name if name.is_empty() => plain(&property),
        name => name,
    };
    Some(NodeValue {
        class: value.get("commandClass")?.as_u64()?,
        endpoint: value.get("endpoint").and_then(Value::as_u64).unwrap_or(0),
        property,
        property_key: value.get("propertyKey").filter(|key| !key.is_null()).cloned(),
        property_name,
        unit: Some(text(value, "unit")).filter(|unit| !unit.is_empty()),
        value: value.get("value").cloned().unwrap_or(Value::Null),
        last_update: value.get("lastUpdate").and_then(Value::as_u64),
    })
}

fn text(object: &Map<String, Value>, key: &str) -> String {
    object.get(key).and_then(Value::as_str).unwrap_or_default().trim().to_owned()
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_node_is_read_with_its_values() {
        let nodes = read(&json!([
            {"id": 1, "isControllerNode": true, "ready": true},
            {"id": 2, "name": "Switch One", "loc": null, "ready": true, "available": true, "status": "Alive", "lastActive": 5,
             "values": {"37-0-currentValue": {"commandClass": 37, "endpoint": 0, "property": "currentValue", "value": false, "lastUpdate": 4}}},
        ]));
        let nodes = nodes.expect("a list");
        assert_eq!(nodes.len(), 1);
        assert_eq!((nodes[0].id, nodes[0].name.as_str(), nodes[0].location.as_str()), (2, "Switch One", ""));
        assert_eq!(nodes[0].values[0].property_name, "currentValue");
        assert_eq!(nodes[0].values[0].value, json!(false));
    }

    #[test]
    fn invalid_nodes_are_skipped_and_invalid_list_is_none() {
        assert_eq!(
            read(&json!([1, null, {}, {"id": "multicast", "virtual": true}, {"id": -1}])),
            Some(Vec::new())
        );
        assert_eq!(read(&json!({"id": 2})), None);
        let bare = read(&json!([{"id": 9, "values": {"x": 1, "y": {"property": "a"}}}])).expect("a list");
        assert_eq!((bare[0].is_ready, bare[0].is_available, bare[0].values.len()), (false, false, 0));
    }
}
