//! `toolwright replay`: recorded calls in order, each answered with only what the ones before it teach.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::ExitCode;

use serde::Deserialize;
use serde_json::Value;
use toolwright_ledger::learn::{LearnPolicy, ReplayCall, ReplayResult, Replayer};
use toolwright_model::Outcome;

use crate::cli::{LearnFlag, ReplayOptions};
use crate::input::{ToolCache, read_line, without_byte_order_mark};
use crate::output::{Answer, answer_line, error_line};
use crate::report::{EXIT_FOUND, Report};
use crate::rules_source;

/// The longest line that is read.
const MAX_LINE_BYTES: u64 = 64 << 20;

/// What a line has beside those of `normalize`.
#[derive(Deserialize)]
struct Beside {
    session: Option<Value>,
    result: Option<BesideResult>,
}

#[derive(Deserialize)]
struct BesideResult {
    ok: bool,
    error: Option<Value>,
}

pub fn run(options: &ReplayOptions) -> Result<ExitCode, Report> {
    let policy = match options.learn {
        LearnFlag::Off => LearnPolicy::Off,
        LearnFlag::Suggest => LearnPolicy::Suggest,
        LearnFlag::ApplySafe => LearnPolicy::ApplySafe,
    };
    let rules = rules_source::load(&options.rules)?;
    let mut replayer = Replayer::new(rules, policy).map_err(failed)?;
    let file = options.file.as_deref().filter(|file| file.as_os_str() != "-");
    let name = file.unwrap_or(Path::new("standard input"));
    let source: Box<dyn Read> = match file {
        Some(path) => Box::new(File::open(path).map_err(|error| Report::io("open", path, &error))?),
        None => Box::new(io::stdin()),
    };
    let mut input = BufReader::new(source);
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut cache = ToolCache::default();
    let mut wrong_lines = 0;
    for number in 1.. {
        let mut line = Vec::new();
        let read = input.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line);
        if read.map_err(|error| Report::io("read", name, &error))? == 0 {
            break;
        }
        let answered = if line.len() as u64 == MAX_LINE_BYTES && line.last() != Some(&b'\n') {
            input.skip_until(b'\n').map_err(|error| Report::io("read", name, &error))?;
            Err(("null".to_owned(), "the line is longer than 64 MiB; send a shorter call".to_owned()))
        } else {
            answer(&mut replayer, &line, number, &mut cache)?
        };
        let line = match answered {
            Ok(None) => continue,
            Ok(Some(line)) => line,
            Err((id, message)) => {
                wrong_lines += 1;
                error_line(number, &id, &message)
            }
        };
        if let Err(error) = writeln!(out, "{line}") {
            return closed_or_failed(&error);
        }
    }
    match writeln!(out, "{}", replayer.rules_line()).and_then(|()| out.flush()) {
        Err(error) => closed_or_failed(&error),
        Ok(()) if wrong_lines > 0 => Ok(ExitCode::from(EXIT_FOUND)),
        Ok(()) => Ok(ExitCode::SUCCESS),
    }
}

/// An answer, nothing for a blank line, or the id of a wrong one and what is wrong with it.
type Answered = Result<Option<String>, (String, String)>;

fn answer(
    replayer: &mut Replayer,
    line: &[u8],
    number: usize,
    cache: &mut ToolCache,
) -> Result<Answered, Report> {
    let Ok(text) = std::str::from_utf8(line) else {
        return Ok(Err(("null".to_owned(), "the line is not UTF-8; write JSON lines in UTF-8".to_owned())));
    };
    let text = if number == 1 { without_byte_order_mark(text) } else { text };
    if text.trim().is_empty() {
        return Ok(Ok(None));
    }
    let call = match read_line(text, cache) {
        Ok(call) => call,
        Err(error) => return Ok(Err((error.id, error.message))),
    };
    let beside: Beside = match serde_json::from_str(text) {
        Ok(beside) => beside,
        Err(error) => {
            let message = format!(
                "\"session\" or \"result\" cannot be read: {error}; write \"result\": {{\"ok\": true}}"
            );
            return Ok(Err((call.id, message)));
        }
    };
    let session = beside.session.as_ref().filter(|session| !session.is_null()).map(as_text);
    let error = beside.result.as_ref().and_then(|result| result.error.as_ref()).map(as_text);
    let (name, outcome, name_change) = match &call.tool {
        Ok(found) => {
            let outcome = replayer.answer(&ReplayCall {
                definition: &found.definition,
                tool: &found.tool,
                arguments: &call.arguments,
                finish: call.finish,
                session: session.as_deref(),
                result: beside
                    .result
                    .as_ref()
                    .map(|result| ReplayResult { ok: result.ok, error: error.as_deref() }),
            });
            (found.name.as_str(), outcome.map_err(failed)?, found.change.as_ref())
        }
        Err(problem) => {
            let outcome = Outcome::Refused { problems: vec![problem.clone()], hint: problem.message.clone() };
            (call.sent_name.as_deref().unwrap_or_default(), outcome, None)
        }
    };
    let (id, sent) = (&call.id, if call.tool.is_ok() { &call.arguments } else { "null" });
    Ok(Ok(Some(answer_line(&Answer { id, name, sent, outcome: &outcome, name_change, explained: None }))))
}

/// A session's name or an error's words; anything else as JSON.
fn as_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn failed(error: toolwright_ledger::learn::LearningError) -> Report {
    Report::usage(error.to_string(), "this is a fault of the program: nothing is kept while replaying")
}

/// A reader that went away is no error: `toolwright replay | head`.
fn closed_or_failed(error: &io::Error) -> Result<ExitCode, Report> {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
        _ => Err(Report::io("write", Path::new("standard output"), error)),
    }
}
