//! The devices: the gateway's list, combined with later topic messages.
//!
//! Two nodes may have the same topics (`Fan 1` and `Fan_1`). Messages on such a topic are ignored for both:
//! only the gateway's list counts, which uses node numbers.

use std::collections::HashMap;
use std::fmt;

use serde_json::Value;

use crate::names::Named;
use crate::nodes::{NodeValue, ZwaveNode};
use crate::topics::{ValueTopic, class_word, sanitised};

/// Limit of values from topics; further ones are ignored. A large home has some thousands.
const VALUES_KEPT: usize = 50_000;
/// Limit of nodes from topics. A network has 232, and names change.
const NODES_KEPT: usize = 5_000;

const SWITCH_BINARY: u64 = 37;
const SWITCH_MULTILEVEL: u64 = 38;
const SENSOR_BINARY: u64 = 48;
const SENSOR_MULTILEVEL: u64 = 49;
const THERMOSTAT_MODE: u64 = 64;

/// Command classes of devices that lock, open or warn (Z-Wave Application Command Classes), with the name
/// of the device type.
const GUARDS: &[(u64, &str)] = &[
    (98, "door lock"),
    (76, "door lock"),
    (78, "door lock"),
    (102, "barrier"),
    (111, "keypad"),
    (99, "lock with user codes"),
    (131, "lock with user codes"),
    (106, "window covering"),
    (107, "irrigation valve"),
    (121, "siren"),
];

/// The values received from topics.
#[derive(Debug, Default)]
pub struct Heard {
    values: HashMap<ValueTopic, Reading>,
    last_active: HashMap<String, u64>,
}

/// A value with its time.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// The value.
    pub value: Value,
    /// When the gateway received it, in milliseconds since 1970. Unknown for retained bare values.
    pub time: Option<u64>,
}

/// A device.
#[derive(Clone, Debug)]
pub struct ZwaveDevice {
    /// Its node number.
    pub id: u64,
    /// Its name.
    pub name: String,
    /// Its location; may be empty.
    pub location: String,
    /// Its kind.
    pub kind: DeviceKind,
    /// Its presence.
    pub presence: Presence,
    /// Milliseconds since 1970.
    pub last_seen: Option<u64>,
    /// The node part of its topics, unless another node has the same.
    pub topic: Option<String>,
    /// Its values.
    pub values: Vec<DeviceValue>,
}

/// The kind of a device. The first matching kind counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceKind {
    /// It has levels.
    Dimmer,
    /// It is on or off.
    Switch,
    /// It controls a temperature.
    Thermostat,
    /// It measures.
    Sensor,
    /// Something else.
    Other,
}

/// Whether a device can be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// It can be reached.
    Online,
    /// It sleeps, and receives commands when it wakes up.
    Asleep,
    /// The gateway considers it dead.
    Dead,
    /// The gateway has not finished its interview.
    NotReady,
}

/// A value of a device with its current reading.
#[derive(Clone, Debug)]
pub struct DeviceValue {
    /// Its identity at the gateway.
    pub value: NodeValue,
    /// The reading.
    pub reading: Reading,
    /// The source of the reading.
    pub source: ReadingSource,
}

/// The source of a reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadingSource {
    /// A topic.
    Mqtt,
    /// The gateway's list.
    Api,
}

impl Heard {
    /// Stores a value.
    pub fn value(&mut self, topic: ValueTopic, reading: Reading) {
        if self.values.len() < VALUES_KEPT || self.values.contains_key(&topic) {
            self.values.insert(topic, reading);
        }
    }

    /// Stores when a node was last active.
    pub fn last_active(&mut self, node: String, time: u64) {
        if self.last_active.len() < NODES_KEPT || self.last_active.contains_key(&node) {
            self.last_active.insert(node, time);
        }
    }

    /// The last reading from the topic of a value.
    pub fn reading(&self, node: &str, value: &NodeValue) -> Option<&Reading> {
        let mut property = sanitised(&value.property_name.replace('/', "-"));
        if let Some(key) = &value.property_key {
            let key = key.as_str().map_or_else(|| key.to_string(), str::to_owned);
            property = format!("{property}/{}", sanitised(&key.replace('/', "-")));
        }
        let topic = ValueTopic {
            node: node.to_owned(),
            class: class_word(value.class)?.to_owned(),
            endpoint: u32::try_from(value.endpoint).ok()?,
            property,
        };
        self.values.get(&topic)
    }
}

/// Combines the gateway's list with the values from topics.
pub fn assemble(nodes: &[ZwaveNode], heard: &Heard) -> Vec<ZwaveDevice> {
    let mut owners: HashMap<String, usize> = HashMap::new();
    for node in nodes {
        *owners.entry(topic_of(node)).or_default() += 1;
    }
    nodes
        .iter()
        .map(|node| {
            let topic = topic_of(node);
            device(node, heard, (owners.get(&topic) == Some(&1)).then_some(topic))
        })
        .collect()
}

