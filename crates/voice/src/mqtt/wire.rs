//! Both MQTT revisions behind one interface.

use bytes::Bytes;
use mqtt_v4 as v4;
use mqtt_v4::tokio_rustls::rustls;
use mqtt_v5 as v5;

use super::{BrokerAddress, Revision};
use crate::broker::BROKER_MARK;
use crate::limits::{CONNECT_SECONDS, KEEP_ALIVE_SECONDS, MAX_PACKET_BYTES, MAX_PACKET_BYTES_V311, OUTBOX};

/// A received message.
#[derive(Clone, Debug)]
pub(crate) struct MqttMessage {
    pub topic: String,
    pub payload: Bytes,
    pub is_retained: bool,
    /// The broker may have sent it before (DUP flag).
    pub is_repeated: bool,
    pub response_topic: Option<String>,
    pub correlation: Option<Bytes>,
}

/// A message to publish, at least once.
#[derive(Clone, Debug)]
pub(crate) struct MqttPublication {
    pub topic: String,
    pub payload: Vec<u8>,
    pub is_retained: bool,
    /// The correlation data of the request, which the client matches the answer by.
    pub correlation: Option<Bytes>,
}

/// An event of the connection.
pub(super) enum WireEvent {
    Connected {
        /// Whether it is Toolwright's built-in broker.
        is_ours: bool,
    },
    Message(MqttMessage),
    Other,
}

/// Why the connection failed.
pub(super) struct WireError {
    pub why: String,
    /// A program responded but did not understand the protocol.
    pub is_protocol_mismatch: bool,
    pub fault: ConnectFault,
}

/// The cause of a failed connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConnectFault {
    /// No program listens there, or there is no route.
    Network,
    /// The broker's certificate is not trusted, or is for another name.
    Certificate,
    /// The TLS handshake failed for another reason: often the broker does not encrypt.
    Encryption,
    /// User name or password.
    Login,
    /// The protocol.
    Protocol,
}

/// The identity of the client, and its will.
pub(super) struct ClientIdentity<'c> {
    pub client_id: &'c str,
    pub will: Option<Will<'c>>,
}

/// The message that the broker publishes when the connection is lost.
pub(super) struct Will<'c> {
    pub topic: &'c str,
    pub payload: &'c str,
}

/// A connection of one revision; polling it reconnects.
pub(super) enum BrokerWire {
    V311(v4::AsyncClient, Box<v4::EventLoop>),
    V5(v5::AsyncClient, Box<v5::EventLoop>),
}

impl BrokerWire {
    /// Creates the client. It connects on the first poll.
    pub fn open(
        address: &BrokerAddress,
        identity: &ClientIdentity<'_>,
        revision: Revision,
    ) -> Result<BrokerWire, String> {
        match revision {
            Revision::V311 => open_v311(address, identity),
            Revision::V5 => open_v5(address, identity),
        }
    }

    pub fn revision(&self) -> &'static str {
        match self {
            BrokerWire::V311(..) => "3.1.1",
            BrokerWire::V5(..) => "5",
        }
    }

    /// Waits for the next event; connects if there is no connection.
    pub async fn poll(&mut self) -> Result<WireEvent, WireError> {
        match self {
            BrokerWire::V311(_, events) => match events.poll().await {
                Ok(event) => Ok(event_v311(event)),
                Err(error) => Err(error_v311(&error)),
            },
            BrokerWire::V5(_, events) => match events.poll().await {
                Ok(event) => Ok(event_v5(event)),
                Err(error) => Err(error_v5(&error)),
            },
        }
    }

    /// Subscribes to topics. Returns `false` if the request queue is full.
    pub fn subscribe(&self, topics: &[String]) -> bool {
        match self {
            BrokerWire::V311(client, _) => {
                let filter = |topic: &String| v4::SubscribeFilter::new(topic.clone(), v4::QoS::AtLeastOnce);
                client.try_subscribe_many(topics.iter().map(filter)).is_ok()
            }
            BrokerWire::V5(client, _) => {
                let filter = |topic: &String| v5::SubscribeFilter {
                    // Skips own publications and retained messages.
                    nolocal: true,
                    retain_forward_rule: v5::RetainForwardRule::Never,
                    ..v5::SubscribeFilter::new(topic.clone(), v5::QoS::AtLeastOnce)
                };
                client.try_subscribe_many(topics.iter().map(filter)).is_ok()
            }
        }
    }

    /// Queues a message. Returns `false` if the request queue is full.
    pub fn publish(&self, publication: &MqttPublication) -> bool {
        let MqttPublication { topic, payload, is_retained, correlation } = publication;
        let (topic, payload) = (topic.clone(), payload.clone());
        match self {
            BrokerWire::V311(client, _) => {
                let options = v4::PublishOptions::new(v4::QoS::AtLeastOnce).retain(*is_retained);
                client.try_publish(topic, payload, options).is_ok()
            }
            BrokerWire::V5(client, _) => {
                let mut options = v5::PublishOptions::new(v5::QoS::AtLeastOnce).retain(*is_retained);
                if correlation.is_some() {
                    let properties = v5::PublishProperties {
                        correlation_data: correlation.clone(),
                        ..v5::PublishProperties::default()
                    };
                    options = options.properties(properties);
                }
                client.try_publish(topic, payload, options).is_ok()
            }
        }
    }

    /// Requests a disconnect after the queued messages.
    pub fn disconnect(&self) {
        // If the queue is full, the connection ends without DISCONNECT.
        match self {
            BrokerWire::V311(client, _) => drop(client.try_disconnect()),
            BrokerWire::V5(client, _) => drop(client.try_disconnect()),
        }
    }
}

