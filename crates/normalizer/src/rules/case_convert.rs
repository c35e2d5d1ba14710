//! `case_convert`: keys in the style that the server uses.
//!
//! `{"type": "case_convert", "to": "camel"}` renames `device_name` to `deviceName` if the schema
//! declares the second and not the first. If it declares neither and accepts further members, a rule
//! of the user converts every key that is clearly written in one style; all others keep their spelling.
//! The built-in rule does the same in a valid call, unless the tool writes its names in snake_case,
//! describes further members, or another rule concerns the name.

use std::collections::HashMap;

use toolwright_jsonrpc::raw::{Member, quote};
use toolwright_model::Code;

use super::{AppliedRule, Site};
use crate::names::{Folded, fold};
use crate::repair::ValuePath;
use crate::schema::KeyState;

/// Objects with more members are not searched by the built-in rule.
const MAX_MEMBERS: usize = 200;

/// A style of names.
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
    /// The styles by their names in a rules file.
    pub const NAMES: &[(&str, CaseStyle)] = &[
        ("camel", CaseStyle::Camel),
        ("snake", CaseStyle::Snake),
        ("kebab", CaseStyle::Kebab),
        ("pascal", CaseStyle::Pascal),
    ];

    /// Converts a name to this style. Names that are not clearly in one of the styles, or whose words could not
    /// be split again, stay unchanged: `x_`, `-i`, `a-b c`, `step_2` (which is not `step2`).
    pub fn convert(self, name: &str) -> String {
        let written = split(name).map(|words| (self.join(&words), words));
        match written {
            Some((converted, words)) if split(&converted).as_ref() == Some(&words) => converted,
            _ => name.to_owned(),
        }
    }

    fn join(self, words: &[String]) -> String {
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

/// The words of a name that is clearly in one style: letters and digits, with single separators of
/// one kind or with humps, not with both.
fn split(name: &str) -> Option<Vec<String>> {
    let is_plain = |char: char| char.is_alphanumeric();
    if !name.starts_with(char::is_alphabetic) {
        return None;
    }
    let separator = name.chars().find(|char| !is_plain(*char));
    let Some(separator) = separator else { return Some(humps(name)) };
    let parts: Vec<&str> = name.split(separator).collect();
    let is_part = |part: &&str| !part.is_empty() && part.chars().all(is_plain);
    let has_humps = name.contains(char::is_lowercase) && name.contains(char::is_uppercase);
    let is_in_style = matches!(separator, '_' | '-') && !has_humps && parts.iter().all(is_part);
    is_in_style.then(|| parts.iter().map(|part| part.to_lowercase()).collect())
}

/// `HTTPServerV2Url` → `http`, `server`, `v2`, `url`: digits belong to the word before them.
fn humps(name: &str) -> Vec<String> {
    let chars: Vec<char> = name.chars().collect();
    let mut words: Vec<String> = Vec::new();
    for (at, char) in chars.iter().enumerate() {
        let after_small = at > 0 && !chars[at - 1].is_uppercase();
        let before_small = chars.get(at + 1).is_some_and(|next| next.is_lowercase());
        if at == 0 || char.is_uppercase() && (after_small || before_small) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.extend(char.to_lowercase());
        }
    }
    words
}

fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().into_iter().flat_map(char::to_uppercase).chain(chars).collect()
}