impl ZwaveDevice {
    /// Whether a command reaches it, now or when it wakes up.
    pub fn is_online(&self) -> bool {
        matches!(self.presence, Presence::Online | Presence::Asleep)
    }

    /// The target value and the current value of the class that makes it a switch or a dimmer.
    pub fn control(&self) -> Option<(&NodeValue, &DeviceValue)> {
        let class = match self.kind {
            DeviceKind::Dimmer => SWITCH_MULTILEVEL,
            DeviceKind::Switch => SWITCH_BINARY,
            DeviceKind::Thermostat | DeviceKind::Sensor | DeviceKind::Other => return None,
        };
        let named = |name: &str| {
            let ours = self.values.iter().filter(move |known| known.value.class == class);
            ours.filter(|known| known.value.property_name == name).min_by_key(|known| known.value.endpoint)
        };
        let target = named("targetValue")?;
        let current = named("currentValue")?;
        Some((&target.value, current))
    }

    /// The type of a guarded device, by its command classes: the list reports it, because a name may not
    /// reveal it.
    pub fn guards(&self) -> Option<&'static str> {
        let has = |class: u64| self.values.iter().any(|known| known.value.class == class);
        GUARDS.iter().find(|(class, _)| has(*class)).map(|(_, what)| *what)
    }

    /// Its sensor values.
    pub fn sensors(&self) -> Vec<&DeviceValue> {
        let is_sensor = |known: &&DeviceValue| matches!(known.value.class, SENSOR_MULTILEVEL | SENSOR_BINARY);
        self.values.iter().filter(is_sensor).collect()
    }

    /// `ON`, `OFF`, `ON (40%)`, `21.5 °C` or `unknown`.
    pub fn state(&self) -> String {
        match self.control() {
            Some((_, current)) => state_of(&current.reading.value),
            None => self.sensors().first().map_or_else(|| UNKNOWN.to_owned(), |known| known.shown()),
        }
    }
}

impl DeviceValue {
    /// The value with its unit.
    pub fn shown(&self) -> String {
        let value = match &self.reading.value {
            Value::Null => return UNKNOWN.to_owned(),
            Value::Bool(is_so) => return if *is_so { "yes".into() } else { "no".into() },
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        match &self.value.unit {
            Some(unit) if unit == "%" || unit.starts_with('°') => format!("{value}{unit}"),
            Some(unit) => format!("{value} {unit}"),
            None => value,
        }
    }
}

const UNKNOWN: &str = "unknown";

/// The state of a switch or a dimmer. Z-Wave levels go to 99, displayed ones to 100.
pub fn state_of(current: &Value) -> String {
    match (current.as_bool(), current.as_f64()) {
        (Some(true), _) => "ON".to_owned(),
        (Some(false), _) => "OFF".to_owned(),
        (None, Some(level)) if level <= 0.0 => "OFF".to_owned(),
        (None, Some(level)) if level >= 99.0 => "ON (100%)".to_owned(),
        (None, Some(level)) => format!("ON ({level}%)"),
        (None, None) => UNKNOWN.to_owned(),
    }
}

impl Named for ZwaveDevice {
    fn name(&self) -> &str {
        &self.name
    }

    fn location(&self) -> &str {
        &self.location
    }
}

impl fmt::Display for DeviceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DeviceKind::Dimmer => "dimmer",
            DeviceKind::Switch => "switch",
            DeviceKind::Thermostat => "thermostat",
            DeviceKind::Sensor => "sensor",
            DeviceKind::Other => "device",
        })
    }
}

/// The node part of its topics.
fn topic_of(node: &ZwaveNode) -> String {
    let name = sanitised(&name_of(node));
    match sanitised(&node.location) {
        location if location.is_empty() => name,
        location => format!("{location}/{name}"),
    }
}

/// The name of a node; the gateway's default if it has none.
fn name_of(node: &ZwaveNode) -> String {
    if node.name.is_empty() { format!("nodeID_{}", node.id) } else { node.name.clone() }
}

fn device(node: &ZwaveNode, heard: &Heard, topic: Option<String>) -> ZwaveDevice {
    let values = node.values.iter().map(|value| known(value, heard, topic.as_deref())).collect();
    let heard_of = topic.as_ref().and_then(|topic| heard.last_active.get(topic)).copied();
    let presence = match (node.is_available, node.is_ready) {
        (false, _) => Presence::Dead,
        (true, false) => Presence::NotReady,
        (true, true) if node.status == "Asleep" => Presence::Asleep,
        (true, true) => Presence::Online,
    };
    ZwaveDevice {
        id: node.id,
        name: name_of(node),
        location: node.location.clone(),
        kind: kind_of(node),
        presence,
        last_seen: node.last_active.max(heard_of),
        topic,
        values,
    }
}

fn kind_of(node: &ZwaveNode) -> DeviceKind {
    let has = |class: u64| node.values.iter().any(|value| value.class == class);
    if has(SWITCH_MULTILEVEL) {
        DeviceKind::Dimmer
    } else if has(SWITCH_BINARY) {
        DeviceKind::Switch
    } else if has(THERMOSTAT_MODE) {
        DeviceKind::Thermostat
    } else if has(SENSOR_MULTILEVEL) || has(SENSOR_BINARY) {
        DeviceKind::Sensor
    } else {
        DeviceKind::Other
    }
}

