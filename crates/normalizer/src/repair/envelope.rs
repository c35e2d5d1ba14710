//! E1 around the arguments: an envelope, a list of one, or a string.
//!
//! # What it does
//! `{"arguments": {…}}`, `{"name": "read_file", "input": {…}}`, `{"read_file": {…}}`, `[{…}]` and
//! `"{…}"` are opened, however often they are nested, when the tool has no such parameter and the
//! inside fits. A key of any other word is opened when it stands alone around an object that holds
//! parameters of the tool only, all the required ones among them.
//!
//! # What it refuses
//! A real parameter called `arguments` or `input`, an envelope that names another tool, and a list
//! of several calls. A key of any other word is not opened for a tool that can destroy something, when
//! it may be a misspelt parameter, or when it says which of two things is meant (`parent`).

use std::collections::HashSet;

use toolwright_jsonrpc::raw::{Kind, Member, Node, quote};
use toolwright_model::{Change, Code};

use super::limits::is_comparable;
use super::{Attempt, Fit, Fitter, Path, Slot, preview};
use crate::costs;
use crate::names::{fold, is_destructive_verb, is_envelope, words};
use crate::schema::{Goal, Types};

/// How often an envelope may be nested.
const MAX_ENVELOPES: usize = 8;

/// Keys beside the payload that only label a call.
pub(super) const LABELS: &[&str] =
    &["name", "tool", "toolname", "function", "functionname", "action", "method", "recipientname"];
const NOTES: &[&str] =
    &["type", "id", "callid", "toolcallid", "tooluseid", "server", "index", "role", "status", "jsonrpc"];

/// Words that say that what is inside is about something else than the call: `{"parent": {"id": 5}}`.
const OTHERS: &[&str] = &[
    "another", "backup", "before", "child", "default", "defaults", "example", "except", "exclude",
    "fallback", "if", "ignore", "never", "next", "no", "not", "old", "other", "parent", "previous",
    "related", "skip", "template", "unless", "when", "without",
];

/// The arguments after one more envelope was opened.
pub(crate) struct Opened<'a> {
    pub node: Node<'a>,
    pub changes: Vec<Change>,
    pub cost: u32,
    /// How much of it is a guess: the name of the envelope does not say that it is one.
    pub risk: u32,
}

