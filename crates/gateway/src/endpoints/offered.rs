//! The tools of one server that are offered, by name, read once for every list that the server gives.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, PoisonError};

use toolwright_config::ServerConfig;
use toolwright_jsonrpc::Json;
use toolwright_toolbox::Listed;

/// The offered tools of a list.
#[derive(Debug)]
pub(crate) struct Offered {
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
        for item in &listed.items {
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
pub(crate) struct LastOffered(Mutex<Option<(Arc<ServerConfig>, Arc<Offered>)>>);

impl LastOffered {
    /// The tools of a list, read when it is another one than last time.
    pub fn of(
        &self,
        entry: &Arc<ServerConfig>,
        listed: Arc<Listed>,
        allows: impl Fn(&str) -> bool,
    ) -> Arc<Offered> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((by, offered)) = last.as_ref()
            && Arc::ptr_eq(by, entry)
            && Arc::ptr_eq(&offered.listed, &listed)
        {
            return Arc::clone(offered);
        }
        let offered = Arc::new(Offered::read(listed, allows));
        *last = Some((Arc::clone(entry), Arc::clone(&offered)));
        offered
    }
}
