//! The tools of one server that are offered, by name, read once for every list that the server gives.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard};

use toolwright_base::{IgnorePoison, off_async};
use toolwright_config::ServerConfig;
use toolwright_jsonrpc::Json;
use toolwright_toolbox::Listed;

/// The offered tools of a list.
#[derive(Debug)]
pub struct Offered {
    /// What they were read from.
    pub listed: Arc<Listed>,
    /// Name and definition, in the server's order. Of two of one name the first counts.
    pub tools: Vec<(String, Json)>,
    places: HashMap<String, usize>,
}

impl Offered {
    /// Reads a list. What has no name cannot be called.
    pub fn read(listed: Arc<Listed>, allows: impl Fn(&str) -> bool) -> Offered {
        let mut tools = Vec::with_capacity(listed.items.len());
        let mut places = HashMap::with_capacity(listed.items.len());
        for item in listed.items.iter() {
            let Some(name) = item.get_text("name").filter(|name| allows(name)) else { continue };
            if let Entry::Vacant(place) = places.entry(name.clone()) {
                place.insert(tools.len());
                tools.push((name, item.clone()));
            }
        }
        Offered { listed, tools, places }
    }

    /// The definition of a tool.
    pub fn get(&self, name: &str) -> Option<&Json> {
        self.places.get(name).map(|place| &self.tools[*place].1)
    }
}

/// What was read last, and by which entry of the configuration.
#[derive(Default)]
pub struct LastOffered(Mutex<Option<(Arc<ServerConfig>, Arc<Offered>)>>);

impl LastOffered {
    /// The tools of a list, read when it is another one than last time.
    pub fn of(
        &self,
        entry: &Arc<ServerConfig>,
        listed: Arc<Listed>,
        allows: impl Fn(&str) -> bool,
    ) -> Arc<Offered> {
        let is_last = |(by, offered): &&(Arc<ServerConfig>, Arc<Offered>)| {
            Arc::ptr_eq(by, entry) && Arc::ptr_eq(&offered.listed, &listed)
        };
        if let Some((_, offered)) = self.last().as_ref().filter(is_last) {
            return Arc::clone(offered);
        }
        // Without the lock: who asks meanwhile would hold up its whole thread.
        let read = || Arc::new(Offered::read(Arc::clone(&listed), allows));
        let offered = off_async(listed.bytes(), read);
        *self.last() = Some((Arc::clone(entry), Arc::clone(&offered)));
        offered
    }

    fn last(&self) -> MutexGuard<'_, Option<(Arc<ServerConfig>, Arc<Offered>)>> {
        self.0.lock().ignore_poison()
    }
}
