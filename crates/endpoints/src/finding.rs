//! Finding tools by what they do, over an index that is made anew when a list has changed.

use std::sync::{Arc, Mutex, MutexGuard};

use tokio::task::spawn_blocking;
use toolwright_backend::offered::Offered;
use toolwright_base::IgnorePoison;
use toolwright_toolbox::meta::{Found, Identifier};
use toolwright_toolbox::search::{Entry, Index};

use crate::members::Member;

/// How many indexes are kept: clients may see different toolboxes.
const KEPT: usize = 8;

/// The indexes that were made, by what they were made of.
#[derive(Default)]
pub(crate) struct Finder(Arc<Inner>);

#[derive(Default)]
struct Inner {
    kept: Mutex<Vec<Arc<Indexed>>>,
    /// Who makes an index holds it: others who want the same one wait for it.
    making: Mutex<()>,
}

type Part = (String, String, Arc<Offered>);

struct Indexed {
    /// Toolbox, server and its tools.
    made_of: Vec<Part>,
    index: Index,
    /// Which tool is meant by a place in the index: a part, and a place in it.
    places: Vec<(usize, usize)>,
}

impl Finder {
    /// The tools of these servers that fit best, at most so many.
    pub async fn find(&self, members: &[Member], query: &str, limit: usize) -> Vec<Found> {
        let indexed = self.indexed(members).await;
        let found = indexed.index.search(query, limit).into_iter().filter_map(|hit| {
            let (part, place) = *indexed.places.get(hit.index)?;
            let (toolbox, server, offered) = indexed.made_of.get(part)?;
            let (name, definition) = offered.tools.get(place)?;
            Some(Found { tool: Identifier::new(toolbox, server, name), definition: definition.clone() })
        });
        found.collect()
    }

    async fn indexed(&self, members: &[Member]) -> Arc<Indexed> {
        let parts: Vec<Part> = members
            .iter()
            .map(|member| (member.toolbox.clone(), member.server.clone(), member.offered()))
            .collect();
        if let Some(indexed) = self.0.kept(&parts) {
            return indexed;
        }
        // Ten thousand tools take a while, and other clients are not to wait.
        let (inner, wanted) = (Arc::clone(&self.0), parts.clone());
        match spawn_blocking(move || inner.made(wanted)).await {
            Ok(indexed) => indexed,
            // The runtime ends.
            Err(_) => Arc::new(Indexed::make(parts)),
        }
    }
}

impl Inner {
    fn kept(&self, parts: &[Part]) -> Option<Arc<Indexed>> {
        let mut kept = lock(&self.kept);
        let at = kept.iter().position(|indexed| indexed.is_of(parts))?;
        let indexed = kept.remove(at);
        kept.push(Arc::clone(&indexed));
        Some(indexed)
    }

    fn made(&self, parts: Vec<Part>) -> Arc<Indexed> {
        let _making = lock(&self.making);
        if let Some(indexed) = self.kept(&parts) {
            return indexed;
        }
        let indexed = Arc::new(Indexed::make(parts));
        let mut kept = lock(&self.kept);
        // Nobody will search for what these servers had before.
        kept.retain(|before| !before.is_of_same_servers(&indexed.made_of));
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push(Arc::clone(&indexed));
        indexed
    }
}

impl Indexed {
    fn make(parts: Vec<Part>) -> Indexed {
        let places: Vec<(usize, usize)> = parts
            .iter()
            .enumerate()
            .flat_map(|(part, (_, _, offered))| (0..offered.tools.len()).map(move |place| (part, place)))
            .collect();
        let entries = places.iter().map(|(part, place)| {
            let (toolbox, server, offered) = &parts[*part];
            let (name, definition) = &offered.tools[*place];
            Entry::of(Identifier::new(toolbox, server, name), definition)
        });
        Indexed { index: Index::build(entries), places, made_of: parts }
    }

    fn is_of(&self, parts: &[Part]) -> bool {
        self.is_of_same_servers(parts)
            && self.made_of.iter().zip(parts).all(|(one, other)| Arc::ptr_eq(&one.2, &other.2))
    }

    fn is_of_same_servers(&self, parts: &[Part]) -> bool {
        let is_same = |(one, other): (&Part, &Part)| (&one.0, &one.1) == (&other.0, &other.1);
        self.made_of.len() == parts.len() && self.made_of.iter().zip(parts).all(is_same)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().ignore_poison()
}
