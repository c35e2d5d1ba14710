//! The section `voice`: fronts, tools, timeouts.
//!
//! An error leaves out the whole section and does not affect the rest of the file: a restriction of the voice must not
//! be lifted by a mistake.

use std::net::SocketAddr;

use toolwright_jsonrpc::raw::{Kind, Member, Node};

use super::section::SectionKeys;
use super::{ConfigReader, non_null_value};
use crate::settings::SecretText;
use crate::voice::{
    AddressRange, BrokerChoice, BrokerPassword, BrokerSettings, MqttProtocol, MqttSettings,
    USUAL_BROKER_PORT, USUAL_WYOMING_PORT, VoiceSettings, WyomingSettings,
};

const VOICE_KEYS: &[&str] = &[
    "enabled",
    "mqtt",
    "hermes",
    "wyoming",
    "tools",
    "confirm",
    "confirmMs",
    "maxAgeMs",
    "thinkMs",
    "waiting",
    "atOnce",
    "model",
    "listTool",
    "controlTool",
];
const VOICE_WORDS: &[(&str, &str)] = &[
    ("broker", "mqtt"),
    ("rhasspy", "hermes"),
    ("homeassistant", "wyoming"),
    ("allowedtools", "tools"),
    ("allow", "tools"),
    ("timeout", "thinkMs"),
    ("maxage", "maxAgeMs"),
    ("queue", "waiting"),
    ("concurrency", "atOnce"),
];
const MQTT_KEYS: &[&str] = &[
    "url",
    "port",
    "username",
    "password",
    "passwordFile",
    "caFile",
    "clientId",
    "topicPrefix",
    "responsePrefixes",
    "protocol",
];
const MQTT_WORDS: &[(&str, &str)] = &[
    ("broker", "url"),
    ("address", "url"),
    ("host", "url"),
    ("uri", "url"),
    ("user", "username"),
    ("ca", "caFile"),
    ("cafile", "caFile"),
    ("prefix", "topicPrefix"),
    ("topic", "topicPrefix"),
    ("version", "protocol"),
];
const WYOMING_KEYS: &[&str] = &["listen", "allow"];
const WYOMING_WORDS: &[(&str, &str)] = &[
    ("address", "listen"),
    ("bind", "listen"),
    ("port", "listen"),
    ("uri", "listen"),
    ("allowed", "allow"),
    ("clients", "allow"),
];

/// The most queued sentences, and the most that are processed concurrently.
const MAX_WAITING: u64 = 10_000;
const MAX_AT_ONCE: u64 = 256;

