//! `toolwright rules`: list what is in force, check a file, run cases against it, decide about what was learned.

mod learned;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use bumpalo::Bump;
use toolwright_executor::registry::BUILT_IN;
use toolwright_jsonrpc::raw::{Kind, Node, parse, quote, same_value};
use toolwright_model::{Change, Code, Origin, Outcome};
use toolwright_normalizer::rules::{Action, BUILTIN_SETS, Rule, Scope, parse_file};
use toolwright_normalizer::{Normalizer, RawArguments, RuleSet};

use super::print;
use crate::cli::{RootOptions, RuleOptions, RulesCommand, RulesOptions};
use crate::input::{ToolCache, read_line, without_byte_order_mark};
use crate::report::{EXIT_FOUND, Report};
use crate::{rules_source, toolset};

pub(super) use learned::user;

pub fn run(options: &RulesOptions) -> Result<ExitCode, Report> {
    match &options.command {
        RulesCommand::List { rules, json } => list(rules, *json),
        RulesCommand::Check { file, json } => check(file, *json),
        RulesCommand::Test { file, cases, json } => test(file, cases, *json),
        RulesCommand::Suggest { all, json } => learned::suggest(*all, *json),
        RulesCommand::Accept(options) => learned::accept(options),
        RulesCommand::Dismiss(options) => learned::dismiss(options),
        RulesCommand::Undo(options) => learned::undo(options),
        RulesCommand::History { json } => learned::history(*json),
    }
}

