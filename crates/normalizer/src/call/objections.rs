//! Words that contradict a call: they forbid it, revoke it, correct it or make it conditional.
//!
//! # What it does
//! Searches the text before and after the arguments, and remarks in them, for words that contradict a
//! call as it is: `not`, `ignore`, `if the user agrees`, `for example`, `should I`.
//! Phrases in which such a word is harmless are skipped: `no problem`, `let me check if`.
//!
//! # What it refuses
//! More than necessary: this is a word list, not language understanding, and the model can resend the object alone.

/// Words that forbid or revoke a call.
const NEGATIONS: &[&str] = &[
    "abort",
    "aborted",
    "avoid",
    "bad",
    "cancel",
    "canceled",
    "cancelled",
    "cannot",
    "deprecated",
    "discard",
    "disregard",
    "dont",
    "error",
    "except",
    "fail",
    "failed",
    "failure",
    "fake",
    "false",
    "forbidden",
    "forget",
    "ignore",
    "ignored",
    "incorrect",
    "instead",
    "invalid",
    "kein",
    "keine",
    "mistake",
    "mistaken",
    "never",
    "nicht",
    "nein",
    "niemals",
    "no",
    "nope",
    "not",
    "nunca",
    "obsolete",
    "oops",
    "pas",
    "prohibited",
    "refuse",
    "refused",
    "reject",
    "rejected",
    "retract",
    "revoke",
    "revoked",
    "skip",
    "skipped",
    "stop",
    "undo",
    "unless",
    "unsafe",
    "void",
    "wait",
    "withdraw",
    "withdrawn",
    "without",
    "wont",
    "wrong",
];
/// The same for scripts without spaces between words, and for symbols.
const NEGATING_SIGNS: &[&str] = &["不", "别", "勿", "❌", "✗", "🚫", "⛔"];

/// Words that make a call conditional, or an example.
const CONDITIONS: &[&str] = &[
    "agree",
    "agrees",
    "approval",
    "approves",
    "assuming",
    "confirmation",
    "confirms",
    "consent",
    "example",
    "examples",
    "hypothetical",
    "hypothetically",
    "if",
    "later",
    "maybe",
    "once",
    "perhaps",
    "permission",
    "pretend",
    "sample",
    "simulate",
    "suppose",
    "supposing",
    "until",
    "wenn",
    "whenever",
    "whether",
];
/// Words that correct or repeat the preceding call.
const CORRECTIONS: &[&str] = &[
    "actually",
    "again",
    "but",
    "change",
    "correction",
    "however",
    "only",
    "rather",
    "repeat",
    "same",
    "sorry",
    "thrice",
    "times",
    "twice",
];
/// Two words in a row: the first is one of the first list, the second one of the second.
type WordPair = (&'static [&'static str], &'static [&'static str]);
/// Two words in a row that ask, consider or describe the past.
const PAIRS: &[WordPair] = &[
    (&["should", "shall", "may"], &["i", "we"]),
    (&["i", "we", "you"], &["would", "could", "might"]),
    (&["would", "do"], &["you"]),
    (&["previous", "earlier", "last", "prior", "old"], &["arguments", "attempt", "call", "one", "request"]),
    (&["last"], &["time"]),
    (&["in"], &["case"]),
    (&["as"], &["soon"]),
    (&["dry"], &["run"]),
];
/// Pairs that correct the preceding call.
const CORRECTING_PAIRS: &[WordPair] = &[(&["make", "set"], &["it", "that"])];
/// Verbs that make a condition the purpose of the call: `let me check if it rains`.
const ASKING: &[&str] =
    &["asked", "asks", "check", "determine", "find", "know", "look", "out", "see", "test", "verify"];
/// Two words in a row in which the second is harmless.
const HARMLESS_AFTER: &[(&str, &[&str])] = &[("if", ASKING), ("whether", ASKING), ("once", &["at"])];
/// Two words in a row in which the first is harmless.
const HARMLESS_BEFORE: &[(&str, &[&str])] = &[
    ("no", &["problem", "worries"]),
    ("once", &["i", "we"]),
    ("wait", &["for"]),
    ("would", &["be", "like", "love"]),
];
/// Starts of a clause that restrict what a tool may do.
const RESTRAINTS: &[&[&str]] = &[
    &["abort"],
    &["cancel"],
    &["do", "not"],
    &["don't"],
    &["dont"],
    &["dry", "run"],
    &["hold", "off"],
    &["ignore"],
    &["must", "not"],
    &["never"],
    &["not", "before"],
    &["not", "until"],
    &["not", "yet"],
    &["only", "after"],
    &["only", "if"],
    &["only", "when"],
    &["stop"],
    &["unless"],
    &["wait"],
];
/// Words that continue the preceding sentence.
const CONNECTIVES: &[&str] = &[
    "and", "as", "at", "by", "except", "for", "from", "in", "on", "or", "pending", "plus", "then", "to",
    "with", "within",
];
/// Words that narrow a call or simulate it.
const LIMITS: &[&str] = &["dry", "just", "only", "preview", "simulate", "simulated", "simulation"];

