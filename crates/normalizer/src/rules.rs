//! Explicit rules: what a person, or a built-in set, says should be changed.
//!
//! A rule of the user applies wherever it matches and may change a call that was valid, as it says;
//! it never makes a valid call invalid. Rules of the built-in sets apply where the tool's schema
//! agrees. Every rule type is one file.

mod builtin;
mod case_convert;
mod contradictions;
mod file;
mod json_accept_both;
mod nested_alias;
mod nested_default;
mod param_alias;
mod param_default;
mod param_drop;
mod payload;
mod scope;
mod scope_index;
mod set;
mod shadows;
mod type_coerce;
mod value_map;

use toolwright_jsonrpc::raw::{Member, Node};
use toolwright_model::{Change, Problem};

use crate::repair::Fitter;

pub use builtin::{BUILTIN_SETS, BuiltinSet};
pub use case_convert::CaseStyle;
pub use file::{LEARNED_SET, RuleFileError, parse_file, parse_learned};
pub use scope::Scope;
pub use set::RuleSet;
pub use type_coerce::CoerceTo;

/// One rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// Its name in reports; unique.
    pub id: String,
    /// The tools it applies to.
    pub tools: Vec<Scope>,
    /// What it does.
    pub action: Action,
    /// Switched off rules are kept and listed.
    pub enabled: bool,
    /// Why it is there.
    pub note: Option<String>,
    /// The built-in set it belongs to; `None` for a rule of the user.
    pub set: Option<&'static str>,
}

/// What a rule does, by its `type`.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// `param_alias`: rename a parameter.
    ParamAlias {
        /// The name that is sent.
        from: String,
        /// The name that is meant.
        to: String,
    },
    /// `param_default`: add a missing parameter.
    ParamDefault {
        /// Its name.
        name: String,
        /// Its value as JSON text.
        value: String,
    },
    /// `type_coerce`: turn a string into the right type.
    TypeCoerce {
        /// The parameter.
        name: String,
        /// The type.
        to: CoerceTo,
    },
    /// `json_accept_both`: turn raw JSON into the string that is declared.
    JsonAcceptBoth {
        /// The parameter.
        name: String,
    },
    /// `nested_alias`: rename a field inside a payload.
    NestedAlias {
        /// The parameter that holds the payload.
        payload: String,
        /// Where in the payload.
        path: payload::ArrayPath,
        /// The field that is sent.
        from: String,
        /// The field that is meant.
        to: String,
    },
    /// `nested_default`: add a missing field inside a payload.
    NestedDefault {
        /// The parameter that holds the payload.
        payload: String,
        /// Where in the payload.
        path: payload::ArrayPath,
        /// The field.
        name: String,
        /// Its value as JSON text; `{{index}}` in a string is the item's place.
        value: String,
    },
    /// `param_drop`: drop a parameter.
    ParamDrop {
        /// Its name.
        name: String,
    },
    /// `case_convert`: write keys in the server's style.
    CaseConvert {
        /// The style.
        style: CaseStyle,
        /// Only this key; all keys when absent.
        name: Option<String>,
    },
    /// `value_map`: replace values.
    ValueMap {
        /// The parameter.
        name: String,
        /// Pairs of JSON text.
        pairs: Vec<(String, String)>,
    },
}

/// Members after a rule, and what it did.
pub(crate) struct Applied<'a> {
    pub members: Vec<Member<'a>>,
    pub changes: Vec<Change>,
}

/// What came of a rule: nothing to do, something done, or a conflict it does not decide.
pub(crate) type Ruling<'a> = Result<Option<Applied<'a>>, Problem>;

