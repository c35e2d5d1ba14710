//! The stored calls: bounded, newest first, filtered, and paused on request.

use std::collections::VecDeque;

use super::{Older, TextField};
use crate::Clean;
use crate::api_types::ApiCall;

/// Limit of stored calls, and of those that wait while the list is paused.
pub const MOST_CALLS: usize = 1_000;

/// Calls that were skipped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SkippedCalls {
    /// None.
    #[default]
    Nothing,
    /// This number.
    Counted(u64),
    /// An unknown number.
    Some,
}

/// The calls.
#[derive(Clone, Debug)]
pub struct CallFeed {
    /// Newest first.
    calls: VecDeque<ApiCall>,
    /// Calls that arrived while the list is paused, newest first; `None` if it is not paused.
    held: Option<VecDeque<ApiCall>>,
    /// The number of waiting calls that were dropped.
    overflow: usize,
    missed: SkippedCalls,
    lack: Option<Clean>,
    older: Older,
    filter: TextField,
    /// The calls that match the filter, as indices into `calls`.
    shown: Vec<usize>,
    /// An index into `shown`.
    selected: usize,
    is_pinned: bool,
}

impl Default for CallFeed {
    fn default() -> CallFeed {
        CallFeed {
            calls: VecDeque::new(),
            held: None,
            overflow: 0,
            missed: SkippedCalls::Nothing,
            lack: None,
            older: Older::MayBe,
            filter: TextField::default(),
            shown: Vec::new(),
            selected: 0,
            is_pinned: false,
        }
    }
}

impl CallFeed {
    /// All stored calls, newest first.
    pub fn calls(&self) -> impl Iterator<Item = &ApiCall> {
        self.calls.iter()
    }

    /// The number of stored calls.
    pub fn len(&self) -> usize {
        self.calls.len()
    }

    /// Whether no call is stored.
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// The number of calls that match the filter.
    pub fn shown_len(&self) -> usize {
        self.shown.len()
    }

    /// The calls that match the filter, from an index on.
    pub fn shown_from(&self, place: usize) -> impl Iterator<Item = &ApiCall> {
        self.shown.iter().skip(place).filter_map(|place| self.calls.get(*place))
    }

    /// The index of the selected call among the shown ones.
    pub fn place(&self) -> usize {
        self.selected
    }

    /// The selected call.
    pub fn selected(&self) -> Option<&ApiCall> {
        self.calls.get(*self.shown.get(self.selected)?)
    }

    /// The filter.
    pub fn filter(&self) -> &TextField {
        &self.filter
    }

    /// The number of calls that arrived while the list is paused; `None` if it is not paused.
    pub fn waiting(&self) -> Option<usize> {
        self.held.as_ref().map(|held| held.len() + self.overflow)
    }

    /// The skipped calls.
    pub fn missed(&self) -> SkippedCalls {
        self.missed
    }

    /// Why there are no calls.
    pub fn lack(&self) -> Option<&Clean> {
        self.lack.as_ref()
    }

    /// Whether there are calls older than the stored ones.
    pub fn older(&self) -> Older {
        self.older
    }

    /// Adds the history. Known calls stay.
    pub(super) fn set_before(&mut self, calls: Vec<ApiCall>, older: Older) {
        self.lack = None;
        if self.calls.is_empty() {
            self.older = older;
        }
        for call in calls {
            self.add(call);
        }
    }

    /// Adds a call that ended. It replaces an earlier record of the same call, which may have been running.
    pub(super) fn add(&mut self, call: ApiCall) {
        self.lack = None;
        let known = self.calls.iter_mut().chain(self.held.iter_mut().flatten());
        let is_same = |known: &&mut ApiCall| known.id == call.id && known.node == call.node;
        if let Some(known) = known.into_iter().find(is_same) {
            *known = call;
            self.keep_selected(CallFeed::sieve);
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
            (SkippedCalls::Nothing, Some(count)) => SkippedCalls::Counted(count),
            (SkippedCalls::Counted(before), Some(count)) => {
                SkippedCalls::Counted(before.saturating_add(count))
            }
            _ => SkippedCalls::Some,
        };
        self.older = Older::MayBe;
    }

    pub(super) fn lacks(&mut self, why: Clean) {
        self.lack = Some(why);
    }

    /// Pauses the list, or resumes it with the calls that arrived in the meantime.
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

    /// Keeps the selected call selected when newer ones arrive, while its details are open.
    pub(super) fn pin(&mut self, is_pinned: bool) {
        self.is_pinned = is_pinned;
    }

    /// Applies a change; the selected call stays selected if it is still shown.
    fn keep_selected(&mut self, change: impl FnOnce(&mut CallFeed)) {
        let before = self.selected().map(|call| (call.id.clone(), call.node.clone()));
        change(self);
        let is_it =
            |call: &ApiCall| before.as_ref().is_some_and(|(id, node)| (id, node) == (&call.id, &call.node));
        let found = self.shown_from(0).position(is_it);
        self.selected = found.unwrap_or(0);
    }

    /// Moves the selection within the shown calls.
    pub(super) fn select(&mut self, place: usize) {
        self.selected = place.min(self.shown.len().saturating_sub(1));
    }

    /// Adds a call at the top. A selection of the newest call moves to it; any other selection stays.
    fn put(&mut self, call: ApiCall) {
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

    /// Reapplies the filter.
    fn sieve(&mut self) {
        let words = self.filter.words();
        let shown = self.calls.iter().enumerate().filter(|(_, call)| call.has(&words));
        self.shown = shown.map(|(place, _)| place).collect();
        self.select(self.selected);
    }
}
