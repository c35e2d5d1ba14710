//! `toolwright tools`: what there is to call, and what each tool takes.

use std::process::ExitCode;

use tokio::runtime::Builder;
use toolwright_backend::offer;
use toolwright_executor::executor::Found;
use toolwright_executor::{
    CallError, ErrorCode, Format, RegisteredTool, ToolExecutor, ToolRegistry, printable,
};
use toolwright_jsonrpc::raw::quote;

use super::print;
use crate::cli::{DefinitionFormat, ListOptions, RuleOptions, ToolsCommand, ToolsOptions};
use crate::report::Report;
use crate::{search_source, server_source, toolset};

pub fn run(options: &ToolsOptions) -> Result<ExitCode, Report> {
    let executor = toolset::executor(&options.roots, &RuleOptions::default(), &options.config)?;
    let Some(configuration) = server_source::configuration(&options.config)? else {
        return show_tools(options, &executor);
    };
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Report::cannot_start(&error))?;
    runtime.block_on(async {
        let servers = server_source::start(
            &configuration,
            |_| true,
            None,
            toolset::local_words(executor.registry(), |_| true),
        );
        server_source::settle(&servers, None).await;
        server_source::warn_of_left_out(&offer(&servers, executor.registry()));
        server_source::warn_of_unusable(&servers.views());
        let shown = show_tools(options, &executor);
        servers.stop().await;
        shown
    })
}

fn show_tools(options: &ToolsOptions, executor: &ToolExecutor) -> Result<ExitCode, Report> {
    let registry = executor.registry();
    let before = options.list;
    match &options.command {
        None => list(registry, before)?,
        Some(ToolsCommand::List(after)) if before.is_empty() => list(registry, *after)?,
        Some(ToolsCommand::Show { name, json }) if before.is_empty() => show(executor, name, *json)?,
        Some(_) => {
            let what = "--json and --format belong behind the command that they are for";
            return Err(Report::usage(what, "write for example toolwright tools list --json"));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn list(registry: &ToolRegistry, ListOptions { format, json }: ListOptions) -> Result<(), Report> {
    if json || format.is_some() {
        let format = match format.unwrap_or(DefinitionFormat::Mcp) {
            DefinitionFormat::Mcp => Format::Mcp,
            DefinitionFormat::Anthropic => Format::Anthropic,
            DefinitionFormat::Openai => Format::OpenAi,
            DefinitionFormat::Ollama => Format::Ollama,
        };
        return print(registry.definitions(format).get());
    }
    if let Err(report) = search_source::from_environment() {
        let fix = report.fix().unwrap_or_default();
        eprintln!("warning: search_web cannot be used: {}\nfix: {fix}", report.what());
    }
    let snapshot = registry.snapshot();
    let width = snapshot.tools().iter().map(|tool| tool.name().len()).max().unwrap_or(0);
    let line = |tool: &RegisteredTool| {
        let about = tool.definition().description.lines().next().unwrap_or_default();
        let first = about.split_once(". ").map_or(about, |(first, _)| first).trim_end_matches('.');
        format!("  {:<width$}  {:<8}  {first}", tool.name(), tool.source())
    };
    let lines: Vec<String> = snapshot.tools().iter().map(|tool| line(tool)).collect();
    print(&format!(
        "{} tools:\n{}\n\nShow one: toolwright tools show NAME. Call one: toolwright call NAME '{{…}}'",
        lines.len(),
        lines.join("\n")
    ))
}

fn show(executor: &ToolExecutor, name: &str, json: bool) -> Result<(), Report> {
    let Found { tool, renamed } = executor.find(name).map_err(|error| not_found(executor, name, &error))?;
    if renamed.is_some() && !json {
        let name = printable(name, &[]);
        eprintln!("\"{name}\" is understood as {}, as in a call", tool.name());
    }
    let definition = tool.definition();
    if json {
        let output = tool.output_schema().unwrap_or("null");
        return print(&format!(
            "{{\"name\":{},\"source\":{},\"description\":{},\"destructive\":{},\"inputSchema\":{},\"outputSchema\":{output}}}",
            quote(tool.name()),
            quote(tool.source()),
            quote(&definition.description),
            tool.tool().is_destructive(),
            tool.input_schema(),
        ));
    }
    let mut lines = vec![format!("{} ({})", tool.name(), tool.source()), String::new()];
    lines.push(definition.description.clone());
    lines.push(String::new());
    lines.push("Parameters:".to_owned());
    lines.extend(tool.parameters().iter().map(|parameter| format!("  {}", parameter.describe())));
    if tool.parameters().is_empty() {
        lines.push("  none".to_owned());
    }
    if tool.tool().is_destructive() {
        lines.push("\nIt can destroy something: less is guessed in its calls.".to_owned());
    }
    print(&lines.join("\n"))
}

fn not_found(executor: &ToolExecutor, name: &str, error: &CallError) -> Report {
    match error.code {
        ErrorCode::AmbiguousTool => Report::usage(&*error.written, &error.details),
        _ => {
            let snapshot = executor.registry().snapshot();
            let names: Vec<&str> = snapshot.callable_names().collect();
            Report::usage(format!("there is no tool \"{name}\""), format!("use one of {}", names.join(", ")))
        }
    }
}
