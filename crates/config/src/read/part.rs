//! A part of the settings that is an object: what it may hold, and what is told when it is something else.

use toolwright_jsonrpc::raw::{Member, Node};

use super::Reader;
use super::keys::Shape;
use super::repeats::Within;

/// What a part may hold.
#[derive(Clone, Copy)]
pub(super) struct Part {
    /// Our keys.
    pub known: &'static [&'static str],
    /// Those that another program has there.
    pub of_others: &'static [&'static str],
    /// Words that look different and mean one of ours.
    pub words: &'static [(&'static str, &'static str)],
    /// Whether `true` and `false` may stand in its place.
    pub is_flag_too: bool,
}

impl<'t> Reader<'t, '_> {
    /// The members of a part, checked.
    pub(super) fn members_of(&mut self, node: &Node<'t>, key: &str, part: Part) -> Option<&'t [Member<'t>]> {
        let Part { known, of_others, words, is_flag_too } = part;
        let Some(members) = node.as_object() else {
            let (also, instead) =
                if is_flag_too { (", true or false", "true") } else { ("", "leave it out") };
            let message = format!("\"{key}\" is an object{also}, not {}", node.a_type_name());
            self.mistakes.error(node, message, format!("write {{\"{}\": …}}, or {instead}", known[0]));
            return None;
        };
        self.check_repeats(members, Within::Server);
        self.check_keys(members, Shape::Part { known, of_others, words });
        Some(members)
    }
}
