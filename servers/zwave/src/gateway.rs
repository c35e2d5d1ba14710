//! The MQTT gateway of Z-Wave JS UI: its messages and its API.
//!
//! All clients receive API responses on one topic, and the only correlation is `origin`, which is the
//! request as it was sent. So every request carries a unique mark, and a response without a known mark
//! belongs to another client.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::{Mutex as Turn, OwnedMutexGuard, oneshot, watch};
use tokio::time::{sleep_until, timeout};

use crate::broker::{BrokerMessage, BrokerUnavailable, MessageListener, ZwaveBroker};
use crate::devices::{Heard, Reading, ZwaveDevice, assemble};
use crate::nodes::{self, NodeValue, ZwaveNode};
use crate::payload;
use crate::settings::ZwaveSettings;
use crate::texts::now;
use crate::topics::{self, GATEWAY_PREFIX, Topic};

/// How long a list of nodes is cached while no message invalidates it.
const NODES_KEPT: Duration = Duration::from_secs(10);
/// How long to wait for the retained status of a gateway after connecting.
const DISCOVERY: Duration = Duration::from_secs(2);
/// The poll interval for a confirmation without a topic.
const LIST_INTERVAL: Duration = Duration::from_millis(400);
/// The key of the correlation mark in a request.
const MARK: &str = "request";

/// The gateway and its devices.
#[derive(Debug)]
pub struct ZwaveGateway {
    settings: ZwaveSettings,
    broker: ZwaveBroker,
    shared: Arc<GatewayShared>,
    /// Serializes list requests: a second caller uses the result of the first.
    nodes: Turn<Option<(Instant, u64, Vec<ZwaveNode>)>>,
    /// Serializes the commands to each device; otherwise reports could not be attributed.
    commands: Mutex<HashMap<u64, Arc<Turn<()>>>>,
    questions: AtomicU64,
}

/// Why a request failed. Nothing was sent to a device, unless the variant says so.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GatewayError {
    /// The broker cannot be reached.
    #[error(
        "The MQTT broker {broker} cannot be reached: {why}. Check that it runs and that MQTT_BROKER_URL is right."
    )]
    NoBroker {
        /// Its address.
        broker: String,
        /// The reason.
        why: BrokerUnavailable,
    },
    /// No gateway has reported.
    #[error(
        "No Z-Wave JS UI has reported to the MQTT broker {broker} below the prefix \"{prefix}\". Check that its MQTT \
         gateway is switched on and that MQTT_TOPIC_PREFIX is right."
    )]
    NoGateway {
        /// The broker's address.
        broker: String,
        /// The prefix.
        prefix: String,
    },
    /// The gateway has disconnected from the broker.
    #[error(
        "Z-Wave JS UI \"{gateway}\" is offline: it is not connected to the MQTT broker. Start it and try again."
    )]
    GatewayOffline {
        /// Without the prefix.
        gateway: String,
    },
    /// Several gateways have reported, and none is configured.
    #[error("Several Z-Wave JS UI report to the broker: {}. Set ZWAVE_GATEWAY_NAME to one of them.", .0.join(", "))]
    ManyGateways(Vec<String>),
    /// The request timed out.
    #[error(
        "Z-Wave JS UI \"{gateway}\" has not answered {api} within {seconds} s. Check that it runs and that its driver is ready."
    )]
    NoAnswer {
        /// Without the prefix.
        gateway: String,
        /// The API.
        api: &'static str,
        /// The timeout.
        seconds: f32,
    },
    /// The gateway returned an error.
    #[error("Z-Wave JS UI \"{gateway}\" refuses {api}: {why}")]
    Refused {
        /// Without the prefix.
        gateway: String,
        /// The API.
        api: &'static str,
        /// The message of the gateway.
        why: String,
    },
}

/// The result of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteResult {
    /// The device has accepted it.
    Taken,
    /// The gateway has not responded yet.
    Unanswered,
}

/// The state shared by the listener and the callers.
#[derive(Debug)]
struct GatewayShared {
    prefix: String,
    state: Mutex<GatewayState>,
    /// Counts messages about values and gateways.
    heard: watch::Sender<u64>,
    /// Counts messages that invalidate the list of nodes.
    nodes_changed: AtomicU64,
}

