//! Settings from the environment, validated at startup.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use tracing::level_filters::LevelFilter;
use url::Url;

use crate::topics::GATEWAY_PREFIX;

/// All settings with their defaults, for `--help`.
pub const HELP: &str = "\
Environment:
  MQTT_BROKER_URL             where the broker is: mqtt://HOST[:1883] or mqtts://HOST[:8883] [mqtt://127.0.0.1:1883]
  MQTT_USERNAME               the user at the broker
  MQTT_PASSWORD               the password at the broker
  MQTT_CA_FILE                a PEM file with the authority of the broker's certificate, for mqtts:// [the system's]
  MQTT_TOPIC_PREFIX           the prefix that is set in Z-Wave JS UI [zwave]
  MQTT_CONNECT_TIMEOUT_MS     how long connecting may take [5000]
  ZWAVE_GATEWAY_NAME          the name in the MQTT settings of Z-Wave JS UI [the only one that reports]
  ZWAVE_API_TIMEOUT_MS        how long Z-Wave JS UI may take to answer [8000]
  ZWAVE_CONFIRM_TIMEOUT_MS    how long a device may take to report its new state; 0 does not wait [6000]
  DEVICE_ACTIVE_THRESHOLD_MS  how long after it was last heard a device counts as active [300000]
  LOG_LEVEL                   off, error, warn, info, debug or trace, on standard error [info]";

/// Variables of other Z-Wave servers that have no effect here.
const NOT_USED: [(&str, &str); 7] = [
    ("ZWAVE_UI_URL", "Z-Wave JS UI is reached by MQTT; set MQTT_BROKER_URL"),
    ("ZWAVE_UI_AUTH_ENABLED", "Z-Wave JS UI is reached by MQTT"),
    ("ZWAVE_UI_SOCKET_TIMEOUT_MS", "set ZWAVE_API_TIMEOUT_MS"),
    ("ZWAVE_MQTT_BROKER", "set MQTT_BROKER_URL"),
    ("ZWAVE_MQTT_TOPIC", "set MQTT_TOPIC_PREFIX"),
    ("MQTT_ENABLED", "there is no other way than MQTT"),
    ("PREFER_MQTT", "there is no other way than MQTT"),
];

/// The settings.
#[derive(Clone, Debug)]
pub struct ZwaveSettings {
    /// The broker.
    pub broker: MqttBrokerSettings,
    /// The topic prefix.
    pub prefix: String,
    /// The configured gateway, with its prefix.
    pub gateway: Option<String>,
    /// Timeout for an API response.
    pub api_timeout: Duration,
    /// Timeout for the report of a device.
    pub confirm_timeout: Duration,
    /// How long a device counts as active after its last message.
    pub active_threshold: Duration,
    /// The log level.
    pub log: LevelFilter,
    /// Warnings about variables without effect.
    pub notices: Vec<String>,
}

/// Address and credentials of a broker.
#[derive(Clone)]
pub struct MqttBrokerSettings {
    /// Its host.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// The encryption of the connection.
    pub encryption: Encryption,
    /// User name and password.
    pub login: Option<(String, String)>,
    /// Timeout for connecting.
    pub connect_timeout: Duration,
}

/// The encryption of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Encryption {
    /// None.
    None,
    /// TLS, with the authorities of the system.
    SystemAuthorities,
    /// TLS, with the authorities in this file.
    Authorities(PathBuf),
}

/// An invalid variable.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{variable}: {problem}")]
pub struct WrongSetting {
    /// The variable.
    pub variable: &'static str,
    /// The problem and its fix. It never contains a secret.
    pub problem: String,
}

impl ZwaveSettings {
    /// Reads all variables; returns all errors at once.
    pub fn read(variable: &dyn Fn(&str) -> Option<String>) -> Result<ZwaveSettings, Vec<WrongSetting>> {
        let mut reader = SettingsReader { variable, wrong: Vec::new() };
        let broker = reader.broker();
        let prefix = reader.prefix();
        let gateway = reader.text("ZWAVE_GATEWAY_NAME").map(|name| with_prefix(&name));
        let api_timeout = reader.milliseconds("ZWAVE_API_TIMEOUT_MS", 8_000, 100, 60_000);
        let confirm_timeout = reader.milliseconds("ZWAVE_CONFIRM_TIMEOUT_MS", 6_000, 0, 60_000);
        let active_threshold =
            reader.milliseconds("DEVICE_ACTIVE_THRESHOLD_MS", 300_000, 1_000, 31_536_000_000);
        let log = reader.log();
        let notices = NOT_USED.iter().filter(|(name, _)| reader.text(name).is_some());
        let notices = notices.map(|(name, instead)| format!("{name} is not used: {instead}")).collect();
        match (broker, reader.wrong.is_empty()) {
            (Some(broker), true) => Ok(ZwaveSettings {
                broker,
                prefix,
                gateway,
                api_timeout,
                confirm_timeout,
                active_threshold,
                log,
                notices,
            }),
            _ => Err(reader.wrong),
        }
    }
}

