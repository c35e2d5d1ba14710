//! The last rows: question or problem, status, and key hints.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;

use super::words::{counted, span};
use super::{Look, put};
use crate::api_types::{ApiLastHour, ApiStatus};
use crate::clean::{fit, width};
use crate::state::{GatewayLink, Older, Overlay, PageState, SuggestionDecision, Tab};

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, rows: u16, state: &PageState, look: &Look) {
    let room = usize::from(area.width);
    let first = area.height - rows;
    let (text, style) = notice(state, look, room);
    put(frame, first, Line::styled(fit(&text, room), style));
    put(frame, first + 1, Line::from(fit(&status_line(state, room), room)));
    if rows > 2 {
        put(frame, first + 2, Line::styled(fit(&keys(state, room), room), look.theme.faint()));
    }
}

/// The most important message.
fn notice(state: &PageState, look: &Look, room: usize) -> (String, Style) {
    let theme = look.theme;
    match state.over() {
        Overlay::Confirm { id, decision } => {
            return (question(state, id.as_str(), *decision, room), theme.selected());
        }
        Overlay::Filter => {
            let feed = state.feed();
            let counts = format!("({} of {})", feed.shown_len(), feed.len());
            // Shows the end of the input, where the user types.
            let text = feed.filter().text();
            let shown: String = text.chars().skip(text.chars().count().saturating_sub(room / 2)).collect();
            return (format!(" /{shown}_ {counts}"), theme.asks());
        }
        _ => {}
    }
    if state.is_leaving() {
        return (" Esc again leaves, every other key stays".to_owned(), theme.asks());
    }
    if let Some(message) = state.message() {
        return (format!(" {message}"), theme.asks());
    }
    match (state.link(), state.status()) {
        (GatewayLink::Reaching, _) => (" reaching the gateway …".to_owned(), theme.asks()),
        (GatewayLink::Away(why), _) => {
            (format!(" ! the gateway went away; trying again: {why}"), theme.wrong())
        }
        (GatewayLink::Up, Some(status)) => problems(status, look),
        (GatewayLink::Up, None) => (String::new(), theme.plain()),
    }
}

fn problems(status: &ApiStatus, look: &Look) -> (String, Style) {
    match status.problems.as_slice() {
        [] if status.status.as_str() == "ending" => {
            (" ! the gateway is ending".to_owned(), look.theme.wrong())
        }
        [] => (" all is well".to_owned(), look.theme.well()),
        [one] => (format!(" ! {one}"), look.theme.wrong()),
        [first, rest @ ..] => (format!(" ! {} problems: {first}", rest.len() + 1), look.theme.wrong()),
    }
}

fn question(state: &PageState, id: &str, decision: SuggestionDecision, room: usize) -> String {
    let verb = match decision {
        SuggestionDecision::Accept => "Accept",
        SuggestionDecision::Dismiss => "Dismiss",
    };
    let suggestion = state.suggestions().iter().find(|suggestion| suggestion.id.as_str() == id);
    let what = suggestion
        .map_or_else(String::new, |suggestion| format!("{} of {}", suggestion.rule, suggestion.tool));
    let end = "? y yes, n no";
    // The question stays visible, however long the names are.
    let what = fit(&what, room.saturating_sub(width(verb) + width(end) + 2));
    format!(" {verb} {what}{end}")
}

/// The longest status line that fits.
fn status_line(state: &PageState, room: usize) -> String {
    let Some(status) = state.status() else { return String::new() };
    let address = status.address.as_ref().map_or("no port", |address| address.as_str());
    let up = format!("up {}", span(status.uptime_seconds));
    let (refused, older) = state.refused();
    let refused = match older {
        Older::None => refused.to_string(),
        // The API does not count refusals, so the stored calls are counted.
        Older::MayBe => format!("{refused}+"),
    };
    let Some(hour) = status.last_hour else {
        let full = format!(" {address} · {up} · calls are not counted");
        return if width(&full) <= room { full } else { format!(" {address} · {up}") };
    };
    let ApiLastHour { calls, errors, repaired } = hour;
    let counts =
        format!("{}, {repaired} repaired, {errors} failed ({refused} refused)", counted(calls, "call"));
    let short = format!("{calls} calls, {repaired} repaired, {errors} failed");
    let candidates = [
        format!(" {address} · {up} · last hour: {counts}"),
        format!(" {address} · last hour: {counts}"),
        format!(" last hour: {counts}"),
        format!(" {counts}"),
        format!(" {short}"),
    ];
    let fitting = candidates.iter().find(|line| width(line) <= room);
    fitting.or(candidates.last()).cloned().unwrap_or_default()
}

fn keys(state: &PageState, room: usize) -> String {
    let here = match (state.over(), state.tab()) {
        (Overlay::Filter, _) => "words that must be there  Enter keep  Esc clear",
        (Overlay::Confirm { .. }, _) => "y yes  every other key: no",
        (Overlay::Help, _) => "↑↓ scroll  every other key closes this",
        (Overlay::Details, Tab::Suggestions) => "↑↓ scroll  a accept  d dismiss  Esc back  q quit",
        (Overlay::Details, _) => "↑↓ scroll  PgUp PgDn  Esc back  q quit",
        (Overlay::Nothing, Tab::Live) => {
            "Tab next  ↑↓ select  Enter details  / filter  p pause  ? help  q quit"
        }
        (Overlay::Nothing, Tab::Servers) => "Tab next  ↑↓ select  Enter details  ? help  q quit",
        (Overlay::Nothing, Tab::Suggestions) => {
            "Tab next  ↑↓ select  Enter details  a accept  d dismiss  ? help  q quit"
        }
    };
    let candidates = [here, "Tab next  Enter details  ? help  q quit", "? help  q quit"];
    let fitting = candidates.into_iter().find(|keys| width(keys) < room);
    fitting.map_or_else(String::new, |keys| format!(" {keys}"))
}
