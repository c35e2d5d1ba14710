//! Which suggestions may be applied without a person.

use toolwright_normalizer::is_destructive_flag;
use toolwright_redact::is_secret_key;

use super::evidence::Known;
use super::lesson::Lesson;
use super::likeness::{are_related_names, is_spelling_of};
use super::shape::Shape;
use super::suggestion::Suggestion;

/// Conversations that a rule needs in which nothing else was corrected.
const SESSIONS: usize = 2;
/// The same where the value could have gone elsewhere and the names have nothing in common.
const SESSIONS_WITH_A_CHOICE: usize = 3;

/// Why a suggestion waits for a person.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unsafe {
    /// Rules of this type can do more than mend a name or a form.
    #[error("rules of the type {0} are never applied without a person")]
    Type(&'static str),
    /// The tool can destroy something, or runs what it is given.
    #[error("the tool can destroy something")]
    DestructiveTool,
    /// The parameter lets something be destroyed.
    #[error("\"{0}\" can let something be destroyed")]
    DestructiveParameter(String),
    /// The parameter holds a secret.
    #[error("\"{0}\" holds a secret")]
    Secret(String),
    /// Too few conversations corrected this and nothing else.
    #[error("{had} conversations corrected this and nothing else; {needed} are needed")]
    FewConversations {
        /// How many there were.
        had: usize,
        /// How many it takes.
        needed: usize,
    },
    /// Too few of those who corrected this may decide.
    #[error(
        "{had} corrections are of clients that may decide, {needed} are needed; the owner may, and tokens that \
         \"learnFrom\" names"
    )]
    FewDeciders {
        /// How many there were.
        had: usize,
        /// How many it takes.
        needed: usize,
    },
    /// Something speaks against it.
    #[error("{0} observations speak against it")]
    Contradicted(u64),
    /// It would change calls that went well.
    #[error("it would change {0} calls that went well")]
    ChangesGoodCalls(u64),
    /// It mends no recorded call.
    #[error("it mends none of the recorded calls")]
    MendsNothing,
    /// The word is not another spelling of the choice.
    #[error("\"{0}\" is not just another spelling")]
    OtherWord(String),
    /// The tool got as many rules today as it may.
    #[error("the tool got {0} rules within a day already")]
    TooManyToday(usize),
}

/// What the policy asks beside the suggestion itself.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    is_tool_harmless: bool,
    deciding: usize,
    has_others: bool,
    needed_sessions: usize,
    is_spelling: bool,
}

impl Facts {
    pub fn gather(suggestion: &Suggestion, evidence: &Known, shape: &Shape, deciders: &[String]) -> Facts {
        let has_no_choice = match &suggestion.lesson {
            Lesson::ParamAlias { from, to } => evidence.is_sole || are_related_names(from, to),
            _ => true,
        };
        let is_spelling = match &suggestion.lesson {
            Lesson::ValueMap { from, sent, .. } => {
                let meant = suggestion.lesson.to();
                let choices = shape.choices(from).unwrap_or_default();
                meant.as_str().is_some_and(|meant| is_spelling_of(sent, meant, &choices))
            }
            _ => true,
        };
        Facts {
            is_tool_harmless: !shape.tool.is_destructive() && !shape.tool.has_strict_flags(),
            deciding: evidence.deciding(deciders),
            has_others: evidence.has_others(deciders),
            needed_sessions: if has_no_choice { SESSIONS } else { SESSIONS_WITH_A_CHOICE },
            is_spelling,
        }
    }
}

/// Whether a suggestion may be applied without a person; the first reason why not.
pub(super) fn check(suggestion: &Suggestion, facts: &Facts) -> Result<(), Unsafe> {
    let lesson = &suggestion.lesson;
    match lesson {
        Lesson::ParamAlias { .. } | Lesson::TypeCoerce { .. } => {}
        Lesson::ValueMap { sent, .. } if !facts.is_spelling => return Err(Unsafe::OtherWord(sent.clone())),
        Lesson::ValueMap { .. } => {}
        Lesson::NestedAlias { .. } | Lesson::ParamDefault { .. } => {
            return Err(Unsafe::Type(lesson.type_name()));
        }
    }
    if !facts.is_tool_harmless {
        return Err(Unsafe::DestructiveTool);
    }
    for name in lesson.names() {
        if is_secret_key(name) {
            return Err(Unsafe::Secret(name.to_owned()));
        }
        if is_destructive_flag(name) {
            return Err(Unsafe::DestructiveParameter(name.to_owned()));
        }
    }
    if facts.deciding < facts.needed_sessions {
        let (had, needed) = (facts.deciding, facts.needed_sessions);
        return Err(match facts.has_others {
            true => Unsafe::FewDeciders { had, needed },
            false => Unsafe::FewConversations { had, needed },
        });
    }
    if suggestion.evidence.against > 0 {
        return Err(Unsafe::Contradicted(suggestion.evidence.against));
    }
    if suggestion.replay.changes_good > 0 {
        return Err(Unsafe::ChangesGoodCalls(suggestion.replay.changes_good));
    }
    if suggestion.replay.mends == 0 {
        return Err(Unsafe::MendsNothing);
    }
    Ok(())
}
