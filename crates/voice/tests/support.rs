//! A test home, a scripted assistant, answer receivers, and brokers.

pub mod brokers;

pub use brokers::{at_broker, inside};

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use toolwright_builtin_tools::{BuiltinConfig, builtin_tools};
use toolwright_config::VoiceSettings;
use toolwright_executor::{ToolExecutor, ToolFailure, ToolFunction, ToolOutput, ToolRegistry};
use toolwright_model::{Annotations, ToolDefinition};
use toolwright_voice::{
    Answer, BackgroundTranscriber, Delivery, Ear, FrontState, Limits, Mind, MindError, Status, Thinking,
    Thought, TranscriberOptions, Transcript, Voice, VoiceOptions,
};

/// The timeout of every wait in a test.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// A test home that records the calls of its tools, in order.
#[derive(Clone, Default)]
pub struct TestHome {
    pub calls: Arc<Mutex<Vec<(String, Value)>>>,
    /// The delay of a control call.
    pub delay: Duration,
    /// Its broker is down, and its tools report it.
    pub is_away: Arc<AtomicBool>,
    /// Its server is not connected: none of its tools is registered.
    pub is_unconnected: bool,
    /// The JSON result of its list tool, instead of lines of text.
    pub listing: Option<Value>,
}

struct HomeTool {
    name: &'static str,
    home: TestHome,
}

impl ToolFunction for HomeTool {
    fn call(self: Arc<Self>, arguments: String) -> BoxFuture<'static, Result<ToolOutput, ToolFailure>> {
        Box::pin(async move {
            let arguments: Value = serde_json::from_str(&arguments).expect("JSON");
            self.home.calls.lock().expect("a lock").push((self.name.to_owned(), arguments.clone()));
            let is_of_devices = ["list_zwave_devices", "control_zwave_device"].contains(&self.name);
            if is_of_devices && self.home.is_away.load(Ordering::Relaxed) {
                return Err(ToolFailure::tool(AWAY));
            }
            match self.name {
                "list_zwave_devices" => Ok(match &self.home.listing {
                    Some(Value::String(_)) => {
                        tokio::time::sleep(self.home.delay).await;
                        ToolOutput::text("")
                    }
                    Some(listing) => {
                        ToolOutput { structured: Some(listing.to_string()), ..ToolOutput::text("") }
                    }
                    None => ToolOutput::text(DEVICES),
                }),
                "control_zwave_device" => {
                    tokio::time::sleep(self.home.delay).await;
                    let device = arguments["deviceName"].as_str().unwrap_or_default().to_owned();
                    if device == "Broken Lamp" {
                        return Err(ToolFailure::tool("connect ECONNREFUSED 127.0.0.1:1883"));
                    }
                    let action = arguments["action"].as_str().unwrap_or_default();
                    Ok(ToolOutput::text(format!("Successfully sent command to turn {action} {device}")))
                }
                other => Ok(ToolOutput::text(format!("{other} was done"))),
            }
        })
    }
}

/// The message of zwave-mcp-server.
const AWAY: &str = "The MQTT broker mqtt://127.0.0.1:1883 cannot be reached: Connection refused (os error 111). Check that it runs and that MQTT_BROKER_URL is right. Nothing was sent.";

pub const DEVICES: &str = r#"Available Z-Wave devices (8 total):
- "Switch One" in Hall is online
- "Switch Two" in Hall is online
- "Lamp" in Kitchen is online
- "Lamp" in Bedroom is online
- "Desk Light" in Office is online
- "Garage Door" in Garage is online
- "Broken Lamp" is online
- "Outdoor Light" in Garden is online"#;

impl TestHome {
    /// The tools of the home, the built-in ones, and two dangerous ones.
    pub fn executor(&self) -> Arc<ToolExecutor> {
        self.executor_with(&[])
    }

