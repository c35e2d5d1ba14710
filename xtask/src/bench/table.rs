//! The table: one line for each call, a few columns for each lane.

use super::column::{Cells, Column};
use super::inputs::Row;
use super::judge::Verdict;
use super::lane::Lane;
use super::order::Timing;

/// How many columns at the left are words; the others are figures and stand to the right.
const WORD_COLUMNS: usize = 2;

/// Renders everything that was measured.
pub fn render(rows: &[Row], columns: &[Column]) -> String {
    let mut lines = vec![vec!["call".to_owned(), "size".to_owned()]];
    lines.extend(rows.iter().map(|row| vec![row.kind.label().to_owned(), row.size.label().to_owned()]));
    let ours = ours(columns);
    for column in columns {
        let Ok(cells) = &column.cells else { continue };
        lines[0].extend(heads(column.lane));
        let base = ours.filter(|_| column.lane != Lane::Ours);
        for (index, measured) in cells.rows.iter().enumerate() {
            lines[index + 1].extend(words(measured, base.map(|base| &base.rows[index])));
        }
    }
    format!("{}\n{}", align(&lines), remarks(columns))
}

/// Our own cells.
pub fn ours(columns: &[Column]) -> Option<&Cells> {
    columns.iter().find(|column| column.lane == Lane::Ours).and_then(|column| column.cells.as_ref().ok())
}

/// A time with about three digits and a unit.
pub fn duration(nanoseconds: f64) -> String {
    let (value, unit) = match nanoseconds {
        n if n < 999.5 => return format!("{n:.0} ns"),
        n if n < 999.5e3 => (n / 1e3, "µs"),
        n if n < 999.5e6 => (n / 1e6, "ms"),
        n => (n / 1e9, "s"),
    };
    let decimals = match value {
        v if v < 9.995 => 2,
        v if v < 99.95 => 1,
        _ => 0,
    };
    format!("{value:.decimals$} {unit}")
}

fn heads(lane: Lane) -> Vec<String> {
    let head = |what: &str| format!("{} {what}", lane.name());
    match lane {
        Lane::Ours => vec![head("p50"), "p99".to_owned(), "result".to_owned()],
        _ => vec![head("p50"), "p99".to_owned(), "×p50".to_owned(), "×p99".to_owned(), "result".to_owned()],
    }
}

fn words((timing, verdict): &(Timing, Verdict), base: Option<&(Timing, Verdict)>) -> Vec<String> {
    let (at_least, verdict) = match timing {
        Timing::Measured { .. } => ("", verdict.label()),
        Timing::Over(_) => (">", "gave up"),
    };
    let mut words = [timing.p50(), timing.p99()].map(|time| at_least.to_owned() + &duration(time)).to_vec();
    if let Some((ours, _)) = base {
        words.push(at_least.to_owned() + &ratio(timing.p50(), ours.p50()));
        words.push(at_least.to_owned() + &ratio(timing.p99(), ours.p99()));
    }
    words.push(verdict.to_owned());
    words
}

fn ratio(peer: f64, ours: f64) -> String {
    let ratio = peer / ours.max(1.0);
    if ratio < 9.95 { format!("{ratio:.1}") } else { format!("{ratio:.0}") }
}

fn remarks(columns: &[Column]) -> String {
    let mut text = "× is the peer's time divided by ours: above 1 we are faster.\n".to_owned();
    for Column { lane, cells, .. } in columns {
        let remark = match cells {
            Ok(cells) => format!("{} {}: {}\n", lane.name(), cells.version, lane.what_it_does()),
            Err(reason) => format!("{}: no figures, {reason}\n", lane.name()),
        };
        text.push_str(&remark);
    }
    text
}

/// Lines of words, each column as wide as its widest.
pub fn align(lines: &[Vec<String>]) -> String {
    let length = |line: &Vec<String>, column: usize| line.get(column).map_or(0, |word| word.chars().count());
    let columns = lines.first().map_or(0, Vec::len);
    let width = |column| lines.iter().map(|line| length(line, column)).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for line in lines {
        let pad = |(column, (word, width)): (usize, (&String, &usize))| match column {
            0..WORD_COLUMNS => format!("{word:<width$}"),
            _ => format!("{word:>width$}"),
        };
        let words: Vec<String> = line.iter().zip(&widths).enumerate().map(pad).collect();
        text.push_str(words.join("  ").trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::inputs;
    use super::*;

    #[test]
    fn times_keep_about_three_digits() {
        for (nanoseconds, shown) in [
            (0.0, "0 ns"),
            (999.4, "999 ns"),
            (999.6, "1.00 µs"),
            (12_340.0, "12.3 µs"),
            (123_400.0, "123 µs"),
            (9_994_000.0, "9.99 ms"),
            (2.5e9, "2.50 s"),
        ] {
            assert_eq!(duration(nanoseconds), shown);
        }
    }

    #[test]
    fn a_call_that_was_given_up_took_longer_than_the_limit() {
        let ours = (Timing::Measured { p50: 1e6, p99: 2e6 }, Verdict::Right);
        let shown = words(&(Timing::Over(2e10), Verdict::Refuses), Some(&ours));
        assert_eq!(shown, [">20.0 s", ">20.0 s", ">20000", ">10000", "gave up"]);
    }

    #[test]
    fn a_peer_is_shown_beside_us_and_a_missing_one_below() {
        let rows: Vec<Row> = inputs::rows().into_iter().take(1).collect();
        let column =
            |lane, p50, p99| Column::measured(lane, vec![(Timing::Measured { p50, p99 }, Verdict::Right)]);
        let mut missing = column(Lane::Pydantic, 0.0, 0.0);
        missing.cells = Err("python3 is not installed".to_owned());
        let columns = [column(Lane::Ours, 500.0, 1000.0), column(Lane::Ajv, 2000.0, 20000.0), missing];
        let text = render(&rows, &columns);
        let mut lines = text.lines();
        assert_eq!(
            lines.next(),
            Some("call   size  toolwright p50      p99  result  ajv p50      p99  ×p50  ×p99  result")
        );
        assert_eq!(
            lines.next(),
            Some("valid  60 B          500 ns  1.00 µs   right  2.00 µs  20.0 µs   4.0    20   right")
        );
        assert!(text.contains("pydantic: no figures, python3 is not installed"), "{text}");
    }
}
