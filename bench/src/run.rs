//! Asking the program under test.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::{Map, Value};

use crate::case::Case;
use crate::cli::RunOptions;
use crate::corpus::Corpus;
use crate::error::BenchError;
use crate::generate;
use crate::report;
use crate::tally::{self, Answer, Judged};

/// Cases that are read when no file is named, where they exist.
const USUAL_FILES: [&str; 5] = [
    "bench/corpus/reported.jsonl",
    "bench/corpus/traps.jsonl",
    "bench/corpus/heldout.jsonl",
    "bench/corpus/names.jsonl",
    "bench/corpus/mixed.jsonl",
];

/// Asks, judges, writes the misses and returns the report.
pub fn measure(corpus: &Corpus, options: &RunOptions) -> Result<String, BenchError> {
    let mut cases = generate::all(corpus, options.amount);
    if options.files.is_empty() {
        for file in USUAL_FILES.iter().filter(|file| Path::new(file).exists()) {
            cases.extend(read(file)?);
        }
    }
    for file in &options.files {
        cases.extend(read(file)?);
    }
    let start = Instant::now();
    let answers = ask(&options.program, &cases)?;
    let elapsed = start.elapsed();
    let judged: Vec<Judged<'_>> =
        cases.iter().zip(&answers).map(|(case, answer)| tally::judge(case, answer)).collect();
    if let Some(file) = &options.misses {
        let lines: String = judged.iter().filter_map(Judged::miss).map(|miss| format!("{miss}\n")).collect();
        fs::write(file, lines).map_err(|error| BenchError::Io(file.clone(), error))?;
    }
    Ok(report::text(&judged, elapsed))
}

fn read(file: &str) -> Result<Vec<Case>, BenchError> {
    let text = fs::read_to_string(file).map_err(|error| BenchError::Io(file.to_string(), error))?;
    let name =
        Path::new(file).file_name().map_or_else(|| file.to_string(), |name| name.display().to_string());
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines.map(|(index, line)| Case::read(line, &name, &format!("{file}:{}", index + 1))).collect()
}

fn ask(program: &str, cases: &[Case]) -> Result<Vec<Answer>, BenchError> {
    let failed = |error| BenchError::Io(program.to_string(), error);
    let mut child = Command::new(program)
        .arg("normalize")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let mut questions = String::new();
    for case in cases {
        questions.push_str(&Value::Object(case.question.clone()).to_string());
        questions.push('\n');
    }
    // Written from a thread of its own: the program answers while it reads, and pipes are small.
    let writer = child.stdin.take().map(|mut input| {
        std::thread::spawn(move || {
            // A program that stops reading shows in its missing answers.
            let _ = input.write_all(questions.as_bytes());
        })
    });
    let output = child.wait_with_output().map_err(failed)?;
    if let Some(writer) = writer {
        let _ = writer.join();
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    if lines.len() != cases.len() {
        let (got, sent) = (lines.len(), cases.len());
        return Err(BenchError::Answer(format!("{got} answers to {sent} questions ({})", output.status)));
    }
    cases.iter().zip(lines).map(|(case, line)| answer(case, line)).collect()
}

fn answer(case: &Case, line: &str) -> Result<Answer, BenchError> {
    let place = || format!("answer to {}", case.id());
    let members: Map<String, Value> =
        serde_json::from_str(line).map_err(|error| BenchError::Json(place(), error))?;
    if members.get("id") != case.question.get("id") {
        return Err(BenchError::Answer(format!("{}: another id: {line}", place())));
    }
    Answer::read(members).ok_or_else(|| BenchError::Answer(format!("{}: no known outcome: {line}", place())))
}
