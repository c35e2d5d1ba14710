//! Clients on this machine, and servers that they reach without us.

use std::collections::BTreeSet;
use std::path::Path;

use toolwright_config::clients::{Document, Format, Found, Scope, has_server};
use toolwright_doctor::{Area, Check, Finding, Fix, quoted};

use crate::commands::install::list::{Row, State, rows};

/// `named` is the configuration that the command line names, `file` the one that is used.
pub fn check(named: Option<&Path>, file: Option<&Path>) -> Vec<Check> {
    let Ok(rows) = rows() else {
        return vec![Check::new(Area::Clients, None, "not looked for: there is no home folder")];
    };
    let ours = file.and_then(|file| {
        let text = std::fs::read_to_string(file).ok()?;
        Document::parse(&text, Format::Json, file).ok()
    });
    let there: Vec<Check> = rows.iter().filter_map(|row| seen(row, named, ours.as_ref())).collect();
    match there.is_empty() {
        true => vec![Check::new(Area::Clients, None, "none of the clients that are known has a file here")],
        false => there,
    }
}

/// Nothing of a client that is not there.
fn seen(row: &Row, named: Option<&Path>, ours: Option<&Document>) -> Option<Check> {
    let check = |said: String| Check::new(Area::Clients, Some(row.client.id), said);
    match &row.state {
        State::NoFile => None,
        State::Broken(why) => {
            let finding = Finding::warning(
                "client-file-broken",
                format!("the file of {} cannot be read", row.client.title),
                why.clone(),
                Fix::Do(format!("correct it; {} reads it too", row.client.title)),
            );
            Some(check("cannot be read".to_owned()).with([finding.at(row.file.display())]))
        }
        State::Read { ours: own, past } => {
            let is_in = if own.is_empty() { "Toolwright is not in it" } else { "Toolwright is in it" };
            if past.is_empty() {
                return Some(check(format!("{is_in}; nothing goes past it")));
            }
            // Those of other folders are not taken out from here.
            let is_here = |found: &&Found| found.project.is_none() || row.scope != Scope::User;
            let (here, elsewhere): (Vec<&Found>, Vec<&Found>) = past.iter().partition(is_here);
            let findings = [
                (!here.is_empty()).then(|| bypass(row, &here, named, ours)),
                (!elsewhere.is_empty()).then(|| bypass_of_folders(row, &elsewhere)),
            ];
            let said = format!("{is_in}; {} past it", counted(past.len()));
            Some(check(said).with(findings.into_iter().flatten()))
        }
    }
}

fn bypass(row: &Row, past: &[&Found], named: Option<&Path>, ours: Option<&Document>) -> Finding {
    let id = row.client.id;
    let is_known = |found: &&Found| ours.is_some_and(|ours| has_server(ours, &found.entry));
    let (into, config) = match named {
        Some(file) => {
            let file = quoted(&file.display().to_string());
            (format!(" --into {file}"), format!(" --config {file}"))
        }
        None => Default::default(),
    };
    let scope = match &row.scope {
        Scope::User => "",
        Scope::Project(_) => " --scope project",
    };
    let install = format!("toolwright install {id} --replace{scope}{config}");
    let fix = match past.iter().all(is_known) {
        true => install,
        false => format!("toolwright import {id} --yes{into} && {install}"),
    };
    bypassing(row, past, Fix::Run(fix))
}

/// Servers that the client has for single folders, in its file for everything.
fn bypass_of_folders(row: &Row, past: &[&Found]) -> Finding {
    let folders: BTreeSet<String> =
        past.iter().filter_map(|found| Some(found.project.as_ref()?.display().to_string())).collect();
    let folders: Vec<String> = folders.into_iter().collect();
    let fix = format!(
        "take them over (toolwright import {}), and remove them in {} for {}",
        row.client.id,
        row.file.display(),
        folders.join(", ")
    );
    bypassing(row, past, Fix::Do(fix))
}

fn bypassing(row: &Row, past: &[&Found], fix: Fix) -> Finding {
    let names: Vec<&str> = past.iter().map(|found| found.name.as_str()).collect();
    Finding::warning(
        "client-bypasses",
        format!("{} reaches servers without Toolwright: {}", row.client.title, names.join(", ")),
        "calls that go past it are not mended, not limited and not written down",
        fix,
    )
    .at(row.file.display())
}

fn counted(count: usize) -> String {
    if count == 1 { "1 server goes".to_owned() } else { format!("{count} servers go") }
}
