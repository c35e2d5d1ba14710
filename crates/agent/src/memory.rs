//! Memory of conversations: whole turns, for a limited time, within the size that a model can read.
//!
//! A turn is stored completely or not at all, so that no call is without its result. A turn that is too
//! large is reduced to its question and its answer.

use std::collections::HashMap;
use std::time::Instant;

use toolwright_llm::form::{Block, Message, Role};

use crate::MemorySettings;
use crate::settings::MOST_CONVERSATIONS;

/// A source of time.
pub trait Clock: Send + Sync {
    /// Now.
    fn now(&self) -> Instant;
}

/// The system clock.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Instant {
        Instant::now()
    }
}

/// All conversations.
#[derive(Debug)]
pub(crate) struct Memory {
    settings: MemorySettings,
    conversations: HashMap<String, StoredConversation>,
    last_turn: u64,
}

#[derive(Debug)]
struct StoredConversation {
    turns: Vec<StoredTurn>,
    /// The number of turns, including those that were dropped.
    count: usize,
    last: Instant,
}

#[derive(Debug)]
struct StoredTurn {
    id: u64,
    messages: Vec<Message>,
    bytes: usize,
}

impl Memory {
    pub fn new(settings: MemorySettings) -> Memory {
        Memory { settings, conversations: HashMap::new(), last_turn: 0 }
    }

    /// A number for the next turn.
    pub fn next_turn(&mut self) -> u64 {
        self.last_turn += 1;
        self.last_turn
    }

    /// The messages of a conversation, except those of one turn.
    pub fn before(&mut self, key: &str, without: Option<u64>, now: Instant) -> Vec<Message> {
        self.expire(now);
        let Some(conversation) = self.conversations.get_mut(key) else { return Vec::new() };
        conversation.last = now;
        let turns = conversation.turns.iter().filter(|turn| Some(turn.id) != without);
        turns.flat_map(|turn| turn.messages.iter().cloned()).collect()
    }

    /// The number of turns in a conversation.
    pub fn turns(&self, key: &str) -> usize {
        self.conversations.get(key).map_or(0, |conversation| conversation.count)
    }

    /// Stores a turn; replaces the one with the same number.
    pub fn keep(&mut self, key: &str, id: u64, messages: Vec<Message>, now: Instant) {
        self.expire(now);
        if self.settings.turns == 0 || self.settings.bytes == 0 {
            return;
        }
        if !self.conversations.contains_key(key) && self.conversations.len() >= MOST_CONVERSATIONS {
            let oldest = self.conversations.iter().min_by_key(|(_, conversation)| conversation.last);
            if let Some(oldest) = oldest.map(|(key, _)| key.clone()) {
                self.conversations.remove(&oldest);
            }
        }
        let (most_turns, most_bytes) = (self.settings.turns, self.settings.bytes);
        let conversation = self.conversations.entry(key.to_owned()).or_insert_with(|| StoredConversation {
            turns: Vec::new(),
            count: 0,
            last: now,
        });
        conversation.last = now;
        let mut bytes = bytes_of(&messages);
        let mut messages = messages;
        if bytes > most_bytes {
            messages = without_calls(&messages);
            bytes = bytes_of(&messages);
        }
        let turns = &mut conversation.turns;
        let known = turns.iter().position(|turn| turn.id == id);
        match known {
            Some(place) => drop(turns.remove(place)),
            None => conversation.count += 1,
        }
        turns.push(StoredTurn { id, messages, bytes });
        while turns.len() > most_turns || turns.iter().map(|turn| turn.bytes).sum::<usize>() > most_bytes {
            turns.remove(0);
        }
    }

    pub fn forget(&mut self, key: &str) {
        self.conversations.remove(key);
    }

    fn expire(&mut self, now: Instant) {
        let idle = self.settings.idle;
        self.conversations.retain(|_, conversation| now.saturating_duration_since(conversation.last) < idle);
    }
}

fn bytes_of(messages: &[Message]) -> usize {
    fn of(block: &Block) -> usize {
        match block {
            Block::Text(text) => text.text.len(),
            Block::Thinking(thinking) => {
                thinking.text.len() + thinking.signature.as_ref().map_or(0, String::len)
            }
            Block::Call(call) => call.name.len() + call.arguments.as_str().len(),
            Block::Result(result) => result.blocks.iter().map(of).sum(),
            Block::Refusal(text) => text.len(),
            Block::Media(_) | Block::Other { .. } => 0,
        }
    }
    messages.iter().flat_map(|message| &message.blocks).map(of).sum()
}

