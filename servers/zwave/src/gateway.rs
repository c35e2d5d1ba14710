//! The MQTT gateway of Z-Wave JS UI: what it tells, and what it is asked.
//!
//! Its APIs answer on one topic for everybody, and have no other mark than `origin`, which is the question as it was
//! sent. So every question carries a mark of its own, and an answer without one of ours is somebody else's.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::{Mutex as Turn, OwnedMutexGuard, oneshot, watch};
use tokio::time::{sleep_until, timeout};

use crate::broker::{Away, Broker, Listener, Message};
use crate::devices::{Device, Heard, Reading, assemble};
use crate::nodes::{self, Node, NodeValue};
use crate::payload;
use crate::settings::Settings;
use crate::topics::{self, GATEWAY_PREFIX, Topic};
use crate::words::now;

/// How long a list of nodes is used again, while nothing says that it has changed.
const NODES_KEPT: Duration = Duration::from_secs(10);
/// How long a gateway may take to be told by the broker, which keeps that, after a connection was made.
const DISCOVERY: Duration = Duration::from_secs(2);
/// Between two lists, while a device's report is waited for that no topic tells.
const LIST_INTERVAL: Duration = Duration::from_millis(400);
/// The key of our mark in a question.
const MARK: &str = "request";

/// The gateway, and what is known of its devices.
#[derive(Debug)]
pub struct Gateway {
    settings: Settings,
    broker: Broker,
    shared: Arc<Shared>,
    /// One list at a time: who comes second uses the first one's.
    nodes: Turn<Option<(Instant, u64, Vec<Node>)>>,
    /// One command to a device at a time, or nobody could say whose report it was.
    commands: Mutex<HashMap<u64, Arc<Turn<()>>>>,
    questions: AtomicU64,
}

/// Why something could not be asked or done. Nothing was sent to a device, unless it says so.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Trouble {
    /// The broker is not there.
    #[error(
        "The MQTT broker {broker} cannot be reached: {why}. Check that it runs and that MQTT_BROKER_URL is right."
    )]
    NoBroker {
        /// Its address.
        broker: String,
        /// The reason.
        why: Away,
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
    /// It has said that it goes, or its connection broke.
    #[error(
        "Z-Wave JS UI \"{gateway}\" is offline: it is not connected to the MQTT broker. Start it and try again."
    )]
    GatewayOffline {
        /// Without the prefix.
        gateway: String,
    },
    /// Several have reported, and none is named.
    #[error("Several Z-Wave JS UI report to the broker: {}. Set ZWAVE_GATEWAY_NAME to one of them.", .0.join(", "))]
    ManyGateways(Vec<String>),
    /// It has not answered.
    #[error(
        "Z-Wave JS UI \"{gateway}\" has not answered {api} within {seconds} s. Check that it runs and that its driver is ready."
    )]
    NoAnswer {
        /// Without the prefix.
        gateway: String,
        /// What was asked.
        api: &'static str,
        /// For so long.
        seconds: f32,
    },
    /// It has answered that it cannot.
    #[error("Z-Wave JS UI \"{gateway}\" refuses {api}: {why}")]
    Refused {
        /// Without the prefix.
        gateway: String,
        /// What was asked.
        api: &'static str,
        /// In its words.
        why: String,
    },
}

/// What became of a command that the gateway was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// The device has taken it.
    Taken,
    /// The gateway has not said anything yet.
    Unanswered,
}

/// What the listener and the askers share.
#[derive(Debug)]
struct Shared {
    prefix: String,
    state: Mutex<State>,
    /// Counts what was heard of values and gateways.
    heard: watch::Sender<u64>,
    /// Counts what makes a list of nodes old.
    nodes_changed: AtomicU64,
}

#[derive(Debug, Default)]
struct State {
    heard: Heard,
    gateways: HashMap<String, bool>,
    waiting: HashMap<String, oneshot::Sender<Value>>,
}

impl Gateway {
    /// Begins to connect to the broker.
    pub fn connect(settings: Settings) -> Gateway {
        let shared = Arc::new(Shared {
            prefix: settings.prefix.clone(),
            state: Mutex::default(),
            heard: watch::Sender::new(0),
            nodes_changed: AtomicU64::new(0),
        });
        let broker =
            Broker::connect(settings.broker.clone(), format!("{}/#", settings.prefix), shared.clone());
        Gateway {
            settings,
            broker,
            shared,
            nodes: Turn::new(None),
            commands: Mutex::default(),
            questions: AtomicU64::new(0),
        }
    }

