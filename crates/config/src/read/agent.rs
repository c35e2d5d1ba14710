//! The section `agent`: the model, limits and memory of questions.
//!
//! An invalid setting is reported and ignored. An invalid list of tools allows none: a restriction must not be lifted
//! by a mistake.

use toolwright_jsonrpc::raw::{Kind, Member, Node};

use super::section::SectionKeys;
use super::{ConfigReader, non_null_value};
use crate::agent::AgentConfig;

pub(super) const AGENT_KEYS: &[&str] = &[
    "model",
    "tools",
    "system",
    "rounds",
    "timeoutMs",
    "tokens",
    "answerTokens",
    "resultBytes",
    "repeats",
    "temperature",
    "memory",
];
const AGENT_WORDS: &[(&str, &str)] = &[
    ("maxrounds", "rounds"),
    ("maxiterations", "rounds"),
    ("maxturns", "rounds"),
    ("maxsteps", "rounds"),
    ("steps", "rounds"),
    ("maxtokens", "answerTokens"),
    ("tokenbudget", "tokens"),
    ("budget", "tokens"),
    ("timeout", "timeoutMs"),
    ("prompt", "system"),
    ("systemprompt", "system"),
    ("prompts", "system"),
    ("instructions", "system"),
    ("conversation", "memory"),
    ("history", "memory"),
    ("toolfilters", "tools"),
];
const MEMORY_KEYS: &[&str] = &["idleMs", "turns", "bytes"];
const MEMORY_WORDS: &[(&str, &str)] = &[
    ("expiry", "idleMs"),
    ("ttl", "idleMs"),
    ("timeoutms", "idleMs"),
    ("length", "turns"),
    ("messages", "turns"),
    ("maxturns", "turns"),
];
const SYSTEM_KEYS: &[&str] = &["ask", "voice"];

/// The limits of settings.
const MAX_ROUNDS: u64 = 100;
const MAX_TOKENS: u64 = 100_000_000;
const MAX_ANSWER_TOKENS: u64 = 1_000_000;
const RESULT_BYTES: std::ops::RangeInclusive<u64> = 256..=1 << 24;
const MAX_REPEATS: u64 = 100;
const MAX_TURNS: u64 = 10_000;
const MAX_MEMORY_BYTES: u64 = 1 << 24;
const MAX_TEMPERATURE: f64 = 2.0;

impl<'t> ConfigReader<'t, '_> {
    /// Reads the section; `None` if it is absent.
    pub(super) fn agent(&mut self, members: &[Member<'t>]) -> Option<AgentConfig> {
        let node = non_null_value(members, "agent")?;
        let members = self.agent_members(&node, "agent", AGENT_KEYS, AGENT_WORDS)?;
        let memory = non_null_value(members, "memory")
            .and_then(|node| self.agent_members(&node, "memory", MEMORY_KEYS, MEMORY_WORDS));
        let memory = memory.unwrap_or_default();
        let system = non_null_value(members, "system");
        let (ask_prompt, voice_prompt) = match system {
            // One text for both.
            Some(node) if node.as_text().is_some() => {
                let text = self.prompt(&node, "system");
                (text.clone(), text)
            }
            Some(node) => {
                let prompts = self.agent_members(&node, "system", SYSTEM_KEYS, &[]).unwrap_or_default();
                let mut of = |key| non_null_value(prompts, key).and_then(|node| self.prompt(&node, key));
                (of("ask"), of("voice"))
            }
            None => (None, None),
        };
        let model = non_null_value(members, "model").and_then(|node| self.non_empty_name(&node, "model"));
        // An empty list allows no tool.
        let tools =
            non_null_value(members, "tools").map(|node| self.texts(&node, "tools").unwrap_or_default());
        let mut whole = |within: &[Member<'t>], key, of, range, example| {
            non_null_value(within, key).and_then(|node| self.whole(&node, key, of, range, example))
        };
        let rounds = whole(members, "rounds", "rounds", 1..=MAX_ROUNDS, 8);
        let tokens = whole(members, "tokens", "tokens", 1..=MAX_TOKENS, 200_000);
        let answer_tokens = whole(members, "answerTokens", "tokens", 1..=MAX_ANSWER_TOKENS, 2_048);
        let result_bytes = whole(members, "resultBytes", "bytes", RESULT_BYTES, 16_384);
        let repeats = whole(members, "repeats", "times", 2..=MAX_REPEATS, 3);
        let memory_turns = whole(memory, "turns", "turns", 0..=MAX_TURNS, 20);
        let memory_bytes = whole(memory, "bytes", "bytes", 0..=MAX_MEMORY_BYTES, 65_536);
        Some(AgentConfig {
            model,
            rounds: rounds.and_then(|rounds| u32::try_from(rounds).ok()),
            timeout: non_null_value(members, "timeoutMs")
                .and_then(|node| self.milliseconds(&node, "timeoutMs")),
            tokens,
            answer_tokens,
            result_bytes: result_bytes.and_then(|bytes| usize::try_from(bytes).ok()),
            repeats: repeats.and_then(|times| u32::try_from(times).ok()),
            temperature: non_null_value(members, "temperature").and_then(|node| self.temperature(&node)),
            tools,
            memory_idle: non_null_value(memory, "idleMs").and_then(|node| self.milliseconds(&node, "idleMs")),
            memory_turns: memory_turns.and_then(|turns| usize::try_from(turns).ok()),
            memory_bytes: memory_bytes.and_then(|bytes| usize::try_from(bytes).ok()),
            ask_prompt,
            voice_prompt,
        })
    }

    fn agent_members(
        &mut self,
        node: &Node<'t>,
        key: &str,
        known: &'static [&'static str],
        words: &'static [(&'static str, &'static str)],
    ) -> Option<&'t [Member<'t>]> {
        self.members_of(node, key, SectionKeys { known, foreign: &[], words, allows_flag: false })
    }

    /// A text that is not empty.
    fn non_empty_name(&mut self, node: &Node<'t>, key: &str) -> Option<String> {
        let text = self.text(node, &format!("\"{key}\""))?;
        if text.trim().is_empty() {
            let message = format!("\"{key}\" is empty");
            self.collector.error(node, message, "write a name such as \"qwen3:8b\", or leave it out");
            return None;
        }
        Some(text.trim().to_owned())
    }

    fn prompt(&mut self, node: &Node<'t>, key: &str) -> Option<String> {
        let text = self.text(node, &format!("\"{key}\""))?;
        if text.trim().is_empty() {
            let message = format!("the instructions in \"{key}\" are empty");
            self.collector.error(node, message, "write what the model is to heed, or leave it out");
            return None;
        }
        Some(text)
    }

    /// A number, or a text with a number, as from a variable.
    fn temperature(&mut self, node: &Node<'t>) -> Option<f64> {
        let text = match node.kind {
            Kind::Number(text) => text.to_owned(),
            _ => match node.as_text() {
                Some(_) => self.text(node, "\"temperature\"")?,
                None => String::new(),
            },
        };
        let number = text.trim().parse::<f64>().ok();
        let number = number.filter(|number| (0.0..=MAX_TEMPERATURE).contains(number));
        if number.is_none() {
            self.collector.error(node, "\"temperature\" is a number from 0 to 2", "write 0.2");
        }
        number
    }
}
