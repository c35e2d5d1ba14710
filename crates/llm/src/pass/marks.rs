//! What one provider must not be sent because it is another's: thoughts that Toolwright marked on their way to the client,
//! and members of calls that only Gemini knows.
//!
//! A conversation may change its upstream at any turn: by a fallback, by another model, by a new configuration. What an
//! upstream of another dialect thought was given to the client with a mark ([`signature`]), and the client sends it back to
//! whoever is asked next. Providers refuse signatures that are not theirs, so such thoughts are taken out.

use std::borrow::Cow;

use toolwright_jsonrpc::{Json, ObjectWriter, raw};

use super::edit;
use crate::{Dialect, Target, dialects};

/// What is in every mark.
pub(crate) const MARK: &str = "toolwright";

/// The body without what this upstream would refuse; the same bytes where there is none of it.
pub fn without_marks<'b>(dialect: Dialect, body: &'b str, target: &Target) -> Cow<'b, str> {
    match dialects::of(dialect).edits_of_marks(body, target) {
        Some(edits) if !edits.is_empty() => Cow::Owned(edit(body, &edits)),
        _ => Cow::Borrowed(body),
    }
}

/// Spans and what takes their place.
pub type Edits = Vec<(super::Span, String)>;

/// Whether a body has one of these texts anywhere. Most have none, and are not read for marks then.
pub(crate) fn has_any(body: &str, texts: &[&str]) -> bool {
    texts.iter().any(|text| memchr::memmem::find(body.as_bytes(), text.as_bytes()).is_some())
}

/// Where a part of a text stands in it.
pub(crate) fn span(text: &str, part: &str) -> super::Span {
    let start = part.as_ptr() as usize - text.as_ptr() as usize;
    start..start + part.len()
}

/// The text of a member.
pub(crate) fn word(object: &str, key: &str) -> Option<String> {
    Json::parse(raw::find(object, key)?).ok()?.to_text()
}

/// An object without one of its members; the same bytes where it has none of that name.
pub(crate) fn without_member<'t>(object: &'t str, key: &str) -> Cow<'t, str> {
    let Ok(members) = raw::members(object) else { return Cow::Borrowed(object) };
    if members.iter().all(|member| member.key != key) {
        return Cow::Borrowed(object);
    }
    let mut out = ObjectWriter::with_capacity(object.len());
    members.iter().filter(|member| member.key != key).for_each(|member| out.member(member));
    Cow::Owned(out.finish().as_str().to_owned())
}
