//! The broker and the ports that the voice of a configuration needs.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use toolwright_config::{BrokerChoice, BrokerSettings, Configuration, MqttSettings, USUAL_BROKER_PORT};
use toolwright_doctor::{Area, Check, Finding, Fix, free_after};
use toolwright_voice::knock::{self, Knock, PortSeen};

/// How long a broker may take to answer.
const ANSWER: Duration = Duration::from_secs(5);

pub async fn check(configuration: &Configuration) -> Vec<Check> {
    let Some(settings) = configuration.voice.as_ref().filter(|settings| settings.is_enabled) else {
        return Vec::new();
    };
    let mut checks = Vec::new();
    if let Some(mqtt) = &settings.mqtt {
        checks.push(match &mqtt.broker {
            BrokerChoice::Outside(broker) => outside(configuration, mqtt, broker).await,
            BrokerChoice::Inside { port } => inside(configuration, *port).await,
        });
    }
    if let Some(wyoming) = &settings.wyoming {
        checks.push(wyoming_port(configuration, wyoming.listen).await);
    }
    checks
}

/// A broker of somebody else: connected to as the voice does.
async fn outside(configuration: &Configuration, mqtt: &MqttSettings, broker: &BrokerSettings) -> Check {
    let address = broker.shown();
    let file = || configuration.file.clone();
    let other_scheme = |is_encrypted| {
        let other = BrokerSettings { is_encrypted, ..broker.clone() }.shown();
        // A user and a password may stand in the address, and are not shown.
        match broker.username {
            None => {
                Fix::Set { file: file(), at: "/voice/mqtt/url".to_owned(), value: format!("\"{other}\"") }
            }
            Some(_) => Fix::Do(format!("write {other} for /voice/mqtt/url in {}", file().display())),
        }
    };
    let knock = knock::broker(broker, mqtt.protocol, ANSWER).await;
    let finding = match knock {
        Knock::Accepted { revision, .. } => {
            return Check::new(Area::Voice, Some("broker"), format!("{address} lets us in, MQTT {revision}"));
        }
        Knock::Unreachable(why) => Finding::error(
            "broker-unreachable",
            format!("no broker can be reached at {address}"),
            why,
            Fix::Do(format!(
                "start the broker there, or correct /voice/mqtt/url in {}; without \"url\" a broker is inside",
                file().display()
            )),
        ),
        Knock::LoginRefused(why) => Finding::error(
            "broker-refuses-login",
            format!("the broker {address} does not let us in"),
            why,
            Fix::Do(format!(
                "write \"username\" and \"password\" (or \"passwordFile\") that it knows at /voice/mqtt in {}",
                file().display()
            )),
        ),
        Knock::NotTrusted(why) => Finding::error(
            "broker-not-trusted",
            format!("the certificate of the broker {address} is not trusted"),
            why,
            Fix::Do(format!(
                "write the file with the certificates that it is signed with as \"caFile\" at /voice/mqtt in {}, and the name that it is made out to in \"url\"",
                file().display()
            )),
        ),
        Knock::Plain(why) => Finding::error(
            "broker-not-encrypted",
            format!("the broker at {address} does not encrypt"),
            why,
            other_scheme(false),
        ),
        Knock::Encrypted(why) => Finding::error(
            "broker-encrypted",
            format!("the broker at {address} wants an encrypted connection"),
            why,
            other_scheme(true),
        ),
        Knock::NoBroker(why) => Finding::error(
            "no-broker",
            format!("what listens at {address} does not answer as a broker does"),
            why,
            Fix::Do(format!("correct /voice/mqtt/url in {}", file().display())),
        ),
        Knock::Unusable(why) => Finding::error(
            "broker-file-unusable",
            format!("the broker {address} cannot be connected to"),
            why,
            Fix::Do(format!("correct \"passwordFile\" or \"caFile\" at /voice/mqtt in {}", file().display())),
        ),
    };
    Check::new(Area::Voice, Some("broker"), format!("{address} cannot be used")).with([finding.at(address)])
}

/// The broker inside: its port is free, ours, or somebody else's.
async fn inside(configuration: &Configuration, asked: Option<u16>) -> Check {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, asked.unwrap_or(USUAL_BROKER_PORT)));
    let set = |key: &str, value: String| Fix::Set {
        file: configuration.file.clone(),
        at: format!("/voice/mqtt/{key}"),
        value,
    };
    let said =
        |seen: &str| Check::new(Area::Voice, Some("broker"), format!("the one inside, {address}: {seen}"));
    let free = || set("port", free_after(address).to_string());
    match knock::broker_port(address.port(), ANSWER).await {
        PortSeen::Free => said("free"),
        PortSeen::Ours => said("a voice of ours runs there"),
        PortSeen::NotAllowed(why) => {
            let finding = Finding::error(
                "voice-port-not-allowed",
                "the broker inside cannot listen there",
                why,
                free(),
            );
            said("cannot be used").with([finding.at(address)])
        }
        PortSeen::OtherBroker => {
            let why = match asked {
                Some(_) => "the broker inside waits until it is gone, and nobody is heard",
                None => "the broker inside takes another port at every start, and programs do not find it",
            };
            let finding = Finding::warning(
                "voice-other-broker",
                "another broker has the port of the broker inside",
                why,
                set("url", format!("\"mqtt://{address}\"")),
            );
            // The two exclude each other in the file.
            let finding = match asked {
                Some(_) => Finding { fix: free(), ..finding },
                None => finding,
            };
            said("taken by another broker").with([finding.at(address)])
        }
        PortSeen::Others => {
            let finding = Finding::error(
                "voice-port-taken",
                "another program has the port of the broker inside",
                "it does not answer as a broker does",
                free(),
            );
            said("taken by another program").with([finding.at(address)])
        }
    }
}

async fn wyoming_port(configuration: &Configuration, listen: SocketAddr) -> Check {
    let said = |seen: &str| Check::new(Area::Voice, Some("wyoming"), format!("{listen}: {seen}"));
    let fix = || Fix::Set {
        file: configuration.file.clone(),
        at: "/voice/wyoming/listen".to_owned(),
        value: format!("\"{}\"", SocketAddr::new(listen.ip(), free_after(listen))),
    };
    let (seen, what, why) = match knock::wyoming_port(listen, ANSWER).await {
        PortSeen::Free => return said("free"),
        PortSeen::Ours => return said("a voice of ours runs there"),
        PortSeen::NotAllowed(why) => ("cannot be used", "clients of Wyoming cannot come in there", why),
        PortSeen::OtherBroker | PortSeen::Others => (
            "taken by another program",
            "another program has the port for clients of Wyoming",
            "it does not answer as a voice of ours does".to_owned(),
        ),
    };
    said(seen).with([Finding::error("wyoming-port-taken", what, why, fix()).at(listen)])
}
