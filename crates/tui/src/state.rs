//! What is on the page: takes news and keys, and says what is wished. It does no I/O and has no clock.

mod feed;
mod keys;
mod text_field;

use jiff::Timestamp;

use crate::Clean;
use crate::told::{Call, Numbers, Outcome, Server, Status, Suggestion};

pub use feed::{Feed, MOST_CALLS, Missed};
pub use text_field::TextField;

/// An hour, in seconds.
const HOUR_SECONDS: i64 = 3_600;

/// What became known.
#[derive(Clone, Debug, PartialEq)]
pub enum News {
    /// How the gateway is doing.
    Status(Box<Status>),
    /// What was counted of its servers.
    Numbers(Numbers),
    /// Its suggestions.
    Suggestions(Vec<Suggestion>),
    /// Calls of before, the oldest first, and whether there are older ones.
    Before(Vec<Call>, Older),
    /// A call that ended.
    Call(Box<Call>),
    /// Calls that were left out; nothing when nobody knows how many.
    Missed(Option<u64>),
    /// Calls cannot be told, and why.
    NoCalls(Clean),
    /// The gateway does not answer, and why; it is tried again.
    Away(Clean),
    /// What became of a decision.
    Decided(Clean),
}

/// Whether there are older calls than those that are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Older {
    /// There may be.
    MayBe,
    /// These are all.
    None,
}

/// A key that somebody pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
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
    /// To the begin.
    Home,
    /// To the end.
    End,
    /// Ctrl-C.
    Interrupt,
}

/// What somebody wants done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wish {
    /// To leave.
    Leave,
    /// To decide about a suggestion.
    Decide {
        /// Which one.
        id: Clean,
        /// What.
        decision: Decision,
    },
}

/// What can be decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The rule comes into force.
    Accept,
    /// It does not.
    Dismiss,
}

impl Decision {
    /// The word in the path of the gateway.
    pub fn word(self) -> &'static str {
        match self {
            Decision::Accept => "accept",
            Decision::Dismiss => "dismiss",
        }
    }
}

/// A part of the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tab {
    /// Calls as they end.
    #[default]
    Live,
    /// Servers.
    Servers,
    /// What calls taught.
    Suggestions,
}

impl Tab {
    /// All of them, in their order.
    pub const ALL: [Tab; 3] = [Tab::Live, Tab::Servers, Tab::Suggestions];

    fn step(self, by: usize) -> Tab {
        let at = Tab::ALL.iter().position(|tab| *tab == self).unwrap_or(0);
        Tab::ALL[(at + by) % Tab::ALL.len()]
    }
}

/// What lies over the page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Over {
    /// Nothing.
    #[default]
    Nothing,
    /// The keys.
    Help,
    /// Everything about what is selected.
    Details,
    /// A filter is being written.
    Filter,
    /// A decision waits for its yes.
    Confirm {
        /// The suggestion.
        id: Clean,
        /// What is to be decided.
        decision: Decision,
    },
}

/// How the gateway is reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Link {
    /// It was not heard of yet.
    #[default]
    Reaching,
    /// It answers.
    Up,
    /// It does not, and why.
    Away(Clean),
}

/// All that is on the page.
#[derive(Clone, Debug, Default)]
pub struct State {
    tab: Tab,
    over: Over,
    link: Link,
    status: Option<Status>,
    numbers: Numbers,
    feed: Feed,
    servers: Vec<Server>,
    server: usize,
    suggestions: Vec<Suggestion>,
    suggestion: usize,
    /// How far the details are scrolled, and how far they can be, which only who draws them knows.
    scroll: usize,
    message: Option<Clean>,
    /// Escape was pressed where nothing was open.
    is_leaving: bool,
    rows: usize,
    now: Option<Timestamp>,
}

impl State {
    /// An empty page.
    pub fn new() -> State {
        State::default()
    }

    /// The terminal has so many rows.
    pub fn resize(&mut self, rows: u16) {
        self.rows = usize::from(rows);
    }

    /// It is so late.
    pub fn tick(&mut self, now: Timestamp) {
        self.now = Some(now);
    }

    /// Something became known.
    pub fn take(&mut self, news: News) {
        match news {
            News::Status(status) => {
                self.link = Link::Up;
                self.set_servers(&status.servers);
                self.status = Some(*status);
            }
            News::Numbers(numbers) => self.numbers = numbers,
            News::Suggestions(suggestions) => self.set_suggestions(suggestions),
            News::Before(calls, older) => self.feed.set_before(calls, older),
            News::Call(call) => self.feed.add(*call),
            News::Missed(count) => self.feed.miss(count),
            News::NoCalls(why) => self.feed.lacks(why),
            News::Away(why) => self.link = Link::Away(why),
            News::Decided(what) => self.message = Some(what),
        }
    }

