//! One request and its answer: from a client's bytes to an upstream's, and back.
//!
//! [`Asked::read`] reads what a client sent, [`Asked::prepare`] writes it for an upstream, and [`Prepared`] turns the
//! upstream's answer, whole or in pieces, into the client's. Where both speak the same dialect the bytes stay as they
//! are but for what was mended.

mod again;
mod answer_stream;
mod events;
mod judge;
mod other_models;
mod own;
mod reading;
mod report;
mod thinking;

use std::sync::Arc;

use toolwright_jsonrpc::{Json, raw};
use toolwright_normalizer::Normalizer;

use crate::calls::{self, CallReport, Mender, ToolCache};
use crate::fit::{self, Names};
use crate::form::{Arguments, Block, Call, Request, Response, ToolChoice, Usage};
use crate::pass::PassOptions;
use crate::{Dialect, Failure, FailureKind, Notes, Reply, Target, Thinks, dialects, pass, stream, tokens};

use self::reading::{Reading, string_at};

pub use answer_stream::AnswerStream;
pub use events::EventStream;
pub use other_models::OtherModel;
pub use own::OwnQuestion;
pub use report::{Report, repaired};

/// How calls are mended: by these rules, with tools that were compiled before.
#[derive(Clone)]
pub struct Mending {
    /// The rules in force.
    pub normalizer: Arc<Normalizer>,
    /// Tools of earlier requests.
    pub cache: Arc<ToolCache>,
}

/// Time and chance, which come in from outside.
#[derive(Clone, Debug)]
pub struct Fresh {
    /// Random letters and digits, 24 of them.
    pub id: String,
    /// Seconds since 1970.
    pub created: u64,
}

/// What a client asks. Cheap to clone but for the name of the model.
#[derive(Clone)]
pub struct Asked {
    reading: Arc<Reading>,
    model: String,
    is_stream: bool,
    /// Whether there is no body: the request was made from another one.
    is_made: bool,
}

/// What is sent to an upstream, and what its answer will be read with.
pub struct Prepared {
    /// The body for the upstream.
    pub body: String,
    /// What could not be said there.
    pub notes: Notes,
    /// Calls of the history that were looked at and not simply right.
    pub history: Vec<CallReport>,
    front: Dialect,
    upstream: Dialect,
    names: Names,
    mender: Arc<Mender>,
    reply: Reply,
    reads_text_calls: bool,
    /// Whether answers keep their bytes but for what is repaired.
    passes_answers: bool,
    /// The client's name of the model, where the upstream has another.
    alias: Option<String>,
    target: Target,
    /// Whether the model is asked to think without knowing whether it can.
    tries_thinking: bool,
    /// What was asked, while it may be asked again.
    asked: Option<Arc<Reading>>,
    /// What the tries before this one cost: the client is told the sum.
    spent: Usage,
}

/// A whole answer for the client.
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The body.
    pub body: Vec<u8>,
    /// What became of it.
    pub report: Report,
}

// === impl Asked ===

impl Asked {
    /// Reads what a client sent in its dialect.
    pub fn read(front: Dialect, body: &[u8]) -> Result<Asked, Failure> {
        let text = std::str::from_utf8(body).map_err(|error| {
            Failure::invalid(format!("the body is not UTF-8 at byte {}", error.valid_up_to()))
        })?;
        let reading = Reading::new(front, text);
        let glance = reading.glance();
        if let Some(key) = glance.repeated {
            // Whoever reads it may take either: then what was allowed is not what is asked.
            let what = format!("{key} stands in the request twice; send it once");
            return Err(Failure::invalid(what).about(key));
        }
        let (model, is_stream) = match glance.told {
            Some(told) => told,
            None => match reading.request() {
                Ok(request) => (request.model.clone(), request.is_stream),
                // What we do not understand may still be understood where the same dialect is spoken.
                Err(failure) => {
                    let model = raw::check(text).ok().and_then(|()| string_at(text, "model"));
                    (model.ok_or(failure)?, raw::find(text, "stream") == Some("true"))
                }
            },
        };
        Ok(Asked { reading: Arc::new(reading), model, is_stream, is_made: false })
    }

    /// The dialect that was asked in.
    pub fn front(&self) -> Dialect {
        self.reading.front
    }

    /// The model, as the client calls it.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Whether the answer is to come in pieces.
    pub fn is_stream(&self) -> bool {
        self.is_stream
    }

    /// The body, as it was sent.
    pub fn body(&self) -> &str {
        &self.reading.body
    }

    /// The body for an upstream of the same dialect: with its name of the model, and without what is another provider's.
    pub fn body_for(&self, target: &Target) -> String {
        let (body, model) = (&*pass::without_marks(self.front(), self.body(), target), target.model.as_str());
        match raw::find(body, "model") {
            Some(value) if model != self.model => {
                // It is a part of this text.
                let start = value.as_ptr() as usize - body.as_ptr() as usize;
                [&body[..start], &raw::quote(model), &body[start + value.len()..]].concat()
            }
            _ => body.to_owned(),
        }
    }

