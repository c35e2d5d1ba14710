//! E1 around the arguments: an envelope, a list of one, or a string.
//!
//! # What it does
//! Removes `{"arguments": {…}}`, `{"name": "read_file", "input": {…}}`, `{"read_file": {…}}`, `[{…}]` and
//! `"{…}"`, also nested, if the tool has no such parameter and the contents fit. Removes a neutral noun such
//! as `fields` or `item` if it is the only key around an object that contains only parameters of the
//! tool, and all the required ones. Leaves out the tool's own name under `tool` or `name` next to the
//! arguments.
//!
//! # What it refuses
//! A real parameter called `arguments` or `input`, an envelope that names another tool, and a list
//! of several calls. A neutral noun is not removed for a destructive tool, nor if it may be a misspelt
//! parameter. Any other key is not removed: `dry_run`, `draft`, `cancel` and `parent` determine whether or
//! to what something is done.

use std::collections::HashSet;

use toolwright_jsonrpc::raw::{Kind, Member, Node, quote};
use toolwright_model::{Change, Code};

use super::limits::is_comparable;
use super::reach::may_select_all;
use super::{Attempt, Fit, Fitter, ParameterSlot, ValuePath, preview};
use crate::costs;
use crate::names::{Folded, fold, folds_to, is_envelope};
use crate::schema::{Goal, Types};

/// Maximum number of nested envelopes.
const MAX_ENVELOPES: usize = 8;

/// Keys next to the payload that only label a call.
pub(super) const LABELS: &[&str] =
    &["name", "tool", "toolname", "function", "functionname", "action", "method", "recipientname"];
const NOTES: &[&str] =
    &["type", "id", "callid", "toolcallid", "tooluseid", "server", "index", "role", "status", "jsonrpc"];

/// Maximum number of members that are searched for the tool's own name.
const MAX_MEMBERS_BEFORE_NAME: usize = 64;

/// Lists of calls: a list of one call is that call.
const CALL_LISTS: &[&str] = &["tooluses", "toolcalls", "functioncalls", "calls"];

/// Nouns for the subject of a call. None of them says what is done with it, when, whether or by whom.
const NEUTRAL: &[&str] = &[
    "attribute",
    "attributes",
    "config",
    "configuration",
    "content",
    "contents",
    "detail",
    "details",
    "document",
    "element",
    "entity",
    "entry",
    "field",
    "fields",
    "form",
    "info",
    "information",
    "item",
    "location",
    "model",
    "object",
    "option",
    "options",
    "param",
    "place",
    "props",
    "properties",
    "property",
    "record",
    "root",
    "schema",
    "setting",
    "settings",
    "spec",
    "specification",
    "struct",
    "value",
    "values",
    "variables",
    "vars",
];

/// The arguments after one more envelope was removed.
pub(crate) struct EnvelopeReading<'a> {
    pub node: Node<'a>,
    pub changes: Vec<Change>,
    pub cost: u32,
    /// The guessed part: the name of the envelope does not identify it as one.
    pub risk: u32,
}

