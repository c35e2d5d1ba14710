//! The connection to an MQTT broker, with reconnects.
//!
//! Each connection has its own client, so that no queued message is sent on the next connection: a light
//! must not go on late because a user wanted it while the broker was away. It uses MQTT 3.1.1, which every
//! broker supports.

use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use rumqttc::{
    AsyncClient, ConnectReturnCode, ConnectionError, Event, EventLoop, MqttOptions, Packet, PublishOptions,
    QoS, SubscribeReasonCode, TlsConfiguration, Transport,
};
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

use crate::settings::{Encryption, MqttBrokerSettings};

/// The initial backoff; each further one is twice as long.
const FIRST_WAIT: Duration = Duration::from_millis(500);
/// The maximum backoff.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// The minimum backoff, when a request arrives in the meantime.
const SHORTEST_WAIT: Duration = Duration::from_millis(500);
/// The largest received message, in bytes: a list of nodes has some kilobytes for each.
const LARGEST_MESSAGE: usize = 32 << 20;
/// The largest sent message, in bytes.
const LARGEST_REQUEST: usize = 64 << 10;
/// Queue size for requests.
const QUEUE: usize = 64;
/// The keep-alive interval.
const KEEP_ALIVE_SECONDS: u16 = 20;

/// A message from the broker.
#[derive(Debug)]
pub struct BrokerMessage<'a> {
    /// Its topic.
    pub topic: &'a str,
    /// Its payload.
    pub payload: &'a [u8],
    /// The broker had retained it.
    pub is_retained: bool,
}

/// Receives the messages. It is called between two messages, so it must not block.
pub trait MessageListener: Send + Sync + 'static {
    /// A connection is established; data from the last one may be outdated.
    fn connected(&self);
    /// A message has arrived.
    fn heard(&self, message: &BrokerMessage<'_>);
}

/// Why the broker cannot be reached.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BrokerUnavailable(pub String);

/// The connection to a broker. Dropping it stops its task.
#[derive(Debug)]
pub struct ZwaveBroker {
    link: watch::Receiver<BrokerState>,
    requested: Arc<Notify>,
    connect_timeout: Duration,
    task: JoinHandle<()>,
}

#[derive(Clone, Debug)]
enum BrokerState {
    /// The first attempt is in progress.
    Connecting,
    Up(AsyncClient),
    Down {
        away: BrokerUnavailable,
        /// The start of the failed attempt.
        since: Instant,
    },
}

impl ZwaveBroker {
    /// Starts to connect, and subscribes to this filter on every connection.
    pub fn connect(
        settings: MqttBrokerSettings,
        filter: String,
        listener: Arc<dyn MessageListener>,
    ) -> ZwaveBroker {
        let (sender, link) = watch::channel(BrokerState::Connecting);
        let requested = Arc::new(Notify::new());
        let connect_timeout = settings.connect_timeout;
        let keeper = ConnectionTask { settings, filter, listener, sender, requested: requested.clone() };
        ZwaveBroker { link, requested, connect_timeout, task: tokio::spawn(keeper.keep()) }
    }

    /// Publishes a message and waits for its acknowledgement. After an error the message was not sent, or
    /// its delivery is unknown.
    pub async fn publish(&self, topic: String, payload: Vec<u8>) -> Result<(), BrokerUnavailable> {
        let client = self.client().await?;
        let away = |reason: &str| BrokerUnavailable(reason.to_owned());
        let sent = client.publish_tracked(topic, payload, PublishOptions::at_least_once());
        let acknowledged =
            async { Ok::<_, BrokerUnavailable>(sent.await.map_err(|_| away(LOST))?.wait_async().await) };
        match timeout(self.connect_timeout, acknowledged).await {
            Ok(Ok(Ok(_))) => Ok(()),
            Ok(Ok(Err(_)) | Err(_)) => Err(away(LOST)),
            Err(_) => Err(away("it has not acknowledged the message in time")),
        }
    }

    /// Waits for a connection, at most for one attempt.
    pub async fn ready(&self) -> Result<(), BrokerUnavailable> {
        self.client().await.map(drop)
    }

    /// Waits until the current connection is lost; returns the reason.
    pub async fn lost(&self) -> BrokerUnavailable {
        let mut link = self.link.clone();
        match link.wait_for(|link| !matches!(link, BrokerState::Up(_))).await.as_deref() {
            Ok(BrokerState::Down { away, .. }) => away.clone(),
            _ => BrokerUnavailable(LOST.to_owned()),
        }
    }

    /// The current connection. If it is down, the broker may be back since the last attempt, so the result
    /// is that of an attempt that started after this call.
    async fn client(&self) -> Result<AsyncClient, BrokerUnavailable> {
        let now = Instant::now();
        let patience = self.connect_timeout * 2 + SHORTEST_WAIT;
        let mut link = self.link.clone();
        if matches!(&*link.borrow(), BrokerState::Down { .. }) {
            self.requested.notify_one();
        }
        let is_known = |link: &BrokerState| match link {
            BrokerState::Connecting => false,
            BrokerState::Up(_) => true,
            BrokerState::Down { since, .. } => *since >= now,
        };
        // The last state counts, even if there is no new one in time.
        let _ = timeout(patience, link.wait_for(is_known)).await;
        match &*link.borrow() {
            BrokerState::Up(client) => Ok(client.clone()),
            BrokerState::Down { away, .. } => Err(away.clone()),
            BrokerState::Connecting => Err(BrokerUnavailable("it has not answered yet".into())),
        }
    }
}

