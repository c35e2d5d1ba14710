//! An object during its repair: its members, the free names, and the changes so far.

use toolwright_jsonrpc::raw::{Kind, Member};
use toolwright_model::{Change, Code, Problem};

use super::limits::is_comparable;
use super::{Fit, ValuePath};
use crate::schema::{KeyState, SchemaIds};

/// One member of the object.
#[derive(Clone, Debug)]
pub(super) struct DraftEntry<'a> {
    pub member: Member<'a>,
    pub state: KeyState,
    /// The schemas of its value.
    pub ids: SchemaIds,
    /// The value, if it was fitted while its name was searched.
    pub fitted: Option<Fit<'a>>,
}

/// An object during its repair.
pub(super) struct ObjectDraft<'s, 'a> {
    pub entries: Vec<DraftEntry<'a>>,
    /// Declared names that no member has yet.
    pub free: Vec<&'s str>,
    pub required: Vec<&'s str>,
    pub changes: Vec<Change>,
    pub cost: u32,
    pub risk: u32,
    pub problems: Vec<Problem>,
    /// Declared names that one sent key matches equally well. A problem reports them, which is more specific than
    /// that they are missing.
    pub contested: Vec<&'s str>,
    /// Costs of single changes, by their index.
    prices: Vec<(usize, u32)>,
    /// The last change, and the cost before it: what is added until the next change is its price.
    unpriced: Option<(usize, u32)>,
}

impl<'s, 'a> ObjectDraft<'s, 'a> {
    pub fn new(members: usize, required: Vec<&'s str>) -> Self {
        ObjectDraft {
            entries: Vec::with_capacity(members),
            free: Vec::new(),
            required,
            changes: Vec::new(),
            cost: 0,
            risk: 0,
            problems: Vec::new(),
            contested: Vec::new(),
            prices: Vec::new(),
            unpriced: None,
        }
    }

    pub fn is_required(&self, name: &str) -> bool {
        self.required.contains(&name)
    }

    pub fn has(&self, name: &str) -> bool {
        self.entries.iter().any(|entry| entry.member.key == name)
    }

    /// The required names that no member has.
    pub fn missing(&self) -> Vec<&'s str> {
        self.required.iter().filter(|name| !self.has(name)).copied().collect()
    }

    /// Every member is a parameter under its own name and no required one is missing.
    pub fn is_plain(&self) -> bool {
        self.entries.iter().all(|entry| entry.state == KeyState::Declared)
            && self.required.iter().all(|name| self.has(name))
    }

    /// Some member is not a parameter under its own name.
    pub fn has_unknown(&self) -> bool {
        self.entries.iter().any(|entry| entry.state != KeyState::Declared)
    }

    /// Every unknown key is short enough to be compared with names.
    pub fn is_comparable(&self) -> bool {
        let mut unknown = self.entries.iter().filter(|entry| entry.state != KeyState::Declared);
        unknown.all(|entry| is_comparable(entry.member.key))
    }

    /// A required member is missing, or a member is not allowed.
    pub fn has_gaps(&self) -> bool {
        let forbidden = self.entries.iter().any(|entry| {
            entry.state == KeyState::Forbidden && !matches!(entry.member.value.kind, Kind::Null)
        });
        forbidden || self.required.iter().any(|name| !self.has(name))
    }

    pub fn note(
        &mut self,
        code: Code,
        path: &ValuePath<'_>,
        key: &str,
        from: Option<String>,
        to: Option<String>,
        why: &str,
    ) {
        self.price_last();
        self.unpriced = Some((self.changes.len(), self.cost));
        let path = path.key(key).to_string();
        self.changes.push(Change { code, path, from, to, rule: None, rule_type: None, why: why.to_owned() });
    }

    fn price_last(&mut self) {
        if let Some((index, before)) = self.unpriced.take() {
            self.prices.push((index, self.cost - before));
        }
    }

    /// The changes of this object, with the price of each.
    pub fn prices(&mut self) -> impl Iterator<Item = (&Change, u32)> {
        self.price_last();
        self.prices.iter().map(|(index, price)| (&self.changes[*index], *price))
    }

    pub fn absorb(&mut self, fit: Fit<'a>) {
        self.price_last();
        self.cost += fit.cost;
        self.risk += fit.risk;
        self.changes.extend(fit.changes);
    }
}
