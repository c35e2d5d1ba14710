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

use super::round::{Crew, planned, result, results, told};
use super::{Agent, said};
use crate::client::{ModelClient, Reply, Turn};
use crate::repeats::Repeats;
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
pub(super) struct Run<'a> {
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
    repeats: Repeats,
    begun: Instant,
    until: Instant,
    stop: CancellationToken,
}

/// The result of waiting for the model.
enum Heard {
    Reply(Box<Reply>),
    /// The text received until then.
    Interrupted(Stop, String),
}

impl<'a> Run<'a> {
    pub fn begin(
        agent: &'a Agent,
        mut question: Question,
        model: String,
        turn: u64,
        asked: Vec<Message>,
        rounds: u32,
        listener: &'a mut dyn Listener,
    ) -> Result<Run<'a>, AskError> {
        let client = agent.client_for(&model)?;
        let limits = agent.limits(&question);
        question.offer = question.offer.and(&agent.settings.offer);
        let mut messages = match &question.conversation {
            Some(key) => agent.memory().before(key, Some(turn), agent.clock.now()),
            None => Vec::new(),
        };
        let before = messages.len();
        messages.extend(asked);
        let begun = Instant::now();
        Ok(Run {
            caller: question.caller(),
            system: prompts::system(&agent.settings, &question),
            tools: question.offer.tools(&agent.executor.registry().snapshot()),
            ids: messages.iter().flat_map(|message| &message.blocks).filter_map(id_of).collect(),
            stop: question.cancellation.child_token(),
            until: begun.checked_add(limits.time).unwrap_or(begun + LONGEST),
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
            repeats: Repeats::default(),
            begun,
        })
    }

    /// Sends requests until there is an answer.
    pub async fn answered_at_last(mut self) -> Result<Answer, AskError> {
        let mut choice = self.first_choice()?;
        loop {
            if self.tokens.total() >= self.limits.tokens {
                return Ok(self.ends_with(Stop::Tokens, OUT_OF_TOKENS));
            }
            let is_last = self.rounds >= self.limits.rounds;
            if is_last {
                self.say_it_is_the_last();
                choice = ToolChoice::None;
            }
            let mut response = match self.hear(&choice).await {
                Ok(Heard::Reply(reply)) => self.takes(*reply),
                Ok(Heard::Interrupted(stop, said)) => return Ok(self.interrupted(stop, said)),
                Err(failure) => {
                    self.remember_what_was_done();
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
            let crew = Crew {
                executor: &self.agent.executor,
                offer: &self.question.offer,
                guard: &self.question.guard,
                caller: &self.caller,
                stop: &self.stop,
                round: self.rounds,
            };
            let round = in_time(crew.run(planned, self.listener), self.until, &self.stop).await;
            let (round, is_in_time) = round;
            let times = self.repeats.of(&round.calls);
            let notes: Vec<Option<String>> = times
                .iter()
                .map(|times| {
                    (*times > 1 && times + 1 >= self.limits.repeats).then(|| prompts::said_before(*times))
                })
                .collect();
            self.messages.push(told(response, &round.calls));
            self.messages.push(results(&round.calls, &notes, self.limits.result_bytes));
            let repeated = round.calls.iter().zip(&times).find(|(_, times)| **times >= self.limits.repeats);
            let repeated = repeated.map(|(call, times)| given_up(call, *times));
            self.calls.extend(round.calls);
            if !round.held.is_empty() {
                return Ok(self.asks_back(round.held));
            }
            if let Some(stop) = self.interruption(is_in_time) {
                return Ok(self.interrupted(stop, String::new()));
            }
            if let Some(words) = repeated {
                return Ok(self.ends_with(Stop::Repeats, &words));
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
                self.put(&call.id, "The person said no. It was not run.".to_owned(), true);
            }
            return Ok(self.ends_with(Stop::Answered, NOT_DONE));
        }
        let crew = Crew {
            executor: &self.agent.executor,
            offer: &self.question.offer,
            guard: &self.question.guard,
            caller: &self.caller,
            stop: &self.stop,
            round: self.rounds,
        };
        let (calls, is_in_time) = in_time(crew.confirmed(held, self.listener), self.until, &self.stop).await;
        let notes = vec![None; calls.len()];
        for block in results(&calls, &notes, self.limits.result_bytes).blocks {
            if let Block::Result(told) = block {
                let (id, is_error) = (told.call_id.unwrap_or_default(), told.is_error);
                let text = told.blocks.into_iter().find_map(|block| match block {
                    Block::Text(text) => Some(text.text),
                    _ => None,
                });
                self.put(&id, text.unwrap_or_default(), is_error);
            }
        }
        self.calls.extend(calls);
        match self.interruption(is_in_time) {
            Some(stop) => Ok(self.interrupted(stop, String::new())),
            None => self.answered_at_last().await,
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
    async fn hear(&mut self, choice: &ToolChoice) -> Result<Heard, toolwright_llm::Failure> {
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
        let mut heard = String::new();
        let listener = &mut *self.listener;
        let mut hear = |event: &Event| {
            if let Event::Text(piece) | Event::Refusal(piece) = event {
                heard.push_str(piece);
                listener.text(piece);
            }
        };
        let stop = tokio::select! {
            biased;
            () = self.question.cancellation.cancelled() => Stop::Cancelled,
            () = sleep_until(self.until) => Stop::Time,
            reply = self.client.ask(&turn, &mut hear) => return reply.map(|reply| Heard::Reply(Box::new(reply))),
        };
        Ok(Heard::Interrupted(stop, heard))
    }

    /// Adds the usage of a reply.
    fn takes(&mut self, reply: Reply) -> Response {
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
    fn say_it_is_the_last(&mut self) {
        if let Some(last) = self.messages.last_mut().filter(|_| self.rounds > 0) {
            let text = prompts::last_word(self.rounds);
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
                Stop::Refused => self.ends_with(stop, NO_WORDS),
                // The model used its whole token limit for reasoning.
                Stop::Length => self.ends_with(Stop::Empty, NO_ROOM),
                _ => self.ends_with(Stop::Empty, NO_WORDS),
            };
        };
        // Calls in the last response have no results, so the conversation must not contain them.
        let mut blocks = response.blocks;
        blocks.retain(|block| !matches!(block, Block::Call(_)));
        self.messages.push(Message { role: Role::Assistant, blocks, extra: Vec::new() });
        self.finish(stop, text, None)
    }

    /// Finishes with a fixed text.
    fn ends_with(mut self, stop: Stop, words: &str) -> Answer {
        self.listener.text(words);
        self.messages.push(said(Role::Assistant, words));
        self.finish(stop, words.to_owned(), None)
    }

    /// Finishes after cancellation or timeout.
    fn interrupted(mut self, stop: Stop, heard: String) -> Answer {
        let words = if stop == Stop::Time { OUT_OF_TIME } else { INTERRUPTED };
        if stop == Stop::Time {
            if !heard.is_empty() {
                self.listener.text_ended();
            }
            self.listener.text(words);
        }
        let text = match (stop, heard.is_empty()) {
            (_, true) => words.to_owned(),
            (Stop::Time, false) => format!("{heard}\n{words}"),
            (_, false) => heard,
        };
        if self.calls.is_empty() {
            // No call ran and there is no answer: the conversation stays as it was.
            self.messages.truncate(self.before);
        } else {
            self.messages.push(said(Role::Assistant, words));
        }
        self.finish(stop, text, None)
    }

    /// Finishes with a question to the user about the held calls.
    fn asks_back(mut self, calls: Vec<HeldCall>) -> Answer {
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
        self.messages.push(said(Role::Assistant, &text));
        self.finish(Stop::Confirm, text, Some(held))
    }

    /// Records the calls that ran although the model failed afterwards.
    fn remember_what_was_done(&mut self) {
        if !self.calls.is_empty() {
            self.messages.push(said(Role::Assistant, INTERRUPTED));
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
            duration: self.begun.elapsed(),
        }
    }

    /// Replaces the result of a call.
    fn put(&mut self, id: &str, text: String, is_error: bool) {
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
fn given_up(call: &Called, times: u32) -> String {
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
