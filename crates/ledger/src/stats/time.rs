//! Conversion of times to and from text.

use jiff::Timestamp;

/// Formats microseconds since 1970 in RFC 3339 format. A time out of range becomes the nearest valid one.
pub fn rfc3339(us: i64) -> String {
    let nearest = if us < 0 { Timestamp::MIN } else { Timestamp::MAX };
    Timestamp::from_microsecond(us).unwrap_or(nearest).to_string()
}

/// Parses a time to microseconds since 1970.
pub(super) fn microseconds(text: &str) -> Option<i64> {
    text.parse::<Timestamp>().ok().map(Timestamp::as_microsecond)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_round_trip() {
        assert_eq!(rfc3339(0), "1970-01-01T00:00:00Z");
        assert_eq!(rfc3339(1_773_651_600_000_001), "2026-03-16T09:00:00.000001Z");
        assert_eq!(microseconds("2026-03-16T10:00:00.000001+01:00"), Some(1_773_651_600_000_001));
        assert_eq!(microseconds("yesterday"), None);
        assert_eq!(rfc3339(i64::MAX), Timestamp::MAX.to_string());
        assert_eq!(rfc3339(i64::MIN), Timestamp::MIN.to_string());
    }
}
