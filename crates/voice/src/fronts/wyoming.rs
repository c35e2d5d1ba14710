//! Wyoming, the protocol of Home Assistant's voice services: `transcript` in, `handled` or `not-handled`
//! out.
//!
//! An event is a line of JSON, followed by data and a payload. The protocol has no authentication, so only
//! loopback and the configured addresses may connect.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc};
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use toolwright_config::AddressRange;
use toolwright_speech::{Event, Frames, MAX_TEXT_CHARS};

use crate::limits::{WYOMING_CLIENTS, WYOMING_IDLE, WYOMING_WRITE};
use crate::status::Drop;
use crate::transcriber::BackgroundTranscriber;
use crate::transcript::{Answer, AnswerKind, Delivery, Ear, Transcript};

/// Events queued for one client.
const OUTBOX: usize = 64;
/// The size of the read buffer, in bytes.
const READ: usize = 8 * 1024;

/// The Wyoming front end.
pub(crate) struct WyomingFront {
    listener: TcpListener,
    allow: Vec<AddressRange>,
    transcriber: BackgroundTranscriber,
    stop: CancellationToken,
}

impl WyomingFront {
    /// Binds the port.
    pub async fn bind(
        listen: SocketAddr,
        allow: Vec<AddressRange>,
        transcriber: BackgroundTranscriber,
        stop: CancellationToken,
    ) -> io::Result<WyomingFront> {
        let listener = TcpListener::bind(listen).await?;
        Ok(WyomingFront { listener, allow, transcriber, stop })
    }

    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves clients until the stop token is cancelled.
    pub async fn run(self) {
        let (permits, tasks) = (Arc::new(Semaphore::new(WYOMING_CLIENTS)), TaskTracker::new());
        loop {
            let accepted = tokio::select! {
                accepted = self.listener.accept() => accepted,
                () = self.stop.cancelled() => break,
            };
            let (stream, peer) = match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // Too many files are open, or the client has already disconnected.
                    tracing::warn!("a client of Wyoming could not come in: {error}");
                    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
                    continue;
                }
            };
            if !is_allowed(peer.ip(), &self.allow) {
                tracing::warn!("{} is not among those that may speak, and was turned away", peer.ip());
                continue;
            }
            let Ok(permit) = Arc::clone(&permits).try_acquire_owned() else {
                tracing::warn!("{peer} was turned away: {WYOMING_CLIENTS} clients are there already");
                continue;
            };
            let client = WyomingClient { peer, transcriber: self.transcriber.clone() };
            let stop = self.stop.clone();
            tasks.spawn(async move {
                tokio::select! {
                    () = client.serve(stream) => {}
                    () = stop.cancelled() => {}
                }
                drop(permit);
            });
        }
        tasks.close();
        tasks.wait().await;
    }
}

fn is_allowed(address: IpAddr, allow: &[AddressRange]) -> bool {
    address.to_canonical().is_loopback() || allow.iter().any(|range| range.contains(address))
}

/// One client connection.
struct WyomingClient {
    peer: SocketAddr,
    transcriber: BackgroundTranscriber,
}

impl WyomingClient {
    async fn serve(self, stream: TcpStream) {
        // Without `TCP_NODELAY` an answer waits for the acknowledgement of the packet before it.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!("{}: {error}", self.peer);
        }
        let (reading, writing) = stream.into_split();
        let (outbox, events) = mpsc::channel(OUTBOX);
        let (read, ()) = tokio::join!(self.read(reading, outbox), write(writing, events));
        if let Err(error) = read {
            tracing::debug!("{}: {error}", self.peer);
        }
    }

    /// Reads events until the client disconnects. The outbox closes after the last answer.
    async fn read(&self, mut reading: OwnedReadHalf, outbox: mpsc::Sender<Event>) -> io::Result<()> {
        let mut frames = Frames::default();
        let mut buffer = vec![0; READ];
        loop {
            let count = match timeout(WYOMING_IDLE, reading.read(&mut buffer)).await {
                Ok(count) => count?,
                Err(_) => return Ok(()),
            };
            if count == 0 {
                return Ok(());
            }
            frames.push(&buffer[..count]);
            loop {
                match frames.next() {
                    Ok(Some(event)) => self.handle_event(event, &outbox).await,
                    Ok(None) => break,
                    Err(error) => {
                        // The start of the next event is unknown after a framing error.
                        tracing::warn!("{}: {error}", self.peer);
                        send(&outbox, failure(&error.to_string(), "malformed")).await;
                        return Ok(());
                    }
                }
            }
        }
    }

    async fn handle_event(&self, event: Event, outbox: &mpsc::Sender<Event>) {
        match event.kind.as_str() {
            "describe" => send(outbox, info()).await,
            "ping" => {
                let data = event.data.get("text").map_or(json!({}), |text| json!({ "text": text }));
                send(outbox, Event::new("pong", data)).await;
            }
            "transcript" => self.transcript(&event.data, outbox).await,
            // Audio events and their metadata are for other services.
            _ => {}
        }
    }

    /// Sends both events: some clients ignore `error`, all of them read `not-handled`.
    async fn refuse(&self, message: &str, code: &str, outbox: &mpsc::Sender<Event>) {
        self.transcriber.status().dropped(Drop::Malformed);
        send(outbox, failure(message, code)).await;
        send(outbox, Event::new("not-handled", json!({ "text": Drop::Malformed.sentence() }))).await;
    }

    async fn transcript(&self, data: &Value, outbox: &mpsc::Sender<Event>) {
        let text = match data.get("text").and_then(Value::as_str) {
            Some(text) if text.chars().count() <= MAX_TEXT_CHARS => text.trim(),
            Some(_) => {
                let message = format!("the text is longer than {MAX_TEXT_CHARS} characters");
                return self.refuse(&message, "too-long", outbox).await;
            }
            None => return self.refuse("a transcript has a \"text\"", "malformed", outbox).await,
        };
        let context = data.get("context").filter(|context| context.is_object()).cloned();
        let of_context = |key: &str| {
            let value = context.as_ref().and_then(|context| context.get(key)).and_then(Value::as_str);
            value.map(|value| value.chars().take(128).collect::<String>())
        };
        // Home Assistant opens a connection for every sentence and sends the id of the conversation.
        let conversation = of_context("conversation_id").unwrap_or_else(|| self.peer.ip().to_string());
        let transcript = Transcript {
            id: None,
            text: text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect(),
            conversation: format!("wyoming:{conversation}"),
            source: format!("wyoming {}", self.peer.ip()),
            language: data.get("language").and_then(Value::as_str).map(str::to_owned),
            said_at: None,
            received: Instant::now(),
        };
        let sink = WyomingSink { outbox: outbox.clone(), context, streamed: None };
        self.transcriber.take(transcript, Box::new(sink));
    }
}