fn open_v311(address: &BrokerAddress, identity: &ClientIdentity<'_>) -> Result<BrokerWire, String> {
    let broker = &address.0;
    let mut with = v4::MqttOptions::new(identity.client_id, (broker.host.clone(), broker.port));
    with.set_clean_session(true);
    with.set_keep_alive(KEEP_ALIVE_SECONDS);
    with.set_max_packet_size(MAX_PACKET_BYTES_V311, MAX_PACKET_BYTES_V311);
    if let Some(Will { topic, payload }) = &identity.will {
        with.set_last_will(v4::LastWill::new(*topic, *payload, v4::QoS::AtLeastOnce, true));
    }
    if let Some(name) = &broker.username {
        match address.password()? {
            Some(password) => with.set_credentials(name.clone(), password),
            None => with.set_username(name.clone()),
        };
    }
    if broker.is_encrypted {
        let transport = match address.certificates()? {
            Some(ca) => v4::Transport::tls(ca, None, None),
            None => v4::Transport::try_tls_with_default_config().map_err(|error| error.to_string())?,
        };
        with.set_transport(transport);
    }
    let (client, mut events) = v4::AsyncClient::builder(with).capacity(OUTBOX).build();
    let mut network = v4::NetworkOptions::new();
    // Without `TCP_NODELAY` an answer waits for the acknowledgement of the packet before it.
    network.set_tcp_nodelay(true);
    network.set_connection_timeout(CONNECT_SECONDS);
    events.network_options = network;
    Ok(BrokerWire::V311(client, Box::new(events)))
}

fn open_v5(address: &BrokerAddress, identity: &ClientIdentity<'_>) -> Result<BrokerWire, String> {
    let broker = &address.0;
    let mut with = v5::MqttOptions::new(identity.client_id, (broker.host.clone(), broker.port));
    with.set_clean_start(true);
    with.set_keep_alive(KEEP_ALIVE_SECONDS);
    with.set_max_packet_size(Some(MAX_PACKET_BYTES));
    with.set_connect_timeout(std::time::Duration::from_secs(CONNECT_SECONDS));
    if let Some(Will { topic, payload }) = &identity.will {
        with.set_last_will(v5::LastWill::new(*topic, *payload, v5::QoS::AtLeastOnce, true, None));
    }
    if let Some(name) = &broker.username {
        match address.password()? {
            Some(password) => with.set_credentials(name.clone(), password),
            None => with.set_username(name.clone()),
        };
    }
    if broker.is_encrypted {
        let transport = match address.certificates()? {
            Some(ca) => v5::Transport::tls(ca, None, None),
            None => v5::Transport::try_tls_with_default_config().map_err(|error| error.to_string())?,
        };
        with.set_transport(transport);
    }
    let mut network = v5::NetworkOptions::new();
    network.set_tcp_nodelay(true);
    network.set_connection_timeout(CONNECT_SECONDS);
    with.set_network_options(network);
    let (client, events) = v5::AsyncClient::builder(with).capacity(OUTBOX).build();
    Ok(BrokerWire::V5(client, Box::new(events)))
}

