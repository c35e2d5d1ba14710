//! The device list, requested on demand and cached for a while.

use std::sync::{Arc, Mutex};

use tokio::time::{Instant, timeout};
use toolwright_base::IgnorePoison;
use toolwright_executor::{Call, ToolExecutor};
use toolwright_model::Caller;
use toolwright_speech::{Device, parse_devices};

use crate::limits::{DEVICES_RETRY, DEVICES_TIMEOUT, DEVICES_TTL};
use crate::policy::KnownDevices;

/// The device list, requested on demand and cached for a while.
pub(crate) struct Devices {
    /// The tool that lists the devices.
    list: String,
    known: Mutex<CachedDevices>,
    /// Serializes requests: at most one is in flight.
    request_lock: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct CachedDevices {
    devices: Arc<Vec<Device>>,
    /// Whether the last list was read completely.
    is_complete: bool,
    requested: Option<Instant>,
    /// Why the last request failed, if it did.
    failure: Option<String>,
}

/// Spoken when no tool lists devices: their server is not connected, or none is configured.
const NO_LIST: &str = "Their server is not connected.";
const TOO_SLOW: &str = "Their server does not answer.";

/// The maximum age of the list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Freshness {
    Usual,
    /// Used after a name was not in the list.
    Newer,
}

impl Devices {
    pub fn new(list: impl Into<String>) -> Devices {
        Devices { list: list.into(), known: Mutex::default(), request_lock: tokio::sync::Mutex::default() }
    }

    /// The cached devices, without a request.
    pub fn known(&self) -> Arc<Vec<Device>> {
        Arc::clone(&self.lock().devices)
    }

    /// The devices for the guard. A list that failed, was truncated or is empty covers no device. If
    /// neither the list tool nor the control tool is registered, there are no devices that a list could
    /// miss.
    pub fn for_guard(&self, executor: &ToolExecutor, control: &str) -> KnownDevices {
        let known = self.lock();
        let has_device_tools = executor.find(&self.list).is_ok() || executor.find(control).is_ok();
        let is_covered = if has_device_tools || !known.devices.is_empty() { known.is_complete } else { true };
        let devices = Arc::clone(&known.devices);
        if is_covered { KnownDevices::all(devices) } else { KnownDevices::some(devices) }
    }

    /// Why the devices are unknown; `None` if they are known.
    pub fn failure(&self) -> Option<String> {
        self.lock().failure.clone()
    }

    /// Requests the devices unless the cache is fresh. Returns the cached ones if the request fails.
    pub async fn current(
        &self,
        executor: &ToolExecutor,
        caller: &Arc<Caller>,
        freshness: Freshness,
    ) -> Arc<Vec<Device>> {
        if self.is_fresh(freshness) {
            return self.known();
        }
        let _one = self.request_lock.lock().await;
        // Another task may have refreshed the cache while this one waited for the lock.
        if self.is_fresh(freshness) {
            return self.known();
        }
        let Ok(found) = executor.find(&self.list) else {
            // The server is not connected, or there is none. The cached devices still show which ones are
            // guarded.
            let mut known = self.lock();
            known.requested = None;
            known.is_complete = false;
            known.failure = Some(NO_LIST.to_owned());
            return Arc::clone(&known.devices);
        };
        let call = Call::new(&self.list, list_arguments(found.tool.input_schema())).by(Arc::clone(caller));
        let requested = timeout(DEVICES_TIMEOUT, executor.execute(call)).await;
        let mut known = self.lock();
        known.requested = Some(Instant::now());
        known.failure = None;
        known.is_complete = false;
        match requested.map(|outcome| outcome.result) {
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
        // Without a list every call needs a yes, so a failed request is retried soon.
        let is_short = freshness == Freshness::Newer || known.failure.is_some();
        let limit = if is_short { DEVICES_RETRY } else { DEVICES_TTL };
        known.requested.is_some_and(|requested| requested.elapsed() < limit)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, CachedDevices> {
        self.known.lock().ignore_poison()
    }
}

/// The arguments that request all devices: the voice should name an inactive device, not misunderstand its
/// name.
fn list_arguments(schema: &str) -> &'static str {
    let schema: serde_json::Value = serde_json::from_str(schema).unwrap_or_default();
    match schema["properties"]["includeInactive"]["type"].as_str() {
        Some("boolean") => r#"{"includeInactive":true}"#,
        _ => "{}",
    }
}