impl<'s, 'a> Fitter<'s, 'a> {
    /// The arguments as sent, then with one envelope after the other opened.
    pub(crate) fn openings(&self, root: Node<'a>, tool_name: &str) -> Vec<Opened<'a>> {
        let mut found = vec![Opened { node: root, changes: Vec::new(), cost: 0, risk: 0 }];
        for _ in 0..MAX_ENVELOPES {
            let last = &found[found.len() - 1];
            let named = self.open_once(last.node, tool_name).map(|opened| (opened, costs::ENVELOPE, 0));
            // Never for a tool that can destroy something.
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
            found.push(Opened { node, changes, cost, risk });
        }
        found
    }

    fn open_once(&self, node: Node<'a>, tool_name: &str) -> Option<(Node<'a>, Change)> {
        match node.kind {
            Kind::Array([item]) => {
                let change = opened(Code::E1, "", "a list of one around the arguments");
                Some((*item, Change { from: Some(preview(&node)), to: Some(preview(item)), ..change }))
            }
            Kind::String(_) => {
                let (inner, _) = self.open_container(&node)?;
                let change = opened(Code::S3, "", "JSON inside a string");
                Some((inner, Change { from: Some(preview(&node)), to: Some(preview(&inner)), ..change }))
            }
            Kind::Object(members) => self.open_object(members, tool_name),
            _ => None,
        }
    }

    fn open_object(&self, members: &'a [Member<'a>], tool_name: &str) -> Option<(Node<'a>, Change)> {
        // Labels and notes beside one payload.
        if members.len() > LABELS.len() + NOTES.len() + 1 {
            return None;
        }
        let is_level = |member: &Member<'a>| {
            matches!(member.value.kind, Kind::Object(_) | Kind::Array([_]) | Kind::String(_))
        };
        // Nothing to open where every level is a parameter; a whole call has two keys at least.
        let calls_a_tool = members.len() == 2;
        if !calls_a_tool && !members.iter().any(|member| is_level(member) && !self.declares(member.key)) {
            return None;
        }
        let tool = fold(tool_name);
        // `{"name": tool, "arguments": …}` is an envelope even where `arguments` is a parameter.
        let whole_call = members.len() == 2
            && members.iter().any(|member| {
                LABELS.contains(&fold(member.key).as_str())
                    && !self.is_parameter(member.key)
                    && member.value.as_text().is_some_and(|says| fold(&says) == tool)
            });
        let is_payload = |member: &&Member<'a>| {
            let name = fold(member.key);
            let holds = || match member.value.kind {
                Kind::Object(_) | Kind::Array([_]) => true,
                Kind::String(_) => self.open_container(&member.value).is_some(),
                _ => false,
            };
            let free = || whole_call || !self.is_parameter(member.key);
            (is_envelope(&name) || name == tool) && free() && holds()
        };
        let payload = members.iter().find(is_payload)?;
        let mut named = false;
        for member in members.iter().filter(|member| member.key != payload.key) {
            let name = fold(member.key);
            if LABELS.contains(&name.as_str()) {
                let says = member.value.as_text()?;
                let says = fold(&says);
                // A request of the protocol names its method here and the tool inside.
                if says != "toolscall" && !says.ends_with(&tool) {
                    return None;
                }
                named = true;
            } else if !NOTES.contains(&name.as_str())
                || matches!(member.value.kind, Kind::Object(_) | Kind::Array(_))
            {
                return None;
            }
        }
        // A call inside a call names the tool itself.
        named |= payload.value.as_object().is_some_and(|inner| {
            let is_label = |member: &Member<'a>| LABELS.contains(&fold(member.key).as_str());
            inner.iter().any(|member| {
                is_label(member) && member.value.as_text().is_some_and(|says| fold(&says).ends_with(&tool))
            })
        });
        // Labels without a name are parameters as likely as not.
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
        Some((inner, opened(Code::E1, payload.key, "an envelope around the arguments")))
    }

    /// `{"location": {"city": "Rome", "country": "Italy"}}`: exactly the tool's parameters under one key
    /// that is none.
    fn open_unnamed(&self, node: Node<'a>) -> Option<(Node<'a>, Change)> {
        let [level] = node.as_object()? else { return None };
        let inner = level.value.as_object().filter(|inner| !inner.is_empty())?;
        let schema = self.judge.schema();
        // Two words may be the name of another tool.
        let [word] = &words(level.key)[..] else { return None };
        if !is_comparable(level.key)
            || OTHERS.contains(&word.as_str())
            || is_destructive_verb(word)
            || inner.len() > self.context.parameters.len()
            || self.is_parameter(level.key)
            || self.judge.accepts(schema.root(), &node)
        {
            return None;
        }
        let keys: HashSet<String> = inner.iter().map(|member| fold(member.key)).collect();
        let holds_exactly = |goal: &Goal| {
            let names: HashSet<String> = goal.property_names(schema).into_iter().map(fold).collect();
            keys.is_subset(&names) && goal.required(schema).into_iter().all(|name| keys.contains(&fold(name)))
        };
        let goals = Goal::alternatives(self.judge, &[schema.root()], &level.value);
        goals.iter().any(holds_exactly).then(|| {
            (level.value, opened(Code::E1, level.key, "a level around exactly the tool's parameters"))
        })
    }

    /// `{"name": tool, "arguments": …}`, whatever parameters the tool has.
    pub(crate) fn is_whole_call(&self, members: &[Member<'a>], tool_name: &str) -> bool {
        let tool = fold(tool_name);
        let names_tool = |member: &Member<'a>| {
            LABELS.contains(&fold(member.key).as_str())
                && member.value.as_text().is_some_and(|says| fold(&says) == tool)
        };
        let holds = |member: &Member<'a>| is_envelope(&fold(member.key)) && !self.is_parameter(member.key);
        members.len() == 2 && members.iter().any(names_tool) && members.iter().any(holds)
    }

    /// The tool that a whole call around the arguments names, when it is another one.
    pub(crate) fn names_another_tool(&self, root: &Node<'a>, tool_name: &str) -> Option<String> {
        let members = root.as_object()?;
        let holds = |member: &Member<'a>| is_envelope(&fold(member.key)) && !self.is_parameter(member.key);
        let label = members
            .iter()
            .find(|member| LABELS.contains(&fold(member.key).as_str()) && !self.is_parameter(member.key))?;
        let named = label.value.as_text()?.into_owned();
        (members.iter().any(holds) && !fold(&named).ends_with(&fold(tool_name))).then_some(named)
    }

    fn is_parameter(&self, key: &str) -> bool {
        let folded = fold(key);
        self.context.parameters.iter().any(|name| fold(name) == folded)
    }

    /// `{"path": {"path": "a"}}` and `{"path": {"value": "a"}}`: an envelope around one value.
    pub(super) fn inner_envelope(
        &self,
        goal: &Goal,
        value: &Node<'a>,
        path: &Path<'_>,
        slot: Slot<'_>,
    ) -> Option<Attempt<'a>> {
        let [only] = value.as_object()? else { return None };
        let name = fold(only.key);
        let takes_object = goal.types(self.judge.schema()).overlaps(Types::OBJECT);
        let same_name = name == fold(slot.name);
        if slot.is_root || slot.in_list || !(same_name || name == "value" && !takes_object) {
            return None;
        }
        let declared = goal.property_names(self.judge.schema());
        if declared.iter().any(|known| fold(known) == name) {
            return None;
        }
        let inner = self.fit(goal.ids(), only.value, path, slot).ok()?;
        let change = Change {
            code: Code::E1,
            path: path.key(only.key).to_string(),
            from: Some(preview(value)),
            to: Some(preview(&only.value)),
            rule: None,
            why: "an envelope around one value".to_owned(),
        };
        let opened = Fit { node: only.value, cost: costs::ENVELOPE, risk: 0, changes: vec![change] };
        Some(Ok(opened.then(inner)))
    }
}

fn opened(code: Code, key: &str, why: &str) -> Change {
    let path = if key.is_empty() { String::new() } else { Path::Root.key(key).to_string() };
    let from = (!key.is_empty()).then(|| quote(key));
    Change { code, path, from, to: None, rule: None, why: why.to_owned() }
}
