//! Unix time, as records, tokens and APIs use it.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The time since the Unix epoch. A clock that is set to before 1970 gives zero.
pub fn since_epoch() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// Seconds since the Unix epoch.
pub fn unix_seconds() -> u64 {
    since_epoch().as_secs()
}

/// Milliseconds since the Unix epoch.
pub fn unix_millis() -> u64 {
    u64::try_from(since_epoch().as_millis()).unwrap_or(u64::MAX)
}

/// Microseconds since the Unix epoch.
pub fn unix_micros() -> i64 {
    i64::try_from(since_epoch().as_micros()).unwrap_or(i64::MAX)
}
