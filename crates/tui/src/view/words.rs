//! Formatting of numbers, durations and labelled texts.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::clean::{fit, width, wrap};

/// The width of the labels, in cells.
const LABEL: usize = 9;

/// A duration in at most eight characters.
pub(super) fn duration(milliseconds: f64) -> String {
    match milliseconds {
        ms if !ms.is_finite() || ms < 0.0 => "?".to_owned(),
        ms if ms < 1_000.0 => format!("{ms:.1} ms"),
        ms if ms < 60_000.0 => format!("{:.1} s", ms / 1_000.0),
        ms if ms < 6_000_000.0 => format!("{:.0} min", ms / 60_000.0),
        ms => format!("{:.0} h", ms / 3_600_000.0),
    }
}

/// A duration in its two largest units.
pub(super) fn span(seconds: u64) -> String {
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, minutes) => format!("{minutes} min"),
        (0, hours, minutes) => format!("{hours} h {minutes} min"),
        (days, hours, _) => format!("{days} d {hours} h"),
    }
}

/// A number with its noun.
pub(super) fn counted(count: u64, word: &str) -> String {
    if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") }
}

/// A label and its text, wrapped.
pub(super) fn labelled(label: &str, text: &str, style: Style, room: usize) -> Vec<Line<'static>> {
    let label = fit(label, LABEL - 2);
    let first = format!(" {label}{}", " ".repeat(LABEL - 1 - width(&label)));
    let lines = wrap(text, room.saturating_sub(LABEL));
    let begins = std::iter::once(first).chain(std::iter::repeat(" ".repeat(LABEL)));
    begins
        .zip(lines)
        .map(|(begin, text)| Line::from(vec![Span::raw(begin), Span::styled(text, style)]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_short() {
        for (milliseconds, told) in [
            (0.04, "0.0 ms"),
            (12.34, "12.3 ms"),
            (999.94, "999.9 ms"),
            (1_234.0, "1.2 s"),
            (61_000.0, "1 min"),
            (7_200_000.0, "2 h"),
            (f64::NAN, "?"),
        ] {
            assert_eq!(duration(milliseconds), told);
            assert!(told.len() <= 8);
        }
        for (seconds, told) in [(5, "5 s"), (65, "1 min"), (3_725, "1 h 2 min"), (90_000, "1 d 1 h")] {
            assert_eq!(span(seconds), told);
        }
    }
}
