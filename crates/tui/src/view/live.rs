//! Calls as they end, newest first.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::table::{self, Column, TableCell};
use super::words::{counted, duration};
use super::{Look, put};
use crate::api_types::ApiCall;
use crate::clean::{fit, wrap};
use crate::state::{Overlay, PageState, SkippedCalls};

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, state: &PageState, look: &Look) {
    let feed = state.feed();
    let mut area = area;
    if let Some(text) = about(state) {
        put(frame, area.y, Line::styled(fit(&text, usize::from(area.width)), look.theme.asks()));
        area = Rect { y: area.y + 1, height: area.height - 1, ..area };
    }
    if feed.shown_len() == 0 {
        for (y, line) in (area.y..area.bottom()).zip(wrap(&empty(state), usize::from(area.width) - 1)) {
            put(frame, y, Line::from(format!(" {line}")));
        }
        return;
    }
    let (columns, names): (&[Column], &[&str]) = match area.width {
        ..60 => (&[Column::Fixed(8), Column::Share(1), Column::Fixed(8)], &["time", "tool", "outcome"]),
        60..100 => (
            &[Column::Fixed(8), Column::Fixed(14), Column::Share(1), Column::Fixed(8), Column::Right(8)],
            &["time", "client", "tool", "outcome", "took"],
        ),
        _ => (
            &[
                Column::Fixed(8),
                Column::Fixed(18),
                Column::Share(1),
                Column::Fixed(8),
                Column::Right(8),
                Column::Fixed(14),
            ],
            &["time", "client", "tool", "outcome", "took", "changes"],
        ),
    };
    let cells = |place: usize| {
        let Some(call) = feed.shown_from(place).next() else { return Vec::new() };
        let mut cells = vec![
            time(call, look).into(),
            call.client.as_str().into(),
            call.tool.as_str().into(),
            TableCell::new(call.outcome.word(), look.theme.outcome(call.outcome)),
            duration(call.milliseconds).into(),
            codes(call).into(),
        ];
        if columns.len() == 3 {
            cells.remove(1);
        }
        cells
    };
    table::draw(frame, area, look, (columns, names), (feed.shown_len(), feed.place()), cells);
}

fn time(call: &ApiCall, look: &Look) -> String {
    let at = call.at.map(|at| at.to_zoned(look.zone.clone()));
    at.map_or_else(|| "?".to_owned(), |at| at.strftime("%H:%M:%S").to_string())
}

/// The codes of its changes, without duplicates.
fn codes(call: &ApiCall) -> String {
    let mut codes: Vec<&str> = Vec::new();
    for change in &call.changes {
        if !codes.contains(&change.code.as_str()) {
            codes.push(change.code.as_str());
        }
    }
    codes.join(" ")
}

/// Pause, filter and skipped calls.
fn about(state: &PageState) -> Option<String> {
    let feed = state.feed();
    let mut parts = Vec::new();
    if let Some(waiting) = feed.waiting() {
        parts.push(format!("PAUSED, {waiting} new (p goes on)"));
    }
    let filter = feed.filter().text();
    if !filter.is_empty() && *state.over() != Overlay::Filter {
        parts.push(format!("filter: {filter} ({} of {}; Esc clears)", feed.shown_len(), feed.len()));
    }
    match feed.missed() {
        SkippedCalls::Nothing => {}
        SkippedCalls::Counted(count) => parts.push(format!("{} left out", counted(count, "record"))),
        SkippedCalls::Some => parts.push("some calls left out".to_owned()),
    }
    (!parts.is_empty()).then(|| format!(" {}", parts.join(" · ")))
}

fn empty(state: &PageState) -> String {
    let feed = state.feed();
    match (feed.lack(), feed.is_empty()) {
        (Some(why), _) => format!("Calls cannot be shown: {why}"),
        (None, true) => {
            "No calls yet. They appear here as they end. Make one: toolwright call, or a client of the gateway."
                .to_owned()
        }
        (None, false) => format!("None of {} has that.", counted(feed.len() as u64, "call")),
    }
}