    /// What was set.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// All devices as they are known now.
    pub async fn devices(&self) -> Result<Vec<Device>, Trouble> {
        let gateway = self.find().await?;
        let mut kept = self.nodes.lock().await;
        let changes = self.shared.nodes_changed.load(Ordering::Acquire);
        let is_fresh = kept.as_ref().is_some_and(|(at, of, _)| *of == changes && at.elapsed() < NODES_KEPT);
        if !is_fresh {
            *kept = None;
            let nodes = self.list(&gateway).await?;
            *kept = Some((Instant::now(), changes, nodes));
        }
        let nodes = kept.as_ref().map(|(_, _, nodes)| nodes.as_slice()).unwrap_or_default();
        Ok(assemble(nodes, &self.shared.state().heard))
    }

    /// The name of the gateway that answers, without its prefix.
    pub async fn name(&self) -> Result<String, Trouble> {
        self.find().await.map(|gateway| bare(&gateway))
    }

    /// The device's turn: one command at a time.
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
        device: &Device,
        target: &NodeValue,
        value: &Value,
    ) -> Result<Written, Trouble> {
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
        let refused = |why: &str| Trouble::Refused { gateway: bare(&gateway), api: API, why: why.to_owned() };
        match result {
            Err(Trouble::NoAnswer { .. }) => Ok(Written::Unanswered),
            Err(trouble) => Err(trouble),
            // The driver's own numbers.
            Ok(result) => match result["status"].as_u64() {
                Some(0) => Err(refused("the device does not support it")),
                Some(2) => Err(refused("the device does not answer")),
                Some(3) => Err(refused("the device has no such endpoint")),
                Some(4) => Err(refused("it is not implemented")),
                Some(5) => Err(refused("the value is not valid for the device")),
                _ => Ok(Written::Taken),
            },
        }
    }

    /// Waits until a device reports a value that is as expected, and gives what it reports in the end.
    pub async fn confirm(
        &self,
        device: &Device,
        current: &NodeValue,
        is_expected: impl Fn(&Value) -> bool,
    ) -> (Value, bool) {
        let until = Instant::now() + self.settings.confirm_timeout;
        let mut heard = self.shared.heard.subscribe();
        loop {
            heard.mark_unchanged();
            let (value, is_told) = match self.told(device, current) {
                Some(value) => (value, true),
                None => (self.listed(device, current).await, false),
            };
            if is_expected(&value) {
                return (value, true);
            }
            if Instant::now() >= until {
                return (value, false);
            }
            // A topic tells at once; a list has to be asked for.
            let next = if is_told { until } else { until.min(Instant::now() + LIST_INTERVAL) };
            tokio::select! {
                _ = heard.changed() => {}
                () = sleep_until(next.into()) => {}
            }
        }
    }

    /// What the topic of a value says, when it has one of its own.
    fn told(&self, device: &Device, value: &NodeValue) -> Option<Value> {
        let topic = device.topic.as_deref()?;
        self.shared.state().heard.reading(topic, value).map(|reading| reading.value.clone())
    }

    /// What a list says; nothing when there is none.
    async fn listed(&self, device: &Device, value: &NodeValue) -> Value {
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

    /// The gateway that is to be asked, with its prefix.
    async fn find(&self) -> Result<String, Trouble> {
        let no_broker = |why| Trouble::NoBroker { broker: self.settings.broker.to_string(), why };
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
            // What the broker has kept comes right behind the connection.
            tokio::select! {
                _ = heard.changed() => {}
                () = sleep_until(until.into()) => {}
                // Nothing was sent yet, so the next connection will do. One that was lost before the question came may
                // be noticed only now.
                why = self.broker.lost() => {
                    if std::mem::replace(&mut is_found_again, true) {
                        return Err(no_broker(why));
                    }
                    self.broker.ready().await.map_err(no_broker)?;
                }
            }
        }
    }

    fn choose(&self) -> Result<String, Trouble> {
        let state = self.shared.state();
        if let Some(named) = &self.settings.gateway {
            return match state.gateways.get(named) {
                Some(true) => Ok(named.clone()),
                Some(false) => Err(Trouble::GatewayOffline { gateway: bare(named) }),
                None => Err(self.no_gateway()),
            };
        }
        let mut online: Vec<&String> =
            state.gateways.iter().filter(|(_, is_online)| **is_online).map(|(name, _)| name).collect();
        online.sort();
        match (online.as_slice(), state.gateways.keys().next()) {
            ([one], _) => Ok((*one).clone()),
            ([], Some(offline)) => Err(Trouble::GatewayOffline { gateway: bare(offline) }),
            ([], None) => Err(self.no_gateway()),
            (many, _) => Err(Trouble::ManyGateways(many.iter().map(|name| bare(name)).collect())),
        }
    }

    fn no_gateway(&self) -> Trouble {
        Trouble::NoGateway { broker: self.settings.broker.to_string(), prefix: self.settings.prefix.clone() }
    }

    async fn list(&self, gateway: &str) -> Result<Vec<Node>, Trouble> {
        const API: &str = "getNodes";
        let result = self.ask(gateway, API, json!([])).await?;
        nodes::read(&result).ok_or_else(|| Trouble::Refused {
            gateway: bare(gateway),
            api: API,
            why: "what it answered is no list of nodes".to_owned(),
        })
    }

    /// Asks an API and gives its result.
    async fn ask(&self, gateway: &str, api: &'static str, args: Value) -> Result<Value, Trouble> {
        let number = self.questions.fetch_add(1, Ordering::Relaxed);
        let mark = format!("zwave-mcp-server {} {} {number}", std::process::id(), now());
        let no_broker = |why| Trouble::NoBroker { broker: self.settings.broker.to_string(), why };
        let (waiting, answer) = Waiting::begin(&self.shared, mark.clone());
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
            return Err(Trouble::NoAnswer { gateway: bare(gateway), api, seconds });
        };
        match answer["success"].as_bool() {
            Some(true) => Ok(answer["result"].clone()),
            _ => {
                let why = answer["message"].as_str().unwrap_or("it does not say why").to_owned();
                Err(Trouble::Refused { gateway: bare(gateway), api, why })
            }
        }
    }
}

