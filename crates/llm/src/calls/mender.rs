//! Judges one call by the tools of its request.

use std::sync::Arc;

use toolwright_jsonrpc::raw::{self, RawMember};
use toolwright_model::{Change, Code, Finish, Outcome, Problem};
use toolwright_normalizer::text::{self, FirstValue};
use toolwright_normalizer::{Normalizer, RawArguments, Tool, find_tool};

use super::cache::{KnownTool, Toolset};
use super::{CallReport, Delivery, GrowingCall, Mended, too_late};
use crate::dialects::namespace::full_name;
use crate::form::UNREADABLE;

/// How often arguments may be JSON inside a string.
const MAX_ENCODINGS: usize = 4;

/// How much of an unknown name is shown.
const SHOWN_CHARS: usize = 60;

/// Judges the calls of one exchange, and mends them where that is safe.
#[derive(Clone, Debug)]
pub struct Mender {
    normalizer: Arc<Normalizer>,
    tools: Arc<Toolset>,
    needs_objects: bool,
    /// Whether the client allows calls at all.
    allows_calls: bool,
}

/// A tool's name as it was sent, and what it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    name: String,
    sent: String,
    tool: Option<usize>,
    change: Option<Change>,
    unknown: Option<String>,
}

impl Named {
    fn new(sent: &str, name: &str, tool: Option<usize>) -> Named {
        Named { name: name.to_owned(), sent: sent.to_owned(), tool, change: None, unknown: None }
    }

    /// The name that is passed on.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it stands for one of the request's tools.
    pub fn is_known(&self) -> bool {
        self.tool.is_some()
    }
}

impl Mender {
    /// For who gets the calls: `needs_objects` when arguments that are no object would break its reading.
    pub fn new(normalizer: Arc<Normalizer>, tools: Arc<Toolset>, needs_objects: bool) -> Mender {
        Mender { normalizer, tools, needs_objects, allows_calls: true }
    }

    /// The same for a client that allows no calls (`tool_choice: "none"`): what the model calls all the same is told as
    /// text.
    pub fn without_calls(self) -> Mender {
        Mender { allows_calls: false, ..self }
    }

    /// Whether the client allows calls.
    pub(super) fn allows_calls(&self) -> bool {
        self.allows_calls
    }

    /// Finds the tool that a name stands for: as it is, in another case or with other separators, and for a tool that
    /// destroys nothing without a known wrapper. What is no tool's name stays as it is.
    pub fn name(&self, sent: &str) -> Named {
        if let Some(index) = self.tools.position(sent) {
            return Named::new(sent, sent, Some(index));
        }
        self.tools.looked_up(sent, || self.look_up(sent)).unwrap_or_else(|| {
            let why =
                "it is not in the list, and after so many unknown names it was not compared with the list";
            let shown: String = sent.chars().take(SHOWN_CHARS).collect();
            Named {
                unknown: Some(format!("there is no tool \"{shown}\": {why}")),
                ..Named::new(sent, sent, None)
            }
        })
    }

    /// The same for a name that is no tool's as it is.
    fn look_up(&self, sent: &str) -> Named {
        let found = match find_tool(sent, &self.tools.names(), &[]) {
            Ok(found) => found,
            Err(error) => return Named { unknown: Some(error.to_string()), ..Named::new(sent, sent, None) },
        };
        let name = self.tools.tool(found.index).map_or(sent, KnownTool::name);
        let change = found.code.map(|code| Change {
            code,
            path: String::new(),
            from: Some(raw::quote(sent)),
            to: Some(raw::quote(name)),
            rule: None,
            rule_type: None,
            why: code.title().to_owned(),
        });
        Named { change, ..Named::new(sent, name, Some(found.index)) }
    }

    /// The same for the name of a tool in a namespace: nothing outside of it is meant.
    pub fn name_in(&self, namespace: Option<&str>, sent: &str) -> Named {
        let Some(namespace) = namespace else { return self.name(sent) };
        let full = full_name(namespace, sent);
        let named = self.name(&full);
        if named.name.starts_with(&full_name(namespace, "")) {
            return named;
        }
        let why = format!("the tool \"{sent}\" is not in the namespace \"{namespace}\"");
        Named { name: full.clone(), sent: full, tool: None, change: None, unknown: Some(why) }
    }

    /// Judges whole arguments. `finish` says how the turn ended, as far as this call was its last.
    pub fn arguments(&self, named: &Named, sent: &str, finish: Finish) -> Mended {
        let known = named.tool.and_then(|index| self.tools.tool(index));
        let judged = known.and_then(KnownTool::judged);
        let outcome = match judged {
            Some(tool) => self.normalizer.normalize(tool, &RawArguments::text(sent, finish)),
            None => unjudged(named),
        };
        let is_cut = finish == Finish::Length && raw::check(sent).is_err();
        let delivery = match &outcome {
            _ if is_cut => Delivery::CutOff,
            Outcome::Repaired { arguments, .. } => Delivery::Instead(arguments.clone()),
            Outcome::Unchanged if judged.is_some() => Delivery::AsSent,
            Outcome::Unchanged | Outcome::Refused { .. } => {
                self.deliver_refused(judged.map(|tool| &**tool), sent, finish)
            }
        };
        let instead = match &delivery {
            Delivery::Instead(arguments) => Some(arguments.clone()),
            Delivery::AsSent | Delivery::CutOff => None,
        };
        let report = CallReport {
            name: named.name.clone(),
            sent_name: named.sent.clone(),
            sent: sent.to_owned(),
            instead,
            name_change: named.change.clone(),
            outcome,
            unknown_tool: named.unknown.clone(),
            unjudged_tool: known.and_then(KnownTool::tell_problem),
            is_cut,
            is_too_late: false,
        };
        Mended { delivery, report }
    }

