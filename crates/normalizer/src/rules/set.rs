//! The active rules, indexed by tool.

use std::collections::HashMap;

use toolwright_jsonrpc::raw::Member;
use toolwright_model::{BuiltinRules, Origin};

use super::builtin::{BUILTIN_SETS, builtin_rules};
use super::contradictions::contradictions;
use super::{Rule, Scope};
use crate::tool::Tool;

/// The active rules: built-in sets and the user's own. Reading takes no lock.
#[derive(Clone, Debug, Default)]
pub struct RuleSet {
    rules: Vec<Rule>,
    /// Rules by the tool names they list; rules for one server are checked each time.
    by_name: HashMap<String, Vec<usize>>,
    /// Rules with patterns, checked each time.
    by_pattern: Vec<usize>,
    /// Rules for every tool; they run after the others.
    everywhere: Vec<usize>,
    /// Whether any rule outside of `by_name` may change valid calls.
    broad_rules_may_change_valid_calls: bool,
}

impl RuleSet {
    /// No rules at all.
    pub fn empty() -> RuleSet {
        RuleSet::default()
    }

    /// The built-in sets that are on by default.
    pub fn builtin() -> RuleSet {
        let names: Vec<&str> =
            BUILTIN_SETS.iter().filter(|set| set.is_on_by_default()).map(|set| set.name).collect();
        RuleSet::from_sets(&names)
    }

    /// The named built-in sets.
    pub fn from_sets(names: &[&str]) -> RuleSet {
        RuleSet::of(names.iter().flat_map(|name| builtin_rules(name)).collect())
    }

    /// Appends another built-in set, unless it is included.
    pub fn with_set(self, name: &str) -> RuleSet {
        let added =
            builtin_rules(name).into_iter().filter(|new| !self.rules.iter().any(|rule| rule.id == new.id));
        let added: Vec<Rule> = added.collect();
        let (user, built_in): (Vec<Rule>, Vec<Rule>) =
            self.rules.into_iter().partition(|rule| rule.set.is_none());
        RuleSet { rules: [built_in, added].concat(), ..RuleSet::default() }.with_user_rules(user)
    }

    /// Prepends the user's rules. A built-in rule that undoes one of the user's is disabled.
    pub fn with_user_rules(self, user: Vec<Rule>) -> RuleSet {
        let mut rules = user;
        rules.extend(self.rules);
        // Other built-in rules do not change valid calls, so they cannot undo anything in one.
        let meeting: Vec<usize> =
            (0..rules.len()).filter(|index| rules[*index].may_change_valid_calls()).collect();
        loop {
            let candidates: Vec<&Rule> = meeting.iter().map(|index| &rules[*index]).collect();
            let later = contradictions(&candidates).into_iter().map(|found| meeting[found.rule]);
            let conflicting: Vec<usize> = later.filter(|index| rules[*index].set.is_some()).collect();
            if conflicting.is_empty() {
                return RuleSet::of(rules);
            }
            conflicting.into_iter().for_each(|index| rules[index].enabled = false);
        }
    }

    /// Inserts learned rules between the user's and the built-in ones. A learned rule that undoes one of the user's is
    /// disabled.
    pub fn with_learned_rules(self, learned: Vec<Rule>) -> RuleSet {
        let (user, built_in): (Vec<Rule>, Vec<Rule>) =
            self.rules.into_iter().partition(|rule| rule.set.is_none());
        RuleSet { rules: [learned, built_in].concat(), ..RuleSet::default() }.with_user_rules(user)
    }

