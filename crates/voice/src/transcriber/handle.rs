//! Processing of one transcript, from sentence to answer.

use std::sync::Arc;

use tokio::time::{Instant, timeout_at};
use toolwright_executor::{Call, Prepared};
use toolwright_model::Caller;
use toolwright_speech::{
    Command, Device, Does, MAX_SPOKEN_CHARS, MAX_TEXT_CHARS, Reading, Reply, Sentences, choose,
    could_be_of_device, read_intent, reply_of, speakable, speakable_failure,
};

use super::TranscriberState;
use super::queue::Job;
use crate::confirm::{PendingAnswer, QuestionState};
use crate::devices::Freshness;
use crate::mind::{HeldCall, MindError, Thinking, Thought, Words};
use crate::policy::Verdict;
use crate::question::{TOO_LONG, question};
use crate::status::Drop;
use crate::transcript::{Answer, AnswerKind, Delivery, Ear, Transcript};

/// The tool that returns the time.
const DATETIME_TOOL: &str = "builtin/get_current_datetime";

const LEFT_ALONE: &str = "Okay, I leave it as it is.";
const TOO_LATE: &str = "That was too long ago, so I did nothing. Please say it again.";
const CHANGED: &str = "The tools have changed since I asked, so I did nothing. Please say it again.";
const NOT_UNDERSTOOD: &str = "I did not understand that.";
const UNREACHABLE: &str = "The devices cannot be reached right now.";
const NO_MODEL: &str = "I cannot reach my language model right now. Please try again later.";
const NO_ANSWER: &str = "I found no answer to that.";
const TOO_SLOW: &str = "That took me too long, so I stopped thinking about it.";
const BROKEN: &str = "Something went wrong here, so I have no answer.";
const TOO_EARLY: &str = "That came before my question.";
const ONLY_YES_OR_NO: &str = "I only understand yes or no here.";

/// The answer before it is addressed to its transcript.
struct SpokenReply {
    text: String,
    kind: AnswerKind,
    model: Option<(String, String)>,
    turns: usize,
    by: ReplySource,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ReplySource {
    Direct,
    Assistant,
}

impl SpokenReply {
    fn new(text: impl Into<String>, kind: AnswerKind) -> SpokenReply {
        SpokenReply { text: text.into(), kind, model: None, turns: 0, by: ReplySource::Direct }
    }
}

/// A transcript in flight. Dropped without an answer, it sends a failure: every transcript gets an answer.
struct PendingTranscript {
    transcript: Transcript,
    ear: Option<Box<dyn Ear>>,
}

impl PendingTranscript {
    fn answer(mut self, reply: SpokenReply) -> Delivery {
        self.send(reply)
    }

    fn send(&mut self, reply: SpokenReply) -> Delivery {
        let Some(ear) = self.ear.take() else { return Delivery::Lost };
        let transcript = &self.transcript;
        ear.answer(Answer {
            question: transcript.text.clone(),
            text: reply.text,
            kind: reply.kind,
            id: transcript.id.clone(),
            conversation: transcript.conversation.clone(),
            model: reply.model,
            turns: reply.turns,
            took: transcript.received.elapsed(),
        })
    }
}

impl std::ops::Drop for PendingTranscript {
    fn drop(&mut self) {
        self.send(SpokenReply::new(BROKEN, AnswerKind::Failed));
    }
}

impl TranscriberState {
    /// Answers one transcript in every case.
    pub(super) async fn answer(&self, job: Job) {
        if job.transcript.received.elapsed() > self.limits.max_age {
            self.drop_job(job, Drop::Stale);
            return;
        }
        let mut pending_transcript = PendingTranscript { transcript: job.transcript, ear: Some(job.ear) };
        let reply = {
            let PendingTranscript { transcript, ear } = &mut pending_transcript;
            let Some(ear) = ear.as_mut() else { return };
            tokio::select! {
                reply = self.reply_to(transcript, ear.as_mut()) => reply,
                () = self.stop.cancelled() => {
                    self.status.dropped(Drop::Ending);
                    SpokenReply::new(Drop::Ending.sentence(), AnswerKind::Dropped(Drop::Ending))
                }
            }
        };
        self.count(&reply);
        self.status.took(pending_transcript.transcript.received.elapsed());
        if let (Some(mind), ReplySource::Direct, AnswerKind::Done | AnswerKind::Asked) =
            (&self.mind, reply.by, reply.kind)
        {
            mind.hears(
                &pending_transcript.transcript.conversation,
                &pending_transcript.transcript.text,
                &reply.text,
            );
        }
        let conversation = pending_transcript.transcript.conversation.clone();
        // The conversation is busy until here, so no yes is processed before its question was sent.
        let is_asked = reply.kind == AnswerKind::Asked;
        if pending_transcript.answer(reply) == Delivery::Sent && is_asked {
            self.questions.published(&conversation);
        }
    }

