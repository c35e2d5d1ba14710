//! Explicit rules, written by a person or part of a built-in set.
//!
//! A rule of the user applies wherever it matches and may change a call that was valid; it never makes
//! a valid call invalid. Rules of the built-in sets apply unless the tool's schema contradicts them, or as
//! the tool's server is configured. Every rule type is one file.

mod builtin;
mod case_convert;
mod contradictions;
mod file;
mod generated;
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
use toolwright_model::{BuiltinRules, Change, Problem};

use crate::repair::Fitter;
use crate::schema::KeyState;
use crate::tool::{Tool, is_snake_case};

pub use builtin::{ActiveFor, BUILTIN_SETS, BuiltinSet};
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
    /// Its action.
    pub action: Action,
    /// Disabled rules are kept and listed.
    pub enabled: bool,
    /// The reason for it.
    pub note: Option<String>,
    /// The built-in set it belongs to; `None` for a rule of the user.
    pub set: Option<&'static str>,
}

/// The action of a rule, by its `type`.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// `param_alias`: rename a parameter.
    ParamAlias {
        /// The name that is sent.
        from: String,
        /// The declared name.
        to: String,
    },
    /// `param_default`: add a missing parameter.
    ParamDefault {
        /// Its name.
        name: String,
        /// Its value as JSON text; `{{uuid}}` in a string is an id for the call.
        value: String,
    },
    /// `type_coerce`: convert a string to the right type.
    TypeCoerce {
        /// The parameter.
        name: String,
        /// The type.
        to: CoerceTo,
    },
    /// `json_accept_both`: convert raw JSON to the string that is declared.
    JsonAcceptBoth {
        /// The parameter.
        name: String,
    },
    /// `nested_alias`: rename a field inside a payload.
    NestedAlias {
        /// The parameter that contains the payload.
        payload: String,
        /// Position in the payload.
        path: payload::ArrayPath,
        /// The field that is sent.
        from: String,
        /// The declared field.
        to: String,
    },
    /// `nested_default`: add a missing field inside a payload.
    NestedDefault {
        /// The parameter that contains the payload.
        payload: String,
        /// Position in the payload.
        path: payload::ArrayPath,
        /// The field.
        name: String,
        /// Its value as JSON text; `{{index}}` in a string is the index of the item, `{{uuid}}` an id for it.
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

/// Members after a rule, and its changes.
pub(crate) struct AppliedRule<'a> {
    pub members: Vec<Member<'a>>,
    pub changes: Vec<Change>,
}