impl<'s, 'a> Fitter<'s, 'a> {
    /// The arguments as sent, then with one envelope after the other removed.
    pub(crate) fn unwrapped_readings(&self, root: Node<'a>, tool_name: &str) -> Vec<EnvelopeReading<'a>> {
        let mut found = vec![EnvelopeReading { node: root, changes: Vec::new(), cost: 0, risk: 0 }];
        for _ in 0..MAX_ENVELOPES {
            let last = &found[found.len() - 1];
            let named = self.open_once(last.node, tool_name).map(|opened| (opened, costs::ENVELOPE, 0));
            // Never for a destructive tool.
            let unnamed = || {
                let opened = self.open_unnamed(last.node)?;
                Some((opened, costs::WRAPPER, costs::DESTRUCTIVE_BUDGET + 1))
            };
            let Some(((node, change), cost, risk)) = named.or_else(unnamed) else { break };
            let mut changes = last.changes.clone();
            let outer = changes.last().map_or("", |outer| outer.path.as_str());
            let change = Change { path: format!("{outer}{}", change.path), ..change };
            changes.push(change);
            let (cost, risk) = (last.cost + cost, last.risk + risk);
            found.push(EnvelopeReading { node, changes, cost, risk });
        }
        found
    }

    fn open_once(&self, node: Node<'a>, tool_name: &str) -> Option<(Node<'a>, Change)> {
        match node.kind {
            Kind::Array([item]) => {
                let change = envelope_change(Code::EnvelopeRemoved, "", "a list of one around the arguments");
                Some((*item, Change { from: Some(preview(&node)), to: Some(preview(item)), ..change }))
            }
            Kind::String(_) => {
                let (inner, _) = self.open_container(&node)?;
                let change = envelope_change(Code::DoubleEncoding, "", "JSON inside a string");
                Some((inner, Change { from: Some(preview(&node)), to: Some(preview(&inner)), ..change }))
            }
            Kind::Object(members) => {
                self.open_object(members, tool_name).or_else(|| self.drop_own_name(members, tool_name))
            }
            _ => None,
        }
    }

    /// `{"tool": "read_note", "path": "a"}`: the tool's own name next to the arguments.
    fn drop_own_name(&self, members: &'a [Member<'a>], tool_name: &str) -> Option<(Node<'a>, Change)> {
        let at = members.iter().take(MAX_MEMBERS_BEFORE_NAME).position(|member| {
            matches!(member.value.kind, Kind::String(_))
                && !self.declares(member.key)
                && LABELS.iter().any(|label| folds_to(member.key, label))
                && !self.is_parameter(member.key)
                && names_this_tool(member, tool_name)
        })?;
        // Another level next to the name is a whole call, which is unwrapped or refused as one.
        let is_level = |member: &Member<'a>| is_envelope(&fold(member.key)) && !self.is_parameter(member.key);
        let label = members[at];
        let others = members.iter().enumerate().filter(|(index, _)| *index != at);
        let others: Vec<Member<'a>> = others.map(|(_, member)| *member).collect();
        if others.is_empty() || others.iter().any(is_level) {
            return None;
        }
        let node = Node::built(Kind::Object(self.arena.alloc_slice_copy(&others)));
        let change =
            envelope_change(Code::EnvelopeRemoved, label.key, "the tool's own name next to the arguments");
        Some((node, Change { path: String::new(), from: Some(preview(&label.value)), ..change }))
    }

