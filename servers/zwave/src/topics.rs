//! The topics of the gateway in its named layout: parsing, and topic names of devices.
//!
//! ```text
//! zwave/_CLIENTS/ZWAVE_GATEWAY-house/status                       the gateway
//! zwave/_CLIENTS/ZWAVE_GATEWAY-house/api/getNodes[/set]           its answers [and what is asked]
//! zwave/[Location/]Device_Name/status|lastActive                  a node
//! zwave/[Location/]Device_Name/switch_binary/endpoint_0/currentValue
//! ```
//!
//! A location may contain slashes, so a topic is parsed from `endpoint_N` in both directions.

/// The prefix of gateway names.
pub const GATEWAY_PREFIX: &str = "ZWAVE_GATEWAY-";
/// The topic level of gateways.
const CLIENTS: &str = "_CLIENTS";

/// A parsed topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Topic {
    /// The status of a gateway.
    GatewayStatus {
        /// With its prefix.
        gateway: String,
    },
    /// An API response of a gateway.
    ApiAnswer {
        /// With its prefix.
        gateway: String,
        /// The name of the API.
        api: String,
    },
    /// The status of a node.
    NodeStatus {
        /// The node part of its topics.
        node: String,
    },
    /// When a node was last active.
    NodeLastActive {
        /// The node part of its topics.
        node: String,
    },
    /// A value of a node.
    Value(ValueTopic),
}

/// The topic of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ValueTopic {
    /// The node part of its topics.
    pub node: String,
    /// Such as `switch_binary`.
    pub class: String,
    /// Zero is the device itself.
    pub endpoint: u32,
    /// Such as `currentValue`, followed by the property key if there is one.
    pub property: String,
}

/// Parses a topic; `None` if this server does not use it.
pub fn parse(prefix: &str, topic: &str) -> Option<Topic> {
    let rest = topic.strip_prefix(prefix)?.strip_prefix('/')?;
    let parts: Vec<&str> = rest.split('/').collect();
    match parts.as_slice() {
        // The subscription also delivers requests.
        [.., "set"] => None,
        [CLIENTS, gateway, "status"] if gateway.starts_with(GATEWAY_PREFIX) => {
            Some(Topic::GatewayStatus { gateway: (*gateway).to_owned() })
        }
        [CLIENTS, gateway, "api", api] => {
            Some(Topic::ApiAnswer { gateway: (*gateway).to_owned(), api: (*api).to_owned() })
        }
        // Other topics of the gateway; its documentation calls the second one `_EVENTS_`.
        [CLIENTS | "_EVENTS" | "_EVENTS_", ..] => None,
        // The driver has a status too, but is not a node.
        ["driver", "status"] => None,
        _ => value(&parts).map(Topic::Value).or_else(|| about_node(&parts)),
    }
}

/// The request topic of an API.
pub fn api_request(prefix: &str, gateway: &str, api: &str) -> String {
    format!("{prefix}/{CLIENTS}/{gateway}/api/{api}/set")
}

/// The topic form of a name: spaces become underscores, and characters other than Latin letters, digits,
/// `-`, `_` and `/` are removed.
pub fn sanitised(name: &str) -> String {
    let is_kept = |c: char| {
        c.is_ascii_alphanumeric()
            || matches!(c, '-' | '_' | '/')
            || matches!(c, 'À'..='Ö' | 'Ø'..='ö' | 'ø'..='ÿ')
    };
    name.chars().map(|c| if c.is_whitespace() { '_' } else { c }).filter(|c| is_kept(*c)).collect()
}

/// The name of a command class in topics, limited to those used here.
pub fn class_word(class: u64) -> Option<&'static str> {
    Some(match class {
        37 => "switch_binary",
        38 => "switch_multilevel",
        48 => "sensor_binary",
        49 => "sensor_multilevel",
        64 => "thermostat_mode",
        _ => return None,
    })
}

fn value(parts: &[&str]) -> Option<ValueTopic> {
    let is_endpoint = |part: &&str| {
        part.strip_prefix("endpoint_")
            .is_some_and(|n| !n.is_empty() && n.bytes().all(|byte| byte.is_ascii_digit()))
    };
    // From the end: a room may be named like an endpoint, a property is not.
    let at = parts.iter().rposition(is_endpoint)?;
    let (before, behind) = (&parts[..at], &parts[at + 1..]);
    let (class, node) = before.split_last()?;
    let endpoint = parts[at].strip_prefix("endpoint_")?.parse().ok()?;
    let is_whole = !node.is_empty() && !behind.is_empty();
    is_whole.then(|| ValueTopic {
        node: node.join("/"),
        class: (*class).to_owned(),
        endpoint,
        property: behind.join("/"),
    })
}

