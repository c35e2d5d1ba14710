//! What a server offers: its tools, and which of them the configuration lets through.

use serde_json::json;
use toolwright_backend::ServerView;
use toolwright_toolbox::StateName;

use crate::entry;
use crate::finding::{Area, Check, Finding, Fix};
use crate::program::most_alike;
use crate::protocol::{Seen, shown};

/// How many names are shown.
const SHOWN: usize = 8;

pub(crate) fn check(seen: &Seen<'_>, tools: &[String]) -> Check {
    let Seen { configuration, toolbox, server, view, .. } = seen;
    let place = format!("the server '{}' of {}", view.name, configuration.file.display());
    let offered: Vec<&String> = tools.iter().filter(|tool| server.tool_filters.allows(tool)).collect();
    let said = match tools.len() {
        1 => "1 tool".to_owned(),
        count => format!("{count} tools"),
    };
    let said = match offered.len() == tools.len() {
        true => said,
        false => format!("{said}, {} of them offered", offered.len()),
    };
    let check = Check::new(Area::Backend, Some(&view.name), said);
    if tools.is_empty() {
        return check.with([without_tools(view).at(place)]);
    }
    if !offered.is_empty() {
        let unknown = server.tool_filters.names().find(|name| !tools.iter().any(|tool| tool == name));
        return check.with(unknown.map(|name| {
            let near = most_alike(name, tools.iter().cloned());
            let meant = near.map(|near| format!("; did you mean \"{near}\"?")).unwrap_or_default();
            Finding::warning(
                "filter-names-no-tool",
                format!("\"toolFilters\" names \"{name}\", which the server does not have{meant}"),
                format!("it has {}", listed(tools)),
                Fix::Do(format!("correct \"{name}\" in \"toolFilters\", or remove it")),
            )
            .at(&place)
        }));
    }
    let meant: Vec<String> =
        server.tool_filters.names().filter_map(|name| most_alike(name, tools.iter().cloned())).collect();
    let names = if meant.is_empty() { vec!["*".to_owned()] } else { meant };
    let fix = entry::set(&configuration.file, &toolbox.name, &server.name, "toolFilters", &json!(names));
    let what = "\"toolFilters\" lets none of its tools through";
    let why = format!("the server has {}", listed(tools));
    check.with([Finding::error("filters-hide-all", what, why, fix).at(place)])
}

fn without_tools(view: &ServerView) -> Finding {
    match view.state {
        StateName::Degraded => Finding::error(
            "tools-not-listed",
            "it does not list its tools",
            shown(view.last_error.as_deref().or(view.detail.as_deref()).unwrap_or_default()),
            Fix::Run(format!("toolwright servers logs {}", super::finding::quoted(&view.name))),
        ),
        _ => Finding::warning(
            "no-tools",
            "it has no tools",
            "it answers, and its list of tools is empty: it may want a login, an argument or a variable to have some",
            Fix::Do("read what the server's own page says of its arguments and variables".to_owned()),
        ),
    }
}

fn listed(tools: &[String]) -> String {
    let more = tools.len().saturating_sub(SHOWN);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", tools.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", "))
}
