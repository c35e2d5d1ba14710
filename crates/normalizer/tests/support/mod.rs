//! Shared helpers: tools made from a schema, normalizers made from rules, and one-line outcomes for
//! assertions.

// Every test file uses its own part.
#![allow(dead_code)]

use toolwright_model::{Annotations, Change, Code, Origin, Outcome, Problem, ToolDefinition};
use toolwright_normalizer::rules::{BUILTIN_SETS, Rule, RuleFileError, parse_file};
use toolwright_normalizer::{Normalizer, RawArguments, RuleSet, Tool};

/// A tool of an MCP server.
pub fn tool(name: &str, input_schema: &str) -> Tool {
    compile(ToolDefinition {
        name: name.into(),
        input_schema: input_schema.into(),
        ..ToolDefinition::default()
    })
}

/// A tool of a named MCP server.
pub fn tool_of_server(server: &str, name: &str, input_schema: &str) -> Tool {
    compile(ToolDefinition {
        name: name.into(),
        server: Some(server.into()),
        input_schema: input_schema.into(),
        ..ToolDefinition::default()
    })
}

/// One of Toolwright's built-in tools.
pub fn builtin_tool(name: &str, input_schema: &str) -> Tool {
    compile(ToolDefinition {
        name: name.into(),
        origin: Origin::BuiltIn,
        input_schema: input_schema.into(),
        ..ToolDefinition::default()
    })
}

/// A tool that its server marks as destructive.
pub fn destructive_tool(name: &str, input_schema: &str) -> Tool {
    compile(ToolDefinition {
        name: name.into(),
        input_schema: input_schema.into(),
        annotations: Annotations { destructive: true, ..Annotations::default() },
        ..ToolDefinition::default()
    })
}

fn compile(definition: ToolDefinition) -> Tool {
    Tool::compile(&definition).unwrap_or_else(|error| panic!("{}: {error}", definition.input_schema))
}

