//! `toolwright normalize`: JSON lines in, JSON lines out, in the same order, on all cores.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal, Read, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use toolwright_model::{Code, Outcome};
use toolwright_normalizer::{Normalizer, RawArguments};

use crate::cli::NormalizeOptions;
use crate::input::{ToolCache, read_line, without_byte_order_mark};
use crate::output::{Answer, Explained, answer_line, error_line};
use crate::report::{EXIT_FOUND, Report};
use crate::rules_source;

/// How many lines are taken at once; fewer when no more are waiting.
const BATCH_LINES: usize = 2048;
/// Batches smaller than this are not worth a thread.
const LINES_PER_THREAD: usize = 64;
/// The longest line that is read.
const MAX_LINE_BYTES: u64 = 64 << 20;
/// What is said about a longer one.
const TOO_LONG: &str =
    "the line is longer than 64 MiB (67108864 bytes), the most that is read; send a shorter call";
/// How often the progress line is drawn, in lines.
const PROGRESS_LINES: usize = 20_000;

/// One line of input.
enum Line {
    Read(Vec<u8>),
    /// It is longer than [`MAX_LINE_BYTES`] and was passed over.
    TooLong,
}

/// Counts for `--summary` and the exit code.
#[derive(Default)]
struct Tally {
    unchanged: usize,
    repaired: usize,
    refused: usize,
    wrong_lines: usize,
    codes: BTreeMap<&'static str, usize>,
}

/// One answer and what it counts as.
struct Answered {
    line: String,
    outcome: Option<Outcome>,
    /// The code of the tool's name, when only that or that too was mended.
    name_code: Option<Code>,
}

pub fn run(options: &NormalizeOptions) -> Result<ExitCode, Report> {
    let normalizer = Normalizer::new(rules_source::load(&options.rules)?);
    let source: Box<dyn Read> = match options.file.as_ref().filter(|file| file.as_os_str() != "-") {
        Some(path) => Box::new(File::open(path).map_err(|error| Report::io("open", path, &error))?),
        None => {
            if io::stdin().is_terminal() {
                eprintln!(
                    "Reading JSON lines from the terminal; end with Ctrl-D. See `toolwright normalize --help`."
                );
            }
            Box::new(io::stdin())
        }
    };
    let mut input = BufReader::with_capacity(1 << 20, source);
    let threads = options
        .threads
        .map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from);
    let mut out = io::stdout().lock();
    let mut tally = Tally::default();
    let mut caches: Vec<ToolCache> = Vec::new();
    let started = Instant::now();
    let show_progress = io::stderr().is_terminal() && !io::stdin().is_terminal();
    let mut number = 0;
    loop {
        let batch =
            read_batch(&mut input, number).map_err(|error| stream_error("read", &options.file, &error))?;
        let Some(last) = batch.last() else { break };
        number = last.0;
        let answers = answer_all(&normalizer, &batch, options.explain, threads, &mut caches);
        for answered in &answers {
            tally.count(answered);
            let written = out.write_all(answered.line.as_bytes()).and_then(|()| out.write_all(b"\n"));
            if let Err(error) = written {
                return closed_or_failed(error);
            }
        }
        if let Err(error) = out.flush() {
            return closed_or_failed(error);
        }
        if show_progress && number / PROGRESS_LINES > (number - batch.len()) / PROGRESS_LINES {
            eprint!("\r{number} lines");
        }
    }
    if show_progress && number >= PROGRESS_LINES {
        eprint!("\r\x1b[K");
    }
    if options.summary {
        tally.print(started);
    }
    Ok(if tally.wrong_lines > 0 { ExitCode::from(EXIT_FOUND) } else { ExitCode::SUCCESS })
}

/// A reader that went away is no error: `toolwright normalize | head`.
fn closed_or_failed(error: io::Error) -> Result<ExitCode, Report> {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
        _ => Err(Report::io("write", Path::new("standard output"), &error)),
    }
}

fn stream_error(action: &str, file: &Option<std::path::PathBuf>, error: &io::Error) -> Report {
    let file = file.as_deref().filter(|file| file.as_os_str() != "-");
    Report::io(action, file.unwrap_or(Path::new("standard input")), error)
}

/// The lines that are there, with their numbers; waits for the first only.
fn read_batch(input: &mut BufReader<Box<dyn Read>>, read_so_far: usize) -> io::Result<Vec<(usize, Line)>> {
    let mut batch = Vec::new();
    for number in read_so_far + 1.. {
        let mut line = Vec::new();
        if input.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line)? == 0 {
            break;
        }
        if line.len() as u64 == MAX_LINE_BYTES && line.last() != Some(&b'\n') {
            input.skip_until(b'\n')?;
            batch.push((number, Line::TooLong));
        } else {
            batch.push((number, Line::Read(line)));
        }
        if batch.len() >= BATCH_LINES || !input.buffer().contains(&b'\n') {
            break;
        }
    }
    Ok(batch)
}

