//! Processing of one question: request to the model, calls, next request, until there is an answer.

use std::collections::HashSet;
use std::sync::Arc;

use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;
use toolwright_llm::form::{
    Block, Event, Message, Response, Role, Stop as ModelStop, Text, Tool, ToolChoice,
};
use toolwright_llm::tokens;
use toolwright_model::Caller;

use super::round::{RoundContext, assistant_message, planned, result, results};
use super::{Agent, text_message};
use crate::client::{ModelClient, Reply, Turn};
use crate::repeats::RepeatedFailures;
use crate::{
    Answer, AskError, AskErrorKind, Called, Decision, Held, HeldCall, Limits, Listener, Question, Stop,
    Tokens, prompts,
};

/// The approximate length of a token, in bytes, for upstreams without usage data.
const TOKEN_BYTES: u64 = 4;
/// The replacement for a time limit that overflows.
const LONGEST: std::time::Duration = std::time::Duration::from_secs(365 * 24 * 60 * 60);

const NO_WORDS: &str = "I have no answer to that.";
const NO_ROOM: &str = "I have no answer to that: there was no room left for one.";
const OUT_OF_TIME: &str = "I ran out of time before I had an answer.";
const OUT_OF_TOKENS: &str = "I stopped, because this question has used up what it may cost.";
const INTERRUPTED: &str = "I was interrupted before I had an answer.";
const NOT_DONE: &str = "All right, I did not do it.";

/// The state of one question.
pub(super) struct QuestionRun<'a> {
    agent: &'a Agent,
    question: Question,
    listener: &'a mut dyn Listener,
    client: Arc<dyn ModelClient>,
    limits: Limits,
    caller: Arc<Caller>,
    system: String,
    tools: Vec<Tool>,
    /// The messages of earlier turns, followed by this turn.
    messages: Vec<Message>,
    /// The number of messages of earlier turns.
    before: usize,
    turn: u64,
    /// The requested model, and its name at the upstream.
    model: String,
    upstream_model: String,
    upstream: String,
    calls: Vec<Called>,
    ids: HashSet<String>,
    tokens: Tokens,
    rounds: u32,
    repeats: RepeatedFailures,
    started: Instant,
    until: Instant,
    stop: CancellationToken,
}

/// The result of waiting for the model.
enum ModelOutcome {
    Reply(Box<Reply>),
    /// The text received until then.
    Interrupted(Stop, String),
}

