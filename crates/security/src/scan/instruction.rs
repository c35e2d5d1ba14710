//! `instruction`: texts that give the model orders beyond the use of the tool.

use std::sync::LazyLock;

use super::patterns::{PatternSet, Rule};
use super::text::Folded;
use super::{ScannedText, Severity};

const CODE: &str = "instruction";

const IGNORES: &str = "It tells the model to ignore earlier instructions.";
const HIDES: &str = "It tells the model to hide something from the user.";
const UNASKED: &str = "It tells the model to act without asking.";
const COMMANDS: &str = "It orders calls that the user did not ask for.";
const POSES: &str = "It pretends to have more authority than a tool.";
const PREFERS: &str = "It discourages the use of other tools.";

pub(super) const RULES: &[Rule] = &[
    (
        Severity::High,
        IGNORES,
        r"\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget|discard|drop)\bGAP{0,30}\b(?:previous|prior|above|earlier|preceding|before)\bGAP{0,30}\b(?:instructions?|rules|prompts?|guidelines?|directions|directives?|orders|guardrails|constraints|restrictions|messages|context|polic(?:y|ies))\b",
    ),
    (
        Severity::High,
        IGNORES,
        r"\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget)\b (?:all |any |every |your |the |other |of |system |safety |user'?s? |developer |original |initial |security ){1,4}(?:instructions?|prompts?|guidelines?|directives?|guardrails|everything you|messages?)\b",
    ),
    (
        Severity::High,
        IGNORES,
        r"\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget|overrid(?:e|es|ing)|bypass|supersedes?|replaces?|outranks?)\bGAP{0,20}\b(?:your|system|safety|user'?s|developer|previous|prior|earlier|original) (?:safety |system |security |previous )?(?:instructions?|prompts?|guidelines?|guardrails|directives?|training|messages?)\b",
    ),
    (
        Severity::High,
        IGNORES,
        r"\b(?:instructions?|guidelines?|prompts?|directives?|messages?) (?:above|before this|given (?:before|earlier|so far)|you (?:were|have been) given)\b GAP{0,40}\b(?:void|invalid|obsolete|no longer|outdated|ignored|disregarded|superseded|do not apply|cancel)",
    ),
    (
        Severity::High,
        IGNORES,
        r"\b(?:previous|prior|earlier|preceding) (?:instructions?|directives?|guidelines?|prompts?|rules|orders) (?:are|is|shall|must|should|no longer|were|have)\b",
    ),
    (
        Severity::High,
        IGNORES,
        r"ignorieren? (?:sie )?(?:alle|die|jede)GAP{0,30}(?:anweisungen|regeln)|ignore[zr]? (?:toutes )?(?:les )?(?:instructions|consignes)|ignora(?:r)? (?:todas )?(?:las|tutte le) instruc?z?c?ion",
    ),
    (
        Severity::High,
        IGNORES,
        r"\b(?:ignorier(?:e|en|t)|missachte[nt]?|vergiss|vergessen sie|ubergehe[n]?)\bGAP{0,40}\b(?:anweisungen|anweisung|regeln|vorgaben|instruktionen)\b|\bignor(?:a|e|ar|ez|er)\bGAP{0,30}\b(?:instrucciones|indicaciones|consignes|instructions precedentes|istruzioni)\b",
    ),
    (
        Severity::High,
        HIDES,
        r"\b(?:sage?|sagen sie|erwahne|erwahnen sie|verrate|verraten sie|teile|teilen sie|informiere|informieren sie|melde)\bGAP{0,40}\b(?:benutzer|nutzer|anwender|kunden)\bGAP{0,40}\b(?:nicht|nichts|niemals|nie)\b|\b(?:sage?|erwahne|verrate|teile|informiere)\b(?: es| das| dies| davon)? (?:nicht|niemals|nie|nichts)\bGAP{0,30}\b(?:benutzer|nutzer|anwender|kunden)\b|\bohne\b(?: es| das| dies)?GAP{0,15}\b(?:benutzer|nutzer|anwender)\bGAP{0,20}\b(?:zu informieren|zu fragen|mitzuteilen|zu sagen|zu erwahnen)\b",
    ),
    (
        Severity::High,
        HIDES,
        r"\bne (?:le |la |les |lui |l'|jamais )?(?:dis|dites|mentionne[zs]?|revele[zs]?|parle[zs]?|informe[zs]?|previens|prevenez)\bGAP{0,40}\b(?:utilisateur|usager|client)s?\b|\bsans (?:le dire|en parler|informer|prevenir|avertir|demander)\bGAP{0,30}\b(?:utilisateur|usager)s?\b|\bno (?:se lo |le |lo )?(?:digas?|menciones?|reveles?|cuentes?|avises?)\bGAP{0,40}\busuarios?\b|\bsin (?:decir|decirle|decirselo|informar|avisar|mencionar|mencionarlo|preguntar)\bGAP{0,30}\busuarios?\b",
    ),
    (
        Severity::High,
        HIDES,
        r"(?:NOT (?:(?:ever|please|directly|try to|need to|have to|under any circumstances?|in any case|even) ){0,2}(?:tell|mention|inform|reveal|disclose|let|alert|explain|acknowledge|admit)|\b(?:without|avoid|refrain from|instead of) (?:ever |directly )?(?:telling|mentioning|informing|revealing|disclosing|letting|alerting|explaining|acknowledging|admitting))\b[^.!?;]{0,50}\b(?:user|human|customer|operator|anyone|anybody|person|developer)\b",
    ),
    (
        Severity::High,
        HIDES,
        r"NOT (?:ever )?(?:tell|mention|reveal|disclose|show|display|discuss|log|report) (?:this|that|these|those|it|the existence)(?: (?:step|instructions?|call|request|rule|note|parameter|action|message|tool|part|requirement|process|fact)s?)?\b(?: (?:to|in|you|when|even|was|is)\b|[.!,;)]|$)",
    ),
    (
        Severity::High,
        HIDES,
        r"\b(?:and|but|yet|then)(?: must| should| shall)? (?:not|never) (?:to )?(?:tell|mention|inform|reveal|disclose|let|alert|report|say)\b[^.!?;]{0,50}\b(?:user|human|customer|operator|anyone|anybody)\b",
    ),
    (
        Severity::High,
        UNASKED,
        r"\b(?:deletions?|deletes?|deleting|removals?|transfers?|payments?|purchases?|writes?|destructive \w+|calls?|actions|operations)(?: \w+){0,5} (?:are|is) (?:always |all |hereby )?(?:pre-?approved|pre-?authori[sz]ed)\b|\bthe user (?:has|have) (?:already )?(?:pre-?)?(?:approved|authori[sz]ed|consented to|agreed to|confirmed) (?:all|every|any|each|this|these|the|future)\b",
    ),
    (
        Severity::High,
        HIDES,
        r"\b(?:keep|stay|remain|hide|conceal|hidden|invisible|secret|withh?old|unnoticed)\bGAP{0,40}\bfrom (?:the |your |all |any )?(?:end )?(?:users?|human|customer|operator)\b",
    ),
    (
        Severity::High,
        HIDES,
        r"\b(?:user|human|customer|operator) (?:must|should|does|do|need|needs|will|can|may|shall|is|has)(?: not|n'?t|not| never)(?: need| have| supposed| allowed)?(?: to)? (?:know|notice|see this|be told|be aware|be informed|learn|find out|realize|suspect)\b",
    ),
    (
        Severity::High,
        HIDES,
        r"\b(?:secretly|covertly|discreetly|surreptitiously|stealthily)\b|\bwithout (?:the )?(?:user'?s?|human'?s?|their|anyone'?s?|anyone) (?:knowledge|knowing|noticing|awareness|being aware)\b",
    ),
    (
        Severity::Medium,
        HIDES,
        r"\b(?:silently|quietly)(?: also)? (?:read|send|call|copy|forward|upload|include|collect|post|invoke|fetch|attach|execute|append|record|transmit)\b",
    ),
    (
        Severity::Medium,
        UNASKED,
        r"(?:NOT|\bwithout\b|\bno need to\b)GAP{0,15}\b(?:ask(?:ing)?|request(?:ing)?|wait(?:ing)?|seek(?:ing)?|requir(?:e|ing))\bGAP{0,25}\b(?:for )?(?:confirmation|permission|approval|consent|confirm)\b",
    ),
    (
        Severity::Medium,
        COMMANDS,
        r"\b(?:before|prior to|after) (?:using|calling|invoking|running|executing|you (?:use|call|invoke)|each|every|any)(?: (?:use|call|invocation|run) (?:of|to))?(?: (?:any|every|each|all|of|the|other|available|another))* (?:other |another )?(?:tools?|functions?|tool calls?|tool uses?)\b",
    ),
    (
        Severity::Medium,
        COMMANDS,
        r"\b(?:you|assistant|model|agent|ai) (?:must|should|have to|shall|need to|will|are required to) (?:always|immediately|automatically|also|secretly|silently)(?: first)? (?:call|invoke|run|execute|use this|send|forward|read|include|attach|append)\b",
    ),
    (
        Severity::Medium,
        COMMANDS,
        r"\balways (?:call|invoke|run|execute|use) (?:this|the|it)\bGAP{0,30}\b(?:before|after|on every|at the (?:start|beginning|end) of|for every|with every|regardless|even if|no matter|whatever)\b",
    ),
    (
        Severity::Medium,
        COMMANDS,
        r"\b(?:call|invoke|run|execute|use) (?:this|it)\bGAP{0,40}\b(?:(?:at|in|on|for|with|before|after) (?:every|each|any|all) (?:single )?(?:message|turn|conversation|response|reply|user message|interaction|prompt|answer)|regardless of (?:what )?the (?:user|request|task)|even if the user)",
    ),
    (
        Severity::High,
        POSES,
        r"\b(?:this|the following|what follows) is an? (?:\w+ )?(?:system|admin(?:istrator)?|developer|security|root|operator|platform|priority|anthropic|openai) (?:\w+ )?(?:message|notice|prompt|instruction|override|update|directive|command|alert|request|policy)",
    ),
    (
        Severity::High,
        POSES,
        r"\bsystem (?:override|prompt|instruction|directive|notice|message|command|alert|update) ?:|\b(?:new|updated|important|secret|hidden|additional|critical|mandatory) (?:system )?instructions? (?:for (?:the )?(?:ai|assistant|model|agent|llm)s?|from (?:the )?(?:admin|system|developer|operator)|to (?:the )?(?:ai|assistant|model|agent|llm)s?|supersede)|\bnew instructions? ?:",
    ),
    (
        Severity::High,
        POSES,
        r"\byou are now (?:an? |the )?(?:dan\b|unrestricted|admin|root|different|jailbroken|free|in (?:developer|admin|debug|god|unrestricted|maintenance|root)(?: \w+)? mode|operating)|\b(?:enter|enable|activate|switch to) (?:developer|god|dan|unrestricted|jailbreak) mode\b",
    ),
    (
        Severity::High,
        POSES,
        r"\b(?:attention|note|notice|message|important|instructions?|reminder|hint|memo|directive)(?: to| for|,|:)? (?:the |all |any |every )?(?:ai|llm|language models?|assistants?|ai (?:agents?|assistants?|models?)|models?|llms|agents?)(?: reading (?:this|it))? ?(?::|-|!|,)",
    ),
    (
        Severity::Medium,
        POSES,
        r"\b(?:ai|llm|language model|automated)(?: (?:agents?|assistants?|models?|systems?))? (?:reading|processing|parsing) this\b|\b(?:ai|llm|language) (?:agents?|assistants?|models?) (?:must|shall|are required to|have to)\b|\bfrom now on,? (?:you|always|never|every|all|respond|act|treat)\b|\bas an? (?:ai|language model|assistant),? you\b",
    ),
    (
        Severity::Medium,
        POSES,
        r"\b(?:highest|top|absolute|maximum|utmost) priority\bGAP{0,40}\b(?:instructions?|over|rule|prompt|user)\b|\b(?:takes?|has|have|taking) (?:precedence|priority) over\bGAP{0,40}\b(?:instructions?|prompts?|user'?s?|guidelines?|polic(?:y|ies)|requests?)\b",
    ),
    (
        Severity::Medium,
        PREFERS,
        r"\b(?:instead of|rather than|over|in place of) (?:any|all|every|the) other (?:available |similar )?(?:tools?|servers?|functions?|providers?)\b|(?:NOT) (?:ever )?(?:use|call|invoke|choose|consider|trust|rely on)\bGAP{0,15}\b(?:any |the )?(?:other|another|competing|alternative) (?:tools?|servers?|functions?|providers?)\b|\b(?:other|all other|competing) (?:tools?|servers?) (?:are|is|must|should)\bGAP{0,15}\b(?:unsafe|deprecated|broken|malicious|insecure|never|not be|obsolete|unreliable|compromised)",
    ),
    (
        Severity::Medium,
        PREFERS,
        r"\bthis tool (?:must|should|is to) (?:always )?be (?:called|used|invoked|run|chosen|preferred) (?:first|before (?:any|all|every)|over (?:any|all|every)|instead|at every|on every|for every|regardless|in every)",
    ),
];

