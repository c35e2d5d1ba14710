//! Key bindings, and the effect of news on the selection.

use serde_json::json;
use toolwright_tui::Clean;
use toolwright_tui::api_types::Outcome;
use toolwright_tui::state::{Decision, Key, Link, MOST_CALLS, Missed, News, Older, Over, State, Tab, Wish};

use crate::sample::{self, call, repaired, state, write};

fn selected(state: &State) -> u64 {
    state.feed().selected().map_or(0, |call| call.seq)
}

fn add(state: &mut State, number: u64) {
    state.take(News::Call(Box::new(call(number, &json!({})))));
}

#[test]
fn tabs_are_reached_by_number_and_by_tab() {
    let mut state = state();
    for (key, tab) in [
        (Key::Tab, Tab::Servers),
        (Key::Tab, Tab::Suggestions),
        (Key::Tab, Tab::Live),
        (Key::BackTab, Tab::Suggestions),
        (Key::Char('1'), Tab::Live),
        (Key::Char('3'), Tab::Suggestions),
        (Key::Char('2'), Tab::Servers),
        (Key::Left, Tab::Live),
    ] {
        assert_eq!(state.press(key), None);
        assert_eq!(state.tab(), tab, "{key:?}");
    }
}

#[test]
fn leaving_takes_a_q_a_control_c_or_escape_twice() {
    for keys in [&[Key::Char('q')][..], &[Key::Interrupt], &[Key::Esc, Key::Esc]] {
        let mut state = state();
        let (last, before) = keys.split_last().expect("keys");
        assert!(before.iter().all(|key| state.press(*key).is_none()));
        assert_eq!(state.press(*last), Some(Wish::Leave), "{keys:?}");
    }
    // An arrow key that arrives in two parts.
    let mut state = state();
    for key in [Key::Esc, Key::Char('['), Key::Esc] {
        assert_eq!(state.press(key), None);
    }
}

#[test]
fn who_looks_at_the_newest_call_follows_and_who_looks_at_another_stays() {
    let mut state = state();
    assert_eq!(selected(&state), 43);
    add(&mut state, 50);
    assert_eq!(selected(&state), 50);
    state.press(Key::Down);
    assert_eq!(selected(&state), 43);
    add(&mut state, 51);
    assert_eq!((selected(&state), state.feed().place()), (43, 2));
    state.press(Key::Home);
    state.press(Key::Enter);
    add(&mut state, 52);
    assert_eq!((state.over(), selected(&state)), (&Over::Details, 51), "what is read does not change");
    state.press(Key::Esc);
    state.press(Key::Char('g'));
    assert_eq!(selected(&state), 52);
}

#[test]
fn pages_and_ends_are_reached_and_not_passed() {
    let mut state = state();
    for (key, seq) in [
        (Key::PageDown, 31),
        (Key::PageUp, 43),
        (Key::Up, 43),
        (Key::End, 1),
        (Key::Down, 1),
        (Key::Char('k'), 2),
        (Key::Char('j'), 1),
        (Key::Home, 43),
    ] {
        state.press(key);
        assert_eq!(selected(&state), seq, "{key:?}");
    }
}

#[test]
fn a_filter_is_applied_while_it_is_written_and_keeps_what_is_selected() {
    let mut state = state();
    state.press(Key::Down);
    state.press(Key::Down);
    assert_eq!(selected(&state), 41);
    state.press(Key::Char('/'));
    write(&mut state, "Notes refused");
    assert_eq!((state.feed().shown_len(), selected(&state)), (1, 41), "in any letters, every word");
    write(&mut state, " q1");
    assert_eq!(state.feed().shown_len(), 0, "letters are letters there");
    for _ in 0.."refused q1".len() {
        state.press(Key::Backspace);
    }
    assert_eq!(state.feed().shown_len(), 2);
    state.press(Key::Enter);
    assert_eq!(state.over(), &Over::Nothing);
    add(&mut state, 60);
    state.take(News::Call(Box::new(repaired(61))));
    assert_eq!((state.feed().shown_len(), state.feed().len()), (3, 45), "it holds for what comes");
    state.press(Key::Esc);
    assert_eq!((state.feed().shown_len(), state.is_leaving()), (45, false));
}

#[test]
fn rules_codes_clients_and_arguments_are_found() {
    let mut state = state();
    for (words, count) in [("learned-0a1b2c", 1), ("t1 cursor", 1), ("buy milk", 1), ("claude-code ok", 40)] {
        state.press(Key::Char('/'));
        write(&mut state, words);
        assert_eq!(state.feed().shown_len(), count, "{words}");
        state.press(Key::Esc);
    }
}

