//! Packets of both MQTT revisions in one form.

use bytes::{Bytes, BytesMut};
use mqtt_v4::mqttbytes::{self as m4, v4};
use mqtt_v5::mqttbytes::{self as m5, v5};

use super::MAX_PACKET;
use super::router::{RoutedMessage, TopicSubscription};

/// The MQTT revision of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MqttVersion {
    V311,
    V5,
}

/// A packet from a client.
pub(super) enum ClientPacket {
    Connect(ConnectPacket),
    Publish {
        message: RoutedMessage,
        id: u16,
    },
    Acknowledged(u16),
    Released(u16),
    Subscribe {
        id: u16,
        subscriptions: Vec<(TopicSubscription, RetainedDelivery)>,
    },
    Unsubscribe {
        id: u16,
        filters: Vec<String>,
    },
    Ping,
    /// DISCONNECT without publishing the will.
    Goodbye,
    /// DISCONNECT with publishing the will (MQTT 5 only).
    GoodbyeWithWill,
    /// A packet that a client must not send to a broker.
    Strange,
}

/// Whether a new subscription receives the retained messages.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum RetainedDelivery {
    Deliver,
    Skip,
}

/// The CONNECT packet of a client.
pub(super) struct ConnectPacket {
    pub name: String,
    pub keep_alive: u16,
    pub will: Option<RoutedMessage>,
}

/// A packet to a client.
pub(super) enum ServerPacket {
    Welcome { name: String },
    Publish { message: RoutedMessage, id: u16 },
    Published(u16),
    PubRec(u16),
    Completed(u16),
    Subscribed { id: u16, granted: Vec<Option<u8>> },
    Unsubscribed { id: u16, were_there: Vec<bool> },
    Pong,
}

/// Detects the MQTT revision from the first bytes; `None` while there are too few.
pub(super) fn version(bytes: &[u8]) -> Result<Option<MqttVersion>, String> {
    // The remaining length takes one to four bytes; the protocol name and its level follow.
    if bytes.first().is_some_and(|first| first >> 4 != 1) {
        return Err("the first packet is no CONNECT".to_owned());
    }
    let Some(end) = bytes.iter().skip(1).take(4).position(|byte| byte & 0x80 == 0).map(|at| at + 2) else {
        return if bytes.len() > 5 { Err("the length of a packet has no end".to_owned()) } else { Ok(None) };
    };
    let Some(level) = bytes.get(end..end + 7) else { return Ok(None) };
    match level {
        [0, 4, b'M', b'Q', b'T', b'T', 4] => Ok(Some(MqttVersion::V311)),
        [0, 4, b'M', b'Q', b'T', b'T', 5] => Ok(Some(MqttVersion::V5)),
        _ => Err("only MQTT 3.1.1 and 5 are spoken here".to_owned()),
    }
}

/// Reads the next packet; `None` while it is incomplete.
pub(super) fn read(version: MqttVersion, bytes: &mut BytesMut) -> Result<Option<ClientPacket>, String> {
    match version {
        MqttVersion::V311 => match v4::Packet::read(bytes, MAX_PACKET as usize) {
            Ok(packet) => Ok(Some(from_v311(packet))),
            Err(m4::Error::InsufficientBytes(_)) => Ok(None),
            Err(error) => Err(error.to_string()),
        },
        MqttVersion::V5 => match v5::Packet::read(bytes, Some(MAX_PACKET)) {
            Ok(packet) => Ok(Some(from_v5(packet))),
            Err(m5::Error::InsufficientBytes(_)) => Ok(None),
            Err(error) => Err(error.to_string()),
        },
    }
}

