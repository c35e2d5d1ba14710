//! `toolwright call`: one tool through the executor, with what was mended before your eyes.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use tokio::runtime::{self, Runtime};
use tokio_util::sync::CancellationToken;
use toolwright_backend::{ServerView, Servers, offer};
use toolwright_config::Configuration;
use toolwright_executor::observer::Normalized;
use toolwright_executor::{Call, CallError, CallObserver, CallOutcome, ErrorCode, ToolExecutor, printable};

use super::{changes, print, print_text};
use crate::cli::CallOptions;
use crate::output::{Called, Ended, called_json};
use crate::report::{EXIT_FOUND, Report};
use crate::{server_source, signals, toolset};

/// How long a tool that was stopped may take to put its things away.
pub(super) const TIME_TO_CLEAN_UP: Duration = Duration::from_secs(5);

/// How many open files the runtime takes, with some to spare.
const FILES_TO_START: usize = 8;

/// What messages may hold besides text.
pub(super) const KEPT: &[char] = &['\n', '\t', '\\'];

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
    let executor = toolset::executor(&options.roots, &options.rules, &options.config)?;
    let call = Call::new(&options.name, &sent).with_finish(options.finish.unwrap_or_default());
    let configuration = match executor.registry().get(&options.name) {
        // What needs no server starts none.
        Some(_) => None,
        None => server_source::configuration(&options.config)?,
    };
    if configuration.is_none() && options.dry_run {
        return prepare(options, &sent, &executor, &call);
    }
    let runtime = start().map_err(|error| Report::cannot_start(&error))?;
    let servers = match &configuration {
        None => None,
        Some(configuration) => match runtime.block_on(with_servers(options, configuration, &executor))? {
            Ok(servers) => Some(servers),
            Err(view) => return unusable(options, &sent, configuration, &view),
        },
    };
    let code = if options.dry_run {
        prepare(options, &sent, &executor, &call)
    } else {
        execute(options, &sent, executor, call, &runtime)
    };
    if let Some(servers) = servers {
        runtime.block_on(servers.stop());
    }
    // A disk that does not answer must not hold up the end of the program.
    runtime.shutdown_timeout(TIME_TO_CLEAN_UP);
    code
}

/// A call of a server that cannot be used.
fn unusable(
    options: &CallOptions,
    sent: &str,
    configuration: &Configuration,
    view: &ServerView,
) -> Result<ExitCode, Report> {
    if !options.json {
        return Err(server_source::unusable(view, &configuration.file));
    }
    let message = format!("The server '{}' cannot be used. {}", view.name, server_source::why(view));
    let error = CallError::not_ready(&options.name, message);
    let called = Called { name: &options.name, arguments: None, changes: &[], ended: Ended::Refused(&error) };
    show(options, sent, &called)
}

/// Starts the server that the name begins with, or else all, and registers their tools. A server that was
/// asked for by its name and cannot be used is given back as it was seen.
async fn with_servers(
    options: &CallOptions,
    configuration: &Configuration,
    executor: &ToolExecutor,
) -> Result<Result<Arc<Servers>, Box<ServerView>>, Report> {
    let names = server_source::names(configuration);
    check_prefix(options, &names)?;
    let only =
        options.name.split_once('/').map(|(server, _)| server).filter(|server| names.contains(*server));
    let is_wanted = |server: &str| only.is_none_or(|only| only == server);
    let local_tools = toolset::local_words(executor.registry(), |_| true);
    let servers = server_source::start(configuration, is_wanted, options.timeout, local_tools);
    server_source::settle(&servers, options.timeout).await;
    let left_out = offer(&servers, executor.registry());
    if executor.find(&options.name).is_err() {
        server_source::warn_of_left_out(&left_out);
        if only.is_none() {
            server_source::warn_of_unusable(&servers.views());
        }
    }
    let unusable = only.and_then(|only| servers.get(only)).map(|server| server.view());
    if let Some(view) =
        unusable.filter(|view| !view.is_usable() && view.tools == 0 || view.is_without_tools())
    {
        servers.stop().await;
        return Ok(Err(Box::new(view)));
    }
    Ok(Ok(servers))
}

/// Two servers of one name are told apart by their toolboxes: neither is guessed.
fn check_prefix(options: &CallOptions, names: &BTreeSet<String>) -> Result<(), Report> {
    let Some((server, tool)) = options.name.split_once('/') else { return Ok(()) };
    let meant: Vec<&str> = names
        .iter()
        .filter(|name| name.split_once('.').is_some_and(|(_, own)| own == server))
        .map(String::as_str)
        .collect();
    if names.contains(server) || meant.is_empty() {
        return Ok(());
    }
    let calls: Vec<String> = meant.iter().map(|name| format!("{name}/{tool}")).collect();
    let what = format!("there is no server \"{server}\", but {}", meant.join(" and "));
    Err(Report::usage(what, format!("call {}", calls.join(" or "))))
}

fn prepare(
    options: &CallOptions,
    sent: &str,
    executor: &ToolExecutor,
    call: &Call,
) -> Result<ExitCode, Report> {
    let prepared = executor.prepare(call);
    let called = match &prepared {
        Ok(prepared) => Called {
            name: prepared.tool.name(),
            arguments: Some(&prepared.arguments),
            changes: &prepared.changes,
            ended: Ended::NotRun,
        },
        Err(error) => {
            Called { name: &options.name, arguments: None, changes: &[], ended: Ended::Refused(error) }
        }
    };
    show(options, sent, &called)
}

