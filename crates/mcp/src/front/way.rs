//! The way back to a client while one request of it is worked on.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, Weak};
use std::task::{Context, Waker};

use tokio::sync::oneshot;
use toolwright_jsonrpc::{
    ErrorObject, INTERNAL_ERROR, INVALID_REQUEST, Id, Json, METHOD_NOT_FOUND, Message, Notification,
    ObjectWriter, Request,
};

use super::fronts::Counters;
use super::level::Level;
use super::service::WayBack;
use super::session::Session;
use super::task::{lock, notification_line};
use crate::host::Answer;

/// What a request's work has for its client.
pub(super) struct Way {
    kind: Kind,
    bounds: Bounds,
    counters: Arc<Counters>,
    inbox: Mutex<Inbox>,
}

/// How the client is spoken to.
pub(super) enum Kind {
    /// Questions are requests of ours in its session.
    Legacy { session: Weak<Session> },
    /// Questions park the call.
    Modern { level: Option<Level>, can_be_parked: bool },
}

/// What waits at most.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    pub notifications: usize,
    pub questions: usize,
    /// Whether anything but the answer reaches the client at all.
    pub has_stream: bool,
}

#[derive(Default)]
struct Inbox {
    lines: VecDeque<Line>,
    questions: Vec<Question>,
    asked: u32,
    progress_token: Option<Json>,
    outcome: Option<Result<Json, ErrorObject>>,
    is_cancelled: bool,
    waker: Option<Waker>,
}

/// A message on its way.
#[derive(Debug)]
pub(super) struct Line {
    pub text: String,
    /// Whether it may be lost when the client does not take what there is.
    pub may_be_lost: bool,
}

struct Question {
    key: String,
    method: String,
    params: Option<Json>,
    answer: oneshot::Sender<Result<Json, ErrorObject>>,
    is_told: bool,
}

/// What comes next of a request's work.
#[derive(Debug)]
pub(super) enum Step {
    /// A message for the client.
    Line(Line),
    /// Questions to a modern client wait.
    Questions,
    /// The end.
    Done(Result<Json, ErrorObject>),
    /// The client does not want it any more.
    Cancelled,
}

impl Way {
    pub fn new(kind: Kind, bounds: Bounds, progress_token: Option<Json>, counters: Arc<Counters>) -> Way {
        let inbox = Inbox { progress_token, ..Inbox::default() };
        Way { kind, bounds, counters, inbox: Mutex::new(inbox) }
    }

    /// The client does not want it any more.
    pub fn cancel(&self) {
        self.change(|inbox| inbox.is_cancelled = true);
    }

    pub fn is_cancelled(&self) -> bool {
        lock(&self.inbox).is_cancelled
    }

    /// The work is done.
    pub fn finish(&self, outcome: Result<Json, ErrorObject>) {
        self.change(|inbox| inbox.outcome = Some(outcome));
    }

    /// The work is done, as who waits for it has just seen.
    pub fn settle(&self, outcome: Result<Json, ErrorObject>) {
        lock(&self.inbox).outcome = Some(outcome);
    }

    /// The next thing, or the promise to wake when there is one.
    pub fn poll_step(&self, context: &mut Context<'_>) -> Option<Step> {
        let mut inbox = lock(&self.inbox);
        if inbox.is_cancelled {
            return Some(Step::Cancelled);
        }
        if let Some(line) = inbox.lines.pop_front() {
            return Some(Step::Line(line));
        }
        if inbox.outcome.is_none() && inbox.questions.iter().any(|question| !question.is_told) {
            return Some(Step::Questions);
        }
        if let Some(outcome) = inbox.outcome.take() {
            return Some(Step::Done(outcome));
        }
        inbox.waker = Some(context.waker().clone());
        None
    }

