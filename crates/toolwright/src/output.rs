//! Answers as JSON lines, in the shape of the contract.

use std::time::Duration;

use toolwright_executor::{CallError, ToolOutput};
use toolwright_jsonrpc::raw::{quote, write_quoted};
use toolwright_model::{Change, Outcome, Problem};
use toolwright_normalizer::TraceStep;

/// What an answer says about one call.
pub struct Answer<'a> {
    /// The line's id as JSON text.
    pub id: &'a str,
    /// The tool's name.
    pub name: &'a str,
    /// The arguments as they were sent, for calls that pass.
    pub sent: &'a str,
    pub outcome: &'a Outcome,
    /// The change of the tool's name, if it was changed.
    pub name_change: Option<&'a Change>,
    /// The way to the outcome, when it was asked for.
    pub explained: Option<Explained<'a>>,
}

/// What `--explain` adds to an answer.
#[derive(Clone, Copy)]
pub struct Explained<'a> {
    pub steps: &'a [TraceStep],
    /// What the tool's schema says that is not judged.
    pub unjudged: &'a [String],
}

/// Whether changes are written with their evidence.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Evidence {
    Told,
    Left,
}

/// One answer line, without its line break.
pub fn answer_line(answer: &Answer<'_>) -> String {
    let mut out = String::with_capacity(answer.sent.len() + 128);
    out.push_str("{\"id\":");
    out.push_str(answer.id);
    out.push_str(",\"name\":");
    write_quoted(answer.name, &mut out);
    let (outcome, arguments, changes, problems): (_, _, &[Change], &[Problem]) = match answer.outcome {
        Outcome::Unchanged if answer.name_change.is_some() => ("repaired", answer.sent, &[], &[]),
        Outcome::Unchanged => ("unchanged", answer.sent, &[], &[]),
        Outcome::Repaired { arguments, changes } => ("repaired", arguments.as_str(), changes.as_slice(), &[]),
        Outcome::Refused { problems, .. } => ("refused", "null", &[], problems.as_slice()),
    };
    out.push_str(",\"outcome\":\"");
    out.push_str(outcome);
    out.push_str("\",\"arguments\":");
    push_one_line(arguments.trim(), &mut out);
    out.push_str(",\"changes\":[");
    let refused = matches!(answer.outcome, Outcome::Refused { .. });
    let name_change = answer.name_change.filter(|_| !refused);
    let evidence = if answer.explained.is_some() { Evidence::Told } else { Evidence::Left };
    push_list(&mut out, name_change.into_iter().chain(changes), |change, out| {
        push_change(change, evidence, out)
    });
    out.push_str("],\"problems\":[");
    push_list(&mut out, problems.iter(), push_problem);
    out.push(']');
    if let Some(explained) = answer.explained {
        if let Outcome::Refused { hint, .. } = answer.outcome {
            out.push_str(",\"hint\":");
            write_quoted(hint, &mut out);
        }
        out.push_str(",\"explain\":[");
        push_list(&mut out, explained.steps.iter(), push_step);
        out.push_str("],\"unjudged\":[");
        push_list(&mut out, explained.unjudged.iter(), |note, out| write_quoted(note, out));
        out.push(']');
    }
    out.push('}');
    out
}

/// The answer to a line that is no call.
pub fn error_line(number: usize, id: &str, message: &str) -> String {
    format!("{{\"id\":{id},\"line\":{number},\"error\":{}}}", quote(message))
}

/// Line breaks between values would end the line; inside strings JSON has none.
fn push_one_line(json: &str, out: &mut String) {
    if json.contains(['\n', '\r']) {
        out.extend(json.chars().map(|char| if matches!(char, '\n' | '\r') { ' ' } else { char }));
    } else {
        out.push_str(json);
    }
}

fn push_list<T>(out: &mut String, items: impl Iterator<Item = T>, push: impl Fn(T, &mut String)) {
    for (index, item) in items.enumerate() {
        if index > 0 {
            out.push(',');
        }
        push(item, out);
    }
}

