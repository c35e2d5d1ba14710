//! Servers as a table for people.

use toolwright_backend::ServerView;

/// The heads of the columns.
const HEADS: [&str; 8] = ["NAME", "STATE", "ERA", "PROTOCOL", "TRANSPORT", "PID", "RESTARTS", "TOOLS"];

/// How many pieces of noise are shown.
const SHOWN_NOISE: usize = 3;

/// A line for each server, and below it what is to be known of one that is not well.
pub fn of(views: &[ServerView]) -> String {
    let rows: Vec<[String; 8]> = views.iter().map(row).collect();
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.max().unwrap_or(0).max(HEADS[column].len())
    };
    let widths: [usize; 8] = std::array::from_fn(width);
    let line = |cells: [&str; 8]| {
        let padded: Vec<String> =
            cells.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        padded.join("  ").trim_end().to_owned()
    };
    let mut lines = vec![line(HEADS)];
    for (view, row) in views.iter().zip(&rows) {
        lines.push(line(std::array::from_fn(|column| row[column].as_str())));
        lines.extend(below(view));
    }
    lines.join("\n")
}

fn row(view: &ServerView) -> [String; 8] {
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let tools = if view.tools_are_current || view.tools == 0 {
        view.tools.to_string()
    } else {
        format!("{} (last known)", view.tools)
    };
    [
        view.name.clone(),
        view.state.to_string(),
        or_dash(view.era.clone()),
        or_dash(view.protocol_version.clone()),
        view.transport.clone(),
        or_dash(view.pid.map(|pid| pid.to_string())),
        view.restarts.to_string(),
        tools,
    ]
}

fn below(view: &ServerView) -> Vec<String> {
    let mut lines: Vec<String> = view.detail.iter().map(|detail| format!("  {detail}")).collect();
    // What a server that is well now did before is in its log.
    let is_well = view.is_off() || view.is_usable() && view.detail.is_none();
    if !is_well {
        lines.extend(view.last_error.iter().map(|error| format!("  last error: {}", indented(error))));
        let is_told = view.last_error.as_ref().is_some_and(|error| error.contains(view.stderr_tail.as_str()));
        if !is_told && !view.stderr_tail.is_empty() {
            lines.push(format!("  stderr: {}", indented(&view.stderr_tail)));
        }
    }
    lines.extend(view.unusable_tools.iter().map(|why| format!("  {}", indented(why))));
    if view.noise > 0 {
        let last = view.last_noise.iter().rev().take(SHOWN_NOISE).map(|noise| format!("{noise:?}"));
        lines.push(format!(
            "  {} on its standard output that are no messages, skipped; the last: {}",
            if view.noise == 1 { "1 piece".to_owned() } else { format!("{} pieces", view.noise) },
            last.collect::<Vec<_>>().join(", ")
        ));
    }
    lines
}

fn indented(text: &str) -> String {
    text.replace('\n', "\n    ")
}
