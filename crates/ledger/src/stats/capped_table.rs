//! CappedTable of rows by name, in order of arrival, with a maximum size and one row for all others.

use std::collections::HashMap;

use super::OTHERS;

#[derive(Debug)]
pub(super) struct CappedTable<K, V> {
    rows: Vec<(K, V)>,
    places: HashMap<Box<str>, usize>,
    limit: usize,
    others: Option<V>,
}

impl<K, V: Default> CappedTable<K, V> {
    pub fn new(limit: usize) -> Self {
        CappedTable { rows: Vec::new(), places: HashMap::new(), limit, others: None }
    }

    /// The row of a name, created when missing and while there is space. The number is its index; the row of all others
    /// has none.
    pub fn row(&mut self, name: &str, key: impl FnOnce() -> K) -> (Option<usize>, &mut V) {
        let place = match self.places.get(name) {
            Some(place) => Some(*place),
            None if name == OTHERS || self.rows.len() >= self.limit => None,
            None => {
                self.places.insert(name.into(), self.rows.len());
                self.rows.push((key(), V::default()));
                Some(self.rows.len() - 1)
            }
        };
        match place.and_then(|place| self.rows.get_mut(place)) {
            Some((_, value)) => (place, value),
            None => (None, self.others.get_or_insert_default()),
        }
    }

    pub fn get(&self, name: &str) -> Option<&V> {
        if name == OTHERS {
            return self.others.as_ref();
        }
        self.rows.get(*self.places.get(name)?).map(|(_, value)| value)
    }

    /// All rows in their order, and last the one of all others, without a key.
    pub fn rows(&self) -> impl Iterator<Item = (Option<&K>, &V)> {
        let named = self.rows.iter().map(|(key, value)| (Some(key), value));
        named.chain(self.others.as_ref().map(|value| (None, value)))
    }
}
