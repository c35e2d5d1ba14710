//! N4 by words: the same words, synonyms in the same sense, or one name's words within the other's.

use toolwright_model::Code;

use super::compare::{Likeness, Surroundings};
use super::english::is_word;
use super::lexicon::{
    are_opposed, are_synonyms, is_content, is_distinct, is_keyed, is_neutral, is_neutral_ending,
    is_vague_head, may_go_unsaid, same_side, takes_side,
};
use super::looks::{is_code, is_identifier_of};
use super::name::Name;
use super::senses;
use super::shape::Shape;
use crate::costs;

/// The word under which identifiers are compared.
const IDENTIFIER: &str = "identifier";

/// Compares the words of two names.
pub(super) fn by_words(sent: &Name, known: &Name, around: Surroundings<'_>) -> Option<Likeness> {
    let pairing = Pairing::of(sent, known, around);
    if pairing.same + pairing.synonyms + pairing.variants == 0 || pairing.is_blocked(around) {
        return None;
    }
    // An identifier is one of one thing: `room_id` is no `channel_id`, whatever the words mean.
    let names_identifier = |name: &Name| name.meaning.last().is_some_and(|last| last == IDENTIFIER);
    if pairing.synonyms > 0 && (names_identifier(sent) || names_identifier(known)) {
        return None;
    }
    let synonyms = costs::KEY_SYNONYM * pairing.synonyms + costs::KEY_SPELLING * pairing.variants;
    if pairing.left.is_empty() && pairing.rest.is_empty() {
        let cost = costs::KEY_SPELLING + synonyms;
        let why =
            if pairing.synonyms > 0 { "a word for the same thing" } else { "the same words" }.to_owned();
        return Some(Likeness { cost, code: Code::AliasBySchema, why, needs_exact_value: false });
    }
    // `ip_address` is no `address` to send a letter to: shared words must be meant alike.
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
    Some(Likeness { cost, code: Code::AliasBySchema, why, needs_exact_value: foreign > 0 })
}

/// Whether a sent word is the beginning of the known one and no word of its own: `vol` for `volume`.
fn abbreviates(sent: &str, known: &str) -> bool {
    sent.len() >= 3 && sent.len() + 2 <= known.len() && known.starts_with(sent) && !is_word(sent)
}

/// Words that say how a value is written, not which one it is.
fn is_plain_adjective(word: &str) -> bool {
    ["absolute", "abs", "full", "relative", "rel"].contains(&word)
}

/// Whether a name takes another side than the word.
fn opposes(name: &Name, word: &str) -> bool {
    name.meaning.iter().any(|other| are_opposed(word, other))
}

/// Which words of two names say the same.
struct Pairing<'n> {
    /// How many words are the same.
    same: u32,
    /// How many stand for each other.
    synonyms: u32,
    /// How many are the beginning of the word they stand for, or take the same side.
    variants: u32,
    /// Words that only the sent name has.
    left: Vec<&'n str>,
    /// Words that only the known name has.
    rest: Vec<&'n str>,
}

impl<'n> Pairing<'n> {
    fn of(sent: &'n Name, known: &'n Name, around: Surroundings<'_>) -> Pairing<'n> {
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
        Pairing { same, synonyms, variants, left, rest }
    }

    /// Whether a word that sets meanings apart stands on one side only.
    fn is_blocked(&self, around: Surroundings<'_>) -> bool {
        // A side that the target takes may go unsaid when no other parameter takes the other side.
        let unopposed = |word: &str| {
            let has_opposite = around.declared.iter().any(|name| opposes(name, word));
            !around.declared.is_empty() && may_go_unsaid(word) && !has_opposite
        };
        let blocks = |word: &str| {
            is_distinct(word) || takes_side(word) && !is_neutral_ending(word) && !unopposed(word)
        };
        // `target_temperature` for the `temperature` that is set: the wish is what the call is about.
        let tool_says = |word: &str| around.tool_words.iter().any(|said| said == word);
        let is_setter = ["set", "adjust", "change", "control"].iter().any(|verb| tool_says(verb));
        let is_wish =
            |word: &str| is_setter && matches!(word, "target" | "desired" | "goal") && unopposed(word);
        // What is created is new.
        let is_said =
            |word: &str| tool_says(word) || word == "new" && (tool_says("create") || tool_says("add"));
        let is_described = |word: &str| (around.clause)().iter().any(|said| said == word);
        // `full_address`: nothing else is a part of it.
        let is_plain =
            |word: &str| is_neutral(word) && !around.declared.iter().any(|name| opposes(name, word));
        let blocks_sent = |word: &str| {
            takes_side(word) && !is_wish(word) && !is_plain(word) || is_distinct(word) && !is_described(word)
        };
        let is_key = |word: &str| word == "key" && is_code(around.text);
        self.rest.iter().any(|word| blocks(word) && !is_said(word) && !is_key(word))
            || self.left.iter().any(|word| blocks_sent(word) && !is_said(word))
    }

    /// The words left over, when they are few and on one side only.
    fn extra(self, sent: &'n Name, known: &'n Name) -> Option<Extra<'n>> {
        let is_sent = self.rest.is_empty();
        if !self.left.is_empty() && !is_sent {
            return None;
        }
        let words = if is_sent { self.left } else { self.rest };
        let (longer, shorter) = if is_sent { (sent, known) } else { (known, sent) };
        (words.len() <= 2 && self.synonyms <= 1).then_some(Extra {
            words,
            longer,
            shorter,
            is_sent,
            has_synonym: self.synonyms > 0,
        })
    }
}

