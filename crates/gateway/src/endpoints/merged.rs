//! The tools of several servers as one list: flat names, every definition otherwise as its server sent it.

use std::sync::{Arc, Mutex, PoisonError};

use toolwright_config::ServerConfig;
use toolwright_jsonrpc::{ErrorObject, INVALID_PARAMS, Json};
use toolwright_toolbox::Listed;
use toolwright_toolbox::naming::{FlatNames, Identifier, Style};

use super::members::Member;
use super::offered::Offered;

/// How large a page of the list may be, in bytes of its items.
const PAGE_BYTES: usize = 64 << 20;
/// How many lists are kept: clients may see different toolboxes.
const KEPT: usize = 16;

/// The lists that were made, by what they were made of.
pub(super) struct Lists {
    style: Style,
    kept: Mutex<Vec<Arc<Merged>>>,
}

/// One list.
pub(super) struct Merged {
    /// What it was made of: it is right for as long as these are the lists of the servers.
    made_of: Vec<Part>,
    pub names: FlatNames,
    /// The flat names in the order of the list.
    pub order: Vec<String>,
    pages: Vec<Json>,
    /// Tells its cursors from those of other lists.
    mark: u64,
}

struct Part {
    toolbox: String,
    server: String,
    /// Which entry of the configuration it is, filters included.
    entry: Option<Arc<ServerConfig>>,
    listed: Arc<Listed>,
}

impl Lists {
    pub fn new(style: Style) -> Lists {
        Lists { style, kept: Mutex::default() }
    }

    /// The list of the tools that these have now.
    pub fn of(&self, members: &[Member]) -> Arc<Merged> {
        let parts: Vec<Part> = members.iter().map(Part::of).collect();
        let mark = {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(at) = kept.iter().position(|merged| merged.is_of(&parts)) {
                let merged = kept.remove(at);
                kept.push(Arc::clone(&merged));
                return merged;
            }
            kept.last().map_or(1, |last| last.mark + 1)
        };
        let merged = Arc::new(Merged::make(members, parts, self.style, mark));
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push(Arc::clone(&merged));
        merged
    }
}

impl Part {
    fn of(member: &Member) -> Part {
        Part {
            toolbox: member.toolbox.clone(),
            server: member.server.clone(),
            entry: member.entry(),
            listed: member.tools(),
        }
    }

    fn is(&self, other: &Part) -> bool {
        Arc::ptr_eq(&self.listed, &other.listed)
            && is_same_entry(self.entry.as_ref(), other.entry.as_ref())
            && self.server == other.server
            && self.toolbox == other.toolbox
    }
}

fn is_same_entry(one: Option<&Arc<ServerConfig>>, other: Option<&Arc<ServerConfig>>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => Arc::ptr_eq(one, other),
        (None, None) => true,
        _ => false,
    }
}

impl Merged {
    fn is_of(&self, parts: &[Part]) -> bool {
        self.made_of.len() == parts.len() && self.made_of.iter().zip(parts).all(|(own, other)| own.is(other))
    }

    fn make(members: &[Member], made_of: Vec<Part>, style: Style, mark: u64) -> Merged {
        let mut tools: Vec<(Identifier, Json)> = Vec::new();
        for (member, part) in members.iter().zip(&made_of) {
            let offered = match Arc::ptr_eq(&member.tools(), &part.listed) {
                true => member.offered(),
                // It has changed meanwhile: the next list is another one.
                false => Arc::new(Offered::read(Arc::clone(&part.listed), |name| member.allows(name))),
            };
            for (name, item) in &offered.tools {
                tools.push((Identifier::new(&part.toolbox, &part.server, name), item.clone()));
            }
        }
        let names = FlatNames::build(tools.iter().map(|(identifier, _)| identifier.clone()), style);
        let mut order = Vec::with_capacity(tools.len());
        let mut items = Vec::with_capacity(tools.len());
        for (identifier, item) in &tools {
            let Some(name) = names.name_of(identifier) else { continue };
            items.push(item.replaced("name", &Json::text(name)));
            order.push(name.to_owned());
        }
        let pages = pages(&items, mark);
        Merged { made_of, names, order, pages, mark }
    }

    /// One page of the list, as a result.
    pub fn page(&self, cursor: Option<&str>) -> Result<Json, ErrorObject> {
        let number = match cursor {
            None => 0,
            Some(cursor) => {
                let number = cursor.strip_prefix(&format!("{}-", self.mark)).and_then(|at| at.parse().ok());
                number.filter(|at| *at > 0usize).unwrap_or(usize::MAX)
            }
        };
        self.pages.get(number).cloned().ok_or_else(|| {
            let message = "the cursor is not one of this list, which may have changed: list from the start";
            ErrorObject::new(INVALID_PARAMS, message)
        })
    }
}

fn pages(items: &[Json], mark: u64) -> Vec<Json> {
    let mut pages: Vec<&[Json]> = Vec::new();
    let (mut start, mut bytes) = (0, 0);
    for (at, item) in items.iter().enumerate() {
        if bytes + item.as_str().len() > PAGE_BYTES && at > start {
            pages.push(&items[start..at]);
            (start, bytes) = (at, 0);
        }
        bytes += item.as_str().len();
    }
    pages.push(&items[start..]);
    let last = pages.len() - 1;
    let results = pages.iter().enumerate().map(|(at, items)| {
        let page = Json::empty_object().with("tools", &Json::list(*items));
        match at == last {
            true => page,
            false => page.with("nextCursor", &Json::text(&format!("{mark}-{}", at + 1))),
        }
    });
    results.collect()
}
