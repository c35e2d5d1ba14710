//! A status for people, in one line and in full.

use toolwright_executor::printable;
use toolwright_port::status::Status;

/// How much of a problem a line shows, in characters.
const SHOWN: usize = 120;

/// One line, for a prompt or a watch.
pub fn line(status: &Status) -> String {
    let mut parts = vec![format!("toolwright {} {}", status.version, status.status)];
    if status.demo {
        parts.push("demo".to_owned());
    }
    if let Some(address) = &status.address {
        parts.push(address.clone());
    }
    parts.push(format!("up {}", span(status.uptime_seconds)));
    parts.push(servers(status));
    if let Some(hour) = &status.last_hour {
        parts.push(format!(
            "last hour: {}, {}, {} repaired",
            counted(hour.calls, "call"),
            counted(hour.errors, "error"),
            hour.repaired
        ));
    }
    if let Some(waiting) = status.suggestions.filter(|waiting| *waiting > 0) {
        parts.push(counted(waiting as u64, "suggestion"));
    }
    printable(&parts.join(" · "), &[]).into_owned()
}

/// Everything.
pub fn full(status: &Status) -> String {
    let mut rows = vec![("status", status.status.clone())];
    if status.demo {
        rows.push(("demo", "made-up calls of a scripted model; nothing of yours".to_owned()));
    }
    rows.extend([
        ("version", format!("{}, process {}", status.version, status.pid)),
        ("address", status.address.clone().unwrap_or_else(|| "standard input and output".to_owned())),
        ("running", format!("since {}, {}", status.since, span(status.uptime_seconds))),
        ("file", status.configuration.clone().unwrap_or_else(|| "none: the built-in tools".to_owned())),
        ("servers", states(status)),
        ("tools", status.tools.to_string()),
    ]);
    if let Some(hour) = &status.last_hour {
        rows.push((
            "last hour",
            format!(
                "{}, {}, {} repaired",
                counted(hour.calls, "call"),
                counted(hour.errors, "error"),
                hour.repaired
            ),
        ));
    }
    rows.push((
        "journal",
        match &status.journal {
            Some(journal) => format!(
                "{}, survives {}, {}, {} lost",
                journal.state,
                if journal.durability == "power" { "a loss of power" } else { "a crash of the program" },
                counted(journal.last, "record"),
                journal.lost
            ),
            None => "none: calls are not written down".to_owned(),
        },
    ));
    rows.push((
        "models",
        if status.models.is_empty() { "none".to_owned() } else { status.models.join(", ") },
    ));
    if let Some(waiting) = status.suggestions {
        let next = if waiting > 0 { "; see them: toolwright rules suggest" } else { "" };
        rows.push(("suggestions", format!("{waiting} waiting{next}")));
    }
    let mut out: Vec<String> = rows.iter().map(|(key, value)| format!("{key:<12} {value}")).collect();
    for problem in &status.problems {
        out.push(format!("{:<12} {problem}", "problem"));
    }
    let width = |of: &dyn Fn(&toolwright_port::status::ServerStatus) -> usize| {
        status.servers.iter().map(of).max().unwrap_or(0)
    };
    let (names, states) =
        (width(&|server| server.name.chars().count()), width(&|server| server.state.as_str().len()));
    if !status.servers.is_empty() {
        out.push("\nservers".to_owned());
    }
    for server in &status.servers {
        let problem = server.problem.as_deref().map(|problem| format!("  {}", short(problem)));
        let tools = counted(server.tools as u64, "tool");
        out.push(format!(
            "  {:names$}  {:states$}  {tools}{}",
            server.name,
            server.state,
            problem.unwrap_or_default()
        ));
    }
    out.push("\nlimits            now    limit  turned away".to_owned());
    for limit in &status.limits {
        let away = limit.turned_away.map_or_else(|| "-".to_owned(), |away| away.to_string());
        out.push(format!("  {:<14} {:>5} {:>8}  {away:>11}", limit.name, limit.current, limit.limit));
    }
    printable(&out.join("\n"), &['\n']).into_owned()
}

fn servers(status: &Status) -> String {
    match status.servers.is_empty() {
        true => "no servers".to_owned(),
        false => format!("servers: {}", states(status)),
    }
}

/// How many servers are in which state.
fn states(status: &Status) -> String {
    let states = status.by_state();
    if states.is_empty() {
        return "none".to_owned();
    }
    let parts: Vec<String> = states.iter().map(|(state, count)| format!("{count} {state}")).collect();
    parts.join(", ")
}

fn counted(count: u64, word: &str) -> String {
    if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") }
}

fn short(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// How long, by its two largest units.
fn span(seconds: u64) -> String {
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, minutes) => format!("{minutes} min"),
        (0, hours, minutes) => format!("{hours} h {minutes} min"),
        (days, hours, _) => format!("{days} d {hours} h"),
    }
}

#[cfg(test)]
mod tests {
    use toolwright_backend::StateName;
    use toolwright_port::status::{JournalStatus, LastHour, LimitStatus, ServerStatus};

    use super::*;

    fn status() -> Status {
        let server = |name: &str, state: StateName, problem: Option<&str>| ServerStatus {
            name: name.into(),
            toolbox: "default".into(),
            state,
            era: None,
            tools: 3,
            problem: problem.map(str::to_owned),
            failure: None,
        };
        Status {
            status: "degraded".into(),
            demo: false,
            problems: vec!["the server 'time' cannot be used: the program \"uvx\" was not found".into()],
            version: "0.1.0".into(),
            pid: 42,
            address: Some("http://127.0.0.1:8484".into()),
            since: "2026-01-01T00:00:00Z".into(),
            uptime_seconds: 3_725,
            configuration: Some("toolwright.json".into()),
            servers: vec![
                server("memory", StateName::Ready, None),
                server("time", StateName::Backoff, Some("the program \"uvx\" was not found")),
            ],
            tools: 3,
            last_hour: Some(LastHour { calls: 12, errors: 1, repaired: 4 }),
            journal: Some(JournalStatus {
                state: "ok".into(),
                durability: "process".into(),
                last: 120,
                lost: 0,
                index_problem: None,
            }),
            limits: vec![LimitStatus {
                name: "connections".into(),
                current: 2,
                limit: 4096,
                turned_away: Some(0),
            }],
            models: vec!["openai".into()],
            suggestions: Some(2),
        }
    }

    #[test]
    fn a_status_in_one_line_and_in_full() {
        insta::assert_snapshot!(format!("{}\n\n{}", line(&status()), full(&status())));
    }

    #[test]
    fn a_demo_says_so_in_both() {
        let demo = Status { demo: true, ..status() };
        assert!(line(&demo).contains(" · demo · http://127.0.0.1:8484"), "{}", line(&demo));
        assert!(full(&demo).contains("demo         made-up calls of a scripted model"), "{}", full(&demo));
    }

    #[test]
    fn spans_are_told_by_their_largest_units() {
        for (seconds, told) in [(5, "5 s"), (65, "1 min"), (3_725, "1 h 2 min"), (90_000, "1 d 1 h")] {
            assert_eq!(span(seconds), told);
        }
    }
}
