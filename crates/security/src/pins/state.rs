//! Approved and waiting definitions in memory, without locks and files.

use std::collections::{BTreeMap, HashSet};

use super::{MAX_DEFINITION_BYTES, MAX_LIST_BYTES, MAX_TOOLS, Seen, Sight};
use crate::change::{Change, Class, compare};
use crate::definition::{Definition, Fingerprint, Print};

/// The pins of all servers, by server name.
#[derive(Default)]
pub(crate) struct PinState {
    pub(crate) servers: BTreeMap<String, ServerPins>,
}

/// The pins of one server, by tool name.
#[derive(Clone, Default)]
pub(crate) struct ServerPins {
    pub(crate) agreed: BTreeMap<String, PinEntry>,
    pub(crate) waiting: BTreeMap<String, PinEntry>,
    /// Tools of the last list above [`MAX_TOOLS`]. Not written to the file.
    pub(crate) above_limit: HashSet<String>,
}

/// A definition that a server offered.
#[derive(Clone)]
pub(crate) struct PinEntry {
    pub(crate) fingerprint: Fingerprint,
    pub(crate) command: String,
    pub(crate) since: u64,
    /// The canonical form. `None` if it was too large to store.
    pub(crate) definition: Option<String>,
}

/// A parsed tool list.
pub(crate) struct OfferedList<'t> {
    command: &'t str,
    now: u64,
    tools: Vec<OfferedTool<'t>>,
    too_many: Vec<String>,
    unreadable: usize,
}

/// One tool of a list.
struct OfferedTool<'t> {
    text: &'t str,
    print: &'t Print,
    /// Whether the whole definition is stored, not only its fingerprint.
    is_stored: bool,
    /// The new entry, if the definition differs from the approved one.
    entry: Option<PinEntry>,
}

impl<'t> OfferedList<'t> {
    pub(crate) fn of(command: &'t str, tools: &[(&'t str, Option<&'t Print>)], now: u64) -> Self {
        let mut offered = Self { command, now, tools: Vec::new(), too_many: Vec::new(), unreadable: 0 };
        let mut stored_bytes = 0;
        for (text, print) in tools {
            let Some(print) = print else {
                offered.unreadable += 1;
                continue;
            };
            if offered.tools.len() == MAX_TOOLS {
                offered.too_many.push(print.name.clone());
                continue;
            }
            let is_stored =
                print.bytes <= MAX_DEFINITION_BYTES && stored_bytes + print.bytes <= MAX_LIST_BYTES;
            if is_stored {
                stored_bytes += print.bytes;
            }
            offered.tools.push(OfferedTool { text, print, is_stored, entry: None });
        }
        offered
    }

    /// Parses the definitions that differ from the approved ones. This happens before the state is locked for writing,
    /// so that readers do not wait for the parser.
    pub(crate) fn parse_changed(&mut self, known: Option<&ServerPins>) {
        for tool in &mut self.tools {
            let agreed = known.and_then(|known| known.agreed.get(&tool.print.name));
            if agreed.is_some_and(|agreed| agreed.fingerprint == tool.print.fingerprint) {
                continue;
            }
            let canonical = || Definition::read(tool.text).map(|definition| definition.canonical());
            tool.entry = Some(PinEntry {
                fingerprint: tool.print.fingerprint.clone(),
                command: self.command.to_owned(),
                since: self.now,
                definition: if tool.is_stored { canonical() } else { None },
            });
        }
    }
}

impl PinState {
    /// Replaces the pins of a server, or removes them.
    pub(crate) fn put(&mut self, name: &str, server: Option<ServerPins>) {
        match server {
            Some(server) => self.servers.insert(name.to_owned(), server),
            None => self.servers.remove(name),
        };
    }

    /// Compares a list with the approved definitions. Returns the differing tools, and whether the file must be
    /// written.
    pub(crate) fn see(&mut self, server: &str, offered: OfferedList<'_>) -> (Vec<Seen>, bool) {
        let mut results = Vec::new();
        let mut add_result = |tool: &str, sight: Sight| results.push(Seen { tool: tool.to_owned(), sight });
        for _ in 0..offered.unreadable {
            add_result("", Sight::Unreadable);
        }
        let first = !self.servers.contains_key(server);
        if first && offered.tools.is_empty() {
            // An empty list approves nothing: the first list with tools counts as the first one.
            return (results, false);
        }
        let known = self.servers.entry(server.to_owned()).or_default();
        let mut changed = first;
        let mut differing: HashSet<String> = HashSet::new();
        for offer in offered.tools {
            let Some(entry) = offer.entry else { continue };
            let tool = offer.print.name.clone();
            if first && !known.agreed.contains_key(&tool) {
                add_result(&tool, Sight::First);
                known.agreed.insert(tool, entry);
                continue;
            }
            let sight = compare_entry(known.agreed.get(&tool), &entry);
            match sight {
                None => continue,
                Some(Sight::Respelled(_)) => {
                    if let Some(agreed) = known.agreed.get_mut(&tool) {
                        *agreed = PinEntry { since: agreed.since, ..entry };
                        changed = true;
                    }
                }
                // A list may contain a tool twice: one differing definition is enough, and the first such one waits.
                Some(_) if differing.insert(tool.clone()) => {
                    let waiting_entry = known.waiting.get(&tool);
                    if waiting_entry
                        .is_none_or(|waiting_entry| waiting_entry.fingerprint != entry.fingerprint)
                    {
                        known.waiting.insert(tool.clone(), entry);
                        changed = true;
                    }
                }
                Some(_) => {}
            }
            if let Some(sight) = sight {
                add_result(&tool, sight);
            }
        }
        // A tool that went back to its approved definition, or is no longer offered, stops waiting.
        let before = known.waiting.len();
        known.waiting.retain(|tool, _| differing.contains(tool));
        changed |= known.waiting.len() != before;
        for tool in &offered.too_many {
            add_result(tool, Sight::TooMany);
        }
        known.above_limit = offered.too_many.into_iter().collect();
        (results, changed)
    }
}

/// The difference between an offered and the approved definition. `None` if they are equal.
pub(crate) fn compare_entry(agreed: Option<&PinEntry>, offered: &PinEntry) -> Option<Sight> {
    let Some(agreed) = agreed else { return Some(Sight::Added) };
    if agreed.fingerprint == offered.fingerprint {
        return None;
    }
    let mut change = match (&agreed.definition, &offered.definition) {
        (Some(old), Some(new)) if old == new => return Some(Sight::Moved),
        (Some(old), Some(new)) => match (Definition::read(old), Definition::read(new)) {
            (Some(old), Some(new)) => compare(&old, &new),
            _ => Change::of(Class::Meaning, &["(all)"]),
        },
        // Too large to store: only the fingerprints can be compared.
        _ => Change::of(Class::Meaning, &["(all)"]),
    };
    let moved = agreed.command != offered.command;
    Some(match (change.class, moved) {
        (Class::Notation, true) => Sight::Moved,
        (Class::Notation, false) => Sight::Respelled(change),
        (_, moved) => {
            if moved {
                change.fields.push("command".to_owned());
            }
            Sight::Changed(change)
        }
    })
}
