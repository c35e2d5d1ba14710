//! Voice: fronts, counters and queue.

use maud::{Markup, html};
use toolwright_voice::{FrontState, VoiceView};

use crate::parts::{badge, figure, number};
use crate::{Dashboard, DashboardPage, PageProblem};

pub fn page(dashboard: &Dashboard) -> Result<DashboardPage, PageProblem> {
    let view = dashboard.voice.as_ref().and_then(|now| now());
    let body = match view {
        Some(view) => shown(&view),
        None => html! {
            p { "This gateway has no voice. Add " code { "\"voice\": {}" } " to its configuration, or start " code { "toolwright voice" } "." }
        },
    };
    Ok(DashboardPage { title: "Voice".to_owned(), body })
}

fn shown(view: &VoiceView) -> Markup {
    html! {
        @if view.status != "ok" {
            p.problem role="alert" { "Not every way in can be used." }
        }
        div.wide tabindex="0" role="group" aria-label="A table that can be scrolled" { table {
            caption { "Ways in" }
            thead { tr { th scope="col" { "Name" } th scope="col" { "State" } th scope="col" { "Where, or why not" } } }
            tbody {
                @for front in &view.fronts {
                    tr {
                        th scope="row" { (front.name) }
                        td { (state(front.state)) }
                        td { (front.detail) }
                    }
                }
            }
        } }
        div.figures {
            (figure(&of(view.waiting), "sentences wait"))
            (figure(&of(view.running), "are being answered"))
            (figure(&number(view.questions as u64), "questions wait for a yes or no"))
            (figure(&number(view.devices as u64), "devices are known by name"))
            (figure(&view.last_ms.map_or_else(|| "–".to_owned(), |ms| format!("{} ms", number(ms))), "the last answer took"))
        }
        @if !view.has_mind {
            p { "No model answers what is no direct command." }
        }
        div.wide tabindex="0" role="group" aria-label="A table that can be scrolled" { table {
            caption { "Since the start" }
            thead { tr { th scope="col" { "What" } th.number scope="col" { "How often" } } }
            tbody {
                @for (name, count) in &view.counts {
                    tr { th scope="row" { (name.replace('_', " ")) } td.number { (number(*count)) } }
                }
            }
        } }
    }
}

fn state(state: FrontState) -> Markup {
    match state {
        FrontState::Ready => badge("good", "✓", state.word()),
        FrontState::Starting => badge("info", "…", state.word()),
        FrontState::Waiting | FrontState::Failed => badge("bad", "✕", state.word()),
    }
}

fn of((now, most): (usize, usize)) -> String {
    format!("{} of {}", number(now as u64), number(most as u64))
}
