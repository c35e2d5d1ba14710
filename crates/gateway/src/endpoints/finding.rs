//! Finding tools by what they do, over an index that is made anew when a list has changed.

use std::sync::{Arc, Mutex, PoisonError};

use toolwright_toolbox::meta::{Found, Identifier};
use toolwright_toolbox::search::{Entry, Index};

use super::members::Member;
use super::offered::Offered;

/// How many indexes are kept: clients may see different toolboxes.
const KEPT: usize = 8;

/// The indexes that were made, by what they were made of.
#[derive(Default)]
pub(super) struct Finder {
    kept: Mutex<Vec<Arc<Indexed>>>,
}

struct Indexed {
    /// Toolbox, server and its tools.
    made_of: Vec<(String, String, Arc<Offered>)>,
    index: Index,
    /// Which tool is meant by a place in the index: a part, and a place in it.
    places: Vec<(usize, usize)>,
}

impl Finder {
    /// The tools of these servers that fit best, at most so many.
    pub fn find(&self, members: &[Member], query: &str, limit: usize) -> Vec<Found> {
        let indexed = self.indexed(members);
        let found = indexed.index.search(query, limit).into_iter().filter_map(|hit| {
            let (part, place) = *indexed.places.get(hit.index)?;
            let (toolbox, server, offered) = indexed.made_of.get(part)?;
            let (name, definition) = offered.tools.get(place)?;
            Some(Found { tool: Identifier::new(toolbox, server, name), definition: definition.clone() })
        });
        found.collect()
    }

    fn indexed(&self, members: &[Member]) -> Arc<Indexed> {
        let parts: Vec<(String, String, Arc<Offered>)> = members
            .iter()
            .map(|member| (member.toolbox.clone(), member.server.clone(), member.offered()))
            .collect();
        let is_same = |indexed: &Arc<Indexed>| {
            indexed.made_of.len() == parts.len()
                && indexed.made_of.iter().zip(&parts).all(|(one, other)| {
                    Arc::ptr_eq(&one.2, &other.2) && (&one.0, &one.1) == (&other.0, &other.1)
                })
        };
        {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(at) = kept.iter().position(is_same) {
                let indexed = kept.remove(at);
                kept.push(Arc::clone(&indexed));
                return indexed;
            }
        }
        let mut entries = Vec::new();
        let mut places = Vec::new();
        for (part, (toolbox, server, offered)) in parts.iter().enumerate() {
            for (place, (name, definition)) in offered.tools.iter().enumerate() {
                entries.push(Entry::of(Identifier::new(toolbox, server, name), definition));
                places.push((part, place));
            }
        }
        let indexed = Arc::new(Indexed { made_of: parts, index: Index::build(&entries), places });
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push(Arc::clone(&indexed));
        indexed
    }
}