pub(super) fn apply<'a>(
    site: &Site<'_, '_, 'a>,
    style: CaseStyle,
    only: Option<&str>,
) -> Option<AppliedRule<'a>> {
    // Very large objects are left to the schema, which bounds its comparisons.
    if site.needs_agreement() && site.members.len() > MAX_MEMBERS {
        return None;
    }
    let mut renamed = None;
    let mut changes = Vec::new();
    let mut spellings = None;
    for (index, member) in site.members.iter().enumerate() {
        let key = member.key;
        let is_snake = || key.trim_start_matches('_').as_bytes().contains(&b'_');
        if only.is_some_and(|only| only != key)
            || site.is_declared(key)
            || site.needs_agreement() && !is_snake()
        {
            continue;
        }
        // The schema's own spelling wins if there is one.
        let converted = site.fitter.declared_spelling(key, style).unwrap_or_else(|| style.convert(key));
        if converted == key || !is_agreed(site, key, &converted) {
            continue;
        }
        // Keys that differ only in case or separators are never merged.
        let spellings = spellings.get_or_insert_with(|| count_spellings(site.members));
        if spellings.get(&fold(&converted)) == Some(&1) {
            let name: &'a str = site.fitter.arena.alloc_str(&converted);
            let renamed = renamed.get_or_insert_with(|| site.members.to_vec());
            renamed[index] = Member::new(name, member.value);
            let path = ValuePath::Root.key(key).to_string();
            let (from, to) = (Some(quote(key)), Some(quote(name)));
            changes.push(site.change(Code::KeyForm, path, from, to, "the server's style"));
        }
    }
    renamed.map(|members| AppliedRule { members, changes })
}

/// Whether a key may be converted. A declared name is always accepted; for another one, the schema must accept
/// further members, and the built-in rule has more conditions.
fn is_agreed(site: &Site<'_, '_, '_>, key: &str, converted: &str) -> bool {
    let is_declared = site.is_declared(converted);
    let is_taken = || site.fitter.key_state(converted) != KeyState::Forbidden;
    if !site.needs_agreement() {
        return is_declared || is_taken();
    }
    if !site.around.is_valid {
        return is_declared;
    }
    let is_named = |name: &str| {
        let others = site.around.rules.iter().filter(|rule| rule.id != site.rule.id);
        { others }.any(|rule| rule.claims(name))
    };
    let is_free = |name: &str| if is_declared { !site.is_claimed(name) } else { !is_named(name) };
    let is_plain = || !key.contains(char::is_uppercase) && site.fitter.key_state(key) != KeyState::Declared;
    let is_wanted = || is_declared || site.around.tool.may_take_camel_case() && is_taken();
    site.rule.may_map_for(site.around.tool) && is_plain() && is_wanted() && is_free(key) && is_free(converted)
}

/// Number of keys of each spelling, without case and separators.
fn count_spellings(members: &[Member<'_>]) -> HashMap<Folded, usize> {
    let mut spellings = HashMap::with_capacity(members.len());
    for member in members {
        *spellings.entry(fold(member.key)).or_default() += 1;
    }
    spellings
}

#[cfg(test)]
mod tests {
    use super::CaseStyle;

    #[test]
    fn names_are_written_in_each_style() {
        for (style, name, expected) in [
            (CaseStyle::Camel, "new_parameter_name", "newParameterName"),
            (CaseStyle::Camel, "MAX_SIZE", "maxSize"),
            (CaseStyle::Camel, "level", "level"),
            (CaseStyle::Snake, "deviceName", "device_name"),
            (CaseStyle::Snake, "v2Path", "v2_path"),
            (CaseStyle::Snake, "HTTPServer", "http_server"),
            (CaseStyle::Kebab, "deviceName", "device-name"),
            (CaseStyle::Pascal, "device_name", "DeviceName"),
            (CaseStyle::Pascal, "device-name", "DeviceName"),
        ] {
            assert_eq!(style.convert(name), expected);
        }
    }

    #[test]
    fn name_of_unclear_style_keeps_its_spelling() {
        let odd =
            ["-i", "x_", "_meta", "a-b c", "a-b_c", "my_varName", "device__name", "$ref", "a.b", "2nd", ""];
        for name in odd {
            for (_, style) in CaseStyle::NAMES {
                assert_eq!(style.convert(name), name);
            }
        }
    }

    #[test]
    fn ambiguous_words_are_not_joined() {
        for name in ["step_2", "a_b_c", "ma_ßx"] {
            assert_eq!(CaseStyle::Camel.convert(name), name);
        }
        assert_eq!(CaseStyle::Kebab.convert("step_2"), "step-2");
    }
}