    /// The same with more tools, which accept any arguments.
    pub fn executor_with(&self, more: &[&'static str]) -> Arc<ToolExecutor> {
        let registry = Arc::new(ToolRegistry::new());
        let mut ours = BuiltinConfig::default();
        ours.files.roots = vec![std::env::temp_dir()];
        for tool in builtin_tools(&ours).expect("ours are in order") {
            registry.register(tool.definition, tool.function).expect("ours are in order");
        }
        let device = json!({ "type": "object", "properties": {
            "deviceName": {"type": "string"}, "action": {"type": "string", "enum": ["on", "off", "dim"]},
            "level": {"type": "integer", "minimum": 0, "maximum": 100} },
            "required": ["deviceName", "action"], "additionalProperties": false });
        let any = json!({ "type": "object" });
        let tools = [
            ("list_zwave_devices", &any, false),
            ("control_zwave_device", &device, false),
            ("unlock_house", &any, false),
            ("tidy_up", &any, true),
            ("house_scene", &any, false),
        ];
        let tools = if self.is_unconnected { &[][..] } else { &tools[..] };
        let more = more.iter().map(|name| (*name, &any, false));
        for (name, schema, destructive) in tools.iter().copied().chain(more) {
            let definition = ToolDefinition {
                name: name.into(),
                server: Some("zwave".into()),
                description: "Of the house.".into(),
                input_schema: schema.to_string(),
                annotations: Annotations { destructive, harmless: false },
                ..ToolDefinition::default()
            };
            registry.register(definition, Arc::new(HomeTool { name, home: self.clone() })).expect("in order");
        }
        Arc::new(ToolExecutor::new(registry))
    }

    /// The control calls, in order.
    pub fn switched(&self) -> Vec<String> {
        let calls = self.calls.lock().expect("a lock");
        let of = |(name, arguments): &(String, Value)| {
            let text = |key: &str| arguments[key].as_str().unwrap_or_default().to_owned();
            match name.as_str() {
                "list_zwave_devices" => None,
                "control_zwave_device" => match arguments["level"].as_u64() {
                    Some(level) => Some(format!("{} {} {level}", text("deviceName"), text("action"))),
                    None => Some(format!("{} {}", text("deviceName"), text("action"))),
                },
                other => Some(other.to_owned()),
            }
        };
        calls.iter().filter_map(of).collect()
    }

    /// The number of device list requests.
    pub fn listed(&self) -> usize {
        self.calls.lock().expect("a lock").iter().filter(|(name, _)| name == "list_zwave_devices").count()
    }
}

/// An assistant that replies by script: one step per prompt. It records its prompts.
#[derive(Default)]
pub struct ScriptedAssistant {
    script: Mutex<VecDeque<Step>>,
    pub asked: Mutex<Vec<String>>,
    pub heard: Mutex<Vec<String>>,
    /// The executor of its tools, in a [`Room`].
    executor: Mutex<Option<Arc<ToolExecutor>>>,
}

/// The reaction to one prompt.
pub enum Step {
    Say(&'static str),
    /// Streams these pieces, then returns the whole text.
    Stream(&'static [&'static str]),
    Hold(&'static str, Value),
    /// Calls a tool as an agent does: the guard decides whether it runs or is held.
    Try(&'static str, Value),
    /// The same after a delay.
    HoldAfter(Duration, &'static str, Value),
    Wait(Duration),
    Fail(MindError),
    Panic,
}

impl ScriptedAssistant {
    pub fn new(steps: impl IntoIterator<Item = Step>) -> Arc<ScriptedAssistant> {
        Arc::new(ScriptedAssistant {
            script: Mutex::new(steps.into_iter().collect()),
            ..ScriptedAssistant::default()
        })
    }

    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().expect("a lock").clone()
    }
}

impl Mind for ScriptedAssistant {
    fn think(self: Arc<Self>, thought: Thought) -> BoxFuture<'static, Result<Thinking, MindError>> {
        self.asked.lock().expect("a lock").push(thought.text.clone());
        let step =
            self.script.lock().expect("a lock").pop_front().unwrap_or(Step::Say("I have nothing to say."));
        let wait = if let Step::HoldAfter(wait, ..) = &step { *wait } else { Duration::ZERO };
        Box::pin(async move {
            let say = |text: String| Thinking {
                text,
                model: Some(("scripted".into(), "tests".into())),
                turns: 1,
                ..Thinking::default()
            };
            match step {
                Step::Say(text) => Ok(say(text.to_owned())),
                Step::Stream(pieces) => {
                    for piece in pieces {
                        thought.words.say(piece);
                        tokio::task::yield_now().await;
                    }
                    Ok(say(pieces.concat()))
                }
                Step::Hold(tool, arguments) | Step::HoldAfter(_, tool, arguments) => {
                    tokio::time::sleep(wait).await;
                    let held = toolwright_voice::HeldCall {
                        tool: tool.to_owned(),
                        arguments: arguments.to_string(),
                    };
                    Ok(Thinking { held: vec![held], ..say(String::new()) })
                }
                Step::Try(tool, arguments) => {
                    let arguments = arguments.to_string();
                    let executor = self.executor.lock().expect("a lock").clone().expect("an executor");
                    let found = executor.find(tool).expect("a tool").tool;
                    if thought.guard.judge(&found, &arguments) == toolwright_voice::Verdict::Confirm {
                        let held = toolwright_voice::HeldCall { tool: tool.to_owned(), arguments };
                        return Ok(Thinking { held: vec![held], ..say(String::new()) });
                    }
                    executor.execute(toolwright_executor::Call::new(tool, arguments)).await;
                    Ok(say("It was done.".to_owned()))
                }
                Step::Wait(time) => {
                    tokio::time::sleep(time).await;
                    Ok(say("That took a while.".to_owned()))
                }
                Step::Fail(error) => Err(error),
                Step::Panic => panic!("the mind breaks, as it was told to"),
            }
        })
    }

    fn hears(&self, _: &str, question: &str, answer: &str) {
        self.heard.lock().expect("a lock").push(format!("{question} -> {answer}"));
    }
}

/// An `Ear` that records what it receives.
pub struct TestSink {
    sentences: Vec<String>,
    answers: mpsc::UnboundedSender<(Vec<String>, Answer)>,
    /// Reports every answer as lost.
    is_deaf: bool,
}

impl Ear for TestSink {
    fn sentence(&mut self, sentence: &str) {
        self.sentences.push(sentence.to_owned());
    }

