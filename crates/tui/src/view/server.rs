//! The servers and their problems.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;

use super::table::{self, Column, TableCell};
use super::words::{counted, labelled};
use super::{Look, put};
use crate::api_types::{ApiServer, ServerCounts};
use crate::clean::wrap;
use crate::state::PageState;

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, state: &PageState, look: &Look) {
    if state.servers().is_empty() {
        let text = "No servers. Name some in toolwright.json, or take over those of your clients: toolwright import.";
        for (y, line) in (area.y..area.bottom()).zip(wrap(text, usize::from(area.width) - 1)) {
            put(frame, y, Line::from(format!(" {line}")));
        }
        return;
    }
    let (columns, names): (&[Column], &[&str]) = match area.width {
        ..60 => (&[Column::Share(2), Column::Fixed(12), Column::Share(3)], &["name", "state", "problem"]),
        _ => (
            &[
                Column::Share(2),
                Column::Fixed(12),
                Column::Right(5),
                Column::Fixed(6),
                Column::Right(7),
                Column::Right(7),
                Column::Share(3),
            ],
            &["name", "state", "tools", "era", "calls", "failed", "problem"],
        ),
    };
    let cells = |place: usize| {
        let Some(server) = state.servers().get(place) else { return Vec::new() };
        let counts = counts(server, state);
        let mut cells = vec![
            server.name.as_str().into(),
            state_cell(server, look),
            server.tools.to_string().into(),
            server.era.as_ref().map_or("-", |era| era.as_str()).into(),
            counts.count.to_string().into(),
            counts.errors.to_string().into(),
            TableCell::new(server.problem.as_ref().map_or("", |why| why.as_str()), look.theme.wrong()),
        ];
        if columns.len() == 3 {
            cells.drain(2..6);
        }
        cells
    };
    let count = state.servers().len();
    table::draw(frame, area, look, (columns, names), (count, state.server_place()), cells);
}

fn counts(server: &ApiServer, state: &PageState) -> ServerCounts {
    state.numbers().get(&server.name).copied().unwrap_or_default()
}

fn state_cell(server: &ApiServer, look: &Look) -> TableCell {
    match &server.problem {
        Some(_) => TableCell::new(format!("! {}", server.state), look.theme.wrong()),
        None if server.state.as_str() == "ready" => TableCell::new(server.state.as_str(), look.theme.well()),
        None => server.state.as_str().into(),
    }
}

pub(super) fn lines(server: &ApiServer, state: &PageState, look: &Look, room: usize) -> Vec<Line<'static>> {
    let plain = look.theme.plain();
    let mut out = Vec::new();
    let mut add = |label: &str, text: &str, style: Style| out.extend(labelled(label, text, style, room));
    add("server", server.name.as_str(), look.theme.heading());
    let standing = match &server.problem {
        Some(_) => format!("{}: it cannot be used", server.state),
        None => server.state.as_str().to_owned(),
    };
    add("state", &standing, if server.problem.is_some() { look.theme.wrong() } else { plain });
    if let Some(problem) = &server.problem {
        add("problem", problem.as_str(), look.theme.wrong());
        let next = format!("toolwright doctor; toolwright servers logs {}", server.name);
        add("next", &next, plain);
    }
    let counts = counts(server, state);
    let calls = format!(
        "{}, {} failed, {} repaired",
        counted(counts.count, "call"),
        counts.errors,
        counts.normalized
    );
    add("calls", &calls, plain);
    let era = server.era.as_ref().map_or("not known yet", |era| era.as_str());
    add("tools", &format!("{}, era {era}, toolbox {}", counted(server.tools, "tool"), server.toolbox), plain);
    out
}
