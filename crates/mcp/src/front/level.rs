//! How loud log messages are.

use toolwright_jsonrpc::Notification;

/// The levels, the least important first.
const LEVELS: [&str; 8] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// A level of log messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Level(u8);

impl Level {
    pub fn parse(text: &str) -> Option<Level> {
        let at = LEVELS.iter().position(|level| *level == text)?;
        u8::try_from(at).ok().map(Level)
    }

    /// From 1 on; 0 means that there is none.
    pub fn number(level: Option<Level>) -> u8 {
        level.map_or(0, |level| level.0 + 1)
    }

    pub fn from_number(number: u8) -> Option<Level> {
        let at = number.checked_sub(1)?;
        (usize::from(at) < LEVELS.len()).then_some(Level(at))
    }

    pub fn as_str(self) -> &'static str {
        LEVELS[usize::from(self.0)]
    }

    /// All of them, for an error.
    pub fn names() -> String {
        LEVELS.join(", ")
    }

    /// Whether a message is at least as important. One without a level that we know is.
    pub fn lets_through(self, message: &Notification) -> bool {
        let level = message.params.as_ref().and_then(|params| params.get_text("level"));
        level.and_then(|level| Level::parse(&level)).is_none_or(|level| level >= self)
    }
}

#[cfg(test)]
mod tests {
    use toolwright_jsonrpc::Json;

    use super::*;

    #[test]
    fn what_is_less_important_is_held_back() {
        let message = |level: &str| Notification {
            method: "notifications/message".into(),
            params: Some(Json::empty_object().with("level", &Json::text(level))),
            extra: Vec::new(),
        };
        let warning = Level::parse("warning").unwrap();
        let heard: Vec<&str> =
            LEVELS.into_iter().filter(|level| warning.lets_through(&message(level))).collect();
        assert_eq!(heard, ["warning", "error", "critical", "alert", "emergency"]);
        assert!(warning.lets_through(&message("fine")));
        assert_eq!(Level::from_number(Level::number(Some(warning))), Some(warning));
        assert_eq!((Level::from_number(Level::number(None)), Level::parse("Warning")), (None, None));
    }
}