impl Drop for ZwaveBroker {
    fn drop(&mut self) {
        self.task.abort();
    }
}

const LOST: &str = "the connection was lost";

/// The task that maintains the connection.
struct ConnectionTask {
    settings: MqttBrokerSettings,
    filter: String,
    listener: Arc<dyn MessageListener>,
    sender: watch::Sender<BrokerState>,
    requested: Arc<Notify>,
}

impl ConnectionTask {
    async fn keep(self) {
        let mut wait = FIRST_WAIT;
        loop {
            let since = Instant::now();
            let away = match self.open() {
                Ok((client, events)) => self.hold(client, events).await,
                Err(away) => away,
            };
            let was_up = matches!(&*self.sender.borrow(), BrokerState::Up(_));
            if was_up {
                wait = FIRST_WAIT;
            }
            let seconds = wait.as_secs_f32();
            tracing::warn!(broker = %self.settings, "no connection: {away}; the next attempt is in {seconds} s");
            self.sender.send_replace(BrokerState::Down { away, since });
            let hurried = async {
                sleep(SHORTEST_WAIT).await;
                self.requested.notified().await;
            };
            let _ = timeout(wait, hurried).await;
            wait = (wait * 2).min(LONGEST_WAIT);
        }
    }

    fn open(&self) -> Result<(AsyncClient, EventLoop), BrokerUnavailable> {
        let settings = &self.settings;
        let client_id = format!("zwave-mcp-server-{:016x}", RandomState::new().hash_one(std::process::id()));
        let mut options =
            MqttOptions::new(client_id, rumqttc::Broker::tcp(settings.host.as_str(), settings.port));
        options.set_keep_alive(KEEP_ALIVE_SECONDS).set_max_packet_size(LARGEST_MESSAGE, LARGEST_REQUEST);
        if let Some((user, password)) = &settings.login {
            options.set_credentials(user.clone(), password.clone());
        }
        match &settings.encryption {
            Encryption::None => {}
            Encryption::SystemAuthorities => {
                let tls = Transport::try_tls_with_default_config();
                options.set_transport(
                    tls.map_err(|error| BrokerUnavailable(format!("TLS cannot be set up: {error}")))?,
                );
            }
            Encryption::Authorities(file) => {
                let unread = |error| {
                    BrokerUnavailable(format!("MQTT_CA_FILE {} cannot be read: {error}", file.display()))
                };
                let ca = fs::read(file).map_err(unread)?;
                let tls = TlsConfiguration::Simple { ca, alpn: None, client_auth: None };
                options.set_transport(Transport::tls_with_config(tls));
            }
        }
        let (client, mut events) = AsyncClient::builder(options).capacity(QUEUE).build();
        // Without `TCP_NODELAY` a request waits 40 ms for the acknowledgement of the packet before it.
        events.network_options.set_tcp_nodelay(true);
        let seconds = settings.connect_timeout.as_millis().div_ceil(1_000);
        events.network_options.set_connection_timeout(u64::try_from(seconds).unwrap_or(u64::MAX));
        Ok((client, events))
    }

    /// Runs one connection; returns why it ended.
    async fn hold(&self, client: AsyncClient, mut events: EventLoop) -> BrokerUnavailable {
        loop {
            match events.poll().await {
                Ok(Event::Incoming(Packet::ConnAck(_))) => {
                    self.listener.connected();
                    if client.try_subscribe(self.filter.clone(), QoS::AtLeastOnce).is_err() {
                        return BrokerUnavailable("the subscription cannot be sent".into());
                    }
                }
                Ok(Event::Incoming(Packet::SubAck(answer))) => {
                    if answer.return_codes.contains(&SubscribeReasonCode::Failure) {
                        return BrokerUnavailable(format!("it does not let us subscribe to {}", self.filter));
                    }
                    tracing::info!(broker = %self.settings, "connected");
                    self.sender.send_replace(BrokerState::Up(client.clone()));
                }
                Ok(Event::Incoming(Packet::Publish(publish))) => {
                    let topic = String::from_utf8_lossy(&publish.topic);
                    let message = BrokerMessage {
                        topic: &topic,
                        payload: &publish.payload,
                        is_retained: publish.retain,
                    };
                    self.listener.heard(&message);
                }
                Ok(_) => {}
                Err(error) => return BrokerUnavailable(reason(&error)),
            }
        }
    }
}

/// The error in terms that the user can act on.
fn reason(error: &ConnectionError) -> String {
    match error {
        ConnectionError::ConnectionRefused(
            ConnectReturnCode::BadUserNamePassword | ConnectReturnCode::NotAuthorized,
        ) => "it refuses the login; check MQTT_USERNAME and MQTT_PASSWORD".to_owned(),
        ConnectionError::ConnectionRefused(code) => format!("it refuses the connection ({code:?})"),
        ConnectionError::Io(error) => error.to_string(),
        ConnectionError::NetworkTimeout => "it does not answer in time".to_owned(),
        ConnectionError::Tls(error) => format!("TLS failed: {error}"),
        ConnectionError::MqttState(error) => format!("{LOST} ({error})"),
        other => other.to_string(),
    }
}
