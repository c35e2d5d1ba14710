//! A section of the settings: its keys, and the error if it is not an object.

use toolwright_jsonrpc::raw::{Member, Node};

use super::ConfigReader;
use super::duplicates::DuplicateScope;
use super::keys::ObjectKind;

/// The keys of a section.
#[derive(Clone, Copy)]
pub(super) struct SectionKeys {
    /// Toolwright's keys.
    pub known: &'static [&'static str],
    /// Keys of another program.
    pub foreign: &'static [&'static str],
    /// Other names of Toolwright's keys.
    pub words: &'static [(&'static str, &'static str)],
    /// Whether `true` or `false` is valid in place of the object.
    pub allows_flag: bool,
}

impl<'t> ConfigReader<'t, '_> {
    /// The members of a section, checked.
    pub(super) fn members_of(
        &mut self,
        node: &Node<'t>,
        key: &str,
        part: SectionKeys,
    ) -> Option<&'t [Member<'t>]> {
        let SectionKeys { known, foreign, words, allows_flag } = part;
        let Some(members) = node.as_object() else {
            let (also, instead) =
                if allows_flag { (", true or false", "true") } else { ("", "leave it out") };
            let message = format!("\"{key}\" is an object{also}, not {}", node.a_type_name());
            self.collector.error(node, message, format!("write {{\"{}\": …}}, or {instead}", known[0]));
            return None;
        };
        self.check_duplicates(members, DuplicateScope::Server);
        self.check_keys(members, ObjectKind::Section { known, foreign, words });
        Some(members)
    }
}
