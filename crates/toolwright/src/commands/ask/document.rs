//! An answer as one JSON object.

use toolwright_agent::{Answer, AskError, Called};
use toolwright_executor::ErrorCode;
use toolwright_jsonrpc::raw::quote;

use crate::output::{Called as Shown, Ended, called_json, milliseconds};
use crate::report::Report;

/// What came of a question.
pub fn of(answer: &Result<Answer, AskError>, model: &str, fix: Option<&str>) -> String {
    match answer {
        Ok(answer) => format!(
            "{{\"answer\":{},\"stop\":{},\"model\":{},\"provider\":{},\"upstream\":{},\"rounds\":{},\"turns\":{},\
             \"tokens\":{{\"input\":{},\"output\":{}}},\"calls\":{},\"duration_ms\":{}}}",
            quote(&answer.text),
            quote(answer.stop.word()),
            quote(&answer.model),
            quote(answer.provider),
            quote(&answer.upstream),
            answer.rounds,
            answer.turns,
            answer.tokens.input,
            answer.tokens.output,
            calls(&answer.calls),
            milliseconds(answer.duration)
        ),
        Err(error) => format!(
            "{{\"error\":{{\"code\":{},\"message\":{},\"details\":{},\"fix\":{}}},\"model\":{},\"calls\":{}}}",
            quote(error.kind.word()),
            quote(&error.sentence),
            quote(&error.details),
            or_null(fix),
            quote(model),
            calls(&error.calls)
        ),
    }
}

/// Why nobody could be asked at all.
pub fn of_report(report: &Report, model: Option<&str>) -> String {
    format!(
        "{{\"error\":{{\"code\":{},\"message\":{},\"details\":{},\"fix\":{}}},\"model\":{},\"calls\":[]}}",
        quote(report.kind()),
        quote(report.what()),
        quote(&report.details()),
        or_null(report.fix()),
        or_null(model)
    )
}

fn or_null(text: Option<&str>) -> String {
    text.map_or_else(|| "null".to_owned(), quote)
}

/// Two parts of one answer, with a person's word between them.
pub fn together(before: Answer, next: Answer) -> Answer {
    let mut tokens = next.tokens;
    tokens.input += before.tokens.input;
    tokens.output += before.tokens.output;
    let calls = before.calls.into_iter().chain(next.calls).collect();
    Answer { tokens, calls, duration: before.duration + next.duration, ..next }
}

fn calls(calls: &[Called]) -> String {
    let calls: Vec<String> = calls.iter().map(call).collect();
    format!("[{}]", calls.join(","))
}

fn call(call: &Called) -> String {
    let ended = match &call.result {
        Ok(output) => Ended::Answered { output, duration: call.duration },
        Err(error) if call.arguments.is_none() || error.code == ErrorCode::Denied => Ended::Refused(error),
        Err(error) => Ended::Failed { error, duration: call.duration },
    };
    let name = call.qualified_name.as_deref().unwrap_or(&call.name);
    let shown = Shown { name, arguments: call.arguments.as_deref(), changes: &call.changes, ended };
    // The same as `call` prints, with what the model sent before it.
    format!(
        "{{\"round\":{},\"id\":{},\"sent\":{{\"name\":{},\"arguments\":{}}},{}",
        call.round,
        quote(&call.id),
        quote(&call.sent_name),
        quote(&call.sent),
        &called_json(&shown)[1..]
    )
}