    /// The request, when all of it could be read.
    pub fn request(&self) -> Result<&Arc<Request>, Failure> {
        self.reading.request()
    }

    /// Writes it for an upstream.
    pub fn prepare(&self, target: &Target, mending: &Mending, fresh: &Fresh) -> Result<Prepared, Failure> {
        let front = self.front();
        let is_same = target.dialect == front;
        let request = if is_same && !self.is_made {
            Arc::new(self.reading.beside_the_conversation().unwrap_or_else(|_| Request {
                model: self.model.clone(),
                is_stream: self.is_stream,
                ..Request::default()
            }))
        } else {
            Arc::clone(self.reading.request()?)
        };
        let tools = mending.cache.toolset(&request.tools);
        let needs_objects = dialects::of(front).has_object_arguments();
        let allows_calls = request.choice != Some(ToolChoice::None);
        let mender = Mender::new(Arc::clone(&mending.normalizer), Arc::clone(&tools), needs_objects);
        let mender = Arc::new(if allows_calls { mender } else { mender.without_calls() });
        let mut notes = Notes::default();
        let alias = (target.model != self.model).then(|| self.model.clone());
        let (body, history, names) = if is_same && !self.is_made {
            let model = alias.as_ref().map(|_| target.model.as_str());
            let body = pass::without_marks(front, self.body(), target);
            let passed = pass::request(front, &body, model, &mender);
            (passed.body.into_owned(), passed.reports, Names::default())
        } else {
            // Strict upstreams want objects, whatever the client wants.
            let strict = Mender::new(Arc::clone(&mending.normalizer), tools, true);
            write(&request, target, &strict, &mut notes)?
        };
        let estimated_input = if is_same { 0 } else { tokens::estimate(&request) };
        let reply = Reply {
            request: Arc::clone(&request),
            id: fresh.id.clone(),
            created: fresh.created,
            estimated_input,
        };
        Ok(Prepared {
            body,
            notes,
            history,
            front,
            upstream: target.dialect,
            names,
            mender,
            reply,
            reads_text_calls: target.reads_text_calls && !request.tools.is_empty() && allows_calls,
            // What the client forbids is taken out of answers, which then do not keep their bytes.
            passes_answers: is_same && (allows_calls || request.tools.is_empty()),
            alias,
            tries_thinking: target.thinks == Thinks::Untried && self.speaks_of_thinking(target.dialect),
            target: target.clone(),
            asked: Some(Arc::clone(&self.reading)),
            spent: Usage::default(),
        })
    }
}

fn write(
    request: &Request,
    target: &Target,
    mender: &Mender,
    notes: &mut Notes,
) -> Result<(String, Vec<CallReport>, Names), Failure> {
    let mut request = request.clone();
    let history = calls::mend_history(mender, &mut request);
    let names = fit::fit(&mut request, target, notes)?;
    let body = dialects::write_request(&request, target, notes)?;
    Ok((body, history, names))
}

// === impl Prepared ===

impl Prepared {
    /// It will not be asked again: what the client sent need not be kept while the upstream thinks. Of the request
    /// only what answers repeat is, when nobody else holds it.
    pub fn forget_asked(&mut self) {
        self.asked = None;
        if let Some(request) = Arc::get_mut(&mut self.reply.request) {
            request.messages = Vec::new();
        }
    }

    /// Whether client and upstream speak the same dialect.
    pub fn is_same_dialect(&self) -> bool {
        self.front == self.upstream
    }

    /// The upstream's whole answer as the client's.
    pub fn whole(&self, status: u16, body: &[u8]) -> Answer {
        let Ok(text) = std::str::from_utf8(body) else {
            return self.failed(unreadable("is not UTF-8"));
        };
        if !(200..300).contains(&status) {
            let failure = dialects::of(self.upstream).read_error(status, text);
            if self.is_same_dialect() && raw::check(text).is_ok() {
                let report = Report { failure: Some(failure), ..Report::default() };
                return Answer { status, body: body.to_vec(), report };
            }
            return self.failed(failure);
        }
        if self.passes_answers {
            return match judge::fault(self.upstream, text) {
                Some(fault) => self.failed(fault),
                None => self.passed(status, text),
            };
        }
        match self.judged_response(text) {
            Ok((response, report)) => {
                let body = dialects::of(self.front).write_response(&response, &self.reply).into_bytes();
                Answer { status: 200, body, report }
            }
            Err(failure) => self.failed(failure),
        }
    }

