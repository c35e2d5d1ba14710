//! `toolwright rules`: list what is in force, check a file, run cases against it.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use bumpalo::Bump;
use toolwright_jsonrpc::raw::{Kind, Node, parse, quote, same_value};
use toolwright_model::Outcome;
use toolwright_normalizer::rules::{Action, BUILTIN_SETS, Rule, parse_file};
use toolwright_normalizer::{Normalizer, RawArguments, RuleSet};

use super::print;
use crate::cli::{RuleOptions, RulesCommand, RulesOptions};
use crate::input::{ToolCache, read_line, without_byte_order_mark};
use crate::report::{EXIT_FOUND, Report};
use crate::rules_source;

pub fn run(options: &RulesOptions) -> Result<ExitCode, Report> {
    match &options.command {
        RulesCommand::List { rules, json } => list(rules, *json),
        RulesCommand::Check { file, json } => check(file, *json),
        RulesCommand::Test { file, cases, json } => test(file, cases, *json),
    }
}

fn list(options: &RuleOptions, json: bool) -> Result<ExitCode, Report> {
    let rules = rules_source::load(options)?;
    let is_on = |name: &str| rules.rules().iter().any(|rule| rule.set == Some(name));
    if json {
        let sets: Vec<String> = BUILTIN_SETS
            .iter()
            .map(|set| {
                format!(
                    "{{\"name\":{},\"on\":{},\"about\":{}}}",
                    quote(set.name),
                    is_on(set.name),
                    quote(set.about)
                )
            })
            .collect();
        let listed: Vec<String> = rules.in_order().into_iter().map(rule_json).collect();
        print(&format!("{{\"sets\":[{}],\"rules\":[{}]}}", sets.join(","), listed.join(",")))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut lines = vec!["Built-in sets (switch with --enable SET, --disable SET):".to_owned()];
    for set in BUILTIN_SETS {
        lines.push(format!(
            "  {:<3} {:<17} {}",
            if is_on(set.name) { "on" } else { "off" },
            set.name,
            set.about
        ));
    }
    let count = rules.rules().iter().filter(|rule| rule.enabled).count();
    let plural = if count == 1 { "" } else { "s" };
    lines.push(format!(
        "\n{count} rule{plural} in force, in the order of application (defaults wait until the names are aligned):"
    ));
    for rule in rules.in_order() {
        let tools: Vec<String> = rule.tools.iter().map(ToString::to_string).collect();
        let state = if rule.enabled { "" } else { "  (switched off)" };
        lines.push(format!(
            "  {:<28} {:<16} {:<24} {}{state}",
            rule.id,
            rule.type_name(),
            tools.join(", "),
            describe(&rule.action)
        ));
    }
    print(&lines.join("\n"))?;
    Ok(ExitCode::SUCCESS)
}

fn rule_json(rule: &Rule) -> String {
    let tools: Vec<String> = rule.tools.iter().map(|scope| quote(&scope.to_string())).collect();
    format!(
        "{{\"id\":{},\"type\":{},\"tools\":[{}],\"does\":{},\"enabled\":{},\"set\":{}}}",
        quote(&rule.id),
        quote(rule.type_name()),
        tools.join(","),
        quote(&describe(&rule.action)),
        rule.enabled,
        rule.set.map_or("null".to_owned(), quote)
    )
}

/// What a rule does, in a few words.
fn describe(action: &Action) -> String {
    match action {
        Action::ParamAlias { from, to } => format!("{from} → {to}"),
        Action::ParamDefault { name, value } => format!("{name} = {value} when missing"),
        Action::TypeCoerce { name, to } => format!("{name} to {}", format!("{to:?}").to_lowercase()),
        Action::JsonAcceptBoth { name } => format!("{name}: raw JSON to a string"),
        Action::NestedAlias { payload, path, from, to } => format!("{payload} {path}: {from} → {to}"),
        Action::NestedDefault { payload, path, name, value } => {
            format!("{payload} {path}: {name} = {value} when missing")
        }
        Action::ParamDrop { name } => format!("drops {name}"),
        Action::CaseConvert { style, name } => {
            let style = format!("{style:?}").to_lowercase();
            name.as_ref().map_or(format!("keys in {style} case"), |name| format!("{name} in {style} case"))
        }
        Action::ValueMap { name, pairs } => {
            let pairs: Vec<String> = pairs.iter().map(|(from, to)| format!("{from} → {to}")).collect();
            format!("{name}: {}", pairs.join(", "))
        }
    }
}

fn check(path: &Path, json: bool) -> Result<ExitCode, Report> {
    let text = fs::read_to_string(path).map_err(|error| Report::io("read", path, &error))?;
    let text = without_byte_order_mark(&text);
    match parse_file(text) {
        Ok(rules) => {
            let message = if json {
                format!(
                    "{{\"file\":{},\"rules\":{},\"errors\":[]}}",
                    quote(&path.display().to_string()),
                    rules.len()
                )
            } else {
                let plural = if rules.len() == 1 { "" } else { "s" };
                format!("{}: {} rule{plural}, no mistakes", path.display(), rules.len())
            };
            print(&message)?;
            Ok(ExitCode::SUCCESS)
        }
        Err(errors) if json => {
            let listed: Vec<String> = errors
                .iter()
                .map(|error| {
                    format!(
                        "{{\"line\":{},\"column\":{},\"message\":{},\"fix\":{}}}",
                        error.line,
                        error.column,
                        quote(&error.message),
                        quote(&error.fix)
                    )
                })
                .collect();
            let file = quote(&path.display().to_string());
            print(&format!("{{\"file\":{file},\"rules\":0,\"errors\":[{}]}}", listed.join(",")))?;
            Ok(ExitCode::from(EXIT_FOUND))
        }
        Err(errors) => {
            Report::rules(path, text, &errors).print();
            Ok(ExitCode::from(EXIT_FOUND))
        }
    }
}

fn test(rules: &Path, cases: &Path, json: bool) -> Result<ExitCode, Report> {
    let normalizer = Normalizer::new(RuleSet::builtin().with_user_rules(rules_source::read(rules)?));
    let text = fs::read_to_string(cases).map_err(|error| Report::io("read", cases, &error))?;
    let mut cache = ToolCache::default();
    let mut passed = 0;
    let mut failures: Vec<(usize, String)> = Vec::new();
    let text = without_byte_order_mark(&text);
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        match run_case(&normalizer, line, &mut cache) {
            Ok(()) => passed += 1,
            Err(message) => failures.push((index + 1, message)),
        }
    }
    if json {
        let listed: Vec<String> = failures
            .iter()
            .map(|(line, message)| format!("{{\"line\":{line},\"message\":{}}}", quote(message)))
            .collect();
        print(&format!(
            "{{\"passed\":{passed},\"failed\":{},\"failures\":[{}]}}",
            failures.len(),
            listed.join(",")
        ))?;
    } else {
        for (line, message) in &failures {
            eprintln!("{}:{line}: {message}", cases.display());
        }
        print(&format!("{passed} passed, {} failed", failures.len()))?;
    }
    Ok(if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(EXIT_FOUND) })
}