/// The question and the last answer.
fn without_calls(messages: &[Message]) -> Vec<Message> {
    let text_only = |message: &Message| {
        let blocks = message.blocks.iter().filter(|block| matches!(block, Block::Text(_)));
        Message { role: message.role, blocks: blocks.cloned().collect(), extra: Vec::new() }
    };
    let question = messages.iter().find(|message| message.role == Role::User).map(text_only);
    let answer = messages.iter().rev().find(|message| message.role == Role::Assistant).map(text_only);
    question.into_iter().chain(answer).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use toolwright_llm::form::Text;

    use super::*;

    fn turn(text: &str) -> Vec<Message> {
        let text_only = |role, text: &str| Message {
            role,
            blocks: vec![Block::Text(Text { text: text.to_owned(), extra: Vec::new() })],
            extra: Vec::new(),
        };
        vec![text_only(Role::User, text), text_only(Role::Assistant, "yes")]
    }

    fn texts(messages: &[Message]) -> Vec<&str> {
        let blocks = messages.iter().flat_map(|message| &message.blocks);
        blocks
            .filter_map(|block| match block {
                Block::Text(text) => Some(text.text.as_str()),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn a_conversation_is_forgotten_after_two_minutes_of_silence() {
        let mut memory = Memory::new(MemorySettings::default());
        let start = Instant::now();
        let first = memory.next_turn();
        memory.keep("a", first, turn("one"), start);
        let soon = start + Duration::from_secs(119);
        assert_eq!(texts(&memory.before("a", None, soon)), ["one", "yes"]);
        // Reading it has restarted its timeout.
        assert_eq!(memory.before("a", None, soon + Duration::from_secs(119)).len(), 2);
        assert_eq!(memory.before("b", None, soon).len(), 0);
        assert!(memory.before("a", None, soon + Duration::from_secs(239)).is_empty());
        assert_eq!(memory.turns("a"), 0);
    }

    #[test]
    fn the_oldest_turns_go_first_and_whole() {
        let settings = MemorySettings { turns: 2, ..MemorySettings::default() };
        let mut memory = Memory::new(settings);
        let now = Instant::now();
        for text in ["one", "two", "three"] {
            let id = memory.next_turn();
            memory.keep("a", id, turn(text), now);
        }
        assert_eq!(texts(&memory.before("a", None, now)), ["two", "yes", "three", "yes"]);
        assert_eq!(memory.turns("a"), 3);
    }

    #[test]
    fn bytes_have_an_end_too() {
        let settings = MemorySettings { bytes: 20, ..MemorySettings::default() };
        let mut memory = Memory::new(settings);
        let now = Instant::now();
        for text in ["0123456789", "9876543210"] {
            let id = memory.next_turn();
            memory.keep("a", id, turn(text), now);
        }
        assert_eq!(texts(&memory.before("a", None, now)), ["9876543210", "yes"]);
        let id = memory.next_turn();
        memory.keep("a", id, turn(&"x".repeat(100)), now);
        assert!(memory.before("a", None, now).is_empty(), "what alone is too much is not kept");
    }

    #[test]
    fn a_turn_that_goes_on_takes_its_own_place() {
        let mut memory = Memory::new(MemorySettings::default());
        let now = Instant::now();
        let id = memory.next_turn();
        memory.keep("a", id, turn("may I?"), now);
        assert!(memory.before("a", Some(id), now).is_empty());
        memory.keep("a", id, turn("I may"), now);
        assert_eq!((texts(&memory.before("a", None, now)), memory.turns("a")), (vec!["I may", "yes"], 1));
    }

    #[test]
    fn so_many_conversations_and_no_more() {
        let mut memory = Memory::new(MemorySettings::default());
        let start = Instant::now();
        for number in 0..MOST_CONVERSATIONS + 10 {
            let id = memory.next_turn();
            let now = start + Duration::from_millis(number as u64);
            memory.keep(&number.to_string(), id, turn("x"), now);
        }
        assert_eq!(memory.conversations.len(), MOST_CONVERSATIONS);
        assert_eq!(memory.turns("9"), 0);
        assert_eq!(memory.turns("10"), 1);
    }
}
