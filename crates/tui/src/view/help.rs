//! The key help.

use ratatui::text::Line;

use super::words::labelled;
use ratatui::style::Style;

const KEYS: [(&str, &str); 12] = [
    ("1 2 3", "Live, Servers, Suggestions; Tab goes to the next"),
    ("↑↓ j k", "select; PgUp and PgDn by pages, g and G to the ends"),
    ("Enter", "everything about what is selected; Esc closes it"),
    ("/", "filter calls: every word must be in the client, tool, outcome, code, rule, arguments or error"),
    ("p", "hold the list of calls still, and go on"),
    ("a", "accept the selected suggestion; y confirms"),
    ("d", "dismiss the selected suggestion; y confirms"),
    ("?", "this"),
    ("q", "leave; so do Ctrl-C, and Esc pressed twice"),
    ("", ""),
    ("marks", "> is selected, ! does not work, the number of a tab is what waits there"),
    ("more", "toolwright explain ID tells all about a call, toolwright dashboard opens pages"),
];

pub(super) fn lines(room: u16) -> Vec<Line<'static>> {
    KEYS.iter().flat_map(|(key, does)| labelled(key, does, Style::new(), usize::from(room))).collect()
}
