//! Names of tools that an upstream does not take, renamed and named back.

use std::collections::{HashMap, HashSet};

use super::{hash, is_word_char};
use crate::dialects::namespace;
use crate::form::{Block, Event, Request, Response, ToolChoice};
use crate::{Target, dialects};

/// Shorter limits than this are none that an upstream has; a readable part and a hash must fit.
const SHORTEST_LIMIT: usize = 16;

/// `_` and eight digits.
const HASH_CHARS: usize = 9;

/// What is left of a name that was cut must have so many characters to be known again.
const CUT_CHARS: usize = 32;

/// The names that were changed for an upstream, and what they were.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    renamed: Vec<Renamed>,
    /// Tools whose names were not changed. Empty when none was.
    kept: HashSet<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Renamed {
    original: String,
    sent: String,
    /// How many bytes of what is sent say something.
    readable: usize,
    is_tool: bool,
}

/// Renames what does not fit: in tools, choice, calls and results alike.
pub(super) fn rename(request: &mut Request, target: &Target) -> Names {
    let limit = target.name_chars.max(SHORTEST_LIMIT);
    let spaced = namespaced(request);
    // Its own dialect is told both names.
    let is_own = dialects::of(target.dialect).has_namespaces() && request.dialect == Some(target.dialect);
    let mut all: HashSet<String> = HashSet::new();
    let mut unfit: Vec<String> = Vec::new();
    visit(request, &mut |name| {
        let fits = fits(name, limit) || (is_own && spaced.contains_key(name.as_str()));
        if !fits && !all.contains(name.as_str()) {
            unfit.push(name.clone());
        }
        if !all.contains(name.as_str()) {
            all.insert(name.clone());
        }
    });
    if unfit.is_empty() {
        return Names::default();
    }
    let tools: HashSet<String> = request.tools.iter().map(|tool| tool.name.clone()).collect();
    let mut taken = all;
    let mut new_names: HashMap<String, String> = HashMap::new();
    let mut renamed = Vec::with_capacity(unfit.len());
    for original in unfit {
        let joined = spaced.get(&original).filter(|joined| fits(joined, limit) && !taken.contains(*joined));
        let (sent, readable) = match joined {
            Some(joined) => (joined.clone(), joined.len()),
            None => new_name(&original, limit, &taken),
        };
        taken.insert(sent.clone());
        new_names.insert(original.clone(), sent.clone());
        renamed.push(Renamed { is_tool: tools.contains(&original), original, sent, readable });
    }
    visit(request, &mut |name| {
        if let Some(new) = new_names.get(name.as_str()) {
            name.clone_from(new);
        }
    });
    let kept = tools.into_iter().filter(|name| !new_names.contains_key(name)).collect();
    Names { renamed, kept }
}

/// What upstreams are told that know no namespaces, by the names of tools and calls that are in one.
fn namespaced(request: &Request) -> HashMap<String, String> {
    let tools = request.tools.iter().map(|tool| (&tool.extra, &tool.name));
    let blocks = request.messages.iter().flat_map(|message| &message.blocks);
    let calls = blocks.filter_map(|block| match block {
        Block::Call(call) => Some((&call.extra, &call.name)),
        _ => None,
    });
    tools
        .chain(calls)
        .filter_map(|(extra, name)| {
            let (namespace, tool) = namespace::parts(extra, name)?;
            Some((name.clone(), format!("{}__{tool}", namespace.trim_end_matches("__"))))
        })
        .collect()
}

/// Every place where a tool is named.
fn visit(request: &mut Request, see: &mut impl FnMut(&mut String)) {
    request.tools.iter_mut().for_each(|tool| see(&mut tool.name));
    match &mut request.choice {
        Some(ToolChoice::Tool(name)) => see(name),
        Some(ToolChoice::Allowed { names, .. }) => names.iter_mut().for_each(&mut *see),
        _ => {}
    }
    for block in request.messages.iter_mut().flat_map(|message| &mut message.blocks) {
        match block {
            Block::Call(call) => see(&mut call.name),
            Block::Result(result) => {
                if let Some(name) = &mut result.name {
                    see(name);
                }
            }
            _ => {}
        }
    }
}

fn fits(name: &str, limit: usize) -> bool {
    !name.is_empty() && name.len() <= limit && name.chars().all(is_word_char)
}

/// A name of the form `prefix_hash8` that nobody has, and the length of its prefix.
fn new_name(original: &str, limit: usize, taken: &HashSet<String>) -> (String, usize) {
    let mut prefix: String = plain(original).take(limit - HASH_CHARS).collect();
    if prefix.is_empty() {
        prefix.push_str("tool");
    }
    let mut salt = 0;
    loop {
        let name = format!("{prefix}_{}", &hash(original, salt)[..8]);
        if !taken.contains(&name) {
            return (name, prefix.len());
        }
        salt += 1;
    }
}

/// The letters of a name, with `_` for those that are not taken.
fn plain(name: &str) -> impl Iterator<Item = char> {
    name.chars().map(|letter| if is_word_char(letter) { letter } else { '_' })
}

// === impl Names ===

impl Names {
    /// Whether no name was changed.
    pub fn is_empty(&self) -> bool {
        self.renamed.is_empty()
    }

    /// The names that were sent instead of others.
    pub(crate) fn sent(&self) -> impl Iterator<Item = &str> {
        self.renamed.iter().filter(|one| one.is_tool).map(|one| one.sent.as_str())
    }

    /// The name that the client knows for one that a model wrote: the one that was sent, the one before that, or one
    /// of them cut short, where only one tool can be meant. Others stay what they are.
    pub fn original<'n>(&'n self, name: &'n str) -> &'n str {
        if self.renamed.is_empty() {
            return name;
        }
        if let Some(found) = self.renamed.iter().find(|one| one.sent == name) {
            return &found.original;
        }
        if self.kept.contains(name) || self.renamed.iter().any(|one| one.original == name) {
            return name;
        }
        self.cut(name).unwrap_or(name)
    }

    /// The one tool whose name this is the beginning of.
    fn cut(&self, name: &str) -> Option<&str> {
        if self.kept.iter().any(|kept| kept.starts_with(name)) {
            return None;
        }
        let mut found = self.renamed.iter().filter(|one| one.is_tool && one.begins_with(name));
        let first = found.next()?;
        found.next().is_none().then_some(first.original.as_str())
    }

    /// Gives the calls of an answer the names that the client knows.
    pub fn restore(&self, response: &mut Response) {
        if self.renamed.is_empty() {
            return;
        }
        for block in &mut response.blocks {
            if let Block::Call(call) = block {
                self.restore_name(&mut call.name);
            }
        }
    }

    /// Gives a call that begins the name that the client knows.
    pub fn restore_event(&self, event: &mut Event) {
        if let Event::CallStart { name, .. } = event {
            self.restore_name(name);
        }
    }

    fn restore_name(&self, name: &mut String) {
        let original = self.original(name);
        if original != name {
            *name = original.to_owned();
        }
    }
}

impl Renamed {
    /// Whether so much of the name is there that no other can be meant.
    fn begins_with(&self, name: &str) -> bool {
        if self.sent.starts_with(name) && name.len() >= self.readable {
            return true;
        }
        if name.chars().count() < CUT_CHARS {
            return false;
        }
        let mut letters = plain(&self.original);
        self.original.starts_with(name) || name.chars().all(|letter| letters.next() == Some(letter))
    }
}
