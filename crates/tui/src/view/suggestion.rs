//! Suggestions and their evidence.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;

use super::table::{self, Column, TableCell};
use super::words::{counted, labelled};
use super::{Look, put};
use crate::api_types::{ApiSuggestion, SuggestionEvidence};
use crate::clean::wrap;
use crate::state::PageState;

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, state: &PageState, look: &Look) {
    if state.suggestions().is_empty() {
        let text = "Nothing is suggested. What models correct twice or more becomes a suggestion.";
        for (y, line) in (area.y..area.bottom()).zip(wrap(text, usize::from(area.width) - 1)) {
            put(frame, y, Line::from(format!(" {line}")));
        }
        return;
    }
    let (columns, names): (&[Column], &[&str]) = match area.width {
        ..60 => (&[Column::Fixed(9), Column::Share(1), Column::Share(1)], &["standing", "tool", "rule"]),
        _ => (
            &[Column::Fixed(9), Column::Share(2), Column::Share(3), Column::Right(5), Column::Right(5)],
            &["standing", "tool", "rule", "seen", "sure"],
        ),
    };
    let cells = |place: usize| {
        let Some(suggestion) = state.suggestions().get(place) else { return Vec::new() };
        let standing = match suggestion.is_waiting() {
            true => look.theme.asks(),
            false => look.theme.plain(),
        };
        let mut cells = vec![
            TableCell::new(suggestion.standing.word(), standing),
            suggestion.tool.as_str().into(),
            suggestion.rule.as_str().into(),
            suggestion.evidence.observations.to_string().into(),
            percent(suggestion.evidence.confidence).into(),
        ];
        cells.truncate(columns.len());
        cells
    };
    let count = state.suggestions().len();
    table::draw(frame, area, look, (columns, names), (count, state.suggestion_place()), cells);
}

pub(super) fn lines(suggestion: &ApiSuggestion, look: &Look, room: usize) -> Vec<Line<'static>> {
    let plain = look.theme.plain();
    let mut out = Vec::new();
    let mut add = |label: &str, text: &str, style: Style| out.extend(labelled(label, text, style, room));
    add("rule", suggestion.rule.as_str(), look.theme.heading());
    add("of type", suggestion.rule_type.as_str(), plain);
    add("for", suggestion.tool.as_str(), plain);
    add("why", suggestion.reason.as_str(), plain);
    add("seen", &evidence(&suggestion.evidence), plain);
    add("tried", &tried(&suggestion.evidence), plain);
    let next = match suggestion.is_waiting() {
        true => "waiting: a accepts, d dismisses".to_owned(),
        false => format!("{}: toolwright rules undo {}", suggestion.standing.word(), suggestion.id),
    };
    add("now", &next, if suggestion.is_waiting() { look.theme.asks() } else { plain });
    out
}

fn evidence(evidence: &SuggestionEvidence) -> String {
    let against = match evidence.against {
        0 => String::new(),
        count => format!(", {count} against it"),
    };
    format!(
        "{} in {}{against}; {} sure",
        counted(evidence.observations, "correction"),
        counted(evidence.sessions, "conversation"),
        percent(evidence.confidence)
    )
}

fn tried(evidence: &SuggestionEvidence) -> String {
    let (mends, of) = evidence.mends;
    format!(
        "mends {mends} of {}, changes {} that went well",
        counted(of, "failed call"),
        evidence.changes_good
    )
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share.clamp(0.0, 1.0) * 100.0)
}
