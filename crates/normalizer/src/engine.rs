//! The normalizer: one call through text, rules, envelope, repair and judgement.

use std::cell::Cell;

use bumpalo::Bump;
use toolwright_jsonrpc::raw::{self, Broken, Kind, MAX_DEPTH, Node, ParseErrorKind};
use toolwright_model::{Change, Code, Finish, Origin, Outcome, Problem};

use crate::call::{Call, Start, refused};
use crate::explain::{Trace, TraceStep};
use crate::repair::{Context, Effect, Fitter, Path, asks_to_destroy, preview, problem};
use crate::repeats::clash;
use crate::rules::RuleSet;
use crate::schema::Judge;
use crate::text::{self, FirstValue};
use crate::tool::Tool;
use crate::usual;

/// The longest arguments that are looked at.
pub const MAX_ARGUMENT_BYTES: usize = 16 << 20;

/// How often arguments may be JSON inside a string.
const MAX_ENCODINGS: usize = 4;

/// Arguments as they were sent.
#[derive(Clone, Copy, Debug)]
pub struct RawArguments<'a> {
    text: &'a str,
    finish: Finish,
    seed: &'a str,
}

/// An outcome with the way to it.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// What became of the call.
    pub outcome: Outcome,
    /// What was tried, in order.
    pub steps: Vec<TraceStep>,
}

/// Makes the arguments of tool calls fit. Cheap to share; takes no lock.
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

    /// What tells this call from another with the same arguments: ids that rules generate depend on it.
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

    /// The rules in force.
    pub fn rules(&self) -> &RuleSet {
        &self.rules
    }

    /// Judges a call's arguments and mends them where that is safe.
    pub fn normalize(&self, tool: &Tool, arguments: &RawArguments<'_>) -> Outcome {
        self.run(tool, arguments, &Trace::default())
    }

    /// The same, with everything that was tried.
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
            trace.rejected(&Path::Root, 0, || message.clone());
            return refused(vec![problem(Code::OverLimit, &Path::Root, message)], None);
        }
        let arena = Bump::new();
        let judge = Judge::new(tool.schema(), arguments.text.len());
        // The gate: strict JSON that the schema accepts goes on as it is.
        let parsed = raw::parse_or_break(arguments.text, &arena);
        let may_rule = self.rules.may_change_valid_calls(tool) && tool.origin() == Origin::Server;
        let mut is_accepted = false;
        if let Ok(parsed) = &parsed {
            if let Some(clash) = clash(parsed) {
                trace.rejected(&Path::Root, 0, || clash.message.clone());
                return refused(vec![clash], None);
            }
            let members = parsed.root.as_object();
            is_accepted = !may_rule && members.is_some() && judge.accepts(tool.schema().root(), &parsed.root);
            if is_accepted && !members.is_some_and(|members| self.rules.may_map(tool, members)) {
                trace.conclude(&[], 0, || "strict JSON that the schema accepts: unchanged".to_owned());
                return Outcome::Unchanged;
            }
            if !may_rule
                && !is_accepted
                && !trace.is_on()
                && let Some(outcome) = usual::mend(&self.rules, tool, &judge, &parsed.root, &arena)
            {
                return outcome;
            }
        }
        let rejected_by_gate = parsed.is_ok() && !may_rule && !is_accepted;
        trace.tried(&Path::Root, 0, || match &parsed {
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
            Ok(parsed) => Ok(Start::with(parsed.root)),
            Err(broken) => read_leniently(arguments.text, arguments.finish, Some(&broken), &arena, trace),
        };
        let start = start.and_then(|start| open_strings(start, arguments.finish, &arena, trace));
        let asks_to_destroy = start.as_ref().is_ok_and(|start| asks_to_destroy(&start.node));
        let context = Context {
            tool_words: tool.words(),
            parameters: tool.parameters(),
            effect: if asks_to_destroy { Effect::Destroys } else { tool.effect() },
            has_strict_flags: tool.has_strict_flags() || asks_to_destroy,
            seed: arguments.seed,
        };
        let fitter = Fitter {
            judge: &judge,
            arena: &arena,
            context,
            trace,
            moves: Cell::new(0),
            nesting: Cell::new(0),
            fits: Cell::new(0),
            payload: Cell::new(None),
        };
        match start {
            Ok(start) => Call { rules: &self.rules, tool, fitter, rejected_by_gate }.mend(start),
            Err(mut problems) => {
                let form = fitter.nearest_form(None, tool.name());
                // Nothing could be read, so the whole form is the nearest there is.
                if let (Some(form), [only]) = (&form, &mut problems[..])
                    && matches!(only.code, Code::UnreadableText | Code::TruncatedText)
                {
                    only.message.push_str(&format!("; the tool takes {form}"));
                }
                let is_clash = problems.iter().any(|problem| {
                    !matches!(problem.code, Code::UnreadableText | Code::TruncatedText | Code::Expression)
                });
                refused(problems, form.filter(|_| !is_clash))
            }
        }
    }
}

