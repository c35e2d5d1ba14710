//! Ids of calls and results: such as the upstream takes, the same for both, and no two calls with one.

use std::collections::{HashMap, HashSet};

use super::{hash, is_word_char};
use crate::IdRule;
use crate::form::{Block, Call, Request, ToolResult};

/// Gives every call and every result an id that the rule allows.
pub(super) fn fit_ids(request: &mut Request, rule: IdRule) {
    let mut ids = Ids { rule, ..Ids::default() };
    let blocks = || request.messages.iter().flat_map(|message| &message.blocks);
    for id in blocks().filter_map(id_of).filter(|id| allows(rule, id)) {
        ids.reserved.insert(id.to_owned());
    }
    for (turn, message) in request.messages.iter_mut().enumerate() {
        for block in &mut message.blocks {
            match block {
                Block::Call(call) => ids.call(turn, call),
                Block::Result(result) => ids.result(result),
                _ => {}
            }
        }
    }
}

#[derive(Debug)]
struct Ids {
    rule: IdRule,
    /// Ids that may stay what they are: nobody else gets them.
    reserved: HashSet<String>,
    used: HashSet<String>,
    calls: Vec<Seen>,
    /// Calls by the ids they came with, in order.
    by_id: HashMap<String, Vec<usize>>,
    /// The first call that may be without an answer.
    first_open: usize,
    /// Ids of results that answer no call.
    orphans: HashMap<String, String>,
    nameless: usize,
}

#[derive(Debug)]
struct Seen {
    turn: usize,
    name: String,
    new: String,
    is_answered: bool,
}

impl Default for Ids {
    fn default() -> Self {
        Ids {
            rule: IdRule::Any,
            reserved: HashSet::new(),
            used: HashSet::new(),
            calls: Vec::new(),
            by_id: HashMap::new(),
            first_open: 0,
            orphans: HashMap::new(),
            nameless: 0,
        }
    }
}

impl Ids {
    fn call(&mut self, turn: usize, call: &mut Call) {
        let number = self.calls.len();
        let given = call.id.take().filter(|id| !id.is_empty());
        let new = match &given {
            Some(id) if self.reserved.contains(id) && !self.used.contains(id) => id.clone(),
            Some(id) => self.made(id),
            None => self.made(&format!("call_{}", number + 1)),
        };
        self.used.insert(new.clone());
        if let Some(id) = given {
            self.by_id.entry(id).or_default().push(number);
        }
        call.id = Some(new.clone());
        self.calls.push(Seen { turn, name: call.name.clone(), new, is_answered: false });
    }

    fn result(&mut self, result: &mut ToolResult) {
        let given = result.call_id.take().filter(|id| !id.is_empty());
        let found = match &given {
            Some(id) => self.called(id),
            None => self.next_open(result.name.as_deref()),
        };
        if let Some(number) = found {
            self.calls[number].is_answered = true;
            result.call_id = Some(self.calls[number].new.clone());
            return;
        }
        let id = given.unwrap_or_else(|| {
            self.nameless += 1;
            format!("result_{}", self.nameless)
        });
        let new = match self.orphans.get(&id) {
            Some(new) => new.clone(),
            None if self.reserved.contains(&id) && !self.used.contains(&id) => id.clone(),
            None => self.made(&id),
        };
        self.used.insert(new.clone());
        self.orphans.insert(id, new.clone());
        result.call_id = Some(new);
    }

    /// The call of an id: of several the first without an answer in the latest turn that has one.
    fn called(&self, id: &str) -> Option<usize> {
        let numbers = self.by_id.get(id)?;
        let open = |number: &&usize| !self.calls[**number].is_answered;
        let turn = numbers.iter().rev().find(open).map(|number| self.calls[*number].turn);
        let in_turn = |number: &&usize| open(number) && Some(self.calls[**number].turn) == turn;
        numbers.iter().find(in_turn).or(numbers.last()).copied()
    }

    /// The call that a result without an id answers: of its name, or the next in order.
    fn next_open(&mut self, name: Option<&str>) -> Option<usize> {
        while self.calls.get(self.first_open).is_some_and(|call| call.is_answered) {
            self.first_open += 1;
        }
        let open = || (self.first_open..self.calls.len()).filter(|number| !self.calls[*number].is_answered);
        let turn = open().next_back().map(|number| self.calls[number].turn)?;
        let in_turn = || open().filter(|number| self.calls[*number].turn == turn);
        in_turn().find(|number| Some(self.calls[*number].name.as_str()) == name).or_else(|| in_turn().next())
    }

    /// An id after this one that the rule allows and nobody has.
    fn made(&self, id: &str) -> String {
        let mut salt = 0;
        loop {
            let new = candidate(self.rule, id, salt);
            if !self.reserved.contains(&new) && !self.used.contains(&new) {
                return new;
            }
            salt += 1;
        }
    }
}

fn id_of(block: &Block) -> Option<&str> {
    match block {
        Block::Call(call) => call.id.as_deref(),
        Block::Result(result) => result.call_id.as_deref(),
        _ => None,
    }
}

fn allows(rule: IdRule, id: &str) -> bool {
    match rule {
        _ if id.is_empty() => false,
        IdRule::Any => true,
        IdRule::Word => id.chars().all(is_word_char),
        IdRule::NineAlphanumerics => id.len() == 9 && id.chars().all(|letter| letter.is_ascii_alphanumeric()),
        IdRule::UpTo(most) => id.chars().count() <= most,
    }
}

fn candidate(rule: IdRule, id: &str, salt: u32) -> String {
    let tail = |text: String| if salt == 0 { text } else { format!("{text}_{}", &hash(id, salt)[..8]) };
    match rule {
        IdRule::Any => tail(id.to_owned()),
        IdRule::Word => {
            tail(id.chars().map(|letter| if is_word_char(letter) { letter } else { '_' }).collect())
        }
        IdRule::NineAlphanumerics => hash(id, salt)[..9].to_owned(),
        IdRule::UpTo(most) if salt == 0 && id.chars().count() <= most => id.to_owned(),
        IdRule::UpTo(most) => {
            let prefix: String = id.chars().take(most.saturating_sub(9)).collect();
            format!("{prefix}_{}", &hash(id, salt)[..8])
        }
    }
}
