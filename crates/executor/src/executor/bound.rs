//! Results of bounded size.

use toolwright_jsonrpc::Json;

use crate::{CallError, ToolFailure, ToolOutput};

/// Leaves out a server's result beyond the limit, since the text stands for it.
pub(super) fn response(result: &mut Result<ToolOutput, ToolFailure>, limit: usize) {
    let is_beyond = |result: &Json| result.as_str().len() > limit;
    match result {
        Ok(output) => drop(output.response.take_if(|result| is_beyond(result))),
        Err(ToolFailure::Tool { response, .. }) => {
            drop(response.take_if(|response| response.as_ref().as_ref().is_ok_and(is_beyond)));
        }
        Err(_) => {}
    }
}

/// Text beyond the limit is cut and says so; a structured result beyond it is an error.
pub(super) fn output(tool: &str, mut output: ToolOutput, limit: usize) -> Result<ToolOutput, CallError> {
    if let Some(bytes) = output.structured.as_ref().map(String::len).filter(|bytes| *bytes > limit) {
        return Err(CallError::too_large(tool, bytes, limit).with_response(output.into_response()));
    }
    output.text = text(output.text, limit);
    Ok(output)
}

/// A failure tells as much as a result may.
pub(super) fn failure(failure: ToolFailure, limit: usize) -> ToolFailure {
    failure.map_message(|message| text(message, limit))
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