/// A question that waits for its answer; it is forgotten when nobody waits any more.
struct Waiting<'a> {
    shared: &'a Shared,
    mark: String,
}

impl<'a> Waiting<'a> {
    fn begin(shared: &'a Shared, mark: String) -> (Waiting<'a>, oneshot::Receiver<Value>) {
        let (tell, answer) = oneshot::channel();
        shared.state().waiting.insert(mark.clone(), tell);
        (Waiting { shared, mark }, answer)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.shared.state().waiting.remove(&self.mark);
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answered(&self, payload: &[u8]) {
        let Ok(answer) = serde_json::from_slice::<Value>(payload) else { return };
        let Some(mark) = answer["origin"][MARK].as_str() else { return };
        let waiting = self.state().waiting.remove(mark);
        if let Some(waiting) = waiting {
            // Who asked may have gone.
            let _ = waiting.send(answer);
        }
    }
}

impl Listener for Shared {
    fn connected(&self) {
        // What was kept is told again by the broker; what it does not tell is no longer so.
        let mut state = self.state();
        state.heard = Heard::default();
        state.gateways.clear();
        drop(state);
        self.nodes_changed.fetch_add(1, Ordering::AcqRel);
    }

    fn heard(&self, message: &Message<'_>) {
        let Some(topic) = topics::parse(&self.prefix, message.topic) else { return };
        let said = || payload::read(message.payload);
        match topic {
            Topic::ApiAnswer { .. } if message.is_retained => return,
            Topic::ApiAnswer { .. } => return self.answered(message.payload),
            Topic::GatewayStatus { gateway } => {
                let is_online = said().value == Value::Bool(true);
                tracing::debug!(gateway, is_online, "a gateway reports");
                self.state().gateways.insert(gateway, is_online);
                self.nodes_changed.fetch_add(1, Ordering::AcqRel);
            }
            Topic::NodeStatus { .. } => {
                self.nodes_changed.fetch_add(1, Ordering::AcqRel);
            }
            Topic::NodeLastActive { node } => {
                if let Some(time) = said().value.as_u64() {
                    self.state().heard.last_active(node, time);
                }
            }
            Topic::Value(value) => {
                let said = said();
                // A bare value that the broker had kept may be of any age.
                let time = said.time.or_else(|| (!message.is_retained).then(now));
                self.state().heard.value(value, Reading { value: said.value, time });
            }
        }
        self.heard.send_modify(|count| *count = count.wrapping_add(1));
    }
}

fn bare(gateway: &str) -> String {
    gateway.strip_prefix(GATEWAY_PREFIX).unwrap_or(gateway).to_owned()
}
