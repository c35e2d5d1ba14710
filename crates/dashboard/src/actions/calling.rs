//! Calls from the dashboard: a repeated call, and the calls of a suggestion with its rule.

use std::sync::Arc;

use http::StatusCode;
use maud::{Markup, html};
use serde::Deserialize;
use toolwright_executor::Call;
use toolwright_ledger::index::Filter;
use toolwright_ledger::learn::Suggestion;
use toolwright_model::{Caller, Outcome};
use toolwright_normalizer::rules::parse_learned;
use toolwright_normalizer::{Normalizer, RawArguments};

use super::ActionRefusal;
use crate::Dashboard;
use crate::pages::call::may_be_called_again;
use crate::parts::{call_link, difference, duration, shortened};

/// The number of calls on which a suggestion is tried.
const TRIED: usize = 20;

#[derive(Deserialize)]
pub(super) struct RepeatRequest {
    tool: String,
    arguments: String,
}

#[derive(Deserialize)]
pub(super) struct TrySuggestionRequest {
    suggestion: String,
}

/// Repeats a call like any client: it is repaired, recorded, and visible on the page of calls.
pub(super) async fn again(dashboard: &Dashboard, again: RepeatRequest) -> Result<Markup, ActionRefusal> {
    may_be_called_again(dashboard, &again.tool)
        .map_err(|why| ActionRefusal::new(StatusCode::FORBIDDEN, why))?;
    let caller = Caller { client: "pages".to_owned(), front: "page", ..Caller::default() };
    let call = Call::new(again.tool, again.arguments.clone()).by(Arc::new(caller));
    let outcome = dashboard.executor.execute(call).await;
    let took = u64::try_from(outcome.duration.as_micros()).unwrap_or(u64::MAX);
    Ok(html! {
        p { "It took " (duration(took)) " and was changed in " (outcome.changes.len()) " places. " a href="/calls?client=pages" { "Calls made from here" } }
        @match &outcome.result {
            Ok(output) => { p { "✓ The tool answered:" } pre tabindex="0" { code { (shortened(&output.text)) } } },
            Err(error) => { p.problem { "✕ " (&*error.written) } pre tabindex="0" { code { (shortened(&error.details)) } } },
        }
    })
}

/// Shows the effect of the rule on the last calls of its tool. No tool is called.
pub(super) async fn try_suggestion(
    dashboard: &Dashboard,
    request: TrySuggestionRequest,
) -> Result<Markup, ActionRefusal> {
    let ledger = dashboard.ledger()?;
    let suggestion = ledger.learning().suggestion(&request.suggestion);
    let suggestion =
        suggestion.ok_or_else(|| ActionRefusal::new(StatusCode::NOT_FOUND, "there is no such suggestion"))?;
    let known = dashboard.executor.registry().get(&suggestion.tool);
    let known = known.ok_or_else(|| {
        ActionRefusal::new(
            StatusCode::CONFLICT,
            format!("the tool \"{}\" is not there now, so nothing can be tried", suggestion.tool),
        )
    })?;
    let normalizer = with_rule(dashboard.executor.rules().load().normalizer(), &suggestion)?;
    let filter = Filter {
        tool: Some(known.definition().name.clone()),
        server: known.definition().server.clone(),
        ..Filter::default()
    };
    let found = dashboard.store()?.calls(&filter, None, TRIED).await;
    let found =
        found.map_err(|error| ActionRefusal::new(StatusCode::SERVICE_UNAVAILABLE, error.to_string()))?;
    let tried: Vec<_> = found
        .calls
        .iter()
        .filter_map(|call| {
            let sent = call.record.arguments.as_deref()?.get();
            Some((call, sent, normalizer.normalize(known.tool(), &RawArguments::json(sent))))
        })
        .collect();
    Ok(html! {
        p { "The last " (tried.len()) " calls of " (suggestion.tool) " with this rule; nothing was called:" }
        ul { @for (call, sent, outcome) in &tried {
            li {
                (call_link(&call.record.call, if call.record.is_ok() { "a call that went well" } else { "a call that failed" })) ": "
                @match outcome {
                    Outcome::Unchanged => "goes on as it is",
                    Outcome::Repaired { arguments, .. } => { "is mended" (difference(sent, arguments)) },
                    Outcome::Refused { problems, .. } => { "is still refused: " (shortened(problems.first().map_or("", |problem| &problem.message))) },
                }
            }
        } }
    })
}

fn with_rule(normalizer: &Normalizer, suggestion: &Suggestion) -> Result<Normalizer, ActionRefusal> {
    let text = serde_json::Value::Array(vec![suggestion.rule.clone()]).to_string();
    let rule = parse_learned(&text).map_err(|_| {
        ActionRefusal::new(StatusCode::CONFLICT, "the rule of this suggestion is no rule any more")
    })?;
    Ok(Normalizer::new(normalizer.rules().clone().with_learned_rules(rule)))
}
