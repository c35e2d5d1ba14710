//! The content of the page: news and keys in, commands out. It does no I/O and has no clock.

mod feed;
mod keys;
mod text_field;

use jiff::Timestamp;

use crate::Clean;
use crate::api_types::{ApiCall, ApiOutcome, ApiServer, ApiStatus, ApiSuggestion, Numbers};

pub use feed::{CallFeed, MOST_CALLS, SkippedCalls};
pub use text_field::TextField;

/// An hour, in seconds.
const HOUR_SECONDS: i64 = 3_600;

/// An update from the gateway.
#[derive(Clone, Debug, PartialEq)]
pub enum News {
    /// The status of the gateway.
    Status(Box<ApiStatus>),
    /// Statistics of its servers.
    Numbers(Numbers),
    /// Its suggestions.
    Suggestions(Vec<ApiSuggestion>),
    /// The history of calls, oldest first, and whether there are older ones.
    Before(Vec<ApiCall>, Older),
    /// A call that ended.
    Call(Box<ApiCall>),
    /// Calls that were skipped; `None` if their number is unknown.
    Missed(Option<u64>),
    /// Why calls cannot be shown.
    NoCalls(Clean),
    /// Why the gateway cannot be reached; the client retries.
    Away(Clean),
    /// The result of a decision.
    Decided(Clean),
}

/// Whether there are calls older than the known ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Older {
    /// Older calls may exist.
    MayBe,
    /// All calls are known.
    None,
}

/// A pressed key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageKey {
    /// A character.
    Char(char),
    /// Enter.
    Enter,
    /// Escape.
    Esc,
    /// Tab.
    Tab,
    /// Shift and Tab.
    BackTab,
    /// Backspace.
    Backspace,
    /// The arrow up.
    Up,
    /// The arrow down.
    Down,
    /// The arrow to the left.
    Left,
    /// The arrow to the right.
    Right,
    /// A page up.
    PageUp,
    /// A page down.
    PageDown,
    /// To the start.
    Home,
    /// To the end.
    End,
    /// Ctrl-C.
    Interrupt,
}

/// A command of the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UserCommand {
    /// Close the page.
    Leave,
    /// Decide about a suggestion.
    Decide {
        /// The suggestion.
        id: Clean,
        /// The decision.
        decision: SuggestionDecision,
    },
}

/// A decision about a suggestion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuggestionDecision {
    /// The rule becomes active.
    Accept,
    /// The rule does not become active.
    Dismiss,
}

impl SuggestionDecision {
    /// The path segment in the API.
    pub fn word(self) -> &'static str {
        match self {
            SuggestionDecision::Accept => "accept",
            SuggestionDecision::Dismiss => "dismiss",
        }
    }
}

/// A tab of the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tab {
    /// Calls as they end.
    #[default]
    Live,
    /// Servers.
    Servers,
    /// Suggestions.
    Suggestions,
}

impl Tab {
    /// All tabs, in order.
    pub const ALL: [Tab; 3] = [Tab::Live, Tab::Servers, Tab::Suggestions];

    fn step(self, by: usize) -> Tab {
        let at = Tab::ALL.iter().position(|tab| *tab == self).unwrap_or(0);
        Tab::ALL[(at + by) % Tab::ALL.len()]
    }
}

/// An overlay of the page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Overlay {
    /// None.
    #[default]
    Nothing,
    /// The key help.
    Help,
    /// Details of the selected item.
    Details,
    /// The filter input.
    Filter,
    /// A decision waits for confirmation.
    Confirm {
        /// The suggestion.
        id: Clean,
        /// The decision.
        decision: SuggestionDecision,
    },
}

/// The state of the connection to the gateway.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum GatewayLink {
    /// Connecting.
    #[default]
    Reaching,
    /// Connected.
    Up,
    /// Disconnected, with the reason.
    Away(Clean),
}

/// The complete state of the page.
#[derive(Clone, Debug, Default)]
pub struct PageState {
    tab: Tab,
    over: Overlay,
    link: GatewayLink,
    status: Option<ApiStatus>,
    numbers: Numbers,
    feed: CallFeed,
    servers: Vec<ApiServer>,
    server: usize,
    suggestions: Vec<ApiSuggestion>,
    suggestion: usize,
    /// The scroll position of the details; only the renderer knows its maximum.
    scroll: usize,
    message: Option<Clean>,
    /// Escape was pressed without an overlay.
    is_leaving: bool,
    rows: usize,
    now: Option<Timestamp>,
}

impl PageState {
    /// An empty page.
    pub fn new() -> PageState {
        PageState::default()
    }

    /// Sets the number of terminal rows.
    pub fn resize(&mut self, rows: u16) {
        self.rows = usize::from(rows);
    }

    /// Sets the current time.
    pub fn tick(&mut self, now: Timestamp) {
        self.now = Some(now);
    }

