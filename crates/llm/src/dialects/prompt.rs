//! What is said to a model in words because the dialect has no other place for it.

use super::history::NO_RESULT;
use crate::Notes;
use crate::form::{Media, MediaKind, ToolResult};

/// What stands before the words of a tool that failed, where there is no other way to say it.
const ERROR_PREFIX: &str = "Error: ";

/// What a call without a result is answered.
pub(crate) fn no_result() -> String {
    format!("{ERROR_PREFIX}{NO_RESULT}")
}

/// A text that says of itself that it is an error.
pub(crate) fn marked(text: String, is_error: bool) -> String {
    if !is_error || text.starts_with(ERROR_PREFIX) { text } else { format!("{ERROR_PREFIX}{text}") }
}

/// What is said before the words of a result that belongs to no call.
pub(crate) fn orphan_head(result: &ToolResult) -> String {
    let id = result.call_id.as_deref().or(result.name.as_deref()).unwrap_or("unknown");
    format!("Result of the call {id}, which is not part of this conversation:")
}

/// What stands where media cannot, so that the model knows of them.
pub(crate) fn left_out(media: &Media, notes: &mut Notes) -> String {
    let what = match media.kind {
        MediaKind::Image => "image",
        MediaKind::Document => "document",
        MediaKind::Audio => "sound",
    };
    let name = media.name.as_ref().map(|name| format!(" {name}")).unwrap_or_default();
    notes.add(
        "media_not_sent",
        format!("the {what}{name} was left out: the upstream takes none in this form"),
    );
    format!("[{what}{name}: it cannot be shown to this model]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_tool_is_seen_to_have_failed() {
        assert_eq!(marked("no such file".to_owned(), true), "Error: no such file");
        assert_eq!(marked("Error: no such file".to_owned(), true), "Error: no such file");
        assert_eq!(marked(String::new(), true), "Error: ");
        assert_eq!(marked("fine".to_owned(), false), "fine");
    }
}