    fn count(&self, reply: &SpokenReply) {
        match reply.kind {
            AnswerKind::Asked => self.status.asked(),
            AnswerKind::NotUnderstood => self.status.not_understood(),
            AnswerKind::Failed => self.status.failed(),
            AnswerKind::Done if reply.by == ReplySource::Assistant => self.status.by_mind(),
            AnswerKind::Done => self.status.direct(),
            AnswerKind::Dropped(_) => {}
        }
    }

    async fn reply_to(&self, transcript: &Transcript, ear: &mut dyn Ear) -> SpokenReply {
        let text = transcript.text.trim();
        if text.is_empty() || text.chars().count() > MAX_TEXT_CHARS {
            return SpokenReply::new(NOT_UNDERSTOOD, AnswerKind::NotUnderstood);
        }
        let caller = self.caller(&transcript.source, &transcript.conversation);
        match self.questions.take(&transcript.conversation, transcript.received) {
            QuestionState::Unheard(PendingAnswer::Yes(calls)) if reply_of(text) == Reply::Yes => {
                return self.confirm(transcript, calls, TOO_EARLY);
            }
            QuestionState::Open(pending) | QuestionState::Unheard(pending) => {
                if let Some(reply) = self.handle_reply(transcript, pending, &caller).await {
                    return reply;
                }
            }
            QuestionState::TooLate if reply_of(text) == Reply::Yes => {
                return SpokenReply::new(TOO_LATE, AnswerKind::Done);
            }
            QuestionState::TooLate | QuestionState::Nothing => {}
        }
        if transcript.is_english()
            && let Some(reply) = self.direct(transcript, &caller).await
        {
            return reply;
        }
        self.ask_assistant(transcript, ear, caller).await
    }

    /// Handles an answer to an open question. Returns `None` if the sentence is about something else; the
    /// question is then closed.
    async fn handle_reply(
        &self,
        transcript: &Transcript,
        pending: PendingAnswer,
        caller: &Arc<Caller>,
    ) -> Option<SpokenReply> {
        let reply = reply_of(&transcript.text);
        match (pending, reply) {
            (_, Reply::No) => Some(SpokenReply::new(LEFT_ALONE, AnswerKind::Done)),
            (PendingAnswer::Yes(calls), Reply::Yes) => Some(self.confirmed(&calls, caller).await),
            (PendingAnswer::Yes(calls), Reply::Both) => Some(self.confirm(transcript, calls, ONLY_YES_OR_NO)),
            (PendingAnswer::Yes(_), Reply::Other) => None,
            (PendingAnswer::Which { does, devices }, _) => {
                let device = choose(&transcript.text, &devices)?;
                Some(self.device(transcript, device, does, caller).await?)
            }
        }
    }

