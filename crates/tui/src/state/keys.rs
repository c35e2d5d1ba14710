//! Key bindings.

use super::{Decision, Key, Over, State, Tab, Wish};
use crate::Clean;

impl State {
    /// Handles a key.
    pub fn press(&mut self, key: Key) -> Option<Wish> {
        let was_leaving = std::mem::take(&mut self.is_leaving);
        self.message = None;
        let wish = self.react(key, was_leaving);
        self.feed.pin(self.over == Over::Details && self.tab == Tab::Live);
        wish
    }

    fn react(&mut self, key: Key, was_leaving: bool) -> Option<Wish> {
        if key == Key::Interrupt {
            return Some(Wish::Leave);
        }
        match self.over.clone() {
            Over::Filter => self.press_in_filter(key),
            Over::Confirm { id, decision } => return self.press_in_question(key, id, decision),
            Over::Help => match key {
                Key::Char('q') => return Some(Wish::Leave),
                key if self.scrolls(key) => {}
                _ => self.over = Over::Nothing,
            },
            Over::Details => return self.press_in_details(key),
            Over::Nothing => return self.press_on_page(key, was_leaving),
        }
        None
    }

    fn press_on_page(&mut self, key: Key, was_leaving: bool) -> Option<Wish> {
        match key {
            Key::Char('q') => return Some(Wish::Leave),
            Key::Esc if !self.feed.filter().text().is_empty() && self.tab == Tab::Live => {
                self.feed.edit_filter(|filter| filter.clear());
            }
            Key::Esc if was_leaving => return Some(Wish::Leave),
            // A slow connection may deliver an arrow key in two parts, and the first of them is Escape.
            Key::Esc => self.is_leaving = true,
            Key::Enter if self.has_selected() => self.open(Over::Details),
            Key::Char('/') => {
                self.go_to(Tab::Live);
                self.open(Over::Filter);
            }
            key => self.press_anywhere(key),
        }
        None
    }

    fn press_in_details(&mut self, key: Key) -> Option<Wish> {
        match key {
            Key::Char('q') => return Some(Wish::Leave),
            Key::Esc | Key::Enter | Key::Left => self.over = Over::Nothing,
            key if self.scrolls(key) => {}
            key => self.press_anywhere(key),
        }
        None
    }

    /// Scrolls if the key is a scroll key; returns whether it is.
    fn scrolls(&mut self, key: Key) -> bool {
        self.scroll = match key {
            Key::Up | Key::Char('k') => self.scroll.saturating_sub(1),
            Key::Down | Key::Char('j') => self.scroll.saturating_add(1),
            Key::PageUp => self.scroll.saturating_sub(self.page()),
            Key::PageDown | Key::Char(' ') => self.scroll.saturating_add(self.page()),
            Key::Home | Key::Char('g') => 0,
            Key::End | Key::Char('G') => usize::MAX,
            _ => return false,
        };
        true
    }

    /// Keys that work in every list.
    fn press_anywhere(&mut self, key: Key) {
        match key {
            Key::Tab | Key::Right | Key::Char('l') => self.go_to(self.tab.step(1)),
            Key::BackTab | Key::Left | Key::Char('h') => self.go_to(self.tab.step(Tab::ALL.len() - 1)),
            Key::Char('1') => self.go_to(Tab::Live),
            Key::Char('2') => self.go_to(Tab::Servers),
            Key::Char('3') => self.go_to(Tab::Suggestions),
            Key::Up | Key::Char('k') => self.select(self.place().saturating_sub(1)),
            Key::Down | Key::Char('j') => self.select(self.place().saturating_add(1)),
            Key::PageUp => self.select(self.place().saturating_sub(self.page())),
            Key::PageDown | Key::Char(' ') => self.select(self.place().saturating_add(self.page())),
            Key::Home | Key::Char('g') => self.select(0),
            Key::End | Key::Char('G') => self.select(usize::MAX),
            Key::Char('p') => {
                self.go_to(Tab::Live);
                self.feed.toggle_pause();
            }
            Key::Char('a') => self.question(Decision::Accept),
            Key::Char('d') => self.question(Decision::Dismiss),
            Key::Char('?') => self.open(Over::Help),
            _ => {}
        }
    }

    fn press_in_filter(&mut self, key: Key) {
        match key {
            Key::Char(char) => self.feed.edit_filter(|filter| filter.push(char)),
            Key::Backspace => self.feed.edit_filter(|filter| filter.pop()),
            Key::Esc => {
                self.feed.edit_filter(|filter| filter.clear());
                self.over = Over::Nothing;
            }
            Key::Enter | Key::Tab => self.over = Over::Nothing,
            Key::Up => self.select(self.place().saturating_sub(1)),
            Key::Down => self.select(self.place().saturating_add(1)),
            _ => {}
        }
    }

    /// Only `y` confirms; every other key cancels.
    fn press_in_question(&mut self, key: Key, id: Clean, decision: Decision) -> Option<Wish> {
        self.over = Over::Nothing;
        if !matches!(key, Key::Char('y' | 'Y')) {
            self.message = Some(Clean::new("nothing was decided"));
            return None;
        }
        // Another user may have decided in the meantime.
        if !self.suggestions.iter().any(|suggestion| suggestion.id == id && suggestion.is_waiting()) {
            self.message = Some(Clean::new("it was decided meanwhile; nothing was done"));
            return None;
        }
        Some(Wish::Decide { id, decision })
    }

    fn question(&mut self, decision: Decision) {
        if self.tab != Tab::Suggestions {
            return;
        }
        let Some(suggestion) = self.selected_suggestion() else { return };
        let id = suggestion.id.clone();
        if suggestion.is_waiting() {
            self.over = Over::Confirm { id, decision };
            return;
        }
        let what = format!(
            "it is decided already ({}); toolwright rules undo {id} takes that back",
            suggestion.standing.word()
        );
        self.message = Some(Clean::new(&what));
    }

    fn open(&mut self, over: Over) {
        self.scroll = 0;
        self.over = over;
    }

    fn go_to(&mut self, tab: Tab) {
        if self.tab != tab {
            self.over = Over::Nothing;
        }
        self.tab = tab;
    }

    fn has_selected(&self) -> bool {
        match self.tab {
            Tab::Live => self.feed.selected().is_some(),
            Tab::Servers => self.selected_server().is_some(),
            Tab::Suggestions => self.selected_suggestion().is_some(),
        }
    }

    fn place(&self) -> usize {
        match self.tab {
            Tab::Live => self.feed.place(),
            Tab::Servers => self.server,
            Tab::Suggestions => self.suggestion,
        }
    }

    fn select(&mut self, place: usize) {
        match self.tab {
            Tab::Live => self.feed.select(place),
            Tab::Servers => self.server = place.min(self.servers.len().saturating_sub(1)),
            Tab::Suggestions => self.suggestion = place.min(self.suggestions.len().saturating_sub(1)),
        }
    }

    /// The length of a page step: half of the terminal rows.
    fn page(&self) -> usize {
        (self.rows / 2).max(1)
    }
}
