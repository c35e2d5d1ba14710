//! `list_devices`: devices with type and state, in pages.

use super::{ToolAnswer, ToolArguments, ToolEffect, ToolSpec};
use crate::devices::{Presence, ZwaveDevice};
use crate::gateway::ZwaveGateway;
use crate::names::quoted_name;
use crate::texts::{ago, now};

pub const NAME: &str = "list_devices";

pub const SPEC: ToolSpec = ToolSpec {
    name: NAME,
    description: "Lists Z-Wave devices page by page, with type, location, state (ON, OFF, a measured value) and when they \
                  were last seen.",
    input: r#"{
        "type": "object",
        "properties": {
            "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 10, "description": "How many to list."},
            "offset": {"type": "integer", "minimum": 0, "default": 0, "description": "How many to pass over first."}
        },
        "additionalProperties": false
    }"#,
    effect: ToolEffect::Looks,
};

pub async fn call(gateway: &ZwaveGateway, arguments: &ToolArguments<'_>) -> ToolAnswer {
    let limit = arguments.integer("limit", 1..=100)?.unwrap_or(10);
    let offset = arguments.integer("offset", 0..=u64::MAX)?.unwrap_or(0);
    let devices = gateway.devices().await.map_err(|error| error.to_string())?;
    let (limit, skipped) = (limit as usize, usize::try_from(offset).unwrap_or(usize::MAX).min(devices.len()));
    let page: Vec<&ZwaveDevice> = devices.iter().skip(skipped).take(limit).collect();
    let now = now();
    let mut answer = format!("Showing {} of {} Z-Wave devices:", page.len(), devices.len());
    for device in &page {
        let line = line(device, gateway.settings().active_threshold.as_millis(), now);
        answer.push_str(&format!("\n- {line}"));
    }
    if page.is_empty() && !devices.is_empty() {
        answer.push_str(&format!("\noffset {offset} is behind the last device."));
    }
    let (next, more) = (skipped + page.len(), devices.len() - skipped - page.len());
    if more > 0 {
        answer.push_str(&format!("\n{more} more devices available. Use offset={next} to see them."));
    }
    Ok(answer)
}

fn line(device: &ZwaveDevice, threshold: u128, now: u64) -> String {
    let is_recent = device.last_seen.is_some_and(|seen| u128::from(now.saturating_sub(seen)) <= threshold);
    let activity = match (device.presence, is_recent) {
        (Presence::Dead | Presence::NotReady, _) => "offline",
        (_, true) => "active",
        (_, false) => "inactive",
    };
    let (kind, state, seen) = (device.kind, device.state(), ago(device.last_seen, now));
    format!("{} ({kind}): {state}, {activity}, last seen {seen}", quoted_name(device))
}
