//! `toolwright audit`: what was written down of calls, and of exchanges with models.

pub mod exchange_line;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use jiff::{RoundMode, Timestamp, TimestampRound, Unit};
use tokio::runtime::Builder;
use toolwright_executor::printable;
use toolwright_ledger::journal::{Journal, JournalError, begins, verify};
use toolwright_ledger::{Change, Kind, Record, Reindex};

use super::found_call::{self, read, warn};
use super::print;
use crate::cli::{AuditCommand, AuditOptions, ConfigOptions};
use crate::progress::Progress;
use crate::report::{EXIT_FOUND, Report};
use crate::{ledger_source, server_source};

/// How much of a failure, and of a name, a line shows, in characters.
const SHOWN: usize = 80;

pub fn run(options: &AuditOptions) -> Result<ExitCode, Report> {
    let folders = ledger_source::journals()?;
    match &options.command {
        AuditCommand::Tail { count, follow, json } => tail(&folders, *count, *follow, *json),
        AuditCommand::Show { call } => show(&folders, call),
        AuditCommand::Verify => check(&folders),
        AuditCommand::Export { tool } => export(&folders, tool.as_deref()),
        AuditCommand::Reindex { config } => reindex(&folders, config),
    }
}

/// The last records of every journal, by the time of their calls.
fn tail(folders: &[PathBuf], count: usize, follow: bool, json: bool) -> Result<ExitCode, Report> {
    let mut last: Vec<Record> = Vec::new();
    for folder in folders {
        last.extend(last_of(folder, count)?);
    }
    last.sort_by_key(|record| record.ts);
    for record in last.iter().skip(last.len().saturating_sub(count)) {
        print(&line(record, json)?)?;
    }
    if last.is_empty() && !follow && count > 0 {
        eprintln!("nothing has been written down yet; `toolwright serve` does it");
    }
    if follow { follow_all(folders, json) } else { Ok(ExitCode::SUCCESS) }
}

/// The last calls of one journal, in order: those that are over, and those that have no end. Files that are older than these are not read.
fn last_of(folder: &Path, count: usize) -> Result<Vec<Record>, Report> {
    let mut found: Vec<Record> = Vec::new();
    let mut ended: HashSet<String> = HashSet::new();
    let mut before = u64::MAX;
    for from in begins(folder).map_err(unreadable)?.into_iter().rev() {
        let mut older: Vec<Record> = read(folder, from).take_while(|record| record.seq < before).collect();
        ended.extend(
            older.iter().filter(|record| record.kind == Kind::Call).map(|record| record.call.clone()),
        );
        // A begin is told when nothing tells of its end.
        older.retain(|record| record.kind != Kind::InProgress || !ended.contains(&record.call));
        older.append(&mut found);
        (found, before) = (older, from);
        if found.len() >= count {
            break;
        }
    }
    Ok(found.split_off(found.len().saturating_sub(count)))
}

/// Every record that is written from now on.
fn follow_all(folders: &[PathBuf], json: bool) -> Result<ExitCode, Report> {
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Report::cannot_start(&error))?;
    runtime.block_on(async {
        let (told, mut tells) = tokio::sync::mpsc::channel(64);
        for folder in folders {
            let last_file = begins(folder).map_err(unreadable)?.pop().unwrap_or(1);
            let from = read(folder, last_file).last().map_or(last_file, |last| last.seq + 1);
            let (mut records, told) = (Journal::follow_folder(folder, from), told.clone());
            tokio::spawn(async move {
                while let Some(record) = records.next().await {
                    if told.send(record).await.is_err() {
                        return;
                    }
                }
            });
        }
        drop(told);
        while let Some(record) = tells.recv().await {
            match record {
                Ok(record) if record.kind != Kind::InProgress => print(&line(&record, json)?)?,
                Ok(_) => {}
                Err(damage) => warn(&damage),
            }
        }
        Ok(ExitCode::SUCCESS)
    })
}

