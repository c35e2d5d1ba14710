//! `secret_place`: orders to read files that hold secrets.

use std::sync::LazyLock;

use super::patterns::{PatternSet, Rule};
use super::text::Folded;
use super::{ScannedText, Severity};

const CODE: &str = "secret_place";

const KEYS: &str = "It tells the model to read a file that holds keys or passwords.";
const SETTINGS: &str = "It tells the model to pass on settings or environment variables.";
const MENTIONS: &str = "It mentions a location of secrets.";

/// Verbs in the imperative. "Is read from ~/.ssh" is how a harmless tool documents itself.
macro_rules! order {
    () => {
        r"PASSIVE\b(?:read|cat|open|load|include|copy|upload|attach|fetch|retrieve|dump|print|forward|extract|collect|paste|exfiltrate|send|access|grab|steal|pass|put|provide|insert|append|leak|(?:full |complete |entire )?contents? (?:of|from))\b"
    };
}

macro_rules! key_file {
    () => {
        r"(?:\.ssh/|\.ssh\b|\bid_(?:rsa|ed25519|ecdsa|dsa)\b|/etc/(?:passwd|shadow|sudoers)|\.aws/(?:credentials|config)|\bmcp\.json|\bclaude_desktop_config|\.netrc|\.git-credentials|\.gnupg|\.(?:bash|zsh|sh)_history|\bwallet\.dat|\bcookies\.sqlite|\blogin\.keychain|\.cursor/|\bprivate ssh key|\bssh (?:private )?keys?\b|\baws (?:access keys?|credentials)\b|\bapplication_default_credentials)"
    };
}

pub(super) const RULES: &[Rule] = &[
    (Severity::High, KEYS, concat!(order!(), r"[^!?]{0,60}?", key_file!())),
    // The same in German, French, Spanish and Italian.
    (
        Severity::High,
        KEYS,
        concat!(
            r"\b(?:lies|lesen sie|offne|offnen sie|kopiere|sende|schicke|fuge|hange|lis|lisez|ouvre|ouvrez|envoie|envoyez|copiez|joignez|lee|lea|abre|abra|envia|envie|incluye|leggi|apri|invia)\b[^!?]{0,60}?",
            key_file!()
        ),
    ),
    (
        Severity::Medium,
        SETTINGS,
        concat!(
            order!(),
            r"GAP{0,60}(?:(?:^|[\s/'\x22(])\.env(?:$|[\s,;:)'\x22]|\. |\.$|\.local|\.production)|\.kube/config|\.npmrc|\.pypirc|\.docker/config|\benvironment variables?\b|\benv vars?\b|\bapi[ _-]?keys?\b|\bsaved passwords?\b|\bcredentials? files?\b)[^!?]{0,60}\b(?:and (?:pass|send|include|put|append|attach|provide|paste|post|upload|forward)|(?:as|in|into|to|via) (?:the |this |a |your )?\w{0,20} ?(?:parameter|argument|field|note|sidenote|metadata|url|webhook|server)|so that the server|first|before)",
        ),
    ),
    (Severity::Low, MENTIONS, concat!(key_file!(), r"|/etc/shadow")),
];

static PATTERNS: LazyLock<PatternSet> = LazyLock::new(|| PatternSet::new(CODE, RULES));

pub(super) fn check(folded: &Folded, scanned: &mut ScannedText<'_>) {
    PATTERNS.check(folded, scanned);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        assert_eq!(PATTERNS.count(), RULES.len());
    }
}
