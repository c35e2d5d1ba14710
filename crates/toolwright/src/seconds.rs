//! A time on the command line: seconds, or a number with its unit.

use std::time::Duration;

use crate::expected::Expected;

/// The longest time that is taken: a day. More is a slip of the unit.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// Reads `2`, `0.5`, `500ms`, `2s` or `3m`.
pub fn parse(text: &str) -> Result<Duration, Expected> {
    let text = text.trim();
    // `ms` before `s` and `m`, which are in it.
    let units = [("ms", 0.001), ("s", 1.0), ("m", 60.0)];
    let unit = units.iter().find_map(|(unit, seconds)| Some((text.strip_suffix(unit)?, *seconds)));
    let (number, unit) = unit.unwrap_or((text, 1.0));
    let is_plain = number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let wrong = || Expected::new("send seconds such as 2 or 0.5, or a number with ms, s or m such as 500ms");
    let number: f64 = number.parse().ok().filter(|_| is_plain).ok_or_else(wrong)?;
    match Duration::try_from_secs_f64(number * unit) {
        Ok(time) if time < Duration::from_millis(1) => Err(Expected::new("send at least 1ms")),
        Ok(time) if time <= LONGEST => Ok(time),
        _ => Err(Expected::new("send at most a day")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_and_units_are_read() {
        for (text, millis) in [
            ("2", 2_000),
            ("0.5", 500),
            (".25", 250),
            ("500ms", 500),
            ("2s", 2_000),
            ("1.5m", 90_000),
            (" 1 ", 1_000),
        ] {
            assert_eq!(parse(text), Ok(Duration::from_millis(millis)), "{text}");
        }
    }

    #[test]
    fn what_is_no_time_is_refused_with_what_to_send() {
        for text in
            ["", "soon", "-1", "1e3", "inf", "NaN", "1h", "ms", "1,5", "0", "0.0001", "1 2", "86401", "9e999"]
        {
            assert!(parse(text).is_err_and(|error| error.0.starts_with("send ")), "{text}");
        }
    }
}