    /// Applies an update.
    pub fn take(&mut self, news: News) {
        match news {
            News::Status(status) => {
                self.link = GatewayLink::Up;
                self.set_servers(&status.servers);
                self.status = Some(*status);
            }
            News::Numbers(numbers) => self.numbers = numbers,
            News::Suggestions(suggestions) => self.set_suggestions(suggestions),
            News::Before(calls, older) => self.feed.set_before(calls, older),
            News::Call(call) => self.feed.add(*call),
            News::Missed(count) => self.feed.miss(count),
            News::NoCalls(why) => self.feed.lacks(why),
            News::Away(why) => self.link = GatewayLink::Away(why),
            News::Decided(what) => self.message = Some(what),
        }
    }

    /// Failing servers come first: they are what the user looks for.
    fn set_servers(&mut self, servers: &[ApiServer]) {
        let selected = self.selected_server().map(|server| (server.toolbox.clone(), server.name.clone()));
        self.servers = servers.iter().take(crate::api_types::MOST_ROWS).cloned().collect();
        self.servers.sort_by_key(|server| server.problem.is_none());
        let same = |server: &ApiServer| {
            selected
                .as_ref()
                .is_some_and(|(toolbox, name)| (&server.toolbox, &server.name) == (toolbox, name))
        };
        let place = self.servers.iter().position(same).unwrap_or(self.server);
        self.server = place.min(self.servers.len().saturating_sub(1));
    }

    fn set_suggestions(&mut self, suggestions: Vec<ApiSuggestion>) {
        let selected = self.selected_suggestion().map(|suggestion| suggestion.id.clone());
        self.suggestions = suggestions;
        let same = |suggestion: &ApiSuggestion| Some(&suggestion.id) == selected.as_ref();
        let place = self.suggestions.iter().position(same).unwrap_or(self.suggestion);
        self.suggestion = place.min(self.suggestions.len().saturating_sub(1));
    }

    /// The current tab.
    pub fn tab(&self) -> Tab {
        self.tab
    }

    /// The current overlay.
    pub fn over(&self) -> &Overlay {
        &self.over
    }

    /// The state of the connection.
    pub fn link(&self) -> &GatewayLink {
        &self.link
    }

    /// The last status of the gateway.
    pub fn status(&self) -> Option<&ApiStatus> {
        self.status.as_ref()
    }

    /// Statistics of its servers.
    pub fn numbers(&self) -> &Numbers {
        &self.numbers
    }

    /// The calls.
    pub fn feed(&self) -> &CallFeed {
        &self.feed
    }

    /// The servers, failing ones first.
    pub fn servers(&self) -> &[ApiServer] {
        &self.servers
    }

    /// The index of the selected server.
    pub fn server_place(&self) -> usize {
        self.server
    }

    /// The selected server.
    pub fn selected_server(&self) -> Option<&ApiServer> {
        self.servers.get(self.server)
    }

    /// The number of failing servers.
    pub fn servers_down(&self) -> usize {
        self.servers.iter().filter(|server| server.problem.is_some()).count()
    }

    /// The suggestions, pending ones first.
    pub fn suggestions(&self) -> &[ApiSuggestion] {
        &self.suggestions
    }

    /// The index of the selected suggestion.
    pub fn suggestion_place(&self) -> usize {
        self.suggestion
    }

    /// The selected suggestion.
    pub fn selected_suggestion(&self) -> Option<&ApiSuggestion> {
        self.suggestions.get(self.suggestion)
    }

    /// The number of pending suggestions.
    pub fn waiting(&self) -> usize {
        self.suggestions.iter().filter(|suggestion| suggestion.is_waiting()).count()
    }

    /// The scroll position of the details.
    pub fn scroll(&self) -> usize {
        self.scroll
    }

    /// Limits the scroll position to this maximum.
    pub fn bound_scroll(&mut self, most: usize) {
        self.scroll = self.scroll.min(most);
    }

    /// The last message.
    pub fn message(&self) -> Option<&Clean> {
        self.message.as_ref()
    }

    /// Whether another Escape closes the page.
    pub fn is_leaving(&self) -> bool {
        self.is_leaving
    }

    /// The number of refused calls in the last hour, as far as they are stored, and whether older ones may
    /// be missing.
    pub fn refused(&self) -> (usize, Older) {
        let begin = self.now.map(|now| now.as_second() - HOUR_SECONDS);
        let is_recent = |call: &ApiCall| match (begin, call.at) {
            (Some(begin), Some(at)) => at.as_second() >= begin,
            _ => true,
        };
        let recent = self.feed.calls().filter(|call| is_recent(call));
        let count = recent.filter(|call| call.outcome == ApiOutcome::Refused).count();
        let older = match self.feed.calls().last() {
            // Dropped calls are older than an hour.
            Some(oldest) if !is_recent(oldest) => Older::None,
            _ => self.feed.older(),
        };
        (count, older)
    }
}
