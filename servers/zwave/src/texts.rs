//! Texts of the tools: ages, times, places, missing devices.

use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;

use crate::names::Missing;

/// The current time in milliseconds since 1970.
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// The age in a readable unit.
pub fn age(time: u64, now: u64) -> String {
    let seconds = now.saturating_sub(time) / 1_000;
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        7_200..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}

/// The age, or "never".
pub fn ago(time: Option<u64>, now: u64) -> String {
    time.map_or_else(|| "never".to_owned(), |time| format!("{} ago", age(time, now)))
}

/// A time in RFC 3339.
pub fn timestamp(time: u64) -> String {
    let time = i64::try_from(time).ok().and_then(|time| Timestamp::from_millisecond(time).ok());
    time.map_or_else(|| "unknown".to_owned(), |time| time.to_string())
}

/// A location, or "none".
pub fn place(location: &str) -> &str {
    if location.is_empty() { "none" } else { location }
}

/// Why a device was not found, and what to send instead.
pub fn missing(requested: &str, missing: &Missing) -> String {
    let requested: String = requested.trim().chars().take(80).collect();
    match missing {
        Missing::Unknown(names) if names.is_empty() => {
            format!("Device \"{requested}\" not found. list_zwave_devices names all of them.")
        }
        Missing::Unknown(names) => {
            format!("Device \"{requested}\" not found. Did you mean: {}?", names.join(", "))
        }
        Missing::Ambiguous(names) => {
            let shown = &names[..names.len().min(3)];
            let more = match names.len().saturating_sub(shown.len()) {
                0 => String::new(),
                more => format!(" or one of {more} more"),
            };
            let names = shown.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(" or ");
            format!("\"{requested}\" could be {names}{more}. Send one of these names.")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_use_readable_units() {
        for (milliseconds, words) in [
            (900, "0 s"),
            (119_000, "119 s"),
            (120_000, "2 min"),
            (7_200_000, "2 h"),
            (200_000_000, "2 days"),
        ] {
            assert_eq!(age(0, milliseconds), words);
        }
        assert_eq!(age(9, 5), "0 s", "a clock that is behind");
        assert_eq!(ago(None, 5), "never");
        assert_eq!(timestamp(1_700_000_000_000), "2023-11-14T22:13:20Z");
        assert_eq!(timestamp(u64::MAX), "unknown");
    }

    #[test]
    fn missing_device_message_suggests_names() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let all = [
            missing("dishwasher", &Missing::Unknown(Vec::new())),
            missing("Swich One", &Missing::Unknown(names(&["Switch One", "Fan 1"]))),
            missing("light", &Missing::Ambiguous(names(&["Hall/Light", "Porch/Light"]))),
            missing("l", &Missing::Ambiguous(names(&["a", "b", "c", "d", "e"]))),
        ];
        insta::assert_snapshot!(all.join("\n"));
    }
}
