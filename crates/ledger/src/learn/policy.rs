//! Safety policy: which suggestions may be applied without a person.

use toolwright_normalizer::is_destructive_flag;
use toolwright_redact::is_secret_key;

use super::evidence::EvidenceTally;
use super::rule_candidate::Lesson;
use super::similarity::{are_related_names, is_spelling_of};
use super::suggestion::Suggestion;
use super::tool_schema::ToolSchema;

/// Conversations that must have corrected exactly this mistake.
const MIN_SESSIONS: usize = 2;
/// The same where the value could belong to another parameter and the names are unrelated.
const MIN_SESSIONS_WITH_A_CHOICE: usize = 3;

/// The reason why a suggestion needs a person.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unsafe {
    /// Rules of this type can do more than repair a name or a type.
    #[error("rules of the type {0} are never applied without a person")]
    Type(&'static str),
    /// The tool is destructive, or executes its input.
    #[error("the tool can destroy something")]
    DestructiveTool,
    /// The parameter enables a destructive action.
    #[error("\"{0}\" can let something be destroyed")]
    DestructiveParameter(String),
    /// The parameter contains a secret.
    #[error("\"{0}\" holds a secret")]
    Secret(String),
    /// Too few conversations corrected exactly this mistake.
    #[error("{had} conversations corrected this and nothing else; {needed} are needed")]
    FewConversations {
        /// The actual number.
        had: usize,
        /// The required number.
        needed: usize,
    },
    /// Too few of the corrections come from a client that may decide.
    #[error(
        "{had} corrections are of clients that may decide, {needed} are needed; the owner may, and tokens that \
         \"learnFrom\" names"
    )]
    FewDeciders {
        /// The actual number.
        had: usize,
        /// The required number.
        needed: usize,
    },
    /// Observations contradict it.
    #[error("{0} observations speak against it")]
    Contradicted(u64),
    /// It would change successful calls.
    #[error("it would change {0} calls that went well")]
    ChangesGoodCalls(u64),
    /// It repairs no recorded call.
    #[error("it mends none of the recorded calls")]
    MendsNothing,
    /// The word is not another spelling of the choice.
    #[error("\"{0}\" is not just another spelling")]
    OtherWord(String),
    /// The tool already got the maximum number of rules today.
    #[error("the tool got {0} rules within a day already")]
    TooManyToday(usize),
}

/// Facts that the policy needs in addition to the suggestion.
#[derive(Clone, Debug)]
pub(super) struct SafetyFacts {
    is_tool_harmless: bool,
    deciding: usize,
    has_others: bool,
    needed_sessions: usize,
    is_spelling: bool,
}

impl SafetyFacts {
    pub fn gather(
        suggestion: &Suggestion,
        evidence: &EvidenceTally,
        schema: &ToolSchema,
        deciders: &[String],
    ) -> SafetyFacts {
        let has_no_choice = match &suggestion.lesson {
            Lesson::ParamAlias { from, to } => evidence.is_sole || are_related_names(from, to),
            _ => true,
        };
        let is_spelling = match &suggestion.lesson {
            Lesson::ValueMap { from, sent, .. } => {
                let expected = suggestion.lesson.to();
                let choices = schema.choices(from).unwrap_or_default();
                expected.as_str().is_some_and(|expected| is_spelling_of(sent, expected, &choices))
            }
            _ => true,
        };
        SafetyFacts {
            is_tool_harmless: !schema.tool.is_destructive() && !schema.tool.has_strict_flags(),
            deciding: evidence.deciding(deciders),
            has_others: evidence.has_others(deciders),
            needed_sessions: if has_no_choice { MIN_SESSIONS } else { MIN_SESSIONS_WITH_A_CHOICE },
            is_spelling,
        }
    }
}

/// Whether a suggestion may be applied without a person; otherwise the first reason.
pub(super) fn check(suggestion: &Suggestion, facts: &SafetyFacts) -> Result<(), Unsafe> {
    let candidate = &suggestion.lesson;
    match candidate {
        Lesson::ParamAlias { .. } | Lesson::TypeCoerce { .. } => {}
        Lesson::ValueMap { sent, .. } if !facts.is_spelling => return Err(Unsafe::OtherWord(sent.clone())),
        Lesson::ValueMap { .. } => {}
        Lesson::NestedAlias { .. } | Lesson::ParamDefault { .. } => {
            return Err(Unsafe::Type(candidate.type_name()));
        }
    }
    if !facts.is_tool_harmless {
        return Err(Unsafe::DestructiveTool);
    }
    for name in candidate.names() {
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
