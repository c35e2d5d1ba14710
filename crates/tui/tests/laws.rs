//! Invariants for any keys, any news and any terminal size.

use jiff::tz::TimeZone;
use proptest::prelude::*;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use serde_json::json;
use toolwright_tui::api_types::{ApiCall, ApiStatus, ApiSuggestion};
use toolwright_tui::state::{MOST_CALLS, News, Older, PageKey, PageState};
use toolwright_tui::view::{Look, draw};
use toolwright_tui::{Clean, Theme};

#[derive(Clone, Debug)]
enum Step {
    Press(PageKey),
    Take(News),
    Resize(u16, u16),
}

fn key() -> impl Strategy<Value = PageKey> {
    let named = [
        PageKey::Enter,
        PageKey::Esc,
        PageKey::Tab,
        PageKey::BackTab,
        PageKey::Backspace,
        PageKey::Up,
        PageKey::Down,
        PageKey::Left,
        PageKey::Right,
        PageKey::PageUp,
        PageKey::PageDown,
        PageKey::Home,
        PageKey::End,
    ];
    prop_oneof![
        5 => proptest::sample::select(named.to_vec()),
        5 => proptest::sample::select("123jkgGpad/?yn q".chars().collect::<Vec<_>>()).prop_map(PageKey::Char),
        1 => any::<char>().prop_map(PageKey::Char),
    ]
}

/// Hostile texts.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z/_ ]{0,12}",
        "\\PC{0,40}",
        any::<String>(),
        Just("\u{1b}[2J\u{1b}]0;x\u{7}".to_owned()),
        Just("👩\u{200d}👩\u{200d}👧\u{fe0f}e\u{301}\u{301}\u{301}\u{301}\u{301}".to_owned()),
        Just("世界".repeat(60)),
    ]
}

fn call() -> impl Strategy<Value = ApiCall> {
    (0..20_u64, text(), text(), text(), prop::sample::select(vec!["ok", "error", "running"])).prop_map(
        |(number, tool, client, words, state)| {
            let mut said = json!({
                "ts": "2026-03-16T09:00:00Z", "req_id": number.to_string(), "tool": tool, "client": client,
                "state": state, "seq": number, "arguments": { &words: &words }, "normalized": [&words],
                "changes": [{ "code": "N1", "path": &words, "from": &words, "rule": &words }],
            });
            if state == "error" {
                said["error"] = json!(words);
            }
            ApiCall::read(said.to_string().as_bytes()).expect("a call")
        },
    )
}

fn news() -> impl Strategy<Value = News> {
    let servers = prop::collection::vec((text(), text(), prop::option::of(text())), 0..4);
    let status = (servers, text()).prop_map(|(servers, address)| {
        let servers: Vec<_> = servers
            .into_iter()
            .map(|(name, state, problem)| json!({ "name": name, "state": state, "problem": problem }))
            .collect();
        let said = json!({ "servers": servers, "address": address, "problems": [address], "last_hour": { "calls": 3 } });
        let status: ApiStatus = serde_json::from_value(said).expect("a status");
        News::Status(Box::new(status))
    });
    let suggestions = prop::collection::vec((0..3_u8, text(), any::<bool>()), 0..4).prop_map(|all| {
        let all: Vec<_> = all
            .into_iter()
            .map(|(id, words, waits)| {
                let status = if waits { "suggested" } else { "active" };
                json!({ "id": id.to_string(), "status": status, "tool": words, "reason": words,
                    "rule": { "type": "param_alias", "from": words, "to": words } })
            })
            .collect();
        let said = json!({ "suggestions": all }).to_string();
        News::Suggestions(ApiSuggestion::read_all(said.as_bytes()).expect("suggestions"))
    });
    prop_oneof![
        6 => call().prop_map(|call| News::Call(Box::new(call))),
        1 => prop::collection::vec(call(), 0..5).prop_map(|calls| News::Before(calls, Older::MayBe)),
        2 => status,
        2 => suggestions,
        1 => prop::option::of(any::<u64>()).prop_map(News::Missed),
        1 => text().prop_map(|why| News::Away(Clean::new(&why))),
        1 => text().prop_map(|why| News::NoCalls(Clean::new(&why))),
        1 => text().prop_map(|what| News::Decided(Clean::new(&what))),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        5 => key().prop_map(Step::Press),
        5 => news().prop_map(Step::Take),
        1 => (1..160_u16, 1..60_u16).prop_map(|(columns, rows)| Step::Resize(columns, rows)),
    ]
}

fn is_inside(place: usize, count: usize) -> bool {
    place < count || (place, count) == (0, 0)
}

fn check(state: &PageState) -> Result<(), TestCaseError> {
    let feed = state.feed();
    prop_assert!(feed.len() <= MOST_CALLS);
    prop_assert!(is_inside(feed.place(), feed.shown_len()));
    prop_assert!(feed.shown_len() <= feed.len());
    prop_assert_eq!(feed.shown_from(0).count(), feed.shown_len());
    let words = feed.filter().words();
    prop_assert!(feed.shown_from(0).all(|call| call.has(&words)));
    prop_assert!(is_inside(state.server_place(), state.servers().len()));
    prop_assert!(is_inside(state.suggestion_place(), state.suggestions().len()));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn no_keys_and_no_news_panic_and_what_is_selected_is_there(steps in prop::collection::vec(step(), 0..60)) {
        let mut state = PageState::new();
        let look = Look { theme: Theme::Colours, zone: TimeZone::UTC };
        let mut terminal = Terminal::new(TestBackend::new(80, 24)).expect("a terminal");
        for step in steps {
            match step {
                Step::Press(key) => {
                    state.press(key);
                }
                Step::Take(news) => state.take(news),
                Step::Resize(columns, rows) => {
                    terminal = Terminal::new(TestBackend::new(columns, rows)).expect("a terminal");
                    state.resize(rows);
                }
            }
            check(&state)?;
            let mut most = 0;
            terminal.draw(|frame| most = draw(frame, &state, &look).most_scroll).expect("drawn");
            state.bound_scroll(most);
            prop_assert!(state.scroll() <= most);
            // Only printable characters reach the terminal.
            for cell in terminal.backend().buffer().content() {
                prop_assert!(!cell.symbol().chars().any(toolwright_redact::does_not_print), "{:?}", cell.symbol());
            }
        }
    }

    #[test]
    fn a_clean_text_stays_as_it_is_and_is_cut_to_its_room(text in text(), room in 0..50_usize) {
        let clean = Clean::new(&text);
        prop_assert_eq!(&Clean::new(clean.as_str()), &clean);
        prop_assert!(!clean.as_str().chars().any(toolwright_redact::does_not_print));
        let cut = toolwright_tui::clean::fit(clean.as_str(), room);
        prop_assert!(toolwright_tui::clean::width(&cut) <= room);
        for line in toolwright_tui::clean::wrap(clean.as_str(), room) {
            prop_assert!(toolwright_tui::clean::width(&line) <= room.max(2));
        }
    }
}