    /// Runs a recognized command at once. Returns `None` if none was recognized.
    async fn direct(&self, transcript: &Transcript, caller: &Arc<Caller>) -> Option<SpokenReply> {
        let text = &transcript.text;
        let mut reading = Reading::Unsure;
        if could_be_of_device(text) {
            for freshness in [Freshness::Usual, Freshness::Newer] {
                let devices = self.devices.current(&self.executor, caller, freshness).await;
                reading = read_intent(text, &devices);
                if reading != Reading::Unsure {
                    break;
                }
            }
        } else {
            reading = read_intent(text, &[]);
        }
        match reading {
            Reading::Certain(Command::Tell(tells)) => {
                let call =
                    HeldCall { tool: DATETIME_TOOL.to_owned(), arguments: tells.arguments().to_owned() };
                self.guarded(transcript, call, caller).await
            }
            Reading::Certain(Command::Device { device, does }) => {
                self.device(transcript, &device, does, caller).await
            }
            Reading::Which { does, devices } => {
                let names: Vec<String> = devices.iter().map(Device::spoken).collect();
                let text = format!("Which one do you mean: {}?", names.join(", or "));
                Some(self.ask(transcript, PendingAnswer::Which { does, devices }, &text))
            }
            Reading::Unsure => None,
        }
    }

    async fn device(
        &self,
        transcript: &Transcript,
        device: &Device,
        does: Does,
        caller: &Arc<Caller>,
    ) -> Option<SpokenReply> {
        let known = self.devices.known();
        let is_alone = known.iter().filter(|other| other.name == device.name).count() < 2;
        // The location distinguishes devices of the same name.
        let name = match &device.location {
            Some(location) if !is_alone => format!("{location}/{}", device.name),
            _ => device.name.clone(),
        };
        let call = HeldCall { tool: self.control_tool.clone(), arguments: does.arguments(&name) };
        self.guarded(transcript, call, caller).await
    }

    /// Runs a call, or asks for confirmation. Returns `None` if the voice may not use the tool; the model
    /// may know another one.
    async fn guarded(
        &self,
        transcript: &Transcript,
        call: HeldCall,
        caller: &Arc<Caller>,
    ) -> Option<SpokenReply> {
        let prepared = self.executor.prepare(&Call::new(&call.tool, &call.arguments)).ok()?;
        match self.guard().judge(&prepared.tool, &prepared.arguments) {
            Verdict::Allow => Some(self.run(&[call], caller).await),
            Verdict::Confirm => Some(self.confirm(transcript, vec![held(prepared)], "")),
            Verdict::Deny(_) => None,
        }
    }

    /// Asks for a confirmation of all these calls; if they cannot be spoken completely, none of them runs.
    fn confirm(&self, transcript: &Transcript, calls: Vec<HeldCall>, before: &str) -> SpokenReply {
        let Some(question) = question(&calls, &self.control_tool) else {
            return SpokenReply::new(TOO_LONG, AnswerKind::Failed);
        };
        self.questions.ask(&transcript.conversation, PendingAnswer::Yes(calls));
        let both = format!("{before} {question}");
        let is_room = !before.is_empty() && both.chars().count() <= MAX_SPOKEN_CHARS;
        SpokenReply::new(if is_room { both } else { question }, AnswerKind::Asked)
    }

    fn ask(&self, transcript: &Transcript, pending: PendingAnswer, text: &str) -> SpokenReply {
        self.questions.ask(&transcript.conversation, pending);
        SpokenReply::new(speakable(text), AnswerKind::Asked)
    }

    /// Runs the confirmed calls if their prepared form has not changed since the question.
    async fn confirmed(&self, calls: &[HeldCall], caller: &Arc<Caller>) -> SpokenReply {
        let is_same = |call: &HeldCall| {
            let prepared = self.executor.prepare(&Call::new(&call.tool, &call.arguments));
            prepared.is_ok_and(|prepared| held(prepared) == *call)
        };
        if !calls.iter().all(is_same) {
            return SpokenReply::new(CHANGED, AnswerKind::Failed);
        }
        self.run(calls, caller).await
    }

    /// Runs calls in sequence and stops at the first failure.
    async fn run(&self, calls: &[HeldCall], caller: &Arc<Caller>) -> SpokenReply {
        let mut texts: Vec<String> = Vec::new();
        for call in calls {
            let is_allowed = self.executor.find(&call.tool).is_ok_and(|found| self.policy.has(&found.tool));
            if !is_allowed {
                return SpokenReply::new("I may not use that tool by voice.", AnswerKind::Failed);
            }
            let outcome =
                self.executor.execute(Call::new(&call.tool, &call.arguments).by(Arc::clone(caller))).await;
            match outcome.result {
                Ok(output) => texts.push(output.text),
                Err(error) => {
                    return SpokenReply::new(speakable_failure(&error.sentence), AnswerKind::Failed);
                }
            }
        }
        SpokenReply::new(speakable(&texts.join("\n")), AnswerKind::Done)
    }