#[derive(Debug, Default)]
struct GatewayState {
    heard: Heard,
    gateways: HashMap<String, bool>,
    waiting: HashMap<String, oneshot::Sender<Value>>,
}

impl ZwaveGateway {
    /// Starts to connect to the broker.
    pub fn connect(settings: ZwaveSettings) -> ZwaveGateway {
        let shared = Arc::new(GatewayShared {
            prefix: settings.prefix.clone(),
            state: Mutex::default(),
            heard: watch::Sender::new(0),
            nodes_changed: AtomicU64::new(0),
        });
        let broker =
            ZwaveBroker::connect(settings.broker.clone(), format!("{}/#", settings.prefix), shared.clone());
        ZwaveGateway {
            settings,
            broker,
            shared,
            nodes: Turn::new(None),
            commands: Mutex::default(),
            questions: AtomicU64::new(0),
        }
    }

    /// The settings.
    pub fn settings(&self) -> &ZwaveSettings {
        &self.settings
    }

    /// All devices with their current state.
    pub async fn devices(&self) -> Result<Vec<ZwaveDevice>, GatewayError> {
        let gateway = self.find().await?;
        let mut cached = self.nodes.lock().await;
        let changes = self.shared.nodes_changed.load(Ordering::Acquire);
        let is_fresh = cached.as_ref().is_some_and(|(at, of, _)| *of == changes && at.elapsed() < NODES_KEPT);
        if !is_fresh {
            *cached = None;
            let nodes = self.list(&gateway).await?;
            *cached = Some((Instant::now(), changes, nodes));
        }
        let nodes = cached.as_ref().map(|(_, _, nodes)| nodes.as_slice()).unwrap_or_default();
        Ok(assemble(nodes, &self.shared.state().heard))
    }

    /// The name of the active gateway, without its prefix.
    pub async fn name(&self) -> Result<String, GatewayError> {
        self.find().await.map(|gateway| bare(&gateway))
    }

    /// Waits for the command lock of a device.
    pub async fn turn(&self, device: u64) -> OwnedMutexGuard<()> {
        let turn = {
            let mut commands = self.commands.lock().unwrap_or_else(PoisonError::into_inner);
            commands.entry(device).or_default().clone()
        };
        turn.lock_owned().await
    }

    /// Writes a value of a device.
    pub async fn write(
        &self,
        device: &ZwaveDevice,
        target: &NodeValue,
        value: &Value,
    ) -> Result<WriteResult, GatewayError> {
        const API: &str = "writeValue";
        let gateway = self.find().await?;
        let mut id = json!({
            "nodeId": device.id, "commandClass": target.class, "endpoint": target.endpoint, "property": target.property,
        });
        if let Some(key) = &target.property_key {
            id["propertyKey"] = key.clone();
        }
        let result = self.ask(&gateway, API, json!([id, value])).await;
        self.shared.nodes_changed.fetch_add(1, Ordering::AcqRel);
        let refused =
            |why: &str| GatewayError::Refused { gateway: bare(&gateway), api: API, why: why.to_owned() };
        match result {
            Err(GatewayError::NoAnswer { .. }) => Ok(WriteResult::Unanswered),
            Err(error) => Err(error),
            // The `SetValueStatus` codes of the driver.
            Ok(result) => match result["status"].as_u64() {
                Some(0) => Err(refused("the device does not support it")),
                Some(2) => Err(refused("the device does not answer")),
                Some(3) => Err(refused("the device has no such endpoint")),
                Some(4) => Err(refused("it is not implemented")),
                Some(5) => Err(refused("the value is not valid for the device")),
                _ => Ok(WriteResult::Taken),
            },
        }
    }

