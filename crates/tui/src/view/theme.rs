//! Text styles, and colours if enabled.

use ratatui::style::{Color, Modifier, Style};

use crate::api_types::ApiOutcome;

/// The colour theme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// The terminal's sixteen colours, which its user has chosen.
    Colours,
    /// Bold and reversed only.
    Plain,
}

impl Theme {
    /// Disables colours if `NO_COLOR` is set.
    pub fn from_no_color(value: Option<&std::ffi::OsStr>) -> Theme {
        if value.is_some_and(|value| !value.is_empty()) { Theme::Plain } else { Theme::Colours }
    }

    pub(super) fn plain(self) -> Style {
        Style::new()
    }

    pub(super) fn selected(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED | Modifier::BOLD)
    }

    pub(super) fn heading(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// Secondary information. Without colours it is plain: not every terminal shows faint text legibly.
    pub(super) fn faint(self) -> Style {
        self.coloured(Color::DarkGray)
    }

    pub(super) fn wrong(self) -> Style {
        self.coloured(Color::Red).add_modifier(Modifier::BOLD)
    }

    pub(super) fn well(self) -> Style {
        self.coloured(Color::Green)
    }

    /// An item that waits for the user.
    pub(super) fn asks(self) -> Style {
        self.coloured(Color::Yellow).add_modifier(Modifier::BOLD)
    }

    pub(super) fn outcome(self, outcome: ApiOutcome) -> Style {
        match outcome {
            ApiOutcome::Ok => self.well(),
            ApiOutcome::Repaired => self.coloured(Color::Cyan).add_modifier(Modifier::BOLD),
            ApiOutcome::Refused => self.asks(),
            ApiOutcome::Error | ApiOutcome::Interrupted => self.wrong(),
            ApiOutcome::Running => self.plain(),
        }
    }

    fn coloured(self, colour: Color) -> Style {
        match self {
            Theme::Colours => Style::new().fg(colour),
            Theme::Plain => Style::new(),
        }
    }
}
