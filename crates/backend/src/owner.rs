//! The client that something belongs to which lives longer than one request: tasks, tables of resources and
//! prompts.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use toolwright_base::IgnorePoison;
use toolwright_mcp::front::{Client, SessionId};

/// The number of clients whose values are stored; beyond it the least recently used one is dropped.
const MAX_CLIENTS: usize = 1024;

/// A client: its token, and its session where it has one. A modern client over HTTP has none, so all requests of
/// its token are one client.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Owner {
    /// The name of the token.
    pub token: Arc<str>,
    /// The session.
    pub session: Option<SessionId>,
}

impl Owner {
    /// The client of a request.
    pub fn of(client: &Client) -> Owner {
        Owner { token: Arc::clone(&client.visitor.name), session: client.session }
    }
}

/// One value for each client. Equal values are stored once.
pub struct PerClient<T> {
    stored: Mutex<Stored<T>>,
}

struct Stored<T> {
    values: HashMap<Owner, (u64, Arc<T>)>,
    /// Counts the uses, to find the least recently used value.
    uses: u64,
}

impl<T> Default for PerClient<T> {
    fn default() -> Self {
        PerClient { stored: Mutex::new(Stored { values: HashMap::new(), uses: 0 }) }
    }
}

impl<T: PartialEq> PerClient<T> {
    fn stored(&self) -> MutexGuard<'_, Stored<T>> {
        self.stored.lock().ignore_poison()
    }

    /// The value of a client.
    pub fn get(&self, owner: &Owner) -> Option<Arc<T>> {
        let mut stored = self.stored();
        stored.uses += 1;
        let uses = stored.uses;
        let (used, value) = stored.values.get_mut(owner)?;
        *used = uses;
        Some(Arc::clone(value))
    }

    /// Replaces the value of a client by one that is made of it.
    pub fn change(&self, owner: &Owner, change: impl FnOnce(Option<&T>) -> T) {
        let mut stored = self.stored();
        stored.uses += 1;
        let uses = stored.uses;
        let before = stored.values.remove(owner).map(|(_, value)| value);
        let new = change(before.as_deref());
        // A thousand sessions with the same list need it once.
        let equal = before.into_iter().chain(stored.values.values().map(|(_, value)| Arc::clone(value)));
        let value = equal.into_iter().find(|value| **value == new).unwrap_or_else(|| Arc::new(new));
        if stored.values.len() >= MAX_CLIENTS {
            let least = stored.values.iter().min_by_key(|(_, (used, _))| *used);
            if let Some(least) = least.map(|(owner, _)| owner.clone()) {
                stored.values.remove(&least);
            }
        }
        stored.values.insert(owner.clone(), (uses, value));
    }

    /// The session of a client has ended.
    pub fn end(&self, client: &Client) {
        // The values of a token outlive the sessions of others.
        if client.session.is_some() {
            self.stored().values.remove(&Owner::of(client));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(token: &str, session: Option<u128>) -> Owner {
        Owner { token: token.into(), session: session.map(SessionId) }
    }

    #[test]
    fn each_client_has_its_own_value_and_equal_ones_are_stored_once() {
        let values: PerClient<Vec<u8>> = PerClient::default();
        let (alice, bob) = (owner("alice", Some(1)), owner("alice", Some(2)));
        values.change(&alice, |before| {
            assert_eq!(before, None);
            vec![1]
        });
        assert_eq!(values.get(&bob), None);
        values.change(&bob, |_| vec![1]);
        let (first, second) = (values.get(&alice).expect("it"), values.get(&bob).expect("it"));
        assert!(Arc::ptr_eq(&first, &second));
        values.change(&bob, |_| vec![2]);
        assert_eq!(*values.get(&alice).expect("it"), [1]);
    }

    #[test]
    fn very_many_clients_drop_the_least_recently_used() {
        let values: PerClient<usize> = PerClient::default();
        let first = owner("token", Some(0));
        values.change(&first, |_| 0);
        for number in 1..=MAX_CLIENTS {
            values.change(&owner("token", Some(number as u128)), |_| number);
            values.get(&first);
        }
        assert!(values.get(&first).is_some());
        assert!(values.get(&owner("token", Some(1))).is_none());
        assert_eq!(values.stored().values.len(), MAX_CLIENTS);
    }
}
