//! The agent as the mind of the voice: its questions, under the guard of the voice.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use toolwright_agent::{Agent, Answer, Front, Guard, Listener, Offer, Proposed, Question, Verdict};
use toolwright_executor::ToolExecutor;
use toolwright_voice::{HeldCall, Mind, MindError, Thinking, Thought, Words};

/// Answers what was said by asking a model.
pub struct AgentMind {
    agent: Arc<Agent>,
    executor: Arc<ToolExecutor>,
    /// The model that the voice names; the agent's own when absent.
    model: Option<String>,
}

impl AgentMind {
    /// A mind that asks this agent, whose calls go to this executor.
    pub fn new(agent: Agent, executor: Arc<ToolExecutor>) -> AgentMind {
        AgentMind { agent: Arc::new(agent), executor, model: None }
    }

    /// The same mind, with what it remembers, asking this model.
    pub fn of_model(&self, model: Option<String>) -> AgentMind {
        AgentMind { agent: Arc::clone(&self.agent), executor: Arc::clone(&self.executor), model }
    }

    async fn answer(&self, thought: Thought) -> Result<Thinking, MindError> {
        let Thought { text, conversation, guard, caller, words, cancellation, .. } = thought;
        let mut question = Question::new(Front::Voice, text)
            .in_conversation(conversation)
            .by(caller)
            .offering(self.offer(&guard))
            .guarded_by(Arc::new(OfVoice(guard)))
            .cancelled_by(cancellation);
        question.model.clone_from(&self.model);
        let answer = self.agent.ask(question, &mut Spoken(words)).await;
        answer
            .map(thinking)
            .map_err(|error| MindError::Unavailable(format!("{} {}", error.sentence, error.details)))
    }

    /// The tools that the voice has; the model hears of no others.
    fn offer(&self, guard: &toolwright_voice::Guard) -> Offer {
        let tools = self.executor.registry().snapshot();
        let names: Vec<String> = tools
            .wire_names()
            .filter(|(_, tool)| guard.has(tool))
            .map(|(_, tool)| tool.qualified_name().to_owned())
            .collect();
        if names.is_empty() { Offer::Nothing } else { Offer::of(&names) }
    }
}

impl Mind for AgentMind {
    fn think(self: Arc<Self>, thought: Thought) -> BoxFuture<'static, Result<Thinking, MindError>> {
        async move { self.answer(thought).await }.boxed()
    }

    fn hears(&self, conversation: &str, question: &str, answer: &str) {
        self.agent.remember(conversation, question, answer);
    }
}

/// What is held is run by the voice itself after a yes, so the agent's own place in the loop is given up here.
fn thinking(answer: Answer) -> Thinking {
    let held = answer.held.iter().flat_map(|held| held.calls());
    let held = held.map(|call| HeldCall { tool: call.tool.clone(), arguments: call.arguments.clone() });
    Thinking {
        held: held.collect(),
        text: answer.text,
        model: Some((answer.model, answer.provider.to_owned())),
        turns: answer.turns,
    }
}

/// The guard of the voice, as an agent asks it.
struct OfVoice(toolwright_voice::Guard);

impl Guard for OfVoice {
    fn judge(&self, call: &Proposed<'_>) -> Verdict {
        match self.0.judge(call.tool, call.arguments) {
            toolwright_voice::Verdict::Allow => Verdict::Allow,
            toolwright_voice::Verdict::Deny(sentence) => Verdict::Deny { sentence },
            // The voice words its question by itself, from the calls that are held.
            toolwright_voice::Verdict::Confirm => {
                Verdict::Confirm { question: "Shall I do that?".to_owned() }
            }
        }
    }
}

/// What is written is said while it is written.
struct Spoken(Words);

impl Listener for Spoken {
    fn text(&mut self, piece: &str) {
        self.0.say(piece);
    }
}
