//! Results of bounded size.

use crate::{CallError, ToolFailure, ToolOutput};

/// Text beyond the limit is cut and says so; a structured result beyond it is an error; a server's whole
/// result beyond it is left out, since the text stands for it.
pub(super) fn output(tool: &str, mut output: ToolOutput, limit: usize) -> Result<ToolOutput, CallError> {
    if let Some(bytes) = output.structured.as_ref().map(String::len).filter(|bytes| *bytes > limit) {
        return Err(CallError::too_large(tool, bytes, limit));
    }
    output.text = text(output.text, limit);
    output.whole = output.whole.filter(|whole| whole.len() <= limit);
    Ok(output)
}

/// A failure tells as much as a result may.
pub(super) fn failure(failure: ToolFailure, limit: usize) -> ToolFailure {
    match failure {
        ToolFailure::Tool { message } => ToolFailure::Tool { message: text(message, limit) },
        ToolFailure::Unavailable { message } => ToolFailure::Unavailable { message: text(message, limit) },
        ToolFailure::NotReady { message } => ToolFailure::NotReady { message: text(message, limit) },
        ToolFailure::InvalidArguments { message } => {
            ToolFailure::InvalidArguments { message: text(message, limit) }
        }
    }
}

/// Keeps at most `limit` bytes of whole characters and adds a note of what was left out.
fn text(mut text: String, limit: usize) -> String {
    if text.len() <= limit {
        return text;
    }
    let bytes = text.len();
    text.truncate(text.floor_char_boundary(limit));
    let left_out = bytes - text.len();
    text.push_str(&format!("\n[The result was cut: {left_out} of {bytes} bytes were left out.]"));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_between_characters() {
        assert_eq!(text("äö".to_owned(), 4), "äö");
        assert_eq!(text("äö".to_owned(), 3), "ä\n[The result was cut: 2 of 4 bytes were left out.]");
        assert_eq!(text("ä".to_owned(), 0), "\n[The result was cut: 2 of 2 bytes were left out.]");
    }
}