    fn open_object(&self, members: &'a [Member<'a>], tool_name: &str) -> Option<(Node<'a>, Change)> {
        // Labels and notes next to one payload.
        if members.len() > LABELS.len() + NOTES.len() + 1 {
            return None;
        }
        let is_level = |member: &Member<'a>| {
            matches!(member.value.kind, Kind::Object(_) | Kind::Array([_]) | Kind::String(_))
        };
        // There is no envelope if every level is a parameter; a whole call has at least two keys.
        let calls_a_tool = members.len() == 2;
        if !calls_a_tool && !members.iter().any(|member| is_level(member) && !self.declares(member.key)) {
            return None;
        }
        let tool = fold(tool_name);
        // `{"name": tool, "arguments": …}` is an envelope even if `arguments` is a parameter.
        let whole_call = members.len() == 2
            && members.iter().any(|member| {
                is_label(member, tool_name)
                    && !self.is_parameter(member.key)
                    && member.value.as_text().is_some_and(|text| fold(&text) == tool)
            });
        let is_payload = |member: &&Member<'a>| {
            let name = fold(member.key);
            let holds = || match member.value.kind {
                Kind::Object(_) | Kind::Array([_]) => true,
                Kind::String(_) => self.open_container(&member.value).is_some(),
                _ => false,
            };
            let free = || whole_call || !self.is_parameter(member.key);
            let is_listed =
                is_envelope(&name) || CALL_LISTS.contains(&name.as_str()) || folds_to(tool_name, &name);
            is_listed && free() && holds()
        };
        let payload = members.iter().find(is_payload)?;
        let mut named = false;
        for member in members.iter().filter(|member| member.key != payload.key) {
            let name = fold(member.key);
            if is_label(member, tool_name) {
                let label_text = member.value.as_text()?;
                // A JSON-RPC request has its method here and the tool inside.
                if fold(&label_text) != "toolscall" && !names_tool(&label_text, tool_name) {
                    return None;
                }
                named = true;
            } else if !NOTES.contains(&name.as_str())
                || matches!(member.value.kind, Kind::Object(_) | Kind::Array(_))
                || self.is_parameter(member.key) && payload.value.get(member.key).is_none()
            {
                return None;
            }
        }
        // A call inside a call names the tool itself.
        named |= payload.value.as_object().is_some_and(|inner| {
            inner.iter().any(|member| is_label(member, tool_name) && names_this_tool(member, tool_name))
        });
        // Labels without a name may well be parameters.
        if members.len() > 1
            && !named
            && !members.iter().all(|member| member.key == payload.key || fold(member.key) == "type")
        {
            return None;
        }
        let inner = match payload.value.kind {
            Kind::String(_) => self.open_container(&payload.value)?.0,
            _ => payload.value,
        };
        Some((inner, envelope_change(Code::EnvelopeRemoved, payload.key, "an envelope around the arguments")))
    }

    /// `{"location": {"city": "Rome", "country": "Italy"}}`: exactly the tool's parameters under one key
    /// that is not a parameter.
    fn open_unnamed(&self, node: Node<'a>) -> Option<(Node<'a>, Change)> {
        let [level] = node.as_object()? else { return None };
        let inner = level.value.as_object().filter(|inner| !inner.is_empty())?;
        let schema = self.validator.schema();
        // Any other word may say what is done, when or whether, or be the name of another tool.
        if !is_comparable(level.key)
            || !NEUTRAL.contains(&fold(level.key).as_str())
            || inner.len() > self.context.parameters.len()
            || self.is_parameter(level.key)
            || self.validator.accepts(schema.root(), &node)
        {
            return None;
        }
        let keys: HashSet<Folded> = inner.iter().map(|member| fold(member.key)).collect();
        let holds_exactly = |goal: &Goal| {
            let names: HashSet<Folded> = goal.property_names(schema).into_iter().map(fold).collect();
            keys.is_subset(&names) && goal.required(schema).into_iter().all(|name| keys.contains(&fold(name)))
        };
        let goals = Goal::alternatives(self.validator, &[schema.root()], &level.value);
        goals.iter().any(holds_exactly).then(|| {
            (
                level.value,
                envelope_change(
                    Code::EnvelopeRemoved,
                    level.key,
                    "a level around exactly the tool's parameters",
                ),
            )
        })
    }

    /// Whether the members are `{"name": tool, "arguments": …}`, whatever parameters the tool has.
    pub(crate) fn is_whole_call(&self, members: &[Member<'a>], tool_name: &str) -> bool {
        let names_tool = |member: &Member<'a>| {
            let is_tool_name = |text: &str| folds_to(text, &fold(tool_name));
            is_label(member, tool_name) && member.value.as_text().is_some_and(|text| is_tool_name(&text))
        };
        let holds = |member: &Member<'a>| is_envelope(&fold(member.key)) && !self.is_parameter(member.key);
        members.len() == 2 && members.iter().any(names_tool) && members.iter().any(holds)
    }

    /// The tool that a whole call around the arguments names, if it is another one.
    pub(crate) fn names_another_tool(&self, root: &Node<'a>, tool_name: &str) -> Option<String> {
        let members = root.as_object()?;
        let holds = |member: &Member<'a>| is_envelope(&fold(member.key)) && !self.is_parameter(member.key);
        let label = members
            .iter()
            .find(|member| LABELS.contains(&fold(member.key).as_str()) && !self.is_parameter(member.key))?;
        let named = label.value.as_text()?.into_owned();
        (members.iter().any(holds) && !names_tool(&named, tool_name)).then_some(named)
    }

    fn is_parameter(&self, key: &str) -> bool {
        let folded = fold(key);
        self.context.parameters.iter().any(|name| folds_to(name, &folded))
    }

    /// `{"path": {"path": "a"}}` and `{"path": {"value": "a"}}`: an envelope around one value.
    pub(super) fn inner_envelope(
        &self,
        goal: &Goal,
        value: &Node<'a>,
        path: &ValuePath<'_>,
        slot: ParameterSlot<'_>,
    ) -> Option<Attempt<'a>> {
        let [only] = value.as_object()? else { return None };
        let name = fold(only.key);
        let takes_object = goal.types(self.validator.schema()).overlaps(Types::OBJECT);
        let same_name = folds_to(slot.name, &name);
        if slot.is_root || slot.in_list || !(same_name || name == "value" && !takes_object) {
            return None;
        }
        let declared = goal.property_names(self.validator.schema());
        if declared.iter().any(|known| folds_to(known, &name)) {
            return None;
        }
        if may_select_all(&only.value) && self.is_guarded(path) {
            return None;
        }
        let inner = self.fit(goal.ids(), only.value, path, slot).ok()?;
        let change = Change {
            code: Code::EnvelopeRemoved,
            path: path.key(only.key).to_string(),
            from: Some(preview(value)),
            to: Some(preview(&only.value)),
            rule: None,
            rule_type: None,
            why: "an envelope around one value".to_owned(),
        };
        let opened = Fit { node: only.value, cost: costs::ENVELOPE, risk: 0, changes: vec![change] };
        Some(Ok(opened.then(inner)))
    }
}

