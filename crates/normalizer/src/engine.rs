//! The normalizer: one call through parsing, rules, envelope, repair and validation.

use std::cell::Cell;

use bumpalo::Bump;
use toolwright_jsonrpc::raw::{self, Broken, Kind, MAX_DEPTH, Node, ParseErrorKind};
use toolwright_model::{Change, Code, Finish, Origin, Outcome, Problem};

use crate::call::{CallRepair, ParsedArguments, refused};
use crate::explain::{Trace, TraceStep};
use crate::fast_path;
use crate::repair::{Fitter, RepairContext, ToolEffect, ValuePath, preview, problem, requests_destruction};
use crate::repeats::key_conflict;
use crate::rules::RuleSet;
use crate::schema::Validator;
use crate::text::{self, FirstValue};
use crate::tool::Tool;

/// Maximum length of the arguments.
pub const MAX_ARGUMENT_BYTES: usize = 16 << 20;

/// Maximum number of string encodings around the arguments.
const MAX_ENCODINGS: usize = 4;

/// Arguments as they were sent.
#[derive(Clone, Copy, Debug)]
pub struct RawArguments<'a> {
    text: &'a str,
    finish: Finish,
    seed: &'a str,
}

/// An outcome with its trace.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The outcome of the call.
    pub outcome: Outcome,
    /// The steps that were tried, in order.
    pub steps: Vec<TraceStep>,
}

/// Makes the arguments of tool calls valid. Cheap to share; takes no lock.
#[derive(Clone, Debug)]
pub struct Normalizer {
    rules: RuleSet,
}

impl<'a> RawArguments<'a> {
    /// Arguments that arrived as a JSON value.
    pub fn json(text: &'a str) -> Self {
        RawArguments { text, finish: Finish::Unknown, seed: "" }
    }

    /// Arguments as a model wrote them, and how its turn ended.
    pub fn text(text: &'a str, finish: Finish) -> Self {
        RawArguments { text, finish, seed: "" }
    }

    /// Distinguishes this call from another with the same arguments: ids that rules generate depend on it.
    pub fn with_seed(self, seed: &'a str) -> Self {
        RawArguments { seed, ..self }
    }
}

impl Default for Normalizer {
    fn default() -> Self {
        Normalizer::new(RuleSet::builtin())
    }
}

impl Normalizer {
    /// A normalizer with these rules.
    pub fn new(rules: RuleSet) -> Self {
        Normalizer { rules }
    }

    /// The active rules.
    pub fn rules(&self) -> &RuleSet {
        &self.rules
    }

    /// Validates a call's arguments and repairs them where that is safe.
    pub fn normalize(&self, tool: &Tool, arguments: &RawArguments<'_>) -> Outcome {
        self.run(tool, arguments, &Trace::default())
    }

    /// Normalizes, and returns every step that was tried.
    pub fn explain(&self, tool: &Tool, arguments: &RawArguments<'_>) -> Explanation {
        let trace = Trace::on();
        let outcome = self.run(tool, arguments, &trace);
        Explanation { outcome, steps: trace.into_steps() }
    }

