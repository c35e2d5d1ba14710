//! Answers of upstreams, read.

use super::*;

#[test]
fn why_an_answer_ended_is_read_word_for_word() {
    for (members, stop) in [
        (r#""status":"completed""#, Some(Stop::EndTurn)),
        (
            r#""status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}"#,
            Some(Stop::MaxTokens),
        ),
        (r#""status":"incomplete","incomplete_details":{"reason":"content_filter"}"#, Some(Stop::Refusal)),
        (
            r#""status":"incomplete","incomplete_details":{"reason":"new"}"#,
            Some(Stop::Other("new".to_owned())),
        ),
        (r#""id":"resp_1""#, None),
    ] {
        let response = read_response(&format!(r#"{{"output":[],{members}}}"#)).unwrap();
        assert_eq!(response.stop, stop, "{members}");
    }
}

#[test]
fn tokens_of_the_cache_are_no_other_input() {
    let counted = usage(
        r#"{"input_tokens":100,"input_tokens_details":{"cached_tokens":64,"cache_write_tokens":6},"output_tokens":2.0}"#,
    );
    assert_eq!((counted.input, counted.cache_read, counted.cache_write), (Some(30), Some(64), Some(6)));
    assert_eq!(counted.output, Some(2));
    let strange = usage(r#"{"input_tokens":1,"input_tokens_details":{"cached_tokens":9}}"#);
    assert_eq!(strange.input, Some(0));
}

#[test]
fn what_is_no_answer_is_an_error() {
    for (body, status) in [
        (r#"{"error":{"message":"m","type":"invalid_request_error"}}"#, 400),
        (r#"{"status":"failed","error":{"code":"rate_limit_exceeded","message":"m"},"output":[]}"#, 429),
        (r#"{"status":"failed","error":null,"output":[]}"#, 500),
        (r#"{"status":"queued","output":[]}"#, 500),
        (r#"{"status":"completed"}"#, 500),
        ("<html>", 500),
        ("[]", 500),
        ("{}", 500),
    ] {
        let failure = read_response(body).unwrap_err();
        assert_eq!(failure.status, status, "{body}");
        assert!(!failure.message.is_empty());
    }
}

#[test]
fn items_that_nobody_else_knows_are_carried() {
    let response = read_response(
        r#"{"status":"completed","output":[{"type":"web_search_call","id":"ws_1"}],"service_tier":"flex","tools":[]}"#,
    )
    .unwrap();
    assert!(
        matches!(&response.blocks[..], [Block::Other { raw, .. }] if raw.get_text("id").unwrap() == "ws_1")
    );
    assert_eq!(response.extra, [("service_tier".to_owned(), Json::text("flex"))]);
}
