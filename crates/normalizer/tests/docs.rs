//! Runs every example in the documentation: fenced blocks marked `normalize`, one JSON line each.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use toolwright_model::{Annotations, Code, Finish, Outcome, ToolDefinition};
use toolwright_normalizer::rules::{BUILTIN_SETS, parse_file};
use toolwright_normalizer::{NamedTool, Normalizer, RawArguments, RuleSet, Tool, find_tool};

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

fn pages(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("docs can be read") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            pages(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            into.push(path);
        }
    }
}

/// The lines of the blocks marked `normalize`, with their line numbers.
fn examples(page: &str) -> Vec<(usize, &str)> {
    let mut inside = false;
    let mut found = Vec::new();
    for (number, line) in page.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            inside = !inside && line.trim() == "```normalize";
        } else if inside && !line.trim().is_empty() {
            found.push((number + 1, line));
        }
    }
    found
}

fn check(example: &str) -> Result<(), String> {
    let case: Value = serde_json::from_str(example).map_err(|error| format!("not JSON: {error}"))?;
    let listed = case["tools"].as_array().cloned().unwrap_or_else(|| vec![case["tool"].clone()]);
    let mut codes: BTreeSet<String> = BTreeSet::new();
    let names: Vec<NamedTool<'_>> = listed
        .iter()
        .map(|tool| {
            let named = NamedTool::new(tool["name"].as_str().unwrap_or_default(), tool["server"].as_str());
            named.destroying(tool["annotations"]["destructiveHint"] == true)
        })
        .collect();
    let found = case["name"].as_str().map(|name| find_tool(name, &names, &[]));
    let (outcome, arguments) = match found {
        Some(Err(_)) => {
            codes.insert(Code::UnknownTool.to_string());
            ("refused", Value::Null)
        }
        found => {
            let found = found.and_then(Result::ok);
            codes.extend(found.as_ref().and_then(|found| found.code).map(|code| code.to_string()));
            let index = found.map_or(0, |found| found.index);
            run(&case, &listed[index], &mut codes)?
        }
    };
    let expected: BTreeSet<String> = case["expect"]["codes"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|code| code.as_str().map(str::to_owned))
        .collect();
    if case["expect"]["outcome"] != outcome || expected != codes {
        return Err(format!("expected {}, got {outcome} {codes:?} {arguments}", case["expect"]));
    }
    match case["expect"].get("arguments") {
        Some(wanted) if *wanted != arguments => Err(format!("expected {wanted}, got {arguments}")),
        _ => Ok(()),
    }
}

fn run(case: &Value, tool: &Value, codes: &mut BTreeSet<String>) -> Result<(&'static str, Value), String> {
    let definition = ToolDefinition {
        name: tool["name"].as_str().unwrap_or_default().to_owned(),
        server: tool["server"].as_str().map(str::to_owned),
        input_schema: tool["inputSchema"].to_string(),
        annotations: Annotations {
            destructive: tool["annotations"]["destructiveHint"] == true,
            ..Annotations::default()
        },
        ..ToolDefinition::default()
    };
    let compiled = Tool::compile(&definition).map_err(|error| error.to_string())?;
    let enabled = case["enable"].as_array().cloned().unwrap_or_default();
    let sets: Vec<&str> = BUILTIN_SETS
        .iter()
        .filter(|set| set.is_on_by_default() || enabled.iter().any(|name| name == set.name))
        .map(|set| set.name)
        .collect();
    let mut rules = RuleSet::from_sets(&sets);
    if !case["rules"].is_null() {
        rules = rules
            .with_user_rules(parse_file(&case["rules"].to_string()).map_err(|errors| format!("{errors:?}"))?);
    }
    let finish = match case["finish"].as_str() {
        Some("stop") => Finish::Stop,
        Some("length") => Finish::Length,
        _ => Finish::Unknown,
    };
    let text = case["arguments"].as_str().map_or_else(|| case["arguments"].to_string(), str::to_owned);
    let renamed = !codes.is_empty();
    Ok(match Normalizer::new(rules).normalize(&compiled, &RawArguments::text(&text, finish)) {
        Outcome::Unchanged => {
            let outcome = if renamed { "repaired" } else { "unchanged" };
            (outcome, serde_json::from_str(&text).map_err(|error| error.to_string())?)
        }
        Outcome::Repaired { arguments, changes } => {
            codes.extend(changes.iter().map(|change| change.code.to_string()));
            ("repaired", serde_json::from_str(&arguments).map_err(|error| error.to_string())?)
        }
        Outcome::Refused { problems, .. } => {
            codes.clear();
            codes.extend(problems.iter().map(|problem| problem.code.to_string()));
            ("refused", Value::Null)
        }
    })
}

#[test]
fn every_example_in_the_documentation_is_true() {
    let mut files = Vec::new();
    pages(&docs(), &mut files);
    let mut count = 0;
    let mut wrong = Vec::new();
    for file in files {
        let page = fs::read_to_string(&file).expect("a page can be read");
        for (line, example) in examples(&page) {
            count += 1;
            if let Err(message) = check(example) {
                wrong.push(format!("{}:{line}: {message}", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count} examples are wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count >= Code::ALL.len(), "only {count} examples");
}

#[test]
fn every_code_has_a_page_with_an_example() {
    for code in Code::ALL {
        let path = docs().join(format!("codes/{code}.md"));
        let page = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(page.starts_with(&format!("# {code}: {}", code.title())), "{}", path.display());
        assert!(!examples(&page).is_empty(), "{} has no example", path.display());
    }
}