fn from_v311(packet: v4::Packet) -> ClientPacket {
    match packet {
        v4::Packet::Connect(connect) => ClientPacket::Connect(ConnectPacket {
            name: connect.client_id,
            keep_alive: connect.keep_alive,
            will: connect.last_will.map(|will| plain(will.topic, will.message, will.qos as u8, will.retain)),
        }),
        v4::Packet::Publish(publish) => {
            let topic = String::from_utf8_lossy(&publish.topic).into_owned();
            let message = plain(topic, publish.payload, publish.qos as u8, publish.retain);
            ClientPacket::Publish { message, id: publish.pkid }
        }
        v4::Packet::PubAck(ack) => ClientPacket::Acknowledged(ack.pkid),
        v4::Packet::PubRel(rel) => ClientPacket::Released(rel.pkid),
        v4::Packet::Subscribe(subscribe) => ClientPacket::Subscribe {
            id: subscribe.pkid,
            subscriptions: subscribe
                .filters
                .into_iter()
                .map(|filter| {
                    let (is_for_others, keeps_retained) = (false, false);
                    let qos = filter.qos as u8;
                    (
                        TopicSubscription { filter: filter.path, qos, is_for_others, keeps_retained },
                        RetainedDelivery::Deliver,
                    )
                })
                .collect(),
        },
        v4::Packet::Unsubscribe(unsubscribe) => {
            ClientPacket::Unsubscribe { id: unsubscribe.pkid, filters: unsubscribe.topics }
        }
        v4::Packet::PingReq => ClientPacket::Ping,
        v4::Packet::Disconnect => ClientPacket::Goodbye,
        _ => ClientPacket::Strange,
    }
}

fn from_v5(packet: v5::Packet) -> ClientPacket {
    match packet {
        v5::Packet::Connect(connect, will, _) => ClientPacket::Connect(ConnectPacket {
            name: connect.client_id,
            keep_alive: connect.keep_alive,
            will: will.map(|will| {
                let topic = String::from_utf8_lossy(&will.topic).into_owned();
                plain(topic, will.message, will.qos as u8, will.retain)
            }),
        }),
        v5::Packet::Publish(publish) => {
            let properties = publish.properties.unwrap_or_default();
            let topic = String::from_utf8_lossy(&publish.topic).into_owned();
            let message = RoutedMessage {
                response_topic: properties.response_topic,
                correlation: properties.correlation_data,
                content_type: properties.content_type,
                user_properties: properties.user_properties,
                ..plain(topic, publish.payload, publish.qos as u8, publish.retain)
            };
            ClientPacket::Publish { message, id: publish.pkid }
        }
        v5::Packet::PubAck(ack) => ClientPacket::Acknowledged(ack.pkid),
        v5::Packet::PubRel(rel) => ClientPacket::Released(rel.pkid),
        v5::Packet::Subscribe(subscribe) => ClientPacket::Subscribe {
            id: subscribe.pkid,
            subscriptions: subscribe
                .filters
                .into_iter()
                .map(|filter| {
                    let retained = match filter.retain_forward_rule {
                        v5::RetainForwardRule::Never => RetainedDelivery::Skip,
                        _ => RetainedDelivery::Deliver,
                    };
                    let subscription = TopicSubscription {
                        filter: filter.path,
                        qos: filter.qos as u8,
                        is_for_others: filter.nolocal,
                        keeps_retained: filter.preserve_retain,
                    };
                    (subscription, retained)
                })
                .collect(),
        },
        v5::Packet::Unsubscribe(unsubscribe) => {
            ClientPacket::Unsubscribe { id: unsubscribe.pkid, filters: unsubscribe.filters }
        }
        v5::Packet::PingReq => ClientPacket::Ping,
        v5::Packet::Disconnect(disconnect) => match disconnect.reason_code {
            v5::DisconnectReasonCode::DisconnectWithWillMessage => ClientPacket::GoodbyeWithWill,
            _ => ClientPacket::Goodbye,
        },
        _ => ClientPacket::Strange,
    }
}

fn plain(topic: String, payload: Bytes, qos: u8, is_retained: bool) -> RoutedMessage {
    RoutedMessage {
        topic,
        payload,
        qos,
        is_retained,
        response_topic: None,
        correlation: None,
        content_type: None,
        user_properties: Vec::new(),
    }
}

/// Writes a packet. Returns `false` if it cannot be encoded; then nothing is written.
pub(super) fn write(version: MqttVersion, sent: ServerPacket, bytes: &mut BytesMut) -> bool {
    match version {
        MqttVersion::V311 => to_v311(sent).write(bytes, MAX_PACKET as usize).is_ok(),
        MqttVersion::V5 => to_v5(sent).write(bytes, Some(MAX_PACKET)).is_ok(),
    }
}

