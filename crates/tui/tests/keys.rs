//! Key bindings, and the effect of news on the selection.

use serde_json::json;
use toolwright_tui::Clean;
use toolwright_tui::api_types::ApiOutcome;
use toolwright_tui::state::{
    GatewayLink, MOST_CALLS, News, Older, Overlay, PageKey, PageState, SkippedCalls, SuggestionDecision, Tab,
    UserCommand,
};

use crate::sample::{self, call, repaired, state, write};

fn selected(state: &PageState) -> u64 {
    state.feed().selected().map_or(0, |call| call.seq)
}

fn add(state: &mut PageState, number: u64) {
    state.take(News::Call(Box::new(call(number, &json!({})))));
}

#[test]
fn tabs_are_reached_by_number_and_by_tab() {
    let mut state = state();
    for (key, tab) in [
        (PageKey::Tab, Tab::Servers),
        (PageKey::Tab, Tab::Suggestions),
        (PageKey::Tab, Tab::Live),
        (PageKey::BackTab, Tab::Suggestions),
        (PageKey::Char('1'), Tab::Live),
        (PageKey::Char('3'), Tab::Suggestions),
        (PageKey::Char('2'), Tab::Servers),
        (PageKey::Left, Tab::Live),
    ] {
        assert_eq!(state.press(key), None);
        assert_eq!(state.tab(), tab, "{key:?}");
    }
}

#[test]
fn leaving_takes_a_q_a_control_c_or_escape_twice() {
    for keys in [&[PageKey::Char('q')][..], &[PageKey::Interrupt], &[PageKey::Esc, PageKey::Esc]] {
        let mut state = state();
        let (last, before) = keys.split_last().expect("keys");
        assert!(before.iter().all(|key| state.press(*key).is_none()));
        assert_eq!(state.press(*last), Some(UserCommand::Leave), "{keys:?}");
    }
    // An arrow key that arrives in two parts.
    let mut state = state();
    for key in [PageKey::Esc, PageKey::Char('['), PageKey::Esc] {
        assert_eq!(state.press(key), None);
    }
}

#[test]
fn selection_follows_the_newest_call_only() {
    let mut state = state();
    assert_eq!(selected(&state), 43);
    add(&mut state, 50);
    assert_eq!(selected(&state), 50);
    state.press(PageKey::Down);
    assert_eq!(selected(&state), 43);
    add(&mut state, 51);
    assert_eq!((selected(&state), state.feed().place()), (43, 2));
    state.press(PageKey::Home);
    state.press(PageKey::Enter);
    add(&mut state, 52);
    assert_eq!((state.over(), selected(&state)), (&Overlay::Details, 51), "what is read does not change");
    state.press(PageKey::Esc);
    state.press(PageKey::Char('g'));
    assert_eq!(selected(&state), 52);
}

#[test]
fn pages_and_ends_are_reached_and_not_passed() {
    let mut state = state();
    for (key, seq) in [
        (PageKey::PageDown, 31),
        (PageKey::PageUp, 43),
        (PageKey::Up, 43),
        (PageKey::End, 1),
        (PageKey::Down, 1),
        (PageKey::Char('k'), 2),
        (PageKey::Char('j'), 1),
        (PageKey::Home, 43),
    ] {
        state.press(key);
        assert_eq!(selected(&state), seq, "{key:?}");
    }
}

#[test]
fn a_filter_is_applied_while_it_is_written_and_keeps_what_is_selected() {
    let mut state = state();
    state.press(PageKey::Down);
    state.press(PageKey::Down);
    assert_eq!(selected(&state), 41);
    state.press(PageKey::Char('/'));
    write(&mut state, "Notes refused");
    assert_eq!((state.feed().shown_len(), selected(&state)), (1, 41), "in any letters, every word");
    write(&mut state, " q1");
    assert_eq!(state.feed().shown_len(), 0, "letters are letters there");
    for _ in 0.."refused q1".len() {
        state.press(PageKey::Backspace);
    }
    assert_eq!(state.feed().shown_len(), 2);
    state.press(PageKey::Enter);
    assert_eq!(state.over(), &Overlay::Nothing);
    add(&mut state, 60);
    state.take(News::Call(Box::new(repaired(61))));
    assert_eq!((state.feed().shown_len(), state.feed().len()), (3, 45), "it holds for what comes");
    state.press(PageKey::Esc);
    assert_eq!((state.feed().shown_len(), state.is_leaving()), (45, false));
}

#[test]
fn rules_codes_clients_and_arguments_are_found() {
    let mut state = state();
    for (words, count) in [("learned-0a1b2c", 1), ("t1 cursor", 1), ("buy milk", 1), ("claude-code ok", 40)] {
        state.press(PageKey::Char('/'));
        write(&mut state, words);
        assert_eq!(state.feed().shown_len(), count, "{words}");
        state.press(PageKey::Esc);
    }
}

#[test]
fn a_list_that_is_held_still_goes_on_with_what_came() {
    let mut state = state();
    state.press(PageKey::Char('p'));
    assert_eq!(state.feed().waiting(), Some(0));
    for number in 50..60 {
        add(&mut state, number);
    }
    assert_eq!((selected(&state), state.feed().len(), state.feed().waiting()), (43, 43, Some(10)));
    state.press(PageKey::Char('p'));
    assert_eq!((selected(&state), state.feed().len(), state.feed().waiting()), (59, 53, None));
}

