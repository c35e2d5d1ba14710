//! `case_convert`: keys in the style that the server uses.
//!
//! `{"type": "case_convert", "to": "camel"}` renames `device_name` to `deviceName` when the schema
//! declares the second and not the first. Without declared properties a rule of the user converts
//! every key; a leading underscore is never touched.

use toolwright_jsonrpc::raw::{Member, quote};
use toolwright_model::Code;

use super::{Applied, Site};
use crate::names::{fold, words};
use crate::repair::Path;

/// Objects with more members are not looked through by the built-in rule.
const MAX_MEMBERS: usize = 200;

/// A style of writing names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseStyle {
    /// `deviceName`
    Camel,
    /// `device_name`
    Snake,
    /// `device-name`
    Kebab,
    /// `DeviceName`
    Pascal,
}

impl CaseStyle {
    /// The names in a rules file.
    pub const NAMES: &[(&str, CaseStyle)] = &[
        ("camel", CaseStyle::Camel),
        ("snake", CaseStyle::Snake),
        ("kebab", CaseStyle::Kebab),
        ("pascal", CaseStyle::Pascal),
    ];

    /// The name in this style.
    pub fn convert(self, name: &str) -> String {
        if name.starts_with('_') {
            return name.to_owned();
        }
        let words = words(name);
        match self {
            CaseStyle::Snake => words.join("_"),
            CaseStyle::Kebab => words.join("-"),
            CaseStyle::Pascal => words.iter().map(|word| capital(word)).collect(),
            CaseStyle::Camel => words
                .iter()
                .enumerate()
                .map(|(index, word)| if index == 0 { word.clone() } else { capital(word) })
                .collect(),
        }
    }
}

fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().into_iter().flat_map(char::to_uppercase).chain(chars).collect()
}

pub(super) fn apply<'a>(
    site: &Site<'_, '_, 'a>,
    style: CaseStyle,
    only: Option<&str>,
) -> Option<Applied<'a>> {
    let mut members = site.members.to_vec();
    let mut changes = Vec::new();
    let has_names = site.fitter.declares_anything();
    // Very large objects are left to the schema, which bounds its comparisons.
    if site.needs_agreement() && members.len() > MAX_MEMBERS {
        return None;
    }
    for index in 0..members.len() {
        let key = members[index].key;
        let is_snake = key.trim_start_matches('_').contains('_');
        if only.is_some_and(|only| only != key)
            || site.is_declared(key)
            || site.needs_agreement() && !is_snake
        {
            continue;
        }
        // The schema's own spelling wins where there is one.
        let converted = site.fitter.declared_spelling(key, style).unwrap_or_else(|| style.convert(key));
        let agreed = site.is_declared(&converted) || !has_names && !site.needs_agreement();
        if !agreed || converted == key {
            continue;
        }
        let same = |member: &Member<'a>| fold(member.key) == fold(&converted);
        let free = members.iter().filter(|member| same(member)).count() == 1;
        if free {
            let name: &'a str = site.fitter.arena.alloc_str(&converted);
            members[index] = Member::new(name, members[index].value);
            let path = Path::Root.key(key).to_string();
            changes.push(site.change(
                Code::N1,
                path,
                Some(quote(key)),
                Some(quote(name)),
                "the server's style",
            ));
        }
    }
    (!changes.is_empty()).then_some(Applied { members, changes })
}

#[cfg(test)]
mod tests {
    use super::CaseStyle;

    #[test]
    fn names_are_written_in_each_style() {
        assert_eq!(CaseStyle::Camel.convert("new_parameter_name"), "newParameterName");
        assert_eq!(CaseStyle::Camel.convert("device__name"), "deviceName");
        assert_eq!(CaseStyle::Camel.convert("level"), "level");
        assert_eq!(CaseStyle::Camel.convert("_meta"), "_meta");
        assert_eq!(CaseStyle::Snake.convert("deviceName"), "device_name");
        assert_eq!(CaseStyle::Kebab.convert("deviceName"), "device-name");
        assert_eq!(CaseStyle::Pascal.convert("device_name"), "DeviceName");
    }
}
