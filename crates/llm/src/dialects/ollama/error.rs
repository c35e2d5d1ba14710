//! Errors, read and written.

use toolwright_jsonrpc::ObjectWriter;

use crate::Failure;
use crate::dialects::error_shapes;

/// Reads an upstream's error, whatever shape its body has.
pub fn read_error(status: u16, body: &str) -> Failure {
    error_shapes::read(status, body)
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

    #[test]
    fn an_error_is_a_text() {
        let failure = read_error(404, r#"{"error":"model \"x\" not found"}"#);
        assert_eq!(failure.status, 404);
        assert_eq!(write_error(&failure, "req_1"), r#"{"error":"model \"x\" not found"}"#);
    }
}