fn show(folders: &[PathBuf], call: &str) -> Result<ExitCode, Report> {
    let Some(record) = found_call::find(folders, call)? else {
        return Err(Report::found(
            format!("no call {call:?} was written down"),
            "look for its id with `toolwright audit tail`",
        ));
    };
    let text = serde_json::to_string_pretty(&record).map_err(not_written)?;
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn check(folders: &[PathBuf]) -> Result<ExitCode, Report> {
    let mut is_whole = true;
    for folder in folders {
        let checked = {
            let _told = Progress::of(&format!("checking {}", folder.display()));
            verify(folder).map_err(unreadable)?
        };
        is_whole &= checked.is_whole();
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let state = if checked.is_whole() { "whole" } else { "NOT WHOLE" };
        print(&format!(
            "{name}: {state}, {} records in {} files, {}",
            checked.records, checked.segments, checked.begin
        ))?;
        if let Some(damage) = &checked.first_bad {
            print(&format!(
                "  first of {} bad places: {}",
                checked.bad,
                printable(&damage.to_string(), &['\\'])
            ))?;
        }
        if checked.lost > 0 {
            print(&format!("  {} records could not be written when they should have been", checked.lost))?;
        }
        if let Some(last) = &checked.last {
            print(&format!("  last record: {} {}", last.seq, last.hash))?;
        }
    }
    if folders.is_empty() {
        print("there is no journal yet")?;
    }
    Ok(if is_whole { ExitCode::SUCCESS } else { ExitCode::from(EXIT_FOUND) })
}

fn export(folders: &[PathBuf], tool: Option<&str>) -> Result<ExitCode, Report> {
    let is_meant = |record: &Record| {
        let Some(tool) = tool else { return true };
        match tool.rsplit_once('/') {
            Some((server, name)) => record.server.as_deref() == Some(server) && record.tool == name,
            None => record.tool == tool,
        }
    };
    for folder in folders {
        for record in read(folder, 1).filter(is_meant) {
            print(&line(&record, true)?)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Makes the index again. A gateway may run meanwhile: what it adds is not touched.
fn reindex(folders: &[PathBuf], config: &ConfigOptions) -> Result<ExitCode, Report> {
    let configuration = server_source::configuration(config)?;
    let state = ledger_source::state()?;
    let address = ledger_source::store(&state, configuration.as_ref());
    let index = Reindex::new(&state, address)
        .map_err(|error| Report::found(error.to_string(), "check the folder and who may write there"))?;
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Report::cannot_start(&error))?;
    runtime.block_on(async {
        for folder in folders {
            let (node, made) = {
                let _told = Progress::of(&format!("reading {} again", folder.display()));
                index.journal(folder).await.map_err(|error| {
                    Report::found(error.to_string(), "check the database; the journals are as they were")
                })?
            };
            print(&format!("{node}: {made} records read again"))?;
        }
        Ok(ExitCode::SUCCESS)
    })
}

fn unreadable(error: JournalError) -> Report {
    Report::found(error.to_string(), "check the folder and who may read it")
}

/// One call, or one exchange with a model, in one line.
fn line(record: &Record, json: bool) -> Result<String, Report> {
    if json {
        return serde_json::to_string(record).map_err(not_written);
    }
    let time = Timestamp::from_microsecond(record.ts)
        .map_or_else(|_| "?".to_owned(), |time| whole_seconds(time).to_string());
    let tool = match (&record.exchange, &record.server) {
        (Some(exchange), _) => exchange_line::asked(exchange),
        (None, Some(server)) => format!("{server}/{}", record.tool),
        (None, None) => record.tool.clone(),
    };
    let outcome = match &record.error {
        None if record.kind == Kind::InProgress => "begun, without an end: it runs, or was cut".to_owned(),
        None if record.changes.is_empty() => match &record.exchange {
            Some(exchange) => exchange_line::outcome(exchange),
            None => "ok".to_owned(),
        },
        None => {
            // The rule that asked for a change says more than the code of the step that made it.
            let why = |change: &Change| change.rule.clone().unwrap_or_else(|| change.code.clone());
            let causes: Vec<String> = record.changes.iter().map(why).collect();
            format!("mended ({})", causes.join(", "))
        }
        Some(error) => {
            let first = error.message.lines().next().unwrap_or_default();
            let shown: String = first.chars().take(SHOWN).collect();
            format!("{}: {shown}", error.code)
        }
    };
    let cut = |name: &str| match name.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    };
    let (client, tool) = (cut(record.client.as_deref().unwrap_or("-")), cut(&tool));
    let took = std::time::Duration::from_micros(record.duration_us);
    let text = format!("{time}  {}  {client}  {tool}  {took:.1?}  {outcome}", record.call);
    Ok(printable(&text, &['\\']).into_owned())
}

fn not_written(error: serde_json::Error) -> Report {
    Report::found(format!("a record cannot be shown: {error}"), "look at the journal's own file")
}
/// The second that a moment is in: not the next one, which was not yet.
fn whole_seconds(time: Timestamp) -> Timestamp {
    let down = TimestampRound::new().smallest(Unit::Second).mode(RoundMode::Floor);
    time.round(down).unwrap_or(time)
}