fn event_v311(event: v4::Event) -> WireEvent {
    match event {
        v4::Event::Incoming(v4::Packet::ConnAck(_)) => WireEvent::Connected { is_ours: false },
        v4::Event::Incoming(v4::Packet::Publish(publish)) => WireEvent::Message(MqttMessage {
            topic: String::from_utf8_lossy(&publish.topic).into_owned(),
            payload: publish.payload,
            is_retained: publish.retain,
            is_repeated: publish.dup,
            response_topic: None,
            correlation: None,
        }),
        _ => WireEvent::Other,
    }
}

fn event_v5(event: v5::Event) -> WireEvent {
    match event {
        v5::Event::Incoming(v5::Packet::ConnAck(welcome)) => {
            let is_mark = |(key, name): &(String, String)| (key.as_str(), name.as_str()) == BROKER_MARK;
            let response =
                welcome.properties.map(|properties| properties.user_properties).unwrap_or_default();
            WireEvent::Connected { is_ours: response.iter().any(is_mark) }
        }
        v5::Event::Incoming(v5::Packet::Publish(publish)) => {
            let properties = publish.properties.unwrap_or_default();
            WireEvent::Message(MqttMessage {
                topic: String::from_utf8_lossy(&publish.topic).into_owned(),
                payload: publish.payload,
                is_retained: publish.retain,
                is_repeated: publish.dup,
                response_topic: properties.response_topic,
                correlation: properties.correlation_data,
            })
        }
        _ => WireEvent::Other,
    }
}

/// The cause of a failed TLS handshake. rustls errors are wrapped in an I/O error.
fn tls_fault(error: &v4::TlsError) -> ConnectFault {
    let cause = match error {
        v4::TlsError::TLS(cause) => Some(cause),
        v4::TlsError::Io(io) => io.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()),
        _ => None,
    };
    match cause {
        Some(rustls::Error::InvalidCertificate(_)) => ConnectFault::Certificate,
        _ => ConnectFault::Encryption,
    }
}

fn error_v311(error: &v4::ConnectionError) -> WireError {
    use v4::{ConnectReturnCode as Code, ConnectionError as Error};
    let is_protocol_mismatch = match error {
        Error::ConnectionRefused(code) => *code == Code::RefusedProtocolVersion,
        Error::MqttState(_) | Error::NotConnAck(_) => true,
        Error::Io(error) => is_closed_by_peer(error),
        _ => false,
    };
    let (fault, why) = match error {
        Error::ConnectionRefused(Code::BadUserNamePassword | Code::NotAuthorized) => {
            (ConnectFault::Login, login_refused())
        }
        Error::Tls(tls) => (tls_fault(tls), error.to_string()),
        error if is_protocol_mismatch => (ConnectFault::Protocol, error.to_string()),
        error => (ConnectFault::Network, error.to_string()),
    };
    WireError { why, is_protocol_mismatch, fault }
}

fn error_v5(error: &v5::ConnectionError) -> WireError {
    use v5::{ConnectReturnCode as Code, ConnectionError as Error};
    let is_protocol_mismatch = match error {
        Error::ConnectionRefused(code) => !matches!(
            code,
            Code::BadUserNamePassword
                | Code::NotAuthorized
                | Code::Banned
                | Code::ServerBusy
                | Code::ServerUnavailable
        ),
        Error::MqttState(_) | Error::NotConnAck(_) => true,
        Error::Io(error) => is_closed_by_peer(error),
        _ => false,
    };
    let (fault, why) = match error {
        Error::ConnectionRefused(Code::BadUserNamePassword | Code::NotAuthorized | Code::Banned) => {
            (ConnectFault::Login, login_refused())
        }
        Error::Tls(tls) => (tls_fault(tls), error.to_string()),
        error if is_protocol_mismatch => (ConnectFault::Protocol, error.to_string()),
        error => (ConnectFault::Network, error.to_string()),
    };
    WireError { why, is_protocol_mismatch, fault }
}

fn login_refused() -> String {
    "the broker does not let us in: check username and password".to_owned()
}

/// Whether the other side accepted the connection and then closed it.
fn is_closed_by_peer(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, InvalidData, UnexpectedEof};
    matches!(error.kind(), BrokenPipe | ConnectionAborted | ConnectionReset | InvalidData | UnexpectedEof)
}