impl<'a> QuestionRun<'a> {
    pub fn begin(
        agent: &'a Agent,
        mut question: Question,
        model: String,
        turn: u64,
        question_messages: Vec<Message>,
        rounds: u32,
        listener: &'a mut dyn Listener,
    ) -> Result<QuestionRun<'a>, AskError> {
        let client = agent.client_for(&model)?;
        let limits = agent.limits(&question);
        question.offer = question.offer.and(&agent.settings.offer);
        let mut messages = match &question.conversation {
            Some(key) => agent.memory().before(key, Some(turn), agent.clock.now()),
            None => Vec::new(),
        };
        let before = messages.len();
        messages.extend(question_messages);
        let started = Instant::now();
        Ok(QuestionRun {
            caller: question.caller(),
            system: prompts::system(&agent.settings, &question),
            tools: question.offer.tools(&agent.executor.registry().snapshot()),
            ids: messages.iter().flat_map(|message| &message.blocks).filter_map(id_of).collect(),
            stop: question.cancellation.child_token(),
            until: started.checked_add(limits.time).unwrap_or(started + LONGEST),
            agent,
            question,
            listener,
            client,
            limits,
            messages,
            before,
            turn,
            model,
            upstream_model: String::new(),
            upstream: String::new(),
            calls: Vec::new(),
            tokens: Tokens::default(),
            rounds,
            repeats: RepeatedFailures::default(),
            started,
        })
    }

    /// Sends requests until there is an answer.
    pub async fn run_to_completion(mut self) -> Result<Answer, AskError> {
        let mut choice = self.first_choice()?;
        loop {
            if self.tokens.total() >= self.limits.tokens {
                return Ok(self.finish_with(Stop::Tokens, OUT_OF_TOKENS));
            }
            let is_last = self.rounds >= self.limits.rounds;
            if is_last {
                self.announce_last_round();
                choice = ToolChoice::None;
            }
            let mut response = match self.wait_for_model(&choice).await {
                Ok(ModelOutcome::Reply(reply)) => self.record_usage(*reply),
                Ok(ModelOutcome::Interrupted(stop, partial)) => {
                    return Ok(self.finish_interrupted(stop, partial));
                }
                Err(failure) => {
                    self.remember_calls();
                    return Err(AskError::of(&failure, self.calls));
                }
            };
            choice = ToolChoice::Auto;
            self.rounds += 1;
            let planned = planned(&mut response, &mut self.ids, self.rounds);
            if is_last || planned.is_empty() {
                return Ok(self.answered(response, is_last));
            }
            if text_of(&response).is_some() {
                self.listener.text_ended();
            }
            let context = RoundContext {
                executor: &self.agent.executor,
                offer: &self.question.offer,
                guard: &self.question.guard,
                caller: &self.caller,
                stop: &self.stop,
                round: self.rounds,
            };
            let round = in_time(context.run(planned, self.listener), self.until, &self.stop).await;
            let (round, is_in_time) = round;
            let times = self.repeats.of(&round.calls);
            let notes: Vec<Option<String>> = times
                .iter()
                .map(|times| {
                    (*times > 1 && times + 1 >= self.limits.repeats)
                        .then(|| prompts::repeated_failure(*times))
                })
                .collect();
            self.messages.push(assistant_message(response, &round.calls));
            self.messages.push(results(&round.calls, &notes, self.limits.result_bytes));
            let repeated = round.calls.iter().zip(&times).find(|(_, times)| **times >= self.limits.repeats);
            let repeated = repeated.map(|(call, times)| repeated_failure_text(call, *times));
            self.calls.extend(round.calls);
            if !round.held.is_empty() {
                return Ok(self.finish_with_question(round.held));
            }
            if let Some(stop) = self.interruption(is_in_time) {
                return Ok(self.finish_interrupted(stop, String::new()));
            }
            if let Some(words) = repeated {
                return Ok(self.finish_with(Stop::Repeats, &words));
            }
        }
    }

    /// Continues after the user's decision.
    pub async fn with_decision(
        mut self,
        held: Vec<HeldCall>,
        decision: Decision,
    ) -> Result<Answer, AskError> {
        if decision == Decision::No {
            for call in &held {
                self.replace_result(&call.id, "The person said no. It was not run.".to_owned(), true);
            }
            return Ok(self.finish_with(Stop::Answered, NOT_DONE));
        }
        let context = RoundContext {
            executor: &self.agent.executor,
            offer: &self.question.offer,
            guard: &self.question.guard,
            caller: &self.caller,
            stop: &self.stop,
            round: self.rounds,
        };
        let (calls, is_in_time) =
            in_time(context.confirmed(held, self.listener), self.until, &self.stop).await;
        let notes = vec![None; calls.len()];
        for block in results(&calls, &notes, self.limits.result_bytes).blocks {
            if let Block::Result(result) = block {
                let (id, is_error) = (result.call_id.unwrap_or_default(), result.is_error);
                let text = result.blocks.into_iter().find_map(|block| match block {
                    Block::Text(text) => Some(text.text),
                    _ => None,
                });
                self.replace_result(&id, text.unwrap_or_default(), is_error);
            }
        }
        self.calls.extend(calls);
        match self.interruption(is_in_time) {
            Some(stop) => Ok(self.finish_interrupted(stop, String::new())),
            None => self.run_to_completion().await,
        }
    }

    /// The tool choice of the first request.
    fn first_choice(&self) -> Result<ToolChoice, AskError> {
        let Some(name) = &self.question.must_call else { return Ok(ToolChoice::Auto) };
        if self.rounds > 0 {
            return Ok(ToolChoice::Auto);
        }
        let names: Vec<&str> = self.tools.iter().map(|tool| tool.name.as_str()).collect();
        match (self.question.offer.wire_name(&self.agent.executor, name), &names[..]) {
            // Some model servers support "required" but not the choice of a specific tool.
            (Some(_), [_]) => Ok(ToolChoice::Required),
            (Some(wire), _) => Ok(ToolChoice::Tool(wire)),
            (None, _) => {
                let details = format!("no tool \"{name}\" is offered; those that are: {}", names.join(", "));
                Err(AskError::new(AskErrorKind::NoTool, details))
            }
        }
    }

    /// Waits for the model, limited by the deadline and by cancellation.
    async fn wait_for_model(&mut self, choice: &ToolChoice) -> Result<ModelOutcome, toolwright_llm::Failure> {
        let turn = Turn {
            model: &self.model,
            system: &self.system,
            messages: &self.messages,
            tools: &self.tools,
            choice,
            answer_tokens: self.limits.answer_tokens,
            temperature: self.agent.settings.temperature,
            client: &self.caller.client,
            front: self.question.front.word(),
            session: self.caller.session.as_deref(),
        };
        let mut received = String::new();
        let listener = &mut *self.listener;
        let mut on_event = |event: &Event| {
            if let Event::Text(piece) | Event::Refusal(piece) = event {
                received.push_str(piece);
                listener.text(piece);
            }
        };
        let stop = tokio::select! {
            biased;
            () = self.question.cancellation.cancelled() => Stop::Cancelled,
            () = sleep_until(self.until) => Stop::Time,
            reply = self.client.ask(&turn, &mut on_event) => return reply.map(|reply| ModelOutcome::Reply(Box::new(reply))),
        };
        Ok(ModelOutcome::Interrupted(stop, received))
    }

    /// Adds the usage of a reply.
    fn record_usage(&mut self, reply: Reply) -> Response {
        let Reply { response, upstream, model } = reply;
        let usage = response.usage;
        let input = match usage.all_input() {
            0 => {
                let request = toolwright_llm::form::Request {
                    messages: self.messages.clone(),
                    tools: self.tools.clone(),
                    ..Default::default()
                };
                tokens::estimate(&request)
            }
            input => input,
        };
        let output = usage.output.unwrap_or_else(|| bytes_of(&response) / TOKEN_BYTES);
        self.tokens.input = self.tokens.input.saturating_add(input);
        self.tokens.output = self.tokens.output.saturating_add(output);
        (self.upstream, self.upstream_model) = (upstream, model);
        response
    }

    /// The reason to stop, if there is one.
    fn interruption(&self, is_in_time: bool) -> Option<Stop> {
        match (self.question.cancellation.is_cancelled(), is_in_time) {
            (true, _) => Some(Stop::Cancelled),
            (false, false) => Some(Stop::Time),
            (false, true) => None,
        }
    }

    /// Informs the model that it can call no more tools, after the last results.
    fn announce_last_round(&mut self) {
        if let Some(last) = self.messages.last_mut().filter(|_| self.rounds > 0) {
            let text = prompts::last_round(self.rounds);
            last.blocks.push(Block::Text(Text { text, extra: Vec::new() }));
        }
    }

    /// Finishes with the model's answer.
    fn answered(mut self, response: Response, is_last: bool) -> Answer {
        let stop = match response.stop {
            _ if is_last => Stop::Rounds,
            Some(ModelStop::MaxTokens | ModelStop::ContextWindow) => Stop::Length,
            Some(ModelStop::Refusal) => Stop::Refused,
            _ => Stop::Answered,
        };
        let Some(text) = text_of(&response) else {
            return match stop {
                Stop::Refused => self.finish_with(stop, NO_WORDS),
                // The model used its whole token limit for reasoning.
                Stop::Length => self.finish_with(Stop::Empty, NO_ROOM),
                _ => self.finish_with(Stop::Empty, NO_WORDS),
            };
        };
        // Calls in the last response have no results, so the conversation must not contain them.
        let mut blocks = response.blocks;
        blocks.retain(|block| !matches!(block, Block::Call(_)));
        self.messages.push(Message { role: Role::Assistant, blocks, extra: Vec::new() });
        self.finish(stop, text, None)
    }

    /// Finishes with a fixed text.
    fn finish_with(mut self, stop: Stop, words: &str) -> Answer {
        self.listener.text(words);
        self.messages.push(text_message(Role::Assistant, words));
        self.finish(stop, words.to_owned(), None)
    }

    /// Finishes after cancellation or timeout.
    fn finish_interrupted(mut self, stop: Stop, received: String) -> Answer {
        let words = if stop == Stop::Time { OUT_OF_TIME } else { INTERRUPTED };
        if stop == Stop::Time {
            if !received.is_empty() {
                self.listener.text_ended();
            }
            self.listener.text(words);
        }
        let text = match (stop, received.is_empty()) {
            (_, true) => words.to_owned(),
            (Stop::Time, false) => format!("{received}\n{words}"),
            (_, false) => received,
        };
        if self.calls.is_empty() {
            // No call ran and there is no answer: the conversation stays as it was.
            self.messages.truncate(self.before);
        } else {
            self.messages.push(text_message(Role::Assistant, words));
        }
        self.finish(stop, text, None)
    }

    /// Finishes with a question to the user about the held calls.
    fn finish_with_question(mut self, calls: Vec<HeldCall>) -> Answer {
        let questions: Vec<&str> = calls.iter().map(|call| call.question.as_str()).collect();
        let text = questions.join(" ");
        self.listener.text(&text);
        let messages = self.messages[self.before..].to_vec();
        let held = Held {
            question: self.question.clone(),
            model: self.model.clone(),
            turn: self.turn,
            messages,
            calls,
            rounds: self.rounds,
        };
        self.messages.push(text_message(Role::Assistant, &text));
        self.finish(Stop::Confirm, text, Some(held))
    }

    /// Records the calls that ran although the model failed afterwards.
    fn remember_calls(&mut self) {
        if !self.calls.is_empty() {
            self.messages.push(text_message(Role::Assistant, INTERRUPTED));
            self.remember();
        }
    }

    fn remember(&mut self) -> usize {
        let turn: Vec<Message> = self.messages.drain(self.before..).collect();
        let Some(key) = &self.question.conversation else { return 1 };
        let now = self.agent.clock.now();
        let mut memory = self.agent.memory();
        if !turn.is_empty() {
            memory.keep(key, self.turn, turn, now);
        }
        memory.turns(key)
    }

    fn finish(mut self, stop: Stop, text: String, held: Option<Held>) -> Answer {
        let turns = self.remember();
        Answer {
            text,
            stop,
            model: if self.upstream_model.is_empty() { self.model } else { self.upstream_model },
            provider: self.client.provider(),
            upstream: self.upstream,
            rounds: self.rounds,
            turns,
            tokens: self.tokens,
            calls: self.calls,
            held,
            duration: self.started.elapsed(),
        }
    }

    /// Replaces the result of a call.
    fn replace_result(&mut self, id: &str, text: String, is_error: bool) {
        let blocks = self.messages[self.before..].iter_mut().flat_map(|message| &mut message.blocks);
        for block in blocks {
            if let Block::Result(known) = block
                && known.call_id.as_deref() == Some(id)
            {
                let name = known.name.take().unwrap_or_default();
                *block = result(id.to_owned(), name, text, is_error);
                return;
            }
        }
    }
}

