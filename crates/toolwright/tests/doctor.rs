//! `toolwright doctor`: every fault that is planted is named with its fix, and fixes that can be pasted work.

#![cfg(unix)]

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use crate::faults::{Fault, Paste, Patient, faults};
use crate::gateway::{processes_with, until};

/// How many faults must be named.
const NAMED: usize = 30;

fn finding<'f>(said: &'f Value, id: &str) -> Option<&'f Value> {
    said["findings"].as_array()?.iter().find(|finding| finding["id"] == id)
}

/// A program that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Writes a value into a JSON file where a pointer leads.
fn write(fix: &Value, folder: &Path) {
    let file = folder.join(fix["file"].as_str().expect("a file"));
    let text = std::fs::read_to_string(&file).expect("read");
    let mut document: Value = serde_json::from_str(&text).expect("JSON");
    let at = fix["at"].as_str().expect("a pointer");
    let (holder, key) = at.rsplit_once('/').expect("a key");
    let holder = document.pointer_mut(holder).expect("what holds it");
    match holder {
        Value::Array(list) => list[key.parse::<usize>().expect("a number")] = fix["value"].clone(),
        holder => holder[key] = fix["value"].clone(),
    }
    std::fs::write(file, document.to_string()).expect("written");
}

/// Plants a fault, and follows the fix where that can be done. What is wrong with the doctor, if something is.
fn examine(fault: &Fault) -> Result<(), String> {
    let mut patient = Patient::new();
    (fault.plant)(&mut patient);
    let (code, said, errors) = patient.doctor(&[]);
    let found = finding(&said, fault.id).ok_or_else(|| format!("not named: {said:#} {errors}"))?;
    if code != 1 || said["status"] != "findings" {
        return Err(format!("exit code {code}, status {}", said["status"]));
    }
    for key in ["what", "why", "severity", "area"] {
        if found[key].as_str().is_none_or(str::is_empty) {
            return Err(format!("no {key}: {found}"));
        }
    }
    let fix = &found["fix"];
    let is_gone = |(_, said, errors): (i32, Value, String)| match finding(&said, fault.id) {
        None => Ok(()),
        Some(still) => Err(format!("still there after the fix {fix}: {still} {errors}")),
    };
    match &fault.paste {
        Paste::Shell => {
            let run = fix["run"].as_str().ok_or_else(|| format!("no command: {fix}"))?;
            is_gone(patient.doctor(&[run.to_owned()]))
        }
        Paste::Written => {
            if fix["file"].is_null() {
                return Err(format!("nothing to write: {fix}"));
            }
            write(fix, &patient.home.work());
            is_gone(patient.doctor(&[]))
        }
        Paste::Instead => {
            let run = fix["run"].as_str().ok_or_else(|| format!("no command: {fix}"))?;
            is_gone(patient.shell(&[], &format!("{run} --json --listen 127.0.0.1:{}", patient.port)))
        }
        Paste::Beside => {
            let run = fix["run"].as_str().ok_or_else(|| format!("no command: {fix}"))?;
            let port = run.rsplit(' ').next().and_then(|port| port.parse().ok()).ok_or(run.to_owned())?;
            let mut shell = patient.home_shell(&format!("exec {run}"));
            let _running =
                Running(shell.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts"));
            until("the gateway", || std::net::TcpStream::connect(("127.0.0.1", port)).is_ok());
            patient.port = port;
            is_gone(patient.doctor(&[]))
        }
        Paste::Words(words) => match fix.to_string().replace("\\\"", "\"").contains(words) {
            true => Ok(()),
            false => Err(format!("the fix does not say {words:?}: {fix}")),
        },
        Paste::WordsWith(words, command) => {
            if !fix.to_string().contains(words) {
                return Err(format!("the fix does not say {words:?}: {fix}"));
            }
            is_gone(patient.doctor(&[command(&patient)]))
        }
    }
}

#[test]
fn every_planted_fault_is_named_with_a_fix_that_works() {
    let all = faults();
    assert!(all.len() >= NAMED, "{}", all.len());
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let parts: Vec<_> = all.chunks(all.len().div_ceil(3)).collect();
        let looks: Vec<_> = parts
            .into_iter()
            .map(|faults| {
                scope.spawn(move || {
                    let examined = faults.iter().map(|fault| (fault, examine(fault)));
                    let wrong = examined.filter_map(|(fault, seen)| Some((fault, seen.err()?)));
                    wrong
                        .map(|(fault, why)| format!("{} ({}): {why}", fault.id, fault.title))
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        looks.into_iter().flat_map(|look| look.join().expect("no panic")).collect()
    });
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), all.len(), wrong.join("\n"));
}

#[test]
fn the_page_lists_the_faults_that_are_planted() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/doctor.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let (_, page) = page.split_once("## The faults").expect("the table");
    let listed: BTreeSet<(&str, &str)> = page
        .lines()
        .filter_map(|line| {
            let mut cells = line.strip_prefix("| `")?.split('|').map(str::trim);
            Some((cells.next()?.trim_end_matches('`'), cells.next()?))
        })
        .collect();
    let planted: BTreeSet<(&str, &str)> = faults().iter().map(|fault| (fault.id, fault.title)).collect();
    assert_eq!(
        planted.difference(&listed).collect::<Vec<_>>(),
        Vec::<&(&str, &str)>::new(),
        "not in the page"
    );
    assert_eq!(listed.difference(&planted).collect::<Vec<_>>(), Vec::<&(&str, &str)>::new(), "not planted");
}