/// The newer reading. Both times come from the gateway, so they are comparable.
fn known(value: &NodeValue, heard: &Heard, topic: Option<&str>) -> DeviceValue {
    let listed = Reading { value: value.value.clone(), time: value.last_update };
    let from_topic = topic.and_then(|topic| heard.reading(topic, value));
    let (reading, source) = match from_topic {
        Some(from_topic) if !from_topic.value.is_null() && from_topic.time >= listed.time => {
            (from_topic.clone(), ReadingSource::Mqtt)
        }
        _ => (listed, ReadingSource::Api),
    };
    DeviceValue { value: value.clone(), reading, source }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::nodes;

    fn nodes() -> Vec<ZwaveNode> {
        let switch = |id: u64, name: &str, loc: &str| {
            json!({"id": id, "name": name, "loc": loc, "ready": true, "available": true, "status": "Alive", "values": {
                "37-0-targetValue": {"commandClass": 37, "property": "targetValue", "propertyName": "targetValue"},
                "37-0-currentValue": {"commandClass": 37, "property": "currentValue", "propertyName": "currentValue", "value": false, "lastUpdate": 10},
            }})
        };
        let sensor = json!({"id": 7, "name": "Porch Sensor", "loc": "Porch", "ready": true, "available": true, "values": {
            "49-0-Air temperature": {"commandClass": 49, "property": "Air temperature", "propertyName": "Air temperature", "unit": "°C", "value": 20, "lastUpdate": 10},
        }});
        let list = json!([
            switch(2, "Switch One", ""),
            switch(9, "Fan 1", ""),
            switch(10, "Fan_1", ""),
            switch(11, "", ""),
            sensor
        ]);
        nodes::read(&list).expect("a list")
    }

    fn topic(node: &str, class: &str, property: &str) -> ValueTopic {
        ValueTopic { node: node.into(), class: class.into(), endpoint: 0, property: property.into() }
    }

    #[test]
    fn a_name_with_a_blank_finds_its_topic_and_the_newer_value_counts() {
        let mut heard = Heard::default();
        let current = topic("Switch_One", "switch_binary", "currentValue");
        heard.value(current.clone(), Reading { value: json!(true), time: Some(11) });
        let devices = assemble(&nodes(), &heard);
        assert_eq!((devices[0].state().as_str(), devices[0].kind), ("ON", DeviceKind::Switch));
        heard.value(current, Reading { value: json!(true), time: Some(9) });
        assert_eq!(assemble(&nodes(), &heard)[0].state(), "OFF");
    }

    #[test]
    fn a_topic_of_two_nodes_says_nothing_of_either() {
        let mut heard = Heard::default();
        heard.value(
            topic("Fan_1", "switch_binary", "currentValue"),
            Reading { value: json!(true), time: Some(99) },
        );
        let devices = assemble(&nodes(), &heard);
        for device in &devices[1..3] {
            assert_eq!((device.topic.as_ref(), device.state().as_str()), (None, "OFF"));
            assert!(device.is_online());
        }
        assert_eq!(devices[3].name, "nodeID_11");
        assert_eq!(devices[3].topic.as_deref(), Some("nodeID_11"));
    }

    #[test]
    fn sensor_reading_is_found_by_topic() {
        let mut heard = Heard::default();
        let from_topic = Reading { value: json!(21.5), time: Some(20) };
        heard.value(topic("Porch/Porch_Sensor", "sensor_multilevel", "Air_temperature"), from_topic);
        let devices = assemble(&nodes(), &heard);
        let sensor = devices[4].sensors()[0];
        assert_eq!((sensor.shown().as_str(), sensor.source), ("21.5°C", ReadingSource::Mqtt));
        assert_eq!(devices[4].kind, DeviceKind::Sensor);
    }

    #[test]
    fn presence_follows_node_status() {
        let with = |available: bool, ready: bool, status: &str| {
            let node = json!([{"id": 2, "available": available, "ready": ready, "status": status}]);
            assemble(&nodes::read(&node).expect("a list"), &Heard::default())[0].presence
        };
        assert_eq!(with(false, true, "Dead"), Presence::Dead);
        assert_eq!(with(true, false, "Alive"), Presence::NotReady);
        assert_eq!(with(true, true, "Asleep"), Presence::Asleep);
        assert_eq!(with(true, true, "Alive"), Presence::Online);
    }

    #[test]
    fn ninety_nine_is_all_there_is() {
        for (current, state) in [
            (json!(99), "ON (100%)"),
            (json!(42), "ON (42%)"),
            (json!(0), "OFF"),
            (json!(true), "ON"),
            (json!(null), "unknown"),
            (json!("odd"), "unknown"),
        ] {
            assert_eq!(state_of(&current), state);
        }
    }
}