    fn passed(&self, status: u16, text: &str) -> Answer {
        let passed = pass::answer(self.upstream, text, &self.pass_options(), &self.mender);
        let mut report = Report {
            usage: passed.usage,
            stop: passed.stop,
            model: passed.model,
            has_content: true,
            text_calls: passed.text_calls,
            ..Report::default()
        };
        report.take(passed.reports);
        Answer { status, body: passed.body.into_owned().into_bytes(), report }
    }

    /// The same of what may be no answer at all. What has something to say is one, and need not be looked at twice.
    fn judged_response(&self, text: &str) -> Result<(Response, Report), Failure> {
        let read = self.response(text);
        if read.as_ref().is_ok_and(|(response, _)| !response.blocks.is_empty()) {
            return read;
        }
        judge::fault(self.upstream, text).map_or(read, Err)
    }

    /// An upstream's answer in the form, with calls mended.
    fn response(&self, text: &str) -> Result<(Response, Report), Failure> {
        let mut response = dialects::of(self.upstream).read_response(text)?;
        response.usage = response.usage.plus(&self.spent);
        let text_calls = match self.reads_text_calls {
            true => text_calls_of(&mut response, &self.tool_names(), &self.reply.id),
            false => 0,
        };
        self.names.restore(&mut response);
        response.tell_calls_apart();
        let mended = calls::mend_response(&self.mender, &mut response);
        let mut report = Report {
            usage: response.usage,
            stop: response.stop.clone(),
            model: response.model.clone(),
            has_content: true,
            text_calls,
            ..Report::default()
        };
        report.take(mended);
        Ok((response, report))
    }

    fn pass_options(&self) -> PassOptions {
        PassOptions {
            model: self.alias.clone(),
            text_tools: if self.reads_text_calls { self.tool_names() } else { Vec::new() },
            id_seed: self.reply.id.clone(),
        }
    }

    /// What the model may call the tools: as the client does, and as it was told to.
    fn tool_names(&self) -> Vec<String> {
        let known = self.reply.request.tools.iter().map(|tool| tool.name.as_str());
        known.chain(self.names.sent()).map(str::to_owned).collect()
    }

    /// An error as the client's answer.
    pub fn failed(&self, failure: Failure) -> Answer {
        let request_id = format!("req_{}", self.reply.id);
        let body = dialects::of(self.front).write_error(&failure, &request_id).into_bytes();
        let report = Report { failure: Some(failure.clone()), ..Report::default() };
        Answer { status: failure.status, body, report }
    }

    /// The upstream's answer in pieces, as the client's.
    pub fn stream(&self) -> AnswerStream {
        AnswerStream::new(self)
    }

    /// The upstream answered whole what was asked for in pieces: it is told in pieces.
    pub fn whole_as_stream(&self, status: u16, body: &[u8]) -> Result<(Vec<u8>, Report), Box<Answer>> {
        let text =
            std::str::from_utf8(body).map_err(|_| Box::new(self.failed(unreadable("is not UTF-8"))))?;
        if !(200..300).contains(&status) {
            return Err(Box::new(self.whole(status, body)));
        }
        let (response, report) =
            self.judged_response(text).map_err(|failure| Box::new(self.failed(failure)))?;
        let mut encoder = dialects::of(self.front).encoder(self.reply.clone());
        let mut out = Vec::new();
        for event in stream::events_of(&response, &self.reply.id) {
            encoder.event(&event, &mut out);
        }
        Ok((out, report))
    }
}

/// An answer that is nothing but calls, written as text, becomes the calls. Tells how many.
fn text_calls_of(response: &mut Response, tools: &[String], id_seed: &str) -> usize {
    let has_calls = response.blocks.iter().any(|block| matches!(block, Block::Call(_)));
    let texts = response.blocks.iter().filter_map(|block| match block {
        Block::Text(text) => Some(text.text.as_str()),
        _ => None,
    });
    let text: String = texts.collect();
    if has_calls || text.is_empty() {
        return 0;
    }
    let names: Vec<&str> = tools.iter().map(String::as_str).collect();
    let Some(found) = stream::calls_in_text(&text, &names) else { return 0 };
    let count = found.len();
    response.blocks.retain(|block| !matches!(block, Block::Text(_)));
    for (number, (name, arguments)) in found.into_iter().enumerate() {
        let arguments = match Json::parse(&arguments).ok().filter(|json| json.as_str().starts_with('{')) {
            Some(json) => Arguments::Object(json),
            None => Arguments::Text(arguments),
        };
        let id = Some(format!("call_{id_seed}{number}"));
        response.blocks.push(Block::Call(Call { id, name, arguments, extra: Vec::new() }));
    }
    count
}

fn unreadable(why: &str) -> Failure {
    Failure::new(FailureKind::Api, format!("the upstream's answer {why}")).with_status(502)
}
