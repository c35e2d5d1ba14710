//! N4 by words: the same words, synonyms in the same sense, or one name's words within the other's.

use toolwright_model::Code;

use super::compare::{NameContext, Similarity};
use super::english::is_word;
use super::lexicon::{
    are_opposed, are_synonyms, is_content, is_distinct, is_keyed, is_neutral, is_neutral_ending,
    is_vague_head, may_go_unsaid, same_side, takes_side,
};
use super::looks::{is_code, is_identifier_of};
use super::name::SplitName;
use super::senses;
use super::shape::ValueShape;
use crate::costs;

/// The canonical word for identifiers.
const IDENTIFIER: &str = "identifier";

/// Compares the words of two names.
pub(super) fn by_words(sent: &SplitName, known: &SplitName, around: NameContext<'_>) -> Option<Similarity> {
    let pairing = WordPairing::of(sent, known, around);
    if pairing.same + pairing.synonyms + pairing.variants == 0 || pairing.is_blocked(around) {
        return None;
    }
    // An identifier belongs to one thing: a `room_id` is not a `channel_id`, whatever the words mean.
    let names_identifier = |name: &SplitName| name.meaning.last().is_some_and(|last| last == IDENTIFIER);
    if pairing.synonyms > 0 && (names_identifier(sent) || names_identifier(known)) {
        return None;
    }
    let synonyms = costs::KEY_SYNONYM * pairing.synonyms + costs::KEY_SPELLING * pairing.variants;
    if pairing.left.is_empty() && pairing.rest.is_empty() {
        let cost = costs::KEY_SPELLING + synonyms;
        let why =
            if pairing.synonyms > 0 { "a word for the same thing" } else { "the same words" }.to_owned();
        return Some(Similarity { cost, code: Code::AliasBySchema, why, needs_exact_value: false });
    }
    // An `ip_address` is not a postal `address`: shared words must have the same sense.
    let shared = sent.meaning.iter().filter(|word| known.meaning.contains(word));
    if !shared.into_iter().all(|word| senses::agree(word, sent, word, known, around)) {
        return None;
    }
    let extra = pairing.extra(sent, known)?;
    let foreign = extra.foreign_words(around)?;
    let cost = costs::KEY_CONTAINED
        + synonyms
        + costs::KEY_EXTRA_WORD * (extra.words.len() as u32 - 1)
        + costs::KEY_FOREIGN_WORD * foreign;
    let why = format!("one name's words are in the other's, but for {:?}", extra.words.join(" "));
    Some(Similarity { cost, code: Code::AliasBySchema, why, needs_exact_value: foreign > 0 })
}

/// Whether a sent word is a prefix of the known one and not a word of its own: `vol` for `volume`.
fn abbreviates(sent: &str, known: &str) -> bool {
    sent.len() >= 3 && sent.len() + 2 <= known.len() && known.starts_with(sent) && !is_word(sent)
}

/// Words that describe how a value is written, not which value it is.
fn is_plain_adjective(word: &str) -> bool {
    ["absolute", "abs", "full", "relative", "rel"].contains(&word)
}

/// Whether a name is opposed to the word.
fn opposes(name: &SplitName, word: &str) -> bool {
    name.meaning.iter().any(|other| are_opposed(word, other))
}

/// Pairs of words of two names with the same meaning.
struct WordPairing<'n> {
    /// Number of equal words.
    same: u32,
    /// Number of synonyms.
    synonyms: u32,
    /// Number of abbreviations, and of words for the same side.
    variants: u32,
    /// Words that only the sent name has.
    left: Vec<&'n str>,
    /// Words that only the known name has.
    rest: Vec<&'n str>,
}

impl<'n> WordPairing<'n> {
    fn of(sent: &'n SplitName, known: &'n SplitName, around: NameContext<'_>) -> WordPairing<'n> {
        let mut rest: Vec<&str> = known.meaning.iter().map(String::as_str).collect();
        let mut left: Vec<&str> = Vec::new();
        for word in &sent.meaning {
            match rest.iter().position(|other| other == word) {
                Some(found) => {
                    rest.remove(found);
                }
                None => left.push(word),
            }
        }
        let same = (sent.meaning.len() - left.len()) as u32;
        let (mut synonyms, mut variants) = (0, 0);
        left.retain(|word| {
            // `source_unit` for `from_unit`: the same side of the same thing.
            let is_same_side =
                |other: &str| same > 0 && sent.meaning.len() == known.meaning.len() && same_side(word, other);
            if let Some(found) = rest.iter().position(|other| abbreviates(word, other) || is_same_side(other))
            {
                rest.remove(found);
                variants += 1;
                return false;
            }
            let stands_for =
                |other: &&str| are_synonyms(word, other) && senses::agree(word, sent, other, known, around);
            let found = rest.iter().position(stands_for);
            if let Some(found) = found {
                rest.remove(found);
                synonyms += 1;
            }
            found.is_none()
        });
        WordPairing { same, synonyms, variants, left, rest }
    }

    /// Whether a word that distinguishes meanings is on one side only.
    fn is_blocked(&self, around: NameContext<'_>) -> bool {
        // The side of the target may be omitted if no other parameter has the opposite side.
        let unopposed = |word: &str| {
            let has_opposite = around.declared.iter().any(|name| opposes(name, word));
            !around.declared.is_empty() && may_go_unsaid(word) && !has_opposite
        };
        let blocks = |word: &str| {
            is_distinct(word) || takes_side(word) && !is_neutral_ending(word) && !unopposed(word)
        };
        // `target_temperature` for the `temperature` that is set: the target is the subject of the call.
        let tool_says = |word: &str| around.tool_words.iter().any(|other| other == word);
        let is_setter = ["set", "adjust", "change", "control"].iter().any(|verb| tool_says(verb));
        let is_wish =
            |word: &str| is_setter && matches!(word, "target" | "desired" | "goal") && unopposed(word);
        // A created thing is new.
        let is_said =
            |word: &str| tool_says(word) || word == "new" && (tool_says("create") || tool_says("add"));
        let is_described = |word: &str| (around.clause)().iter().any(|other| other == word);
        // `full_address`: no other parameter is a part of it.
        let is_plain =
            |word: &str| is_neutral(word) && !around.declared.iter().any(|name| opposes(name, word));
        let blocks_sent = |word: &str| {
            takes_side(word) && !is_wish(word) && !is_plain(word) || is_distinct(word) && !is_described(word)
        };
        let is_key = |word: &str| word == "key" && is_code(around.text);
        self.rest.iter().any(|word| blocks(word) && !is_said(word) && !is_key(word))
            || self.left.iter().any(|word| blocks_sent(word) && !is_said(word))
    }

    /// The words left over, if they are few and on one side only.
    fn extra(self, sent: &'n SplitName, known: &'n SplitName) -> Option<ExtraWords<'n>> {
        let is_sent = self.rest.is_empty();
        if !self.left.is_empty() && !is_sent {
            return None;
        }
        let words = if is_sent { self.left } else { self.rest };
        let (longer, shorter) = if is_sent { (sent, known) } else { (known, sent) };
        (words.len() <= 2 && self.synonyms <= 1).then_some(ExtraWords {
            words,
            longer,
            shorter,
            is_sent,
            has_synonym: self.synonyms > 0,
        })
    }
}

