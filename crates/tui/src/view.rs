//! Renders a state as terminal cells. It has no side effects: it changes no state, reads no clock and does
//! no other output.
//!
//! Colour never carries meaning alone: every outcome and every state is a word, problems have a `!`, and
//! the selection has a `>`.

mod bottom;
mod call;
mod help;
mod live;
mod server;
mod suggestion;
mod table;
mod theme;
mod words;

use jiff::tz::TimeZone;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::clean::{fit, width, wrap};
use crate::state::{Overlay, PageState, Tab};

pub use theme::Theme;

/// The smallest supported terminal, in columns and rows.
pub const SMALLEST: (u16, u16) = (40, 10);
/// The minimum number of rows for the key hints.
const ROWS_WITH_KEYS: u16 = 14;
/// The minimum number of list rows for details below the list.
const ROWS_WITH_DETAILS: u16 = 12;

/// Appearance.
#[derive(Clone, Debug)]
pub struct Look {
    /// The colour theme.
    pub theme: Theme,
    /// The time zone of displayed times.
    pub zone: TimeZone,
}

/// Layout results that only the renderer knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LayoutResult {
    /// The maximum scroll position of the details.
    pub most_scroll: usize,
}

/// Renders the page.
pub fn draw(frame: &mut Frame<'_>, state: &PageState, look: &Look) -> LayoutResult {
    let area = frame.area();
    if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
        too_small(frame, area);
        return LayoutResult::default();
    }
    let below = if area.height < ROWS_WITH_KEYS { 2 } else { 3 };
    let body = Rect { y: 1, height: area.height - 1 - below, ..area };
    put(frame, 0, header(state, look, usize::from(area.width)));
    let mut drawn = LayoutResult::default();
    match state.over() {
        Overlay::Help => drawn.most_scroll = scrolled(frame, body, help::lines(body.width), state.scroll()),
        Overlay::Details => {
            let lines = details(state, look, usize::from(body.width));
            drawn.most_scroll = scrolled(frame, body, lines, state.scroll());
        }
        _ => list_and_details(frame, body, state, look),
    }
    bottom::draw(frame, area, below, state, look);
    drawn
}

/// Writes a line into a row of the terminal, truncated to its width.
fn put(frame: &mut Frame<'_>, y: u16, line: Line<'_>) {
    let area = frame.area();
    if y < area.height {
        frame.buffer_mut().set_line(0, y, &line, area.width);
        // The style of a selected line or a question covers the whole row.
        frame.buffer_mut().set_style(Rect { x: 0, y, width: area.width, height: 1 }, line.style);
    }
}

fn too_small(frame: &mut Frame<'_>, area: Rect) {
    let (columns, rows) = SMALLEST;
    let text = format!("{}x{} is too small: {columns}x{rows} is needed. q leaves.", area.width, area.height);
    for (y, line) in (0..area.height).zip(wrap(&text, usize::from(area.width))) {
        put(frame, y, Line::from(line));
    }
}

fn header(state: &PageState, look: &Look, room: usize) -> Line<'static> {
    let mut spans = Vec::new();
    let mut used = 0;
    for (number, tab) in Tab::ALL.into_iter().enumerate() {
        let (name, count) = match tab {
            Tab::Live => ("Live", String::new()),
            Tab::Servers => match state.servers_down() {
                0 => ("Servers", String::new()),
                down => ("Servers", format!(" !{down}")),
            },
            Tab::Suggestions => match state.waiting() {
                0 => ("Suggestions", String::new()),
                waiting => ("Suggestions", format!(" {waiting}")),
            },
        };
        let title = format!("{} {name}{count}", number + 1);
        let (title, style) = if tab == state.tab() {
            (format!("[{title}]"), look.theme.selected())
        } else if count.starts_with(" !") {
            (format!(" {title} "), look.theme.wrong())
        } else {
            (format!(" {title} "), look.theme.plain())
        };
        let title = fit(&title, room.saturating_sub(used));
        used += width(&title);
        spans.push(Span::styled(title, style));
    }
    let version = state.status().map(|status| format!("toolwright {} ", status.version));
    if let Some(version) = version.filter(|version| used + width(version) + 2 <= room) {
        spans.push(Span::raw(" ".repeat(room - used - width(&version))));
        spans.push(Span::styled(version, look.theme.faint()));
    }
    Line::from(spans)
}

fn list_and_details(frame: &mut Frame<'_>, body: Rect, state: &PageState, look: &Look) {
    let lines = details(state, look, usize::from(body.width));
    let has_details = body.height >= ROWS_WITH_DETAILS && !lines.is_empty();
    // The call list uses all rows; the lists of servers and suggestions are short, and the rest is for the
    // details.
    let wanted = match state.tab() {
        Tab::Live => u16::MAX,
        Tab::Servers => rows_of(state.servers().len()),
        Tab::Suggestions => rows_of(state.suggestions().len()),
    };
    let most = body.height * 3 / 5;
    let height = if has_details { wanted.clamp(4, most) } else { body.height };
    let list = Rect { height, ..body };
    match state.tab() {
        Tab::Live => live::draw(frame, list, state, look),
        Tab::Servers => server::draw(frame, list, state, look),
        Tab::Suggestions => suggestion::draw(frame, list, state, look),
    }
    if has_details {
        let below = Rect { y: body.y + height, height: body.height - height, ..body };
        put(frame, below.y, Line::styled("─".repeat(usize::from(body.width)), look.theme.faint()));
        let more = lines.len() > usize::from(below.height) - 1;
        for (y, line) in (below.y + 1..below.bottom()).zip(lines) {
            put(frame, y, line);
        }
        if more {
            let hint = Line::styled(fit(" … Enter shows all", usize::from(body.width)), look.theme.faint());
            put(frame, below.bottom() - 1, Line::from(" ".repeat(usize::from(body.width))));
            put(frame, below.bottom() - 1, hint);
        }
    }
}

/// The rows of a list with its heading.
fn rows_of(count: usize) -> u16 {
    u16::try_from(count.saturating_add(1)).unwrap_or(u16::MAX)
}

/// Details of the selected item.
fn details(state: &PageState, look: &Look, room: usize) -> Vec<Line<'static>> {
    match state.tab() {
        Tab::Live => state.feed().selected().map(|call| call::lines(call, look, room)),
        Tab::Servers => state.selected_server().map(|server| server::lines(server, state, look, room)),
        Tab::Suggestions => state.selected_suggestion().map(|it| suggestion::lines(it, look, room)),
    }
    .unwrap_or_default()
}

/// Renders lines from the scroll position on, with a position indicator if they do not fit. Returns the
/// maximum scroll position.
fn scrolled(frame: &mut Frame<'_>, body: Rect, lines: Vec<Line<'static>>, scroll: usize) -> usize {
    let (count, height) = (lines.len(), usize::from(body.height));
    let room = if count > height { height - 1 } else { height };
    let most = count.saturating_sub(room);
    let first = scroll.min(most);
    for (y, line) in (body.y..body.bottom()).zip(lines.into_iter().skip(first).take(room)) {
        put(frame, y, line);
    }
    if count > height {
        let text = format!(" lines {} to {} of {count}", first + 1, first + room);
        put(frame, body.bottom() - 1, Line::from(text));
    }
    most
}
