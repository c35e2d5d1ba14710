//! Connects the guard of a question to the executor, and checks that a confirmed call is the one that runs.

use std::sync::{Arc, Mutex};

use toolwright_base::IgnorePoison;
use toolwright_executor::{CallJudge, Denied, Judged};

use crate::{Guard, HeldCall, Offer, Proposed, Verdict};

/// The tool result of a call that waits for a confirmation.
pub(super) const WAITS: &str = "The person has to confirm this first. It was not run.";

/// Approves one call and records what it approved.
pub(super) struct CallApproval {
    rule: ApprovalRule,
    record: Mutex<GuardRecord>,
}

/// The rule for approving a call.
enum ApprovalRule {
    /// The tool must be offered, and the guard decides.
    Guarded { offer: Offer, guard: Arc<dyn Guard> },
    /// The round has too many calls; this one does not run.
    TooMany(usize),
    /// The user has confirmed exactly this call.
    Confirmed(HeldCall),
}

/// The recorded data of a call.
#[derive(Debug, Default)]
pub(super) struct GuardRecord {
    /// The repaired arguments.
    pub arguments: Option<String>,
    /// The confirmation that is needed.
    pub held: Option<ConfirmationRequest>,
}

/// A call that needs a confirmation.
#[derive(Debug)]
pub(super) struct ConfirmationRequest {
    pub tool: String,
    pub arguments: String,
    pub question: String,
    pub schema_print: u64,
}

impl CallApproval {
    pub fn guarded(offer: Offer, guard: Arc<dyn Guard>) -> Arc<CallApproval> {
        Arc::new(CallApproval { rule: ApprovalRule::Guarded { offer, guard }, record: Mutex::default() })
    }

    pub fn too_many(most: usize) -> Arc<CallApproval> {
        Arc::new(CallApproval { rule: ApprovalRule::TooMany(most), record: Mutex::default() })
    }

    pub fn confirmed(call: HeldCall) -> Arc<CallApproval> {
        Arc::new(CallApproval { rule: ApprovalRule::Confirmed(call), record: Mutex::default() })
    }

    /// Takes the recorded data.
    pub fn record(&self) -> GuardRecord {
        std::mem::take(&mut self.record.lock().ignore_poison())
    }

    fn verdict(&self, call: &Judged<'_>) -> Verdict {
        match &self.rule {
            ApprovalRule::Guarded { offer, .. } if !offer.takes(call.tool) => Verdict::Deny {
                sentence: "This tool is not offered here. Use one of those that were offered.".to_owned(),
            },
            ApprovalRule::Guarded { guard, .. } => {
                guard.judge(&Proposed { tool: call.tool, arguments: call.arguments, changes: call.changes })
            }
            ApprovalRule::TooMany(most) => Verdict::Deny {
                sentence: format!(
                    "Only {most} calls are run at once. Send this one again in the next round."
                ),
            },
            ApprovalRule::Confirmed(held) => {
                let is_same = held.tool == call.tool.qualified_name()
                    && held.arguments == call.arguments
                    && held.schema_print == call.tool.schema_print();
                match is_same {
                    true => Verdict::Allow,
                    false => Verdict::Deny {
                        sentence: "The tool has changed since you were asked, so I did not use it. Please ask again."
                            .to_owned(),
                    },
                }
            }
        }
    }
}

impl CallJudge for CallApproval {
    fn judge(&self, call: &Judged<'_>) -> Result<(), Denied> {
        let mut record = self.record.lock().ignore_poison();
        record.arguments = Some(call.arguments.to_owned());
        match self.verdict(call) {
            Verdict::Allow => Ok(()),
            Verdict::Deny { sentence } => Err(Denied { sentence, details: String::new() }),
            Verdict::Confirm { question } => {
                record.held = Some(ConfirmationRequest {
                    tool: call.tool.qualified_name().to_owned(),
                    arguments: call.arguments.to_owned(),
                    question,
                    schema_print: call.tool.schema_print(),
                });
                Err(Denied { sentence: WAITS.to_owned(), details: String::new() })
            }
        }
    }
}