/// The words that one name has more than the other.
struct Extra<'n> {
    words: Vec<&'n str>,
    longer: &'n Name,
    shorter: &'n Name,
    /// Whether it is the sent name that says more.
    is_sent: bool,
    has_synonym: bool,
}

impl Extra<'_> {
    /// How many of the words neither the tool nor the schema speaks of; `None` when one of them
    /// makes it another thing.
    fn foreign_words(&self, around: Surroundings<'_>) -> Option<u32> {
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

    /// The last word says what a name is: `page_size` is no page, but `channel_id` is the channel.
    fn may_end(&self, word: &str, around: Surroundings<'_>) -> bool {
        // `project` for `project_key`, when it is a code.
        if word == "key" && !self.is_sent && self.shorter.meaning.iter().all(|word| is_keyed(word)) {
            return !self.has_synonym && is_code(around.text);
        }
        if !is_neutral_ending(word) {
            // `browser` for `browser_type`, when its value is one of the types.
            return !self.has_synonym && (around.is_option)();
        }
        if word != IDENTIFIER {
            return true;
        }
        // A `channel` may be sent for a `channel_id`, but a `message` is the text as likely as not;
        // and an `artist_id` is no `artist`, unless those are numbers or say what they are.
        let says_whose = matches!(&self.shorter.meaning[..], [thing] if is_identifier_of(around.text, thing));
        let is_text = self.shorter.meaning.iter().any(|word| is_content(word));
        !self.has_synonym && !is_text && (!self.is_sent || around.shape == Shape::Number || says_whose)
    }

    /// Whether the tool's name or the description of the known name says the word as well.
    fn is_said(&self, word: &str, around: Surroundings<'_>) -> bool {
        let shares = |own: &&String| self.shorter.meaning.contains(own);
        around.tool_words.iter().any(|said| said == word)
            || self.is_sent && self.is_described(word, around)
            // `cell_range` for the `range` of a sheet.
            || self.is_sent
                && self.longer.meaning.iter().filter(shares).any(|shared| {
                    senses::confirm(shared, word, self.shorter, around)
                })
    }

    fn is_described(&self, word: &str, around: Surroundings<'_>) -> bool {
        (around.clause)().iter().any(|said| said == word)
    }

    /// Whether a word that nothing else speaks of may be added or missing.
    fn may_be_foreign(&self, word: &str, head: &str, around: Surroundings<'_>) -> bool {
        let is_vague = is_vague_head(head) && self.shorter.meaning.len() == 1;
        if is_neutral(word) && !is_vague || is_plain_adjective(word) {
            return true;
        }
        if self.has_synonym {
            return false;
        }
        // `manager_email` is somebody else's address, `jump_host` another host.
        if self.is_sent {
            return false;
        }
        // A bare `email` for `customer_email`, when no other parameter is an e-mail address.
        let has_head = |name: &&&Name| name.meaning.last().is_some_and(|last| last == head);
        let is_only_one = around.declared.iter().filter(has_head).count() == 1;
        is_only_one && ([IDENTIFIER, "url"].contains(&head) || !is_vague_head(head))
    }
}