/// Waits for calls; at the deadline it cancels them and waits for them to stop.
async fn in_time<T>(calls: impl Future<Output = T>, until: Instant, stop: &CancellationToken) -> (T, bool) {
    let mut calls = std::pin::pin!(calls);
    tokio::select! {
        biased;
        done = &mut calls => (done, true),
        () = sleep_until(until) => {
            stop.cancel();
            (calls.await, false)
        }
    }
}

/// The text for a call that failed repeatedly.
fn repeated_failure_text(call: &Called, times: u32) -> String {
    let why = call.result.as_ref().err().map_or("", |error| error.sentence.as_str());
    format!("I stopped, because the same call failed {times} times in the same way. {why}")
        .trim_end()
        .to_owned()
}

fn id_of(block: &Block) -> Option<String> {
    match block {
        Block::Call(call) => call.id.clone(),
        _ => None,
    }
}

/// The text of a response, if any.
fn text_of(response: &Response) -> Option<String> {
    let texts = response.blocks.iter().filter_map(|block| match block {
        Block::Text(text) => Some(text.text.as_str()),
        Block::Refusal(text) => Some(text.as_str()),
        _ => None,
    });
    let text: String = texts.collect();
    (!text.trim().is_empty()).then_some(text)
}

fn bytes_of(response: &Response) -> u64 {
    let lengths = response.blocks.iter().map(|block| match block {
        Block::Text(text) => text.text.len(),
        Block::Thinking(thinking) => thinking.text.len(),
        Block::Call(call) => call.name.len() + call.arguments.as_str().len(),
        Block::Refusal(text) => text.len(),
        _ => 0,
    });
    lengths.sum::<usize>() as u64
}