    /// Waits until a device reports an expected value; returns the last reported value and whether it is
    /// expected.
    pub async fn confirm(
        &self,
        device: &ZwaveDevice,
        current: &NodeValue,
        is_expected: impl Fn(&Value) -> bool,
    ) -> (Value, bool) {
        let until = Instant::now() + self.settings.confirm_timeout;
        let mut heard = self.shared.heard.subscribe();
        loop {
            heard.mark_unchanged();
            let (value, has_topic) = match self.value_from_topic(device, current) {
                Some(value) => (value, true),
                None => (self.listed(device, current).await, false),
            };
            if is_expected(&value) {
                return (value, true);
            }
            if Instant::now() >= until {
                return (value, false);
            }
            // A topic reports at once; a list has to be polled.
            let next = if has_topic { until } else { until.min(Instant::now() + LIST_INTERVAL) };
            tokio::select! {
                _ = heard.changed() => {}
                () = sleep_until(next.into()) => {}
            }
        }
    }

    /// The value from the topic, if the device has unique topics.
    fn value_from_topic(&self, device: &ZwaveDevice, value: &NodeValue) -> Option<Value> {
        let topic = device.topic.as_deref()?;
        self.shared.state().heard.reading(topic, value).map(|reading| reading.value.clone())
    }

    /// The value from a new list; null if there is none.
    async fn listed(&self, device: &ZwaveDevice, value: &NodeValue) -> Value {
        self.shared.nodes_changed.fetch_add(1, Ordering::AcqRel);
        let devices = self.devices().await.unwrap_or_default();
        let device = devices.into_iter().find(|it| it.id == device.id);
        let values = device.map(|device| device.values).unwrap_or_default();
        let is_same = |it: &NodeValue| {
            it.class == value.class && it.endpoint == value.endpoint && it.property == value.property
        };
        values
            .into_iter()
            .find(|known| is_same(&known.value))
            .map(|known| known.reading.value)
            .unwrap_or_default()
    }

    /// The active gateway, with its prefix.
    async fn find(&self) -> Result<String, GatewayError> {
        let no_broker = |why| GatewayError::NoBroker { broker: self.settings.broker.to_string(), why };
        self.broker.ready().await.map_err(no_broker)?;
        let mut heard = self.shared.heard.subscribe();
        let mut is_found_again = false;
        let until = Instant::now() + DISCOVERY;
        loop {
            heard.mark_unchanged();
            let found = self.choose();
            if found.is_ok() || Instant::now() >= until {
                return found;
            }
            // Retained messages arrive directly after the connection.
            tokio::select! {
                _ = heard.changed() => {}
                () = sleep_until(until.into()) => {}
                // Nothing was sent yet, so a new connection can be used. The loss of a connection may be
                // detected only now.
                why = self.broker.lost() => {
                    if std::mem::replace(&mut is_found_again, true) {
                        return Err(no_broker(why));
                    }
                    self.broker.ready().await.map_err(no_broker)?;
                }
            }
        }
    }

    fn choose(&self) -> Result<String, GatewayError> {
        let state = self.shared.state();
        if let Some(named) = &self.settings.gateway {
            return match state.gateways.get(named) {
                Some(true) => Ok(named.clone()),
                Some(false) => Err(GatewayError::GatewayOffline { gateway: bare(named) }),
                None => Err(self.no_gateway()),
            };
        }
        let mut online: Vec<&String> =
            state.gateways.iter().filter(|(_, is_online)| **is_online).map(|(name, _)| name).collect();
        online.sort();
        match (online.as_slice(), state.gateways.keys().next()) {
            ([one], _) => Ok((*one).clone()),
            ([], Some(offline)) => Err(GatewayError::GatewayOffline { gateway: bare(offline) }),
            ([], None) => Err(self.no_gateway()),
            (many, _) => Err(GatewayError::ManyGateways(many.iter().map(|name| bare(name)).collect())),
        }
    }

    fn no_gateway(&self) -> GatewayError {
        GatewayError::NoGateway {
            broker: self.settings.broker.to_string(),
            prefix: self.settings.prefix.clone(),
        }
    }

    async fn list(&self, gateway: &str) -> Result<Vec<ZwaveNode>, GatewayError> {
        const API: &str = "getNodes";
        let result = self.ask(gateway, API, json!([])).await?;
        nodes::read(&result).ok_or_else(|| GatewayError::Refused {
            gateway: bare(gateway),
            api: API,
            why: "what it answered is no list of nodes".to_owned(),
        })
    }

