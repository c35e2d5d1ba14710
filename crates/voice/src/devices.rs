//! The devices of the house, asked for when they are needed and kept for a while.

use std::sync::{Arc, Mutex};

use tokio::time::{Instant, timeout};
use toolwright_base::IgnorePoison;
use toolwright_executor::{Call, ToolExecutor};
use toolwright_model::Caller;
use toolwright_speech::{Device, parse_devices};

use crate::limits::{DEVICES_AGAIN, DEVICES_FOR, DEVICES_WAIT};
use crate::policy::KnownDevices;

/// The devices, asked for when they are needed and kept for a while.
pub(crate) struct Devices {
    /// The tool that lists them.
    list: String,
    known: Mutex<Known>,
    /// One question at a time.
    asking: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Known {
    devices: Arc<Vec<Device>>,
    /// The last list was read, and whole.
    is_complete: bool,
    asked: Option<Instant>,
    /// Why they could not be asked for the last time, when they could not.
    failure: Option<String>,
}

/// What is said where no tool lists devices: their server is away, or none is configured.
const NO_LIST: &str = "Their server is not connected.";
const TOO_SLOW: &str = "Their server does not answer.";

/// How new the list has to be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Freshness {
    Usual,
    /// A name was not on it.
    Newer,
}

impl Devices {
    pub fn new(list: impl Into<String>) -> Devices {
        Devices { list: list.into(), known: Mutex::default(), asking: tokio::sync::Mutex::default() }
    }

    /// What is known without asking.
    pub fn known(&self) -> Arc<Vec<Device>> {
        Arc::clone(&self.lock().devices)
    }

    /// What the guard goes by. A list that failed, was cut or says nothing covers no device; where neither the list nor
    /// the tool that switches is registered, there is no house whose list could be missing.
    pub fn for_guard(&self, executor: &ToolExecutor, control: &str) -> KnownDevices {
        let known = self.lock();
        let has_house = executor.find(&self.list).is_ok() || executor.find(control).is_ok();
        let is_covered = if has_house || !known.devices.is_empty() { known.is_complete } else { true };
        let devices = Arc::clone(&known.devices);
        if is_covered { KnownDevices::all(devices) } else { KnownDevices::some(devices) }
    }

    /// Why nobody knows which devices there are; nothing when that is known.
    pub fn failure(&self) -> Option<String> {
        self.lock().failure.clone()
    }

    /// The devices; what was known before when they cannot be asked for.
    pub async fn current(
        &self,
        executor: &ToolExecutor,
        caller: &Arc<Caller>,
        freshness: Freshness,
    ) -> Arc<Vec<Device>> {
        if self.is_fresh(freshness) {
            return self.known();
        }
        let _one = self.asking.lock().await;
        // Somebody else may have asked while we waited.
        if self.is_fresh(freshness) {
            return self.known();
        }
        let Ok(found) = executor.find(&self.list) else {
            // The server is away, or there is none. What was known of its devices still tells which are guarded.
            let mut known = self.lock();
            known.asked = None;
            known.is_complete = false;
            known.failure = Some(NO_LIST.to_owned());
            return Arc::clone(&known.devices);
        };
        let call = Call::new(&self.list, everything(found.tool.input_schema())).by(Arc::clone(caller));
        let asked = timeout(DEVICES_WAIT, executor.execute(call)).await;
        let mut known = self.lock();
        known.asked = Some(Instant::now());
        known.failure = None;
        known.is_complete = false;
        match asked.map(|outcome| outcome.result) {
            Ok(Ok(output)) => {
                let list = parse_devices(&output.text, output.structured.as_deref());
                if list.is_cut {
                    tracing::warn!("{} gave more devices than are kept: every call needs a yes", self.list);
                }
                known.is_complete = !list.is_cut && !list.devices.is_empty();
                known.devices = Arc::new(list.devices);
            }
            Ok(Err(error)) => {
                tracing::warn!("the devices are not known: {}", error.sentence);
                known.failure = Some(error.sentence);
            }
            Err(_) => {
                tracing::warn!("the devices are not known: {} took too long", self.list);
                known.failure = Some(TOO_SLOW.to_owned());
            }
        }
        Arc::clone(&known.devices)
    }

    fn is_fresh(&self, freshness: Freshness) -> bool {
        let known = self.lock();
        // Without a list every call needs a yes, so a list that failed is asked for again soon.
        let is_short = freshness == Freshness::Newer || known.failure.is_some();
        let limit = if is_short { DEVICES_AGAIN } else { DEVICES_FOR };
        known.asked.is_some_and(|asked| asked.elapsed() < limit)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Known> {
        self.known.lock().ignore_poison()
    }
}

/// The arguments that ask for all devices: one that does not answer now should be told by its name, not misunderstood.
fn everything(schema: &str) -> &'static str {
    let schema: serde_json::Value = serde_json::from_str(schema).unwrap_or_default();
    match schema["properties"]["includeInactive"]["type"].as_str() {
        Some("boolean") => r#"{"includeInactive":true}"#,
        _ => "{}",
    }
}