fn run_case(normalizer: &Normalizer, line: &str, cache: &mut ToolCache) -> Result<(), String> {
    let call = read_line(line, cache).map_err(|error| error.message)?;
    let found = call.tool.as_ref().map_err(|problem| problem.message.clone())?;
    let expect = call.expect.as_deref().ok_or("the case has no \"expect\"")?;
    let arena = Bump::new();
    let expect = parse(expect, &arena).map_err(|error| error.to_string())?.root;
    let wanted = expect
        .get("outcome")
        .and_then(|outcome| outcome.as_text())
        .ok_or("\"expect\" needs an \"outcome\"")?;
    let outcome = normalizer.normalize(&found.tool, &RawArguments::text(&call.arguments, call.finish));
    let (got, arguments, rules) = match &outcome {
        Outcome::Unchanged => ("unchanged", Some(call.arguments.clone()), Vec::new()),
        Outcome::Repaired { arguments, changes } => (
            "repaired",
            Some(arguments.clone()),
            changes.iter().filter_map(|change| change.rule.clone()).collect(),
        ),
        Outcome::Refused { .. } => ("refused", None, Vec::new()),
    };
    if got != wanted {
        let why = match &outcome {
            Outcome::Refused { problems, .. } => {
                let messages: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
                format!(" ({})", messages.join("; "))
            }
            _ => String::new(),
        };
        return Err(format!("expected {wanted}, got {got}{why}"));
    }
    if let Some(wanted) = expect.get("arguments") {
        check_arguments(&wanted, arguments.as_deref().unwrap_or("null"))?;
    }
    for rule in expect.get("rules").and_then(|rules| rules.as_array()).unwrap_or_default() {
        let id = rule.as_text().unwrap_or_default();
        if !rules.iter().any(|fired| *fired == id) {
            return Err(format!("rule \"{id}\" did not fire; fired: {}", rules.join(", ")));
        }
    }
    Ok(())
}

fn check_arguments(wanted: &Node<'_>, got: &str) -> Result<(), String> {
    let arena = Bump::new();
    let parsed = parse(got, &arena).map(|parsed| parsed.root).unwrap_or(Node::built(Kind::Null));
    if same_value(wanted, &parsed) {
        Ok(())
    } else {
        Err(format!("expected {}, got {got}", wanted.to_json()))
    }
}
