//! Times as Anthropic and Ollama write them: RFC 3339.

const SECONDS_PER_DAY: u64 = 86_400;
/// The last second of the year 9999.
const LAST: u64 = 253_402_300_799;

/// Seconds since 1970 as a date and a time, in UTC. Years beyond 9999 are none.
pub(crate) fn write(seconds: u64) -> String {
    let seconds = seconds.min(LAST);
    let (days, second) = (seconds / SECONDS_PER_DAY, seconds % SECONDS_PER_DAY);
    let (year, month, day) = date(days);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// The seconds since 1970 of a date and a time; fractions of a second are left out.
pub(crate) fn read(text: &str) -> Option<u64> {
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<u64>().ok();
    let has_marks = text.get(4..5)? == "-" && text.get(7..8)? == "-" && text.get(13..14)? == ":";
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    let is_sound = has_marks && (1..=12).contains(&month) && (1..=31).contains(&day) && year >= 1970;
    if !is_sound || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let local = days(year, month, day) * SECONDS_PER_DAY + hour * 3600 + minute * 60 + second;
    let zone = text.get(19..)?.trim_start_matches(|c: char| c == '.' || c.is_ascii_digit());
    let offset = |text: &str| {
        let (hours, minutes) = text.split_once(':')?;
        Some(hours.parse::<u64>().ok()?.min(24) * 3600 + minutes.parse::<u64>().ok()?.min(60) * 60)
    };
    match zone.as_bytes().first() {
        Some(b'+') => local.checked_sub(offset(&zone[1..])?),
        Some(b'-') => local.checked_add(offset(&zone[1..])?),
        _ => Some(local),
    }
}

/// The date of a day since 1970-01-01. Years begin in March here, so that leap days are last.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

/// The day since 1970-01-01 of a date.
fn days(year: u64, month: u64, day: u64) -> u64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (year / 400, year % 400);
    let from_march = if month > 2 { month - 3 } else { month + 9 };
    let day_of_year = (153 * from_march + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
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
