//! Security: tools that differ from their approved definition, findings in definitions, and approved
//! definitions.

use http::StatusCode;
use maud::{Markup, html};
use toolwright_backend::{Definitions, ToolFindings};
use toolwright_config::Suspicion;
use toolwright_security::{Agreed, Class, Kind, Line, Severity, Waiting, diff};

use super::run_blocking;
use crate::parts::{badge, moment, number, shortened};
use crate::{Dashboard, DashboardPage, PageProblem};
use std::sync::Arc;

/// Limit of approved definitions on the page.
const AGREED: usize = 500;
/// Limit of pending tools on the page.
const WAITING: usize = 100;

pub async fn page(dashboard: &Dashboard) -> Result<DashboardPage, PageProblem> {
    let Some(definitions) = dashboard.servers.definitions().map(Arc::clone) else {
        return Err(PageProblem::new(
            StatusCode::NOT_FOUND,
            "Nobody looks at the definitions of tools here.",
            "Start the gateway with toolwright serve.",
        ));
    };
    let policy = definitions.policy();
    let problem = definitions.problem().map(str::to_owned);
    let (waiting, more, findings, agreed, unsaved) = run_blocking(move || {
        let all = definitions.waiting();
        let more = all.len().saturating_sub(WAITING);
        let differences: Vec<(Waiting, Vec<Line>)> = all.into_iter().take(WAITING).map(compared).collect();
        (differences, more, findings_of(&definitions), definitions.agreed(), definitions.unsaved())
    })
    .await?;
    let does = |suspicion: Suspicion| match suspicion {
        Suspicion::Flag => "are shown here and go on working",
        Suspicion::Hide => "are hidden from clients",
    };
    let body = html! {
        p { "Tools that changed " (does(policy.changed_tools)) "; tools with hidden instructions " (does(policy.hidden_instructions)) ". The configuration decides: " code { "security.changedTools" } " and " code { "security.hiddenInstructions" } ", each \"flag\" or \"hide\"." }
        @if let Some(why) = &unsaved { p.problem role="alert" { "What was agreed to is not on the disk: " (why) } }
        section aria-labelledby="waiting" {
            h2 #waiting { "Not what was agreed to" }
            @if waiting.is_empty() && problem.is_none() { p { "✓ Every tool is what it was when its server was first seen, or when somebody agreed to it." } }
            @if let Some(why) = &problem { p.problem role="alert" { "What was agreed to before is not known: " (why) } }
            @for (number, (one, lines)) in waiting.iter().enumerate() { (shown(number, one, lines)) }
            @if more > 0 { p { (more) " more wait; they are shown when these are decided." } }
        }
        section aria-labelledby="findings" {
            h2 #findings { "Hidden instructions" }
            @if findings.is_empty() { p { "✓ Nothing was found in the names, descriptions and schemas that servers have listed so far." } }
            @for one in &findings { (found(one)) }
        }
        section aria-labelledby="agreed" {
            h2 #agreed { "Agreed to" }
            (list(&agreed))
        }
    };
    Ok(DashboardPage { title: "Security".to_owned(), body })
}

fn compared(waiting: Waiting) -> (Waiting, Vec<Line>) {
    let lines = match (&waiting.agreed, &waiting.offered) {
        (Some(agreed), Some(offered)) => diff(agreed, offered),
        (None, Some(offered)) => offered.lines().map(|line| Line::Added(line.to_owned())).collect(),
        _ => Vec::new(),
    };
    (waiting, lines)
}

/// The most severe first.
fn findings_of(definitions: &Definitions) -> Vec<ToolFindings> {
    let mut findings = definitions.findings();
    findings.sort_by_key(|found| !found.is_grave());
    findings
}

fn shown(number: usize, waiting: &Waiting, lines: &[Line]) -> Markup {
    let kind = match waiting.kind {
        Kind::Added => badge("info", "+", "new tool"),
        Kind::Changed => badge("mended", "✎", "changed"),
        Kind::Moved => badge("bad", "⇄", "another command"),
    };
    let is_moved = waiting.kind != Kind::Added && waiting.fields.iter().any(|field| field == "command");
    let class = match waiting.class {
        _ if waiting.kind == Kind::Added => "nobody has seen it before",
        _ if is_moved => "its server is started or reached in another way",
        Class::Notation => "the same in another notation",
        Class::Words => "its words are others",
        Class::Meaning => "its meaning is another",
    };
    html! {
        article.finding {
            h3 { (waiting.tool) " of " (waiting.server) " " (kind) }
            p { "Since " (moment(i64::try_from(waiting.since).unwrap_or(i64::MAX).saturating_mul(1000))) ": " (class) ". " (waiting.fields.join(", ")) }
            @if waiting.agreed_command.as_ref().is_some_and(|agreed| *agreed != waiting.offered_command) {
                dl.facts {
                    dt { "It was started by" } dd { code { (shortened(waiting.agreed_command.as_deref().unwrap_or_default())) } }
                    dt { "It is started by" } dd { code { (shortened(&waiting.offered_command)) } }
                }
            }
            @if !lines.is_empty() { (difference(lines)) }
            div.tools {
                button type="button" data-do="approve" data-into={ "approved-" (number) } data-server=(waiting.server) data-tool=(waiting.tool) data-fingerprint=(waiting.fingerprint.as_str()) { "Agree to it" }
            }
            div id={ "approved-" (number) } aria-live="polite" {}
        }
    }
}

fn difference(lines: &[Line]) -> Markup {
    html! {
        div.diff tabindex="0" role="group" aria-label="Before and after" {
            @for line in lines {
                @match line {
                    Line::Same(text) => div { span.sign { "  " } code { (text) } },
                    Line::Removed(text) => div.before { span.sign { "- " } code { (text) } },
                    Line::Added(text) => div.after { span.sign { "+ " } code { (text) } },
                    Line::Elided(count) => div.quiet { (count) " lines that are the same" },
                }
            }
        }
    }
}

fn found(tool: &ToolFindings) -> Markup {
    html! {
        article.finding {
            h3 { (tool.tool) " of " (tool.server) }
            ul { @for finding in &tool.findings {
                li {
                    @match finding.severity {
                        Severity::High => (badge("bad", "✕", "high")),
                        Severity::Medium => (badge("mended", "!", "medium")),
                        Severity::Low => (badge("info", "?", "low")),
                    }
                    " " code { (finding.code) } " at " code { (shortened(&finding.place)) } ": " (finding.why) " " q { (finding.excerpt) }
                }
            } }
        }
    }
}

fn list(agreed: &[Agreed]) -> Markup {
    html! {
        p { (number(agreed.len() as u64)) " definitions. Each stands for the tool's name, title, description, schemas and annotations, and for how its server is started." }
        @if !agreed.is_empty() {
            details {
                summary { "All of them" }
                div.wide tabindex="0" role="group" aria-label="A table that can be scrolled" { table {
                    caption { "Definitions that were agreed to" }
                    thead { tr { th scope="col" { "Server" } th scope="col" { "Tool" } th scope="col" { "SHA-256" } th scope="col" { "Since" } } }
                    tbody { @for one in agreed.iter().take(AGREED) {
                        tr {
                            td { (one.server) }
                            th scope="row" { (one.tool) }
                            td { code { (one.fingerprint.as_str()) } }
                            td { (moment(i64::try_from(one.since).unwrap_or(i64::MAX).saturating_mul(1000))) }
                        }
                    } }
                } }
            }
        }
    }
}
