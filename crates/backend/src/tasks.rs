//! The clients that ids of a server belong to: servers create tasks and elicitations during calls, and clients and
//! servers name them later.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard};

use toolwright_base::{IgnorePoison, off_async};
use toolwright_jsonrpc::{ErrorObject, INVALID_PARAMS, Json};

use super::owner::Owner;

/// The number of ids that are stored for one server. Beyond it the client with the most loses its oldest.
const MAX_IDS: usize = 10_000;

/// The clients of ids that one server made.
#[derive(Default)]
pub struct OwnedIds {
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    /// The connection that an id came on, and its client.
    owners: HashMap<String, (u64, Owner)>,
    /// The ids of each client, the oldest first.
    ids: HashMap<Owner, VecDeque<String>>,
}

impl OwnedIds {
    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().ignore_poison()
    }

    /// Stores the task that a result of this client's call reports, if it does.
    pub fn note_task(&self, owner: &Owner, connection: u64, result: &Json) {
        let id = off_async(result.as_str().len(), || {
            let task = result.get("task").and_then(|task| task.get_text("taskId"));
            task.or_else(|| result.get_text("taskId"))
        });
        if let Some(id) = id {
            self.add(owner, connection, id);
        }
    }

    /// Stores an id. It never changes its client, unless the server has been restarted and counts from the start.
    pub fn add(&self, owner: &Owner, connection: u64, id: String) {
        self.table().add(owner, connection, id);
    }

    /// Whether an id belongs to this client.
    pub fn is_of(&self, owner: &Owner, id: &str) -> bool {
        self.table().owners.get(id).is_some_and(|(_, of)| of == owner)
    }

    /// The client of an id.
    pub fn owner(&self, id: &str) -> Option<Owner> {
        self.table().owners.get(id).map(|(_, owner)| owner.clone())
    }

    /// A list of tasks without those of other clients; the same text when there are none.
    pub fn own_tasks(&self, owner: &Owner, list: Json) -> Json {
        let Some(tasks) = list.get("tasks").and_then(|tasks| tasks.items()) else { return list };
        let is_own = |task: &&Json| task.get_text("taskId").is_some_and(|id| self.is_of(owner, &id));
        let own: Vec<&Json> = tasks.iter().filter(is_own).collect();
        if own.len() == tasks.len() { list } else { list.with("tasks", &Json::list(own)) }
    }
}

impl Table {
    fn add(&mut self, owner: &Owner, connection: u64, id: String) {
        if let Some((before, old)) = self.owners.get(&id) {
            if *before == connection || old == owner {
                return;
            }
            if let Some(ids) = self.ids.get_mut(old) {
                ids.retain(|known| *known != id);
            }
            self.owners.remove(&id);
        }
        if self.owners.len() >= MAX_IDS {
            let most = self.ids.iter_mut().max_by_key(|(_, ids)| ids.len());
            if let Some(oldest) = most.and_then(|(_, ids)| ids.pop_front()) {
                self.owners.remove(&oldest);
            }
            self.ids.retain(|_, ids| !ids.is_empty());
        }
        self.ids.entry(owner.clone()).or_default().push_back(id.clone());
        self.owners.insert(id, (connection, owner.clone()));
    }
}

/// The refusal of a task that another client created, or none.
pub fn no_task(id: &str) -> ErrorObject {
    ErrorObject::new(INVALID_PARAMS, format!("there is no task \"{id}\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(token: &str) -> Owner {
        Owner { token: token.into(), session: None }
    }

    fn created(id: &str) -> Json {
        Json::empty_object().with("task", &Json::empty_object().with("taskId", &Json::text(id)))
    }

    #[test]
    fn a_task_is_of_the_client_that_created_it() {
        let tasks = OwnedIds::default();
        tasks.note_task(&owner("alice"), 1, &created("1"));
        tasks.note_task(&owner("mallory"), 1, &created("1"));
        assert!(tasks.is_of(&owner("alice"), "1") && !tasks.is_of(&owner("mallory"), "1"));
        let list = Json::parse(r#"{ "tasks": [{"taskId":"1"}] , "x":1.0}"#).expect("JSON");
        assert_eq!(tasks.own_tasks(&owner("alice"), list.clone()), list);
        assert_eq!(tasks.own_tasks(&owner("mallory"), list).get("tasks").expect("it").as_str(), "[]");
        // The server was restarted, and its first task is another one.
        tasks.note_task(&owner("mallory"), 2, &created("1"));
        assert!(tasks.is_of(&owner("mallory"), "1") && !tasks.is_of(&owner("alice"), "1"));
    }

    #[test]
    fn a_client_with_very_many_tasks_pushes_out_its_own() {
        let tasks = OwnedIds::default();
        tasks.note_task(&owner("alice"), 1, &created("hers"));
        for number in 0..2 * MAX_IDS {
            tasks.note_task(&owner("mallory"), 1, &created(&number.to_string()));
        }
        assert!(tasks.is_of(&owner("alice"), "hers"));
        assert!(tasks.table().owners.len() <= MAX_IDS);
    }
}
