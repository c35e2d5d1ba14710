//! Playground: a tool, a call, and every repair step. No tool is called.

use maud::{Markup, html};
use toolwright_model::{Outcome, ToolDefinition};
use toolwright_normalizer::{Explanation, RawArguments, Tool};

use crate::parts::{difference, lines_of, shortened};
use crate::query::PageQuery;
use crate::{Dashboard, DashboardPage, PageProblem};

/// Limit of steps on the page.
const STEPS: usize = 200;

const EXAMPLE_SCHEMA: &str = r#"{
  "type": "object",
  "properties": {"path": {"type": "string"}, "lines": {"type": "integer"}},
  "required": ["path"]
}"#;
const EXAMPLE_ARGUMENTS: &str = r#"{"file_path": "notes.txt", "lines": "20"}"#;

pub async fn page(dashboard: &Dashboard, query: &PageQuery) -> Result<DashboardPage, PageProblem> {
    let tools = tool_names(dashboard);
    let chosen = query.get("tool").unwrap_or_default();
    // The schema of the selected tool replaces the entered one.
    let known = dashboard.executor.registry().get(chosen).filter(|tool| dashboard.serves(tool));
    let of_tool = known.map(|tool| lines_of(tool.input_schema()).join("\n"));
    let schema = of_tool.as_deref().or(query.get("schema")).unwrap_or(EXAMPLE_SCHEMA);
    let arguments = query.get("arguments").unwrap_or(EXAMPLE_ARGUMENTS);
    let body = html! {
        form #try.playground method="get" action="/playground" data-do="try" data-live data-into="result-body" {
            div {
                label for="tool" { "Tool" }
                select #tool name="tool" {
                    option value="" { "the schema below" }
                    @for name in &tools { option value=(name) selected[name == chosen] { (name) } }
                }
            }
            div {
                label for="schema" { "Schema of its arguments" }
                textarea #schema name="schema" rows="8" spellcheck="false" readonly[of_tool.is_some()] { (schema) }
            }
            div {
                label for="arguments" { "Arguments, as a model wrote them" }
                textarea #arguments name="arguments" rows="8" spellcheck="false" { (arguments) }
            }
            div.tools {
                button type="submit" { "Try" }
                button type="button" #save-test data-do="save-test" data-form="try" data-into="saved" { "Save as a rule test" }
            }
            div #saved aria-live="polite" {}
        }
        section #result aria-labelledby="result-title" aria-live="polite" {
            h2 #result-title { "Result" }
            div #result-body { (result(dashboard, chosen, schema, arguments)) }
        }
    };
    Ok(DashboardPage { title: "Playground".to_owned(), body })
}

fn tool_names(dashboard: &Dashboard) -> Vec<String> {
    let snapshot = dashboard.executor.registry().snapshot();
    snapshot
        .tools()
        .iter()
        .filter(|tool| dashboard.serves(tool))
        .map(|tool| tool.qualified_name().to_owned())
        .collect()
}

/// The outcome of a call.
pub fn result(dashboard: &Dashboard, tool: &str, schema: &str, arguments: &str) -> Markup {
    let compiled = match tool {
        "" => {
            let definition = ToolDefinition {
                name: "tool".to_owned(),
                input_schema: schema.to_owned(),
                ..ToolDefinition::default()
            };
            Tool::compile(&definition).map_err(|error| format!("The schema cannot be used: {error}"))
        }
        name => match dashboard.executor.registry().get(name) {
            Some(known) => return explained(dashboard, known.tool(), arguments),
            None => Err(format!("There is no tool \"{name}\".")),
        },
    };
    match compiled {
        Err(why) => html! { p.problem role="alert" { (why) } },
        Ok(compiled) => explained(dashboard, &compiled, arguments),
    }
}

fn explained(dashboard: &Dashboard, tool: &Tool, arguments: &str) -> Markup {
    let raw = RawArguments::text(arguments, Default::default());
    explanation_markup(arguments, &dashboard.executor.rules().load().normalizer().explain(tool, &raw))
}

fn explanation_markup(sent: &str, explanation: &Explanation) -> Markup {
    html! {
        @match &explanation.outcome {
            Outcome::Unchanged => p { "✓ It fits as it is: the same bytes go on." },
            Outcome::Repaired { arguments, changes } => {
                p { "✎ Mended, with " (changes.len()) @if changes.len() == 1 { " change:" } @else { " changes:" } }
                (difference(sent, arguments))
                ol {
                    @for change in changes {
                        li { code { (change.code) } " at " code { (shortened(&change.path)) } ": " (change.why) @if let Some(rule) = &change.rule { " (rule " code { (rule) } ")" } }
                    }
                }
            },
            Outcome::Refused { problems, hint } => {
                p.problem { "✕ It cannot be mended safely. The model is told:" }
                ul { @for problem in problems { li { code { (problem.code) } " at " code { (shortened(&problem.path)) } ": " (problem.message) } } }
                @if !hint.is_empty() { p { (hint) } }
            },
        }
        details {
            summary { "Every step (" (explanation.steps.len()) ")" }
            ol { @for step in explanation.steps.iter().take(STEPS) {
                li { (step.verdict.as_str()) " at " code { (shortened(&step.path)) } ", cost " (step.cost) ": " (shortened(&step.text)) }
            } }
        }
    }
}