#[test]
fn a_list_that_is_held_still_goes_on_with_what_came() {
    let mut state = state();
    state.press(Key::Char('p'));
    assert_eq!(state.feed().waiting(), Some(0));
    for number in 50..60 {
        add(&mut state, number);
    }
    assert_eq!((selected(&state), state.feed().len(), state.feed().waiting()), (43, 43, Some(10)));
    state.press(Key::Char('p'));
    assert_eq!((selected(&state), state.feed().len(), state.feed().waiting()), (59, 53, None));
}

#[test]
fn a_call_that_ran_when_it_was_first_told_is_told_once() {
    let mut state = state();
    let running = call(70, &json!({ "state": "running" }));
    state.take(News::Before(vec![running], Older::None));
    assert_eq!(state.feed().selected().map(|call| call.outcome), Some(Outcome::Running));
    add(&mut state, 70);
    assert_eq!(
        (state.feed().len(), state.feed().selected().map(|call| call.outcome)),
        (44, Some(Outcome::Ok))
    );
}

#[test]
fn the_feed_has_an_end_also_while_it_is_held_still() {
    let mut state = state();
    for number in 100..100 + 2 * MOST_CALLS as u64 {
        add(&mut state, number);
    }
    assert_eq!(state.feed().len(), MOST_CALLS);
    state.press(Key::Char('p'));
    for number in 10_000..10_000 + 2 * MOST_CALLS as u64 {
        add(&mut state, number);
    }
    assert_eq!(state.feed().waiting(), Some(2 * MOST_CALLS));
    state.press(Key::Char('p'));
    assert_eq!((state.feed().len(), selected(&state)), (MOST_CALLS, 10_000 + 2 * MOST_CALLS as u64 - 1));
}

#[test]
fn what_was_left_out_is_told() {
    let mut state = state();
    state.take(News::Missed(Some(3)));
    state.take(News::Missed(Some(4)));
    assert_eq!(state.feed().missed(), Missed::Counted(7));
    state.take(News::Missed(None));
    assert_eq!(state.feed().missed(), Missed::Some);
}

#[test]
fn a_decision_needs_a_yes_and_is_about_what_was_asked() {
    let mut state = state();
    assert_eq!(state.press(Key::Char('a')), None);
    assert_eq!(state.over(), &Over::Nothing, "there is nothing to accept in Live");
    state.press(Key::Char('3'));
    let id = Clean::new("0a1b2c3d4e5f");
    for (key, decision) in [('a', Decision::Accept), ('d', Decision::Dismiss)] {
        for no in [Key::Char('n'), Key::Enter, Key::Esc, Key::Char('a')] {
            state.press(Key::Char(key));
            assert_eq!(state.press(no), None);
            assert_eq!(state.over(), &Over::Nothing);
        }
        state.press(Key::Char(key));
        // News that arrive between question and answer do not change the target.
        state.take(News::Suggestions(sample::suggestions().into_iter().rev().collect()));
        assert_eq!(state.press(Key::Char('y')), Some(Wish::Decide { id: id.clone(), decision }));
        state.take(News::Suggestions(sample::suggestions()));
        state.press(Key::Home);
    }
    state.press(Key::Char('a'));
    let decided = sample::suggestions().into_iter().skip(1).collect();
    state.take(News::Suggestions(decided));
    assert_eq!(state.press(Key::Char('y')), None, "somebody else decided meanwhile");
    assert!(state.message().is_some_and(|said| said.as_str().contains("meanwhile")));
}

#[test]
fn what_is_decided_is_not_asked_again() {
    let mut state = state();
    state.press(Key::Char('3'));
    state.press(Key::Down);
    state.press(Key::Char('a'));
    assert_eq!(state.over(), &Over::Nothing);
    let said = state.message().expect("a message").to_string();
    assert!(said.contains("in force") && said.contains("toolwright rules undo a1a1a1a1a1a1"), "{said}");
}

#[test]
fn servers_that_are_down_come_first_and_the_selected_one_stays_selected() {
    let mut state = state();
    state.press(Key::Char('2'));
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
    assert!(matches!(state.link(), Link::Away(_)));
    assert_eq!((state.feed().len(), state.servers().len()), (43, 3));
    state.take(News::Status(Box::new(sample::status(&json!({})))));
    assert_eq!(state.link(), &Link::Up);
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
