//! References whose target depends on the path of the validation: `$dynamicRef` and `$recursiveRef` over several
//! schema resources.
//!
//! If a schema has one candidate for such a reference, it is resolved like `$ref`. With several, the target depends on
//! the path of the validation (JSON Schema 2020-12 core, 8.2.3.2; 2019-09 core, 8.2.4.2), which the validator does
//! not track. A wrong choice would change valid calls, so the whole schema is not validated.

use std::collections::HashMap;

use toolwright_jsonrpc::raw::{Kind, Node};

use super::draft::SchemaDraft;

/// The note for such a schema.
pub(super) const NOTE: &str = "a \"$dynamicRef\" or \"$recursiveRef\" has several possible targets in this schema; the schema is not validated";

/// Whether a dynamic reference of this schema has more than one possible target.
pub(super) fn is_undecided(root: &Node<'_>, draft: SchemaDraft) -> bool {
    if draft < SchemaDraft::Year2019 {
        return false;
    }
    let mut found = References::default();
    found.collect(root);
    let is_repeated = found.anchors.values().any(|times| *times > 1);
    let dynamic = found.has_dynamic && draft.knows("$dynamicRef") && is_repeated;
    let recursive = found.has_recursive && draft.knows("$recursiveRef");
    dynamic || recursive && found.has_recursive_anchor && found.resources > 1
}

#[derive(Default)]
struct References {
    has_dynamic: bool,
    has_recursive: bool,
    has_recursive_anchor: bool,
    /// Number of schemas with an `$id` of their own.
    resources: usize,
    /// Number of declarations of each anchor.
    anchors: HashMap<String, usize>,
}

impl References {
    fn collect(&mut self, node: &Node<'_>) {
        match node.kind {
            Kind::Object(members) => {
                for member in members {
                    match (member.key, member.value.as_text()) {
                        ("$dynamicRef", Some(_)) => self.has_dynamic = true,
                        ("$recursiveRef", Some(_)) => self.has_recursive = true,
                        ("$anchor" | "$dynamicAnchor", Some(name)) => {
                            *self.anchors.entry(name.into_owned()).or_default() += 1;
                        }
                        ("$id", Some(id)) if !id.starts_with('#') => self.resources += 1,
                        ("$recursiveAnchor", None) => {
                            self.has_recursive_anchor |= matches!(member.value.kind, Kind::Bool(true));
                        }
                        _ => {}
                    }
                    self.collect(&member.value);
                }
            }
            Kind::Array(items) => items.iter().for_each(|item| self.collect(item)),
            _ => {}
        }
    }
}
