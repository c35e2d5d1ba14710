//! What the doctor saw, for people: a line for everything that was looked at, and below it what is wrong.

use toolwright_doctor::{Check, Checkup, Finding, Fix, Severity};
use toolwright_executor::printable;

/// What a text may hold besides letters.
const KEPT: &[char] = &['\n', '\\'];

pub fn of(checkup: &Checkup) -> String {
    let subject = |check: &Check| check.subject.clone().unwrap_or_default();
    let width = |of: &dyn Fn(&Check) -> usize| checkup.checks.iter().map(of).max().unwrap_or(0);
    let areas = width(&|check| check.area.word().len());
    let subjects = width(&|check| subject(check).chars().count().min(30));
    let mut out = String::new();
    for check in &checkup.checks {
        let line = format!(
            "{:<7}  {:areas$}  {:subjects$}  {}",
            check.worst().map_or("ok", word),
            check.area.word(),
            subject(check),
            check.said
        );
        out.push_str(&printable(line.trim_end(), &['\\']));
        out.push('\n');
        for finding in &check.findings {
            out.push_str(&told(finding));
        }
    }
    let count = checkup.findings().count();
    out.push_str(&match count {
        0 => "\nNothing is wrong.\n".to_owned(),
        1 => "\n1 finding.\n".to_owned(),
        count => format!("\n{count} findings.\n"),
    });
    out
}

fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}

fn told(finding: &Finding) -> String {
    let mut lines = vec![format!("{}: {}", word(finding.severity), finding.what)];
    if let Some(place) = &finding.place {
        lines.push(format!("  --> {place}"));
    }
    if !finding.why.is_empty() {
        lines.push(format!("  why: {}", finding.why));
    }
    lines.push(format!("  fix: {}", fix(&finding.fix)));
    let text = lines.iter().map(|line| format!("         {line}\n")).collect::<String>();
    printable(&text, KEPT).into_owned()
}

fn fix(fix: &Fix) -> String {
    match fix {
        Fix::Run(command) => command.clone(),
        Fix::Do(words) => words.clone(),
        Fix::Set { file, at, value } => {
            let key = at.rsplit('/').next().unwrap_or_default();
            let is_number = key.bytes().all(|byte| byte.is_ascii_digit());
            let written = if is_number { value.clone() } else { format!("\"{key}\": {value}") };
            format!("write {written} at {at} in {}", file.display())
        }
    }
}