#[test]
fn where_nothing_is_wrong_nothing_is_found_called_or_left_behind() {
    let patient = Patient::new();
    let before: Vec<_> =
        std::fs::read_dir(patient.home.path()).expect("files").flatten().map(|it| it.path()).collect();
    let (code, said, errors) = patient.doctor(&[]);
    assert_eq!((code, said["status"].as_str(), errors.as_str()), (0, Some("ok"), ""), "{said:#}");
    let areas = |subject: Option<&str>| -> Vec<&str> {
        let checks = said["checks"].as_array().expect("checks").iter();
        checks
            .filter(|check| check["subject"] == json!(subject))
            .filter_map(|check| check["area"].as_str())
            .collect()
    };
    assert_eq!(areas(Some("notes")), ["process", "protocol", "backend"]);
    assert!(!patient.file("called").exists(), "a tool was called");
    let after: Vec<_> =
        std::fs::read_dir(patient.home.path()).expect("files").flatten().map(|it| it.path()).collect();
    assert_eq!(before, after, "something was made");
    let server = patient.file("bin/notes-server").display().to_string();
    until("the end of the server", || processes_with(&server).is_empty());
}

#[test]
fn people_get_a_line_for_everything_and_below_it_what_where_why_and_fix() {
    let patient = Patient::new();
    let fault = faults().into_iter().find(|fault| fault.id == "program-not-executable").expect("the fault");
    let mut patient = patient;
    (fault.plant)(&mut patient);
    let port = patient.port;
    let output = patient
        .home_shell(&format!("exec toolwright doctor --timeout 4 --listen 127.0.0.1:{port}"))
        .output()
        .expect("it runs");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "no noise when not on a terminal");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(!text.contains('\u{1b}'), "no colour: {text}");
    let text =
        text.replace(&patient.home.path().display().to_string(), "HOME").replace(&port.to_string(), "PORT");
    // What differs from machine to machine.
    let stable: Vec<&str> = text
        .lines()
        .filter(|line| !["store", "clock", "machine"].iter().any(|area| line.contains(&format!("  {area} "))))
        .collect();
    insta::assert_snapshot!(stable.join("\n"));
}

#[test]
fn a_voice_of_ours_that_runs_is_not_taken_for_another_program() {
    let patient = Patient::new();
    let free = || {
        let bound = std::net::TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr());
        bound.expect("a port").port()
    };
    let (broker, wyoming) = (free(), free());
    let voice =
        json!({ "mqtt": { "port": broker }, "wyoming": { "listen": format!("127.0.0.1:{wyoming}") } });
    patient.configure_all(&json!({ "mcpServers": {}, "voice": voice }));
    let seen = |said: &Value, subject: &str| -> String {
        let checks = said["checks"].as_array().expect("checks").iter();
        let found = checks.filter(|check| check["area"] == "voice").find(|check| check["subject"] == subject);
        found.expect("it")["said"].to_string()
    };
    let (code, said, errors) = patient.doctor(&[]);
    assert_eq!(code, 0, "{said:#} {errors}");
    assert!(seen(&said, "broker").contains("free") && seen(&said, "wyoming").contains("free"), "{said:#}");
    let mut voice = patient.home.command(&["voice", "--json"]);
    let _running =
        Running(voice.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it"));
    for port in [broker, wyoming] {
        until("the voice listens", || std::net::TcpStream::connect(("127.0.0.1", port)).is_ok());
    }
    let (code, said, errors) = patient.doctor(&[]);
    assert_eq!(code, 0, "{said:#} {errors}");
    for subject in ["broker", "wyoming"] {
        assert!(seen(&said, subject).contains("a voice of ours runs there"), "{said:#}");
    }
}

#[test]
fn a_server_that_does_not_answer_holds_the_doctor_up_no_longer_than_it_may() {
    let mut patient = Patient::new();
    let fault = faults().into_iter().find(|fault| fault.id == "no-answer").expect("the fault");
    (fault.plant)(&mut patient);
    let (code, said, _) = patient.doctor(&[]);
    assert_eq!(code, 1);
    assert_eq!(finding(&said, "no-answer").expect("it")["area"], "protocol");
    until("the end of what was started", || {
        let cwd = std::fs::canonicalize(patient.home.work()).expect("a folder");
        let is_ours = |id: &u32| std::fs::read_link(format!("/proc/{id}/cwd")).is_ok_and(|at| at == cwd);
        !processes_with("sleep\u{0}61").iter().any(is_ours)
    });
}