    fn run(&self, tool: &Tool, arguments: &RawArguments<'_>, trace: &Trace) -> Outcome {
        if arguments.text.len() > MAX_ARGUMENT_BYTES {
            let message = format!(
                "the arguments have {} bytes; at most {MAX_ARGUMENT_BYTES} are taken, so send less at once",
                arguments.text.len()
            );
            trace.rejected(&ValuePath::Root, 0, || message.clone());
            return refused(vec![problem(Code::OverLimit, &ValuePath::Root, message)], None);
        }
        let arena = Bump::new();
        let validator = Validator::new(tool.schema(), arguments.text.len());
        // The gate: strict JSON that the schema accepts is forwarded unchanged.
        let parsed = raw::parse_or_break(arguments.text, &arena);
        let may_rule = self.rules.may_change_valid_calls(tool) && tool.origin() == Origin::Server;
        let mut is_accepted = false;
        if let Ok(parsed) = &parsed {
            if let Some(key_conflict) = key_conflict(parsed) {
                trace.rejected(&ValuePath::Root, 0, || key_conflict.message.clone());
                return refused(vec![key_conflict], None);
            }
            let members = parsed.root.as_object();
            is_accepted =
                !may_rule && members.is_some() && validator.accepts(tool.schema().root(), &parsed.root);
            if is_accepted && !members.is_some_and(|members| self.rules.may_map(tool, members)) {
                trace.conclude(&[], 0, || "strict JSON that the schema accepts: unchanged".to_owned());
                return Outcome::Unchanged;
            }
            if !may_rule
                && !is_accepted
                && !trace.is_on()
                && let Some(outcome) = fast_path::repair(&self.rules, tool, &validator, &parsed.root, &arena)
            {
                return outcome;
            }
        }
        let rejected_by_gate = parsed.is_ok() && !may_rule && !is_accepted;
        trace.tried(&ValuePath::Root, 0, || match &parsed {
            Err(broken) => format!("not strict JSON: {}", broken.error),
            Ok(_) if may_rule || is_accepted => {
                "strict JSON, but rules may change even valid calls".to_owned()
            }
            Ok(_) => "strict JSON that the schema does not accept".to_owned(),
        });
        if parsed.as_ref().is_err_and(|broken| broken.error.kind == ParseErrorKind::TooDeep) {
            return refused(vec![too_deep()], None);
        }
        let start = match parsed {
            Ok(parsed) => Ok(ParsedArguments::with(parsed.root)),
            Err(broken) => read_leniently(arguments.text, arguments.finish, Some(&broken), &arena, trace),
        };
        let start = start.and_then(|start| open_strings(start, arguments.finish, &arena, trace));
        let requests_destruction = start.as_ref().is_ok_and(|start| requests_destruction(&start.node));
        let context = RepairContext {
            tool_words: tool.words(),
            parameters: tool.parameters(),
            effect: if requests_destruction { ToolEffect::Destroys } else { tool.effect() },
            has_strict_flags: tool.has_strict_flags() || requests_destruction,
            seed: arguments.seed,
        };
        let fitter = Fitter {
            validator: &validator,
            arena: &arena,
            context,
            trace,
            moves: Cell::new(0),
            nesting: Cell::new(0),
            fits: Cell::new(0),
            payload: Cell::new(None),
        };
        match start {
            Ok(start) => CallRepair { rules: &self.rules, tool, fitter, rejected_by_gate }.repair_call(start),
            Err(mut problems) => {
                let form = fitter.nearest_form(None, tool.name());
                // Nothing could be parsed, so the whole form is the closest one.
                if let (Some(form), [only]) = (&form, &mut problems[..])
                    && matches!(only.code, Code::UnreadableText | Code::TruncatedText)
                {
                    only.message.push_str(&format!("; the tool takes {form}"));
                }
                let has_conflict = problems.iter().any(|problem| {
                    !matches!(problem.code, Code::UnreadableText | Code::TruncatedText | Code::Expression)
                });
                refused(problems, form.filter(|_| !has_conflict))
            }
        }
    }
}

fn too_deep() -> Problem {
    let message = format!("the arguments nest deeper than {MAX_DEPTH} levels; send a flatter value");
    problem(Code::OverLimit, &ValuePath::Root, message)
}

/// S3: arguments that are JSON inside a string, up to [`MAX_ENCODINGS`] levels.
fn open_strings<'a>(
    mut start: ParsedArguments<'a>,
    finish: Finish,
    arena: &'a Bump,
    trace: &Trace,
) -> Result<ParsedArguments<'a>, Vec<Problem>> {
    for _ in 0..MAX_ENCODINGS {
        let Some(text) = start.node.as_text() else { break };
        let text: &'a str = arena.alloc_str(&text);
        let inner = match raw::parse_or_break(text, arena) {
            Ok(parsed) if parsed.conflicting_key.is_none() => ParsedArguments::with(parsed.root),
            Ok(_) => read_leniently(text, finish, None, arena, trace)?,
            Err(broken) => read_leniently(text, finish, Some(&broken), arena, trace)?,
        };
        trace.chosen(&ValuePath::Root, 0, || "JSON inside a string".to_owned());
        start.changes.push(Change {
            code: Code::DoubleEncoding,
            path: String::new(),
            from: Some(preview(&start.node)),
            to: Some(preview(&inner.node)),
            rule: None,
            rule_type: None,
            why: "JSON inside a string".to_owned(),
        });
        start.changes.extend(inner.changes);
        start.outside.extend(inner.outside);
        start = ParsedArguments {
            node: inner.node,
            risk: start.risk + inner.risk,
            guessed: start.guessed || inner.guessed,
            callee: start.callee.or(inner.callee),
            label: start.label.or(inner.label),
            ..start
        };
    }
    if start.node.as_text().is_some() {
        let message = format!(
            "the arguments are JSON inside a string more than {MAX_ENCODINGS} times over; send the object itself"
        );
        return Err(vec![problem(Code::OverLimit, &ValuePath::Root, message)]);
    }
    Ok(start)
}

