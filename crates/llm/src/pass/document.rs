//! Whole requests and answers.

use std::borrow::Cow;

use toolwright_jsonrpc::raw;

use super::ending::{Said, finish_of, note_correction, note_text_calls};
use super::mend::{self, CallReport, Delivery, Finish, Mender};
use super::walk::decoded;
use super::{
    CallKey, FUNCTION_CALL, Identity, Shape, Span, Spot, What, edit, spots_in_answer, spots_in_request,
    text_calls,
};
use crate::form::{CallIds, Stop, Usage};
use crate::{Dialect, Notes, dialects};

/// What passing an answer needs to know of its request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassOptions {
    /// The name of the model that the client asked for, where the upstream has another.
    pub model: Option<String>,
    /// The tools that a model may call by writing text; none where no such calls are looked for.
    pub text_tools: Vec<String>,
    /// Letters and digits that ids of such calls are made of.
    pub id_seed: String,
}

/// An id for a call that has none of its own.
pub(super) fn made_id(seed: &str, number: usize) -> String {
    format!("call_{seed}_{number}")
}

/// A request as it goes on.
#[derive(Debug)]
pub struct PassedRequest<'b> {
    /// The body; the same bytes where nothing had to change.
    pub body: Cow<'b, str>,
    /// What was mended in the calls of the history.
    pub reports: Vec<CallReport>,
}

/// An answer as it goes on.
#[derive(Debug)]
pub struct PassedAnswer<'b> {
    /// The body; the same bytes where nothing had to change.
    pub body: Cow<'b, str>,
    /// What was found and done about its calls, one report for each.
    pub reports: Vec<CallReport>,
    /// What else was corrected.
    pub notes: Notes,
    /// What it cost.
    pub usage: Usage,
    /// Why it ended, corrected.
    pub stop: Option<Stop>,
    /// The model, as the upstream calls it.
    pub model: Option<String>,
    /// So many of the calls were written as text.
    pub text_calls: usize,
}

/// Passes a request. `model` is the name that the upstream knows the model by, where it is another.
pub fn request<'b>(
    dialect: Dialect,
    body: &'b str,
    model: Option<&str>,
    mender: &Mender,
) -> PassedRequest<'b> {
    let mut calls = Calls::new(dialect, body, mender);
    for spot in spots_in_request(dialect, body) {
        match spot {
            Spot::Model(span) => calls.replace_text(span, model),
            Spot::Call { what, .. } => calls.take(what, Turn::Past),
            _ => {}
        }
    }
    calls.reports.retain(CallReport::is_changed);
    PassedRequest { body: edited(body, &calls.edits), reports: calls.reports }
}

/// Passes a whole answer.
pub fn answer<'b>(
    dialect: Dialect,
    body: &'b str,
    options: &PassOptions,
    mender: &Mender,
) -> PassedAnswer<'b> {
    let spots = spots_in_answer(dialect, body);
    let mut calls = Calls::new(dialect, body, mender);
    let (mut counts, mut named, mut stop, mut notes) = (Usage::default(), None, None, Notes::default());
    let text_calls = calls.take_text(dialect, &spots, options);
    if text_calls > 0 {
        note_text_calls(&mut notes, text_calls);
    }
    for (at, spot) in spots.iter().enumerate() {
        match spot {
            Spot::Model(span) => {
                named = Some(decoded(body, span).into_owned());
                calls.replace_text(span.clone(), options.model.as_deref());
            }
            Spot::Usage(span) => counts.update(&dialects::of(dialect).read_usage(&body[span.clone()])),
            Spot::Call { key, what } => {
                let finish = if matches!(what, What::Arguments(..)) {
                    finish_after(&spots[at..], key.part)
                } else {
                    Finish::Stop
                };
                match what {
                    What::Identity(identity) => calls.identify(key, identity, options),
                    What::CallId(span) => calls.tell_apart(span, options),
                    _ => {}
                }
                calls.take(what.clone(), Turn::Now(finish));
            }
            Spot::Finish { part, span, stop: told } => {
                let mut said = said_in(&spots, *part, dialect);
                said.calls += text_calls;
                let (meant, word) = said.corrected(dialect, told);
                if let (Some(word), Some(span)) = (word, span) {
                    note_correction(&mut notes, &decoded(body, span), word);
                    calls.replace_text(span.clone(), Some(word));
                }
                stop.get_or_insert(meant);
            }
            _ => {}
        }
    }
    PassedAnswer {
        body: edited(body, &calls.edits),
        reports: calls.reports,
        notes,
        usage: counts,
        stop,
        model: named,
        text_calls,
    }
}