    fn of(rules: Vec<Rule>) -> RuleSet {
        let mut set = RuleSet::default();
        for (index, rule) in rules.iter().enumerate().filter(|(_, rule)| rule.enabled) {
            let mut broad = false;
            for scope in &rule.tools {
                match scope {
                    Scope::Name(name) | Scope::ServerAndName(_, name) => {
                        set.by_name.entry(name.clone()).or_default().push(index);
                    }
                    Scope::Every if set.everywhere.last() != Some(&index) => set.everywhere.push(index),
                    Scope::Every => {}
                    Scope::Glob(_) => set.by_pattern.push(index),
                }
                broad |= matches!(scope, Scope::Every | Scope::Glob(_));
            }
            set.broad_rules_may_change_valid_calls |= broad && rule.may_change_valid_calls();
        }
        set.rules = rules;
        set
    }

    /// Every rule: the user's as in their file, then those of the built-in sets.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// Every rule in the order of application: those that name a tool, a server or a pattern, then
    /// those for every tool.
    pub fn in_order(&self) -> Vec<&Rule> {
        let names_one = |rule: &&Rule| rule.tools.iter().any(|scope| *scope != Scope::Every);
        let (named, everywhere): (Vec<_>, Vec<_>) = self.rules.iter().partition(names_one);
        [named, everywhere].concat()
    }

    /// The rules for a tool: those that name it first, then those for every tool.
    pub(crate) fn for_tool<'r>(&'r self, tool: &Tool) -> Vec<&'r Rule> {
        // Most tools are named by no rule.
        let suiting = |index: &usize| Some(&self.rules[*index]).filter(|rule| rule.suits(tool));
        if self.by_pattern.is_empty() && !self.by_name.contains_key(tool.name()) {
            return self.everywhere.iter().filter_map(suiting).collect();
        }
        let named = self.by_name.get(tool.name()).into_iter().flatten();
        let candidates = named.chain(&self.by_pattern).copied();
        let mut specific: Vec<usize> = candidates.filter(|index| self.names(*index, tool)).collect();
        specific.sort_unstable();
        specific.dedup();
        let further = self.everywhere.iter().filter(|index| specific.binary_search(index).is_err());
        specific.iter().chain(further).filter_map(suiting).collect()
    }

    /// Whether a rule may change a valid call of this tool. One lookup for most tools.
    pub(crate) fn may_change_valid_calls(&self, tool: &Tool) -> bool {
        self.broad_rules_may_change_valid_calls
            || tool.builtin_rules() == BuiltinRules::Always
            || self.by_name.get(tool.name()).is_some_and(|indices| {
                let may =
                    |index: &usize| self.rules[*index].may_change_valid_calls() && self.names(*index, tool);
                indices.iter().any(may)
            })
    }

    /// Whether a built-in rule may apply to a member of a valid call that the tool does not declare. Checks no rule for
    /// tools that accept declared names only, and for calls without other names.
    pub(crate) fn may_map(&self, tool: &Tool, members: &[Member<'_>]) -> bool {
        if !tool.is_open() || tool.origin() == Origin::BuiltIn {
            return false;
        }
        let mut rules = None;
        members.iter().filter(|member| !tool.declares(member.key)).any(|member| {
            let rules = rules.get_or_insert_with(|| {
                let mut rules = self.for_tool(tool);
                rules.retain(|rule| rule.may_map_for(tool));
                rules
            });
            rules.iter().any(|rule| rule.may_map(member.key))
        })
    }

    /// Whether a rule names this tool.
    pub fn names_tool(&self, name: &str) -> bool {
        !self.by_pattern.is_empty() || self.by_name.contains_key(name)
    }

    /// Whether a rule may apply to these members, all of which the tool declares. Rules that convert names to the
    /// server's style do not: declared names are in it.
    pub(crate) fn may_touch(&self, tool: &Tool, members: &[Member<'_>]) -> bool {
        !self.by_pattern.is_empty()
            || self.by_name.contains_key(tool.name())
            || self.everywhere.iter().any(|index| self.rules[*index].may_touch(members))
    }

    /// Whether a rule applies to this tool by more than `*`.
    fn names(&self, rule: usize, tool: &Tool) -> bool {
        let scopes = &self.rules[rule].tools;
        scopes.iter().any(|scope| *scope != Scope::Every && scope.matches(tool))
    }
}
