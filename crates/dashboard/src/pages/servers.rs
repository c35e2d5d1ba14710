//! Servers: state, protocol version, tools, output, and a restart button.

use maud::{Markup, html};
use toolwright_backend::StateName;

use crate::parts::{badge, figure, number, shortened};
use crate::{Dashboard, DashboardPage, PageProblem};

pub fn page(dashboard: &Dashboard) -> Result<DashboardPage, PageProblem> {
    let views = dashboard.servers.views();
    let body = html! {
        @if views.is_empty() {
            p { "No server is configured. Name some in " code { "toolwright.json" } ", or take over those of your clients: " code { "toolwright import" } "." }
        }
        @for view in &views {
            article.server id={ "server-" (view.name) } {
                h2 { (view.name) " " (state_badge(view.state)) }
                @if let Some(detail) = &view.detail { p { (shortened(detail)) } }
                @if let Some(error) = &view.last_error { p.problem { (shortened(error)) } }
                @if view.wants_login() { p { "Log in with " code { "toolwright servers login " (view.name) } "." } }
                div.figures {
                    (figure(&number(view.tools as u64), "tools"))
                    (figure(&number(view.in_flight as u64), "calls at work"))
                    (figure(&number(u64::from(view.restarts)), "restarts"))
                    (figure(&number(view.noise), "pieces of noise"))
                }
                dl.facts {
                    dt { "Toolbox" } dd { (view.toolbox) }
                    dt { "Reached by" } dd { (view.transport) }
                    dt { "Era" } dd { (view.era.as_deref().unwrap_or("not known yet")) @if let Some(version) = &view.protocol_version { " (" (version) ")" } }
                    dt { "Says it is" } dd { (shortened(view.server.as_deref().unwrap_or("nothing yet"))) }
                }
                @if !view.unusable_tools.is_empty() { ul { @for why in &view.unusable_tools { li.problem { (shortened(why)) } } } }
                @if !view.stderr_tail.is_empty() { details { summary { "What it says on stderr" } pre tabindex="0" { code { (shortened(&view.stderr_tail)) } } } }
                @if !view.last_noise.is_empty() { details { summary { "Noise on its stdout" } pre tabindex="0" { code { (shortened(&view.last_noise.join("\n"))) } } } }
                div.tools { button type="button" data-restart=(view.name) { "Restart" } }
            }
        }
    };
    Ok(DashboardPage { title: "Servers".to_owned(), body })
}

/// The badge for the state of a server.
pub fn state_badge(state: StateName) -> Markup {
    let (kind, sign) = match state {
        StateName::Ready => ("good", "✓"),
        StateName::Degraded | StateName::Starting | StateName::Backoff => ("info", "…"),
        StateName::Disabled | StateName::NotStarted => ("quiet", "–"),
        StateName::Quarantined => ("bad", "✕"),
    };
    badge(kind, sign, state.as_str())
}
