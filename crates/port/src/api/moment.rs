//! Moments: as people and programs write them, and back.

use jiff::Timestamp;

/// A moment of RFC 3339, or a span back from `now`: `30s`, `15m`, `24h`, `7d`.
pub(super) fn read(text: &str, now: i64) -> Option<i64> {
    if let Some(span) = span(text) {
        return Some(now.saturating_sub(span));
    }
    text.parse::<Timestamp>().ok().map(Timestamp::as_microsecond)
}

/// A span in microseconds.
pub(super) fn span(text: &str) -> Option<i64> {
    let unit = text.chars().last()?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 60 * 60,
        'd' => 24 * 60 * 60,
        _ => return None,
    };
    let number: u32 = text.strip_suffix(unit)?.parse().ok().filter(|number| *number > 0)?;
    i64::from(number).checked_mul(seconds)?.checked_mul(1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_and_spans_are_told_apart() {
        assert_eq!(read("1970-01-01T00:00:01Z", 0), Some(1_000_000));
        assert_eq!(read("1970-01-01T01:00:01.5+01:00", 0), Some(1_500_000));
        assert_eq!(read("15m", 1_000_000_000), Some(100_000_000));
        assert_eq!(read("1d", 0), Some(-86_400_000_000));
        for wrong in ["", "m", "0m", "-5m", "5", "5w", "1.5h", "yesterday", "99999999999d", "ü"] {
            assert_eq!(read(wrong, 0), None, "{wrong}");
        }
    }
}