/// Whether a key may belong to a whole call around the arguments, even if the tool has a parameter of that name.
pub(crate) fn is_part_of_an_envelope(key: &str, tool_name: &str) -> bool {
    let name = fold(key);
    let listed = [LABELS, NOTES, CALL_LISTS].iter().any(|list| list.contains(&name.as_str()));
    listed || name == "command" || is_envelope(&name) || folds_to(tool_name, &name)
}

/// Whether a key labels the call; `command` does if it names the tool.
fn is_label(member: &Member<'_>, tool_name: &str) -> bool {
    LABELS.iter().any(|label| folds_to(member.key, label))
        || folds_to(member.key, "command") && names_this_tool(member, tool_name)
}

fn names_this_tool(member: &Member<'_>, tool_name: &str) -> bool {
    member.value.as_text().is_some_and(|text| names_tool(&text, tool_name))
}

/// Whether a text is the tool's name, with or without a prefix: `functions.read_note:0`.
pub(crate) fn names_tool(text: &str, tool_name: &str) -> bool {
    let text = text.trim().trim_end_matches(|char: char| char.is_ascii_digit());
    let text = text.strip_suffix(':').unwrap_or(text);
    let last = |name: &str| {
        let last = name.rsplit(['.', '/', ':']).next().unwrap_or(name);
        fold(last.rsplit("__").next().unwrap_or(last))
    };
    let (folded_name, tool) = (fold(text), fold(tool_name));
    !folded_name.is_empty()
        && (folded_name == tool
            || last(text) == tool
            || folded_name == last(tool_name)
            || folded_name.starts_with("mcp") && folded_name.ends_with(&*tool))
}

fn envelope_change(code: Code, key: &str, why: &str) -> Change {
    let path = if key.is_empty() { String::new() } else { ValuePath::Root.key(key).to_string() };
    let from = (!key.is_empty()).then(|| quote(key));
    Change { code, path, from, to: None, rule: None, rule_type: None, why: why.to_owned() }
}