    /// Judges the arguments of a call in the history. How its turn ended is not known any more.
    pub fn history_arguments(&self, named: &Named, sent: &str) -> Mended {
        let unlisted = self.unlisted_arguments(named, sent);
        unlisted.unwrap_or_else(|| self.arguments(named, sent, Finish::Unknown))
    }

    /// What the rules that name a tool make of a call in the history, where the request does not bring the tool. No
    /// schema speaks of it, so that nothing else is changed.
    fn unlisted_arguments(&self, named: &Named, sent: &str) -> Option<Mended> {
        if named.is_known() || !self.normalizer.rules().names_tool(&named.sent) || !is_object(sent) {
            return None;
        }
        let tool = Tool::unlisted(&named.sent).ok()?;
        let outcome = self.normalizer.normalize(&tool, &RawArguments::text(sent, Finish::Unknown));
        let Outcome::Repaired { arguments, changes } = &outcome else { return None };
        if changes.iter().any(|change| change.rule.is_none()) {
            return None;
        }
        let report = CallReport {
            name: named.name.clone(),
            sent_name: named.sent.clone(),
            sent: sent.to_owned(),
            instead: Some(arguments.clone()),
            name_change: None,
            unknown_tool: None,
            unjudged_tool: None,
            is_cut: false,
            is_too_late: false,
            outcome: outcome.clone(),
        };
        Some(Mended { delivery: Delivery::Instead(arguments.clone()), report })
    }

    /// Follows arguments that come in pieces.
    pub fn growing(&self, named: &Named) -> GrowingCall {
        GrowingCall::new(self.clone(), named.clone())
    }

    pub(super) fn normalizer(&self) -> &Arc<Normalizer> {
        &self.normalizer
    }

    /// The compiled tool that a name stands for.
    pub(super) fn tool(&self, named: &Named) -> Option<&Arc<Tool>> {
        self.tools.tool(named.tool?)?.judged()
    }

    /// What to write behind a part that has left of arguments that cannot be read, for clients that would take the part
    /// for the whole.
    pub(crate) fn marked_rest(&self, left: &str, sent: &str) -> Option<String> {
        if !self.needs_objects || raw::check(sent).is_ok() {
            return None;
        }
        too_late::marked_rest(left, sent)
    }

    /// Arguments that nothing is done about: in a form whose failure the client reports to the model.
    fn deliver_refused(&self, tool: Option<&Tool>, sent: &str, finish: Finish) -> Delivery {
        if is_object(sent) || tool.is_none() && !self.needs_objects {
            return Delivery::AsSent;
        }
        // Who takes the object for good would do what the normalizer has refused.
        let fails = |object: &str| tool.is_none_or(|tool| !tool.accepts(object));
        if let Some(object) = best_parse(sent, finish).filter(|object| fails(object)) {
            return Delivery::Instead(object);
        }
        if !self.needs_objects {
            return Delivery::AsSent;
        }
        if sent.trim().is_empty() && fails("{}") {
            return Delivery::Instead("{}".to_owned());
        }
        Delivery::Instead(format!("{{{}:{}}}", raw::quote(UNREADABLE), raw::quote(sent)))
    }
}

/// What is said of arguments that no schema speaks of.
fn unjudged(named: &Named) -> Outcome {
    match &named.unknown {
        None => Outcome::Unchanged,
        Some(message) => {
            let problem = Problem { code: Code::UnknownTool, path: String::new(), message: message.clone() };
            Outcome::Refused { problems: vec![problem], hint: message.clone() }
        }
    }
}

/// Whether the text is strictly a JSON object.
pub(super) fn is_object(text: &str) -> bool {
    raw::members(text).is_ok()
}

/// The object that a text was meant as, with nothing in it changed.
fn best_parse(sent: &str, finish: Finish) -> Option<String> {
    let mut text = sent.to_owned();
    for _ in 0..MAX_ENCODINGS {
        let json = match raw::check(&text) {
            Ok(()) => text,
            Err(_) => text::read(&text, finish, FirstValue::Untried).ok()?.json,
        };
        if is_object(&json) {
            return Some(json);
        }
        text = decoded(&json)?;
    }
    None
}

/// The text of a JSON string.
fn decoded(json: &str) -> Option<String> {
    let listed = format!("{{\"a\":{json}}}");
    let members: Vec<RawMember<'_>> = raw::members(&listed).ok()?;
    members.first()?.to_json().to_text()
}
