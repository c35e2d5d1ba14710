//! `exfiltration`: texts that ask to send the conversation, files or secrets elsewhere.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::patterns::{PatternSet, Rule, compile};
use super::text::Folded;
use super::{ScannedText, Severity};

const CODE: &str = "exfiltration";

const TO_SITE: &str = "It asks to send private data to an external address.";
const TO_MAIL: &str = "It asks to send messages to an external address.";
const CONVERSATION: &str = "It asks for the conversation or for results of other tools.";
const TAKES_SECRETS: &str = "A parameter that asks for a file with secrets.";
const SIDE_NOTE: &str = "A side parameter that asks for more than the tool needs.";

macro_rules! private {
    () => {
        r"\b(?:conversations?|chat (?:history|log)|message history|transcript|system prompt|secrets?|credentials?|tokens?|passwords?|api[ _-]?keys?|private keys?|environment|env vars?|file contents?|contents? of|everything|all (?:the )?(?:files|data|messages|outputs|results|responses|emails|documents|records)|user'?s (?:\w+ )?(?:data|files|messages|emails?|input|prompt|query|request)|(?:results?|outputs?|responses?) of (?:every|all|each|other|any)|source code|session)\b"
    };
}

macro_rules! talk {
    () => {
        r"\b(?:(?:entire|full|whole|complete|current|previous|ongoing|our|this|verbatim|summary of the|history of the|copy of the) (?:user )?(?:conversation|chat|dialogue|discussion)(?: history| context| transcript| log| so far)?|conversation (?:history|so far|context|transcript|log|up to)|chat history|system prompt|(?:all|every|last \w+|preceding|previous|prior) (?:of the )?(?:previous |prior |user |user's |chat )?(?:messages|prompts)|(?:outputs?|results?|responses?) (?:of|from) (?:all |any |the |every |previous |your )*other (?:tool|tools|tool calls|servers?)|(?:other |all |list of )(?:available )?tools you (?:have|can)|your (?:instructions|system message|initial prompt))"
    };
}

pub(super) const RULES: &[Rule] = &[
    (
        Severity::High,
        TO_SITE,
        concat!(
            r"\b(?:send|post|upload|forward|transmit|exfiltrate|leak|submit|report|deliver|copy|push|pipe|curl|append|encode)\bGAP{0,60}?",
            private!(),
            r"[^!?]{0,80}\b(?:to|at|via|with|into|in|onto)\b[^!?]{0,30}URL"
        ),
    ),
    (
        Severity::High,
        TO_SITE,
        concat!(
            r"\b(?:fetch|get|request|call|open|visit|load|render|ping|query)\b[^!?]{0,30}URL\S{0,200}[^!?]{0,60}",
            private!(),
            r"GAP{0,40}\b(?:parameter|query|url|path|body|appended|encoded|header)"
        ),
    ),
    (
        Severity::High,
        TO_MAIL,
        r"\b(?:always|all|every|each|must|also|automatically|any|additionally)\b[^!?]{0,60}\b(?:bcc|cc|forward(?:ed)?|copy|copied|send|sent|change[ds]?|replaced?|redirect(?:ed)?|rerouted?|go|goes|addressed|routed?|set)\b[^!?]{0,60}[a-z0-9._+-]{1,40}@[a-z0-9-]{1,40}\.[a-z]{2,}",
    ),
    (
        Severity::High,
        TO_MAIL,
        r"\b(?:bcc|forward|send|redirect|reroute|copy|email)\b (?:a copy of )?(?:all|every|each|everything|any)\b[^!?]{0,60}[a-z0-9._+-]{1,40}@[a-z0-9-]{1,40}\.[a-z]{2,}",
    ),
    (
        Severity::High,
        CONVERSATION,
        concat!(
            r"\b(?:pass|put|include|insert|append|attach|place|paste|supply|provide|write|copy|dump|encode|repeat|send|forward|give|add|embed|fill in|fill|store|share|record)\bGAP{0,50}?",
            talk!(),
            r"GAP{0,50}\b(?:as|in|into|to|via|through|with|here|within|inside|verbatim)\b"
        ),
    ),
    (
        Severity::High,
        CONVERSATION,
        r"\b(?:pass|put|include|insert|append|attach|place|paste|supply|encode|embed|hide)\bGAP{0,30}\b(?:contents? of (?:any|all|every|each|the (?:user'?s|last|most recent|open))|every file|files? you (?:have )?(?:read|opened)|(?:any|all) (?:secrets?|credentials?|api keys?|passwords?|tokens?))GAP{0,80}\b(?:as|in|into|to|via|through|with|here|within|inside)\b",
    ),
];

static PATTERNS: LazyLock<PatternSet> = LazyLock::new(|| PatternSet::new(CODE, RULES));

