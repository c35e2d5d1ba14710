//! Conversations of several turns: what a model says to one question after the other.

use std::collections::{HashMap, VecDeque};

use super::order::Order;
use super::scenario::{Finish, Habit, Part, Scenario};

/// What a model says to one question.
#[derive(Clone, Debug)]
pub struct Said {
    /// In order.
    pub parts: Vec<Part>,
    /// How it ends.
    pub finish: Finish,
    /// What is odd about the wire.
    pub habit: Habit,
    /// The status; another than 200 is an error without parts.
    pub status: u16,
    /// How its bytes are sent, in the words of [`Order`], each behind a `+`.
    pub order: String,
}

impl Said {
    /// Words, and nothing else.
    pub fn text(text: &str) -> Said {
        Said::parts(vec![Part::Text(text.to_owned())]).ending(Finish::Stop)
    }

    /// Calls of tools, with arguments as they are written.
    pub fn calls(calls: &[(&str, &str)]) -> Said {
        let parts = calls.iter().map(|(name, arguments)| Part::Call {
            name: (*name).to_owned(),
            arguments: (*arguments).to_owned(),
        });
        Said::parts(parts.collect())
    }

    /// These parts; it waits for the results of its calls.
    pub fn parts(parts: Vec<Part>) -> Said {
        Said { parts, finish: Finish::Calls, habit: Habit::Clean, status: 200, order: String::new() }
    }

    /// An error.
    pub fn error(status: u16) -> Said {
        Said { status, ..Said::parts(Vec::new()) }
    }

    /// The same after some words.
    pub fn after(mut self, text: &str) -> Said {
        self.parts.insert(0, Part::Text(text.to_owned()));
        self
    }

    /// The same with another end.
    pub fn ending(mut self, finish: Finish) -> Said {
        self.finish = finish;
        self
    }

    /// The same on an odd wire.
    pub fn with_habit(mut self, habit: Habit) -> Said {
        self.habit = habit;
        self
    }

    /// The same, sent as these words of [`Order`] say: `hold=2`, `cut=100+reset`.
    pub fn sent(mut self, order: &str) -> Said {
        self.order = format!("+{order}");
        self
    }

    pub(super) fn scenario(&self) -> Scenario {
        Scenario {
            key: "script",
            name: "script",
            parts: self.parts.clone(),
            finish: self.finish,
            habit: self.habit,
            status: self.status,
        }
    }

    pub(super) fn order(&self) -> Order {
        Order::read(&format!("script{}", self.order))
    }
}

/// What the models of these names say, in turn.
#[derive(Debug, Default)]
pub(super) struct Scripts(HashMap<String, VecDeque<Said>>);

/// The next line of a script.
pub(super) enum Next {
    /// This model has no script.
    None,
    /// This is said.
    Said(Box<Said>),
    /// It has said everything: somebody asked once too often.
    Over,
}

impl Scripts {
    pub fn add(&mut self, model: &str, turns: Vec<Said>) {
        self.0.entry(model.to_owned()).or_default().extend(turns);
    }

    pub fn next(&mut self, model: &str) -> Next {
        match self.0.get_mut(model) {
            None => Next::None,
            Some(turns) => turns.pop_front().map_or(Next::Over, |said| Next::Said(Box::new(said))),
        }
    }

    pub fn left(&self, model: &str) -> usize {
        self.0.get(model).map_or(0, VecDeque::len)
    }
}
