//! Shared parts of pages: times, numbers, states, differences, charts.

use maud::{Markup, html};
use serde_json::Value;
use toolwright_ledger::index::State;
use toolwright_ledger::stats::rfc3339;
use toolwright_ledger::{Change, Record};

use crate::query::encode;

/// The longest displayed value, in characters.
const MOST_LETTERS: usize = 4_000;

/// A time in microseconds since 1970. The script shows it in the time zone of the reader.
pub fn moment(us: i64) -> Markup {
    let text = rfc3339(us);
    // Whole seconds are enough for people.
    let short = text.split_once('.').map_or(text.as_str(), |(seconds, _)| seconds).replace('T', " ");
    html! { time datetime=(text) { (short.trim_end_matches('Z')) " UTC" } }
}

/// A time in the format of the ledger.
pub fn moment_text(text: &str) -> Markup {
    html! { time datetime=(text) { (text.replace('T', " ").trim_end_matches('Z')) " UTC" } }
}

/// A duration in microseconds, in readable units.
pub fn duration(us: u64) -> String {
    match us {
        0..1_000 => format!("{us} µs"),
        1_000..1_000_000 => format!("{:.1} ms", us as f64 / 1e3),
        _ => format!("{:.1} s", us as f64 / 1e6),
    }
}

/// A percentage.
pub fn percent(part: u64, of: u64) -> String {
    if of == 0 {
        return "–".to_owned();
    }
    format!("{:.1} %", part as f64 * 100.0 / of as f64)
}

/// A number with grouped digits.
pub fn number(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}

/// A sign, a word and a colour: never the colour alone.
pub fn badge(kind: &str, sign: &str, word: &str) -> Markup {
    html! { span class={ "badge " (kind) } { span aria-hidden="true" { (sign) } " " (word) } }
}

/// The badge for the outcome of a call.
pub fn outcome(record: &Record, state: State) -> Markup {
    match state {
        State::Running => badge("info", "…", "running"),
        State::Interrupted => badge("bad", "!", "interrupted"),
        State::Error if record.is_refused() => badge("bad", "⊘", "refused"),
        State::Error => badge("bad", "✕", "failed"),
        State::Ok if !record.changes.is_empty() => badge("mended", "✎", "mended"),
        State::Ok => badge("good", "✓", "ok"),
    }
}

/// A number with its label.
pub fn figure(value: &str, what: &str) -> Markup {
    html! { div.figure { span.value { (value) } span.what { (what) } } }
}

/// A link to the page of a call.
pub fn call_link(call: &str, text: &str) -> Markup {
    html! { a href={ "/calls/" (encode(call)) } { (text) } }
}

/// One change: old value, new value, and the rule.
pub fn change(change: &Change) -> Markup {
    html! {
        li.change {
            code.path { (shortened(&change.path)) }
            " "
            @match (&change.from, &change.to) {
                (Some(from), Some(to)) => { del { (shortened(from)) } " → " ins { (shortened(to)) } }
                (Some(from), None) => { "taken away: " del { (shortened(from)) } }
                (None, Some(to)) => { "added: " ins { (shortened(to)) } }
                (None, None) => {}
            }
            " "
            span.quiet {
                "by "
                @match &change.rule {
                    Some(rule) => { "the rule " code { (rule) } }
                    None => { "the schema, step " code { (change.code) } }
                }
            }
        }
    }
}

/// Two texts line by line: `-` as sent, `+` as the tool received them.
pub fn difference(before: &str, after: &str) -> Markup {
    let (before, after) = (lines_of(before), lines_of(after));
    html! {
        div.diff role="group" aria-label="before and after" {
            @for (sign, class, line) in compared(&before, &after) {
                div class=(class) { span.sign { (sign) } " " code { (line) } }
            }
        }
    }
}

/// JSON with one member per line, for comparison.
pub fn lines_of(json: &str) -> Vec<String> {
    let pretty =
        serde_json::from_str::<Value>(json).ok().and_then(|value| serde_json::to_string_pretty(&value).ok());
    shortened(&pretty.unwrap_or_else(|| json.to_owned())).lines().map(str::to_owned).collect()
}