impl fmt::Display for MqttBrokerSettings {
    /// The address, without credentials.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.encryption == Encryption::None { "mqtt" } else { "mqtts" };
        write!(f, "{scheme}://{}:{}", self.host, self.port)
    }
}

impl fmt::Debug for MqttBrokerSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BrokerSettings({self}, login: {})", self.login.is_some())
    }
}

/// Users see the name without the prefix that the gateway adds.
fn with_prefix(name: &str) -> String {
    if name.starts_with(GATEWAY_PREFIX) { name.to_owned() } else { format!("{GATEWAY_PREFIX}{name}") }
}

struct SettingsReader<'a> {
    variable: &'a dyn Fn(&str) -> Option<String>,
    wrong: Vec<WrongSetting>,
}

impl SettingsReader<'_> {
    /// A variable with a value that is not empty.
    fn text(&self, name: &str) -> Option<String> {
        (self.variable)(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
    }

    fn wrong(&mut self, variable: &'static str, problem: impl Into<String>) {
        self.wrong.push(WrongSetting { variable, problem: problem.into() });
    }

    fn milliseconds(&mut self, name: &'static str, without: u64, least: u64, most: u64) -> Duration {
        let Some(text) = self.text(name) else { return Duration::from_millis(without) };
        match text.parse::<u64>() {
            Ok(number) if (least..=most).contains(&number) => Duration::from_millis(number),
            _ => {
                let problem = format!(
                    "\"{text}\" is no whole number of milliseconds from {least} to {most}; leave it out for {without}"
                );
                self.wrong(name, problem);
                Duration::from_millis(without)
            }
        }
    }

    fn log(&mut self) -> LevelFilter {
        let Some(text) = self.text("LOG_LEVEL") else { return LevelFilter::INFO };
        match text.to_lowercase().parse() {
            Ok(level) if text.parse::<u8>().is_err() => level,
            _ => {
                self.wrong(
                    "LOG_LEVEL",
                    format!("\"{text}\" is none of off, error, warn, info, debug, trace"),
                );
                LevelFilter::INFO
            }
        }
    }

    fn prefix(&mut self) -> String {
        let prefix = self.text("MQTT_TOPIC_PREFIX").unwrap_or_else(|| "zwave".to_owned());
        let is_odd = prefix.contains(['+', '#', '\0']);
        if is_odd || prefix.starts_with('/') || prefix.ends_with('/') {
            let problem = format!(
                "\"{prefix}\" is no prefix of topics: no +, no #, no / at either end; \
                 it is what the MQTT settings of Z-Wave JS UI have as prefix, such as zwave"
            );
            self.wrong("MQTT_TOPIC_PREFIX", problem);
        }
        prefix
    }

    fn broker(&mut self) -> Option<MqttBrokerSettings> {
        const URL: &str = "MQTT_BROKER_URL";
        let text = self.text(URL).unwrap_or_else(|| "mqtt://127.0.0.1:1883".to_owned());
        let form = "it has the form mqtt://HOST[:PORT] or mqtts://HOST[:PORT]";
        let connect_timeout = self.milliseconds("MQTT_CONNECT_TIMEOUT_MS", 5_000, 1_000, 60_000);
        let ca_file = self.text("MQTT_CA_FILE").map(PathBuf::from);
        let Ok(url) = Url::parse(&text) else {
            self.wrong(URL, format!("this is no address; {form}"));
            return None;
        };
        let is_encrypted = match url.scheme() {
            "mqtt" | "tcp" => false,
            "mqtts" | "ssl" | "tls" => true,
            other => {
                self.wrong(URL, format!("\"{other}\" is no way to a broker; {form}"));
                return None;
            }
        };
        let Some(host) = url.host_str().filter(|host| !host.is_empty()) else {
            self.wrong(URL, format!("the host is missing; {form}"));
            return None;
        };
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        let encryption = match (is_encrypted, ca_file) {
            (true, Some(file)) if !file.is_file() => {
                let problem =
                    format!("there is no file {}; it is the broker's authority as PEM", file.display());
                self.wrong("MQTT_CA_FILE", problem);
                Encryption::Authorities(file)
            }
            (true, Some(file)) => Encryption::Authorities(file),
            (true, None) => Encryption::SystemAuthorities,
            (false, Some(_)) => {
                self.wrong("MQTT_CA_FILE", "the way is not encrypted; write mqtts:// into MQTT_BROKER_URL");
                Encryption::None
            }
            (false, None) => Encryption::None,
        };
        let port = url.port().unwrap_or(if is_encrypted { 8883 } else { 1883 });
        let login = self.login(&url);
        Some(MqttBrokerSettings { host, port, encryption, login, connect_timeout })
    }

    fn login(&mut self, url: &Url) -> Option<(String, String)> {
        let (user, password) = (self.text("MQTT_USERNAME"), self.text("MQTT_PASSWORD"));
        if user.is_none() && password.is_some() {
            self.wrong("MQTT_PASSWORD", "there is a password and no MQTT_USERNAME");
        }
        if let Some(user) = user {
            return Some((user, password.unwrap_or_default()));
        }
        if url.username().is_empty() {
            return None;
        }
        if [url.username(), url.password().unwrap_or_default()].iter().any(|part| part.contains('%')) {
            let problem =
                "the user or the password in it has a %; set MQTT_USERNAME and MQTT_PASSWORD instead";
            self.wrong("MQTT_BROKER_URL", problem);
        }
        Some((url.username().to_owned(), url.password().unwrap_or_default().to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<ZwaveSettings, Vec<WrongSetting>> {
        let variables: Vec<(String, String)> =
            variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        ZwaveSettings::read(&move |name| {
            variables.iter().find(|(it, _)| it == name).map(|(_, value)| value.clone())
        })
    }

    fn mistakes(variables: &[(&str, &str)]) -> String {
        let wrong = read(variables).expect_err("mistakes");
        wrong.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn nothing_has_to_be_set() {
        let settings = read(&[]).expect("settings");
        assert_eq!(settings.broker.to_string(), "mqtt://127.0.0.1:1883");
        assert_eq!((settings.prefix.as_str(), settings.gateway), ("zwave", None));
    }

    #[test]
    fn a_broker_is_reached_as_its_address_says() {
        for (url, shown) in [
            ("mqtt://house.local", "mqtt://house.local:1883"),
            ("mqtts://house.local", "mqtts://house.local:8883"),
            ("tcp://10.0.0.1:2000", "mqtt://10.0.0.1:2000"),
            ("mqtt://[::1]:1883", "mqtt://::1:1883"),
        ] {
            assert_eq!(read(&[("MQTT_BROKER_URL", url)]).expect("settings").broker.to_string(), shown);
        }
    }

    #[test]
    fn the_gateway_may_be_named_with_and_without_its_prefix() {
        for name in ["house", "ZWAVE_GATEWAY-house"] {
            let settings = read(&[("ZWAVE_GATEWAY_NAME", name)]).expect("settings");
            assert_eq!(settings.gateway.as_deref(), Some("ZWAVE_GATEWAY-house"));
        }
    }

    #[test]
    fn a_login_is_shown_nowhere() {
        let settings = read(&[
            ("MQTT_BROKER_URL", "mqtt://me:hunter2@house"),
            ("MQTT_USERNAME", "other"),
            ("MQTT_PASSWORD", "swordfish"),
        ]);
        let settings = settings.expect("settings");
        assert_eq!(settings.broker.login, Some(("other".into(), "swordfish".into())));
        let shown = format!("{settings:?} {}", settings.broker);
        assert!(!shown.contains("hunter2") && !shown.contains("swordfish"), "{shown}");
    }

    #[test]
    fn all_setting_errors_are_reported_at_once() {
        let all = [
            mistakes(&[
                ("MQTT_BROKER_URL", "ws://house:9001"),
                ("MQTT_TOPIC_PREFIX", "zwave/#"),
                ("ZWAVE_API_TIMEOUT_MS", "soon"),
                ("ZWAVE_CONFIRM_TIMEOUT_MS", "-1"),
                ("DEVICE_ACTIVE_THRESHOLD_MS", "0"),
                ("LOG_LEVEL", "loud"),
            ]),
            mistakes(&[("MQTT_BROKER_URL", "house")]),
            mistakes(&[("MQTT_BROKER_URL", "mqtts://h"), ("MQTT_CA_FILE", "/nowhere/ca.pem")]),
            mistakes(&[("MQTT_CA_FILE", "/nowhere/ca.pem")]),
            mistakes(&[("MQTT_PASSWORD", "secret-word")]),
        ];
        insta::assert_snapshot!(all.join("\n\n"));
    }

    #[test]
    fn unused_variables_are_reported() {
        let settings =
            read(&[("ZWAVE_UI_URL", "http://house:8091"), ("MQTT_ENABLED", "true")]).expect("settings");
        assert_eq!(settings.notices.len(), 2, "{:?}", settings.notices);
    }
}
