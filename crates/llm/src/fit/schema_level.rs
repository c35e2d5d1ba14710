//! One level of a schema with its references followed and its `allOf` put together.

use super::schema::Findings;
use super::schema_tree::Tree;

/// How deep a schema may nest that is sent on. What is deeper says its type alone.
const MOST_LEVELS: usize = 40;

/// How many schemas one tool may have after references were put in.
const MOST_SCHEMAS: usize = 4000;

/// How many references may lead from one to the next at one place.
const MOST_STEPS: usize = 32;

/// Goes through a schema.
#[derive(Debug)]
pub(super) struct Walk<'t, 'f> {
    root: &'t Tree,
    /// The references that we are within.
    within: Vec<String>,
    schemas: usize,
    pub found: &'f mut Findings,
}

/// What one schema says, wherever it stands.
#[derive(Debug, Default)]
pub(super) struct Level<'t> {
    /// All keywords but those below, each once.
    pub plain: Vec<(&'t str, &'t Tree)>,
    /// Nothing where no `properties` stand.
    pub properties: Option<Vec<(&'t str, &'t Tree)>>,
    pub required: Option<Vec<String>>,
    /// How many references we were within before.
    outside: usize,
}

impl<'t> Level<'t> {
    pub fn get(&self, key: &str) -> Option<&'t Tree> {
        self.plain.iter().find(|(name, _)| *name == key).map(|(_, value)| *value)
    }
}

impl<'t, 'f> Walk<'t, 'f> {
    pub fn new(root: &'t Tree, found: &'f mut Findings) -> Walk<'t, 'f> {
        Walk { root, within: Vec::new(), schemas: 0, found }
    }

    /// What a schema says; nothing when it is no object, or there is too much of it.
    /// Its references are open until [`Walk::leave`].
    pub fn enter(&mut self, schema: &'t Tree, depth: usize) -> Option<Level<'t>> {
        self.schemas += 1;
        schema.members()?;
        if depth > MOST_LEVELS || self.schemas > MOST_SCHEMAS {
            self.found.is_cut = true;
            return None;
        }
        let mut level = Level { outside: self.within.len(), ..Level::default() };
        self.collect(schema, &mut level, 0);
        Some(level)
    }

    /// Closes the references of a level.
    pub fn leave(&mut self, level: &Level<'t>) {
        self.within.truncate(level.outside);
    }

    fn collect(&mut self, schema: &'t Tree, level: &mut Level<'t>, step: usize) {
        let Some(members) = schema.members() else { return };
        for (key, value) in members {
            match (key.as_str(), value) {
                ("properties", Tree::Object(properties)) => {
                    let own = level.properties.get_or_insert_default();
                    for (name, property) in properties {
                        if !own.iter().any(|(known, _)| known == name) {
                            own.push((name, property));
                        }
                    }
                }
                ("required", Tree::List(names)) => {
                    let own = level.required.get_or_insert_default();
                    for name in names.iter().filter_map(Tree::as_text) {
                        if !own.contains(&name) {
                            own.push(name);
                        }
                    }
                }
                ("$ref", _) => {}
                ("allOf", Tree::List(_)) => {}
                (key, value) if level.get(key).is_none() => level.plain.push((key, value)),
                _ => {}
            }
        }
        if step >= MOST_STEPS {
            self.found.is_cut = true;
            return;
        }
        if let Some(parts) = schema.get("allOf").and_then(Tree::items) {
            self.found.rewritten.insert("allOf");
            for part in parts {
                self.collect(part, level, step + 1);
            }
        }
        if let Some(reference) = schema.get("$ref") {
            self.follow(reference, level, step);
        }
    }

    fn follow(&mut self, reference: &Tree, level: &mut Level<'t>, step: usize) {
        self.found.rewritten.insert("$ref");
        let pointer = reference.as_text().unwrap_or_default();
        let Some(target) = resolve(self.root, &pointer) else {
            self.found.is_unresolved = true;
            return;
        };
        if self.within.contains(&pointer) {
            self.found.is_cut = true;
            // What it is can be said, but not what is in it.
            for key in ["type", "description"] {
                if let Some((key, value)) =
                    target.members().and_then(|all| all.iter().find(|one| one.0 == key))
                    && level.get(key).is_none()
                {
                    level.plain.push((key, value));
                }
            }
            return;
        }
        self.within.push(pointer);
        self.collect(target, level, step + 1);
    }
}

/// The schema that a reference within the document points to.
pub(super) fn resolve<'t>(root: &'t Tree, reference: &str) -> Option<&'t Tree> {
    let pointer = reference.strip_prefix('#')?;
    if pointer.is_empty() {
        return Some(root);
    }
    let mut at = root;
    for step in pointer.strip_prefix('/')?.split('/') {
        let step = step.replace("~1", "/").replace("~0", "~");
        at = match at {
            Tree::List(items) => items.get(step.parse::<usize>().ok()?)?,
            other => other.get(&step)?,
        };
    }
    Some(at)
}
