//! Moves from one name to another that lead round in a circle.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{Contradiction, common};
use crate::rules::{Rule, Scope};

/// How many moves are followed in all. Only files with very many interwoven circles need more.
const MAX_STEPS: usize = 100_000;
/// How many rules and names of a circle are told.
const MAX_TOLD: usize = 8;

/// Moves that rules make.
#[derive(Default)]
pub(super) struct Moves<'r> {
    all: Vec<Move<'r>>,
    /// Moves by the name they start from.
    from: HashMap<String, Vec<usize>>,
}

struct Move<'r> {
    from: String,
    to: String,
    rule: usize,
    tools: &'r [Scope],
}

/// Names that lead back to the first, and the rules that lead from each to the next.
pub(super) struct Circle {
    /// The last rule of the file that is part of it.
    rule: usize,
    others: Vec<usize>,
    names: Vec<String>,
}

impl<'r> Moves<'r> {
    pub fn add(&mut self, from: String, to: String, rule: usize, tools: &'r [Scope]) {
        self.from.entry(from.clone()).or_default().push(self.all.len());
        self.all.push(Move { from, to, rule, tools });
    }
}

impl Circle {
    pub fn told(self, rules: &[&Rule], fix: &'static str) -> Contradiction {
        let id = &rules[self.rule].id;
        let others: Vec<String> =
            self.others.iter().map(|other| format!("\"{}\"", rules[*other].id)).collect();
        let message = match &others[..] {
            [other] if self.names.len() == 2 => format!("rule \"{id}\" undoes {other}"),
            others => {
                let circle = [few(&self.names), self.names[..1].to_vec()].concat().join(" → ");
                format!("rule \"{id}\" closes a circle with {}: {circle}", few(others).join(", "))
            }
        };
        Contradiction { rule: self.rule, message, fix }
    }
}

/// As many as can be read.
fn few(names: &[String]) -> Vec<String> {
    if names.len() <= MAX_TOLD {
        return names.to_vec();
    }
    names[..MAX_TOLD].iter().cloned().chain(["…".to_owned()]).collect()
}

/// The circles, one for each rule at most that closes one.
pub(super) fn circles(moves: &Moves<'_>) -> Vec<Circle> {
    let core = moves_in_circles(moves);
    let mut steps = 0;
    let mut told = HashSet::new();
    let mut found = Vec::new();
    for start in core.iter().map(|index| &moves.all[*index]) {
        if told.contains(&start.rule) {
            continue;
        }
        if let Some(circle) = circle_from(moves, &core, start, &mut steps) {
            told.insert(start.rule);
            found.push(circle);
        }
    }
    found
}

/// The shortest way back through rules that stand before the one of `start`, for a tool that all of
/// them are for.
fn circle_from(
    moves: &Moves<'_>,
    core: &BTreeSet<usize>,
    start: &Move<'_>,
    steps: &mut usize,
) -> Option<Circle> {
    struct Reached<'m> {
        at: &'m str,
        tools: Vec<Scope>,
        /// Where from, and by which move.
        by: Option<(usize, &'m Move<'m>)>,
    }
    let mut seen = HashSet::new();
    let mut reached = vec![Reached { at: &start.to, tools: start.tools.to_vec(), by: None }];
    let mut next = 0;
    while let Some(Reached { at, tools, .. }) = reached.get(next) {
        if *at == start.from {
            let mut way = vec![];
            let mut place = next;
            while let Some((before, step)) = reached[place].by {
                way.push(step);
                place = before;
            }
            way.push(start);
            let others: BTreeSet<usize> = way.iter().map(|step| step.rule).collect();
            let others = others.into_iter().filter(|other| *other != start.rule).collect();
            let names = way.iter().rev().map(|step| step.from.clone()).collect();
            return Some(Circle { rule: start.rule, others, names });
        }
        let mut found = Vec::new();
        for index in moves.from.get(*at).into_iter().flatten().filter(|index| core.contains(index)) {
            let step = &moves.all[*index];
            *steps += 1;
            if step.rule > start.rule || *steps > MAX_STEPS || seen.contains(step.to.as_str()) {
                continue;
            }
            let tools = common(tools, step.tools);
            if !tools.is_empty() {
                seen.insert(step.to.as_str());
                found.push(Reached { at: &step.to, tools, by: Some((next, step)) });
            }
        }
        reached.extend(found);
        next += 1;
    }
    None
}

/// The moves that may be part of a circle: those that are left when moves from names that nothing
/// leads to, and to names that nothing leads from, are taken away again and again.
fn moves_in_circles(moves: &Moves<'_>) -> BTreeSet<usize> {
    let mut left: BTreeSet<usize> = (0..moves.all.len()).collect();
    for backwards in [false, true] {
        let ends = |step: &Move<'_>| -> (String, String) {
            let (from, to) = (step.from.clone(), step.to.clone());
            if backwards { (to, from) } else { (from, to) }
        };
        let mut leading_to: HashMap<String, usize> = HashMap::new();
        let mut leaving: HashMap<String, Vec<usize>> = HashMap::new();
        for index in &left {
            let (from, to) = ends(&moves.all[*index]);
            *leading_to.entry(to).or_default() += 1;
            leaving.entry(from).or_default().push(*index);
        }
        let mut ready: Vec<String> =
            leaving.keys().filter(|name| !leading_to.contains_key(*name)).cloned().collect();
        while let Some(name) = ready.pop() {
            for index in leaving.remove(&name).into_iter().flatten() {
                left.remove(&index);
                let (_, to) = ends(&moves.all[index]);
                if let Some(count) = leading_to.get_mut(&to) {
                    *count -= 1;
                    if *count == 0 {
                        ready.push(to);
                    }
                }
            }
        }
    }
    left
}
