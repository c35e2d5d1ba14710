//! Packets of both MQTT revisions in one form.

use bytes::{Bytes, BytesMut};
use mqtt_v4::mqttbytes::{self as m4, v4};
use mqtt_v5::mqttbytes::{self as m5, v5};

use super::MAX_PACKET;
use super::router::{Carried, Subscription};

/// The MQTT revision of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Speaks {
    Three,
    Five,
}

/// A packet from a client.
pub(super) enum Received {
    Connect(Hello),
    Publish {
        carried: Carried,
        id: u16,
    },
    Acknowledged(u16),
    Released(u16),
    Subscribe {
        id: u16,
        subscriptions: Vec<(Subscription, Kept)>,
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
pub(super) enum Kept {
    Sent,
    NotSent,
}

/// The CONNECT packet of a client.
pub(super) struct Hello {
    pub name: String,
    pub keep_alive: u16,
    pub will: Option<Carried>,
}

/// A packet to a client.
pub(super) enum Sent {
    Welcome { name: String },
    Carried { carried: Carried, id: u16 },
    Published(u16),
    Received(u16),
    Completed(u16),
    Subscribed { id: u16, granted: Vec<Option<u8>> },
    Unsubscribed { id: u16, were_there: Vec<bool> },
    Pong,
}

/// Detects the MQTT revision from the first bytes; `None` while there are too few.
pub(super) fn speaks(bytes: &[u8]) -> Result<Option<Speaks>, String> {
    // The remaining length takes one to four bytes; the protocol name and its level follow.
    if bytes.first().is_some_and(|first| first >> 4 != 1) {
        return Err("the first packet is no CONNECT".to_owned());
    }
    let Some(end) = bytes.iter().skip(1).take(4).position(|byte| byte & 0x80 == 0).map(|at| at + 2) else {
        return if bytes.len() > 5 { Err("the length of a packet has no end".to_owned()) } else { Ok(None) };
    };
    let Some(level) = bytes.get(end..end + 7) else { return Ok(None) };
    match level {
        [0, 4, b'M', b'Q', b'T', b'T', 4] => Ok(Some(Speaks::Three)),
        [0, 4, b'M', b'Q', b'T', b'T', 5] => Ok(Some(Speaks::Five)),
        _ => Err("only MQTT 3.1.1 and 5 are spoken here".to_owned()),
    }
}

/// Reads the next packet; `None` while it is incomplete.
pub(super) fn read(speaks: Speaks, bytes: &mut BytesMut) -> Result<Option<Received>, String> {
    match speaks {
        Speaks::Three => match v4::Packet::read(bytes, MAX_PACKET as usize) {
            Ok(packet) => Ok(Some(of_three(packet))),
            Err(m4::Error::InsufficientBytes(_)) => Ok(None),
            Err(error) => Err(error.to_string()),
        },
        Speaks::Five => match v5::Packet::read(bytes, Some(MAX_PACKET)) {
            Ok(packet) => Ok(Some(of_five(packet))),
            Err(m5::Error::InsufficientBytes(_)) => Ok(None),
            Err(error) => Err(error.to_string()),
        },
    }
}

fn of_three(packet: v4::Packet) -> Received {
    match packet {
        v4::Packet::Connect(connect) => Received::Connect(Hello {
            name: connect.client_id,
            keep_alive: connect.keep_alive,
            will: connect.last_will.map(|will| plain(will.topic, will.message, will.qos as u8, will.retain)),
        }),
        v4::Packet::Publish(publish) => {
            let topic = String::from_utf8_lossy(&publish.topic).into_owned();
            let carried = plain(topic, publish.payload, publish.qos as u8, publish.retain);
            Received::Publish { carried, id: publish.pkid }
        }
        v4::Packet::PubAck(ack) => Received::Acknowledged(ack.pkid),
        v4::Packet::PubRel(rel) => Received::Released(rel.pkid),
        v4::Packet::Subscribe(subscribe) => Received::Subscribe {
            id: subscribe.pkid,
            subscriptions: subscribe
                .filters
                .into_iter()
                .map(|filter| {
                    let (is_for_others, keeps_retained) = (false, false);
                    let qos = filter.qos as u8;
                    (Subscription { filter: filter.path, qos, is_for_others, keeps_retained }, Kept::Sent)
                })
                .collect(),
        },
        v4::Packet::Unsubscribe(unsubscribe) => {
            Received::Unsubscribe { id: unsubscribe.pkid, filters: unsubscribe.topics }
        }
        v4::Packet::PingReq => Received::Ping,
        v4::Packet::Disconnect => Received::Goodbye,
        _ => Received::Strange,
    }
}

fn of_five(packet: v5::Packet) -> Received {
    match packet {
        v5::Packet::Connect(connect, will, _) => Received::Connect(Hello {
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
            let carried = Carried {
                response_topic: properties.response_topic,
                correlation: properties.correlation_data,
                content_type: properties.content_type,
                user_properties: properties.user_properties,
                ..plain(topic, publish.payload, publish.qos as u8, publish.retain)
            };
            Received::Publish { carried, id: publish.pkid }
        }
        v5::Packet::PubAck(ack) => Received::Acknowledged(ack.pkid),
        v5::Packet::PubRel(rel) => Received::Released(rel.pkid),
        v5::Packet::Subscribe(subscribe) => Received::Subscribe {
            id: subscribe.pkid,
            subscriptions: subscribe
                .filters
                .into_iter()
                .map(|filter| {
                    let kept = match filter.retain_forward_rule {
                        v5::RetainForwardRule::Never => Kept::NotSent,
                        _ => Kept::Sent,
                    };
                    let subscription = Subscription {
                        filter: filter.path,
                        qos: filter.qos as u8,
                        is_for_others: filter.nolocal,
                        keeps_retained: filter.preserve_retain,
                    };
                    (subscription, kept)
                })
                .collect(),
        },
        v5::Packet::Unsubscribe(unsubscribe) => {
            Received::Unsubscribe { id: unsubscribe.pkid, filters: unsubscribe.filters }
        }
        v5::Packet::PingReq => Received::Ping,
        v5::Packet::Disconnect(disconnect) => match disconnect.reason_code {
            v5::DisconnectReasonCode::DisconnectWithWillMessage => Received::GoodbyeWithWill,
            _ => Received::Goodbye,
        },
        _ => Received::Strange,
    }
}

fn plain(topic: String, payload: Bytes, qos: u8, is_retained: bool) -> Carried {
    Carried {
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
pub(super) fn write(speaks: Speaks, sent: Sent, bytes: &mut BytesMut) -> bool {
    match speaks {
        Speaks::Three => to_three(sent).write(bytes, MAX_PACKET as usize).is_ok(),
        Speaks::Five => to_five(sent).write(bytes, Some(MAX_PACKET)).is_ok(),
    }
}

fn to_three(sent: Sent) -> v4::Packet {
    match sent {
        Sent::Welcome { .. } => {
            v4::Packet::ConnAck(v4::ConnAck { session_present: false, code: v4::ConnectReturnCode::Success })
        }
        Sent::Carried { carried, id } => {
            let qos = if carried.qos == 0 { m4::QoS::AtMostOnce } else { m4::QoS::AtLeastOnce };
            let mut publish = v4::Publish::new(carried.topic, qos, Vec::new());
            publish.payload = carried.payload;
            publish.retain = carried.is_retained;
            publish.pkid = id;
            v4::Packet::Publish(publish)
        }
        Sent::Published(id) => v4::Packet::PubAck(v4::PubAck::new(id)),
        Sent::Received(id) => v4::Packet::PubRec(v4::PubRec::new(id)),
        Sent::Completed(id) => v4::Packet::PubComp(v4::PubComp::new(id)),
        Sent::Subscribed { id, granted } => {
            let code = |granted: Option<u8>| match granted {
                Some(0) => v4::SubscribeReasonCode::Success(m4::QoS::AtMostOnce),
                Some(_) => v4::SubscribeReasonCode::Success(m4::QoS::AtLeastOnce),
                None => v4::SubscribeReasonCode::Failure,
            };
            v4::Packet::SubAck(v4::SubAck::new(id, granted.into_iter().map(code).collect()))
        }
        Sent::Unsubscribed { id, .. } => v4::Packet::UnsubAck(v4::UnsubAck::new(id)),
        Sent::Pong => v4::Packet::PingResp,
    }
}

fn to_five(sent: Sent) -> v5::Packet {
    match sent {
        Sent::Welcome { name } => v5::Packet::ConnAck(v5::ConnAck {
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
                user_properties: vec![(super::OWN_MARK.0.to_owned(), super::OWN_MARK.1.to_owned())],
                wildcard_subscription_available: None,
                server_keep_alive: None,
                response_information: None,
                server_reference: None,
                authentication_method: None,
                authentication_data: None,
            }),
        }),
        Sent::Carried { carried, id } => {
            let qos = if carried.qos == 0 { m5::QoS::AtMostOnce } else { m5::QoS::AtLeastOnce };
            let has_properties = carried.response_topic.is_some()
                || carried.correlation.is_some()
                || carried.content_type.is_some()
                || !carried.user_properties.is_empty();
            let properties = has_properties.then(|| v5::PublishProperties {
                response_topic: carried.response_topic,
                correlation_data: carried.correlation,
                content_type: carried.content_type,
                user_properties: carried.user_properties,
                ..v5::PublishProperties::default()
            });
            let mut publish = v5::Publish::new(carried.topic, qos, carried.payload, properties);
            publish.retain = carried.is_retained;
            publish.pkid = id;
            v5::Packet::Publish(publish)
        }
        Sent::Published(id) => v5::Packet::PubAck(v5::PubAck::new(id, None)),
        Sent::Received(id) => v5::Packet::PubRec(v5::PubRec::new(id, None)),
        Sent::Completed(id) => v5::Packet::PubComp(v5::PubComp::new(id, None)),
        Sent::Subscribed { id, granted } => {
            let code = |granted: Option<u8>| match granted {
                Some(0) => v5::SubscribeReasonCode::Success(m5::QoS::AtMostOnce),
                Some(_) => v5::SubscribeReasonCode::Success(m5::QoS::AtLeastOnce),
                None => v5::SubscribeReasonCode::TopicFilterInvalid,
            };
            let return_codes = granted.into_iter().map(code).collect();
            v5::Packet::SubAck(v5::SubAck { pkid: id, return_codes, properties: None })
        }
        Sent::Unsubscribed { id, were_there } => {
            let reason = |was_there: bool| match was_there {
                true => v5::UnsubAckReason::Success,
                false => v5::UnsubAckReason::NoSubscriptionExisted,
            };
            let reasons = were_there.into_iter().map(reason).collect();
            v5::Packet::UnsubAck(v5::UnsubAck { pkid: id, reasons, properties: None })
        }
        Sent::Pong => v5::Packet::PingResp,
    }
}