/// Result of a rule: nothing to do, changes, or a conflict that it does not decide.
pub(crate) type Ruling<'a> = Result<Option<AppliedRule<'a>>, Problem>;

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

    /// Whether the rule fills in a missing value.
    pub(crate) fn is_default(&self) -> bool {
        matches!(self.action, Action::ParamDefault { .. } | Action::NestedDefault { .. })
    }

    /// Whether the rule was learned and not written by a person.
    pub(crate) fn is_learned(&self) -> bool {
        self.set == Some(LEARNED_SET)
    }

    /// Whether the rule may change a call that its schema accepts. Rules of the user may, learned ones never; of
    /// the built-in ones only those for the contents of a payload, which no schema describes.
    pub(crate) fn may_change_valid_calls(&self) -> bool {
        let is_nested = matches!(self.action, Action::NestedAlias { .. } | Action::NestedDefault { .. });
        self.set.is_none() || is_nested && !self.is_learned()
    }

    /// Whether the rule is one of a built-in set and concerns the arguments themselves. In a valid call it applies to
    /// names that the tool does not declare.
    pub(crate) fn is_mapping(&self) -> bool {
        let is_about_arguments = match self.action {
            Action::ParamAlias { .. }
            | Action::TypeCoerce { .. }
            | Action::JsonAcceptBoth { .. }
            | Action::ParamDrop { .. }
            | Action::CaseConvert { .. } => true,
            Action::ParamDefault { .. }
            | Action::NestedAlias { .. }
            | Action::NestedDefault { .. }
            | Action::ValueMap { .. } => false,
        };
        self.is_built_in() && is_about_arguments
    }

    /// Whether the rule comes with Toolwright.
    pub(crate) fn is_built_in(&self) -> bool {
        self.set.is_some() && !self.is_learned()
    }

    /// Whether the tool's server allows the rule.
    pub(crate) fn suits(&self, tool: &Tool) -> bool {
        !self.is_built_in() || tool.builtin_rules() != BuiltinRules::Off
    }

    /// Whether the rule may change valid calls of the tool. A rule for every tool is for those of MCP servers: a tool
    /// that the client of a language model defines has no server, and its names are not changed.
    fn may_map_for(&self, tool: &Tool) -> bool {
        let names_tools = || self.tools.iter().any(|scope| *scope != Scope::Every);
        self.is_mapping() && (tool.server().is_some() || names_tools())
    }

    /// Whether the rule may apply to a key that the tool does not declare.
    fn may_map(&self, key: &str) -> bool {
        match &self.action {
            Action::ParamAlias { from: name, .. }
            | Action::TypeCoerce { name, .. }
            | Action::JsonAcceptBoth { name }
            | Action::ParamDrop { name } => name == key,
            Action::CaseConvert { .. } => is_snake_case(key),
            _ => false,
        }
    }

    /// Whether the rule concerns this parameter, so that built-in rules do not apply to it. A rule that converts all keys
    /// to a style concerns those that are not in it.
    fn claims(&self, key: &str) -> bool {
        match &self.action {
            Action::ParamAlias { from, to } => from == key || to == key,
            Action::ParamDefault { name, .. }
            | Action::TypeCoerce { name, .. }
            | Action::JsonAcceptBoth { name }
            | Action::ParamDrop { name }
            | Action::ValueMap { name, .. }
            | Action::NestedAlias { payload: name, .. }
            | Action::NestedDefault { payload: name, .. } => name == key,
            Action::CaseConvert { style, name: None } => style.convert(key) != key,
            Action::CaseConvert { style, name: Some(name) } => name == key || style.convert(name) == key,
        }
    }

    /// Whether the rule may apply to members that the tool declares.
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

    /// Number of steps that the rule may apply to one value: a map may chain all its pairs.
    pub(crate) fn steps(&self) -> usize {
        match &self.action {
            Action::ValueMap { pairs, .. } => pairs.len(),
            _ => 1,
        }
    }

    /// Applies the rule to the arguments.
    pub(crate) fn apply<'a>(
        &self,
        fitter: &Fitter<'_, 'a>,
        members: &[Member<'a>],
        around: &RuleContext<'_>,
    ) -> Ruling<'a> {
        let site = Site { rule: self, fitter, members, around };
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

/// The context in which a rule is applied.
pub(crate) struct RuleContext<'r> {
    pub tool: &'r Tool,
    /// Every rule for the tool.
    pub rules: &'r [&'r Rule],
    /// Whether the schema accepts the arguments as they are.
    pub is_valid: bool,
}

/// The target of a rule.
pub(crate) struct Site<'r, 's, 'a> {
    rule: &'r Rule,
    fitter: &'r Fitter<'s, 'a>,
    members: &'r [Member<'a>],
    around: &'r RuleContext<'r>,
}

impl<'a> Site<'_, '_, 'a> {
    /// Whether the rule comes from a built-in set and so needs the agreement of the schema.
    fn needs_agreement(&self) -> bool {
        self.rule.set.is_some()
    }

    /// Whether a built-in rule may change this parameter of a valid call: no rule of the user concerns it, and
    /// the schema does not declare it or the server is set to `always`.
    fn may_map(&self, key: &str) -> bool {
        let is_always = || self.around.tool.builtin_rules() == BuiltinRules::Always;
        self.around.is_valid
            && self.rule.may_map_for(self.around.tool)
            && !self.is_claimed(key)
            && (is_always() || self.is_undeclared(key))
    }

    /// Whether a rule that a person wrote or accepted concerns this parameter.
    fn is_claimed(&self, key: &str) -> bool {
        self.around.rules.iter().any(|rule| !rule.is_built_in() && rule.claims(key))
    }

    /// Whether the schema declares the key neither as it is, nor by a pattern, nor in another spelling.
    fn is_undeclared(&self, key: &str) -> bool {
        self.fitter.key_state(key) != KeyState::Declared && !self.fitter.is_spelling_of_a_declared_name(key)
    }

    fn position(&self, key: &str) -> Option<usize> {
        self.members.iter().position(|member| member.key == key)
    }

    fn is_declared(&self, key: &str) -> bool {
        self.fitter.declares(key)
    }

    /// Whether a built-in rule may replace a value by another.
    fn agrees_to_value(&self, key: &str, sent: &Node<'a>, new: &Node<'a>) -> bool {
        match self.around.is_valid {
            true => self.may_map(key),
            false => !self.fitter.accepts_parameter(key, sent) && self.fitter.accepts_parameter(key, new),
        }
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
