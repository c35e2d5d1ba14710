//! The headers of modern requests against their bodies.

use crate::scripted::*;
use http::StatusCode;

const VERSION: (&str, &str) = ("mcp-protocol-version", "2026-07-28");

async fn outcome(house: &House, headers: &[(&str, &str)], body: &str) -> (StatusCode, Option<i64>) {
    let response = house.post(headers, body).await;
    let status = response.status();
    (status, error_code(&body_json(response).await))
}

const MISMATCH: (StatusCode, Option<i64>) = (StatusCode::BAD_REQUEST, Some(-32020));
const FINE: (StatusCode, Option<i64>) = (StatusCode::OK, None);

#[tokio::test]
async fn headers_say_the_same_as_the_body() {
    let house = House::new();
    house.service.result("tools/list", Ok(json(r#"{"tools":[]}"#)));
    house.service.result("resources/read", Ok(json(r#"{"contents":[]}"#)));
    house.service.result("prompts/get", Ok(json(r#"{"messages":[]}"#)));
    let list = modern_body("1", "tools/list", "", "{}", "");
    let echo = modern_body("1", "tools/call", r#""name":"echo","arguments":{}"#, "{}", "");
    let read = modern_body("1", "resources/read", r#""uri":"file:///ä b""#, "{}", "");
    let prompt = modern_body("1", "prompts/get", r#""name":"p""#, "{}", "");
    let uri = "=?base64?ZmlsZTovLy/DpCBi?=";
    for (headers, body, expected) in [
        (vec![VERSION, ("mcp-method", "tools/list")], &list, FINE),
        (vec![("MCP-PROTOCOL-VERSION", "2026-07-28"), ("MCP-METHOD", "tools/list")], &list, FINE),
        (vec![VERSION, ("mcp-method", " tools/list ")], &list, FINE),
        (vec![VERSION], &list, MISMATCH),
        (vec![("mcp-method", "tools/list")], &list, MISMATCH),
        (vec![VERSION, ("mcp-method", "prompts/list")], &list, MISMATCH),
        (vec![VERSION, ("mcp-method", "TOOLS/LIST")], &list, MISMATCH),
        (vec![VERSION, ("mcp-method", "tools/list"), ("mcp-method", "tools/list")], &list, MISMATCH),
        (vec![VERSION, VERSION, ("mcp-method", "tools/list")], &list, MISMATCH),
        (vec![("mcp-protocol-version", "2025-11-25"), ("mcp-method", "tools/list")], &list, MISMATCH),
        (vec![VERSION, ("mcp-method", "tools/call"), ("mcp-name", "echo")], &echo, FINE),
        (vec![VERSION, ("mcp-method", "tools/call"), ("mcp-name", "=?base64?ZWNobw==?=")], &echo, FINE),
        (vec![VERSION, ("mcp-method", "tools/call"), ("mcp-name", "  echo  ")], &echo, FINE),
        (vec![VERSION, ("mcp-method", "tools/call"), ("mcp-name", "Echo")], &echo, MISMATCH),
        (vec![VERSION, ("mcp-method", "tools/call"), ("mcp-name", "=?base64?ZWNobw?=")], &echo, MISMATCH),
        (vec![VERSION, ("mcp-method", "tools/call")], &echo, MISMATCH),
        (vec![VERSION, ("mcp-method", "resources/read"), ("mcp-name", uri)], &read, FINE),
        (vec![VERSION, ("mcp-method", "resources/read"), ("mcp-name", "file:///a")], &read, MISMATCH),
        (vec![VERSION, ("mcp-method", "resources/read")], &read, MISMATCH),
        (vec![VERSION, ("mcp-method", "prompts/get"), ("mcp-name", "p")], &prompt, FINE),
        (vec![VERSION, ("mcp-method", "prompts/get"), ("mcp-name", "q")], &prompt, MISMATCH),
    ] {
        let before = house.service.seen().len();
        assert_eq!(outcome(&house, &headers, body).await, expected, "{headers:?}");
        let expected_more = usize::from(expected == FINE);
        assert_eq!(
            house.service.seen().len() - before,
            expected_more,
            "{headers:?}: nothing is done on a mismatch"
        );
    }
    // A header that contradicts the body is told before a revision that nobody knows.
    let odd = list.replace("2026-07-28", "v999");
    assert_eq!(outcome(&house, &[VERSION, ("mcp-method", "tools/list")], &odd).await, MISMATCH);
}

#[tokio::test]
async fn arguments_in_headers_say_the_same_as_the_body() {
    let house = House::new();
    house.service.schemas.lock().unwrap().insert(
        "echo".into(),
        json(
            r#"{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"n":{"type":"integer","x-mcp-header":"Count"},"deep":{"type":"object","properties":{"on":{"type":"boolean","x-mcp-header":"On"}}},"free":{"type":"string"}}}"#,
        ),
    );
    for (arguments, headers, expected) in [
        (r#"{"free":"x"}"#, vec![], FINE),
        (r#"{"region":"eu"}"#, vec![("Mcp-Param-Region", "eu")], FINE),
        (r#"{"region":"eu"}"#, vec![("mcp-param-region", "eu"), ("mcp-param-other", "x")], FINE),
        (r#"{"region":"Hello"}"#, vec![("Mcp-Param-Region", "=?base64?SGVsbG8=?=")], FINE),
        (r#"{"region":"SGVsbG8="}"#, vec![("Mcp-Param-Region", "SGVsbG8=")], FINE),
        (r#"{"region":"=?base64?SGVsbG8="}"#, vec![("Mcp-Param-Region", "=?base64?SGVsbG8=")], FINE),
        (r#"{"n":42}"#, vec![("Mcp-Param-Count", "42")], FINE),
        (r#"{"n":42.0}"#, vec![("Mcp-Param-Count", "42")], FINE),
        (r#"{"n":42}"#, vec![("Mcp-Param-Count", "42.0")], FINE),
        (r#"{"deep":{"on":true}}"#, vec![("Mcp-Param-On", "true")], FINE),
        (r#"{"region":null}"#, vec![], FINE),
        (r#"{"region":"eu"}"#, vec![], MISMATCH),
        (r#"{"region":"eu"}"#, vec![("Mcp-Param-Region", "us")], MISMATCH),
        (r#"{"region":"eu"}"#, vec![("Mcp-Param-Region", "eu"), ("Mcp-Param-Region", "eu")], MISMATCH),
        (r#"{"region":"Hello"}"#, vec![("Mcp-Param-Region", "=?base64?SGVsbG8?=")], MISMATCH),
        (r#"{"region":"Hello"}"#, vec![("Mcp-Param-Region", "=?base64?SGVs!!!bG8=?=")], MISMATCH),
        (r#"{"region":"1.0"}"#, vec![("Mcp-Param-Region", "1")], MISMATCH),
        (r#"{"region":null}"#, vec![("Mcp-Param-Region", "eu")], MISMATCH),
        (r#"{}"#, vec![("Mcp-Param-Region", "eu")], MISMATCH),
        (r#"{"n":42}"#, vec![("Mcp-Param-Count", "43")], MISMATCH),
        (r#"{"deep":{"on":true}}"#, vec![("Mcp-Param-On", "false")], MISMATCH),
        (r#"{"deep":{"on":true}}"#, vec![], MISMATCH),
    ] {
        let body =
            modern_body("1", "tools/call", &format!(r#""name":"echo","arguments":{arguments}"#), "{}", "");
        let mut all = vec![VERSION, ("mcp-method", "tools/call"), ("mcp-name", "echo")];
        all.extend(headers.clone());
        assert_eq!(outcome(&house, &all, &body).await, expected, "{arguments} {headers:?}");
    }
}
