//! The calls that are kept: a bounded number, the newest first, filtered, and held still when somebody wants to read.

use std::collections::VecDeque;

use super::{Older, TextField};
use crate::Clean;
use crate::told::Call;

/// How many calls are kept, and how many more while the list is held still.
pub const MOST_CALLS: usize = 1_000;

/// Calls that were left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Missed {
    /// None.
    #[default]
    Nothing,
    /// So many.
    Counted(u64),
    /// Nobody knows how many.
    Some,
}

/// The calls.
#[derive(Clone, Debug)]
pub struct Feed {
    /// The newest first.
    calls: VecDeque<Call>,
    /// What came since the list is held still, the newest first; nothing when it is not.
    held: Option<VecDeque<Call>>,
    /// How many came and went meanwhile.
    overflow: usize,
    missed: Missed,
    lack: Option<Clean>,
    older: Older,
    filter: TextField,
    /// Those that the filter lets through, as places in `calls`.
    shown: Vec<usize>,
    /// A place in `shown`.
    selected: usize,
    is_pinned: bool,
}

impl Default for Feed {
    fn default() -> Feed {
        Feed {
            calls: VecDeque::new(),
            held: None,
            overflow: 0,
            missed: Missed::Nothing,
            lack: None,
            older: Older::MayBe,
            filter: TextField::default(),
            shown: Vec::new(),
            selected: 0,
            is_pinned: false,
        }
    }
}

impl Feed {
    /// All calls that are kept, the newest first.
    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.calls.iter()
    }

    /// How many are kept.
    pub fn len(&self) -> usize {
        self.calls.len()
    }

    /// Whether none is kept.
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// How many the filter lets through.
    pub fn shown_len(&self) -> usize {
        self.shown.len()
    }

    /// Those that the filter lets through, from a place on.
    pub fn shown_from(&self, place: usize) -> impl Iterator<Item = &Call> {
        self.shown.iter().skip(place).filter_map(|place| self.calls.get(*place))
    }

    /// The place of the selected call among those that are shown.
    pub fn place(&self) -> usize {
        self.selected
    }

    /// The selected call.
    pub fn selected(&self) -> Option<&Call> {
        self.calls.get(*self.shown.get(self.selected)?)
    }

    /// The filter.
    pub fn filter(&self) -> &TextField {
        &self.filter
    }

    /// How many calls came since the list is held still; nothing when it is not.
    pub fn waiting(&self) -> Option<usize> {
        self.held.as_ref().map(|held| held.len() + self.overflow)
    }

    /// Which calls were left out.
    pub fn missed(&self) -> Missed {
        self.missed
    }

    /// Why there are no calls.
    pub fn lack(&self) -> Option<&Clean> {
        self.lack.as_ref()
    }

    /// Whether there are older calls than those that are kept.
    pub fn older(&self) -> Older {
        self.older
    }

    /// Takes what was there before. What is known already stays.
    pub(super) fn set_before(&mut self, calls: Vec<Call>, older: Older) {
        self.lack = None;
        if self.calls.is_empty() {
            self.older = older;
        }
        for call in calls {
            self.add(call);
        }
    }

    /// Takes a call that ended. One that ran when it was first told is the same one.
    pub(super) fn add(&mut self, call: Call) {
        self.lack = None;
        let known = self.calls.iter_mut().chain(self.held.iter_mut().flatten());
        let is_same = |known: &&mut Call| known.id == call.id && known.node == call.node;
        if let Some(known) = known.into_iter().find(is_same) {
            *known = call;
            self.keep_selected(Feed::sieve);
            return;
        }
        match &mut self.held {
            Some(held) => {
                held.push_front(call);
                if held.len() > MOST_CALLS {
                    held.pop_back();
                    self.overflow += 1;
                }
            }
            None => {
                self.put(call);
            }
        }
    }

    pub(super) fn miss(&mut self, count: Option<u64>) {
        self.missed = match (self.missed, count) {
            (Missed::Nothing, Some(count)) => Missed::Counted(count),
            (Missed::Counted(before), Some(count)) => Missed::Counted(before.saturating_add(count)),
            _ => Missed::Some,
        };
        self.older = Older::MayBe;
    }

    pub(super) fn lacks(&mut self, why: Clean) {
        self.lack = Some(why);
    }

    /// Holds the list still, or lets it go on with what came meanwhile.
    pub(super) fn toggle_pause(&mut self) {
        let Some(held) = self.held.take() else {
            self.held = Some(VecDeque::new());
            return;
        };
        if std::mem::take(&mut self.overflow) > 0 {
            self.older = Older::MayBe;
        }
        for call in held.into_iter().rev() {
            self.put(call);
        }
    }

    pub(super) fn edit_filter(&mut self, edit: impl FnOnce(&mut TextField)) {
        self.keep_selected(|feed| {
            edit(&mut feed.filter);
            feed.sieve();
        });
    }

    /// Somebody reads the selected call: it stays selected also when newer ones come.
    pub(super) fn pin(&mut self, is_pinned: bool) {
        self.is_pinned = is_pinned;
    }

    /// The selected call stays selected as long as it is shown.
    fn keep_selected(&mut self, change: impl FnOnce(&mut Feed)) {
        let before = self.selected().map(|call| (call.id.clone(), call.node.clone()));
        change(self);
        let is_it =
            |call: &Call| before.as_ref().is_some_and(|(id, node)| (id, node) == (&call.id, &call.node));
        let found = self.shown_from(0).position(is_it);
        self.selected = found.unwrap_or(0);
    }

    /// Moves the selection, as far as there are calls.
    pub(super) fn select(&mut self, place: usize) {
        self.selected = place.min(self.shown.len().saturating_sub(1));
    }

    /// A new call at the top. Who looks at the newest goes on to it; who looks at another stays there.
    fn put(&mut self, call: Call) {
        let is_shown = call.has(&self.filter.words());
        self.calls.push_front(call);
        for place in &mut self.shown {
            *place += 1;
        }
        if is_shown {
            self.shown.insert(0, 0);
            if self.selected > 0 || self.is_pinned {
                self.selected += 1;
            }
        }
        if self.calls.len() > MOST_CALLS {
            self.calls.pop_back();
            self.older = Older::MayBe;
            self.shown.retain(|place| *place < MOST_CALLS);
        }
        self.select(self.selected);
    }

    /// Applies the filter anew.
    fn sieve(&mut self) {
        let words = self.filter.words();
        let shown = self.calls.iter().enumerate().filter(|(_, call)| call.has(&words));
        self.shown = shown.map(|(place, _)| place).collect();
        self.select(self.selected);
    }
}
