//! What a connection shows besides its answers.

/// How a server behaves, in numbers that only its supervisor and its lists look at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Signs {
    /// How often it said that its tools have changed.
    pub tools_changed: u64,
    /// How often it said that its prompts have changed.
    pub prompts_changed: u64,
    /// How often it said that its resources or their templates have changed.
    pub resources_changed: u64,
    /// Requests in a row that had no answer in time. Any answer ends the row.
    pub unanswered: u32,
}

impl Signs {
    /// Notes a notification; false when it says nothing about lists.
    pub(super) fn note(&mut self, method: &str) -> bool {
        let count = match method {
            "notifications/tools/list_changed" => &mut self.tools_changed,
            "notifications/prompts/list_changed" => &mut self.prompts_changed,
            "notifications/resources/list_changed" => &mut self.resources_changed,
            _ => return false,
        };
        *count += 1;
        true
    }
}