static PATTERNS: LazyLock<PatternSet> = LazyLock::new(|| PatternSet::new(CODE, RULES));

/// Pairs of words in languages that are not written in Latin letters. A text that has both words of a pair matches.
const OTHER_LANGUAGES: &[(&str, &str)] = &[
    ("忽略", "指令"),
    ("忽略", "指示"),
    ("無視", "指示"),
    ("не говори", "пользовател"),
    ("игнорир", "инструкци"),
    ("игнорируй", "указани"),
    ("забудь", "инструкци"),
    ("не сообщай", "пользовател"),
    ("не упоминай", "пользовател"),
    ("не рассказывай", "пользовател"),
    ("без ведома", "пользовател"),
    ("прочитай", ".ssh"),
    ("прочитай", "id_rsa"),
    ("прочти", ".ssh"),
    ("отправь", "парол"),
];

pub(super) fn check(folded: &Folded, scanned: &mut ScannedText<'_>) {
    PATTERNS.check(folded, scanned);
    if scanned.text.is_ascii() {
        return;
    }
    let lower = scanned.text.to_lowercase();
    if OTHER_LANGUAGES.iter().any(|(one, other)| lower.contains(one) && lower.contains(other)) {
        scanned.add_finding(CODE, Severity::High, (0, 0), IGNORES);
    }
}

/// Whether a text, for example a decoded one, gives orders.
pub(super) fn gives_orders(folded: &Folded) -> bool {
    PATTERNS.finds(folded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        assert_eq!(PATTERNS.count(), RULES.len());
    }
}