/// How the turn ended for the call that these spots begin in: only the last of a choice can have been cut off.
fn finish_after(spots: &[Spot], choice: u64) -> Finish {
    let mut found = spots.iter().filter_map(|spot| match spot {
        Spot::Call { key, what: What::Start } if key.part == choice => Some(Finish::Stop),
        Spot::Finish { part, stop, .. } if *part == choice => Some(finish_of(stop)),
        _ => None,
    });
    found.next().unwrap_or(Finish::Unknown)
}

/// What was said in a choice.
fn said_in(spots: &[Spot], choice: u64, dialect: Dialect) -> Said {
    let mut said = Said::default();
    let has_choices = dialects::of(dialect).stream_rules().has_choices;
    for spot in spots {
        match spot {
            Spot::Call { key, what: What::Start } if key.part == choice => {
                said.calls += 1;
                said.has_function_call |= key.index == Some(FUNCTION_CALL);
            }
            Spot::Content { part, may_be_call: true } if *part == choice || !has_choices => {
                said.has_unknown = true;
            }
            _ => {}
        }
    }
    said
}

fn edited<'b>(body: &'b str, edits: &[(Span, String)]) -> Cow<'b, str> {
    if edits.is_empty() { Cow::Borrowed(body) } else { Cow::Owned(edit(body, edits)) }
}

/// Which turn a call is of.
#[derive(Clone, Copy)]
enum Turn {
    /// One of the history.
    Past,
    /// The one that is answered now, and how it ended.
    Now(Finish),
}

/// The calls of a document, one after the other.
struct Calls<'b> {
    dialect: Dialect,
    shape: Shape,
    body: &'b str,
    mender: &'b Mender,
    /// The namespace of the call's tool.
    namespace: Option<String>,
    named: Option<mend::Named>,
    /// The ids of the calls so far, and how many were looked at.
    ids: CallIds,
    identified: usize,
    edits: Vec<(Span, String)>,
    reports: Vec<CallReport>,
}

