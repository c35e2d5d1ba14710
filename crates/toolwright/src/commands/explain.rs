//! `toolwright explain`: every step for one call, the page of a code, a call that was written down, or a rule.

mod call;
mod rule;

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use toolwright_base::closest_names;
use toolwright_jsonrpc::raw::quote;
use toolwright_model::{Code, Outcome};
use toolwright_normalizer::rules::{BUILTIN_SETS, Rule};
use toolwright_normalizer::{Explanation, Normalizer, RawArguments, RuleSet, Tool};

use crate::cli::{ExplainOptions, RuleOptions};
use crate::code_pages;
use crate::commands::found_call;
use crate::input::read_tool;
use crate::output::{Answer, Explained, answer_line};
use crate::progress::Progress;
use crate::report::{EXIT_FOUND, Report};
use crate::{ledger_source, rules_source};

pub fn run(options: &ExplainOptions) -> Result<ExitCode, Report> {
    let name = match (&options.what, &options.tool, &options.arguments) {
        (None, Some(tool), Some(arguments)) => return explain_call(options, tool, arguments),
        (Some(name), None, None) => name,
        (Some(name), _, _) => {
            let what = format!("\"{name}\" stands beside --tool or --arguments");
            return Err(Report::usage(what, format!("ask for it alone: toolwright explain {name}")));
        }
        (None, Some(tool), None) => {
            let fix = format!("add them: toolwright explain --tool {} --arguments '{{}}'", tool.display());
            return Err(Report::usage("--tool is given, but no arguments to explain", fix));
        }
        (None, None, Some(_)) => {
            let fix = "add the tool: toolwright explain --tool tool.json --arguments …";
            return Err(Report::usage("--arguments are given, but no tool to judge them by", fix));
        }
        (None, None, None) => {
            let fix =
                "give a code, such as N4, the id of a call or of a rule, or --tool FILE and --arguments TEXT";
            return Err(Report::usage("there is nothing to explain", fix));
        }
    };
    let Some(code) = Code::parse(name) else { return explain_named(options, name) };
    let page = code_pages::page(code);
    if options.json {
        let title = quote(code.title());
        super::print(&format!("{{\"code\":\"{code}\",\"title\":{title},\"page\":{}}}", quote(page)))?;
    } else {
        super::print(page.trim_end())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A rule, a call, or neither.
fn explain_named(options: &ExplainOptions, name: &str) -> Result<ExitCode, Report> {
    let folders = ledger_source::journals().unwrap_or_default();
    let in_force = rules_source::load_with_learned(&options.rules)?;
    let all = every_rule(&options.rules)?;
    let is_in_force = in_force.rules().iter().any(|rule| rule.id == name && rule.enabled);
    let known = in_force.rules().iter().chain(all.rules()).find(|rule| rule.id == name);
    if let Some(found) = known {
        let fired = {
            let _told = Progress::of("reading the journals");
            rule::Fired::read(name, &folders)
        };
        super::print(&match options.json {
            true => rule::as_json(found, is_in_force, &fired),
            false => rule::as_text(found, is_in_force, &fired),
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(record) = found_call::find(&folders, name)? {
        super::print(&match options.json {
            true => call::as_json(&record),
            false => call::as_text(&record),
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    Err(unknown(name, in_force.rules().iter().chain(all.rules())))
}

/// The rules of all built-in sets, whether they are switched on or not.
fn every_rule(options: &RuleOptions) -> Result<RuleSet, Report> {
    let names: Vec<&str> = BUILTIN_SETS.iter().map(|set| set.name).collect();
    let sets = RuleSet::from_sets(&names);
    Ok(match &options.rules {
        Some(path) => sets.with_user_rules(rules_source::read(path)?),
        None => sets,
    })
}

fn unknown<'r>(name: &str, rules: impl Iterator<Item = &'r Rule>) -> Report {
    let codes = Code::ALL.iter().map(|code| code.as_str());
    let near = closest_names(name, codes.chain(rules.map(|rule| rule.id.as_str())));
    let meant = match near.as_slice() {
        [] => String::new(),
        near => format!("did you mean {}? ", near.join(" or ")),
    };
    let codes: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    Report::usage(
        format!("\"{name}\" is no code, no rule and no call that was written down"),
        format!(
            "{meant}codes are {}; rules: toolwright rules list; calls: toolwright audit tail; or give --tool FILE and --arguments TEXT",
            codes.join(", ")
        ),
    )
}

fn explain_call(options: &ExplainOptions, tool_path: &Path, arguments: &str) -> Result<ExitCode, Report> {
    let text = fs::read_to_string(tool_path).map_err(|error| Report::io("read", tool_path, &error))?;
    let tool = read_tool(&text).map_err(|message| {
        Report::usage(
            format!("{}: {message}", tool_path.display()),
            "write {\"name\": \"…\", \"inputSchema\": {…}}",
        )
    })?;
    let arguments = super::text_or_file(arguments)?;
    let finish = options.finish.unwrap_or_default();
    let normalizer = Normalizer::new(rules_source::load(&options.rules)?);
    let explanation = normalizer.explain(&tool, &RawArguments::text(&arguments, finish));
    let printed = if options.json {
        let answer = Answer {
            id: "null",
            name: tool.name(),
            sent: &arguments,
            outcome: &explanation.outcome,
            name_change: None,
            explained: Some(Explained { steps: &explanation.steps, unjudged: tool.schema().notes() }),
        };
        answer_line(&answer)
    } else {
        as_text(&tool, &arguments, &explanation)
    };
    super::print(&printed)?;
    Ok(if matches!(explanation.outcome, Outcome::Refused { .. }) {
        ExitCode::from(EXIT_FOUND)
    } else {
        ExitCode::SUCCESS
    })
}

fn as_text(tool: &Tool, arguments: &str, explanation: &Explanation) -> String {
    let mut lines = vec![format!("tool      {}", tool.name()), format!("sent      {}", arguments.trim())];
    if tool.is_destructive() {
        lines.push("risk      destructive: a lower budget for guesses".to_owned());
    }
    for note in tool.schema().notes() {
        lines.push(format!("unjudged  {note}"));
    }
    lines.push("steps".to_owned());
    for step in &explanation.steps {
        let place = if step.path.is_empty() { "/" } else { &step.path };
        lines.push(format!(
            "  {:<8} cost {:>3}  {place:<16} {}",
            step.verdict.as_str(),
            step.cost,
            step.text
        ));
    }
    match &explanation.outcome {
        Outcome::Unchanged => lines.push("outcome   unchanged".to_owned()),
        Outcome::Repaired { arguments, changes } => {
            lines.push(format!("outcome   repaired: {arguments}"));
            for change in changes {
                let rule = change.rule.as_ref().map_or(String::new(), |rule| format!(" [rule {rule}]"));
                lines.push(format!(
                    "  {:<3} {:<16} {} → {}  ({}){rule}",
                    change.code.as_str(),
                    change.path,
                    change.from.as_deref().unwrap_or("nothing"),
                    change.to.as_deref().unwrap_or("nothing"),
                    change.why
                ));
            }
        }
        Outcome::Refused { problems, hint } => {
            lines.push("outcome   refused".to_owned());
            for problem in problems {
                lines.push(format!(
                    "  {:<3} {:<16} {}",
                    problem.code.as_str(),
                    problem.path,
                    problem.message
                ));
            }
            // Where no form can be given, the hint is what the problems say already.
            if !problems.iter().any(|problem| hint.starts_with(&problem.message)) {
                lines.push(format!("hint      {hint}"));
            }
        }
    }
    lines.join("\n")
}