#[test]
fn running_call_is_replaced_when_it_ends() {
    let mut state = state();
    let running = call(70, &json!({ "state": "running" }));
    state.take(News::Before(vec![running], Older::None));
    assert_eq!(state.feed().selected().map(|call| call.outcome), Some(ApiOutcome::Running));
    add(&mut state, 70);
    assert_eq!(
        (state.feed().len(), state.feed().selected().map(|call| call.outcome)),
        (44, Some(ApiOutcome::Ok))
    );
}

#[test]
fn the_feed_has_an_end_also_while_it_is_held_still() {
    let mut state = state();
    for number in 100..100 + 2 * MOST_CALLS as u64 {
        add(&mut state, number);
    }
    assert_eq!(state.feed().len(), MOST_CALLS);
    state.press(PageKey::Char('p'));
    for number in 10_000..10_000 + 2 * MOST_CALLS as u64 {
        add(&mut state, number);
    }
    assert_eq!(state.feed().waiting(), Some(2 * MOST_CALLS));
    state.press(PageKey::Char('p'));
    assert_eq!((state.feed().len(), selected(&state)), (MOST_CALLS, 10_000 + 2 * MOST_CALLS as u64 - 1));
}

#[test]
fn skipped_calls_are_counted() {
    let mut state = state();
    state.take(News::Missed(Some(3)));
    state.take(News::Missed(Some(4)));
    assert_eq!(state.feed().missed(), SkippedCalls::Counted(7));
    state.take(News::Missed(None));
    assert_eq!(state.feed().missed(), SkippedCalls::Some);
}

#[test]
fn decision_needs_confirmation_of_its_target() {
    let mut state = state();
    assert_eq!(state.press(PageKey::Char('a')), None);
    assert_eq!(state.over(), &Overlay::Nothing, "there is nothing to accept in Live");
    state.press(PageKey::Char('3'));
    let id = Clean::new("0a1b2c3d4e5f");
    for (key, decision) in [('a', SuggestionDecision::Accept), ('d', SuggestionDecision::Dismiss)] {
        for no in [PageKey::Char('n'), PageKey::Enter, PageKey::Esc, PageKey::Char('a')] {
            state.press(PageKey::Char(key));
            assert_eq!(state.press(no), None);
            assert_eq!(state.over(), &Overlay::Nothing);
        }
        state.press(PageKey::Char(key));
        // News that arrive between question and answer do not change the target.
        state.take(News::Suggestions(sample::suggestions().into_iter().rev().collect()));
        assert_eq!(state.press(PageKey::Char('y')), Some(UserCommand::Decide { id: id.clone(), decision }));
        state.take(News::Suggestions(sample::suggestions()));
        state.press(PageKey::Home);
    }
    state.press(PageKey::Char('a'));
    let decided = sample::suggestions().into_iter().skip(1).collect();
    state.take(News::Suggestions(decided));
    assert_eq!(state.press(PageKey::Char('y')), None, "somebody else decided meanwhile");
    assert!(state.message().is_some_and(|said| said.as_str().contains("meanwhile")));
}

#[test]
fn decided_suggestion_is_not_asked_again() {
    let mut state = state();
    state.press(PageKey::Char('3'));
    state.press(PageKey::Down);
    state.press(PageKey::Char('a'));
    assert_eq!(state.over(), &Overlay::Nothing);
    let said = state.message().expect("a message").to_string();
    assert!(said.contains("in force") && said.contains("toolwright rules undo a1a1a1a1a1a1"), "{said}");
}

#[test]
fn servers_that_are_down_come_first_and_the_selected_one_stays_selected() {
    let mut state = state();
    state.press(PageKey::Char('2'));
    assert_eq!(state.selected_server().map(|server| server.name.as_str()), Some("files"));
    state.take(News::Status(Box::new(sample::degraded())));
    assert_eq!(state.servers()[0].name.as_str(), "time");
    assert_eq!((state.servers_down(), state.server_place()), (1, 1));
    assert_eq!(state.selected_server().map(|server| server.name.as_str()), Some("files"));
}

#[test]
fn a_gateway_that_goes_away_leaves_what_was_known() {
    let mut state = state();
    state.take(News::Away(Clean::new("nothing listens at http://127.0.0.1:8484")));
    assert!(matches!(state.link(), GatewayLink::Away(_)));
    assert_eq!((state.feed().len(), state.servers().len()), (43, 3));
    state.take(News::Status(Box::new(sample::status(&json!({})))));
    assert_eq!(state.link(), &GatewayLink::Up);
}

#[test]
fn refusals_of_the_last_hour_are_counted() {
    let mut state = state();
    assert_eq!(state.refused(), (1, Older::None));
    state.tick("2026-03-16T10:00:41Z".parse().expect("a moment"));
    assert_eq!(state.refused(), (1, Older::None));
    state.tick("2026-03-16T10:00:42Z".parse().expect("a moment"));
    assert_eq!(state.refused(), (0, Older::None), "it is more than an hour ago");
}
