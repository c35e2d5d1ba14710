//! The active rules: one owner for every component that repairs calls, learns from them or shows them.

use std::ops::Deref;
use std::sync::{Arc, Mutex};

use arc_swap::ArcSwap;
use toolwright_base::IgnorePoison;

use crate::engine::Normalizer;
use crate::rules::{Rule, RuleSet};

/// The rules that calls are repaired with now. Share it as an `Arc`: a change is visible to every reader, and
/// complete when the method returns. Reading takes no lock.
#[derive(Debug)]
pub struct ActiveRules {
    /// Built-in sets that are active for calls of language models only.
    model_call_sets: Vec<&'static str>,
    /// Locked while rules are compiled, so that versions become active in their order.
    parts: Mutex<RuleParts>,
    compiled: ArcSwap<CompiledRules>,
}

/// Input for the compilation of the active rules.
#[derive(Debug)]
struct RuleParts {
    configured: RuleSet,
    learned: Vec<Rule>,
}

/// One version of the active rules, ready for use.
#[derive(Debug)]
pub struct CompiledRules {
    version: u64,
    normalizer: Arc<Normalizer>,
    model_call_normalizer: Arc<Normalizer>,
}

impl Default for ActiveRules {
    /// The built-in sets that are on by default.
    fn default() -> Self {
        ActiveRules::new(RuleSet::builtin())
    }
}

impl ActiveRules {
    /// The rules of the built-in sets and of the user's file, without learned ones.
    pub fn new(configured: RuleSet) -> Self {
        ActiveRules::with_model_call_sets(configured, Vec::new())
    }

    /// The same, with built-in sets that are active for calls of language models only.
    pub fn with_model_call_sets(configured: RuleSet, model_call_sets: Vec<&'static str>) -> Self {
        let parts = RuleParts { configured, learned: Vec::new() };
        let compiled = ArcSwap::from_pointee(parts.compile(&model_call_sets, 1));
        ActiveRules { model_call_sets, parts: Mutex::new(parts), compiled }
    }

    /// Loads the current rules: one atomic load. Calls in flight keep the version that they loaded.
    pub fn load(&self) -> impl Deref<Target = Arc<CompiledRules>> + use<> {
        self.compiled.load()
    }

    /// Replaces the rules of the built-in sets and of the user's file. Learned rules stay.
    pub fn set_configured(&self, configured: RuleSet) {
        self.change(|parts| parts.configured = configured);
    }

    /// Replaces the learned rules. Configured rules stay.
    pub fn set_learned(&self, learned: Vec<Rule>) {
        self.change(|parts| parts.learned = learned);
    }

    fn change(&self, change: impl FnOnce(&mut RuleParts)) {
        let mut parts = self.parts.lock().ignore_poison();
        change(&mut parts);
        let version = self.load().version + 1;
        self.compiled.store(Arc::new(parts.compile(&self.model_call_sets, version)));
    }
}

impl RuleParts {
    fn compile(&self, model_call_sets: &[&str], version: u64) -> CompiledRules {
        let rules = self.configured.clone().with_learned_rules(self.learned.clone());
        let normalizer = Arc::new(Normalizer::new(rules));
        let model_call_normalizer = match model_call_sets {
            [] => Arc::clone(&normalizer),
            sets => {
                let rules = sets.iter().fold(normalizer.rules().clone(), |rules, set| rules.with_set(set));
                Arc::new(Normalizer::new(rules))
            }
        };
        CompiledRules { version, normalizer, model_call_normalizer }
    }
}

impl CompiledRules {
    /// A number that increases with every change.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Repairs calls of tools.
    pub fn normalizer(&self) -> &Arc<Normalizer> {
        &self.normalizer
    }

    /// Repairs calls in the responses of language models: the same rules, and the built-in sets for model calls.
    pub fn model_call_normalizer(&self) -> &Arc<Normalizer> {
        &self.model_call_normalizer
    }

    /// The rules that are active for calls of language models only, in the order of application.
    pub fn model_call_rules(&self) -> Vec<&Rule> {
        let every_call = self.normalizer.rules().rules();
        let mut rules = self.model_call_normalizer.rules().in_order();
        rules.retain(|rule| !every_call.iter().any(|known| known.id == rule.id));
        rules
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{BUILTIN_SETS, BuiltinSet, parse_file, parse_learned};

    const FILE: &str = r#"[{"id":"mine","type":"param_drop","tools":["send"],"from":"note"}]"#;
    const LEARNED: &str = r#"[{"id":"learned-1","type":"param_alias","tools":["send"],"from":"a","to":"b"}]"#;

    fn ids(normalizer: &Normalizer) -> Vec<String> {
        normalizer.rules().rules().iter().map(|rule| rule.id.clone()).collect()
    }

    #[test]
    fn configured_and_learned_rules_change_independently() {
        let rules = ActiveRules::new(RuleSet::empty());
        let before = Arc::clone(&rules.load());
        rules.set_learned(parse_learned(LEARNED).expect("rules"));
        assert_eq!(ids(rules.load().normalizer()), ["learned-1"]);
        rules.set_configured(RuleSet::empty().with_user_rules(parse_file(FILE).expect("rules")));
        assert_eq!(ids(rules.load().normalizer()), ["mine", "learned-1"]);
        rules.set_learned(Vec::new());
        assert_eq!(ids(rules.load().normalizer()), ["mine"]);
        assert_eq!((before.version(), rules.load().version()), (1, 4));
        assert!(ids(before.normalizer()).is_empty(), "a call in flight keeps its rules");
    }

    #[test]
    fn built_in_sets_are_compiled_unchanged() {
        let names: Vec<&str> = BUILTIN_SETS.iter().map(|set| set.name).collect();
        for configured in [RuleSet::builtin(), RuleSet::from_sets(&names)] {
            let rules = ActiveRules::new(configured.clone());
            assert_eq!(rules.load().normalizer().rules().rules(), configured.rules());
        }
    }

    #[test]
    fn sets_for_model_calls_follow_every_change() {
        let sets: Vec<&'static str> = BuiltinSet::for_model_calls().map(|set| set.name).collect();
        let rules = ActiveRules::with_model_call_sets(RuleSet::builtin(), sets);
        let own: Vec<String> = rules.load().model_call_rules().iter().map(|rule| rule.id.clone()).collect();
        assert!(!own.is_empty());
        rules.set_learned(parse_learned(LEARNED).expect("rules"));
        let compiled = rules.load();
        assert!(ids(compiled.model_call_normalizer()).contains(&"learned-1".to_owned()));
        assert_eq!(
            compiled.model_call_rules().iter().map(|rule| &rule.id).collect::<Vec<_>>(),
            own.iter().collect::<Vec<_>>()
        );
        assert!(!ids(compiled.normalizer()).iter().any(|id| own.contains(id)));
    }
}
