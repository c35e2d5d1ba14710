//! Toolboxes: their tools, the tokens these cost in every request to a model, and the access of clients.

use std::sync::Arc;

use maud::{Markup, html};
use toolwright_executor::RegisteredTool;
use toolwright_port::TokenEntry;

use super::run_blocking;
use crate::parts::{figure, number, shortened};
use crate::{Dashboard, DashboardPage, PageProblem};

/// A group of tools as clients see it.
struct ToolGroup {
    name: String,
    description: Option<String>,
    tools: Vec<(Arc<RegisteredTool>, u64)>,
}

impl ToolGroup {
    fn new<'t>(
        name: &str,
        description: Option<&str>,
        tools: impl Iterator<Item = &'t Arc<RegisteredTool>>,
    ) -> ToolGroup {
        let tools = tools.map(|tool| (Arc::clone(tool), cost(tool))).collect();
        ToolGroup { name: name.to_owned(), description: description.map(str::to_owned), tools }
    }

    fn cost(&self) -> u64 {
        self.tools.iter().map(|(_, cost)| cost).sum()
    }
}

pub async fn page(dashboard: &Dashboard) -> Result<DashboardPage, PageProblem> {
    let groups = groups(dashboard);
    let tokens = match dashboard.tokens.clone() {
        None => Ok(Vec::new()),
        Some(folder) => run_blocking(move || folder.list().map_err(|error| error.to_string())).await?,
    };
    let (tools, cost) =
        groups.iter().fold((0, 0), |(tools, cost), group| (tools + group.tools.len(), cost + group.cost()));
    let body = html! {
        p { "A model reads the definition of every tool it is offered, in every request. A toolbox that is opened when it is needed saves the rest." }
        div.figures {
            (figure(&number(tools as u64), "tools"))
            (figure(&number(cost), "tokens for all of them, about"))
        }
        @for group in &groups { (shown(group)) }
        section aria-labelledby="clients" {
            h2 #clients { "Who may open what" }
            @match &tokens {
                Err(why) => p.problem { (why) },
                Ok(tokens) => (access(tokens)),
            }
        }
    };
    Ok(DashboardPage { title: "Toolboxes".to_owned(), body })
}

fn groups(dashboard: &Dashboard) -> Vec<ToolGroup> {
    let snapshot = dashboard.executor.registry().snapshot();
    let tools = snapshot.tools();
    let current = dashboard.servers.current();
    let server_of = |tool: &RegisteredTool| tool.definition().server.clone();
    let boxes = current.configuration.toolboxes.iter().map(|toolbox| {
        let servers: Vec<&str> = current
            .list
            .iter()
            .filter(|server| server.toolbox == toolbox.name)
            .map(|server| server.name.as_str())
            .collect();
        let is_in = |tool: &&Arc<RegisteredTool>| {
            server_of(tool).is_some_and(|server| servers.contains(&server.as_str()))
        };
        ToolGroup::new(&toolbox.name, toolbox.description.as_deref(), tools.iter().filter(is_in))
    });
    let is_ours = |tool: &&Arc<RegisteredTool>| {
        current.configuration.serves_own_tools()
            && server_of(tool).is_none_or(|server| current.list.iter().all(|known| known.name != server))
    };
    let builtin = ToolGroup::new(
        "Built in",
        Some("The tools that work without any server."),
        tools.iter().filter(is_ours),
    );
    boxes.chain((!builtin.tools.is_empty()).then_some(builtin)).collect()
}

fn cost(tool: &RegisteredTool) -> u64 {
    let definition = tool.definition();
    toolwright_llm::tokens::of_tool(&definition.name, &definition.description, &definition.input_schema)
}

fn shown(group: &ToolGroup) -> Markup {
    html! {
        section {
            h2 { (group.name) }
            @if let Some(description) = &group.description { p { (shortened(description)) } }
            p { (number(group.tools.len() as u64)) @if group.tools.len() == 1 { " tool" } @else { " tools" } ", about " (number(group.cost())) " tokens." }
            @if !group.tools.is_empty() {
                details {
                    summary { "Its tools" }
                    div.wide tabindex="0" role="group" aria-label="A table that can be scrolled" { table {
                        caption { "Tools of " (group.name) }
                        thead { tr { th scope="col" { "Tool" } th scope="col" { "What it does" } th.number scope="col" { "Tokens, about" } } }
                        tbody {
                            @for (tool, cost) in &group.tools {
                                tr {
                                    th scope="row" { (tool.qualified_name()) }
                                    td { (shortened(&tool.definition().description)) }
                                    td.number { (number(*cost)) }
                                }
                            }
                        }
                    } }
                }
            }
        }
    }
}

fn access(tokens: &[TokenEntry]) -> Markup {
    let some = |list: &Option<Vec<String>>| match list {
        None => "all".to_owned(),
        Some(list) => list.join(", "),
    };
    html! {
        p { "The gateway's own token opens everything. " code { "toolwright token add NAME --toolbox BOX" } " makes one for a client that opens less." }
        @if tokens.is_empty() {
            p { "There is no other token." }
        } @else {
            div.wide tabindex="0" role="group" aria-label="A table that can be scrolled" { table {
                caption { "Tokens of clients" }
                thead { tr { th scope="col" { "Client" } th scope="col" { "Toolboxes" } th scope="col" { "Models" } th.number scope="col" { "Requests a second" } th.number scope="col" { "At once" } th scope="col" { "Made" } } }
                tbody {
                    @for token in tokens {
                        tr {
                            th scope="row" { (token.name) }
                            td { (some(&token.toolboxes)) }
                            td { (some(&token.models)) }
                            td.number { (token.rate.map_or_else(|| "as all".to_owned(), |rate| rate.to_string())) }
                            td.number { (token.calls.map_or_else(|| "as all".to_owned(), |calls| calls.to_string())) }
                            td { (token.created) }
                        }
                    }
                }
            } }
        }
    }
}