    fn change(&self, change: impl FnOnce(&mut Inbox)) {
        let mut inbox = lock(&self.inbox);
        change(&mut inbox);
        let waker = inbox.waker.take();
        drop(inbox);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    fn push(&self, line: Line) {
        let is_full = lock(&self.inbox).lines.len() >= self.bounds.notifications;
        if is_full && line.may_be_lost {
            return self.counters.drop_notification();
        }
        self.change(|inbox| inbox.lines.push_back(line));
    }

    /// Whether the client wants to hear this.
    fn is_wanted(&self, notification: &Notification) -> bool {
        match (notification.method.as_str(), &self.kind) {
            ("notifications/progress", _) => lock(&self.inbox).progress_token.is_some(),
            ("notifications/message", Kind::Legacy { session }) => {
                let level = session.upgrade().and_then(|session| session.level());
                level.is_none_or(|level| level.lets_through(notification))
            }
            ("notifications/message", Kind::Modern { level, .. }) => {
                level.is_some_and(|level| level.lets_through(notification))
            }
            // These come on a subscription alone.
            (
                "notifications/tools/list_changed"
                | "notifications/prompts/list_changed"
                | "notifications/resources/list_changed"
                | "notifications/resources/updated",
                Kind::Modern { .. },
            ) => false,
            _ => true,
        }
    }

    // === questions to a modern client ===

    fn put_question(
        &self,
        method: &str,
        params: Option<Json>,
    ) -> Result<oneshot::Receiver<Result<Json, ErrorObject>>, ErrorObject> {
        let (answer, answered) = oneshot::channel();
        let mut is_too_much = false;
        self.change(|inbox| {
            inbox.questions.retain(|question| !question.answer.is_closed());
            if inbox.questions.len() >= self.bounds.questions {
                is_too_much = true;
                return;
            }
            inbox.asked += 1;
            let key = format!("question-{}", inbox.asked);
            inbox.questions.push(Question { key, method: method.to_owned(), params, answer, is_told: false });
        });
        match is_too_much {
            true => Err(too_many_questions(self.bounds.questions)),
            false => Ok(answered),
        }
    }

    /// The questions that are open, as `inputRequests`, when there are any. They count as told.
    pub fn tell_questions(&self) -> Option<Json> {
        let mut inbox = lock(&self.inbox);
        inbox.questions.retain(|question| !question.answer.is_closed());
        if inbox.questions.is_empty() {
            return None;
        }
        let mut out = ObjectWriter::default();
        for question in &mut inbox.questions {
            question.is_told = true;
            let mut asked = ObjectWriter::default();
            asked.text("method", &question.method);
            asked.value("params", &question.params.clone().unwrap_or_else(Json::empty_object));
            out.value(&question.key, &asked.finish());
        }
        Some(out.finish())
    }

    /// Whether a question is open.
    pub fn has_questions(&self) -> bool {
        let mut inbox = lock(&self.inbox);
        inbox.questions.retain(|question| !question.answer.is_closed());
        !inbox.questions.is_empty() && inbox.outcome.is_none()
    }

    /// Hands the answers over; what nobody asked for is left.
    pub fn answer_questions(&self, responses: &Json) {
        for response in responses.members().unwrap_or_default() {
            let Ok(answer) = Json::parse(response.value) else { continue };
            let mut inbox = lock(&self.inbox);
            if let Some(at) = inbox.questions.iter().position(|question| question.key == response.key) {
                let question = inbox.questions.remove(at);
                drop(inbox);
                // Who asked may not wait any more.
                let _ = question.answer.send(Ok(answer));
            }
        }
    }

    /// Answers every open question with an error.
    pub fn refuse_questions(&self, error: &ErrorObject) {
        let questions = std::mem::take(&mut lock(&self.inbox).questions);
        for question in questions {
            let _ = question.answer.send(Err(error.clone()));
        }
    }

    /// From now on the client hears of progress under another token, or not at all.
    pub fn change_progress_token(&self, token: Option<Json>) {
        lock(&self.inbox).progress_token = token;
    }
}

fn too_many_questions(limit: usize) -> ErrorObject {
    let said = format!("{limit} questions of this request are open already; wait for an answer");
    ErrorObject::new(INTERNAL_ERROR, said)
}

fn no_way(method: &str, why: &str) -> ErrorObject {
    ErrorObject::new(METHOD_NOT_FOUND, format!("the client cannot be asked for \"{method}\": {why}"))
}

fn over() -> ErrorObject {
    ErrorObject::new(INTERNAL_ERROR, "the client did not answer before its request was over")
}

impl WayBack for Way {
    fn notify(&self, mut notification: Notification) {
        if !self.bounds.has_stream || !self.is_wanted(&notification) {
            return;
        }
        if notification.method == "notifications/progress"
            && let Some(token) = &lock(&self.inbox).progress_token
            && let Some(params) = &notification.params
            && params.get("progressToken").as_ref() != Some(token)
        {
            notification.params = Some(params.with("progressToken", token));
        }
        self.push(Line { text: notification_line(notification), may_be_lost: true });
    }

    fn ask<'w>(&'w self, method: &'w str, params: Option<Json>) -> Answer<'w> {
        Box::pin(async move {
            match &self.kind {
                Kind::Modern { can_be_parked: true, .. } => {
                    let answered = self.put_question(method, params)?;
                    answered.await.unwrap_or_else(|_| Err(over()))
                }
                Kind::Modern { .. } => {
                    Err(no_way(method, "only a call, a resource or a prompt may need an answer of it"))
                }
                Kind::Legacy { .. } if !self.bounds.has_stream => {
                    Err(no_way(method, "it takes no stream of events"))
                }
                Kind::Legacy { session } => {
                    let session = session.upgrade().ok_or_else(over)?;
                    let (id, answered) = session.ask().ok_or_else(|| {
                        ErrorObject::new(INVALID_REQUEST, "too many questions to this client are open")
                    })?;
                    let mut asked = AskedOnce { way: self, session: &session, id, is_open: true };
                    let request =
                        Request { id: Id::number(id), method: method.to_owned(), params, extra: Vec::new() };
                    self.push(Line { text: Message::Request(request).to_line(), may_be_lost: false });
                    let answer = answered.await;
                    asked.is_open = false;
                    answer.unwrap_or_else(|_| Err(over()))
                }
            }
        })
    }
}

/// A question that is taken back when nobody waits for its answer any more.
struct AskedOnce<'w> {
    way: &'w Way,
    session: &'w Session,
    id: u64,
    is_open: bool,
}

impl Drop for AskedOnce<'_> {
    fn drop(&mut self) {
        self.session.forget_question(self.id);
        if self.is_open {
            let params = Json::empty_object().with("requestId", Id::number(self.id).as_json());
            let notification = Notification {
                method: "notifications/cancelled".into(),
                params: Some(params),
                extra: Vec::new(),
            };
            self.way.push(Line { text: notification_line(notification), may_be_lost: true });
        }
    }
}