/// A closed object schema with these properties, written as the contents of the braces.
pub fn closed(properties: &str, required: &[&str]) -> String {
    object(properties, required, r#","additionalProperties":false"#)
}

/// An object schema without `additionalProperties`, as most servers write it.
pub fn open(properties: &str, required: &[&str]) -> String {
    object(properties, required, "")
}

fn object(properties: &str, required: &[&str], rest: &str) -> String {
    format!(r#"{{"type":"object","properties":{{{properties}}},"required":{required:?}{rest}}}"#)
}

/// The normalizer with the built-in sets that are on by default.
pub fn by_default() -> Normalizer {
    Normalizer::default()
}

/// The normalizer without any rule: repairs by schema only.
pub fn without_rules() -> Normalizer {
    Normalizer::new(RuleSet::empty())
}

/// The normalizer with exactly these built-in sets.
pub fn with_sets(names: &[&str]) -> Normalizer {
    Normalizer::new(RuleSet::from_sets(names))
}

/// The default sets and one that is off by default.
pub fn with_set_switched_on(name: &str) -> Normalizer {
    let wanted = |set: &&str| *set == name || default_sets().contains(set);
    let names: Vec<&str> = BUILTIN_SETS.iter().map(|set| set.name).filter(wanted).collect();
    with_sets(&names)
}

/// The default sets without one of them.
pub fn with_set_switched_off(name: &str) -> Normalizer {
    let names: Vec<&str> = default_sets().into_iter().filter(|set| *set != name).collect();
    with_sets(&names)
}

/// The names of the sets that are on by default.
pub fn default_sets() -> Vec<&'static str> {
    BUILTIN_SETS.iter().filter(|set| set.is_on_by_default()).map(|set| set.name).collect()
}

/// The normalizer with only these rules of the user, as a rules file.
pub fn with_rules(file: &str) -> Normalizer {
    Normalizer::new(RuleSet::empty().with_user_rules(rules(file)))
}

/// The rules of a file that has no mistakes.
pub fn rules(file: &str) -> Vec<Rule> {
    parse_file(file).unwrap_or_else(|errors| panic!("{}", in_lines(&errors)))
}

/// The mistakes of a rules file as the user sees them, one per line with its fix.
pub fn mistakes(file: &str) -> String {
    match parse_file(file) {
        Ok(rules) => panic!("no mistake found, but {} rules", rules.len()),
        Err(errors) => in_lines(&errors),
    }
}

fn in_lines(errors: &[RuleFileError]) -> String {
    errors.iter().map(|error| format!("{error}\n  fix: {}", error.fix)).collect::<Vec<_>>().join("\n")
}

/// The whole outcome.
pub fn outcome(normalizer: &Normalizer, tool: &Tool, arguments: &str) -> Outcome {
    normalizer.normalize(tool, &RawArguments::json(arguments))
}

/// The repaired arguments and the changes; fails if the call was not repaired.
pub fn repair(normalizer: &Normalizer, tool: &Tool, arguments: &str) -> (String, Vec<Change>) {
    match outcome(normalizer, tool, arguments) {
        Outcome::Repaired { arguments: repaired_text, changes } => {
            assert!(!changes.is_empty(), "a repair without a change: {arguments} → {repaired_text}");
            (repaired_text, changes)
        }
        other => panic!("{arguments} should be mended, but: {other:?}"),
    }
}

/// The repaired arguments alone.
pub fn repaired(normalizer: &Normalizer, tool: &Tool, arguments: &str) -> String {
    repair(normalizer, tool, arguments).0
}

/// The changes alone.
pub fn changes(normalizer: &Normalizer, tool: &Tool, arguments: &str) -> Vec<Change> {
    repair(normalizer, tool, arguments).1
}

/// The ids of the rules that changed something, in order.
pub fn fired(normalizer: &Normalizer, tool: &Tool, arguments: &str) -> Vec<String> {
    changes(normalizer, tool, arguments).into_iter().filter_map(|change| change.rule).collect()
}

/// The problems of a refused call.
pub fn refusal(normalizer: &Normalizer, tool: &Tool, arguments: &str) -> Vec<Problem> {
    match outcome(normalizer, tool, arguments) {
        Outcome::Refused { problems, hint } => {
            assert!(!problems.is_empty() && !hint.is_empty(), "a refusal without a reason: {arguments}");
            problems
        }
        other => panic!("{arguments} should be refused, but: {other:?}"),
    }
}

/// The codes of a refused call.
pub fn refused(normalizer: &Normalizer, tool: &Tool, arguments: &str) -> Vec<Code> {
    refusal(normalizer, tool, arguments).into_iter().map(|problem| problem.code).collect()
}

/// Asserts that the call is forwarded unchanged.
#[track_caller]
pub fn assert_unchanged(normalizer: &Normalizer, tool: &Tool, arguments: &str) {
    assert_eq!(outcome(normalizer, tool, arguments), Outcome::Unchanged, "{arguments}");
}

/// Asserts that the call is repaired to exactly this text, and that the repair is idempotent.
#[track_caller]
pub fn assert_repaired(normalizer: &Normalizer, tool: &Tool, arguments: &str, expected: &str) {
    let repaired_text = repaired(normalizer, tool, arguments);
    assert_eq!(repaired_text, expected, "{arguments}");
    assert_eq!(outcome(normalizer, tool, &repaired_text), Outcome::Unchanged, "{repaired_text} comes again");
}

/// One line per change: code, position, before, after and the rule.
pub fn report(changes: &[Change]) -> String {
    let shown = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
    let line = |change: &Change| {
        let rule = change.rule.as_deref().unwrap_or("-");
        let (from, to) = (shown(&change.from), shown(&change.to));
        format!("{} {} {from} → {to} by {rule}: {}", change.code, change.path, change.why)
    };
    changes.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Four times as much must take about four times as long; comparing everything with everything takes
/// sixteen times. Machines are busy: the best of some rounds counts, and a busy machine gets more rounds.
#[track_caller]
pub fn assert_grows_linearly(amount: usize, mut work: impl FnMut(usize)) {
    let mut timed = |amount: usize| {
        let start = std::time::Instant::now();
        work(amount);
        start.elapsed().as_secs_f64()
    };
    let (mut less, mut more) = (f64::INFINITY, f64::INFINITY);
    for round in 1..=20 {
        less = less.min(timed(amount));
        more = more.min(timed(4 * amount));
        if round >= 3 && more < 11.0 * less {
            return;
        }
    }
    panic!("four times as much takes {:.1} times as long", more / less);
}