    fn answer(self: Box<Self>, answer: Answer) -> Delivery {
        let sent = self.answers.send((self.sentences, answer));
        if sent.is_ok() && !self.is_deaf { Delivery::Sent } else { Delivery::Lost }
    }
}

/// A transcriber in the test home, and its answers.
pub struct Room {
    pub transcriber: BackgroundTranscriber,
    pub answers: mpsc::UnboundedReceiver<(Vec<String>, Answer)>,
    sender: mpsc::UnboundedSender<(Vec<String>, Answer)>,
    pub is_deaf: bool,
}

impl Room {
    pub fn new(home: &TestHome, mind: Option<Arc<ScriptedAssistant>>, limits: Limits) -> Room {
        Room::with(home, mind, limits, |_| ())
    }

    pub fn with(
        home: &TestHome,
        mind: Option<Arc<ScriptedAssistant>>,
        limits: Limits,
        change: impl FnOnce(&mut TranscriberOptions),
    ) -> Room {
        let mut options = TranscriberOptions::new(home.executor());
        if let Some(mind) = &mind {
            *mind.executor.lock().expect("a lock") = Some(Arc::clone(&options.executor));
        }
        options.mind = mind.map(|mind| mind as Arc<dyn Mind>);
        // Tests answer faster than people; the tests of the delay itself set it again.
        options.limits = Limits { hearing: Duration::ZERO, ..limits };
        change(&mut options);
        let (sender, answers) = mpsc::unbounded_channel();
        Room {
            transcriber: BackgroundTranscriber::new(options, Arc::new(Status::default())),
            answers,
            sender,
            is_deaf: false,
        }
    }

    /// Sends a sentence without waiting.
    pub fn tell(&self, text: &str, conversation: &str) {
        self.hand(Transcript::new(text, conversation));
    }

    pub fn hand(&self, transcript: Transcript) {
        let sink = TestSink { sentences: Vec::new(), answers: self.sender.clone(), is_deaf: self.is_deaf };
        self.transcriber.take(transcript, Box::new(sink));
    }

    /// The next answer.
    pub async fn next(&mut self) -> Answer {
        let next = tokio::time::timeout(PATIENCE, self.answers.recv()).await;
        next.expect("an answer in time").expect("an answer").1
    }

    /// Sends a sentence and waits for the answer.
    pub async fn ask(&mut self, text: &str) -> Answer {
        self.tell(text, "room");
        self.next().await
    }
}

/// The voice of the test home at a broker.
pub struct RunningVoice {
    pub voice: Voice,
    pub home: TestHome,
    /// The port of the broker.
    pub port: u16,
}

impl RunningVoice {
    /// Starts the voice and waits until every front is ready.
    pub async fn start(settings: VoiceSettings, mind: Option<Arc<ScriptedAssistant>>) -> RunningVoice {
        let home = TestHome::default();
        let executor = home.executor();
        let mind = mind.map(|mind| mind as Arc<dyn Mind>);
        let voice = Voice::start(VoiceOptions { settings, executor, mind });
        let spoken = RunningVoice { voice, home, port: 0 };
        spoken.ready().await;
        let port = spoken.detail("broker").or_else(|| spoken.detail("mqtt")).and_then(|detail| {
            let digits = detail
                .split_once("127.0.0.1:")?
                .1
                .chars()
                .take_while(char::is_ascii_digit)
                .collect::<String>();
            digits.parse().ok()
        });
        RunningVoice { port: port.unwrap_or_default(), ..spoken }
    }

    /// Waits until every front is ready.
    pub async fn ready(&self) {
        self.until("every front is ready", |voice| voice.view().status == "ok").await;
    }

    pub async fn until(&self, what: &str, is: impl Fn(&Voice) -> bool) {
        let waiting = async {
            while !is(&self.voice) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let waited = tokio::time::timeout(PATIENCE, waiting).await;
        assert!(waited.is_ok(), "{what}: {:?}", self.voice.view());
    }

    pub fn detail(&self, name: &str) -> Option<String> {
        self.voice.view().fronts.into_iter().find(|front| front.name == name).map(|front| front.detail)
    }

    pub fn state(&self, name: &str) -> Option<FrontState> {
        self.voice.view().fronts.into_iter().find(|front| front.name == name).map(|front| front.state)
    }

    pub fn count(&self, name: &str) -> u64 {
        self.voice.view().counts.into_iter().find(|(known, _)| *known == name).map_or(0, |(_, count)| count)
    }
}