impl Rule {
    /// The rule type's name in a rules file.
    pub fn type_name(&self) -> &'static str {
        match self.action {
            Action::ParamAlias { .. } => "param_alias",
            Action::ParamDefault { .. } => "param_default",
            Action::TypeCoerce { .. } => "type_coerce",
            Action::JsonAcceptBoth { .. } => "json_accept_both",
            Action::NestedAlias { .. } => "nested_alias",
            Action::NestedDefault { .. } => "nested_default",
            Action::ParamDrop { .. } => "param_drop",
            Action::CaseConvert { .. } => "case_convert",
            Action::ValueMap { .. } => "value_map",
        }
    }

    /// Whether the rule fills in what is missing.
    pub(crate) fn is_default(&self) -> bool {
        matches!(self.action, Action::ParamDefault { .. } | Action::NestedDefault { .. })
    }

    /// Whether nobody wrote the rule.
    pub(crate) fn is_learned(&self) -> bool {
        self.set == Some(LEARNED_SET)
    }

    /// Whether the rule may change a call that its schema accepts. Rules of the user may, learned ones never; of
    /// the built-in ones only those that look inside a payload, which no schema describes.
    pub(crate) fn may_change_valid_calls(&self) -> bool {
        let is_nested = matches!(self.action, Action::NestedAlias { .. } | Action::NestedDefault { .. });
        self.set.is_none() || is_nested && !self.is_learned()
    }

    /// Whether the rule may have something to do with members that the tool declares.
    pub(crate) fn may_touch(&self, members: &[Member<'_>]) -> bool {
        let has = |name: &str| members.iter().any(|member| member.key == name);
        match &self.action {
            Action::ParamAlias { from: name, .. }
            | Action::TypeCoerce { name, .. }
            | Action::JsonAcceptBoth { name }
            | Action::ParamDrop { name }
            | Action::ValueMap { name, .. }
            | Action::NestedAlias { payload: name, .. } => has(name),
            Action::ParamDefault { .. } | Action::NestedDefault { .. } => true,
            Action::CaseConvert { .. } => self.set.is_none(),
        }
    }

    /// How many steps the rule may take one value: a map can lead on from each of its pairs.
    pub(crate) fn steps(&self) -> usize {
        match &self.action {
            Action::ValueMap { pairs, .. } => pairs.len(),
            _ => 1,
        }
    }

    /// Applies the rule to the arguments.
    pub(crate) fn apply<'a>(&self, fitter: &Fitter<'_, 'a>, members: &[Member<'a>]) -> Ruling<'a> {
        let site = Site { rule: self, fitter, members };
        Ok(match &self.action {
            Action::ParamAlias { from, to } => param_alias::apply(&site, from, to),
            Action::ParamDefault { name, value } => param_default::apply(&site, name, value),
            Action::TypeCoerce { name, to } => type_coerce::apply(&site, name, *to),
            Action::JsonAcceptBoth { name } => json_accept_both::apply(&site, name),
            Action::NestedAlias { payload, path, from, to } => {
                nested_alias::apply(&site, payload, path, from, to)?
            }
            Action::NestedDefault { payload, path, name, value } => {
                nested_default::apply(&site, payload, path, name, value)?
            }
            Action::ParamDrop { name } => param_drop::apply(&site, name),
            Action::CaseConvert { style, name } => case_convert::apply(&site, *style, name.as_deref()),
            Action::ValueMap { name, pairs } => value_map::apply(&site, name, pairs),
        })
    }
}

/// Where a rule is applied.
pub(crate) struct Site<'r, 's, 'a> {
    rule: &'r Rule,
    fitter: &'r Fitter<'s, 'a>,
    members: &'r [Member<'a>],
}

impl<'a> Site<'_, '_, 'a> {
    /// Whether the rule comes from a built-in set and so needs the schema to agree.
    fn needs_agreement(&self) -> bool {
        self.rule.set.is_some()
    }

    fn position(&self, key: &str) -> Option<usize> {
        self.members.iter().position(|member| member.key == key)
    }

    fn is_declared(&self, key: &str) -> bool {
        self.fitter.declares(key)
    }

    fn accepts(&self, key: &str, value: &Node<'a>) -> bool {
        self.fitter.accepts_parameter(key, value)
    }

    /// The members with one value replaced.
    fn with_value(&self, index: usize, value: Node<'a>) -> Vec<Member<'a>> {
        let mut members = self.members.to_vec();
        members[index] = members[index].with_value(value);
        members
    }

    fn change(
        &self,
        code: toolwright_model::Code,
        path: String,
        from: Option<String>,
        to: Option<String>,
        why: &str,
    ) -> Change {
        let (rule, rule_type) = (Some(self.rule.id.clone()), Some(self.rule.type_name()));
        Change { code, path, from, to, rule, rule_type, why: why.to_owned() }
    }
}
