//! Key bindings.

use super::{Overlay, PageKey, PageState, SuggestionDecision, Tab, UserCommand};
use crate::Clean;

impl PageState {
    /// Handles a key.
    pub fn press(&mut self, key: PageKey) -> Option<UserCommand> {
        let was_leaving = std::mem::take(&mut self.is_leaving);
        self.message = None;
        let wish = self.react(key, was_leaving);
        self.feed.pin(self.over == Overlay::Details && self.tab == Tab::Live);
        wish
    }

    fn react(&mut self, key: PageKey, was_leaving: bool) -> Option<UserCommand> {
        if key == PageKey::Interrupt {
            return Some(UserCommand::Leave);
        }
        match self.over.clone() {
            Overlay::Filter => self.press_in_filter(key),
            Overlay::Confirm { id, decision } => return self.press_in_question(key, id, decision),
            Overlay::Help => match key {
                PageKey::Char('q') => return Some(UserCommand::Leave),
                key if self.scrolls(key) => {}
                _ => self.over = Overlay::Nothing,
            },
            Overlay::Details => return self.press_in_details(key),
            Overlay::Nothing => return self.press_on_page(key, was_leaving),
        }
        None
    }

    fn press_on_page(&mut self, key: PageKey, was_leaving: bool) -> Option<UserCommand> {
        match key {
            PageKey::Char('q') => return Some(UserCommand::Leave),
            PageKey::Esc if !self.feed.filter().text().is_empty() && self.tab == Tab::Live => {
                self.feed.edit_filter(|filter| filter.clear());
            }
            PageKey::Esc if was_leaving => return Some(UserCommand::Leave),
            // A slow connection may deliver an arrow key in two parts, and the first of them is Escape.
            PageKey::Esc => self.is_leaving = true,
            PageKey::Enter if self.has_selected() => self.open(Overlay::Details),
            PageKey::Char('/') => {
                self.go_to(Tab::Live);
                self.open(Overlay::Filter);
            }
            key => self.press_anywhere(key),
        }
        None
    }

    fn press_in_details(&mut self, key: PageKey) -> Option<UserCommand> {
        match key {
            PageKey::Char('q') => return Some(UserCommand::Leave),
            PageKey::Esc | PageKey::Enter | PageKey::Left => self.over = Overlay::Nothing,
            key if self.scrolls(key) => {}
            key => self.press_anywhere(key),
        }
        None
    }

    /// Scrolls if the key is a scroll key; returns whether it is.
    fn scrolls(&mut self, key: PageKey) -> bool {
        self.scroll = match key {
            PageKey::Up | PageKey::Char('k') => self.scroll.saturating_sub(1),
            PageKey::Down | PageKey::Char('j') => self.scroll.saturating_add(1),
            PageKey::PageUp => self.scroll.saturating_sub(self.page()),
            PageKey::PageDown | PageKey::Char(' ') => self.scroll.saturating_add(self.page()),
            PageKey::Home | PageKey::Char('g') => 0,
            PageKey::End | PageKey::Char('G') => usize::MAX,
            _ => return false,
        };
        true
    }

    /// Keys that work in every list.
    fn press_anywhere(&mut self, key: PageKey) {
        match key {
            PageKey::Tab | PageKey::Right | PageKey::Char('l') => self.go_to(self.tab.step(1)),
            PageKey::BackTab | PageKey::Left | PageKey::Char('h') => {
                self.go_to(self.tab.step(Tab::ALL.len() - 1))
            }
            PageKey::Char('1') => self.go_to(Tab::Live),
            PageKey::Char('2') => self.go_to(Tab::Servers),
            PageKey::Char('3') => self.go_to(Tab::Suggestions),
            PageKey::Up | PageKey::Char('k') => self.select(self.place().saturating_sub(1)),
            PageKey::Down | PageKey::Char('j') => self.select(self.place().saturating_add(1)),
            PageKey::PageUp => self.select(self.place().saturating_sub(self.page())),
            PageKey::PageDown | PageKey::Char(' ') => self.select(self.place().saturating_add(self.page())),
            PageKey::Home | PageKey::Char('g') => self.select(0),
            PageKey::End | PageKey::Char('G') => self.select(usize::MAX),
            PageKey::Char('p') => {
                self.go_to(Tab::Live);
                self.feed.toggle_pause();
            }
            PageKey::Char('a') => self.question(SuggestionDecision::Accept),
            PageKey::Char('d') => self.question(SuggestionDecision::Dismiss),
            PageKey::Char('?') => self.open(Overlay::Help),
            _ => {}
        }
    }

    fn press_in_filter(&mut self, key: PageKey) {
        match key {
            PageKey::Char(char) => self.feed.edit_filter(|filter| filter.push(char)),
            PageKey::Backspace => self.feed.edit_filter(|filter| filter.pop()),
            PageKey::Esc => {
                self.feed.edit_filter(|filter| filter.clear());
                self.over = Overlay::Nothing;
            }
            PageKey::Enter | PageKey::Tab => self.over = Overlay::Nothing,
            PageKey::Up => self.select(self.place().saturating_sub(1)),
            PageKey::Down => self.select(self.place().saturating_add(1)),
            _ => {}
        }
    }

    /// Only `y` confirms; every other key cancels.
    fn press_in_question(
        &mut self,
        key: PageKey,
        id: Clean,
        decision: SuggestionDecision,
    ) -> Option<UserCommand> {
        self.over = Overlay::Nothing;
        if !matches!(key, PageKey::Char('y' | 'Y')) {
            self.message = Some(Clean::new("nothing was decided"));
            return None;
        }
        // Another user may have decided in the meantime.
        if !self.suggestions.iter().any(|suggestion| suggestion.id == id && suggestion.is_waiting()) {
            self.message = Some(Clean::new("it was decided meanwhile; nothing was done"));
            return None;
        }
        Some(UserCommand::Decide { id, decision })
    }

    fn question(&mut self, decision: SuggestionDecision) {
        if self.tab != Tab::Suggestions {
            return;
        }
        let Some(suggestion) = self.selected_suggestion() else { return };
        let id = suggestion.id.clone();
        if suggestion.is_waiting() {
            self.over = Overlay::Confirm { id, decision };
            return;
        }
        let what = format!(
            "it is decided already ({}); toolwright rules undo {id} takes that back",
            suggestion.standing.word()
        );
        self.message = Some(Clean::new(&what));
    }

    fn open(&mut self, over: Overlay) {
        self.scroll = 0;
        self.over = over;
    }

    fn go_to(&mut self, tab: Tab) {
        if self.tab != tab {
            self.over = Overlay::Nothing;
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
