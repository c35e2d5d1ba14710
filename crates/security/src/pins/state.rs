//! What is agreed to and what waits, without locks and files.

use std::collections::{BTreeMap, HashSet};

use super::{MAX_DEFINITION_BYTES, MAX_LIST_BYTES, MAX_TOOLS, Seen, Sight};
use crate::change::{Change, Class, compare};
use crate::definition::{Definition, Fingerprint, Print};

/// All that is known, by the name of the server.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) servers: BTreeMap<String, Server>,
}

/// What is known of a server, by the name of the tool.
#[derive(Clone, Default)]
pub(crate) struct Server {
    pub(crate) agreed: BTreeMap<String, Entry>,
    pub(crate) waiting: BTreeMap<String, Entry>,
    /// Tools of the last list that were too many to look at. Not written to the file.
    pub(crate) unkept: HashSet<String>,
}

/// A definition that was offered.
#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) fingerprint: Fingerprint,
    pub(crate) command: String,
    pub(crate) since: u64,
    /// In its one form. `None` when it was too large to keep.
    pub(crate) definition: Option<String>,
}

/// A list of tools, read.
pub(crate) struct Offered<'t> {
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
    /// Whether more is kept of it than its fingerprint.
    is_kept: bool,
    /// What is kept of it, when it is not what was agreed to.
    entry: Option<Entry>,
}

impl<'t> Offered<'t> {
    pub(crate) fn of(command: &'t str, tools: &[(&'t str, Option<&'t Print>)], now: u64) -> Self {
        let mut offered = Self { command, now, tools: Vec::new(), too_many: Vec::new(), unreadable: 0 };
        let mut bytes_kept = 0;
        for (text, print) in tools {
            let Some(print) = print else {
                offered.unreadable += 1;
                continue;
            };
            if offered.tools.len() == MAX_TOOLS {
                offered.too_many.push(print.name.clone());
                continue;
            }
            let is_kept = print.bytes <= MAX_DEFINITION_BYTES && bytes_kept + print.bytes <= MAX_LIST_BYTES;
            if is_kept {
                bytes_kept += print.bytes;
            }
            offered.tools.push(OfferedTool { text, print, is_kept, entry: None });
        }
        offered
    }

    /// Reads the definitions that are not what was agreed to, before the state is changed: others read it meanwhile.
    pub(crate) fn read_new(&mut self, known: Option<&Server>) {
        for tool in &mut self.tools {
            let agreed = known.and_then(|known| known.agreed.get(&tool.print.name));
            if agreed.is_some_and(|agreed| agreed.fingerprint == tool.print.fingerprint) {
                continue;
            }
            let canonical = || Definition::read(tool.text).map(|definition| definition.canonical());
            tool.entry = Some(Entry {
                fingerprint: tool.print.fingerprint.clone(),
                command: self.command.to_owned(),
                since: self.now,
                definition: if tool.is_kept { canonical() } else { None },
            });
        }
    }
}

impl State {
    /// Puts what is known of a server in the place of what was known before.
    pub(crate) fn put(&mut self, name: &str, server: Option<Server>) {
        match server {
            Some(server) => self.servers.insert(name.to_owned(), server),
            None => self.servers.remove(name),
        };
    }

    /// Compares a list with what is agreed to. Says what is not as agreed, and whether the file must be written.
    pub(crate) fn see(&mut self, server: &str, offered: Offered<'_>) -> (Vec<Seen>, bool) {
        let mut seen = Vec::new();
        let mut tell = |tool: &str, sight: Sight| seen.push(Seen { tool: tool.to_owned(), sight });
        for _ in 0..offered.unreadable {
            tell("", Sight::Unreadable);
        }
        let first = !self.servers.contains_key(server);
        if first && offered.tools.is_empty() {
            // Somebody who sees nothing agrees to nothing: the first list with tools in it is the first sight.
            return (seen, false);
        }
        let known = self.servers.entry(server.to_owned()).or_default();
        let mut changed = first;
        let mut differing: HashSet<String> = HashSet::new();
        for offer in offered.tools {
            let Some(entry) = offer.entry else { continue };
            let tool = offer.print.name.clone();
            if first && !known.agreed.contains_key(&tool) {
                tell(&tool, Sight::First);
                known.agreed.insert(tool, entry);
                continue;
            }
            let sight = judge(known.agreed.get(&tool), &entry);
            match sight {
                None => continue,
                Some(Sight::Respelled(_)) => {
                    if let Some(agreed) = known.agreed.get_mut(&tool) {
                        *agreed = Entry { since: agreed.since, ..entry };
                        changed = true;
                    }
                }
                // A list may name a tool twice; one that differs is enough, and the first of those waits.
                Some(_) if differing.insert(tool.clone()) => {
                    let waits = known.waiting.get(&tool);
                    if waits.is_none_or(|waits| waits.fingerprint != entry.fingerprint) {
                        known.waiting.insert(tool.clone(), entry);
                        changed = true;
                    }
                }
                Some(_) => {}
            }
            if let Some(sight) = sight {
                tell(&tool, sight);
            }
        }
        // What went back to what was agreed to, or is no longer offered, waits no more.
        let before = known.waiting.len();
        known.waiting.retain(|tool, _| differing.contains(tool));
        changed |= known.waiting.len() != before;
        for tool in &offered.too_many {
            tell(tool, Sight::TooMany);
        }
        known.unkept = offered.too_many.into_iter().collect();
        (seen, changed)
    }
}

/// How an offered definition differs from what was agreed to. `None` when it does not.
pub(crate) fn judge(agreed: Option<&Entry>, offered: &Entry) -> Option<Sight> {
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
        // Too large to keep: only the fingerprints are there.
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