impl<'b> Calls<'b> {
    fn new(dialect: Dialect, body: &'b str, mender: &'b Mender) -> Calls<'b> {
        let shape = Shape::of(dialect);
        Calls {
            dialect,
            shape,
            body,
            mender,
            namespace: None,
            named: None,
            ids: CallIds::default(),
            identified: 0,
            edits: Vec::new(),
            reports: Vec::new(),
        }
    }

    /// Puts this text in the place of the string there, unless it is the same.
    fn replace_text(&mut self, span: Span, text: Option<&str>) {
        let Some(text) = text.filter(|text| *text != decoded(self.body, &span)) else { return };
        self.edits.push((span, raw::quote(text)));
    }

    /// Puts calls in the place of a text that is nothing else. Tells how many.
    fn take_text(&mut self, dialect: Dialect, spots: &[Spot], options: &PassOptions) -> usize {
        if options.text_tools.is_empty() {
            return 0;
        }
        let (mut text, mut list) = (None, None);
        for spot in spots {
            match spot {
                Spot::Text { part, span, whole } if text.is_none() => text = Some((*part, span, whole)),
                Spot::NoCalls { part: 0, span } => list = Some(span.clone()),
                Spot::Finish { stop, .. } if finish_of(stop) != Finish::Stop => return 0,
                Spot::Text { .. } | Spot::Call { .. } | Spot::Error => return 0,
                Spot::Content { may_be_call: true, .. } => return 0,
                _ => {}
            }
        }
        let Some((part, span, whole)) = text else { return 0 };
        let sent = decoded(self.body, span);
        let (tools, seed) = (&options.text_tools, options.id_seed.as_str());
        let calls = text_calls::find(dialect, &sent, tools, seed, self.mender, &mut self.reports);
        if calls.is_empty() {
            return 0;
        }
        let items = text_calls::items(dialect, &calls);
        let nothing = dialects::of(dialect).empty_text();
        match (whole, list) {
            (Some(whole), _) => self.edits.push((whole.clone(), items)),
            _ if part > 0 => return 0,
            (None, Some(list)) => {
                self.edits.push((span.clone(), nothing.to_owned()));
                self.edits.push((list, format!("[{items}]")));
            }
            (None, None) => {
                self.edits.push((span.clone(), format!("{nothing},\"tool_calls\":[{items}]")));
            }
        }
        calls.len()
    }

    /// Gives the call an id that no other call of the answer has.
    fn identify(&mut self, key: &CallKey, identity: &Identity, options: &PassOptions) {
        let told = key.id.as_ref().map(|id| decoded(self.body, id).into_owned());
        let number = self.identified;
        self.identified += 1;
        let id = told.filter(|id| self.ids.take(id.clone()) == *id);
        let mut members = Vec::new();
        if id.is_none() {
            let made = raw::quote(&made_id(&options.id_seed, number));
            match &identity.id {
                Some(span) => self.edits.push((span.clone(), made)),
                None => members.push(format!("\"id\":{made}")),
            }
            if !identity.has_type {
                members.push("\"type\":\"function\"".to_owned());
            }
        }
        self.edits.extend(identity.put(&members));
    }

    /// The same where the dialect always has an id.
    fn tell_apart(&mut self, span: &Span, options: &PassOptions) {
        let sent = decoded(self.body, span).into_owned();
        let number = self.identified;
        self.identified += 1;
        let told = match sent.is_empty() {
            true => made_id(&options.id_seed, number),
            false => self.ids.take(sent),
        };
        self.replace_text(span.clone(), Some(&told));
    }

    fn take(&mut self, what: What, turn: Turn) {
        match what {
            What::Start => (self.named, self.namespace) = (None, None),
            What::Namespace(span) => self.namespace = Some(decoded(self.body, &span).into_owned()),
            What::Name(span) => {
                let sent = decoded(self.body, &span);
                let named = self.mender.name_in(self.namespace.as_deref(), &sent);
                let new = mend::new_name(self.dialect, &named, self.namespace.as_deref(), &sent);
                self.edits.extend(new.map(|new| (span, new)));
                self.named = Some(named);
            }
            What::Arguments(span, shape) => {
                let Some(named) = &self.named else { return };
                let sent = told(self.body, &span, shape);
                let mended = match turn {
                    Turn::Past => self.mender.history_arguments(named, &sent),
                    Turn::Now(finish) => self.mender.arguments(named, &sent, finish),
                };
                self.reports.push(mended.report);
                let new = written(&mended.delivery, &sent, shape, self.shape);
                self.edits.extend(new.map(|new| (span, new)));
            }
            What::Identity(_) | What::CallId(_) | What::Fragment(_) | What::NoArguments(_) | What::End => {}
        }
    }
}

/// The text of arguments, however they are written.
pub(super) fn told<'t>(text: &'t str, span: &Span, shape: Shape) -> Cow<'t, str> {
    match shape {
        Shape::Text => decoded(text, span),
        Shape::Object => Cow::Borrowed(&text[span.clone()]),
    }
}

/// What to write in the place of arguments, where they are not to stay as they are.
pub(super) fn written(delivery: &Delivery, sent: &str, is: Shape, wanted: Shape) -> Option<String> {
    let text = match delivery {
        Delivery::CutOff => return None,
        Delivery::AsSent if is == wanted || sent == "null" => return None,
        Delivery::AsSent => sent,
        Delivery::Instead(text) => text,
    };
    match wanted {
        Shape::Text => Some(raw::quote(text)),
        // What is no JSON can only be a string.
        Shape::Object => raw::check(text).is_ok().then(|| text.to_owned()),
    }
}
