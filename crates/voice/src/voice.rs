//! Startup and shutdown of the voice: the transcriber, the built-in broker and the fronts start
//! concurrently.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use toolwright_base::IgnorePoison;
use toolwright_config::{
    BrokerChoice, MqttProtocol, MqttSettings, USUAL_BROKER_PORT, VoiceSettings, WyomingSettings,
};
use toolwright_executor::ToolExecutor;

use crate::broker::Broker;
use crate::fronts::hermes::HermesFront;
use crate::fronts::mqtt::{MqttFront, Topics};
use crate::fronts::wyoming::WyomingFront;
use crate::fronts::{SOURCE, now};
use crate::limits::Limits;
use crate::mind::Mind;
use crate::mqtt::{BrokerAddress, BrokerLink, LinkOptions, LinkState, Revisions, Subscriber};
use crate::policy::VoicePolicy;
use crate::status::Status;
use crate::transcriber::{BackgroundTranscriber, TranscriberOptions};
use crate::view::{FrontState, FrontView, VoiceView};

/// The retry interval for a port that cannot be bound.
const BIND_RETRY: std::time::Duration = std::time::Duration::from_secs(2);

/// The number of device requests while their server starts, and the interval between them.
const WARM_TRIES: usize = 120;
const WARM_RETRY: std::time::Duration = std::time::Duration::from_millis(500);

/// Dependencies and settings of the voice.
pub struct VoiceOptions {
    /// The settings of the configuration file.
    pub settings: VoiceSettings,
    /// Runs every tool.
    pub executor: Arc<ToolExecutor>,
    /// Answers sentences that are no direct command.
    pub mind: Option<Arc<dyn Mind>>,
}

/// The running voice.
pub struct Voice {
    transcriber: BackgroundTranscriber,
    fronts: Fronts,
    tasks: TaskTracker,
    stop: CancellationToken,
    /// Stops the built-in broker, after its clients have disconnected.
    stop_broker: CancellationToken,
}

/// The states of the fronts.
#[derive(Clone, Default)]
struct Fronts(Arc<Mutex<Vec<FrontView>>>);

impl Voice {
    /// Starts everything concurrently and waits for nothing: what is not available yet is retried. Must be
    /// called on a tokio runtime.
    pub fn start(options: VoiceOptions) -> Voice {
        let VoiceOptions { settings, executor, mind } = options;
        let status: Arc<Status> = Arc::default();
        let usual = Limits::default();
        let confirm = settings.confirm_time.unwrap_or(usual.confirm);
        let limits = Limits {
            waiting: settings.waiting.unwrap_or(usual.waiting),
            at_once: settings.at_once.unwrap_or(usual.at_once),
            max_age: settings.max_age.unwrap_or(usual.max_age),
            confirm,
            // Half of a short timeout still leaves time for an answer.
            hearing: usual.hearing.min(confirm / 2),
            think: settings.think_time.unwrap_or(usual.think),
        };
        let transcriber = BackgroundTranscriber::new(
            TranscriberOptions {
                executor,
                mind,
                policy: Arc::new(VoicePolicy::new(settings.tools.as_deref(), &settings.confirm)),
                limits,
                list_tool: settings.list_tool.clone(),
                control_tool: settings.control_tool.clone(),
            },
            status,
        );
        let voice = Voice {
            transcriber,
            fronts: Fronts::default(),
            tasks: TaskTracker::new(),
            stop: CancellationToken::new(),
            stop_broker: CancellationToken::new(),
        };
        if let Some(mqtt) = settings.mqtt {
            voice.begin_mqtt(mqtt, settings.hermes);
        }
        if let Some(wyoming) = settings.wyoming {
            voice.begin_wyoming(wyoming);
        }
        let (transcriber, stop) = (voice.transcriber.clone(), voice.stop.clone());
        voice.tasks.spawn(async move {
            let warm = async {
                for _ in 0..WARM_TRIES {
                    transcriber.warm().await;
                    if transcriber.summary().1 > 0 {
                        return;
                    }
                    tokio::time::sleep(WARM_RETRY).await;
                }
            };
            tokio::select! {
                () = warm => {}
                () = stop.cancelled() => {}
            }
        });
        voice
    }