/// The words that one name has in addition to the other.
struct ExtraWords<'n> {
    words: Vec<&'n str>,
    longer: &'n SplitName,
    shorter: &'n SplitName,
    /// Whether the sent name is the longer one.
    is_sent: bool,
    has_synonym: bool,
}

impl ExtraWords<'_> {
    /// Number of words that neither the tool nor the schema mentions; `None` if one of them changes the
    /// meaning.
    fn foreign_words(&self, around: NameContext<'_>) -> Option<u32> {
        let head = self.longer.meaning.last().map_or("", String::as_str);
        let mut foreign = 0;
        for word in &self.words {
            if *word == head && !self.shorter.meaning.iter().any(|own| own == head) {
                if !(self.may_end(word, around) || self.is_sent && self.is_described(word, around)) {
                    return None;
                }
            } else if !self.is_said(word, around) {
                if !self.may_be_foreign(word, head, around) {
                    return None;
                }
                foreign += u32::from(!is_neutral(word));
            }
        }
        Some(foreign)
    }

    /// The last word is the kind of a name: a `page_size` is not a page, but a `channel_id` is the channel.
    fn may_end(&self, word: &str, around: NameContext<'_>) -> bool {
        // `project` for `project_key`, if the value is a code.
        if word == "key" && !self.is_sent && self.shorter.meaning.iter().all(|word| is_keyed(word)) {
            return !self.has_synonym && is_code(around.text);
        }
        if !is_neutral_ending(word) {
            // `browser` for `browser_type`, if the value is one of the types.
            return !self.has_synonym && (around.is_option)();
        }
        if word != IDENTIFIER {
            return true;
        }
        // A `channel` may be sent for a `channel_id`, but a `message` may as well be the text; and an
        // `artist_id` is not an `artist`, unless the values are numbers or name their kind.
        let says_whose = matches!(&self.shorter.meaning[..], [thing] if is_identifier_of(around.text, thing));
        let is_text = self.shorter.meaning.iter().any(|word| is_content(word));
        !self.has_synonym && !is_text && (!self.is_sent || around.shape == ValueShape::Number || says_whose)
    }

    /// Whether the tool's name or the description of the known name contains the word as well.
    fn is_said(&self, word: &str, around: NameContext<'_>) -> bool {
        let shares = |own: &&String| self.shorter.meaning.contains(own);
        around.tool_words.iter().any(|other| other == word)
            || self.is_sent && self.is_described(word, around)
            // `cell_range` for the `range` of a sheet.
            || self.is_sent
                && self.longer.meaning.iter().filter(shares).any(|shared| {
                    senses::confirm(shared, word, self.shorter, around)
                })
    }

    fn is_described(&self, word: &str, around: NameContext<'_>) -> bool {
        (around.clause)().iter().any(|other| other == word)
    }

    /// Whether a word that is mentioned nowhere else may be added or missing.
    fn may_be_foreign(&self, word: &str, head: &str, around: NameContext<'_>) -> bool {
        let is_vague = is_vague_head(head) && self.shorter.meaning.len() == 1;
        if is_neutral(word) && !is_vague || is_plain_adjective(word) {
            return true;
        }
        if self.has_synonym {
            return false;
        }
        // `manager_email` is another person's address, `jump_host` another host.
        if self.is_sent {
            return false;
        }
        // A bare `email` for `customer_email`, if no other parameter is an e-mail address.
        let has_head = |name: &&&SplitName| name.meaning.last().is_some_and(|last| last == head);
        let is_only_one = around.declared.iter().filter(has_head).count() == 1;
        is_only_one && ([IDENTIFIER, "url"].contains(&head) || !is_vague_head(head))
    }
}