    /// There is no model. A sentence that sounds like a device command was understood if the devices cannot
    /// be reached.
    fn not_understood(&self, transcript: &Transcript) -> SpokenReply {
        let is_command = transcript.is_english() && could_be_of_device(&transcript.text);
        match self.devices.failure().filter(|_| is_command) {
            Some(why) => {
                SpokenReply::new(speakable_failure(&format!("{UNREACHABLE} {why}")), AnswerKind::Failed)
            }
            None => SpokenReply::new(NOT_UNDERSTOOD, AnswerKind::NotUnderstood),
        }
    }

    async fn ask_assistant(
        &self,
        transcript: &Transcript,
        ear: &mut dyn Ear,
        caller: Arc<Caller>,
    ) -> SpokenReply {
        let Some(mind) = &self.mind else { return self.not_understood(transcript) };
        let (words, mut pieces) = Words::channel();
        // The guard uses the device list; without one every call needs a confirmation.
        self.devices.current(&self.executor, &caller, Freshness::Usual).await;
        let cancellation = self.stop.child_token();
        let _cancelled_with_us = cancellation.clone().drop_guard();
        let prompt = Thought {
            text: transcript.text.clone(),
            conversation: transcript.conversation.clone(),
            language: transcript.language.clone(),
            guard: self.guard(),
            caller,
            words,
            cancellation,
        };
        let until = Instant::now() + self.limits.think;
        let mut answer = std::pin::pin!(timeout_at(until, Arc::clone(mind).think(prompt)));
        let mut sentences = Sentences::default();
        let mut is_open = true;
        let answer = loop {
            tokio::select! {
                // Partial text is delivered before the final answer.
                biased;
                piece = pieces.recv(), if is_open => match piece {
                    Some(piece) => sentences.push(&piece).iter().for_each(|sentence| ear.sentence(sentence)),
                    None => is_open = false,
                },
                answer = &mut answer => break answer,
            }
        };
        let reply = match answer {
            Ok(Ok(answer)) => self.reply_from(transcript, answer),
            Ok(Err(error)) => {
                tracing::warn!(conversation = transcript.conversation, "no answer: {error}");
                let text = match error {
                    MindError::Unavailable(_) => NO_MODEL,
                    MindError::NoAnswer(_) => NO_ANSWER,
                };
                SpokenReply::new(text, AnswerKind::Failed)
            }
            Err(_) => {
                tracing::warn!(
                    conversation = transcript.conversation,
                    "the model was stopped: it took too long"
                );
                SpokenReply::new(TOO_SLOW, AnswerKind::Failed)
            }
        };
        SpokenReply { by: ReplySource::Assistant, ..reply }
    }

    fn reply_from(&self, transcript: &Transcript, answer: Thinking) -> SpokenReply {
        let Thinking { text, held: calls, model, turns } = answer;
        let reply = if !calls.is_empty() {
            // The question names the repaired calls, which are those that will run.
            let prepare =
                |call: &HeldCall| self.executor.prepare(&Call::new(&call.tool, &call.arguments)).map(held);
            match calls.iter().map(prepare).collect::<Result<Vec<HeldCall>, _>>() {
                Ok(calls) => self.confirm(transcript, calls, ""),
                Err(error) => SpokenReply::new(speakable_failure(&error.sentence), AnswerKind::Failed),
            }
        } else if text.trim().is_empty() {
            SpokenReply::new(NO_ANSWER, AnswerKind::NotUnderstood)
        } else {
            let text = speakable(&text);
            let kind = if text.ends_with('?') { AnswerKind::Asked } else { AnswerKind::Done };
            SpokenReply::new(text, kind)
        };
        SpokenReply { model, turns, ..reply }
    }
}

/// The call in its prepared form.
fn held(prepared: Prepared) -> HeldCall {
    HeldCall { tool: prepared.tool.qualified_name().to_owned(), arguments: prepared.arguments }
}