fn list(options: &RuleOptions, json: bool) -> Result<ExitCode, Report> {
    let rules = rules_source::load_with_learned(options)?;
    let is_on = |name: &str| rules.rules().iter().any(|rule| rule.set == Some(name));
    let model_sets = rules_source::sets_for_model_calls(options);
    let of_models = RuleSet::from_sets(&model_sets);
    let is_on_for_models = |name: &str| is_on(name) || model_sets.contains(&name);
    if json {
        let sets: Vec<String> = BUILTIN_SETS
            .iter()
            .map(|set| {
                format!(
                    "{{\"name\":{},\"on\":{},\"on_for_models\":{},\"about\":{}}}",
                    quote(set.name),
                    is_on(set.name),
                    is_on_for_models(set.name),
                    quote(set.about)
                )
            })
            .collect();
        let every_call = rules.in_order().into_iter().map(|rule| rule_json(rule, "every call"));
        let model_calls = of_models.in_order().into_iter().map(|rule| rule_json(rule, "model calls"));
        let listed: Vec<String> = every_call.chain(model_calls).collect();
        print(&format!("{{\"sets\":[{}],\"rules\":[{}]}}", sets.join(","), listed.join(",")))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut lines = vec!["Built-in sets (switch with --enable SET, --disable SET):".to_owned()];
    for set in BUILTIN_SETS {
        let state = match (is_on(set.name), is_on_for_models(set.name)) {
            (true, _) => "on",
            (false, true) => "llm",
            (false, false) => "off",
        };
        lines.push(format!("  {state:<3} {:<17} {}", set.name, set.about));
    }
    let count = rules.rules().iter().filter(|rule| rule.enabled).count();
    let plural = if count == 1 { "" } else { "s" };
    lines.push(format!(
        "\n{count} rule{plural} in force, in the order of application (defaults wait until the names are aligned):"
    ));
    lines.extend(rules.in_order().into_iter().map(rule_line));
    if !of_models.rules().is_empty() {
        let count = of_models.rules().len();
        lines.push(format!("\n{count} more for calls of language models only, in the LLM proxy:"));
        lines.extend(of_models.in_order().into_iter().map(rule_line));
    }
    print(&lines.join("\n"))?;
    Ok(ExitCode::SUCCESS)
}

fn rule_line(rule: &Rule) -> String {
    let tools: Vec<String> = rule.tools.iter().map(ToString::to_string).collect();
    let state = if rule.enabled { "" } else { "  (switched off)" };
    format!(
        "  {:<28} {:<16} {:<24} {}{state}",
        rule.id,
        rule.type_name(),
        tools.join(", "),
        describe(&rule.action)
    )
}

fn rule_json(rule: &Rule, active_for: &str) -> String {
    let tools: Vec<String> = rule.tools.iter().map(|scope| quote(&scope.to_string())).collect();
    format!(
        "{{\"id\":{},\"type\":{},\"tools\":[{}],\"does\":{},\"enabled\":{},\"set\":{},\"active_for\":{}}}",
        quote(&rule.id),
        quote(rule.type_name()),
        tools.join(","),
        quote(&describe(&rule.action)),
        rule.enabled,
        rule.set.map_or("null".to_owned(), quote),
        quote(active_for)
    )
}

/// What a rule does, in a few words.
pub(super) fn describe(action: &Action) -> String {
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
            let warnings = idle_rules(&rules);
            let message = if json {
                let warnings: Vec<String> = warnings.iter().map(|warning| quote(warning)).collect();
                format!(
                    "{{\"file\":{},\"rules\":{},\"errors\":[],\"warnings\":[{}]}}",
                    quote(&path.display().to_string()),
                    rules.len(),
                    warnings.join(",")
                )
            } else {
                for warning in &warnings {
                    eprintln!("warning: {warning}");
                }
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

/// Why rules of a file have nothing to do: arguments of built-in tools are validated and never changed.
fn idle_rules(rules: &[Rule]) -> Vec<String> {
    let Ok(registry) = toolset::registry(&RootOptions::default(), Vec::new()) else { return Vec::new() };
    let snapshot = registry.snapshot();
    let is_built_in = |name: &str| {
        let mut tools = snapshot.tools().iter();
        tools.any(|tool| tool.name() == name && tool.tool().origin() == Origin::BuiltIn)
    };
    let warning = |rule: &Rule| {
        let names = rule.tools.iter().map(|scope| match scope {
            Scope::Name(name) if is_built_in(name) => Some(name.clone()),
            Scope::ServerAndName(server, name) if server == BUILT_IN && is_built_in(name) => {
                Some(scope.to_string())
            }
            _ => None,
        });
        let names = names.collect::<Option<Vec<String>>>()?.join(", ");
        Some(format!(
            "rule \"{}\" does not fire for {names}: the arguments of built-in tools are validated and not changed; \
             it fires only if a server offers a tool of that name",
            rule.id
        ))
    };
    rules.iter().filter_map(warning).collect()
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
    if passed == 0 && failures.is_empty() {
        return Err(Report::found(
            format!("{} has no cases", cases.display()),
            "write one case per line, as in docs/normalize.md",
        ));
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
    let arena = Bump::new();
    let expect = call.expect.as_deref().ok_or("the case has no \"expect\"")?;
    let expect = parse(expect, &arena).map_err(|error| error.to_string())?.root;
    let wanted = Expected::read(&expect)?;
    let (outcome, renamed) = match &call.tool {
        Ok(found) => {
            let arguments = RawArguments::text(&call.arguments, call.finish);
            (normalizer.normalize(&found.tool, &arguments), found.change.as_ref())
        }
        Err(problem) => {
            let hint = problem.message.clone();
            (Outcome::Refused { problems: vec![problem.clone()], hint }, None)
        }
    };
    let (got, arguments, changes): (_, _, &[Change]) = match &outcome {
        Outcome::Unchanged if renamed.is_some() => ("repaired", Some(call.arguments.as_str()), &[]),
        Outcome::Unchanged => ("unchanged", Some(call.arguments.as_str()), &[]),
        Outcome::Repaired { arguments, changes } => ("repaired", Some(arguments.as_str()), changes),
        Outcome::Refused { .. } => ("refused", None, &[]),
    };
    let problems = match &outcome {
        Outcome::Refused { problems, .. } => problems.as_slice(),
        _ => &[],
    };
    if got != wanted.outcome {
        let messages: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
        let why = if messages.is_empty() { String::new() } else { format!(" ({})", messages.join("; ")) };
        return Err(format!("expected {}, got {got}{why}", wanted.outcome));
    }
    if let Some(wanted) = wanted.arguments {
        check_arguments(&wanted, arguments.unwrap_or("null"))?;
    }
    let rules: Vec<&str> = changes.iter().filter_map(|change| change.rule.as_deref()).collect();
    if let Some(id) = wanted.rules.iter().flatten().find(|id| !rules.contains(&id.as_str())) {
        return Err(format!("rule \"{id}\" did not fire; fired: {}", rules.join(", ")));
    }
    if let Some(wanted) = wanted.codes {
        let changed = renamed.into_iter().chain(changes).map(|change| change.code);
        let got: BTreeSet<&str> =
            changed.chain(problems.iter().map(|problem| problem.code)).map(Code::as_str).collect();
        if !wanted.iter().map(String::as_str).eq(got.iter().copied()) {
            let listed = |codes: Vec<&str>| match codes.is_empty() {
                true => "none".to_owned(),
                false => codes.join(", "),
            };
            let wanted = listed(wanted.iter().map(String::as_str).collect());
            return Err(format!("expected the codes {wanted}, got {}", listed(got.into_iter().collect())));
        }
    }
    Ok(())
}

/// What must come out of a case.
struct Expected<'a> {
    outcome: String,
    arguments: Option<Node<'a>>,
    /// Rules that must have acted.
    rules: Option<Vec<String>>,
    /// The codes of all changes and problems, each once.
    codes: Option<BTreeSet<String>>,
}

impl<'a> Expected<'a> {
    const KEYS: [&'static str; 4] = ["outcome", "arguments", "rules", "codes"];
    const OUTCOMES: [&'static str; 3] = ["unchanged", "repaired", "refused"];

    fn read(expect: &Node<'a>) -> Result<Self, String> {
        let members = expect.as_object().ok_or("\"expect\" is an object with an \"outcome\"")?;
        if let Some(unknown) = members.iter().find(|member| !Self::KEYS.contains(&member.key)) {
            return Err(format!(
                "\"expect\" has no {}; it takes {}",
                quote(unknown.key),
                Self::KEYS.join(", ")
            ));
        }
        let outcome = expect.get("outcome").ok_or("\"expect\" needs an \"outcome\"")?;
        let word = outcome.as_text().filter(|word| Self::OUTCOMES.contains(&word.as_ref()));
        let Some(word) = word else {
            return Err(format!(
                "{} is no \"outcome\"; use {}",
                outcome.to_json(),
                Self::OUTCOMES.join(", ")
            ));
        };
        let codes = texts(expect, "codes")?;
        let is_unknown = |code: &&String| Code::ALL.iter().all(|known| known.as_str() != code.as_str());
        if let Some(unknown) = codes.iter().flatten().find(is_unknown) {
            return Err(format!("\"codes\": there is no code {}", quote(unknown)));
        }
        Ok(Expected {
            outcome: word.into_owned(),
            arguments: expect.get("arguments"),
            rules: texts(expect, "rules")?,
            codes: codes.map(|codes| codes.into_iter().collect()),
        })
    }
}

/// A list of texts under a key, if it is there.
fn texts(expect: &Node<'_>, key: &str) -> Result<Option<Vec<String>>, String> {
    let Some(list) = expect.get(key) else { return Ok(None) };
    let texts = list.as_array().and_then(|items| {
        items.iter().map(|item| item.as_text().map(|text| text.into_owned())).collect::<Option<Vec<String>>>()
    });
    texts.map(Some).ok_or_else(|| format!("\"{key}\" in \"expect\" is a list of texts"))
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