/// Answers a batch on as many threads as are worth it; the answers are in the order of the lines.
fn answer_all(
    normalizer: &Normalizer,
    batch: &[(usize, Line)],
    explain: bool,
    threads: usize,
    caches: &mut Vec<ToolCache>,
) -> Vec<Answered> {
    let parts = threads.min(batch.len().div_ceil(LINES_PER_THREAD)).max(1);
    caches.resize_with(parts.max(caches.len()), ToolCache::default);
    let answer_part = |part: &[(usize, Line)], cache: &mut ToolCache| -> Vec<Answered> {
        part.iter().filter_map(|(number, line)| answer(normalizer, *number, line, explain, cache)).collect()
    };
    if parts == 1 {
        return answer_part(batch, &mut caches[0]);
    }
    std::thread::scope(|scope| {
        let workers: Vec<_> = batch
            .chunks(batch.len().div_ceil(parts))
            .zip(caches.iter_mut())
            .map(|(part, cache)| scope.spawn(move || answer_part(part, cache)))
            .collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

fn answer(
    normalizer: &Normalizer,
    number: usize,
    line: &Line,
    explain: bool,
    cache: &mut ToolCache,
) -> Option<Answered> {
    let wrong = |message: &str| {
        Some(Answered { line: error_line(number, "null", message), outcome: None, name_code: None })
    };
    let Line::Read(line) = line else { return wrong(TOO_LONG) };
    let Ok(text) = std::str::from_utf8(line) else {
        return wrong("the line is not UTF-8; write JSON lines in UTF-8");
    };
    let text = if number == 1 { without_byte_order_mark(text) } else { text };
    if text.trim().is_empty() {
        return None;
    }
    let call = match read_line(text, cache) {
        Ok(call) => call,
        Err(error) => {
            let line = error_line(number, &error.id, &error.message);
            return Some(Answered { line, outcome: None, name_code: None });
        }
    };
    let found = match &call.tool {
        Ok(found) => found,
        Err(problem) => {
            let outcome = Outcome::Refused { problems: vec![problem.clone()], hint: problem.message.clone() };
            let name = call.sent_name.as_deref().unwrap_or_default();
            let answer = Answer {
                id: &call.id,
                name,
                sent: "null",
                outcome: &outcome,
                name_change: None,
                explained: explain.then_some(Explained { steps: &[], unjudged: &[] }),
            };
            return Some(Answered { line: answer_line(&answer), outcome: Some(outcome), name_code: None });
        }
    };
    let arguments = RawArguments::text(&call.arguments, call.finish);
    let (outcome, steps) = if explain {
        let explanation = normalizer.explain(&found.tool, &arguments);
        (explanation.outcome, Some(explanation.steps))
    } else {
        (normalizer.normalize(&found.tool, &arguments), None)
    };
    let line = answer_line(&Answer {
        id: &call.id,
        name: &found.name,
        sent: &call.arguments,
        outcome: &outcome,
        name_change: found.change.as_ref(),
        explained: steps.as_deref().map(|steps| Explained { steps, unjudged: found.tool.schema().notes() }),
    });
    let refused = matches!(outcome, Outcome::Refused { .. });
    let name_code = found.change.as_ref().map(|change| change.code).filter(|_| !refused);
    Some(Answered { line, outcome: Some(outcome), name_code })
}

impl Tally {
    fn count(&mut self, answered: &Answered) {
        if let Some(code) = answered.name_code {
            *self.codes.entry(code.as_str()).or_default() += 1;
        }
        match &answered.outcome {
            Some(Outcome::Unchanged) if answered.name_code.is_some() => self.repaired += 1,
            None => self.wrong_lines += 1,
            Some(Outcome::Unchanged) => self.unchanged += 1,
            Some(Outcome::Repaired { changes, .. }) => {
                self.repaired += 1;
                for change in changes {
                    *self.codes.entry(change.code.as_str()).or_default() += 1;
                }
            }
            Some(Outcome::Refused { problems, .. }) => {
                self.refused += 1;
                for problem in problems {
                    *self.codes.entry(problem.code.as_str()).or_default() += 1;
                }
            }
        }
    }

    fn print(&self, started: Instant) {
        let total = self.unchanged + self.repaired + self.refused;
        let seconds = started.elapsed().as_secs_f64();
        eprintln!(
            "{total} calls in {seconds:.2} s: {} unchanged, {} repaired, {} refused; {} wrong lines",
            self.unchanged, self.repaired, self.refused, self.wrong_lines
        );
        for (code, count) in &self.codes {
            let title = Code::parse(code).map_or("", |code| code.title());
            eprintln!("  {code:<4} {count:>8}  {title}");
        }
    }
}