    /// Calls an API and returns its result.
    async fn ask(&self, gateway: &str, api: &'static str, args: Value) -> Result<Value, GatewayError> {
        let number = self.questions.fetch_add(1, Ordering::Relaxed);
        let mark = format!("zwave-mcp-server {} {} {number}", std::process::id(), now());
        let no_broker = |why| GatewayError::NoBroker { broker: self.settings.broker.to_string(), why };
        let (waiting, answer) = PendingRequest::begin(&self.shared, mark.clone());
        let topic = topics::api_request(&self.settings.prefix, gateway, api);
        let question = json!({"args": args, MARK: mark}).to_string();
        tracing::debug!(gateway, api, "asking");
        self.broker.publish(topic, question.into_bytes()).await.map_err(no_broker)?;
        let answered = tokio::select! {
            answered = timeout(self.settings.api_timeout, answer) => answered,
            why = self.broker.lost() => return Err(no_broker(why)),
        };
        drop(waiting);
        let Ok(Ok(answer)) = answered else {
            let seconds = self.settings.api_timeout.as_secs_f32();
            return Err(GatewayError::NoAnswer { gateway: bare(gateway), api, seconds });
        };
        match answer["success"].as_bool() {
            Some(true) => Ok(answer["result"].clone()),
            _ => {
                let why = answer["message"].as_str().unwrap_or("it does not say why").to_owned();
                Err(GatewayError::Refused { gateway: bare(gateway), api, why })
            }
        }
    }
}

/// A request in flight; dropping it removes it from the table.
struct PendingRequest<'a> {
    shared: &'a GatewayShared,
    mark: String,
}

impl<'a> PendingRequest<'a> {
    fn begin(shared: &'a GatewayShared, mark: String) -> (PendingRequest<'a>, oneshot::Receiver<Value>) {
        let (sender, answer) = oneshot::channel();
        shared.state().waiting.insert(mark.clone(), sender);
        (PendingRequest { shared, mark }, answer)
    }
}

impl Drop for PendingRequest<'_> {
    fn drop(&mut self) {
        self.shared.state().waiting.remove(&self.mark);
    }
}

impl GatewayShared {
    fn state(&self) -> MutexGuard<'_, GatewayState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answered(&self, payload: &[u8]) {
        let Ok(answer) = serde_json::from_slice::<Value>(payload) else { return };
        let Some(mark) = answer["origin"][MARK].as_str() else { return };
        let waiting = self.state().waiting.remove(mark);
        if let Some(waiting) = waiting {
            // The caller may have timed out.
            let _ = waiting.send(answer);
        }
    }
}

impl MessageListener for GatewayShared {
    fn connected(&self) {
        // The broker resends retained messages; anything else is outdated.
        let mut state = self.state();
        state.heard = Heard::default();
        state.gateways.clear();
        drop(state);
        self.nodes_changed.fetch_add(1, Ordering::AcqRel);
    }

    fn heard(&self, message: &BrokerMessage<'_>) {
        let Some(topic) = topics::parse(&self.prefix, message.topic) else { return };
        let parsed = || payload::read(message.payload);
        match topic {
            Topic::ApiAnswer { .. } if message.is_retained => return,
            Topic::ApiAnswer { .. } => return self.answered(message.payload),
            Topic::GatewayStatus { gateway } => {
                let is_online = parsed().value == Value::Bool(true);
                tracing::debug!(gateway, is_online, "a gateway reports");
                self.state().gateways.insert(gateway, is_online);
                self.nodes_changed.fetch_add(1, Ordering::AcqRel);
            }
            Topic::NodeStatus { .. } => {
                self.nodes_changed.fetch_add(1, Ordering::AcqRel);
            }
            Topic::NodeLastActive { node } => {
                if let Some(time) = parsed().value.as_u64() {
                    self.state().heard.last_active(node, time);
                }
            }
            Topic::Value(value) => {
                let parsed = parsed();
                // A retained bare value may be of any age.
                let time = parsed.time.or_else(|| (!message.is_retained).then(now));
                self.state().heard.value(value, Reading { value: parsed.value, time });
            }
        }
        self.heard.send_modify(|count| *count = count.wrapping_add(1));
    }
}

fn bare(gateway: &str) -> String {
    gateway.strip_prefix(GATEWAY_PREFIX).unwrap_or(gateway).to_owned()
}
