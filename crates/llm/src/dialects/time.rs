//! Times as Anthropic and Ollama write them: RFC 3339.

use jiff::Timestamp;

/// What later times are written as: RFC 3339 has no years beyond 9999.
const LAST: &str = "9999-12-31T23:59:59Z";

/// Seconds since 1970 as a date and a time, in UTC.
pub(crate) fn write(seconds: u64) -> String {
    let time = i64::try_from(seconds).ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
    time.map_or_else(|| LAST.to_owned(), |time| time.to_string())
}

/// The seconds since 1970 of a date and a time; fractions of a second are left out. Without a zone it is UTC: some
/// servers that imitate Ollama leave it out.
pub(crate) fn read(text: &str) -> Option<u64> {
    let time: Timestamp = text.parse().or_else(|_| format!("{text}Z").parse()).ok()?;
    u64::try_from(time.as_second()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_and_dates_are_the_same_moments() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(write(seconds), text);
            assert_eq!(read(text), Some(seconds), "{text}");
        }
    }

    #[test]
    fn the_last_time_is_in_the_year_9999() {
        assert_eq!(write(u64::MAX), "9999-12-31T23:59:59Z");
    }

    #[test]
    fn fractions_and_zones_are_understood() {
        assert_eq!(read("2023-08-04T08:52:19.385406455-07:00"), read("2023-08-04T15:52:19Z"));
        assert_eq!(read("2023-08-04T08:52:19.1+01:30"), read("2023-08-04T07:22:19Z"));
        for wrong in [
            "",
            "yesterday",
            "2023-13-01T00:00:00Z",
            "2023-08-04",
            "1969-01-01T00:00:00Z",
            "ä023-08-04T08:52:19Z",
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
