//! Cycles of moves from one name to another.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{Contradiction, common};
use crate::rules::{Rule, Scope};

/// Maximum number of moves that are followed. Only files with very many interwoven cycles need more.
const MAX_STEPS: usize = 100_000;
/// Maximum number of rules and names of a cycle that are reported.
const MAX_REPORTED: usize = 8;

/// Moves that rules make.
#[derive(Default)]
pub(super) struct RuleMoves<'r> {
    all: Vec<RuleMove<'r>>,
    /// Moves by their first name.
    from: HashMap<String, Vec<usize>>,
}

struct RuleMove<'r> {
    from: String,
    to: String,
    rule: usize,
    tools: &'r [Scope],
}

/// Names that form a cycle, and the rules that lead from each to the next.
pub(super) struct MoveCycle {
    /// The last rule of the file that is part of it.
    rule: usize,
    others: Vec<usize>,
    names: Vec<String>,
}

impl<'r> RuleMoves<'r> {
    pub fn add(&mut self, from: String, to: String, rule: usize, tools: &'r [Scope]) {
        self.from.entry(from.clone()).or_default().push(self.all.len());
        self.all.push(RuleMove { from, to, rule, tools });
    }
}

impl MoveCycle {
    pub fn into_contradiction(self, rules: &[&Rule], fix: &'static str) -> Contradiction {
        let id = &rules[self.rule].id;
        let others: Vec<String> =
            self.others.iter().map(|other| format!("\"{}\"", rules[*other].id)).collect();
        let message = match &others[..] {
            [other] if self.names.len() == 2 => format!("rule \"{id}\" undoes {other}"),
            others => {
                let cycle = [few(&self.names), self.names[..1].to_vec()].concat().join(" → ");
                format!("rule \"{id}\" closes a cycle with {}: {cycle}", few(others).join(", "))
            }
        };
        Contradiction { rule: self.rule, message, fix }
    }
}

/// At most as many as are readable.
fn few(names: &[String]) -> Vec<String> {
    if names.len() <= MAX_REPORTED {
        return names.to_vec();
    }
    names[..MAX_REPORTED].iter().cloned().chain(["…".to_owned()]).collect()
}

/// The cycles, at most one for each rule that closes one.
pub(super) fn cycles(moves: &RuleMoves<'_>) -> Vec<MoveCycle> {
    let core = moves_in_cycles(moves);
    let mut steps = 0;
    let mut reported = HashSet::new();
    let mut found = Vec::new();
    for start in core.iter().map(|index| &moves.all[*index]) {
        if reported.contains(&start.rule) {
            continue;
        }
        if let Some(cycle) = cycle_from(moves, &core, start, &mut steps) {
            reported.insert(start.rule);
            found.push(cycle);
        }
    }
    found
}

/// The shortest path back through rules before the one of `start`, for a tool that all of them apply to.
fn cycle_from(
    moves: &RuleMoves<'_>,
    core: &BTreeSet<usize>,
    start: &RuleMove<'_>,
    steps: &mut usize,
) -> Option<MoveCycle> {
    struct ReachedName<'m> {
        at: &'m str,
        tools: Vec<Scope>,
        /// The previous entry, and the move that led here.
        by: Option<(usize, &'m RuleMove<'m>)>,
    }
    let mut seen = HashSet::new();
    let mut reached = vec![ReachedName { at: &start.to, tools: start.tools.to_vec(), by: None }];
    let mut next = 0;
    while let Some(ReachedName { at, tools, .. }) = reached.get(next) {
        if *at == start.from {
            let mut steps_back = vec![];
            let mut place = next;
            while let Some((before, step)) = reached[place].by {
                steps_back.push(step);
                place = before;
            }
            steps_back.push(start);
            let others: BTreeSet<usize> = steps_back.iter().map(|step| step.rule).collect();
            let others = others.into_iter().filter(|other| *other != start.rule).collect();
            let names = steps_back.iter().rev().map(|step| step.from.clone()).collect();
            return Some(MoveCycle { rule: start.rule, others, names });
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
                found.push(ReachedName { at: &step.to, tools, by: Some((next, step)) });
            }
        }
        reached.extend(found);
        next += 1;
    }
    None
}

/// The moves that may be part of a cycle: those that are left after repeatedly removing moves from names that
/// nothing leads to, and to names that nothing leads from.
fn moves_in_cycles(moves: &RuleMoves<'_>) -> BTreeSet<usize> {
    let mut left: BTreeSet<usize> = (0..moves.all.len()).collect();
    for backwards in [false, true] {
        let ends = |step: &RuleMove<'_>| -> (String, String) {
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
