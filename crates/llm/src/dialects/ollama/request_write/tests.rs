//! Requests for upstreams, written.

use super::*;
use crate::dialects::ollama::read_request;

fn written(request: &Request, target: &Target) -> (Json, Vec<&'static str>) {
    let mut notes = Notes::default();
    let body = write_request(request, target, &mut notes).unwrap();
    (Json::parse(&body).unwrap(), notes.as_slice().iter().map(|note| note.code).collect())
}

fn think(model: &str, reasoning: Reasoning) -> String {
    let target = Target::new(Dialect::OllamaChat, model);
    let request = Request { reasoning: Some(reasoning), ..Request::default() };
    written(&request, &target).0.get("think").map_or("absent".to_owned(), |value| value.as_str().to_owned())
}

#[test]
fn most_models_think_or_do_not_and_some_know_only_levels() {
    let on = || Reasoning { is_on: Some(true), ..Reasoning::default() };
    let off = || Reasoning { is_on: Some(false), ..Reasoning::default() };
    let max = || Reasoning { effort: Some(Effort::Max), ..on() };
    let budget = || Reasoning { budget: Some(2000), ..on() };
    assert_eq!(
        [think("qwen3", on()), think("qwen3", off()), think("qwen3", max())],
        ["true", "false", "true"]
    );
    let levels = [on(), off(), max(), budget()].map(|reasoning| think("gpt-oss:20b", reasoning));
    assert_eq!(levels, [r#""high""#, "absent", r#""high""#, r#""medium""#]);
}

#[test]
fn a_model_that_does_not_think_is_not_asked_to() {
    let mut target = Target::new(Dialect::OllamaChat, "llama3");
    target.reasoning = ReasoningField::None;
    let on = Reasoning { is_on: Some(true), ..Reasoning::default() };
    let (body, notes) = written(&Request { reasoning: Some(on), ..Request::default() }, &target);
    assert_eq!((body.get("think"), notes), (None, vec!["reasoning_not_sent"]));
}

#[test]
fn without_a_choice_there_are_no_tools_and_a_forced_one_is_told_of() {
    let tool =
        Tool { name: "x".to_owned(), description: None, schema: None, strict: None, extra: Vec::new() };
    let target = Target::new(Dialect::OllamaChat, "m");
    for (choice, has_tools, notes) in [
        (ToolChoice::None, false, vec![]),
        (ToolChoice::Auto, true, vec![]),
        (ToolChoice::Required, true, vec!["tool_choice_not_sent"]),
        (ToolChoice::Tool("x".to_owned()), true, vec!["tool_choice_not_sent"]),
    ] {
        let request = Request { tools: vec![tool.clone()], choice: Some(choice), ..Request::default() };
        let (body, told) = written(&request, &target);
        assert_eq!((body.get("tools").is_some(), told), (has_tools, notes));
    }
}

#[test]
fn a_request_of_this_dialect_keeps_its_options() {
    let body = r#"{"model":"m","messages":[{"role":"user","content":"Hi."}],"think":"max","options":{"num_predict":-1,"num_ctx":4096,"top_k":4.0},"keep_alive":"5m"}"#;
    let (body, notes) = written(&read_request(body).unwrap(), &Target::new(Dialect::OllamaChat, "up"));
    assert_eq!(
        body.as_str(),
        r#"{"model":"up","messages":[{"role":"user","content":"Hi."}],"stream":true,"think":"max","options":{"top_k":4.0,"num_predict":-1,"num_ctx":4096},"keep_alive":"5m"}"#
    );
    assert_eq!(notes, [""; 0]);
}