fn too_deep() -> Problem {
    let message = format!("the arguments nest deeper than {MAX_DEPTH} levels; send a flatter value");
    problem(Code::OverLimit, &Path::Root, message)
}

/// S3: arguments that are a string of JSON, up to [`MAX_ENCODINGS`] times over.
fn open_strings<'a>(
    mut start: Start<'a>,
    finish: Finish,
    arena: &'a Bump,
    trace: &Trace,
) -> Result<Start<'a>, Vec<Problem>> {
    for _ in 0..MAX_ENCODINGS {
        let Some(text) = start.node.as_text() else { break };
        let text: &'a str = arena.alloc_str(&text);
        let inner = match raw::parse_or_break(text, arena) {
            Ok(parsed) if parsed.conflicting_key.is_none() => Start::with(parsed.root),
            Ok(_) => read_leniently(text, finish, None, arena, trace)?,
            Err(broken) => read_leniently(text, finish, Some(&broken), arena, trace)?,
        };
        trace.chosen(&Path::Root, 0, || "JSON inside a string".to_owned());
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
        start = Start {
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
        return Err(vec![problem(Code::OverLimit, &Path::Root, message)]);
    }
    Ok(start)
}

/// S1: the mark that some programs put before a text.
fn without_byte_order_mark<'a>(
    rest: &str,
    finish: Finish,
    arena: &'a Bump,
    trace: &Trace,
) -> Result<Start<'a>, Vec<Problem>> {
    const WHY: &str = "a byte order mark before the value";
    let mut start = match raw::parse(arena.alloc_str(rest), arena) {
        Ok(parsed) => match clash(&parsed) {
            Some(clash) => return Err(vec![clash]),
            None => Start::with(parsed.root),
        },
        Err(error) if error.kind == ParseErrorKind::TooDeep => return Err(vec![too_deep()]),
        Err(_) => {
            let rest = rest.trim_start_matches('\u{feff}');
            read_leniently(rest, finish, None, arena, trace)?
        }
    };
    trace.chosen(&Path::Root, 0, || format!("read leniently: {WHY}"));
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
) -> Result<Start<'a>, Vec<Problem>> {
    if let Some(rest) = sent.strip_prefix('\u{feff}') {
        return without_byte_order_mark(rest, finish, arena, trace);
    }
    let text = sent.trim();
    if text.is_empty() || text == "None" || text == "undefined" {
        return Ok(Start::with(Node::built(Kind::Null)));
    }
    let refuse = |problem: Problem| {
        trace.rejected(&Path::Root, 0, || format!("read leniently: {}", problem.message));
        vec![problem]
    };
    let first = broken.map_or(FirstValue::Untried, FirstValue::after);
    let reading = text::read(sent, finish, first).map_err(|error| {
        let message = format!("{} (at byte {})", error.message, error.offset);
        refuse(problem(error.code, &Path::Root, message))
    })?;
    // What the strict parse has read is not read again.
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
                &Path::Root,
                format!("the text cannot be read as JSON: {error}"),
            ),
        })
    })?;
    let parsed = known.map_or(parsed, |(broken, _)| broken.joined(parsed, arena));
    if let Some(clash) = clash(&parsed) {
        return Err(refuse(clash));
    }
    for step in &reading.steps {
        trace.chosen(&Path::Root, step.risk(), || format!("read leniently: {}", step.describe()));
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
    Ok(Start {
        node: parsed.root,
        changes: reading.steps.iter().map(change).collect(),
        risk: reading.steps.iter().map(|step| step.risk()).sum(),
        guessed: reading.steps.iter().any(|step| step.may_split_strings()),
        callee: reading.callee,
        label: reading.label,
        outside: Some(reading.outside).into_iter().filter(|outside| !outside.is_blank()).collect(),
    })
}
