//! Error patterns, and suggested rules: try, accept, dismiss, undo.

use std::sync::Arc;

use maud::{Markup, html};
use toolwright_ledger::learn::{Status, Suggestion};
use toolwright_ledger::patterns::Trend;

use super::run_blocking;
use crate::parts::{badge, json_block, moment, moment_text, number, shortened, sparkline};
use crate::query::encode;
use crate::{Dashboard, DashboardPage, PageProblem};

/// Limit of patterns on the page.
const PATTERNS: usize = 100;

pub async fn page(dashboard: &Dashboard) -> Result<DashboardPage, PageProblem> {
    let ledger = Arc::clone(dashboard.ledger()?);
    let now = jiff::Timestamp::now().as_microsecond();
    let (suggestions, report) =
        run_blocking(move || (ledger.learning().suggestions(), ledger.patterns().report(now, |_| None)))
            .await?;
    let waiting = suggestions.iter().filter(|it| it.status == Status::Suggested).count();
    let body = html! {
        section aria-labelledby="suggestions" {
            h2 #suggestions { "Suggestions" }
            p { (waiting) @if waiting == 1 { " waits" } @else { " wait" } " for a decision. A rule that you accept is in force for the next call, and can be taken back." }
            @for suggestion in &suggestions { (shown(suggestion)) }
        }
        section aria-labelledby="patterns" {
            h2 #patterns { "Errors that are alike" }
            p { (number(report.total_errors)) " errors of " (number(report.unique_patterns as u64)) " kinds." }
            div.wide tabindex="0" role="group" aria-label="A table that can be scrolled" { table {
                caption { "Error patterns" }
                thead { tr { th scope="col" { "Tool" } th scope="col" { "Pattern" } th.number scope="col" { "Times" } th scope="col" { "Trend" } th scope="col" { "Last seen" } th scope="col" { "Samples" } } }
                tbody {
                    @for pattern in report.patterns.iter().take(PATTERNS) {
                        tr {
                            th scope="row" { a href={ "/calls?outcome=error&tool=" (encode(&pattern.tool)) } { (pattern.tool) } @if let Some(server) = &pattern.server { br; span.quiet { (server) } } }
                            td { (shortened(&pattern.pattern)) " " span.quiet { "(" (pattern.code) ")" } }
                            td.number { (number(pattern.count)) }
                            td { (trend(pattern.trend)) (sparkline(&pattern.recent, "the last of them")) }
                            td { (moment_text(&pattern.last_seen)) }
                            td { details { summary { (pattern.sample_errors.len()) } ul { @for sample in &pattern.sample_errors { li { (shortened(sample)) } } } } }
                        }
                    }
                }
            } }
        }
    };
    Ok(DashboardPage { title: "Error patterns".to_owned(), body })
}

/// A number with its noun.
fn times(count: u64, what: &str) -> String {
    format!("{} {what}{}", number(count), if count == 1 { "" } else { "s" })
}

fn trend(trend: Trend) -> Markup {
    match trend {
        Trend::Increasing => badge("bad", "↗", "more"),
        Trend::Decreasing => badge("good", "↘", "fewer"),
        Trend::Stable => badge("info", "→", "steady"),
    }
}

fn shown(suggestion: &Suggestion) -> Markup {
    let evidence = &suggestion.evidence;
    let replay = &suggestion.replay;
    let decisions: &[(&str, &str)] = match suggestion.status {
        Status::Suggested => &[("accept", "Accept"), ("dismiss", "Dismiss")],
        Status::Active => &[("undo", "Undo")],
        Status::Dismissed | Status::Undone | Status::Lapsed => &[("accept", "Accept")],
    };
    let (kind, sign) = match suggestion.status {
        Status::Active => ("good", "✓"),
        Status::Suggested => ("info", "?"),
        Status::Dismissed | Status::Undone | Status::Lapsed => ("quiet", "–"),
    };
    html! {
        article.suggestion id={ "suggestion-" (suggestion.id) } {
            h3 { (suggestion.tool) " " (badge(kind, sign, suggestion.status.word())) }
            p { (suggestion.reason) }
            p {
                "Seen " (times(evidence.observations, "time")) " in " (times(evidence.sessions, "conversation")) ", last "
                (moment(evidence.last)) ". It would have mended " (number(replay.mends)) " of " (number(replay.of))
                " failed calls and changed " (number(replay.changes_good)) " good ones."
            }
            details { summary { "The rule" } (json_block(&suggestion.rule.to_string())) }
            div.tools {
                form data-do="try-suggestion" data-into={ "tried-" (suggestion.id) } {
                    input type="hidden" name="suggestion" value=(suggestion.id);
                    button type="submit" { "Try" }
                }
                @for (word, label) in decisions {
                    button type="button" data-decide=(word) data-suggestion=(suggestion.id) { (label) }
                }
            }
            div id={ "tried-" (suggestion.id) } aria-live="polite" {}
            noscript { p.quiet { "Without scripts: " code { "toolwright rules " (decisions.first().map_or("accept", |(word, _)| word)) " " (suggestion.id) } } }
        }
    }
}
