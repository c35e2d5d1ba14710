//! The tools of several servers as one list: flat names, every definition otherwise as its server sent it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use toolwright_backend::offered::Offered;
use toolwright_base::{IgnorePoison, lock_off_async, off_async};
use toolwright_config::ServerConfig;
use toolwright_jsonrpc::{ErrorObject, INVALID_PARAMS, Json, ObjectWriter};
use toolwright_toolbox::Listed;
use toolwright_toolbox::naming::{FlatNames, Identifier, Style};

use crate::members::Member;

/// How large a page of the list may be, in bytes of its items.
const PAGE_BYTES: usize = 64 << 20;
/// How many lists are kept: clients may see different toolboxes.
const KEPT: usize = 16;

/// The lists that were made, by what they were made of.
pub(crate) struct Lists {
    style: Style,
    kept: Mutex<Vec<Arc<Merged>>>,
    /// Who makes a list holds it: others who want the same one wait for it.
    making: Mutex<()>,
    marks: AtomicU64,
}

/// One list.
pub(crate) struct Merged {
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
        Lists { style, kept: Mutex::default(), making: Mutex::default(), marks: AtomicU64::new(1) }
    }

    /// The list of the tools that these have now.
    pub fn of(&self, members: &[Member]) -> Arc<Merged> {
        let parts: Vec<Part> = members.iter().map(Part::of).collect();
        if let Some(merged) = self.find(&parts) {
            return merged;
        }
        // However short this list is, a longer one of another client may be in the making.
        let _making = lock_off_async(&self.making);
        match self.find(&parts) {
            Some(merged) => merged,
            None => {
                let bytes = parts.iter().map(|part| part.listed.bytes()).sum();
                off_async(bytes, || self.make(members, parts))
            }
        }
    }

    /// The tool that a name means. What one server has does not name the tools of another, so a tool is found in a list
    /// that was made before as long as its own server has changed nothing: the list of all may be long in the making.
    pub fn tool_of(&self, members: &[Member], name: &str) -> Option<Identifier> {
        let parts: Vec<Part> = members.iter().map(Part::of).collect();
        let before = self.kept().iter().rev().find(|merged| merged.is_of_same_servers(&parts)).cloned();
        let found = before.and_then(|merged| {
            let tool = merged.names.tool_of(name)?;
            let of_tool = |part: &&Part| part.server == tool.server && part.toolbox == tool.toolbox;
            let (old, new) = (merged.made_of.iter().find(of_tool)?, parts.iter().find(of_tool)?);
            old.is(new).then(|| tool.clone())
        });
        found.or_else(|| self.of(members).names.tool_of(name).cloned())
    }

    fn find(&self, parts: &[Part]) -> Option<Arc<Merged>> {
        let mut kept = self.kept();
        let at = kept.iter().position(|merged| merged.is_of(parts))?;
        let merged = kept.remove(at);
        kept.push(Arc::clone(&merged));
        Some(merged)
    }

    fn kept(&self) -> MutexGuard<'_, Vec<Arc<Merged>>> {
        self.kept.lock().ignore_poison()
    }

    fn make(&self, members: &[Member], parts: Vec<Part>) -> Arc<Merged> {
        let mark = self.marks.fetch_add(1, Ordering::Relaxed);
        let merged = Arc::new(Merged::make(members, parts, self.style, mark));
        let mut kept = self.kept();
        // Nobody will ask for what these servers had before.
        kept.retain(|before| !before.is_of_same_servers(&merged.made_of));
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
            && self.is_of_same_server(other)
    }

    fn is_of_same_server(&self, other: &Part) -> bool {
        self.server == other.server && self.toolbox == other.toolbox
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

    fn is_of_same_servers(&self, parts: &[Part]) -> bool {
        self.made_of.len() == parts.len()
            && self.made_of.iter().zip(parts).all(|(own, other)| own.is_of_same_server(other))
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
                match readable(item) {
                    Some(item) => tools.push((Identifier::new(&part.toolbox, &part.server, name), item)),
                    None => tracing::warn!(
                        server = part.server,
                        "the tool {name:?} is left out of lists of several servers: its inputSchema describes no object"
                    ),
                }
            }
        }
        let names = FlatNames::build(tools.iter().map(|(identifier, _)| identifier.clone()), style);
        let named: Vec<(&str, &Json)> =
            tools.iter().filter_map(|(identifier, item)| Some((names.name_of(identifier)?, item))).collect();
        let pages = pages(&named, mark);
        let order = named.iter().map(|(name, _)| (*name).to_owned()).collect();
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

/// A tool as every client can read it: one that says nothing of its arguments takes any. `None` when what it says
/// is nonsense: clients that check lists would lose the tools of all servers for it.
fn readable(item: &Json) -> Option<Json> {
    let object = Json::text("object");
    let schema = match item.get("inputSchema").filter(|schema| schema.as_str() != "null") {
        None => Json::empty_object(),
        Some(schema) => schema,
    };
    schema.members()?;
    match schema.get("type") {
        Some(kind) if kind == object => Some(item.clone()),
        Some(_) => None,
        None => Some(item.with("inputSchema", &schema.with("type", &object))),
    }
}

/// The results of a list, cut where they get too large. Item after item is written: no list has more than its own
/// text in memory.
fn pages(tools: &[(&str, &Json)], mark: u64) -> Vec<Json> {
    let mut cuts = vec![0];
    let mut bytes = 0;
    for (at, (_, item)) in tools.iter().enumerate() {
        let size = item.as_str().len();
        if bytes > 0 && bytes + size > PAGE_BYTES {
            cuts.push(at);
            bytes = 0;
        }
        bytes += size;
    }
    let last = cuts.len() - 1;
    let results = cuts.iter().enumerate().map(|(number, start)| {
        let end = cuts.get(number + 1).copied().unwrap_or(tools.len());
        let items = tools[*start..end].iter().map(|(name, item)| item.replaced("name", &Json::text(name)));
        let mut page = ObjectWriter::default();
        page.list("tools", items);
        if number < last {
            page.text("nextCursor", &format!("{mark}-{}", number + 1));
        }
        page.finish()
    });
    results.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_that_no_client_could_read_does_not_spoil_the_list() {
        let read = |item: &str| readable(&Json::parse(item).expect("JSON")).map(|item| item.to_string());
        let whole = r#"{ "name":"a", "inputSchema" : {"type":"object", "x-y": 1.0} }"#;
        assert_eq!(read(whole).as_deref(), Some(whole));
        let any = r#"{"name":"a","inputSchema":{"type":"object"}}"#;
        assert_eq!(read(r#"{"name":"a"}"#).as_deref(), Some(any));
        assert_eq!(read(r#"{"name":"a","inputSchema":null}"#).as_deref(), Some(any));
        assert_eq!(
            read(r#"{"name":"a","inputSchema":{"properties":{}}}"#).as_deref(),
            Some(r#"{"name":"a","inputSchema":{"properties":{},"type":"object"}}"#)
        );
        for item in [r#"{"name":"a","inputSchema":"x"}"#, r#"{"name":"a","inputSchema":{"type":"string"}}"#] {
            assert_eq!(read(item), None, "{item}");
        }
    }
}
