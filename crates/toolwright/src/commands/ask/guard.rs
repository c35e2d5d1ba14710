//! What `ask` does not run without a word of whoever sits before it.

use toolwright_agent::{Guard, Proposed, Verdict};

/// How much of the arguments is shown in a question, in characters.
const SHOWN_CHARS: usize = 200;

/// Asks before a tool that says of itself that it destroys something. Without anybody to ask, it is not run.
pub struct AsksBefore {
    is_somebody_there: bool,
}

impl AsksBefore {
    /// Whether there is a terminal with somebody before it.
    pub fn new(is_somebody_there: bool) -> AsksBefore {
        AsksBefore { is_somebody_there }
    }
}

impl Guard for AsksBefore {
    fn judge(&self, call: &Proposed<'_>) -> Verdict {
        if !call.tool.definition().annotations.destructive {
            return Verdict::Allow;
        }
        if !self.is_somebody_there {
            let sentence = "This tool destroys something, and nobody is here to be asked. Whoever asks can allow \
                            it with the option yes.";
            return Verdict::Deny { sentence: sentence.to_owned() };
        }
        let mut arguments: String = call.arguments.chars().take(SHOWN_CHARS).collect();
        if arguments.len() < call.arguments.len() {
            arguments.push('…');
        }
        Verdict::Confirm { question: format!("Run {} {arguments}?", call.tool.qualified_name()) }
    }
}
