//! Rendering in three terminal sizes. The snapshots contain no styles: everything must be readable without
//! them.

use jiff::tz::TimeZone;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::style::{Color, Modifier};
use serde_json::json;
use toolwright_tui::state::{News, PageKey, PageState};
use toolwright_tui::view::{Look, draw};
use toolwright_tui::{Clean, Theme};

use crate::sample::{self, call, state, write};

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (40, 12)];

fn drawn(state: &PageState, theme: Theme, (columns, rows): (u16, u16)) -> TestBackend {
    let mut terminal = Terminal::new(TestBackend::new(columns, rows)).expect("a terminal");
    let look = Look { theme, zone: TimeZone::UTC };
    let done = terminal.draw(|frame| {
        draw(frame, state, &look);
    });
    done.expect("drawn");
    terminal.backend().clone()
}

fn picture(state: &PageState, size: (u16, u16)) -> String {
    let backend = drawn(state, Theme::Plain, size);
    let buffer = backend.buffer();
    let line = |y: u16| {
        let (mut line, mut x) = (String::new(), 0);
        while x < size.0 {
            let symbol = buffer[(x, y)].symbol();
            line.push_str(symbol);
            // A wide character covers the next cell.
            x += u16::try_from(toolwright_tui::clean::width(symbol)).expect("a width").max(1);
        }
        line.trim_end().to_owned()
    };
    (0..size.1).map(line).collect::<Vec<_>>().join("\n")
}

fn in_all_sizes(state: &PageState) -> String {
    let pictures = SIZES.map(|size| format!("{}x{}\n{}", size.0, size.1, picture(state, size)));
    pictures.join("\n\n")
}

#[test]
fn calls_are_shown_with_what_was_changed() {
    insta::assert_snapshot!(in_all_sizes(&state()));
}

#[test]
fn a_call_is_shown_whole() {
    let mut state = state();
    state.press(PageKey::Enter);
    insta::assert_snapshot!(in_all_sizes(&state));
}

#[test]
fn a_call_that_was_refused_says_why() {
    let mut state = state();
    state.press(PageKey::Down);
    state.press(PageKey::Down);
    state.press(PageKey::Enter);
    insta::assert_snapshot!(picture(&state, (80, 24)));
}

#[test]
fn hostile_names_are_shown_as_text_and_columns_line_up() {
    let mut state = state();
    state.press(PageKey::Down);
    insta::assert_snapshot!(picture(&state, (80, 24)));
}

#[test]
fn a_list_that_is_filtered_and_held_still_says_so() {
    let mut state = state();
    state.press(PageKey::Char('/'));
    write(&mut state, "notes");
    insta::assert_snapshot!("a_filter_that_is_written", picture(&state, (80, 24)));
    state.press(PageKey::Enter);
    state.press(PageKey::Char('p'));
    state.take(News::Call(Box::new(call(99, &json!({})))));
    state.take(News::Missed(Some(12)));
    insta::assert_snapshot!("a_list_that_is_held_still", in_all_sizes(&state));
}

#[test]
fn a_server_that_is_down_is_seen_at_once_and_first() {
    let mut state = state();
    state.take(News::Status(Box::new(sample::degraded())));
    insta::assert_snapshot!("a_server_that_is_down_from_live", picture(&state, (80, 24)));
    state.press(PageKey::Char('2'));
    state.press(PageKey::Home);
    insta::assert_snapshot!("a_server_that_is_down", in_all_sizes(&state));
}

#[test]
fn suggestions_are_shown_with_their_evidence_and_ask_before_they_are_decided() {
    let mut state = state();
    state.press(PageKey::Char('3'));
    insta::assert_snapshot!("suggestions", in_all_sizes(&state));
    state.press(PageKey::Char('a'));
    insta::assert_snapshot!("a_question", in_all_sizes(&state));
}

#[test]
fn a_gateway_that_went_away_keeps_the_page() {
    let mut state = state();
    state.take(News::Away(Clean::new("nothing listens at http://127.0.0.1:8484")));
    insta::assert_snapshot!(in_all_sizes(&state));
}

#[test]
fn a_page_without_anything_says_what_to_do() {
    let mut state = PageState::new();
    insta::assert_snapshot!("before_the_first_answer", picture(&state, (80, 24)));
    state.take(News::Status(Box::new(sample::status(&json!({ "servers": [], "last_hour": null })))));
    for (name, key) in [("no_calls", '1'), ("no_servers", '2'), ("no_suggestions", '3')] {
        state.press(PageKey::Char(key));
        insta::assert_snapshot!(name, picture(&state, (60, 14)));
    }
    state.press(PageKey::Char('1'));
    state.take(News::NoCalls(Clean::new("nothing is written down")));
    insta::assert_snapshot!("no_journal", picture(&state, (60, 14)));
}

#[test]
fn the_keys_are_explained() {
    let mut state = state();
    state.press(PageKey::Char('?'));
    insta::assert_snapshot!(in_all_sizes(&state));
}

#[test]
fn small_terminal_shows_required_size() {
    let state = state();
    insta::assert_snapshot!(picture(&state, (30, 9)));
    for columns in 1..50 {
        for rows in 1..16 {
            drawn(&state, Theme::Colours, (columns, rows));
        }
    }
}

#[test]
fn without_colours_there_are_none_and_the_selected_row_is_reversed() {
    let mut state = state();
    state.take(News::Status(Box::new(sample::degraded())));
    for key in ['1', '2', '3', '?'] {
        state.press(PageKey::Char(key));
        let plain = drawn(&state, Theme::Plain, (80, 24));
        for cell in plain.buffer().content() {
            assert_eq!((cell.fg, cell.bg), (Color::Reset, Color::Reset));
        }
        let coloured = drawn(&state, Theme::Colours, (80, 24));
        assert_eq!(plain.to_string(), coloured.to_string(), "the same text");
        let is_reversed = |y: u16| plain.buffer()[(40, y)].modifier.contains(Modifier::REVERSED);
        let selected: Vec<u16> = (1..21).filter(|y| is_reversed(*y)).collect();
        let marked: Vec<u16> = (1..21).filter(|y| plain.buffer()[(0, *y)].symbol() == ">").collect();
        assert_eq!(selected, marked, "{key}");
        assert_eq!(marked.len(), usize::from(key != '?'), "{key}");
    }
}