/// S1: a byte order mark before the text.
fn without_byte_order_mark<'a>(
    rest: &str,
    finish: Finish,
    arena: &'a Bump,
    trace: &Trace,
) -> Result<ParsedArguments<'a>, Vec<Problem>> {
    const WHY: &str = "a byte order mark before the value";
    let mut start = match raw::parse(arena.alloc_str(rest), arena) {
        Ok(parsed) => match key_conflict(&parsed) {
            Some(key_conflict) => return Err(vec![key_conflict]),
            None => ParsedArguments::with(parsed.root),
        },
        Err(error) if error.kind == ParseErrorKind::TooDeep => return Err(vec![too_deep()]),
        Err(_) => {
            let rest = rest.trim_start_matches('\u{feff}');
            read_leniently(rest, finish, None, arena, trace)?
        }
    };
    trace.chosen(&ValuePath::Root, 0, || format!("read leniently: {WHY}"));
    let mark = Change {
        code: Code::LenientSyntax,
        path: String::new(),
        from: Some(raw::quote(WHY)),
        to: None,
        rule: None,
        rule_type: None,
        why: WHY.to_owned(),
    };
    start.changes.insert(0, mark);
    Ok(start)
}

fn read_leniently<'a>(
    sent: &str,
    finish: Finish,
    broken: Option<&Broken<'a>>,
    arena: &'a Bump,
    trace: &Trace,
) -> Result<ParsedArguments<'a>, Vec<Problem>> {
    if let Some(rest) = sent.strip_prefix('\u{feff}') {
        return without_byte_order_mark(rest, finish, arena, trace);
    }
    let text = sent.trim();
    if text.is_empty() || text == "None" || text == "undefined" {
        return Ok(ParsedArguments::with(Node::built(Kind::Null)));
    }
    let refuse = |problem: Problem| {
        trace.rejected(&ValuePath::Root, 0, || format!("read leniently: {}", problem.message));
        vec![problem]
    };
    let first = broken.map_or(FirstValue::Untried, FirstValue::after);
    let reading = text::read(sent, finish, first).map_err(|error| {
        let message = format!("{} (at byte {})", error.message, error.offset);
        refuse(problem(error.code, &ValuePath::Root, message))
    })?;
    // The part that the strict parser has already parsed is not parsed again.
    let known = broken.zip(reading.strict_until);
    let json: &'a str = match known {
        Some((_, until)) => {
            let rest = &reading.json[until..];
            arena.alloc_str(&format!("{{{}", rest.strip_prefix(',').unwrap_or(rest)))
        }
        None => arena.alloc_str(&reading.json),
    };
    let parsed = raw::parse(json, arena).map_err(|error| {
        refuse(match error.kind {
            ParseErrorKind::TooDeep => too_deep(),
            _ => problem(
                Code::UnreadableText,
                &ValuePath::Root,
                format!("the text cannot be read as JSON: {error}"),
            ),
        })
    })?;
    let parsed = known.map_or(parsed, |(broken, _)| broken.joined(parsed, arena));
    if let Some(key_conflict) = key_conflict(&parsed) {
        return Err(refuse(key_conflict));
    }
    for step in &reading.steps {
        trace.chosen(&ValuePath::Root, step.risk(), || format!("read leniently: {}", step.describe()));
    }
    let change = |step: &text::Step| Change {
        code: step.code(),
        path: String::new(),
        from: Some(raw::quote(step.describe())),
        to: None,
        rule: None,
        rule_type: None,
        why: step.describe().to_owned(),
    };
    Ok(ParsedArguments {
        node: parsed.root,
        changes: reading.steps.iter().map(change).collect(),
        risk: reading.steps.iter().map(|step| step.risk()).sum(),
        guessed: reading.steps.iter().any(|step| step.may_split_strings()),
        callee: reading.callee,
        label: reading.label,
        outside: Some(reading.outside).into_iter().filter(|outside| !outside.is_blank()).collect(),
    })
}