async fn send(outbox: &mpsc::Sender<Event>, event: Event) {
    // The client has disconnected; there is no one to send to.
    let _ = outbox.send(event).await;
}

async fn write(mut writing: OwnedWriteHalf, mut events: mpsc::Receiver<Event>) {
    while let Some(event) = events.recv().await {
        match timeout(WYOMING_WRITE, writing.write_all(&event.to_bytes())).await {
            Ok(Ok(())) => {}
            // The client has disconnected or does not read.
            Ok(Err(_)) | Err(_) => return,
        }
    }
}

/// The service description.
fn info() -> Event {
    let by = json!({ "name": "Toolwright", "url": "" });
    let model = json!({
        "name": "toolwright", "description": "Tools and devices, by voice", "languages": ["en"],
        "attribution": by, "installed": true, "version": env!("CARGO_PKG_VERSION"),
    });
    let program = json!({
        "name": "toolwright", "description": "Every tool call, made to fit", "attribution": by, "installed": true,
        "version": env!("CARGO_PKG_VERSION"), "models": [model],
        "supports_handled_streaming": true, "supports_home_control": true,
    });
    Event::new(
        "info",
        json!({ "asr": [], "tts": [], "handle": [program], "intent": [], "wake": [], "mic": [], "snd": [] }),
    )
}

fn failure(text: &str, code: &str) -> Event {
    Event::new("error", json!({ "text": text, "code": code }))
}

/// Sends an answer. The text of a model is streamed by sentence; the complete text always follows, because
/// some clients, including Home Assistant, read only that.
struct WyomingSink {
    outbox: mpsc::Sender<Event>,
    context: Option<Value>,
    /// The text that was streamed so far.
    streamed: Option<String>,
}

impl WyomingSink {
    fn send(&self, event: Event) -> Delivery {
        if self.outbox.try_send(event).is_err() {
            tracing::debug!("a client of Wyoming does not read its answers");
            return Delivery::Lost;
        }
        Delivery::Sent
    }

    fn with_context(&self, mut data: Value) -> Value {
        if let (Some(context), Some(members)) = (&self.context, data.as_object_mut()) {
            members.insert("context".to_owned(), context.clone());
        }
        data
    }

    fn begin(&mut self) -> &mut String {
        if self.streamed.is_none() {
            let start = Event::new("handled-start", self.with_context(json!({})));
            self.send(start);
        }
        self.streamed.get_or_insert_default()
    }

    fn chunk(&mut self, text: &str) {
        let streamed = self.begin();
        let piece = if streamed.is_empty() { text.to_owned() } else { format!(" {text}") };
        streamed.push_str(&piece);
        self.send(Event::new("handled-chunk", json!({ "text": piece })));
    }
}

impl Ear for WyomingSink {
    fn sentence(&mut self, sentence: &str) {
        self.chunk(sentence);
    }

    fn answer(mut self: Box<Self>, answer: Answer) -> Delivery {
        let is_handled = matches!(answer.kind, AnswerKind::Done | AnswerKind::Asked);
        if let Some(streamed) = &self.streamed {
            let rest = answer.text.strip_prefix(streamed.as_str()).unwrap_or(&answer.text).trim().to_owned();
            if !rest.is_empty() {
                self.chunk(&rest);
            }
            self.send(Event::new("handled-stop", json!({})));
        }
        let kind = if is_handled { "handled" } else { "not-handled" };
        self.send(Event::new(kind, self.with_context(json!({ "text": answer.text }))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_and_those_that_are_named_come_in() {
        let allow = [AddressRange::parse("192.168.1.0/24").expect("a range")];
        let ip = |text: &str| text.parse::<IpAddr>().expect("an address");
        for inside in ["127.0.0.1", "::1", "::ffff:127.0.0.1", "192.168.1.7", "::ffff:192.168.1.7"] {
            assert!(is_allowed(ip(inside), &allow), "{inside}");
        }
        for outside in ["192.168.2.7", "10.0.0.1", "::2", "::ffff:10.0.0.1", "0.0.0.0"] {
            assert!(!is_allowed(ip(outside), &allow), "{outside}");
        }
        assert!(!is_allowed(ip("192.168.1.7"), &[]));
    }
}
