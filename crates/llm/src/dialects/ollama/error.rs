//! Errors, read and written.

use toolwright_jsonrpc::ObjectWriter;

use crate::Failure;

/// Whether the model does not take `think`. Ollama's errors are a sentence and nothing else: `"llama3.2" does not support
/// thinking`, with the name of the model.
pub(super) fn refuses_thinking(failure: &Failure) -> bool {
    let model = failure.message.strip_suffix(" does not support thinking");
    model.is_some_and(|model| model.len() > 2 && model.starts_with('"') && model.ends_with('"'))
}

/// Writes an error for a client: a text, no object. The id of the request goes into a header.
pub fn write_error(failure: &Failure, _request_id: &str) -> String {
    let mut out = ObjectWriter::default();
    out.text("error", &failure.message);
    out.finish().as_str().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialects::error_shapes;

    #[test]
    fn an_error_is_a_text() {
        let failure = error_shapes::read(404, r#"{"error":"model \"x\" not found"}"#);
        assert_eq!(failure.status, 404);
        assert_eq!(write_error(&failure, "req_1"), r#"{"error":"model \"x\" not found"}"#);
    }
}