fn about_node(parts: &[&str]) -> Option<Topic> {
    let (last, node) = parts.split_last()?;
    if node.is_empty() {
        return None;
    }
    let node = node.join("/");
    match *last {
        "status" => Some(Topic::NodeStatus { node }),
        "lastActive" => Some(Topic::NodeLastActive { node }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn value_of(topic: &str) -> Option<(String, String, u32, String)> {
        match parse("zwave", topic) {
            Some(Topic::Value(it)) => Some((it.node, it.class, it.endpoint, it.property)),
            _ => None,
        }
    }

    fn words(
        node: &str,
        class: &str,
        endpoint: u32,
        property: &str,
    ) -> Option<(String, String, u32, String)> {
        Some((node.to_owned(), class.to_owned(), endpoint, property.to_owned()))
    }

    #[test]
    fn a_value_is_read_with_and_without_a_location() {
        assert_eq!(
            value_of("zwave/Switch_One/switch_binary/endpoint_0/currentValue"),
            words("Switch_One", "switch_binary", 0, "currentValue")
        );
        assert_eq!(
            value_of("zwave/Living_Room/Lamp/switch_multilevel/endpoint_1/currentValue"),
            words("Living_Room/Lamp", "switch_multilevel", 1, "currentValue")
        );
        assert_eq!(
            value_of("zwave/House/First/Lamp/sensor_multilevel/endpoint_0/Air_temperature"),
            words("House/First/Lamp", "sensor_multilevel", 0, "Air_temperature")
        );
        assert_eq!(
            value_of("zwave/endpoint_7/Lamp/color/endpoint_0/currentColor/2"),
            words("endpoint_7/Lamp", "color", 0, "currentColor/2")
        );
    }

    #[test]
    fn gateways_and_nodes_tell_of_themselves() {
        let gateway = "ZWAVE_GATEWAY-house".to_owned();
        for (topic, about) in [
            (
                "zwave/_CLIENTS/ZWAVE_GATEWAY-house/status",
                Some(Topic::GatewayStatus { gateway: gateway.clone() }),
            ),
            (
                "zwave/_CLIENTS/ZWAVE_GATEWAY-house/api/getNodes",
                Some(Topic::ApiAnswer { gateway, api: "getNodes".into() }),
            ),
            ("zwave/Hall/Lamp/status", Some(Topic::NodeStatus { node: "Hall/Lamp".into() })),
            ("zwave/Lamp/lastActive", Some(Topic::NodeLastActive { node: "Lamp".into() })),
        ] {
            assert_eq!(parse("zwave", topic), about, "{topic}");
        }
    }

    #[test]
    fn requests_and_foreign_topics_are_ignored() {
        for topic in [
            "zwave/_CLIENTS/ZWAVE_GATEWAY-house/api/getNodes/set",
            "zwave/Lamp/switch_multilevel/endpoint_0/targetValue/set",
            "zwave/_CLIENTS/another/status",
            "zwave/_EVENTS/ZWAVE_GATEWAY-house/driver/status",
            "zwave/driver/status",
            "zwave/status",
            "zwave",
            "zwaves/Lamp/status",
            "other/Lamp/status",
            "zwave/switch_binary/endpoint_0/currentValue",
            "zwave/Lamp/switch_binary/endpoint_0",
            "zwave/Lamp/switch_binary/endpoint_/currentValue",
            "zwave/Lamp/switch_binary/endpoint_99999999999/currentValue",
            "",
        ] {
            assert_eq!(parse("zwave", topic), None, "{topic}");
        }
    }

    #[test]
    fn names_become_what_the_gateway_makes_of_them() {
        for (name, topic) in [
            ("Switch One", "Switch_One"),
            ("Fan_1", "Fan_1"),
            ("Café (left)", "Café_left"),
            ("灯", ""),
            ("A/B", "A/B"),
            ("a\tb", "a_b"),
        ] {
            assert_eq!(sanitised(name), topic, "{name}");
        }
    }

    proptest! {
        #[test]
        fn a_topic_is_read_back_as_it_was_made(location in "[A-Za-z ]{0,8}", name in "[A-Za-z0-9 ]{1,12}", endpoint in 0u32..200) {
            let node = [&location, &name].iter().filter(|part| !part.is_empty()).map(|part| sanitised(part)).collect::<Vec<_>>().join("/");
            let topic = format!("zwave/{node}/switch_binary/endpoint_{endpoint}/currentValue");
            prop_assert_eq!(value_of(&topic), words(&node, "switch_binary", endpoint, "currentValue"));
        }

        #[test]
        fn any_topic_is_read_without_harm(topic in "\\PC{0,80}") {
            let _ = parse("zwave", &topic);
        }
    }
}