fn execute(
    options: &CallOptions,
    sent: &str,
    executor: ToolExecutor,
    call: Call,
    runtime: &Runtime,
) -> Result<ExitCode, Report> {
    let received = Arc::new(Received::default());
    let mut executor = executor.with_observer(received.clone());
    if let Some(timeout) = options.timeout {
        let mut limits = executor.limits().clone();
        limits.timeout = timeout;
        executor = executor.with_limits(limits);
    }
    let (outcome, signal) = run_to_end(runtime, &executor, call);
    let arguments = received.0.lock().ok().and_then(|mut received| received.take());
    let duration = outcome.duration;
    let called = Called {
        name: outcome.tool.as_ref().map_or(options.name.as_str(), |tool| tool.name()),
        arguments: arguments.as_deref(),
        changes: &outcome.changes,
        ended: match &outcome.result {
            Ok(output) => Ended::Answered { output, duration },
            Err(error) if arguments.is_some() => Ended::Failed { error, duration },
            Err(error) => Ended::Refused(error),
        },
    };
    show(options, sent, &called).map(|code| match (&outcome.result, signal) {
        (Err(error), Some(signal)) if error.code == ErrorCode::Cancelled => ExitCode::from(signal),
        _ => code,
    })
}

/// The runtime for one call. It needs some open files of its own and breaks off where the system gives it none,
/// so that is asked for first.
fn start() -> io::Result<Runtime> {
    let probe: Vec<_> = (0..FILES_TO_START / 2).map(|_| io::pipe()).collect::<io::Result<_>>()?;
    drop(probe);
    runtime::Builder::new_current_thread().enable_all().build()
}

/// Runs the call, and tells the exit code of the signal that came meanwhile. A tool that has begun to change
/// something comes to its end all the same; then there is a result.
fn run_to_end(runtime: &Runtime, executor: &ToolExecutor, call: Call) -> (CallOutcome, Option<u8>) {
    runtime.block_on(async {
        let stop = CancellationToken::new();
        let call = call.cancelled_by(stop.clone());
        let signal = Arc::new(OnceLock::new());
        let came = Arc::clone(&signal);
        // Signals are listened for before the tool begins. It ends and then cleans up behind itself.
        let asked_to_end = signals::asked_to_end();
        tokio::spawn(async move {
            if let Some(code) = asked_to_end.await {
                let _ = came.set(code);
                stop.cancel();
            }
        });
        (executor.execute(call).await, signal.get().copied())
    })
}

fn show(options: &CallOptions, sent: &str, called: &Called<'_>) -> Result<ExitCode, Report> {
    if options.json {
        print(&called_json(called))?;
    } else {
        show_changes(options, sent, called);
        match &called.ended {
            Ended::NotRun => {
                let would =
                    format!("would call {} with {}", called.name, called.arguments.unwrap_or_default());
                print(&printable(&would, KEPT))?;
            }
            // What a server writes must not command a terminal.
            Ended::Answered { output, .. } if io::stdout().is_terminal() => {
                print_text(&printable(&output.text, KEPT))?;
            }
            Ended::Answered { output, .. } => print_text(&output.text)?,
            Ended::Refused(error) | Ended::Failed { error, .. } => {
                eprintln!("error: {}", printable(&told(error), KEPT));
                if let Some(fix) = toolset::fix(called.name, error).or_else(|| eaten_quotes(sent)) {
                    eprintln!("fix: {fix}");
                }
            }
        }
    }
    Ok(match called.ended {
        Ended::NotRun | Ended::Answered { .. } => ExitCode::SUCCESS,
        Ended::Refused(_) | Ended::Failed { .. } => ExitCode::from(EXIT_FOUND),
    })
}

/// `{path:x}`: a shell takes double quotes away unless they are inside of single ones.
fn eaten_quotes(sent: &str) -> Option<String> {
    let is_bare = sent.trim_start().starts_with('{') && sent.contains(':') && !sent.contains(['"', '\'']);
    is_bare.then(|| {
        "put the JSON in single quotes, so that the shell keeps its double quotes: '{\"key\": \"value\"}'"
            .to_owned()
    })
}

/// The sentence and the details, or the details alone where they hold the words of the sentence in their order.
pub(super) fn told(error: &CallError) -> String {
    fn words(text: &str) -> impl Iterator<Item = String> {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_lowercase)
    }
    let mut details = words(&error.details);
    let is_said_twice = words(&error.written).all(|word| details.any(|other| other == word));
    match error.details.as_str() {
        "" => error.written.to_string(),
        details if is_said_twice => details.to_owned(),
        details => format!("{}\n{details}", error.written),
    }
}

/// The call before and after, on standard error: standard output belongs to the result.
fn show_changes(options: &CallOptions, sent: &str, called: &Called<'_>) {
    let Some(got) = called.arguments else { return };
    for line in changes::before_and_after((&options.name, sent), (called.name, got), called.changes) {
        eprintln!("{}", printable(&line, KEPT));
    }
}