impl<'t> ConfigReader<'t, '_> {
    /// Reads the section; `None` if it is absent or invalid.
    pub(super) fn voice(&mut self, members: &[Member<'t>]) -> Option<VoiceSettings> {
        let node = non_null_value(members, "voice")?;
        let errors = self.collector.errors();
        let settings = match node.kind {
            Kind::Bool(is_enabled) => Some(VoiceSettings { is_enabled, ..VoiceSettings::default() }),
            _ => self.voice_section(&node),
        };
        settings.filter(|_| self.collector.errors() == errors)
    }

    fn voice_section(&mut self, node: &Node<'t>) -> Option<VoiceSettings> {
        let members = self.voice_part(node, "voice", VOICE_KEYS, VOICE_WORDS)?;
        let mut settings = VoiceSettings::default();
        if let Some(enabled) = non_null_value(members, "enabled").and_then(|node| self.flag(&node, "enabled"))
        {
            settings.is_enabled = enabled;
        }
        match non_null_value(members, "mqtt") {
            Some(node) if matches!(node.kind, Kind::Bool(false)) => settings.mqtt = None,
            Some(node) if matches!(node.kind, Kind::Bool(true)) => {}
            Some(node) => settings.mqtt = self.mqtt(&node),
            None => {}
        }
        if let Some(hermes) = non_null_value(members, "hermes").and_then(|node| self.flag(&node, "hermes")) {
            settings.hermes = hermes;
        }
        if let (true, None, Some(node)) = (settings.hermes, &settings.mqtt, non_null_value(members, "hermes"))
        {
            let message = "\"hermes\" needs a broker, and \"mqtt\" is switched off";
            self.collector.error(&node, message, "remove \"mqtt\": false, or \"hermes\"");
        }
        match non_null_value(members, "wyoming") {
            Some(node) if matches!(node.kind, Kind::Bool(false)) => settings.wyoming = None,
            Some(node) if matches!(node.kind, Kind::Bool(true)) => {}
            Some(node) => settings.wyoming = self.wyoming(&node),
            None => {}
        }
        settings.tools = non_null_value(members, "tools").and_then(|node| self.texts(&node, "tools"));
        settings.confirm = non_null_value(members, "confirm")
            .and_then(|node| self.texts(&node, "confirm"))
            .unwrap_or_default();
        let mut time = |key| non_null_value(members, key).and_then(|node| self.voice_duration(&node, key));
        settings.confirm_time = time("confirmMs");
        settings.max_age = time("maxAgeMs");
        settings.think_time = time("thinkMs");
        let waiting = non_null_value(members, "waiting")
            .and_then(|node| self.whole(&node, "waiting", "sentences", 1..=MAX_WAITING, 32));
        settings.waiting = waiting.map(|count| count as usize);
        let at_once = non_null_value(members, "atOnce")
            .and_then(|node| self.whole(&node, "atOnce", "sentences", 1..=MAX_AT_ONCE, 4));
        settings.at_once = at_once.map(|count| count as usize);
        settings.model =
            non_null_value(members, "model").and_then(|node| self.non_empty_text(&node, "model"));
        if let Some(tool) =
            non_null_value(members, "listTool").and_then(|node| self.non_empty_text(&node, "listTool"))
        {
            settings.list_tool = tool;
        }
        if let Some(tool) =
            non_null_value(members, "controlTool").and_then(|node| self.non_empty_text(&node, "controlTool"))
        {
            settings.control_tool = tool;
        }
        Some(settings)
    }

    fn voice_part(
        &mut self,
        node: &Node<'t>,
        key: &str,
        known: &'static [&'static str],
        words: &'static [(&'static str, &'static str)],
    ) -> Option<&'t [Member<'t>]> {
        self.members_of(node, key, SectionKeys { known, foreign: &[], words, allows_flag: true })
    }

    fn mqtt(&mut self, node: &Node<'t>) -> Option<MqttSettings> {
        let members = self.voice_part(node, "mqtt", MQTT_KEYS, MQTT_WORDS)?;
        let mut settings = MqttSettings::default();
        let port = non_null_value(members, "port")
            .and_then(|node| self.whole(&node, "port", "a port", 0..=65_535, u64::from(USUAL_BROKER_PORT)))
            .and_then(|port| u16::try_from(port).ok());
        settings.broker = match non_null_value(members, "url") {
            Some(url) => BrokerChoice::Outside(self.broker(&url, members)?),
            None => {
                for key in ["username", "password", "passwordFile", "caFile"] {
                    if let Some(node) = non_null_value(members, key) {
                        let message =
                            format!("\"{key}\" is for a broker of your own, and no \"url\" names one");
                        self.collector.error(&node, message, "add \"url\": \"mqtt://…\", or remove it");
                    }
                }
                BrokerChoice::Inside { port }
            }
        };
        if let (BrokerChoice::Outside(_), Some(node)) = (&settings.broker, non_null_value(members, "port")) {
            let message = "\"port\" is the port of the built-in broker, and \"url\" names another";
            self.collector.error(&node, message, "write the port into \"url\"");
        }
        if let Some(prefix) = non_null_value(members, "topicPrefix").and_then(|node| self.topic_prefix(&node))
        {
            settings.topic_prefix = prefix;
        }
        if let Some(node) = non_null_value(members, "responsePrefixes") {
            settings.response_prefixes = self.texts(&node, "responsePrefixes").unwrap_or_default();
        }
        settings.client_id =
            non_null_value(members, "clientId").and_then(|node| self.non_empty_text(&node, "clientId"));
        if let Some(node) = non_null_value(members, "protocol") {
            let known =
                [MqttProtocol::Auto, MqttProtocol::Five, MqttProtocol::Three].map(|one| (one.word(), one));
            settings.protocol = self.word(&node, "protocol", &known).unwrap_or_default();
        }
        Some(settings)
    }

    fn broker(&mut self, node: &Node<'t>, members: &'t [Member<'t>]) -> Option<BrokerSettings> {
        let url = self.secret_text(node, "\"url\"")?;
        let Some(mut broker) = BrokerSettings::parse(&url) else {
            let fix = "write for example \"mqtt://192.168.1.2:1883\", or \"mqtts://broker.example\" for an encrypted one";
            self.collector.error(node, "\"url\" is not the address of a broker", fix);
            return None;
        };
        if let Some(name) =
            non_null_value(members, "username").and_then(|node| self.non_empty_text(&node, "username"))
        {
            broker.username = Some(name);
        }
        let text =
            non_null_value(members, "password").and_then(|node| self.secret_text(&node, "\"password\""));
        let file =
            non_null_value(members, "passwordFile").and_then(|node| self.folder_at(&node, "passwordFile"));
        if let (Some(_), Some(_), Some(node)) = (&text, &file, non_null_value(members, "passwordFile")) {
            self.collector.error(
                &node,
                "there are two passwords, \"password\" and \"passwordFile\"",
                "remove one of them",
            );
        }
        match (text, file) {
            (Some(text), _) => broker.password = BrokerPassword::Text(SecretText::new(text)),
            (None, Some(file)) => broker.password = BrokerPassword::File(file),
            (None, None) => {}
        }
        if let BrokerPassword::Text(password) = &broker.password {
            self.secrets.insert(password.expose().to_owned());
        }
        if broker.password != BrokerPassword::None && broker.username.is_none() {
            self.collector.error(node, "a password needs a user", "add \"username\"");
        }
        broker.ca_file = non_null_value(members, "caFile").and_then(|node| self.folder_at(&node, "caFile"));
        if let (Some(_), false, Some(node)) =
            (&broker.ca_file, broker.is_encrypted, non_null_value(members, "caFile"))
        {
            let message = "\"caFile\" is for encrypted connections, and \"url\" is not one";
            self.collector.error(&node, message, "write mqtts:// instead of mqtt://");
        }
        Some(broker)
    }

    fn topic_prefix(&mut self, node: &Node<'t>) -> Option<String> {
        let prefix = self.text(node, "\"topicPrefix\"")?;
        let prefix = prefix.trim();
        let is_wrong = prefix.is_empty()
            || prefix.starts_with(['/', '$'])
            || prefix.ends_with('/')
            || prefix.contains(['+', '#', ' '])
            || prefix.contains(char::is_control)
            || prefix.len() > 200;
        if is_wrong {
            let message = "\"topicPrefix\" is the beginning of topics: words with / between them, without +, # and spaces";
            self.collector.error(node, message, "write for example \"house/voice\"");
            return None;
        }
        Some(prefix.to_owned())
    }

    fn wyoming(&mut self, node: &Node<'t>) -> Option<WyomingSettings> {
        let members = self.voice_part(node, "wyoming", WYOMING_KEYS, WYOMING_WORDS)?;
        let mut settings = WyomingSettings::default();
        if let Some(node) = non_null_value(members, "listen") {
            let text = self.text(&node, "\"listen\"")?;
            let text = text.trim().trim_start_matches("tcp://");
            match text.parse::<SocketAddr>() {
                Ok(listen) => settings.listen = listen,
                Err(_) => {
                    let fix = format!("write for example \"127.0.0.1:{USUAL_WYOMING_PORT}\"");
                    self.collector.error(&node, "\"listen\" is an address of this machine with a port", fix);
                }
            }
        }
        if let Some(node) = non_null_value(members, "allow") {
            let texts = self.texts(&node, "allow")?;
            for (item, text) in node.as_array().unwrap_or_default().iter().zip(&texts) {
                match AddressRange::parse(text) {
                    Some(range) => settings.allow.push(range),
                    None => {
                        let fix = "write for example \"192.168.1.7\" or \"192.168.1.0/24\"";
                        self.collector.error(
                            item,
                            "an entry of \"allow\" is an address or a range of them",
                            fix,
                        );
                    }
                }
            }
        }
        if let (false, true, Some(node)) =
            (settings.listen.ip().is_loopback(), settings.allow.is_empty(), non_null_value(members, "listen"))
        {
            let message = "other machines can reach this address, and Wyoming has no authentication";
            let fix = "list the permitted clients: \"allow\": [\"192.168.1.7\"], or listen at 127.0.0.1";
            self.collector.error(&node, message, fix);
        }
        Some(settings)
    }

    /// A text that is not empty.
    fn non_empty_text(&mut self, node: &Node<'t>, key: &str) -> Option<String> {
        let text = self.text(node, &format!("\"{key}\""))?;
        if text.trim().is_empty() {
            self.collector.error(node, format!("\"{key}\" is empty"), "write it, or leave it out");
            return None;
        }
        Some(text.trim().to_owned())
    }

    /// A duration. Unlike in other sections, an invalid one is an error.
    fn voice_duration(&mut self, node: &Node<'t>, key: &str) -> Option<std::time::Duration> {
        let most = 24 * 60 * 60 * 1000;
        let millis = self.whole(node, key, "milliseconds", 1..=most, 30_000)?;
        Some(std::time::Duration::from_millis(millis))
    }
}