    /// The transcriber, for transcripts that arrive without a front.
    pub fn transcriber(&self) -> &BackgroundTranscriber {
        &self.transcriber
    }

    /// The current status.
    pub fn view(&self) -> VoiceView {
        let fronts = self.fronts.lock().clone();
        let is_ready = fronts.iter().all(|front| front.state == FrontState::Ready);
        let (waiting, running) = self.transcriber.load();
        let limits = self.transcriber.limits();
        let (questions, devices, has_mind) = self.transcriber.summary();
        let status = self.transcriber.status();
        VoiceView {
            status: if is_ready { "ok" } else { "degraded" },
            fronts,
            counts: status.counts(),
            waiting: (waiting, limits.waiting),
            running: (running, limits.at_once),
            questions,
            devices,
            has_mind,
            last_ms: status.last_took().map(|took| took.as_millis() as u64),
        }
    }

    /// Waits until no front is starting, whether it succeeded or not.
    pub async fn settled(&self) {
        while self.fronts.lock().iter().any(|front| front.state == FrontState::Starting) {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    }

    /// Shuts down gracefully: answers in flight are delivered, and the broker receives the offline status.
    pub async fn stop(&self) {
        self.transcriber.stop().await;
        self.stop.cancel();
        self.tasks.close();
        // The link disconnects while the broker is still running.
        let shut_down = async {
            while self.tasks.len() > 1 {
                tokio::time::sleep(std::time::Duration::from_millis(5)).await;
            }
        };
        let _ = tokio::time::timeout(crate::limits::DISCONNECT_TIMEOUT, shut_down).await;
        self.stop_broker.cancel();
        self.tasks.wait().await;
    }

    fn begin_mqtt(&self, settings: MqttSettings, hermes: bool) {
        self.fronts.set("mqtt", FrontState::Starting, String::new());
        let is_inside = matches!(settings.broker, BrokerChoice::Inside { .. });
        if is_inside {
            self.fronts.set("broker", FrontState::Starting, String::new());
        }
        if hermes {
            self.fronts.set("hermes", FrontState::Starting, String::new());
        }
        let (fronts, transcriber, tasks) =
            (self.fronts.clone(), self.transcriber.clone(), self.tasks.clone());
        let (stop, stop_broker) = (self.stop.clone(), self.stop_broker.clone());
        self.tasks.spawn(async move {
            let address = match &settings.broker {
                BrokerChoice::Outside(broker) => BrokerAddress(broker.clone()),
                BrokerChoice::Inside { port } => {
                    let broker = tokio::select! {
                        broker = inside(*port, &fronts) => broker.stopped_by(stop_broker),
                        () = stop.cancelled() => return,
                    };
                    let port = broker.address().map_or(USUAL_BROKER_PORT, |address| address.port());
                    fronts.set(
                        "broker",
                        FrontState::Ready,
                        format!("mqtt://127.0.0.1:{port}, this machine only"),
                    );
                    tasks.spawn(broker.run());
                    BrokerAddress::inside(port)
                }
            };
            let topics = Topics::new(&settings.topic_prefix, &settings.response_prefixes);
            let options = link_options(&settings, address, &topics);
            let (link, outbox, state) = BrokerLink::new(options, Arc::clone(transcriber.status()), stop);
            let mut subscribers: Vec<Arc<dyn Subscriber>> =
                vec![Arc::new(MqttFront::new(topics, transcriber.clone(), outbox.clone()))];
            if hermes {
                subscribers.push(Arc::new(HermesFront::new(transcriber, outbox)));
            }
            let names: &[&'static str] = if hermes { &["mqtt", "hermes"] } else { &["mqtt"] };
            tokio::join!(link.run(subscribers), follow(state, fronts, names));
        });
    }

    fn begin_wyoming(&self, settings: WyomingSettings) {
        self.fronts.set("wyoming", FrontState::Starting, settings.listen.to_string());
        let (fronts, transcriber, stop) = (self.fronts.clone(), self.transcriber.clone(), self.stop.clone());
        self.tasks.spawn(async move {
            loop {
                let WyomingSettings { listen, allow } = settings.clone();
                let bound = WyomingFront::bind(listen, allow, transcriber.clone(), stop.clone()).await;
                match bound.and_then(|front| front.address().map(|address| (front, address))) {
                    Ok((front, address)) => {
                        fronts.set("wyoming", FrontState::Ready, format!("tcp://{address}"));
                        return front.run().await;
                    }
                    Err(error) => fronts.set("wyoming", FrontState::Waiting, taken(listen, &error)),
                }
                tokio::select! {
                    () = tokio::time::sleep(BIND_RETRY) => {}
                    () = stop.cancelled() => return,
                }
            }
        });
    }
}

/// Binds the built-in broker at its port. If no port is configured and the default is in use, it binds any
/// free one.
async fn inside(port: Option<u16>, fronts: &Fronts) -> Broker {
    loop {
        let bound = match (port, Broker::bind(port.unwrap_or(USUAL_BROKER_PORT)).await) {
            (None, Err(_)) => Broker::bind(0).await,
            (_, bound) => bound,
        };
        match bound {
            Ok(broker) => return broker,
            Err(error) => {
                let listen = SocketAddr::from(([127, 0, 0, 1], port.unwrap_or(USUAL_BROKER_PORT)));
                fronts.set("broker", FrontState::Waiting, taken(listen, &error));
                tokio::time::sleep(BIND_RETRY).await;
            }
        }
    }
}

fn taken(listen: SocketAddr, error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::AddrInUse => format!("{listen} is taken by another program; trying again"),
        _ => format!("{listen} cannot be listened at: {error}; trying again"),
    }
}

fn link_options(settings: &MqttSettings, address: BrokerAddress, topics: &Topics) -> LinkOptions {
    let status = |is_online: bool| {
        let mut value = serde_json::json!({ "online": is_online, "source": SOURCE, "version": env!("CARGO_PKG_VERSION") });
        if let (true, Some(members)) = (is_online, value.as_object_mut()) {
            members.insert("since".to_owned(), now().into());
        }
        value.to_string()
    };
    LinkOptions {
        address,
        client_id: settings.client_id.clone().unwrap_or_else(own_name),
        revisions: match settings.protocol {
            MqttProtocol::Auto => Revisions::Both,
            MqttProtocol::Five => Revisions::V5,
            MqttProtocol::Three => Revisions::V311,
        },
        status_topic: topics.status.clone(),
        online: status(true),
        offline: status(false),
    }
}

/// A unique client id: when two clients use the same one, a broker disconnects the first.
fn own_name() -> String {
    let nanos = jiff::Timestamp::now().as_nanosecond() as u64;
    // Short enough for brokers that accept at most 23 characters.
    format!("toolwright-{:x}{:06x}", std::process::id() & 0xffff, (nanos / 1_000) & 0xff_ffff)
}

/// Copies the state of the link to its fronts until the link ends.
async fn follow(mut state: watch::Receiver<LinkState>, fronts: Fronts, names: &[&'static str]) {
    loop {
        let now = state.borrow_and_update().clone();
        if now.state != FrontState::Starting {
            names.iter().for_each(|name| fronts.set(name, now.state, now.detail.clone()));
        }
        if state.changed().await.is_err() {
            return;
        }
    }
}

impl Fronts {
    fn set(&self, name: &'static str, state: FrontState, detail: String) {
        let mut fronts = self.lock();
        match fronts.iter_mut().find(|front| front.name == name) {
            Some(front) => *front = FrontView { name, state, detail },
            None => fronts.push(FrontView { name, state, detail }),
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<FrontView>> {
        self.0.lock().ignore_poison()
    }
}