fn to_v311(sent: ServerPacket) -> v4::Packet {
    match sent {
        ServerPacket::Welcome { .. } => {
            v4::Packet::ConnAck(v4::ConnAck { session_present: false, code: v4::ConnectReturnCode::Success })
        }
        ServerPacket::Publish { message, id } => {
            let qos = if message.qos == 0 { m4::QoS::AtMostOnce } else { m4::QoS::AtLeastOnce };
            let mut publish = v4::Publish::new(message.topic, qos, Vec::new());
            publish.payload = message.payload;
            publish.retain = message.is_retained;
            publish.pkid = id;
            v4::Packet::Publish(publish)
        }
        ServerPacket::Published(id) => v4::Packet::PubAck(v4::PubAck::new(id)),
        ServerPacket::PubRec(id) => v4::Packet::PubRec(v4::PubRec::new(id)),
        ServerPacket::Completed(id) => v4::Packet::PubComp(v4::PubComp::new(id)),
        ServerPacket::Subscribed { id, granted } => {
            let code = |granted: Option<u8>| match granted {
                Some(0) => v4::SubscribeReasonCode::Success(m4::QoS::AtMostOnce),
                Some(_) => v4::SubscribeReasonCode::Success(m4::QoS::AtLeastOnce),
                None => v4::SubscribeReasonCode::Failure,
            };
            v4::Packet::SubAck(v4::SubAck::new(id, granted.into_iter().map(code).collect()))
        }
        ServerPacket::Unsubscribed { id, .. } => v4::Packet::UnsubAck(v4::UnsubAck::new(id)),
        ServerPacket::Pong => v4::Packet::PingResp,
    }
}

fn to_v5(sent: ServerPacket) -> v5::Packet {
    match sent {
        ServerPacket::Welcome { name } => v5::Packet::ConnAck(v5::ConnAck {
            session_present: false,
            code: v5::ConnectReturnCode::Success,
            properties: Some(v5::ConnAckProperties {
                assigned_client_identifier: Some(name).filter(|name| !name.is_empty()),
                max_packet_size: Some(MAX_PACKET),
                session_expiry_interval: Some(0),
                topic_alias_max: Some(0),
                shared_subscription_available: Some(0),
                subscription_identifiers_available: Some(0),
                receive_max: Some(super::MAX_UNACKNOWLEDGED as u16),
                max_qos: None,
                retain_available: None,
                reason_string: None,
                user_properties: vec![(super::BROKER_MARK.0.to_owned(), super::BROKER_MARK.1.to_owned())],
                wildcard_subscription_available: None,
                server_keep_alive: None,
                response_information: None,
                server_reference: None,
                authentication_method: None,
                authentication_data: None,
            }),
        }),
        ServerPacket::Publish { message, id } => {
            let qos = if message.qos == 0 { m5::QoS::AtMostOnce } else { m5::QoS::AtLeastOnce };
            let has_properties = message.response_topic.is_some()
                || message.correlation.is_some()
                || message.content_type.is_some()
                || !message.user_properties.is_empty();
            let properties = has_properties.then(|| v5::PublishProperties {
                response_topic: message.response_topic,
                correlation_data: message.correlation,
                content_type: message.content_type,
                user_properties: message.user_properties,
                ..v5::PublishProperties::default()
            });
            let mut publish = v5::Publish::new(message.topic, qos, message.payload, properties);
            publish.retain = message.is_retained;
            publish.pkid = id;
            v5::Packet::Publish(publish)
        }
        ServerPacket::Published(id) => v5::Packet::PubAck(v5::PubAck::new(id, None)),
        ServerPacket::PubRec(id) => v5::Packet::PubRec(v5::PubRec::new(id, None)),
        ServerPacket::Completed(id) => v5::Packet::PubComp(v5::PubComp::new(id, None)),
        ServerPacket::Subscribed { id, granted } => {
            let code = |granted: Option<u8>| match granted {
                Some(0) => v5::SubscribeReasonCode::Success(m5::QoS::AtMostOnce),
                Some(_) => v5::SubscribeReasonCode::Success(m5::QoS::AtLeastOnce),
                None => v5::SubscribeReasonCode::TopicFilterInvalid,
            };
            let return_codes = granted.into_iter().map(code).collect();
            v5::Packet::SubAck(v5::SubAck { pkid: id, return_codes, properties: None })
        }
        ServerPacket::Unsubscribed { id, were_there } => {
            let reason = |was_there: bool| match was_there {
                true => v5::UnsubAckReason::Success,
                false => v5::UnsubAckReason::NoSubscriptionExisted,
            };
            let reasons = were_there.into_iter().map(reason).collect();
            v5::Packet::UnsubAck(v5::UnsubAck { pkid: id, reasons, properties: None })
        }
        ServerPacket::Pong => v5::Packet::PingResp,
    }
}
