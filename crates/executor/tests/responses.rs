//! A server's response on its way from the tool's function to the caller, and functions bound to one call.

use crate::support::*;

use std::sync::Arc;

use toolwright_executor::observer::{Finished, Waiting};
use toolwright_executor::{
    Call, CallError, CallObserver, ErrorCode, Limits, RawResponse, ToolFailure, ToolFunction, ToolOutput,
};
use toolwright_jsonrpc::{ErrorObject, INVALID_PARAMS, Json};

fn json(text: &str) -> Json {
    Json::parse(text).expect("JSON")
}

/// A tool of a server that sends this.
fn responds(response: RawResponse, structured: Option<&'static str>) -> Arc<dyn ToolFunction> {
    function(move |_| {
        let response = response.clone();
        std::future::ready(match response {
            Ok(result) if structured.is_none() && result.get("isError").is_some() => {
                Err(ToolFailure::Tool { message: "no".to_owned(), response: Some(Box::new(Ok(result))) })
            }
            Ok(result) => Ok(ToolOutput {
                text: "yes".to_owned(),
                structured: structured.map(str::to_owned),
                response: Some(result),
            }),
            Err(error) => Err(ToolFailure::Tool {
                message: error.message.clone(),
                response: Some(Box::new(Err(error))),
            }),
        })
    })
}

fn response_of(result: Result<ToolOutput, CallError>) -> Option<RawResponse> {
    match result {
        Ok(output) => output.response.map(Ok),
        Err(error) => error.response.map(|response| *response),
    }
}

#[tokio::test]
async fn bound_function_replaces_the_registered_one_for_its_call_only() {
    let executor = executor_of("zwave", ZWAVE, answers("registered"));
    let call = Call::new("zwave", r#"{"device_name": "Porch", "action": "on"}"#);
    let outcome = executor.execute(call.clone().bound_to(echo())).await;
    // The registry's schema has repaired what the bound function gets.
    assert_eq!(outcome.text(), r#"{"deviceName":"Porch","action":"on"}"#);
    assert_eq!(outcome.changes.len(), 1);
    assert_eq!(executor.execute(call).await.text(), "registered");
}

#[tokio::test]
async fn bound_function_is_not_run_for_a_tool_of_another_name() {
    let executor = executor_of("zwave", ZWAVE, answers("registered"));
    let call = Call::new("Zwave", r#"{"deviceName": "Porch", "action": "on"}"#);
    assert_eq!(executor.execute(call.clone()).await.text(), "registered");
    let error = executor.execute(call.bound_to(echo())).await.result.expect_err("another tool");
    assert_eq!(error.code, ErrorCode::UnknownTool);
}

#[tokio::test]
async fn response_reaches_the_caller_unchanged_at_any_size() {
    let limits = Limits { result_bytes: 4, ..Limits::default() };
    let executor = executor_of("read", ANY_OBJECT, answers("registered")).with_limits(limits);
    let error =
        ErrorObject { data: Some(json("{ \"why\": 1.0 }")), ..ErrorObject::new(INVALID_PARAMS, "wrong") };
    for (response, structured, code) in [
        (Ok(json(r#"{ "content": [], "n": 1e3 }"#)), None, None),
        (Ok(json(r#"{ "content": [], "isError": true }"#)), None, Some(ErrorCode::ToolError)),
        (Ok(json(r#"{ "structuredContent": [1, 2] }"#)), Some("[1, 2]"), Some(ErrorCode::TooLarge)),
        (Err(error), None, Some(ErrorCode::ToolError)),
    ] {
        let call = Call::new("read", "{}").bound_to(responds(response.clone(), structured));
        let result = executor.execute(call).await.result;
        assert_eq!(result.as_ref().err().map(|error| error.code), code);
        assert_eq!(response_of(result), Some(response));
    }
}

#[tokio::test]
async fn large_result_is_left_out_when_the_call_is_not_bound() {
    for (result, is_kept) in [("{}", true), (r#"{"content":[]}"#, false), (r#"{"isError":true}"#, false)] {
        let limits = Limits { result_bytes: 4, ..Limits::default() };
        let executor = executor_of("read", ANY_OBJECT, responds(Ok(json(result)), None)).with_limits(limits);
        let result = executor.execute(Call::new("read", "{}")).await.result;
        assert_eq!(response_of(result).is_some(), is_kept);
    }
}

struct FullDisk;

impl CallObserver for FullDisk {
    fn recorded(&self, _: &Finished<'_>) -> Option<Waiting> {
        Some(Box::pin(std::future::ready(Err("no space left".to_owned()))))
    }
}

#[tokio::test]
async fn unrecorded_call_still_says_what_the_server_responded() {
    let response: RawResponse = Err(ErrorObject::new(INVALID_PARAMS, "wrong"));
    let executor = executor_of("read", ANY_OBJECT, responds(response.clone(), None));
    let executor = executor.with_observer(Arc::new(FullDisk));
    let error = executor.execute(Call::new("read", "{}")).await.result.expect_err("it is held back");
    assert_eq!(error.code, ErrorCode::Unrecorded);
    assert_eq!(response_of(Err(error)), Some(response));
}