    /// Those that do not work come first: they are why somebody looks.
    fn set_servers(&mut self, servers: &[Server]) {
        let selected = self.selected_server().map(|server| (server.toolbox.clone(), server.name.clone()));
        self.servers = servers.iter().take(crate::told::MOST_ROWS).cloned().collect();
        self.servers.sort_by_key(|server| server.problem.is_none());
        let same = |server: &Server| {
            selected
                .as_ref()
                .is_some_and(|(toolbox, name)| (&server.toolbox, &server.name) == (toolbox, name))
        };
        let place = self.servers.iter().position(same).unwrap_or(self.server);
        self.server = place.min(self.servers.len().saturating_sub(1));
    }

    fn set_suggestions(&mut self, suggestions: Vec<Suggestion>) {
        let selected = self.selected_suggestion().map(|suggestion| suggestion.id.clone());
        self.suggestions = suggestions;
        let same = |suggestion: &Suggestion| Some(&suggestion.id) == selected.as_ref();
        let place = self.suggestions.iter().position(same).unwrap_or(self.suggestion);
        self.suggestion = place.min(self.suggestions.len().saturating_sub(1));
    }

    /// Which part is shown.
    pub fn tab(&self) -> Tab {
        self.tab
    }

    /// What lies over it.
    pub fn over(&self) -> &Over {
        &self.over
    }

    /// How the gateway is reached.
    pub fn link(&self) -> &Link {
        &self.link
    }

    /// How the gateway was doing when it last answered.
    pub fn status(&self) -> Option<&Status> {
        self.status.as_ref()
    }

    /// What was counted of its servers.
    pub fn numbers(&self) -> &Numbers {
        &self.numbers
    }

    /// The calls.
    pub fn feed(&self) -> &Feed {
        &self.feed
    }

    /// The servers, those that do not work first.
    pub fn servers(&self) -> &[Server] {
        &self.servers
    }

    /// The place of the selected server.
    pub fn server_place(&self) -> usize {
        self.server
    }

    /// The selected server.
    pub fn selected_server(&self) -> Option<&Server> {
        self.servers.get(self.server)
    }

    /// How many servers do not work.
    pub fn servers_down(&self) -> usize {
        self.servers.iter().filter(|server| server.problem.is_some()).count()
    }

    /// The suggestions, those that wait first.
    pub fn suggestions(&self) -> &[Suggestion] {
        &self.suggestions
    }

    /// The place of the selected suggestion.
    pub fn suggestion_place(&self) -> usize {
        self.suggestion
    }

    /// The selected suggestion.
    pub fn selected_suggestion(&self) -> Option<&Suggestion> {
        self.suggestions.get(self.suggestion)
    }

    /// How many suggestions wait.
    pub fn waiting(&self) -> usize {
        self.suggestions.iter().filter(|suggestion| suggestion.is_waiting()).count()
    }

    /// How far the details are scrolled.
    pub fn scroll(&self) -> usize {
        self.scroll
    }

    /// The details have no more than so many lines that are out of sight.
    pub fn bound_scroll(&mut self, most: usize) {
        self.scroll = self.scroll.min(most);
    }

    /// What was said last.
    pub fn message(&self) -> Option<&Clean> {
        self.message.as_ref()
    }

    /// Whether Escape leaves if it is pressed again.
    pub fn is_leaving(&self) -> bool {
        self.is_leaving
    }

    /// How many calls of the last hour were refused, of those that are kept; and whether these are all.
    pub fn refused(&self) -> (usize, Older) {
        let begin = self.now.map(|now| now.as_second() - HOUR_SECONDS);
        let is_recent = |call: &Call| match (begin, call.at) {
            (Some(begin), Some(at)) => at.as_second() >= begin,
            _ => true,
        };
        let recent = self.feed.calls().filter(|call| is_recent(call));
        let count = recent.filter(|call| call.outcome == Outcome::Refused).count();
        let older = match self.feed.calls().last() {
            // What is left out is older than an hour.
            Some(oldest) if !is_recent(oldest) => Older::None,
            _ => self.feed.older(),
        };
        (count, older)
    }
}
