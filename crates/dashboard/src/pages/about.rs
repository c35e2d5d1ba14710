//! About: version, journal, and usage of each limit.

use maud::html;
use toolwright_backend::StateName;
use toolwright_ledger::Ledger;
use toolwright_ledger::journal::State;
use toolwright_port::LimitNow;

use crate::parts::{number, shortened};
use crate::{Dashboard, DashboardPage, PageProblem};

pub fn page(dashboard: &Dashboard, limits_now: &[LimitNow]) -> Result<DashboardPage, PageProblem> {
    let seconds = dashboard.started.elapsed().as_secs();
    let limits = dashboard.executor.limits();
    let body = html! {
        dl.facts {
            dt { "Version" } dd { (env!("CARGO_PKG_VERSION")) }
            dt { "Runs for" } dd { (seconds / 3600) " h " (seconds / 60 % 60) " min" }
            dt { "Tools" } dd { (dashboard.executor.registry().snapshot().tools().len()) }
            dt { "Calls at work" } dd { (dashboard.executor.running()) " of " (limits.calls_in_all) }
            @if let Some(ledger) = &dashboard.ledger {
                @let health = ledger.health();
                dt { "Journal" } dd { (health.state.word()) ", " (number(ledger.journal().last_seq())) " records, durability " (ledger.journal().durability().word()) ", lost " (number(health.lost)) }
                dt { "Index" } dd { (ledger.index_problem().unwrap_or_else(|| ledger.indexer().map_or_else(|| "not open yet".to_owned(), |status| format!("{} refused, {} retries", status.refused, status.retries)))) }
                dt { "Learning" } dd { (policy(ledger)) }
            } @else {
                dt { "Journal" } dd { "none: calls are not written down" }
            }
        }
        section aria-labelledby="limits" {
            h2 #limits { "Limits" }
            div.wide tabindex="0" role="group" aria-label="A table that can be scrolled" { table {
                caption { "What is in use, how much may be, and what found no room" }
                thead { tr { th scope="col" { "Limit" } th.number scope="col" { "Now" } th.number scope="col" { "At most" } th.number scope="col" { "Turned away" } } }
                tbody {
                    @for limit in limits_now {
                        tr {
                            th scope="row" { (limit.name) }
                            td.number { (number(limit.current as u64)) }
                            td.number { (number(limit.limit as u64)) }
                            td.number { @match limit.dropped { Some(dropped) => (number(dropped)), None => "–" } }
                        }
                    }
                }
            } }
        }
        section aria-labelledby="doctor" {
            h2 #doctor { "What is wrong now" }
            @let findings = findings(dashboard);
            @if findings.is_empty() { p { "✓ Nothing that can be seen from here." } }
            @else { ul { @for finding in &findings {
                li { strong { (shortened(&finding.what)) } " " @if let Some(command) = &finding.command { code { (command) } " " } (finding.helps) }
            } } }
        }
        p { "All limits with what is in use now: " a href="/api/health" { "/api/health" } ". What programs can ask: " a href="/api/openapi.json" { "/api/openapi.json" } "." }
        p { a href="/logout" { "Log out" } }
    };
    Ok(DashboardPage { title: "About".to_owned(), body })
}

/// The name of the learning policy.
fn policy(ledger: &Ledger) -> String {
    let word = serde_json::to_value(ledger.learning().policy()).unwrap_or_default();
    word.as_str().unwrap_or_default().to_owned()
}

/// A problem and its fix.
struct HealthFinding {
    what: String,
    command: Option<String>,
    helps: &'static str,
}

fn findings(dashboard: &Dashboard) -> Vec<HealthFinding> {
    let mut findings = Vec::new();
    for view in dashboard.servers.views() {
        if matches!(view.state, StateName::Backoff | StateName::Quarantined | StateName::Degraded) {
            let why = view.last_error.as_deref().or(view.detail.as_deref()).unwrap_or("it does not say why");
            findings.push(HealthFinding {
                what: format!("The server \"{}\" does not work ({}): {why}.", view.name, view.state),
                command: Some(format!("toolwright servers logs {}", view.name)),
                helps: "shows what it said.",
            });
        }
    }
    for problem in &dashboard.servers.current().configuration.problems {
        let helps = "Mend the configuration; it is read again when it is saved.";
        findings.push(HealthFinding { what: problem.to_string(), command: None, helps });
    }
    if let Some(why) = dashboard.servers.definitions().and_then(|definitions| definitions.problem()) {
        let what = format!("What was agreed to of tools is not known: {why}");
        findings.push(HealthFinding {
            what,
            command: None,
            helps: "Until then changes are noticed only within this run.",
        });
    }
    if let Some(why) = dashboard.notices.undelivered() {
        let what = format!("The last notice did not reach the webhook: {why}.");
        findings.push(HealthFinding {
            what,
            command: None,
            helps: "Check notify.webhook in the configuration.",
        });
    }
    let Some(ledger) = &dashboard.ledger else {
        let what = "Calls are not written down.".to_owned();
        findings.push(HealthFinding {
            what,
            command: None,
            helps: "What the gateway said at its start tells why.",
        });
        return findings;
    };
    let health = ledger.health();
    if health.state != State::Ok {
        let why = health.last_error.unwrap_or_else(|| "it does not say why".to_owned());
        findings.push(HealthFinding {
            what: format!("The journal is {}: {why}.", health.state.word()),
            command: Some("toolwright audit verify".to_owned()),
            helps: "tells what is there; free room on its disk.",
        });
    }
    if let Some(why) = ledger.index_problem() {
        let what = format!("Calls cannot be looked up: {why}.");
        findings.push(HealthFinding { what, command: None, helps: "Nothing is lost: the journal has them." });
    }
    findings
}