/// Parameters that have no use except to carry data along.
const PLAIN_NAMES: &[&str] = &[
    "sidenote",
    "side_note",
    "summary_of_conversation",
    "conversation_so_far",
    "summary_of_environment_details",
];

/// Parameters that are harmless unless they ask for too much.
const SIDE_NAMES: &[&str] = &[
    "context",
    "notes",
    "note",
    "metadata",
    "meta",
    "feedback",
    "reason",
    "debug",
    "debug_info",
    "telemetry",
    "trace",
    "user_context",
    "chat_history",
    "conversation",
    "conversation_history",
    "memory",
    "extra",
    "info",
    "tools_list",
    "chain_of_thought",
    "internal",
    "diagnostics",
    "annotations",
    "audit",
    "comment",
    "annotation",
    "environment",
    "aux",
    "additional_context",
    "session",
];

/// Parameters named after the data that they take: `content_of_env_file`, `ssh_key_contents`.
const TAKES: &str = r"^(?:full_|entire_|raw_|the_)*(?:contents?|text|dump|copy|value|values)_(?:of|from)_(?:the_|a_|users?_|all_|any_|your_|dot_?)*(?:env\b|env_|environment|dotenv|ssh|id_rsa|id_ed25519|private_key|credentials?|secrets?|passwords?|passwd|shadow|aws|mcp_json|mcp_config|netrc|keychain|wallet|cookies|bash_history|shell_history)|^(?:dot)?_?(?:env_file|dotenv|ssh_key|ssh_private_key|id_rsa|etc_passwd|etc_shadow|netrc|mcp_json|bash_history)_(?:contents?|text|dump)$";
static TAKES_REGEX: LazyLock<Option<Regex>> = LazyLock::new(|| compile(TAKES));

const TOO_MUCH: &str = concat!(
    talk!(),
    r"|\bcontents? of (?:any|all|the|every|each|other) (?:\w+ ){0,3}files?\b|\bfiles? (?:you|that you) (?:have )?(?:read|opened)\b|\b(?:credentials?|passwords?|environment variables|secrets?|api keys?)\b(?:GAP{0,40}\b(?:you (?:have|know|saw|can)|in (?:the )?(?:conversation|context|environment)|available|found|seen))|\beverything the user\b|\b(?:user'?s|all) (?:\w+ ){0,2}(?:messages|files) (?:verbatim|in full|so far)\b"
);
static TOO_MUCH_REGEX: LazyLock<Option<Regex>> = LazyLock::new(|| compile(TOO_MUCH));

pub(super) fn check(folded: &Folded, scanned: &mut ScannedText<'_>) {
    PATTERNS.check(folded, scanned);
    side_parameter(folded, scanned);
}

/// Checks parameters that carry data along. The position shows which parameter a text belongs to:
/// `…/properties/<name>/description`, or the name itself.
fn side_parameter(folded: &Folded, scanned: &mut ScannedText<'_>) {
    let mut parts = scanned.place.rsplit('/');
    let (last, parent, above) = (parts.next(), parts.next(), parts.next());
    if parent == Some("properties") && last.is_some_and(|name| PLAIN_NAMES.contains(&name)) {
        scanned.add_finding(CODE, Severity::Medium, (0, scanned.text.len()), SIDE_NOTE);
    }
    let takes =
        |name: &str| TAKES_REGEX.as_ref().is_some_and(|takers| takers.is_match(snake(name).as_bytes()));
    if parent == Some("properties") && last.is_some_and(takes) {
        scanned.add_finding(CODE, Severity::High, (0, scanned.text.len()), TAKES_SECRETS);
    }
    let describes_side_note = above == Some("properties")
        && matches!(last, Some("description" | "title"))
        && parent.is_some_and(|name| {
            let name = name.to_ascii_lowercase();
            SIDE_NAMES.contains(&name.as_str()) || PLAIN_NAMES.contains(&name.as_str())
        });
    let found = TOO_MUCH_REGEX
        .as_ref()
        .filter(|_| describes_side_note)
        .and_then(|regex| regex.find(folded.text.as_bytes()));
    if let Some(found) = found {
        scanned.add_finding(CODE, Severity::Medium, folded.origin(found.start(), found.end()), SIDE_NOTE);
    }
}

/// Converts `contentOfEnvFile` and `content-of-env-file` to `content_of_env_file`.
fn snake(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    let mut was_lower = false;
    for c in name.chars() {
        if c.is_ascii_uppercase() && was_lower {
            snake.push('_');
        }
        was_lower = c.is_ascii_lowercase() || c.is_ascii_digit();
        snake.push(if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' });
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        assert_eq!(PATTERNS.count(), RULES.len());
        assert!(TOO_MUCH_REGEX.is_some() && TAKES_REGEX.is_some());
    }
}