/// The words before and after the arguments that contradict the call.
pub(super) fn objection(before: &str, after: &str) -> Option<String> {
    let (before, after) = (WordList::of(before), WordList::of(after));
    if let Some(word) = after.continuing_word() {
        return Some(word);
    }
    // `The call was {…}`
    let past_tense = before.list().pop().filter(|word| ["was", "were"].contains(word)).map(str::to_owned);
    let against = |words: &WordList| words.negation().or_else(|| words.condition());
    let corrects = || after.any_of(CORRECTIONS).or_else(|| after.pair(CORRECTING_PAIRS));
    let conditional_start =
        || before.sentence_start().filter(|first| ["ask", "when"].contains(&first.as_str()));
    past_tense
        .or_else(conditional_start)
        .or_else(|| against(&before))
        .or_else(|| against(&after))
        .or_else(corrects)
}

/// Whether a remark in the arguments restricts the call, so that it cannot be left out. For a tool that
/// can destroy something, every word that negates, conditions or narrows restricts.
pub(crate) fn restricts(remark: &str, is_destructive: bool) -> bool {
    if is_destructive {
        let words = WordList::of(remark);
        return words.negation().or_else(|| words.condition()).or_else(|| words.any_of(LIMITS)).is_some();
    }
    remark.split(['.', ',', ';', ':', '!', '?', '\n', '(']).any(|clause| {
        let words = WordList::of(clause);
        let list = words.list();
        let list = list.strip_prefix(&["please"]).or_else(|| list.strip_prefix(&["but"])).unwrap_or(&list);
        RESTRAINTS.iter().any(|restraint| list.starts_with(restraint))
    })
}

/// A text in lower case, split into words.
struct WordList {
    plain: String,
}

impl WordList {
    fn of(text: &str) -> WordList {
        WordList { plain: text.replace('’', "'").to_lowercase() }
    }

    fn list(&self) -> Vec<&str> {
        let words = self.plain.split(|char: char| !(char.is_alphanumeric() || char == '\''));
        words.map(|word| word.trim_matches('\'')).filter(|word| !word.is_empty()).collect()
    }

    /// The first word of the last sentence: `When he says go: {…}`.
    fn sentence_start(&self) -> Option<String> {
        let sentence = self.plain.trim_end().rsplit(['.', '!', '?', '\n']).next()?;
        sentence.split_whitespace().next().map(str::to_owned)
    }

    /// The word with which the sentence continues after the object: `Should I send {…}?`, `{…} for Milan too`.
    fn continuing_word(&self) -> Option<String> {
        let line = self.plain.trim_start_matches(['`', '"', '\'', ')']).split(['\n', '`']).next()?;
        if line.contains('?') {
            return Some("?".to_owned());
        }
        let rest = line.trim_start_matches([' ', ',', '(']);
        let word = rest.split(|char: char| !char.is_alphanumeric()).next().filter(|word| !word.is_empty())?;
        let is_number = word.trim_start_matches('x').starts_with(|char: char| char.is_ascii_digit());
        let is_continued = line.trim_start().starts_with(',') || is_number || CONNECTIVES.contains(&word);
        is_continued.then(|| word.to_owned())
    }

    /// A word that forbids or revokes.
    fn negation(&self) -> Option<String> {
        if let Some(sign) = NEGATING_SIGNS.iter().find(|sign| self.plain.contains(**sign)) {
            return Some((*sign).to_owned());
        }
        self.find(|word| NEGATIONS.contains(&word) || word.ends_with("n't"))
    }

    /// A word or pair that makes the call conditional.
    fn condition(&self) -> Option<String> {
        if self.plain.contains("e.g.") {
            return Some("e.g.".to_owned());
        }
        self.any_of(CONDITIONS).or_else(|| self.pair(PAIRS))
    }

    fn any_of(&self, listed: &[&str]) -> Option<String> {
        self.find(|word| listed.contains(&word))
    }

    /// The first matching word that is not harmless at its position.
    fn find(&self, matches: impl Fn(&str) -> bool) -> Option<String> {
        let list = self.list();
        let found = list.iter().enumerate().find(|(at, word)| matches(word) && !is_harmless(&list, *at));
        found.map(|(_, word)| (*word).to_owned())
    }

    fn pair(&self, pairs: &[WordPair]) -> Option<String> {
        let list = self.list();
        let matches = |at: usize| {
            let (first, second) = (list[at], list[at + 1]);
            pairs.iter().any(|(firsts, seconds)| firsts.contains(&first) && seconds.contains(&second))
                && !is_harmless(&list, at + 1)
        };
        let at = (0..list.len().saturating_sub(1)).find(|at| matches(*at))?;
        Some(format!("{} {}", list[at], list[at + 1]))
    }
}

/// Whether a listed word means nothing at its position: `no problem`, `let me check if`, `if you need`.
fn is_harmless(list: &[&str], at: usize) -> bool {
    let next = list.get(at + 1).copied().unwrap_or_default();
    let before = at.checked_sub(1).map_or("", |before| list[before]);
    let is_among = |lists: &[(&str, &[&str])], other: &str| {
        lists.iter().any(|(word, others)| *word == list[at] && others.contains(&other))
    };
    let is_offer = list[at] == "if" && next == "you" && {
        list.get(at + 2).is_some_and(|word| ["have", "need"].contains(word))
    };
    if (list[at], next) == ("whether", "to") {
        return false;
    }
    is_among(HARMLESS_BEFORE, next) || is_among(HARMLESS_AFTER, before) || is_offer
}
