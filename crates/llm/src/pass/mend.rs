//! What passing needs of the mender of calls.

use toolwright_normalizer::continuation;

use crate::calls::GrowingCall;
pub(super) use crate::calls::{CallReport, Delivery, Mender, Named};
pub(super) use toolwright_model::Finish;

/// The name to write instead of the one that was sent.
pub(super) fn new_name<'n>(named: &'n Named, sent: &str) -> Option<&'n str> {
    Some(named.name()).filter(|name| *name != sent)
}

/// Arguments that come in pieces.
#[derive(Debug)]
pub(super) struct Growing(GrowingCall);

impl Growing {
    pub fn new(mender: &Mender, named: &Named) -> Growing {
        Growing(mender.growing(named))
    }

    /// Takes a piece, and tells how many bytes of all pieces are in no doubt.
    pub fn push(&mut self, piece: &str) -> usize {
        self.0.push(piece);
        self.0.safe()
    }
}

/// Decides about arguments of which so much has left. What is delivered instead begins with that.
pub(super) fn decide(
    mender: &Mender,
    named: &Named,
    sent: &str,
    left: usize,
    finish: Finish,
) -> (Delivery, CallReport) {
    let mended = mender.arguments(named, sent, finish);
    let mut report = mended.report;
    let (Delivery::Instead(text), Some(begun)) = (&mended.delivery, sent.get(..left)) else {
        return (mended.delivery, report);
    };
    if begun.is_empty() {
        return (mended.delivery, report);
    }
    match continuation(begun, text) {
        Some(rest) => (Delivery::Instead([begun, &rest].concat()), report),
        None => {
            report.is_too_late = true;
            report.instead = None;
            (Delivery::AsSent, report)
        }
    }
}