/// What `call` says about one call.
pub struct Called<'a> {
    /// The tool's name, as sent when no tool was found.
    pub name: &'a str,
    /// The arguments that fit the tool, if any did.
    pub arguments: Option<&'a str>,
    pub changes: &'a [Change],
    pub ended: Ended<'a>,
}

/// How a call of `call` ended.
pub enum Ended<'a> {
    /// It fits, and nobody asked for more.
    NotRun,
    /// It came to no run.
    Refused(&'a CallError),
    /// It was run and gave nothing.
    Failed {
        error: &'a CallError,
        duration: Duration,
    },
    Answered {
        output: &'a ToolOutput,
        duration: Duration,
    },
}

/// One call as JSON, without its line break.
pub fn called_json(called: &Called<'_>) -> String {
    let mut out = format!("{{\"name\":{},\"arguments\":", quote(called.name));
    push_one_line(called.arguments.unwrap_or("null").trim(), &mut out);
    out.push_str(",\"changes\":[");
    push_list(&mut out, called.changes.iter(), |change, out| push_change(change, Evidence::Told, out));
    let (run, duration) = match called.ended {
        Ended::NotRun | Ended::Refused(_) => (false, None),
        Ended::Failed { duration, .. } | Ended::Answered { duration, .. } => (true, Some(duration)),
    };
    let ok = matches!(called.ended, Ended::NotRun | Ended::Answered { .. });
    out.push_str(&format!("],\"run\":{run},\"ok\":{ok}"));
    match &called.ended {
        Ended::NotRun => {}
        Ended::Answered { output, .. } => {
            out.push_str(&format!(",\"text\":{},\"structured\":", quote(&output.text)));
            push_one_line(output.structured.as_deref().unwrap_or("null"), &mut out);
            if let Some(response) = &output.response {
                out.push_str(",\"result\":");
                push_one_line(response.as_str(), &mut out);
            }
        }
        Ended::Refused(error) | Ended::Failed { error, .. } => push_error(error, &mut out),
    }
    if let Some(duration) = duration {
        out.push_str(&format!(",\"duration_ms\":{}", milliseconds(duration)));
    }
    out.push('}');
    out
}

/// `duration_ms` wherever it is printed: milliseconds to the microsecond, as in the log and the API.
pub fn milliseconds(duration: Duration) -> f64 {
    // No duration has so many digits that one is lost.
    duration.as_micros() as f64 / 1000.0
}

fn push_error(error: &CallError, out: &mut String) {
    out.push_str(&format!(
        ",\"error\":{{\"code\":{},\"message\":{},\"details\":{},\"problems\":[",
        quote(error.code.as_str()),
        quote(&error.sentence),
        quote(&error.details)
    ));
    push_list(out, error.problems.iter(), push_problem);
    out.push_str("]}");
}

fn push_change(change: &Change, evidence: Evidence, out: &mut String) {
    out.push_str(&format!("{{\"code\":\"{}\",\"path\":{}", change.code, quote(&change.path)));
    for (key, value) in [("from", &change.from), ("to", &change.to)] {
        out.push_str(&format!(",\"{key}\":"));
        push_one_line(value.as_deref().unwrap_or("null"), out);
    }
    if let Some(rule) = &change.rule {
        out.push_str(",\"rule\":");
        write_quoted(rule, out);
    }
    if evidence == Evidence::Told {
        out.push_str(",\"why\":");
        write_quoted(&change.why, out);
    }
    out.push('}');
}

fn push_problem(problem: &Problem, out: &mut String) {
    out.push_str(&format!(
        "{{\"code\":\"{}\",\"path\":{},\"message\":{}}}",
        problem.code,
        quote(&problem.path),
        quote(&problem.message)
    ));
}

/// One step of an explanation.
pub fn push_step(step: &TraceStep, out: &mut String) {
    out.push_str(&format!(
        "{{\"verdict\":\"{}\",\"path\":{},\"cost\":{},\"text\":{}}}",
        step.verdict.as_str(),
        quote(&step.path),
        step.cost,
        quote(&step.text)
    ));
}