fn compared<'t>(before: &'t [String], after: &'t [String]) -> Vec<(&'static str, &'static str, &'t str)> {
    // The longest common subsequence of lines, by dynamic programming. The texts are short.
    let (rows, columns) = (before.len(), after.len());
    let mut table = vec![vec![0u32; columns + 1]; rows + 1];
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            table[row][column] = match before[row] == after[column] {
                true => table[row + 1][column + 1] + 1,
                false => table[row + 1][column].max(table[row][column + 1]),
            };
        }
    }
    let (mut row, mut column, mut out) = (0, 0, Vec::new());
    while row < rows || column < columns {
        if row < rows && column < columns && before[row] == after[column] {
            out.push((" ", "same", before[row].as_str()));
            (row, column) = (row + 1, column + 1);
        } else if column == columns || (row < rows && table[row + 1][column] >= table[row][column + 1]) {
            out.push(("-", "before", before[row].as_str()));
            row += 1;
        } else {
            out.push(("+", "after", after[column].as_str()));
            column += 1;
        }
    }
    out
}

/// JSON as a block of text.
pub fn json_block(json: &str) -> Markup {
    html! { pre tabindex="0" { code { (lines_of(json).join("\n")) } } }
}

/// Truncates a text.
pub fn shortened(text: &str) -> String {
    match text.char_indices().nth(MOST_LETTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A line chart; its label contains the numbers as text.
pub fn sparkline(values: &[u64], what: &str) -> Markup {
    const WIDTH: usize = 240;
    const HEIGHT: usize = 40;
    let most = values.iter().copied().max().unwrap_or(0).max(1);
    let step = WIDTH as f64 / values.len().saturating_sub(1).max(1) as f64;
    let points: Vec<String> = values
        .iter()
        .enumerate()
        .map(|(at, value)| {
            let height = HEIGHT as f64 - (*value as f64 / most as f64) * (HEIGHT as f64 - 4.0) - 2.0;
            format!("{:.1},{height:.1}", at as f64 * step)
        })
        .collect();
    let last = values.last().copied().unwrap_or(0);
    let words = format!("{what}: at most {}, now {}", number(most), number(last));
    html! {
        svg.spark viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label=(words) preserveAspectRatio="none" {
            polyline points=(points.join(" ")) fill="none" {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_formatted_readably() {
        assert_eq!(
            (duration(12), duration(1_500), duration(2_300_000)),
            ("12 µs".into(), "1.5 ms".into(), "2.3 s".into())
        );
        assert_eq!((percent(1, 8), percent(0, 0)), ("12.5 %".into(), "–".into()));
        assert_eq!(number(1_234_567), "1\u{202f}234\u{202f}567");
        assert_eq!(number(999), "999");
    }

    #[test]
    fn a_difference_has_signs_and_keeps_what_is_the_same() {
        let page = difference(r#"{"file_path":"a","n":1}"#, r#"{"path":"a","n":1}"#).into_string();
        assert!(page.contains(r#"<div class="before"><span class="sign">-</span>"#), "{page}");
        assert!(page.contains(r#"<div class="after"><span class="sign">+</span>"#), "{page}");
        assert!(page.contains("&quot;n&quot;: 1"), "{page}");
    }

    #[test]
    fn outside_data_is_escaped() {
        let hostile = "<img src=x onerror=alert(1)>\"'&";
        let changed = Change {
            path: hostile.into(),
            from: Some(hostile.into()),
            rule: Some(hostile.into()),
            ..Change::default()
        };
        for page in [
            change(&changed),
            difference(hostile, "{}"),
            json_block(hostile),
            call_link(hostile, hostile),
            sparkline(&[1], hostile),
            badge("bad", "x", hostile),
        ] {
            let page = page.into_string();
            assert!(!page.contains("<img") && !page.contains("onerror=alert(1)>\""), "{page}");
        }
    }
}
