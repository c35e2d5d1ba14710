//! `toolwright call`: one tool through the executor, with what was mended before your eyes.

use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::runtime;
use tokio_util::sync::CancellationToken;
use toolwright_jsonrpc::raw::quote;
use toolwright_model::Change;
use toolwright_tools::observer::Normalized;
use toolwright_tools::{Call, CallError, CallObserver, CallOutcome, Prepared};

use super::print;
use crate::cli::CallOptions;
use crate::output::change_json;
use crate::report::{EXIT_FOUND, Report};
use crate::toolset;

/// Remembers the arguments that the tool got.
#[derive(Default)]
struct Received(Mutex<Option<String>>);

impl CallObserver for Received {
    fn normalized(&self, call: &Normalized<'_>) {
        if let Ok(mut received) = self.0.lock() {
            *received = Some(call.arguments.expose().to_owned());
        }
    }
}

pub fn run(options: &CallOptions) -> Result<ExitCode, Report> {
    let sent = match options.arguments.as_deref() {
        None => "{}".to_owned(),
        Some(text) => super::text_or_file(text)?,
    };
    let received = Arc::new(Received::default());
    let mut executor = toolset::executor(&options.tools)?.with_observer(received.clone());
    if let Some(seconds) = options.timeout {
        let mut limits = executor.limits().clone();
        limits.timeout = Duration::from_secs(seconds.into());
        executor = executor.with_limits(limits);
    }
    let call = Call::new(&options.name, &sent).with_finish(options.finish.unwrap_or_default());
    if options.dry_run {
        return match executor.prepare(&call) {
            Ok(prepared) => prepare(options, &sent, &prepared),
            Err(error) => failed(options, &error, &[]),
        };
    }
    let runtime = runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| {
        Report::usage(format!("cannot start: {error}"), "close other programs and try again")
    })?;
    let outcome = runtime.block_on(async {
        let stop = CancellationToken::new();
        let call = call.cancelled_by(stop.clone());
        // Ctrl-C ends the tool, which then cleans up behind itself.
        tokio::spawn(async move {
            if tokio::signal::ctrl_c().await.is_ok() {
                stop.cancel();
            }
        });
        executor.execute(call).await
    });
    let got = received.0.lock().ok().and_then(|mut received| received.take());
    finish(options, &sent, got.as_deref(), &outcome)
}

fn prepare(options: &CallOptions, sent: &str, prepared: &Prepared) -> Result<ExitCode, Report> {
    if options.json {
        print(&format!(
            "{{\"name\":{},\"arguments\":{},\"changes\":[{}],\"run\":false}}",
            quote(prepared.tool.name()),
            prepared.arguments,
            changes_json(&prepared.changes)
        ))?;
    } else {
        show_changes(options, prepared.tool.name(), sent, &prepared.arguments, &prepared.changes);
        print(&format!("would call {} with {}", prepared.tool.name(), prepared.arguments))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn finish(
    options: &CallOptions,
    sent: &str,
    got: Option<&str>,
    outcome: &CallOutcome,
) -> Result<ExitCode, Report> {
    let name = outcome.tool.as_ref().map_or(options.name.as_str(), |tool| tool.name());
    if let (false, Some(got)) = (options.json, got) {
        show_changes(options, name, sent, got, &outcome.changes);
    }
    let output = match &outcome.result {
        Ok(output) => output,
        Err(error) => return failed(options, error, &outcome.changes),
    };
    if options.json {
        print(&format!(
            "{{\"name\":{},\"arguments\":{},\"changes\":[{}],\"run\":true,\"ok\":true,\"text\":{},\"structured\":{},\"duration_ms\":{}}}",
            quote(name),
            got.unwrap_or("null"),
            changes_json(&outcome.changes),
            quote(&output.text),
            output.structured.as_deref().unwrap_or("null"),
            outcome.duration.as_millis(),
        ))?;
    } else {
        print(&output.text)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn failed(options: &CallOptions, error: &CallError, changes: &[Change]) -> Result<ExitCode, Report> {
    if options.json {
        print(&format!(
            "{{\"name\":{},\"changes\":[{}],\"ok\":false,\"error\":{{\"code\":{},\"message\":{},\"details\":{}}}}}",
            quote(&options.name),
            changes_json(changes),
            quote(error.code.as_str()),
            quote(&error.sentence),
            quote(&error.details)
        ))?;
    } else {
        eprintln!("error: {}", error.sentence);
        if !error.details.is_empty() && error.details != error.sentence {
            eprintln!("{}", error.details);
        }
    }
    Ok(ExitCode::from(EXIT_FOUND))
}

/// The call before and after, on standard error: standard output belongs to the result.
fn show_changes(options: &CallOptions, name: &str, sent: &str, got: &str, changes: &[Change]) {
    if changes.is_empty() {
        return;
    }
    eprintln!("- {} {}", options.name, sent.trim());
    eprintln!("+ {name} {got}");
    for change in changes {
        let place = if change.path.is_empty() { "/" } else { &change.path };
        let rule = change.rule.as_ref().map_or(String::new(), |rule| format!(", rule {rule}"));
        eprintln!("  {:<3} {place}  {}{rule}", change.code.to_string(), change.why);
    }
}

fn changes_json(changes: &[Change]) -> String {
    changes.iter().map(change_json).collect::<Vec<_>>().join(",")
}
